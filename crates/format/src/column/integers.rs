//! Standalone sequences of 64-bit integers: times of a block, index pages.
//!
//! They are coded like the body of a predicted column of width 8 without a reference.

use super::body;
use super::head::BlockHead;
use super::residuals::Scratch;
use super::{ColumnError, MAX_ROWS};

/// Encodes `values` and appends them to `out`. The count is not stored and must be passed to [`decode_integers`].
#[cfg(feature = "write")]
pub fn encode_integers(values: &[u64], out: &mut Vec<u8>) {
    super::plan::Planner::default().encode_integers(values, out);
}

/// Decodes `count` integers from all of `bytes` and appends them to `out`. Allocates memory for `count` integers.
pub fn decode_integers(bytes: &[u8], count: usize, out: &mut Vec<u64>) -> Result<(), ColumnError> {
    IntegerDecoder::default().decode(bytes, count, out)
}

/// Decodes sequences of integers; keeps its buffers between calls.
#[derive(Default)]
pub(crate) struct IntegerDecoder(Scratch);

impl IntegerDecoder {
    /// See [`decode_integers`].
    pub(crate) fn decode(&mut self, bytes: &[u8], count: usize, out: &mut Vec<u64>) -> Result<(), ColumnError> {
        let start = out.len();
        out.resize(start + count, 0);
        let room = out.get_mut(start..).unwrap_or_default();
        let decoded = body::decode(bytes, None, false, std::iter::empty(), &mut self.0, &mut Vec::new(), room);
        if decoded.is_err() {
            out.truncate(start);
        }
        decoded
    }
}

/// Decodes the times of a block, in nanoseconds since its first row and never decreasing, and appends them to `out`.
/// `body` is the part of the payload at [`BlockHead::times_range`].
pub fn decode_times(head: &BlockHead, body: &[u8], out: &mut Vec<u64>) -> Result<(), ColumnError> {
    head.times().verify(body, "times")?;
    let start = out.len();
    decode_integers(body, head.rows().min(MAX_ROWS), out)?;
    let times = out.get(start..).unwrap_or_default();
    if times.first() != Some(&0) || !times.is_sorted() {
        out.truncate(start);
        return Err(ColumnError::Damaged { what: "order of times" });
    }
    Ok(())
}
