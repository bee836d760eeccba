//! Passes frames as bytes, of one stream or of all, from the capturing thread through a ring to a writer.

use std::io;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use super::ring::{Inlet, Reuse, Ring, copy_into};
use super::typed::Inlets;
use crate::capture::{Description, ObservedFrame, Observer, StopFlag, TapeBegins};
use crate::format::StreamSpec;
use crate::tape::wanted::{Met, Wanted};

/// Number of frames that can wait for a writer. They may be large, so there are fewer slots than for structs.
const SLOTS: usize = 256;
/// Maximum memory of waiting frames.
const BUDGET_BYTES: usize = 32 << 20;
/// Initial capacity of a slot; a slot grows once when it gets a larger frame.
const SLOT_BYTES: usize = 1024;

/// A custom sink for frames: a file of another format, a socket, a buffer in a test. Runs on its own thread.
///
/// Implemented for closures `|stream: &StreamSpec, t: Duration, bytes: &[u8]| -> io::Result<()>`.
pub trait FrameWriter: Send + 'static {
    /// Called when a recording begins, with its game and streams. There may be several, one after the other.
    fn begin(&mut self, description: &Description) -> io::Result<()> {
        let _ = description;
        Ok(())
    }

    /// Called with each frame and the time since the start of the recording.
    fn frame(&mut self, stream: &StreamSpec, t: Duration, bytes: &[u8]) -> io::Result<()>;

    /// Called after the last frame.
    fn end(&mut self) -> io::Result<()> {
        Ok(())
    }
}

impl<W: FnMut(&StreamSpec, Duration, &[u8]) -> io::Result<()> + Send + 'static> FrameWriter for W {
    fn frame(&mut self, stream: &StreamSpec, t: Duration, bytes: &[u8]) -> io::Result<()> {
        self(stream, t, bytes)
    }
}

/// A frame in a ring, with the description of its tape. The memory is reused.
#[derive(Default)]
pub(crate) struct Slot {
    pub(crate) description: Option<Arc<Description>>,
    pub(crate) stream: usize,
    pub(crate) time_ns: u64,
    pub(crate) bytes: Vec<u8>,
}

impl Reuse for Slot {
    fn held_bytes(&self) -> usize {
        self.bytes.capacity()
    }

    fn release(&mut self) {
        self.bytes = Vec::new();
    }
}

pub(crate) fn byte_ring(patient: Option<StopFlag>) -> (Arc<Ring<Slot>>, Inlets<Slot>) {
    let empty = || Slot { bytes: Vec::with_capacity(SLOT_BYTES), ..Slot::default() };
    let ring = Arc::new(Ring::new(SLOTS, BUDGET_BYTES, empty));
    let inlet = Arc::new(Mutex::new(Inlet::new(Arc::clone(&ring), patient)));
    (ring, inlet)
}

/// Receives the frames of one tape.
pub(crate) struct ByteTap {
    /// `None` selects all streams.
    wanted: Option<Arc<Wanted>>,
    met: Met,
    inlet: Inlets<Slot>,
    description: Option<Arc<Description>>,
    stream: Option<usize>,
}

impl ByteTap {
    pub(crate) fn new(wanted: Option<Arc<Wanted>>, met: Met, inlet: Inlets<Slot>) -> Self {
        Self { wanted, met, inlet, description: None, stream: None }
    }
}

impl Observer for ByteTap {
    fn begin(&mut self, tape: &TapeBegins<'_>) {
        self.stream = self.wanted.as_ref().and_then(|wanted| self.met.find(wanted, tape.description));
        self.description = Some(Arc::new(tape.description.clone()));
    }

    fn frame(&mut self, frame: &ObservedFrame<'_>) {
        let ObservedFrame { stream, time_ns, bytes, .. } = *frame;
        if self.wanted.is_some() && self.stream != Some(stream) {
            return;
        }
        let mut inlet = self.inlet.lock().unwrap_or_else(PoisonError::into_inner);
        inlet.fill(bytes.len(), &mut |slot| {
            slot.description.clone_from(&self.description);
            (slot.stream, slot.time_ns) = (stream, time_ns);
            copy_into(&mut slot.bytes, bytes);
        });
    }
}
