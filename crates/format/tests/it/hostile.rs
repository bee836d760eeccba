//! Malicious files: absurd lengths, counts and offsets with valid checksums. Reading them must give a clear error or
//! report, within 64 MiB and in bounded time.
#![allow(clippy::unwrap_used, clippy::panic, clippy::type_complexity, missing_docs)]

use crate::allocation;
use crate::bytes;
use crate::cpu_time::thread_time;

use std::io;
use std::sync::Arc;
use std::time::Duration;

use allocation::peak_bytes;
use bytes::{
    Builder, COLUMN_BLOCK, FOOTER, HEADER, Head, INDEX_PAGE, ROW_BLOCK, STREAM, journal_header, journal_row, packed,
};
use gametape_format::column::encode_integers;
use gametape_format::read::{ReadError, Tape};
use gametape_format::{Channel, ChannelType, ReadAt, StreamSpec};

const MEMORY: u64 = 64 << 20;
/// Guards against a hang; far above what any of these needs.
const TIME: Duration = Duration::from_secs(120);

/// Bytes shared by many readers, followed by zeros up to a size.
#[derive(Clone)]
struct Shared {
    bytes: Arc<Vec<u8>>,
    size: u64,
}

impl Shared {
    fn new(bytes: Vec<u8>) -> Self {
        Self { size: bytes.len() as u64, bytes: Arc::new(bytes) }
    }

    fn sparse(bytes: Vec<u8>, size: u64) -> Self {
        Self { bytes: Arc::new(bytes), size }
    }
}

impl ReadAt for Shared {
    fn read_at(&self, offset: u64, buffer: &mut [u8]) -> io::Result<usize> {
        let count = self.size.saturating_sub(offset).min(buffer.len() as u64) as usize;
        buffer[..count].fill(0);
        self.bytes.as_slice().read_at(offset, &mut buffer[..count])?;
        Ok(count)
    }

    fn size(&self) -> io::Result<u64> {
        Ok(self.size)
    }
}

/// A prefix followed by the same bytes over and over.
struct Repeated<F> {
    start: Vec<u8>,
    piece: u64,
    size: u64,
    make: F,
}

impl<F: Fn(u64) -> Vec<u8> + Send + Sync> ReadAt for Repeated<F> {
    fn read_at(&self, offset: u64, buffer: &mut [u8]) -> io::Result<usize> {
        let start = self.start.len() as u64;
        if offset < start {
            return self.start.as_slice().read_at(offset, buffer);
        }
        if offset >= self.size {
            return Ok(0);
        }
        let number = (offset - start) / self.piece;
        (self.make)(number).as_slice().read_at((offset - start) % self.piece, buffer)
    }

    fn size(&self) -> io::Result<u64> {
        Ok(self.size)
    }
}

/// Reads everything in every way. Returns the problems as text.
fn read(tape: Box<dyn ReadAt>, journals: Vec<Box<dyn ReadAt>>) -> Vec<String> {
    let start = thread_time();
    let mut said = Vec::new();
    let peak = peak_bytes(|| {
        let tape = match Tape::from_sources(tape, journals) {
            Ok(tape) => tape,
            Err(error) => return said.push(error.to_string()),
        };
        let _ = tape.verify(&mut |_| {});
        let _ = (tape.events(), tape.metadata(), tape.clock_readings());
        for stream in tape.streams() {
            let mut frames = tape.frames(stream);
            let _ = (frames.seek_time(u64::MAX / 2), frames.seek_seq(77));
            let _ = frames.seek_last_before(5_000_000_000);
            for channel in stream.spec().channels.iter().take(2) {
                let _ = tape.overview(stream, &channel.name, 0, 0..u64::MAX, 100);
                let mut channels = tape.channels(stream, &[channel.name.as_str()]).unwrap();
                while let Ok(Some(_)) | Err(ReadError::Damaged(_)) = channels.next_block() {}
            }
        }
        let mut merged = tape.merged(tape.streams());
        for _ in 0..10_000 {
            if let Ok(None) = merged.next() {
                break;
            }
        }
        said.extend(tape.problems().iter().map(ToString::to_string));
    });
    assert!(peak < MEMORY, "peak of {} MiB", peak >> 20);
    let took = thread_time() - start;
    assert!(took < TIME, "took {took:?} of CPU time");
    assert!(!said.is_empty(), "no problem was reported");
    said
}

