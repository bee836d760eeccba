//! The tracking thread of one recorder: tracks once and passes the results to all readers.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::time::Duration;

use super::Event;
use super::failures::Failures;
use super::store_queue::StoreQueue;
use super::tap::{Begun, Slot, What};
use crate::laps::{Tracking, end_of_reason};
use crate::library::{Ring, ThreadWaker};
use crate::live::frames::{FrameSink, Handing};
use crate::live::view::{CarSink, Watching};
use crate::sys::panic_message;

/// The readers of the results.
#[derive(Clone, Default)]
pub(crate) struct Readers {
    pub(super) laps: Option<Arc<StoreQueue>>,
    /// The live view, and its minimum refresh interval.
    pub(super) car: Option<(Arc<dyn CarSink>, Duration)>,
    pub(super) frames: Option<Arc<dyn FrameSink>>,
    pub(super) failures: Failures,
}

#[cfg(test)]
impl Readers {
    /// The live view alone, refreshed at every slot.
    pub(crate) fn of_car(sink: Arc<dyn CarSink>) -> Self {
        Self { car: Some((sink, Duration::ZERO)), ..Self::default() }
    }
}

/// The tape being tracked.
struct Current {
    begun: Arc<Begun>,
    /// `None` if laps are not supported for the game, or after a failure.
    tracking: Option<Tracking>,
    watching: Option<Watching>,
    handing: Option<Handing>,
    last_ns: u64,
    /// Number of dropped events and of tracker failures. If not 0, the laps must be tracked again from the tape.
    lacking: u64,
}

impl Current {
    fn begin(begun: &Arc<Begun>, readers: &Readers) -> Self {
        let mut tracking = match begun.has_laps {
            true => Tracking::new(&begun.tape.game, begun.tape.id, &begun.streams).ok(),
            false => None,
        };
        if let Some(tracking) = &mut tracking {
            tracking.tracker().clock(0, begun.utc_ns);
        }
        let car = readers.car.as_ref().filter(|_| begun.has_laps);
        Self {
            begun: Arc::clone(begun),
            tracking,
            watching: car.map(|(sink, every)| Watching::begin(begun, sink, *every)),
            handing: readers.frames.as_ref().map(|sink| Handing::begin(begun, sink)),
            last_ns: 0,
            lacking: 0,
        }
    }

    fn take(&mut self, slot: &Slot, readers: &Readers) {
        self.last_ns = self.last_ns.max(slot.time_ns);
        let (begun, failures) = (Arc::clone(&self.begun), &readers.failures);
        guard(&mut self.handing, &begun, "the stream of live frames", failures, |handing| handing.take(slot));
        let mut events = Vec::new();
        let tracked = guard(&mut self.tracking, &begun, "tracking laps", failures, |tracking| {
            track(tracking, slot, &mut events);
        });
        self.lacking += u64::from(!tracked);
        guard(&mut self.watching, &begun, "the live view", failures, |watching| {
            watching.hear(&events);
            watching.take(slot.what, slot.time_ns, &slot.bytes);
        });
        if let Some(laps) = &readers.laps {
            self.lacking += laps.push(&self.begun, events);
        }
    }

    fn end(mut self, readers: &Readers) {
        let (begun, failures) = (Arc::clone(&self.begun), &readers.failures);
        let (mut events, last_ns) = (Vec::new(), self.last_ns);
        // Does nothing if the end was received; it may have been dropped.
        let finished = guard(&mut self.tracking, &begun, "tracking laps", failures, |tracking| {
            tracking.finish(end_of_reason(""), last_ns, &mut events);
        });
        self.lacking += u64::from(!finished);
        if let Some(laps) = &readers.laps {
            self.lacking += laps.push(&begun, events);
            let skipped = if begun.has_laps { begun.skipped.load(Ordering::SeqCst) } else { 0 };
            laps.end(&begun, skipped + self.lacking);
        }
        guard(&mut self.watching, &begun, "the live view", failures, |watching| watching.gone());
        guard(&mut self.handing, &begun, "the stream of live frames", failures, |handing| handing.end());
    }
}

fn track(tracking: &mut Tracking, slot: &Slot, out: &mut Vec<Event>) {
    match slot.what {
        What::Frame { stream, .. } => tracking.frame(stream, slot.time_ns, &slot.bytes, out),
        // Only if the source reported a gap, which is also stored in the tape. If frames are merely missing, the recorder may have slept.
        What::Gap(length_ns) => {
            tracking.tracker().away(slot.time_ns.saturating_sub(length_ns), slot.time_ns, out);
        }
        What::Clock(utc_ns) => tracking.tracker().clock(slot.time_ns, utc_ns),
        What::End(reason) => tracking.finish(end_of_reason(reason.as_str()), slot.time_ns, out),
        What::Mark | What::Nothing => {}
    }
}

/// Runs `act` on a part. If it panics, reports the failure and removes the part for this tape. Returns whether it did not panic.
fn guard<T>(
    part: &mut Option<T>,
    begun: &Begun,
    name: &'static str,
    failures: &Failures,
    act: impl FnOnce(&mut T),
) -> bool {
    let Some(working) = part else { return true };
    match catch_unwind(AssertUnwindSafe(|| act(working))) {
        Ok(()) => true,
        Err(payload) => {
            *part = None;
            failures.note(Some(&begun.tape), name, &panic_message(&*payload));
            false
        }
    }
}

/// Tracks the items of a ring.
pub(crate) struct Worker {
    readers: Readers,
    current: Option<Current>,
}

impl Worker {
    pub(crate) fn new(readers: Readers) -> Self {
        Self { readers, current: None }
    }

    /// Handles one item from the recorder.
    pub(crate) fn take(&mut self, slot: &mut Slot) {
        let Some(begun) = slot.tape.take() else { return };
        // The end of the previous tape may have found no free slot.
        let ends = self.current.take_if(|current| !Arc::ptr_eq(&current.begun, &begun));
        ends.into_iter().for_each(|ended| ended.end(&self.readers));
        let current = self.current.get_or_insert_with(|| Current::begin(&begun, &self.readers));
        current.take(slot, &self.readers);
        if matches!(slot.what, What::End(_)) {
            self.end();
        }
    }

    /// Ends the current tape, if there is one.
    pub(crate) fn end(&mut self) {
        self.current.take().into_iter().for_each(|ended| ended.end(&self.readers));
    }

    /// Tracks until the recorder is gone.
    pub(crate) fn run(mut self, ring: &Ring<Slot>) {
        let _leaving = Leaving(ring, self.readers.laps.clone());
        let mut waker = ThreadWaker::default();
        while ring.empty(&mut waker, &mut |slot| self.take(slot)) {}
        self.end();
    }
}

/// A guard for the end of the thread, however it ends: releases the recorder from waiting, and ends the store's thread.
struct Leaving<'a>(&'a Ring<Slot>, Option<Arc<StoreQueue>>);

impl Drop for Leaving<'_> {
    fn drop(&mut self) {
        self.0.abandon();
        self.1.iter().for_each(|queue| queue.close());
    }
}
