//! A running capture: wait for its end, stop it, inspect it. Its result.

use std::sync::mpsc::{Receiver, RecvTimeoutError, Sender, channel};
use std::sync::{Arc, Mutex, PoisonError};
use std::thread::JoinHandle;
use std::time::{Duration, Instant};

use super::capture::Capture;
use super::ctrl_c::CtrlC;
use super::frames::Frames;
use super::hub::Joining;
use super::listener::{Listener, Want};
use super::offers::Offers;
use super::start::Start;
use super::start_error::StartError;
use super::tape_source::Gate;
use super::typed::{TypedTap, typed_ring};
use crate::capture::{EndReason, Progress, RecorderEvent, StopFlag, TapeSummary};
use crate::tape::FrameStruct;
use crate::tape::wanted::{Fault, Met};

/// Polling interval for Ctrl+C.
const LOOK_UP: Duration = Duration::from_millis(25);
/// After a stop, time for callbacks to process waiting frames, and then the same time again to return.
const CALLBACKS_MAY_TAKE: Duration = Duration::from_secs(1);

/// A running capture. Dropping it ends it and closes its tapes; [`wait`](Self::wait) and [`stop`](Self::stop) also return the
/// result.
pub struct RunningCapture {
    pub(super) stop: StopFlag,
    pub(super) recorders: Vec<RecorderThread>,
    /// All listeners, including those added later.
    pub(super) listeners: Mutex<Vec<Listener>>,
    pub(super) offers: Offers,
    pub(super) told: Mutex<Receiver<RecorderEvent>>,
    /// Tapes and errors among the events so far.
    pub(super) results: Mutex<Results>,
    /// Never receives a value; disconnected when all recorders are done.
    pub(super) done: Mutex<Receiver<()>>,
    /// Whether sources wait for listeners.
    pub(super) patient: bool,
    pub(super) ended: EndReason,
    /// Holds tapes at full speed back until a reader or waiter is ready.
    pub(super) gate: Gate,
}

/// A thread that records one tape after the other.
pub(super) struct RecorderThread {
    pub(super) thread: Option<JoinHandle<()>>,
    pub(super) progress: Arc<Progress>,
    pub(super) joining: Arc<Joining>,
}

impl RunningCapture {
    pub(super) fn start(capture: Capture) -> Result<Self, StartError> {
        let (told, hear): (Sender<RecorderEvent>, Receiver<RecorderEvent>) = channel();
        let (busy, done) = channel();
        let started = Start::new(capture, told, busy)?.run()?;
        Ok(Self {
            stop: started.stop,
            recorders: started.recorders,
            listeners: Mutex::new(started.listeners),
            offers: started.offers,
            told: Mutex::new(hear),
            results: Mutex::default(),
            done: Mutex::new(done),
            patient: started.patient,
            ended: started.ended,
            gate: started.gate,
        })
    }

    /// Waits until the game ends, the tape has been played to its end, Ctrl+C is pressed, or the system asks the process to end (SIGTERM).
    /// Then closes all tapes.
    ///
    /// Installs a signal handler for Ctrl+C, which stays installed. While no caller waits, and on the second Ctrl+C, it ends the process
    /// like the default handler. Use [`wait_for_end`](Self::wait_for_end) if your program handles signals itself.
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

    /// Waits until the game ends or the tape has been played to its end. Installs no signal handler; [`stopper`](Self::stopper) ends it.
    pub fn wait_for_end(mut self) -> Result<Summary, CaptureError> {
        self.gate.open();
        while !self.done_within(Duration::from_secs(3600)) {}
        self.end()
    }

    /// Ends the capture now and closes all tapes.
    pub fn stop(mut self) -> Result<Summary, CaptureError> {
        self.stop.stop();
        self.end()
    }

    /// Returns a handle that ends the capture from another thread or from one of its callbacks.
    pub fn stopper(&self) -> StopFlag {
        self.stop.clone()
    }

    /// Returns whether the capture has ended.
    pub fn is_over(&self) -> bool {
        self.recorders.iter().all(|recorder| recorder.thread.as_ref().is_none_or(JoinHandle::is_finished))
    }

    /// Returns the number of distinct frames received so far, of all streams.
    pub fn frames_seen(&self) -> u64 {
        self.recorders.iter().map(|recorder| recorder.joining.frames()).sum()
    }

    /// Returns the number of frames that slow callbacks and iterators have missed. The tape contains them nevertheless.
    pub fn skipped(&self) -> u64 {
        self.lock_listeners().iter().map(|listener| listener.ring.skipped()).sum()
    }

    /// Returns how often callbacks have panicked.
    pub fn panics(&self) -> u64 {
        self.lock_listeners().iter().map(|listener| listener.met.panics()).sum()
    }

