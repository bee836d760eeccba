//! Formats values as text. Numbers round-trip exactly. The decimal separator is always a point, independent of the locale.

use std::io::Write as _;

use gametape_format::ChannelType as Type;

use super::table::RowFormat;
use crate::games::windows_1252_text;

/// Writes one value. Missing bytes, and values that JSON cannot represent, become an empty cell or `null`.
pub(super) fn write_value(out: &mut Vec<u8>, kind: Type, bytes: &[u8], format: RowFormat) {
    let start = out.len();
    // Writing to memory cannot fail.
    let _ = match (kind, bytes) {
        (Type::U8 | Type::Bits8, &[byte]) => write!(out, "{byte}"),
        (Type::I8, &[byte]) => write!(out, "{}", byte as i8),
        (Type::Bool, &[byte]) => write!(out, "{}", byte != 0),
        (Type::U16 | Type::Bits16, &[a, b]) => write!(out, "{}", u16::from_le_bytes([a, b])),
        (Type::I16, &[a, b]) => write!(out, "{}", i16::from_le_bytes([a, b])),
        (Type::U32 | Type::Bits32, &[a, b, c, d]) => write!(out, "{}", u32::from_le_bytes([a, b, c, d])),
        (Type::I32, &[a, b, c, d]) => write!(out, "{}", i32::from_le_bytes([a, b, c, d])),
        (Type::F32, &[a, b, c, d]) => {
            let value = f32::from_le_bytes([a, b, c, d]);
            if value.is_finite() || format == RowFormat::Csv { write!(out, "{value}") } else { Ok(()) }
        }
        (Type::U64 | Type::Bits64, bytes) => {
            bytes.try_into().map_or(Ok(()), |b| write!(out, "{}", u64::from_le_bytes(b)))
        }
        (Type::I64, bytes) => bytes.try_into().map_or(Ok(()), |b| write!(out, "{}", i64::from_le_bytes(b))),
        (Type::F64, bytes) => bytes.try_into().map(f64::from_le_bytes).map_or(Ok(()), |value| {
            if value.is_finite() || format == RowFormat::Csv { write!(out, "{value}") } else { Ok(()) }
        }),
        _ => Ok(()),
    };
    if out.len() == start && format == RowFormat::Jsonl {
        out.extend_from_slice(b"null");
    }
}

/// Writes a text up to its first NUL.
pub(super) fn write_text(out: &mut Vec<u8>, kind: Type, bytes: &[u8], format: RowFormat) {
    let text = text_of(kind, bytes);
    match format {
        RowFormat::Csv => write_csv(out, &text),
        RowFormat::Jsonl => write_json(out, &text),
    }
}

/// Returns a text up to its first NUL.
pub(super) fn text_of(kind: Type, bytes: &[u8]) -> String {
    match kind {
        Type::Char16 => {
            let units = bytes.chunks_exact(2).map(|unit| u16::from_le_bytes([unit[0], unit[1]]));
            let units = units.take_while(|unit| *unit != 0);
            char::decode_utf16(units).map(|unit| unit.unwrap_or(char::REPLACEMENT_CHARACTER)).collect()
        }
        _ => {
            let end = bytes.iter().position(|byte| *byte == 0).unwrap_or(bytes.len());
            windows_1252_text(bytes.get(..end).unwrap_or_default())
        }
    }
}

/// Writes a text as a CSV cell, quoted where RFC 4180 requires it. An apostrophe precedes a text that a spreadsheet would run as a formula.
pub fn write_csv(out: &mut Vec<u8>, text: &str) {
    let guarded;
    let text = match is_formula(text) {
        true => {
            guarded = format!("'{text}");
            guarded.as_str()
        }
        false => text,
    };
    if text.contains([',', '"', '\n', '\r']) {
        out.push(b'"');
        out.extend_from_slice(text.replace('"', "\"\"").as_bytes());
        out.push(b'"');
    } else {
        out.extend_from_slice(text.as_bytes());
    }
}

/// Returns whether a spreadsheet would read the text as a formula: by its first character, unless the text is a number.
fn is_formula(text: &str) -> bool {
    let is_number = || {
        let digits = |c: char| c.is_ascii_digit() || matches!(c, '.' | '+' | '-' | 'e' | 'E');
        text.chars().all(digits) && text.parse::<f64>().is_ok()
    };
    text.starts_with(['=', '+', '-', '@', '\t', '\r']) && !is_number()
}

/// Writes a text as a JSON string.
pub fn write_json(out: &mut Vec<u8>, text: &str) {
    // Writing a string to memory cannot fail.
    let _ = serde_json::to_writer(out, text);
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn texts_that_look_like_formulas_are_guarded_and_numbers_are_not() {
        for (text, expected) in [
            ("=1+1", "'=1+1"),
            ("+cmd|' /C calc'!A0", "'+cmd|' /C calc'!A0"),
            ("-2+3", "'-2+3"),
            ("@SUM(A1,A2)", "\"'@SUM(A1,A2)\""),
            ("\t=1", "'\t=1"),
            ("\r=1", "\"'\r=1\""),
            ("-inf", "'-inf"),
            ("-12.5e-3", "-12.5e-3"),
            ("+7", "+7"),
            ("a=b", "a=b"),
            ("", ""),
        ] {
            let mut out = Vec::new();
            write_csv(&mut out, text);
            assert_eq!(String::from_utf8(out).unwrap(), expected, "{text:?}");
        }
        let mut number = Vec::new();
        write_value(&mut number, Type::F32, &(-1.5_f32).to_le_bytes(), RowFormat::Csv);
        assert_eq!(number, b"-1.5");
        let mut text = Vec::new();
        write_text(&mut text, Type::Char, b"=A1\0x", RowFormat::Csv);
        assert_eq!(text, b"'=A1");
    }
}
