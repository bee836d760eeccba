//! When the recorder reads, beside when it wanted to: a clock and a source that look over its shoulder.
//!
//! ```text
//! Recorder ── "sleep until m" ──▶ WatchedClock notes m ──▶ RealClock
//!     └────── "read" ───────────▶ WatchedSource: how long after its moment is it now? ──▶ the source
//! ```
//! The first noted moment fixes the grid, `m + k * period`; every read belongs to the last place of the grid before it.

use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use gametape::capture::{Batch, Clock, Pace, RealClock, Source, SourceError, State};
use gametape::games::About;
use serde::{Deserialize, Serialize};

/// The machine's clock; notes until when it was asked to sleep.
pub(super) struct WatchedClock {
    clock: Arc<RealClock>,
    moment_ns: AtomicU64,
}

impl WatchedClock {
    pub(super) fn new(clock: Arc<RealClock>) -> Self {
        Self { clock, moment_ns: AtomicU64::new(0) }
    }
}

impl Clock for WatchedClock {
    fn now_ns(&self) -> u64 {
        self.clock.now_ns()
    }

    fn utc_ns(&self) -> i64 {
        self.clock.utc_ns()
    }

    fn sleep_until_ns(&self, moment_ns: u64) {
        self.moment_ns.store(moment_ns, Ordering::Relaxed);
        self.clock.sleep_until_ns(moment_ns);
    }
}

/// What was seen.
#[derive(Debug, Default)]
pub(super) struct Moments {
    /// Reads that found the game; the first of them is before the grid.
    pub(super) reads: u64,
    /// Reads on the grid.
    pub(super) ticks: u64,
    /// Places of the grid without a read.
    pub(super) missed: u64,
    /// Frames that the reads gave.
    pub(super) frames: u64,
    /// Frames that were forgotten on purpose: of pages that nobody had been seen to write yet.
    pub(super) forgotten: u64,
    late_ns: Vec<u32>,
}

/// How late reads were, in microseconds.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub(crate) struct Jitter {
    pub(crate) p50_us: f64,
    pub(crate) p99_us: f64,
    pub(crate) max_us: f64,
}

impl Moments {
    /// Room for that many reads is made at once: nothing is allocated while it runs.
    pub(super) fn with_room(reads: usize) -> Self {
        Self { late_ns: Vec::with_capacity(reads), ..Self::default() }
    }

    /// Notes a read that was so late; gives how many places of the grid are gone by that.
    pub(super) fn note(&mut self, late_ns: u64, period_ns: u64) -> u64 {
        let missed = late_ns / period_ns;
        self.missed += missed;
        self.ticks += 1;
        if self.late_ns.len() < self.late_ns.capacity() {
            self.late_ns.push(u32::try_from(late_ns).unwrap_or(u32::MAX));
        }
        missed
    }

    /// Half, 99 of 100 and all of the reads were at most this late.
    pub(super) fn jitter(&mut self) -> Jitter {
        self.late_ns.sort_unstable();
        let at = |share: f64| {
            let place = (self.late_ns.len().saturating_sub(1) as f64 * share).ceil() as usize;
            self.late_ns.get(place).map_or(f64::NAN, |&ns| f64::from(ns) / 1e3)
        };
        Jitter { p50_us: at(0.5), p99_us: at(0.99), max_us: at(1.0) }
    }
}

/// A source that is read as ever, and notes when.
pub(super) struct WatchedSource<S> {
    source: S,
    clock: Arc<WatchedClock>,
    moments: Arc<Mutex<Moments>>,
    /// A place of the grid that is in use: that of the last read.
    place_ns: Option<u64>,
    was_here: bool,
    batch_frames: usize,
}

impl<S: Source> WatchedSource<S> {
    /// Watches about that many reads.
    pub(super) fn new(source: S, clock: Arc<WatchedClock>, reads: usize) -> (Self, Arc<Mutex<Moments>>) {
        let moments = Arc::new(Mutex::new(Moments::with_room(reads)));
        let shared = Arc::clone(&moments);
        (Self { source, clock, moments, place_ns: None, was_here: false, batch_frames: 0 }, shared)
    }

