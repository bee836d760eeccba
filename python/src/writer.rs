//! Writes tapes, with the crash safety of a recording: a frame that was accepted is in a journal and survives the end of the process.

use std::path::PathBuf;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};

use gametape::sys::MappedFiles;
use gametape_format::write::{Accepted, AppendError, CreateError, FinishError, WriteOptions, Writer as TapeWriter};
use gametape_format::{Channel, ChannelType, StreamId, StreamSpec};
use pyo3::exceptions::{PyFileExistsError, PyOSError};
use pyo3::prelude::*;
use pyo3::pybacked::PyBackedBytes;

use crate::errors::{GametapeError, io_error, value_error};

/// How long frames are held back while the disk is full or slow.
const PATIENCE: Duration = Duration::from_secs(30);
const PAUSE: Duration = Duration::from_millis(2);
/// Frames that are appended before Ctrl-C is looked for.
const FRAMES_BETWEEN_SIGNALS: usize = 65_536;

/// A tape that is being written.
#[pyclass(frozen, module = "gametape._native")]
pub(crate) struct Writer {
    open: Mutex<Option<TapeWriter>>,
    name: String,
}

const KINDS: [ChannelType; 17] = [
    ChannelType::U8,
    ChannelType::I8,
    ChannelType::U16,
    ChannelType::I16,
    ChannelType::U32,
    ChannelType::I32,
    ChannelType::U64,
    ChannelType::I64,
    ChannelType::F32,
    ChannelType::F64,
    ChannelType::Bool,
    ChannelType::Char,
    ChannelType::Char16,
    ChannelType::Bits8,
    ChannelType::Bits16,
    ChannelType::Bits32,
    ChannelType::Bits64,
];

#[pymethods]
impl Writer {
    /// Creates a tape. A file of this name is never overwritten.
    #[new]
    #[pyo3(signature = (path, start_utc_ns=None))]
    fn new(py: Python<'_>, path: PathBuf, start_utc_ns: Option<i64>) -> PyResult<Self> {
        let name = path.display().to_string();
        let options = WriteOptions { start_utc_ns, ..WriteOptions::new(gametape::identity::new_id()) };
        let writer = py.detach(|| TapeWriter::create(Arc::new(MappedFiles), &path, &options));
        let writer = writer.map_err(|error| match error {
            CreateError::Exists { .. } => PyFileExistsError::new_err(error.to_string()),
            CreateError::Io { doing, path, source } => io_error(source, &format!("cannot {doing} {}", path.display())),
        })?;
        Ok(Self { open: Mutex::new(Some(writer)), name })
    }

    /// Adds a stream. Channels: name, type, byte offset, count, unit.
    fn add_stream(
        &self,
        py: Python<'_>,
        name: String,
        frame_bytes: u32,
        channels: Vec<(String, String, u32, u32, String)>,
        game: String,
        is_json: bool,
    ) -> PyResult<u16> {
        let channel = |(name, kind, offset, count, unit): (String, String, u32, u32, String)| {
            let kind = KINDS.into_iter().find(|known| known.name() == kind);
            let kind = kind.ok_or_else(|| value_error(format!("channel {name:?} has an unknown type")))?;
            Ok(Channel::new(name, kind, offset, count, unit))
        };
        let channels = channels.into_iter().map(channel).collect::<PyResult<Vec<_>>>()?;
        let spec = match (is_json, frame_bytes) {
            (true, _) => StreamSpec::json(name),
            (false, 0) => StreamSpec::rows(name),
            (false, _) => StreamSpec::columns(name, frame_bytes, channels),
        };
        self.with(py, |writer| writer.add_stream(StreamSpec { game, ..spec })).map(|id| id.0)
    }

