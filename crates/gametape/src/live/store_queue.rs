//! A bounded queue of events for the store. The tracking thread never waits for the store.

use std::collections::{HashSet, VecDeque};
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};

use super::failures::Failures;
use super::tap::Begun;
use super::{Event, LapSink};
use crate::sys::panic_message;

/// Maximum number of queued events: hours of driving. Further events are dropped and counted; the tape is tracked again later.
const MOST_EVENTS: usize = 4096;

/// A queued message.
enum Message {
    Events(Arc<Begun>, Vec<Event>),
    /// The end of a tape, and the number of its frames and events that were dropped.
    End(Arc<Begun>, u64),
}

#[derive(Default)]
struct Waiting {
    messages: VecDeque<Message>,
    events: usize,
    closed: bool,
}

/// A queue between the tracking thread and the storing thread.
#[derive(Default)]
pub(super) struct StoreQueue {
    waiting: Mutex<Waiting>,
    changed: Condvar,
}

impl StoreQueue {
    fn lock(&self) -> MutexGuard<'_, Waiting> {
        self.waiting.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Adds events. Returns how many were dropped because the queue was full.
    pub(super) fn push(&self, tape: &Arc<Begun>, events: Vec<Event>) -> u64 {
        if events.is_empty() {
            return 0;
        }
        let mut waiting = self.lock();
        if waiting.events + events.len() > MOST_EVENTS {
            return events.len() as u64;
        }
        waiting.events += events.len();
        waiting.messages.push_back(Message::Events(Arc::clone(tape), events));
        self.changed.notify_one();
        0
    }

    /// Adds the end of a tape. Never dropped: a tape has only one end.
    pub(super) fn end(&self, tape: &Arc<Begun>, skipped: u64) {
        self.lock().messages.push_back(Message::End(Arc::clone(tape), skipped));
        self.changed.notify_one();
    }

    /// Closes the queue: no more messages follow.
    pub(super) fn close(&self) {
        self.lock().closed = true;
        self.changed.notify_one();
    }

    /// Waits for the next message. Returns `None` once the queue is closed and empty.
    fn next(&self) -> Option<Message> {
        let empty = |waiting: &mut Waiting| waiting.messages.is_empty() && !waiting.closed;
        let mut waiting = self.changed.wait_while(self.lock(), empty).unwrap_or_else(PoisonError::into_inner);
        let message = waiting.messages.pop_front()?;
        if let Message::Events(_, events) = &message {
            waiting.events -= events.len();
        }
        Some(message)
    }

    /// Delivers all messages to `sink`. If the sink panics, that message is lost, and the tape is marked as incomplete.
    pub(super) fn deliver(&self, sink: &dyn LapSink, failures: &Failures) {
        let mut failed = HashSet::new();
        while let Some(message) = self.next() {
            let (tape, given) = match message {
                Message::Events(begun, events) => {
                    let given = catch_unwind(AssertUnwindSafe(|| sink.events(&begun.tape, events)));
                    if given.is_err() {
                        failed.insert(begun.tape.id);
                    }
                    (begun, given)
                }
                Message::End(begun, skipped) => {
                    let skipped = skipped + u64::from(failed.remove(&begun.tape.id));
                    let given = catch_unwind(AssertUnwindSafe(|| sink.end(&begun.tape, skipped)));
                    (begun, given)
                }
            };
            if let Err(payload) = given {
                failures.note(Some(&tape.tape), "storing laps", &panic_message(&*payload));
            }
        }
    }
}
