//! Splits an `.ibt` file into pieces: which bytes of the file go to which stream of the tape.
//!
//! Import and comparison share this split. The pieces cover the whole file: bytes of unknown meaning are pieces too.
//!
//! ```text
//! rows                                   telemetry               one frame each
//! headers, 144 bytes                     telemetry.header        one frame
//! variable headers                       telemetry.variables     one frame
//! session text                           telemetry.session-text  one frame, if there is a text
//! everything else, usually a cut row     telemetry.rest          one frame per range, at most 1 MiB each
//! ```

use std::ops::Range;

use gametape_games::iracing::{Ibt, IbtHead, IbtRows};

use super::error::ImportError;
use super::source::{CHUNK_BYTES, Source, chunks};

/// Stream of the rows.
pub(super) const TELEMETRY: &str = "telemetry";

/// A part of the file that describes the rows.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Part {
    Header,
    Variables,
    SessionText,
    Rest,
}

impl Part {
    pub(super) fn stream(self) -> &'static str {
        match self {
            Self::Header => "telemetry.header",
            Self::Variables => "telemetry.variables",
            Self::SessionText => "telemetry.session-text",
            Self::Rest => "telemetry.rest",
        }
    }
}

/// The pieces of a file.
pub(super) struct Pieces {
    pub(super) ibt: Ibt,
    /// All pieces except the rows. Pieces of the same part are adjacent.
    pub(super) parts: Vec<(Part, Range<u64>)>,
}

impl Pieces {
    pub(super) fn of(source: &Source) -> Result<Self, ImportError> {
        let file_bytes = source.bytes;
        let header = 0..(IbtHead::BYTES as u64).min(file_bytes);
        let head = IbtHead::parse(&source.read(&header)?, file_bytes)?;
        let variables = source.read(&head.var_headers)?;
        let ibt = head.finish(&variables)?;
        let rows = ibt.rows.start..ibt.rows.start + ibt.rows.count * u64::from(ibt.rows.row_bytes);
        let mut parts = vec![(Part::Header, header.clone()), (Part::Variables, ibt.var_headers.clone())];
        if !ibt.session_text.is_empty() {
            parts.push((Part::SessionText, ibt.session_text.clone()));
        }
        let known = [header, ibt.var_headers.clone(), ibt.session_text.clone(), rows];
        parts.extend(rest(known, file_bytes).into_iter().map(|range| (Part::Rest, range)));
        Ok(Self { ibt, parts })
    }
}

/// Returns the uncovered ranges of the file, in chunks of at most [`CHUNK_BYTES`].
fn rest(mut known: [Range<u64>; 4], file_bytes: u64) -> Vec<Range<u64>> {
    known.sort_by_key(|range| range.start);
    let mut rest = Vec::new();
    let mut at = 0;
    let end = std::iter::once(file_bytes..file_bytes);
    for range in known.into_iter().filter(|range| !range.is_empty()).chain(end) {
        rest.extend(chunks(at..range.start.min(file_bytes)));
        at = at.max(range.end);
    }
    rest
}

/// Reads the rows in file order.
pub(super) struct RowReader<'a> {
    source: &'a Source,
    rows: IbtRows,
    next: u64,
    buffer: Vec<u8>,
    /// Rows held in the buffer.
    loaded: Range<u64>,
}

impl<'a> RowReader<'a> {
    pub(super) fn new(source: &'a Source, rows: IbtRows) -> Self {
        Self { source, rows, next: 0, buffer: Vec::new(), loaded: 0..0 }
    }

    pub(super) fn next(&mut self) -> Result<Option<&[u8]>, ImportError> {
        if self.next >= self.rows.count {
            return Ok(None);
        }
        let row_bytes = u64::from(self.rows.row_bytes);
        if !self.loaded.contains(&self.next) {
            let count = (CHUNK_BYTES / row_bytes).clamp(1, self.rows.count - self.next);
            self.loaded = self.next..self.next + count;
            let start = self.rows.start + self.next * row_bytes;
            self.source.read_into(&(start..start + count * row_bytes), &mut self.buffer)?;
        }
        let start = ((self.next - self.loaded.start) * row_bytes) as usize;
        self.next += 1;
        Ok(self.buffer.get(start..start + row_bytes as usize))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_rest_is_what_nothing_else_covers() {
        assert_eq!(rest([0..144, 144..200, 200..300, 300..1000], 1000), []);
        assert_eq!(rest([0..144, 150..200, 0..0, 210..990], 1000), [144..150, 200..210, 990..1000]);
        assert_eq!(rest([0..144, 144..200, 150..180, 2000..2000], 1000).first(), Some(&(200..1000)));
        let long = 144 + 2 * CHUNK_BYTES + 5;
        let stretches = rest([0..144, 0..0, 0..0, 0..0], long);
        assert_eq!(
            stretches.iter().map(|range| range.end - range.start).collect::<Vec<_>>(),
            [CHUNK_BYTES, CHUNK_BYTES, 5]
        );
    }
}
