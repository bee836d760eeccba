//! Recorded games of Age of Empires II: a compressed header, then operations to the end of the file.
//!
//! ```text
//!  u32 end of header │ u32 0 │ deflate: "VER 9.x" NUL, f32 version │ u32 log version, 24 or 28 bytes │ operations …
//! ```

use std::io::Read;

use flate2::read::DeflateDecoder;

use super::{Bytes, Verdict};

/// Bytes of the compressed header that are needed for its first 16 bytes.
const PACKED_BYTES: u64 = 4096;
/// Since this version, the last operation is one with results.
const WITH_RESULTS: f64 = 37.0;

const ACTION: u32 = 1;
const SYNC: u32 = 2;
const VIEW: u32 = 3;
const CHAT: u32 = 4;
const RESULTS: u32 = 6;

/// Judges a recorded game by a walk over its operations.
pub(super) fn record(bytes: &Bytes<'_>) -> Verdict {
    let Some(header_end) = bytes.u32(0).map(u64::from) else { return Verdict::Missing("its header is cut off") };
    let Some(version) = save_version(bytes, header_end) else { return Verdict::Unknown };
    let Some(log) = bytes.u32(header_end) else { return Verdict::Missing("its header is cut off") };
    let mut at = match log {
        3 | 4 => header_end + 28,
        5 => header_end + 32,
        _ => return Verdict::Unknown,
    };
    while at < bytes.length() {
        let Some(operation) = bytes.u32(at) else { return CUT_OFF };
        if operation == RESULTS && version >= WITH_RESULTS {
            return Verdict::Whole;
        }
        if !(ACTION..=CHAT).contains(&operation) {
            return Verdict::Unknown;
        }
        match end_of(bytes, operation, at + 4) {
            Some(end) => at = end,
            None => return CUT_OFF,
        }
    }
    match (at == bytes.length(), version >= WITH_RESULTS) {
        (false, _) => CUT_OFF,
        (true, false) => Verdict::Whole,
        // The results are missing, as in a game that was left.
        (true, true) => Verdict::MayGrow,
    }
}

const CUT_OFF: Verdict = Verdict::Missing("it ends inside an operation: the game is still writing, or it crashed");

/// Returns the offset after an operation.
fn end_of(bytes: &Bytes<'_>, operation: u32, at: u64) -> Option<u64> {
    Some(match operation {
        ACTION => at + 8 + u64::from(bytes.u32(at)?),
        // Without a marker, a block with a checksum follows. Its length depends on the edition of the game.
        SYNC => match bytes.u32(at + 4) {
            None if at + 4 == bytes.length() => at + 4,
            Some(0) if bytes.u32(at + 20)? == 0 => at + 32,
            Some(0) => at + 364,
            Some(_) => at + 4,
            None => return None,
        },
        VIEW => at + 12,
        _ => at + 8 + u64::from(bytes.u32(at + 4)?),
    })
}

/// Returns the version of the game's saves. `None` if this is not a recorded game.
fn save_version(bytes: &Bytes<'_>, header_end: u64) -> Option<f64> {
    let packed_bytes = header_end.min(bytes.length()).checked_sub(8)?.min(PACKED_BYTES);
    let packed = bytes.vec(8, packed_bytes, PACKED_BYTES as usize)?;
    let mut start = [0; 16];
    DeflateDecoder::new(packed.as_slice()).read_exact(&mut start).ok()?;
    let [name @ .., _, _, _, _, _, _, _, _] = start;
    let [_, _, _, _, _, _, _, _, a, b, c, d, e, f, g, h] = start;
    if !name.starts_with(b"VER 9.") {
        return None;
    }
    let version = f32::from_le_bytes([a, b, c, d]);
    #[allow(clippy::float_cmp, reason = "a mark, not a measurement")]
    let elsewhere = version == -1.0;
    Some(match (elsewhere, u32::from_le_bytes([e, f, g, h])) {
        (false, _) => f64::from(version),
        (true, 37) => 37.0,
        (true, scaled) => f64::from(scaled) / 65536.0,
    })
}
