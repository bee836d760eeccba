//! Live tracking during a recording: each recorder gets one observer, which feeds one tracking thread.
//!
//! ```text
//! capturing thread ──Tap──▶ ring ──▶ thread: one Tracking ─┬─▶ events ──▶ queue ──▶ thread: LapSink
//!  after `append`   (never waits;                          │                        KeepLaps: stored first, then announced
//!                    one copy)                             ├─▶ CarSink: the current state of the car (`view`)
//!                                                          └─▶ FrameSink: the frames themselves (`frames`)
//! ```
//!
//! All readers get the results of the same tracker, so they never disagree. A slow store does not delay the live view: events for the
//! store wait in a separate queue. If the ring is full, frames are dropped and counted, together with their position in the stream. Readers
//! of frames are notified, the tracker handles the missing frames like a gap on a tape, and the laps are tracked again from the tape when
//! it is closed.
//!
//! A panic in one part ends that part for the tape being recorded, and nothing else. It is reported at once and by [`Live::wait`].

mod failures;
pub mod frames;
mod keep;
mod store_queue;
pub(crate) mod tap;
pub mod view;
pub(crate) mod worker;

use std::io;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;
use std::thread::JoinHandle;

use crate::capture::{Observer, StopFlag};
use crate::laps::Event;
use crate::live::frames::FrameSink;
use crate::live::view::{CarSink, EVERY};
use crate::sys::panic_message;

use failures::Failures;
pub use failures::LiveFailure;
pub use gametape_analysis::live::LiveTape;
pub use keep::{Announced, KeepLaps};
use store_queue::StoreQueue;
use worker::{Readers, Worker};

/// Receives laps while they are driven. It is called on a separate thread, so it may wait for a store.
pub trait LapSink: Send + Sync {
    /// Receives events, in order.
    fn events(&self, tape: &LiveTape, events: Vec<Event>);

    /// Called after the last frame of the tape. If `skipped` is not 0, that many frames or events were dropped, or the tracker failed: the
    /// events may lack something that is in the tape.
    fn end(&self, tape: &LiveTape, skipped: u64);
}

/// Tracks laps during recordings, once for all readers of the results.
#[derive(Default)]
pub struct Live {
    laps: Option<Arc<dyn LapSink>>,
    car: Option<Arc<dyn CarSink>>,
    frames: Option<Arc<dyn FrameSink>>,
    patient: Option<StopFlag>,
    failures: Failures,
    threads: Vec<JoinHandle<()>>,
}

impl Live {
    /// Creates a tracker without readers.
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }

    /// Sends laps to `sink`.
    #[must_use]
    pub fn laps(self, sink: Arc<dyn LapSink>) -> Self {
        Self { laps: Some(sink), ..self }
    }

    /// Sends the current state of the car to `sink`.
    #[must_use]
    pub fn car(self, sink: Arc<dyn CarSink>) -> Self {
        Self { car: Some(sink), ..self }
    }

    /// Sends the frames themselves to `sink`.
    #[must_use]
    pub fn frames(self, sink: Arc<dyn FrameSink>) -> Self {
        Self { frames: Some(sink), ..self }
    }

    /// Makes recorders wait for the tracker instead of dropping frames, until `stop` is set. Only for a source that waits for its recorder,
    /// such as the simulated car in step: no frame is dropped at any speed.
    #[must_use]
    pub fn patient(self, stop: StopFlag) -> Self {
        Self { patient: Some(stop), ..self }
    }

    /// Calls `callback` with each failure when it happens, on the thread on which it happens.
    #[must_use]
    pub fn on_failure(self, callback: impl Fn(&LiveFailure) + Send + Sync + 'static) -> Self {
        Self { failures: Failures::new(callback), ..self }
    }

    /// Creates an observer for one recorder, and starts its threads.
    ///
    /// # Errors
    /// If a thread cannot be started.
    pub fn observer(&mut self) -> io::Result<Box<dyn Observer>> {
        let (tap, ring) = tap::Tap::new(tap::SLOTS, tap::BUDGET_BYTES, self.frames.is_some(), self.patient.clone());
        let laps = self.laps.as_ref().map(|sink| (Arc::clone(sink), Arc::new(StoreQueue::default())));
        let readers = Readers {
            laps: laps.as_ref().map(|(_, queue)| Arc::clone(queue)),
            car: self.car.as_ref().map(|sink| (Arc::clone(sink), EVERY)),
            frames: self.frames.clone(),
            failures: self.failures.clone(),
        };
        // The tracking thread first: if the other one cannot be started, it ends when the tap is dropped.
        self.spawn("gametape-live", move || Worker::new(readers).run(&ring))?;
        if let Some((sink, queue)) = laps {
            let failures = self.failures.clone();
            self.spawn("gametape-laps", move || queue.deliver(&*sink, &failures))?;
        }
        Ok(Box::new(tap))
    }

    /// Starts a thread. If it panics, the failure is reported at once.
    fn spawn(&mut self, name: &str, run: impl FnOnce() + Send + 'static) -> io::Result<()> {
        let failures = self.failures.clone();
        let guarded = move || {
            if let Err(payload) = catch_unwind(AssertUnwindSafe(run)) {
                failures.note(None, "a live tracking thread", &panic_message(&*payload));
            }
        };
        self.threads.push(std::thread::Builder::new().name(name.into()).spawn(guarded)?);
        Ok(())
    }

    /// Waits until everything has been delivered. The recorders must have ended before.
    ///
    /// # Errors
    /// Returns what failed meanwhile. The recordings are not affected.
    pub fn wait(self) -> Result<(), Vec<LiveFailure>> {
        for thread in self.threads {
            if let Err(payload) = thread.join() {
                self.failures.note(None, "a live tracking thread", &panic_message(&*payload));
            }
        }
        let failures = self.failures.take();
        if failures.is_empty() { Ok(()) } else { Err(failures) }
    }
}
