//! What a writer asks of a file system. Real files are in `std_files`; tests put a crash simulator in their place.

use std::io;
use std::path::{Path, PathBuf};

/// A file system, as far as tapes need one.
pub trait Files: Send + Sync {
    /// Makes a new tape file for one writer alone; an existing file is an error.
    fn create_tape(&self, path: &Path) -> io::Result<Box<dyn TapeFile>>;
    /// Makes a new journal file of this size, all zero, its space on the disk allocated.
    fn create_journal(&self, path: &Path, bytes: u64) -> io::Result<Box<dyn JournalFile>>;
    /// The journals beside a tape.
    fn journals(&self, tape: &Path) -> io::Result<Vec<PathBuf>>;
    /// Holds a tape that exists against other writers as long as the result lives; an error if one has it.
    fn lock(&self, path: &Path) -> io::Result<Box<dyn Send>>;
    /// Removes a file.
    fn remove(&self, path: &Path) -> io::Result<()>;
    /// Gives a file its final name; an existing file of that name is an error.
    fn publish(&self, from: &Path, to: &Path) -> io::Result<()>;
    /// Puts a file in the place of another.
    fn replace(&self, from: &Path, to: &Path) -> io::Result<()>;
    /// Gives a file a second name, under which it stays when the first is replaced. One that is there already stays.
    fn keep(&self, path: &Path, second: &Path) -> io::Result<()>;
    /// Makes names in the directory of `path` durable.
    fn sync_directory(&self, path: &Path) -> io::Result<()>;
}

/// A tape that is being written: it only grows.
pub trait TapeFile: Send {
    /// Appends bytes.
    fn append(&mut self, data: &[u8]) -> io::Result<()>;
    /// Cuts off what a failed append left behind.
    fn truncate(&mut self, bytes: u64) -> io::Result<()>;
    /// Makes everything durable.
    fn sync(&mut self) -> io::Result<()>;
}

/// A journal file. One thread writes, another reads what was written before and syncs.
pub trait JournalFile: Send + Sync {
    /// Puts bytes at a place inside the file. Must not wait for the disk.
    fn write(&self, at: u64, data: &[u8]) -> io::Result<()>;
    /// Reads bytes that were written before.
    fn read(&self, at: u64, buffer: &mut [u8]) -> io::Result<()>;
    /// Makes everything durable that was written before the call.
    fn sync(&self) -> io::Result<()>;
}

/// Path of a journal generation.
pub fn journal_path(tape: &Path, generation: u64) -> PathBuf {
    let mut name = tape.as_os_str().to_owned();
    name.push(format!("-journal-{generation}"));
    PathBuf::from(name)
}
