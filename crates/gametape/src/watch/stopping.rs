//! Stopping a watch from any thread.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use super::signals::{Sender, Signal};

/// The stop flag.
#[derive(Debug, Clone, Default)]
pub(super) struct Stopping(Arc<AtomicBool>);

impl Stopping {
    pub(super) fn is_wanted(&self) -> bool {
        self.0.load(Ordering::Acquire)
    }
}

/// Stops a watch from any thread.
#[derive(Debug, Clone)]
pub struct StopHandle {
    stopping: Stopping,
    sender: Sender,
}

impl StopHandle {
    pub(super) fn new(stopping: Stopping, sender: Sender) -> Self {
        Self { stopping, sender }
    }

    /// Requests that the watch stop as soon as possible. Nothing incomplete is left, and pending files are inspected again after a
    /// restart.
    pub fn stop(&self) {
        self.stopping.0.store(true, Ordering::Release);
        self.sender.send(Signal::Wake);
    }
}
