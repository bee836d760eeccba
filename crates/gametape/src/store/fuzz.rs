//! Entry point for fuzzing: parses all texts that come from outside, or from a database that other programs can write to.

use super::cursor::Cursor;
use super::packed::{conditions_of, flags_of, reasons_of, sectors_of, tags_of, times_of};
use super::session_upload::SessionUpload;
use super::track_facts;

/// Parses the bytes as each kind of text. Checks that a parsed cursor round-trips.
#[doc(hidden)]
pub fn fuzz_store_texts(bytes: &[u8]) {
    let text = String::from_utf8_lossy(bytes);
    let _ = (sectors_of(&text), reasons_of(&text), conditions_of(&text), tags_of(&text), track_facts::parse(&text));
    let _ = (times_of(&text), flags_of(&text));
    let _ = SessionUpload::unpack(&text);
    if let Some(cursor) = Cursor::parse(&text) {
        assert_eq!(Cursor::parse(&cursor.to_string()), Some(cursor));
    }
}
