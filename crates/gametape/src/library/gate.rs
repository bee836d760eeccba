//! Holds a tape back until a reader is ready for its frames.

use std::sync::{Arc, Condvar, Mutex, PoisonError};
use std::time::Duration;

/// Closed until it is opened; it never closes again.
#[derive(Debug, Clone, Default)]
pub(crate) struct Gate(Arc<(Mutex<bool>, Condvar)>);

impl Gate {
    pub(crate) fn open(&self) {
        let (open, changed) = &*self.0;
        *open.lock().unwrap_or_else(PoisonError::into_inner) = true;
        changed.notify_all();
    }

    /// Waits until it is open, at most for `longest`. Returns whether it is open.
    pub(crate) fn wait(&self, longest: Duration) -> bool {
        let (open, changed) = &*self.0;
        let guard = open.lock().unwrap_or_else(PoisonError::into_inner);
        *changed.wait_timeout_while(guard, longest, |open| !*open).unwrap_or_else(PoisonError::into_inner).0
    }
}
