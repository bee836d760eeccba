//! The file to import, read in parts and never as a whole.

use std::fmt;
use std::io;
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
        }
    }

    /// Adds the caller's information about the source.
    pub fn with_options(self, options: &ImportOptions) -> Self {
        #[cfg(feature = "echo")]
        return Self { dictionary: options.dictionary.clone(), ..self };
        #[cfg(not(feature = "echo"))]
        {
            let _ = options;
            self
        }
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

/// Splits a range into chunks of at most [`CHUNK_BYTES`].
pub(super) fn chunks(stretch: Range<u64>) -> impl Iterator<Item = Range<u64>> {
    let mut at = stretch.start;
    std::iter::from_fn(move || {
        let start = at;
        at = stretch.end.min(start.saturating_add(CHUNK_BYTES));
        (start < stretch.end).then_some(start..at)
    })
}
