//! Builds and takes apart records and journals by hand, based on docs/format.md and not on the crate's own code.
#![allow(dead_code, reason = "each test binary uses a part")]

pub(crate) const HEADER: usize = 64;
pub(crate) const STREAM: u8 = 1;
pub(crate) const COLUMN_BLOCK: u8 = 2;
pub(crate) const ROW_BLOCK: u8 = 3;
pub(crate) const INDEX_PAGE: u8 = 4;
pub(crate) const FOOTER: u8 = 5;

pub(crate) fn u16_at(data: &[u8], at: usize) -> u16 {
    u16::from_le_bytes(data[at..at + 2].try_into().unwrap())
}

pub(crate) fn u32_at(data: &[u8], at: usize) -> u32 {
    u32::from_le_bytes(data[at..at + 4].try_into().unwrap())
}

pub(crate) fn u64_at(data: &[u8], at: usize) -> u64 {
    u64::from_le_bytes(data[at..at + 8].try_into().unwrap())
}

fn put_crc(data: &mut [u8], at: usize) {
    let crc = crc32c::crc32c(&data[..at]);
    data[at..at + 4].copy_from_slice(&crc.to_le_bytes());
}

/// A record of a file: its location and the contents of its header.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Record {
    pub(crate) at: usize,
    pub(crate) end: usize,
    pub(crate) kind: u8,
    pub(crate) stream: u16,
    pub(crate) head_bytes: usize,
    pub(crate) first_seq: u64,
    pub(crate) rows: u64,
}

impl Record {
    pub(crate) fn is_block(&self) -> bool {
        matches!(self.kind, COLUMN_BLOCK | ROW_BLOCK)
    }
}

/// Returns all records of an undamaged tape.
pub(crate) fn records(tape: &[u8]) -> Vec<Record> {
    let mut found = Vec::new();
    let mut at = HEADER;
    while tape.get(at..at + 4) == Some(b"GTR\x1a") {
        let header = &tape[at..at + HEADER];
        let end = at + HEADER + u32_at(header, 8) as usize;
        found.push(Record {
            at,
            end,
            kind: header[4],
            stream: u16_at(header, 6),
            head_bytes: u32_at(header, 12) as usize,
            first_seq: u64_at(header, 16),
            rows: u64::from(u32_at(header, 40)),
        });
        at = end;
    }
    found
}

/// Corrects the checksums of a record's head and header.
pub(crate) fn reseal(tape: &mut [u8], record: &Record) {
    let head = record.at + HEADER;
    let crc = crc32c::crc32c(&tape[head..head + record.head_bytes]);
    tape[record.at + 48..record.at + 52].copy_from_slice(&crc.to_le_bytes());
    put_crc(&mut tape[record.at..record.at + HEADER], 60);
}

/// The fields of a record header; the rest is filled in.
#[derive(Debug, Clone, Copy, Default)]
pub(crate) struct Head {
    pub(crate) kind: u8,
    pub(crate) coding: u8,
    pub(crate) stream: u16,
    pub(crate) head_bytes: Option<u32>,
    pub(crate) payload_bytes: Option<u32>,
    pub(crate) first_seq: u64,
    pub(crate) first_ns: u64,
    pub(crate) last_ns: u64,
    pub(crate) rows: u32,
    pub(crate) raw_bytes: u32,
}

/// A tape under construction from hand-made records.
pub(crate) struct Builder {
    pub(crate) bytes: Vec<u8>,
}

pub(crate) const TAPE_ID: [u8; 16] = [5; 16];

impl Builder {
    pub(crate) fn new() -> Self {
        let mut bytes = vec![0; HEADER];
        bytes[..8].copy_from_slice(b"\x89GTAPE\r\n");
        bytes[12..16].copy_from_slice(&64u32.to_le_bytes());
        bytes[16..32].copy_from_slice(&TAPE_ID);
        put_crc(&mut bytes, 60);
        Self { bytes }
    }

