//! The outer structure of a file: file header, record headers and trailer (docs/format.md, sections 3 and 7).
//!
//! Parses bytes into structs and serializes them. Payloads are handled by other modules.

use crate::cursor::{Cursor, Malformed};
use crate::limits;

/// The size of the file header, of a record header and of a journal header.
pub(crate) const HEADER_BYTES: usize = 64;
/// The size of the trailer.
pub(crate) const TRAILER_BYTES: usize = 32;
/// The format version that this crate writes.
pub const VERSION: u16 = 1;
/// The draft version, with the same byte layout as version 1: tapes recorded with it remain readable.
const DRAFT: u16 = 0;

/// Whether this crate can read a version.
pub(crate) fn is_known_version(version: u16) -> bool {
    version == VERSION || version == DRAFT
}

const MAGIC: [u8; 8] = *b"\x89GTAPE\r\n";
const SYNC: [u8; 4] = *b"GTR\x1a";
const TRAILER_MAGIC: [u8; 8] = *b"GTAPEEND";
/// The stream id in records that do not belong to a stream.
pub(crate) const NO_STREAM: u16 = 0xFFFF;

/// The identity of a tape: random for a recording, derived from the source for an import.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Default)]
pub struct TapeId(pub [u8; 16]);

impl std::fmt::Display for TapeId {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        self.0.iter().try_for_each(|byte| write!(f, "{byte:02x}"))
    }
}

impl std::fmt::Debug for TapeId {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "TapeId({self})")
    }
}

/// The first 64 bytes of a tape.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct FileHeader {
    /// Format version.
    pub(crate) version: u16,
    /// Identity of the tape.
    pub(crate) tape_id: TapeId,
    /// UTC at tape time 0, in nanoseconds since 1970, if known.
    pub(crate) start_utc_ns: Option<i64>,
}

impl FileHeader {
    /// Serializes the header.
    pub(crate) fn to_bytes(self) -> [u8; HEADER_BYTES] {
        let mut out = Fixed::<HEADER_BYTES>::new();
        out.put(&MAGIC);
        out.put(&self.version.to_le_bytes());
        out.put(&0u16.to_le_bytes());
        out.put(&(HEADER_BYTES as u32).to_le_bytes());
        out.put(&self.tape_id.0);
        out.put(&self.start_utc_ns.unwrap_or(i64::MIN).to_le_bytes());
        out.sealed()
    }

    /// Whether `data` starts with the magic of a tape, intact or damaged.
    pub(crate) fn is_tape(data: &[u8]) -> bool {
        data.starts_with(&MAGIC)
    }

    /// Parses a header and checks its checksum. Checking the version is up to the caller.
    pub(crate) fn parse(data: &[u8]) -> Result<Self, Malformed> {
        let mut cursor = checked(data, "the file header")?;
        if cursor.array::<8>("magic")? != MAGIC {
            return Err(Malformed::Value { what: "the file's magic", found: 0 });
        }
        let version = cursor.u16("version")?;
        cursor.u16("flags")?;
        check_header_length(version, cursor.u32("header length")?)?;
        let tape_id = TapeId(cursor.array("tape id")?);
        let utc = cursor.u64("start time")? as i64;
        Ok(Self { version, tape_id, start_utc_ns: (utc != i64::MIN).then_some(utc) })
    }
}

/// Refuses a header of another length: no known version defines what the other bytes mean. What a later version does is up to it.
pub(crate) fn check_header_length(version: u16, found: u32) -> Result<(), Malformed> {
    match is_known_version(version) && found != HEADER_BYTES as u32 {
        true => Err(Malformed::Value { what: "the header length", found: u64::from(found) }),
        false => Ok(()),
    }
}

/// The kind of a record.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum RecordKind {
    /// Describes a stream.
    Stream,
    /// Frames of one size, by columns.
    ColumnBlock,
    /// Frames of any size, by rows.
    RowBlock,
    /// The locations of blocks and the ranges of their channels.
    IndexPage,
    /// The end of a closed tape.
    Footer,
    /// A kind defined by a later version: skipped.
    Other(u8),
}

impl RecordKind {
    fn number(self) -> u8 {
        match self {
            Self::Stream => 1,
            Self::ColumnBlock => 2,
            Self::RowBlock => 3,
            Self::IndexPage => 4,
            Self::Footer => 5,
            Self::Other(number) => number,
        }
    }

    fn from_number(number: u8) -> Self {
        match number {
            1 => Self::Stream,
            2 => Self::ColumnBlock,
            3 => Self::RowBlock,
            4 => Self::IndexPage,
            5 => Self::Footer,
            other => Self::Other(other),
        }
    }

