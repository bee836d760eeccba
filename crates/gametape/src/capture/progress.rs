//! The state of a recording as seen from other threads: numbers to display, and requests for marks.

use std::path::PathBuf;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Mutex, PoisonError};

use gametape_format::Counters;
use gametape_games::{About, Presence};

use crate::transport::{Away, State};

/// The observable state of a recording. Updates are cheap: the capturing thread makes them on every tick.
#[derive(Debug, Default)]
pub struct Progress {
    frames: AtomicU64,
    raw_bytes: AtomicU64,
    start_ns: AtomicU64,
    now_ns: AtomicU64,
    dropped: AtomicU64,
    torn: AtomicU64,
    missed: AtomicU64,
    gaps: AtomicU64,
    late: AtomicU64,
    situation: Mutex<Situation>,
    marks: Mutex<Vec<String>>,
    marks_wait: AtomicBool,
    recording: AtomicBool,
}

/// What is being recorded. Changes rarely.
#[derive(Debug, Clone, Default)]
pub struct Situation {
    /// The result of the last read; `None` before the first one.
    pub state: Option<State>,
    /// The tape that is being written.
    pub path: Option<PathBuf>,
    /// Id of the game.
    pub game: String,
    /// What the game reports about itself.
    pub about: About,
}

/// The numbers of a tape that is being written.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Numbers {
    /// Frames on the tape.
    pub frames: u64,
    /// Size of those frames as captured, in bytes.
    pub raw_bytes: u64,
    /// Time since the first frame.
    pub duration_ns: u64,
    /// Losses and anomalies of all streams combined, see [`Counters::of_streams`].
    pub counters: Counters,
}

impl Progress {
    /// Returns the current numbers.
    pub fn numbers(&self) -> Numbers {
        let load = |number: &AtomicU64| number.load(Ordering::Relaxed);
        Numbers {
            frames: load(&self.frames),
            raw_bytes: load(&self.raw_bytes),
            duration_ns: load(&self.now_ns).saturating_sub(load(&self.start_ns)),
            counters: Counters {
                dropped: load(&self.dropped),
                torn: load(&self.torn),
                missed: load(&self.missed),
                gaps: load(&self.gaps),
                late: load(&self.late),
                ..Counters::default()
            },
        }
    }

    /// Returns what is being recorded.
    pub fn situation(&self) -> Situation {
        self.lock_situation().clone()
    }

    /// Returns whether a tape is being written.
    pub fn is_recording(&self) -> bool {
        self.recording.load(Ordering::Relaxed)
    }

    /// Requests a mark on the tape that is being written. Returns `false` if there is none.
    pub fn mark(&self, text: &str) -> bool {
        if !self.is_recording() {
            return false;
        }
        self.marks.lock().unwrap_or_else(PoisonError::into_inner).push(text.into());
        self.marks_wait.store(true, Ordering::Release);
        true
    }

    /// Returns the marks requested since the last call.
    pub(super) fn take_marks(&self) -> Vec<String> {
        if !self.marks_wait.swap(false, Ordering::Acquire) {
            return Vec::new();
        }
        std::mem::take(&mut *self.marks.lock().unwrap_or_else(PoisonError::into_inner))
    }

    pub(super) fn begin(&self, path: Option<PathBuf>, game: &str, about: &About, start_ns: u64) {
        self.frames.store(0, Ordering::Relaxed);
        self.raw_bytes.store(0, Ordering::Relaxed);
        self.counted(&Counters::default());
        self.start_ns.store(start_ns, Ordering::Relaxed);
        self.now_ns.store(start_ns, Ordering::Relaxed);
        let mut now = self.lock_situation();
        (now.path, now.game, now.about) = (path, game.into(), about.clone());
        self.recording.store(true, Ordering::Relaxed);
    }

    pub(super) fn end(&self) {
        self.recording.store(false, Ordering::Relaxed);
        self.lock_situation().path = None;
    }

    pub(super) fn stored(&self, bytes: usize) {
        self.frames.fetch_add(1, Ordering::Relaxed);
        self.raw_bytes.fetch_add(bytes as u64, Ordering::Relaxed);
    }

    /// Sets the counters of this tape so far.
    pub(super) fn counted(&self, counters: &Counters) {
        for (shown, count) in [
            (&self.dropped, counters.dropped),
            (&self.torn, counters.torn),
            (&self.missed, counters.missed),
            (&self.gaps, counters.gaps),
            (&self.late, counters.late),
        ] {
            shown.store(count, Ordering::Relaxed);
        }
    }

    /// Sets what the game reports about itself.
    pub(super) fn about(&self, about: &About) {
        self.lock_situation().about = about.clone();
    }

    pub(super) fn at(&self, now_ns: u64) {
        self.now_ns.store(now_ns, Ordering::Relaxed);
    }

    /// Sets the state that the source found. Takes a lock, so call it only if the state changed.
    pub(super) fn found(&self, state: &State) {
        self.lock_situation().state = Some(state.clone());
    }

    fn lock_situation(&self) -> std::sync::MutexGuard<'_, Situation> {
        self.situation.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl State {
    /// Returns a short description for people.
    pub fn text(&self) -> &str {
        match self {
            Self::Away(Away::NotThere) => "no game",
            Self::Away(Away::Empty) => "the game's memory is empty",
            Self::Away(Away::Undecided) => "waiting to see which game it is",
            Self::Away(Away::Off) => "the game is in its menus",
            Self::Away(Away::Unreadable(why)) => why,
            Self::Here(Presence::Live) => "live",
            Self::Here(Presence::Paused) => "paused",
            Self::Here(Presence::Replay) => "replay",
            Self::Here(Presence::Off) => "off",
            Self::Ended => "ended",
        }
    }
}
