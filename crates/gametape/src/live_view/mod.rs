//! What the car does now, for those who look on while it is recorded.
//!
//! ```text
//! capturing thread ──tap──▶ ring ──▶ thread: Decoding, Tracking, Deltas ──▶ CarSink, at most 60 times a second
//!                   (never waits)                                           (only the newest matters)
//! ```
//!
//! It tracks by itself and waits for no store, so that what is seen does not stand still while a lap is being written. Ids are those of the store, since they
//! are made from the tape.

mod car;
mod deltas;
mod fuel;
mod reference;
#[cfg(test)]
mod tests;
mod watching;

use std::io;
use std::sync::Arc;
use std::thread::JoinHandle;

use crate::capture::Observer;
use crate::laps::Session;
use crate::laps::live::tap::LapTap;

pub use car::{CarNow, CarState, RunningLap};
pub use reference::Reference;

/// A second of frames: what is older is of no use to anybody.
const SLOTS: usize = 256;

/// Who looks on, on the thread that watches the car.
pub trait CarSink: Send + Sync {
    /// What the car does now.
    fn car(&self, car: &CarNow<'_>);

    /// There is no car any more.
    fn gone(&self);

    /// The best lap ever of this driver, car and track, to compare with. It is asked on a thread of its own, once for each session.
    fn best_ever(&self, session: &Session) -> Option<Reference>;
}

/// Looks on beside recorders.
pub struct LiveView {
    sink: Arc<dyn CarSink>,
    threads: Vec<JoinHandle<()>>,
}

impl LiveView {
    /// Shows `sink` what cars do.
    pub fn new(sink: Arc<dyn CarSink>) -> Self {
        Self { sink, threads: Vec::new() }
    }

    /// An observer for one recorder, and its thread.
    pub fn observer(&mut self) -> io::Result<Box<dyn Observer>> {
        let (tap, ring) = LapTap::new(SLOTS);
        let sink = Arc::clone(&self.sink);
        let thread =
            std::thread::Builder::new().name("gametape-view".into()).spawn(move || watching::run(&ring, &sink))?;
        self.threads.push(thread);
        Ok(Box::new(tap))
    }

    /// Waits until the threads have ended. The recorders must have ended before.
    pub fn wait(self) {
        for thread in self.threads {
            let _ = thread.join();
        }
    }
}
