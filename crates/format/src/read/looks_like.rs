//! Identifies a file that is not a tape, so that the error can tell what to do with it.

/// Returns what the first bytes of a file look like.
pub(crate) fn looks_like(start: &[u8]) -> &'static str {
    const KNOWN: &[(usize, &[u8], &str)] = &[
        (0, b"\x89GTJRNL\n", "the journal of a tape (open the .gtape file beside it)"),
        (0, b"\x89MCAP0\r\n", "an MCAP file"),
        (0, b"PAR1", "a Parquet file"),
        (0, b"PK\x03\x04", "a zip archive (such as an .echoreplay file)"),
        (0, b"\x1f\x8b", "a gzip file"),
        (0, b"\x28\xb5\x2f\xfd", "a zstd stream (such as a .nevrcap or V2 .tape file)"),
        (0, b"\x04\x22\x4d\x18", "an LZ4 stream"),
        (0, b"SQLite format 3\0", "an SQLite database"),
        (0, b"\x89PNG", "a PNG picture"),
        (0, b"MZ", "a Windows program"),
        (0, b"\x7fELF", "a Linux program"),
        (0, b"%PDF", "a PDF document"),
        (0, b"\x40\0\0\0", "a MoTeC log (.ld)"),
    ];
    if start.is_empty() {
        return "an empty file";
    }
    for (at, magic, name) in KNOWN {
        if start.get(*at..*at + magic.len()) == Some(magic) {
            return name;
        }
    }
    if is_ibt(start) {
        return "an iRacing telemetry file (.ibt): run `gametape import` on it";
    }
    if start.iter().all(|byte| *byte == 0) {
        return "nothing but zeros";
    }
    match std::str::from_utf8(start) {
        Ok(text) if text.trim_start().starts_with(['{', '[']) => "JSON text",
        Ok(text) if text.contains(',') && text.contains('\n') => "a text table (CSV)",
        Ok(text) if !text.contains(|c: char| c.is_control() && !c.is_whitespace()) => "plain text",
        _ => "data of unknown type",
    }
}

/// Checks for version 1 or 2 and a tick rate used by iRacing.
fn is_ibt(start: &[u8]) -> bool {
    let number = |at: usize| start.get(at..at + 4).and_then(|b| b.try_into().ok()).map(u32::from_le_bytes);
    matches!(number(0), Some(1 | 2)) && matches!(number(8), Some(60 | 360)) && number(32) == Some(1)
}
