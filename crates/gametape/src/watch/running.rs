//! A watch on a thread of its own, with callbacks.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::thread::JoinHandle;

use super::builder::{OnFound, OnNotice};
use super::error::WatchError;
use super::events::Events;
use super::found::WatchEvent;
use super::stopping::StopHandle;

/// A watch that runs. Dropping it ends it.
#[derive(Debug)]
pub struct Watching {
    stop: StopHandle,
    thread: Option<JoinHandle<Watched>>,
}

/// What a watch did.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Watched {
    /// Files that were reported.
    pub found: u64,
    /// Calls of callbacks that panicked.
    pub callback_panics: u64,
}

impl Watching {
    pub(super) fn start(events: Events, on_found: Vec<OnFound>, on_notice: Vec<OnNotice>) -> Result<Self, WatchError> {
        let stop = events.stop_handle();
        let thread = std::thread::Builder::new()
            .name("gametape-watch".into())
            .spawn(|| run(events, on_found, on_notice))
            .map_err(|source| WatchError::Thread { source })?;
        Ok(Self { stop, thread: Some(thread) })
    }

    /// Ends this watch, from any thread.
    pub fn stop_handle(&self) -> StopHandle {
        self.stop.clone()
    }

    /// Ends the watch and waits for its end.
    pub fn stop(self) -> Watched {
        self.stop.stop();
        self.wait()
    }

    /// Waits until something else ends the watch.
    pub fn wait(mut self) -> Watched {
        self.join()
    }

    fn join(&mut self) -> Watched {
        // The thread catches the panics of callbacks; one of ours would have been printed.
        self.thread.take().and_then(|thread| thread.join().ok()).unwrap_or_default()
    }
}

impl Drop for Watching {
    fn drop(&mut self) {
        self.stop.stop();
        self.join();
    }
}

fn run(events: Events, mut on_found: Vec<OnFound>, mut on_notice: Vec<OnNotice>) -> Watched {
    let mut watched = Watched::default();
    let call = |callback: &mut dyn FnMut()| u64::from(catch_unwind(AssertUnwindSafe(callback)).is_err());
    for event in events {
        let panics: u64 = match &event {
            WatchEvent::Found(found) => {
                watched.found += 1;
                on_found.iter_mut().map(|callback| call(&mut || callback(found))).sum()
            }
            WatchEvent::Notice(notice) => on_notice.iter_mut().map(|callback| call(&mut || callback(notice))).sum(),
        };
        watched.callback_panics += panics;
    }
    watched
}
