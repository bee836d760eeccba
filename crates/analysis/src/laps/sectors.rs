//! The sectors of one lap, from the times that the game reports at their ends. If a game reports only where sectors begin, their times are
//! interpolated from when the car passed.
//!
//! Takes the frames of the lap and returns the time of each sector. Together they add up to the lap time; otherwise the lap has a reason
//! that says what is missing.

use gametape_games::{LapFrame, SectorValue};

use super::model::Sector;
use super::thresholds::{SECTOR_NEAR_MS, SECTOR_WAIT_MS};
use super::words::SectorSource;

/// What was observed of a lap's sectors.
#[derive(Debug, Clone, Default)]
pub(super) struct Sectors {
    count: usize,
    /// Where the sectors begin, if the game does not time them.
    starts: Vec<f32>,
    /// The lap began within this sector: its time and those of earlier sectors are unknown.
    began_in: Option<usize>,
    /// The sector the car is in.
    index: Option<usize>,
    /// When each sector but the last ended, since the line.
    ends: Vec<Option<f64>>,
    /// The time of each sector alone, as the game reported it.
    own: Vec<Option<u32>>,
    waiting: Option<Waiting>,
    /// The game's sector time in the previous frame.
    value: SectorValue,
}

/// A sector has ended, and its time is awaited.
#[derive(Debug, Clone, Copy)]
struct Waiting {
    ended: usize,
    from_ms: u32,
    to_ms: u32,
    until_ms: u32,
    /// The game's sector time before the sector ended.
    old: SectorValue,
}

/// The result for a lap.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Finished {
    pub(super) sectors: Vec<Sector>,
    pub(super) missing: bool,
    pub(super) mismatch: bool,
}

impl Sectors {
    /// Creates the state for a track with `count` sectors; fewer than two are none. `starts` holds where they begin, if the game does not
    /// time them.
    pub(super) fn new(count: Option<u8>, starts: &[f32]) -> Self {
        let count = if starts.is_empty() { usize::from(count.unwrap_or(0)) } else { starts.len() };
        let count = if count < 2 { 0 } else { count };
        let inner = count.saturating_sub(1);
        Self {
            count,
            starts: if count == 0 { Vec::new() } else { starts.to_vec() },
            began_in: None,
            index: None,
            ends: vec![None; inner],
            own: vec![None; inner],
            waiting: None,
            value: SectorValue::None,
        }
    }

    /// Records that the lap began at this track position and not at the line, for games that report where sectors begin.
    pub(super) fn begin_at(&mut self, place: f32) {
        self.began_in = self.starts.iter().rposition(|start| *start <= place);
    }

    /// Returns the sector that the car is in, from 0.
    pub(super) fn index(&self) -> Option<u8> {
        self.index.and_then(|index| u8::try_from(index).ok())
    }

    /// Adds a frame of a game that times sectors. `before_ms` and `now_ms` are the lap timer in the previous frame and in this one. Returns
    /// the index, from 0, and the time of a sector that has ended.
    pub(super) fn timed(&mut self, frame: &LapFrame, before_ms: u32, now_ms: u32) -> Option<(usize, Sector)> {
        let now = usize::from(frame.sector?);
        if self.count == 0 || now >= self.count || !self.starts.is_empty() {
            return None;
        }
        match self.index {
            Some(index) if now > index => {
                self.waiting = Some(Waiting {
                    ended: now - 1,
                    from_ms: before_ms,
                    to_ms: now_ms,
                    old: self.value,
                    until_ms: now_ms.saturating_add(SECTOR_WAIT_MS),
                });
                self.index = Some(now);
            }
            // From the grid across the line: the first sector of the lap begins.
            Some(index) if now == 0 && index + 1 == self.count && self.ends.iter().all(Option::is_none) => {
                self.index = Some(0);
            }
            Some(_) => {}
            None => self.index = Some(now),
        }
        self.value = frame.sector_value;
        self.take_value(frame.sector_value, now_ms)
    }

