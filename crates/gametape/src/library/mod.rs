//! The library API: typed capture of a game in five lines.
//!
//! [`Capture`] is the builder, [`RunningCapture`] the running capture, [`Summary`] the result. For each tape, a recorder thread reads the
//! source. Its observer (`hub`) passes each new frame to the listeners. Each listener has a ring buffer and, if it is a callback, its own
//! thread. `docs/library.md` is the guide; its examples are tests.

mod bytes;
mod capture;
mod ctrl_c;
mod decoded;
mod frames;
mod hub;
mod known;
mod known_types;
mod listener;
mod offers;
mod own_memory;
mod own_udp;
mod page_source;
mod queued;
#[cfg(feature = "watch")]
mod replay_folder;
mod ring;
mod running;
mod source_spec;
mod start;
mod start_error;
mod tape_source;
mod together;
mod typed;

pub use crate::tape::{Fault, FrameStruct};
pub use bytes::FrameWriter;
pub use capture::Capture;
pub use frames::{FrameStream, Frames};
pub use own_memory::{SharedMemory, shared_memory};
pub use own_udp::{Udp, udp};
#[cfg(feature = "store")]
pub(crate) use ring::{Inlet, Reuse, Ring, ThreadWaker, copy_into};
pub use running::RunningCapture;
pub use running::{CaptureError, Summary};
pub use source_spec::{IntoSource, SourceSpec};
pub use start_error::StartError;

/// The examples of the guide and of the README, as tests. Not part of the package, which contains neither.
#[cfg(doctest)]
mod guide {
    #[doc = include_str!("../../../../docs/library.md")]
    struct Guide;
    #[doc = include_str!("../../../../README.md")]
    struct Readme;
}
