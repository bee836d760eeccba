//! Reading tapes: opening, frames, channels, overviews, system streams, verification.

mod catalog;
mod channels;
mod closed_file;
mod described;
mod frames;
mod journals;
mod looks_like;
mod open;
mod order;
mod overview;
mod problem;
mod records;
mod scan;
mod system_views;
mod tape;
mod verify;

#[cfg(feature = "write")]
pub(crate) use catalog::{BlockLocation, Located, PageCache};
pub use channels::{ChannelBlock, Channels, Values};
pub use frames::{Frame, Frames, Merged};
#[cfg(feature = "write")]
pub(crate) use journals::journal_paths;
pub use overview::Bucket;
pub(crate) use problem::Notes;
pub use problem::{Problem, ProblemKind, ReadError};
pub use tape::{Tape, TapeStream};
pub use verify::{Verified, VerifyProgress};