fn read_tape(bytes: Vec<u8>) -> Vec<String> {
    read(Box::new(Shared::new(bytes)), Vec::new())
}

fn descriptor(id: u16, spec: &StreamSpec) -> (Head, Vec<u8>) {
    (Head { kind: STREAM, stream: id, ..Head::default() }, packed(&spec.to_bytes()))
}

fn with_stream(spec: &StreamSpec) -> Builder {
    let mut tape = Builder::new();
    let (head, payload) = descriptor(0, spec);
    tape.record(head, &payload);
    tape
}

fn row_stream() -> Builder {
    with_stream(&StreamSpec::rows("rows"))
}

fn section(values: &[u64]) -> Vec<u8> {
    let mut coded = Vec::new();
    encode_integers(values, &mut coded);
    let mut out = (coded.len() as u32).to_le_bytes().to_vec();
    out.extend(coded);
    out
}

/// A stream with channels whose names have the maximum length.
fn wordy(name: &str, channels: u32) -> StreamSpec {
    let channel = |i: u32| {
        let name = format!("{i:0>1024}");
        Channel::new(name, ChannelType::U8, i, 1, "u".repeat(1024))
    };
    StreamSpec::columns(name, channels, (0..channels).map(channel).collect())
}

#[test]
fn lengths_beyond_the_file_take_no_memory() {
    for kind in [STREAM, COLUMN_BLOCK, ROW_BLOCK, INDEX_PAGE, FOOTER, 77] {
        for length in [100u32, 1 << 20, (32 << 20) - 1, 32 << 20, u32::MAX] {
            let mut tape = row_stream();
            let head = Head { kind, payload_bytes: Some(length), head_bytes: Some(length), rows: 1, ..Head::default() };
            tape.record(head, &[]);
            read_tape(tape.bytes.clone());
            // The same in a file that really has these bytes, all zero.
            read(Box::new(Shared::sparse(tape.bytes, 40 << 20)), Vec::new());
        }
    }
}

#[test]
fn packed_sections_that_unpack_to_very_much_are_refused() {
    let zeros = vec![0; 200 << 20];
    for kind in [STREAM, ROW_BLOCK, INDEX_PAGE, FOOTER] {
        for claimed in [1u32, 1 << 20, 4 << 20, 16 << 20, 200 << 20, u32::MAX] {
            let mut tape = row_stream();
            let mut payload = packed(&zeros);
            payload[1..5].copy_from_slice(&claimed.to_le_bytes());
            if kind == ROW_BLOCK {
                payload = [section(&[0]), section(&[u64::from(claimed)]), payload].concat();
            }
            let raw_bytes = claimed.min(16 << 20);
            tape.record(Head { kind, stream: 0, rows: 1, raw_bytes, ..Head::default() }, &payload);
            read_tape(tape.bytes);
        }
    }
}

#[test]
fn blocks_as_large_as_they_may_be_stay_below_the_limit() {
    let mut tape = row_stream();
    for i in 0..4u64 {
        let frames = packed(&vec![i as u8; 16 << 20]);
        let mut payload = [section(&[0; 1024]), section(&[16 << 10; 1024]), frames].concat();
        // Of the maximum payload length, too: the rest is a skippable zstd frame.
        let length = [32 << 20, (16 << 20) + (60 << 10)][i as usize % 2];
        let skipped = length - payload.len() - 8;
        payload.extend_from_slice(&0x184D_2A50u32.to_le_bytes());
        payload.extend_from_slice(&(skipped as u32).to_le_bytes());
        payload.resize(length, 0);
        let head = Head { kind: ROW_BLOCK, rows: 1024, raw_bytes: 16 << 20, first_seq: 1024 * i, ..Head::default() };
        tape.record(head, &payload);
    }
    read_tape(tape.bytes);
}