    /// Whether the record holds frames.
    pub(crate) fn is_block(self) -> bool {
        matches!(self, Self::ColumnBlock | Self::RowBlock)
    }
}

/// The 64-byte header of every record.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct RecordHeader {
    /// The kind of the payload.
    pub(crate) kind: RecordKind,
    /// Coding of a row block.
    pub(crate) coding: u8,
    /// Stream id, or `NO_STREAM`.
    pub(crate) stream: u16,
    /// Size of the payload that follows this header.
    pub(crate) payload_bytes: u32,
    /// Size of the leading part of the payload that `head_crc` covers.
    pub(crate) head_bytes: u32,
    /// Sequence number of the first frame.
    pub(crate) first_seq: u64,
    /// Time of the first frame.
    pub(crate) first_ns: u64,
    /// Time of the last frame.
    pub(crate) last_ns: u64,
    /// Number of frames in a block or of blocks in an index page.
    pub(crate) rows: u32,
    /// Sum of the frame sizes of a block.
    pub(crate) raw_bytes: u32,
    /// Checksum of the head.
    pub(crate) head_crc: u32,
    /// Offset of the record in the file.
    pub(crate) offset: u64,
}

impl RecordHeader {
    /// Creates the header of a record without rows whose payload consists of a head only.
    pub(crate) fn plain(kind: RecordKind, stream: u16, payload: &[u8]) -> Self {
        Self {
            kind,
            coding: 0,
            stream,
            payload_bytes: payload.len() as u32,
            head_bytes: payload.len() as u32,
            first_seq: 0,
            first_ns: 0,
            last_ns: 0,
            rows: 0,
            raw_bytes: 0,
            head_crc: crc32c::crc32c(payload),
            offset: 0,
        }
    }

    /// The size of header and payload together.
    pub(crate) fn record_bytes(&self) -> u64 {
        HEADER_BYTES as u64 + u64::from(self.payload_bytes)
    }

    /// The offset of the first byte after the record.
    pub(crate) fn end(&self) -> u64 {
        self.offset.saturating_add(self.record_bytes())
    }

    /// The sequence number after the last frame of a block.
    pub(crate) fn end_seq(&self) -> u64 {
        self.first_seq.saturating_add(u64::from(self.rows))
    }

    /// Serializes the header.
    pub(crate) fn to_bytes(self) -> [u8; HEADER_BYTES] {
        let mut out = Fixed::<HEADER_BYTES>::new();
        out.put(&SYNC);
        out.put(&[self.kind.number(), self.coding]);
        out.put(&self.stream.to_le_bytes());
        out.put(&self.payload_bytes.to_le_bytes());
        out.put(&self.head_bytes.to_le_bytes());
        out.put(&self.first_seq.to_le_bytes());
        out.put(&self.first_ns.to_le_bytes());
        out.put(&self.last_ns.to_le_bytes());
        out.put(&self.rows.to_le_bytes());
        out.put(&self.raw_bytes.to_le_bytes());
        out.put(&self.head_crc.to_le_bytes());
        out.put(&self.offset.to_le_bytes());
        out.sealed()
    }

    /// Parses the header at `offset` of the file.
    pub(crate) fn parse(data: &[u8], offset: u64) -> Result<Self, Malformed> {
        let mut cursor = checked(data, "the record header")?;
        if cursor.array::<4>("sync")? != SYNC {
            return Err(Malformed::Value { what: "the record's sync mark", found: 0 });
        }
        let header = Self {
            kind: RecordKind::from_number(cursor.u8("kind")?),
            coding: cursor.u8("coding")?,
            stream: cursor.u16("stream")?,
            payload_bytes: cursor.u32("payload length")?,
            head_bytes: cursor.u32("head length")?,
            first_seq: cursor.u64("first sequence number")?,
            first_ns: cursor.u64("first time")?,
            last_ns: cursor.u64("last time")?,
            rows: cursor.u32("rows")?,
            raw_bytes: cursor.u32("raw bytes")?,
            head_crc: cursor.u32("head checksum")?,
            offset: cursor.u64("offset")?,
        };
        header.check(offset)?;
        Ok(header)
    }