    fn take_value(&mut self, value: SectorValue, now_ms: u32) -> Option<(usize, Sector)> {
        let waiting = self.waiting?;
        let over = now_ms > waiting.until_ms;
        if over {
            self.waiting = None;
        }
        // An unchanged sector time may still be that of another sector. If it stays until the timeout, it was the same twice.
        let same = matches!(value, SectorValue::Own(_)) && value == waiting.old;
        if over != same {
            return None;
        }
        let now_ms = if same { waiting.to_ms } else { now_ms };
        let ended = waiting.ended;
        let before = if ended == 0 { Some(0.0) } else { self.ends.get(ended - 1).copied().flatten() };
        let (end_ms, own_ms) = match value {
            SectorValue::None => return None,
            SectorValue::Cumulative(ms) => (Some(f64::from(ms)), None),
            SectorValue::Own(ms) => (before.map(|before| before + f64::from(ms)), Some(ms)),
        };
        // Until the game has written the new time, the field holds that of another sector.
        let from = f64::from(waiting.from_ms.saturating_sub(SECTOR_NEAR_MS));
        let to = f64::from(now_ms.saturating_add(SECTOR_NEAR_MS));
        let fits = match (end_ms, own_ms) {
            (Some(end), _) => (from..=to).contains(&end),
            (None, Some(own)) => f64::from(own) <= to,
            (None, None) => false,
        };
        if !fits {
            return None;
        }
        self.waiting = None;
        if let (Some(end), Some(own)) = (self.ends.get_mut(ended), self.own.get_mut(ended)) {
            (*end, *own) = (end_ms, own_ms);
        }
        Some((ended, self.sector(ended)))
    }

    /// Adds a step along the lap, for a game that reports where sectors begin: track positions and times since the line in the previous
    /// frame and in this one. `known`: the car drove from one to the other. Returns a sector that has ended.
    pub(super) fn passed(&mut self, from: (f32, f64), to: (f32, f64), known: bool) -> Option<(usize, Sector)> {
        if self.starts.is_empty() {
            return None;
        }
        let mut ended = None;
        for (index, start) in self.starts.iter().enumerate().skip(1) {
            if !(from.0 < *start && *start <= to.0) {
                continue;
            }
            let share = f64::from((start - from.0) / (to.0 - from.0));
            if let Some(end) = self.ends.get_mut(index - 1)
                && end.is_none()
            {
                *end = known.then_some(from.1 + (to.1 - from.1) * share);
                ended = known.then_some(index - 1);
            }
        }
        self.index = Some(self.starts.iter().filter(|start| **start <= to.0).count().saturating_sub(1));
        ended.map(|ended| (ended, self.sector(ended)))
    }

    fn sector(&self, index: usize) -> Sector {
        if self.began_in.is_some_and(|began| index <= began) {
            return Sector { time_ms: None, source: SectorSource::None };
        }
        let end = |index: usize| self.ends.get(index).copied().flatten();
        let before = if index == 0 { Some(0.0) } else { end(index - 1) };
        let difference = Option::zip(before, end(index)).and_then(|(before, end)| millis(end.round() - before.round()));
        let source = match (index, self.starts.is_empty()) {
            (_, false) => SectorSource::Interpolated,
            (0, true) => SectorSource::Official,
            (_, true) => SectorSource::Differenced,
        };
        match (self.own.get(index).copied().flatten(), difference) {
            (Some(ms), _) => Sector { time_ms: Some(ms), source: SectorSource::Official },
            (None, Some(ms)) => Sector { time_ms: Some(ms), source },
            (None, None) => Sector { time_ms: None, source: SectorSource::None },
        }
    }

