//! Index pages: the location of a stream's blocks and the value ranges of their channels (docs/format.md, section 7).

use crate::column::IntegerDecoder;
use crate::cursor::{Cursor, Malformed, within};
use crate::limits;
use crate::pack;
use crate::ranges::{EMPTY, Range, Slot};
use crate::record::RecordHeader;

/// The index entry of a block.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(crate) struct BlockEntry {
    pub(crate) offset: u64,
    pub(crate) record_bytes: u64,
    pub(crate) first_seq: u64,
    pub(crate) rows: u32,
    pub(crate) first_ns: u64,
    pub(crate) last_ns: u64,
    pub(crate) raw_bytes: u32,
}

impl BlockEntry {
    pub(crate) fn of(header: &RecordHeader) -> Self {
        Self {
            offset: header.offset,
            record_bytes: header.record_bytes(),
            first_seq: header.first_seq,
            rows: header.rows,
            first_ns: header.first_ns,
            last_ns: header.last_ns,
            raw_bytes: header.raw_bytes,
        }
    }

    pub(crate) fn end_seq(&self) -> u64 {
        self.first_seq.saturating_add(u64::from(self.rows))
    }
}

/// Where the ranges of one slot are stored.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum SlotRanges {
    /// The same range for all blocks.
    Same(Range),
    /// One range per block.
    Each(Vec<Range>),
    /// In a run after the head; `at` is an offset into the payload.
    Run { at: usize, bytes: usize, crc: u32 },
}

/// The parsed head of an index page.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub(crate) struct IndexPage {
    pub(crate) entries: Vec<BlockEntry>,
    /// The requested slot.
    pub(crate) slot: Option<SlotRanges>,
}

impl IndexPage {
    /// Parses the head of a page, whose checksum the caller has already checked: the blocks and, if requested, the
    /// ranges of the slot with this index among the stream's slots. Only one slot is read, because all slots of a
    /// hostile page would not fit into memory.
    pub(crate) fn parse(header: &RecordHeader, head: &[u8], slot: Option<(&[Slot], usize)>) -> Result<Self, Malformed> {
        let blocks = within("blocks of an index page", u64::from(header.rows), limits::PAGE_BLOCKS)?;
        let unpacked = pack::unpack(head, limits::HEAD_BYTES)?;
        let mut cursor = Cursor::new(&unpacked);
        let mut columns = Vec::with_capacity(7);
        let mut decoder = IntegerDecoder::default();
        for _ in 0..7 {
            columns.push(integers(&mut cursor, blocks, &mut decoder)?);
        }
        let entries = entries(&columns, header)?;
        let slot = match slot {
            Some((slots, wanted)) => find_slot(&mut cursor, slots, wanted, blocks, head.len())?,
            None => None,
        };
        Ok(Self { entries, slot })
    }
}

fn integers(cursor: &mut Cursor<'_>, count: usize, decoder: &mut IntegerDecoder) -> Result<Vec<u64>, Malformed> {
    let mut values = Vec::new();
    decoder.decode(cursor.section("integers of an index page")?, count, &mut values)?;
    Ok(values)
}

fn entries(columns: &[Vec<u64>], page: &RecordHeader) -> Result<Vec<BlockEntry>, Malformed> {
    let [offsets, lengths, seqs, rows, firsts, lasts, raws] = columns else {
        return Err(Malformed::Value { what: "columns of an index page", found: columns.len() as u64 });
    };
    let mut entries = Vec::with_capacity(offsets.len());
    let mut before: Option<BlockEntry> = None;
    for (i, offset) in offsets.iter().enumerate() {
        let at = |column: &[u64]| column.get(i).copied().unwrap_or_default();
        let record_bytes = at(lengths);
        let limit = (limits::PAYLOAD_BYTES + crate::record::HEADER_BYTES) as u64;
        within("block length", record_bytes, limit as usize)?;
        let entry = BlockEntry {
            offset: *offset,
            record_bytes,
            first_seq: at(seqs),
            rows: within("rows", at(rows), limits::BLOCK_ROWS)? as u32,
            first_ns: at(firsts),
            last_ns: at(lasts),
            raw_bytes: within("raw bytes", at(raws), limits::BLOCK_RAW_BYTES)? as u32,
        };
        let in_order = before.is_none_or(|b| {
            let behind = b.offset.saturating_add(b.record_bytes) <= entry.offset;
            behind && b.end_seq() <= entry.first_seq && b.last_ns <= entry.first_ns
        });
        let sound = entry.rows > 0 && entry.first_ns <= entry.last_ns && offset.checked_add(record_bytes).is_some();
        if !in_order || !sound || offset.saturating_add(record_bytes) > page.offset {
            return Err(Malformed::Value { what: "entry of an index page", found: i as u64 });
        }
        before = Some(entry);
        entries.push(entry);
    }
    Ok(entries)
}

