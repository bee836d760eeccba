//! The data of a report: takes a tape and its laps, returns channels reduced to the size of a web page.
//!
//! ```text
//! Tape::merged ──▶ time_lines: extremes of each interval ──▶ pack ──▶ TimeChannel
//! each lap ──▶ laps::along: values at positions, and extremes between them ──▶ pack ──▶ LapLines
//! ```
//! Frames are read once for the whole tape and once more lap by lap; only the result is held in memory. A report of any length has at
//! most [`MOST_VALUES`] values of two bytes: longer tapes get a coarser resolution, and peaks are preserved.
//! [`into_json`](TapeReport::into_json) returns the document for a page.

mod choice;
mod json;
mod lap_lines;
mod line;
mod pack;
mod time_lines;

use std::io;
use std::ops::Range;

use gametape_format::read::{Problem, ReadError, Tape};

use crate::channels::Columns;
use crate::laps::Tracked;

pub use pack::Packed;

/// Maximum number of intervals of a core channel.
pub const CORE_STRETCHES: usize = 1 << 16;
/// Maximum number of intervals of other channels that all games share.
const NEUTRAL_STRETCHES: usize = 1 << 14;
/// Maximum number of intervals of a channel of the tape that was not requested.
pub const OTHER_STRETCHES: usize = 1 << 12;
/// Maximum number of channels of the tape that were not requested.
const MOST_OTHERS: usize = 120;
/// Maximum number of values of laps.
const LAP_VALUES: usize = 2_400_000;
/// Maximum number of values of a report: as base64 they take 13 MB if they are incompressible.
pub const MOST_VALUES: usize =
    2 * (8 * CORE_STRETCHES + 13 * NEUTRAL_STRETCHES + MOST_OTHERS * OTHER_STRETCHES) + LAP_VALUES;

/// Receives the progress (done, total) in nanoseconds of tape time; an error ends the export.
pub type Progress<'a> = &'a mut dyn FnMut(u64, u64) -> io::Result<()>;

/// The reduced data of a tape.
#[derive(Debug)]
pub struct TapeReport {
    /// Start of the first interval, since the start of the tape.
    pub from_ns: u64,
    /// Length of an interval at the finest resolution.
    pub stretch_ns: u64,
    /// Number of intervals at the finest resolution.
    pub stretches: usize,
    /// The channels over time.
    pub channels: Vec<TimeChannel>,
    /// The channels of laps by position on the track.
    pub laps: Vec<LapLines>,
    /// Parts of the tape that could not be read.
    pub damage: Vec<Problem>,
}

/// The importance of a channel.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Weight {
    /// Shown by default.
    Core,
    /// Shared by all games.
    Neutral,
    /// Specific to the tape.
    Other,
}

/// A channel over the time of the tape: two values for each interval, the smallest and the largest in the order in which they occurred.
#[derive(Debug)]
pub struct TimeChannel {
    /// Its name.
    pub name: String,
    /// Its unit; empty if it has none.
    pub unit: String,
    /// Whether it can be interpolated.
    pub is_smooth: bool,
    /// Its importance.
    pub weight: Weight,
    /// Each of its intervals spans 2 to this power of the finest intervals.
    pub shift: u32,
    /// Two values for each interval.
    pub values: Packed,
}

/// A lap by position on the track.
#[derive(Debug)]
pub struct LapLines {
    /// Number of the lap in the tape.
    pub tape_lap: u32,
    /// Length of the track in metres.
    pub length_m: f64,
    /// Distance between two positions in metres.
    pub step_m: f64,
    /// Milliseconds since the line at each position.
    pub time_ms: Packed,
    /// Name and values of each channel: at a position, then between that position and the next, and so on.
    pub channels: Vec<(String, Packed)>,
    /// Corners: start, slowest point and end of each, in metres.
    pub corners: Vec<[f64; 3]>,
}

/// Why a report cannot be made.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum ReportError {
    /// The tape cannot be read.
    #[error(transparent)]
    Read(#[from] ReadError),
    /// The caller ended it.
    #[error("stopped: {0}")]
    Stopped(#[from] io::Error),
}

/// Reduces a tape to a report. If `named` is set, the user requested these columns: all of them are
/// kept, and otherwise only those that all games share.
///
/// # Errors
/// If the tape cannot be read at all, or `progress` returns an error.
pub fn tape_report(
    tape: &Tape,
    tracked: Option<&Tracked>,
    columns: &Columns,
    named: bool,
    progress: Progress<'_>,
) -> Result<TapeReport, ReportError> {
    let chosen = choice::chosen(tape, columns, named)?;
    let lines = time_lines::time_lines(tape, chosen, &(0..u64::MAX), progress)?;
    let laps = match tracked {
        Some(tracked) => lap_lines::lap_lines(tape, tracked, &lines, progress)?,
        None => Vec::new(),
    };
    let channels = lines.known.into_iter().map(|known| known.channel).collect();
    Ok(TapeReport {
        from_ns: lines.span.from_ns,
        stretch_ns: lines.span.stretch_ns,
        stretches: lines.span.stretches,
        channels,
        laps,
        damage: lines.damage,
    })
}

/// Reduces a part of a tape, from a time up to another one: the report of a shorter tape has a finer resolution. It has no laps. For zooming into
/// a report.
///
/// # Errors
/// If the tape cannot be read at all, or `progress` returns an error.
pub fn tape_lines(
    tape: &Tape,
    columns: &Columns,
    named: bool,
    times: Range<u64>,
    progress: Progress<'_>,
) -> Result<TapeReport, ReportError> {
    let chosen = choice::chosen(tape, columns, named)?;
    // Progress counts two passes; without laps, the second one does not happen.
    let lines = time_lines::time_lines(tape, chosen, &times, &mut |done, total| progress(done, total / 2))?;
    Ok(TapeReport {
        from_ns: lines.span.from_ns,
        stretch_ns: lines.span.stretch_ns,
        stretches: lines.span.stretches,
        channels: lines.known.into_iter().map(|known| known.channel).collect(),
        laps: Vec::new(),
        damage: lines.damage,
    })
}
