//! Fuzzing entry points: each takes arbitrary bytes and must return, whatever they are.

use std::io::Cursor;

use crate::decode::{Decoded, Decoder, Framing};
use crate::generation::Evidence;
use crate::limits::Limits;
use crate::proto::telemetry::v2::frame;
use crate::read::{Item, Reader, Tape};
use crate::record::{Record, RecordKind};
use crate::skeleton::Bones;
use crate::{detect, meaning, nevrcap};

/// Small limits, so that hangs and excessive memory use show on small inputs.
fn limits() -> Limits {
    Limits { record_bytes: 1 << 20, elements: 1024, window_bytes: 8 << 20, expansion: 100, free_bytes: 4 << 20 }
}

fn look_into(record: &Record, evidence: &mut Evidence) {
    evidence.observe(record, None);
    let _ = record.outline();
    if let Ok(mut frame) = record.frame(&limits()) {
        if let Some(frame::Payload::EchoArena(arena)) = &frame.payload {
            for bones in &arena.player_bones {
                if let Ok(bones) = Bones::new(bones, None) {
                    let _ = bones.iter().count();
                }
            }
        }
        meaning::frame_to_current(&mut frame, evidence.verdict().generation);
        meaning::frame_to_seed(&mut frame);
    }
    let _ = record.header(&limits());
    let _ = record.footer(&limits());
}

/// One envelope, and the same bytes as a stream in chunks.
#[doc(hidden)]
pub fn fuzz_envelope(data: &[u8]) {
    let mut evidence = Evidence::default();
    if let Ok(record) = Record::from_bytes(data.to_vec()) {
        look_into(&record, &mut evidence);
    }
    let mut decoder = Decoder::new(Framing::V2, &limits());
    let drain = |decoder: &mut Decoder, evidence: &mut Evidence| {
        while let Some(decoded) = decoder.next() {
            if let Decoded::Record { bytes, .. } = decoded
                && let Ok(record) = Record::from_bytes(bytes)
            {
                look_into(&record, evidence);
            }
        }
    };
    for piece in data.chunks(97) {
        decoder.feed(piece);
        drain(&mut decoder, &mut evidence);
    }
    decoder.end();
    drain(&mut decoder, &mut evidence);
    assert!(decoder.offset() == data.len() as u64, "some bytes were neither returned nor reported");
}

/// A file, read from its start and with seeks.
#[doc(hidden)]
pub fn fuzz_tape(data: &[u8]) {
    let _ = detect::file_kind(data);
    let mut evidence = Evidence::default();
    if let Ok(mut reader) = Reader::with_limits(data, &limits()) {
        while let Ok(Some(item)) = reader.next() {
            if let Item::Record(placed) = item {
                look_into(&placed.record, &mut evidence);
            }
        }
    }
    let Ok(mut tape) = Tape::open_with(Cursor::new(data), &limits()) else { return };
    let _ = tape.problems().len();
    for frame in [0, tape.index().frame_count / 2, tape.index().frame_count] {
        if let Ok(Some(found)) = tape.frame_at(frame) {
            assert!(found.record.record.kind() == RecordKind::Frame && found.frame.frame_index == frame);
        }
    }
}

/// A file of blocks with damaged contents and valid compression: one byte with the number of blocks, two with the
/// length of each, then their contents. The checksum of zstd would reject most mutations.
#[doc(hidden)]
#[cfg(feature = "zstd")]
pub fn fuzz_tape_resealed(data: &[u8]) {
    use crate::seek_table::{self, SeekEntry};

    let Some((count, rest)) = data.split_first() else { return };
    let Some((lengths, mut contents)) = rest.split_at_checked(usize::from(*count) * 2) else { return };
    let (mut file, mut entries) = (Vec::new(), Vec::new());
    for length in lengths.as_chunks().0 {
        let (content, after) = contents.split_at(contents.len().min(u16::from_le_bytes(*length).into()));
        contents = after;
        let Ok(packed) = zstd::bulk::compress(content, 1) else { return };
        let (Ok(packed_bytes), Ok(raw_bytes)) = (u32::try_from(packed.len()), u32::try_from(content.len())) else {
            return;
        };
        entries.push(SeekEntry { packed_bytes, raw_bytes });
        file.extend_from_slice(&packed);
    }
    file.extend_from_slice(&seek_table::encode(&entries));
    fuzz_tape(&file);
}

/// A file of the first version.
#[doc(hidden)]
pub fn fuzz_nevrcap(data: &[u8]) {
    let Ok(mut reader) = nevrcap::Reader::with_limits(data, &limits()) else { return };
    while let Ok(Some(item)) = reader.next() {
        match item {
            nevrcap::Item::Header(record) => drop(record.header()),
            nevrcap::Item::Frame(record) => drop(record.frame()),
            nevrcap::Item::Problem(_) => {}
        }
    }
}
