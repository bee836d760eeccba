//! Journal files at the byte level: headers, rows and iteration over them (docs/format.md, section 9).
//!
//! Reads bytes through `ReadAt` and returns one row after another. Writing them is the job of `write`.

use std::io;

use crate::cursor::{Cursor, Malformed};
use crate::limits;
use crate::record::{Fixed, HEADER_BYTES, TapeId, VERSION, check_header_length, checked, is_known_version};
use crate::source::{ReadAt, read_full};

const MAGIC: [u8; 8] = *b"\x89GTJRNL\n";
const ROW_MARK: u8 = 0xA5;
/// Bytes before the payload of a row.
pub(crate) const ROW_BYTES: usize = 32;

/// The first 64 bytes of a journal file.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct JournalHeader {
    pub(crate) generation: u64,
    pub(crate) tape_id: TapeId,
    /// The length of the tape when this generation was prepared.
    pub(crate) tape_bytes: u64,
    pub(crate) file_bytes: u64,
}

impl JournalHeader {
    pub(crate) fn to_bytes(self) -> [u8; HEADER_BYTES] {
        let mut out = Fixed::<HEADER_BYTES>::new();
        out.put(&MAGIC);
        out.put(&VERSION.to_le_bytes());
        out.put(&0u16.to_le_bytes());
        out.put(&(HEADER_BYTES as u32).to_le_bytes());
        out.put(&self.generation.to_le_bytes());
        out.put(&self.tape_id.0);
        out.put(&self.tape_bytes.to_le_bytes());
        out.put(&self.file_bytes.to_le_bytes());
        out.sealed()
    }

    pub(crate) fn parse(data: &[u8]) -> Result<Self, Malformed> {
        let mut cursor = checked(data, "the journal header")?;
        if cursor.array::<8>("magic")? != MAGIC {
            return Err(Malformed::Value { what: "the journal's magic", found: 0 });
        }
        let version = cursor.u16("version")?;
        if !is_known_version(version) {
            return Err(Malformed::Value { what: "the journal's version", found: u64::from(version) });
        }
        cursor.u16("flags")?;
        check_header_length(version, cursor.u32("header length")?)?;
        Ok(Self {
            generation: cursor.u64("generation")?,
            tape_id: TapeId(cursor.array("tape id")?),
            tape_bytes: cursor.u64("tape length")?,
            file_bytes: cursor.u64("journal length")?,
        })
    }
}

/// What a row contains.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum RowKind {
    Frame,
    Stream,
    Other(u8),
}

/// The 32 bytes before the payload of a row.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct RowHeader {
    pub(crate) payload_bytes: u32,
    pub(crate) payload_crc: u32,
    pub(crate) seq: u64,
    pub(crate) time_ns: u64,
    pub(crate) stream: u16,
    pub(crate) kind: RowKind,
}

impl RowHeader {
    pub(crate) fn to_bytes(self, position: RowPosition) -> [u8; ROW_BYTES] {
        let mut out = [0; ROW_BYTES];
        let kind = match self.kind {
            RowKind::Frame => 0,
            RowKind::Stream => 1,
            RowKind::Other(number) => number,
        };
        let fields: [&[u8]; 6] = [
            &self.payload_bytes.to_le_bytes(),
            &self.payload_crc.to_le_bytes(),
            &self.seq.to_le_bytes(),
            &self.time_ns.to_le_bytes(),
            &self.stream.to_le_bytes(),
            &[kind, ROW_MARK],
        ];
        let mut rest: &mut [u8] = &mut out;
        for field in fields {
            let (room, after) = rest.split_at_mut(field.len());
            room.copy_from_slice(field);
            rest = after;
        }
        let (front, crc) = out.split_at_mut(28);
        crc.copy_from_slice(&row_crc(front, position).to_le_bytes());
        out
    }

    /// Parses a row header; `None` if there is no valid one here.
    pub(crate) fn parse(data: &[u8], position: RowPosition) -> Option<Self> {
        let (front, crc) = data.split_at_checked(28)?;
        if *front.last()? != ROW_MARK || *crc != row_crc(front, position).to_le_bytes() {
            return None;
        }
        let mut cursor = Cursor::new(front);
        let payload_bytes = cursor.u32("").ok()?;
        let payload_crc = cursor.u32("").ok()?;
        let seq = cursor.u64("").ok()?;
        let time_ns = cursor.u64("").ok()?;
        let stream = cursor.u16("").ok()?;
        let kind = match cursor.u8("").ok()? {
            0 => RowKind::Frame,
            1 => RowKind::Stream,
            other => RowKind::Other(other),
        };
        let limit = limits::BLOCK_RAW_BYTES;
        (payload_bytes as usize <= limit).then_some(Self { payload_bytes, payload_crc, seq, time_ns, stream, kind })
    }

    /// Header and payload together.
    pub(crate) fn row_bytes(&self) -> u64 {
        ROW_BYTES as u64 + u64::from(self.payload_bytes)
    }
}

/// The position of a row. It is part of the row's checksum, so that bytes elsewhere that look like a row are never taken for one.
#[derive(Debug, Clone, Copy)]
pub(crate) struct RowPosition {
    pub(crate) tape_id: TapeId,
    pub(crate) generation: u64,
    pub(crate) offset: u64,
}

