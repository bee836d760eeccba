//! Telemetry of iRacing (`.ibt`): rows of equal length to the end of the file. Their number is written when the car leaves the track.

use super::{Bytes, Verdict};

/// Judges a file by its number of rows.
pub(super) fn telemetry(bytes: &Bytes<'_>) -> Verdict {
    if !matches!(bytes.i32(0), Some(1 | 2)) {
        return Verdict::Unknown;
    }
    let numbers = (bytes.i32(36), bytes.i32(52), bytes.i32(140));
    let (Some(row_bytes), Some(first), Some(rows)) = numbers else { return Verdict::Missing("its header is cut off") };
    if row_bytes <= 0 || first < 144 || rows < 0 {
        return Verdict::Unknown;
    }
    let length = u64::from(row_bytes.unsigned_abs()) * u64::from(rows.unsigned_abs());
    match (rows, bytes.has(u64::from(first.unsigned_abs()), length)) {
        (0, _) => Verdict::Missing("the game is still recording, or it crashed"),
        (_, true) => Verdict::Whole,
        (_, false) => Verdict::Missing("rows are missing"),
    }
}
