//! Tapes as tables of text: takes a tape and the channels that are wanted, gives rows for a sink.
//!
//! ```text
//! Tape::merged ──▶ Table: newest text of each cell ──▶ a row for each moment ──▶ RowSink (a file, or one for each lap)
//!          tracked laps ──▶ lap, lap_distance_m ───────┘
//! ```
//! [`report`] makes a tape small enough for a page in a browser, [`v2`] a stream of Telemetry V2.
//!
//! Streams of a game come at rates of their own. A row stands at each moment at which one of the chosen streams has a frame; the others keep what they said last, and
//! are empty before they said anything.

mod answers;
mod cells;
mod columns;
mod echoreplay;
pub mod report;
mod table;
mod usual;
pub mod v2;

use std::io;
use std::ops::Range;

use gametape_format::read::{Problem, ReadError, Tape, TapeStream};

use crate::laps::Tracked;
use gametape_analysis::recording::streams_of_games;

pub use cells::{write_csv, write_json};
pub use columns::{ChosenColumn, Columns, choose, column_name};
pub use echoreplay::{EchoReplayExportError, EchoReplayExported, export_echoreplay};
pub use table::RowFormat;
use table::Table;
pub use usual::{choose_usual, plotted_channels};

/// Where rows go.
pub trait RowSink {
    /// Rows of another lap follow; `None` where no lap is driven. Comes before the first row, too. The head is what stands above rows.
    fn part(&mut self, lap: Option<u32>, head: &[u8]) -> io::Result<()>;

    /// A row, with the end of its line.
    fn row(&mut self, row: &[u8]) -> io::Result<()>;

    /// So much of the tape is done, in nanoseconds of its length.
    fn at(&mut self, done_ns: u64, of_ns: u64) {
        let _ = (done_ns, of_ns);
    }

    /// Whether more rows are wanted; the reason if not.
    fn goes_on(&self) -> io::Result<()> {
        Ok(())
    }
}

/// Why rows cannot be given.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum ExportError {
    /// The tape cannot be read.
    #[error(transparent)]
    Read(#[from] ReadError),
    /// The rows cannot be written.
    #[error("cannot write: {0}")]
    Write(#[from] io::Error),
}

/// What came of it.
#[derive(Debug, Default)]
pub struct Exported {
    /// Rows that were given.
    pub rows: u64,
    /// Parts of the tape that could not be read.
    pub damage: Vec<Problem>,
}

/// Which rows are given, and how.
#[derive(Debug, Clone)]
pub struct RowOptions {
    /// How rows are written.
    pub format: RowFormat,
    /// Only rows at these times, in nanoseconds since the beginning of the tape.
    pub times: Range<u64>,
    /// At most so many rows a second: the first one of each period. All rows if it is `None`.
    pub hz: Option<f64>,
}

impl RowOptions {
    /// All rows.
    #[must_use]
    pub fn all(format: RowFormat) -> Self {
        Self { format, times: 0..u64::MAX, hz: None }
    }
}

/// Gives all rows of a tape. Damaged parts are left out, and told.
///
/// # Errors
/// If the tape cannot be read at all, or the sink fails.
pub fn export_rows(
    tape: &Tape,
    columns: &Columns,
    format: RowFormat,
    tracked: Option<&Tracked>,
    sink: &mut dyn RowSink,
) -> Result<Exported, ExportError> {
    export_some_rows(tape, columns, &RowOptions::all(format), tracked, sink)
}

/// [`export_rows`] with a choice of rows. Frames before the first row are read too, since slow streams keep what they said last.
///
/// # Errors
/// As [`export_rows`].
pub fn export_some_rows(
    tape: &Tape,
    columns: &Columns,
    options: &RowOptions,
    tracked: Option<&Tracked>,
    sink: &mut dyn RowSink,
) -> Result<Exported, ExportError> {
    let mut exported = Exported::default();
    let mut table = Table::new(tape, columns, options.format, tracked);
    let chosen: Vec<_> = columns.streams(tape).map(|stream| stream.id()).collect();
    // The place on the track may stand in another stream than what was chosen.
    let has_laps = tracked.is_some_and(|tracked| tracked.laps().next().is_some());
    let is_read = |stream: &&TapeStream| has_laps || chosen.contains(&stream.id());
    let mut frames = tape.merged(streams_of_games(tape).filter(is_read));
    let last_ns = columns.streams(tape).filter_map(|stream| stream.totals().last_ns).max().unwrap_or_default();
    let last_ns = last_ns.min(options.times.end);
    let mut wanted = Wanted { options, next_period: 0 };
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

/// Which rows are given.
struct Wanted<'a> {
    options: &'a RowOptions,
    /// The first period that has no row yet.
    next_period: u64,
}

impl Wanted<'_> {
    fn takes(&mut self, time_ns: u64) -> bool {
        if !self.options.times.contains(&time_ns) {
            return false;
        }
        let Some(hz) = self.options.hz else { return true };
        let period = (time_ns as f64 * hz / 1e9).floor() as u64;
        let is_first = period >= self.next_period;
        self.next_period = self.next_period.max(period.saturating_add(1));
        is_first
    }
}

#[cfg(test)]
mod tests;
