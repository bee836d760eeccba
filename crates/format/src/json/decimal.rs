//! Numbers together with their textual form: parses text into a mantissa and a number of decimal places, and formats
//! them as the same text.
//!
//! A [`Decimal`] represents exactly one text, so two equal decimals have the same bytes. Numbers in other forms (`1e5`,
//! `01`, `1.`, 19 digits) are not represented and are kept as text.

use super::digits::{self, Digits};

/// Mantissa of `-0`, `-0.0` and so on.
pub(crate) const NEGATIVE_ZERO: i64 = i64::MIN;
/// Upper bound (exclusive) of mantissas.
pub(crate) const MANTISSA_END: u64 = 1_000_000_000_000_000_000;
/// The maximum number of decimal places.
pub(crate) const MOST_PLACES: u32 = 62;
/// A code that no decimal has.
pub(crate) const NO_DECIMAL: u8 = u8::MAX;

/// Powers of ten.
const POWERS: [u64; 16] = {
    let mut powers = [1; 16];
    let mut exponent = 1;
    while exponent < 16 {
        powers[exponent] = powers[exponent - 1] * 10;
        exponent += 1;
    }
    powers
};

const PLACES: u8 = 0x3f;
const EXPONENT: u8 = 0x40;
const PADDED: u8 = 0x80;

/// A number and its textual form.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Decimal {
    /// All digits as one integer, with the sign.
    pub(crate) mantissa: i64,
    /// Bits 0 to 5: the value is mantissa · 10^−places. Bit 6: written with an exponent (`9.6e-5`). Bit 7: written with
    /// a two-digit exponent whose first digit is 0 (`9.6e-05`).
    pub(crate) code: u8,
}

impl Decimal {
    /// Creates a number without an exponent.
    pub(crate) fn plain(mantissa: i64, places: u32) -> Self {
        Self { mantissa, code: places.min(MOST_PLACES) as u8 }
    }

    /// Creates a small number that is written with an exponent; `padded` pads an exponent below 10 with a zero.
    pub(crate) fn with_exponent(mantissa: i64, places: u32, exponent: u32, padded: bool) -> Self {
        let form = if padded && exponent < 10 { PADDED } else { EXPONENT };
        Self { mantissa, code: places.min(MOST_PLACES) as u8 | form }
    }

    pub(crate) fn places(self) -> u32 {
        u32::from(self.code & PLACES)
    }

    pub(crate) fn is_plain(self) -> bool {
        self.code <= PLACES
    }

    /// Parses the number at the start of `text` and returns its length in bytes. The number is `None` if no decimal
    /// represents its form; the length is valid in that case too.
    #[inline]
    pub(crate) fn scan(text: &[u8]) -> (Option<Self>, usize) {
        let digit_at = |at: usize| text.get(at).copied().filter(u8::is_ascii_digit);
        let negative = text.first() == Some(&b'-');
        let whole_at = usize::from(negative);
        let mut at = whole_at;
        let mut mantissa = 0u64;
        while let Some(digit) = digit_at(at) {
            mantissa = mantissa.wrapping_mul(10).wrapping_add(u64::from(digit - b'0'));
            at += 1;
        }
        let whole = at - whole_at;
        let mut places = 0;
        if text.get(at) == Some(&b'.') {
            at += 1;
            let places_at = at;
            // Most numbers have about eight decimal places: parse them all at once.
            if let Some(eight) = text.get(at..).and_then(|rest| rest.first_chunk()) {
                let (digits, value) = digits::read_eight(*eight);
                mantissa = mantissa.wrapping_mul(POWERS[digits & 15]).wrapping_add(value);
                at += digits;
            }
            while let Some(digit) = digit_at(at) {
                mantissa = mantissa.wrapping_mul(10).wrapping_add(u64::from(digit - b'0'));
                at += 1;
            }
            places = at - places_at;
            if places == 0 {
                return (None, end_of_number(text, at));
            }
        }
        let byte = text.get(at).copied().unwrap_or(0);
        let first = text.get(whole_at).copied().unwrap_or(0);
        // 18 digits and the zero before the point, or a long row of zeros: the slow path decides.
        if whole + places > 19 || whole == 0 || (first == b'0' && whole > 1) || is_of_number(byte) {
            let end = end_of_number(text, at);
            return (Self::parse_slowly(text.get(..end).unwrap_or_default()), end);
        }
        if mantissa >= MANTISSA_END {
            return (None, at);
        }
        (Some(Self::plain(signed(negative, mantissa), places as u32)), at)
    }

