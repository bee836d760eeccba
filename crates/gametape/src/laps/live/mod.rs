//! What runs beside a recording: each recorder gets one observer, and behind it one thread that tracks.
//!
//! ```text
//! capturing thread ──Tap──▶ ring ──▶ thread: one Tracking ─┬─▶ events ──▶ queue ──▶ thread: LapSink
//!  after `append`   (never waits;                          │                        KeepLaps: into the store, and only then announced
//!                    one copy)                             ├─▶ CarSink: what the car does now (`live_view`)
//!                                                          └─▶ FrameSink: the frames themselves (`live_frames`)
//! ```
//!
//! All readers see the results of the same tracker, so they never disagree. A store may be slow: its events wait in a queue of their own, and
//! the car is shown meanwhile. What finds no room in the ring is counted, and where in the stream of frames that was: readers of frames are
//! told, the tracker sees a stretch without frames as it does on a tape, and the laps are made again from the tape when it is closed.
//!
//! A panic of a part ends that part for the tape that is being recorded, and nothing else; it is reported at once and by [`Live::wait`].

mod failures;
mod keep;
mod store_queue;
pub(crate) mod tap;
pub(crate) mod worker;

use std::io;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;
use std::thread::JoinHandle;

use super::event::Event;
use crate::capture::{Observer, StopFlag};
use crate::library::message_of;
use crate::live_frames::FrameSink;
use crate::live_view::{CarSink, EVERY};

use failures::Failures;
pub use failures::LiveFailure;
pub use gametape_analysis::live::LiveTape;
pub use keep::{Announced, KeepLaps};
use store_queue::StoreQueue;
use worker::{Readers, Worker};

/// Receives laps while they are driven, on a thread of its own: it may wait for a store.
pub trait LapSink: Send + Sync {
    /// What happened, in this order.
    fn events(&self, tape: &LiveTape, events: Vec<Event>);

    /// The tape has got its last frame. If `skipped` is not 0, that many frames or events were not handed over, or the tracker failed: what
    /// was told may lack something that is on the tape.
    fn end(&self, tape: &LiveTape, skipped: u64);
}

/// Tracks beside recorders, once for all readers of the results.
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
    /// Tracks for nobody yet.
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }

    /// Hands laps to `sink`.
    #[must_use]
    pub fn laps(self, sink: Arc<dyn LapSink>) -> Self {
        Self { laps: Some(sink), ..self }
    }

    /// Shows `sink` what the car does now.
    #[must_use]
    pub fn car(self, sink: Arc<dyn CarSink>) -> Self {
        Self { car: Some(sink), ..self }
    }

    /// Hands the frames themselves to `sink`.
    #[must_use]
    pub fn frames(self, sink: Arc<dyn FrameSink>) -> Self {
        Self { frames: Some(sink), ..self }
    }

    /// Recorders wait for the tracker instead of skipping frames, until `stop` is wanted. Only for a source that waits for its recorder, such
    /// as the simulated car in step: no frame is skipped at any speed.
    #[must_use]
    pub fn patient(self, stop: StopFlag) -> Self {
        Self { patient: Some(stop), ..self }
    }

    /// Calls `told` with each failure when it happens, on the thread on which it happens.
    #[must_use]
    pub fn on_failure(self, told: impl Fn(&LiveFailure) + Send + Sync + 'static) -> Self {
        Self { failures: Failures::new(told), ..self }
    }

    /// An observer for one recorder, and its threads.
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
        // This one first: if the other cannot be started, it ends with the tap.
        self.spawn("gametape-live", move || Worker::new(readers).run(&ring))?;
        if let Some((sink, queue)) = laps {
            let failures = self.failures.clone();
            self.spawn("gametape-laps", move || queue.deliver(&*sink, &failures))?;
        }
        Ok(Box::new(tap))
    }

    /// Starts a thread whose panic is a failure, told at once.
    fn spawn(&mut self, name: &str, run: impl FnOnce() + Send + 'static) -> io::Result<()> {
        let failures = self.failures.clone();
        let guarded = move || {
            if let Err(payload) = catch_unwind(AssertUnwindSafe(run)) {
                failures.note(None, "a thread beside the recording", &message_of(&*payload));
            }
        };
        self.threads.push(std::thread::Builder::new().name(name.into()).spawn(guarded)?);
        Ok(())
    }

    /// Waits until all is handed over. The recorders must have ended before.
    ///
    /// # Errors
    /// What failed meanwhile: the recordings are not concerned.
    pub fn wait(self) -> Result<(), Vec<LiveFailure>> {
        for thread in self.threads {
            if let Err(payload) = thread.join() {
                self.failures.note(None, "a thread beside the recording", &message_of(&*payload));
            }
        }
        let failures = self.failures.take();
        if failures.is_empty() { Ok(()) } else { Err(failures) }
    }
}
