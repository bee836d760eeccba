//! The file system interface of a writer. `std_files` implements it with real files; tests substitute a crash simulator.

use std::io;
use std::path::{Path, PathBuf};

use super::std_files;

/// A file system, as far as tapes need one.
///
/// The default methods use the machine's file system. An implementation for anything else has to override all of them.
pub trait Files: Send + Sync {
    /// Creates a new tape file with a single writer; an existing file is an error.
    fn create_tape(&self, path: &Path) -> io::Result<Box<dyn TapeFile>> {
        std_files::create_tape(path)
    }

    /// Creates a new zero-filled journal file of this size, with its disk space allocated.
    fn create_journal(&self, path: &Path, bytes: u64) -> io::Result<Box<dyn JournalFile>> {
        std_files::create_journal(path, bytes)
    }

    /// Lists the journals of a tape.
    fn journals(&self, tape: &Path) -> io::Result<Vec<PathBuf>> {
        crate::read::journal_paths(tape)
    }

    /// Lists the unfinished files that rewrites of a tape have left beside it.
    fn unfinished(&self, tape: &Path) -> io::Result<Vec<PathBuf>> {
        super::builder::unfinished_paths(tape)
    }

    /// Locks an existing tape against other writers for as long as the result lives. Returns an error if another writer has it.
    fn lock(&self, path: &Path) -> io::Result<Box<dyn Send>> {
        std_files::lock(path)
    }

    /// Removes a file. Afterwards its name is free and no longer listed, even if the file is still open for reading.
    fn remove(&self, path: &Path) -> io::Result<()> {
        std_files::remove(path)
    }

    /// Renames a file to its final name; an existing file of that name is an error.
    fn publish(&self, from: &Path, to: &Path) -> io::Result<()> {
        std_files::publish(from, to)
    }

    /// Replaces the file `to` with `from`.
    fn replace(&self, from: &Path, to: &Path) -> io::Result<()> {
        std::fs::rename(from, to)
    }

    /// Gives a file a second name, which remains when the first is replaced. Returns `false`, leaving things unchanged,
    /// if that name is taken.
    fn keep(&self, path: &Path, second: &Path) -> io::Result<bool> {
        std_files::keep(path, second)
    }

    /// Makes the names in the directory of `path` durable.
    fn sync_directory(&self, path: &Path) -> io::Result<()> {
        std_files::sync_directory(path)
    }
}

/// A tape that is being written. It only grows.
pub trait TapeFile: Send {
    /// Appends bytes.
    fn append(&mut self, data: &[u8]) -> io::Result<()>;
    /// Truncates the file to remove what a failed append left behind.
    fn truncate(&mut self, bytes: u64) -> io::Result<()>;
    /// Makes everything durable.
    fn sync(&mut self) -> io::Result<()>;
    /// Whether `path` still refers to this file: `false` if it was removed, moved or replaced.
    fn is_at(&self, _path: &Path) -> io::Result<bool> {
        Ok(true)
    }
}

/// A journal file. One thread writes; another reads what has been written and syncs.
pub trait JournalFile: Send + Sync {
    /// Writes bytes at an offset inside the file. Must not block on the disk.
    fn write(&self, at: u64, data: &[u8]) -> io::Result<()>;
    /// Reads bytes that have been written before.
    fn read(&self, at: u64, buffer: &mut [u8]) -> io::Result<()>;
    /// Makes everything durable that was written before the call.
    fn sync(&self) -> io::Result<()>;
    /// Announces writes to this range, so that the work the system has to do for the first of them can be done now, on
    /// the thread that may block. Leaves the bytes unchanged. This is only an optimization, so it reports no errors.
    fn prepare(&self, _at: u64, _bytes: u64) {}
    /// Announces that the bytes before `end` were synced and will not be read again: what they occupy in memory can be released. The file keeps them.
    /// This is only an optimization, so it reports no errors.
    fn release(&self, _end: u64) {}
    /// Whether `path` still refers to this file: `false` if it was removed, moved or replaced.
    fn is_at(&self, _path: &Path) -> io::Result<bool> {
        Ok(true)
    }
}

/// Whether an error means that the disk, or the user's quota, is full: the same call may succeed later.
#[must_use]
pub fn is_no_room(error: &io::Error) -> bool {
    matches!(error.kind(), io::ErrorKind::StorageFull | io::ErrorKind::QuotaExceeded)
}

/// Returns the path of a journal generation.
pub fn journal_path(tape: &Path, generation: u64) -> PathBuf {
    let mut name = tape.as_os_str().to_owned();
    name.push(format!("-journal-{generation}"));
    PathBuf::from(name)
}
