//! Replays and ghosts of Trackmania and ManiaPlanet (`.Gbx`): a header with chunks, then a packed body.
//!
//! ```text
//!  "GBX" │ u16 version │ 4 letters │ u32 class │ u32 header length, header │ u32 nodes │ u32 references │ u32 plain, u32 packed, bytes
//! ```

use super::{Bytes, Verdict};

/// Judges a file. The end of the body is known if it is packed and refers to no other file.
pub(super) fn gbx(bytes: &Bytes<'_>) -> Verdict {
    if bytes.u16(3) != Some(6) {
        return Verdict::Unknown;
    }
    let (Some(letters), Some(header)) = (bytes.array::<4>(5), bytes.u32(13)) else { return CUT_OFF };
    let body = 17 + u64::from(header);
    let Some(references) = bytes.u32(body + 4) else { return CUT_OFF };
    let [_, _, packing, _] = letters;
    if packing != b'C' || references > 0 {
        return Verdict::Unknown;
    }
    match bytes.u32(body + 12) {
        Some(length) if bytes.has(body + 16, u64::from(length)) => Verdict::Whole,
        _ => CUT_OFF,
    }
}

const CUT_OFF: Verdict = Verdict::Missing("the file is shorter than its header says");
