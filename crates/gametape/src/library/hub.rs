//! Passes each new frame of a tape to all listeners, on the capturing thread.
//!
//! Listeners get the frames that the tape stores: observers get a frame after the tape has accepted it, and unchanged frames are not passed
//! on.

use std::path::PathBuf;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Arc, Mutex, PoisonError};

use crate::capture::{Description, EndReason, ObservedFrame, Observer, TapeBegins};
use crate::format::TapeId;

/// Distributes frames to listeners.
pub(crate) struct Hub {
    listeners: Vec<Box<dyn Observer>>,
    joining: Arc<Joining>,
    begun: Option<Begun>,
}

/// The current tape, for listeners that join later.
struct Begun {
    description: Description,
    file: Option<(TapeId, PathBuf)>,
    utc_ns: i64,
    replay_of: Option<String>,
}

impl Begun {
    fn of(tape: &TapeBegins<'_>) -> Self {
        Self {
            description: tape.description.clone(),
            file: tape.file.map(|(id, path)| (id, path.to_owned())),
            utc_ns: tape.utc_ns,
            replay_of: tape.replay_of.map(str::to_owned),
        }
    }

    fn tape(&self) -> TapeBegins<'_> {
        TapeBegins {
            description: &self.description,
            file: self.file.as_ref().map(|(id, path)| (*id, path.as_path())),
            utc_ns: self.utc_ns,
            replay_of: self.replay_of.as_deref(),
        }
    }
}

/// Lets listeners join a running capture, and counts frames.
#[derive(Default)]
pub(crate) struct Joining {
    waits: AtomicBool,
    frames: AtomicU64,
    /// `None` after the hub was dropped.
    listeners: Mutex<Option<Vec<Box<dyn Observer>>>>,
}

impl Joining {
    /// Returns the number of frames passed to listeners.
    pub(crate) fn frames(&self) -> u64 {
        self.frames.load(Ordering::Relaxed)
    }

    /// Adds a listener, which gets frames from now on. It is dropped immediately if the capture is over.
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
        Self { listeners, joining, begun: None }
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
            if let Some(begun) = &self.begun {
                listener.begin(&begun.tape());
            }
            self.listeners.push(listener);
        }
    }
}

impl Observer for Hub {
    fn begin(&mut self, tape: &TapeBegins<'_>) {
        self.begun = Some(Begun::of(tape));
        for listener in &mut self.listeners {
            listener.begin(tape);
        }
        self.let_in();
    }

    fn frame(&mut self, frame: &ObservedFrame<'_>) {
        self.let_in();
        if frame.unchanged {
            return;
        }
        self.joining.frames.fetch_add(1, Ordering::Relaxed);
        self.listeners.iter_mut().for_each(|listener| listener.frame(frame));
    }

    fn gap(&mut self, until_ns: u64, length_ns: u64) {
        self.listeners.iter_mut().for_each(|listener| listener.gap(until_ns, length_ns));
    }

    fn clock(&mut self, time_ns: u64, utc_ns: i64) {
        self.listeners.iter_mut().for_each(|listener| listener.clock(time_ns, utc_ns));
    }

    fn mark(&mut self, time_ns: u64, text: &str) {
        self.listeners.iter_mut().for_each(|listener| listener.mark(time_ns, text));
    }

    fn end(&mut self, time_ns: u64, reason: EndReason) {
        self.begun = None;
        self.listeners.iter_mut().for_each(|listener| listener.end(time_ns, reason));
    }
}

impl Drop for Hub {
    fn drop(&mut self) {
        // A listener that joins now would wait forever.
        *self.joining.listeners.lock().unwrap_or_else(PoisonError::into_inner) = None;
    }
}
