//! Scans the records of a tape without its index, and resynchronizes after damage.

use std::io;

use crate::record::{HEADER_BYTES, RecordHeader, TRAILER_BYTES, Trailer};
use crate::source::{ReadAt, read_full};

/// The result of one scan step.
#[derive(Debug)]
pub(crate) enum Hop {
    /// A record of complete length; its payload is not read.
    Record(RecordHeader),
    /// Bytes that are not a record.
    Damage { at: u64, bytes: u64 },
    /// A record that extends beyond the end: truncated, or still being written.
    Cut(RecordHeader),
    /// The end of the file, or the trailer.
    End { at: u64 },
}

/// Iterates over the records between two offsets.
pub(crate) struct Scan<'a> {
    source: &'a dyn ReadAt,
    at: u64,
    end: u64,
    piece: Vec<u8>,
}

impl<'a> Scan<'a> {
    pub(crate) fn new(source: &'a dyn ReadAt, from: u64, end: u64) -> Self {
        Self { source, at: from, end, piece: Vec::new() }
    }

    pub(crate) fn hop(&mut self) -> io::Result<Hop> {
        let at = self.at;
        if at >= self.end {
            return Ok(Hop::End { at });
        }
        let mut bytes = [0; HEADER_BYTES];
        let found = read_full(self.source, at, &mut bytes)?;
        match RecordHeader::parse(bytes.get(..found).unwrap_or_default(), at) {
            Ok(header) if header.end() > self.end => Ok(Hop::Cut(header)),
            Ok(header) => {
                self.at = header.end();
                Ok(Hop::Record(header))
            }
            Err(_) if self.is_trailer(at, bytes.get(..found).unwrap_or_default()) => Ok(Hop::End { at }),
            Err(_) => self.search(),
        }
    }

    fn is_trailer(&self, at: u64, bytes: &[u8]) -> bool {
        self.end - at == TRAILER_BYTES as u64 && Trailer::parse(bytes).is_ok()
    }

    /// Searches byte by byte for the next record header.
    fn search(&mut self) -> io::Result<Hop> {
        const LARGEST: usize = 64 << 10;
        // The next record is often close by. Starting small keeps a file full of small holes from being read many times over.
        let mut size = 256;
        let start = self.at;
        let mut base = start + 1;
        while base < self.end {
            self.piece.resize(size + HEADER_BYTES, 0);
            let found = read_full(self.source, base, &mut self.piece)?;
            let data = self.piece.get(..found).unwrap_or_default();
            let mut from = 0;
            while let Some(candidate) = RecordHeader::find_sync(data, from).filter(|at| *at < size) {
                let offset = base + candidate as u64;
                let bytes = data.get(candidate..candidate + HEADER_BYTES).unwrap_or_default();
                if RecordHeader::parse(bytes, offset).is_ok_and(|header| header.end() <= self.end) {
                    self.at = offset;
                    return Ok(Hop::Damage { at: start, bytes: offset - start });
                }
                from = candidate + 1;
            }
            base += size as u64;
            size = (size * 2).min(LARGEST);
        }
        // The rest is not a record; do not report a trailer as damage.
        let mut tail = [0; TRAILER_BYTES];
        let trailer_at = self.end.saturating_sub(TRAILER_BYTES as u64).max(start);
        let found = read_full(self.source, trailer_at, &mut tail)?;
        let is_trailer = self.is_trailer(trailer_at, tail.get(..found).unwrap_or_default());
        let end = if is_trailer { trailer_at } else { self.end };
        self.at = end;
        Ok(if end == start { Hop::End { at: end } } else { Hop::Damage { at: start, bytes: end - start } })
    }
}
