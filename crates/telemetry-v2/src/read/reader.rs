//! A capture from its beginning: takes any `Read` (a plain stream, one zstd stream, zstd blocks), gives records in their order and what is wrong between them.
//! Memory: a record, or the content of one zstd block.

use std::collections::VecDeque;
use std::io::{self, Read};

use super::problem::Problem;
use crate::decode::{Decoded, Decoder, Framing};
use crate::generation::{Evidence, RecordPlace, Verdict};
use crate::limits::Limits;
use crate::meaning;
use crate::proto::telemetry::v2::{CaptureFooter, CaptureHeader, Frame};
use crate::record::{Record, RecordError, RecordKind};
use crate::unpack::{Input, Unpacked, Unpacker, is_source_packed};

/// Why a source cannot be read on.
#[derive(Debug, thiserror::Error)]
pub enum ReadError {
    /// The source failed.
    #[error("reading failed: {0}")]
    Io(#[from] io::Error),
    /// A file of the first version (`.nevrcap`).
    #[error("this is a capture of the first version (.nevrcap): read it with nevrcap::Reader")]
    FirstVersion,
    /// A record does not fit the schema. Only where messages are asked for; records are given as they are.
    #[error("the record at {offset} of the stream: {cause}")]
    Record {
        /// Where it begins.
        offset: u64,
        /// What is wrong with it.
        #[source]
        cause: RecordError,
    },
}

/// A record and where it stands.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Placed {
    /// The record.
    pub record: Record,
    /// Its place.
    pub place: RecordPlace,
}

/// What a reader gives.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Item {
    /// A record.
    Record(Placed),
    /// Something is wrong here.
    Problem(Problem),
}

enum Source<R> {
    Plain(Input<R>),
    Packed(Box<Unpacker<R>>),
}

/// Reads a capture.
pub struct Reader<R> {
    source: Source<R>,
    decoder: Decoder,
    limits: Limits,
    waiting: VecDeque<Item>,
    /// Zstd frames whose content is in the decoder: where it begins in the stream, where the frame begins in the file.
    blocks: VecDeque<(u64, u64)>,
    fed: u64,
    evidence: Evidence,
    order: Order,
    started: bool,
    ended: bool,
    /// Frames before the first one here were not counted.
    resumed: bool,
}

/// What the order of records is checked by.
#[derive(Default)]
struct Order {
    header: bool,
    footer: Option<u32>,
    next_frame: u32,
    frames: u32,
}

impl<R: Read> Reader<R> {
    /// A reader with the usual limits.
    pub fn new(source: R) -> Result<Self, ReadError> {
        Self::with_limits(source, &Limits::default())
    }

    /// A reader at the beginning of a source. Whether it is packed is seen from its first bytes.
    pub fn with_limits(source: R, limits: &Limits) -> Result<Self, ReadError> {
        let mut input = Input::new(source);
        let packed = is_source_packed(&mut input)?;
        Self::with_limits_of(input, limits, packed)
    }

    fn with_limits_of(input: Input<R>, limits: &Limits, packed: bool) -> Result<Self, ReadError> {
        let source =
            if packed { Source::Packed(Box::new(Unpacker::new(input, limits)?)) } else { Source::Plain(input) };
        Ok(Self {
            source,
            decoder: Decoder::new(Framing::V2, limits),
            limits: *limits,
            waiting: VecDeque::new(),
            blocks: VecDeque::new(),
            fed: 0,
            evidence: Evidence::default(),
            order: Order::default(),
            started: false,
            ended: false,
            resumed: false,
        })
    }

    /// A reader in the middle of a capture. The source stands at `offset`, where the record of frame `next_frame` begins, or a zstd frame whose first record it is.
    pub(crate) fn resume(
        source: R,
        limits: &Limits,
        packed: bool,
        offset: u64,
        next_frame: u32,
    ) -> Result<Self, ReadError> {
        let mut input = Input::new(source);
        input.restart(offset);
        let mut reader = Self::with_limits_of(input, limits, packed)?;
        reader.started = true;
        reader.order = Order { header: true, next_frame, ..Order::default() };
        reader.resumed = true;
        Ok(reader)
    }

    /// Whether the source is packed.
    pub fn is_packed(&self) -> bool {
        matches!(self.source, Source::Packed(_))
    }

    /// Which generation the records so far are of.
    pub fn generation(&self) -> Verdict {
        self.evidence.verdict()
    }

    /// The next record or problem; `None` at the end.
    #[allow(clippy::should_implement_trait)]
    pub fn next(&mut self) -> Result<Option<Item>, ReadError> {
        loop {
            if let Some(item) = self.waiting.pop_front() {
                return Ok(Some(item));
            }
            match self.decoder.next() {
                Some(decoded) => self.decoded(decoded)?,
                None if self.ended => return Ok(None),
                None => self.fill()?,
            }
        }
    }

    fn fill(&mut self) -> Result<(), ReadError> {
        let unpacked = match &mut self.source {
            Source::Plain(input) => {
                let bytes = input.available()?;
                let count = bytes.len();
                self.decoder.feed(bytes);
                input.consume(count);
                if count == 0 {
                    self.finish();
                }
                return Ok(());
            }
            Source::Packed(unpacker) => unpacker.next()?,
        };
        match unpacked {
            None => self.finish(),
            Some(Unpacked::Content { frame_offset, bytes }) => {
                if self.blocks.back().is_none_or(|(_, block)| *block != frame_offset) {
                    self.blocks.push_back((self.fed, frame_offset));
                }
                self.fed += bytes.len() as u64;
                self.decoder.feed(&bytes);
            }
            Some(Unpacked::Damaged { offset, bytes, cause }) => {
                let lost = self.decoder.gap();
                self.problem(Problem::Damaged { offset, bytes, cause });
                lost.into_iter().try_for_each(|lost| self.decoded(lost))?;
            }
            Some(Unpacked::Truncated { offset }) => self.problem(Problem::Truncated { offset }),
            Some(Unpacked::Bomb { raw_bytes, packed_bytes }) => self.problem(Problem::Bomb { raw_bytes, packed_bytes }),
        }
        Ok(())
    }

