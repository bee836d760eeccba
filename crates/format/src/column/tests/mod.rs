//! Round trips and damage.

#![allow(clippy::unwrap_used)]

mod damage;
mod properties;
mod round_trip;

use super::*;

/// A small deterministic pseudo-random number generator.
pub(super) struct Noise(pub(super) u64);

impl Noise {
    pub(super) fn next(&mut self) -> u64 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        self.0
    }
}

/// Block lengths at which the coding changes: lanes, tables, samples, fixed widths.
pub(super) const LENGTHS: [usize; 13] = [1, 2, 3, 5, 9, 12, 13, 60, 255, 256, 257, 769, 1024];

/// Columns of the given widths and types, back to back.
pub(super) fn layout(kinds: &[(u8, bool)]) -> (Vec<Column>, usize) {
    let mut offset = 0;
    let columns = kinds
        .iter()
        .map(|&(width, float)| {
            let column = Column { offset, width, float };
            offset += u32::from(width);
            column
        })
        .collect();
    (columns, offset as usize)
}

/// Assembles rows from columns of bit patterns.
pub(super) fn rows_of(columns: &[Column], row_bytes: usize, values: &[Vec<u64>]) -> Vec<u8> {
    let count = values[0].len();
    let mut rows = vec![0; count * row_bytes];
    for (column, values) in columns.iter().zip(values) {
        for (row, value) in rows.chunks_exact_mut(row_bytes).zip(values) {
            row[column.range()].copy_from_slice(&value.to_le_bytes()[..column.width as usize]);
        }
    }
    rows
}

/// Encodes; decodes whole rows, the times and every column on its own; compares. Returns the payload and the length of its head.
pub(super) fn round_trip(columns: &[Column], row_bytes: usize, times: &[u64], rows: &[u8]) -> (Vec<u8>, usize) {
    let mut payload = Vec::new();
    let head_len = BlockEncoder::new().encode(columns, row_bytes, times, rows, &mut payload).unwrap();
    let head = BlockHead::parse(&payload[..head_len], columns, times.len(), payload.len()).unwrap();
    let mut decoder = BlockDecoder::new();
    let mut out = vec![0xa5; rows.len()];
    decoder.decode_rows(&head, columns, row_bytes, &payload, &mut out).unwrap();
    assert!(out == rows, "rows differ");
    let mut decoded = Vec::new();
    decode_times(&head, &payload[head.times_range()], &mut decoded).unwrap();
    assert_eq!(decoded, times);
    for (index, column) in columns.iter().enumerate() {
        let values = decode_alone(&mut decoder, &head, columns, index, &payload);
        let expected: Vec<u64> = rows.chunks_exact(row_bytes).map(|row| pattern(&row[column.range()])).collect();
        assert!(values == expected, "column {index} differs");
    }
    (payload, head_len)
}

fn pattern(bytes: &[u8]) -> u64 {
    bytes.iter().rev().fold(0, |value, &byte| value << 8 | u64::from(byte))
}

fn decode_alone(
    decoder: &mut BlockDecoder,
    head: &BlockHead,
    columns: &[Column],
    index: usize,
    payload: &[u8],
) -> Vec<u64> {
    let reference = head.reference(index).map(|other| decode_alone(decoder, head, columns, other, payload));
    let mut values = Vec::new();
    let body = &payload[head.body_range(index)];
    decoder.decode_column(head, columns, index, body, reference.as_deref(), &mut values).unwrap();
    values
}

/// Times at 60 Hz.
pub(super) fn steady(count: usize) -> Vec<u64> {
    (0..count as u64).map(|row| row * 16_666_667).collect()
}

/// Bit patterns of `f32` values.
pub(super) fn singles(count: usize, f: impl Fn(usize) -> f32) -> Vec<u64> {
    (0..count).map(|row| u64::from(f(row).to_bits())).collect()
}
