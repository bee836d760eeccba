//! The native half of the Python package `gametape`: tapes, channels, laps and writing, as classes of the module `gametape._native`.
//!
//! Takes Python arguments, calls the crates `gametape-format`, `gametape-analysis` and `gametape`, and gives numpy arrays, Arrow streams and JSON.
//! The interpreter lock is released while anything is read, decoded or written. What users see of it is written in Python (`python/lib/gametape`),
//! and so are the names, the defaults and the docstrings; nothing here decides about them.
//!
//! Empty without the feature `extension` (see `Cargo.toml`).
#![cfg(feature = "extension")]
#![deny(unsafe_code)]

mod arrow;
mod background;
mod errors;
mod frames;
mod importing;
mod laps;
mod read;
mod source;
mod table;
mod tape;
mod text;
mod values;
mod writer;

/// The module `gametape._native`.
#[pyo3::pymodule]
mod _native {
    #[pymodule_export]
    use crate::frames::FrameIterator;
    #[pymodule_export]
    use crate::importing::{import_file, recover_file};
    #[pymodule_export]
    use crate::laps::{Tracked, compare_laps};
    #[pymodule_export]
    use crate::table::table_stream;
    #[pymodule_export]
    use crate::tape::{StreamInfo, Tape};
    #[pymodule_export]
    use crate::writer::Writer;

    #[pymodule_export]
    const VERSION: &str = env!("CARGO_PKG_VERSION");
}
