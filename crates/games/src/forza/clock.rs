//! The race clock, made to run forwards: `CurrentRaceTime` goes back in a rewind and stands still after the finish.

/// A race time that falls below this is that of a new race.
const ANEW_MS: f64 = 1_000.0;
/// Longest time for which a clock that stands still is advanced by the console's clock: in between, frames may have been lost.
const LONGEST_STEP_MS: u32 = 1_000;

/// What happened to the clock in a frame.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) enum Step {
    /// It ran, or began.
    Ran,
    /// It stands still, for this many milliseconds so far.
    Stands(u32),
    /// It went back by this many milliseconds: the driver rewound.
    Rewound(f64),
    /// It restarted.
    Restarted,
}

/// The clock of a race.
#[derive(Debug, Default)]
pub(super) struct RaceClock {
    /// `CurrentRaceTime` and `TimestampMS` of the previous frame.
    before: Option<(f64, u32)>,
    /// What rewinds and standstills add to the race time.
    added_ms: f64,
    stood_ms: u32,
}

impl RaceClock {
    /// Adds a frame in which the car is driven.
    pub(super) fn step(&mut self, race_s: f32, timestamp_ms: u32) -> Step {
        let race_ms = f64::from(race_s) * 1000.0;
        let (old_ms, old_timestamp_ms) =
            self.before.replace((race_ms, timestamp_ms)).unwrap_or((race_ms, timestamp_ms));
        if race_ms == old_ms {
            let step_ms = timestamp_ms.wrapping_sub(old_timestamp_ms).min(LONGEST_STEP_MS);
            self.added_ms += f64::from(step_ms);
            self.stood_ms = self.stood_ms.saturating_add(step_ms);
            return Step::Stands(self.stood_ms);
        }
        self.stood_ms = 0;
        if race_ms > old_ms {
            return Step::Ran;
        }
        if race_ms < ANEW_MS && old_ms > race_ms + ANEW_MS {
            self.added_ms = 0.0;
            return Step::Restarted;
        }
        self.added_ms += old_ms - race_ms;
        Step::Rewound(old_ms - race_ms)
    }

    /// Adds a frame of a pause, in which only the console's clock runs.
    pub(super) fn pause(&mut self, timestamp_ms: u32) {
        if let Some((_, old_timestamp_ms)) = &mut self.before {
            *old_timestamp_ms = timestamp_ms;
        }
    }

    /// Returns the time of the race. It only goes back when a new race begins.
    pub(super) fn ms(&self) -> Option<f64> {
        self.before.map(|(race_ms, _)| race_ms + self.added_ms)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_clock_runs_on_through_rewinds_and_after_the_finish_and_falls_with_a_new_race() {
        let mut clock = RaceClock::default();
        let mut at = |race_s, timestamp_ms| (clock.step(race_s, timestamp_ms), clock.ms().unwrap());
        assert_eq!(at(60.0, u32::MAX - 15), (Step::Stands(0), 60_000.0));
        assert_eq!(at(60.5, 484), (Step::Ran, 60_500.0));
        assert_eq!(at(56.5, 500), (Step::Rewound(4_000.0), 60_500.0));
        assert_eq!(at(57.0, 1_000), (Step::Ran, 61_000.0));
        assert_eq!(at(57.0, 1_900), (Step::Stands(900), 61_900.0));
        assert_eq!(at(57.0, 2_600), (Step::Stands(1_600), 62_600.0));
        assert_eq!(at(0.25, 9_000), (Step::Restarted, 250.0));
    }

    #[test]
    fn a_pause_is_not_time_in_which_the_clock_stands() {
        let mut clock = RaceClock::default();
        clock.step(18.0, 1_000);
        clock.pause(300_000);
        assert_eq!((clock.step(18.0, 300_016), clock.ms()), (Step::Stands(16), Some(18_016.0)));
    }
}
