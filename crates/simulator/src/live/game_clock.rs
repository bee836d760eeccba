//! The clock of a live game: real time at any speed, optionally in lockstep with one reader.
//!
//! In lockstep, the game waits until the reader has read every page it asked for, and the reader takes its time from the game. No page is missed at any
//! speed or load of the machine, and the same seed gives the same recording:
//!
//! ```text
//!  game:    write ──▶ "nothing changes before t2" ──▶ waits until the reader wants t2 or later ──▶ write at t2
//!  reader:  wants t1 < t2 ──▶ wakes at t1, reads while the time stands ──▶ wants t3 ≥ t2 ──▶ …
//! ```
use std::sync::{Condvar, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant, SystemTime, UNIX_EPOCH};

use super::Machine;

/// The longest that game and reader wait for each other: either may hang. Longer than a busy machine keeps a thread from running.
const PATIENCE: Duration = Duration::from_secs(120);
/// How often `stop` is checked during a wait.
const NAP: Duration = Duration::from_millis(20);
/// The wait of a reader after the end of the game, when the game's time has no meaning.
const AFTER_END: Duration = Duration::from_millis(1);

/// The clock of a game, shared by the thread that writes the pages and, in lockstep, by one that reads them.
#[derive(Debug)]
pub struct GameClock {
    start: Instant,
    start_utc_ns: i64,
    speed: f64,
    in_step: bool,
    state: Mutex<State>,
    changed: Condvar,
}

#[derive(Debug)]
struct State {
    /// The time of the reader.
    now_ns: u64,
    /// Until when the reader sleeps; `None` while it is awake.
    sleeps_until_ns: Option<u64>,
    /// Nothing is written before this moment.
    quiet_until_ns: u64,
    /// The game ran into [`PATIENCE`] and went on without its reader.
    reader_was_slow: bool,
    /// The game is over: nothing is left to wait for.
    ended: bool,
}

impl GameClock {
    /// A clock that runs `speed` times as fast as real time. Readers use their own clocks.
    #[must_use]
    pub fn in_real_time(speed: f64) -> Self {
        Self::new(speed, false)
    }

    /// A clock in lockstep with one reader, which takes its time from here. `speed` may be infinite.
    #[must_use]
    pub fn in_step(speed: f64) -> Self {
        Self::new(speed, true)
    }

    fn new(speed: f64, in_step: bool) -> Self {
        let utc = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
        let state = State { now_ns: 0, sleeps_until_ns: None, quiet_until_ns: 0, reader_was_slow: false, ended: false };
        Self {
            start: Instant::now(),
            start_utc_ns: i64::try_from(utc.as_nanos()).unwrap_or_default(),
            speed: speed.max(1e-6),
            in_step,
            state: Mutex::new(state),
            changed: Condvar::new(),
        }
    }

    fn lock(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Maps a time of the game to real time.
    fn moment(&self, game_ns: u64) -> Instant {
        let real = Duration::from_secs_f64(game_ns as f64 / self.speed / 1e9);
        self.start.checked_add(real).unwrap_or(self.start)
    }

    /// For the game: announces the next write and waits until it is due and the reader is done. Returns `false` if `stop` returned `true` first.
    pub(super) fn wait_to_write(&self, machine: &impl Machine, at_ns: u64, stop: impl Fn() -> bool) -> bool {
        if self.in_step {
            self.lock().quiet_until_ns = at_ns;
            self.changed.notify_all();
        }
        let moment = self.moment(at_ns);
        while moment > Instant::now() {
            if stop() {
                return false;
            }
            machine.sleep_until(moment.min(Instant::now() + NAP));
        }
        if self.in_step {
            let busy = |state: &mut State| state.sleeps_until_ns.is_none_or(|wanted_ns| wanted_ns < at_ns);
            let until = Instant::now() + PATIENCE;
            let mut state = self.lock();
            while busy(&mut state) && !stop() {
                if Instant::now() >= until {
                    state.reader_was_slow = true;
                    break;
                }
                state = self.changed.wait_timeout(state, NAP).unwrap_or_else(PoisonError::into_inner).0;
            }
        }
        !stop()
    }

    /// For the game: it is over. Wakes a reader that sleeps; from now on the reader does not wait for the game.
    pub(super) fn end(&self) {
        self.lock().ended = true;
        self.changed.notify_all();
    }

    /// For the reader: nanoseconds since the game began. Never goes back.
    #[must_use]
    pub fn now_ns(&self) -> u64 {
        self.lock().now_ns
    }

    /// For the reader: the UTC time of the game, in nanoseconds since 1970.
    #[must_use]
    pub fn utc_ns(&self) -> i64 {
        self.start_utc_ns.saturating_add(i64::try_from(self.now_ns()).unwrap_or(i64::MAX))
    }

    /// For the reader: waits until this moment of the game; returns at once if it has passed. `sleep_until` blocks until a moment of real time.
    pub fn sleep_until_ns(&self, moment_ns: u64, sleep_until: impl FnOnce(Instant)) {
        let mut state = self.lock();
        if moment_ns <= state.now_ns {
            return;
        }
        state.sleeps_until_ns = Some(moment_ns);
        self.changed.notify_all();
        let moment = if state.ended { Instant::now() + AFTER_END } else { self.moment(moment_ns) };
        drop(state);
        sleep_until(moment);
        let written = |state: &mut State| !state.ended && moment_ns >= state.quiet_until_ns;
        let waited = self.changed.wait_timeout_while(self.lock(), PATIENCE, written);
        let (mut state, _) = waited.unwrap_or_else(PoisonError::into_inner);
        state.sleeps_until_ns = None;
        let late_ns = if std::mem::take(&mut state.reader_was_slow) { state.quiet_until_ns } else { 0 };
        state.now_ns = state.now_ns.max(moment_ns).max(late_ns);
    }
}
