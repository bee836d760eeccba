//! Reads sources at their pace until somebody wants the end: one thread each.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::Sender;
use std::time::Duration;

use gametape_format::Counters;

use super::clock::Clock;
use super::driver::Driver;
use super::judge::Judge;
use super::observer::Observer;
use super::options::{EndReason, RecordOptions, Told};
use super::progress::Progress;
use super::source::{Pace, Source, State};
use super::tapes::Tapes;
use crate::sys::wake_exactly;

/// How often a game that is not there is looked for.
const LOOK_FOR_GAME_NS: u64 = 200_000_000;
/// One that was there a moment ago is looked for more often: it may come back with the next tick.
const LOOK_AGAIN_NS: u64 = 50_000_000;
/// The wish to stop is seen this soon.
const NAP_NS: u64 = 200_000_000;

/// The wish to stop, shared between threads.
#[derive(Debug, Clone, Default)]
pub struct StopFlag(Arc<AtomicBool>);

impl StopFlag {
    /// Wants the end.
    pub fn stop(&self) {
        self.0.store(true, Ordering::Relaxed);
    }

    /// Whether the end is wanted.
    pub fn wanted(&self) -> bool {
        self.0.load(Ordering::Relaxed)
    }
}

/// Everything around a source that a recording needs.
pub struct Recorder {
    /// How to record.
    pub options: Arc<RecordOptions>,
    /// The clock of all sources.
    pub clock: Arc<dyn Clock>,
    /// What others see.
    pub progress: Arc<Progress>,
    /// What is told while it runs.
    pub told: Sender<Told>,
    /// Who else sees the frames.
    pub observers: Vec<Box<dyn Observer>>,
    /// The wish to stop.
    pub stop: StopFlag,
    /// End with the game instead of waiting for it again. A new session of a game that goes on is no end.
    pub once: bool,
}

impl Recorder {
    /// Reads the source until the end is wanted, or until there is no more. Gives whether it could go on to the end.
    pub fn run(self, source: &mut dyn Source) -> bool {
        let Self { options, clock, progress, told, observers, stop, once } = self;
        wake_exactly();
        let judge = Judge::new(options.split, options.piece);
        let tapes = Tapes::new(options, Arc::clone(&clock), Arc::clone(&progress), told.clone(), observers);
        let mut driver = Driver::new(judge, tapes, Arc::clone(&clock), progress);
        let mut schedule = Schedule::new(clock.now_ns());
        let mut whereabouts = Whereabouts::Away;
        let reason = loop {
            if stop.wanted() {
                break EndReason::Stopped;
            }
            let pace = source.pace();
            let moment_ns = schedule.next_moment(pace, whereabouts, clock.now_ns());
            if !sleep(&*clock, moment_ns, &stop) {
                continue;
            }
            let counted = schedule.arrived(pace, whereabouts, clock.now_ns());
            let state = match driver.look(source, &counted) {
                Ok(state) => state,
                Err(error) => {
                    let _ = told.send(Told::Failed(error.to_string()));
                    break EndReason::SourceFailed;
                }
            };
            let tapes = driver.tapes();
            whereabouts = match state {
                State::Here(_) | State::Ended => Whereabouts::Here,
                State::Away(_) if tapes.is_waiting() => Whereabouts::Away,
                State::Away(_) => Whereabouts::JustLeft,
            };
            if tapes.failed() {
                break EndReason::DiskFailed;
            }
            if tapes.long_enough() {
                break EndReason::MaxDuration;
            }
            if state == State::Ended || (once && tapes.game_ended()) {
                break EndReason::SourceEnded;
            }
        };
        driver.end(reason, source);
        driver.tapes().all_is_well() && reason != EndReason::SourceFailed
    }
}

/// Waits in naps. `false` if the end is wanted before the moment.
fn sleep(clock: &dyn Clock, moment_ns: u64, stop: &StopFlag) -> bool {
    loop {
        let now_ns = clock.now_ns();
        if now_ns >= moment_ns {
            return true;
        }
        clock.sleep_until_ns(moment_ns.min(now_ns + NAP_NS));
        if stop.wanted() {
            return false;
        }
    }
}

/// Where the game is, as the last read found it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Whereabouts {
    Here,
    /// Not there, but its tape is still open.
    JustLeft,
    Away,
}

