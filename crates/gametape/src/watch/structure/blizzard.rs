//! Replays of StarCraft II, which are MPQ archives behind a block of user data, and of Warcraft III.

use super::{Bytes, Verdict};

/// First bytes of a Warcraft III replay.
pub(super) const WARCRAFT_3_MAGIC: &[u8] = b"Warcraft III recorded game\x1a\0";

/// Judges a StarCraft II replay: the archive's length is in its header.
pub(super) fn starcraft_2(bytes: &Bytes<'_>) -> Verdict {
    let Some(header) = bytes.u32(8).map(u64::from) else { return Verdict::Missing("its header is cut off") };
    match (bytes.array::<4>(header), bytes.u32(header.saturating_add(8))) {
        (Some(magic), _) if &magic != b"MPQ\x1a" && magic != [0; 4] => Verdict::Unknown,
        (Some(_), Some(length)) if length > 0 && bytes.has(header, u64::from(length)) => Verdict::Whole,
        _ => Verdict::Missing("the file is shorter than its header says"),
    }
}

/// Judges a Warcraft III replay: the length of the file is in its header, and is 0 during the game.
pub(super) fn warcraft_3(bytes: &Bytes<'_>) -> Verdict {
    match bytes.u32(32).map(u64::from) {
        None => Verdict::Missing("its header is cut off"),
        Some(0) => Verdict::Missing("the game is still recording, or it crashed"),
        Some(length) if length == bytes.length() => Verdict::Whole,
        Some(length) if length > bytes.length() => Verdict::Missing("the file is shorter than its header says"),
        Some(_) => Verdict::Unknown,
    }
}
