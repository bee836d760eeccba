//! Decodes one column or whole rows.

use super::body;
use super::head::{BlockHead, Coding, Content};
use super::residuals::Scratch;
use super::runs;
use super::tiles::{scatter, tile_rows};
use super::word::Word;
use super::{Column, ColumnError, check_columns, check_shape};

/// Columns are decoded in waves of about this many values, which bounds memory for any block.
const WAVE_VALUES: usize = 1 << 20;

/// Decodes blocks; keeps its buffers between calls.
#[derive(Default)]
pub struct BlockDecoder {
    scratch: Scratch,
    guesses: Guesses,
    /// Values of columns of widths 1, 2 and 4, back to back.
    narrow: Vec<u32>,
    /// Values of columns of width 8.
    wide: Vec<u64>,
    /// For each column, the start of its values in `narrow` or `wide`.
    starts: Vec<u32>,
    /// The columns of this wave that are not constant.
    varying: Vec<u32>,
    template: Vec<u8>,
    /// Values of a column that an earlier wave has written into the rows.
    earlier: Vec<u64>,
}

#[derive(Default)]
struct Guesses {
    narrow: Vec<u32>,
    wide: Vec<u64>,
}

impl std::fmt::Debug for BlockDecoder {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("BlockDecoder").finish_non_exhaustive()
    }
}