    pub(crate) fn record(&mut self, head: Head, payload: &[u8]) -> usize {
        let at = self.bytes.len();
        let head_bytes = head.head_bytes.unwrap_or(payload.len() as u32);
        let mut header = [0; HEADER];
        header[..4].copy_from_slice(b"GTR\x1a");
        header[4] = head.kind;
        header[5] = head.coding;
        header[6..8].copy_from_slice(&head.stream.to_le_bytes());
        header[8..12].copy_from_slice(&head.payload_bytes.unwrap_or(payload.len() as u32).to_le_bytes());
        header[12..16].copy_from_slice(&head_bytes.to_le_bytes());
        header[16..24].copy_from_slice(&head.first_seq.to_le_bytes());
        header[24..32].copy_from_slice(&head.first_ns.to_le_bytes());
        header[32..40].copy_from_slice(&head.last_ns.to_le_bytes());
        header[40..44].copy_from_slice(&head.rows.to_le_bytes());
        header[44..48].copy_from_slice(&head.raw_bytes.to_le_bytes());
        let covered = &payload[..(head_bytes as usize).min(payload.len())];
        header[48..52].copy_from_slice(&crc32c::crc32c(covered).to_le_bytes());
        header[52..60].copy_from_slice(&(at as u64).to_le_bytes());
        put_crc(&mut header, 60);
        self.bytes.extend_from_slice(&header);
        self.bytes.extend_from_slice(payload);
        at
    }

    pub(crate) fn footer(&mut self, unpacked: &[u8]) {
        let mut payload = self.bytes[..HEADER].to_vec();
        payload.extend_from_slice(unpacked);
        let head = Head { kind: FOOTER, stream: 0xFFFF, ..Head::default() };
        let at = self.record(head, &packed(&payload));
        let mut trailer = [0; 24];
        trailer[..8].copy_from_slice(&(at as u64).to_le_bytes());
        trailer[8..16].copy_from_slice(&((self.bytes.len() - at) as u64).to_le_bytes());
        put_crc(&mut trailer, 20);
        self.bytes.extend_from_slice(&trailer);
        self.bytes.extend_from_slice(b"GTAPEEND");
    }
}

/// Packs with zstd.
pub(crate) fn packed(raw: &[u8]) -> Vec<u8> {
    let mut out = vec![1];
    out.extend_from_slice(&(raw.len() as u32).to_le_bytes());
    out.extend(zstd::bulk::compress(raw, 3).unwrap());
    out
}

/// The header of a journal of the hand-made tape.
pub(crate) fn journal_header(generation: u64, tape_bytes: u64, file_bytes: u64) -> Vec<u8> {
    let mut bytes = vec![0; HEADER];
    bytes[..8].copy_from_slice(b"\x89GTJRNL\n");
    bytes[12..16].copy_from_slice(&64u32.to_le_bytes());
    bytes[16..24].copy_from_slice(&generation.to_le_bytes());
    bytes[24..40].copy_from_slice(&TAPE_ID);
    bytes[40..48].copy_from_slice(&tape_bytes.to_le_bytes());
    bytes[48..56].copy_from_slice(&file_bytes.to_le_bytes());
    put_crc(&mut bytes, 60);
    bytes
}

/// A row of generation 0 at offset `at`.
pub(crate) fn journal_row(at: u64, stream: u16, seq: u64, time_ns: u64, kind: u8, payload: &[u8]) -> Vec<u8> {
    let mut row = vec![0; 32];
    row[..4].copy_from_slice(&(payload.len() as u32).to_le_bytes());
    row[4..8].copy_from_slice(&crc32c::crc32c(payload).to_le_bytes());
    row[8..16].copy_from_slice(&seq.to_le_bytes());
    row[16..24].copy_from_slice(&time_ns.to_le_bytes());
    row[24..26].copy_from_slice(&stream.to_le_bytes());
    row[26] = kind;
    row[27] = 0xA5;
    let place = [&TAPE_ID[..], &0u64.to_le_bytes(), &at.to_le_bytes()].concat();
    let crc = crc32c::crc32c_append(crc32c::crc32c(&row[..28]), &place);
    row[28..32].copy_from_slice(&crc.to_le_bytes());
    row.extend_from_slice(payload);
    row
}
