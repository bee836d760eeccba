//! Decoding of one column, or of whole rows.

use super::body;
use super::head::{BlockHead, Coding, Content};
use super::residuals::Scratch;
use super::runs;
use super::tiles::{scatter, tile_rows};
use super::word::Word;
use super::{Column, ColumnError, check_columns, check_shape};

/// Decodes blocks; keeps its memory between calls.
#[derive(Default)]
pub struct BlockDecoder {
    scratch: Scratch,
    guesses: Guesses,
    /// Values of columns of widths 1, 2 and 4, one after the other.
    narrow: Vec<u32>,
    /// Values of columns of width 8.
    wide: Vec<u64>,
    /// Per column: where its values start in `narrow` or `wide`.
    starts: Vec<u32>,
    /// Columns that are not constant.
    varying: Vec<u32>,
    template: Vec<u8>,
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

/// Values of a reference column, as stored in one of the two sizes.
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
    let Coding::Predicted(foretold) = coding else {
        return runs::decode(bytes, u32::from(column.width) * 8, out);
    };
    let float = column.is_float();
    match reference {
        Reference::None => body::decode(bytes, foretold, float, std::iter::empty(), scratch, guesses, out),
        Reference::Narrow(values) => {
            body::decode(bytes, foretold, float, values.iter().map(|v| v.to_reference()), scratch, guesses, out)
        }
        Reference::Wide(values) => {
            body::decode(bytes, foretold, float, values.iter().map(|v| v.to_reference()), scratch, guesses, out)
        }
        Reference::Patterns(values) => {
            let values = values.iter().map(|&v| (v as u32).to_reference());
            body::decode(bytes, foretold, float, values, scratch, guesses, out)
        }
    }
}

/// The values from `start` on, apart from those before it.
fn split<W>(values: &mut [W], start: usize, rows: usize) -> Option<(&[W], &mut [W])> {
    let (before, after) = values.split_at_mut_checked(start)?;
    Some((before, after.get_mut(..rows)?))
}

impl BlockDecoder {
    /// A decoder with nothing allocated yet.
    pub fn new() -> Self {
        Self::default()
    }

    /// Decode one column and append its values, as bit patterns, to `out`.
    ///
    /// `body` is what the payload has at [`BlockHead::body_range`]; `reference` are the values of the column that
    /// [`BlockHead::reference`] names, decoded before.
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
        let kind = columns.get(column).filter(|_| columns.len() == head.columns());
        let kind = kind.ok_or(ColumnError::BadColumns { column, row_bytes: 0 })?;
        let start = out.len();
        let (coding, other) = match head.content(column) {
            Some(Content::Coded { coding, body: place, reference }) => {
                place.verify(body, "column")?;
                (coding, reference)
            }
            content => {
                let value = if let Some(Content::Constant(value)) = content { value } else { 0 };
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

    /// Decode all rows of a block into `out`, which must have room for exactly them.
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
        self.decode_bodies(head, columns, payload)?;
        self.write_rows(columns, row_bytes, out);
        Ok(())
    }

    /// Decode every body once and note where the values are; constants go to the template row.
    fn decode_bodies(&mut self, head: &BlockHead, columns: &[Column], payload: &[u8]) -> Result<(), ColumnError> {
        let rows = head.rows();
        let Self { scratch, guesses, narrow, wide, starts, varying, template } = self;
        varying.clear();
        if starts.len() < columns.len() {
            starts.resize(columns.len(), 0);
        }
        let (mut narrow_used, mut wide_used) = (0, 0);
        for (at, content) in head.contents() {
            let Some(column) = columns.get(at) else { continue };
            let (coding, body, reference) = match content {
                Content::Constant(value) => {
                    let room = template.get_mut(column.range()).unwrap_or_default();
                    room.iter_mut().zip(value.to_le_bytes()).for_each(|(to, from)| *to = from);
                    continue;
                }
                Content::Copy(original) => {
                    let start = starts.get(original).copied().unwrap_or(0);
                    starts.get_mut(at).into_iter().for_each(|place| *place = start);
                    varying.push(at as u32);
                    continue;
                }
                Content::Coded { coding, body, reference } => (coding, body, reference),
            };
            let used = if column.is_wide() { &mut wide_used } else { &mut narrow_used };
            let start = *used;
            *used += rows;
            if narrow.len() < narrow_used {
                narrow.resize(narrow_used.max(narrow.len() * 2), 0);
            }
            if wide.len() < wide_used {
                wide.resize(wide_used.max(wide.len() * 2), 0);
            }
            let bytes = payload.get(body.range()).ok_or(ColumnError::Damaged { what: "payload ends early" })?;
            body.verify(bytes, "column")?;
            let other = reference.and_then(|other| Some((columns.get(other)?, *starts.get(other)? as usize)));
            let missing = ColumnError::NoReference { column: at };
            if reference.is_some() && other.is_none() {
                return Err(missing);
            }
            if column.is_wide() {
                let (before, room) = split(wide, start, rows).ok_or(missing.clone())?;
                let reference = match other {
                    None => Reference::None,
                    Some((c, s)) if c.is_wide() => Reference::Wide(before.get(s..s + rows).ok_or(missing)?),
                    Some((_, s)) => Reference::Narrow(narrow.get(s..s + rows).ok_or(missing)?),
                };
                decode_body(coding, column, bytes, reference, scratch, &mut guesses.wide, room)?;
            } else {
                let (before, room) = split(narrow, start, rows).ok_or(missing.clone())?;
                let reference = match other {
                    None => Reference::None,
                    Some((c, s)) if c.is_wide() => Reference::Wide(wide.get(s..s + rows).ok_or(missing)?),
                    Some((_, s)) => Reference::Narrow(before.get(s..s + rows).ok_or(missing)?),
                };
                decode_body(coding, column, bytes, reference, scratch, &mut guesses.narrow, room)?;
            }
            if let Some(place) = starts.get_mut(at) {
                *place = start as u32;
            }
            varying.push(at as u32);
        }
        Ok(())
    }

    /// Copy the template to every row, then write the columns that vary, tile by tile.
    fn write_rows(&self, columns: &[Column], row_bytes: usize, out: &mut [u8]) {
        let tile_rows = tile_rows(row_bytes);
        for (index, tile) in out.chunks_mut(tile_rows * row_bytes).enumerate() {
            tile.chunks_exact_mut(row_bytes).for_each(|row| row.copy_from_slice(&self.template));
            let first = index * tile_rows;
            for &at in &self.varying {
                let Some((column, &start)) = columns.get(at as usize).zip(self.starts.get(at as usize)) else {
                    continue;
                };
                let (start, offset) = (start as usize + first, column.offset as usize);
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
