//! Converts values to integers that are easy to predict, and back; computes predictions from a reference column.

use super::word::Word;

/// Grid steps range from 2^-120 to 2^120.
pub(crate) const GRID_LIMIT: i32 = 120;

/// How values are converted to integers.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Transform {
    /// The bits unchanged.
    Plain,
    /// Float bits mapped to integers that sort in the same order.
    Ordered,
    /// The float times 2^s, an integer.
    Grid(i8),
}

/// Returns 2^exponent, for exponents of normal numbers.
pub(crate) fn power_of_two(exponent: i32) -> f64 {
    f64::from_bits(((exponent + 1023) as u64) << 52)
}

impl Transform {
    /// Converts integers to values, in place.
    pub(crate) fn undo<W: Word>(self, integers: &mut [W]) {
        match self {
            Self::Plain => {}
            Self::Ordered => integers.iter_mut().for_each(|v| *v = v.unordered()),
            Self::Grid(shift) => {
                let scale = power_of_two(-i32::from(shift));
                integers.iter_mut().for_each(|v| *v = v.on_grid(scale));
            }
        }
    }

    /// Converts values to integers.
    #[cfg(feature = "write")]
    pub(crate) fn apply<W: Word>(self, values: &[W], out: &mut Vec<W>) {
        out.clear();
        match self {
            Self::Plain => out.extend_from_slice(values),
            Self::Ordered => out.extend(values.iter().map(|v| v.to_ordered())),
            Self::Grid(shift) => {
                let scale = power_of_two(i32::from(shift));
                out.extend(values.iter().map(|v| W::from_u64((v.to_float() * scale) as i64 as u64)));
            }
        }
    }
}

/// Returns the finest grid on which all float `values` lie, if the resulting integers are small enough to be exact.
#[cfg(feature = "write")]
pub(crate) fn find_grid<W: Word>(values: &[W]) -> Option<i8> {
    let most = if W::BITS == 32 { 30 } else { 52 };
    let (mut highest, mut lowest) = (i32::MIN, i32::MAX);
    for value in values {
        if let Some((high, low)) = value.float_span().ok()? {
            highest = highest.max(high);
            lowest = lowest.min(low);
            if highest - lowest > most {
                return None;
            }
        }
    }
    let shift = if lowest == i32::MAX { 0 } else { -lowest };
    i8::try_from(shift).ok().filter(|shift| i32::from(*shift).abs() <= GRID_LIMIT)
}

/// Whether a value is zero or of a magnitude, 2^-120 to 2^120, at which no operation below can leave the normal numbers.
#[inline(always)]
pub(crate) fn is_tame(value: f64) -> bool {
    const LOW: u64 = (1023 - 120) << 52;
    const HIGH: u64 = (1023 + 120) << 52;
    let size = value.to_bits() & (u64::MAX >> 1);
    size == 0 || (LOW..HIGH).contains(&size)
}

/// Rounds to the nearest integer, ties to even. For 32-bit integers, any result is acceptable from 2^51 on.
#[inline(always)]
fn nearest_whole<W: Word>(value: f64) -> f64 {
    if W::BITS == 32 {
        // Numbers of this magnitude have no fraction bits, so the addition rounds. Not every processor has a rounding instruction.
        const ROUNDING: f64 = 6_755_399_441_055_744.0;
        return (value + ROUNDING) - ROUNDING;
    }
    value.round_ties_even()
}

/// The line that predicts a column: its reference, or the reference's slope, times `factor`, plus `offset`.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct Line {
    pub(crate) factor: f64,
    pub(crate) offset: f64,
    /// Whether the change of the reference since the previous row is used instead of its value.
    pub(crate) slope: bool,
}

impl Line {
    /// Predicts integers from the reference's values. Where no prediction is possible, repeats the previous one, or 0
    /// before the first.
    pub(crate) fn predict<W: Word>(self, reference: impl Iterator<Item = f64>, transform: Transform, out: &mut [W]) {
        match self.slope {
            false => self.predict_from(reference, transform, out),
            true => {
                let mut before = None;
                let slopes = reference.map(|value| value - before.replace(value).unwrap_or(value));
                self.predict_from(slopes, transform, out);
            }
        }
    }

    fn predict_from<W: Word>(self, inputs: impl Iterator<Item = f64>, transform: Transform, out: &mut [W]) {
        let mut last = W::default();
        match transform {
            Transform::Plain => out.fill(last),
            Transform::Ordered => {
                for (out, input) in out.iter_mut().zip(inputs) {
                    let guess = input * self.factor + self.offset;
                    if is_tame(guess) {
                        last = W::from_float(guess).to_ordered();
                    }
                    *out = last;
                }
            }
            Transform::Grid(shift) => {
                let scale = power_of_two(i32::from(shift));
                let limit = power_of_two(W::BITS as i32 - 2);
                for (out, input) in out.iter_mut().zip(inputs) {
                    let guess = input * self.factor + self.offset;
                    let whole = nearest_whole::<W>(guess * scale);
                    if is_tame(guess) && whole.abs() < limit {
                        last = W::from_u64(whole as i64 as u64);
                    }
                    *out = last;
                }
            }
        }
    }
}