    /// Appends frames of one size that lie one after the other in `data`. Returns how many were stored.
    fn append(
        &self,
        py: Python<'_>,
        stream: u16,
        times_ns: Vec<u64>,
        data: PyBackedBytes,
        size: usize,
    ) -> PyResult<u64> {
        if times_ns.len().checked_mul(size) != Some(data.len()) {
            return Err(value_error(format!("{} times, but {} bytes of frames of {size}", times_ns.len(), data.len())));
        }
        let mut stored = 0;
        for (part, times) in times_ns.chunks(FRAMES_BETWEEN_SIGNALS).enumerate() {
            let first = part * FRAMES_BETWEEN_SIGNALS;
            stored += self.with(py, |writer| {
                let mut stored = 0;
                for (row, time_ns) in times.iter().enumerate() {
                    let start = (first + row) * size;
                    let frame = data.get(start..start + size).unwrap_or_default();
                    wait_for_room(writer, frame.len())?;
                    stored +=
                        u64::from(matches!(writer.append(StreamId(stream), *time_ns, frame)?, Accepted::Stored(_)));
                }
                Ok(stored)
            })?;
            py.check_signals()?;
        }
        Ok(stored)
    }

    #[pyo3(signature = (time_ns, kind, text, length_ns=None))]
    fn event(&self, py: Python<'_>, time_ns: u64, kind: &str, text: &str, length_ns: Option<u64>) -> PyResult<()> {
        self.with(py, |writer| match length_ns {
            Some(length_ns) => writer.event_with_length(time_ns, kind, text, length_ns),
            None => writer.event(time_ns, kind, text),
        })
    }

    fn metadata(&self, py: Python<'_>, time_ns: u64, key: &str, value: &str) -> PyResult<()> {
        self.with(py, |writer| writer.metadata(time_ns, key, value))
    }

    fn clock(&self, py: Python<'_>, time_ns: u64, utc_ns: i64) -> PyResult<()> {
        self.with(py, |writer| writer.clock(time_ns, utc_ns))
    }

    /// Closes the tape: bytes, frames, dropped.
    fn finish(&self, py: Python<'_>) -> PyResult<(u64, u64, u64)> {
        py.detach(|| {
            let writer = self.open.lock().unwrap_or_else(PoisonError::into_inner).take();
            let writer = writer.ok_or_else(|| value_error(format!("{} is closed", self.name)))?;
            let finished = writer.finish().map_err(|error| match error {
                FinishError::TapeGone => PyOSError::new_err(format!("{}: {error}", self.name)),
                error => GametapeError::new_err(format!("{}: {error}", self.name)),
            })?;
            let frames = finished.streams.iter().map(|stream| stream.totals.frames).sum();
            Ok((finished.bytes, frames, finished.loss().dropped))
        })
    }

    /// Gives the tape up as a killed process would: readers open it with its journal.
    fn abandon(&self, py: Python<'_>) {
        py.detach(|| drop(self.open.lock().unwrap_or_else(PoisonError::into_inner).take()));
    }

    #[getter]
    fn closed(&self, py: Python<'_>) -> bool {
        py.detach(|| self.open.lock().unwrap_or_else(PoisonError::into_inner).is_none())
    }
}

impl Writer {
    /// Calls the writer without the interpreter lock. Other threads wait for their turn without it, too.
    fn with<T: Send>(
        &self,
        py: Python<'_>,
        act: impl FnOnce(&mut TapeWriter) -> Result<T, AppendError> + Send,
    ) -> PyResult<T> {
        py.detach(|| {
            let mut open = self.open.lock().unwrap_or_else(PoisonError::into_inner);
            let writer = open.as_mut().ok_or_else(|| value_error(format!("{} is closed", self.name)))?;
            act(writer).map_err(|error| self.append_error(error))
        })
    }

    fn append_error(&self, error: AppendError) -> PyErr {
        let text = format!("{}: {error}", self.name);
        match error {
            AppendError::Journal(_) | AppendError::NoRoom { .. } => PyOSError::new_err(text),
            AppendError::Failed(_) => GametapeError::new_err(text),
            _ => value_error(text),
        }
    }
}

/// Holds a frame back until a journal has room for it: a program that writes faster than the disk is slowed down and loses nothing.
fn wait_for_room(writer: &TapeWriter, bytes: usize) -> Result<(), AppendError> {
    if writer.has_room(bytes) {
        return Ok(());
    }
    let start = Instant::now();
    while !writer.has_room(bytes) {
        if start.elapsed() > PATIENCE {
            return Err(AppendError::NoRoom { bytes });
        }
        std::thread::sleep(PAUSE);
    }
    Ok(())
}
