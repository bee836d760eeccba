//! Writes index pages; `crate::index` reads them.

use crate::column::encode_integers;
use crate::index::BlockEntry;
use crate::pack;
use crate::ranges::{self, EMPTY, Range, Slot};

/// Up to this many blocks, ranges are stored inline in the packed head: separate runs would cost more than they save.
const INLINE_BLOCKS: usize = 16;

/// Encodes a page: appends the payload to `out` and returns the length of its head. `values` holds one range per block for each slot.
pub(crate) fn encode_page(entries: &[BlockEntry], slots: &[Slot], values: &[Vec<Range>], out: &mut Vec<u8>) -> usize {
    let mut head = Vec::new();
    let mut runs = Vec::new();
    let columns: [&dyn Fn(&BlockEntry) -> u64; 7] = [
        &|e| e.offset,
        &|e| e.record_bytes,
        &|e| e.first_seq,
        &|e| u64::from(e.rows),
        &|e| e.first_ns,
        &|e| e.last_ns,
        &|e| u64::from(e.raw_bytes),
    ];
    for column in columns {
        put_integers(&mut head, entries.iter().map(column));
    }
    head.extend_from_slice(&(slots.len() as u32).to_le_bytes());
    for (slot, ranges) in slots.iter().zip(values) {
        put_slot(*slot, ranges, &mut head, &mut runs);
    }
    let start = out.len();
    pack::pack_table(&head, out);
    let head_bytes = out.len() - start;
    out.extend_from_slice(&runs);
    head_bytes
}

fn put_integers(out: &mut Vec<u8>, values: impl Iterator<Item = u64>) {
    let values: Vec<u64> = values.collect();
    let at = out.len();
    out.extend_from_slice(&[0; 4]);
    encode_integers(&values, out);
    let length = (out.len() - at - 4) as u32;
    if let Some(room) = out.get_mut(at..at + 4) {
        room.copy_from_slice(&length.to_le_bytes());
    }
}

fn put_slot(slot: Slot, ranges: &[Range], head: &mut Vec<u8>, runs: &mut Vec<u8>) {
    let width = slot.kind.width();
    let mask = ranges::mask(slot.kind);
    let put = |out: &mut Vec<u8>, value: u64| out.extend((value & mask).to_le_bytes().iter().take(width));
    let first = ranges.first().copied().unwrap_or(EMPTY);
    if ranges.iter().all(|range| range.is_empty()) {
        head.push(0);
    } else if ranges.iter().all(|range| *range == first && range.min == range.max) {
        head.push(1);
        put(head, first.min);
    } else if ranges.len() <= INLINE_BLOCKS {
        head.push(2);
        ranges.iter().for_each(|range| put(head, range.min));
        ranges.iter().for_each(|range| put(head, range.max));
    } else {
        let start = runs.len();
        put_integers(runs, ranges.iter().map(|range| range.min & mask));
        put_integers(runs, ranges.iter().map(|range| range.max));
        let run = runs.get(start..).unwrap_or_default();
        head.push(3);
        head.extend_from_slice(&(run.len() as u32).to_le_bytes());
        head.extend_from_slice(&crc32c::crc32c(run).to_le_bytes());
    }
}
