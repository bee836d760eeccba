//! GamesDat's record format, also used for the plain zstd stream.
//!
//! ```text
//! i64 ticks (100 ns) | i32 payload bytes | payload
//! ```

use std::io::{ErrorKind, Read, Write};

use anyhow::{Result, ensure};

use crate::data::StreamFrames;
use crate::data::bytes::{f32_at, i32_at, u64_at};

/// Length of the record header.
const HEAD_BYTES: usize = 12;
/// Nanoseconds per tick.
pub(crate) const TICK_NS: u64 = 100;
/// Ticks from the year 1 to the start of the recording: an arbitrary moment in this century.
const START_TICKS: u64 = 638_400_000_000_000_000;

/// Writes all frames of a stream, record by record.
pub(crate) fn write_all(frames: &StreamFrames, row_bytes: usize, to: &mut impl Write) -> Result<()> {
    let payload_bytes = i32::try_from(row_bytes)?.to_le_bytes();
    let mut record = Vec::with_capacity(HEAD_BYTES + row_bytes);
    for (row, time_ns) in frames.rows.chunks_exact(row_bytes).zip(&frames.times_ns) {
        record.clear();
        record.extend((START_TICKS + time_ns / TICK_NS).to_le_bytes());
        record.extend(payload_bytes);
        record.extend_from_slice(row);
        to.write_all(&record)?;
    }
    Ok(())
}

/// Fills the buffer. Returns `false` if the input ends before the first byte.
fn fill(from: &mut impl Read, buffer: &mut [u8]) -> Result<bool> {
    let mut filled = 0;
    while let Some(rest) = buffer.get_mut(filled..).filter(|rest| !rest.is_empty()) {
        match from.read(rest) {
            Ok(0) => break,
            Ok(n) => filled += n,
            Err(error) if error.kind() == ErrorKind::Interrupted => {}
            Err(error) => return Err(error.into()),
        }
    }
    ensure!(filled == 0 || filled == buffer.len(), "the last record is truncated");
    Ok(filled != 0)
}

/// Calls `take` with the time and payload of each record.
fn for_each(mut from: impl Read, row_bytes: usize, mut take: impl FnMut(u64, &[u8])) -> Result<()> {
    let mut record = vec![0; HEAD_BYTES + row_bytes];
    while fill(&mut from, &mut record)? {
        ensure!(usize::try_from(i32_at(&record, 8)) == Ok(row_bytes), "a record has an unexpected size");
        let ticks = u64_at(&record, 0).saturating_sub(START_TICKS);
        take(ticks * TICK_NS, record.get(HEAD_BYTES..).unwrap_or_default());
    }
    Ok(())
}

/// Reads all records.
pub(crate) fn read_all(from: impl Read, row_bytes: usize) -> Result<StreamFrames> {
    let mut frames = StreamFrames::default();
    for_each(from, row_bytes, |time_ns, payload| {
        frames.times_ns.push(time_ns);
        frames.rows.extend_from_slice(payload);
    })?;
    Ok(frames)
}

/// Reads all records and returns one float of each.
pub(crate) fn read_channel(from: impl Read, row_bytes: usize, offset: usize) -> Result<Vec<f32>> {
    let mut values = Vec::new();
    for_each(from, row_bytes, |_, payload| values.push(f32_at(payload, offset)))?;
    Ok(values)
}
