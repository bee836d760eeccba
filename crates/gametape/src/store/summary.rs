//! The best lap and the best sectors of a set of laps. Pure.

use crate::laps::{Id, Sector};

/// A lap that counts.
#[derive(Debug)]
pub(super) struct Counted<'a> {
    pub(super) id: Id,
    pub(super) time_ms: u32,
    pub(super) sectors: &'a [Sector],
}

/// The summary of a set of laps.
#[derive(Debug, Default)]
pub(super) struct Summary {
    /// Number of all laps.
    pub(super) laps: u32,
    /// The best lap that counts; on a tie, the first.
    pub(super) best: Option<(Id, u32)>,
    sectors: Vec<u32>,
}

impl Summary {
    /// Adds a lap, in driving order; `None` is a lap that does not count.
    pub(super) fn add(&mut self, lap: Option<&Counted<'_>>) {
        self.laps += 1;
        let Some(lap) = lap else { return };
        if self.best.is_none_or(|(_, time_ms)| lap.time_ms < time_ms) {
            self.best = Some((lap.id, lap.time_ms));
        }
        // As in the tracker, a lap with an unknown sector contributes no sectors.
        let Some(times) = lap.sectors.iter().map(|sector| sector.time_ms).collect::<Option<Vec<_>>>() else { return };
        if self.sectors.is_empty() {
            self.sectors = times;
        } else if self.sectors.len() == times.len() {
            self.sectors.iter_mut().zip(times).for_each(|(best, time)| *best = time.min(*best));
        }
    }

    /// Returns the sum of the best sectors; `None` if no lap has all of them.
    pub(super) fn theoretical_ms(&self) -> Option<u32> {
        if self.sectors.is_empty() {
            return None;
        }
        self.sectors.iter().try_fold(0u32, |sum, sector| sum.checked_add(*sector))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::laps::SectorSource;

    fn sectors(times: &[Option<u32>]) -> Vec<Sector> {
        times.iter().map(|time_ms| Sector { time_ms: *time_ms, source: SectorSource::Official }).collect()
    }

    #[test]
    fn the_theoretical_best_is_the_sum_of_the_best_sectors_of_laps_that_have_all() {
        let mut summary = Summary::default();
        assert_eq!(summary.theoretical_ms(), None);
        let first = sectors(&[Some(30), Some(40), None]);
        summary.add(Some(&Counted { id: Id([1; 16]), time_ms: 110, sectors: &first }));
        assert_eq!(summary.theoretical_ms(), None);
        let second = sectors(&[Some(31), Some(35), Some(40)]);
        let third = sectors(&[Some(30), Some(36), Some(41)]);
        summary.add(Some(&Counted { id: Id([2; 16]), time_ms: 106, sectors: &second }));
        summary.add(Some(&Counted { id: Id([3; 16]), time_ms: 106, sectors: &[] }));
        summary.add(Some(&Counted { id: Id([4; 16]), time_ms: 107, sectors: &third }));
        summary.add(None);
        assert_eq!(summary.theoretical_ms(), Some(105));
        assert_eq!(summary.best, Some((Id([2; 16]), 106)));
        assert_eq!(summary.laps, 5);
    }
}
