//! Measures when the recorder reads compared to when it wanted to, with an instrumented clock and source.
//!
//! ```text
//! Recorder ── "sleep until m" ──▶ WatchedClock notes m ──▶ RealClock
//!     └────── "read" ───────────▶ WatchedSource: how long after its tick is it now? ──▶ the source
//! ```
//! The first noted wake-up time fixes the grid, `m + k * period`; every read belongs to the last grid tick before it.

use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use gametape::capture::{Batch, Clock, Pace, RealClock, Source, SourceError, State};
use gametape::games::About;
use serde::{Deserialize, Serialize};

/// The machine's clock; notes each requested wake-up time.
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

/// Observed reads.
#[derive(Debug, Default)]
pub(super) struct Moments {
    /// Reads that found the game; the first of them precedes the grid.
    pub(super) reads: u64,
    /// Reads on the grid.
    pub(super) ticks: u64,
    /// Grid ticks without a read.
    pub(super) missed: u64,
    /// Frames that the reads returned.
    pub(super) frames: u64,
    /// Frames that were discarded on purpose: of pages that had not been observed to change yet.
    pub(super) forgotten: u64,
    late_ns: Vec<u32>,
}

/// Lateness of reads, in microseconds.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub(crate) struct Jitter {
    pub(crate) p50_us: f64,
    pub(crate) p99_us: f64,
    pub(crate) max_us: f64,
}

impl Moments {
    /// Preallocates space for that many reads: nothing is allocated while it runs.
    pub(super) fn with_room(reads: usize) -> Self {
        Self { late_ns: Vec::with_capacity(reads), ..Self::default() }
    }

    /// Notes the lateness of a read; returns how many grid ticks it missed.
    pub(super) fn note(&mut self, late_ns: u64, period_ns: u64) -> u64 {
        let missed = late_ns / period_ns;
        self.missed += missed;
        self.ticks += 1;
        if self.late_ns.len() < self.late_ns.capacity() {
            self.late_ns.push(u32::try_from(late_ns).unwrap_or(u32::MAX));
        }
        missed
    }

    /// Returns the 50th and 99th percentile and the maximum of the lateness.
    pub(super) fn jitter(&mut self) -> Jitter {
        self.late_ns.sort_unstable();
        let at = |share: f64| {
            let index = (self.late_ns.len().saturating_sub(1) as f64 * share).ceil() as usize;
            self.late_ns.get(index).map_or(f64::NAN, |&ns| f64::from(ns) / 1e3)
        };
        Jitter { p50_us: at(0.5), p99_us: at(0.99), max_us: at(1.0) }
    }
}

/// A source that notes when it is read.
pub(super) struct WatchedSource<S> {
    source: S,
    clock: Arc<WatchedClock>,
    moments: Arc<Mutex<Moments>>,
    /// The grid tick of the last read.
    tick_ns: Option<u64>,
    was_here: bool,
    batch_frames: usize,
}

impl<S: Source> WatchedSource<S> {
    /// Watches a source for about that many reads.
    pub(super) fn new(source: S, clock: Arc<WatchedClock>, reads: usize) -> (Self, Arc<Mutex<Moments>>) {
        let moments = Arc::new(Mutex::new(Moments::with_room(reads)));
        let shared = Arc::clone(&moments);
        (Self { source, clock, moments, tick_ns: None, was_here: false, batch_frames: 0 }, shared)
    }

    /// Notes a read at this time: its lateness, and how many grid ticks were missed.
    fn note(&mut self, now_ns: u64, period: Duration, moments: &mut Moments) {
        let period_ns = u64::try_from(period.as_nanos()).unwrap_or(u64::MAX).max(1);
        let due_ns = match self.tick_ns {
            Some(tick_ns) => tick_ns + period_ns,
            None => self.clock.moment_ns.load(Ordering::Relaxed),
        };
        let missed = moments.note(now_ns.saturating_sub(due_ns), period_ns);
        self.tick_ns = Some(due_ns + missed * period_ns);
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
            // The read that finds the game precedes the grid.
            Pace::Every(period) if self.was_here => self.note(now_ns, period, &mut moments),
            _ => self.tick_ns = None,
        }
        let before = batch.len();
        // The recorder accepts all frames, keeps them waiting or, before the game moves, keeps only the newest.
        if before > 0 && before < self.batch_frames {
            moments.forgotten += (self.batch_frames - before) as u64;
        }
        // Waits between two copies are not ticks of the grid, so they bypass the watched clock.
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
        // The read at 1,065 ms comes 25 ms after its tick: two ticks are missed, and it belongs to the third.
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
