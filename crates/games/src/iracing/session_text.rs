//! Decodes the session info string.
//!
//! The game writes Windows-1252, or UTF-8 if the third line declares it. Callers that store the string should keep the
//! original bytes.
use crate::text::windows_1252_text;

/// Start of a string that declares UTF-8.
const UTF8_OPENING: &[u8] = b"---\nWeekendInfo:\n Encoding: UTF8";

/// Encoding of a session info string.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum TextEncoding {
    /// Declared as UTF-8, and valid.
    Utf8,
    /// Anything else.
    Windows1252,
}

/// Returns the encoding that [`session_text`] uses for these bytes.
#[must_use]
pub fn session_text_encoding(bytes: &[u8]) -> TextEncoding {
    if utf8(until_nul(bytes)).is_some() { TextEncoding::Utf8 } else { TextEncoding::Windows1252 }
}

/// Returns the bytes before the first NUL.
#[must_use]
pub fn session_text_bytes(padded: &[u8]) -> &[u8] {
    until_nul(padded)
}

/// Decodes the string up to the first NUL. If it declares UTF-8 but is not valid, it is decoded as Windows-1252, which
/// loses nothing.
#[must_use]
pub fn session_text(bytes: &[u8]) -> String {
    let bytes = until_nul(bytes);
    utf8(bytes).map_or_else(|| windows_1252_text(bytes), str::to_owned)
}

fn utf8(bytes: &[u8]) -> Option<&str> {
    if bytes.starts_with(UTF8_OPENING) { str::from_utf8(bytes).ok() } else { None }
}

/// Returns the bytes before the first NUL.
pub(super) fn until_nul(bytes: &[u8]) -> &[u8] {
    bytes.split(|byte| *byte == 0).next().unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn text_is_windows_1252_unless_it_says_otherwise() {
        let bytes = b"---\nWeekendInfo:\n TrackName: Sp\xE0 \x80\n\0\0\0";
        assert_eq!(session_text(bytes), "---\nWeekendInfo:\n TrackName: Spà €\n");
        assert_eq!(session_text_encoding(bytes), TextEncoding::Windows1252);
    }

    #[test]
    fn text_that_says_utf8_is_utf8() {
        let text = "---\nWeekendInfo:\n Encoding: UTF8\n TrackName: Spà €\n";
        assert_eq!(session_text(text.as_bytes()), text);
        assert_eq!(session_text_encoding(text.as_bytes()), TextEncoding::Utf8);
    }

    #[test]
    fn utf8_bytes_without_the_opening_are_windows_1252() {
        assert_eq!(session_text("é".as_bytes()), "Ã©");
    }

    #[test]
    fn text_that_is_not_the_utf8_it_says_is_still_read() {
        let bytes = b"---\nWeekendInfo:\n Encoding: UTF8\n TrackName: \xE9\n";
        assert!(session_text(bytes).ends_with("TrackName: é\n"));
        assert_eq!(session_text_encoding(bytes), TextEncoding::Windows1252);
    }

    #[test]
    fn no_bytes_are_no_text() {
        assert_eq!(session_text(b""), "");
        assert_eq!(session_text(b"\0rest"), "");
    }
}
