//! Writing tapes: a recording writer that never blocks on the disk, and a builder for converters.

mod blocks;
mod builder;
mod core;
mod cut;
mod encoder;
mod files;
mod generation;
mod index_page;
mod merge;
mod outcome;
#[cfg(test)]
mod power_cut;
mod recover;
mod rewrite;
mod sink;
mod std_files;
mod writer;

pub use builder::{BuildError, TapeBuilder};
pub use cut::{cut, cut_with};
pub use files::{Files, JournalFile, TapeFile, is_no_room, journal_path};
pub use generation::{Failure, Trouble};
pub use merge::merge;
pub use outcome::{Accepted, AppendError, CreateError, FinishError, Finished, FinishedStream, WriteOptions};
pub use recover::{RECOVERED, damaged_path, recover};
pub use rewrite::{RewriteError, RewriteProgress, RewriteReport};
pub use std_files::{StdFiles, is_being_written, is_file_at, new_private};
pub use writer::Writer;
