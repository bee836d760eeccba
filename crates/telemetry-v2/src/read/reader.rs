//! Reads a capture sequentially from any `Read` (a plain stream, one zstd stream, zstd blocks). Returns records in
//! order and the problems between them. Memory use: a record, or the content of one zstd block.

use std::collections::VecDeque;
use std::io::{self, Read};

use bytes::Bytes;

use super::problem::Problem;
use crate::decode::{Decoded, Decoder, Framing};
use crate::dictionary::{Dictionary, hex};
use crate::fit::{Fitted, Misfits};
use crate::generation::{Evidence, RecordPlace, Verdict};
use crate::limits::{Limits, ReadOptions};
use crate::record::{Record, RecordError, RecordKind};
use crate::unpack::{Input, Unpacked, Unpacker, is_source_packed};

/// The reason why a source cannot be read any further.
#[derive(Debug, thiserror::Error)]
pub enum ReadError {
    /// The source failed.
    #[error("reading failed: {0}")]
    Io(#[from] io::Error),
    /// A file of the first version (`.nevrcap`).
    #[error("this is a capture of the first version (.nevrcap): read it with nevrcap::Reader")]
    FirstVersion,
    /// The file is compressed with a dictionary that was not given.
    #[error("the file is compressed with the zstd dictionary {id}{}, {}", of_sum(sha256), if let Some(given) = given { format!("not with {given}, which was given") } else { "which was not given".to_owned() })]
    NeedsDictionary {
        /// The id of the dictionary.
        id: u32,
        /// Its SHA-256 according to the header; empty if the header does not state it or cannot be read without the dictionary.
        sha256: Bytes,
        /// The id of the given dictionary.
        given: Option<u32>,
    },
    /// The given dictionary is not the one stated in the header.
    #[error(
        "the file is compressed with the zstd dictionary of SHA-256 {}, but the given one has {}",
        hex(stated),
        hex(given)
    )]
    OtherDictionary {
        /// SHA-256 according to the header.
        stated: Bytes,
        /// SHA-256 of the given dictionary.
        given: [u8; 32],
    },
    /// A record does not match the schema. Only returned when messages are requested; records are returned unchanged.
    #[error("the record at {offset} of the stream: {cause}")]
    Record {
        /// Its offset.
        offset: u64,
        /// What is wrong with it.
        #[source]
        cause: RecordError,
    },
}

fn of_sum(sha256: &[u8]) -> String {
    if sha256.is_empty() { String::new() } else { format!(" (SHA-256 {})", hex(sha256)) }
}

/// A record and its location.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Placed {
    /// The record.
    pub record: Record,
    /// Its location.
    pub place: RecordPlace,
}

/// An item returned by a reader.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Item {
    /// A record.
    Record(Placed),
    /// A problem at this point.
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
    pub(super) limits: Limits,
    dictionaries: Dictionaries,
    waiting: VecDeque<Item>,
    /// The zstd frames whose content is in the decoder: offset of the content in the stream, and of the frame in the file.
    blocks: VecDeque<(u64, u64)>,
    fed: u64,
    evidence: Evidence,
    order: Order,
    started: bool,
    ended: bool,
    /// Whether the frames before the first one here were not counted.
    resumed: bool,
}

/// State for checking the order of records.
#[derive(Default)]
struct Order {
    header: bool,
    footer: Option<u32>,
    next_frame: u32,
    frames: u32,
}

/// What is known about the dictionary of a source.
#[derive(Default)]
struct Dictionaries {
    given: Option<Dictionary>,
    /// SHA-256 according to the header; empty if not stated.
    stated: Bytes,
    /// The missing dictionary, and how many consecutive zstd frames refer to it.
    missing: Option<(u32, u32)>,
}

impl Dictionaries {
    fn needed(&self, id: u32) -> ReadError {
        ReadError::NeedsDictionary { id, sha256: self.stated.clone(), given: self.given.as_ref().map(Dictionary::id) }
    }
}

impl<R: Read> Reader<R> {
    /// Creates a reader with the default limits.
    pub fn new(source: R) -> Result<Self, ReadError> {
        Self::with_limits(source, &Limits::default())
    }

    /// Creates a reader at the start of a source. Compression is detected from the first bytes.
    pub fn with_limits(source: R, limits: &Limits) -> Result<Self, ReadError> {
        Self::with_options(source, &limits.into())
    }

    /// Like [`Reader::with_limits`], with the dictionary of the source.
    pub fn with_options(source: R, options: &ReadOptions) -> Result<Self, ReadError> {
        let mut input = Input::new(source);
        let packed = is_source_packed(&mut input)?;
        Self::of_input(input, options, packed)
    }

