//! The result of one read of a source: frames, counters and events. The buffers are reused for the next read.

use gametape_format::{Counters, StreamSpec};
use gametape_games::{Layout, Stream};

use crate::layout::stream_of_layout;

/// What a source provides: its game and its streams. Stream numbers in a [`Batch`] are indices into `streams`.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Description {
    /// Id of the game.
    pub game: String,
    /// The streams.
    pub streams: Vec<StreamSpec>,
    /// Events that every tape of these streams starts with: kind and text.
    pub notes: Vec<(String, String)>,
}

impl Description {
    /// Returns a description of a game without streams.
    pub fn of_game(game: &str) -> Self {
        Self { game: game.into(), ..Self::default() }
    }

    /// Adds a stream whose frames have this layout. Consecutive equal frames are stored once.
    pub fn layout(&mut self, stream: &str, transport: &str, layout: &Layout) {
        let spec = stream_of_layout(&self.game, stream, transport, layout);
        self.streams.push(StreamSpec { skip_unchanged: true, ..spec });
    }

    /// Adds a stream of frames with an unknown layout and any length.
    pub fn rows(&mut self, stream: &str, transport: &str) {
        let (game, transport) = (self.game.clone(), transport.into());
        self.streams.push(StreamSpec { game, transport, skip_unchanged: true, ..StreamSpec::rows(stream) });
    }

    /// Adds a stream of a known game with frames of `frame_bytes` bytes: with its layout if one has that length, as raw bytes
    /// otherwise.
    pub fn known(&mut self, stream: &Stream, transport: &str, frame_bytes: u32) {
        match stream.layout_of(frame_bytes) {
            Some(layout) => self.layout(stream.name, transport, layout),
            None => self.rows(stream.name, transport),
        }
    }
}

/// A frame in a batch.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct BatchFrame<'a> {
    /// Index of the stream in the description.
    pub stream: usize,
    /// Time of the copy, on the clock of the capture.
    pub time_ns: u64,
    /// The bytes of the frame.
    pub bytes: &'a [u8],
}

/// An event in a batch.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct BatchEvent {
    /// Time of the event, on the clock of the capture.
    pub time_ns: u64,
    /// Kind of the event.
    pub kind: String,
    /// Text for people.
    pub text: String,
    /// Duration of the event if it has one. The event ends at `time_ns`.
    pub length_ns: Option<u64>,
}
/// Maximum number of events kept while no tape can be created. Later events are lost.
const MOST_EVENTS: usize = 10_000;

/// Frames, counters and events of one or more reads, and the current description of the source.
#[derive(Debug, Default)]
pub struct Batch {
    description: Description,
    described: u64,
    lost_with_description: u64,
    frames: Vec<(usize, u64, usize)>,
    bytes: Vec<u8>,
    counters: Vec<Counters>,
    events: Vec<BatchEvent>,
    game_moves: bool,
}

impl Batch {
    /// Sets what the source provides from now on. A changed description ends the tape, because the set of streams is different.
    /// Frames that are still queued for the old tape are lost and counted.
    pub fn describe(&mut self, description: Description) {
        if self.described > 0 && description == self.description {
            return;
        }
        self.lost_with_description += self.frames.len() as u64;
        self.clear();
        self.counters = vec![Counters::default(); description.streams.len()];
        self.description = description;
        self.described += 1;
    }

    /// Adds a frame of a stream, given by its index in the description.
    pub fn frame(&mut self, stream: usize, time_ns: u64, bytes: &[u8]) {
        self.bytes.extend_from_slice(bytes);
        self.frames.push((stream, time_ns, self.bytes.len()));
    }

    /// Adds to the counters of a stream.
    pub fn count(&mut self, stream: usize, counters: &Counters) {
        if let Some(sum) = self.counters.get_mut(stream) {
            sum.add(counters);
        }
    }

    /// Adds to the counters of all streams.
    pub fn count_all(&mut self, counters: &Counters) {
        self.counters.iter_mut().for_each(|sum| sum.add(counters));
    }

    /// Adds an event.
    pub fn event(&mut self, time_ns: u64, kind: &str, text: &str) {
        self.events.push(BatchEvent { time_ns, kind: kind.into(), text: text.into(), length_ns: None });
    }

    /// Adds an event of another batch.
    pub(crate) fn copy_event(&mut self, event: &BatchEvent) {
        self.events.push(event.clone());
    }

    /// Adds an event that lasted `length_ns` until `time_ns`.
    pub(crate) fn event_with_length(&mut self, time_ns: u64, kind: &str, text: &str, length_ns: u64) {
        let (kind, text) = (kind.into(), text.into());
        self.events.push(BatchEvent { time_ns, kind, text, length_ns: Some(length_ns) });
    }

    /// Reports that the game is running although none of these frames shows it. For sources that deliver only a part of what they
    /// read.
    pub fn game_moves(&mut self) {
        self.game_moves = true;
    }

    /// Returns whether the source reported that the game is running, and resets the flag.
    pub(crate) fn take_game_moves(&mut self) -> bool {
        std::mem::take(&mut self.game_moves)
    }

    /// Returns the current description of the source.
    pub fn description(&self) -> &Description {
        &self.description
    }

    /// Returns how many times the description changed. A different number means a different description.
    pub fn described(&self) -> u64 {
        self.described
    }

