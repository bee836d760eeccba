//! A pass over the frames of a tape that gives the rows of a table, batch by batch.
//!
//! Takes a [`Source`] (which frames are rows, and their columns) and the range of times. Returns record batches and the damage that was
//! skipped. Holds one batch, never the tape.

use std::io;
use std::ops::Range;
use std::sync::Arc;

use arrow_array::{ArrayRef, Float32Array, Int32Array, Int64Array, RecordBatch, TimestampMicrosecondArray};
use arrow_schema::SchemaRef;
use gametape_analysis::recording::streams_of_games;
use gametape_format::StreamId;
use gametape_format::read::{Merged, Problem, ReadError, Tape, TapeStream};

use super::super::exporter::{ExportError, Split};
use super::super::moments::{Moment, Moments};
use super::super::rows::Wanted;
use super::schema::StreamSchema;
use super::values::Slots;
use crate::laps::{Id, Tracked};

/// A batch ends when its frames have this many bytes: those of games with an array for each car have 100 kB.
const MOST_BYTES: usize = 8 << 20;
/// Frames between two reports of progress.
const REPORT_EVERY: u64 = 1024;

/// The columns of a table, filled row by row.
pub(super) trait Source {
    /// Returns the schema of the table.
    fn schema(&self) -> &SchemaRef;

    /// Returns the stream whose frames are the rows.
    fn stream(&self) -> StreamId;

    /// Returns whether values come from all streams, not just from that of the rows.
    fn reads_all(&self) -> bool;

    /// Adds a row with this frame.
    fn push(&mut self, frame: &[u8]);

    /// Adds what is known about the time of the last row, when all frames of that time are known.
    fn settle(&mut self, moment: &Moment<'_>, moments: &Moments<'_>);

    /// Returns the number of bytes that are held.
    fn bytes(&self) -> usize;

    /// Returns the columns, and removes all rows.
    fn take(&mut self, times: Times) -> Vec<ArrayRef>;
}

/// The columns about the times of rows.
#[derive(Default)]
pub(super) struct Times {
    pub(super) t_ns: Vec<i64>,
    pub(super) utc_us: Vec<Option<i64>>,
    pub(super) lap: Vec<Option<i32>>,
    pub(super) distance_m: Vec<Option<f32>>,
}

impl Times {
    fn push(&mut self, time_ns: u64, moment: &Moment<'_>) {
        self.t_ns.push(i64::try_from(time_ns).unwrap_or(i64::MAX));
        self.utc_us.push(moment.utc_ns.map(|utc_ns| utc_ns.div_euclid(1000)));
        self.lap.push(moment.lap.and_then(|lap| i32::try_from(lap.tape_lap).ok()));
        self.distance_m.push(moment.distance_m);
    }

    /// Returns the columns in the order of their declaration.
    pub(super) fn into_arrays(self) -> [ArrayRef; 4] {
        [
            Arc::new(Int64Array::from(self.t_ns)),
            Arc::new(TimestampMicrosecondArray::from(self.utc_us).with_timezone("UTC")),
            Arc::new(Int32Array::from(self.lap)),
            Arc::new(Float32Array::from(self.distance_m)),
        ]
    }
}

/// The table of one stream.
pub(super) struct StreamTable {
    of: StreamSchema,
    stream: StreamId,
    slots: Slots,
}

impl StreamTable {
    pub(super) fn new(of: StreamSchema, stream: StreamId) -> Self {
        let slots = Slots::new(&of.columns);
        Self { of, stream, slots }
    }
}

impl Source for StreamTable {
    fn schema(&self) -> &SchemaRef {
        &self.of.schema
    }

    fn stream(&self) -> StreamId {
        self.stream
    }

    fn reads_all(&self) -> bool {
        false
    }

    fn push(&mut self, frame: &[u8]) {
        self.slots.push(frame);
    }

    fn settle(&mut self, _: &Moment<'_>, _: &Moments<'_>) {}

    fn bytes(&self) -> usize {
        self.slots.len()
    }

    fn take(&mut self, times: Times) -> Vec<ArrayRef> {
        let values = self.of.columns.iter().map(|column| self.slots.array(column));
        let arrays = times.into_arrays().into_iter().chain(values).collect();
        self.slots.clear();
        arrays
    }
}

/// The file that rows belong to.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Part {
    /// The only one.
    Whole,
    /// That of a lap; `None` outside laps.
    Lap(Option<u32>),
    /// That of a session; `None` outside sessions.
    Session(Option<Id>),
}

/// Which rows, and how they are grouped.
pub(super) struct Rows {
    /// Only these times.
    pub(super) times: Range<u64>,
    /// Maximum rows per second.
    pub(super) hz: Option<f64>,
    /// Maximum rows of a batch.
    pub(super) most: usize,
    /// A batch has rows of one lap or session only.
    pub(super) split: Split,
    /// Do not read frames before the times: values and positions of slow streams are unknown at first.
    pub(super) only_near: bool,
}

/// The rows of a table, batch by batch.
pub(super) struct Batches<'a, S> {
    frames: Merged<'a>,
    collector: Collector<'a, S>,
    frames_read: u64,
    is_over: bool,
    /// What could not be read.
    pub(super) damage: Vec<Problem>,
}

