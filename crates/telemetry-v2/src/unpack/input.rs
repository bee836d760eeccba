//! A buffered reader with limited rewind: after damage, the search for the next frame starts before the bytes that a
//! decoder has consumed.

use std::io::{self, Read};

/// Number of bytes requested from the source at once.
const CHUNK_BYTES: usize = 64 << 10;
/// How far back it can rewind: a zstd block has at most 128 KiB, so damage is detected within that.
const HISTORY_BYTES: usize = 256 << 10;

/// The bytes of a source, with their offsets.
pub(crate) struct Input<R> {
    source: R,
    data: Vec<u8>,
    /// Offset of `data`'s first byte in the source.
    base: u64,
    position: usize,
    ended: bool,
    /// Number of bytes read from the source since the last [`Input::restart`].
    read_bytes: u64,
}

impl<R: Read> Input<R> {
    pub(crate) fn new(source: R) -> Self {
        Self { source, data: Vec::new(), base: 0, position: 0, ended: false, read_bytes: 0 }
    }

    /// Tells that the source is positioned at this offset of its file.
    pub(crate) fn restart(&mut self, offset: u64) {
        self.data.clear();
        (self.base, self.position, self.ended, self.read_bytes) = (offset, 0, false, 0);
    }

    /// The offset of the next byte.
    pub(crate) fn offset(&self) -> u64 {
        self.base + self.position as u64
    }

    pub(crate) fn read_bytes(&self) -> u64 {
        self.read_bytes
    }

    fn fill(&mut self) -> io::Result<()> {
        if self.position > HISTORY_BYTES + CHUNK_BYTES {
            let drop = self.position - HISTORY_BYTES;
            self.data.drain(..drop);
            self.base += drop as u64;
            self.position -= drop;
        }
        let before = self.data.len();
        self.data.resize(before + CHUNK_BYTES, 0);
        let result = loop {
            match self.source.read(self.data.get_mut(before..).unwrap_or_default()) {
                Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
                other => break other,
            }
        };
        let count = *result.as_ref().unwrap_or(&0);
        self.data.truncate(before + count);
        self.read_bytes += count as u64;
        result.map(|count| self.ended = count == 0)
    }

    /// Returns the next bytes, at least one unless the source has ended.
    pub(crate) fn available(&mut self) -> io::Result<&[u8]> {
        if self.position >= self.data.len() && !self.ended {
            self.fill()?;
        }
        Ok(self.data.get(self.position..).unwrap_or_default())
    }

    /// Returns the next `count` bytes, or fewer at the end.
    pub(crate) fn peek(&mut self, count: usize) -> io::Result<&[u8]> {
        while self.data.len() - self.position < count && !self.ended {
            self.fill()?;
        }
        let end = self.data.len().min(self.position + count);
        Ok(self.data.get(self.position..end).unwrap_or_default())
    }

    /// Consumes available bytes.
    pub(crate) fn consume(&mut self, count: usize) {
        self.position = self.data.len().min(self.position + count);
    }

    /// Skips bytes and returns how many there were.
    pub(crate) fn skip(&mut self, count: u64) -> io::Result<u64> {
        let mut left = count;
        while left > 0 {
            let here = self.available()?.len();
            if here == 0 {
                break;
            }
            let step = usize::try_from(left).unwrap_or(usize::MAX).min(here);
            self.consume(step);
            left -= step as u64;
        }
        Ok(count - left)
    }

    /// Rewinds to this offset, or as close to it as possible. Never moves forward.
    pub(crate) fn rewind(&mut self, offset: u64) {
        let back = offset.saturating_sub(self.base);
        self.position = self.position.min(usize::try_from(back).unwrap_or(usize::MAX));
    }
}

impl<R: Read> Read for Input<R> {
    fn read(&mut self, out: &mut [u8]) -> io::Result<usize> {
        let here = self.available()?;
        let count = here.len().min(out.len());
        if let (Some(target), Some(bytes)) = (out.get_mut(..count), here.get(..count)) {
            target.copy_from_slice(bytes);
        }
        self.consume(count);
        Ok(count)
    }
}
