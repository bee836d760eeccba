//! Callbacks and writers: each has its own thread and ring, so that a slow one affects no other.

use std::any::{TypeId, type_name};
use std::io;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;
use std::thread::JoinHandle;
use std::time::Duration;

use super::bytes::{ByteTap, FrameWriter, Slot, byte_ring};
use super::ring::{Reuse, Ring, ThreadWaker};
use super::typed::{Inlets, Timed, TypedTap, typed_ring};
use crate::capture::{Description, Observer, StopFlag};
use crate::tape::FrameStruct;
use crate::tape::wanted::{Fault, Met, Wanted};

/// The frames that a listener requests.
pub(crate) enum Want {
    /// The stream with frames of this type.
    Type { id: TypeId, name: &'static str, bytes: usize },
    /// A stream by name, as frames of this type; as bytes if `bytes` is `None`.
    Stream { stream: String, name: &'static str, bytes: Option<usize> },
    /// All streams.
    All,
}

impl Want {
    pub(crate) fn of_type<F: FrameStruct>() -> Self {
        Self::Type { id: TypeId::of::<F>(), name: type_name::<F>(), bytes: size_of::<F>() }
    }

    pub(crate) fn of_stream<F: FrameStruct>(stream: &str) -> Self {
        Self::Stream { stream: stream.into(), name: type_name::<F>(), bytes: Some(size_of::<F>()) }
    }
}

/// A listener that has not been started.
pub(crate) trait Listen: Send {
    fn wants(&self) -> Want;

    /// Starts its thread. Returns one observer for each of `tapes` tapes.
    fn start(self: Box<Self>, wanted: Wanted, patient: Option<StopFlag>, tapes: usize) -> io::Result<Started>;
}

/// A started listener.
pub(crate) struct Started {
    pub(crate) observers: Vec<Box<dyn Observer>>,
    pub(crate) listener: Listener,
}

/// The handle of a running listener.
pub(crate) struct Listener {
    pub(crate) wanted: Arc<Wanted>,
    pub(crate) met: Met,
    pub(crate) ring: Arc<dyn AnyRing>,
    pub(crate) thread: Option<JoinHandle<()>>,
}

/// A type-erased ring.
pub(crate) trait AnyRing: Send + Sync {
    fn skipped(&self) -> u64;
    fn abandon(&self);
}

impl<T: Reuse + Send> AnyRing for Ring<T> {
    fn skipped(&self) -> u64 {
        Self::skipped(self)
    }

    fn abandon(&self) {
        Self::abandon(self);
    }
}

/// A callback for frames of one type.
pub(crate) struct OnFrame<F, H> {
    want: fn(&str) -> Want,
    stream: String,
    handler: H,
    frame: std::marker::PhantomData<fn() -> F>,
}

impl<F: FrameStruct, H: FnMut(Duration, &F) + Send + 'static> OnFrame<F, H> {
    pub(crate) fn of_type(handler: H) -> Self {
        Self { want: |_| Want::of_type::<F>(), stream: String::new(), handler, frame: std::marker::PhantomData }
    }

    pub(crate) fn of_stream(stream: &str, handler: H) -> Self {
        Self { want: Want::of_stream::<F>, stream: stream.into(), handler, frame: std::marker::PhantomData }
    }
}

impl<F: FrameStruct, H: FnMut(Duration, &F) + Send + 'static> Listen for OnFrame<F, H> {
    fn wants(&self) -> Want {
        (self.want)(&self.stream)
    }

    fn start(self: Box<Self>, wanted: Wanted, patient: Option<StopFlag>, tapes: usize) -> io::Result<Started> {
        let (ring, inlet) = typed_ring::<F>(patient);
        let (wanted, met, mut handler) = (Arc::new(wanted), Met::default(), self.handler);
        let tap = || TypedTap::new(Arc::clone(&wanted), met.clone(), Arc::clone(&inlet));
        let observers = (0..tapes).map(|_| Box::new(tap()) as Box<dyn Observer>).collect();
        let thread = consume(&ring, &met, move |(time_ns, frame): &mut Timed<F>| {
            handler(Duration::from_nanos(*time_ns), frame);
        })?;
        Ok(Started { observers, listener: Listener { wanted, met, ring, thread: Some(thread) } })
    }
}