/// The values of a reference column in one of the two word sizes.
#[derive(Clone, Copy)]
enum Reference<'a> {
    None,
    Narrow(&'a [u32]),
    Wide(&'a [u64]),
    /// Bit patterns of a column of width 4.
    Patterns(&'a [u64]),
}

#[allow(clippy::too_many_arguments)]
fn decode_body<W: Word>(
    coding: Coding,
    column: &Column,
    bytes: &[u8],
    reference: Reference<'_>,
    scratch: &mut Scratch,
    guesses: &mut Vec<W>,
    out: &mut [W],
) -> Result<(), ColumnError> {
    let Coding::Predicted(reference_use) = coding else {
        return runs::decode(bytes, u32::from(column.width) * 8, out);
    };
    let float = column.is_float();
    match reference {
        Reference::None => body::decode(bytes, reference_use, float, std::iter::empty(), scratch, guesses, out),
        Reference::Narrow(values) => {
            body::decode(bytes, reference_use, float, values.iter().map(|v| v.to_reference()), scratch, guesses, out)
        }
        Reference::Wide(values) => {
            body::decode(bytes, reference_use, float, values.iter().map(|v| v.to_reference()), scratch, guesses, out)
        }
        Reference::Patterns(values) => {
            let values = values.iter().map(|&v| (v as u32).to_reference());
            body::decode(bytes, reference_use, float, values, scratch, guesses, out)
        }
    }
}

/// The columns being decoded now, and how many values they have.
#[derive(Default)]
struct Wave {
    /// Columns before this one are already in the rows.
    first: usize,
    narrow: usize,
    wide: usize,
}

impl Wave {
    /// Allocates room for the values of one more column and returns its start.
    fn take(&mut self, column: &Column, rows: usize) -> usize {
        let used = if column.is_wide() { &mut self.wide } else { &mut self.narrow };
        let start = *used;
        *used += rows;
        start
    }
}

/// Where the values of a reference are.
#[derive(Clone, Copy)]
enum From<'a> {
    Nothing,
    /// Decoded in this wave, starting at this index.
    Wave(&'a Column, usize),
    /// Read back from the rows.
    Earlier(&'a Column),
}

fn put(row: &mut [u8], column: &Column, value: u64) {
    let room = row.get_mut(column.range()).unwrap_or_default();
    room.iter_mut().zip(value.to_le_bytes()).for_each(|(to, from)| *to = from);
}

/// Splits off the values from `start` on from the ones before.
fn split<W>(values: &mut [W], start: usize, rows: usize) -> Option<(&[W], &mut [W])> {
    let (before, after) = values.split_at_mut_checked(start)?;
    Some((before, after.get_mut(..rows)?))
}

impl BlockDecoder {
    /// Creates a decoder without allocating anything.
    pub fn new() -> Self {
        Self::default()
    }

    /// Decodes one column and appends its values, as bit patterns, to `out`.
    ///
    /// `body` is the part of the payload at [`BlockHead::body_range`]; `reference` holds the decoded values of the
    /// column that [`BlockHead::reference`] names.
    pub fn decode_column(
        &mut self,
        head: &BlockHead,
        columns: &[Column],
        column: usize,
        body: &[u8],
        reference: Option<&[u64]>,
        out: &mut Vec<u64>,
    ) -> Result<(), ColumnError> {
        let rows = head.rows();
        let resolved = head.resolved(column);
        // An integer can be the copy of a float with the same bits: it is decoded as its original was coded.
        let original = resolved.map_or(column, |(original, _)| original);
        let kind = columns.get(original).filter(|_| columns.len() == head.columns());
        let kind = kind.ok_or(ColumnError::BadColumns { column, row_bytes: 0 })?;
        let start = out.len();
        let (coding, other) = match resolved {
            Some((_, Content::Coded { coding, body: place, reference })) => {
                place.verify(body, "column")?;
                (coding, reference)
            }
            content => {
                let value = if let Some((_, Content::Constant(value))) = content { value } else { 0 };
                out.resize(start + rows, value);
                return Ok(());
            }
        };
        let reference = match other.and_then(|other| columns.get(other)) {
            None => Reference::None,
            Some(other) => match reference.filter(|values| values.len() == rows) {
                None => return Err(ColumnError::NoReference { column }),
                Some(values) if other.is_wide() => Reference::Wide(values),
                Some(values) => Reference::Patterns(values),
            },
        };
        let Self { scratch, guesses, narrow, .. } = self;
        if kind.is_wide() {
            out.resize(start + rows, 0);
            let room = out.get_mut(start..).unwrap_or_default();
            let decoded = decode_body(coding, kind, body, reference, scratch, &mut guesses.wide, room);
            if decoded.is_err() {
                out.truncate(start);
            }
            return decoded;
        }
        narrow.clear();
        narrow.resize(rows, 0);
        decode_body(coding, kind, body, reference, scratch, &mut guesses.narrow, narrow)?;
        let mask = u32::MAX >> (32 - 8 * u32::from(kind.width).clamp(1, 4));
        out.extend(narrow.iter().map(|value| u64::from(value & mask)));
        Ok(())
    }

    /// Decodes all rows of a block into `out`, which must have exactly their length.
    pub fn decode_rows(
        &mut self,
        head: &BlockHead,
        columns: &[Column],
        row_bytes: usize,
        payload: &[u8],
        out: &mut [u8],
    ) -> Result<(), ColumnError> {
        let rows = head.rows();
        check_shape(rows, row_bytes)?;
        check_columns(columns, row_bytes)?;
        if columns.len() != head.columns() {
            return Err(ColumnError::WrongLength { what: "columns", expected: head.columns(), actual: columns.len() });
        }
        if out.len() != rows * row_bytes {
            return Err(ColumnError::WrongLength { what: "rows", expected: rows * row_bytes, actual: out.len() });
        }
        self.template.clear();
        self.template.resize(row_bytes, 0);
        if self.starts.len() < columns.len() {
            self.starts.resize(columns.len(), 0);
        }
        let mut wave = Wave::default();
        self.varying.clear();
        for (at, content) in head.contents() {
            let Some(column) = columns.get(at) else { continue };
            match content {
                Content::Constant(value) if wave.first == 0 => put(&mut self.template, column, value),
                Content::Constant(value) => out.chunks_exact_mut(row_bytes).for_each(|row| put(row, column, value)),
                Content::Copy(original) if original >= wave.first => {
                    let start = self.starts.get(original).copied().unwrap_or(0);
                    self.note(at, start as usize);
                }
                Content::Copy(original) => {
                    let original = columns.get(original).ok_or(ColumnError::NoReference { column: at })?;
                    self.collect_earlier(original, row_bytes, out);
                    let start = wave.take(column, rows);
                    self.make_room(&wave);
                    self.note(at, start);
                    if column.is_wide() {
                        let room = self.wide.get_mut(start..start + rows).unwrap_or_default();
                        room.copy_from_slice(&self.earlier);
                    } else {
                        let room = self.narrow.get_mut(start..start + rows).unwrap_or_default();
                        room.iter_mut().zip(&self.earlier).for_each(|(to, from)| *to = *from as u32);
                    }
                }
                Content::Coded { coding, body, reference } => {
                    let bytes = payload.get(body.range()).ok_or(ColumnError::Damaged { what: "payload ends early" })?;
                    body.verify(bytes, "column")?;
                    let missing = || ColumnError::NoReference { column: at };
                    let other = reference.map(|other| columns.get(other).ok_or_else(missing)).transpose()?;
                    if let Some(other) = other.filter(|_| reference < Some(wave.first)) {
                        self.collect_earlier(other, row_bytes, out);
                    }
                    let start = wave.take(column, rows);
                    self.make_room(&wave);
                    let from = match (other, reference) {
                        (Some(other), Some(number)) if number < wave.first => From::Earlier(other),
                        (Some(other), Some(number)) => {
                            From::Wave(other, self.starts.get(number).map_or(0, |s| *s as usize))
                        }
                        _ => From::Nothing,
                    };
                    self.decode_body(coding, column, bytes, from, start, rows)?;
                    self.note(at, start);
                }
            }
            if wave.narrow + wave.wide >= WAVE_VALUES {
                self.write_rows(columns, row_bytes, out, wave.first == 0);
                self.varying.clear();
                wave = Wave { first: at + 1, ..Wave::default() };
            }
        }
        self.write_rows(columns, row_bytes, out, wave.first == 0);
        Ok(())
    }

    fn make_room(&mut self, wave: &Wave) {
        if self.narrow.len() < wave.narrow {
            self.narrow.resize(wave.narrow.max(self.narrow.len() * 2), 0);
        }
        if self.wide.len() < wave.wide {
            self.wide.resize(wave.wide.max(self.wide.len() * 2), 0);
        }
    }

    fn note(&mut self, column: usize, start: usize) {
        if let Some(place) = self.starts.get_mut(column) {
            *place = start as u32;
        }
        self.varying.push(column as u32);
    }

    /// Reads the values of a column back from the rows.
    fn collect_earlier(&mut self, column: &Column, row_bytes: usize, rows: &[u8]) {
        let value = |row: &[u8]| {
            let bytes = row.get(column.range()).unwrap_or_default();
            bytes.iter().rev().fold(0, |value, byte| value << 8 | u64::from(*byte))
        };
        self.earlier.clear();
        self.earlier.extend(rows.chunks_exact(row_bytes).map(value));
    }

    fn decode_body(
        &mut self,
        coding: Coding,
        column: &Column,
        bytes: &[u8],
        from: From<'_>,
        start: usize,
        rows: usize,
    ) -> Result<(), ColumnError> {
        let Self { scratch, guesses, narrow, wide, earlier, .. } = self;
        let missing = || ColumnError::Damaged { what: "reference" };
        if column.is_wide() {
            let (before, room) = split(wide, start, rows).ok_or_else(missing)?;
            let reference = match from {
                From::Nothing => Reference::None,
                From::Earlier(other) if other.is_wide() => Reference::Wide(earlier),
                From::Earlier(_) => Reference::Patterns(earlier),
                From::Wave(other, s) if other.is_wide() => {
                    Reference::Wide(before.get(s..s + rows).ok_or_else(missing)?)
                }
                From::Wave(_, s) => Reference::Narrow(narrow.get(s..s + rows).ok_or_else(missing)?),
            };
            return decode_body(coding, column, bytes, reference, scratch, &mut guesses.wide, room);
        }
        let (before, room) = split(narrow, start, rows).ok_or_else(missing)?;
        let reference = match from {
            From::Nothing => Reference::None,
            From::Earlier(other) if other.is_wide() => Reference::Wide(earlier),
            From::Earlier(_) => Reference::Patterns(earlier),
            From::Wave(other, s) if other.is_wide() => Reference::Wide(wide.get(s..s + rows).ok_or_else(missing)?),
            From::Wave(_, s) => Reference::Narrow(before.get(s..s + rows).ok_or_else(missing)?),
        };
        decode_body(coding, column, bytes, reference, scratch, &mut guesses.narrow, room)
    }

    /// Copies the template to every row (in the first wave), then writes the varying columns, tile by tile.
    fn write_rows(&self, columns: &[Column], row_bytes: usize, out: &mut [u8], first: bool) {
        let tile_rows = tile_rows(row_bytes);
        for (index, tile) in out.chunks_mut(tile_rows * row_bytes).enumerate() {
            if first {
                tile.chunks_exact_mut(row_bytes).for_each(|row| row.copy_from_slice(&self.template));
            }
            let first_row = index * tile_rows;
            for &at in &self.varying {
                let Some((column, &start)) = columns.get(at as usize).zip(self.starts.get(at as usize)) else {
                    continue;
                };
                let (start, offset) = (start as usize + first_row, column.offset as usize);
                let narrow = self.narrow.get(start..).unwrap_or_default();
                match column.width {
                    1 => scatter(tile, row_bytes, offset, narrow, |v| [v as u8]),
                    2 => scatter(tile, row_bytes, offset, narrow, |v| (v as u16).to_le_bytes()),
                    4 => scatter(tile, row_bytes, offset, narrow, u32::to_le_bytes),
                    _ => {
                        let wide = self.wide.get(start..).unwrap_or_default();
                        scatter(tile, row_bytes, offset, wide, u64::to_le_bytes);
                    }
                }
            }
        }
    }
}
