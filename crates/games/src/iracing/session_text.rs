//! The session text: bytes to `String`.
//!
//! The game writes Windows-1252, and UTF-8 only where the text says so in its third line. The bytes themselves are the
//! caller's to keep; this is for reading them.
use crate::text::windows_1252_text;

/// How a text that is UTF-8 begins.
const UTF8_OPENING: &[u8] = b"---\nWeekendInfo:\n Encoding: UTF8";

/// What the bytes of a session text are.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum TextEncoding {
    /// The text says that it is UTF-8, and it is.
    Utf8,
    /// Everything else.
    Windows1252,
}

/// Which encoding [`session_text`] uses for these bytes.
#[must_use]
pub fn session_text_encoding(bytes: &[u8]) -> TextEncoding {
    if utf8(until_nul(bytes)).is_some() { TextEncoding::Utf8 } else { TextEncoding::Windows1252 }
}

/// The bytes of the text in an array or memory that is NUL padded.
#[must_use]
pub fn session_text_bytes(padded: &[u8]) -> &[u8] {
    until_nul(padded)
}

/// The text up to the first NUL. A text that says it is UTF-8 but is not is read as Windows-1252: that loses nothing.
#[must_use]
pub fn session_text(bytes: &[u8]) -> String {
    let bytes = until_nul(bytes);
    utf8(bytes).map_or_else(|| windows_1252_text(bytes), str::to_owned)
}

fn utf8(bytes: &[u8]) -> Option<&str> {
    if bytes.starts_with(UTF8_OPENING) { str::from_utf8(bytes).ok() } else { None }
}

/// Text arrays are NUL padded.
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
