//! A capture that runs: wait for its end, stop it, look at it.

use std::sync::mpsc::{Receiver, RecvTimeoutError, Sender, channel};
use std::sync::{Arc, Mutex, PoisonError};
use std::thread::JoinHandle;
use std::time::{Duration, Instant};

use super::capture::Capture;
use super::ctrl_c::CtrlC;
use super::frames::Frames;
use super::gate::Gate;
use super::hub::Joining;
use super::listener::{Listener, Want};
use super::offers::Offers;
use super::start::Start;
use super::start_error::StartError;
use super::summary::{CaptureError, Summary, TapeSummary};
use super::typed::{FrameStruct, TypedTap, typed_ring};
use super::wanted::{Fault, Met};
use crate::capture::{EndReason, Progress, StopFlag, Told};

/// How soon Ctrl+C is seen.
const LOOK_UP: Duration = Duration::from_millis(25);
/// After a stop, callbacks have this long for the frames that wait for them, and then again to return.
const CALLBACKS_MAY_TAKE: Duration = Duration::from_secs(1);

/// A capture that runs. Dropping it ends it and makes its tapes whole; [`wait`](Self::wait) and [`stop`](Self::stop) also say how it
/// went.
pub struct RunningCapture {
    pub(super) stop: StopFlag,
    pub(super) recorders: Vec<RecorderThread>,
    /// Listeners; those that came later are added.
    pub(super) listeners: Mutex<Vec<Listener>>,
    pub(super) offers: Offers,
    pub(super) told: Mutex<Receiver<Told>>,
    /// Never says anything, and is cut off when all recorders are done.
    pub(super) done: Mutex<Receiver<()>>,
    /// Whether sources wait for listeners.
    pub(super) patient: bool,
    pub(super) ended: EndReason,
    /// Holds tapes at full speed back until somebody reads or waits.
    pub(super) gate: Gate,
}

/// A thread that records one tape after the other.
pub(super) struct RecorderThread {
    pub(super) thread: Option<JoinHandle<bool>>,
    pub(super) progress: Arc<Progress>,
    pub(super) joining: Arc<Joining>,
}

impl RunningCapture {
    pub(super) fn start(capture: Capture) -> Result<Self, StartError> {
        let (told, hear): (Sender<Told>, Receiver<Told>) = channel();
        let (busy, done) = channel();
        let started = Start::new(capture, told, busy)?.run()?;
        Ok(Self {
            stop: started.stop,
            recorders: started.recorders,
            listeners: Mutex::new(started.listeners),
            offers: started.offers,
            told: Mutex::new(hear),
            done: Mutex::new(done),
            patient: started.patient,
            ended: started.ended,
            gate: started.gate,
        })
    }

    /// Waits until the game ends, the tape is played to its end, or somebody presses Ctrl+C (or the system asks the process to
    /// end: SIGTERM), and makes all tapes whole.
    ///
    /// To see Ctrl+C, a signal handler is installed, which stays; while nobody waits, and for a second Ctrl+C, it ends the process
    /// as if it were not there. Use [`wait_for_end`](Self::wait_for_end) where signals are your own affair.
    pub fn wait(mut self) -> Result<Summary, CaptureError> {
        // Without a handler, Ctrl+C ends the process; the tape's journal has everything then.
        let signal = CtrlC::listen().ok();
        self.gate.open();
        while !self.done_within(LOOK_UP) {
            if signal.as_ref().is_some_and(CtrlC::pressed) {
                self.stop.stop();
            }
        }
        self.end()
    }

    /// Waits until the game ends or the tape is played to its end. No signal handler; [`stopper`](Self::stopper) ends it from elsewhere.
    pub fn wait_for_end(mut self) -> Result<Summary, CaptureError> {
        self.gate.open();
        while !self.done_within(Duration::from_secs(3600)) {}
        self.end()
    }

    /// Ends it now and makes all tapes whole.
    pub fn stop(mut self) -> Result<Summary, CaptureError> {
        self.stop.stop();
        self.end()
    }

    /// Ends the capture from another thread, or from one of its callbacks.
    pub fn stopper(&self) -> StopFlag {
        self.stop.clone()
    }

    /// Whether it has ended.
    pub fn is_over(&self) -> bool {
        self.recorders.iter().all(|recorder| recorder.thread.as_ref().is_none_or(JoinHandle::is_finished))
    }

    /// Different frames that came in so far, of all streams.
    pub fn frames_seen(&self) -> u64 {
        self.recorders.iter().map(|recorder| recorder.joining.frames()).sum()
    }

    /// Frames that callbacks and iterators have missed, because they were slow. They are on the tape all the same.
    pub fn skipped(&self) -> u64 {
        self.lock_listeners().iter().map(|listener| listener.ring.skipped()).sum()
    }

