//! How the values at one position of a skeleton are stored: as which columns, and how they are rendered as text.

use std::ops::Range;

use super::decimal::{Decimal, MOST_PLACES, NEGATIVE_ZERO};
use super::float::{DIGITS, GRID_POWERS, Grid, Spelling};
use crate::column::Column;
use crate::cursor::{Cursor, Malformed, within};
use crate::limits;

/// The maximum length of a pattern.
pub(crate) const PATTERN_BYTES: usize = 255;
/// The longest run of digits in a pattern: what fits into a column of 4 bytes.
pub(crate) const RUN_DIGITS: usize = 9;

const WIDE: u8 = 0x80;

/// How values are stored.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Kind {
    /// Integers.
    Integer { wide: bool },
    /// Numbers times 10^places. With `fixed`, all have that many decimal places; otherwise trailing zeros are omitted
    /// except for one decimal place.
    Decimal { wide: bool, places: u8, fixed: bool },
    /// Steps of a grid, formatted as floats.
    Grid(Grid),
    /// Bits of an `f32`.
    Float(Spelling),
    /// Mantissa and code: any number that has them.
    Spelled,
    /// An index into these texts, given as ranges in the template's bytes.
    Texts(Vec<Range<u32>>),
    /// Texts of one length in which only digits vary: a range in the template's bytes, with 0 for each digit. Each run
    /// of digits is a column.
    Pattern { text: Range<u32>, runs: Vec<Range<u8>> },
}

impl Kind {
    /// The columns, as width and whether they are floats.
    pub(crate) fn columns(&self) -> impl Iterator<Item = (u8, bool)> {
        let (first, count, second) = match self {
            Self::Integer { wide } | Self::Decimal { wide, .. } => ((if *wide { 8 } else { 4 }, false), 1, None),
            Self::Grid(_) => ((4, false), 1, None),
            Self::Float(_) => ((4, true), 1, None),
            Self::Spelled => ((8, false), 1, Some((1, false))),
            Self::Texts(_) => ((2, false), 1, None),
            Self::Pattern { runs, .. } => ((4, false), runs.len(), None),
        };
        std::iter::repeat_n(first, count).chain(second)
    }

    /// Appends the columns of this kind to those of a row of `row_bytes` bytes.
    pub(crate) fn add_columns(&self, row_bytes: &mut u32, columns: &mut Vec<Column>) {
        for (width, float) in self.columns() {
            columns.push(Column { offset: *row_bytes, width, float });
            *row_bytes += u32::from(width);
        }
    }

    /// Serializes the description.
    #[cfg(feature = "write")]
    pub(crate) fn put(&self, bytes: &[u8], out: &mut Vec<u8>) {
        let wide = |wide: bool| if wide { WIDE } else { 0 };
        let text = |range: &Range<u32>| bytes.get(range.start as usize..range.end as usize).unwrap_or_default();
        match self {
            Self::Integer { wide: w } => out.extend_from_slice(&[0, wide(*w)]),
            Self::Decimal { wide: w, places, fixed } => {
                out.extend_from_slice(&[1, wide(*w) | u8::from(*fixed) << 6 | places]);
            }
            Self::Grid(grid) => out.extend_from_slice(&[2, wide(grid.divide) | grid.power]),
            Self::Float(spelling) => out.extend_from_slice(&[3, wide(spelling.padded) | spelling.digits]),
            Self::Spelled => out.push(4),
            Self::Texts(texts) => {
                out.push(5);
                out.extend_from_slice(&(texts.len() as u16).to_le_bytes());
                texts.iter().for_each(|range| out.extend_from_slice(&(range.len() as u32).to_le_bytes()));
                texts.iter().for_each(|range| out.extend_from_slice(text(range)));
            }
            Self::Pattern { text: range, .. } => {
                out.extend_from_slice(&[6, range.len() as u8]);
                out.extend_from_slice(text(range));
            }
        }
    }

