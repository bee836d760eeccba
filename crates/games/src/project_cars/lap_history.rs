//! Laps of any car, put together from its lap count and its last times.
//!
//! The games report the current lap and sector of each car, and the last lap and sector time. These times change together with the count, or a
//! tick later. A time belongs to the lap or sector that ended if it differs from the time that was reported before. A second equal time in a row
//! cannot be recognised, and is unknown.
use crate::standings::{CarLap, CarStanding};

/// Sectors of a lap.
const SECTORS: u8 = 3;
/// Laps that are kept of each car, the newest ones.
const MOST_LAPS: usize = 1_000;

/// A time as the game reports it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct ReportedTime {
    pub(crate) ms: u32,
    /// The bits of the game's value, which is finer than a millisecond.
    pub(crate) exact: u32,
}

/// The lap of a car at one moment.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(crate) struct LapNow {
    /// From 1.
    pub(crate) lap: Option<u32>,
    /// From 0.
    pub(crate) sector: Option<u8>,
    pub(crate) valid: Option<bool>,
    pub(crate) last: Option<ReportedTime>,
    pub(crate) last_sector: Option<ReportedTime>,
    /// The car has finished: the lap count may not rise again.
    pub(crate) has_finished: bool,
}

/// A time that is reported for one lap or sector after another.
#[derive(Debug, Default)]
struct Times {
    /// The value that was already used.
    used: Option<u32>,
}

impl Times {
    /// Returns the time if it is a new one.
    fn take(&mut self, reported: Option<ReportedTime>) -> Option<u32> {
        let new = reported.filter(|time| Some(time.exact) != self.used)?;
        self.used = Some(new.exact);
        Some(new.ms)
    }
}

/// The laps of one car, oldest first.
#[derive(Debug, Default)]
pub(crate) struct LapHistory {
    laps: Vec<CarLap>,
    before: LapNow,
    lap_times: Times,
    sector_times: Times,
    /// The lap whose time has not been reported yet.
    due_lap: Option<u32>,
    /// The lap and sector whose time has not been reported yet.
    due_sector: Option<(u32, u8)>,
    /// The car was in another sector than the one in which it was observed first.
    has_moved: bool,
    has_changed: bool,
}

impl LapHistory {
    /// Adds an observation. Returns whether a lap has changed.
    pub(crate) fn observe(&mut self, now: LapNow) -> bool {
        let Some(number) = now.lap else { return false };
        self.has_changed = false;
        let is_back = self.laps.last().is_some_and(|newest| newest.number > number);
        if is_back || (self.before.has_finished && !now.has_finished) {
            // The session was restarted.
            *self = Self::default();
        }
        let before = self.before;
        if self.laps.is_empty() {
            self.begin(number);
        } else {
            self.advance(before, now, number);
        }
        self.before = now;
        self.take_times(now);
        // From the grid to the line, every lap is reported as invalid.
        let on_grid = number == 1 && now.sector == Some(SECTORS - 1) && !self.has_moved;
        if let Some(newest) = self.laps.last_mut().filter(|lap| lap.number == number && !before.has_finished) {
            let valid = now.valid.filter(|_| !on_grid);
            self.has_changed |= newest.valid != valid;
            newest.valid = valid;
        }
        self.has_changed
    }

    /// Replaces the laps of a standing with these.
    pub(crate) fn copy_to(&self, car: &mut CarStanding) {
        self.laps.clone_into(&mut car.laps);
        car.last_sectors_ms = self.last_sectors_ms();
    }

    /// Returns the sectors of the last lap that ended.
    fn last_sectors_ms(&self) -> Vec<Option<u32>> {
        let current = self.before.lap.filter(|_| !self.before.has_finished);
        let last = self.laps.iter().rfind(|lap| Some(lap.number) != current);
        last.map(|lap| lap.sectors_ms.clone()).unwrap_or_default()
    }

    fn begin(&mut self, number: u32) {
        if self.laps.len() >= MOST_LAPS {
            self.laps.remove(0);
        }
        self.has_changed = true;
        self.laps.push(CarLap { number, sectors_ms: vec![None; SECTORS.into()], ..CarLap::default() });
    }

    /// Notes what has ended since the observation before.
    fn advance(&mut self, before: LapNow, now: LapNow, number: u32) {
        let Some(driven) = before.lap.filter(|_| !before.has_finished) else { return };
        let (from, to) = (before.sector, now.sector);
        let is_next_sector = Option::zip(from, to).is_some_and(|(from, to)| from < SECTORS && from + 1 == to);
        if driven != number || now.has_finished {
            let is_next = now.has_finished || number == driven + 1;
            let is_whole = is_next && from == Some(SECTORS - 1);
            (self.due_lap, self.due_sector) = (is_next.then_some(driven), is_whole.then_some((driven, SECTORS - 1)));
            if driven != number && !now.has_finished {
                self.begin(number);
            }
            self.has_moved = true;
        } else if is_next_sector {
            self.due_sector = from.map(|sector| (driven, sector));
            self.has_moved = true;
        } else if from != to {
            // From the grid to the first sector, or back on the track: the time is of no sector that was observed.
            self.due_sector = None;
            self.has_moved = true;
        }
    }