    /// Returns all sectors of a lap with this time. The last sector is the remainder. Interpolated times are scaled to the lap time:
    /// `measured_ms` is the duration of the lap by the same clock.
    pub(super) fn finish(&self, lap_ms: Option<u32>, measured_ms: Option<f64>) -> Finished {
        let mut stretched = self.clone();
        // If the lap did not begin at the line, its duration says nothing about the official time.
        let lap_ms = if self.began_in.is_some() { measured_ms.map(|ms| ms.round() as u32) } else { lap_ms };
        if let (false, Some(lap), Some(measured)) = (self.starts.is_empty(), lap_ms, measured_ms)
            && measured > 0.0
            && self.began_in.is_none()
        {
            let factor = f64::from(lap) / measured;
            stretched.ends.iter_mut().flatten().for_each(|end| *end *= factor);
        }
        let mut sectors: Vec<Sector> = (0..self.count.saturating_sub(1)).map(|index| stretched.sector(index)).collect();
        let mut mismatch = false;
        if self.count > 0 {
            let whole = self.began_in.is_none_or(|began| began + 1 < self.count);
            let last_end = stretched.ends.last().copied().flatten().filter(|_| whole);
            let left = Option::zip(lap_ms, last_end).map(|(lap, end)| millis(f64::from(lap) - end.round()));
            mismatch = left == Some(None);
            let time_ms = left.flatten();
            let source = match (time_ms, self.starts.is_empty()) {
                (None, _) => SectorSource::None,
                (Some(_), true) => SectorSource::Differenced,
                (Some(_), false) => SectorSource::Interpolated,
            };
            sectors.push(Sector { time_ms, source });
        }
        let missing = sectors.iter().any(|sector| sector.time_ms.is_none());
        Finished { sectors, missing, mismatch }
    }
}

/// Converts a plausible duration to whole milliseconds.
fn millis(ms: f64) -> Option<u32> {
    (1.0..f64::from(u32::MAX)).contains(&ms).then_some(ms as u32)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn frame(sector: u8, value: SectorValue) -> LapFrame {
        LapFrame { sector: Some(sector), sector_value: value, ..LapFrame::default() }
    }

    #[test]
    fn a_value_that_is_still_that_of_another_sector_is_not_taken() {
        let mut sectors = Sectors::new(Some(3), &[]);
        assert_eq!(sectors.timed(&frame(0, SectorValue::Cumulative(65_200)), 0, 10), None);
        assert_eq!(sectors.timed(&frame(1, SectorValue::Cumulative(65_200)), 30_490, 30_510), None);
        let ended = sectors.timed(&frame(1, SectorValue::Cumulative(30_500)), 30_510, 30_530);
        assert_eq!(ended, Some((0, Sector { time_ms: Some(30_500), source: SectorSource::Official })));
    }

    #[test]
    fn a_sector_alone_is_taken_when_it_is_another_one_or_was_waited_for() {
        let mut sectors = Sectors::new(Some(3), &[]);
        sectors.timed(&frame(0, SectorValue::Own(30_400)), 0, 10);
        // The time of the previous lap is still there, and would fit.
        assert_eq!(sectors.timed(&frame(1, SectorValue::Own(30_400)), 30_490, 30_510), None);
        let ended = sectors.timed(&frame(1, SectorValue::Own(30_500)), 30_510, 30_530);
        assert_eq!(ended, Some((0, Sector { time_ms: Some(30_500), source: SectorSource::Official })));
        // The same time twice.
        assert_eq!(sectors.timed(&frame(2, SectorValue::Own(30_500)), 60_990, 61_010), None);
        assert_eq!(sectors.timed(&frame(2, SectorValue::Own(30_500)), 61_500, 61_510), None);
        let ended = sectors.timed(&frame(2, SectorValue::Own(30_500)), 62_000, 62_020);
        assert_eq!(ended.map(|(index, sector)| (index, sector.time_ms)), Some((1, Some(30_500))));
    }

    #[test]
    fn places_are_passed_between_two_frames_and_stretched_to_the_lap() {
        let mut sectors = Sectors::new(None, &[0.0, 0.25, 0.5]);
        assert_eq!(sectors.passed((0.0, 0.0), (0.2, 20_000.0), true), None);
        assert!(sectors.passed((0.2, 20_000.0), (0.3, 30_000.0), true).is_some());
        sectors.passed((0.3, 30_000.0), (0.6, 60_000.0), true);
        let finished = sectors.finish(Some(100_500), Some(100_000.0));
        let times: Vec<_> = finished.sectors.iter().map(|sector| sector.time_ms.unwrap()).collect();
        assert_eq!((times.iter().sum::<u32>(), times.len(), finished.missing), (100_500, 3, false));
        assert_eq!(times[0], 25_125);
    }
}
