//! Replays of osu! (`.osr`): fields without a magic number, then the packed frames, then the online id.

use super::{Bytes, Verdict};

/// Since this version, osu!lazer adds a block with the score.
const WITH_SCORE: u32 = 30_000_001;
/// Longest text: the life bar has a few kilobytes.
const MAX_TEXT: u64 = 16 << 20;

/// Judges a replay.
pub(super) fn replay(bytes: &Bytes<'_>) -> Verdict {
    let (Some(mode), Some(version)) = (bytes.u8(0), bytes.u32(1)) else { return CUT_OFF };
    if mode > 3 {
        return Verdict::Unknown;
    }
    match frames_end(bytes) {
        Err(verdict) => verdict,
        Ok(end) if !bytes.has(0, end) => CUT_OFF,
        Ok(end) => match (bytes.length() - end, version >= WITH_SCORE) {
            (8, false) | (4, false) => Verdict::Whole,
            (left, true) if left >= 12 => score(bytes, end + 8),
            (0..8, _) | (8..12, true) => CUT_OFF,
            _ => Verdict::Unknown,
        },
    }
}

const CUT_OFF: Verdict = Verdict::Missing("it is cut off");

/// Returns the offset after the packed frames.
fn frames_end(bytes: &Bytes<'_>) -> Result<u64, Verdict> {
    let mut at = 5;
    for _ in 0..3 {
        at = text_end(bytes, at)?;
    }
    // Six counts, score, combo, perfect, mods.
    at = text_end(bytes, at + 12 + 4 + 2 + 1 + 4)?;
    at += 8;
    match bytes.i32(at).map(u64::try_from) {
        None => Err(CUT_OFF),
        Some(Err(_)) => Err(Verdict::Unknown),
        Some(Ok(length)) => Ok(at + 4 + length),
    }
}

fn score(bytes: &Bytes<'_>, at: u64) -> Verdict {
    match bytes.i32(at).map(u64::try_from) {
        Some(Ok(length)) if at + 4 + length == bytes.length() => Verdict::Whole,
        Some(Ok(length)) if bytes.has(at + 4, length) => Verdict::Unknown,
        Some(Ok(_)) | None => CUT_OFF,
        Some(Err(_)) => Verdict::Unknown,
    }
}

/// Returns the offset after a text: 0 if it is absent, or 11, the length as a varint, and the bytes.
fn text_end(bytes: &Bytes<'_>, at: u64) -> Result<u64, Verdict> {
    match bytes.u8(at) {
        None => Err(CUT_OFF),
        Some(0) => Ok(at + 1),
        Some(0x0b) => match bytes.varint(at + 1) {
            Some((length, start)) if length <= MAX_TEXT => Ok(start + length),
            Some(_) => Err(Verdict::Unknown),
            None => Err(CUT_OFF),
        },
        Some(_) => Err(Verdict::Unknown),
    }
}