    /// How often callbacks have panicked.
    pub fn panics(&self) -> u64 {
        self.lock_listeners().iter().map(|listener| listener.met.panics()).sum()
    }

    /// Puts a mark on every tape that is being written. `false` if there is none.
    pub fn mark(&self, text: &str) -> bool {
        // All of them, not the first that takes it.
        self.recorders.iter().fold(false, |marked, recorder| recorder.progress.mark(text) | marked)
    }

    /// What each tape is doing.
    pub fn progress(&self) -> impl Iterator<Item = &Progress> {
        self.recorders.iter().map(|recorder| &*recorder.progress)
    }

    /// The frames of a type from now on, as an iterator that waits for each and ends with the capture.
    ///
    /// An iterator that is not read misses frames, which are counted. A [`Tape`](crate::Tape) at full speed begins to play when somebody
    /// reads or waits, and then waits for those who read: get all iterators before the first read.
    pub fn frames<F: FrameStruct>(&self) -> Result<Frames<F>, StartError> {
        self.listen(&Want::of_type::<F>())
    }

    /// Like [`frames`](Self::frames), for a stream by its name.
    pub fn frames_of<F: FrameStruct>(&self, stream: &str) -> Result<Frames<F>, StartError> {
        self.listen(&Want::of_stream::<F>(stream))
    }

    fn listen<F: FrameStruct>(&self, want: &Want) -> Result<Frames<F>, StartError> {
        let wanted = Arc::new(self.offers.resolve(want)?);
        let (ring, inlet) = typed_ring::<F>(self.patient.then(|| self.stop.clone()));
        let met = Met::default();
        for recorder in &self.recorders {
            recorder.joining.join(Box::new(TypedTap::new(Arc::clone(&wanted), met.clone(), Arc::clone(&inlet))));
        }
        let listener = Listener { wanted, met, ring: ring.clone(), thread: None };
        self.lock_listeners().push(listener);
        Ok(Frames::new(ring, self.gate.clone()))
    }

    fn lock_listeners(&self) -> std::sync::MutexGuard<'_, Vec<Listener>> {
        self.listeners.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn done_within(&self, time: Duration) -> bool {
        let done = self.done.lock().unwrap_or_else(PoisonError::into_inner);
        done.recv_timeout(time) == Err(RecvTimeoutError::Disconnected)
    }

    /// Waits for the recorders and then for the callbacks, and sums up.
    fn end(&mut self) -> Result<Summary, CaptureError> {
        let mut failures = Vec::new();
        for recorder in &mut self.recorders {
            if recorder.thread.take().is_some_and(|thread| thread.join().is_err()) {
                failures
                    .push("a capturing thread ended by a panic: its tape can be recovered, please report it".into());
            }
        }
        let faults = self.end_listeners();
        let mut tapes = Vec::new();
        for told in self.told.lock().unwrap_or_else(PoisonError::into_inner).try_iter() {
            match TapeSummary::of(told) {
                Ok(tape) => tapes.extend(tape),
                Err(failure) => failures.push(failure),
            }
        }
        let of_tape = tapes.last().map_or(self.ended, |tape| tape.end);
        let end = if self.stop.wanted() { EndReason::Stopped } else { of_tape };
        let summary = Summary { tapes, frames: self.frames_seen(), skipped: self.skipped(), end };
        match failures.is_empty() && faults.is_empty() {
            true => Ok(summary),
            false => Err(CaptureError { failures, faults, summary }),
        }
    }

    fn end_listeners(&mut self) -> Vec<Fault> {
        let stopped = self.stop.wanted();
        let listeners = self.listeners.get_mut().unwrap_or_else(PoisonError::into_inner);
        let mut faults = Vec::new();
        let start = Instant::now();
        for listener in listeners.iter_mut() {
            if let Some(thread) = listener.thread.take() {
                // Nobody asked for the end: the callbacks get all frames, however long they take.
                if stopped && !finishes_until(&thread, start + CALLBACKS_MAY_TAKE) {
                    listener.ring.abandon();
                }
                if !stopped || finishes_until(&thread, start + 2 * CALLBACKS_MAY_TAKE) {
                    let _ = thread.join();
                } else {
                    faults.push(Fault::Stuck { listener: listener.wanted.type_name.into() });
                }
            }
            faults.extend(listener.met.faults(&listener.wanted));
        }
        faults
    }
}

impl Drop for RunningCapture {
    fn drop(&mut self) {
        if self.recorders.iter().any(|recorder| recorder.thread.is_some()) {
            self.stop.stop();
            // Nobody is left to be told.
            let _ = self.end();
        }
    }
}

/// Waits for a thread, but not longer.
fn finishes_until(thread: &JoinHandle<()>, until: Instant) -> bool {
    while !thread.is_finished() && Instant::now() < until {
        std::thread::sleep(Duration::from_millis(2));
    }
    thread.is_finished()
}
