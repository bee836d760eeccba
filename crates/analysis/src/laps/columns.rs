//! The channels of a lap as columns: as recorded, or on a grid of places or of times.
//!
//! Takes a tape, a lap and names of channels, gives columns of equal length. Frames go through once, and what is in memory is the columns
//! that come out. [`compare`](super::compare) puts those of several laps side by side.

use super::lap_channels::{ChannelName, Tap, neutral_channels};
use super::line_to_line::go_through;
use super::model::Lap;
use super::sampler::{Rows, Sampler};
use super::tracking::TrackError;
use crate::recording::Recording;

/// Rows at most.
pub const MOST_ROWS: usize = 20_000;
/// Columns at most.
pub const MOST_COLUMNS: usize = 32;
/// What may be read beside what was asked for, to make something of it.
const MORE_COLUMNS: usize = 2;

/// Why columns cannot be made.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum ColumnsError {
    /// The lap cannot be read.
    #[error(transparent)]
    Track(#[from] TrackError),
    /// No such channel.
    #[error("there is no channel {name:?}: `available` of an answer without `channels` lists those that are there")]
    UnknownChannel {
        /// What was asked for.
        name: String,
    },
    /// A whole array was asked for.
    #[error("{name:?} has several values: write {name}.0 to {name}.{last}")]
    Array {
        /// What was asked for.
        name: String,
        /// The index of the last value.
        last: u32,
    },
    /// More columns than are given at once.
    #[error("{found} channels were asked for; at most {MOST_COLUMNS} are given at once")]
    TooManyColumns {
        /// How many.
        found: usize,
    },
    /// More rows than are given at once.
    #[error("the lap has more than {MOST_ROWS} rows like this: ask for a wider step_m or a lower hz")]
    TooManyRows,
    /// A step, a rate or a length that is none.
    #[error("a grid needs a length, a step and a rate that are greater than 0")]
    NoGrid,
}

/// Where the rows are.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Grid {
    /// Where frames are.
    Recorded,
    /// At places this far from each other, from the line on; the last one is the next line.
    Metres {
        /// From place to place.
        step_m: f64,
        /// The length of the track.
        length_m: f64,
    },
    /// At moments, this many a second.
    Hertz(f64),
}

/// One channel.
#[derive(Debug, Clone, PartialEq)]
pub struct Column {
    /// Its name.
    pub name: String,
    /// Its unit; empty if there is none or it is not known.
    pub unit: String,
    /// A value for each row; `None` where it is not known.
    pub values: Vec<Option<f64>>,
}

/// The channels of a lap.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct LapColumns {
    /// Place of each row, 0 to 1.
    pub share: Vec<Option<f64>>,
    /// Time of each row since the line; it stands in pauses.
    pub time_ms: Vec<Option<f64>>,
    /// The channels that were asked for.
    pub columns: Vec<Column>,
    /// All that can be asked for.
    pub available: Vec<ChannelName>,
}

impl LapColumns {
    /// Keeps each row whose number is a multiple of `every`, and the last one.
    pub fn thin(&mut self, every: usize) {
        thin(&mut self.share, every);
        thin(&mut self.time_ms, every);
        self.columns.iter_mut().for_each(|column| thin(&mut column.values, every));
    }

    /// The channel with this name.
    #[must_use]
    pub fn column(&self, name: &str) -> Option<&Column> {
        self.columns.iter().find(|column| column.name == name)
    }
}

/// Keeps each value whose number is a multiple of `every`, and the last one.
pub(super) fn thin<T>(values: &mut Vec<T>, every: usize) {
    let last = values.len().saturating_sub(1);
    let mut number = 0_usize;
    values.retain(|_| {
        let keep = every == 0 || number.is_multiple_of(every) || number == last;
        number += 1;
        keep
    });
}

/// The shares of a lap at which a grid of metres has its rows.
///
/// # Errors
/// If it is no grid, or has more rows than are given at once.
pub fn shares_of_grid(step_m: f64, length_m: f64) -> Result<Vec<f64>, ColumnsError> {
    if !(step_m > 0.0 && length_m > 0.0 && step_m.is_finite() && length_m.is_finite()) {
        return Err(ColumnsError::NoGrid);
    }
    let steps = (length_m / step_m).ceil();
    if steps >= MOST_ROWS as f64 {
        return Err(ColumnsError::TooManyRows);
    }
    Ok((0..=steps as usize).map(|step| (step as f64 * step_m / length_m).min(1.0)).collect())
}

/// The channels of a lap that is over; all neutral ones if no names are given. Damaged parts of the tape are left out.
///
/// # Errors
/// If a channel is not known, if there are too many rows or columns, or if the tape cannot be read.
pub fn columns(tape: &dyn Recording, lap: &Lap, names: &[String], grid: Grid) -> Result<LapColumns, ColumnsError> {
    if names.len() > MOST_COLUMNS + MORE_COLUMNS {
        return Err(ColumnsError::TooManyColumns { found: names.len() });
    }
    let taps = match names {
        [] => neutral_channels().map(|name| Tap::find(tape, name)).collect::<Result<Vec<_>, _>>()?,
        names => names.iter().map(|name| Tap::find(tape, name)).collect::<Result<Vec<_>, _>>()?,
    };
    let rows = match grid {
        Grid::Recorded => Rows::Recorded,
        Grid::Metres { step_m, length_m } => Rows::Places(shares_of_grid(step_m, length_m)?),
        Grid::Hertz(hz) if hz > 0.0 && hz.is_finite() => Rows::Times { step_ms: 1000.0 / hz },
        Grid::Hertz(_) => return Err(ColumnsError::NoGrid),
    };
    let mut sampler = Sampler::new(taps, rows);
    go_through(tape, lap, &mut sampler)?;
    let mut found = sampler.finish(tape);
    if matches!(grid, Grid::Metres { .. }) {
        fit_to_lap(&mut found.time_ms, lap);
    }
    Ok(found)
}

/// A time at the next line that is further from the lap's time was not measured from the same line.
const FIT_WITHIN_MS: f64 = 1_000.0;

/// Makes the times of a lap that was driven from line to line begin with 0 and end with the lap's time: between two frames, the line is known less exactly
/// than the game's own time.
pub(super) fn fit_to_lap(times_ms: &mut [Option<f64>], lap: &Lap) {
    let Some(lap_ms) = lap.time_ms.filter(|_| lap.complete).map(f64::from) else { return };
    match times_ms.last().copied().flatten() {
        Some(end_ms) if end_ms > 0.0 && (end_ms - lap_ms).abs() <= FIT_WITHIN_MS => {
            times_ms.iter_mut().flatten().for_each(|time| *time *= lap_ms / end_ms);
        }
        Some(_) => return,
        None => {}
    }
    if let Some(first) = times_ms.first_mut() {
        first.get_or_insert(0.0);
    }
    if let Some(last) = times_ms.last_mut() {
        *last = Some(lap_ms);
    }
}
