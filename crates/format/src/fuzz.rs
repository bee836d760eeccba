//! Fuzzing entry points. Whatever the input is, nothing may panic, hang or use much memory.

use crate::footer::Footer;
use crate::index::{self, IndexPage};
use crate::journal::ROW_BYTES;
use crate::ranges;
use crate::read::Tape;
use crate::record::{HEADER_BYTES, RecordHeader, RecordKind};
use crate::stream::{Channel, ChannelType, StreamSpec};

/// Opens bytes as a tape and reads all of it.
pub fn fuzz_tape(data: &[u8]) {
    read_all(Tape::from_bytes(data.to_vec()));
}

/// Reads bytes as the journal of a small tape that was not closed.
pub fn fuzz_journal(data: &[u8]) {
    let header = data.get(24..40).and_then(|id| id.try_into().ok()).map(|id| crate::record::FileHeader {
        version: crate::VERSION,
        tape_id: crate::TapeId(id),
        start_utc_ns: None,
    });
    if let Some(header) = header {
        let tape = Box::new(header.to_bytes().to_vec());
        read_all(Tape::from_sources(tape, vec![Box::new(data.to_vec())]));
    }
}

fn read_all(tape: Result<Tape, crate::read::ReadError>) {
    let Ok(tape) = tape else { return };
    let _ = (tape.events(), tape.metadata(), tape.clock_readings());
    let _ = tape.verify(&mut |_| {});
    for stream in tape.streams() {
        if let Some(channel) = stream.spec().channels.first() {
            let _ = tape.overview(stream, &channel.name, 0, 0..u64::MAX, 100);
            if let Ok(mut channels) = tape.channels(stream, &[channel.name.as_str()]) {
                while let Ok(Some(_)) = channels.next_block() {}
            }
        }
        let mut frames = tape.frames(stream);
        let _ = frames.seek_time(u64::MAX / 2);
        let _ = frames.seek_seq(5);
        let _ = frames.seek_last_before(1_000_000_000);
        let _ = frames.next().is_ok();
    }
}

/// Parses bytes as a stream descriptor.
pub fn fuzz_descriptor(data: &[u8]) {
    if let Ok(spec) = StreamSpec::parse(data) {
        let columns = spec.to_columns();
        let covered: u64 = columns.iter().map(|column| u64::from(column.width)).sum();
        assert_eq!(covered, u64::from(spec.frame_bytes), "the columns cover the frame");
        assert_eq!(StreamSpec::parse(&spec.to_bytes()).as_ref(), Ok(&spec), "the descriptor round-trips");
    }
}

/// Parses bytes as an unpacked footer.
pub fn fuzz_footer(data: &[u8]) {
    let _ = Footer::parse(data);
}

/// Parses bytes as an unpacked index page: the first two bytes are the number of blocks, the third selects the types of its ranges.
pub fn fuzz_index(data: &[u8]) {
    let Some((&[low, high, kinds], unpacked)) = data.split_first_chunk::<3>() else { return };
    let types = [ChannelType::U8, ChannelType::I16, ChannelType::F32, ChannelType::F64];
    let channels = types.into_iter().enumerate().filter(|(i, _)| kinds >> i & 1 != 0);
    let channels = channels.map(|(i, kind)| Channel::new(format!("{i}"), kind, 8 * i as u32, 1, "")).collect();
    let slots = ranges::slots(&StreamSpec::columns("x", 32, channels));
    let mut head = vec![0];
    head.extend_from_slice(&(unpacked.len() as u32).to_le_bytes());
    head.extend_from_slice(unpacked);
    let rows = u32::from(u16::from_le_bytes([low, high]));
    let header = RecordHeader { rows, offset: 1 << 30, ..RecordHeader::plain(RecordKind::IndexPage, 0, &head) };
    for slot in 0..slots.len() {
        let _ = IndexPage::parse(&header, &head, Some((&slots, slot)));
    }
    let _ = IndexPage::parse(&header, &head, None);
    let _ = index::page_runs(&header, &head, &slots);
    let _ = index::parse_run(unpacked, crc32c::crc32c(unpacked), rows as usize);
}

/// Like `fuzz_tape`, but first corrects all checksums and offsets, so that the code behind these checks is reached.
pub fn fuzz_tape_resealed(data: &[u8]) {
    let mut tape = data.to_vec();
    seal(&mut tape, 0, HEADER_BYTES);
    let mut at = HEADER_BYTES;
    while let Some(found) = RecordHeader::find_sync(&tape, at) {
        at = found + 4;
        let field = |at: usize| {
            let bytes = tape.get(found + at..found + at + 4)?;
            Some(u32::from_le_bytes(bytes.try_into().ok()?) as usize)
        };
        let (Some(payload), Some(head)) = (field(8), field(12)) else { break };
        let start = found + HEADER_BYTES;
        let crc = tape.get(start..start.saturating_add(head)).map(crc32c::crc32c);
        put(&mut tape, found + 48, &crc.unwrap_or_default().to_le_bytes());
        put(&mut tape, found + 52, &(found as u64).to_le_bytes());
        seal(&mut tape, found, HEADER_BYTES);
        if start.saturating_add(payload) <= tape.len() {
            at = start + payload;
        }
    }
    if let Some(trailer) = tape.len().checked_sub(32) {
        seal(&mut tape, trailer, 24);
    }
    fuzz_tape(&tape);
}

/// Like `fuzz_journal`, but first corrects the checksums.
pub fn fuzz_journal_resealed(data: &[u8]) {
    let mut journal = data.to_vec();
    seal(&mut journal, 0, HEADER_BYTES);
    let part = |range| journal.get(range).unwrap_or_default();
    let tape_and_generation = [part(24..40), part(16..24)].concat();
    let mut at = HEADER_BYTES;
    while let Some(row) = journal.get(at..at + ROW_BYTES) {
        if row.get(27) != Some(&0xA5) {
            at += 1;
            continue;
        }
        let length = row.first_chunk::<4>().map_or(0, |bytes| u32::from_le_bytes(*bytes) as usize);
        let start = at + ROW_BYTES;
        let crc = journal.get(start..start.saturating_add(length)).map(crc32c::crc32c);
        put(&mut journal, at + 4, &crc.unwrap_or_default().to_le_bytes());
        let front = crc32c::crc32c(journal.get(at..at + 28).unwrap_or_default());
        let sum = crc32c::crc32c_append(crc32c::crc32c_append(front, &tape_and_generation), &(at as u64).to_le_bytes());
        put(&mut journal, at + 28, &sum.to_le_bytes());
        at = if crc.is_some() { start + length } else { at + 1 };
    }
    fuzz_journal(&journal);
}

fn put(data: &mut [u8], at: usize, bytes: &[u8]) {
    if let Some(room) = data.get_mut(at..at + bytes.len()) {
        room.copy_from_slice(bytes);
    }
}

/// Writes the checksum at the end of a header.
fn seal(data: &mut [u8], at: usize, length: usize) {
    if let Some((body, crc)) = data.get_mut(at..at + length).and_then(|header| header.split_last_chunk_mut::<4>()) {
        *crc = crc32c::crc32c(body).to_le_bytes();
    }
}
