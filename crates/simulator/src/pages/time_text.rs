//! Times in the text format of the game.
use gametape_games::Utf16;

/// Minutes, seconds and milliseconds with colons: `1:23:456`. A missing time is `35791:23:647`, as in the game.
///
/// Written digit by digit: a simulated hour has millions of these texts, and formatting them took two thirds of its time.
#[must_use]
pub fn time_text(ms: i32) -> Utf16<15> {
    let mut units = [0; 15];
    let mut free = units.iter_mut();
    let mut put = |letter: u8| {
        if let Some(unit) = free.next() {
            *unit = u16::from(letter);
        }
    };
    let mut digits = |number: u32, count: u32, before: Option<u8>| {
        before.into_iter().for_each(&mut put);
        for power in (0..count).rev() {
            put(b'0' + (number / 10_u32.pow(power) % 10) as u8);
        }
    };
    let (sign, ms) = ((ms < 0).then_some(b'-'), ms.unsigned_abs());
    let minutes = ms / 60_000;
    digits(minutes, minutes.checked_ilog10().unwrap_or(0) + 1, sign);
    digits(ms / 1000 % 60, 2, Some(b':'));
    digits(ms % 1000, 3, Some(b':'));
    Utf16(units)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn times_are_written_with_colons() {
        for (ms, text) in [
            (0, "0:00:000"),
            (83_456, "1:23:456"),
            (36_379, "0:36:379"),
            (-312, "-0:00:312"),
            (600_000, "10:00:000"),
            (i32::MAX, "35791:23:647"),
            (i32::MIN, "-35791:23:648"),
        ] {
            assert_eq!(time_text(ms).to_string(), text);
        }
    }
}
