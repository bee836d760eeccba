//! Replays of League of Legends (`.rofl`). Until 2024, the length of the file is in its header; since then, the facts of the match are
//! JSON at the end, with the length behind it.

use serde_json::Value;

use super::{Bytes, Verdict};

/// Longest facts of a match. Real ones have about 100 kB.
const MAX_JSON_BYTES: usize = 4 << 20;
/// Nothing of the JSON is in the first bytes of the file.
const HEADER_BYTES: u64 = 15;

/// Judges a replay.
pub(super) fn replay(bytes: &Bytes<'_>) -> Verdict {
    match bytes.u16(4) {
        None => Verdict::Missing("its header is cut off"),
        Some(0) => first_version(bytes),
        Some(2) => second_version(bytes),
        Some(_) => Verdict::Unknown,
    }
}

fn first_version(bytes: &Bytes<'_>) -> Verdict {
    match bytes.u32(264).map(u64::from) {
        Some(length) if length == bytes.length() => Verdict::Whole,
        Some(length) if length > 0 && length < bytes.length() => Verdict::Unknown,
        _ => Verdict::Missing("the file is shorter than its header says"),
    }
}

fn second_version(bytes: &Bytes<'_>) -> Verdict {
    let json = || {
        let end = bytes.length().checked_sub(4)?;
        let length = u64::from(bytes.u32(end)?);
        let start = end.checked_sub(length).filter(|start| *start >= HEADER_BYTES)?;
        bytes.vec(start, length, MAX_JSON_BYTES)
    };
    let facts = json().and_then(|json| serde_json::from_slice::<Value>(&json).ok());
    if facts.is_some_and(|facts| facts.is_object()) {
        Verdict::Whole
    } else {
        Verdict::Missing("its facts of the match are missing")
    }
}
