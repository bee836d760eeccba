//! Splits a byte stream into length-delimited records. Takes chunks of a stream as they arrive and returns records.
//! Does no I/O, so it works for files, sockets and browsers alike.
//!
//! ```text
//!            complete record         not a record, or an implausible length
//!  READING ───────────────▶ Record     READING ───────────────▶ LOST
//!     ▲                                                           │ checks every byte for the start of a plausible
//!     └───────────────────── Lost { offset, bytes } ◀─────────────┘ record
//! ```
//!
//! Memory use: one record, and the last chunk. A declared length takes no memory before its bytes have arrived.

use bytes::{Buf as _, Bytes, BytesMut};

use crate::limits::Limits;
use crate::wire::{self, Fields, Value, VarintFault};

/// The kind of records in a stream.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Framing {
    /// `telemetry.v2.Envelope`.
    V2,
    /// `telemetry.v1.TelemetryHeader`, then `LobbySessionStateFrame`, without an envelope.
    V1,
}

/// The reason why bytes were skipped.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum LostCause {
    /// The length of a record is 0 or exceeds the limit.
    #[error("a record declares {length} bytes, but at most {limit} are allowed")]
    Length {
        /// The declared length.
        length: u64,
        /// The maximum length.
        limit: u64,
    },
    /// The bytes of the record are not the fields of a message.
    #[error("the bytes are not a record")]
    NotARecord,
    /// The stream ends inside a record.
    #[error("the stream ends inside a record")]
    Truncated,
    /// The bytes after these are missing.
    #[error("the following bytes are missing")]
    Gap,
}

/// The output of a decoder.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Decoded {
    /// A complete record.
    Record {
        /// Offset of its length prefix.
        offset: u64,
        /// Its bytes, without the length prefix.
        bytes: Bytes,
    },
    /// Bytes that could not be decoded as records.
    Lost {
        /// Offset of the first one.
        offset: u64,
        /// Number of bytes.
        bytes: u64,
        /// What is wrong with the first of them.
        cause: LostCause,
    },
}

/// Decodes the records of a stream.
#[derive(Clone, Debug)]
pub struct Decoder {
    framing: Framing,
    record_limit: usize,
    buffer: BytesMut,
    /// The offset of the buffer's first byte in the stream.
    offset: u64,
    /// Where synchronization was lost, and why.
    lost: Option<(u64, LostCause)>,
    ended: bool,
}

/// The maximum number of fields examined to recognize a frame. No frame has that many.
const MAX_FIELDS: usize = 4096;

impl Decoder {
    /// Creates a decoder at the start of a stream.
    pub fn new(framing: Framing, limits: &Limits) -> Self {
        Self {
            framing,
            record_limit: limits.record_bytes,
            buffer: BytesMut::new(),
            offset: 0,
            lost: None,
            ended: false,
        }
    }

    /// Feeds the next bytes of the stream.
    pub fn feed(&mut self, bytes: &[u8]) {
        self.buffer.extend_from_slice(bytes);
    }

    /// Signals the end of the stream. What is left in the buffer is then decoded or given up.
    pub fn end(&mut self) {
        self.ended = true;
    }

    /// Signals that bytes are missing between those fed so far and the next ones, and that a record starts there.
    pub fn gap(&mut self) -> Option<Decoded> {
        let (offset, cause) = self.lost.take().unwrap_or((self.offset, LostCause::Gap));
        let end = self.offset + self.buffer.len() as u64;
        self.buffer.clear();
        self.offset = end;
        (end > offset).then_some(Decoded::Lost { offset, bytes: end - offset, cause })
    }

    /// The offset in the stream up to which everything has been returned.
    pub fn offset(&self) -> u64 {
        self.offset
    }

    /// Returns the next record or the next loss. `None` means that more bytes are needed or, after [`Decoder::end`],
    /// that there is nothing more.
    #[allow(clippy::should_implement_trait)]
    pub fn next(&mut self) -> Option<Decoded> {
        if self.lost.is_none() {
            match self.record() {
                Step::Record(decoded) => return Some(decoded),
                Step::More if !self.ended => return None,
                Step::More if self.buffer.is_empty() => return None,
                // A length that is too large looks like the end of the stream: there may be complete records after it.
                Step::More => self.lost = Some((self.offset, LostCause::Truncated)),
                Step::Lost(cause) => self.lost = Some((self.offset, cause)),
            }
            self.skip(1);
        }
        self.search()
    }

    fn skip(&mut self, bytes: usize) {
        let bytes = bytes.min(self.buffer.len());
        self.buffer.advance(bytes);
        self.offset += bytes as u64;
    }