#[test]
fn very_many_names_in_descriptors_are_refused() {
    let mut tape = Builder::new();
    for i in 0..64 {
        let (head, payload) = descriptor(i, &wordy(&format!("stream {i}"), 2000));
        tape.record(head, &payload);
    }
    let said = read_tape(tape.bytes.clone());
    assert!(said.iter().any(|text| text.contains("too many channels")), "{said:?}");
    // The same through a footer.
    let mut footer = 64u32.to_le_bytes().to_vec();
    for record in bytes::records(&tape.bytes) {
        footer.extend_from_slice(&record.stream.to_le_bytes());
        footer.extend_from_slice(&(record.at as u64).to_le_bytes());
        footer.extend_from_slice(&[0; 12 * 8 + 4]);
    }
    tape.footer(&footer);
    read_tape(tape.bytes);
}

#[test]
fn very_many_streams_are_refused() {
    let mut tape = Builder::new();
    for i in 0..5000 {
        let (head, payload) = descriptor(i, &StreamSpec::rows(format!("stream {i}")));
        tape.record(head, &payload);
    }
    let said = read_tape(tape.bytes);
    assert!(said.iter().any(|text| text.contains("too many streams")), "{said:?}");
}

#[test]
fn very_many_channels_and_columns_are_refused() {
    let channel = |i: u32| Channel::new(format!("{i}"), ChannelType::U8, i, 1, "");
    let wide = |name: &str| StreamSpec::columns(name, 131_072, (0..65_536).map(channel).collect());
    let arrays = |name: &str| {
        let whole = vec![Channel::new("all", ChannelType::U8, 0, 131_072, "")];
        StreamSpec::columns(name, 131_072, whole)
    };
    for make in [&wide as &dyn Fn(&str) -> StreamSpec, &arrays] {
        let mut tape = Builder::new();
        for i in 0..6 {
            let (head, payload) = descriptor(i, &make(&format!("stream {i}")));
            tape.record(head, &payload);
        }
        let said = read_tape(tape.bytes);
        assert!(said.iter().any(|text| text.contains("too many channels")), "{said:?}");
    }
}

/// A closed tape with one stream of 17 small blocks, whose footer lists these pages: offset, bytes, blocks, first sequence number.
fn with_pages(pages: impl Fn(usize, u32) -> Vec<(u64, u32, u32, u64)>) -> Vec<u8> {
    let mut tape = row_stream();
    let mut columns: [Vec<u64>; 7] = Default::default();
    for i in 0..17u64 {
        let payload = [section(&[0]), section(&[4]), packed(&[i as u8; 4])].concat();
        let head =
            Head { kind: ROW_BLOCK, rows: 1, raw_bytes: 4, first_seq: i, first_ns: i, last_ns: i, ..Head::default() };
        let at = tape.record(head, &payload) as u64;
        let values = [at, (HEADER + payload.len()) as u64, i, 1, i, i, 4];
        columns.iter_mut().zip(values).for_each(|(column, value)| column.push(value));
    }
    let mut index: Vec<u8> = columns.iter().flat_map(|column| section(column)).collect();
    index.extend([0; 4]);
    let payload = packed(&index);
    let page = tape.record(Head { kind: INDEX_PAGE, rows: 17, last_ns: 16, ..Head::default() }, &payload);
    let mut footer = 1u32.to_le_bytes().to_vec();
    footer.extend_from_slice(&0u16.to_le_bytes());
    footer.extend_from_slice(&64u64.to_le_bytes());
    footer.extend_from_slice(&17u64.to_le_bytes());
    footer.extend_from_slice(&[0; 11 * 8]);
    let pages = pages(page, (tape.bytes.len() - page) as u32);
    footer.extend_from_slice(&(pages.len() as u32).to_le_bytes());
    for (offset, bytes, blocks, first_seq) in pages {
        footer.extend_from_slice(&offset.to_le_bytes());
        footer.extend_from_slice(&bytes.to_le_bytes());
        footer.extend_from_slice(&blocks.to_le_bytes());
        footer.extend_from_slice(&first_seq.to_le_bytes());
        footer.extend_from_slice(&[0; 8]);
        footer.extend_from_slice(&16u64.to_le_bytes());
    }
    tape.footer(&footer);
    tape.bytes
}

#[test]
fn a_hand_made_tape_is_read() {
    let tape = Tape::from_bytes(with_pages(|at, bytes| vec![(at as u64, bytes, 17, 0)])).unwrap();
    assert!(tape.is_complete());
    assert!(tape.verify(&mut |_| {}).unwrap().is_ok(), "{:?}", tape.problems());
    let mut frames = tape.frames(tape.streams().next().unwrap());
    for i in 0..17 {
        assert_eq!(frames.next().unwrap().unwrap().data, [i; 4]);
    }
    assert!(frames.next().unwrap().is_none());
}