fn row_crc(front: &[u8], position: RowPosition) -> u32 {
    let sum = crc32c::crc32c_append(crc32c::crc32c(front), &position.tape_id.0);
    let sum = crc32c::crc32c_append(sum, &position.generation.to_le_bytes());
    crc32c::crc32c_append(sum, &position.offset.to_le_bytes())
}

/// One step of a walk over a journal.
#[derive(Debug)]
pub(crate) enum Step {
    /// A complete row; its payload is in the walker's buffer.
    Row { at: u64, header: RowHeader },
    /// A row with a damaged payload, or bytes between rows that are not a row.
    Damage { at: u64, bytes: u64, row: Option<RowHeader> },
    /// The end of the rows. `leftover` counts the non-zero bytes after the last row.
    End { at: u64, leftover: u64 },
}

/// Iterates over the rows of one journal file.
#[derive(Debug)]
pub(crate) struct Walker {
    tape_id: TapeId,
    generation: u64,
    at: u64,
    payload: Vec<u8>,
    /// Whether to search past bytes that are not a row. A reader following a live tape does not: for it, zeros are the end.
    thorough: bool,
}

impl Walker {
    /// Starts or resumes at `at`, where a row begins.
    pub(crate) fn new(tape_id: TapeId, generation: u64, at: u64, thorough: bool) -> Self {
        Self { tape_id, generation, at: at.max(HEADER_BYTES as u64), payload: Vec::new(), thorough }
    }

    pub(crate) fn payload(&self) -> &[u8] {
        &self.payload
    }

    /// Advances to the next row of a stream without reading the payloads of other streams; `None` if there is no row
    /// header at the position.
    pub(crate) fn step_to(&mut self, source: &dyn ReadAt, size: u64, stream: u16) -> io::Result<Option<Step>> {
        loop {
            let Some(header) = self.row_at(source, self.at)? else { return Ok(None) };
            if header.row_bytes() > size.saturating_sub(self.at) {
                return Ok(None);
            }
            if header.stream == stream {
                return self.step(source, size).map(Some);
            }
            self.at += header.row_bytes();
        }
    }

    pub(crate) fn step(&mut self, source: &dyn ReadAt, size: u64) -> io::Result<Step> {
        let at = self.at;
        let header = self.row_at(source, at)?.filter(|header| header.row_bytes() <= size.saturating_sub(at));
        let Some(header) = header else { return self.search(source, size) };
        self.payload.resize(header.payload_bytes as usize, 0);
        let read = read_full(source, at + ROW_BYTES as u64, &mut self.payload)?;
        self.at = at + header.row_bytes();
        if read == self.payload.len() && crc32c::crc32c(&self.payload) == header.payload_crc {
            Ok(Step::Row { at, header })
        } else {
            Ok(Step::Damage { at, bytes: header.row_bytes(), row: Some(header) })
        }
    }

    fn position(&self, offset: u64) -> RowPosition {
        RowPosition { tape_id: self.tape_id, generation: self.generation, offset }
    }

    fn row_at(&self, source: &dyn ReadAt, at: u64) -> io::Result<Option<RowHeader>> {
        let mut bytes = [0; ROW_BYTES];
        let found = read_full(source, at, &mut bytes)?;
        Ok(bytes.get(..found).and_then(|bytes| RowHeader::parse(bytes, self.position(at))))
    }

    /// Called when there is no row header at the current position: searches for the next one, chunk by chunk.
    fn search(&mut self, source: &dyn ReadAt, size: u64) -> io::Result<Step> {
        const LARGEST: usize = 64 << 10;
        let start = self.at;
        if !self.thorough {
            return Ok(Step::End { at: start, leftover: 0 });
        }
        let mut last_nonzero = None;
        let mut piece = Vec::new();
        // The next row is often close by. Starting small keeps a file full of small holes from being read many times over.
        let mut length = 256;
        let mut base = start;
        while base < size {
            piece.resize(length + ROW_BYTES, 0);
            let found = read_full(source, base, &mut piece)?;
            let data = piece.get(..found).unwrap_or_default();
            if data.iter().all(|byte| *byte == 0) {
                base += length as u64;
                length = (length * 2).min(LARGEST);
                continue;
            }
            for (i, byte) in data.iter().enumerate().take(length) {
                if *byte != 0 {
                    last_nonzero = Some(base + i as u64);
                }
                // The mark is byte 27 of a row; checking it first makes the search cheap.
                let mark = data.get(i + 27) == Some(&ROW_MARK);
                if !mark || base + i as u64 == start {
                    continue;
                }
                let position = self.position(base + i as u64);
                let row = data.get(i..i + ROW_BYTES).and_then(|bytes| RowHeader::parse(bytes, position));
                if row.is_some_and(|row| row.row_bytes() <= size.saturating_sub(base + i as u64)) {
                    if self.row_at(source, start)?.is_some_and(|row| row.row_bytes() <= size.saturating_sub(start)) {
                        // The recorder was still writing this row when it was first read and has finished it since.
                        return self.step(source, size);
                    }
                    self.at = base + i as u64;
                    return Ok(Step::Damage { at: start, bytes: self.at - start, row: None });
                }
            }
            base += length as u64;
            length = (length * 2).min(LARGEST);
        }
        Ok(Step::End { at: start, leftover: last_nonzero.map_or(0, |last| last + 1 - start) })
    }
}
