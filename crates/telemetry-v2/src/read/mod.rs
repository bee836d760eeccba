//! Reading of captures: [`Reader`] takes any source from its beginning, [`Tape`] a file in which it can jump.

mod capture;
mod problem;
mod reader;
mod tape;
mod tape_index;

pub use capture::Capture;
pub use problem::Problem;
pub use reader::{Item, Placed, ReadError, Reader};
pub use tape::{FrameAt, OpenError, Tape};
pub use tape_index::TapeIndex;
