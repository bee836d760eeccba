//! Where a reader gets its bytes: a file, memory, or anything that can read and seek.

use std::fs::{File, Metadata};
use std::io::{self, Read, Seek, SeekFrom};
use std::path::Path;
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

/// Opens a regular file for reading. Anything else is refused without opening it: a pipe would block until somebody writes, a device may have no end.
///
/// # Errors
/// As [`File::open`](std::fs::File::open), and `InvalidInput` with the kind of file for everything that is not a regular file.
pub fn open_regular(path: impl AsRef<Path>) -> io::Result<File> {
    let path = path.as_ref();
    check_regular(&path.metadata()?)?;
    let file = File::open(path)?;
    // The name may lead to another file by now.
    check_regular(&file.metadata()?)?;
    Ok(file)
}

pub(crate) fn check_regular(metadata: &Metadata) -> io::Result<()> {
    if metadata.is_file() {
        return Ok(());
    }
    let text = match kind_of(metadata) {
        "a folder" => "it is a folder, not a file".to_owned(),
        kind => format!("it is {kind}, not a regular file: copy what it gives into a file first"),
    };
    Err(io::Error::new(io::ErrorKind::InvalidInput, text))
}

fn kind_of(metadata: &Metadata) -> &'static str {
    #[cfg(unix)]
    {
        use std::os::unix::fs::FileTypeExt as _;
        let kind = metadata.file_type();
        let kinds = [
            (kind.is_fifo(), "a named pipe (FIFO)"),
            (kind.is_char_device() || kind.is_block_device(), "a device"),
            (kind.is_socket(), "a socket"),
        ];
        if let Some((_, name)) = kinds.into_iter().find(|(is_it, _)| *is_it) {
            return name;
        }
    }
    if metadata.is_dir() { "a folder" } else { "a special file" }
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_folder_is_not_opened() {
        let error = open_regular(std::env::temp_dir()).unwrap_err();
        assert_eq!(
            (error.kind(), error.to_string().as_str()),
            (io::ErrorKind::InvalidInput, "it is a folder, not a file")
        );
        assert_eq!(open_regular("no/such/file").unwrap_err().kind(), io::ErrorKind::NotFound);
    }

    #[cfg(target_os = "linux")]
    #[test]
    fn devices_and_sockets_are_not_opened() {
        let device = open_regular("/dev/null").unwrap_err();
        assert_eq!(device.kind(), io::ErrorKind::InvalidInput);
        assert!(device.to_string().contains("a device, not a regular file"), "{device}");
    }
}
