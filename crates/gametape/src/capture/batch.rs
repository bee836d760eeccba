//! What one look at a source gave: frames, counts and events, in memory that is used again for the next look.

use gametape_format::{Counters, StreamSpec};
use gametape_games::{Layout, Stream};

use crate::layout::stream_of_layout;

/// What a source offers: its game and its streams, in the order that the batch's stream numbers mean.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Description {
    /// Id of the game.
    pub game: String,
    /// The streams.
    pub streams: Vec<StreamSpec>,
    /// What every tape of these streams says at its beginning: kind and text of an event.
    pub notes: Vec<(String, String)>,
}

impl Description {
    /// A game with no streams yet.
    pub fn of_game(game: &str) -> Self {
        Self { game: game.into(), ..Self::default() }
    }

    /// Adds a stream whose frames have this layout. Frames equal to the one before are not stored again.
    pub fn layout(&mut self, stream: &str, transport: &str, layout: &Layout) {
        let spec = stream_of_layout(&self.game, stream, transport, layout);
        self.streams.push(StreamSpec { skip_unchanged: true, ..spec });
    }

    /// Adds a stream of frames whose layout is not known, of any length.
    pub fn rows(&mut self, stream: &str, transport: &str) {
        let (game, transport) = (self.game.clone(), transport.into());
        self.streams.push(StreamSpec { game, transport, skip_unchanged: true, ..StreamSpec::rows(stream) });
    }

    /// Adds a stream of a known game whose frames are this long: with its layout if one has that length, as bytes otherwise.
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
    /// Which stream of the description.
    pub stream: usize,
    /// When it was copied, on the capture's clock.
    pub time_ns: u64,
    /// The frame.
    pub bytes: &'a [u8],
}

/// Something that happened, in a batch.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct BatchEvent {
    /// When, on the capture's clock.
    pub time_ns: u64,
    /// What kind of event.
    pub kind: String,
    /// In words.
    pub text: String,
    /// How long it lasted until then, if it has a length.
    pub length_ns: Option<u64>,
}
/// Events that wait for a tape that cannot be made; what comes then is lost.
const MOST_EVENTS: usize = 10_000;

/// Frames, counts and events of one look, and what the source offers since the last change.
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
    /// Says what the source offers from now on. A change ends the tape, since its streams are others now; frames that still wait
    /// here for the old one are lost, and counted.
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

    /// Adds a frame of a stream, by its place in the description.
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

    /// Adds something that happened.
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

    /// Says that the game works although none of these frames shows it: for sources that give only a part of what they see.
    pub fn game_moves(&mut self) {
        self.game_moves = true;
    }

    /// Whether the source said that the game works; asking forgets it.
    pub(crate) fn take_game_moves(&mut self) -> bool {
        std::mem::take(&mut self.game_moves)
    }

    /// What the source offers.
    pub fn description(&self) -> &Description {
        &self.description
    }

    /// How often the source has said what it offers: another number is another description.
    pub fn described(&self) -> u64 {
        self.described
    }

    /// The frames, in the order they came.
    pub fn frames(&self) -> impl Iterator<Item = BatchFrame<'_>> {
        let mut start = 0;
        self.frames.iter().map(move |(stream, time_ns, end)| {
            let bytes = self.bytes.get(start..*end).unwrap_or_default();
            start = *end;
            BatchFrame { stream: *stream, time_ns: *time_ns, bytes }
        })
    }

    /// The counters of each stream.
    pub fn counters(&self) -> &[Counters] {
        &self.counters
    }

    /// What happened: time, kind, text.
    pub fn events(&self) -> &[BatchEvent] {
        &self.events
    }

    /// Forgets all frames but those from `first` on, counted from 0 in the order they came.
    pub fn keep_from(&mut self, first: usize) {
        let first = first.min(self.frames.len());
        let start = first.checked_sub(1).and_then(|last| self.frames.get(last)).map_or(0, |(_, _, end)| *end);
        self.bytes.drain(..start);
        self.frames.drain(..first);
        self.frames.iter_mut().for_each(|(_, _, end)| *end -= start);
    }

    /// Frames in the batch.
    pub fn len(&self) -> usize {
        self.frames.len()
    }

    /// Whether there is no frame.
    pub fn is_empty(&self) -> bool {
        self.frames.is_empty()
    }

    /// Frames that were lost because the description changed while they waited; asking forgets them.
    pub fn take_lost(&mut self) -> u64 {
        std::mem::take(&mut self.lost_with_description)
    }

    /// Bytes of all frames together.
    pub fn frame_bytes(&self) -> usize {
        self.bytes.len()
    }

    /// Forgets frames, counts and events; keeps the memory and the description.
    pub fn clear(&mut self) {
        self.frames.clear();
        self.bytes.clear();
        self.events.clear();
        self.counters.fill(Counters::default());
    }

    /// Takes over all that is in another batch; its stream 0 is `first_stream` here.
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

    /// Makes it fit to take over a batch of that many streams, without a description of its own.
    pub(crate) fn begin_copy(&mut self, streams: usize) {
        self.clear();
        self.counters.resize(streams, Counters::default());
    }

    /// Forgets what was counted.
    pub fn forget_counts(&mut self) {
        self.counters.fill(Counters::default());
    }

    /// Drops the newest frames until those that are left have at most this many bytes, and counts them: for frames that nobody can keep.
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
