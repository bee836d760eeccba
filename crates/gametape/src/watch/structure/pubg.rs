//! `PUBG.replayinfo`, which describes a replay folder of PUBG: a string, `i32 length` and JSON.

use serde_json::Value;

use super::{Bytes, Verdict};

/// Longest description. Real ones have less than a kilobyte.
const MAX_BYTES: usize = 256 << 10;

/// Judges the description: the game says itself whether the replay is complete.
pub(super) fn info(bytes: &Bytes<'_>) -> Verdict {
    let Some(value) = parse(bytes) else { return Verdict::Missing("its description cannot be read") };
    let is = |name: &str| value.get(name).and_then(Value::as_bool) == Some(true);
    match (is("bIsLive"), is("bIncomplete")) {
        (true, _) => Verdict::Missing("the game is still recording, or it crashed"),
        (_, true) => Verdict::Missing("the game marked it as incomplete"),
        _ => Verdict::Whole,
    }
}

fn parse(bytes: &Bytes<'_>) -> Option<Value> {
    let count = bytes.i32(0)?;
    let length = u64::from(count.unsigned_abs()) * if count < 0 { 2 } else { 1 };
    let raw = bytes.vec(4, length, MAX_BYTES)?;
    let text = if count < 0 {
        let units: Vec<u16> =
            raw.chunks_exact(2).filter_map(|pair| pair.try_into().ok().map(u16::from_le_bytes)).collect();
        String::from_utf16(&units).ok()?
    } else {
        String::from_utf8_lossy(&raw).into_owned()
    };
    let value: Value = serde_json::from_str(text.trim_end_matches('\0')).ok()?;
    value.is_object().then_some(value)
}
