//! Blocks: encodes up to 1024 frames of a stream as one record payload, and decodes them (docs/format.md, section 5).
//!
//! `Block` holds frames, either collected for writing or decoded; `Sealer` encodes a block as a payload.

use crate::column::{self, Column};
use crate::cursor::{Cursor, Malformed};
use crate::json;
use crate::limits;
use crate::pack;
use crate::record::{RecordHeader, RecordKind};

/// The frames of one block.
#[derive(Debug, Clone, Default)]
pub(crate) struct Block {
    pub(crate) first_seq: u64,
    /// The absolute time of each frame.
    pub(crate) times: Vec<u64>,
    data: Vec<u8>,
    /// The end of each frame in `data`; empty if every frame has `frame_bytes` bytes.
    ends: Vec<u32>,
    frame_bytes: usize,
}

impl Block {
    pub(crate) fn rows(&self) -> usize {
        self.times.len()
    }

    pub(crate) fn end_seq(&self) -> u64 {
        self.first_seq + self.times.len() as u64
    }

    /// Returns the bytes of the frame at this index in the block.
    pub(crate) fn frame(&self, row: usize) -> &[u8] {
        let (start, end) = if self.ends.is_empty() {
            (row * self.frame_bytes, (row + 1) * self.frame_bytes)
        } else {
            let end = |row: usize| self.ends.get(row).map_or(0, |end| *end as usize);
            (row.checked_sub(1).map_or(0, end), end(row))
        };
        self.data.get(start..end).unwrap_or_default()
    }

    /// Empties the block for reuse; `frame_bytes` is 0 if frames vary in size.
    pub(crate) fn clear(&mut self, first_seq: u64, frame_bytes: usize) {
        self.first_seq = first_seq;
        self.times.clear();
        self.data.clear();
        self.ends.clear();
        self.frame_bytes = frame_bytes;
    }

    pub(crate) fn push(&mut self, time_ns: u64, frame: &[u8]) {
        self.times.push(time_ns);
        if self.data.capacity() - self.data.len() < frame.len() {
            // A quarter more instead of twice as much: large blocks are many megabytes.
            self.data.reserve_exact(frame.len().max(self.data.len() / 4));
        }
        self.data.extend_from_slice(frame);
        if self.frame_bytes == 0 {
            self.ends.push(self.data.len() as u32);
        }
    }

    /// The size of each frame, or 0 if sizes vary.
    #[cfg(feature = "write")]
    pub(crate) fn frame_bytes(&self) -> usize {
        self.frame_bytes
    }

    pub(crate) fn raw_bytes(&self) -> usize {
        self.data.len()
    }

    /// All frames back to back.
    pub(crate) fn data(&self) -> &[u8] {
        &self.data
    }

    /// Whether one more frame of this size fits into the block.
    pub(crate) fn has_room(&self, frame: usize) -> bool {
        self.times.len() < limits::BLOCK_ROWS && self.data.len() + frame <= limits::BLOCK_RAW_BYTES
    }

    /// Whether all frames have the same size, so that they are stored as columns.
    pub(crate) fn is_columnar(&self) -> bool {
        self.frame_bytes != 0
    }

    /// Decodes a payload after checking the checksum of its head.
    pub(crate) fn decode(
        &mut self,
        header: &RecordHeader,
        payload: &[u8],
        columns: &[Column],
        frame_bytes: usize,
        decoder: &mut column::BlockDecoder,
    ) -> Result<(), Malformed> {
        let head = checked_head(header, payload)?;
        let rows = header.rows as usize;
        match header.kind {
            RecordKind::ColumnBlock => {
                check_column_block(header, frame_bytes)?;
                self.clear(header.first_seq, frame_bytes);
                let head = column::BlockHead::parse(head, columns, rows, payload.len())?;
                self.data.resize(rows * frame_bytes, 0);
                decoder.decode_rows(&head, columns, frame_bytes, payload, &mut self.data)?;
                let body = payload.get(head.times_range()).unwrap_or_default();
                column::decode_times(&head, body, &mut self.times)?;
            }
            _ => {
                self.clear(header.first_seq, 0);
                match header.coding {
                    0 => self.decode_rows(head, rows)?,
                    json::CODING => {
                        let to = json::Rendered { times: &mut self.times, data: &mut self.data, ends: &mut self.ends };
                        json::decode(head, rows, header.raw_bytes as usize, decoder, to)?;
                    }
                    coding => return Err(Malformed::UnknownCoding { what: "row block coding", coding }),
                }
            }
        }
        if self.data.len() != header.raw_bytes as usize {
            return Err(Malformed::Value { what: "raw bytes of the block", found: u64::from(header.raw_bytes) });
        }
        absolute_times(header, &mut self.times)
    }

    /// Decodes the last frame at or before `time_ns`, with its time, from a text payload without rendering the other frames.
    ///
    /// Returns `None` if all frames are later, or if the payload uses another coding, for which this would save nothing.
    pub(crate) fn decode_last_before(
        header: &RecordHeader,
        payload: &[u8],
        decoder: &mut column::BlockDecoder,
        time_ns: u64,
    ) -> Result<Option<(u64, Vec<u8>)>, Malformed> {
        if header.kind != RecordKind::RowBlock || header.coding != json::CODING {
            return Ok(None);
        }
        let head = checked_head(header, payload)?;
        let Some(since_first) = time_ns.checked_sub(header.first_ns) else { return Ok(None) };
        let choose = |times: &[u64]| times.partition_point(|time| *time <= since_first).checked_sub(1);
        let mut times = Vec::new();
        let found =
            json::decode_row(head, header.rows as usize, header.raw_bytes as usize, decoder, &mut times, choose)?;
        absolute_times(header, &mut times)?;
        Ok(found.and_then(|(row, frame)| Some((*times.get(row)?, frame))))
    }

