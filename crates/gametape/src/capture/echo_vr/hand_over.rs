//! Between the threads that ask the game and the one that records: bounded, in the order in which answers came.

use std::collections::VecDeque;
use std::net::SocketAddr;
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use gametape_format::Counters;
use gametape_games::echo_vr::{GameEvent, SessionFacts};
use gametape_games::{About, Presence};

use super::super::source::Away;

/// Answers that wait have at most this many bytes; what comes then is lost, and counted.
const MOST_BYTES: usize = 16 << 20;
/// Emptied bodies that are kept for the next answers.
const MOST_SPARE: usize = 16;

/// Something that the asking threads found.
pub(super) struct Item {
    /// When it came, all of it.
    pub(super) at: Instant,
    pub(super) what: What,
}

pub(super) enum What {
    /// An answer of a match.
    Match { body: Vec<u8>, key: u64, presence: Presence, told: Arc<Told>, events: Vec<GameEvent> },
    /// An answer about bones.
    Bones(Vec<u8>),
    /// There is no match, and why.
    Away(Away),
    /// Moments of a stream that passed without an answer.
    Counted(usize, Counters),
    /// Something to put down.
    Event(&'static str, String),
}

/// What the game says of a match, and who says it.
#[derive(Debug, Default, PartialEq, Eq)]
pub(super) struct Told {
    pub(super) facts: SessionFacts,
    pub(super) played: Option<String>,
}

impl Told {
    pub(super) fn about(&self) -> About {
        let SessionFacts { map_name, match_type, .. } = &self.facts;
        About { track: map_name.clone(), session: match_type.clone(), ..About::default() }
    }
}

/// A match is on: where, and from which moment both kinds of answers are asked for at the same moments.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Active {
    pub(super) place: SocketAddr,
    pub(super) since: Instant,
}

#[derive(Default)]
pub(super) struct HandOver {
    inner: Mutex<Inner>,
    changed: Condvar,
}

#[derive(Default)]
struct Inner {
    items: VecDeque<Item>,
    bytes: usize,
    spare: Vec<Vec<u8>>,
    active: Option<Active>,
    stop: bool,
}

impl What {
    fn body(&self) -> Option<&Vec<u8>> {
        match self {
            Self::Match { body, .. } | Self::Bones(body) => Some(body),
            _ => None,
        }
    }
}

impl HandOver {
    fn lock(&self) -> MutexGuard<'_, Inner> {
        self.inner.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Hands something over. Where there is no room for a body, it is lost and counted for its stream.
    pub(super) fn put(&self, stream: usize, item: Item) {
        let mut inner = self.lock();
        let bytes = item.what.body().map_or(0, Vec::len);
        if bytes > 0 && inner.bytes + bytes > MOST_BYTES {
            // Counts of the same stream that stand at the end are one.
            if let Some(Item { what: What::Counted(last, counters), .. }) = inner.items.back_mut()
                && *last == stream
            {
                counters.dropped += 1;
                return;
            }
            let lost = What::Counted(stream, Counters { dropped: 1, ..Counters::default() });
            inner.items.push_back(Item { what: lost, ..item });
        } else {
            inner.bytes += bytes;
            inner.items.push_back(item);
        }
        drop(inner);
        self.changed.notify_all();
    }

    /// Takes the oldest thing if it is wanted.
    pub(super) fn next_if(&self, wanted: impl FnOnce(&What) -> bool) -> Option<Item> {
        let mut inner = self.lock();
        if !inner.items.front().is_some_and(|item| wanted(&item.what)) {
            return None;
        }
        let item = inner.items.pop_front()?;
        inner.bytes -= item.what.body().map_or(0, Vec::len);
        Some(item)
    }

    /// Waits for something, but not longer than this.
    pub(super) fn wait(&self, longest: Duration) {
        let inner = self.lock();
        let nothing = |inner: &mut Inner| inner.items.is_empty() && !inner.stop;
        drop(self.changed.wait_timeout_while(inner, longest, nothing).unwrap_or_else(PoisonError::into_inner));
    }

    /// Memory for an answer.
    pub(super) fn spare(&self) -> Vec<u8> {
        self.lock().spare.pop().unwrap_or_default()
    }

    /// Gives it back.
    pub(super) fn give_back(&self, mut body: Vec<u8>) {
        body.clear();
        let mut inner = self.lock();
        if inner.spare.len() < MOST_SPARE {
            inner.spare.push(body);
        }
    }

    /// Says whether a match is on.
    pub(super) fn set_active(&self, active: Option<Active>) {
        self.lock().active = active;
        self.changed.notify_all();
    }

    /// Whether a match is on.
    pub(super) fn active(&self) -> Option<Active> {
        self.lock().active
    }

    /// Waits until a match is on; `None` if the end is wanted.
    pub(super) fn wait_for_match(&self) -> Option<Active> {
        let inner = self.lock();
        let nothing = |inner: &mut Inner| inner.active.is_none() && !inner.stop;
        let inner = self.changed.wait_while(inner, nothing).unwrap_or_else(PoisonError::into_inner);
        inner.active.filter(|_| !inner.stop)
    }

    /// Waits until a moment that may be far, or until the end is wanted.
    pub(super) fn rest_until(&self, moment: Instant) {
        let left = moment.saturating_duration_since(Instant::now());
        let inner = self.lock();
        drop(self.changed.wait_timeout_while(inner, left, |inner| !inner.stop).unwrap_or_else(PoisonError::into_inner));
    }

    /// Wants the end.
    pub(super) fn stop(&self) {
        self.lock().stop = true;
        self.changed.notify_all();
    }

    /// Whether the end is wanted.
    pub(super) fn stops(&self) -> bool {
        self.lock().stop
    }
}
