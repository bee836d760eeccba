//! Resampling: takes the values of a channel at the times of frames, gives its samples at a whole rate. Never looks at a tape.
//!
//! Smooth channels are interpolated linearly; the others hold their last value. A smooth channel is held as well where a line would be
//! wrong: after a pause of its stream, which does not store frames that repeat, and where it jumps by more than half of its range so far,
//! as a lap distance does at the line. A sample at the time of a frame has exactly the frame's value.

use std::ops::Range;

/// Resamples one channel. Unknown values are NaN.
#[derive(Debug, Clone)]
pub(super) struct Resampler {
    pub(super) hz: u16,
    /// Number of samples.
    pub(super) count: u64,
    /// Time of the first sample on the tape.
    from_ns: u64,
    is_smooth: bool,
    /// Unknown values are replaced by the nearest known one, for samples that cannot be NaN.
    fills: bool,
    /// Frames that are further apart are not connected.
    longest_ns: u64,
    next: u64,
    before: Option<(u64, f64)>,
    range: Option<(f64, f64)>,
}

/// Shortest pause after which values are held.
const PAUSE_NS: u64 = 100_000_000;

impl Resampler {
    /// For samples of these times of the tape, the last one included.
    pub(super) fn new(hz: u16, times: &Range<u64>, is_smooth: bool, fills: bool) -> Self {
        let period_ns = 1_000_000_000 / u64::from(hz.max(1));
        Self {
            hz,
            count: samples(times.end.saturating_sub(times.start), hz),
            from_ns: times.start,
            is_smooth,
            fills,
            longest_ns: PAUSE_NS.max(4 * period_ns),
            next: 0,
            before: None,
            range: None,
        }
    }

    /// Takes the value at a time and gives the samples before it. Times never decrease.
    pub(super) fn knot(&mut self, time_ns: u64, value: f64, mut put: impl FnMut(f64)) {
        if self.fills && !value.is_finite() {
            return;
        }
        if value.is_finite() {
            let (least, most) = self.range.unwrap_or((value, value));
            self.range = Some((least.min(value), most.max(value)));
        }
        while self.next < self.count && self.time_of(self.next) < time_ns {
            put(self.between(self.time_of(self.next), (time_ns, value)));
            self.next += 1;
        }
        self.before = Some((time_ns, value));
    }

    /// Gives the samples after the last value.
    pub(super) fn finish(&mut self, mut put: impl FnMut(f64)) {
        let last = self.before.map_or(f64::NAN, |(_, value)| value);
        while self.next < self.count {
            put(last);
            self.next += 1;
        }
    }

    fn time_of(&self, number: u64) -> u64 {
        self.from_ns.saturating_add(time_of(number, self.hz))
    }

    fn between(&self, time_ns: u64, (next_ns, next): (u64, f64)) -> f64 {
        let Some((before_ns, before)) = self.before else { return if self.fills { next } else { f64::NAN } };
        let length_ns = next_ns.saturating_sub(before_ns);
        let range = self.range.map_or(0.0, |(least, most)| most - least);
        let connects = self.is_smooth && length_ns <= self.longest_ns && (next - before).abs() <= range / 2.0;
        if !connects || time_ns <= before_ns {
            return before;
        }
        before + (next - before) * ((time_ns - before_ns) as f64 / length_ns as f64)
    }
}

/// Returns the time of a sample since the first one.
pub(super) fn time_of(number: u64, hz: u16) -> u64 {
    let ns = u128::from(number) * 1_000_000_000 / u128::from(hz.max(1));
    u64::try_from(ns).unwrap_or(u64::MAX)
}

/// Returns how many samples a length of time has, with one at both ends.
pub(super) fn samples(length_ns: u64, hz: u16) -> u64 {
    let whole = u128::from(length_ns) * u128::from(hz) / 1_000_000_000;
    u64::try_from(whole).unwrap_or(u64::MAX).saturating_add(1)
}

#[cfg(test)]
mod tests {
    use super::*;

    const MS: u64 = 1_000_000;

    /// Resamples to 100 Hz, from 1.000 s to 1.050 s.
    fn at_100_hz(knots: &[(u64, f64)], is_smooth: bool, fills: bool) -> Vec<f64> {
        let mut resampler = Resampler::new(100, &(1_000 * MS..1_050 * MS), is_smooth, fills);
        let mut found = Vec::new();
        for (ms, value) in knots {
            resampler.knot(ms * MS, *value, |value| found.push(value));
        }
        resampler.finish(|value| found.push(value));
        assert_eq!(found.len() as u64, resampler.count);
        found
    }

    #[test]
    fn smooth_channels_are_interpolated_and_others_are_held() {
        let knots = [(995, 0.0), (1_005, 10.0), (1_015, 12.0), (1_025, 20.0), (1_050, 30.0)];
        assert_eq!(at_100_hz(&knots, true, false), [0.0, 11.0, 16.0, 22.0, 26.0, 30.0], "the first jump is held");
        assert_eq!(at_100_hz(&knots, false, false), [0.0, 10.0, 12.0, 20.0, 20.0, 30.0]);
        let exact = [(1_000, 1.0), (1_010, 0.5), (1_020, 4.0), (1_030, 0.25), (1_040, -7.0), (1_050, 8.0)];
        let values = exact.map(|(_, value)| value);
        assert_eq!(
            (at_100_hz(&exact, true, false), at_100_hz(&exact, false, false)),
            (values.to_vec(), values.to_vec())
        );
    }

    #[test]
    fn neither_a_pause_nor_a_jump_back_becomes_a_slope() {
        let mut paused = Resampler::new(10, &(0..2_000 * MS), true, false);
        let mut found = Vec::new();
        for (ms, value) in [(0, 0.0), (100, 8.0), (200, 10.0), (1_450, 5.5), (1_550, 6.5)] {
            paused.knot(ms * MS, value, |value| found.push(value));
        }
        assert_eq!(found[2..15], [10.0; 13], "frames that repeat are not stored");
        assert_eq!(found[15], 6.0);
        let lap = [(990, 0.0), (1_000, 3_990.0), (1_005, 3_999.0), (1_015, 3.0), (1_025, 9.0)];
        assert_eq!(at_100_hz(&lap, true, false)[..3], [3_990.0, 3_999.0, 6.0], "the way along a lap begins anew");
    }

    #[test]
    fn what_is_unknown_stays_unknown_unless_the_samples_cannot_say_so() {
        let knots = [(1_015, 5.0), (1_025, f64::NAN), (1_040, 5.0)];
        let found = at_100_hz(&knots, true, false);
        assert!(found[0].is_nan() && found[1].is_nan() && found[3].is_nan(), "{found:?}");
        assert_eq!((found[2], found[4]), (5.0, 5.0));
        assert_eq!(at_100_hz(&knots, true, true), [5.0; 6]);
    }

    #[test]
    fn there_is_a_sample_at_both_ends() {
        assert_eq!((samples(0, 333), samples(1_000 * MS, 333), samples(999 * MS, 60)), (1, 334, 60));
        assert_eq!(samples(u64::MAX, u16::MAX), 1_208_907_372_870_555 + 1);
        assert_eq!((time_of(333, 333), time_of(u64::MAX, 1)), (1_000 * MS, u64::MAX));
    }
}
