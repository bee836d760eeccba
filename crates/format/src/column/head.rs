//! The head of a block: how each column is coded and where its body is.
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

use super::body::Foretold;
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
/// Added to `SCALED` if the slope of the reference is taken.
pub(crate) const SLOPE: u8 = 2;
const LAST: u8 = SCALED + OFFSET + SLOPE;

/// Bytes of a column number in the head.
pub(crate) fn index_bytes(columns: usize) -> usize {
    if columns <= 1 << 16 { 2 } else { 4 }
}

/// Where bytes are, and their checksum.
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

/// How a body is read.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Coding {
    Runs,
    Predicted(Option<Foretold>),
}

/// What the head says about one column that is not all zero.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Content {
    Constant(u64),
    Coded { coding: Coding, body: Body, reference: Option<u32>, copy_of: Option<u32> },
}

/// A parsed head. Columns it does not list are zero in every row.
#[derive(Debug, Clone)]
pub struct BlockHead {
    rows: usize,
    columns: usize,
    times: Body,
    entries: Vec<(u32, Content)>,
}

/// Reads little endian numbers off the front; past the end it reads zeros, lengths are checked before.
struct Numbers<'a>(&'a [u8]);

impl Numbers<'_> {
    #[inline(always)]
    fn take<const N: usize>(&mut self) -> [u8; N] {
        let (taken, rest) = self.0.split_first_chunk::<N>().map_or(([0; N], self.0), |(taken, rest)| (*taken, rest));
        self.0 = rest;
        taken
    }

    #[inline(always)]
    fn next(&mut self, bytes: usize) -> u64 {
        match bytes {
            1 => u64::from(u8::from_le_bytes(self.take())),
            2 => u64::from(u16::from_le_bytes(self.take())),
            4 => u64::from(u32::from_le_bytes(self.take())),
            _ => u64::from_le_bytes(self.take()),
        }
    }
}

impl BlockHead {
    /// Most bytes the unpacked head of a block with so many columns can have.
    pub(crate) fn limit(columns: usize) -> usize {
        6 + columns.saturating_mul(1 + 4 + 8 + 2 + 4)
    }

    /// Parse a packed head. `payload_len` is the length of the head and all bodies together.
    pub fn parse(head: &[u8], columns: &[Column], rows: usize, payload_len: usize) -> Result<Self, ColumnError> {
        check_shape(rows, 1)?;
        let raw = crate::pack::unpack(head, Self::limit(columns.len()))?;
        let damaged = |what| ColumnError::Damaged { what };
        let (times, rest) = raw.split_at_checked(6).ok_or(damaged("head ends early"))?;
        let (codings, rest) = rest.split_at_checked(columns.len()).ok_or(damaged("head ends early"))?;
        let sizes = Sizes::count(codings, columns)?;
        let index = index_bytes(columns.len());
        let (others, rest) = rest.split_at_checked(sizes.others * index).ok_or(damaged("head ends early"))?;
        let (values, rest) = rest.split_at_checked(sizes.values).ok_or(damaged("head ends early"))?;
        let (lengths, crcs) = rest.split_at_checked(sizes.bodies * 2).ok_or(damaged("head ends early"))?;
        if crcs.len() != sizes.bodies * 4 {
            return Err(damaged("length of head"));
        }
        let mut times = Numbers(times);
        let mut start = u32::try_from(head.len()).map_err(|_| damaged("length of head"))?;
        let mut next_body = |length: u64, crc: u64| {
            let body = Body { start, length: length as u16, crc: crc as u32 };
            start = start.saturating_add(u32::from(body.length));
            body
        };
        let times = next_body(times.next(2), times.next(4));
        let mut entries: Vec<(u32, Content)> = Vec::with_capacity(sizes.entries);
        let (mut others, mut values) = (Numbers(others), Numbers(values));
        let (mut lengths, mut crcs) = (Numbers(lengths), Numbers(crcs));
        for (at, coding) in nonzero(codings) {
            let column = columns.get(at).ok_or(damaged("columns"))?;
            let mut body = || next_body(lengths.next(2), crcs.next(4));
            let mut coded = |coding, reference| Content::Coded { coding, body: body(), reference, copy_of: None };
            let content = match coding {
                CONSTANT => Content::Constant(values.next(column.width as usize)),
                COPY => copied(&entries, columns, at, others.next(index) as u32)?,
                RUNS => coded(Coding::Runs, None),
                PREDICTED => coded(Coding::Predicted(None), None),
                _ => {
                    let other = others.next(index) as u32;
                    check_reference(&entries, columns, at, other)?;
                    let kind = coding - SCALED;
                    let foretold = Foretold { offset: kind & OFFSET != 0, slope: kind & SLOPE != 0 };
                    coded(Coding::Predicted(Some(foretold)), Some(other))
                }
            };
            entries.push((at as u32, content));
        }
        if start as usize != payload_len {
            return Err(damaged("lengths of bodies"));
        }
        Ok(Self { rows, columns: columns.len(), times, entries })
    }

