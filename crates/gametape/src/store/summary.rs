//! The best lap and the best sectors of some laps, as a pure sum.

use crate::laps::{Id, Sector};

/// A lap that may count.
#[derive(Debug)]
pub(super) struct Counted<'a> {
    pub(super) id: Id,
    pub(super) time_ms: u32,
    pub(super) sectors: &'a [Sector],
}

/// What some laps come to.
#[derive(Debug, Default)]
pub(super) struct Summary {
    /// All laps.
    pub(super) laps: u32,
    /// The best of those that may count: the first of equal ones.
    pub(super) best: Option<(Id, u32)>,
    sectors: Vec<Option<u32>>,
}

impl Summary {
    /// Adds a lap, in the order of driving; `None` is one that may not count.
    pub(super) fn add(&mut self, lap: Option<&Counted<'_>>) {
        self.laps += 1;
        let Some(lap) = lap else { return };
        if self.best.is_none_or(|(_, time_ms)| lap.time_ms < time_ms) {
            self.best = Some((lap.id, lap.time_ms));
        }
        if self.sectors.len() < lap.sectors.len() {
            self.sectors.resize(lap.sectors.len(), None);
        }
        for (best, sector) in self.sectors.iter_mut().zip(lap.sectors) {
            *best = [*best, sector.time_ms].into_iter().flatten().min();
        }
    }

    /// The sum of the best sectors; `None` unless each was seen.
    pub(super) fn theoretical_ms(&self) -> Option<u32> {
        if self.sectors.is_empty() {
            return None;
        }
        self.sectors.iter().try_fold(0u32, |sum, sector| sum.checked_add((*sector)?))
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
    fn the_theoretical_best_is_the_sum_of_the_best_sectors_once_all_were_seen() {
        let mut summary = Summary::default();
        assert_eq!(summary.theoretical_ms(), None);
        let first = sectors(&[Some(30), Some(40), None]);
        summary.add(Some(&Counted { id: Id([1; 16]), time_ms: 110, sectors: &first }));
        assert_eq!(summary.theoretical_ms(), None);
        let second = sectors(&[Some(31), Some(35), Some(40)]);
        summary.add(Some(&Counted { id: Id([2; 16]), time_ms: 106, sectors: &second }));
        summary.add(Some(&Counted { id: Id([3; 16]), time_ms: 106, sectors: &[] }));
        summary.add(None);
        assert_eq!(summary.theoretical_ms(), Some(105));
        assert_eq!(summary.best, Some((Id([2; 16]), 106)));
        assert_eq!(summary.laps, 4);
    }
}