fn find_slot(
    cursor: &mut Cursor<'_>,
    slots: &[Slot],
    wanted: usize,
    blocks: usize,
    head_bytes: usize,
) -> Result<Option<SlotRanges>, Malformed> {
    check_slot_count(cursor, slots)?;
    let mut run_at = head_bytes;
    for (number, slot) in slots.iter().enumerate() {
        let found = slot_ranges(cursor, *slot, blocks, &mut run_at, number == wanted)?;
        if number == wanted {
            return Ok(Some(found));
        }
    }
    Ok(None)
}

fn check_slot_count(cursor: &mut Cursor<'_>, slots: &[Slot]) -> Result<(), Malformed> {
    let count = cursor.u32("range slots")? as usize;
    if count != slots.len() {
        return Err(Malformed::Value { what: "number of range slots", found: count as u64 });
    }
    Ok(())
}

/// Reads one slot; decodes values stored in the head only if they are wanted.
fn slot_ranges(
    cursor: &mut Cursor<'_>,
    slot: Slot,
    blocks: usize,
    run_at: &mut usize,
    wanted: bool,
) -> Result<SlotRanges, Malformed> {
    let width = slot.kind.width();
    Ok(match cursor.u8("slot kind")? {
        0 => SlotRanges::Same(EMPTY),
        1 => {
            let value = mapped(cursor.bytes(width, "range value")?);
            SlotRanges::Same(Range { min: value, max: value })
        }
        2 => {
            let minima = cursor.bytes(blocks * width, "minima")?.chunks_exact(width);
            let maxima = cursor.bytes(blocks * width, "maxima")?.chunks_exact(width);
            let range = |(min, max)| Range { min: mapped(min), max: mapped(max) };
            SlotRanges::Each(minima.zip(maxima).filter(|_| wanted).map(range).collect())
        }
        3 => {
            let bytes = cursor.u32("run length")? as usize;
            let run = SlotRanges::Run { at: *run_at, bytes, crc: cursor.u32("run checksum")? };
            *run_at = run_at.saturating_add(bytes);
            run
        }
        coding => return Err(Malformed::UnknownCoding { what: "range slot kind", coding }),
    })
}

/// Returns the runs that follow the head of a page: the offset in the payload, length and checksum of each. Reads all slots.
pub(crate) fn page_runs(
    header: &RecordHeader,
    head: &[u8],
    slots: &[Slot],
) -> Result<Vec<(usize, usize, u32)>, Malformed> {
    let unpacked = pack::unpack(head, limits::HEAD_BYTES)?;
    let mut cursor = Cursor::new(&unpacked);
    for _ in 0..7 {
        cursor.section("integers of an index page")?;
    }
    check_slot_count(&mut cursor, slots)?;
    let mut runs = Vec::new();
    let mut run_at = head.len();
    for slot in slots {
        if let SlotRanges::Run { at, bytes, crc } =
            slot_ranges(&mut cursor, *slot, header.rows as usize, &mut run_at, false)?
        {
            runs.push((at, bytes, crc));
        }
    }
    Ok(runs)
}

fn mapped(bytes: &[u8]) -> u64 {
    bytes.iter().rev().fold(0, |number, byte| number << 8 | u64::from(*byte))
}

/// Decodes a run of ranges after checking its checksum.
pub(crate) fn parse_run(data: &[u8], crc: u32, blocks: usize) -> Result<Vec<Range>, Malformed> {
    if crc32c::crc32c(data) != crc {
        return Err(Malformed::Checksum { what: "a run of ranges" });
    }
    let mut cursor = Cursor::new(data);
    let mut decoder = IntegerDecoder::default();
    let minima = integers(&mut cursor, blocks, &mut decoder)?;
    let maxima = integers(&mut cursor, blocks, &mut decoder)?;
    Ok(minima.into_iter().zip(maxima).map(|(min, max)| Range { min, max }).collect())
}
