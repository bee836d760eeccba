//! Rounds of Rainbow Six Siege (`.rec`): a plain header since season Y8S4, then zstd frames with other bytes between them.
//!
//! Frames are walked by their block headers, without decompression: a frame that is cut off ends before its last block.
//!
//! ```text
//!  magic 28 B5 2F FD │ descriptor │ window, dictionary, length │ blocks: u24 { last:1 kind:2 length:21 } bytes … │ checksum
//! ```

use super::{Bytes, Verdict};

/// First bytes of a zstd frame.
pub(super) const ZSTD: [u8; 4] = [0x28, 0xb5, 0x2f, 0xfd];
/// Largest file that is searched. A round has a few megabytes.
const MAX_BYTES: u64 = 512 << 20;
/// Largest block of a frame.
const MAX_BLOCK: u64 = 128 << 10;
/// Maximum number of blocks, including those of bytes that only look like frames: they may be nested, so that a walk without a limit would
/// take quadratic time.
const MAX_BLOCKS: u64 = 20_000_000;

/// A zstd frame at some offset.
enum Frame {
    /// It ends before this offset.
    Until(u64),
    CutOff,
    /// The bytes only look like the beginning of a frame.
    None,
}

/// Judges a round: it is whole if its last frame is.
pub(super) fn round(bytes: &Bytes<'_>) -> Verdict {
    if bytes.length() > MAX_BYTES {
        return Verdict::Unknown;
    }
    let (mut at, mut frames, mut blocks) = (0, 0_u64, 0);
    while let Some(start) = bytes.array::<4>(at) {
        if start == ZSTD {
            match frame(bytes, at, &mut blocks) {
                Frame::Until(end) => {
                    frames += 1;
                    at = end;
                    continue;
                }
                _ if blocks > MAX_BLOCKS => return Verdict::Unknown,
                Frame::CutOff => return Verdict::Missing("its last part is cut off"),
                Frame::None => {}
            }
        }
        at += 1;
    }
    if frames > 0 { Verdict::Whole } else { Verdict::Missing("it has a header only") }
}

fn frame(bytes: &Bytes<'_>, start: u64, blocks: &mut u64) -> Frame {
    let Some(descriptor) = bytes.u8(start + 4) else { return Frame::CutOff };
    // Reserved.
    if descriptor & 0x08 != 0 {
        return Frame::None;
    }
    let single_segment = descriptor & 0x20 != 0;
    let length_of_length = match descriptor >> 6 {
        0 => u64::from(single_segment),
        1 => 2,
        2 => 4,
        _ => 8,
    };
    let dictionary = match descriptor & 3 {
        3 => 4,
        length => u64::from(length),
    };
    let mut at = start + 5 + u64::from(!single_segment) + dictionary + length_of_length;
    loop {
        let Some([low, middle, high]) = bytes.array::<3>(at) else { return Frame::CutOff };
        let header = u32::from_le_bytes([low, middle, high, 0]);
        let (last, kind, length) = (header & 1 == 1, header >> 1 & 3, u64::from(header >> 3));
        *blocks += 1;
        if kind == 3 || length > MAX_BLOCK || *blocks > MAX_BLOCKS {
            return Frame::None;
        }
        // A block of the second kind is one byte, repeated.
        at += 3 + if kind == 1 { 1 } else { length };
        if last {
            let end = at + if descriptor & 0x04 != 0 { 4 } else { 0 };
            return if bytes.has(0, end) { Frame::Until(end) } else { Frame::CutOff };
        }
    }
}
