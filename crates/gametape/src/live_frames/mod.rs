//! Frames beside a recording, as they are: for those who send them on.
//!
//! ```text
//! capturing thread ──tap──▶ ring ──▶ thread: leaves out what the tape leaves out ──▶ FrameSink
//!                   (never waits)
//! ```
//!
//! What finds no place in the ring is told as lost; the tape has it.

#[cfg(test)]
mod tests;

use std::io;
use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::thread::JoinHandle;

use gametape_format::StreamSpec;

use crate::capture::Observer;
use crate::laps::live::LiveTape;
use crate::laps::live::tap::{Begun, LapTap, Slot, What};
use crate::library::{Ring, ThreadWaker};

/// Some seconds of frames of any game.
const SLOTS: usize = 1024;

/// A frame of a recording.
#[derive(Debug, Clone, Copy)]
pub struct LiveFrame<'a> {
    /// Number of its stream in the list that came with the beginning.
    pub stream: usize,
    /// Since the beginning of the tape.
    pub time_ns: u64,
    /// Counts the frames of its stream.
    pub sequence: u64,
    /// The bytes as the game gave them.
    pub bytes: &'a [u8],
}

/// Who gets the frames, on a thread of its own for each recorder: it may wait, and frames wait meanwhile.
pub trait FrameSink: Send + Sync {
    /// A recording begins; UTC at its time 0, in nanoseconds since 1970.
    fn begins(&self, tape: &LiveTape, streams: &[StreamSpec], utc_ns: i64);

    /// A frame that the tape keeps.
    fn frame(&self, tape: &LiveTape, frame: &LiveFrame<'_>);

    /// A mark that a user has set.
    fn mark(&self, tape: &LiveTape, time_ns: u64, text: &str);

    /// So many frames were not handed over since the last one; the tape has them.
    fn lost(&self, tape: &LiveTape, frames: u64, time_ns: u64);

    /// The recording has got its last frame.
    fn ended(&self, tape: &LiveTape);
}

/// Hands frames over beside recorders.
pub struct LiveFrames {
    sink: Arc<dyn FrameSink>,
    threads: Vec<JoinHandle<()>>,
}

impl LiveFrames {
    /// Gives `sink` what is recorded.
    pub fn new(sink: Arc<dyn FrameSink>) -> Self {
        Self { sink, threads: Vec::new() }
    }

    /// An observer for one recorder, and its thread.
    pub fn observer(&mut self) -> io::Result<Box<dyn Observer>> {
        let (tap, ring) = LapTap::of_all(SLOTS);
        let sink = Arc::clone(&self.sink);
        let thread = std::thread::Builder::new().name("gametape-frames".into()).spawn(move || run(&ring, &*sink))?;
        self.threads.push(thread);
        Ok(Box::new(tap))
    }

    /// Waits until the threads have ended. The recorders must have ended before.
    pub fn wait(self) {
        for thread in self.threads {
            let _ = thread.join();
        }
    }
}

/// What is known of the tape that is being recorded.
struct Handing {
    begun: Arc<Begun>,
    streams: Vec<Stream>,
    /// What was told of what was skipped.
    lost: u64,
}

#[derive(Default)]
struct Stream {
    sequence: u64,
    newest: Option<Vec<u8>>,
}

impl Handing {
    fn begin(begun: &Arc<Begun>, sink: &dyn FrameSink) -> Self {
        sink.begins(&begun.tape, &begun.streams, begun.utc_ns);
        let streams = begun.streams.iter().map(|_| Stream::default()).collect();
        Self { begun: Arc::clone(begun), streams, lost: 0 }
    }

    fn take(&mut self, slot: &Slot, sink: &dyn FrameSink) {
        let lost = self.begun.skipped.load(Ordering::SeqCst);
        if lost > self.lost {
            sink.lost(&self.begun.tape, lost - self.lost, slot.time_ns);
            self.lost = lost;
        }
        let number = match slot.what {
            What::Frame(number) => number,
            What::Mark => return sink.mark(&self.begun.tape, slot.time_ns, &String::from_utf8_lossy(&slot.bytes)),
            _ => return,
        };
        let (Some(stream), Some(spec)) = (self.streams.get_mut(number), self.begun.streams.get(number)) else { return };
        if spec.skip_unchanged {
            if stream.newest.as_deref() == Some(&slot.bytes) {
                return;
            }
            let newest = stream.newest.get_or_insert_default();
            newest.clear();
            newest.extend_from_slice(&slot.bytes);
        }
        let frame = LiveFrame { stream: number, time_ns: slot.time_ns, sequence: stream.sequence, bytes: &slot.bytes };
        stream.sequence += 1;
        sink.frame(&self.begun.tape, &frame);
    }
}

/// Hands over until the recorder is gone.
fn run(ring: &Ring<Slot>, sink: &dyn FrameSink) {
    let (mut waker, mut handing) = (ThreadWaker::default(), None::<Handing>);
    let mut take = |slot: &mut Slot| {
        let Some(begun) = slot.tape.take() else { return };
        let same = handing.as_ref().is_some_and(|handing| Arc::ptr_eq(&handing.begun, &begun));
        if !same {
            // The end of the tape before found no slot.
            handing.take().iter().for_each(|before| sink.ended(&before.begun.tape));
        }
        let of_tape = handing.get_or_insert_with(|| Handing::begin(&begun, sink));
        of_tape.take(slot, sink);
        slot.give_back();
        if matches!(slot.what, What::End(_)) {
            handing = None;
            sink.ended(&begun.tape);
        }
    };
    while ring.empty(&mut waker, &mut take) {}
    handing.iter().for_each(|handing| sink.ended(&handing.begun.tape));
}