/// Fixed moments that do not drift: each is the one before plus the period, however late we were.
#[derive(Debug)]
struct Schedule {
    next_ns: u64,
    sampling: bool,
    /// Nothing was read yet: the first look is now.
    first: bool,
}

impl Schedule {
    fn new(now_ns: u64) -> Self {
        Self { next_ns: now_ns, sampling: false, first: true }
    }

    fn next_moment(&mut self, pace: Pace, whereabouts: Whereabouts, now_ns: u64) -> u64 {
        let nanos = |duration: Duration| u64::try_from(duration.as_nanos()).unwrap_or(u64::MAX).max(1);
        let look_after_ns = match whereabouts {
            Whereabouts::Here => None,
            Whereabouts::JustLeft => Some(LOOK_AGAIN_NS),
            Whereabouts::Away => Some(LOOK_FOR_GAME_NS),
        };
        if std::mem::take(&mut self.first) {
            return now_ns;
        }
        if let Some(after_ns) = look_after_ns {
            self.sampling = false;
            self.next_ns = now_ns + after_ns;
            return self.next_ns;
        }
        match pace {
            Pace::Source => now_ns,
            Pace::About(period) => now_ns + nanos(period),
            Pace::Every(period) => {
                self.next_ns = if self.sampling { self.next_ns + nanos(period) } else { now_ns + nanos(period) };
                self.sampling = true;
                self.next_ns
            }
        }
    }

    /// What being late has cost: moments that are over are missed, a moment met late is late.
    fn arrived(&mut self, pace: Pace, whereabouts: Whereabouts, now_ns: u64) -> Counters {
        let (Pace::Every(period), Whereabouts::Here) = (pace, whereabouts) else { return Counters::default() };
        let period_ns = u64::try_from(period.as_nanos()).unwrap_or(u64::MAX).max(1);
        let lateness_ns = now_ns.saturating_sub(self.next_ns);
        let missed = lateness_ns / period_ns;
        self.next_ns += missed * period_ns;
        Counters { missed, late: u64::from(lateness_ns > period_ns / 4), ..Counters::default() }
    }
}

#[cfg(test)]
mod tests {
    use super::Whereabouts::{Away, Here, JustLeft};
    use super::*;

    const MS: u64 = 1_000_000;

    #[test]
    fn moments_do_not_drift_and_lost_ones_are_counted() {
        let pace = Pace::Every(Duration::from_millis(10));
        let mut schedule = Schedule::new(0);
        assert_eq!(schedule.next_moment(pace, Away, 0), 0, "the first look is at once");
        let mut now = schedule.next_moment(pace, Here, 0);
        assert_eq!(now, 10 * MS);
        // Always 2 ms late: the moments stay where they are.
        for tick in 1..100 {
            now += 2 * MS;
            let counted = schedule.arrived(pace, Here, now);
            assert_eq!((counted.missed, counted.late), (0, 0), "{tick}");
            now = schedule.next_moment(pace, Here, now);
            assert_eq!(now, (tick + 1) * 10 * MS);
        }
        // 35 ms late: three moments are gone, and the next one is where it always was.
        let counted = schedule.arrived(pace, Here, now + 35 * MS);
        assert_eq!((counted.missed, counted.late), (3, 1));
        assert_eq!(schedule.next_moment(pace, Here, now + 35 * MS), now + 40 * MS);
    }

    #[test]
    fn a_game_that_is_away_is_looked_for_and_then_sampled_from_that_moment_on() {
        let pace = Pace::Every(Duration::from_millis(1));
        let mut schedule = Schedule::new(0);
        schedule.next_moment(pace, Away, 0);
        assert_eq!(schedule.next_moment(pace, Away, 7), 7 + LOOK_FOR_GAME_NS);
        assert_eq!(schedule.next_moment(pace, JustLeft, 7), 7 + LOOK_AGAIN_NS);
        assert_eq!(schedule.next_moment(Pace::Source, Away, 7), 7 + LOOK_FOR_GAME_NS, "no spinning");
        assert_eq!(schedule.arrived(pace, Away, u64::MAX), Counters::default());
        assert_eq!(schedule.next_moment(pace, Here, 1000 * MS), 1001 * MS);
    }
}
