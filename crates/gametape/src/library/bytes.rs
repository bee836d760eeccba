//! Frames as bytes, of one stream or of all, from the capturing thread into a ring; and what reads them there.

use std::io;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use super::ring::{Inlet, Reuse, Ring, copy_into};
use super::typed::Inlets;
use super::wanted::{Met, Wanted};
use crate::capture::{Description, Observer, StopFlag, TapeBegins};
use crate::format::StreamSpec;

/// Frames that wait for a writer. They may be large, so there are fewer than of structs.
const SLOTS: usize = 256;
/// The most memory that frames take while they wait.
const BUDGET_BYTES: usize = 32 << 20;
/// What a slot has room for from the start; one that gets more grows, once.
const SLOT_BYTES: usize = 1024;

/// Keeps frames in a way of its own: a file of another format, a socket, a test's memory. Runs on a thread of its own.
///
/// A closure `|stream: &StreamSpec, t: Duration, bytes: &[u8]| -> io::Result<()>` is one, too.
pub trait FrameWriter: Send + 'static {
    /// A recording begins: its game and streams. There may be more than one, one after the other.
    fn begin(&mut self, description: &Description) -> io::Result<()> {
        let _ = description;
        Ok(())
    }

    /// A frame, with the time since the beginning.
    fn frame(&mut self, stream: &StreamSpec, t: Duration, bytes: &[u8]) -> io::Result<()>;

    /// There will be no more.
    fn end(&mut self) -> io::Result<()> {
        Ok(())
    }
}

impl<W: FnMut(&StreamSpec, Duration, &[u8]) -> io::Result<()> + Send + 'static> FrameWriter for W {
    fn frame(&mut self, stream: &StreamSpec, t: Duration, bytes: &[u8]) -> io::Result<()> {
        self(stream, t, bytes)
    }
}

/// A frame in a ring, with what its tape offers. The memory is used again.
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

/// Takes the frames of one tape.
pub(crate) struct ByteTap {
    /// `None` takes all streams.
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

    fn frame(&mut self, stream: usize, time_ns: u64, bytes: &[u8]) {
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