/// A writer or a callback for bytes.
pub(crate) struct OnBytes<W> {
    stream: Option<String>,
    writer: W,
}

impl<W: FrameWriter> OnBytes<W> {
    /// Creates a listener for one stream, or for all if `None`.
    pub(crate) fn new(stream: Option<&str>, writer: W) -> Self {
        Self { stream: stream.map(str::to_owned), writer }
    }
}

impl<W: FrameWriter> Listen for OnBytes<W> {
    fn wants(&self) -> Want {
        match &self.stream {
            Some(stream) => Want::Stream { stream: stream.clone(), name: "bytes", bytes: None },
            None => Want::All,
        }
    }

    fn start(self: Box<Self>, wanted: Wanted, patient: Option<StopFlag>, tapes: usize) -> io::Result<Started> {
        let (filters, writer) = (self.stream.is_some(), self.writer);
        listen_to_bytes(wanted, byte_ring(patient), filters, tapes, |met| {
            let mut writing = Writing { writer, met, description: None, failed: false };
            move |slot: &mut Slot| writing.take(slot)
        })
    }
}

/// Starts a thread that receives frames as bytes: of the wanted stream, or of all.
pub(crate) fn listen_to_bytes<E: FnMut(&mut Slot) + Send + 'static>(
    wanted: Wanted,
    (ring, inlet): (Arc<Ring<Slot>>, Inlets<Slot>),
    filters: bool,
    tapes: usize,
    each: impl FnOnce(Met) -> E,
) -> io::Result<Started> {
    let (wanted, met) = (Arc::new(wanted), Met::default());
    let filter = filters.then(|| Arc::clone(&wanted));
    let tap = || ByteTap::new(filter.clone(), met.clone(), Arc::clone(&inlet));
    let observers = (0..tapes).map(|_| Box::new(tap()) as Box<dyn Observer>).collect();
    let thread = consume(&ring, &met, each(met.clone()))?;
    Ok(Started { observers, listener: Listener { wanted, met, ring, thread: Some(thread) } })
}

/// A running writer. Calls [`FrameWriter::end`] when dropped, that is, after the last frame.
struct Writing<W: FrameWriter> {
    writer: W,
    met: Met,
    description: Option<Arc<Description>>,
    failed: bool,
}

impl<W: FrameWriter> Writing<W> {
    fn take(&mut self, slot: &Slot) {
        let Some(description) = slot.description.as_ref().filter(|_| !self.failed) else { return };
        let same = self.description.as_ref().is_some_and(|known| Arc::ptr_eq(known, description));
        let begun = if same { Ok(()) } else { self.writer.begin(description) };
        if !same {
            self.description = Some(Arc::clone(description));
        }
        let written = begun.and_then(|()| match description.streams.get(slot.stream) {
            Some(stream) => self.writer.frame(stream, Duration::from_nanos(slot.time_ns), &slot.bytes),
            None => Ok(()),
        });
        self.note(written);
    }

    fn note(&mut self, result: io::Result<()>) {
        if let Err(error) = result {
            self.failed = true;
            self.met.fault(Fault::Writer { message: error.to_string() });
        }
    }
}

impl<W: FrameWriter> Drop for Writing<W> {
    fn drop(&mut self) {
        if self.description.is_some() && !self.failed {
            match catch_unwind(AssertUnwindSafe(|| self.writer.end())) {
                Ok(ended) => self.note(ended),
                Err(payload) => self.met.panicked(&*payload),
            }
        }
    }
}

/// Starts a thread that calls `each` for every item in the ring. Panics are caught and recorded.
fn consume<T: Reuse + Send + 'static>(
    ring: &Arc<Ring<T>>,
    met: &Met,
    mut each: impl FnMut(&mut T) + Send + 'static,
) -> io::Result<JoinHandle<()>> {
    let (ring, met) = (Arc::clone(ring), met.clone());
    std::thread::Builder::new().name("gametape-callback".into()).spawn(move || {
        let mut waker = ThreadWaker::default();
        let mut call = |slot: &mut T| {
            if let Err(payload) = catch_unwind(AssertUnwindSafe(|| each(slot))) {
                met.panicked(&*payload);
            }
        };
        while ring.empty(&mut waker, &mut call) {}
    })
}
