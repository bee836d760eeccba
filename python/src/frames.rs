//! Raw frames as the game gave them: an iterator of time and bytes.

use std::sync::Arc;

use gametape_format::StreamId;
use gametape_format::read::{ReadError, Tape};
use pyo3::prelude::*;
use pyo3::types::PyBytes;

use crate::background::{Background, Items};
use crate::errors::{GametapeError, io_error, read_error};
use crate::values::signed;

/// What is handed over at once.
const CHUNK_BYTES: usize = 256 << 10;
const CHUNK_FRAMES: usize = 1024;

#[derive(Default)]
struct Chunk {
    bytes: Vec<u8>,
    /// Stream, time, and the end of the frame in `bytes`.
    frames: Vec<(u16, u64, usize)>,
}

/// Iterates over `(stream number, time_ns, bytes)`.
#[pyclass(frozen, module = "gametape._native")]
pub(crate) struct FrameIterator {
    chunks: Background<Result<Chunk, ReadError>>,
    current: std::sync::Mutex<(Chunk, usize)>,
    name: String,
}

impl FrameIterator {
    /// Starts reading streams, merged by time.
    pub(crate) fn start(
        tape: Arc<Tape>,
        streams: Vec<u16>,
        times: std::ops::Range<u64>,
        strict: bool,
        name: String,
    ) -> PyResult<Self> {
        let chunks = Background::start(move |items: &Items<Result<Chunk, ReadError>>| {
            if let Err(error) = read(&tape, &streams, &times, strict, items) {
                items.put(Err(error));
            }
        })
        .map_err(|error| io_error(error, "cannot start a reading thread"))?;
        Ok(Self { chunks, current: std::sync::Mutex::default(), name })
    }
}

fn read(
    tape: &Tape,
    streams: &[u16],
    times: &std::ops::Range<u64>,
    strict: bool,
    items: &Items<Result<Chunk, ReadError>>,
) -> Result<(), ReadError> {
    let passable = |error: ReadError| match error {
        ReadError::Damaged(_) if !strict => Ok(()),
        error => Err(error),
    };
    let mut frames = tape.merged(streams.iter().filter_map(|id| tape.stream(StreamId(*id))));
    if times.start > 0 {
        frames.seek_time(times.start).or_else(passable)?;
    }
    let mut chunk = Chunk::default();
    loop {
        match frames.next() {
            Ok(Some(frame)) if frame.time_ns < times.end => {
                chunk.bytes.extend_from_slice(frame.data);
                chunk.frames.push((frame.stream.0, frame.time_ns, chunk.bytes.len()));
            }
            Ok(_) => {
                items.put(Ok(chunk));
                return Ok(());
            }
            Err(error) => passable(error)?,
        }
        let is_full = chunk.bytes.len() >= CHUNK_BYTES || chunk.frames.len() >= CHUNK_FRAMES;
        if is_full && !items.put(Ok(std::mem::take(&mut chunk))) {
            return Ok(());
        }
    }
}

#[pymethods]
impl FrameIterator {
    fn __iter__(slf: Py<Self>) -> Py<Self> {
        slf
    }

    fn __next__<'py>(&self, py: Python<'py>) -> PyResult<Option<(u16, i64, Bound<'py, PyBytes>)>> {
        loop {
            if let Some(frame) = self.take(py) {
                return Ok(Some(frame));
            }
            let next = py.detach(|| self.chunks.next()).map_err(GametapeError::new_err)?;
            let Some(chunk) = next else { return Ok(None) };
            let chunk = chunk.map_err(|error| read_error(error, &self.name))?;
            *self.current.lock().unwrap_or_else(std::sync::PoisonError::into_inner) = (chunk, 0);
        }
    }
}

impl FrameIterator {
    fn take<'py>(&self, py: Python<'py>) -> Option<(u16, i64, Bound<'py, PyBytes>)> {
        let mut current = self.current.lock().unwrap_or_else(std::sync::PoisonError::into_inner);
        let (chunk, at) = &mut *current;
        let (stream, time_ns, end) = *chunk.frames.get(*at)?;
        let start = at.checked_sub(1).and_then(|before| chunk.frames.get(before)).map_or(0, |(_, _, end)| *end);
        let frame = PyBytes::new(py, chunk.bytes.get(start..end)?);
        *at += 1;
        Some((stream, signed([time_ns]).first().copied()?, frame))
    }
}
