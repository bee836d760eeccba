//! Floats as games print them: formats an `f32` with a number of significant digits; and values on a grid of decimal steps.
//!
//! Everything here is defined in terms of single IEEE 754 operations (docs/format.md, section 5), so that every reader
//! produces the same digits. A writer compares the result before it relies on it.

use super::decimal::{self, Decimal, MANTISSA_END, NEGATIVE_ZERO};
use super::digits::{self, Digits};

/// Powers of ten from 10^0 on, each rounded to the nearest `f64`.
const POWERS: [f64; 64] = [
    1e0, 1e1, 1e2, 1e3, 1e4, 1e5, 1e6, 1e7, 1e8, 1e9, 1e10, 1e11, 1e12, 1e13, 1e14, 1e15, 1e16, 1e17, 1e18, 1e19, 1e20,
    1e21, 1e22, 1e23, 1e24, 1e25, 1e26, 1e27, 1e28, 1e29, 1e30, 1e31, 1e32, 1e33, 1e34, 1e35, 1e36, 1e37, 1e38, 1e39,
    1e40, 1e41, 1e42, 1e43, 1e44, 1e45, 1e46, 1e47, 1e48, 1e49, 1e50, 1e51, 1e52, 1e53, 1e54, 1e55, 1e56, 1e57, 1e58,
    1e59, 1e60, 1e61, 1e62, 1e63,
];
/// Reciprocals of the powers of ten. A table, because one division takes as long as the rest of the formatting.
const PARTS: [f64; 64] = {
    let mut parts = [1.0; 64];
    let mut exponent = 0;
    while exponent < 64 {
        parts[exponent] = 1.0 / POWERS[exponent];
        exponent += 1;
    }
    parts
};
/// Grid steps: 10^0 to 10^−6, each rounded to the nearest `f32`.
const STEPS: [f32; 7] = [1e0, 1e-1, 1e-2, 1e-3, 1e-4, 1e-5, 1e-6];
const WHOLE: [u64; 10] = [1, 10, 100, 1000, 10_000, 100_000, 1_000_000, 10_000_000, 100_000_000, 1_000_000_000];

/// Supported numbers of significant digits.
pub(crate) const DIGITS: std::ops::RangeInclusive<u8> = 6..=9;
/// Supported powers of a grid.
pub(crate) const GRID_POWERS: std::ops::RangeInclusive<u8> = 1..=6;

/// How floats are formatted.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Spelling {
    /// Significant digits, one of [`DIGITS`].
    pub(crate) digits: u8,
    /// Whether exponents have at least two digits.
    pub(crate) padded: bool,
}

/// The format of a game that stores thousandths as integers and prints them as floats with 8 digits.
pub(crate) const GRID_SPELLING: Spelling = Spelling { digits: 8, padded: false };

fn power(exponent: i32) -> f64 {
    let table = if exponent >= 0 { &POWERS } else { &PARTS };
    table.get(exponent.unsigned_abs() as usize).copied().unwrap_or(f64::NAN)
}

/// Rounds to the nearest integer, ties to even; for 0 ≤ value < 2^51.
fn round_even(value: f64) -> u64 {
    const SHIFT: f64 = 4_503_599_627_370_496.0;
    (value + SHIFT).to_bits() & ((1 << 52) - 1)
}

/// A value as mantissa · 10^−places, with the power of ten of its first digit.
struct Rounded {
    mantissa: u64,
    places: i32,
    exponent: i32,
}

impl Spelling {
    /// Formats a value: without trailing zeros except for one decimal place, with an exponent below 10^−4. `None` for
    /// NaN, infinities and values from 10^16 on.
    pub(crate) fn of(self, value: f32) -> Option<Decimal> {
        if value == 0.0 {
            return Some(Decimal::plain(if value.is_sign_negative() { NEGATIVE_ZERO } else { 0 }, 1));
        }
        let Rounded { mut mantissa, mut places, exponent } = self.round(value)?;
        let least = if exponent < -4 { 1 - exponent } else { 1 };
        while places > least && mantissa.is_multiple_of(10) {
            mantissa /= 10;
            places -= 1;
        }
        while places < least {
            mantissa *= 10;
            places += 1;
        }
        let signed = if value.is_sign_negative() { -(mantissa as i64) } else { mantissa as i64 };
        (mantissa < MANTISSA_END).then(|| match exponent {
            ..-4 => Decimal::with_exponent(signed, places as u32, exponent.unsigned_abs(), self.padded),
            _ => Decimal::plain(signed, places as u32),
        })
    }

