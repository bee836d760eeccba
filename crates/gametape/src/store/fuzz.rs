//! For tests that break bytes: reads all texts that come from outside, or from a database that others can write to.

use super::cursor::Cursor;
use super::packed::{conditions_of, reasons_of, sectors_of, tags_of};
use super::parcel::Parcel;
use super::track_facts;

/// Reads the bytes as each kind of text. A cursor that is read is written the same again.
#[doc(hidden)]
pub fn fuzz_store_texts(bytes: &[u8]) {
    let text = String::from_utf8_lossy(bytes);
    let _ = (sectors_of(&text), reasons_of(&text), conditions_of(&text), tags_of(&text), track_facts::parse(&text));
    let _ = Parcel::unpack(&text);
    if let Some(cursor) = Cursor::parse(&text) {
        assert_eq!(Cursor::parse(&cursor.to_string()), Some(cursor));
    }
}
