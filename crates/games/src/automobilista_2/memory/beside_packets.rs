//! A game that has a page of shared memory and sends packets: each frame goes to the reader of its kind.
use super::{MemoryCars, MemoryDecoder, MemoryLaps, SHARED_MEMORY};
use crate::capture::SeenFrame;
use crate::lap_frame::{Identity, LapFrame, ReadLaps};
use crate::sample::{Decode, Sample};
use crate::standings::{CarStanding, ReadStandings};

/// A reader of the page and one of packets.
#[derive(Debug)]
pub(crate) struct BesidePackets<M, P> {
    memory: M,
    packets: P,
    /// The newest frame was the page.
    is_memory: bool,
}

impl<M: Default, P> BesidePackets<M, P> {
    fn new(packets: P) -> Self {
        Self { memory: M::default(), packets, is_memory: false }
    }
}

/// Adds the page to a decoder of packets.
pub(crate) fn decoder<P: Decode>(packets: P) -> BesidePackets<MemoryDecoder, P> {
    BesidePackets::new(packets)
}

/// Adds the page to a reader of laps.
pub(crate) fn laps<P: ReadLaps>(packets: P) -> BesidePackets<MemoryLaps, P> {
    BesidePackets::new(packets)
}

/// Adds the page to a reader of standings.
pub(crate) fn standings<P: ReadStandings>(packets: P) -> BesidePackets<MemoryCars, P> {
    BesidePackets::new(packets)
}

impl<P: Decode> Decode for BesidePackets<MemoryDecoder, P> {
    fn frame(&mut self, frame: SeenFrame<'_>, sample: &mut Sample) {
        match frame.stream {
            SHARED_MEMORY => self.memory.frame(frame, sample),
            _ => self.packets.frame(frame, sample),
        }
    }
}

impl<P: ReadLaps> ReadLaps for BesidePackets<MemoryLaps, P> {
    fn frame(&mut self, frame: SeenFrame<'_>, laps: &mut LapFrame) -> bool {
        self.is_memory = frame.stream == SHARED_MEMORY;
        if self.is_memory { self.memory.frame(frame, laps) } else { self.packets.frame(frame, laps) }
    }

    fn identity(&self) -> &Identity {
        if self.is_memory { self.memory.identity() } else { self.packets.identity() }
    }
}

impl<P: ReadStandings> ReadStandings for BesidePackets<MemoryCars, P> {
    fn frame(&mut self, frame: SeenFrame<'_>) -> bool {
        self.is_memory = frame.stream == SHARED_MEMORY;
        if self.is_memory { self.memory.frame(frame) } else { self.packets.frame(frame) }
    }

    fn cars(&self) -> Vec<&CarStanding> {
        if self.is_memory { self.memory.cars() } else { self.packets.cars() }
    }

    fn session(&self) -> u64 {
        if self.is_memory { self.memory.session() } else { self.packets.session() }
    }
}