    /// Appends a formatted value; `false` if it has no textual form. The result is that of [`Spelling::of`], but
    /// trailing zeros are counted while the digits are computed.
    #[inline]
    pub(crate) fn write(self, value: f32, out: &mut Vec<u8>) -> bool {
        if let Some(Rounded { mantissa, places, exponent: -4.. }) = self.round(value)
            && places >= 1
            && let Some(digits) = digits::write_sixteen(mantissa, places as usize + 1)
        {
            let places = places as usize;
            let dropped = digits.zeros.min(places - 1);
            let digits = Digits { length: digits.length - dropped, ..digits };
            decimal::put(value.is_sign_negative(), digits, places - dropped, out);
            return true;
        }
        self.of(value).is_some_and(|spelled| spelled.write(out))
    }

    /// Returns the digits, if the value has a textual form and is not 0.
    #[inline(always)]
    fn round(self, value: f32) -> Option<Rounded> {
        let digits = i32::from(self.digits);
        let size = f64::from(value.abs());
        if !(size > 0.0 && size < 1e16) {
            return None;
        }
        // ⌊log10⌋ from the binary exponent, then corrected by comparison with the next power. Branch-free: a branch
        // would be mispredicted half of the time.
        let binary = (size.to_bits() >> 52) as i32 - 1023;
        let mut exponent = (binary * 1233) >> 12;
        exponent += i32::from(size >= power(exponent + 1));
        let mut places = digits - 1 - exponent;
        let scaled = if places >= 0 { size * power(places) } else { size / power(-places) };
        let mut mantissa = round_even(scaled);
        let end = WHOLE.get(self.digits as usize).copied().unwrap_or(u64::MAX);
        if mantissa >= end {
            mantissa /= 10;
            exponent += 1;
            places -= 1;
        }
        Some(Rounded { mantissa, places, exponent })
    }

    /// Returns the float that most likely has this textual form.
    #[inline]
    pub(crate) fn guess(spelled: Decimal) -> f32 {
        approximate(spelled) as f32
    }

    /// Returns the float that has this textual form, if there is one.
    #[inline]
    pub(crate) fn read(self, spelled: Decimal) -> Option<f32> {
        let nearest = Self::guess(spelled);
        if self.of(nearest) == Some(spelled) {
            return Some(nearest);
        }
        let near = [nearest.next_up(), nearest.next_down()];
        near.into_iter().find(|value| self.of(*value) == Some(spelled))
    }
}

/// The value of a decimal.
#[inline]
pub(crate) fn approximate(decimal: Decimal) -> f64 {
    if decimal.mantissa == NEGATIVE_ZERO {
        return -0.0;
    }
    decimal.mantissa as f64 / power(decimal.places() as i32)
}

/// A grid with steps of 10^−power.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Grid {
    /// One of [`GRID_POWERS`].
    pub(crate) power: u8,
    /// Whether the number of steps is divided by 10^power. Otherwise it is multiplied by the step, which is not exactly 10^−power.
    pub(crate) divide: bool,
}

impl Grid {
    /// Formats a value of this many steps.
    pub(crate) fn of(self, steps: i32) -> Option<Decimal> {
        GRID_SPELLING.of(self.value(steps))
    }

    /// Appends the formatted value of this many steps; `false` if it has no textual form.
    #[inline]
    pub(crate) fn write(self, steps: i32, out: &mut Vec<u8>) -> bool {
        GRID_SPELLING.write(self.value(steps), out)
    }

    fn value(self, steps: i32) -> f32 {
        match self.divide {
            true => steps as f32 / power(i32::from(self.power)) as f32,
            false => steps as f32 * STEPS.get(self.power as usize).copied().unwrap_or(1.0),
        }
    }

    /// Returns the number of steps that most likely has this textual form.
    #[inline]
    pub(crate) fn guess(self, spelled: Decimal) -> i32 {
        (approximate(spelled) * power(i32::from(self.power))).round() as i32
    }

