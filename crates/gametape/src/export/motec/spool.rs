//! A temporary file that collects the samples of all channels side by side, each at its place in the log. Small ones stay in memory; the
//! others are a file without a name in the system's temporary folder, which is gone however the program ends.

use std::io::{self, Read as _, Seek as _, SeekFrom, Write as _};

use tempfile::SpooledTempFile;

/// Samples that stay in memory, in bytes.
const IN_MEMORY: usize = 16 << 20;
/// Memory for all channels before they are written, in bytes.
const BUFFERS: usize = 16 << 20;
/// Most of it for one channel.
const LARGEST_BUFFER: usize = 64 << 10;
const COPIED: usize = 256 << 10;

pub(super) struct Spool {
    file: SpooledTempFile,
    channels: Vec<Pending>,
    buffer_bytes: usize,
}

/// Samples of a channel that are not written yet, and their place.
struct Pending {
    bytes: Vec<u8>,
    at: u64,
}

impl Spool {
    /// Creates the file of channels whose samples begin at these places.
    pub(super) fn new(starts: Vec<u64>) -> Self {
        let buffer_bytes = (BUFFERS / starts.len().max(1)).min(LARGEST_BUFFER);
        let channels = starts.into_iter().map(|at| Pending { bytes: Vec::new(), at }).collect();
        Self { file: SpooledTempFile::new(IN_MEMORY), channels, buffer_bytes }
    }

    /// Appends a sample to a channel. After an error, which is left in `failed`, nothing is written. `goes_on` is asked now and then: a
    /// pause of a tape can have millions of samples.
    pub(super) fn put(
        &mut self,
        (number, sample): (usize, [u8; 4]),
        goes_on: &dyn Fn() -> io::Result<()>,
        failed: &mut io::Result<()>,
    ) {
        let Some(channel) = self.channels.get_mut(number).filter(|_| failed.is_ok()) else { return };
        channel.bytes.extend_from_slice(&sample);
        if channel.bytes.len() >= self.buffer_bytes {
            *failed = goes_on().and_then(|()| channel.write(&mut self.file));
        }
    }

    /// Passes on the whole file, which has this length.
    pub(super) fn copy(mut self, length: u64, take: &mut dyn FnMut(&[u8]) -> io::Result<()>) -> io::Result<()> {
        for channel in &mut self.channels {
            channel.write(&mut self.file)?;
        }
        self.file.seek(SeekFrom::Start(0)).map_err(of_spool)?;
        let (mut left, mut buffer) = (length, vec![0; COPIED]);
        while left > 0 {
            let most = usize::try_from(left).unwrap_or(COPIED).min(COPIED);
            let Some(piece) = buffer.get_mut(..most) else { break };
            self.file.read_exact(piece).map_err(of_spool)?;
            take(piece)?;
            left -= piece.len() as u64;
        }
        Ok(())
    }
}

impl Pending {
    fn write(&mut self, file: &mut SpooledTempFile) -> io::Result<()> {
        if !self.bytes.is_empty() {
            file.seek(SeekFrom::Start(self.at)).and_then(|_| file.write_all(&self.bytes)).map_err(of_spool)?;
            self.at += self.bytes.len() as u64;
            self.bytes.clear();
        }
        Ok(())
    }
}

/// Says which file it is: the disk of the temporary folder may be a smaller one.
fn of_spool(error: io::Error) -> io::Error {
    let folder = std::env::temp_dir();
    let hint = "TMPDIR chooses another folder";
    io::Error::new(error.kind(), format!("temporary file in {}: {error}; {hint}", folder.display()))
}
