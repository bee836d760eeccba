//! A section of shared memory that the player writes: made, or taken over when it was left behind.

use std::io;
use std::time::{Duration, Instant};

use super::error::PlayError;
use crate::sys::{SectionReader, SectionWriter, sleep_until};

/// How often a section that is in the way is looked at again.
const LOOK: Duration = Duration::from_millis(100);

/// A section and its name.
#[derive(Debug)]
pub(super) struct Section {
    name: String,
    /// Gone only when the name was taken away.
    writer: Option<SectionWriter>,
    bytes: u64,
}

impl Section {
    /// Makes it, or takes over one that is large enough, of which only `bytes` are used. Where it is too small and cannot grow, waits for its
    /// owner to go.
    pub(super) fn claim(name: String, bytes: u64, patience: Duration) -> Result<Self, PlayError> {
        let start = Instant::now();
        loop {
            let found = match SectionWriter::create(&name, bytes) {
                Ok(writer) => return Ok(Self { name, writer: Some(writer), bytes }),
                // Any other error is there to stay: somebody else's file, or what is no file.
                Err(source) if source.kind() != io::ErrorKind::AlreadyExists => {
                    return Err(PlayError::Memory { name, source });
                }
                Err(source) => match too_small(&name, bytes) {
                    Some(found) => found,
                    None => return Err(PlayError::Memory { name, source }),
                },
            };
            let waited = start.elapsed();
            if waited >= patience {
                return Err(PlayError::TooSmall { name, found, wanted: bytes, waited });
            }
            sleep_until(Instant::now() + LOOK);
        }
    }

    /// Bytes of the section.
    pub(super) fn len(&self) -> u64 {
        self.bytes
    }

    /// Copies bytes in.
    pub(super) fn write(&self, offset: u64, bytes: &[u8]) -> Result<(), PlayError> {
        let Some(writer) = &self.writer else { return Ok(()) };
        writer.write(offset, bytes).map_err(|source| PlayError::Memory { name: self.name.clone(), source })
    }

    /// Fills a part with zeros; what lies outside is left out.
    pub(super) fn clear(&self, from: u64, to: u64) -> Result<(), PlayError> {
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

    /// Takes the name away if this player made it.
    pub(super) fn remove(mut self) -> Result<(), PlayError> {
        let removed = self.take_away();
        removed.map_err(|source| PlayError::Memory { name: std::mem::take(&mut self.name), source })
    }

    fn take_away(&mut self) -> io::Result<()> {
        match self.writer.take().map_or(Ok(()), SectionWriter::remove) {
            // Somebody else has tidied up.
            Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(()),
            removed => removed,
        }
    }
}

impl Drop for Section {
    fn drop(&mut self) {
        // After an error on the way: nothing that this player made stays.
        let _ = self.take_away();
    }
}

/// The size of a section of that name that is smaller than wanted.
fn too_small(name: &str, wanted: u64) -> Option<u64> {
    let found = SectionReader::open(name).ok()??.len().ok()?;
    (found < wanted).then_some(found)
}
