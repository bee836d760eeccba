//! The channels of a lap along the track, for plots: values at positions some metres apart, and the extremes between them.
//!
//! Takes a tape, a lap and channels, and returns the columns of `sampler` plus one value for each interval between two grid positions. A
//! peak or a dip within an interval would be lost on the grid alone: the value that is furthest outside of those at both ends is kept. An
//! interval without one gets the value in the middle.

use super::columns::{ColumnsError, LapColumns, fit_to_lap, shares_of_grid};
use super::lap_channels::RequestedChannel;
use super::line_to_line::{Moment, Sink, go_through};
use super::model::Lap;
use super::sampler::{Rows, Sampler};
use crate::recording::Recording;

/// The channels of a lap along the track.
pub struct AlongLap {
    /// Values at the grid positions.
    pub at: LapColumns,
    /// For each column, a value for each interval between two grid positions; NaN is unknown.
    pub between: Vec<Vec<f64>>,
}

/// Returns the channels of a finished lap at positions `step_m` apart. Damaged parts are skipped.
///
/// # Errors
/// If the step or the length is not a positive number, if there are too many rows, or if the tape cannot be read.
pub fn along(
    tape: &dyn Recording,
    lap: &Lap,
    taps: &[RequestedChannel],
    step_m: f64,
    length_m: f64,
) -> Result<AlongLap, ColumnsError> {
    let shares = shares_of_grid(step_m, length_m)?;
    let pieces = shares.len().saturating_sub(1);
    let mut both = Both {
        sampler: Sampler::new(taps.to_vec(), Rows::Places(shares)),
        extremes: taps.iter().map(|_| vec![[f32::INFINITY, f32::NEG_INFINITY]; pieces]).collect(),
        taps: taps.to_vec(),
        pieces_a_lap: length_m / step_m,
        share: None,
    };
    go_through(tape, lap, &mut both)?;
    let mut at = both.sampler.finish(tape);
    fit_to_lap(&mut at.time_ms, lap);
    let columns = at.columns.iter().zip(&both.extremes).zip(taps);
    let between = columns.map(|((column, extremes), tap)| between(&column.values, extremes, tap.is_smooth)).collect();
    Ok(AlongLap { at, between })
}

struct Both {
    sampler: Sampler,
    taps: Vec<RequestedChannel>,
    /// Minimum and maximum of each interval.
    extremes: Vec<Vec<[f32; 2]>>,
    pieces_a_lap: f64,
    /// How far the car has got along the lap.
    share: Option<f64>,
}

impl Sink for Both {
    type Error = ColumnsError;

    fn frame(&mut self, stream: usize, bytes: &[u8]) {
        self.taps.iter_mut().for_each(|tap| tap.frame(stream, bytes));
        self.sampler.frame(stream, bytes);
    }

    fn moment(&mut self, moment: &Moment<'_>) -> Result<(), ColumnsError> {
        self.share = moment.place.map(|place| place.share).or(self.share);
        if let Some(share) = self.share.filter(|share| (0.0..1.0).contains(share)) {
            let piece = (share * self.pieces_a_lap) as usize;
            for (tap, column) in self.taps.iter().zip(&mut self.extremes) {
                let value = tap.value(moment.sample) as f32;
                if let Some([low, high]) = column.get_mut(piece).filter(|_| value.is_finite()) {
                    (*low, *high) = (low.min(value), high.max(value));
                }
            }
        }
        self.sampler.moment(moment)
    }
}

fn between(at: &[Option<f64>], extremes: &[[f32; 2]], is_smooth: bool) -> Vec<f64> {
    let piece = |(ends, [low, high]): (&[Option<f64>], &[f32; 2])| {
        let (low, high) = (f64::from(*low), f64::from(*high));
        let &[Some(from), Some(to)] = ends else { return if high.is_finite() { high } else { f64::NAN } };
        let (above, below) = (high - from.max(to), from.min(to) - low);
        match above.max(below) > 0.0 {
            true if above >= below => high,
            true => low,
            false if is_smooth => (from + to) / 2.0,
            false => from,
        }
    };
    at.windows(2).zip(extremes).map(piece).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_sticks_out_between_two_places_is_kept_and_nothing_else() {
        let at = [Some(10.0), Some(20.0), Some(20.0), None, Some(5.0)];
        let none = [f32::INFINITY, f32::NEG_INFINITY];
        // A slope, a peak that is higher than the dip is deep, a dip, unknown ends.
        let slope = between(&at, &[[11.0, 19.0], [18.0, 25.0], [3.0, 4.0], none], true);
        assert_eq!(slope[..3], [15.0, 25.0, 4.0]);
        assert!(slope[3].is_nan());
        let dip = between(&at, &[none, [15.0, 21.0]], false);
        assert_eq!(dip, [10.0, 15.0]);
    }
}
