//! Writes a capture: the header once, frames in order, a footer with correct indexes. Nothing is buffered beyond the
//! current block, so after a crash a file has all finished blocks, and a plain stream has every record.

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

/// The arrangement of records in a file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Layout {
    /// One after another, uncompressed: for live streams.
    Plain,
    /// One zstd block per keyframe interval and a table of them at the end: for files. Readers can seek.
    #[cfg(feature = "zstd")]
    Blocks,
    /// One zstd stream, as older writers produce it. Readers cannot seek.
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

/// Options of a writer.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct WriteOptions {
    /// The arrangement of records in the file.
    pub layout: Layout,
    /// [`Generation::Third`] or, for readers of the first generation, [`Generation::Seed`].
    pub generation: Generation,
    /// Frames from one keyframe to the next; 0 is treated as 1.
    pub keyframe_interval: u32,
    /// The zstd compression level.
    pub level: i32,
    /// Whether to store the full state in keyframes. Never done in the seed generation.
    pub keyframe_state: bool,
    /// Limits; the maximum record size is that of readers.
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

/// The reason why something was not written.
#[derive(Debug, thiserror::Error)]
pub enum WriteError {
    /// The target failed. Nothing more is accepted.
    #[error("writing failed: {0}")]
    Io(#[from] io::Error),
    /// The writer failed before.
    #[error("writing has failed before; nothing more is written")]
    Failed,
    /// Only the seed generation and the third can be written from messages.
    #[error(
        "writing {generation:?} is not supported: use Generation::Third, or Seed for readers of the first generation"
    )]
    Generation {
        /// The requested generation.
        generation: Generation,
    },
    /// Frames are numbered 0, 1, 2 and so on.
    #[error("expected frame {expected} next, got {actual}")]
    FrameOrder {
        /// The expected number.
        expected: u32,
        /// The actual number.
        actual: u32,
    },
    /// A frame without a payload.
    #[error("frame {frame_index} has no payload")]
    NoPayload {
        /// Its number.
        frame_index: u32,
    },
    /// A record larger than any reader accepts.
    #[error("the record has {actual} bytes, but at most {limit} are allowed")]
    TooLarge {
        /// Its size.
        actual: usize,
        /// The maximum size.
        limit: usize,
    },
    /// Headers and footers are written by the writer itself.
    #[error("a record of kind {kind:?} cannot be copied here")]
    Kind {
        /// The kind of the record.
        kind: RecordKind,
    },
    /// A record to be copied cannot be parsed.
    #[error("the record to be copied is invalid: {0}")]
    Record(#[from] RecordError),
}

/// A summary of what was written.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Summary {
    /// Number of frames.
    pub frames: u32,
    /// Size of the stream, before compression.
    pub stream_bytes: u64,
    /// Number of values and events that the seed generation cannot represent.
    pub left_out: u64,
}

/// A block that exceeds this size is ended early.
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
    /// Starts a capture. The version in the header is filled in.
    pub fn new(sink: W, mut header: CaptureHeader, options: WriteOptions) -> Result<Self, WriteError> {
        if !matches!(options.generation, Generation::Seed | Generation::Third) {
            return Err(WriteError::Generation { generation: options.generation });
        }
        let tracker = StateTracker::new(&header);
        meaning::header_for(&mut header, options.generation);
        Self::begin(sink, &Record::from_message(envelope::Message::Header(header)), tracker, options, None)
    }

    /// Starts a copy of a capture. The header is written byte for byte, including unknown fields; frames follow with
    /// [`Writer::record`]. `options.generation` is that of the source, in whose form the footer is written.
    pub fn copying(sink: W, header: &Record, options: WriteOptions) -> Result<Self, WriteError> {
        Self::copying_with(sink, header, options, None)
    }

    /// Like [`Writer::copying`], compressed with a dictionary. In a file of blocks the header is compressed without it,
    /// so that a reader can find out which dictionary it needs.
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
            // A header with damaged contents is copied all the same, unless states have to be derived from it.
            Err(error @ RecordError::Kind { .. }) => return Err(error.into()),
            Err(error) if options.keyframe_state => return Err(error.into()),
            Err(_) => CaptureHeader::default(),
        };
        Self::begin(sink, header, StateTracker::new(&known), options, dictionary)
    }

    /// Adds entries for events unknown to this crate to the footer's index, from the footer of the source. They refer
    /// to frame numbers, so they remain valid in a copy of all frames.
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

    /// Writes the next frame. It has the meaning of the current generation, whichever generation is written.
    pub fn frame(&mut self, mut frame: Frame) -> Result<(), WriteError> {
        let events: Vec<_> = match &frame.payload {
            None => return Err(WriteError::NoPayload { frame_index: frame.frame_index }),
            Some(frame::Payload::EchoArena(arena)) => {
                arena.events.iter().filter_map(|event| event.event.as_ref()).filter_map(event_type::of).collect()
            }
            Some(_) => Vec::new(),
        };
        self.check_turn(frame.frame_index)?;
        // A clock in seconds or a slot of −1 would be misread, or not read at all, by readers of this generation.
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
        // Events without a variant in the seed generation are not in its index either.
        let seed = self.options.generation == Generation::Seed;
        let kept = events.into_iter().filter(|event| !seed || !meaning::is_later_event(*event));
        let record = Record::from_message(envelope::Message::Frame(frame));
        self.write_frame(&record, keyframe, frame_index, offset_ms, kept)
    }

    /// Writes a record of another capture byte for byte: a frame, or an unknown kind. Keyframes without the full state get it.
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

    /// Writes a record of another capture unchanged, wherever it occurs: frames whose numbers jump, kinds out of place,
    /// bytes that are not a frame. Nothing is added.
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

    /// Records a failure: after one, the contents of the target are unknown.
    fn guarded(&mut self, write: impl FnOnce(&mut Self) -> io::Result<()>) -> Result<(), WriteError> {
        if self.failed {
            return Err(WriteError::Failed);
        }
        let result = write(self);
        self.failed = result.is_err();
        Ok(result?)
    }

    /// The full state after the last frame. A live stream sends it to clients that join late.
    pub fn state(&self) -> &StateTracker {
        &self.tracker
    }

    /// The target. For a plain stream, it has every record written.
    pub fn sink_mut(&mut self) -> &mut W {
        self.output.sink_mut()
    }

    /// Flushes what was written so far. In a file of blocks the current block stays buffered.
    pub fn flush(&mut self) -> Result<(), WriteError> {
        self.guarded(|writer| writer.output.flush())
    }

    /// Ends a copy without writing a footer: the footer of the source was copied, if it had one. Its offsets must be
    /// valid in this file too, which holds for plain streams and single zstd streams if all records were copied.
    pub fn finish_copy(mut self) -> Result<(W, Summary), WriteError> {
        self.guarded(|writer| writer.output.end_block())?;
        let summary =
            Summary { frames: self.index.frame_count, stream_bytes: self.output.stream_bytes, left_out: self.left_out };
        Ok((self.output.finish()?, summary))
    }

    /// Writes the footer and, in a file of blocks, the table of blocks.
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
