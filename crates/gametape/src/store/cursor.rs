//! Cursors for pagination: the sort key of the last entry of a page, as URL-safe text.
//!
//! ```text
//! sessions.i1700000000000000.b00112233445566778899aabbccddeeff
//! │        └ values: i number, t text in hex, b bytes in hex
//! └ the query that issued it
//! ```
//! A cursor contains nothing secret, and its content is not trusted.

use std::fmt::{self, Display, Write as _};

use super::value::Value;

/// Longer cursors are rejected.
const LONGEST: usize = 4096;

/// A position in the results of a query: the end of a page.
#[derive(Debug, Clone, PartialEq)]
pub struct Cursor {
    kind: String,
    values: Vec<Value>,
}

impl Cursor {
    pub(super) fn new(kind: &str, values: Vec<Value>) -> Self {
        Self { kind: kind.to_owned(), values }
    }

    /// Returns the values if a query of this kind issued the cursor. `pattern` has one type letter per value, as in the text form.
    pub(super) fn values(&self, kind: &str, pattern: &str) -> Option<Vec<Value>> {
        let letter = |value: &Value| match value {
            Value::Int(_) => 'i',
            Value::Text(_) => 't',
            Value::Bytes(_) => 'b',
            Value::Null | Value::Real(_) => '-',
        };
        (self.kind == kind && pattern.chars().eq(self.values.iter().map(letter))).then(|| self.values.clone())
    }

    /// Parses the text form that [`Display`] writes.
    #[must_use]
    pub fn parse(text: &str) -> Option<Self> {
        if text.len() > LONGEST {
            return None;
        }
        let mut parts = text.split('.');
        let kind = parts.next().filter(|kind| kind.bytes().all(|byte| byte.is_ascii_lowercase() || byte == b'-'))?;
        let values = parts.map(parse_value).collect::<Option<Vec<_>>>()?;
        Some(Self { kind: kind.to_owned(), values })
    }
}

fn parse_value(text: &str) -> Option<Value> {
    let (kind, rest) = text.split_at_checked(1)?;
    match kind {
        "i" => rest.parse().ok().map(Value::Int),
        // Stored texts never contain NUL.
        "t" => String::from_utf8(from_hex(rest)?).ok().filter(|text| !text.contains('\0')).map(Value::Text),
        "b" => from_hex(rest).map(Value::Bytes),
        _ => None,
    }
}

pub(super) fn from_hex(text: &str) -> Option<Vec<u8>> {
    let digit = |byte: &u8| (*byte as char).to_digit(16).map(|digit| digit as u8);
    let pairs = text.as_bytes().chunks(2);
    pairs.map(|pair| Some(digit(pair.first()?)? << 4 | digit(pair.get(1)?)?)).collect()
}

impl Display for Cursor {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.write_str(&self.kind)?;
        let hex =
            |out: &mut fmt::Formatter<'_>, bytes: &[u8]| bytes.iter().try_for_each(|byte| write!(out, "{byte:02x}"));
        for value in &self.values {
            out.write_char('.')?;
            match value {
                Value::Int(number) => write!(out, "i{number}")?,
                Value::Text(text) => {
                    out.write_char('t')?;
                    hex(out, text.as_bytes())?;
                }
                Value::Bytes(bytes) => {
                    out.write_char('b')?;
                    hex(out, bytes)?;
                }
                // Sort keys contain neither.
                Value::Null | Value::Real(_) => out.write_char('i')?,
            }
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_cursor_is_read_back_and_fits_its_query_alone() {
        let values = vec![Value::Int(-5), Value::Text("Spa – é.".to_owned()), Value::Bytes(vec![0, 255])];
        let cursor = Cursor::new("laps-newest", values.clone());
        let read = Cursor::parse(&cursor.to_string()).unwrap();
        assert_eq!(read.values("laps-newest", "itb"), Some(values));
        for (kind, pattern) in
            [("sessions", "itb"), ("laps-newest", "it"), ("laps-newest", "itt"), ("laps-newest", "itbi")]
        {
            assert_eq!(read.values(kind, pattern), None, "{kind} {pattern}");
        }
    }

    #[test]
    fn texts_that_no_query_gave_are_refused() {
        for text in [
            "laps.x1",
            "laps.i",
            "laps.i9999999999999999999",
            "laps.b0",
            "laps.bzz",
            "laps.tff",
            "laps.t6100",
            "LAPS",
            "laps.é",
        ] {
            assert_eq!(Cursor::parse(text), None, "{text}");
        }
        assert_eq!(Cursor::parse(&"b00.".repeat(2000)), None);
    }
}