    fn decode_rows(&mut self, payload: &[u8], rows: usize) -> Result<(), Malformed> {
        let mut cursor = Cursor::new(payload);
        column::decode_integers(cursor.section("row times")?, rows, &mut self.times)?;
        let mut sizes = Vec::new();
        column::decode_integers(cursor.section("row sizes")?, rows, &mut sizes)?;
        let mut end = 0u64;
        for size in sizes {
            end = end.saturating_add(size);
            let checked = crate::cursor::within("sum of the row sizes", end, limits::BLOCK_RAW_BYTES)?;
            self.ends.push(checked as u32);
        }
        self.data = pack::unpack(cursor.rest(), limits::BLOCK_RAW_BYTES)?;
        if self.data.len() as u64 != end {
            return Err(Malformed::Value { what: "sum of the row sizes", found: end });
        }
        Ok(())
    }
}

/// Returns the head of a payload after checking its checksum.
pub(crate) fn checked_head<'a>(header: &RecordHeader, payload: &'a [u8]) -> Result<&'a [u8], Malformed> {
    if header.kind == RecordKind::RowBlock && header.head_bytes != header.payload_bytes {
        return Err(Malformed::Value { what: "head length of a row block", found: u64::from(header.head_bytes) });
    }
    let short =
        Malformed::Short { what: "head of the record", needed: header.head_bytes as usize, available: payload.len() };
    let head = payload.get(..header.head_bytes as usize).ok_or(short)?;
    if crc32c::crc32c(head) != header.head_crc {
        return Err(Malformed::Checksum { what: "the record's head" });
    }
    Ok(head)
}

/// Checks that the header of a column block matches its stream.
pub(crate) fn check_column_block(header: &RecordHeader, frame_bytes: usize) -> Result<(), Malformed> {
    if header.coding != 0 {
        return Err(Malformed::UnknownCoding { what: "column block coding", coding: header.coding });
    }
    if frame_bytes == 0 || header.rows as usize * frame_bytes != header.raw_bytes as usize {
        return Err(Malformed::Value { what: "raw bytes of a column block", found: u64::from(header.raw_bytes) });
    }
    Ok(())
}

/// Converts times relative to the block into absolute times and checks them against the header.
pub(crate) fn absolute_times(header: &RecordHeader, times: &mut [u64]) -> Result<(), Malformed> {
    let wrong = |found| Malformed::Value { what: "a row time", found };
    let span = header.last_ns - header.first_ns;
    if !times.is_sorted() || times.first() != Some(&0) || times.last() != Some(&span) {
        return Err(wrong(span));
    }
    for time in times {
        *time = time.checked_add(header.first_ns).ok_or(wrong(*time))?;
    }
    Ok(())
}

/// Encodes collected frames as payloads.
#[cfg(feature = "write")]
#[derive(Debug, Default)]
pub(crate) struct Sealer {
    encoder: column::BlockEncoder,
    text: json::TextEncoder,
    times: Vec<u64>,
    integers: Vec<u8>,
}

#[cfg(feature = "write")]
impl Sealer {
    /// Encodes a block of at least one frame into `out`, which is emptied first, and returns its header without an
    /// offset. With `text`, frames of varying size are treated as text that may be split.
    pub(crate) fn seal(
        &mut self,
        stream: u16,
        block: &Block,
        columns: &[Column],
        text: bool,
        out: &mut Vec<u8>,
    ) -> Result<RecordHeader, column::ColumnError> {
        out.clear();
        let first_ns = block.times.first().copied().unwrap_or_default();
        let last_ns = block.times.last().copied().unwrap_or_default();
        self.times.clear();
        self.times.extend(block.times.iter().map(|time| time - first_ns));
        let (kind, coding, head_bytes) = if block.is_columnar() {
            let head = self.encoder.encode(columns, block.frame_bytes, &self.times, &block.data, out)?;
            (RecordKind::ColumnBlock, 0, head)
        } else if text && self.text.encode(block, &self.times, out) {
            (RecordKind::RowBlock, json::CODING, out.len())
        } else {
            self.put_integers(out, None);
            self.put_integers(out, Some(&block.ends));
            pack::pack_frames(&block.data, out);
            (RecordKind::RowBlock, 0, out.len())
        };
        Ok(RecordHeader {
            kind,
            coding,
            stream,
            payload_bytes: out.len() as u32,
            head_bytes: head_bytes as u32,
            first_seq: block.first_seq,
            first_ns,
            last_ns,
            rows: block.rows() as u32,
            raw_bytes: block.raw_bytes() as u32,
            head_crc: crc32c::crc32c(out.get(..head_bytes).unwrap_or_default()),
            offset: 0,
        })
    }

    /// Appends the times, or the frame sizes computed from `ends`, as a section.
    fn put_integers(&mut self, out: &mut Vec<u8>, ends: Option<&[u32]>) {
        if let Some(ends) = ends {
            let mut start = 0;
            self.times.clear();
            self.times.extend(ends.iter().map(|end| u64::from(end - std::mem::replace(&mut start, *end))));
        }
        self.integers.clear();
        column::encode_integers(&self.times, &mut self.integers);
        out.extend_from_slice(&(self.integers.len() as u32).to_le_bytes());
        out.extend_from_slice(&self.integers);
    }
}
