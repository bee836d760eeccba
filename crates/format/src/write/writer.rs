//! The recorder's writer: the half that the capturing thread calls. It copies each frame into the journal and never waits for the
//! disk; an encoder thread does the rest.

use std::collections::BTreeMap;
use std::io;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::thread::JoinHandle;
use std::time::{Duration, Instant};

use super::blocks::BlockMaker;
use super::encoder::{Encoder, EncoderSettings};
use super::files::Files;
use super::generation::{Failure, Generation, Order, Row, Shared};
use super::sink::Sink;
use crate::footer::Totals;
use crate::journal::RowKind;
use crate::limits;
use crate::record::{FileHeader, TapeId, VERSION};
use crate::stream::{Role, StreamId, StreamSpec, check_tables};
use crate::system::{Counters, Event, Group, Status, metadata_bytes, system_stream};

/// Counters go to the journal at most this often.
const STATUS_INTERVAL_NS: u64 = 1_000_000_000;
/// How often the encoder thread looks for work.
const ENCODER_INTERVAL: Duration = Duration::from_millis(20);

/// How a tape is recorded.
#[derive(Debug, Clone)]
pub struct WriteOptions {
    /// Identity of the tape.
    pub tape_id: TapeId,
    /// UTC at time 0, nanoseconds since 1970, if known.
    pub start_utc_ns: Option<i64>,
    /// A power cut loses at most what was accepted within this time.
    pub sync_interval: Duration,
    /// Least size of a journal generation. Two of them are allocated while recording.
    pub journal_bytes: u64,
}

impl WriteOptions {
    /// The defaults: synced every second, generations of 8 MiB (more for large frames and high rates).
    pub fn new(tape_id: TapeId) -> Self {
        Self { tape_id, start_utc_ns: None, sync_interval: Duration::from_secs(1), journal_bytes: 8 << 20 }
    }

    pub(crate) fn header(&self) -> FileHeader {
        FileHeader { version: VERSION, tape_id: self.tape_id, start_utc_ns: self.start_utc_ns }
    }
}

/// Why a tape could not be made.
#[derive(Debug, thiserror::Error)]
pub enum CreateError {
    /// A file of that name is there.
    #[error("{} exists already; nothing was overwritten", path.display())]
    Exists {
        /// The tape or the journal that is in the way.
        path: PathBuf,
    },
    /// The system refused.
    #[error("cannot {doing} {}: {source}", path.display())]
    Io {
        /// What was tried.
        doing: &'static str,
        /// On which file.
        path: PathBuf,
        /// What the system said.
        source: io::Error,
    },
}

/// Why a frame or a stream was not accepted. Nothing of it is on the tape.
#[derive(Debug, thiserror::Error)]
pub enum AppendError {
    /// No such stream.
    #[error("stream {} does not exist", stream.0)]
    NoSuchStream {
        /// The id that was given.
        stream: StreamId,
    },
    /// A stream description that the format does not allow.
    #[error("stream {name:?}: {reason}")]
    BadStream {
        /// Name of the stream.
        name: String,
        /// What is wrong.
        reason: String,
    },
    /// Times of a stream must not fall. The frame is counted as dropped.
    #[error("time {time_ns} ns lies before the stream's last frame at {last_ns} ns")]
    TimeWentBack {
        /// The time that was given.
        time_ns: u64,
        /// The last accepted one.
        last_ns: u64,
    },
    /// Larger than a block may be. The frame is counted as dropped.
    #[error("a frame of {bytes} bytes is larger than the limit of {limit}")]
    TooLarge {
        /// Size of the frame.
        bytes: usize,
        /// Largest size.
        limit: usize,
    },
    /// No prepared journal has room: the disk is too slow. The frame is counted as dropped.
    #[error("the disk does not keep up: no prepared journal has room for a frame of {bytes} bytes")]
    NoRoom {
        /// Size of the frame.
        bytes: usize,
    },
    /// The journal could not be written. The frame is counted as dropped.
    #[error("cannot write to the journal: {0}")]
    Journal(#[source] io::Error),
    /// The encoder gave up; the writer takes nothing more. The frame is counted as dropped.
    #[error(
        "the recording has stopped while {0}; what was accepted is in the tape and its journal: run `gametape recover` on it"
    )]
    Failed(Failure),
}