#[test]
fn page_lists_that_go_round_in_circles_are_refused() {
    const MANY: u64 = 400_000;
    // The same page over and over; pages at each byte; pages far beyond the end; pages of no and of very many blocks.
    read_tape(with_pages(|at, bytes| (0..MANY).map(|_| (at as u64, bytes, 17, 0)).collect()));
    read_tape(with_pages(|at, bytes| (0..MANY).map(|i| (at as u64, bytes, 17, i)).collect()));
    read_tape(with_pages(|_, bytes| (0..MANY).map(|i| (i, bytes, 17, i)).collect()));
    read_tape(with_pages(|_, _| (0..MANY).map(|i| (u64::MAX - i, u32::MAX, u32::MAX, i)).collect()));
    read_tape(with_pages(|at, _| (0..MANY).map(|i| (at as u64 + i, 1, 0, 0)).collect()));
    read_tape(with_pages(|at, bytes| vec![(at as u64, bytes, 17, 0), (64, 65, 1024, 1), (at as u64, bytes, 17, 2)]));
    // The page itself is valid, but its entry in the list is not.
    read_tape(with_pages(|at, bytes| vec![(at as u64, bytes, 16, 0)]));
    read_tape(with_pages(|at, bytes| vec![(at as u64, bytes, 17, 3)]));
    let said = read_tape(with_pages(|_, _| Vec::new()));
    assert!(said.iter().any(|text| text.contains("0 blocks")), "{said:?}");
}

#[test]
fn a_footer_with_absurd_counts_is_refused() {
    for streams in [1u32, 1024, 1025, u32::MAX] {
        for pages in [0u32, 1 << 20, u32::MAX] {
            let mut tape = row_stream();
            let mut footer = streams.to_le_bytes().to_vec();
            for id in 0..streams.min(1024) as u16 {
                footer.extend_from_slice(&id.to_le_bytes());
                footer.extend_from_slice(&64u64.to_le_bytes());
                footer.extend_from_slice(&[0xFF; 12 * 8]);
                footer.extend_from_slice(&pages.to_le_bytes());
            }
            footer.resize(12 << 20, 0);
            tape.footer(&footer);
            read_tape(tape.bytes);
        }
    }
}

#[test]
fn blocks_that_overlap_give_each_frame_once() {
    let mut tape = row_stream();
    for first_seq in [0u64, 5, 5, 3, 0, 100, 99, u64::MAX - 11] {
        let payload = [section(&[0; 10]), section(&[1; 10]), packed(&[7; 10])].concat();
        let head = Head { kind: ROW_BLOCK, rows: 10, raw_bytes: 10, first_seq, ..Head::default() };
        tape.record(head, &payload);
    }
    read_tape(tape.bytes.clone());
    let tape = Tape::from_bytes(tape.bytes).unwrap();
    let mut frames = tape.frames(tape.streams().next().unwrap());
    let mut last = None;
    loop {
        match frames.next() {
            Ok(Some(frame)) => {
                assert!(last.is_none_or(|last| last < frame.seq));
                last = Some(frame.seq);
            }
            Ok(None) => break,
            Err(_) => {}
        }
    }
}

#[test]
fn very_many_tiny_blocks_with_holes_between_them_are_read_in_time() {
    let mut tape = row_stream();
    for i in 0..300_000u64 {
        tape.record(Head { kind: ROW_BLOCK, rows: 1, first_seq: i * 3, ..Head::default() }, &[]);
        if i % 3 == 0 {
            tape.bytes.push(b'G');
        }
    }
    read_tape(tape.bytes);
}

#[test]
fn a_file_full_of_sync_marks_is_searched_in_time() {
    let mut tape = row_stream();
    tape.bytes.extend(b"GTR\x1a".repeat(1 << 20));
    read_tape(tape.bytes);
}

fn with_journal(journal: Box<dyn ReadAt>) -> Vec<String> {
    read(Box::new(Shared::new(row_stream().bytes)), vec![journal])
}

