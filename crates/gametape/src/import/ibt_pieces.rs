//! The pieces of an `.ibt`: which bytes of the file go to which stream of the tape.
//!
//! The importer writes the pieces and the comparison reads them, so that both mean the same. Together they are the whole file:
//! bytes that belong to nothing known are pieces too.
//!
//! ```text
//! rows                                   telemetry               one frame each
//! headers, 144 bytes                     telemetry.header        one frame
//! variable headers                       telemetry.variables     one frame
//! session text                           telemetry.session-text  one frame, if there is a text
//! everything else, mostly a cut row      telemetry.rest          a frame for each stretch, of at most 1 MiB
//! ```

use std::fs::File;
use std::io;
use std::ops::Range;

use gametape_format::ReadAt;
use gametape_games::iracing::{Ibt, IbtError, IbtHead, IbtRows};

/// The stream of rows.
pub(super) const TELEMETRY: &str = "telemetry";

/// How much is read at once, and the longest frame of [`Part::Rest`].
const CHUNK_BYTES: u64 = 1 << 20;

/// What describes the rows.
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

/// What a file consists of.
pub(super) struct Pieces {
    pub(super) ibt: Ibt,
    /// Everything but the rows; pieces of one part stand together.
    pub(super) parts: Vec<(Part, Range<u64>)>,
}

/// Why the pieces are not known.
#[derive(Debug, thiserror::Error)]
pub(super) enum PiecesError {
    #[error(transparent)]
    Io(#[from] io::Error),
    #[error(transparent)]
    Ibt(#[from] IbtError),
}

impl Pieces {
    pub(super) fn of(file: &File, file_bytes: u64) -> Result<Self, PiecesError> {
        let header = 0..(IbtHead::BYTES as u64).min(file_bytes);
        let head = IbtHead::parse(&read_range(file, &header)?, file_bytes)?;
        let variables = read_range(file, &head.var_headers)?;
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

/// What is left of the file, in stretches of at most [`CHUNK_BYTES`].
fn rest(mut known: [Range<u64>; 4], file_bytes: u64) -> Vec<Range<u64>> {
    known.sort_by_key(|range| range.start);
    let mut rest = Vec::new();
    let mut at = 0;
    let end = std::iter::once(file_bytes..file_bytes);
    for range in known.into_iter().filter(|range| !range.is_empty()).chain(end) {
        while at < range.start.min(file_bytes) {
            let end = range.start.min(file_bytes).min(at + CHUNK_BYTES);
            rest.push(at..end);
            at = end;
        }
        at = at.max(range.end);
    }
    rest
}

/// Reads a part of a file; the caller has checked that its length is fit for memory.
pub(super) fn read_range(file: &File, range: &Range<u64>) -> io::Result<Vec<u8>> {
    let mut bytes = vec![0; usize::try_from(range.end - range.start).map_err(io::Error::other)?];
    read_exact_at(file, range.start, &mut bytes)?;
    Ok(bytes)
}

fn read_exact_at(file: &File, offset: u64, buffer: &mut [u8]) -> io::Result<()> {
    let mut done = 0;
    while let Some(room) = buffer.get_mut(done..).filter(|room| !room.is_empty()) {
        match ReadAt::read_at(file, offset + done as u64, room) {
            Ok(0) => {
                return Err(io::Error::new(io::ErrorKind::UnexpectedEof, "the file became shorter while it was read"));
            }
            Ok(count) => done += count,
            Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
            Err(error) => return Err(error),
        }
    }
    Ok(())
}

/// Reads the rows, first to last.
pub(super) struct RowReader<'a> {
    file: &'a File,
    rows: IbtRows,
    next: u64,
    buffer: Vec<u8>,
    /// Which rows are in the buffer.
    loaded: Range<u64>,
}

impl<'a> RowReader<'a> {
    pub(super) fn new(file: &'a File, rows: IbtRows) -> Self {
        Self { file, rows, next: 0, buffer: Vec::new(), loaded: 0..0 }
    }

    pub(super) fn next(&mut self) -> io::Result<Option<&[u8]>> {
        if self.next >= self.rows.count {
            return Ok(None);
        }
        let row_bytes = u64::from(self.rows.row_bytes);
        if !self.loaded.contains(&self.next) {
            let count = (CHUNK_BYTES / row_bytes).clamp(1, self.rows.count - self.next);
            self.loaded = self.next..self.next + count;
            self.buffer.resize((count * row_bytes) as usize, 0);
            read_exact_at(self.file, self.rows.start + self.next * row_bytes, &mut self.buffer)?;
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