    /// Returns the number of steps, if the value lies on the grid and has this textual form.
    #[inline]
    pub(crate) fn read(self, spelled: Decimal) -> Option<i32> {
        let steps = self.guess(spelled);
        (self.of(steps) == Some(spelled)).then_some(steps)
    }
}

#[cfg(test)]
#[allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, clippy::excessive_precision)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    const EIGHT: Spelling = GRID_SPELLING;

    fn text(decimal: Decimal) -> String {
        let mut out = Vec::new();
        assert!(decimal.write(&mut out));
        String::from_utf8(out).unwrap()
    }

    #[test]
    fn floats_are_spelled_as_games_print_them() {
        for (value, spelled) in [
            (0.0, "0.0"),
            (-0.0, "-0.0"),
            (1.0, "1.0"),
            (300.0, "300.0"),
            (64.609_161, "64.609161"),
            (9.633_907_8e-5, "9.6339078e-5"),
            (0.000_1, "9.9999997e-5"),
            (-12.294_746, "-12.294746"),
            (0.999_999_999, "1.0"),
            (123_456_789.0, "123456790.0"),
        ] {
            assert_eq!(EIGHT.of(value).map(text).as_deref(), Some(spelled));
        }
        assert_eq!(EIGHT.of(f32::NAN), None);
        assert_eq!(EIGHT.of(f32::INFINITY), None);
        let padded = Spelling { padded: true, ..EIGHT };
        assert_eq!(padded.of(9.633_907_8e-5).map(text).as_deref(), Some("9.6339078e-05"));
    }

    #[test]
    fn thousandths_are_spelled_as_a_game_prints_them() {
        let grid = Grid { power: 3, divide: false };
        for (steps, spelled) in [
            (0, "0.0"),
            (26869, "26.869001"),
            (-10598, "-10.598001"),
            (6, "0.0060000001"),
            (1, "0.001"),
            (145, "0.14500001"),
            (10416, "10.416"),
            (-27876, "-27.876001"),
            (1000, "1.0"),
        ] {
            assert_eq!(grid.of(steps).map(text).as_deref(), Some(spelled));
            assert_eq!(grid.read(Decimal::scan(spelled.as_bytes()).0.unwrap()), Some(steps));
        }
        assert_eq!(grid.read(Decimal::scan(b"26.869").0.unwrap()), None, "formatted as by another game");
        assert_eq!(Grid { power: 3, divide: true }.of(26869).map(text).as_deref(), Some("26.868999"));
    }

    proptest! {
        #[test]
        fn what_is_spelled_is_read_as_a_float_that_is_spelled_so(bits in any::<u32>(), digits in DIGITS, padded in any::<bool>()) {
            let spelling = Spelling { digits, padded };
            let mut written = Vec::new();
            prop_assert_eq!(spelling.write(f32::from_bits(bits), &mut written), spelling.of(f32::from_bits(bits)).is_some());
            if let Some(spelled) = spelling.of(f32::from_bits(bits)) {
                prop_assert_eq!(String::from_utf8(written).unwrap(), text(spelled));
                let read = spelling.read(spelled).expect("a float");
                prop_assert_eq!(spelling.of(read), Some(spelled));
                // The text parses as a decimal.
                let text = text(spelled);
                prop_assert_eq!(Decimal::scan(text.as_bytes()), (Some(spelled), text.len()));
            }
        }

        #[test]
        fn nine_digits_are_the_float_itself(bits in any::<u32>()) {
            let value = f32::from_bits(bits);
            let spelling = Spelling { digits: 9, padded: false };
            if let Some(spelled) = spelling.of(value).filter(|_| value.is_normal()) {
                prop_assert_eq!(spelling.read(spelled).map(f32::to_bits), Some(bits));
            }
        }

        #[test]
        fn steps_come_back(steps in -2_000_000i32..2_000_000, power in GRID_POWERS, divide in any::<bool>()) {
            let grid = Grid { power, divide };
            let spelled = grid.of(steps).unwrap();
            prop_assert_eq!(grid.read(spelled), Some(steps));
            let mut written = Vec::new();
            prop_assert!(grid.write(steps, &mut written));
            prop_assert_eq!(String::from_utf8(written).unwrap(), text(spelled));
        }
    }
}
