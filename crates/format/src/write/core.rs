//! The half of the writer that runs on the capturing thread: copies each frame into the journal and never blocks on the disk.
//!
//! The encoder processes the journal rows from there.

use std::collections::BTreeMap;
use std::io;
use std::path::Path;
use std::sync::Arc;

use super::blocks::BlockMaker;
use super::encoder::{Encoder, EncoderSettings};
use super::files::Files;
use super::generation::{Generation, Row, Shared};
use super::outcome::{Accepted, AppendError, CreateError, Finished, FinishedStream, WriteOptions};
use super::sink::Sink;
use crate::footer::Totals;
use crate::journal::{ROW_BYTES, RowKind};
use crate::limits;
use crate::stream::{Role, StreamId, StreamSpec, check_tables};
use crate::system::{Counters, Group, Status, system_stream};

/// Counters are journaled at most this often.
const STATUS_INTERVAL_NS: u64 = 1_000_000_000;
/// The encoder is woken after this many bytes of rows. Waking it costs more than encoding a few frames.
const WAKE_BYTES: u64 = 256 << 10;

struct StreamState {
    spec: StreamSpec,
    next_seq: u64,
    last_ns: Option<u64>,
    last_frame: Option<Vec<u8>>,
    status: Status,
}

/// The writer without its thread.
pub(crate) struct WriterCore {
    pub(super) shared: Arc<Shared>,
    generation: Arc<Generation>,
    streams: Vec<StreamState>,
    status_changed: bool,
    last_status_ns: u64,
    last_ns: u64,
    /// Bytes of rows since the encoder was last woken.
    unseen_bytes: u64,
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
        let leftovers = files.journals(path).map_err(failed("look for journals of"))?;
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
                .map_err(failed("create a journal for"))
        })();
        if begun.is_err() {
            // Nothing was accepted, and leftover files would only make the next attempt fail.
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
            unseen_bytes: 0,
        };
        Ok((core, encoder))
    }

    pub(crate) fn add_stream(&mut self, spec: StreamSpec) -> Result<StreamId, AppendError> {
        let bad = |reason: String| AppendError::BadStream { name: spec.name.clone(), reason };
        spec.check().map_err(|error| bad(error.to_string()))?;
        if self.streams.iter().any(|state| state.spec.name == spec.name) {
            return Err(bad("the tape already has a stream of this name".into()));
        }
        if self.streams.len() >= limits::STREAMS {
            return Err(bad(format!("a tape has at most {} streams", limits::STREAMS)));
        }
        let tables = self.streams.iter().map(|state| &state.spec).chain([&spec]);
        check_tables(tables).map_err(|error| bad(error.to_string()))?;
        let descriptor = spec.to_bytes();
        if descriptor.len() > limits::DESCRIPTOR_BYTES {
            return Err(bad(format!("its descriptor is larger than {} bytes", limits::DESCRIPTOR_BYTES)));
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
        self.unseen_bytes += row.bytes();
        if self.unseen_bytes >= WAKE_BYTES {
            self.unseen_bytes = 0;
            self.shared.wake();
        }
        self.write_status_if_due();
        Ok(Accepted::Stored(seq))
    }

    /// Returns whether a prepared journal has room for a frame of this size. If not, wakes the encoder, which prepares the next one.
    pub(crate) fn has_room(&self, frame_bytes: usize) -> bool {
        let row_bytes = (ROW_BYTES + frame_bytes) as u64;
        let has_room = self.generation.has_room(row_bytes) || self.shared.has_next();
        if !has_room {
            self.shared.expect_row(row_bytes);
            self.shared.wake();
        }
        has_room
    }

    /// Appends a frame to a system stream, adding the stream when it is first needed.
    pub(crate) fn system_frame(&mut self, role: Role, time_ns: u64, frame: &[u8]) -> Result<(), AppendError> {
        let id = match self.streams.iter().position(|state| state.spec.role == role) {
            Some(index) => StreamId(index as u16),
            None => self.add_stream(system_stream(role))?,
        };
        // Events come from other threads and clocks than frames. A slightly late event is accepted; its time is raised
        // to keep the order.
        let last = self.streams.get(id.0 as usize).and_then(|state| state.last_ns).unwrap_or_default();
        self.append(id, time_ns.max(last), frame).map(|_| ())
    }

    pub(crate) fn count(&mut self, stream: StreamId, counters: &Counters) {
        if let Some(state) = self.streams.get_mut(stream.0 as usize) {
            state.status.counters.add(counters);
            self.status_changed = true;
        }
    }

    /// Releases the journal after the last frame was accepted, so that the encoder can remove it.
    pub(crate) fn release_journal(&mut self) {
        self.generation = Arc::new(Generation::none());
    }

    fn write_status_if_due(&mut self) {
        if self.status_changed && self.last_ns - self.last_status_ns >= STATUS_INTERVAL_NS {
            self.write_status();
        }
    }

    /// Journals the status of all streams that have one. A status that does not fit now will be in the next group, or in the footer.
    pub(crate) fn write_status(&mut self) {
        if !std::mem::take(&mut self.status_changed) {
            return;
        }
        self.last_status_ns = self.last_ns;
        let has_status = |state: &StreamState| state.status != Status::default() && state.spec.role != Role::Status;
        let rows = self.streams.iter().filter(|state| has_status(state)).count() as u16;
        let mut number = 0;
        for index in 0..self.streams.len() {
            let Some(state) = self.streams.get(index).filter(|state| has_status(state)) else { continue };
            let frame = state.status.to_bytes(Some(StreamId(index as u16)), Group { rows, number });
            number += 1;
            if self.system_frame(Role::Status, self.last_ns, &frame).is_err() {
                // A reader uses the previous group; the next one will be complete.
                self.status_changed = true;
                return;
            }
        }
    }

    pub(super) fn status(&self, stream: StreamId) -> Option<Status> {
        self.streams.get(stream.0 as usize).map(|state| state.status)
    }

    pub(crate) fn all_status(&self) -> BTreeMap<u16, Status> {
        self.streams.iter().enumerate().map(|(index, state)| (index as u16, state.status)).collect()
    }

    pub(super) fn finished(&self, bytes: u64, totals: &[(u16, Totals)]) -> Finished {
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

/// Appends a row to the current generation, or to the next one if the current one is full.
fn journal(shared: &Shared, generation: &mut Arc<Generation>, row: &Row<'_>) -> Result<(), AppendError> {
    if let Some(failure) = shared.failure() {
        return Err(AppendError::Failed(failure));
    }
    if generation.append(row).map_err(AppendError::Journal)? {
        return Ok(());
    }
    shared.expect_row(row.bytes());
    let no_room = AppendError::NoRoom { bytes: row.payload.len() };
    let Some(next) = shared.take_next() else {
        // Whatever the encoder is waiting for, it is needed now.
        shared.wake();
        return Err(no_room);
    };
    std::mem::replace(generation, next).close();
    shared.wake();
    if generation.append(row).map_err(AppendError::Journal)? { Ok(()) } else { Err(no_room) }
}
