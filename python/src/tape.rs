//! An open tape and its streams.

use std::ops::Range;
use std::sync::{Arc, PoisonError, RwLock};

use gametape_format::read::{self, ReadError, TapeStream};
use gametape_format::{ReadAt, Role, StreamId};
use numpy::PyArray1;
use pyo3::prelude::*;
use pyo3::pybacked::PyBackedBytes;
use pyo3::types::{PyBytes, PyCapsule, PyDict, PyList};

use crate::arrow::{capsule, stream_of};
use crate::errors::{DamagedTapeError, StreamNotFoundError, read_error, value_error};
use crate::frames::FrameIterator;
use crate::laps::Tracked;
use crate::read::{How, choose, read_all};
use crate::source::{Bytes, Object};
use crate::values::{signed, to_numpy};

/// A tape that is open for reading.
#[pyclass(frozen, module = "gametape._native")]
pub(crate) struct Tape {
    open: RwLock<Option<Arc<read::Tape>>>,
    /// Its path or address, for messages.
    name: String,
    strict: bool,
}

/// What a stream is, apart from its channels.
#[pyclass(frozen, get_all, module = "gametape._native")]
pub(crate) struct StreamInfo {
    id: u16,
    name: String,
    game: String,
    layout: String,
    transport: String,
    role: &'static str,
    is_text: bool,
    frame_bytes: u32,
    frames: u64,
    raw_bytes: u64,
    stored_bytes: u64,
    first_ns: Option<u64>,
    last_ns: Option<u64>,
    seen_until_ns: Option<u64>,
    dropped: u64,
    torn: u64,
    missed: u64,
    gaps: u64,
    late: u64,
    unchanged: u64,
}

fn role_name(role: Role) -> &'static str {
    match role {
        Role::Data => "data",
        Role::Describe => "describe",
        Role::Events => "events",
        Role::Clock => "clock",
        Role::Metadata => "metadata",
        Role::Status => "status",
    }
}

impl StreamInfo {
    fn of(stream: &TapeStream) -> Self {
        let (spec, totals, status) = (stream.spec(), stream.totals(), stream.status());
        let counters = status.counters;
        Self {
            id: stream.id().0,
            name: spec.name.clone(),
            game: spec.game.clone(),
            layout: spec.layout.clone(),
            transport: spec.transport.clone(),
            role: role_name(spec.role),
            is_text: spec.is_text(),
            frame_bytes: spec.frame_bytes,
            frames: totals.frames,
            raw_bytes: totals.raw_bytes,
            stored_bytes: totals.stored_bytes,
            first_ns: totals.first_ns,
            last_ns: totals.last_ns,
            seen_until_ns: status.seen_until_ns,
            dropped: counters.dropped,
            torn: counters.torn,
            missed: counters.missed,
            gaps: counters.gaps,
            late: counters.late,
            unchanged: counters.unchanged,
        }
    }
}

impl Tape {
    fn open(
        py: Python<'_>,
        name: String,
        strict: bool,
        open: impl FnOnce() -> Result<read::Tape, ReadError> + Send,
    ) -> PyResult<Self> {
        let tape = py.detach(open).map_err(|error| read_error(error, &name))?;
        if let (true, Some(problem)) = (strict, tape.problems().first()) {
            return Err(DamagedTapeError::new_err(format!("{name} is damaged: {problem}")));
        }
        Ok(Self { open: RwLock::new(Some(Arc::new(tape))), name, strict })
    }

    fn get(&self) -> PyResult<Arc<read::Tape>> {
        let open = self.open.read().unwrap_or_else(PoisonError::into_inner);
        open.clone().ok_or_else(|| value_error(format!("{} is closed", self.name)))
    }

    fn stream<'a>(&self, tape: &'a read::Tape, id: u16) -> PyResult<&'a TapeStream> {
        tape.stream(StreamId(id)).ok_or_else(|| StreamNotFoundError::new_err(format!("{}: no stream {id}", self.name)))
    }
}

/// The range of times from arguments: `None` is open.
fn times(start_ns: Option<u64>, stop_ns: Option<u64>) -> Range<u64> {
    start_ns.unwrap_or(0)..stop_ns.unwrap_or(u64::MAX)
}

#[pymethods]
impl Tape {
    /// Opens a file, with its journals if it was not closed.
    #[staticmethod]
    fn open_path(py: Python<'_>, path: std::path::PathBuf, strict: bool) -> PyResult<Self> {
        let name = path.display().to_string();
        Self::open(py, name, strict, || read::Tape::open(path))
    }

