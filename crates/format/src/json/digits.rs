//! Digits of a number eight at a time, in one register: text in, value out, and back.
//!
//! The first digit of a text is the lowest byte of a register. Neighbours are put together by one multiplication for all: digits to pairs, pairs to
//! fours, fours to eight; and taken apart the same way.

/// The digit 0 in each byte.
const ZEROS: u64 = 0x3030_3030_3030_3030;
const HIGH: u64 = 0x8080_8080_8080_8080;
const HUNDRED_MILLION: u64 = 100_000_000;
/// Numbers below it have 16 digits at most.
const SIXTEEN_END: u64 = HUNDRED_MILLION * HUNDRED_MILLION;

/// How many of these bytes are digits before the first that is none, and their value.
#[inline]
pub(super) fn read_eight(text: [u8; 8]) -> (usize, u64) {
    let values = u64::from_le_bytes(text) ^ ZEROS;
    // What is above 9 gets its high bit set; bytes behind the first one of these may be marked wrongly.
    let others = (values.wrapping_add(0x7676_7676_7676_7676) | values) & HIGH;
    let digits = others.trailing_zeros() / 8;
    if digits == 0 {
        return (0, 0);
    }
    // Zeros before them instead of what stands behind them.
    let values = values << (64 - 8 * digits);
    let pairs = values.wrapping_mul(10).wrapping_add(values >> 8);
    let (even, odd) = (pairs & 0x0000_00ff_0000_00ff, (pairs >> 16) & 0x0000_00ff_0000_00ff);
    let value = even.wrapping_mul(100 + (1_000_000 << 32)).wrapping_add(odd.wrapping_mul(1 + (10_000 << 32))) >> 32;
    (digits as usize, value)
}

/// The text of a number, the first digit in the lowest byte.
#[derive(Debug, Clone, Copy)]
pub(super) struct Digits {
    pub(super) text: u128,
    /// Digits there are.
    pub(super) length: usize,
    /// How many of them are zeros at the end.
    pub(super) zeros: usize,
}

/// The digits of a number below 10^16 without zeros before it, but at least so many. `None` if there are more than 16.
// Always: what it gives goes through memory otherwise, which takes as long as the digits.
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
    // At least one digit and at most all of them are left: a shift by 0 to 120.
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
    fn numbers_have_their_digits_and_zeros_before_them_as_told() {
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
    fn digits_end_at_the_first_byte_that_is_none() {
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
