//! The head of a block: the coding of each column and the location of its body.
//!
//! ```text
//! packed, see `pack`:
//!   u16 length of the times' body | u32 its CRC-32C
//!   u8  coding           of every column
//!   u16 other column     of every copy and every scaled column (u32 if there are more than 65536 columns)
//!   ..  value            of every constant that is not zero, in the column's width
//!   u16 length of body   of every column with a body
//!   u32 CRC-32C of body  of every column with a body
//! then the bodies: the times', then the columns', back to back
//! ```

use super::body::ReferenceUse;
use super::{Column, ColumnError, check_shape};
use std::ops::Range;

pub(crate) const ZERO: u8 = 0;
pub(crate) const CONSTANT: u8 = 1;
pub(crate) const COPY: u8 = 2;
pub(crate) const RUNS: u8 = 3;
pub(crate) const PREDICTED: u8 = 4;
pub(crate) const SCALED: u8 = 5;
/// Added to `SCALED` if an offset is stored.
pub(crate) const OFFSET: u8 = 1;
/// Added to `SCALED` if the slope of the reference is used.
pub(crate) const SLOPE: u8 = 2;
const LAST: u8 = SCALED + OFFSET + SLOPE;

/// The size of a column number in the head.
pub(crate) fn index_bytes(columns: usize) -> usize {
    if columns <= 1 << 16 { 2 } else { 4 }
}

/// The location of a body and its checksum.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Body {
    start: u32,
    length: u16,
    crc: u32,
}

impl Body {
    pub(crate) fn range(&self) -> Range<usize> {
        let start = self.start as usize;
        start..start + self.length as usize
    }

    pub(crate) fn verify(&self, bytes: &[u8], what: &'static str) -> Result<(), ColumnError> {
        if bytes.len() != self.length as usize {
            return Err(ColumnError::WrongLength { what, expected: self.length as usize, actual: bytes.len() });
        }
        let actual = crc32c::crc32c(bytes);
        if actual == self.crc { Ok(()) } else { Err(ColumnError::Checksum { what, expected: self.crc, actual }) }
    }
}

/// How a body is coded.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Coding {
    Runs,
    Predicted(Option<ReferenceUse>),
}

/// The head's entry for one column.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Content {
    Constant(u64),
    Copy(usize),
    Coded { coding: Coding, body: Body, reference: Option<usize> },
}

/// The number of columns between two marks.
const GROUP: usize = 64;

/// The positions in the head's lists before a column.
#[derive(Debug, Clone, Copy, Default)]
struct Mark {
    others: u32,
    values: u32,
    bodies: u32,
    /// First byte of the next body in the payload.
    start: u32,
}

/// A parsed head. It keeps the unpacked bytes and looks up columns in them, starting from the nearest mark: with tens
/// of thousands of columns, most of them constant, that is much cheaper than a list of all columns.
#[derive(Debug, Clone)]
pub struct BlockHead {
    rows: usize,
    raw: Vec<u8>,
    /// The width of each column, combined with [`FLOAT`] for floats.
    kinds: Vec<u8>,
    times: Body,
    index_bytes: usize,
    values_at: usize,
    lengths_at: usize,
    crcs_at: usize,
    marks: Vec<Mark>,
}

const CODINGS_AT: usize = 6;
const FLOAT: u8 = 0x80;

fn number(bytes: &[u8], at: usize, width: usize) -> u64 {
    fn take<const N: usize>(bytes: &[u8], at: usize) -> [u8; N] {
        bytes.get(at..).and_then(|rest| rest.first_chunk::<N>()).copied().unwrap_or([0; N])
    }
    match width {
        1 => u64::from(u8::from_le_bytes(take(bytes, at))),
        2 => u64::from(u16::from_le_bytes(take(bytes, at))),
        4 => u64::from(u32::from_le_bytes(take(bytes, at))),
        _ => u64::from_le_bytes(take(bytes, at)),
    }
}

fn is_zero(codings: &[u8]) -> bool {
    let (eights, rest) = codings.as_chunks::<8>();
    eights.iter().all(|eight| u64::from_ne_bytes(*eight) == 0) && rest.iter().all(|&coding| coding == ZERO)
}