    /// Opens a tape in memory.
    #[staticmethod]
    fn open_bytes(py: Python<'_>, data: PyBackedBytes, strict: bool) -> PyResult<Self> {
        Self::open(py, "<bytes>".to_owned(), strict, || read::Tape::from_sources(Box::new(Bytes(data)), Vec::new()))
    }

    /// Opens a tape through an object with `read_at` and `size`.
    #[staticmethod]
    fn open_object(py: Python<'_>, source: Py<PyAny>, name: String, strict: bool) -> PyResult<Self> {
        let source: Box<dyn ReadAt> = Box::new(Object(source));
        Self::open(py, name, strict, || read::Tape::from_sources(source, Vec::new()))
    }

    /// Closes the file, as soon as running readers have ended.
    fn close(&self, py: Python<'_>) {
        // The lock is held by nobody who waits for the interpreter.
        let open = self.open.write().unwrap_or_else(PoisonError::into_inner).take();
        py.detach(|| drop(open));
    }

    #[getter]
    fn closed(&self) -> bool {
        self.open.read().unwrap_or_else(PoisonError::into_inner).is_none()
    }

    #[getter]
    fn name(&self) -> &str {
        &self.name
    }

    #[getter]
    fn id(&self) -> PyResult<Option<String>> {
        Ok(self.get()?.id().map(|id| id.to_string()))
    }

    #[getter]
    fn version(&self) -> PyResult<u16> {
        Ok(self.get()?.version())
    }

    #[getter]
    fn start_utc_ns(&self) -> PyResult<Option<i64>> {
        Ok(self.get()?.start_utc_ns())
    }

    #[getter]
    fn complete(&self) -> PyResult<bool> {
        Ok(self.get()?.is_complete())
    }

    #[getter]
    fn is_being_written(&self) -> PyResult<bool> {
        Ok(self.get()?.is_being_written())
    }

    #[getter]
    fn size(&self) -> PyResult<u64> {
        Ok(self.get()?.bytes())
    }

    fn metadata<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyDict>> {
        let tape = self.get()?;
        let metadata = py.detach(|| tape.metadata());
        let dict = PyDict::new(py);
        for (key, value) in metadata {
            dict.set_item(key, value)?;
        }
        Ok(dict)
    }

    /// Problems found so far: kind, offset, journal, stream, frames lost, text.
    #[allow(clippy::type_complexity, reason = "a tuple that only the Python half takes apart")]
    fn problems(&self) -> PyResult<Vec<(&'static str, u64, Option<u64>, Option<u16>, Option<u64>, String)>> {
        let of = |problem: read::Problem| {
            let stream = problem.stream.map(|id| id.0);
            (problem.kind.name(), problem.offset, problem.journal, stream, problem.frames_lost, problem.to_string())
        };
        Ok(self.get()?.problems().into_iter().map(of).collect())
    }

    /// Events: time, kind, text, length.
    #[allow(clippy::type_complexity, reason = "a tuple that only the Python half takes apart")]
    fn events(&self, py: Python<'_>) -> PyResult<Vec<(u64, String, String, Option<u64>)>> {
        let tape = self.get()?;
        let events = py.detach(|| tape.events());
        Ok(events.into_iter().map(|event| (event.at_ns, event.kind, event.text, event.length_ns)).collect())
    }

    fn clock_readings(&self, py: Python<'_>) -> PyResult<Vec<(u64, i64)>> {
        let tape = self.get()?;
        Ok(py.detach(|| tape.clock_readings()))
    }

    fn streams(&self) -> PyResult<Vec<StreamInfo>> {
        Ok(self.get()?.streams().map(StreamInfo::of).collect())
    }

    /// Channels of a stream: name, type, count, byte offset, unit.
    #[allow(clippy::type_complexity, reason = "a tuple that only the Python half takes apart")]
    fn channels(&self, stream: u16) -> PyResult<Vec<(String, &'static str, u32, u32, String)>> {
        let tape = self.get()?;
        let channels = self.stream(&tape, stream)?.spec().channels.iter();
        let of = |one: &gametape_format::Channel| {
            (one.name.clone(), one.kind.name(), one.count, one.offset, one.unit.clone())
        };
        Ok(channels.map(of).collect())
    }