    /// Notes a read at this moment: how late it is, and how many places of the grid are gone.
    fn note(&mut self, now_ns: u64, period: Duration, moments: &mut Moments) {
        let period_ns = u64::try_from(period.as_nanos()).unwrap_or(u64::MAX).max(1);
        let due_ns = match self.place_ns {
            Some(place_ns) => place_ns + period_ns,
            None => self.clock.moment_ns.load(Ordering::Relaxed),
        };
        let missed = moments.note(now_ns.saturating_sub(due_ns), period_ns);
        self.place_ns = Some(due_ns + missed * period_ns);
    }
}

impl<S: Source> Source for WatchedSource<S> {
    fn pace(&self) -> Pace {
        self.source.pace()
    }

    fn read(&mut self, _clock: &dyn Clock, batch: &mut Batch) -> Result<State, SourceError> {
        let moments = Arc::clone(&self.moments);
        let mut moments = moments.lock().unwrap_or_else(PoisonError::into_inner);
        let now_ns = self.clock.now_ns();
        match self.source.pace() {
            // The read that finds the game is on no grid yet.
            Pace::Every(period) if self.was_here => self.note(now_ns, period, &mut moments),
            _ => self.place_ns = None,
        }
        let before = batch.len();
        // The recorder takes all frames, keeps them waiting or, before the game moves, keeps only the newest.
        if before > 0 && before < self.batch_frames {
            moments.forgotten += (self.batch_frames - before) as u64;
        }
        // Waits between two copies are no moments of the grid, so they go past the watched clock.
        let state = self.source.read(&*self.clock.clock, batch);
        self.was_here = matches!(state, Ok(State::Here(_)));
        self.batch_frames = batch.len();
        moments.reads += u64::from(self.was_here);
        moments.frames += batch.len().saturating_sub(before) as u64;
        state
    }

    fn session_key(&self) -> Option<u64> {
        self.source.session_key()
    }

    fn about(&self) -> About {
        self.source.about()
    }

    fn replay_of(&self) -> Option<String> {
        self.source.replay_of()
    }

    fn zero_ns(&self) -> Option<u64> {
        self.source.zero_ns()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use gametape::capture::Description;
    use gametape::games::Presence;

    const PERIOD: Duration = Duration::from_millis(10);
    const MS: u64 = 1_000_000;

    struct Always;

    impl Source for Always {
        fn pace(&self) -> Pace {
            Pace::Every(PERIOD)
        }
        fn read(&mut self, _clock: &dyn Clock, batch: &mut Batch) -> Result<State, SourceError> {
            let mut description = Description::of_game("test");
            description.rows("a", "shm");
            batch.describe(description);
            batch.frame(0, 0, b"frame");
            Ok(State::Here(Presence::Live))
        }
    }

    fn watched() -> (WatchedSource<Always>, Arc<Mutex<Moments>>) {
        let clock = Arc::new(WatchedClock::new(Arc::new(RealClock::start())));
        WatchedSource::new(Always, clock, 100)
    }

    #[test]
    fn lateness_is_counted_from_the_grid_and_not_from_the_read_before() {
        let (mut source, shared) = watched();
        let mut moments = shared.lock().unwrap();
        source.clock.moment_ns.store(1_000 * MS, Ordering::Relaxed);
        // The last one comes 25 ms after its moment: two places are gone, and it belongs to the third.
        for now_ms in [1_001, 1_010, 1_023, 1_030, 1_065, 1_070] {
            source.note(now_ms * MS, PERIOD, &mut moments);
        }
        assert_eq!((moments.ticks, moments.missed), (6, 2));
        let jitter = moments.jitter();
        assert_eq!((jitter.p50_us, jitter.max_us), (1_000.0, 25_000.0));
    }

    #[test]
    fn frames_that_the_recorder_forgets_are_counted() {
        let (mut source, shared) = watched();
        let clock = RealClock::start();
        let mut batch = Batch::default();
        source.read(&clock, &mut batch).unwrap();
        source.read(&clock, &mut batch).unwrap();
        batch.keep_from(1);
        source.read(&clock, &mut batch).unwrap();
        batch.clear();
        source.read(&clock, &mut batch).unwrap();
        let moments = shared.lock().unwrap();
        assert_eq!((moments.reads, moments.ticks, moments.frames, moments.forgotten), (4, 3, 4, 1));
    }
}