impl BlockHead {
    /// The maximum size of the unpacked head of a block with this many columns.
    pub(crate) fn limit(columns: usize) -> usize {
        CODINGS_AT + columns.saturating_mul(1 + 4 + 8 + 2 + 4)
    }

    /// Parses a packed head. `payload_len` is the length of the head and all bodies together.
    pub fn parse(head: &[u8], columns: &[Column], rows: usize, payload_len: usize) -> Result<Self, ColumnError> {
        check_shape(rows, 1)?;
        let raw = crate::pack::unpack(head, Self::limit(columns.len()))?;
        if raw.len() < CODINGS_AT + columns.len() {
            return Err(ColumnError::Damaged { what: "head ends early" });
        }
        let kinds = columns.iter().map(|column| column.width | if column.is_float() { FLOAT } else { 0 }).collect();
        let start = u32::try_from(head.len()).map_err(|_| ColumnError::Damaged { what: "length of head" })?;
        let times = Body { start, length: number(&raw, 0, 2) as u16, crc: number(&raw, 2, 4) as u32 };
        let index_bytes = index_bytes(columns.len());
        let marks = Vec::with_capacity(columns.len() / GROUP + 1);
        let mut parsed = Self { rows, raw, kinds, times, index_bytes, values_at: 0, lengths_at: 0, crcs_at: 0, marks };
        let total = parsed.count()?;
        parsed.values_at = CODINGS_AT + columns.len() + total.others as usize * index_bytes;
        parsed.lengths_at = parsed.values_at + total.values as usize;
        parsed.crcs_at = parsed.lengths_at + total.bodies as usize * 2;
        if parsed.crcs_at + total.bodies as usize * 4 != parsed.raw.len() {
            return Err(ColumnError::Damaged { what: "length of head" });
        }
        if parsed.place_bodies(total.bodies) != payload_len {
            return Err(ColumnError::Damaged { what: "lengths of bodies" });
        }
        Ok(parsed)
    }

    /// Counts the entries of each list of the head, sets marks and checks references to other columns.
    fn count(&mut self) -> Result<Mark, ColumnError> {
        let mut mark = Mark::default();
        let mut marks = std::mem::take(&mut self.marks);
        for (group, chunk) in self.codings().chunks(GROUP).enumerate() {
            marks.push(mark);
            if is_zero(chunk) {
                continue;
            }
            for (column, &coding) in (group * GROUP..).zip(chunk) {
                match coding {
                    ZERO => {}
                    CONSTANT => mark.values += self.width(column) as u32,
                    RUNS | PREDICTED => mark.bodies += 1,
                    COPY | SCALED..=LAST => {
                        self.check_other(column, coding, self.other(mark))?;
                        mark.others += 1;
                        mark.bodies += u32::from(coding != COPY);
                    }
                    _ => return Err(ColumnError::UnknownCoding { column, coding }),
                }
            }
        }
        self.marks = marks;
        Ok(mark)
    }

    fn check_other(&self, column: usize, coding: u8, other: usize) -> Result<(), ColumnError> {
        let before = self.codings().get(other).copied().filter(|_| other < column).unwrap_or(ZERO);
        let float = |column: usize| self.kinds.get(column).is_some_and(|kind| kind & FLOAT != 0);
        match coding {
            COPY if before >= RUNS && self.width(other) == self.width(column) => Ok(()),
            COPY => Err(ColumnError::Damaged { what: "original of a copy" }),
            _ if matches!(before, RUNS | PREDICTED) && float(other) && float(column) => Ok(()),
            _ => Err(ColumnError::Damaged { what: "reference column" }),
        }
    }

    /// Accumulates the lengths of bodies in the marks; returns the end of the last body.
    fn place_bodies(&mut self, bodies: u32) -> usize {
        let mut start = self.times.start + u32::from(self.times.length);
        let mut marks = self.marks.iter_mut().peekable();
        while let Some(mark) = marks.next() {
            mark.start = start;
            let end = marks.peek().map_or(bodies, |next| next.bodies);
            for body in mark.bodies..end {
                start = start.saturating_add(number(&self.raw, self.lengths_at + body as usize * 2, 2) as u32);
            }
        }
        start as usize
    }

    fn codings(&self) -> &[u8] {
        self.raw.get(CODINGS_AT..CODINGS_AT + self.kinds.len()).unwrap_or_default()
    }

