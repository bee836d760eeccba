//! What a writer asks of a file system. Real files are in `std_files`; tests put a crash simulator in their place.

use std::io;
use std::path::{Path, PathBuf};

use super::std_files;

/// A file system, as far as tapes need one.
///
/// What a method does by default is what the machine's file system does; one that is not on the machine has all methods of its own.
pub trait Files: Send + Sync {
    /// Makes a new tape file for one writer alone; an existing file is an error.
    fn create_tape(&self, path: &Path) -> io::Result<Box<dyn TapeFile>> {
        std_files::create_tape(path)
    }

    /// Makes a new journal file of this size, all zero, its space on the disk allocated.
    fn create_journal(&self, path: &Path, bytes: u64) -> io::Result<Box<dyn JournalFile>> {
        std_files::create_journal(path, bytes)
    }

    /// The journals beside a tape.
    fn journals(&self, tape: &Path) -> io::Result<Vec<PathBuf>> {
        crate::read::journal_paths(tape)
    }

    /// Unfinished files of rewrites of a tape, beside it.
    fn unfinished(&self, tape: &Path) -> io::Result<Vec<PathBuf>> {
        super::builder::unfinished_paths(tape)
    }

    /// Holds a tape that exists against other writers as long as the result lives; an error if one has it.
    fn lock(&self, path: &Path) -> io::Result<Box<dyn Send>> {
        std_files::lock(path)
    }

    /// Removes a file. Its name is free and no longer listed afterwards, also while somebody reads it.
    fn remove(&self, path: &Path) -> io::Result<()> {
        std_files::remove(path)
    }

    /// Gives a file its final name; an existing file of that name is an error.
    fn publish(&self, from: &Path, to: &Path) -> io::Result<()> {
        std_files::publish(from, to)
    }

    /// Puts a file in the place of another.
    fn replace(&self, from: &Path, to: &Path) -> io::Result<()> {
        std::fs::rename(from, to)
    }

    /// Gives a file a second name, under which it stays when the first is replaced. `false` if that name is taken: it stays then.
    fn keep(&self, path: &Path, second: &Path) -> io::Result<bool> {
        std_files::keep(path, second)
    }

    /// Makes names in the directory of `path` durable.
    fn sync_directory(&self, path: &Path) -> io::Result<()> {
        std_files::sync_directory(path)
    }
}

/// A tape that is being written: it only grows.
pub trait TapeFile: Send {
    /// Appends bytes.
    fn append(&mut self, data: &[u8]) -> io::Result<()>;
    /// Cuts off what a failed append left behind.
    fn truncate(&mut self, bytes: u64) -> io::Result<()>;
    /// Makes everything durable.
    fn sync(&mut self) -> io::Result<()>;
    /// Whether this file is still found under that path: `false` if it was removed, moved or replaced.
    fn is_at(&self, _path: &Path) -> io::Result<bool> {
        Ok(true)
    }
}

/// A journal file. One thread writes, another reads what was written before and syncs.
pub trait JournalFile: Send + Sync {
    /// Puts bytes at a place inside the file. Must not wait for the disk.
    fn write(&self, at: u64, data: &[u8]) -> io::Result<()>;
    /// Reads bytes that were written before.
    fn read(&self, at: u64, buffer: &mut [u8]) -> io::Result<()>;
    /// Makes everything durable that was written before the call.
    fn sync(&self) -> io::Result<()>;
    /// Writes to these places are to come: what the system has to do for the first of them can be done now, by the thread that may
    /// wait. Bytes stay as they are. Only for speed, so there is nothing to say if it fails.
    fn prepare(&self, _at: u64, _bytes: u64) {}
    /// Whether this file is still found under that path: `false` if it was removed, moved or replaced.
    fn is_at(&self, _path: &Path) -> io::Result<bool> {
        Ok(true)
    }
}

/// Whether an error means that the disk, or the user's share of it, is full: the same call may succeed later.
#[must_use]
pub fn is_no_room(error: &io::Error) -> bool {
    matches!(error.kind(), io::ErrorKind::StorageFull | io::ErrorKind::QuotaExceeded)
}

/// Path of a journal generation.
pub fn journal_path(tape: &Path, generation: u64) -> PathBuf {
    let mut name = tape.as_os_str().to_owned();
    name.push(format!("-journal-{generation}"));
    PathBuf::from(name)
}
