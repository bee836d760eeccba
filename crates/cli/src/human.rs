//! Formats numbers and text for people.

use std::fmt::Write;
use std::path::Path;

pub(crate) use crate::terminal::safe;

/// Formats a path for display.
pub(crate) fn path(path: &Path) -> String {
    safe(&path.display().to_string())
}

/// `1.2 MB`.
pub(crate) fn bytes(bytes: u64) -> String {
    const UNITS: [&str; 5] = ["kB", "MB", "GB", "TB", "PB"];
    if bytes < 1000 {
        return format!("{bytes} B");
    }
    let mut value = bytes as f64 / 1000.0;
    let mut unit = 0;
    while value >= 999.95 && unit + 1 < UNITS.len() {
        value /= 1000.0;
        unit += 1;
    }
    format!("{value:.1} {}", UNITS.get(unit).copied().unwrap_or_default())
}

/// `1:02:03.450`; hours only if there are any.
pub(crate) fn duration(ns: u64) -> String {
    let ms = ns / 1_000_000;
    let (hours, minutes, seconds) = (ms / 3_600_000, ms / 60_000 % 60, ms / 1000 % 60);
    let mut text = String::new();
    let _ = match hours {
        0 => write!(text, "{minutes}:{seconds:02}.{:03}", ms % 1000),
        _ => write!(text, "{hours}:{minutes:02}:{seconds:02}.{:03}", ms % 1000),
    };
    text
}

/// `28,206`.
pub(crate) fn count(number: u64) -> String {
    let digits = number.to_string();
    let mut text = String::with_capacity(digits.len() + digits.len() / 3);
    for (index, digit) in digits.chars().enumerate() {
        if index > 0 && (digits.len() - index).is_multiple_of(3) {
            text.push(',');
        }
        text.push(digit);
    }
    text
}

/// `1 frame`, `2 frames`.
pub(crate) fn counted(number: u64, noun: &str) -> String {
    format!("{} {noun}{}", count(number), if number == 1 { "" } else { "s" })
}

/// `1 torn copy`, `2 torn copies`: for nouns with an irregular plural.
pub(crate) fn counted_as(number: u64, one: &str, many: &str) -> String {
    format!("{} {}", count(number), if number == 1 { one } else { many })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_are_readable() {
        assert_eq!((bytes(999), bytes(1000), bytes(3_021_147)), ("999 B".into(), "1.0 kB".into(), "3.0 MB".into()));
        assert_eq!((bytes(999_999), bytes(u64::MAX)), ("1.0 MB".into(), "18446.7 PB".into()));
        assert_eq!((duration(0), duration(90_500_000_000)), ("0:00.000".into(), "1:30.500".into()));
        assert_eq!(duration(3_723_004_000_000), "1:02:03.004");
        assert_eq!(
            (count(0), count(999), count(28_206), count(1_000_000)),
            ("0".into(), "999".into(), "28,206".into(), "1,000,000".into())
        );
        assert_eq!((counted(1, "frame"), counted(2000, "frame")), ("1 frame".into(), "2,000 frames".into()));
        assert_eq!(counted_as(1, "copy", "copies") + &counted_as(0, "copy", "copies"), "1 copy0 copies");
    }
}