/// What became of an accepted frame.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Accepted {
    /// It is on the tape under this sequence number.
    Stored(u64),
    /// It equals the frame before; the stream was seen unchanged until its time.
    Unchanged,
}

/// What a finished recording holds.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Finished {
    /// Length of the tape file.
    pub bytes: u64,
    /// What is on each stream.
    pub streams: Vec<FinishedStream>,
}

/// What a finished recording holds of one stream.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FinishedStream {
    /// Its number on the tape.
    pub id: StreamId,
    /// Its name.
    pub name: String,
    /// Frames, bytes and times.
    pub totals: Totals,
    /// What was lost and noticed.
    pub status: Status,
}

impl Finished {
    /// What was lost on all streams.
    pub fn loss(&self) -> Counters {
        self.streams.iter().fold(Counters::default(), |mut sum, stream| {
            sum.add(&stream.status.counters);
            sum
        })
    }
}

/// Why a recording could not be closed. The tape and its journals are left as they are, readable.
#[derive(Debug, thiserror::Error)]
pub enum FinishError {
    /// The encoder failed, now or earlier.
    #[error(
        "the tape could not be closed while {0}; what was accepted is in the tape and its journal: run `gametape recover` on it"
    )]
    Failed(#[from] Failure),
    /// The encoder thread is gone.
    #[error(
        "the encoder thread ended unexpectedly; what was accepted is in the tape and its journal: run `gametape recover` on it"
    )]
    ThreadGone,
}

struct StreamState {
    spec: StreamSpec,
    next_seq: u64,
    last_ns: Option<u64>,
    last_frame: Option<Vec<u8>>,
    status: Status,
}

/// Writes a tape while a game runs.
///
/// A frame is accepted when [`append`](Self::append) returns `Ok`: it then stands in the journal, and the end of the
/// process cannot lose it. A power cut loses at most what was accepted within the sync interval. `append` allocates nothing
/// in steady state and makes no file call. Dropping a writer without [`finish`](Self::finish) leaves a tape that readers open
/// with its journal and `recover` closes.
pub struct Writer {
    core: WriterCore,
    thread: Option<JoinHandle<Result<FinishedTape, Failure>>>,
}

type FinishedTape = (u64, Vec<(u16, Totals)>);

impl Writer {
    /// Makes a new tape. Waits for the disk until file, first journal and directory are durable.
    pub fn create(files: Arc<dyn Files>, path: &Path, options: &WriteOptions) -> Result<Self, CreateError> {
        let (core, encoder) = WriterCore::create(files, path, options)?;
        let thread = std::thread::Builder::new()
            .name("gametape-encoder".into())
            .spawn(move || run(encoder))
            .map_err(|source| CreateError::Io { doing: "start the encoder thread for", path: path.into(), source })?;
        Ok(Self { core, thread: Some(thread) })
    }

    /// Adds a stream; frames of it can follow at once.
    pub fn add_stream(&mut self, spec: StreamSpec) -> Result<StreamId, AppendError> {
        self.core.add_stream(spec)
    }

    /// Accepts a frame. Never waits for the disk.
    pub fn append(&mut self, stream: StreamId, time_ns: u64, frame: &[u8]) -> Result<Accepted, AppendError> {
        self.core.append(stream, time_ns, frame)
    }

    /// Puts an event on the tape.
    pub fn event(&mut self, time_ns: u64, kind: &str, text: &str) -> Result<(), AppendError> {
        self.core.system_frame(Role::Events, time_ns, &Event::to_bytes(kind, text))
    }

