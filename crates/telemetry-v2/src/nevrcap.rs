//! Files of the first version (`.nevrcap`): one zstd stream of records without an envelope and without a footer. A
//! [`Reader`] reads the header, the frames and the problems of a file; a [`Writer`] writes one.

use std::collections::VecDeque;
use std::io::{self, Read, Write};

use bytes::Bytes;
use prost::Message as _;

use crate::decode::{Decoded, Decoder, Framing, LostCause};
use crate::fit::{self, Fitted};
use crate::limits::Limits;
use crate::proto::telemetry::v1::{LobbySessionStateFrame, TelemetryHeader};
use crate::read::Problem;
use crate::unpack::{Input, Unpacked, Unpacker, is_source_packed};
use crate::wire;

/// A record of a file, byte for byte. Unknown fields are preserved.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RawRecord {
    /// Its bytes, without the length prefix.
    pub bytes: Bytes,
    /// Offset of its length prefix in the stream.
    pub offset: u64,
}

impl RawRecord {
    /// Decodes the record as a frame, and lists its fields that do not match the schema.
    pub fn fitted_frame(&self) -> Result<Fitted<LobbySessionStateFrame>, prost::DecodeError> {
        fit::decode(self.bytes.clone(), fit::TELEMETRY_V1_LOBBYSESSIONSTATEFRAME)
    }

    /// Decodes the record as the header, and lists its fields that do not match the schema.
    pub fn fitted_header(&self) -> Result<Fitted<TelemetryHeader>, prost::DecodeError> {
        fit::decode(self.bytes.clone(), fit::TELEMETRY_V1_TELEMETRYHEADER)
    }

    /// [`RawRecord::fitted_frame`] without the list of mismatching fields.
    pub fn frame(&self) -> Result<LobbySessionStateFrame, prost::DecodeError> {
        Ok(self.fitted_frame()?.message)
    }

    /// [`RawRecord::fitted_header`] without the list of mismatching fields.
    pub fn header(&self) -> Result<TelemetryHeader, prost::DecodeError> {
        Ok(self.fitted_header()?.message)
    }
}

/// An item returned by a reader.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Item {
    /// The header: the first record.
    Header(RawRecord),
    /// A frame.
    Frame(RawRecord),
    /// A problem at this point.
    Problem(Problem),
}

/// The reason why a file cannot be read.
#[derive(Debug, thiserror::Error)]
pub enum ReadError {
    /// The source failed.
    #[error("reading failed: {0}")]
    Io(#[from] io::Error),
    /// The first record is not a header of the first version.
    #[error("this is not a capture of the first version (.nevrcap): its first record is not a header")]
    NotFirstVersion,
}

enum Source<R> {
    Plain(Input<R>),
    Packed(Box<Unpacker<R>>),
}

/// Reads a file sequentially.
pub struct Reader<R> {
    source: Source<R>,
    decoder: Decoder,
    waiting: VecDeque<Item>,
    started: bool,
    ended: bool,
}

impl<R: Read> Reader<R> {
    /// Creates a reader with the default limits.
    pub fn new(source: R) -> Result<Self, ReadError> {
        Self::with_limits(source, &Limits::default())
    }

    /// Creates a reader. Uncompressed files are supported too.
    pub fn with_limits(source: R, limits: &Limits) -> Result<Self, ReadError> {
        let mut input = Input::new(source);
        let source = if is_source_packed(&mut input)? {
            Source::Packed(Box::new(Unpacker::new(input, limits, None)?))
        } else {
            Source::Plain(input)
        };
        let decoder = Decoder::new(Framing::V1, limits);
        Ok(Self { source, decoder, waiting: VecDeque::new(), started: false, ended: false })
    }

    /// Whether the source is compressed.
    pub fn is_packed(&self) -> bool {
        matches!(self.source, Source::Packed(_))
    }

    /// Returns the next record or problem, or `None` at the end.
    #[allow(clippy::should_implement_trait)]
    pub fn next(&mut self) -> Result<Option<Item>, ReadError> {
        loop {
            if let Some(item) = self.waiting.pop_front() {
                return Ok(Some(item));
            }
            match self.decoder.next() {
                Some(decoded) => return self.decoded(decoded).map(Some),
                None if self.ended => return Ok(None),
                None => self.fill()?,
            }
        }
    }

    fn decoded(&mut self, decoded: Decoded) -> Result<Item, ReadError> {
        let (offset, bytes) = match decoded {
            // Without its first record, there is no evidence that a file is of this kind.
            Decoded::Lost { cause, .. } if !self.started && cause != LostCause::Truncated => {
                return Err(ReadError::NotFirstVersion);
            }
            Decoded::Lost { offset, bytes, cause } => return Ok(Item::Problem(Problem::Lost { offset, bytes, cause })),
            Decoded::Record { offset, bytes } => (offset, bytes),
        };
        let record = RawRecord { bytes, offset };
        if self.started {
            return Ok(Item::Frame(record));
        }
        self.started = true;
        if !crate::detect::is_v1_header(&record.bytes) {
            return Err(ReadError::NotFirstVersion);
        }
        Ok(Item::Header(record))
    }

