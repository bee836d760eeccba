//! Writes a capture: header once, frames in order, footer with correct indexes. Nothing is buffered beyond the block that is being filled, so after a crash a file has
//! all blocks that were finished; a plain stream has every record.

use std::io::{self, Write};

use super::index::IndexBuilder;
use super::output::Output;
use crate::dictionary::Dictionary;
use crate::event_index::EventIndexEntry;
use crate::event_type;
use crate::generation::Generation;
use crate::limits::Limits;
use crate::meaning;
use crate::proto::telemetry::v2::{CaptureHeader, Frame, envelope, frame};
use crate::record::{Record, RecordError, RecordKind};
use crate::state::StateTracker;

/// How records lie in the file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Layout {
    /// One after the other: for live streams.
    Plain,
    /// A zstd block for each keyframe interval and a table of them at the end: for files. Readers can jump.
    #[cfg(feature = "zstd")]
    Blocks,
    /// One zstd stream, as older writers make it. Readers cannot jump.
    #[cfg(feature = "zstd")]
    Stream,
}

impl Default for Layout {
    fn default() -> Self {
        #[cfg(feature = "zstd")]
        return Self::Blocks;
        #[cfg(not(feature = "zstd"))]
        return Self::Plain;
    }
}

/// What a writer is to do.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct WriteOptions {
    /// How records lie in the file.
    pub layout: Layout,
    /// [`Generation::Third`] or, for readers of the first generation, [`Generation::Seed`].
    pub generation: Generation,
    /// Frames from one keyframe to the next; 0 counts as 1.
    pub keyframe_interval: u32,
    /// Level of zstd.
    pub level: i32,
    /// Put the full state into keyframes. Never done in the seed's generation.
    pub keyframe_state: bool,
    /// The largest record is that of readers.
    pub limits: Limits,
}

impl Default for WriteOptions {
    fn default() -> Self {
        Self {
            layout: Layout::default(),
            generation: Generation::Third,
            keyframe_interval: 100,
            level: 3,
            keyframe_state: true,
            limits: Limits::default(),
        }
    }
}

/// Why something was not written.
#[derive(Debug, thiserror::Error)]
pub enum WriteError {
    /// The target failed. Nothing more is taken.
    #[error("writing failed: {0}")]
    Io(#[from] io::Error),
    /// The writer failed before.
    #[error("writing failed before, nothing more is written")]
    Failed,
    /// Only the seed's generation and the third can be made out of messages.
    #[error("{generation:?} is not written: use Generation::Third, or Seed for readers of the first generation")]
    Generation {
        /// What was asked for.
        generation: Generation,
    },
    /// Frames have the numbers 0, 1, 2 and so on.
    #[error("frame {expected} must come next, not {actual}")]
    FrameOrder {
        /// The number that must come.
        expected: u32,
        /// The number that came.
        actual: u32,
    },
    /// A frame without payload.
    #[error("frame {frame_index} has no payload")]
    NoPayload {
        /// Its number.
        frame_index: u32,
    },
    /// A record larger than any reader takes.
    #[error("a record of {actual} bytes, at most {limit} are allowed")]
    TooLarge {
        /// Its bytes.
        actual: usize,
        /// Bytes allowed.
        limit: usize,
    },
    /// Headers and footers are the writer's own.
    #[error("a record of kind {kind:?} cannot be copied here")]
    Kind {
        /// What it is.
        kind: RecordKind,
    },
    /// A record that is copied cannot be read.
    #[error("the record to copy: {0}")]
    Record(#[from] RecordError),
}

/// What was written.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Summary {
    /// Frames.
    pub frames: u32,
    /// Bytes of the stream, before packing.
    pub stream_bytes: u64,
    /// Values and events that the seed's generation has no place for.
    pub left_out: u64,
}

/// A block that grows beyond this is ended before its time.
const MAX_BLOCK_BYTES: usize = 2 << 20;

/// Writes a capture.
pub struct Writer<W: Write> {
    output: Output<W>,
    options: WriteOptions,
    index: IndexBuilder,
    tracker: StateTracker,
    since_keyframe: u32,
    left_out: u64,
    failed: bool,
}

impl<W: Write> Writer<W> {
    /// Begin a capture. The version in the header is filled in.
    pub fn new(sink: W, mut header: CaptureHeader, options: WriteOptions) -> Result<Self, WriteError> {
        if !matches!(options.generation, Generation::Seed | Generation::Third) {
            return Err(WriteError::Generation { generation: options.generation });
        }
        let tracker = StateTracker::new(&header);
        meaning::header_for(&mut header, options.generation);
        Self::begin(sink, &Record::from_message(envelope::Message::Header(header)), tracker, options, None)
    }

