//! A chunk of a tape, which the reading thread sends to the playing thread. Its items are in playback order.

use crate::transport::{Entry, Link};

/// A chunk of a tape.
#[derive(Debug, Default)]
pub(super) struct Chunk {
    /// Number of seeks when it was read. Chunks from before the last seek are discarded.
    pub(super) generation: u64,
    pub(super) items: Vec<Item>,
    bytes: Vec<u8>,
}

/// One step of the playback.
#[derive(Debug, Clone)]
pub(super) enum Item {
    /// Reading starts here: at the start, after a seek, and on each loop.
    Begin { at_ns: u64 },
    /// A frame to show.
    Frame(Entry),
    /// Frames could not be read.
    Damage { frames: u64, text: String },
    /// The end of the tape. The last frame is shown until then.
    End { at_ns: u64 },
}

impl Chunk {
    pub(super) fn new(generation: u64) -> Self {
        Self { generation, ..Self::default() }
    }

    /// Stores the bytes of a frame. The frame is shown once the entry is added to `items`.
    pub(super) fn keep(&mut self, part: usize, time_ns: u64, at_once: bool, frame: &[u8]) -> Entry {
        let start = self.bytes.len();
        self.bytes.extend_from_slice(frame);
        Entry { part, time_ns, at_once, link: Link::default(), range: start..self.bytes.len() }
    }

    /// Returns the bytes of a frame.
    pub(super) fn bytes(&self, entry: &Entry) -> &[u8] {
        self.bytes.get(entry.range.clone()).unwrap_or_default()
    }

    /// Returns the total size of all frames in bytes.
    pub(super) fn len(&self) -> usize {
        self.bytes.len()
    }
}
