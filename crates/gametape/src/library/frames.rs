//! Frames of a running capture as a blocking iterator or an async stream.

use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context, Poll};
use std::time::Duration;

use super::ring::{Ring, ThreadWaker};
use super::tape_source::Gate;
use super::typed::Timed;
use crate::tape::FrameStruct;

/// A blocking iterator over frames of one type, with the time since the start of the recording. Ends when the capture ends.
pub struct Frames<F> {
    ring: Arc<Ring<Timed<F>>>,
    waker: ThreadWaker,
    gate: Gate,
}

impl<F: FrameStruct> Frames<F> {
    pub(crate) fn new(ring: Arc<Ring<Timed<F>>>, gate: Gate) -> Self {
        Self { ring, waker: ThreadWaker::default(), gate }
    }

    /// Returns the number of frames missed because they were not read in time.
    pub fn skipped(&self) -> u64 {
        self.ring.skipped()
    }

    /// Returns the next frame if one is available. Does not block.
    pub fn try_next(&mut self) -> Option<(Duration, F)> {
        self.gate.open();
        let mut next = None;
        self.ring.try_empty(&mut |slot| next = Some(take(slot)));
        next
    }

    /// Converts the iterator to an async stream. It works with any runtime: the capture wakes the polling task.
    pub fn into_stream(self) -> FrameStream<F> {
        FrameStream { frames: self }
    }
}

fn take<F: FrameStruct>(slot: &mut Timed<F>) -> (Duration, F) {
    (Duration::from_nanos(slot.0), std::mem::replace(&mut slot.1, F::new_zeroed()))
}

impl<F: FrameStruct> Iterator for Frames<F> {
    type Item = (Duration, F);

    fn next(&mut self) -> Option<(Duration, F)> {
        self.gate.open();
        let mut next = None;
        self.ring.empty(&mut self.waker, &mut |slot| next = Some(take(slot)));
        next
    }
}

impl<F> Drop for Frames<F> {
    fn drop(&mut self) {
        self.ring.leave();
    }
}

/// An async stream of frames of one type; see [`Frames::into_stream`].
pub struct FrameStream<F> {
    frames: Frames<F>,
}

impl<F: FrameStruct> FrameStream<F> {
    /// Returns the number of frames missed because they were not polled in time.
    pub fn skipped(&self) -> u64 {
        self.frames.skipped()
    }
}

impl<F: FrameStruct> futures_core::Stream for FrameStream<F> {
    type Item = (Duration, F);

    fn poll_next(self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<Option<(Duration, F)>> {
        let frames = &mut self.get_mut().frames;
        // Check again after registering the waker, so that a frame arriving in between is not missed.
        for _ in 0..2 {
            if let Some(next) = frames.try_next() {
                return Poll::Ready(Some(next));
            }
            if frames.ring.is_over() {
                return Poll::Ready(None);
            }
            frames.ring.wake_reader_with(context.waker());
        }
        Poll::Pending
    }
}
