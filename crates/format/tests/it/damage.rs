//! Flips every byte and cuts every prefix of small tapes and journals: no panic, no wrong data, and every loss is reported.
#![allow(clippy::unwrap_used, clippy::panic, clippy::type_complexity, missing_docs)]

use crate::bytes;

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;
use std::sync::Arc;

use bytes::{HEADER, INDEX_PAGE, ROW_BLOCK, Record, STREAM, records, reseal};
use gametape_format::read::{Problem, ProblemKind, ReadError, Tape, Values};
use gametape_format::write::{AppendError, StdFiles, WriteOptions, Writer};
use gametape_format::{Channel, ChannelType, Counters, ReadAt, Role, StreamId, StreamSpec, TapeId};

type All = BTreeMap<(u16, u64), (u64, Vec<u8>)>;

const CAR: StreamId = StreamId(0);

fn car() -> StreamSpec {
    let channels =
        vec![Channel::new("tick", ChannelType::U32, 0, 1, ""), Channel::new("speed", ChannelType::F32, 4, 2, "km/h")];
    StreamSpec::columns("car", 14, channels)
}

fn frame(i: u32) -> Vec<u8> {
    let mut out = i.to_le_bytes().to_vec();
    out.extend((i as f32 * 0.5).to_le_bytes());
    out.extend((i as f32 * -0.25).to_le_bytes());
    out.extend([i as u8, 7]);
    // Every few frames have another size and go into blocks of their own, so that a small tape has many blocks.
    if i / 3 % 2 == 1 {
        out.truncate(11);
    }
    out
}

/// A small recording. Its length determines how much of it is in blocks if it is not closed.
fn write(path: &Path, frames: u32, journal_bytes: u64) -> Writer {
    let options = WriteOptions { journal_bytes, start_utc_ns: Some(1_000), ..WriteOptions::new(TapeId([1; 16])) };
    let mut writer = Writer::create(Arc::new(StdFiles), path, &options).unwrap();
    assert_eq!(writer.add_stream(car()).unwrap(), CAR);
    let describes = StreamSpec { role: Role::Describe, describes: Some(CAR), ..StreamSpec::rows("car.text") };
    let text = writer.add_stream(describes).unwrap();
    writer.metadata(0, "track", "Nowhere Ring").unwrap();
    writer.clock(0, 1_700_000_000_000_000_000).unwrap();
    writer.event(1, "mark", "here").unwrap();
    writer.count(CAR, &Counters { torn: 2, ..Counters::default() });
    for i in 0..frames {
        let time = u64::from(i) * 1_000_000_007;
        let mut append = |stream, data: &[u8]| {
            while let Err(error) = writer.append(stream, time, data) {
                assert!(matches!(error, AppendError::NoRoom { .. }), "{error}");
                std::thread::yield_now();
            }
        };
        append(CAR, &frame(i));
        if i % 20 == 0 {
            append(text, format!("revision {i} {}", "x".repeat(i as usize / 2)).as_bytes());
        }
    }
    writer
}

fn closed() -> Vec<u8> {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("a.gtape");
    write(&path, 60, 1 << 20).finish().unwrap();
    std::fs::read(&path).unwrap()
}

/// A tape that was not closed, and its journals.
fn crashed() -> (Vec<u8>, Vec<Vec<u8>>) {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("a.gtape");
    drop(write(&path, 150, 4096));
    let mut paths: Vec<_> = std::fs::read_dir(folder.path()).unwrap().map(|entry| entry.unwrap().path()).collect();
    paths.sort();
    let mut files: Vec<Vec<u8>> = paths.iter().map(|path| std::fs::read(path).unwrap()).collect();
    let tape = files.remove(0);
    (tape, files)
}

fn open(tape: &[u8], journals: &[Vec<u8>]) -> Result<Tape, ReadError> {
    let journals = journals.iter().map(|journal| Box::new(journal.clone()) as Box<dyn ReadAt>).collect();
    Tape::from_sources(Box::new(tape.to_vec()), journals)
}

fn read_all(tape: &Tape) -> All {
    let mut all = All::new();
    for stream in tape.streams() {
        let mut frames = tape.frames(stream);
        loop {
            match frames.next() {
                Ok(Some(frame)) => {
                    let before = all.insert((stream.id().0, frame.seq), (frame.time_ns, frame.data.to_vec()));
                    assert!(before.is_none(), "a frame was returned twice");
                }
                Ok(None) => break,
                Err(ReadError::Damaged(_)) => {}
                Err(error) => panic!("{error}"),
            }
        }
    }
    all
}

/// Returns what is wrong with the frames read from a damaged tape, or the missing ones.
fn compare(right: &All, found: &All) -> Result<BTreeSet<(u16, u64)>, String> {
    for (key, value) in found {
        if right.get(key) != Some(value) {
            return Err(format!("frame {key:?} is wrong"));
        }
    }
    Ok(right.keys().filter(|key| !found.contains_key(key)).copied().collect())
}