    /// Sets a metadata entry; the last value of a key counts.
    pub fn metadata(&mut self, time_ns: u64, key: &str, value: &str) -> Result<(), AppendError> {
        self.core.system_frame(Role::Metadata, time_ns, &metadata_bytes(key, value))
    }

    /// Relates the recording's clock to UTC.
    pub fn clock(&mut self, time_ns: u64, utc_ns: i64) -> Result<(), AppendError> {
        self.core.system_frame(Role::Clock, time_ns, &utc_ns.to_le_bytes())
    }

    /// Adds to the counters of a stream.
    pub fn count(&mut self, stream: StreamId, counters: &Counters) {
        self.core.count(stream, counters);
    }

    /// What was lost and noticed on a stream so far.
    pub fn status(&self, stream: StreamId) -> Option<Status> {
        self.core.streams.get(stream.0 as usize).map(|state| state.status)
    }

    /// Closes the tape and says what is on it and what was lost.
    pub fn finish(mut self) -> Result<Finished, FinishError> {
        self.core.write_status();
        self.core.shared.give_order(Order::Finish(self.core.all_status()));
        let thread = self.thread.take().ok_or(FinishError::ThreadGone)?;
        let (bytes, totals) = thread.join().map_err(|_| FinishError::ThreadGone)??;
        Ok(self.core.finished(bytes, &totals))
    }
}

impl Drop for Writer {
    fn drop(&mut self) {
        // After `finish` the thread is gone; otherwise the journal keeps what was accepted.
        if let Some(thread) = self.thread.take() {
            self.core.shared.give_order(Order::Abandon);
            let _ = thread.join();
        }
    }
}

/// The encoder thread.
fn run(mut encoder: Encoder) -> Result<FinishedTape, Failure> {
    let shared = encoder.shared();
    shared.register_thread();
    let start = Instant::now();
    // A panic must not look like a slow disk to the capturing thread.
    let worked = std::panic::catch_unwind(std::panic::AssertUnwindSafe(|| work(&mut encoder, &shared, start)));
    let result = worked.unwrap_or_else(|_| {
        let source = Arc::new(io::Error::other("an error in this program: please report it"));
        Err(Failure { doing: "making blocks", source })
    });
    if let Err(failure) = &result {
        shared.fail(failure.clone());
        encoder.give_up();
    }
    result
}

fn work(encoder: &mut Encoder, shared: &Shared, start: Instant) -> Result<FinishedTape, Failure> {
    loop {
        encoder.step(&mut || start.elapsed())?;
        match shared.order() {
            Order::Work => std::thread::park_timeout(ENCODER_INTERVAL),
            Order::Finish(status) => return finish(encoder, &status),
            Order::Abandon => {
                encoder.give_up();
                return Ok((0, Vec::new()));
            }
        }
    }
}

fn finish(encoder: &mut Encoder, status: &BTreeMap<u16, Status>) -> Result<FinishedTape, Failure> {
    let bytes = encoder.finish(status)?;
    let totals = status.keys().map(|id| (*id, encoder.maker().sink.totals(StreamId(*id))));
    Ok((bytes, totals.collect()))
}

/// The writer without its thread: all that happens on the capturing thread.
pub(crate) struct WriterCore {
    shared: Arc<Shared>,
    generation: Arc<Generation>,
    streams: Vec<StreamState>,
    status_changed: bool,
    last_status_ns: u64,
    last_ns: u64,
}

