//! The messages of the `.proto` files, as prost makes them. `codegen/` writes the code; nothing here is edited by hand.

#![allow(missing_docs, clippy::doc_markdown, clippy::doc_lazy_continuation, clippy::large_enum_variant)]

/// Positions and rotations.
pub mod spatial {
    /// Version 1.
    pub mod v1 {
        pub use crate::spatial::{Quat, Vec3};

        include!("generated/spatial.v1.rs");
    }
}

/// The answers of the game's HTTP API.
pub mod engine {
    /// Version 1.
    pub mod v1 {
        include!("generated/engine.v1.rs");
    }
}

/// Captures.
pub mod telemetry {
    /// What `.nevrcap` files hold.
    pub mod v1 {
        include!("generated/telemetry.v1.rs");
    }
    /// What `.tape` files hold.
    pub mod v2 {
        pub use crate::CaptureHeader;

        /// What is in a `CaptureHeader`.
        pub mod capture_header {
            pub use crate::capture_header::GameHeader;
        }

        include!("generated/telemetry.v2.rs");
    }
}
