//! Fuzzing entry point.

use super::decode::{Rendered, decode, decode_row};
use crate::column::BlockDecoder;
use crate::limits;

/// Decodes bytes as the payload of a block: the first two bytes are the number of rows, the next three the number of raw bytes.
pub fn fuzz_json_block(data: &[u8]) {
    let Some((&[low, high, a, b, c], payload)) = data.split_first_chunk::<5>() else { return };
    let rows = usize::from(u16::from_le_bytes([low, high])).clamp(1, limits::BLOCK_ROWS);
    let raw_bytes = u32::from_le_bytes([a, b, c, 0]) as usize;
    let (mut times, mut text, mut ends) = (Vec::new(), Vec::new(), Vec::new());
    let to = Rendered { times: &mut times, data: &mut text, ends: &mut ends };
    let decoded = decode(payload, rows, raw_bytes, &mut BlockDecoder::new(), to);
    if decoded.is_ok() {
        assert_eq!(ends.len(), rows, "every row has an end");
        assert!(text.len() <= raw_bytes, "no more than the declared size");
    }
    let row = rows / 2;
    let one = decode_row(payload, rows, raw_bytes, &mut BlockDecoder::new(), &mut Vec::new(), |_| Some(row));
    if decoded.is_ok() {
        let start = row.checked_sub(1).and_then(|before| ends.get(before)).map_or(0, |end| *end as usize);
        let frame = text.get(start..ends.get(row).map_or(0, |end| *end as usize)).unwrap_or_default();
        assert!(matches!(one, Ok(Some((_, one))) if one == frame), "the same frame when decoded alone");
    }
    write_again(data);
}

/// Also encodes the same bytes as frames and checks that they round-trip.
#[cfg(feature = "write")]
fn write_again(data: &[u8]) {
    use crate::block::Block;
    let mut block = Block::default();
    block.clear(0, 0);
    for (row, frame) in data.split(|byte| *byte == b'\n').cycle().take(32).enumerate() {
        block.push(row as u64, frame);
    }
    let times: Vec<u64> = (0..32).collect();
    let mut payload = Vec::new();
    if super::TextEncoder::default().encode(&block, &times, &mut payload) {
        let (mut times, mut text, mut ends) = (Vec::new(), Vec::new(), Vec::new());
        let to = Rendered { times: &mut times, data: &mut text, ends: &mut ends };
        let decoded = decode(&payload, block.rows(), block.raw_bytes(), &mut BlockDecoder::new(), to);
        assert!(decoded.is_ok(), "encoded frames decode: {decoded:?}");
        assert!(text == block.data(), "equal bytes");
    }
}

#[cfg(not(feature = "write"))]
fn write_again(_: &[u8]) {}
