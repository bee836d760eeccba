//! The tracking thread of one recorder.

use std::sync::Arc;
use std::sync::atomic::Ordering;

use super::tap::{Begun, Slot, What};
use super::{Event, LapSink};
use crate::laps::tracking::{Tracking, end_of_reason};
use crate::library::{Ring, ThreadWaker};

/// The tape that is being tracked.
struct Current {
    begun: Arc<Begun>,
    /// `None` if nobody knows how to make laps of this game.
    tracking: Option<Tracking>,
    last_ns: u64,
}

impl Current {
    fn begin(begun: &Arc<Begun>) -> Self {
        let mut tracking = Tracking::new(&begun.tape.game, begun.tape.id, &begun.streams).ok();
        if let Some(tracking) = &mut tracking {
            tracking.tracker().clock(0, begun.utc_ns);
        }
        Self { begun: Arc::clone(begun), tracking, last_ns: 0 }
    }

    fn take(&mut self, slot: &Slot, out: &mut Vec<Event>) {
        let Some(tracking) = &mut self.tracking else { return };
        match slot.what {
            What::Frame(stream) => tracking.frame(stream, slot.time_ns, &slot.bytes, out),
            // Only where the source says so, and the tape with it: who sees nothing for a while may have slept.
            What::Gap(length_ns) => {
                tracking.tracker().away(slot.time_ns.saturating_sub(length_ns), slot.time_ns, out);
            }
            What::Clock(utc_ns) => tracking.tracker().clock(slot.time_ns, utc_ns),
            What::End(reason) => tracking.tracker().finish(end_of_reason(reason.as_str()), slot.time_ns, out),
            What::Mark | What::Nothing => {}
        }
        self.last_ns = self.last_ns.max(slot.time_ns);
    }

    fn end(mut self, sink: &dyn LapSink) {
        let mut events = Vec::new();
        // Does nothing if the end was told; that may have been skipped.
        if let Some(tracking) = &mut self.tracking {
            tracking.tracker().finish(end_of_reason(""), self.last_ns, &mut events);
        }
        tell(&self.begun, &mut events, sink);
        sink.end(&self.begun.tape, self.begun.skipped.load(Ordering::SeqCst));
    }
}

fn tell(begun: &Begun, events: &mut Vec<Event>, sink: &dyn LapSink) {
    if !events.is_empty() {
        sink.events(&begun.tape, std::mem::take(events));
    }
}

/// Tracks until the recorder is gone.
pub(in crate::laps) fn run(ring: &Ring<Slot>, sink: &dyn LapSink) {
    let (mut waker, mut current) = (ThreadWaker::default(), None::<Current>);
    let mut events = Vec::new();
    let mut take = |slot: &mut Slot| {
        let Some(begun) = slot.tape.take() else { return };
        let ends = current.take_if(|current| !Arc::ptr_eq(&current.begun, &begun));
        if let Some(ended) = ends {
            ended.end(sink);
        }
        let tape = current.get_or_insert_with(|| Current::begin(&begun));
        tape.take(slot, &mut events);
        slot.give_back();
        tell(&begun, &mut events, sink);
        if let (What::End(_), Some(ended)) = (slot.what, current.take_if(|_| matches!(slot.what, What::End(_)))) {
            ended.end(sink);
        }
    };
    while ring.empty(&mut waker, &mut take) {}
    if let Some(ended) = current {
        ended.end(sink);
    }
}
