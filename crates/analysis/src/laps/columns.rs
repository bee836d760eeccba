//! The channels of a lap as columns: as recorded, or resampled to a grid of track positions or of times.
//!
//! Takes a tape, a lap and channel names, and returns columns of equal length. Reads the frames in one pass; only the resulting columns
//! are held in memory. [`compare`](super::compare) compares the columns of several laps.

use super::lap_channels::{ChannelName, RequestedChannel, neutral_channels};
use super::line_to_line::go_through;
use super::model::Lap;
use super::sampler::{Rows, Sampler};
use super::tracking::TrackError;
use crate::recording::Recording;

/// Maximum number of rows.
pub const MOST_ROWS: usize = 20_000;
/// Maximum number of columns that can be requested.
pub const MOST_COLUMNS: usize = 32;
/// Additional columns that may be read to derive results from.
const MORE_COLUMNS: usize = 2;

/// Why the columns of a lap cannot be returned.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum ColumnsError {
    /// The lap cannot be read.
    #[error(transparent)]
    Track(#[from] TrackError),
    /// No such channel.
    #[error("there is no channel {name:?}; a request without `channels` lists the available ones in `available`")]
    UnknownChannel {
        /// The requested name.
        name: String,
    },
    /// A whole array was requested.
    #[error("{name:?} is an array; use {name}.0 to {name}.{last}")]
    Array {
        /// The requested name.
        name: String,
        /// Index of the last element.
        last: u32,
    },
    /// Too many columns.
    #[error("{found} channels requested; at most {MOST_COLUMNS} can be requested at once")]
    TooManyColumns {
        /// Number of channels requested.
        found: usize,
    },
    /// Too many rows.
    #[error("the lap has more than {MOST_ROWS} rows on this grid; use a larger step_m or a lower hz")]
    TooManyRows,
    /// A step, a rate or a length that is not a positive number.
    #[error("the length, the step and the rate of a grid must be greater than 0")]
    NoGrid,
}

/// Where the rows of the columns are.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Grid {
    /// At each frame.
    Recorded,
    /// At regular track positions, from the line on. The last one is the next line.
    Metres {
        /// Distance between two rows.
        step_m: f64,
        /// Length of the track.
        length_m: f64,
    },
    /// At regular times, this many per second.
    Hertz(f64),
}

/// One channel of a lap.
#[derive(Debug, Clone, PartialEq)]
pub struct Column {
    /// Channel name.
    pub name: String,
    /// Unit; empty if there is none or it is unknown.
    pub unit: String,
    /// A value for each row; `None` if unknown.
    pub values: Vec<Option<f64>>,
}

/// The channels of a lap.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct LapColumns {
    /// Lap distance fraction of each row, 0 to 1.
    pub share: Vec<Option<f64>>,
    /// Time of each row since the line, without pauses.
    pub time_ms: Vec<Option<f64>>,
    /// The requested channels.
    pub columns: Vec<Column>,
    /// All channels that can be requested.
    pub available: Vec<ChannelName>,
}

impl LapColumns {
    /// Keeps the rows whose index is a multiple of `every`, and the last row.
    pub fn thin(&mut self, every: usize) {
        thin(&mut self.share, every);
        thin(&mut self.time_ms, every);
        self.columns.iter_mut().for_each(|column| thin(&mut column.values, every));
    }

    /// Returns the channel with this name.
    #[must_use]
    pub fn column(&self, name: &str) -> Option<&Column> {
        self.columns.iter().find(|column| column.name == name)
    }
}

/// Keeps the values whose index is a multiple of `every`, and the last value.
pub(super) fn thin<T>(values: &mut Vec<T>, every: usize) {
    let last = values.len().saturating_sub(1);
    let mut number = 0_usize;
    values.retain(|_| {
        let keep = every == 0 || number.is_multiple_of(every) || number == last;
        number += 1;
        keep
    });
}

/// Returns the lap fractions of the rows of a [`Grid::Metres`].
///
/// # Errors
/// If the step or the length is not a positive number, or if there are too many rows.
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

/// Returns the channels of a finished lap; all neutral ones if no names are given. Damaged parts of the tape are skipped.
///
/// # Errors
/// If a channel is unknown, if there are too many rows or columns, or if the tape cannot be read.
pub fn columns(tape: &dyn Recording, lap: &Lap, names: &[String], grid: Grid) -> Result<LapColumns, ColumnsError> {
    if names.len() > MOST_COLUMNS + MORE_COLUMNS {
        return Err(ColumnsError::TooManyColumns { found: names.len() });
    }
    let taps = match names {
        [] => neutral_channels().map(|name| RequestedChannel::find(tape, name)).collect::<Result<Vec<_>, _>>()?,
        names => names.iter().map(|name| RequestedChannel::find(tape, name)).collect::<Result<Vec<_>, _>>()?,
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

/// If the time at the next line differs from the lap time by more than this, they were not measured from the same line.
const FIT_WITHIN_MS: f64 = 1_000.0;

/// Makes the times of a complete lap begin with 0 and end with the lap time: a line crossing interpolated between two frames is less
/// precise than the game's own time.
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
