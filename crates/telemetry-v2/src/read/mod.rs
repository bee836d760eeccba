//! Reading captures: [`Reader`] reads any source sequentially, [`Tape`] seeks in a file.

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
