//! The queue between the threads that receive datagrams and the capturing thread of one sender.
//!
//! Bounded in bytes. Receiving never waits for recording: what does not fit is lost and counted.

use std::net::SocketAddr;
use std::sync::{Condvar, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use gametape_games::Game;

use super::datagrams::{Arrived, Datagrams};

/// Holds seconds of the fastest games.
const MOST_BYTES: usize = 32 << 20;

/// Who sends, and in which game.
#[derive(Debug, Clone, Copy)]
pub(super) struct Sender {
    pub(super) address: SocketAddr,
    pub(super) game: &'static Game,
    /// The port on which it was received.
    pub(super) port: u16,
    /// Distinguishes senders that have the same address one after the other.
    pub(super) number: u64,
}

/// What is not in the queue.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(super) struct Lost {
    /// Datagrams that the system dropped because nobody received them in time.
    pub(super) by_system: u64,
    /// Datagrams that did not fit into the queue.
    pub(super) here: u64,
}

#[derive(Debug, Default)]
pub(super) struct Inbox {
    inside: Mutex<Inside>,
    arrived: Condvar,
}

#[derive(Debug, Default)]
struct Inside {
    /// Datagrams of the last sender.
    queue: Datagrams,
    sender: Option<Sender>,
    last: Option<Instant>,
    lost: Lost,
    /// Nobody reads any more.
    closed: bool,
}

/// What was in the queue.
#[derive(Debug, Default)]
pub(super) struct Taken {
    pub(super) sender: Option<Sender>,
    pub(super) queue: Datagrams,
    pub(super) lost: Lost,
}

impl Inbox {
    fn inside(&self) -> MutexGuard<'_, Inside> {
        // Every change is complete before the lock is released, so a thread that panicked left nothing half done.
        self.inside.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Returns the sender, and when it sent last.
    pub(super) fn sender(&self) -> Option<(Sender, Instant)> {
        let inside = self.inside();
        inside.sender.zip(inside.last)
    }

    /// Serves another sender from now on. Returns `false` if datagrams of the last one still wait: these are recorded first.
    pub(super) fn assign(&self, sender: Sender, now: Instant) -> bool {
        let mut inside = self.inside();
        if inside.queue.len() > 0 || inside.closed {
            return false;
        }
        (inside.sender, inside.last) = (Some(sender), Some(now));
        true
    }

    /// Adds a datagram of the sender with this number. Returns `false` if another sender is served by now.
    pub(super) fn put(&self, number: u64, datagram: Arrived<'_>) -> bool {
        let mut inside = self.inside();
        if inside.sender.is_none_or(|sender| sender.number != number) {
            return false;
        }
        inside.last = Some(datagram.at);
        if inside.queue.cost_bytes() + datagram.bytes.len() > MOST_BYTES {
            inside.lost.here += 1;
            return true;
        }
        let was_empty = inside.queue.len() == 0;
        inside.queue.push(datagram);
        drop(inside);
        if was_empty {
            self.arrived.notify_one();
        }
        true
    }

    /// Takes no more: the source is gone.
    pub(super) fn close(&self) {
        *self.inside() = Inside { closed: true, ..Inside::default() };
    }

    /// Returns whether nobody reads any more.
    pub(super) fn is_closed(&self) -> bool {
        self.inside().closed
    }

    /// Counts datagrams that the system dropped.
    pub(super) fn dropped_by_system(&self, count: u64) {
        self.inside().lost.by_system += count;
    }

    /// Waits for datagrams, but not longer than `patience`, and moves all that there are to `taken`, which must be consumed.
    pub(super) fn take(&self, taken: &mut Taken, patience: Duration) {
        taken.queue.clear();
        let (mut inside, _) = self
            .arrived
            .wait_timeout_while(self.inside(), patience, |inside| inside.queue.len() == 0)
            .unwrap_or_else(PoisonError::into_inner);
        std::mem::swap(&mut taken.queue, &mut inside.queue);
        taken.sender = inside.sender;
        taken.lost = std::mem::take(&mut inside.lost);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn sender(number: u64) -> Sender {
        let game = &gametape_games::gran_turismo::GT7;
        Sender { address: SocketAddr::from(([127, 0, 0, 1], 7)), game, port: 1, number }
    }

    #[test]
    fn a_datagram_of_a_sender_that_lost_its_place_is_not_mixed_in() {
        let (inbox, at) = (Inbox::default(), Instant::now());
        let datagram = Arrived { at, stream: Some(0), bytes: b"x" };
        assert!(!inbox.put(1, datagram), "nobody is served");
        assert!(inbox.assign(sender(1), at) && inbox.put(1, datagram));
        assert!(!inbox.assign(sender(2), at), "its datagrams are recorded first");
        let mut taken = Taken::default();
        inbox.take(&mut taken, Duration::ZERO);
        assert!(inbox.assign(sender(2), at) && !inbox.put(1, datagram) && inbox.put(2, datagram));
        inbox.take(&mut taken, Duration::ZERO);
        assert_eq!((taken.queue.len(), taken.sender.map(|sender| sender.number)), (1, Some(2)));
        inbox.close();
        assert!(!inbox.put(2, datagram) && !inbox.assign(sender(3), at));
    }
}
