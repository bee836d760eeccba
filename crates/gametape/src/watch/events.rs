//! A watch as an iterator: it runs while it is asked for the next event.

use std::time::Instant;

use super::engine::{Engine, Step};
use super::found::WatchEvent;
use super::stopping::StopHandle;

/// Finds and notices, one after the other; ends when it is stopped.
///
/// Whoever asks for the next event, or drops the iterator, is done with the find before: only then is it remembered. If the process
/// is killed in between, the find is reported again after a restart, rather than never.
pub struct Events {
    engine: Engine,
    ended: bool,
}

impl Events {
    pub(super) fn new(engine: Engine) -> Self {
        Self { engine, ended: false }
    }

    /// Ends this watch, from any thread.
    pub fn stop_handle(&self) -> StopHandle {
        self.engine.stop_handle()
    }

    /// The last find could not be used: it is not remembered, and a watch that begins later reports it again.
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
                // The signal that came with the wish to end may be gone by now, the wish is not.
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
        // Whoever panics was not done.
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
