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
pub mod v2;

use std::io;

use gametape_format::read::{Problem, ReadError, Tape, TapeStream};

use crate::laps::{Tracked, streams_of_game};

pub use cells::{write_csv, write_json};
pub use columns::{ChosenColumn, Columns, NoSuchChannel, choose};
pub use echoreplay::{EchoReplayExportError, EchoReplayExported, export_echoreplay};
pub use table::RowFormat;
use table::Table;

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
    let mut exported = Exported::default();
    let mut table = Table::new(tape, columns, format, tracked);
    let chosen: Vec<_> = columns.streams(tape).map(|stream| stream.id()).collect();
    // The place on the track may stand in another stream than what was chosen.
    let has_laps = tracked.is_some_and(|tracked| tracked.laps().next().is_some());
    let is_read = |stream: &&TapeStream| has_laps || chosen.contains(&stream.id());
    let mut frames = tape.merged(streams_of_game(tape).filter(is_read));
    let last_ns = columns.streams(tape).filter_map(|stream| stream.totals().last_ns).max().unwrap_or_default();
    let mut row_ns = None;
    loop {
        match frames.next() {
            Ok(Some(frame)) => {
                let is_chosen = chosen.contains(&frame.stream);
                if let Some(before_ns) = row_ns.take_if(|before_ns| *before_ns != frame.time_ns) {
                    table.give(before_ns, sink)?;
                    exported.rows += 1;
                    if exported.rows.is_multiple_of(4096) {
                        sink.at(before_ns, last_ns);
                        sink.goes_on()?;
                    }
                }
                row_ns = row_ns.or(is_chosen.then_some(frame.time_ns));
                table.take(frame.stream, frame.data);
            }
            Ok(None) => break,
            Err(ReadError::Damaged(problem)) => exported.damage.push(problem),
            Err(error) => return Err(error.into()),
        }
    }
    if let Some(before_ns) = row_ns {
        table.give(before_ns, sink)?;
        exported.rows += 1;
    }
    Ok(exported)
}
