//! The body of a predicted column.
//!
//! ```text
//! u8  bits 0-1 transform (0 plain, 1 ordered, 2 grid), 2-3 order, 4-7 bytes of base
//! i8  s                         grid only
//! f64 factor                    columns with a reference
//! f64 offset                    columns with a reference and an offset
//! ..  base, zigzag, little endian
//! ..  residuals, see `residuals`
//! ```
//!
//! The integers are `prediction from the reference + base + residuals summed order times`. The first residual is zero
//! and not stored unless the order is 0.

use super::ColumnError;
use super::bits::BitReader;
use super::residuals::{self, Scratch};
use super::transform::{GRID_LIMIT, Line, Transform, is_tame};
use super::word::Word;

/// How a predicted column uses its reference, according to the head.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct ReferenceUse {
    /// An offset is stored after the factor.
    pub(crate) offset: bool,
    /// The slope of the reference is used instead of its value.
    pub(crate) slope: bool,
}

/// The part of a body before the residuals.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Prefix<W> {
    pub(crate) transform: Transform,
    pub(crate) order: u8,
    pub(crate) line: Option<Line>,
    pub(crate) base: W,
}

fn take<'a>(bytes: &mut &'a [u8], count: usize) -> Result<&'a [u8], ColumnError> {
    let (taken, rest) = bytes.split_at_checked(count).ok_or(ColumnError::Damaged { what: "body ends early" })?;
    *bytes = rest;
    Ok(taken)
}

fn take_u64(bytes: &mut &[u8], count: usize) -> Result<u64, ColumnError> {
    Ok(take(bytes, count)?.iter().rev().fold(0, |value, &byte| value << 8 | u64::from(byte)))
}

fn take_tame(bytes: &mut &[u8]) -> Result<f64, ColumnError> {
    let value = f64::from_bits(take_u64(bytes, 8)?);
    if is_tame(value) { Ok(value) } else { Err(ColumnError::Damaged { what: "factor or offset" }) }
}

impl<W: Word> Prefix<W> {
    fn read(bytes: &mut &[u8], reference_use: Option<ReferenceUse>, float: bool) -> Result<Self, ColumnError> {
        let first = take_u64(bytes, 1)? as u8;
        let transform = match first & 3 {
            0 if reference_use.is_none() => Transform::Plain,
            1 if float => Transform::Ordered,
            2 if float => Transform::Grid(take_u64(bytes, 1)? as u8 as i8),
            _ => return Err(ColumnError::Damaged { what: "transform" }),
        };
        if matches!(transform, Transform::Grid(shift) if i32::from(shift).abs() > GRID_LIMIT) {
            return Err(ColumnError::Damaged { what: "step of grid" });
        }
        let line = match reference_use {
            None => None,
            Some(ReferenceUse { offset, slope }) => {
                let factor = take_tame(bytes)?;
                Some(Line { factor, offset: if offset { take_tame(bytes)? } else { 0.0 }, slope })
            }
        };
        let length = usize::from(first >> 4);
        if length > W::BITS as usize / 8 {
            return Err(ColumnError::Damaged { what: "length of base" });
        }
        let base = W::from_u64(take_u64(bytes, length)?).unzigzag();
        Ok(Self { transform, order: first >> 2 & 3, line, base })
    }

    #[cfg(feature = "write")]
    pub(crate) fn write(&self, out: &mut Vec<u8>) {
        let base = self.base.zigzag();
        let length = base.bit_length().div_ceil(8) as usize;
        let (kind, shift) = match self.transform {
            Transform::Plain => (0, None),
            Transform::Ordered => (1, None),
            Transform::Grid(shift) => (2, Some(shift as u8)),
        };
        out.push(kind | self.order << 2 | (length as u8) << 4);
        out.extend(shift);
        if let Some(line) = self.line {
            out.extend_from_slice(&line.factor.to_le_bytes());
            if line.offset != 0.0 {
                out.extend_from_slice(&line.offset.to_le_bytes());
            }
        }
        out.extend(base.to_u64().to_le_bytes().iter().take(length));
    }
}

/// Decodes a body into values. `reference` yields the values of the reference column as floats, if there is one.
pub(crate) fn decode<W: Word>(
    mut bytes: &[u8],
    reference_use: Option<ReferenceUse>,
    float: bool,
    reference: impl Iterator<Item = f64>,
    scratch: &mut Scratch,
    predictions: &mut Vec<W>,
    out: &mut [W],
) -> Result<(), ColumnError> {
    let prefix = Prefix::<W>::read(&mut bytes, reference_use, float)?;
    let mut reader = BitReader::new(bytes);
    let first = usize::from(prefix.order > 0).min(out.len());
    let (start, stored) = out.split_at_mut(first);
    start.fill(W::default());
    residuals::decode(&mut reader, scratch, stored)?;
    if !reader.is_done() {
        return Err(ColumnError::Damaged { what: "bytes after a body" });
    }
    sum(prefix.order, prefix.base, out);
    if let Some(line) = prefix.line {
        predictions.clear();
        predictions.resize(out.len(), W::default());
        line.predict(reference, prefix.transform, predictions);
        out.iter_mut().zip(predictions.iter()).for_each(|(v, guess)| *v = v.add(*guess));
    }
    prefix.transform.undo(out);
    Ok(())
}

/// Undoes zigzag and `order` differences, and adds `base`.
fn sum<W: Word>(order: u8, base: W, out: &mut [W]) {
    let (mut a, mut b, mut c) = (base, W::default(), W::default());
    match order {
        0 => out.iter_mut().for_each(|v| *v = base.add(v.unzigzag())),
        1 => out.iter_mut().for_each(|v| {
            a = a.add(v.unzigzag());
            *v = a;
        }),
        2 => out.iter_mut().for_each(|v| {
            b = b.add(v.unzigzag());
            a = a.add(b);
            *v = a;
        }),
        _ => out.iter_mut().for_each(|v| {
            c = c.add(v.unzigzag());
            b = b.add(c);
            a = a.add(b);
            *v = a;
        }),
    }
}

/// Computes the residuals of `integers`, from which the predictions have already been subtracted; the inverse of [`sum`].
#[cfg(feature = "write")]
pub(crate) fn residuals<W: Word>(order: u8, base: W, unused: u32, integers: &[W], out: &mut Vec<W>) {
    let zigzag = |v: W| v.sign_extend(unused).zigzag();
    let at = |index: usize| integers.get(index).copied().unwrap_or(base);
    out.clear();
    if order == 0 {
        out.extend(integers.iter().map(|v| zigzag(v.sub(base))));
        return;
    }
    // The history before the first integer consists of copies of it.
    let history = |t: usize, back: usize| at(t.saturating_sub(back));
    let general = |t: usize| {
        let d1 = history(t, 0).sub(history(t, 1));
        let d2 = history(t, 1).sub(history(t, 2));
        let d3 = history(t, 2).sub(history(t, 3));
        zigzag(match order {
            1 => d1,
            2 => d1.sub(d2),
            _ => d1.sub(d2).sub(d2.sub(d3)),
        })
    };
    out.extend((1..integers.len().min(4)).map(general));
    let windows = integers.windows(5);
    match order {
        1 => out.extend(windows.map(|w| zigzag(w[4].sub(w[3])))),
        2 => out.extend(windows.map(|w| zigzag(w[4].sub(w[3]).sub(w[3].sub(w[2]))))),
        _ => out.extend(windows.map(|w| {
            let (d1, d2, d3) = (w[4].sub(w[3]), w[3].sub(w[2]), w[2].sub(w[1]));
            zigzag(d1.sub(d2).sub(d2.sub(d3)))
        })),
    }
}
