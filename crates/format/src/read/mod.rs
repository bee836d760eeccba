//! Reading tapes: open, frames, channels, overviews, system streams, verification.

mod catalog;
mod channels;
mod frames;
mod journals;
mod looks_like;
mod overview;
mod problem;
mod scan;
mod system_views;
mod tape;
mod verify;

pub use channels::{ChannelBlock, Channels, Values};
pub use frames::{Frame, Frames, Merged};
#[cfg(feature = "write")]
pub(crate) use journals::journal_paths;
pub use overview::Bucket;
pub use problem::{Problem, ProblemKind, ReadError};
pub(crate) use tape::Notes;
pub use tape::{Tape, TapeStream};
pub use verify::{Verified, VerifyProgress};