    /// Returns the frames in the order they were added.
    pub fn frames(&self) -> impl Iterator<Item = BatchFrame<'_>> {
        let mut start = 0;
        self.frames.iter().map(move |(stream, time_ns, end)| {
            let bytes = self.bytes.get(start..*end).unwrap_or_default();
            start = *end;
            BatchFrame { stream: *stream, time_ns: *time_ns, bytes }
        })
    }

    /// Returns the counters of each stream.
    pub fn counters(&self) -> &[Counters] {
        &self.counters
    }

    /// Returns the events in the order they were added.
    pub fn events(&self) -> &[BatchEvent] {
        &self.events
    }

    /// Removes all frames before index `first`.
    pub fn keep_from(&mut self, first: usize) {
        let first = first.min(self.frames.len());
        let start = first.checked_sub(1).and_then(|last| self.frames.get(last)).map_or(0, |(_, _, end)| *end);
        self.bytes.drain(..start);
        self.frames.drain(..first);
        self.frames.iter_mut().for_each(|(_, _, end)| *end -= start);
    }

    /// Returns the number of frames in the batch.
    pub fn len(&self) -> usize {
        self.frames.len()
    }

    /// Returns `true` if the batch has no frames.
    pub fn is_empty(&self) -> bool {
        self.frames.is_empty()
    }

    /// Returns how many queued frames were lost because the description changed, and resets the count.
    pub fn take_lost(&mut self) -> u64 {
        std::mem::take(&mut self.lost_with_description)
    }

    /// Returns the total size of all frames in bytes.
    pub fn frame_bytes(&self) -> usize {
        self.bytes.len()
    }

    /// Removes all frames, counters and events. Keeps the memory and the description.
    pub fn clear(&mut self) {
        self.frames.clear();
        self.bytes.clear();
        self.events.clear();
        self.counters.fill(Counters::default());
    }

    /// Moves the contents of another batch into this one. Stream 0 of `other` becomes `first_stream`.
    pub(crate) fn take_over(&mut self, other: &mut Self, first_stream: usize) {
        for frame in other.frames() {
            self.frame(first_stream + frame.stream, frame.time_ns, frame.bytes);
        }
        for (stream, counters) in other.counters.iter().enumerate() {
            self.count(first_stream + stream, counters);
        }
        self.events.append(&mut other.events);
        self.game_moves |= other.take_game_moves();
        self.lost_with_description += other.take_lost();
        other.clear();
    }

    /// Prepares the batch to take over a batch with that many streams, without a description.
    pub(crate) fn begin_copy(&mut self, streams: usize) {
        self.clear();
        self.counters.resize(streams, Counters::default());
    }

    /// Resets all counters.
    pub fn forget_counts(&mut self) {
        self.counters.fill(Counters::default());
    }

    /// Drops the newest frames until the rest has at most `most_bytes` bytes, and counts the dropped frames. Used when there is no
    /// tape to write to.
    pub fn drop_newest(&mut self, most_bytes: usize) {
        self.events.truncate(MOST_EVENTS);
        while self.bytes.len() > most_bytes
            && let Some((stream, _, _)) = self.frames.pop()
        {
            self.bytes.truncate(self.frames.last().map_or(0, |(_, _, end)| *end));
            if let Some(sum) = self.counters.get_mut(stream) {
                sum.dropped += 1;
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn frames_come_back_in_order_and_memory_is_used_again() {
        let mut batch = Batch::default();
        let mut description = Description::of_game("test");
        description.rows("a", "shm");
        description.rows("b", "shm");
        batch.describe(description);
        for round in 0..3 {
            batch.frame(0, 10, b"one");
            batch.frame(1, 20, b"");
            batch.frame(0, 30, b"three");
            batch.count(1, &Counters { torn: 2, ..Counters::default() });
            batch.count(7, &Counters { torn: 2, ..Counters::default() });
            let frames: Vec<_> =
                batch.frames().map(|frame| (frame.stream, frame.time_ns, frame.bytes.to_vec())).collect();
            assert_eq!(frames, [(0, 10, b"one".to_vec()), (1, 20, vec![]), (0, 30, b"three".to_vec())], "{round}");
            assert_eq!(batch.counters().get(1).unwrap().torn, 2);
            batch.keep_from(1);
            let kept: Vec<_> = batch.frames().map(|frame| frame.bytes.to_vec()).collect();
            assert_eq!(kept, [b"".to_vec(), b"three".to_vec()]);
            batch.keep_from(9);
            assert_eq!((batch.len(), batch.frame_bytes()), (0, 0));
            batch.clear();
            assert_eq!((batch.frames().count(), batch.described()), (0, 1));
        }
    }

    #[test]
    fn what_finds_no_room_is_the_newest_and_is_counted() {
        let mut batch = Batch::default();
        let mut description = Description::of_game("test");
        description.rows("a", "shm");
        description.rows("b", "shm");
        batch.describe(description);
        for (number, stream) in [0, 1, 0, 0].into_iter().enumerate() {
            batch.frame(stream, 10, &[number as u8; 4]);
        }
        batch.drop_newest(16);
        assert_eq!(batch.len(), 4, "there is room for all");
        batch.drop_newest(7);
        let left: Vec<_> = batch.frames().map(|frame| frame.bytes.to_vec()).collect();
        assert_eq!(left, [vec![0; 4]]);
        let dropped: Vec<u64> = batch.counters().iter().map(|counters| counters.dropped).collect();
        assert_eq!(dropped, [2, 1]);
        batch.frame(1, 20, b"next");
        assert_eq!(batch.frames().last().unwrap().bytes, b"next");
    }
}