    /// Begin a copy of a capture. The header is written to the byte as it was, what this crate does not know of it included; frames follow by [`Writer::record`].
    /// `options.generation` is the one of the source: the footer is written as that generation has it.
    pub fn copying(sink: W, header: &Record, options: WriteOptions) -> Result<Self, WriteError> {
        Self::copying_with(sink, header, options, None)
    }

    /// [`Writer::copying`], packed with a dictionary. In a file of blocks the header is packed without it, so that a reader can see which dictionary it needs.
    #[cfg(feature = "zstd")]
    pub fn copying_with_dictionary(
        sink: W,
        header: &Record,
        options: WriteOptions,
        dictionary: &Dictionary,
    ) -> Result<Self, WriteError> {
        Self::copying_with(sink, header, options, Some(dictionary))
    }

    fn copying_with(
        sink: W,
        header: &Record,
        options: WriteOptions,
        dictionary: Option<&Dictionary>,
    ) -> Result<Self, WriteError> {
        let known = match header.header(&options.limits) {
            Ok(known) => known,
            // A header that is broken inside is copied all the same, unless states have to be made from it.
            Err(error @ RecordError::Kind { .. }) => return Err(error.into()),
            Err(error) if options.keyframe_state => return Err(error.into()),
            Err(_) => CaptureHeader::default(),
        };
        Self::begin(sink, header, StateTracker::new(&known), options, dictionary)
    }

    /// Entries for the footer's index of events that this crate does not know, from the footer of the source. They name frames, so they are true of a copy of all frames.
    pub fn keep_unknown_events(&mut self, entries: impl IntoIterator<Item = EventIndexEntry>) {
        self.index.unknown.extend(entries.into_iter().filter(|entry| entry.event.event_type().is_none()));
    }

    fn begin(
        sink: W,
        header: &Record,
        tracker: StateTracker,
        options: WriteOptions,
        dictionary: Option<&Dictionary>,
    ) -> Result<Self, WriteError> {
        check_size(header, &options)?;
        let mut output = Output::new(sink, options.layout, options.level, dictionary)?;
        output.record(header.bytes())?;
        output.end_block()?;
        let interval = options.keyframe_interval.max(1);
        let options = WriteOptions { keyframe_interval: interval, ..options };
        let index = IndexBuilder::default();
        // The first frame is a keyframe.
        Ok(Self { output, options, index, tracker, since_keyframe: interval, left_out: 0, failed: false })
    }

    /// Write the next frame. It has the meaning of the current generation, whatever is written.
    pub fn frame(&mut self, mut frame: Frame) -> Result<(), WriteError> {
        let events: Vec<_> = match &frame.payload {
            None => return Err(WriteError::NoPayload { frame_index: frame.frame_index }),
            Some(frame::Payload::EchoArena(arena)) => {
                arena.events.iter().filter_map(|event| event.event.as_ref()).filter_map(event_type::of).collect()
            }
            Some(_) => Vec::new(),
        };
        self.check_turn(frame.frame_index)?;
        // A clock in seconds or a slot of −1 would be read wrongly, or not at all, by readers of this generation.
        meaning::frame_to_current(&mut frame, Generation::Third);
        let (frame_index, offset_ms) = (frame.frame_index, frame.timestamp_offset_ms);
        self.tracker.follow(&frame);
        let keyframe = self.is_keyframe();
        if self.options.generation == Generation::Seed {
            self.left_out += u64::from(meaning::frame_to_seed(&mut frame));
        } else if let (true, Some(frame::Payload::EchoArena(arena))) =
            (keyframe && self.options.keyframe_state, &mut frame.payload)
        {
            arena.keyframe_state = Some(self.tracker.state().clone());
        }
        // What the seed has no variant for is not in its index either.
        let seed = self.options.generation == Generation::Seed;
        let kept = events.into_iter().filter(|event| !seed || !meaning::is_later_event(*event));
        let record = Record::from_message(envelope::Message::Frame(frame));
        self.write_frame(&record, keyframe, frame_index, offset_ms, kept)
    }

    /// Write a record of another capture to the byte as it is: a frame, or a kind that this crate does not know. Keyframes get the full state if they do not have it.
    pub fn record(&mut self, record: &Record) -> Result<(), WriteError> {
        match record.kind() {
            RecordKind::Frame => {}
            RecordKind::Unknown(_) => {
                check_size(record, &self.options)?;
                return self.guarded(|writer| writer.output.record(record.bytes()));
            }
            kind => return Err(WriteError::Kind { kind }),
        }
        let outline = record.outline()?;
        self.check_turn(outline.frame_index)?;
        if !outline.events.is_empty() || outline.has_state || outline.frame_index == 0 {
            let mut frame = record.frame(&self.options.limits)?;
            meaning::frame_to_current(&mut frame, self.options.generation);
            self.tracker.follow(&frame);
        }
        let keyframe = self.is_keyframe();
        let add_state = keyframe
            && self.options.keyframe_state
            && !outline.has_state
            && self.options.generation != Generation::Seed;
        let with_state = add_state.then(|| record.with_state(self.tracker.state()));
        let events = outline.events.into_iter();
        self.write_frame(
            with_state.as_ref().unwrap_or(record),
            keyframe,
            outline.frame_index,
            outline.timestamp_offset_ms,
            events,
        )
    }

