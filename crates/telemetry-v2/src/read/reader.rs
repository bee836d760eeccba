//! A capture from its beginning: takes any `Read` (a plain stream, one zstd stream, zstd blocks), gives records in their order and what is wrong between them.
//! Memory: a record, or the content of one zstd block.

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

/// Why a source cannot be read on.
#[derive(Debug, thiserror::Error)]
pub enum ReadError {
    /// The source failed.
    #[error("reading failed: {0}")]
    Io(#[from] io::Error),
    /// A file of the first version (`.nevrcap`).
    #[error("this is a capture of the first version (.nevrcap): read it with nevrcap::Reader")]
    FirstVersion,
    /// The file was packed with a dictionary that was not given.
    #[error("the file is packed with the zstd dictionary {id}{}, {}", of_sum(sha256), if let Some(given) = given { format!("not with {given}, which was given") } else { "which was not given".to_owned() })]
    NeedsDictionary {
        /// The id of the dictionary.
        id: u32,
        /// Its SHA-256 as the header states it; empty if it does not, or cannot be read without the dictionary.
        sha256: Bytes,
        /// The id of the dictionary that was given.
        given: Option<u32>,
    },
    /// The dictionary that was given is not the one that the header states.
    #[error(
        "the file is packed with the zstd dictionary of SHA-256 {}, the one that was given has {}",
        hex(stated),
        hex(given)
    )]
    OtherDictionary {
        /// SHA-256 as the header states it.
        stated: Bytes,
        /// SHA-256 of the dictionary that was given.
        given: [u8; 32],
    },
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

fn of_sum(sha256: &[u8]) -> String {
    if sha256.is_empty() { String::new() } else { format!(" (SHA-256 {})", hex(sha256)) }
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
    pub(super) limits: Limits,
    dictionaries: Dictionaries,
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

/// What is known of the dictionary that a source was packed with.
#[derive(Default)]
struct Dictionaries {
    given: Option<Dictionary>,
    /// SHA-256 as the header states it; empty if it does not.
    stated: Bytes,
    /// The one that is missing, and how many zstd frames in a row name it.
    missing: Option<(u32, u32)>,
}

impl Dictionaries {
    fn needed(&self, id: u32) -> ReadError {
        ReadError::NeedsDictionary { id, sha256: self.stated.clone(), given: self.given.as_ref().map(Dictionary::id) }
    }
}

impl<R: Read> Reader<R> {
    /// A reader with the usual limits.
    pub fn new(source: R) -> Result<Self, ReadError> {
        Self::with_limits(source, &Limits::default())
    }

    /// A reader at the beginning of a source. Whether it is packed is seen from its first bytes.
    pub fn with_limits(source: R, limits: &Limits) -> Result<Self, ReadError> {
        Self::with_options(source, &limits.into())
    }

    /// [`Reader::with_limits`] with the dictionary that the source was packed with.
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

    /// A reader in the middle of a capture. The source stands at `offset`, where the record of frame `next_frame` begins, or a zstd frame whose first record it is.
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

    /// Whether the source is packed.
    pub fn is_packed(&self) -> bool {
        matches!(self.source, Source::Packed(_))
    }

    /// Whether a part of the source was unpacked with the dictionary.
    pub fn used_dictionary(&self) -> bool {
        matches!(&self.source, Source::Packed(unpacker) if unpacker.used_dictionary())
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
                // One frame that names a dictionary may be a flipped bit. The header, or a second frame, proves that there is one.
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
        // What is left in the decoder comes before the end's own problems.
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

    /// Another dictionary of the same id would give wrong frames without an error.
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
