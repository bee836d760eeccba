//! The library: capture a game in five lines, typed.
//!
//! [`Capture`] is the plan, [`RunningCapture`] what runs, [`Summary`] what it gave. Inside: a source for each tape is read by a
//! recorder thread; its observer (`hub`) hands each new frame to the listeners, each of which has a ring of slots and, if it is a
//! callback, a thread of its own. `docs/library.md` is the guide; its examples are tests.

mod bytes;
mod capture;
mod ctrl_c;
mod decoded;
mod frames;
mod gate;
mod guarded;
mod hub;
mod known;
mod known_types;
mod listener;
mod offers;
mod own_memory;
mod page_source;
mod queued;
mod ring;
mod running;
mod source_spec;
mod start;
mod start_error;
mod summary;
mod tape_source;
mod together;
mod typed;
mod wanted;

pub use bytes::FrameWriter;
pub use capture::Capture;
pub use frames::{FrameStream, Frames};
pub use own_memory::{SharedMemory, shared_memory};
pub(crate) use ring::{Inlet, Reuse, Ring, ThreadWaker, copy_into};
pub use running::RunningCapture;
pub use source_spec::{IntoSource, SourceSpec};
pub use start_error::StartError;
pub use summary::{CaptureError, Summary, TapeSummary};
pub use typed::FrameStruct;
pub use wanted::Fault;
pub(crate) use wanted::{Wanted, message_of};

/// The examples of the guide and of the front page, as tests. Not part of the package, which holds neither.
#[cfg(doctest)]
mod guide {
    #[doc = include_str!("../../../../docs/library.md")]
    struct Guide;
    #[doc = include_str!("../../../../README.md")]
    struct Readme;
}
