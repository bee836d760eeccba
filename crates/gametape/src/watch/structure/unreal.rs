//! Replays of games on Unreal Engine: Rocket League and Fortnite.

use super::{Bytes, Verdict};

/// First bytes of a Fortnite replay.
pub(super) const FORTNITE_MAGIC: [u8; 4] = 0x1ca2_e27f_u32.to_le_bytes();
/// Longest text of a header, in characters.
const MAX_TEXT: u64 = 4096;
/// Longest list of version numbers.
const MAX_VERSIONS: u64 = 10_000;

/// A Rocket League replay: two parts, each with `u32 length, u32 CRC` in front.
pub(super) fn rocket_league(bytes: &Bytes<'_>) -> Verdict {
    let end = bytes.u32(0).and_then(|header| {
        let content = u64::from(header) + 8;
        bytes.u32(content).map(|length| content + 8 + u64::from(length))
    });
    match end {
        Some(end) if end == bytes.length() => Verdict::Whole,
        Some(end) if end < bytes.length() => Verdict::Unknown,
        _ => Verdict::Missing("the file is shorter than its header says"),
    }
}

/// A Fortnite replay: a header with a flag of a running recording, then chunks `u32 kind, u32 length, bytes` to the end.
pub(super) fn fortnite(bytes: &Bytes<'_>) -> Verdict {
    let Some((live, mut at)) = fortnite_header(bytes) else { return Verdict::Missing("its header is cut off") };
    if live != 0 {
        return Verdict::Missing("the game is still recording, or it crashed");
    }
    while at < bytes.length() {
        let Some(length) = bytes.u32(at.saturating_add(4)) else {
            return Verdict::Missing("its last chunk is cut off");
        };
        at = at.saturating_add(8 + u64::from(length));
    }
    if at == bytes.length() { Verdict::Whole } else { Verdict::Missing("its last chunk is cut off") }
}

/// Returns the flag of a running recording, and the offset after the header.
fn fortnite_header(bytes: &Bytes<'_>) -> Option<(u32, u64)> {
    let version = bytes.u32(4)?;
    let mut at = 8;
    if version >= 7 {
        let count = u64::from(bytes.u32(at)?);
        at += 4 + 20 * Some(count).filter(|count| *count <= MAX_VERSIONS)?;
    }
    // Length in milliseconds, network version, changelist.
    at = text_end(bytes, at + 12)?;
    let live = bytes.u32(at)?;
    at += 4;
    if version >= 3 {
        at += 8;
    }
    if version >= 2 {
        at += 4;
    }
    if version >= 6 {
        at += 4;
        at += 4 + u64::from(bytes.u32(at)?);
    }
    bytes.has(0, at).then_some((live, at))
}

/// Returns the offset after a string: `i32` count, then that many bytes, or pairs of bytes if it is negative.
pub(super) fn text_end(bytes: &Bytes<'_>, at: u64) -> Option<u64> {
    let count = bytes.i32(at)?;
    let characters = Some(u64::from(count.unsigned_abs())).filter(|count| *count <= MAX_TEXT)?;
    let length = if count < 0 { 2 * characters } else { characters };
    Some(at + 4 + length)
}
