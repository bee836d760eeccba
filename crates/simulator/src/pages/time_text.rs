//! Times in the text format of the game.
use gametape_games::Utf16;

/// Minutes, seconds and milliseconds with colons: `1:23:456`. A missing time is `35791:23:647`, as in the game.
#[must_use]
pub fn time_text(ms: i32) -> Utf16<15> {
    let (sign, ms) = (if ms < 0 { "-" } else { "" }, ms.unsigned_abs());
    Utf16::new(&format!("{sign}{}:{:02}:{:03}", ms / 60_000, ms / 1000 % 60, ms % 1000))
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
            (i32::MAX, "35791:23:647"),
        ] {
            assert_eq!(time_text(ms).to_string(), text);
        }
    }
}