    /// Write a record of another capture as it stands, wherever it stands: frames whose numbers jump, kinds that belong elsewhere, bytes that are no frame. Nothing is added.
    pub fn verbatim(&mut self, record: &Record) -> Result<(), WriteError> {
        let outline = match record.kind() {
            RecordKind::Frame => record.outline().ok(),
            _ => None,
        };
        let Some(outline) = outline else {
            check_size(record, &self.options)?;
            return self.guarded(|writer| writer.output.record(record.bytes()));
        };
        let keyframe = self.is_keyframe();
        let (frame_index, offset_ms) = (outline.frame_index, outline.timestamp_offset_ms);
        self.write_frame(record, keyframe, frame_index, offset_ms, outline.events.into_iter())
    }

    fn check_turn(&self, actual: u32) -> Result<(), WriteError> {
        if self.failed {
            return Err(WriteError::Failed);
        }
        let expected = self.index.frame_count;
        if actual != expected {
            return Err(WriteError::FrameOrder { expected, actual });
        }
        Ok(())
    }

    fn is_keyframe(&self) -> bool {
        self.since_keyframe >= self.options.keyframe_interval || self.output.block_bytes() >= MAX_BLOCK_BYTES
    }

    fn write_frame(
        &mut self,
        record: &Record,
        keyframe: bool,
        frame_index: u32,
        offset_ms: u32,
        events: impl Iterator<Item = crate::proto::telemetry::v2::EventType>,
    ) -> Result<(), WriteError> {
        check_size(record, &self.options)?;
        if keyframe {
            self.guarded(|writer| writer.output.end_block())?;
            self.index.keyframe(frame_index, self.output.offset());
            self.since_keyframe = 0;
        }
        self.guarded(|writer| writer.output.record(record.bytes()))?;
        self.since_keyframe += 1;
        self.index.frame(frame_index, offset_ms, events);
        Ok(())
    }

    /// After a failure nobody knows what the target has.
    fn guarded(&mut self, write: impl FnOnce(&mut Self) -> io::Result<()>) -> Result<(), WriteError> {
        if self.failed {
            return Err(WriteError::Failed);
        }
        let result = write(self);
        self.failed = result.is_err();
        Ok(result?)
    }

    /// The full state after the last frame. A live stream sends it to those who join late.
    pub fn state(&self) -> &StateTracker {
        &self.tracker
    }

    /// The target. Of a plain stream it has every record that was written.
    pub fn sink_mut(&mut self) -> &mut W {
        self.output.sink_mut()
    }

    /// Hand on what was written so far. In a file of blocks the block that is being filled stays.
    pub fn flush(&mut self) -> Result<(), WriteError> {
        self.guarded(|writer| writer.output.flush())
    }

    /// End a copy without a footer of our own: the source's was copied, if it had one. What that says of places must be true of this file, too, as it is in plain streams and in
    /// one zstd stream if all records were copied.
    pub fn finish_copy(mut self) -> Result<(W, Summary), WriteError> {
        self.guarded(|writer| writer.output.end_block())?;
        let summary =
            Summary { frames: self.index.frame_count, stream_bytes: self.output.stream_bytes, left_out: self.left_out };
        Ok((self.output.finish()?, summary))
    }

    /// Write the footer, and in a file of blocks the table of them.
    pub fn finish(mut self) -> Result<(W, Summary), WriteError> {
        self.guarded(|writer| writer.output.end_block())?;
        let (offset, stream_bytes) = (self.output.offset(), self.output.stream_bytes);
        let frames = self.index.frame_count;
        let footer = self.index.footer(self.options.generation, offset, stream_bytes);
        check_size(&footer, &self.options)?;
        self.guarded(|writer| writer.output.record(footer.bytes()))?;
        let summary = Summary { frames, stream_bytes: self.output.stream_bytes, left_out: self.left_out };
        Ok((self.output.finish()?, summary))
    }
}

fn check_size(record: &Record, options: &WriteOptions) -> Result<(), WriteError> {
    let (actual, limit) = (record.bytes().len(), options.limits.record_bytes);
    if actual > limit { Err(WriteError::TooLarge { actual, limit }) } else { Ok(()) }
}