    fn fill(&mut self) -> Result<(), ReadError> {
        let unpacked = match &mut self.source {
            Source::Plain(input) => {
                let bytes = input.available()?;
                let count = bytes.len();
                self.decoder.feed(bytes);
                input.consume(count);
                if count == 0 {
                    self.end();
                }
                return Ok(());
            }
            Source::Packed(unpacker) => unpacker.next()?,
        };
        let problem = match unpacked {
            None => {
                self.end();
                return Ok(());
            }
            Some(Unpacked::Content { bytes, .. }) => {
                self.decoder.feed(&bytes);
                return Ok(());
            }
            Some(Unpacked::Damaged { offset, bytes, cause }) => {
                if let Some(Decoded::Lost { offset, bytes, cause }) = self.decoder.gap() {
                    self.waiting.push_back(Item::Problem(Problem::Lost { offset, bytes, cause }));
                }
                Problem::Damaged { offset, bytes, cause }
            }
            Some(Unpacked::NeedsDictionary { offset, bytes, id }) => {
                if let Some(Decoded::Lost { offset, bytes, cause }) = self.decoder.gap() {
                    self.waiting.push_back(Item::Problem(Problem::Lost { offset, bytes, cause }));
                }
                Problem::NeedsDictionary { offset, bytes, id }
            }
            Some(Unpacked::Truncated { offset }) => Problem::Truncated { offset },
            Some(Unpacked::Bomb { raw_bytes, packed_bytes }) => Problem::Bomb { raw_bytes, packed_bytes },
        };
        self.waiting.push_back(Item::Problem(problem));
        Ok(())
    }

    fn end(&mut self) {
        self.decoder.end();
        self.ended = true;
    }
}

/// Encodes a frame, without the length prefix.
pub fn frame_bytes(frame: &LobbySessionStateFrame) -> Vec<u8> {
    frame.encode_to_vec()
}

/// Writes a file of the first version.
pub struct Writer<W: Write> {
    target: Target<W>,
    record: Vec<u8>,
}

enum Target<W: Write> {
    Plain(W),
    #[cfg(feature = "zstd")]
    Packed(zstd::stream::write::Encoder<'static, W>),
}

#[cfg(feature = "zstd")]
fn packed<W: Write>(sink: W, level: i32) -> io::Result<Target<W>> {
    let mut encoder = zstd::stream::write::Encoder::new(sink, level)?;
    encoder.include_checksum(true)?;
    Ok(Target::Packed(encoder))
}

impl<W: Write> Writer<W> {
    /// Starts a file: one zstd stream. Other writers use level 1.
    #[cfg(feature = "zstd")]
    pub fn new(sink: W, header: &TelemetryHeader, level: i32) -> io::Result<Self> {
        Self::begin(packed(sink, level)?, &header.encode_to_vec())
    }

    /// Starts an uncompressed stream.
    pub fn plain(sink: W, header: &TelemetryHeader) -> io::Result<Self> {
        Self::begin(Target::Plain(sink), &header.encode_to_vec())
    }

    /// Starts a compressed copy of a file; the header is written byte for byte.
    #[cfg(feature = "zstd")]
    pub fn copying(sink: W, header: &[u8], level: i32) -> io::Result<Self> {
        Self::begin(packed(sink, level)?, header)
    }

    /// Starts an uncompressed copy of a file.
    pub fn copying_plain(sink: W, header: &[u8]) -> io::Result<Self> {
        Self::begin(Target::Plain(sink), header)
    }

    fn begin(target: Target<W>, header: &[u8]) -> io::Result<Self> {
        let mut writer = Self { target, record: Vec::new() };
        writer.raw(header)?;
        Ok(writer)
    }

    /// Writes a frame.
    pub fn frame(&mut self, frame: &LobbySessionStateFrame) -> io::Result<()> {
        self.raw(&frame.encode_to_vec())
    }

    /// Writes the bytes of a frame unchanged.
    pub fn raw(&mut self, bytes: &[u8]) -> io::Result<()> {
        self.record.clear();
        wire::push_varint(bytes.len() as u64, &mut self.record);
        self.record.extend_from_slice(bytes);
        match &mut self.target {
            Target::Plain(sink) => sink.write_all(&self.record),
            #[cfg(feature = "zstd")]
            Target::Packed(encoder) => encoder.write_all(&self.record),
        }
    }

    /// Ends the file.
    #[cfg_attr(not(feature = "zstd"), allow(clippy::infallible_destructuring_match))]
    pub fn finish(self) -> io::Result<W> {
        let mut sink = match self.target {
            Target::Plain(sink) => sink,
            #[cfg(feature = "zstd")]
            Target::Packed(encoder) => encoder.finish()?,
        };
        sink.flush()?;
        Ok(sink)
    }
}