    /// Reads channels: times (if wanted), columns, and the number of damaged parts that were left out.
    #[pyo3(signature = (stream, names, start_ns=None, stop_ns=None, times_too=false))]
    #[allow(clippy::type_complexity, reason = "a tuple that only the Python half takes apart")]
    fn read<'py>(
        &self,
        py: Python<'py>,
        stream: u16,
        names: Vec<String>,
        start_ns: Option<u64>,
        stop_ns: Option<u64>,
        times_too: bool,
    ) -> PyResult<(Option<Bound<'py, PyArray1<i64>>>, Bound<'py, PyList>, u64)> {
        let tape = self.get()?;
        let stream = self.stream(&tape, stream)?;
        let choices = choose(&tape, stream, &names).map_err(|error| read_error(error, &self.name))?;
        let how = How { times: times(start_ns, stop_ns), with_times: times_too, strict: self.strict };
        let read = read_all(py, &tape, stream, &choices, &how, &self.name)?;
        let times = times_too.then(|| PyArray1::from_vec(py, signed(read.times)));
        let columns = PyList::empty(py);
        for (values, choice) in read.columns.into_iter().zip(&choices) {
            columns.append(to_numpy(py, choice.kind, choice.count, values)?)?;
        }
        Ok((times, columns, read.damaged))
    }

    /// Minimum and maximum in equal intervals of time: their starts, and NaN where there are no values.
    #[pyo3(signature = (stream, channel, element, start_ns=None, stop_ns=None, points=1000))]
    #[allow(
        clippy::type_complexity,
        clippy::too_many_arguments,
        reason = "only the Python half calls it and takes it apart"
    )]
    fn overview<'py>(
        &self,
        py: Python<'py>,
        stream: u16,
        channel: &str,
        element: u32,
        start_ns: Option<u64>,
        stop_ns: Option<u64>,
        points: usize,
    ) -> PyResult<(Bound<'py, PyArray1<i64>>, Bound<'py, PyArray1<f64>>, Bound<'py, PyArray1<f64>>)> {
        let tape = self.get()?;
        let stream = self.stream(&tape, stream)?;
        let buckets = py
            .detach(|| tape.overview(stream, channel, element, times(start_ns, stop_ns), points))
            .map_err(|error| read_error(error, &self.name))?;
        let of = |value: fn(&read::Bucket) -> Option<f64>| {
            PyArray1::from_vec(py, buckets.iter().map(|bucket| value(bucket).unwrap_or(f64::NAN)).collect())
        };
        let from = PyArray1::from_vec(py, signed(buckets.iter().map(|bucket| bucket.from_ns)));
        Ok((from, of(|bucket| bucket.min), of(|bucket| bucket.max)))
    }

    /// An Arrow stream of channels.
    #[pyo3(signature = (stream, names, start_ns=None, stop_ns=None))]
    fn arrow_stream<'py>(
        &self,
        py: Python<'py>,
        stream: u16,
        names: Vec<String>,
        start_ns: Option<u64>,
        stop_ns: Option<u64>,
    ) -> PyResult<Bound<'py, PyCapsule>> {
        let tape = self.get()?;
        self.stream(&tape, stream)?;
        let how = How { times: times(start_ns, stop_ns), with_times: true, strict: self.strict };
        capsule(py, stream_of(&tape, StreamId(stream), &names, how, &self.name)?)
    }

    /// Frames of streams, merged by time.
    #[pyo3(signature = (streams, start_ns=None, stop_ns=None))]
    fn frames(&self, streams: Vec<u16>, start_ns: Option<u64>, stop_ns: Option<u64>) -> PyResult<FrameIterator> {
        let tape = self.get()?;
        for stream in &streams {
            self.stream(&tape, *stream)?;
        }
        FrameIterator::start(tape, streams, times(start_ns, stop_ns), self.strict, self.name.clone())
    }

    /// The frame of a stream that was current at a time, with its time.
    fn frame_at<'py>(
        &self,
        py: Python<'py>,
        stream: u16,
        time_ns: u64,
    ) -> PyResult<Option<(u64, Bound<'py, PyBytes>)>> {
        let tape = self.get()?;
        let stream = self.stream(&tape, stream)?;
        let found = py.detach(|| tape.frame_at(stream, time_ns)).map_err(|error| read_error(error, &self.name))?;
        Ok(found.map(|(time_ns, bytes)| (time_ns, PyBytes::new(py, &bytes))))
    }

    /// Reads everything and counts: problems are added to `problems`.
    fn verify(&self, py: Python<'_>) -> PyResult<bool> {
        let tape = self.get()?;
        let verified = py.detach(|| tape.verify(&mut |_| {})).map_err(|error| read_error(error, &self.name))?;
        Ok(verified.is_ok())
    }

    /// Detects sessions and laps.
    fn track(&self, py: Python<'_>) -> PyResult<Tracked> {
        Tracked::of(py, self.get()?, self.name.clone())
    }
}
