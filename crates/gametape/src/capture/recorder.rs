//! Reads sources at their pace until a stop is requested. Each source has its own thread.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::Sender;
use std::time::Duration;

use gametape_format::Counters;

use super::driver::Driver;
use super::judge::Judge;
use super::observer::Observer;
use super::options::{EndReason, RecordOptions, RecorderEvent};
use super::progress::Progress;
use super::tapes::Tapes;
use crate::sys::wake_exactly;
use crate::transport::Clock;
use crate::transport::{Pace, Source, State};

/// How often to look for a game that is absent.
const LOOK_FOR_GAME_NS: u64 = 200_000_000;
/// A game that was present a moment ago is checked more often: it may come back with the next tick.
const LOOK_AGAIN_NS: u64 = 50_000_000;
/// Maximum delay until a stop request is noticed.
const NAP_NS: u64 = 200_000_000;

/// A stop request, shared between threads.
#[derive(Debug, Clone, Default)]
pub struct StopFlag(Arc<AtomicBool>);

impl StopFlag {
    /// Requests the stop.
    pub fn stop(&self) {
        self.0.store(true, Ordering::Relaxed);
    }

    /// Returns whether a stop was requested.
    pub fn wanted(&self) -> bool {
        self.0.load(Ordering::Relaxed)
    }
}

/// Everything that a recording needs besides its source.
pub struct Recorder {
    /// How to record.
    pub options: Arc<RecordOptions>,
    /// The clock of all sources.
    pub clock: Arc<dyn Clock>,
    /// The state that other threads can observe.
    pub progress: Arc<Progress>,
    /// Receives notifications while the recording runs.
    pub told: Sender<RecorderEvent>,
    /// Observers, which receive the frames.
    pub observers: Vec<Box<dyn Observer>>,
    /// The stop request.
    pub stop: StopFlag,
    /// End with the game instead of waiting for it to come back. A new session of a running game does not end the recording.
    pub once: bool,
}

impl Recorder {
    /// Reads the source until a stop is requested or the source ends. Returns whether the recording ended without a failure.
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
                    let _ = told.send(RecorderEvent::Failed(error.to_string()));
                    break EndReason::SourceFailed;
                }
            };
            while let Some(notice) = source.take_notice() {
                let _ = told.send(RecorderEvent::Warned(notice));
            }
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

/// Waits until `moment_ns`, in steps. Returns `false` if a stop is requested before that.
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

/// Whether the game is present, according to the last read.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Whereabouts {
    Here,
    /// Absent, but its tape is still open.
    JustLeft,
    Away,
}

/// Periodic deadlines without drift: each deadline is the previous one plus the period, no matter how late the thread woke up.
#[derive(Debug)]
struct Schedule {
    next_ns: u64,
    sampling: bool,
    /// Nothing was read yet: the first read is due immediately.
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

    /// Counts the cost of waking up late: deadlines that passed are missed, a deadline that was met late is late.
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
        // Always 2 ms late: the deadlines do not drift.
        for tick in 1..100 {
            now += 2 * MS;
            let counted = schedule.arrived(pace, Here, now);
            assert_eq!((counted.missed, counted.late), (0, 0), "{tick}");
            now = schedule.next_moment(pace, Here, now);
            assert_eq!(now, (tick + 1) * 10 * MS);
        }
        // 35 ms late: three deadlines are missed, and the next one stays on the grid.
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