    fn check(&self, offset: u64) -> Result<(), Malformed> {
        let limit = |what, found: u32, limit: usize| crate::cursor::within(what, u64::from(found), limit).map(|_| ());
        if self.offset != offset {
            return Err(Malformed::Value { what: "the offset in the record header", found: self.offset });
        }
        limit("payload length", self.payload_bytes, limits::PAYLOAD_BYTES)?;
        limit("head length", self.head_bytes, self.payload_bytes as usize)?;
        match self.kind {
            RecordKind::Stream => limit("descriptor length", self.payload_bytes, packed(limits::DESCRIPTOR_BYTES))?,
            RecordKind::Footer => limit("footer length", self.payload_bytes, packed(limits::FOOTER_BYTES))?,
            RecordKind::ColumnBlock | RecordKind::IndexPage => {
                limit("head length", self.head_bytes, packed(limits::HEAD_BYTES))?;
            }
            // The frames and two integers for each of them.
            RecordKind::RowBlock => {
                limit("row block length", self.payload_bytes, packed(limits::BLOCK_RAW_BYTES) + (64 << 10))?;
            }
            RecordKind::Other(_) => {}
        }
        limit("rows", self.rows, limits::BLOCK_ROWS.max(limits::PAGE_BLOCKS))?;
        limit("raw bytes", self.raw_bytes, limits::BLOCK_RAW_BYTES)?;
        if self.kind.is_block() {
            if self.rows == 0 {
                return Err(Malformed::Value { what: "rows of a block", found: 0 });
            }
            if self.last_ns < self.first_ns {
                return Err(Malformed::Value { what: "last time of a block", found: self.last_ns });
            }
            if self.first_seq.checked_add(u64::from(self.rows)).is_none() {
                return Err(Malformed::Value { what: "first sequence number", found: self.first_seq });
            }
        }
        Ok(())
    }

    /// Finds the next position at or after `from` in `data` where a header may start, recognized by its sync mark.
    pub(crate) fn find_sync(data: &[u8], from: usize) -> Option<usize> {
        let rest = data.get(from..)?;
        rest.windows(SYNC.len()).position(|window| window == SYNC).map(|at| from + at)
    }
}

/// The maximum size of a packed section of this many raw bytes: data that does not get shorter is stored.
fn packed(bytes: usize) -> usize {
    bytes + crate::pack::PREFIX
}

/// The last 32 bytes of a closed tape.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Trailer {
    /// Offset of the footer record.
    pub(crate) footer_offset: u64,
    /// Length of the footer record, including its header.
    pub(crate) footer_bytes: u64,
}

impl Trailer {
    /// Serializes the trailer.
    pub(crate) fn to_bytes(self) -> [u8; TRAILER_BYTES] {
        let mut out = Fixed::<24>::new();
        out.put(&self.footer_offset.to_le_bytes());
        out.put(&self.footer_bytes.to_le_bytes());
        let mut bytes = [0; TRAILER_BYTES];
        let (front, magic) = bytes.split_at_mut(24);
        front.copy_from_slice(&out.sealed());
        magic.copy_from_slice(&TRAILER_MAGIC);
        bytes
    }

    /// Parses a trailer.
    pub(crate) fn parse(data: &[u8]) -> Result<Self, Malformed> {
        let short = Malformed::Short { what: "the trailer", needed: TRAILER_BYTES, available: data.len() };
        let (front, magic) = data.split_at_checked(24).ok_or(short)?;
        if magic != TRAILER_MAGIC {
            return Err(Malformed::Value { what: "the trailer's magic", found: 0 });
        }
        let mut cursor = checked(front, "the trailer")?;
        let trailer = Self { footer_offset: cursor.u64("footer offset")?, footer_bytes: cursor.u64("footer length")? };
        match cursor.u32("reserved bytes")? {
            0 => Ok(trailer),
            found => Err(Malformed::Value { what: "reserved bytes of the trailer", found: u64::from(found) }),
        }
    }
}

/// Checks the CRC in the last four bytes and returns a cursor over the bytes before it.
pub(crate) fn checked<'a>(data: &'a [u8], what: &'static str) -> Result<Cursor<'a>, Malformed> {
    let (body, crc) =
        data.split_last_chunk::<4>().ok_or(Malformed::Short { what, needed: HEADER_BYTES, available: data.len() })?;
    if crc32c::crc32c(body) != u32::from_le_bytes(*crc) {
        return Err(Malformed::Checksum { what });
    }
    Ok(Cursor::new(body))
}

/// A fixed-size buffer that ends with its CRC; bytes that are not written stay zero.
pub(crate) struct Fixed<const N: usize> {
    bytes: [u8; N],
    used: usize,
}

impl<const N: usize> Fixed<N> {
    pub(crate) fn new() -> Self {
        Self { bytes: [0; N], used: 0 }
    }

    pub(crate) fn put(&mut self, data: &[u8]) {
        if let Some(room) = self.bytes.get_mut(self.used..self.used + data.len()) {
            room.copy_from_slice(data);
        }
        self.used += data.len();
    }

    pub(crate) fn sealed(mut self) -> [u8; N] {
        debug_assert!(self.used <= N - 4, "the fields must fit");
        if let Some((body, crc)) = self.bytes.split_last_chunk_mut::<4>() {
            *crc = crc32c::crc32c(body).to_le_bytes();
        }
        self.bytes
    }
}