    /// Parses a description; `all` is the length of the bytes that the cursor reads.
    pub(crate) fn parse(cursor: &mut Cursor<'_>, all: usize) -> Result<Self, Malformed> {
        let kind = cursor.u8("kind of a value")?;
        if kind == 4 {
            return Ok(Self::Spelled);
        }
        let place = |cursor: &Cursor<'_>| (all - cursor.rest().len()) as u32;
        if kind == 5 {
            let count = within("number of texts", u64::from(cursor.u16("number of texts")?), limits::BLOCK_ROWS)?;
            let lengths: Result<Vec<u32>, _> = (0..count).map(|_| cursor.u32("length of a text")).collect();
            let mut texts = Vec::with_capacity(count);
            for length in lengths? {
                let start = place(cursor);
                cursor.bytes(length as usize, "a text")?;
                texts.push(start..start + length);
            }
            return Ok(Self::Texts(texts));
        }
        let setting = cursor.u8("setting of a kind")?;
        let (wide, low) = (setting & WIDE != 0, setting & !WIDE);
        let wrong = Malformed::Value { what: "setting of a kind", found: u64::from(setting) };
        match kind {
            0 if low == 0 => Ok(Self::Integer { wide }),
            1 if u32::from(low & 0x3f) <= MOST_PLACES => {
                Ok(Self::Decimal { wide, places: low & 0x3f, fixed: low & 0x40 != 0 })
            }
            2 if GRID_POWERS.contains(&low) => Ok(Self::Grid(Grid { power: low, divide: wide })),
            3 if DIGITS.contains(&low) => Ok(Self::Float(Spelling { digits: low, padded: wide })),
            6 => {
                let start = place(cursor);
                let text = cursor.bytes(setting as usize, "pattern")?;
                Ok(Self::Pattern { text: start..start + u32::from(setting), runs: runs_of(text) })
            }
            0..=3 => Err(wrong),
            _ => Err(Malformed::UnknownCoding { what: "kind of a value", coding: kind }),
        }
    }

    /// Appends the text of a value, whose columns are at the start of `row`. Returns `false` if there is no such value.
    #[inline]
    pub(crate) fn write(&self, row: &[u8], bytes: &[u8], out: &mut Vec<u8>) -> bool {
        match self {
            Self::Float(spelling) => spelling.write(f32::from_bits(u32_at(row, 0)), out),
            Self::Grid(grid) => grid.write(u32_at(row, 0) as i32, out),
            Self::Integer { wide } => Decimal::plain(integer(row, *wide), 0).write(out),
            Self::Decimal { wide, places, fixed } => {
                let places = u32::from(*places);
                let value = integer(row, *wide);
                let spelled = if *fixed { Some(Decimal::plain(value, places)) } else { trimmed(value, places) };
                spelled.is_some_and(|spelled| spelled.write(out))
            }
            Self::Spelled => {
                let code = row.get(8).copied().unwrap_or_default();
                Decimal { mantissa: integer(row, true), code }.write(out)
            }
            Self::Texts(texts) => {
                let number = row.first_chunk::<2>().map(|bytes| u16::from_le_bytes(*bytes)).unwrap_or_default();
                let text = texts.get(number as usize);
                let text = text.and_then(|range| bytes.get(range.start as usize..range.end as usize));
                text.inspect(|text| out.extend_from_slice(text)).is_some()
            }
            Self::Pattern { text, runs } => {
                let start = out.len();
                out.extend_from_slice(bytes.get(text.start as usize..text.end as usize).unwrap_or_default());
                let written = out.get_mut(start..).unwrap_or_default();
                runs.iter().enumerate().all(|(number, run)| {
                    let mut rest = u32_at(row, number * 4);
                    for digit in written
                        .get_mut(usize::from(run.start)..usize::from(run.end))
                        .unwrap_or_default()
                        .iter_mut()
                        .rev()
                    {
                        *digit = b'0' + (rest % 10) as u8;
                        rest /= 10;
                    }
                    rest == 0
                })
            }
        }
    }
}

/// Returns the runs of at most nine digits.
pub(crate) fn runs_of(text: &[u8]) -> Vec<Range<u8>> {
    let mut runs: Vec<Range<u8>> = Vec::new();
    for (at, _) in text.iter().enumerate().take(PATTERN_BYTES).filter(|(_, byte)| byte.is_ascii_digit()) {
        match runs.last_mut() {
            Some(run) if usize::from(run.end) == at && run.len() < RUN_DIGITS => run.end += 1,
            _ => runs.push(at as u8..at as u8 + 1),
        }
    }
    runs
}

/// Returns a number without trailing zeros, except for one decimal place.
pub(crate) fn trimmed(mut value: i64, mut places: u32) -> Option<Decimal> {
    if value == NEGATIVE_ZERO {
        return Some(Decimal::plain(value, 1));
    }
    while places > 1 && value % 10 == 0 {
        value /= 10;
        places -= 1;
    }
    Some(Decimal::plain(value, places))
}

fn u32_at(row: &[u8], at: usize) -> u32 {
    row.get(at..).and_then(|rest| rest.first_chunk::<4>()).map(|bytes| u32::from_le_bytes(*bytes)).unwrap_or_default()
}

fn integer(row: &[u8], wide: bool) -> i64 {
    match wide {
        true => row.first_chunk::<8>().map(|bytes| i64::from_le_bytes(*bytes)).unwrap_or_default(),
        false => i64::from(u32_at(row, 0) as i32),
    }
}
