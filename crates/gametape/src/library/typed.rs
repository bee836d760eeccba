//! Passes frames as structs from the capturing thread into a ring.

use std::sync::{Arc, Mutex, PoisonError};

use super::ring::{Inlet, Reuse, Ring};
use crate::capture::{ObservedFrame, Observer, StopFlag, TapeBegins};
use crate::format::StreamSpec;
use crate::tape::FrameStruct;
use crate::tape::wanted::{Met, Wanted};

/// Number of frames that can wait for a callback or an iterator: five seconds at 100 Hz.
pub(crate) const SLOTS: usize = 512;
/// Maximum memory of waiting frames: large structs get fewer slots.
const BUDGET_BYTES: usize = 32 << 20;
/// Minimum number of slots, however large the struct is.
const FEWEST_SLOTS: usize = 4;

/// A time in nanoseconds and a frame.
pub(crate) type Timed<F> = (u64, F);

/// The frame is stored in the slot itself, not on the heap.
impl<F> Reuse for Timed<F> {
    fn held_bytes(&self) -> usize {
        0
    }

    fn release(&mut self) {}
}

/// Returns how many slots of this size fit into the budget.
fn slots_of(bytes: usize) -> usize {
    (BUDGET_BYTES / bytes.max(1)).clamp(FEWEST_SLOTS, SLOTS)
}

/// The writing end of a ring, shared by several tapes.
pub(crate) type Inlets<T> = Arc<Mutex<Inlet<T>>>;

/// Creates a ring of frames and its writing end. For `patient`, see [`Inlet::new`].
pub(crate) fn typed_ring<F: FrameStruct>(patient: Option<StopFlag>) -> (Arc<Ring<Timed<F>>>, Inlets<Timed<F>>) {
    let ring = Arc::new(Ring::new(slots_of(size_of::<Timed<F>>()), BUDGET_BYTES, || (0, F::new_zeroed())));
    let inlet = Arc::new(Mutex::new(Inlet::new(Arc::clone(&ring), patient)));
    (ring, inlet)
}

/// Receives the frames of one stream of one tape.
pub(crate) struct TypedTap<F> {
    wanted: Arc<Wanted>,
    met: Met,
    inlet: Inlets<Timed<F>>,
    stream: Option<(usize, StreamSpec)>,
}

impl<F: FrameStruct> TypedTap<F> {
    pub(crate) fn new(wanted: Arc<Wanted>, met: Met, inlet: Inlets<Timed<F>>) -> Self {
        Self { wanted, met, inlet, stream: None }
    }
}

impl<F: FrameStruct> Observer for TypedTap<F> {
    fn begin(&mut self, tape: &TapeBegins<'_>) {
        let found = self.met.find(&self.wanted, tape.description);
        self.stream = found.and_then(|index| Some((index, tape.description.streams.get(index)?.clone())));
    }

    fn frame(&mut self, frame: &ObservedFrame<'_>) {
        let ObservedFrame { stream, time_ns, bytes, .. } = *frame;
        let Some((_, spec)) = self.stream.as_ref().filter(|(wanted, _)| *wanted == stream) else { return };
        if bytes.len() != size_of::<F>() {
            self.met.fault(self.wanted.mismatch(spec, bytes.len()));
            return;
        }
        let mut inlet = self.inlet.lock().unwrap_or_else(PoisonError::into_inner);
        inlet.fill(0, &mut |(time, kept)| {
            if let Ok(read) = F::read_from_bytes(bytes) {
                (*time, *kept) = (time_ns, read);
            }
        });
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn large_structs_get_fewer_slots() {
        assert_eq!((slots_of(0), slots_of(1600), slots_of(325 << 10)), (SLOTS, SLOTS, 100));
        assert_eq!(slots_of(1 << 30), FEWEST_SLOTS);
    }
}
