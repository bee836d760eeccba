//! Parses and formats the digits of a number eight at a time in one register (SWAR).
//!
//! The first digit of a text is the lowest byte of the register. One multiplication combines all neighbours at once:
//! digits to pairs, pairs to fours, fours to eight. Formatting splits them in the same way.

/// The digit 0 in each byte.
const ZEROS: u64 = 0x3030_3030_3030_3030;
const HIGH: u64 = 0x8080_8080_8080_8080;
const HUNDRED_MILLION: u64 = 100_000_000;
/// Numbers below this have at most 16 digits.
const SIXTEEN_END: u64 = HUNDRED_MILLION * HUNDRED_MILLION;

/// Returns the number of leading bytes that are digits, and their value.
#[inline]
pub(super) fn read_eight(text: [u8; 8]) -> (usize, u64) {
    let values = u64::from_le_bytes(text) ^ ZEROS;
    // Sets the high bit of each byte above 9; bytes after the first of these may be marked wrongly.
    let others = (values.wrapping_add(0x7676_7676_7676_7676) | values) & HIGH;
    let digits = others.trailing_zeros() / 8;
    if digits == 0 {
        return (0, 0);
    }
    // Shifts out the bytes after the digits and fills in leading zeros.
    let values = values << (64 - 8 * digits);
    let pairs = values.wrapping_mul(10).wrapping_add(values >> 8);
    let (even, odd) = (pairs & 0x0000_00ff_0000_00ff, (pairs >> 16) & 0x0000_00ff_0000_00ff);
    let value = even.wrapping_mul(100 + (1_000_000 << 32)).wrapping_add(odd.wrapping_mul(1 + (10_000 << 32))) >> 32;
    (digits as usize, value)
}

/// The text of a number, with the first digit in the lowest byte.
#[derive(Debug, Clone, Copy)]
pub(super) struct Digits {
    pub(super) text: u128,
    /// Number of digits.
    pub(super) length: usize,
    /// Number of trailing zeros among them.
    pub(super) zeros: usize,
}

/// Returns the digits of a number below 10^16 without leading zeros, but at least `least` digits. `None` if there are more than 16.
// `always`: otherwise the result goes through memory, which takes as long as computing the digits.
#[inline(always)]
pub(super) fn write_sixteen(number: u64, least: usize) -> Option<Digits> {
    let all = match number {
        0..HUNDRED_MILLION => u128::from(eight_of(number)) << 64,
        HUNDRED_MILLION..SIXTEEN_END => {
            let (high, low) = (number / HUNDRED_MILLION, number % HUNDRED_MILLION);
            u128::from(eight_of(high)) | (u128::from(eight_of(low)) << 64)
        }
        _ => return None,
    };
    let length = (16 - all.trailing_zeros() as usize / 8).max(least);
    // Keeps at least one digit and at most all of them: a shift by 0 to 120.
    let beyond = 16usize.checked_sub(length.max(1))?;
    let zeros = (u128::from(ZEROS) << 64) | u128::from(ZEROS);
    Some(Digits { text: (all | zeros) >> (8 * beyond), length, zeros: all.leading_zeros() as usize / 8 })
}

/// The eight digits of a number below 10^8, as values.
#[inline]
fn eight_of(number: u64) -> u64 {
    let fours = (number / 10_000) | ((number % 10_000) << 32);
    let hundreds = ((fours * 10_486) >> 20) & 0x0000_007f_0000_007f;
    let pairs = hundreds | ((fours - hundreds * 100) << 16);
    let tens = ((pairs * 103) >> 10) & 0x000f_000f_000f_000f;
    tens | ((pairs - tens * 10) << 8)
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn written(number: u64, least: usize) -> String {
        let Digits { text, length, zeros } = write_sixteen(number, least).unwrap();
        assert_eq!(
            zeros.min(length),
            format!("{number:016}").bytes().rev().take_while(|byte| *byte == b'0').count().min(length)
        );
        String::from_utf8(text.to_le_bytes()[..length].to_vec()).unwrap()
    }

    #[test]
    fn numbers_have_their_digits_and_the_requested_leading_zeros() {
        assert_eq!(written(0, 1), "0");
        assert_eq!(written(0, 3), "000");
        assert_eq!(written(7, 1), "7");
        assert_eq!(written(60_000_001, 11), "00060000001");
        assert_eq!(written(99_999_999, 1), "99999999");
        assert_eq!(written(100_000_000, 1), "100000000");
        assert_eq!(written(9_999_999_999_999_999, 1), "9999999999999999");
        assert!(write_sixteen(10_000_000_000_000_000, 1).is_none());
        assert!(write_sixteen(1, 17).is_none());
    }

    #[test]
    fn digits_end_at_the_first_byte_that_is_not_one() {
        for other in (0..=u8::MAX).filter(|byte| !byte.is_ascii_digit()) {
            for at in 0..8 {
                let mut text = *b"98765432";
                text[at] = other;
                let before = std::str::from_utf8(&text[..at]).unwrap();
                assert_eq!(read_eight(text), (at, before.parse().unwrap_or(0)), "{other} at {at}");
            }
        }
        assert_eq!(read_eight(*b"98765432"), (8, 98_765_432));
    }

    proptest! {
        #[test]
        fn any_number_is_written_and_read_as_it_is(number in 0u64..10_000_000_000_000_000, small in 0u64..HUNDRED_MILLION, least in 1usize..16) {
            for number in [number, small, small % 1000] {
                prop_assert_eq!(written(number, least), format!("{number:0least$}"));
            }
            let text = format!("{small:08}");
            prop_assert_eq!(read_eight(text.as_bytes().try_into().unwrap()), (8, small));
        }
    }
}
