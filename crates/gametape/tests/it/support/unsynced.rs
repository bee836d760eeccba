//! Real files that are not made durable: tests that make a thousand tapes have no disk to wait for.
#![allow(unreachable_pub)]
use std::io;
use std::path::{Path, PathBuf};

use gametape::format::write::{Files, JournalFile, StdFiles, TapeFile};

/// The standard files without their syncs.
#[derive(Debug, Default)]
pub struct Unsynced;

struct UnsyncedTape(Box<dyn TapeFile>);

impl TapeFile for UnsyncedTape {
    fn append(&mut self, data: &[u8]) -> io::Result<()> {
        self.0.append(data)
    }

    fn truncate(&mut self, length: u64) -> io::Result<()> {
        self.0.truncate(length)
    }

    fn sync(&mut self) -> io::Result<()> {
        Ok(())
    }
}

impl Files for Unsynced {
    fn create_tape(&self, path: &Path) -> io::Result<Box<dyn TapeFile>> {
        Ok(Box::new(UnsyncedTape(StdFiles.create_tape(path)?)))
    }

    fn create_journal(&self, path: &Path, bytes: u64) -> io::Result<Box<dyn JournalFile>> {
        StdFiles.create_journal(path, bytes)
    }

    fn journals(&self, tape: &Path) -> io::Result<Vec<PathBuf>> {
        StdFiles.journals(tape)
    }

    fn remove(&self, path: &Path) -> io::Result<()> {
        StdFiles.remove(path)
    }

    fn publish(&self, from: &Path, to: &Path) -> io::Result<()> {
        StdFiles.publish(from, to)
    }

    fn replace(&self, from: &Path, to: &Path) -> io::Result<()> {
        StdFiles.replace(from, to)
    }

    fn lock(&self, path: &Path) -> io::Result<Box<dyn Send>> {
        StdFiles.lock(path)
    }

    fn keep(&self, path: &Path, second: &Path) -> io::Result<bool> {
        StdFiles.keep(path, second)
    }

    fn sync_directory(&self, _: &Path) -> io::Result<()> {
        Ok(())
    }
}
