//! Fuzzing entry points: every decoder on arbitrary bytes.

use super::body::{self, ReferenceUse};
use super::residuals::Scratch;
use super::runs;
use super::{BlockDecoder, BlockHead, Column, decode_integers, decode_times};

/// Parses arbitrary bytes as columns, head and bodies. Nothing may panic.
pub fn fuzz_block(data: &[u8]) {
    let Some((&[rows, rows_high, count, head_low, head_high], rest)) = data.split_first_chunk::<5>() else { return };
    let rows = usize::from(rows) | usize::from(rows_high & 7) << 8;
    let Some((kinds, payload)) = rest.split_at_checked(usize::from(count & 31)) else { return };
    let mut columns = Vec::new();
    let mut offset = 0;
    for kind in kinds {
        let width = 1 << (kind & 3);
        columns.push(Column { offset, width, float: kind & 4 != 0 });
        offset += u32::from(width);
    }
    fuzz_body(payload, rows);
    let head_len = usize::from(u16::from_le_bytes([head_low, head_high])).min(payload.len());
    let Some(head) = payload.get(..head_len) else { return };
    let Ok(head) = BlockHead::parse(head, &columns, rows, payload.len()) else { return };
    let mut decoder = BlockDecoder::new();
    let mut values = Vec::new();
    let _ = decode_times(&head, payload.get(head.times_range()).unwrap_or_default(), &mut values);
    for column in 0..columns.len() {
        let mut other = Vec::new();
        let reference = head.reference(column).and_then(|index| {
            let body = payload.get(head.body_range(index)).unwrap_or_default();
            decoder.decode_column(&head, &columns, index, body, None, &mut other).ok()
        });
        let body = payload.get(head.body_range(column)).unwrap_or_default();
        values.clear();
        let reference = reference.map(|()| other.as_slice());
        let _ = decoder.decode_column(&head, &columns, column, body, reference, &mut values);
    }
    let mut out = vec![0; rows * offset as usize];
    let _ = decoder.decode_rows(&head, &columns, offset as usize, payload, &mut out);
}

/// Decodes arbitrary bytes as a body of every kind, without a checksum in the way.
pub(super) fn fuzz_body(bytes: &[u8], rows: usize) {
    let mut scratch = Scratch::default();
    let (mut narrow, mut wide) = (vec![0u32; rows], vec![0u64; rows]);
    let floats = || (0..rows).map(|row| row as f64 * 0.1);
    let reference_use = |offset, slope| Some(ReferenceUse { offset, slope });
    for reference_use in [None, reference_use(false, false), reference_use(true, false), reference_use(true, true)] {
        let _ = body::decode(bytes, reference_use, true, floats(), &mut scratch, &mut Vec::new(), &mut narrow);
        let _ = body::decode(bytes, reference_use, true, floats(), &mut scratch, &mut Vec::new(), &mut wide);
    }
    for bits in [8, 16, 32] {
        let _ = runs::decode(bytes, bits, &mut narrow);
    }
    let _ = runs::decode(bytes, 64, &mut wide);
}

/// Decodes arbitrary bytes as a sequence of integers. Nothing may panic.
pub fn fuzz_integers(data: &[u8]) {
    let Some((&[low, high], bytes)) = data.split_first_chunk::<2>() else { return };
    let count = usize::from(u16::from_le_bytes([low, high]));
    let _ = decode_integers(bytes, count, &mut Vec::new());
}
