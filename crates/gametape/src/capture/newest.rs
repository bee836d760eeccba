//! The newest frame of each stream: what does not differ from it has not moved. And the frames that describe others, since every
//! tape needs them although a source gives them once.

use gametape_format::Role;

use super::batch::{Batch, BatchFrame, Description};

/// Remembers frames across looks and tapes.
#[derive(Debug, Default)]
pub(super) struct Newest {
    streams: Vec<OfStream>,
    /// Whether this description has given frames before.
    looked: bool,
}

#[derive(Debug, Default)]
struct OfStream {
    describes: bool,
    newest: Vec<u8>,
    /// The newest one that has left the batch. Kept for streams that describe others.
    left: Vec<u8>,
}

impl Newest {
    /// For the streams of a source that has just described itself.
    pub(super) fn new(description: &Description) -> Self {
        let stream = |describes| OfStream { describes, ..OfStream::default() };
        let describes = description.streams.iter().map(|stream| stream.role == Role::Describe);
        Self { streams: describes.map(stream).collect(), looked: false }
    }

    /// Whether one of the frames differs from the one before it. `sampled`: the source looks into memory, where the first frame may be
    /// hours old; the first datagram is not.
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

    /// Frames leave the batch: onto a tape, or to be forgotten.
    pub(super) fn leave<'a>(&mut self, frames: impl Iterator<Item = BatchFrame<'a>>) {
        for frame in frames {
            if let Some(stream) = self.streams.get_mut(frame.stream).filter(|stream| stream.describes) {
                replace(&mut stream.left, frame.bytes);
            }
        }
    }

    /// What a tape that begins with this batch needs before it: descriptions that hold for its first frames, and are not in it.
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

/// In the memory that is there.
fn replace(old: &mut Vec<u8>, new: &[u8]) {
    old.clear();
    old.extend_from_slice(new);
}
