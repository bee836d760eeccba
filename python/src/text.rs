//! Text channels as strings: up to the first NUL, as `gametape cat` prints them.

use gametape_format::ChannelType;
use gametape_format::read::Values;

/// Whether a channel of this type is text: one string per row, whatever its length.
pub(crate) fn is_text(kind: ChannelType) -> bool {
    matches!(kind, ChannelType::Char | ChannelType::Char16)
}

/// Calls `each` with the text of every row, and with whether it equals the text of the row before.
pub(crate) fn each_text(values: &Values, count: usize, mut each: impl FnMut(&str, bool)) {
    match values {
        Values::U8(bytes) => rows(bytes, count, &mut each, |row| {
            let end = row.iter().position(|byte| *byte == 0).unwrap_or(row.len());
            gametape::games::windows_1252_text(row.get(..end).unwrap_or_default())
        }),
        Values::U16(units) => rows(units, count, &mut each, |row| {
            let units = row.iter().copied().take_while(|unit| *unit != 0);
            char::decode_utf16(units).map(|unit| unit.unwrap_or(char::REPLACEMENT_CHARACTER)).collect()
        }),
        _ => {}
    }
}

fn rows<T: PartialEq>(all: &[T], count: usize, each: &mut impl FnMut(&str, bool), decode: impl Fn(&[T]) -> String) {
    let mut before: Option<&[T]> = None;
    let mut text = String::new();
    for row in all.chunks_exact(count.max(1)) {
        let same = before == Some(row);
        if !same {
            text = decode(row);
        }
        each(&text, same);
        before = Some(row);
    }
}
