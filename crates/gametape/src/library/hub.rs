//! The listeners of one tape: each new frame goes to all of them, on the capturing thread.
//!
//! Listeners see what the tape keeps: frames that equal the one before are left out where the tape leaves them out.

use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Arc, Mutex, PoisonError};

use crate::capture::{Description, Observer};

/// Gives frames to listeners.
pub(crate) struct Hub {
    listeners: Vec<Box<dyn Observer>>,
    joining: Arc<Joining>,
    description: Option<Description>,
    newest: Vec<Newest>,
}

/// The newest frame of a stream, where the tape compares with it.
struct Newest {
    compares: bool,
    bytes: Option<Vec<u8>>,
}

/// Where listeners come in while it runs, and what is counted.
#[derive(Default)]
pub(crate) struct Joining {
    waits: AtomicBool,
    frames: AtomicU64,
    /// `None` once the hub is gone.
    listeners: Mutex<Option<Vec<Box<dyn Observer>>>>,
}

impl Joining {
    /// Frames that listeners were given.
    pub(crate) fn frames(&self) -> u64 {
        self.frames.load(Ordering::Relaxed)
    }

    /// Adds a listener; it gets frames from now on. Dropped at once if it is over.
    pub(crate) fn join(&self, listener: Box<dyn Observer>) {
        if let Some(listeners) = &mut *self.listeners.lock().unwrap_or_else(PoisonError::into_inner) {
            listeners.push(listener);
            self.waits.store(true, Ordering::Release);
        }
    }
}

impl Hub {
    pub(crate) fn new(listeners: Vec<Box<dyn Observer>>) -> Self {
        let joining = Arc::new(Joining { listeners: Mutex::new(Some(Vec::new())), ..Joining::default() });
        Self { listeners, joining, description: None, newest: Vec::new() }
    }

    pub(crate) fn joining(&self) -> Arc<Joining> {
        Arc::clone(&self.joining)
    }

    fn let_in(&mut self) {
        if !self.joining.waits.swap(false, Ordering::Acquire) {
            return;
        }
        let mut waiting = self.joining.listeners.lock().unwrap_or_else(PoisonError::into_inner);
        for mut listener in waiting.iter_mut().flat_map(|listeners| listeners.drain(..)) {
            if let Some(description) = &self.description {
                listener.begin(description);
            }
            self.listeners.push(listener);
        }
    }

    /// Whether the tape will not store it again.
    fn is_repeated(&mut self, stream: usize, bytes: &[u8]) -> bool {
        let Some(newest) = self.newest.get_mut(stream).filter(|newest| newest.compares) else { return false };
        if newest.bytes.as_deref() == Some(bytes) {
            return true;
        }
        let kept = newest.bytes.get_or_insert_default();
        kept.clear();
        kept.extend_from_slice(bytes);
        false
    }
}

impl Observer for Hub {
    fn begin(&mut self, description: &Description) {
        let compared = description.streams.iter().map(|stream| stream.skip_unchanged);
        self.newest = compared.map(|compares| Newest { compares, bytes: None }).collect();
        self.description = Some(description.clone());
        for listener in &mut self.listeners {
            listener.begin(description);
        }
        self.let_in();
    }

    fn frame(&mut self, stream: usize, time_ns: u64, bytes: &[u8]) {
        self.let_in();
        if self.is_repeated(stream, bytes) {
            return;
        }
        self.joining.frames.fetch_add(1, Ordering::Relaxed);
        for listener in &mut self.listeners {
            listener.frame(stream, time_ns, bytes);
        }
    }
}

impl Drop for Hub {
    fn drop(&mut self) {
        // Who joins now would wait for ever.
        *self.joining.listeners.lock().unwrap_or_else(PoisonError::into_inner) = None;
    }
}
