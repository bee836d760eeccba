//! Debouncing: an unexpected change is accepted only once it has lasted. Torn reads, zeroed pages and flicker are skipped.
//!
//! Takes frames, and returns whether the tracker may use a frame and since when its state has been shown.

use gametape_games::{BackInTime, LapFrame, Pit, SessionKind};

use super::thresholds::{CONFIRM_NS, CONFIRM_SESSION_NS, GAME_TIME_BACK_MS};
use super::words::ReasonCode;

/// What identifies a session in a frame. Texts are represented by the revision number of the names.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct Key {
    pub(super) kind: SessionKind,
    pub(super) index: Option<i32>,
    pub(super) id: Option<u64>,
    pub(super) names: u32,
    pub(super) car: Option<i32>,
}

impl Key {
    pub(super) fn of(frame: &LapFrame) -> Self {
        Self {
            kind: frame.kind,
            index: frame.session_index,
            id: frame.session_id,
            names: frame.names,
            car: frame.player_car,
        }
    }
}

/// The filter's verdict on a frame.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Debounced {
    /// Not accepted yet.
    Held,
    /// Unchanged, or continued as expected.
    Unchanged,
    /// Another session, car, track, driver or lap count, shown since this time.
    Changed(u64),
}

#[derive(Debug, Default)]
pub(super) struct Debounce {
    believed: Option<(Key, Option<u32>)>,
    /// The newest accepted frame.
    newest: LapFrame,
    candidate: Option<Candidate>,
}

#[derive(Debug, Clone, Copy)]
struct Candidate {
    key: Key,
    laps: Option<u32>,
    /// When a frame first differed from the accepted state.
    since_ns: u64,
    /// When this very change was first observed.
    same_since_ns: u64,
}

impl Debounce {
    /// Resets the filter, so that any session may follow.
    pub(super) fn forget(&mut self) {
        *self = Self::default();
    }

    /// Judges a frame in which the car is being driven.
    pub(super) fn look(&mut self, time_ns: u64, frame: &LapFrame) -> Debounced {
        let (key, laps) = (Key::of(frame), frame.laps_completed);
        if let Some((old, old_laps)) = self.believed
            && old == key
            && (went_back(&self.newest, frame).is_some()
                || (goes_on(old_laps, laps) && !is_game_time_back(&self.newest, frame)))
        {
            self.candidate = None;
            self.believed = Some((key, laps.or(old_laps)));
            self.newest = *frame;
            return Debounced::Unchanged;
        }
        let (since_ns, same_since_ns) = match self.candidate {
            Some(before) if before.key == key && before.laps == laps => (before.since_ns, before.same_since_ns),
            Some(before) => (before.since_ns, time_ns),
            None => (time_ns, time_ns),
        };
        self.candidate = Some(Candidate { key, laps, since_ns, same_since_ns });
        let wait_ns = match self.believed {
            Some((old, _)) if old != key => CONFIRM_SESSION_NS,
            _ => CONFIRM_NS,
        };
        if time_ns.saturating_sub(same_since_ns) < wait_ns {
            return Debounced::Held;
        }
        self.believed = Some((key, laps));
        self.newest = *frame;
        self.candidate = None;
        Debounced::Changed(since_ns)
    }
}

/// Returns whether the lap count stays or rises by one. A count that is missing for a moment has not changed.
fn goes_on(before: Option<u32>, now: Option<u32>) -> bool {
    match (before, now) {
        (Some(before), Some(now)) => now == before || now.checked_sub(1) == Some(before),
        (_, None) => true,
        (None, Some(_)) => false,
    }
}

/// Returns whether the session time went back: the session was restarted.
pub(super) fn is_game_time_back(before: &LapFrame, now: &LapFrame) -> bool {
    Option::zip(before.game_ms, now.game_ms).is_some_and(|(from, to)| to < from - GAME_TIME_BACK_MS)
}

/// Returns by what the player went back in time between two frames, if he did.
pub(super) fn went_back(before: &LapFrame, now: &LapFrame) -> Option<ReasonCode> {
    match (before.back_in_time?, now.back_in_time?) {
        (BackInTime::Flashbacks(before), BackInTime::Flashbacks(now)) => {
            (now > before).then_some(ReasonCode::Flashback)
        }
        (BackInTime::Rewinds(before), BackInTime::Rewinds(now)) => (now > before).then_some(ReasonCode::Rewind),
        _ => None,
    }
}

/// Returns whether the car is in the pit lane or in its box. If the game does not say, it is on the track.
pub(super) fn in_pits(frame: &LapFrame) -> bool {
    matches!(frame.pit, Some(Pit::Lane | Pit::Box))
}