#[test]
fn journal_rows_in_very_many_pieces_take_little_memory() {
    let size = 64 << 20;
    let start = journal_header(0, 64, size);
    let make = |i: u64| journal_row(64 + 32 * i, 0, i * 7 % 1_000_003, i, 0, &[]);
    let said = with_journal(Box::new(Repeated { start, piece: 32, size, make }));
    assert!(said.iter().any(|text| text.contains("too many runs")), "{said:?}");
}

#[test]
fn very_many_damaged_journal_rows_take_little_memory() {
    let size = 32 << 20;
    let make = |i: u64| {
        let mut row = journal_row(64 + 33 * i, 0, i, i, 0, b"x");
        row[32] = b'y';
        row
    };
    with_journal(Box::new(Repeated { start: journal_header(0, 64, size), piece: 33, size, make }));
    // Rows separated by a byte that belongs to none.
    let make = |i: u64| [journal_row(64 + 33 * i, 0, i, i, 0, b""), vec![9]].concat();
    with_journal(Box::new(Repeated { start: journal_header(0, 64, size), piece: 33, size, make }));
    // Row marks without rows.
    let make = |_: u64| vec![0xA5; 4096];
    with_journal(Box::new(Repeated { start: journal_header(0, 64, size), piece: 4096, size, make }));
}

#[test]
fn very_many_descriptors_in_a_journal_take_little_memory() {
    let size = 1 << 29;
    // The same descriptor for each stream id, each with its own name: all but a few exceed the limit.
    let mut bytes = journal_header(0, 64, size);
    for id in 0..100u16 {
        let name = format!("{}", (b'a' + id as u8 % 26) as char);
        let row = journal_row(bytes.len() as u64, id, 0, 0, 1, &wordy(&name, 1900).to_bytes());
        bytes.extend(row);
    }
    with_journal(Box::new(Shared::sparse(bytes, size)));
}

#[test]
fn a_journal_with_absurd_numbers_is_read() {
    let size = 1 << 30;
    let mut bytes = journal_header(0, u64::MAX, u64::MAX);
    for seq in [0, 1, 2, u64::MAX, u64::MAX - 1, u64::MAX - 1025, 1 << 63, 3] {
        for time in [0, u64::MAX, 5] {
            for (stream, kind, payload) in [(0, 0, "frame"), (0xFFFF, 7, "frame"), (9, 0, "of no stream")] {
                let row = journal_row(bytes.len() as u64, stream, seq, time, kind, payload.as_bytes());
                bytes.extend(row);
            }
        }
    }
    let mut cut = journal_row(bytes.len() as u64, 0, 4, 9, 0, &vec![1; 1000]);
    cut.truncate(500);
    bytes.extend(cut);
    with_journal(Box::new(Shared::sparse(bytes.clone(), size)));
    let said = with_journal(Box::new(Shared::sparse(bytes, size + 1)));
    assert!(said.iter().any(|text| text.contains("larger than")), "{said:?}");
}

#[test]
fn system_streams_that_unpack_to_very_much_take_little_memory() {
    let events = StreamSpec { role: gametape_format::Role::Events, ..StreamSpec::rows(".events") };
    let mut tape = with_stream(&events);
    let event = [&4u16.to_le_bytes()[..], b"mark", &10u16.to_le_bytes()[..], &[b'x'; 10]].concat();
    for block in 0..200u64 {
        let payload = [section(&[0; 1024]), section(&[event.len() as u64; 1024]), packed(&event.repeat(1024))].concat();
        let head = Head {
            kind: ROW_BLOCK,
            first_seq: block * 1024,
            rows: 1024,
            raw_bytes: 1024 * event.len() as u32,
            ..Head::default()
        };
        tape.record(head, &payload);
    }
    let said = read_tape(tape.bytes);
    assert!(said.iter().any(|text| text.contains("too large")), "{said:?}");
}

#[test]
fn what_is_not_a_tape_is_named() {
    for (bytes, name) in
        [(&b""[..], "empty"), (b"PK\x03\x04aaaa", "zip"), (&[0; 4096], "zeros"), (b"{\"a\": 1}", "JSON")]
    {
        let error = Tape::from_bytes(bytes.to_vec()).err().unwrap().to_string();
        assert!(error.contains(name), "{error}");
    }
}
