//! Remembers the newest frame of each stream, to detect whether anything moved. Also remembers the newest describing frames: every
//! tape needs them, but a source sends them once.

use gametape_format::Role;

use crate::transport::{Batch, BatchFrame, Description};

/// The newest frames, across reads and tapes.
#[derive(Debug, Default)]
pub(super) struct Newest {
    streams: Vec<OfStream>,
    /// Whether frames were read since the last description.
    looked: bool,
}

#[derive(Debug, Default)]
struct OfStream {
    describes: bool,
    newest: Vec<u8>,
    /// The newest frame that has left the batch. Kept for describing streams only.
    left: Vec<u8>,
}

impl Newest {
    /// Creates the state for a source that has just described its streams.
    pub(super) fn new(description: &Description) -> Self {
        let stream = |describes| OfStream { describes, ..OfStream::default() };
        let describes = description.streams.iter().map(|stream| stream.role == Role::Describe);
        Self { streams: describes.map(stream).collect(), looked: false }
    }

    /// Returns whether any of the frames differs from the previous one of its stream. `sampled` means that the source reads memory,
    /// where the first frame may be hours old, so it does not count as movement. The first datagram does.
    pub(super) fn look<'a>(&mut self, frames: impl Iterator<Item = BatchFrame<'a>>, sampled: bool) -> bool {
        let (mut moved, mut any) = (false, false);
        for frame in frames {
            any = true;
            let Some(stream) = self.streams.get_mut(frame.stream) else { continue };
            if stream.newest != frame.bytes {
                moved |= self.looked || !sampled;
                replace(&mut stream.newest, frame.bytes);
            }
        }
        self.looked |= any;
        moved
    }

    /// Notes frames that leave the batch because they are written to a tape or discarded.
    pub(super) fn leave<'a>(&mut self, frames: impl Iterator<Item = BatchFrame<'a>>) {
        for frame in frames {
            if let Some(stream) = self.streams.get_mut(frame.stream).filter(|stream| stream.describes) {
                replace(&mut stream.left, frame.bytes);
            }
        }
    }

    /// Returns the describing frames that a tape beginning with this batch needs first: those that apply to its first data frame
    /// and are not in the batch before it.
    pub(super) fn described_before<'a>(&'a self, batch: &'a Batch) -> impl Iterator<Item = (usize, &'a [u8])> {
        let first_data = batch.frames().position(|frame| !self.is_description(frame.stream));
        let ahead = move |index: usize| {
            batch.frames().take(first_data.unwrap_or(usize::MAX)).any(|frame| frame.stream == index)
        };
        let known = self.streams.iter().enumerate().filter(|(_, stream)| stream.describes && !stream.left.is_empty());
        known.filter(move |(index, _)| !ahead(*index)).map(|(index, stream)| (index, stream.left.as_slice()))
    }

    fn is_description(&self, stream: usize) -> bool {
        self.streams.get(stream).is_some_and(|stream| stream.describes)
    }
}

/// Replaces the contents without a new allocation.
fn replace(old: &mut Vec<u8>, new: &[u8]) {
    old.clear();
    old.extend_from_slice(new);
}
