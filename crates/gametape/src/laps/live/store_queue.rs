//! Events on their way to the store: the tracking thread never waits for it.

use std::collections::{HashSet, VecDeque};
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};

use super::failures::Failures;
use super::tap::Begun;
use super::{Event, LapSink};
use crate::library::message_of;

/// Events that wait: those of hours of driving. What comes then is counted, and made from the tape later.
const MOST_EVENTS: usize = 4096;

/// What waits.
enum Message {
    Events(Arc<Begun>, Vec<Event>),
    /// The end of a tape, and what was not handed over of it.
    End(Arc<Begun>, u64),
}

#[derive(Default)]
struct Waiting {
    messages: VecDeque<Message>,
    events: usize,
    closed: bool,
}

/// A queue between the tracking thread and the one that stores.
#[derive(Default)]
pub(super) struct StoreQueue {
    waiting: Mutex<Waiting>,
    changed: Condvar,
}

impl StoreQueue {
    fn lock(&self) -> MutexGuard<'_, Waiting> {
        self.waiting.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Adds events. Returns how many found no room.
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

    /// The tape has got its last frame. There is room for this always: a tape has one end.
    pub(super) fn end(&self, tape: &Arc<Begun>, skipped: u64) {
        self.lock().messages.push_back(Message::End(Arc::clone(tape), skipped));
        self.changed.notify_one();
    }

    /// There will be no more.
    pub(super) fn close(&self) {
        self.lock().closed = true;
        self.changed.notify_one();
    }

    /// Waits for the next message. `None` at the end.
    fn next(&self) -> Option<Message> {
        let empty = |waiting: &mut Waiting| waiting.messages.is_empty() && !waiting.closed;
        let mut waiting = self.changed.wait_while(self.lock(), empty).unwrap_or_else(PoisonError::into_inner);
        let message = waiting.messages.pop_front()?;
        if let Message::Events(_, events) = &message {
            waiting.events -= events.len();
        }
        Some(message)
    }

    /// Gives `sink` all that comes. A panic of the sink costs what it was given; the tape is then known to lack something.
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
                failures.note(Some(&tape.tape), "storing laps", &message_of(&*payload));
            }
        }
    }
}
