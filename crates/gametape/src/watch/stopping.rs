//! The wish that a watch ends, from any thread.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use super::signals::{Sender, Signal};

/// Whether the end is wanted.
#[derive(Debug, Clone, Default)]
pub(super) struct Stopping(Arc<AtomicBool>);

impl Stopping {
    pub(super) fn is_wanted(&self) -> bool {
        self.0.load(Ordering::Acquire)
    }
}

/// Ends a watch from any thread.
#[derive(Debug, Clone)]
pub struct StopHandle {
    stopping: Stopping,
    sender: Sender,
}

impl StopHandle {
    pub(super) fn new(stopping: Stopping, sender: Sender) -> Self {
        Self { stopping, sender }
    }

    /// The watch ends as soon as it can: nothing half is left, and what was not complete is looked at again after a restart.
    pub fn stop(&self) {
        self.stopping.0.store(true, Ordering::Release);
        self.sender.send(Signal::Wake);
    }
}