    /// Parses a complete number in one of the rare forms.
    #[cold]
    fn parse_slowly(text: &[u8]) -> Option<Self> {
        let (negative, text) = match text.split_first() {
            Some((b'-', rest)) => (true, rest),
            _ => (false, text),
        };
        let exponent_at = text.iter().position(|byte| *byte == b'e');
        let (number, exponent) = match exponent_at {
            Some(at) => (text.get(..at)?, text.get(at + 1..)),
            None => (text, None),
        };
        let point = number.iter().position(|byte| *byte == b'.');
        let (whole, fraction) = match point {
            Some(at) => (number.get(..at)?, number.get(at + 1..)?),
            None => (number, &[][..]),
        };
        let digits = |text: &[u8]| text.iter().all(u8::is_ascii_digit);
        let leading_zero = whole.first() == Some(&b'0') && whole.len() > 1;
        if whole.is_empty()
            || !digits(whole)
            || !digits(fraction)
            || leading_zero
            || point.is_some() == fraction.is_empty()
        {
            return None;
        }
        let mut mantissa = 0u64;
        for digit in whole.iter().chain(fraction) {
            mantissa = mantissa * 10 + u64::from(digit - b'0');
            if mantissa >= MANTISSA_END {
                return None;
            }
        }
        let fraction = fraction.len() as u32;
        let Some(exponent) = exponent else {
            return (fraction <= MOST_PLACES).then(|| Self::plain(signed(negative, mantissa), fraction));
        };
        let [b'-', exponent @ ..] = exponent else { return None };
        if whole.len() != 1 || whole == b"0" || fraction == 0 {
            return None;
        }
        let (value, padded) = match *exponent {
            [one @ b'1'..=b'9'] => (u32::from(one - b'0'), false),
            [b'0', one @ b'1'..=b'9'] => (u32::from(one - b'0'), true),
            [ten @ b'1'..=b'9', one @ b'0'..=b'9'] => (u32::from(ten - b'0') * 10 + u32::from(one - b'0'), false),
            _ => return None,
        };
        let places = fraction + value;
        (places <= MOST_PLACES).then(|| Self::with_exponent(signed(negative, mantissa), places, value, padded))
    }

    /// Appends the text. Returns `false` if no text is ever parsed into these parts.
    #[inline]
    pub(crate) fn write(self, out: &mut Vec<u8>) -> bool {
        let negative = self.mantissa < 0;
        let digits = if self.mantissa == NEGATIVE_ZERO { 0 } else { self.mantissa.unsigned_abs() };
        let places = self.places() as usize;
        if !self.is_plain() || digits >= MANTISSA_END || places > MOST_PLACES as usize {
            return self.write_exponent(negative, digits, out);
        }
        match digits::write_sixteen(digits, places + 1) {
            Some(digits) => put(negative, digits, places, out),
            None => put_long(negative, digits, places, out),
        }
        true
    }

    #[cold]
    fn write_exponent(self, negative: bool, digits: u64, out: &mut Vec<u8>) -> bool {
        let length = digits.checked_ilog10().unwrap_or(0);
        let exponent = self.places().saturating_sub(length);
        let padded = self.code & PADDED != 0;
        let known = self.code & (EXPONENT | PADDED) != EXPONENT | PADDED && (!padded || exponent < 10);
        if !known || digits >= MANTISSA_END || length == 0 || exponent == 0 || self.places() > MOST_PLACES {
            return false;
        }
        if negative {
            out.push(b'-');
        }
        let first = digits / 10u64.pow(length);
        let fraction = digits % 10u64.pow(length);
        out.extend_from_slice(format!("{first}.{fraction:0width$}e-", width = length as usize).as_bytes());
        if padded {
            out.push(b'0');
        }
        out.extend_from_slice(exponent.to_string().as_bytes());
        true
    }
}

fn signed(negative: bool, mantissa: u64) -> i64 {
    match (negative, mantissa as i64) {
        (true, 0) => NEGATIVE_ZERO,
        (true, mantissa) => -mantissa,
        (false, mantissa) => mantissa,
    }
}

/// Whether a byte can be part of a number, well-formed or not.
pub(crate) fn is_of_number(byte: u8) -> bool {
    byte.is_ascii_digit() || matches!(byte, b'.' | b'e' | b'E' | b'+' | b'-')
}

/// Returns the end of the number that extends at least to `at`.
fn end_of_number(text: &[u8], at: usize) -> usize {
    let rest = text.get(at..).unwrap_or_default();
    at + rest.iter().position(|byte| !is_of_number(*byte)).unwrap_or(rest.len())
}