impl<'a, S: Source> Batches<'a, S> {
    /// Begins at the first frame.
    pub(super) fn new(
        tape: &'a Tape,
        tracked: Option<&'a Tracked>,
        source: S,
        mut rows: Rows,
    ) -> Result<Self, ReadError> {
        let has_laps = tracked.is_some_and(|tracked| tracked.laps().next().is_some());
        let (follows, of_rows) = (has_laps || source.reads_all(), source.stream());
        // The position on the track may come from another stream.
        let is_read = |stream: &&TapeStream| follows || stream.id() == of_rows;
        let mut frames = tape.merged(streams_of_games(tape).filter(is_read));
        let mut damage = Vec::new();
        if rows.only_near && rows.times.start > 0 {
            match frames.seek_time(rows.times.start) {
                Err(ReadError::Damaged(problem)) => damage.push(problem),
                found => found?,
            }
        }
        // Streams that describe a session end with its first frames.
        let last_ns = tape.stream(of_rows).filter(|_| tape.is_complete()).and_then(|stream| stream.totals().last_ns);
        if let Some(last_ns) = last_ns {
            rows.times.end = rows.times.end.min(last_ns.saturating_add(1));
        }
        let wanted = Wanted::new(rows.times.clone(), rows.hz);
        let moments = Moments::new(tape, tracked);
        let collector = Collector {
            source,
            rows,
            wanted,
            moments,
            follows,
            times: Times::default(),
            part: Part::Whole,
            pending: None,
            pending_rows: 0,
            ready: None,
        };
        Ok(Self { frames, collector, frames_read: 0, is_over: false, damage })
    }

    pub(super) fn schema(&self) -> &SchemaRef {
        self.collector.source.schema()
    }

    /// Returns the next batch and the file that it belongs to, or `None` at the end. `progress` is called with the time of every few frames,
    /// and stops the pass with an error.
    pub(super) fn next(
        &mut self,
        progress: &mut dyn FnMut(u64) -> io::Result<()>,
    ) -> Result<Option<(Part, RecordBatch)>, ExportError> {
        loop {
            if let Some(ready) = self.collector.ready.take() {
                return Ok(Some(ready));
            }
            if self.is_over {
                return Ok(None);
            }
            match self.frames.next() {
                Ok(Some(frame)) => {
                    self.frames_read += 1;
                    if self.frames_read.is_multiple_of(REPORT_EVERY) {
                        progress(frame.time_ns)?;
                    }
                    self.is_over = frame.time_ns >= self.collector.rows.times.end;
                    match self.is_over {
                        true => self.collector.end()?,
                        false => self.collector.take(frame.stream, frame.time_ns, frame.data)?,
                    }
                }
                Ok(None) => {
                    self.is_over = true;
                    self.collector.end()?;
                }
                Err(ReadError::Damaged(problem)) => self.damage.push(problem),
                Err(error) => return Err(error.into()),
            }
        }
    }
}

/// Collects the rows of a batch.
struct Collector<'a, S> {
    source: S,
    rows: Rows,
    wanted: Wanted,
    moments: Moments<'a>,
    /// Whether laps or values need the frames.
    follows: bool,
    times: Times,
    /// The file that the collected rows belong to.
    part: Part,
    /// The time of the newest rows, until all frames of that time are known; and their number.
    pending: Option<u64>,
    pending_rows: usize,
    /// A complete batch.
    ready: Option<(Part, RecordBatch)>,
}

impl<S: Source> Collector<'_, S> {
    /// Takes the next frame.
    fn take(&mut self, stream: StreamId, time_ns: u64, frame: &[u8]) -> Result<(), ExportError> {
        if self.pending.is_some_and(|pending_ns| pending_ns != time_ns) {
            self.settle()?;
        }
        if stream == self.source.stream() && self.wanted.takes(time_ns) {
            let part = self.part_at(time_ns);
            if part != self.part {
                self.complete()?;
                self.part = part;
            }
            self.source.push(frame);
            self.pending = Some(time_ns);
            self.pending_rows += 1;
        }
        if self.follows {
            self.moments.take(stream, frame);
        }
        Ok(())
    }

    /// Completes the last batch.
    fn end(&mut self) -> Result<(), ExportError> {
        self.settle()?;
        self.complete()
    }

    fn part_at(&mut self, time_ns: u64) -> Part {
        match self.rows.split {
            Split::Nothing => Part::Whole,
            Split::Laps => Part::Lap(self.moments.tape_lap_at(time_ns)),
            Split::Sessions => Part::Session(self.moments.session_at(time_ns).map(|session| session.id)),
        }
    }

    /// Adds the time of the newest rows. A full batch is complete then.
    fn settle(&mut self) -> Result<(), ExportError> {
        let Some(time_ns) = self.pending.take() else { return Ok(()) };
        let moment = self.moments.at(time_ns);
        for _ in 0..std::mem::take(&mut self.pending_rows) {
            self.times.push(time_ns, &moment);
            self.source.settle(&moment, &self.moments);
        }
        let is_full = self.times.t_ns.len() >= self.rows.most || self.source.bytes() >= MOST_BYTES;
        if is_full { self.complete() } else { Ok(()) }
    }

    fn complete(&mut self) -> Result<(), ExportError> {
        if self.times.t_ns.is_empty() {
            return Ok(());
        }
        let arrays = self.source.take(std::mem::take(&mut self.times));
        let batch = RecordBatch::try_new(self.source.schema().clone(), arrays);
        self.ready = Some((self.part, batch.map_err(|error| ExportError::Format(Box::new(error)))?));
        Ok(())
    }
}