    fn of_input(input: Input<R>, options: &ReadOptions, packed: bool) -> Result<Self, ReadError> {
        let ReadOptions { limits, dictionary } = options;
        let source = match packed {
            true => Source::Packed(Box::new(Unpacker::new(input, limits, dictionary.as_ref())?)),
            false => Source::Plain(input),
        };
        Ok(Self {
            source,
            decoder: Decoder::new(Framing::V2, limits),
            limits: *limits,
            dictionaries: Dictionaries { given: dictionary.clone(), ..Dictionaries::default() },
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

    /// Creates a reader in the middle of a capture. The source is positioned at `offset`, the start of the record of
    /// frame `next_frame`, or of a zstd frame with that record first.
    pub(crate) fn resume(
        source: R,
        options: &ReadOptions,
        packed: bool,
        offset: u64,
        next_frame: u32,
    ) -> Result<Self, ReadError> {
        let mut input = Input::new(source);
        input.restart(offset);
        let mut reader = Self::of_input(input, options, packed)?;
        reader.started = true;
        reader.order = Order { header: true, next_frame, ..Order::default() };
        reader.resumed = true;
        Ok(reader)
    }

    /// Whether the source is compressed.
    pub fn is_packed(&self) -> bool {
        matches!(self.source, Source::Packed(_))
    }

    /// Whether a part of the source was decompressed with the dictionary.
    pub fn used_dictionary(&self) -> bool {
        matches!(&self.source, Source::Packed(unpacker) if unpacker.used_dictionary())
    }

    /// The generation of the records so far.
    pub fn generation(&self) -> Verdict {
        self.evidence.verdict()
    }

    /// Returns the next record or problem, or `None` at the end.
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
                    self.finish()?;
                }
                return Ok(());
            }
            Source::Packed(unpacker) => unpacker.next()?,
        };
        match unpacked {
            None => self.finish()?,
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
            Some(Unpacked::NeedsDictionary { offset, bytes, id }) => {
                let lost = self.decoder.gap();
                let named = self.dictionaries.missing.filter(|(before, _)| *before == id).map_or(0, |(_, count)| count);
                self.dictionaries.missing = Some((id, named.saturating_add(1)));
                // A single frame that refers to a dictionary may be a flipped bit. The header, or a second frame, confirms it.
                if !self.dictionaries.stated.is_empty() || named > 0 {
                    return Err(self.dictionaries.needed(id));
                }
                self.problem(Problem::NeedsDictionary { offset, bytes, id });
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

    fn finish(&mut self) -> Result<(), ReadError> {
        self.decoder.end();
        // Records left in the decoder come before the problems of the end.
        while let Some(decoded) = self.decoder.next() {
            self.decoded(decoded)?;
        }
        self.ended = true;
        match self.dictionaries.missing {
            // Nothing was read because of it.
            Some((id, _)) if self.order.frames == 0 && !self.resumed => return Err(self.dictionaries.needed(id)),
            _ => {}
        }
        if let (true, true, Some(given)) =
            (self.used_dictionary() && !self.resumed, self.dictionaries.stated.is_empty(), &self.dictionaries.given)
        {
            let id = given.id();
            self.problem(Problem::UncheckedDictionary { id });
        }
        match self.order.footer {
            None => self.problem(Problem::NoFooter),
            Some(stated) if stated != self.order.frames && !self.resumed => {
                self.problem(Problem::FrameCount { stated, found: self.order.frames });
            }
            Some(_) => {}
        }
        Ok(())
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
        self.check_order(&record, offset)?;
        self.waiting.push_back(Item::Record(Placed { record, place }));
        Ok(())
    }

    fn block_of(&mut self, offset: u64) -> Option<u64> {
        while self.blocks.get(1).is_some_and(|(start, _)| *start <= offset) {
            self.blocks.pop_front();
        }
        self.blocks.front().map(|(_, block)| *block)
    }

    fn check_order(&mut self, record: &Record, offset: u64) -> Result<(), ReadError> {
        if self.order.footer.is_some() {
            self.problem(Problem::AfterFooter { offset });
        }
        match record.kind() {
            RecordKind::Header if self.order.header => self.problem(Problem::SecondHeader { offset }),
            RecordKind::Header => {
                self.order.header = true;
                match record.fitted_header(&self.limits) {
                    Ok(Fitted { message, misfits }) => {
                        self.tell_misfits(offset, misfits);
                        self.check_dictionary(message.dictionary_sha256)?;
                    }
                    Err(cause) => self.problem(Problem::BrokenHeader { offset, cause: cause.to_string() }),
                }
            }
            RecordKind::Footer => {
                self.order.footer = Some(self.order.frames);
                match record.fitted_footer(&self.limits) {
                    Ok(Fitted { message, misfits }) => {
                        self.order.footer = Some(message.frame_count);
                        self.tell_misfits(offset, misfits);
                    }
                    Err(cause) => self.problem(Problem::BrokenFooter { offset, cause: cause.to_string() }),
                }
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
        Ok(())
    }

    fn tell_misfits(&mut self, offset: u64, misfits: Misfits) {
        if !misfits.is_empty() {
            self.problem(Problem::Misfits { offset, misfits });
        }
    }

    /// Checks the dictionary: another one with the same id would give wrong frames without an error.
    fn check_dictionary(&mut self, stated: Bytes) -> Result<(), ReadError> {
        self.dictionaries.stated = stated.clone();
        match &self.dictionaries.given {
            Some(given) if !stated.is_empty() && stated != given.sha256().as_slice() => {
                Err(ReadError::OtherDictionary { stated, given: *given.sha256() })
            }
            _ => Ok(()),
        }
    }
}
