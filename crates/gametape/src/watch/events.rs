//! A watch as an iterator, which runs while the caller waits for the next event.

use std::time::Instant;

use super::engine::{Engine, Step};
use super::found::WatchEvent;
use super::signals::StopHandle;

/// An iterator over finds and notices. Ends when the watch is stopped.
///
/// A find counts as processed when the caller asks for the next event or drops the iterator; only then is it recorded in the state file.
/// If the process is killed in between, the find is reported again after a restart, rather than lost.
pub struct Events {
    engine: Engine,
    ended: bool,
}

impl Events {
    pub(super) fn new(engine: Engine) -> Self {
        Self { engine, ended: false }
    }

    /// Returns a handle that stops this watch from any thread.
    pub fn stop_handle(&self) -> StopHandle {
        self.engine.stop_handle()
    }

    /// Rejects the last find: it is not recorded as reported, and a later watch reports it again.
    pub fn give_back(&mut self) {
        self.engine.give_back();
    }
}

impl Iterator for Events {
    type Item = WatchEvent;

    fn next(&mut self) -> Option<WatchEvent> {
        if self.ended {
            return None;
        }
        self.engine.confirm();
        while !self.engine.is_stop_wanted() {
            match self.engine.step(Instant::now()) {
                Step::Event(event) => return Some(event),
                // The signal that came with the stop request may have been consumed; the flag remains set.
                Step::Idle(_) if self.engine.is_stop_wanted() => {}
                Step::Idle(until) => self.engine.wait(until),
            }
        }
        self.ended = true;
        self.engine.finish().map(WatchEvent::Notice)
    }
}

impl Drop for Events {
    fn drop(&mut self) {
        if self.ended {
            return;
        }
        // A panicking caller has not processed the find.
        if !std::thread::panicking() {
            self.engine.confirm();
        }
        let _ = self.engine.finish();
    }
}

impl std::fmt::Debug for Events {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Events").field("ended", &self.ended).finish_non_exhaustive()
    }
}
