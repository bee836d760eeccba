//! The file to import, read in parts and never as a whole.

use std::fmt;
use std::io::{self, Read as _};
use std::ops::Range;
use std::path::{Path, PathBuf};

use gametape_format::{ReadAt, open_regular};
#[cfg(feature = "echo")]
use telemetry_v2::Dictionary;

use super::ImportOptions;
use super::error::ImportError;

/// Maximum bytes read or stored at once for a range of unbounded length.
pub(super) const CHUNK_BYTES: u64 = 1 << 20;

/// A file to import.
pub struct Source {
    /// Its content.
    pub content: Box<dyn ReadAt>,
    /// Its path.
    pub path: PathBuf,
    /// Its length.
    pub bytes: u64,
    /// The zstd dictionary that the file was compressed with, if the caller has one. Only Telemetry V2 captures use it.
    #[cfg(feature = "echo")]
    pub dictionary: Option<Dictionary>,
    /// The user drove the laps of the file. Only lap files of other loggers use it: their laps are someone else's by default.
    pub is_own: bool,
}

impl fmt::Debug for Source {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Source").field("path", &self.path).field("bytes", &self.bytes).finish_non_exhaustive()
    }
}

impl Source {
    /// Opens a file.
    pub fn open(path: &Path) -> Result<Self, ImportError> {
        let opened = open_regular(path).and_then(|file| Ok((file.metadata()?.len(), file)));
        let (bytes, file) = opened.map_err(|source| ImportError::Read { path: path.into(), source })?;
        Ok(Self {
            content: Box::new(file),
            path: path.into(),
            bytes,
            #[cfg(feature = "echo")]
            dictionary: None,
            is_own: false,
        })
    }

    /// Creates a source from bytes in memory.
    pub fn of_bytes(name: &str, bytes: Vec<u8>) -> Self {
        Self {
            bytes: bytes.len() as u64,
            content: Box::new(bytes),
            path: name.into(),
            #[cfg(feature = "echo")]
            dictionary: None,
            is_own: false,
        }
    }

    /// Adds the caller's information about the source.
    pub fn with_options(self, options: &ImportOptions) -> Self {
        Self {
            #[cfg(feature = "echo")]
            dictionary: options.dictionary.clone(),
            is_own: options.is_own,
            ..self
        }
    }

    /// Reads the file with the same name and another extension, if there is one and it is not longer than `most`.
    pub(super) fn beside(&self, extension: &str, most: u64) -> Result<Option<Vec<u8>>, ImportError> {
        let Some(path) = path_beside(&self.path, extension) else { return Ok(None) };
        let read = |source| ImportError::Read { path: path.clone(), source };
        let file = open_regular(&path).map_err(read)?;
        let mut bytes = Vec::new();
        file.take(most.saturating_add(1)).read_to_end(&mut bytes).map_err(read)?;
        Ok(Some(bytes).filter(|bytes| bytes.len() as u64 <= most))
    }

    /// Returns the file's name without its folder.
    pub fn name(&self) -> String {
        self.path.file_name().unwrap_or_default().to_string_lossy().into_owned()
    }

    /// Reads a range. The caller must have checked that its length fits into memory.
    pub fn read(&self, range: &Range<u64>) -> Result<Vec<u8>, ImportError> {
        let mut bytes = Vec::new();
        self.read_into(range, &mut bytes)?;
        Ok(bytes)
    }

    /// [`Source::read`] into a reusable buffer.
    pub fn read_into(&self, range: &Range<u64>, bytes: &mut Vec<u8>) -> Result<(), ImportError> {
        let failed = |source| ImportError::Read { path: self.path.clone(), source };
        let length =
            usize::try_from(range.end.saturating_sub(range.start)).map_err(io::Error::other).map_err(failed)?;
        bytes.resize(length, 0);
        self.fill(range.start, bytes).map_err(failed)
    }

    fn fill(&self, offset: u64, buffer: &mut [u8]) -> io::Result<()> {
        let mut done = 0;
        while let Some(room) = buffer.get_mut(done..).filter(|room| !room.is_empty()) {
            match self.content.read_at(offset + done as u64, room) {
                Ok(0) => {
                    let text = "the file became shorter while it was read";
                    return Err(io::Error::new(io::ErrorKind::UnexpectedEof, text));
                }
                Ok(count) => done += count,
                Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
                Err(error) => return Err(error),
            }
        }
        Ok(())
    }
}

/// Returns the path of the file with the same name and another extension, in lower or upper case, if there is one.
pub(super) fn path_beside(path: &Path, extension: &str) -> Option<PathBuf> {
    let upper = extension.to_uppercase();
    [extension, upper.as_str()].into_iter().map(|extension| path.with_extension(extension)).find(|path| path.is_file())
}

/// Splits a range into chunks of at most [`CHUNK_BYTES`].
pub(super) fn chunks(stretch: Range<u64>) -> impl Iterator<Item = Range<u64>> {
    let mut at = stretch.start;
    std::iter::from_fn(move || {
        let start = at;
        at = stretch.end.min(start.saturating_add(CHUNK_BYTES));
        (start < stretch.end).then_some(start..at)
    })
}