    /// Rows of the block.
    pub fn rows(&self) -> usize {
        self.rows
    }

    /// Where in the payload the body of `column` is; empty for a constant. A copy has the body of its original.
    pub fn body_range(&self, column: usize) -> Range<usize> {
        match self.content(column) {
            Some(Content::Coded { body, .. }) => body.range(),
            _ => 0..0,
        }
    }

    /// Where in the payload the body of the times is.
    pub fn times_range(&self) -> Range<usize> {
        self.times.range()
    }

    /// The column whose values are needed to decode `column`, if there is one. It needs no other itself.
    pub fn reference(&self, column: usize) -> Option<usize> {
        match self.content(column) {
            Some(Content::Coded { reference, .. }) => reference.map(|column| column as usize),
            _ => None,
        }
    }

    /// The value every row has in `column`, if the head says so.
    pub fn constant(&self, column: usize) -> Option<u64> {
        match self.content(column) {
            None if column < self.columns => Some(0),
            Some(Content::Constant(value)) => Some(*value),
            _ => None,
        }
    }

    pub(crate) fn times(&self) -> Body {
        self.times
    }

    pub(crate) fn columns(&self) -> usize {
        self.columns
    }

    pub(crate) fn entries(&self) -> &[(u32, Content)] {
        &self.entries
    }

    pub(crate) fn content(&self, column: usize) -> Option<&Content> {
        find(&self.entries, column as u32).map(|(_, content)| content)
    }
}

/// The entry of a column with its place, by binary search.
pub(crate) fn find(entries: &[(u32, Content)], column: u32) -> Option<(usize, &Content)> {
    let at = entries.binary_search_by_key(&column, |entry| entry.0).ok()?;
    entries.get(at).map(|(_, content)| (at, content))
}

/// Columns whose coding is not zero; runs of zeros are skipped eight at a time.
fn nonzero(codings: &[u8]) -> impl Iterator<Item = (usize, u8)> {
    let (eights, rest) = codings.as_chunks::<8>();
    let whole = eights.iter().enumerate().filter(|(_, eight)| u64::from_ne_bytes(**eight) != 0);
    let whole = whole.flat_map(|(index, eight)| eight.iter().enumerate().map(move |(at, &c)| (index * 8 + at, c)));
    let start = eights.len() * 8;
    let rest = rest.iter().enumerate().map(move |(at, &coding)| (start + at, coding));
    whole.chain(rest).filter(|(_, coding)| *coding != ZERO)
}

#[derive(Default)]
struct Sizes {
    entries: usize,
    others: usize,
    values: usize,
    bodies: usize,
}

impl Sizes {
    fn count(codings: &[u8], columns: &[Column]) -> Result<Self, ColumnError> {
        let mut sizes = Self::default();
        for (column, coding) in nonzero(codings) {
            sizes.entries += 1;
            match coding {
                CONSTANT => sizes.values += columns.get(column).map_or(0, |column| column.width as usize),
                COPY => sizes.others += 1,
                RUNS | PREDICTED => sizes.bodies += 1,
                SCALED..=LAST => {
                    sizes.others += 1;
                    sizes.bodies += 1;
                }
                _ => return Err(ColumnError::UnknownCoding { column, coding }),
            }
        }
        Ok(sizes)
    }
}

fn copied(entries: &[(u32, Content)], columns: &[Column], at: usize, other: u32) -> Result<Content, ColumnError> {
    let same = columns.get(other as usize).zip(columns.get(at)).is_some_and(|(a, b)| a.width == b.width);
    match find(entries, other) {
        Some((_, &Content::Coded { coding, body, reference, copy_of: None })) if same => {
            Ok(Content::Coded { coding, body, reference, copy_of: Some(other) })
        }
        _ => Err(ColumnError::Damaged { what: "original of a copy" }),
    }
}

fn check_reference(entries: &[(u32, Content)], columns: &[Column], at: usize, other: u32) -> Result<(), ColumnError> {
    let floats = [Some(at), usize::try_from(other).ok()];
    let floats = floats.iter().all(|&i| i.and_then(|i| columns.get(i)).is_some_and(Column::is_float));
    match find(entries, other) {
        Some((_, Content::Coded { reference: None, copy_of: None, .. })) if floats => Ok(()),
        _ => Err(ColumnError::Damaged { what: "reference column" }),
    }
}
