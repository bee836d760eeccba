//! What a report shows of a tape: takes a tape and its laps, gives channels that were made small for a page in a browser.
//!
//! ```text
//! Tape::merged ──▶ time_lines: extremes of each stretch of time ──▶ pack ──▶ TimeChannel
//! each lap ──▶ laps::along: values at places, and what sticks out between them ──▶ pack ──▶ LapLines
//! ```
//! Frames go through once for the whole tape and once more lap by lap; in memory is what comes out. However long the tape is, a report has at most
//! [`MOST_VALUES`] values of two bytes: what is kept gets coarser, and peaks stay. [`into_json`](TapeReport::into_json) is what a page gets.

mod choice;
mod json;
mod lap_lines;
mod line;
mod pack;
mod time_lines;

#[cfg(test)]
mod tests;

use std::io;

use gametape_format::read::{Problem, Tape};

use super::{Columns, ExportError};
use crate::laps::Tracked;

pub use pack::Packed;

/// Stretches of time of a channel that everybody looks at, at most.
const CORE_STRETCHES: usize = 1 << 16;
/// The same for other channels that all games share.
const NEUTRAL_STRETCHES: usize = 1 << 14;
/// The same for a channel of the tape that nobody asked for.
const OTHER_STRETCHES: usize = 1 << 12;
/// Channels of the tape that nobody asked for, at most.
const MOST_OTHERS: usize = 120;
/// Values of laps, at most.
const LAP_VALUES: usize = 2_400_000;
/// Values of a report, at most: as base64 they take 13 MB, if nothing about them can be packed.
pub const MOST_VALUES: usize =
    2 * (8 * CORE_STRETCHES + 13 * NEUTRAL_STRETCHES + MOST_OTHERS * OTHER_STRETCHES) + LAP_VALUES;

/// Told how far it is, in nanoseconds of the tape; an error ends it.
pub type Progress<'a> = &'a mut dyn FnMut(u64, u64) -> io::Result<()>;

/// A tape, made small.
#[derive(Debug)]
pub struct TapeReport {
    /// When the first stretch begins, since the beginning of the tape.
    pub from_ns: u64,
    /// Length of a stretch at its finest.
    pub stretch_ns: u64,
    /// How many of them there are.
    pub stretches: usize,
    /// The channels over time.
    pub channels: Vec<TimeChannel>,
    /// The channels of laps by the place on the track.
    pub laps: Vec<LapLines>,
    /// Parts of the tape that could not be read.
    pub damage: Vec<Problem>,
}

/// How much a channel is looked at.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Weight {
    /// Shown at once.
    Core,
    /// All games share it.
    Neutral,
    /// The tape has it.
    Other,
}

/// A channel over the time of the tape: two values for each stretch, the smallest and the largest in the order in which they were seen.
#[derive(Debug)]
pub struct TimeChannel {
    /// Its name.
    pub name: String,
    /// Its unit; empty if it has none.
    pub unit: String,
    /// Between two values it has values between theirs.
    pub is_smooth: bool,
    /// How much it is looked at.
    pub weight: Weight,
    /// One of its stretches is 2 to this power of the finest.
    pub shift: u32,
    /// Two values for each stretch.
    pub values: Packed,
}

/// A lap by the place on the track.
#[derive(Debug)]
pub struct LapLines {
    /// Its number on the tape.
    pub tape_lap: u32,
    /// Length of the track.
    pub length_m: f64,
    /// From place to place.
    pub step_m: f64,
    /// Milliseconds since the line at each place.
    pub time_ms: Packed,
    /// Name of each channel and its values: at a place, then between that and the next, and so on.
    pub channels: Vec<(String, Packed)>,
    /// Corners: where each begins, is slowest and ends, in metres.
    pub corners: Vec<[f64; 3]>,
}

/// Makes a tape small. `named` says that the user asked for these columns: then they are kept, and no others beside those that all games share.
///
/// # Errors
/// If the tape cannot be read at all, or `progress` wants no more.
pub fn tape_report(
    tape: &Tape,
    tracked: Option<&Tracked>,
    columns: &Columns,
    named: bool,
    progress: Progress<'_>,
) -> Result<TapeReport, ExportError> {
    let chosen = choice::chosen(tape, columns, named)?;
    let lines = time_lines::time_lines(tape, chosen, progress)?;
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
