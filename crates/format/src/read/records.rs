//! Reads single records and the fixed parts of a tape: file header, trailer, footer.

use std::io;

use super::looks_like::looks_like;
use super::problem::{Notes, Problem, ProblemKind, ReadError, io_at};
use super::tape::TapeStream;
use crate::block::{Block, checked_head};
use crate::column::BlockDecoder;
use crate::footer::Footer;
use crate::limits;
use crate::pack;
use crate::record::{
    FileHeader, HEADER_BYTES, RecordHeader, RecordKind, TRAILER_BYTES, Trailer, VERSION, is_known_version,
};
use crate::source::{ReadAt, read_full};

pub(super) fn read_file_header(source: &dyn ReadAt, notes: &Notes) -> Result<Option<FileHeader>, ReadError> {
    let mut bytes = [0; 512];
    let found = read_full(source, 0, &mut bytes).map_err(io_at(0))?;
    let start = bytes.get(..found).unwrap_or_default();
    match FileHeader::parse(start.get(..HEADER_BYTES).unwrap_or(start)) {
        Ok(header) if is_known_version(header.version) => Ok(Some(header)),
        Ok(header) => Err(ReadError::UnknownVersion { version: header.version, known: VERSION }),
        Err(error) => {
            if !is_damaged_tape(source, start) {
                return Err(ReadError::NotATape { looks_like: looks_like(start) });
            }
            let text = format!("the file header is damaged: {error}");
            notes.add(Problem::new(ProblemKind::FileHeader, 0, text));
            Ok(None)
        }
    }
}

/// Whether, despite a damaged header, the magic or the first record shows that this was a tape.
fn is_damaged_tape(source: &dyn ReadAt, start: &[u8]) -> bool {
    let record = start.get(HEADER_BYTES..2 * HEADER_BYTES).unwrap_or_default();
    let has_record = RecordHeader::parse(record, HEADER_BYTES as u64).is_ok();
    let size = source.size().unwrap_or_default();
    let has_trailer = read_trailer(source, size).ok().flatten().is_some();
    (FileHeader::is_tape(start) && start.len() >= HEADER_BYTES) || has_record || has_trailer
}

pub(super) fn read_trailer(source: &dyn ReadAt, size: u64) -> io::Result<Option<Trailer>> {
    let Some(at) = size.checked_sub(TRAILER_BYTES as u64) else { return Ok(None) };
    let mut bytes = [0; TRAILER_BYTES];
    let found = read_full(source, at, &mut bytes)?;
    Ok(Trailer::parse(bytes.get(..found).unwrap_or_default()).ok())
}

pub(super) fn read_footer(
    source: &dyn ReadAt,
    trailer: &Trailer,
    size: u64,
) -> Result<Result<Footer, Problem>, ReadError> {
    let wrong = |text: String| {
        Problem::new(ProblemKind::Footer, trailer.footer_offset, format!("the footer is damaged: {text}"))
    };
    let (header, payload) = match read_record(source, trailer.footer_offset, size)? {
        Ok(record) => record,
        Err(error) => return Ok(Err(wrong(error.to_string()))),
    };
    if header.kind != RecordKind::Footer || header.record_bytes() != trailer.footer_bytes {
        return Ok(Err(wrong("another record is in its place".into())));
    }
    let footer = checked_head(&header, &payload)
        .and_then(|payload| Ok(pack::unpack(payload, limits::FOOTER_BYTES)?))
        .and_then(|bytes| Footer::parse(&bytes));
    Ok(footer.map_err(|error| wrong(error.to_string())))
}

/// Number of bytes that are read along with the header of a record.
const FIRST_READ: usize = 4096;

/// Reads a complete record and checks its header, but not its payload.
pub(crate) fn read_record(
    source: &dyn ReadAt,
    offset: u64,
    size: u64,
) -> Result<Result<(RecordHeader, Vec<u8>), crate::Malformed>, ReadError> {
    // Most of these records are small: one read covers header and payload.
    let mut start = [0; FIRST_READ];
    // Not beyond the end of the file: finding out that there is no more data would take another call.
    let there = size.saturating_sub(offset).min(FIRST_READ as u64) as usize;
    let found = read_full(source, offset, start.get_mut(..there).unwrap_or_default()).map_err(io_at(offset))?;
    let start = start.get(..found).unwrap_or_default();
    let header = match RecordHeader::parse(start.get(..HEADER_BYTES).unwrap_or(start), offset) {
        Ok(header) => header,
        Err(error) => return Ok(Err(error)),
    };
    let available = size.saturating_sub(offset.saturating_add(HEADER_BYTES as u64));
    let needed = header.payload_bytes as usize;
    if needed as u64 > available {
        return Ok(Err(crate::Malformed::Short { what: "the record", needed, available: available as usize }));
    }
    let known = start.get(HEADER_BYTES..).unwrap_or_default();
    let mut payload = known.get(..needed.min(known.len())).unwrap_or_default().to_vec();
    if payload.len() < needed {
        let have = payload.len();
        payload.resize(needed, 0);
        let at = offset + (HEADER_BYTES + have) as u64;
        let rest = payload.get_mut(have..).unwrap_or_default();
        let more = read_full(source, at, rest).map_err(io_at(at))?;
        payload.truncate(have + more);
    }
    Ok(Ok((header, payload)))
}

/// Reads and decodes a block whose header has been read before.
pub(crate) fn read_block(
    source: &dyn ReadAt,
    header: &RecordHeader,
    stream: &TapeStream,
    block: &mut Block,
    decoder: &mut BlockDecoder,
) -> Result<Result<(), crate::Malformed>, ReadError> {
    let (found, payload) = match read_record(source, header.offset, u64::MAX)? {
        Ok(record) => record,
        Err(error) => return Ok(Err(error)),
    };
    if found != *header {
        return Ok(Err(crate::Malformed::Value {
            what: "the offset of a record that has changed",
            found: header.offset,
        }));
    }
    let frame_bytes = stream.frame_bytes();
    Ok(block.decode(&found, &payload, &stream.columns, frame_bytes, decoder))
}
