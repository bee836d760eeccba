//! Times of records: nanoseconds since the first one.
//!
//! The file has the recorder's UTC in .NET ticks. That clock may be adjusted during the recording: if it goes back, or forward by
//! more than a day, the record gets the time of the previous one, and later records continue from there. The original ticks are
//! stored as well.

/// .NET ticks at 1970-01-01.
const UNIX_EPOCH_TICKS: i128 = 621_355_968_000_000_000;

/// Maximum forward step of the clock between two records, in ticks: a day.
const MAX_STEP_TICKS: i128 = 86_400 * 10_000_000;

/// Plausible UTC in nanoseconds since 1970: from 2020 to 2100.
const BELIEVABLE_NS: std::ops::Range<i128> = 1_577_836_800_000_000_000..4_102_444_800_000_000_000;

/// Converts ticks to UTC, if plausible.
pub(super) fn utc_ns(ticks: i64) -> Option<i64> {
    let ns = (i128::from(ticks) - UNIX_EPOCH_TICKS) * 100;
    BELIEVABLE_NS.contains(&ns).then(|| i64::try_from(ns).ok()).flatten()
}

/// Assigns times to records in file order.
#[derive(Debug, Default)]
pub(super) struct RecordTimes {
    last: Option<i64>,
    ticks: u64,
    /// How often the clock was adjusted.
    pub(super) steps: u64,
}

impl RecordTimes {
    /// Returns the time of the next record, and whether the clock was adjusted before it.
    pub(super) fn step(&mut self, ticks: i64) -> (u64, bool) {
        let moved = self.last.map_or(0, |last| i128::from(ticks) - i128::from(last));
        self.last = Some(ticks);
        let believed = u64::try_from(moved).ok().filter(|_| moved <= MAX_STEP_TICKS);
        self.steps += u64::from(believed.is_none());
        self.ticks = self.ticks.saturating_add(believed.unwrap_or_default());
        (self.ticks.saturating_mul(100), believed.is_none())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn times_follow_the_clock_and_never_go_back() {
        let mut times = RecordTimes::default();
        let day = MAX_STEP_TICKS as i64;
        let given: Vec<_> = [1000, 1010, 1010, 900, 905, day + 906, i64::MIN, i64::MAX, i64::MAX]
            .into_iter()
            .map(|ticks| times.step(ticks))
            .collect();
        let expected = [0, 1000, 1000, 1000, 1500, 1500, 1500, 1500, 1500];
        assert_eq!(given.iter().map(|(ns, _)| *ns).collect::<Vec<_>>(), expected);
        assert_eq!(given.iter().filter(|(_, set)| *set).count() as u64, times.steps);
        assert_eq!(times.steps, 4);
    }

    #[test]
    fn ticks_are_utc() {
        assert_eq!(utc_ns(639_000_000_000_000_000), Some(1_764_403_200_000_000_000));
        assert_eq!((utc_ns(0), utc_ns(i64::MIN), utc_ns(i64::MAX)), (None, None, None));
    }
}