/// Reads in every possible way. Returns the missing frames and the problems beyond those known before.
fn examine(tape: &Tape, right: &All, known: &[Problem]) -> Result<(BTreeSet<(u16, u64)>, Vec<Problem>), String> {
    let missing = compare(right, &read_all(tape))?;
    let mut merged = tape.merged(tape.streams());
    let mut count = 0;
    loop {
        match merged.next() {
            Ok(Some(_)) => count += 1,
            Ok(None) => break,
            Err(ReadError::Damaged(_)) => {}
            Err(error) => return Err(error.to_string()),
        }
    }
    if count + missing.len() != right.len() {
        return Err(format!("{count} frames are merged and {} are missing, of {}", missing.len(), right.len()));
    }
    check_channels(tape, right)?;
    let verified = tape.verify(&mut |_| {}).map_err(|error| error.to_string())?;
    let new = verified.problems.into_iter().filter(|problem| !known.contains(problem)).collect::<Vec<_>>();
    if new.is_empty() {
        return Err("verify does not detect it".into());
    }
    Ok((missing, new))
}

fn check_channels(tape: &Tape, right: &All) -> Result<(), String> {
    let Some(stream) = tape.stream(CAR) else { return Ok(()) };
    let mut channels = tape.channels(stream, &["tick"]).map_err(|error| error.to_string())?;
    loop {
        match channels.next_block() {
            Ok(Some(block)) => {
                let Some(Values::U32(values)) = block.values.first() else { continue };
                for (row, value) in values.iter().enumerate() {
                    let seq = block.first_seq + row as u64;
                    if right.get(&(CAR.0, seq)).is_none_or(|(_, data)| data[..4] != value.to_le_bytes()) {
                        return Err(format!("tick of frame {seq} is wrong"));
                    }
                }
            }
            Ok(None) => break,
            Err(ReadError::Damaged(_)) => {}
            Err(error) => return Err(error.to_string()),
        }
    }
    match tape.overview(stream, "tick", 0, 0..u64::MAX, 4) {
        Ok(buckets) => {
            let range = 0.0..right.len() as f64;
            let sound = |value: Option<f64>| value.is_none_or(|value| range.contains(&value));
            if buckets.iter().all(|bucket| sound(bucket.min) && sound(bucket.max)) {
                Ok(())
            } else {
                Err(format!("overview: {buckets:?}"))
            }
        }
        Err(error) => Err(error.to_string()),
    }
}

/// The frames that damage at this byte may cost.
fn cost(all: &[Record], at: usize, right: &All) -> BTreeSet<(u16, u64)> {
    let Some(record) = all.iter().find(|record| (record.at..record.end).contains(&at)) else { return BTreeSet::new() };
    let lost = |key: &(u16, u64)| match record.kind {
        STREAM => key.0 == record.stream,
        _ if record.is_block() => {
            key.0 == record.stream && (record.first_seq..record.first_seq + record.rows).contains(&key.1)
        }
        _ => false,
    };
    right.keys().filter(|key| lost(key)).copied().collect()
}

#[test]
fn a_small_tape_has_all_that_can_be_damaged() {
    let tape = closed();
    let all = records(&tape);
    let blocks = all.iter().filter(|record| record.is_block() && record.stream == CAR.0).count();
    assert!(blocks > 16, "{blocks} blocks: not enough for ranges in runs");
    let runs =
        all.iter().any(|record| record.kind == INDEX_PAGE && record.end - record.at - HEADER > record.head_bytes);
    assert!(runs && tape.len() < 8000, "{} bytes", tape.len());
}

#[test]
fn each_flipped_byte_of_a_closed_tape_is_noticed_and_costs_only_its_block() {
    let tape = closed();
    let whole = open(&tape, &[]).unwrap();
    let right = read_all(&whole);
    assert!(whole.verify(&mut |_| {}).unwrap().is_ok());
    let all = records(&tape);
    for at in 0..tape.len() {
        for mask in [1 << (at % 8), 0xFF] {
            let mut bad = tape.clone();
            bad[at] ^= mask;
            let damaged = open(&bad, &[]).unwrap_or_else(|error| panic!("byte {at}: {error}"));
            let (missing, problems) = examine(&damaged, &right, &[]).unwrap_or_else(|text| panic!("byte {at}: {text}"));
            let cost = cost(&all, at, &right);
            assert_eq!(missing, cost, "byte {at}: {problems:?}");
            let block = all.iter().find(|record| record.is_block() && (record.at..record.end).contains(&at));
            if let Some(block) = block {
                let named = problems.iter().any(|problem| {
                    problem.stream == Some(StreamId(block.stream)) && problem.frames_lost == Some(block.rows)
                });
                assert!(named, "byte {at}: {problems:?}");
            }
        }
    }
}

#[test]
fn each_prefix_of_a_closed_tape_gives_its_whole_blocks_and_says_that_it_is_cut() {
    let tape = closed();
    let right = read_all(&open(&tape, &[]).unwrap());
    let all = records(&tape);
    for length in 0..tape.len() {
        let cut = match open(&tape[..length], &[]) {
            Ok(cut) => cut,
            Err(error) => {
                assert!(length < HEADER && matches!(error, ReadError::NotATape { .. }), "{length} bytes: {error}");
                continue;
            }
        };
        let (missing, _) = examine(&cut, &right, &[]).unwrap_or_else(|text| panic!("{length} bytes: {text}"));
        let lost = all.iter().filter(|record| record.is_block() && record.end > length);
        let expected: BTreeSet<_> = lost
            .flat_map(|record| (record.first_seq..record.first_seq + record.rows).map(|seq| (record.stream, seq)))
            .collect();
        assert_eq!(missing, expected, "{length} bytes");
    }
}

