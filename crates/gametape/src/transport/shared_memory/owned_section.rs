//! A section of shared memory that the player writes. It is created, or reused if it was left behind.

use std::io;
use std::time::{Duration, Instant};

use crate::sys::{SectionReader, SectionWriter, sleep_until};
use crate::transport::StageError;

/// How often to check a section that is too small.
const LOOK: Duration = Duration::from_millis(100);

/// A section and its name.
#[derive(Debug)]
pub(crate) struct OwnedSection {
    name: String,
    /// `None` only after the name was removed.
    writer: Option<SectionWriter>,
    bytes: u64,
}

impl OwnedSection {
    /// Creates the section, or reuses one that is large enough, of which only `bytes` bytes are used. If it is too small and cannot
    /// grow, waits for its owner to release it.
    pub(crate) fn claim(name: String, bytes: u64, patience: Duration) -> Result<Self, StageError> {
        let start = Instant::now();
        loop {
            let found = match SectionWriter::create(&name, bytes) {
                Ok(writer) => return Ok(Self { name, writer: Some(writer), bytes }),
                // Any other error is permanent, such as a file of another user, or not a regular file.
                Err(source) if source.kind() != io::ErrorKind::AlreadyExists => {
                    return Err(StageError::Memory { name, source });
                }
                Err(source) => match too_small(&name, bytes) {
                    Some(found) => found,
                    None => return Err(StageError::Memory { name, source }),
                },
            };
            let waited = start.elapsed();
            if waited >= patience {
                return Err(StageError::TooSmall { name, found, wanted: bytes, waited });
            }
            sleep_until(Instant::now() + LOOK);
        }
    }

    /// Returns the size of the section in bytes.
    pub(crate) fn len(&self) -> u64 {
        self.bytes
    }

    /// Writes bytes at an offset.
    pub(crate) fn write(&self, offset: u64, bytes: &[u8]) -> Result<(), StageError> {
        let Some(writer) = &self.writer else { return Ok(()) };
        writer.write(offset, bytes).map_err(|source| StageError::Memory { name: self.name.clone(), source })
    }

    /// Fills a range with zeros. Clipped to the section.
    pub(crate) fn clear(&self, from: u64, to: u64) -> Result<(), StageError> {
        const ZEROS: [u8; 4096] = [0; 4096];
        let end = to.min(self.len());
        let mut at = from;
        while at < end {
            let length = usize::try_from(end - at).unwrap_or(ZEROS.len()).min(ZEROS.len());
            self.write(at, ZEROS.get(..length).unwrap_or_default())?;
            at += length as u64;
        }
        Ok(())
    }

    /// Removes the name if this player created the section.
    pub(crate) fn remove(mut self) -> Result<(), StageError> {
        let removed = self.take_away();
        removed.map_err(|source| StageError::Memory { name: std::mem::take(&mut self.name), source })
    }

    fn take_away(&mut self) -> io::Result<()> {
        match self.writer.take().map_or(Ok(()), SectionWriter::remove) {
            // Another process has removed it.
            Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(()),
            removed => removed,
        }
    }
}

impl Drop for OwnedSection {
    fn drop(&mut self) {
        // After an error: remove what this player created.
        let _ = self.take_away();
    }
}

/// Returns the size of the section if it is smaller than wanted.
fn too_small(name: &str, wanted: u64) -> Option<u64> {
    let found = SectionReader::open(name).ok()??.len().ok()?;
    (found < wanted).then_some(found)
}
