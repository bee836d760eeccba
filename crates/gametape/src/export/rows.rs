//! Tables: a row for each time at which one of the selected streams has a frame.
//!
//! ```text
//! Tape::merged ──▶ Table: latest text of each cell ──▶ a row for each time ──▶ ExportSink (one file, or one per lap)
//!          tracked laps ──▶ lap, lap_distance_m ───────┘
//! ```
//! The streams of a game have different rates. Streams that have no frame at the time of a row keep their last values, and are empty before
//! their first frame.

use std::ops::Range;

use gametape_analysis::recording::streams_of_games;
use gametape_format::read::{Problem, ReadError, Tape, TapeStream};

use super::Columns;
use super::exporter::{Content, Export, ExportError, ExportSink, Exported, Exporter};
use super::table::{RowFormat, Table};
use crate::laps::Tracked;

/// Comma-separated values.
pub const CSV: TableExporter = TableExporter(RowFormat::Csv);
/// One JSON object per line.
pub const JSONL: TableExporter = TableExporter(RowFormat::Jsonl);

/// Exports tables.
#[derive(Debug, Clone, Copy)]
pub struct TableExporter(RowFormat);

impl Exporter for TableExporter {
    fn name(&self) -> &'static str {
        match self.0 {
            RowFormat::Csv => "csv",
            RowFormat::Jsonl => "jsonl",
        }
    }

    fn media_type(&self) -> &'static str {
        match self.0 {
            RowFormat::Csv => "text/csv; charset=utf-8",
            RowFormat::Jsonl => "application/jsonl",
        }
    }

    fn content(&self) -> Content {
        Content::Rows
    }

    fn export(&self, what: &Export<'_>, sink: &mut dyn ExportSink) -> Result<Exported, ExportError> {
        let options = RowOptions { format: self.0, times: what.times.clone(), hz: what.hz };
        let done = export_some_rows(what.tape, what.columns, &options, what.tracked, sink)?;
        Ok(Exported {
            rows: Some(done.rows),
            channels: what.columns.0.len(),
            damage: done.damage,
            ..Exported::default()
        })
    }
}

/// The result of [`export_rows`].
#[derive(Debug, Default)]
pub struct ExportedRows {
    /// Rows emitted.
    pub rows: u64,
    /// Parts of the tape that could not be read.
    pub damage: Vec<Problem>,
}

/// Which rows are emitted, and in which format.
#[derive(Debug, Clone)]
pub struct RowOptions {
    /// Format of the rows.
    pub format: RowFormat,
    /// Only rows at these times, in nanoseconds since the start of the tape.
    pub times: Range<u64>,
    /// Maximum rows per second: the first row of each period is emitted. `None` emits all rows.
    pub hz: Option<f64>,
}

impl RowOptions {
    /// All rows.
    #[must_use]
    pub fn all(format: RowFormat) -> Self {
        Self { format, times: 0..u64::MAX, hz: None }
    }
}

/// Exports all rows of a tape. Damaged parts are skipped and returned in [`ExportedRows::damage`].
///
/// # Errors
/// If the tape cannot be read at all, or the sink fails.
pub fn export_rows(
    tape: &Tape,
    columns: &Columns,
    format: RowFormat,
    tracked: Option<&Tracked>,
    sink: &mut dyn ExportSink,
) -> Result<ExportedRows, ExportError> {
    export_some_rows(tape, columns, &RowOptions::all(format), tracked, sink)
}

/// [`export_rows`] for a subset of the rows. Earlier frames are read too, because slow streams keep their last values.
///
/// # Errors
/// As [`export_rows`].
pub fn export_some_rows(
    tape: &Tape,
    columns: &Columns,
    options: &RowOptions,
    tracked: Option<&Tracked>,
    sink: &mut dyn ExportSink,
) -> Result<ExportedRows, ExportError> {
    let mut exported = ExportedRows::default();
    let mut table = Table::new(tape, columns, options.format, tracked);
    let chosen: Vec<_> = columns.streams(tape).map(|stream| stream.id()).collect();
    // The position on the track may come from a stream that was not selected.
    let has_laps = tracked.is_some_and(|tracked| tracked.laps().next().is_some());
    let is_read = |stream: &&TapeStream| has_laps || chosen.contains(&stream.id());
    let mut frames = tape.merged(streams_of_games(tape).filter(is_read));
    let last_ns = columns.streams(tape).filter_map(|stream| stream.totals().last_ns).max().unwrap_or_default();
    let last_ns = last_ns.min(options.times.end);
    let mut wanted = Wanted::new(options.times.clone(), options.hz);
    let (mut row_ns, mut frames_read) = (None, 0_u64);
    loop {
        match frames.next() {
            Ok(Some(frame)) => {
                let is_chosen = chosen.contains(&frame.stream);
                if let Some(before_ns) = row_ns.take_if(|before_ns| *before_ns != frame.time_ns)
                    && wanted.takes(before_ns)
                {
                    table.give(before_ns, sink)?;
                    exported.rows += 1;
                }
                if frame.time_ns >= options.times.end {
                    break;
                }
                frames_read += 1;
                if frames_read.is_multiple_of(4096) {
                    sink.at(frame.time_ns, last_ns);
                    sink.goes_on()?;
                }
                row_ns = row_ns.or(is_chosen.then_some(frame.time_ns));
                table.take(frame.stream, frame.data);
            }
            Ok(None) => break,
            Err(ReadError::Damaged(problem)) => exported.damage.push(problem),
            Err(error) => return Err(error.into()),
        }
    }
    if let Some(before_ns) = row_ns.filter(|before_ns| wanted.takes(*before_ns)) {
        table.give(before_ns, sink)?;
        exported.rows += 1;
    }
    Ok(exported)
}

/// Decides which rows are emitted: those of a time range, and of these at most some per second.
pub(super) struct Wanted {
    times: Range<u64>,
    hz: Option<f64>,
    /// The first period without a row.
    next_period: u64,
}

impl Wanted {
    pub(super) fn new(times: Range<u64>, hz: Option<f64>) -> Self {
        Self { times, hz, next_period: 0 }
    }

    /// Returns whether there is a row at this time. Times must increase from call to call.
    pub(super) fn takes(&mut self, time_ns: u64) -> bool {
        if !self.times.contains(&time_ns) {
            return false;
        }
        let Some(hz) = self.hz else { return true };
        let period = (time_ns as f64 * hz / 1e9).floor() as u64;
        let is_first = period >= self.next_period;
        self.next_period = self.next_period.max(period.saturating_add(1));
        is_first
    }
}