impl WriterCore {
    pub(crate) fn create(
        files: Arc<dyn Files>,
        path: &Path,
        options: &WriteOptions,
    ) -> Result<(Self, Encoder), CreateError> {
        let failed = |doing: &'static str| {
            move |source: io::Error| match source.kind() {
                io::ErrorKind::AlreadyExists => CreateError::Exists { path: path.into() },
                _ => CreateError::Io { doing, path: path.into(), source },
            }
        };
        let leftovers = files.journals(path).map_err(failed("look for journals beside"))?;
        if let Some(leftover) = leftovers.into_iter().next() {
            return Err(CreateError::Exists { path: leftover });
        }
        let file = files.create_tape(path).map_err(failed("create"))?;
        let begun = (|| {
            let mut sink = Sink::new(file, options.header()).map_err(failed("write"))?;
            sink.sync().map_err(failed("sync"))?;
            let settings =
                EncoderSettings { sync_interval: options.sync_interval, journal_bytes: options.journal_bytes };
            let maker = BlockMaker::new(sink);
            Encoder::new(Arc::clone(&files), path.to_owned(), options.tape_id, settings, maker)
                .map_err(failed("make a journal for"))
        })();
        if begun.is_err() {
            // Nothing was accepted: what was made would only be in the way of the next try.
            for journal in files.journals(path).unwrap_or_default() {
                let _ = files.remove(&journal);
            }
            let _ = files.remove(path);
        }
        let (encoder, generation) = begun?;
        let core = Self {
            shared: encoder.shared(),
            generation,
            streams: Vec::new(),
            status_changed: false,
            last_status_ns: 0,
            last_ns: 0,
        };
        Ok((core, encoder))
    }

    pub(crate) fn add_stream(&mut self, spec: StreamSpec) -> Result<StreamId, AppendError> {
        let bad = |reason: String| AppendError::BadStream { name: spec.name.clone(), reason };
        spec.check().map_err(|error| bad(error.to_string()))?;
        if self.streams.iter().any(|state| state.spec.name == spec.name) {
            return Err(bad("a stream of this name is on the tape already".into()));
        }
        if self.streams.len() >= limits::STREAMS {
            return Err(bad(format!("a tape has at most {} streams", limits::STREAMS)));
        }
        let tables = self.streams.iter().map(|state| &state.spec).chain([&spec]);
        check_tables(tables).map_err(|error| bad(error.to_string()))?;
        let descriptor = spec.to_bytes();
        if descriptor.len() > limits::DESCRIPTOR_BYTES {
            return Err(bad(format!("its description is larger than {} bytes", limits::DESCRIPTOR_BYTES)));
        }
        let id = StreamId(self.streams.len() as u16);
        let row = Row { kind: RowKind::Stream, stream: id.0, seq: 0, time_ns: self.last_ns, payload: &descriptor };
        journal(&self.shared, &mut self.generation, &row)?;
        self.streams.push(StreamState {
            last_frame: spec.skip_unchanged.then(Vec::new),
            spec,
            next_seq: 0,
            last_ns: None,
            status: Status::default(),
        });
        Ok(id)
    }

    pub(crate) fn append(&mut self, stream: StreamId, time_ns: u64, frame: &[u8]) -> Result<Accepted, AppendError> {
        let state = self.streams.get_mut(stream.0 as usize).ok_or(AppendError::NoSuchStream { stream })?;
        let refused = match state.last_ns.filter(|last| time_ns < *last) {
            _ if frame.len() > limits::BLOCK_RAW_BYTES => {
                Some(AppendError::TooLarge { bytes: frame.len(), limit: limits::BLOCK_RAW_BYTES })
            }
            Some(last_ns) => Some(AppendError::TimeWentBack { time_ns, last_ns }),
            None => self.shared.failure().map(AppendError::Failed),
        };
        if let Some(error) = refused {
            state.status.counters.dropped += 1;
            self.status_changed = true;
            return Err(error);
        }
        self.last_ns = self.last_ns.max(time_ns);
        if state.next_seq > 0 && state.last_frame.as_ref().is_some_and(|last| last == frame) {
            state.last_ns = Some(time_ns);
            state.status.seen_until_ns = Some(time_ns);
            state.status.counters.unchanged += 1;
            self.status_changed = true;
            self.write_status_if_due();
            return Ok(Accepted::Unchanged);
        }
        let row = Row { kind: RowKind::Frame, stream: stream.0, seq: state.next_seq, time_ns, payload: frame };
        if let Err(error) = journal(&self.shared, &mut self.generation, &row) {
            state.status.counters.dropped += 1;
            self.status_changed = true;
            return Err(error);
        }
        state.next_seq += 1;
        state.last_ns = Some(time_ns);
        self.status_changed |= state.status.seen_until_ns.take().is_some();
        if let Some(last) = &mut state.last_frame {
            last.clear();
            last.extend_from_slice(frame);
        }
        let seq = row.seq;
        self.write_status_if_due();
        Ok(Accepted::Stored(seq))
    }

    /// A frame of a system stream, which is added when it is first needed.
    pub(crate) fn system_frame(&mut self, role: Role, time_ns: u64, frame: &[u8]) -> Result<(), AppendError> {
        let id = match self.streams.iter().position(|state| state.spec.role == role) {
            Some(index) => StreamId(index as u16),
            None => self.add_stream(system_stream(role))?,
        };
        // Events come from other threads and clocks than frames: order is kept, a little lateness is not refused.
        let last = self.streams.get(id.0 as usize).and_then(|state| state.last_ns).unwrap_or_default();
        self.append(id, time_ns.max(last), frame).map(|_| ())
    }

    pub(crate) fn count(&mut self, stream: StreamId, counters: &Counters) {
        if let Some(state) = self.streams.get_mut(stream.0 as usize) {
            state.status.counters.add(counters);
            self.status_changed = true;
        }
    }

    fn write_status_if_due(&mut self) {
        if self.status_changed && self.last_ns - self.last_status_ns >= STATUS_INTERVAL_NS {
            self.write_status();
        }
    }

    /// Journals the status of all streams that have something to say. What does not fit now is in the next one, or in the footer.
    pub(crate) fn write_status(&mut self) {
        if !std::mem::take(&mut self.status_changed) {
            return;
        }
        self.last_status_ns = self.last_ns;
        let says = |state: &StreamState| state.status != Status::default() && state.spec.role != Role::Status;
        let rows = self.streams.iter().filter(|state| says(state)).count() as u16;
        let mut number = 0;
        for index in 0..self.streams.len() {
            let Some(state) = self.streams.get(index).filter(|state| says(state)) else { continue };
            let frame = state.status.to_bytes(Some(StreamId(index as u16)), Group { rows, number });
            number += 1;
            if self.system_frame(Role::Status, self.last_ns, &frame).is_err() {
                // A reader takes the group before; the next one has it all.
                self.status_changed = true;
                return;
            }
        }
    }

    pub(crate) fn all_status(&self) -> BTreeMap<u16, Status> {
        self.streams.iter().enumerate().map(|(index, state)| (index as u16, state.status)).collect()
    }

    fn finished(&self, bytes: u64, totals: &[(u16, Totals)]) -> Finished {
        let streams = self
            .streams
            .iter()
            .zip(totals)
            .map(|(state, (id, totals))| FinishedStream {
                id: StreamId(*id),
                name: state.spec.name.clone(),
                totals: *totals,
                status: state.status,
            })
            .collect();
        Finished { bytes, streams }
    }
}

/// Puts a row into the current generation, or into the next one if it is full.
fn journal(shared: &Shared, generation: &mut Arc<Generation>, row: &Row<'_>) -> Result<(), AppendError> {
    if let Some(failure) = shared.failure() {
        return Err(AppendError::Failed(failure));
    }
    if generation.append(row).map_err(AppendError::Journal)? {
        return Ok(());
    }
    shared.expect_row(row.bytes());
    let no_room = AppendError::NoRoom { bytes: row.payload.len() };
    let Some(next) = shared.take_next() else { return Err(no_room) };
    std::mem::replace(generation, next).close();
    shared.wake();
    if generation.append(row).map_err(AppendError::Journal)? { Ok(()) } else { Err(no_room) }
}