    fn problem(&mut self, problem: Problem) {
        self.waiting.push_back(Item::Problem(problem));
    }

    fn finish(&mut self) {
        self.decoder.end();
        // What is left in the decoder comes before the end's own problems.
        while let Some(decoded) = self.decoder.next() {
            if self.decoded(decoded).is_err() {
                break;
            }
        }
        self.ended = true;
        match self.order.footer {
            None => self.problem(Problem::NoFooter),
            Some(stated) if stated != self.order.frames && !self.resumed => {
                self.problem(Problem::FrameCount { stated, found: self.order.frames });
            }
            Some(_) => {}
        }
    }

    fn decoded(&mut self, decoded: Decoded) -> Result<(), ReadError> {
        let (offset, bytes) = match decoded {
            Decoded::Lost { offset, bytes, cause } => {
                self.problem(Problem::Lost { offset, bytes, cause });
                return Ok(());
            }
            Decoded::Record { offset, bytes } => (offset, bytes),
        };
        if !self.started && crate::detect::is_v1_header(&bytes) {
            return Err(ReadError::FirstVersion);
        }
        let Ok(record) = Record::from_bytes(bytes) else { return Ok(()) };
        let place = RecordPlace { offset, end: self.decoder.offset(), block: self.block_of(offset) };
        if !self.started && record.kind() != RecordKind::Header {
            self.problem(Problem::NoHeader);
        }
        self.started = true;
        self.evidence.observe(&record, Some(place));
        self.check_order(&record, offset);
        self.waiting.push_back(Item::Record(Placed { record, place }));
        Ok(())
    }

    fn block_of(&mut self, offset: u64) -> Option<u64> {
        while self.blocks.get(1).is_some_and(|(start, _)| *start <= offset) {
            self.blocks.pop_front();
        }
        self.blocks.front().map(|(_, block)| *block)
    }

    fn check_order(&mut self, record: &Record, offset: u64) {
        if self.order.footer.is_some() {
            self.problem(Problem::AfterFooter { offset });
        }
        match record.kind() {
            RecordKind::Header if self.order.header => self.problem(Problem::SecondHeader { offset }),
            RecordKind::Header => self.order.header = true,
            RecordKind::Footer => {
                let stated = record.footer(&self.limits).map(|footer| footer.frame_count);
                self.order.footer = Some(stated.unwrap_or(self.order.frames));
            }
            RecordKind::Frame => match record.outline() {
                Ok(outline) => {
                    let (expected, found) = (self.order.next_frame, outline.frame_index);
                    if expected != found {
                        self.problem(Problem::FrameOrder { expected, found });
                    }
                    self.order.frames = self.order.frames.saturating_add(1);
                    self.order.next_frame = found.saturating_add(1);
                }
                Err(cause) => {
                    self.order.next_frame = self.order.next_frame.saturating_add(1);
                    self.order.frames = self.order.frames.saturating_add(1);
                    self.problem(Problem::BrokenFrame { offset, cause: cause.to_string() });
                }
            },
            RecordKind::Unknown(_) | RecordKind::Empty => {}
        }
    }

    /// Everything at once, with the meaning of the current generation. For small captures: all of it is in memory.
    pub fn read_all(mut self) -> Result<Capture, ReadError> {
        let mut capture = Capture::default();
        while let Some(item) = self.next()? {
            let placed = match item {
                Item::Problem(problem) => {
                    capture.problems.push(problem);
                    continue;
                }
                Item::Record(placed) => placed,
            };
            let fault =
                |cause: RecordError| Problem::BrokenFrame { offset: placed.place.offset, cause: cause.to_string() };
            match placed.record.kind() {
                RecordKind::Header => match placed.record.header(&self.limits) {
                    Ok(header) => capture.header = Some(header),
                    Err(cause) => capture.problems.push(fault(cause)),
                },
                RecordKind::Frame => match placed.record.frame(&self.limits) {
                    Ok(frame) => capture.frames.push(frame),
                    Err(cause) => capture.problems.push(fault(cause)),
                },
                RecordKind::Footer => match placed.record.footer(&self.limits) {
                    Ok(footer) => capture.footer = Some(footer),
                    Err(cause) => capture.problems.push(fault(cause)),
                },
                RecordKind::Unknown(_) | RecordKind::Empty => capture.unknown += 1,
            }
        }
        // Only now is it certain what the slots mean.
        let verdict = self.generation();
        capture.generation = Some(verdict);
        for frame in &mut capture.frames {
            meaning::frame_to_current(frame, verdict.generation);
        }
        Ok(capture)
    }
}

/// A whole capture.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Capture {
    /// The header.
    pub header: Option<CaptureHeader>,
    /// The frames, with the meaning of the current generation.
    pub frames: Vec<Frame>,
    /// The footer as it stands on the wire.
    pub footer: Option<CaptureFooter>,
    /// Records of kinds that this crate does not know.
    pub unknown: u64,
    /// What is wrong.
    pub problems: Vec<Problem>,
    /// Which generation wrote it.
    pub generation: Option<Verdict>,
}
