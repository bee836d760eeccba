//! A bounded queue from the polling threads to the capturing thread. Items are in the order in which responses arrived.

use std::collections::VecDeque;
use std::net::SocketAddr;
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use gametape_format::Counters;
use gametape_games::echo_vr::{GameEvent, SessionFacts};
use gametape_games::{About, Presence};

use crate::transport::Away;

/// Maximum size of queued bodies. Later ones are dropped and counted.
const MOST_BYTES: usize = 16 << 20;
/// Maximum number of empty buffers that are kept for the next responses.
const MOST_SPARE: usize = 16;

/// A result of the polling threads.
pub(super) struct Item {
    /// Time at which the whole response had arrived.
    pub(super) at: Instant,
    pub(super) what: What,
}

pub(super) enum What {
    /// A response of `/session` during a match.
    Match { body: Vec<u8>, key: u64, presence: Presence, told: Arc<MatchFacts>, events: Vec<GameEvent> },
    /// A response of `/player_bones`.
    Bones(Vec<u8>),
    /// There is no match, for this reason.
    Away(Away),
    /// Counters for a stream, such as missed deadlines.
    Counted(usize, Counters),
    /// An event to record: kind and text.
    Event(&'static str, String),
}

/// What the game reports about a match, and the id of the tape if a player reports it.
#[derive(Debug, Default, PartialEq, Eq)]
pub(super) struct MatchFacts {
    pub(super) facts: SessionFacts,
    pub(super) played: Option<String>,
}

impl MatchFacts {
    pub(super) fn about(&self) -> About {
        let SessionFacts { map_name, match_type, .. } = &self.facts;
        About { track: map_name.clone(), session: match_type.clone(), ..About::default() }
    }
}

/// A running match: the address, and the start of the deadlines that both endpoints are polled at.
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

    /// Queues an item. If there is no space for its body, the body is dropped and counted for its stream.
    pub(super) fn put(&self, stream: usize, item: Item) {
        let mut inner = self.lock();
        let bytes = item.what.body().map_or(0, Vec::len);
        if bytes > 0 && inner.bytes + bytes > MOST_BYTES {
            // Merge with the last item if it counts for the same stream.
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

    /// Removes and returns the oldest item if `wanted` returns `true` for it.
    pub(super) fn next_if(&self, wanted: impl FnOnce(&What) -> bool) -> Option<Item> {
        let mut inner = self.lock();
        if !inner.items.front().is_some_and(|item| wanted(&item.what)) {
            return None;
        }
        let item = inner.items.pop_front()?;
        inner.bytes -= item.what.body().map_or(0, Vec::len);
        Some(item)
    }

    /// Waits until there is an item, at most `longest`.
    pub(super) fn wait(&self, longest: Duration) {
        let inner = self.lock();
        let nothing = |inner: &mut Inner| inner.items.is_empty() && !inner.stop;
        drop(self.changed.wait_timeout_while(inner, longest, nothing).unwrap_or_else(PoisonError::into_inner));
    }

    /// Returns a buffer for a response.
    pub(super) fn spare(&self) -> Vec<u8> {
        self.lock().spare.pop().unwrap_or_default()
    }

    /// Returns a buffer to the pool.
    pub(super) fn give_back(&self, mut body: Vec<u8>) {
        body.clear();
        let mut inner = self.lock();
        if inner.spare.len() < MOST_SPARE {
            inner.spare.push(body);
        }
    }

    /// Sets whether a match is running.
    pub(super) fn set_active(&self, active: Option<Active>) {
        self.lock().active = active;
        self.changed.notify_all();
    }

    /// Returns the running match, if any.
    pub(super) fn active(&self) -> Option<Active> {
        self.lock().active
    }

    /// Waits until a match is running. Returns `None` if a stop is requested.
    pub(super) fn wait_for_match(&self) -> Option<Active> {
        let inner = self.lock();
        let nothing = |inner: &mut Inner| inner.active.is_none() && !inner.stop;
        let inner = self.changed.wait_while(inner, nothing).unwrap_or_else(PoisonError::into_inner);
        inner.active.filter(|_| !inner.stop)
    }

    /// Waits until `moment` or until a stop is requested.
    pub(super) fn rest_until(&self, moment: Instant) {
        let left = moment.saturating_duration_since(Instant::now());
        let inner = self.lock();
        drop(self.changed.wait_timeout_while(inner, left, |inner| !inner.stop).unwrap_or_else(PoisonError::into_inner));
    }

    /// Requests the threads to stop.
    pub(super) fn stop(&self) {
        self.lock().stop = true;
        self.changed.notify_all();
    }

    /// Returns whether a stop was requested.
    pub(super) fn stops(&self) -> bool {
        self.lock().stop
    }
}
