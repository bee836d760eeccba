//! A watch on its own thread, with callbacks.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::thread::JoinHandle;

use super::builder::{OnFound, OnNotice};
use super::error::WatchError;
use super::events::Events;
use super::found::WatchEvent;
use super::signals::StopHandle;

/// A running watch. Dropping it stops it.
#[derive(Debug)]
pub struct Watching {
    stop: StopHandle,
    thread: Option<JoinHandle<Watched>>,
}

/// The statistics of a watch.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Watched {
    /// Number of files reported.
    pub found: u64,
    /// Number of callback calls that panicked.
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

    /// Returns a handle that stops this watch from any thread.
    pub fn stop_handle(&self) -> StopHandle {
        self.stop.clone()
    }

    /// Stops the watch and waits until it has ended.
    pub fn stop(self) -> Watched {
        self.stop.stop();
        self.wait()
    }

    /// Waits until the watch is stopped elsewhere.
    pub fn wait(mut self) -> Watched {
        self.join()
    }

    fn join(&mut self) -> Watched {
        // The thread catches panics of callbacks; a panic of the watch itself has already been printed.
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
