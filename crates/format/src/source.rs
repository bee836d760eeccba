//! Where a reader gets its bytes: a file, memory, or anything that can read and seek.

use std::io::{self, Read, Seek, SeekFrom};
use std::sync::Mutex;

/// Bytes that can be read at any place, by many at once, while they may still grow.
pub trait ReadAt: Send + Sync {
    /// Reads at `offset`; fewer bytes than asked for means the end.
    fn read_at(&self, offset: u64, buffer: &mut [u8]) -> io::Result<usize>;
    /// How many bytes there are now.
    fn size(&self) -> io::Result<u64>;
}

impl ReadAt for Vec<u8> {
    fn read_at(&self, offset: u64, buffer: &mut [u8]) -> io::Result<usize> {
        self.as_slice().read_at(offset, buffer)
    }

    fn size(&self) -> io::Result<u64> {
        Ok(self.len() as u64)
    }
}

impl ReadAt for &[u8] {
    fn read_at(&self, offset: u64, buffer: &mut [u8]) -> io::Result<usize> {
        let rest = usize::try_from(offset).ok().and_then(|start| self.get(start..)).unwrap_or_default();
        let count = rest.len().min(buffer.len());
        if let (Some(to), Some(from)) = (buffer.get_mut(..count), rest.get(..count)) {
            to.copy_from_slice(from);
        }
        Ok(count)
    }

    fn size(&self) -> io::Result<u64> {
        Ok(self.len() as u64)
    }
}

impl ReadAt for std::fs::File {
    #[cfg(unix)]
    fn read_at(&self, offset: u64, buffer: &mut [u8]) -> io::Result<usize> {
        std::os::unix::fs::FileExt::read_at(self, buffer, offset)
    }

    #[cfg(windows)]
    fn read_at(&self, offset: u64, buffer: &mut [u8]) -> io::Result<usize> {
        std::os::windows::fs::FileExt::seek_read(self, buffer, offset)
    }

    #[cfg(not(any(unix, windows)))]
    fn read_at(&self, _offset: u64, _buffer: &mut [u8]) -> io::Result<usize> {
        Err(io::Error::new(io::ErrorKind::Unsupported, "this platform has no files"))
    }

    fn size(&self) -> io::Result<u64> {
        Ok(self.metadata()?.len())
    }
}

/// Makes anything that reads and seeks usable as a source.
#[derive(Debug)]
pub struct Seekable<R>(Mutex<R>);

impl<R: Read + Seek> Seekable<R> {
    /// Wraps a reader.
    pub fn new(inner: R) -> Self {
        Self(Mutex::new(inner))
    }

    fn with<T>(&self, act: impl FnOnce(&mut R) -> io::Result<T>) -> io::Result<T> {
        act(&mut self.0.lock().unwrap_or_else(std::sync::PoisonError::into_inner))
    }
}

impl<R: Read + Seek + Send> ReadAt for Seekable<R> {
    fn read_at(&self, offset: u64, buffer: &mut [u8]) -> io::Result<usize> {
        self.with(|inner| {
            inner.seek(SeekFrom::Start(offset))?;
            inner.read(buffer)
        })
    }

    fn size(&self) -> io::Result<u64> {
        self.with(|inner| inner.seek(SeekFrom::End(0)))
    }
}

/// Fills the buffer, or as much of it as there is; gives the number of bytes.
pub(crate) fn read_full(source: &dyn ReadAt, offset: u64, buffer: &mut [u8]) -> io::Result<usize> {
    let mut done = 0;
    while let Some(room) = buffer.get_mut(done..).filter(|room| !room.is_empty()) {
        match source.read_at(offset.saturating_add(done as u64), room) {
            Ok(0) => break,
            Ok(count) => done += count.min(room.len()),
            Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
            Err(error) => return Err(error),
        }
    }
    Ok(done)
}
