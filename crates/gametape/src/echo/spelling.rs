//! Formats numbers and texts like the game, with as many digits as an exact round trip needs.

use std::fmt::Write as _;

/// Writes a 32-bit number with 8 significant digits, or more if they do not round-trip. Non-finite values become `null`.
pub(super) fn push_f32(out: &mut String, value: f32) {
    if !value.is_finite() {
        out.push_str("null");
        return;
    }
    let start = out.len();
    push_short(out, value);
    let same = out.get(start..).and_then(|text| text.parse::<f32>().ok()).is_some_and(|back| back == value);
    if !same {
        out.truncate(start);
        push_shortest(out, value);
    }
}

/// Writes a 64-bit number; in the 32-bit format if that round-trips.
pub(super) fn push_f64(out: &mut String, value: f64) {
    if !value.is_finite() {
        out.push_str("null");
        return;
    }
    let start = out.len();
    push_short(out, value as f32);
    let same = out.get(start..).and_then(|text| text.parse::<f64>().ok()).is_some_and(|back| back == value);
    if !same {
        out.truncate(start);
        push_shortest(out, value);
    }
}

/// Writes the shortest form that round-trips, always with a decimal part.
fn push_shortest(out: &mut String, value: impl std::fmt::Debug) {
    let _ = write!(out, "{value:?}");
}

/// Writes 8 significant digits, without trailing zeros except the first decimal. Uses an exponent for values below 10^−4.
fn push_short(out: &mut String, value: f32) {
    if value == 0.0 {
        out.push_str(if value.is_sign_negative() { "-0.0" } else { "0.0" });
        return;
    }
    let mut text = Digits::default();
    let _ = write!(text, "{value:.7e}");
    let text = text.as_str();
    let (digits, exponent) = text.split_once('e').unwrap_or((text, "0"));
    let exponent: i32 = exponent.parse().unwrap_or_default();
    let digits = match digits.strip_prefix('-') {
        Some(digits) => {
            out.push('-');
            digits
        }
        None => digits,
    };
    // The first digit, a point, seven more.
    let first = digits.get(..1).unwrap_or("0");
    let rest = digits.get(2..).unwrap_or_default().trim_end_matches('0');
    match exponent {
        ..-4 => {
            let _ = write!(out, "{first}.{}e{exponent}", if rest.is_empty() { "0" } else { rest });
        }
        -4..0 => {
            out.push_str("0.");
            (1..exponent.unsigned_abs()).for_each(|_| out.push('0'));
            out.push_str(first);
            out.push_str(rest);
        }
        _ => {
            let whole = exponent.unsigned_abs() as usize;
            out.push_str(first);
            out.push_str(rest.get(..whole).unwrap_or(rest));
            (rest.len()..whole).for_each(|_| out.push('0'));
            out.push('.');
            out.push_str(rest.get(whole..).filter(|places| !places.is_empty()).unwrap_or("0"));
        }
    }
}

/// A buffer for the text of one number.
#[derive(Default)]
struct Digits {
    bytes: [u8; 24],
    length: usize,
}

impl Digits {
    fn as_str(&self) -> &str {
        self.bytes.get(..self.length).and_then(|bytes| std::str::from_utf8(bytes).ok()).unwrap_or_default()
    }
}

impl std::fmt::Write for Digits {
    fn write_str(&mut self, text: &str) -> std::fmt::Result {
        let end = self.length + text.len();
        self.bytes.get_mut(self.length..end).ok_or(std::fmt::Error)?.copy_from_slice(text.as_bytes());
        self.length = end;
        Ok(())
    }
}

/// Writes a text in quotes, escaped.
pub(super) fn push_text(out: &mut String, text: &str) {
    out.push('"');
    for char in text.chars() {
        match char {
            '"' | '\\' => {
                out.push('\\');
                out.push(char);
            }
            '\n' => out.push_str("\\n"),
            '\r' => out.push_str("\\r"),
            '\t' => out.push_str("\\t"),
            char if char < ' ' => {
                let _ = write!(out, "\\u{:04x}", u32::from(char));
            }
            char => out.push(char),
        }
    }
    out.push('"');
}

#[cfg(test)]
mod tests {
    use gametape_games::echo_vr::simulated::{float_text, grid_text};
    use proptest::prelude::*;

    use super::*;

    fn f32_text(value: f32) -> String {
        let mut out = String::new();
        push_f32(&mut out, value);
        out
    }

    fn f64_text(value: f64) -> String {
        let mut out = String::new();
        push_f64(&mut out, value);
        out
    }

    #[test]
    fn values_of_the_grid_are_spelled_as_the_game_does() {
        for steps in (-90_000..90_000).step_by(7) {
            let text = grid_text(f64::from(steps) / 1000.0);
            assert_eq!(f32_text(text.parse().unwrap()), text);
            // Like a 64-bit number that was parsed from such a text.
            assert_eq!(f64_text(text.parse().unwrap()), text);
        }
        assert_eq!(f32_text(f32::NAN), "null");
    }

    proptest! {
        #[test]
        fn every_number_comes_back(bits in any::<u32>(), long in any::<u64>()) {
            let (short, long) = (f32::from_bits(bits), f64::from_bits(long));
            if short.is_finite() {
                prop_assert_eq!(f32_text(short).parse::<f32>().unwrap().to_bits(), short.to_bits());
                let game = float_text(short);
                prop_assert!(f32_text(short) == game || game.parse::<f32>().unwrap() != short);
            }
            if long.is_finite() {
                prop_assert_eq!(f64_text(long).parse::<f64>().unwrap().to_bits(), long.to_bits());
            }
        }

        #[test]
        fn every_text_comes_back(text in any::<String>()) {
            let mut out = String::new();
            push_text(&mut out, &text);
            let back = gametape_games::echo_vr::text_value(out.as_bytes());
            prop_assert_eq!(back.as_deref(), Some(text.as_str()));
        }
    }
}
