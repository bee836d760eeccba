//! The capturing thread's end: frames are copied into slots that are there from the start.

use std::sync::Arc;

use gametape_format::StreamSpec;

use super::LiveTape;
use crate::capture::{EndReason, Observer, TapeBegins};
use crate::library::{Inlet, Ring};

/// The tape that slots belong to.
#[derive(Debug)]
pub(crate) struct Begun {
    pub(crate) tape: LiveTape,
    pub(crate) streams: Vec<StreamSpec>,
    pub(crate) utc_ns: i64,
}

/// What a slot holds.
#[derive(Debug, Clone, Copy, Default)]
pub(crate) enum What {
    /// A frame of the stream with this number.
    Frame(usize),
    /// A reading of the wall clock.
    Clock(i64),
    /// There are no more frames.
    End(EndReason),
    #[default]
    Nothing,
}

/// One thing that a recorder saw. The memory is used again.
#[derive(Default)]
pub(crate) struct Slot {
    pub(crate) tape: Option<Arc<Begun>>,
    pub(crate) what: What,
    pub(crate) time_ns: u64,
    pub(crate) bytes: Vec<u8>,
}

/// Sees what one recorder records.
pub(crate) struct LapTap {
    inlet: Inlet<Slot>,
    /// `None` between tapes, and while nothing is kept: laps need a tape to belong to.
    tape: Option<Arc<Begun>>,
}

impl LapTap {
    pub(crate) fn new(slots: usize) -> (Self, Arc<Ring<Slot>>) {
        let ring = Arc::new(Ring::new(slots, Slot::default));
        (Self { inlet: Inlet::new(Arc::clone(&ring), None), tape: None }, ring)
    }

    fn put(&mut self, what: What, time_ns: u64, bytes: &[u8]) {
        let Some(tape) = &self.tape else { return };
        self.inlet.fill(&mut |slot| {
            slot.tape = Some(Arc::clone(tape));
            (slot.what, slot.time_ns) = (what, time_ns);
            slot.bytes.clear();
            slot.bytes.extend_from_slice(bytes);
        });
    }
}

impl Observer for LapTap {
    fn begin(&mut self, tape: &TapeBegins<'_>) {
        self.tape = tape.file.map(|(id, path)| {
            Arc::new(Begun {
                tape: LiveTape {
                    id,
                    path: path.to_owned(),
                    game: tape.description.game.clone(),
                    replay_of: tape.replay_of.map(str::to_owned),
                },
                streams: tape.description.streams.clone(),
                utc_ns: tape.utc_ns,
            })
        });
    }

    fn frame(&mut self, stream: usize, time_ns: u64, bytes: &[u8]) {
        self.put(What::Frame(stream), time_ns, bytes);
    }

    fn clock(&mut self, time_ns: u64, utc_ns: i64) {
        self.put(What::Clock(utc_ns), time_ns, &[]);
    }

    fn end(&mut self, time_ns: u64, reason: EndReason) {
        self.put(What::End(reason), time_ns, &[]);
        self.tape = None;
    }
}
