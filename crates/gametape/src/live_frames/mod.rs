//! Frames beside a recording, as they are: for those who send them on.
//!
//! ```text
//! capturing thread ──tap──▶ ring ──▶ tracking thread: leaves out what the tape leaves out ──▶ FrameSink
//!                   (never waits)
//! ```
//!
//! The tap and its thread are those of [`Live`](crate::laps::live::Live). What finds no room in the ring is reported as lost, where it is missing;
//! the tape has it.

#[cfg(test)]
mod tests;

use std::sync::Arc;

use gametape_format::StreamSpec;

use crate::laps::live::LiveTape;
use crate::laps::live::tap::{Begun, Slot, What};

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

/// Receives the frames, on the tracking thread of each recorder: it must not wait for long, since laps and the live view wait meanwhile.
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

/// What is known of the tape that is being recorded.
pub(crate) struct Handing {
    sink: Arc<dyn FrameSink>,
    begun: Arc<Begun>,
    streams: Vec<Stream>,
    /// What was said of what was skipped.
    lost: u64,
    has_begun: bool,
}

#[derive(Default)]
struct Stream {
    sequence: u64,
    newest: Option<Vec<u8>>,
}

impl Handing {
    pub(crate) fn begin(begun: &Arc<Begun>, sink: &Arc<dyn FrameSink>) -> Self {
        let streams = begun.streams.iter().map(|_| Stream::default()).collect();
        Self { sink: Arc::clone(sink), begun: Arc::clone(begun), streams, lost: 0, has_begun: false }
    }

    /// Hands over what a recorder saw.
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
        let number = match slot.what {
            What::Frame(number) => number,
            What::Mark => return sink.mark(&begun.tape, slot.time_ns, &String::from_utf8_lossy(&slot.bytes)),
            _ => return,
        };
        let (Some(stream), Some(spec)) = (self.streams.get_mut(number), begun.streams.get(number)) else { return };
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
        sink.frame(&begun.tape, &frame);
    }

    /// The recording has got its last frame.
    pub(crate) fn end(&self) {
        self.sink.ended(&self.begun.tape);
    }
}