#[test]
fn each_flipped_byte_of_a_crashed_tape_is_noticed_and_costs_at_most_its_block() {
    let (tape, journals) = crashed();
    let whole = open(&tape, &journals).unwrap();
    let right = read_all(&whole);
    assert_eq!(right.iter().filter(|((stream, _), _)| *stream == CAR.0).count(), 150);
    let known = whole.verify(&mut |_| {}).unwrap().problems;
    assert!(known.iter().all(|problem| problem.kind == ProblemKind::NotClosed), "{known:?}");
    let all = records(&tape);
    for at in 0..tape.len() {
        let mut bad = tape.clone();
        bad[at] ^= if at % 2 == 0 { 0xFF } else { 1 << (at % 8) };
        let damaged = open(&bad, &journals).unwrap_or_else(|error| panic!("byte {at}: {error}"));
        let (missing, problems) = examine(&damaged, &right, &known).unwrap_or_else(|text| panic!("byte {at}: {text}"));
        assert!(missing.is_subset(&cost(&all, at, &right)), "byte {at}: {missing:?} {problems:?}");
    }
}

#[test]
fn each_flipped_byte_of_a_journal_is_noticed_and_costs_at_most_its_row() {
    let (tape, journals) = crashed();
    let whole = open(&tape, &journals).unwrap();
    let right = read_all(&whole);
    let known = whole.verify(&mut |_| {}).unwrap().problems;
    for number in 0..journals.len() {
        // The zeros after the last row are all alike.
        let used = journals[number].iter().rposition(|byte| *byte != 0).unwrap() + 40;
        for at in (0..used).chain((used..journals[number].len()).step_by(97)) {
            let mut bad = journals.clone();
            bad[number][at] ^= if at % 2 == 0 { 0xFF } else { 1 << (at % 8) };
            let damaged = open(&tape, &bad).unwrap_or_else(|error| panic!("journal {number} byte {at}: {error}"));
            let (missing, _) =
                examine(&damaged, &right, &known).unwrap_or_else(|text| panic!("journal {number} byte {at}: {text}"));
            if at >= HEADER {
                assert!(missing.len() <= 1, "journal {number} byte {at}: {missing:?}");
            }
        }
    }
}

#[test]
fn each_prefix_of_a_journal_is_read_as_far_as_it_goes() {
    let (tape, journals) = crashed();
    let right = read_all(&open(&tape, &journals).unwrap());
    for number in 0..journals.len() {
        for length in (0..journals[number].len()).step_by(7) {
            let mut cut = journals.clone();
            cut[number].truncate(length);
            compare(&right, &read_all(&open(&tape, &cut).unwrap())).unwrap();
        }
    }
}

#[test]
fn a_damaged_index_page_and_a_damaged_block_cost_that_block_alone() {
    let tape = closed();
    let right = read_all(&open(&tape, &[]).unwrap());
    let all = records(&tape);
    let page = all.iter().find(|record| record.kind == INDEX_PAGE && record.stream == CAR.0).unwrap();
    for block in all.iter().filter(|record| record.is_block() && record.stream == CAR.0) {
        let mut bad = tape.clone();
        bad[page.at + HEADER] ^= 1;
        bad[block.at] ^= 1;
        let (missing, problems) = examine(&open(&bad, &[]).unwrap(), &right, &[]).unwrap();
        assert_eq!(missing, cost(&all, block.at, &right), "{problems:?}");
    }
}

#[test]
fn an_overview_does_without_a_damaged_index_page() {
    let tape = closed();
    let all = records(&tape);
    let page = all.iter().find(|record| record.kind == INDEX_PAGE && record.stream == CAR.0).unwrap();
    let mut bad = tape.clone();
    bad[page.at + HEADER] ^= 1;
    let overview = |bytes: &[u8]| {
        let tape = open(bytes, &[]).unwrap();
        let buckets = tape.overview(tape.stream(CAR).unwrap(), "tick", 0, 0..u64::MAX, 1).unwrap();
        (buckets[0].min, buckets[0].max)
    };
    assert_eq!(overview(&bad), overview(&tape));
}

#[test]
fn control_wrong_data_with_right_checksums_is_found_out() {
    let tape = closed();
    let right = read_all(&open(&tape, &[]).unwrap());
    let mut found = 0;
    for record in records(&tape).iter().filter(|record| record.kind == ROW_BLOCK) {
        for at in record.at + HEADER..record.end {
            let mut bad = tape.clone();
            bad[at] ^= 1;
            reseal(&mut bad, record);
            found += usize::from(open(&bad, &[]).is_ok_and(|tape| compare(&right, &read_all(&tape)).is_err()));
        }
    }
    assert!(found > 20, "only {found}");
}
