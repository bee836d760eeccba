//! Writing tapes: a recorder's writer that never waits for the disk, and a builder for converters.

mod blocks;
mod builder;
mod encoder;
mod files;
mod generation;
#[cfg(test)]
mod power_cut;
mod sink;
mod std_files;
mod writer;

pub use builder::{BuildError, TapeBuilder};
pub use files::{Files, JournalFile, TapeFile, journal_path};
pub use generation::Failure;
pub use std_files::StdFiles;
pub use writer::{Accepted, AppendError, CreateError, FinishError, Finished, WriteOptions, Writer};