    /// Adds a mark to every tape being written. Returns `false` if there is none.
    pub fn mark(&self, text: &str) -> bool {
        // Mark all tapes, not only the first.
        self.recorders.iter().fold(false, |marked, recorder| recorder.progress.mark(text) | marked)
    }

    /// Returns the progress of each tape. It can be shared with other threads.
    pub fn progress(&self) -> impl Iterator<Item = &Arc<Progress>> {
        self.recorders.iter().map(|recorder| &recorder.progress)
    }

    /// Waits for the next event of any recorder. The summary includes the tapes and errors that were returned here.
    ///
    /// # Errors
    /// `Timeout` if there was none in this time, `Disconnected` if the capture is over and there will be no more.
    pub fn next_event(&self, time: Duration) -> Result<RecorderEvent, RecvTimeoutError> {
        let told = self.told.lock().unwrap_or_else(PoisonError::into_inner);
        let event = told.recv_timeout(time)?;
        self.results.lock().unwrap_or_else(PoisonError::into_inner).add(&event);
        Ok(event)
    }

    /// Returns whether any source has ended: it reached its maximum duration, failed, or has no more data.
    pub fn any_ended(&self) -> bool {
        self.recorders.iter().any(|recorder| recorder.thread.as_ref().is_none_or(JoinHandle::is_finished))
    }

    /// Returns a blocking iterator over the frames of a type from now on. It ends with the capture.
    ///
    /// An iterator that is not read misses frames, which are counted. A [`Tape`](crate::Tape) at full speed starts to play at the first
    /// read or wait, and from then on waits for its readers: create all iterators before the first read.
    pub fn frames<F: FrameStruct>(&self) -> Result<Frames<F>, StartError> {
        self.listen(&Want::of_type::<F>())
    }

    /// Like [`frames`](Self::frames), for a stream by name.
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

    /// Waits for the recorders and then for the callbacks, and builds the summary.
    fn end(&mut self) -> Result<Summary, CaptureError> {
        for thread in self.recorders.iter_mut().filter_map(|recorder| recorder.thread.take()) {
            // Panics are among the events.
            let _ = thread.join();
        }
        let faults = self.end_listeners();
        while self.next_event(Duration::ZERO).is_ok() {}
        let Results { tapes, failures } =
            std::mem::take(self.results.get_mut().unwrap_or_else(PoisonError::into_inner));
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
                // Without a stop request, callbacks get all frames, however long they take.
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
            // There is no caller left to report errors to.
            let _ = self.end();
        }
    }
}

/// Waits for a thread until a deadline. Returns whether it has finished.
fn finishes_until(thread: &JoinHandle<()>, until: Instant) -> bool {
    while !thread.is_finished() && Instant::now() < until {
        std::thread::sleep(Duration::from_millis(2));
    }
    thread.is_finished()
}

/// The result of a capture.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct Summary {
    /// The tapes, in the order in which they were closed.
    pub tapes: Vec<TapeSummary>,
    /// Distinct frames received, of all streams, recorded or not.
    pub frames: u64,
    /// Frames that slow callbacks and iterators missed. The tape contains them nevertheless.
    pub skipped: u64,
    /// Why it ended.
    pub end: EndReason,
}

/// The results among the events of recorders.
#[derive(Default)]
pub(crate) struct Results {
    pub(crate) tapes: Vec<TapeSummary>,
    pub(crate) failures: Vec<String>,
}

impl Results {
    pub(crate) fn add(&mut self, event: &RecorderEvent) {
        match event {
            RecorderEvent::Opened { .. } | RecorderEvent::Warned(_) => {}
            // A rolling buffer closes pieces for days: they are events, not results, and must not pile up.
            RecorderEvent::Closed(tape) if tape.end == EndReason::NextPiece => {}
            RecorderEvent::Closed(tape) => self.tapes.push(tape.clone()),
            RecorderEvent::Failed(text) | RecorderEvent::Lost(text) => self.failures.push(text.clone()),
        }
    }
}

/// An error during a capture. The summary holds what was recorded.
#[derive(Debug, thiserror::Error)]
#[error("{}", self.text())]
#[non_exhaustive]
pub struct CaptureError {
    /// Errors of reading, writing or closing.
    pub failures: Vec<String>,
    /// Errors of callbacks, iterators and writers. They do not affect the recording.
    pub faults: Vec<Fault>,
    /// What was captured nevertheless.
    pub summary: Summary,
}

impl CaptureError {
    fn text(&self) -> String {
        let all = self.failures.iter().cloned().chain(self.faults.iter().map(ToString::to_string));
        all.collect::<Vec<_>>().join("; ")
    }
}