/// Appends a number with its last `places` digits after the decimal point.
#[inline]
pub(crate) fn put(negative: bool, Digits { text, length, .. }: Digits, places: usize, out: &mut Vec<u8>) {
    // Fixed-length copies compile to one instruction each, any other copy to a call. The sign is handled without a
    // branch because it is unpredictable.
    let start = out.len() + usize::from(negative);
    out.push(b'-');
    out.truncate(start);
    out.extend_from_slice(&text.to_le_bytes());
    if places > 0 {
        let whole = length - places;
        out.truncate(start + whole);
        out.push(b'.');
        out.extend_from_slice(&(text >> (8 * whole)).to_le_bytes());
    }
    out.truncate(start + length + usize::from(places > 0));
}

/// [`put`] for many digits or places.
#[cold]
fn put_long(negative: bool, digits: u64, places: usize, out: &mut Vec<u8>) {
    let sign = if negative { "-" } else { "" };
    let text = format!("{digits:0least$}", least = places + 1);
    let (whole, fraction) = text.split_at(text.len() - places);
    let point = if places > 0 { "." } else { "" };
    [sign, whole, point, fraction].iter().for_each(|part| out.extend_from_slice(part.as_bytes()));
}

#[cfg(test)]
#[allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, clippy::excessive_precision)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn scan(text: &str) -> Option<Decimal> {
        let (decimal, length) = Decimal::scan(text.as_bytes());
        assert_eq!(length, text.len(), "{text}");
        decimal
    }

    fn spelled(decimal: Decimal) -> Option<String> {
        let mut out = Vec::new();
        decimal.write(&mut out).then(|| String::from_utf8(out).unwrap())
    }

    #[test]
    fn common_spellings_have_a_decimal_that_gives_the_same_text() {
        let long = format!("0.{}1", "0".repeat(61));
        for text in [
            "0",
            "-0",
            "1",
            "-17",
            "999999999999999999",
            "0.0",
            "-0.0",
            "1.50",
            "-10.598001",
            "0.0060000001",
            "100.0",
            "9.6339078e-5",
            "-1.0e-12",
            "1.5e-05",
            "123456789.123456789",
            long.as_str(),
            "0.000",
            "10.00",
        ] {
            let decimal = scan(text).unwrap_or_else(|| panic!("{text} has no decimal"));
            assert_eq!(spelled(decimal).as_deref(), Some(text));
        }
    }

    #[test]
    fn odd_spellings_have_none_and_end_where_the_number_ends() {
        for text in [
            "1e5",
            "1E-5",
            "01",
            "-",
            "-01.5",
            "1.",
            "1.e-5",
            "0.5e-5",
            "12.5e-5",
            "1.5e+5",
            "1.5e-005",
            "1.5e-0",
            "1.5e-",
            "1-2",
            "1000000000000000000",
            "0.1234567890123456789",
            "1.2.3",
            "--1",
            "1.5e-5.",
        ] {
            assert_eq!(scan(text), None, "{text}");
        }
        let (decimal, length) = Decimal::scan(b"1.5,2.5]");
        assert_eq!((decimal, length), (Some(Decimal::plain(15, 1)), 3));
        assert_eq!(Decimal::scan(b"1e5x").1, 3);
    }

    #[test]
    fn decimals_that_no_text_parses_to_are_rejected() {
        for (mantissa, code) in
            [(5, NO_DECIMAL), (5, EXPONENT | 9), (15, EXPONENT), (i64::MAX, 0), (15, PADDED | 40), (15, 63)]
        {
            assert_eq!(spelled(Decimal { mantissa, code }), None, "{mantissa} {code}");
        }
    }

    proptest! {
        #[test]
        fn any_text_of_number_bytes_comes_back_or_has_no_decimal(text in "-?[0-9]{0,20}(\\.[0-9]{0,20})?([eE][+-]?[0-9]{0,3})?") {
            let (decimal, length) = Decimal::scan(text.as_bytes());
            prop_assert_eq!(length, text.len());
            if let Some(decimal) = decimal {
                prop_assert_eq!(spelled(decimal), Some(text));
            }
        }

        #[test]
        fn any_parts_give_a_text_that_has_these_parts_or_none(mantissa in any::<i64>(), small in -2000i64..2000, code in any::<u8>()) {
            for mantissa in [mantissa, mantissa % 1_000_000_000, small] {
                let decimal = Decimal { mantissa, code };
                if let Some(text) = spelled(decimal) {
                    prop_assert_eq!(scan(&text), Some(decimal), "{}", text);
                }
            }
        }
    }
}