    fn take_times(&mut self, now: LapNow) {
        // A time that nothing waits for is of a lap or sector that was not observed.
        if let Some(time_ms) = self.lap_times.take(now.last)
            && let Some(number) = self.due_lap.take()
        {
            self.has_changed = true;
            if let Some(lap) = self.lap_mut(number) {
                lap.time_ms = Some(time_ms);
            }
        }
        if let Some(time_ms) = self.sector_times.take(now.last_sector)
            && let Some((number, sector)) = self.due_sector.take()
        {
            self.has_changed = true;
            if let Some(place) = self.lap_mut(number).and_then(|lap| lap.sectors_ms.get_mut(usize::from(sector))) {
                *place = Some(time_ms);
            }
        }
    }

    fn lap_mut(&mut self, number: u32) -> Option<&mut CarLap> {
        self.laps.iter_mut().rfind(|lap| lap.number == number)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn time(ms: u32) -> Option<ReportedTime> {
        Some(ReportedTime { ms, exact: ms })
    }

    fn now(lap: u32, sector: u8, last: u32, last_sector: u32) -> LapNow {
        LapNow {
            lap: Some(lap),
            sector: Some(sector),
            valid: Some(true),
            last: time(last),
            last_sector: time(last_sector),
            has_finished: false,
        }
    }

    fn times(history: &LapHistory) -> Vec<(u32, Option<u32>, Vec<Option<u32>>)> {
        history.laps.iter().map(|lap| (lap.number, lap.time_ms, lap.sectors_ms.clone())).collect()
    }

    #[test]
    fn times_with_the_change_and_after_it_belong_to_what_ended() {
        let mut history = LapHistory::default();
        for step in [
            // Times of a lap that was not observed.
            LapNow { last: None, last_sector: None, ..now(4, 0, 0, 0) },
            now(4, 0, 90_000, 31_000),
            // With the change, and a tick after it.
            now(4, 1, 90_000, 20_000),
            now(4, 2, 90_000, 20_000),
            now(4, 2, 90_000, 40_000),
            now(5, 0, 90_000, 40_000),
            now(5, 0, 91_000, 31_500),
            now(5, 1, 91_000, 21_000),
        ] {
            history.observe(step);
        }
        let expected = [
            (4, Some(91_000), vec![Some(20_000), Some(40_000), Some(31_500)]),
            (5, None, vec![Some(21_000), None, None]),
        ];
        assert_eq!(times(&history), expected);
        assert_eq!(history.last_sectors_ms(), [Some(20_000), Some(40_000), Some(31_500)]);
    }

    #[test]
    fn what_was_not_observed_is_unknown() {
        let mut history = LapHistory::default();
        // Joined in the second sector; then lap 5 was not observed at all.
        for step in [now(4, 1, 90_000, 31_000), now(4, 2, 90_000, 40_000), now(6, 0, 92_000, 30_000)] {
            history.observe(step);
        }
        assert_eq!(times(&history), [(4, None, vec![None, Some(40_000), None]), (6, None, vec![None; 3])]);
        // The same time twice.
        for step in [now(6, 1, 92_000, 20_000), now(6, 2, 92_000, 20_000), now(7, 0, 93_000, 33_000)] {
            history.observe(step);
        }
        assert_eq!(times(&history)[1], (6, Some(93_000), vec![Some(20_000), None, Some(33_000)]));
    }

    #[test]
    fn the_way_from_the_grid_is_not_a_sector_and_says_nothing_about_validity() {
        let mut history = LapHistory::default();
        let invalid = |now| LapNow { valid: Some(false), ..now };
        history.observe(invalid(now(1, 2, 0, 0)));
        assert_eq!(history.laps[0].valid, None);
        history.observe(now(1, 0, 0, 5_000));
        history.observe(now(1, 1, 0, 25_000));
        assert_eq!(times(&history), [(1, None, vec![Some(25_000), None, None])]);
        history.observe(invalid(now(1, 2, 0, 40_000)));
        history.observe(now(2, 0, 95_000, 30_000));
        let valid: Vec<_> = history.laps.iter().map(|lap| lap.valid).collect();
        assert_eq!(valid, [Some(false), Some(true)]);
    }

    #[test]
    fn the_last_lap_of_a_race_ends_with_it_and_a_restart_begins_again() {
        let mut history = LapHistory::default();
        history.observe(now(3, 2, 90_000, 40_000));
        history.observe(LapNow { has_finished: true, ..now(3, 2, 91_000, 31_000) });
        // Whether the count still rises is not known.
        history.observe(LapNow { has_finished: true, ..now(4, 0, 91_000, 31_000) });
        assert_eq!(times(&history), [(3, Some(91_000), vec![None, None, Some(31_000)])]);
        assert_eq!(history.last_sectors_ms(), [None, None, Some(31_000)]);
        history.observe(now(3, 0, 91_000, 31_000));
        assert_eq!(times(&history), [(3, None, vec![None; 3])], "another race of as many laps");
        history.observe(now(1, 2, 91_000, 31_000));
        assert_eq!(times(&history), [(1, None, vec![None; 3])]);
    }

    #[test]
    fn the_number_of_laps_is_bounded() {
        let mut history = LapHistory::default();
        for lap in 1..3_000 {
            history.observe(now(lap, 0, lap, lap));
        }
        assert_eq!((history.laps.len(), history.laps[0].number), (MOST_LAPS, 2_000));
    }
}
