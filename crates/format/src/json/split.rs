//! Splits a frame into constant text and values by looking at its bytes only.
//!
//! Nesting and syntax are ignored: a number, a word or a string that is not followed by `:` is a value, everything else
//! is literal. So malformed JSON, other text and arbitrary bytes can be split too, and concatenating the parts always
//! gives the frame.

use super::decimal::Decimal;

/// The syntactic class of a value.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(crate) enum Class {
    /// Digits, sign, point, exponent.
    Number,
    /// Letters: `true`, `null`.
    Word,
    /// The text between two quotes.
    Text,
}

/// A value in a frame.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Found {
    pub(crate) start: usize,
    pub(crate) end: usize,
    pub(crate) class: Class,
}

/// Iterates over the values of a frame, in order.
pub(crate) struct Values<'a> {
    frame: &'a [u8],
    at: usize,
}

impl<'a> Values<'a> {
    pub(crate) fn of(frame: &'a [u8]) -> Self {
        Self { frame, at: 0 }
    }
}

impl Iterator for Values<'_> {
    type Item = Found;

    fn next(&mut self) -> Option<Found> {
        loop {
            let rest = self.frame.get(self.at..)?;
            let skip =
                rest.iter().position(|byte| matches!(byte, b'"' | b'-' | b'0'..=b'9' | b'a'..=b'z' | b'A'..=b'Z'))?;
            let start = self.at + skip;
            let rest = rest.get(skip..)?;
            let (start, end, class) = match rest.first()? {
                b'"' => {
                    let text = rest.get(1..)?;
                    let length = text_length(text)?;
                    let after = text.get(length + 1..).unwrap_or_default();
                    if after.iter().find(|byte| !byte.is_ascii_whitespace()) == Some(&b':') {
                        self.at = start + length + 2;
                        continue;
                    }
                    // The closing quote is literal and must not open another string.
                    self.at = start + length + 2;
                    return Some(Found { start: start + 1, end: start + 1 + length, class: Class::Text });
                }
                b'-' | b'0'..=b'9' => (start, start + Decimal::scan(rest).1.max(1), Class::Number),
                _ => (start, start + word_length(rest), Class::Word),
            };
            self.at = end;
            return Some(Found { start, end, class });
        }
    }
}

/// Returns the number of bytes before the quote that ends a string; `None` if it is not terminated.
pub(crate) fn text_length(text: &[u8]) -> Option<usize> {
    let mut at = 0;
    loop {
        match text.get(at)? {
            b'"' => return Some(at),
            b'\\' => at += 2,
            _ => at += 1,
        }
    }
}

/// Returns the number of leading letters.
pub(crate) fn word_length(text: &[u8]) -> usize {
    text.iter().position(|byte| !byte.is_ascii_alphabetic()).unwrap_or(text.len())
}
