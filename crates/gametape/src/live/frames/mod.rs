//! Raw frames during a recording, for consumers that forward them.
//!
//! ```text
//! capturing thread ──tap──▶ ring buffer ──▶ tracking thread: skips what the tape skips ──▶ FrameSink
//!                 (never blocks)
//! ```
//!
//! The tap and its thread belong to [`Live`](crate::live::Live). Frames that do not fit into the ring buffer are reported as
//! lost at their position; the tape has them.

#[cfg(test)]
mod tests;

use std::sync::Arc;

use gametape_format::StreamSpec;

use crate::live::LiveTape;
use crate::live::tap::{Begun, Slot, What};

/// A frame of a recording.
#[derive(Debug, Clone, Copy)]
pub struct LiveFrame<'a> {
    /// Index of its stream in the list passed to [`FrameSink::begins`].
    pub stream: usize,
    /// Time since the beginning of the tape.
    pub time_ns: u64,
    /// Number of the frame within its stream.
    pub sequence: u64,
    /// The bytes of the frame.
    pub bytes: &'a [u8],
}

/// Receives the frames, on the tracking thread of each recorder. It must not block for long, because laps and the live view wait
/// meanwhile.
pub trait FrameSink: Send + Sync {
    /// Called when a recording begins. `utc_ns` is UTC at tape time 0, in nanoseconds since 1970.
    fn begins(&self, tape: &LiveTape, streams: &[StreamSpec], utc_ns: i64);

    /// Called for each frame that the tape stores.
    fn frame(&self, tape: &LiveTape, frame: &LiveFrame<'_>);

    /// Called for each mark that the user sets.
    fn mark(&self, tape: &LiveTape, time_ns: u64, text: &str);

    /// Called when frames were not delivered since the last one. The tape has them.
    fn lost(&self, tape: &LiveTape, frames: u64, time_ns: u64);

    /// Called after the last frame of a recording.
    fn ended(&self, tape: &LiveTape);
}

/// Delivers the frames of the tape that is being recorded.
pub(crate) struct Handing {
    sink: Arc<dyn FrameSink>,
    begun: Arc<Begun>,
    streams: Vec<Stream>,
    /// Number of lost frames that were reported.
    lost: u64,
    has_begun: bool,
}

#[derive(Default)]
struct Stream {
    sequence: u64,
    /// Number of frames that the tape's ring had skipped when the last frame was delivered. If it has grown since, the one that this frame
    /// equals may not have been delivered.
    skipped: u64,
}

impl Handing {
    pub(crate) fn begin(begun: &Arc<Begun>, sink: &Arc<dyn FrameSink>) -> Self {
        let streams = begun.streams.iter().map(|_| Stream::default()).collect();
        Self { sink: Arc::clone(sink), begun: Arc::clone(begun), streams, lost: 0, has_begun: false }
    }

    /// Delivers an item of the ring buffer.
    pub(crate) fn take(&mut self, slot: &Slot) {
        let (sink, begun) = (&self.sink, &self.begun);
        if !self.has_begun {
            self.has_begun = true;
            sink.begins(&begun.tape, &begun.streams, begun.utc_ns);
        }
        if slot.skipped > self.lost {
            sink.lost(&begun.tape, slot.skipped - self.lost, slot.time_ns);
            self.lost = slot.skipped;
        }
        let (number, unchanged) = match slot.what {
            What::Frame { stream, unchanged } => (stream, unchanged),
            What::Mark => return sink.mark(&begun.tape, slot.time_ns, &String::from_utf8_lossy(&slot.bytes)),
            _ => return,
        };
        let Some(stream) = self.streams.get_mut(number) else { return };
        if unchanged && slot.skipped == stream.skipped {
            return;
        }
        stream.skipped = slot.skipped;
        let frame = LiveFrame { stream: number, time_ns: slot.time_ns, sequence: stream.sequence, bytes: &slot.bytes };
        stream.sequence += 1;
        sink.frame(&begun.tape, &frame);
    }

    /// Reports the end of the recording.
    pub(crate) fn end(&self) {
        self.sink.ended(&self.begun.tape);
    }
}
