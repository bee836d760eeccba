//! Items that a thread of their own makes ahead: readers of a tape borrow from it, and Python and Arrow keep iterators for as long as they like.

use std::io;
use std::sync::mpsc::{Receiver, SyncSender, sync_channel};
use std::sync::{Mutex, PoisonError};

/// Items that are made ahead.
const AHEAD: usize = 2;

/// The receiving end. Dropping it ends the thread with its next item.
pub(crate) struct Background<T>(Mutex<State<T>>);

enum State<T> {
    Reading(Receiver<Option<T>>),
    Ended,
}

/// The sending end, in the thread.
pub(crate) struct Items<T>(SyncSender<Option<T>>);

impl<T> Items<T> {
    /// Hands an item over, as soon as there is room. Returns whether more are wanted.
    pub(crate) fn put(&self, item: T) -> bool {
        self.0.send(Some(item)).is_ok()
    }
}

impl<T: Send + 'static> Background<T> {
    /// Starts a thread that makes items until `put` refuses one.
    pub(crate) fn start(make: impl FnOnce(&Items<T>) + Send + 'static) -> io::Result<Self> {
        let (sender, receiver) = sync_channel(AHEAD);
        let run = move || {
            let items = Items(sender);
            make(&items);
            // Without this, a thread that panicked would look like the end of the tape.
            let _ = items.0.send(None);
        };
        std::thread::Builder::new().name("gametape-reader".into()).spawn(run)?;
        Ok(Self(Mutex::new(State::Reading(receiver))))
    }

    /// Waits for the next item; `None` after the last one.
    ///
    /// # Errors
    /// If the thread ended before its last item.
    pub(crate) fn next(&self) -> Result<Option<T>, &'static str> {
        let mut state = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let State::Reading(receiver) = &*state else { return Ok(None) };
        let received = receiver.recv();
        if !matches!(received, Ok(Some(_))) {
            *state = State::Ended;
        }
        received.map_err(|_| "the reading thread ended unexpectedly: please report it")
    }
}