    fn record(&mut self) -> Step {
        let (length, prefix) = match wire::varint(&self.buffer) {
            Ok((length, rest)) => (length, self.buffer.len() - rest.len()),
            Err(VarintFault::Short) => return Step::More,
            Err(VarintFault::Long) => return Step::Lost(LostCause::NotARecord),
        };
        let limit = self.record_limit as u64;
        let body = match usize::try_from(length) {
            Ok(body) if (1..=self.record_limit).contains(&body) => body,
            _ => return Step::Lost(LostCause::Length { length, limit }),
        };
        let Some(bytes) = self.buffer.get(prefix..prefix + body) else { return Step::More };
        // Fields of later versions are fine here: only bytes that are not a message at all are rejected.
        if !walks(bytes) {
            return Step::Lost(LostCause::NotARecord);
        }
        Step::Record(self.take(prefix, body))
    }

    fn take(&mut self, prefix: usize, body: usize) -> Decoded {
        let offset = self.offset;
        self.skip(prefix);
        let bytes = self.buffer.split_to(body.min(self.buffer.len())).freeze();
        self.offset += body as u64;
        Decoded::Record { offset, bytes }
    }

    fn search(&mut self) -> Option<Decoded> {
        let (start, cause) = self.lost?;
        let mut passed = 0;
        let found = loop {
            let here = self.buffer.get(passed..).unwrap_or_default();
            match self.candidate(here) {
                Candidate::Yes => break true,
                Candidate::More if !self.ended => break false,
                Candidate::More if here.is_empty() => break true,
                Candidate::No | Candidate::More => passed += 1,
            }
        };
        self.skip(passed);
        if !found {
            return None;
        }
        self.lost = None;
        Some(Decoded::Lost { offset: start, bytes: self.offset - start, cause })
    }

    /// Whether these bytes start with a frame. Stricter than for a record at its expected position, because a frame
    /// must be distinguished from the inside of other records.
    fn candidate(&self, bytes: &[u8]) -> Candidate {
        let (length, rest) = match wire::varint(bytes) {
            Ok((length, rest)) => (length, rest),
            Err(VarintFault::Short) => return Candidate::More,
            Err(VarintFault::Long) => return Candidate::No,
        };
        let body = match usize::try_from(length) {
            // A frame has a number or a time, and a payload.
            Ok(body) if (6..=self.record_limit).contains(&body) => body,
            _ => return Candidate::No,
        };
        let inner = match self.framing {
            Framing::V1 => match rest.first() {
                Some(0x08 | 0x12) => None,
                Some(_) => return Candidate::No,
                None => return Candidate::More,
            },
            Framing::V2 => {
                let Some((key, after)) = rest.split_first() else { return Candidate::More };
                // A frame or a footer.
                if ![0x12, 0x1a].contains(key) {
                    return Candidate::No;
                }
                match wire::varint(after) {
                    Ok((inner, content)) => {
                        let head = rest.len() - content.len();
                        if inner.checked_add(head as u64) != Some(length) {
                            return Candidate::No;
                        }
                        Some(head)
                    }
                    Err(VarintFault::Short) => return Candidate::More,
                    Err(VarintFault::Long) => return Candidate::No,
                }
            }
        };
        let Some(bytes) = rest.get(..body) else { return Candidate::More };
        let found = match inner {
            Some(head) => {
                bytes.get(head..).is_some_and(|message| is_frame_or_footer(bytes.first() == Some(&0x12), message))
            }
            None => is_v1_frame(bytes),
        };
        if found { Candidate::Yes } else { Candidate::No }
    }
}

enum Step {
    Record(Decoded),
    More,
    Lost(LostCause),
}

enum Candidate {
    Yes,
    No,
    More,
}

fn walks(bytes: &[u8]) -> bool {
    Fields::new(bytes).all(|field| field.is_ok())
}

fn is_frame_or_footer(frame: bool, message: &[u8]) -> bool {
    let (mut payload, mut numbers) = (false, 0);
    for (count, field) in Fields::new(message).enumerate() {
        let Ok(field) = field else { return false };
        match (field.number, field.value) {
            (1..=3, Value::Varint(_)) => numbers += 1,
            (10..=199, Value::Bytes(_)) if frame => payload = true,
            (4 | 5, Value::Bytes(_)) if !frame => payload = true,
            _ => return false,
        }
        if count > MAX_FIELDS {
            return false;
        }
    }
    payload && numbers > 0
}

fn is_v1_frame(bytes: &[u8]) -> bool {
    let mut session = false;
    for (count, field) in Fields::new(bytes).enumerate() {
        match field.map(|field| (field.number, field.value)) {
            Ok((1, Value::Varint(_)) | (2 | 3, Value::Bytes(_))) => {}
            Ok((4, Value::Bytes(inner))) => {
                session = true;
                if !inner.is_empty() && Fields::new(inner).next().is_none_or(|field| field.is_err()) {
                    return false;
                }
            }
            Ok((5, Value::Bytes(_))) => {}
            _ => return false,
        }
        if count > MAX_FIELDS {
            return false;
        }
    }
    session
}
