//! Demos of Counter-Strike 2 and Dota 2: `PBDEMS2`, NUL, `u32` offset of the last frame, which has the facts of the match.

use super::{Bytes, Verdict};

/// Command of the frame with the facts.
const FILE_INFO: u64 = 2;
/// Flag of a command: its payload is compressed.
const COMPRESSED: u64 = 64;

/// Judges a demo. The offset is written when the recording ends.
pub(super) fn demo(bytes: &Bytes<'_>) -> Verdict {
    match bytes.u32(8) {
        None => Verdict::Missing("its header is cut off"),
        Some(0) => Verdict::Missing("the game is still recording, or the recording was aborted"),
        Some(at) if u64::from(at) >= bytes.length() => Verdict::Missing("the file is shorter than its header says"),
        Some(at) => last_frame(bytes, u64::from(at)),
    }
}

fn last_frame(bytes: &Bytes<'_>, at: u64) -> Verdict {
    let frame = bytes.varint(at).and_then(|(command, at)| {
        let (_tick, at) = bytes.varint(at)?;
        let (length, at) = bytes.varint(at)?;
        Some((command & !COMPRESSED, bytes.has(at, length)))
    });
    match frame {
        Some((FILE_INFO, true)) => Verdict::Whole,
        Some((FILE_INFO, false)) | None => Verdict::Missing("its last frame is cut off"),
        Some(_) => Verdict::Unknown,
    }
}
