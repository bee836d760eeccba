//! What the reading thread hands to the playing one: a stretch of a tape, in the order in which it is shown.

use std::ops::Range;

use super::parts::PartKind;

/// A stretch of a tape.
#[derive(Debug, Default)]
pub(super) struct Chunk {
    /// Counts seeks: what was read before the last one is not wanted any more.
    pub(super) generation: u64,
    pub(super) items: Vec<Item>,
    bytes: Vec<u8>,
}

/// One thing to do.
#[derive(Debug, Clone)]
pub(super) enum Item {
    /// Reading begins here: at the start, after a seek, and again in a loop.
    Begin { at_ns: u64 },
    /// A frame is to be shown.
    Frame(Entry),
    /// Frames could not be read.
    Damage { frames: u64, text: String },
    /// There is no more; the last frame stays until then.
    End { at_ns: u64 },
}

/// A frame of a chunk.
#[derive(Debug, Clone)]
pub(super) struct Entry {
    pub(super) part: usize,
    pub(super) kind: PartKind,
    pub(super) time_ns: u64,
    /// Belongs to the moment where reading begins: it is shown at once.
    pub(super) at_once: bool,
    /// iRacing: tick and buffer of the row, or number of the text, as the header of the moment says.
    pub(super) link: Link,
    range: Range<usize>,
}

/// What a header says about a frame.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(super) struct Link {
    pub(super) tick: Option<i32>,
    pub(super) buffer: Option<usize>,
    pub(super) text_update: Option<i32>,
}

impl Chunk {
    pub(super) fn new(generation: u64) -> Self {
        Self { generation, ..Self::default() }
    }

    /// Takes a frame in; it is shown when it is put into `items`.
    pub(super) fn keep(&mut self, part: usize, kind: PartKind, time_ns: u64, at_once: bool, frame: &[u8]) -> Entry {
        let start = self.bytes.len();
        self.bytes.extend_from_slice(frame);
        Entry { part, kind, time_ns, at_once, link: Link::default(), range: start..self.bytes.len() }
    }

    /// The bytes of a frame.
    pub(super) fn bytes(&self, entry: &Entry) -> &[u8] {
        self.bytes.get(entry.range.clone()).unwrap_or_default()
    }

    /// Bytes of all frames.
    pub(super) fn len(&self) -> usize {
        self.bytes.len()
    }
}