    fn width(&self, column: usize) -> usize {
        self.kinds.get(column).map_or(0, |kind| usize::from(kind & !FLOAT))
    }

    fn other(&self, mark: Mark) -> usize {
        let at = CODINGS_AT + self.kinds.len() + mark.others as usize * self.index_bytes;
        number(&self.raw, at, self.index_bytes) as usize
    }

    /// Returns the list entries of a column with this coding and advances past them.
    fn take(&self, mark: &mut Mark, column: usize, coding: u8) -> Content {
        let other = self.other(*mark);
        let coded = match coding {
            ZERO => return Content::Constant(0),
            CONSTANT => {
                let (at, width) = (self.values_at + mark.values as usize, self.width(column));
                mark.values += width as u32;
                return Content::Constant(number(&self.raw, at, width));
            }
            COPY => {
                mark.others += 1;
                return Content::Copy(other);
            }
            RUNS => Coding::Runs,
            PREDICTED => Coding::Predicted(None),
            _ => {
                let kind = coding.wrapping_sub(SCALED);
                Coding::Predicted(Some(ReferenceUse { offset: kind & OFFSET != 0, slope: kind & SLOPE != 0 }))
            }
        };
        let reference = (coding >= SCALED).then_some(other);
        mark.others += u32::from(coding >= SCALED);
        let length = number(&self.raw, self.lengths_at + mark.bodies as usize * 2, 2) as u16;
        let crc = number(&self.raw, self.crcs_at + mark.bodies as usize * 4, 4) as u32;
        let body = Body { start: mark.start, length, crc };
        mark.bodies += 1;
        mark.start = mark.start.saturating_add(u32::from(length));
        Content::Coded { coding: coded, body, reference }
    }

    /// Returns the entry for `column`; copies are resolved.
    pub(crate) fn content(&self, column: usize) -> Option<Content> {
        self.resolved(column).map(|(_, content)| content)
    }

    /// Returns the entry for `column` with the column that it is of: the original, if `column` is a copy.
    pub(crate) fn resolved(&self, column: usize) -> Option<(usize, Content)> {
        let group = column / GROUP;
        let mut mark = *self.marks.get(group)?;
        let codings = self.codings().get(group * GROUP..=column)?;
        let mut content = None;
        for (at, &coding) in (group * GROUP..).zip(codings) {
            content = Some(self.take(&mut mark, at, coding));
        }
        match content {
            Some(Content::Copy(original)) if original < column => self.resolved(original),
            content => content.map(|content| (column, content)),
        }
    }

    /// Iterates over all columns that are not zero, in order.
    pub(crate) fn contents(&self) -> impl Iterator<Item = (usize, Content)> {
        let mut mark = self.marks.first().copied().unwrap_or_default();
        let groups = self.codings().chunks(GROUP).enumerate().filter(|(_, chunk)| !is_zero(chunk));
        let columns = groups.flat_map(|(group, chunk)| (group * GROUP..).zip(chunk));
        columns.filter(|(_, coding)| **coding != ZERO).map(move |(column, &coding)| {
            let content = self.take(&mut mark, column, coding);
            (column, content)
        })
    }

    /// The number of rows of the block.
    pub fn rows(&self) -> usize {
        self.rows
    }

    /// The range of `column`'s body in the payload; empty for a constant. A copy has the body of its original.
    pub fn body_range(&self, column: usize) -> Range<usize> {
        match self.content(column) {
            Some(Content::Coded { body, .. }) => body.range(),
            _ => 0..0,
        }
    }

    /// The range of the times' body in the payload.
    pub fn times_range(&self) -> Range<usize> {
        self.times.range()
    }

    /// The column whose values are needed to decode `column`, if any. That column has no reference itself.
    pub fn reference(&self, column: usize) -> Option<usize> {
        match self.content(column) {
            Some(Content::Coded { reference, .. }) => reference,
            _ => None,
        }
    }

    /// The value of `column` in every row, if the head stores it as a constant.
    pub fn constant(&self, column: usize) -> Option<u64> {
        match self.content(column) {
            Some(Content::Constant(value)) => Some(value),
            _ => None,
        }
    }

    pub(crate) fn times(&self) -> Body {
        self.times
    }

    pub(crate) fn columns(&self) -> usize {
        self.kinds.len()
    }
}
