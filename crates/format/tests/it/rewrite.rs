//! Cut, merge and recover with real files.
#![allow(clippy::unwrap_used, clippy::panic, missing_docs)]

use crate::bytes;

use std::path::{Path, PathBuf};
use std::sync::Arc;

use gametape_format::read::{ProblemKind, Tape, TapeStream};
use gametape_format::write::{
    Files, RewriteError, StdFiles, TapeBuilder, TapeFile, WriteOptions, Writer, cut, merge, recover,
};
use gametape_format::{Channel, ChannelType, Counters, Role, StreamId, StreamSpec, TapeId};

const SECOND: u64 = 1_000_000_000;
const START: i64 = 1_700_000_000_000_000_000;

fn car() -> StreamSpec {
    let channels = vec![Channel::new("a", ChannelType::F32, 0, 1, ""), Channel::new("b", ChannelType::I32, 4, 1, "")];
    StreamSpec { game: "test-game".into(), layout: "test-8".into(), ..StreamSpec::columns("car", 8, channels) }
}

fn frame(i: u64) -> Vec<u8> {
    [(i as f32 * 0.3).cos().to_le_bytes(), (i as i32).to_le_bytes()].concat()
}

/// `frames` frames at 100 Hz, a page that never changes, a text that changes every 7 s, a mark every 5 s.
fn build(path: &Path, frames: u64, start_utc_ns: i64, offset: u64) {
    let options = WriteOptions { start_utc_ns: Some(start_utc_ns), ..WriteOptions::new(TapeId([1; 16])) };
    let mut builder = TapeBuilder::create(Arc::new(StdFiles), path, &options, false).unwrap();
    let stream = builder.add_stream(car(), 0).unwrap();
    let page = builder.add_stream(StreamSpec { skip_unchanged: true, ..StreamSpec::rows("page") }, 0).unwrap();
    let text = StreamSpec { role: Role::Describe, describes: Some(stream), ..StreamSpec::rows("car.text") };
    let text = builder.add_stream(text, 0).unwrap();
    builder.metadata(0, "track", "Nowhere Ring").unwrap();
    builder.append(page, 0, b"the page").unwrap();
    for i in 0..frames {
        let time = i * SECOND / 100;
        builder.append(stream, time, &frame(i + offset)).unwrap();
        if i % 700 == 0 {
            builder.append(text, time, format!("text {}", i / 700).as_bytes()).unwrap();
        }
        if i % 500 == 0 {
            builder.event(time, "mark", &format!("mark {i}")).unwrap();
            builder.clock(time, start_utc_ns + time as i64 + i as i64).unwrap();
        }
    }
    builder.finish().unwrap();
}

fn all(tape: &Tape, stream: &TapeStream) -> Vec<(u64, Vec<u8>)> {
    let mut frames = tape.frames(stream);
    let mut out = Vec::new();
    while let Some(frame) = frames.next().unwrap() {
        out.push((frame.time_ns, frame.data.to_vec()));
    }
    out
}

fn named(tape: &Tape, name: &str) -> Vec<(u64, Vec<u8>)> {
    all(tape, tape.stream_named(name).unwrap())
}

fn temp() -> (tempfile::TempDir, impl Fn(&str) -> PathBuf) {
    let folder = tempfile::tempdir().unwrap();
    let base = folder.path().to_owned();
    (folder, move |name: &str| base.join(name))
}

fn assert_whole(tape: &Tape) {
    let verified = tape.verify(&mut |_| {}).unwrap();
    assert!(verified.is_ok(), "{:?}", verified.problems);
}

#[test]
fn cut_keeps_frames_and_what_held_at_its_begin() {
    let (_folder, path) = temp();
    build(&path("a.gtape"), 6000, START, 0);
    let tape = Tape::open(path("a.gtape")).unwrap();
    let times = 9 * SECOND + 5..41 * SECOND;
    let report = cut(Arc::new(StdFiles), &tape, times, &path("b.gtape"), TapeId([9; 16]), &mut |_| {}).unwrap();
    assert!(report.problems.is_empty());
    let part = Tape::open(path("b.gtape")).unwrap();
    assert_whole(&part);
    assert_eq!(part.start_utc_ns(), Some(START + 9_000_000_005));
    let frames = named(&part, "car");
    assert_eq!(frames.len(), 3199);
    for (n, (time, data)) in frames.iter().enumerate() {
        let i = 901 + n as u64;
        assert_eq!((*time, data.as_slice()), (i * SECOND / 100 - 9 * SECOND - 5, frame(i).as_slice()));
    }
    assert_eq!(named(&part, "page"), [(0, b"the page".to_vec())]);
    let texts: Vec<_> =
        named(&part, "car.text").into_iter().map(|(_, text)| String::from_utf8(text).unwrap()).collect();
    assert_eq!(texts, ["text 1", "text 2", "text 3", "text 4", "text 5"]);
    let car_id = part.stream_named("car").unwrap().id();
    assert_eq!(part.descriptions_of(car_id).count(), 1);
    let marks: Vec<_> = part.events().into_iter().map(|event| (event.at_ns + 9 * SECOND + 5, event.text)).collect();
    assert_eq!(marks.first().unwrap(), &(10 * SECOND, "mark 1000".to_owned()));
    assert_eq!(marks.len(), 7);
    assert_eq!(part.metadata()["track"], "Nowhere Ring");
    assert_eq!(part.clock_readings()[0], (0, START + 9_000_000_005 + 900));
    let mut channels = part.channels(part.stream_named("car").unwrap(), &["b"]).unwrap();
    assert_eq!(channels.next_block().unwrap().unwrap().values[0].as_f64(0), Some(901.0));
    assert_eq!(part.overview(part.stream_named("car").unwrap(), "b", 0, 0..u64::MAX, 1).unwrap()[0].max, Some(4099.0));
}

#[test]
fn cut_of_nothing_and_cut_over_a_file_are_refused() {
    let (_folder, path) = temp();
    build(&path("a.gtape"), 100, START, 0);
    let tape = Tape::open(path("a.gtape")).unwrap();
    let before = std::fs::read(path("a.gtape")).unwrap();
    let empty = cut(Arc::new(StdFiles), &tape, 5..5, &path("b.gtape"), TapeId([9; 16]), &mut |_| {});
    assert!(matches!(empty, Err(RewriteError::Refused(_))));
    let over = cut(Arc::new(StdFiles), &tape, 0..SECOND, &path("a.gtape"), TapeId([9; 16]), &mut |_| {});
    assert!(matches!(over, Err(RewriteError::Create(_))));
    assert_eq!(std::fs::read(path("a.gtape")).unwrap(), before);
    assert_eq!(std::fs::read_dir(path("a.gtape").parent().unwrap()).unwrap().count(), 1);
}

#[test]
fn cutting_in_two_and_merging_gives_the_same_frames() {
    let (_folder, path) = temp();
    build(&path("a.gtape"), 6000, START, 0);
    let tape = Tape::open(path("a.gtape")).unwrap();
    let middle = 33 * SECOND + 1;
    let files: Arc<StdFiles> = Arc::new(StdFiles);
    cut(files.clone(), &tape, 0..middle, &path("b.gtape"), TapeId([2; 16]), &mut |_| {}).unwrap();
    cut(files.clone(), &tape, middle..u64::MAX, &path("c.gtape"), TapeId([3; 16]), &mut |_| {}).unwrap();
    let parts = [Tape::open(path("c.gtape")).unwrap(), Tape::open(path("b.gtape")).unwrap()];
    merge(files, &parts, &path("d.gtape"), TapeId([4; 16]), &mut |_| {}).unwrap();
    let whole = Tape::open(path("d.gtape")).unwrap();
    assert_whole(&whole);
    assert_eq!(named(&whole, "car"), named(&tape, "car"));
    assert_eq!(whole.events(), tape.events());
    assert_eq!(whole.metadata(), tape.metadata());
}

#[test]
fn merge_keeps_overlapping_streams_apart() {
    let (_folder, path) = temp();
    build(&path("a.gtape"), 2000, START, 0);
    build(&path("b.gtape"), 2000, START + 5_000_000_000, 70_000);
    let tapes = [Tape::open(path("a.gtape")).unwrap(), Tape::open(path("b.gtape")).unwrap()];
    merge(Arc::new(StdFiles), &tapes, &path("c.gtape"), TapeId([4; 16]), &mut |_| {}).unwrap();
    let whole = Tape::open(path("c.gtape")).unwrap();
    assert_whole(&whole);
    assert_eq!(named(&whole, "car"), named(&tapes[0], "car"));
    let moved: Vec<_> = named(&tapes[1], "car").into_iter().map(|(time, data)| (time + 5 * SECOND, data)).collect();
    assert_eq!(named(&whole, "car@2"), moved);
    let second = whole.stream_named("car@2").unwrap().id();
    assert_eq!(whole.descriptions_of(second).next().unwrap().spec().name, "car.text@2");
}

fn record(path: &Path, frames: u64) {
    let options = WriteOptions { journal_bytes: 1 << 20, ..WriteOptions::new(TapeId([5; 16])) };
    let mut writer = Writer::create(Arc::new(StdFiles), path, &options).unwrap();
    let stream = writer.add_stream(car()).unwrap();
    for i in 0..frames {
        writer.append(stream, i * SECOND / 100, &frame(i)).unwrap();
    }
    writer.event(0, "mark", "here").unwrap();
}

#[test]
fn recover_closes_a_crashed_tape_in_place() {
    let (_folder, path) = temp();
    record(&path("a.gtape"), 2500);
    let report = recover(Arc::new(StdFiles), &path("a.gtape"), None, &mut |_| {}).unwrap();
    assert!(report.problems.is_empty(), "{:?}", report.problems);
    assert_eq!(std::fs::read_dir(path("a.gtape").parent().unwrap()).unwrap().count(), 1);
    let tape = Tape::open(path("a.gtape")).unwrap();
    assert!(tape.is_complete());
    assert_whole(&tape);
    assert_eq!(tape.id(), Some(TapeId([5; 16])));
    assert_eq!(named(&tape, "car").len(), 2500);
    assert_eq!(tape.events().len(), 1);
}

#[test]
fn recover_of_a_damaged_tape_counts_what_is_lost() {
    let (_folder, path) = temp();
    build(&path("a.gtape"), 6000, START, 0);
    let mut bytes = std::fs::read(path("a.gtape")).unwrap();
    let middle = bytes.len() / 2;
    bytes[middle] ^= 1;
    std::fs::OpenOptions::new().write(true).open(path("a.gtape")).unwrap();
    std::fs::remove_file(path("a.gtape")).unwrap();
    std::io::Write::write_all(&mut std::fs::File::create_new(path("a.gtape")).unwrap(), &bytes).unwrap();
    let report = recover(Arc::new(StdFiles), &path("a.gtape"), Some(&path("b.gtape")), &mut |_| {}).unwrap();
    assert_eq!(report.problems.len(), 1, "{:?}", report.problems);
    assert_eq!(report.problems[0].frames_lost, Some(1024));
    let tape = Tape::open(path("b.gtape")).unwrap();
    assert_whole(&tape);
    let stream = tape.stream_named("car").unwrap();
    assert_eq!((stream.totals().frames, stream.status().counters.dropped), (6000 - 1024, 1024));
    assert_eq!(std::fs::read(path("a.gtape")).unwrap(), bytes, "the source is unchanged");
}

#[test]
fn recover_refuses_a_tape_that_is_being_recorded() {
    let (_folder, path) = temp();
    let options = WriteOptions::new(TapeId([5; 16]));
    let writer = Writer::create(Arc::new(StdFiles), &path("a.gtape"), &options).unwrap();
    let refused = recover(Arc::new(StdFiles), &path("a.gtape"), None, &mut |_| {});
    assert!(matches!(refused, Err(RewriteError::Refused(_))));
    writer.finish().unwrap();
}

/// Replaces the contents of a file.
fn overwrite(path: &Path, bytes: &[u8]) {
    std::fs::remove_file(path).unwrap();
    std::io::Write::write_all(&mut std::fs::File::create_new(path).unwrap(), bytes).unwrap();
}

#[test]
fn cut_and_merge_tell_and_count_what_is_missing() {
    let (_folder, path) = temp();
    build(&path("a.gtape"), 6000, START, 0);
    let mut data = std::fs::read(path("a.gtape")).unwrap();
    let records = bytes::records(&data);
    let block =
        records.iter().filter(|record| record.kind == bytes::COLUMN_BLOCK && record.stream == 0).nth(2).unwrap();
    data[block.at + 20] ^= 1;
    let footer = records.iter().find(|record| record.kind == bytes::FOOTER).unwrap();
    data[footer.at + 70] ^= 1;
    overwrite(&path("a.gtape"), &data);
    let tape = Tape::open(path("a.gtape")).unwrap();
    assert!(tape.is_complete(), "the trailer is present");
    let lost =
        |problems: &[gametape_format::read::Problem]| -> u64 { problems.iter().filter_map(|p| p.frames_lost).sum() };
    let files: Arc<StdFiles> = Arc::new(StdFiles);
    let report = cut(files.clone(), &tape, 0..u64::MAX, &path("b.gtape"), TapeId([2; 16]), &mut |_| {}).unwrap();
    assert_eq!(lost(&report.problems), 1024, "{:?}", report.problems);
    let part = Tape::open(path("b.gtape")).unwrap();
    assert_eq!(part.stream_named("car").unwrap().status().counters.dropped, 1024);
    let tapes = [Tape::open(path("a.gtape")).unwrap()];
    let report = merge(files, &tapes, &path("c.gtape"), TapeId([3; 16]), &mut |_| {}).unwrap();
    assert_eq!(lost(&report.problems), 1024, "{:?}", report.problems);
    let whole = Tape::open(path("c.gtape")).unwrap();
    assert_eq!(whole.stream_named("car").unwrap().status().counters.dropped, 1024);
}

#[test]
fn recover_says_so_when_a_journal_is_cut_or_missing() {
    let (_folder, path) = temp();
    for (name, missing) in [("a.gtape", false), ("b.gtape", true)] {
        let options = WriteOptions { journal_bytes: 16 << 10, ..WriteOptions::new(TapeId([5; 16])) };
        let mut writer = Writer::create(Arc::new(StdFiles), &path(name), &options).unwrap();
        let stream = writer.add_stream(car()).unwrap();
        for i in 0..3000 {
            while writer.append(stream, i * SECOND, &frame(i)).is_err() {
                std::thread::yield_now();
            }
        }
        // Let the encoder create the next journal.
        let of_this_tape = |entry: &std::io::Result<std::fs::DirEntry>| {
            entry.as_ref().unwrap().file_name().to_string_lossy().contains(&format!("{name}-journal-"))
        };
        while std::fs::read_dir(path("").as_path()).unwrap().filter(of_this_tape).count() < 2 {
            std::thread::yield_now();
        }
        drop(writer);
        let mut journals: Vec<PathBuf> = std::fs::read_dir(path("").as_path())
            .unwrap()
            .map(|entry| entry.unwrap().path())
            .filter(|path| path.to_string_lossy().contains(&format!("{name}-journal-")))
            .collect();
        journals.sort_by_key(|path| path.to_string_lossy().rsplit('-').next().unwrap().parse::<u64>().unwrap());
        let victim = journals.first().unwrap();
        if missing {
            std::fs::remove_file(victim).unwrap();
        } else {
            let bytes = std::fs::read(victim).unwrap();
            overwrite(victim, &bytes[..bytes.len() / 2]);
        }
        let report = recover(Arc::new(StdFiles), &path(name), None, &mut |_| {}).unwrap();
        assert!(!report.problems.is_empty(), "{name}");
        assert!(path(&format!("{name}.damaged")).exists(), "the old file is kept");
        std::fs::remove_file(path(&format!("{name}.damaged"))).unwrap();
    }
}

#[test]
fn what_a_newer_version_wrote_is_never_rewritten() {
    let (_folder, path) = temp();
    build(&path("a.gtape"), 1500, START, 0);
    let mut data = std::fs::read(path("a.gtape")).unwrap();
    for record in bytes::records(&data) {
        if record.kind == bytes::ROW_BLOCK {
            data[record.at + 5] = 3;
            bytes::reseal(&mut data, &record);
        }
    }
    overwrite(&path("a.gtape"), &data);
    let refused = |result: Result<_, RewriteError>| match result {
        Err(RewriteError::Refused(text)) => assert!(text.contains("newer"), "{text}"),
        other => panic!("{other:?}"),
    };
    let files: Arc<StdFiles> = Arc::new(StdFiles);
    refused(recover(files.clone(), &path("a.gtape"), None, &mut |_| {}));
    let tapes = [Tape::open(path("a.gtape")).unwrap()];
    refused(cut(files.clone(), &tapes[0], 0..u64::MAX, &path("b.gtape"), TapeId([2; 16]), &mut |_| {}));
    refused(merge(files, &tapes, &path("b.gtape"), TapeId([2; 16]), &mut |_| {}));
    assert!(std::fs::read(path("a.gtape")).unwrap() == data);
    assert_eq!(std::fs::read_dir(path("").as_path()).unwrap().count(), 1, "nothing is left behind");
}

/// Sums the counters of all streams of a tape, including system streams.
fn counted(tape: &Tape) -> Counters {
    let mut sum = Counters::default();
    tape.streams().for_each(|stream| sum.add(&stream.status().counters));
    sum
}

#[test]
fn cutting_into_parts_and_merging_them_keeps_every_count() {
    let (_folder, path) = temp();
    let options = WriteOptions { start_utc_ns: Some(START), ..WriteOptions::new(TapeId([1; 16])) };
    let mut writer = Writer::create(Arc::new(StdFiles), &path("a.gtape"), &options).unwrap();
    let car = writer.add_stream(car()).unwrap();
    writer.metadata(0, "track", "Nowhere Ring").unwrap();
    let metadata = StreamId(car.0 + 1);
    // Frames from 0.2 s to 10.7 s with two pauses, each with some losses.
    let frames = (20..1070).filter(|i| !(330..350).contains(i) && !(700..820).contains(i));
    for i in frames {
        writer.append(car, i * SECOND / 100, &frame(i)).unwrap();
        let counters =
            Counters { torn: 2, missed: i % 3, late: 1, gaps: u64::from(i % 100 == 0), ..Counters::default() };
        writer.count(car, &counters);
        writer.count(metadata, &Counters { dropped: i % 2, ..Counters::default() });
    }
    // After the last frame.
    writer.count(car, &Counters { dropped: 7, ..Counters::default() });
    writer.event(12 * SECOND, "mark", "later").unwrap();
    writer.finish().unwrap();
    let tape = Tape::open(path("a.gtape")).unwrap();
    let all = counted(&tape);
    assert!(all.torn > 1800 && all.dropped > 400 && all.gaps > 5, "{all:?}");
    // As `split` does it: from the first frame of a part to its last, without the gaps between the parts.
    let parts = [20 * SECOND / 100..329 * SECOND / 100 + 1, 350 * SECOND / 100..555 * SECOND / 100];
    let parts = parts
        .into_iter()
        .chain([555 * SECOND / 100..699 * SECOND / 100 + 1, 82 * SECOND / 10..1069 * SECOND / 100 + 1]);
    let (mut sum, mut tapes) = (Counters::default(), Vec::new());
    for (number, times) in parts.enumerate() {
        let out = path(&format!("part-{number}.gtape"));
        cut(Arc::new(StdFiles), &tape, times, &out, TapeId([number as u8 + 2; 16]), &mut |_| {}).unwrap();
        tapes.push(Tape::open(&out).unwrap());
        assert!(counted(&tapes[number]).torn > 0, "each part has its share");
        sum.add(&counted(&tapes[number]));
    }
    assert_eq!(sum, all);
    merge(Arc::new(StdFiles), &tapes, &path("whole.gtape"), TapeId([9; 16]), &mut |_| {}).unwrap();
    let whole = Tape::open(path("whole.gtape")).unwrap();
    assert_whole(&whole);
    assert_eq!(counted(&whole), all);
}

/// A tape that was not closed, and its journal of hand-made rows: sequence number and time.
fn unclosed(path: &Path, rows: &[(u64, u64)]) {
    let mut tape = bytes::Builder::new();
    let spec = StreamSpec::rows("text").to_bytes();
    tape.record(bytes::Head { kind: bytes::STREAM, ..bytes::Head::default() }, &bytes::packed(&spec));
    std::fs::write(path, &tape.bytes).unwrap();
    let size = 1 << 16;
    let mut journal = bytes::journal_header(0, 64, size);
    for (seq, time_ns) in rows {
        let row = bytes::journal_row(journal.len() as u64, 0, *seq, *time_ns, 0, format!("frame {seq}").as_bytes());
        journal.extend(row);
    }
    journal.resize(size as usize, 0);
    std::fs::write(path.with_extension("gtape-journal-0"), journal).unwrap();
}

#[test]
fn a_journal_row_that_contradicts_the_others_costs_itself_alone() {
    let honest: Vec<(u64, u64)> = (0..20).map(|i| (i, i * 10)).collect();
    let with = |at: usize, row: (u64, u64)| {
        let mut rows = honest.clone();
        rows.insert(at, row);
        rows
    };
    let replaced = |at: usize, row: (u64, u64)| {
        let mut rows = honest.clone();
        rows[at] = row;
        rows
    };
    for (rows, kept) in [
        (with(10, (1 << 40, 95)), 20),
        (with(10, (1 << 40, u64::MAX - 1)), 20),
        (with(10, (1000, 95)), 20),
        (with(0, (1 << 40, 0)), 20),
        (with(20, (1 << 40, 500)), 20),
        (replaced(10, (10, 1 << 60)), 19),
        (replaced(10, (10, 3)), 19),
        (replaced(0, (1 << 40, 0)), 19),
    ] {
        let (_folder, path) = temp();
        unclosed(&path("a.gtape"), &rows);
        let report = recover(Arc::new(StdFiles), &path("a.gtape"), None, &mut |_| {}).unwrap();
        assert!(!report.problems.is_empty(), "{rows:?}");
        let tape = Tape::open(path("a.gtape")).unwrap();
        assert_whole(&tape);
        let texts = named(&tape, "text");
        assert_eq!(texts.len(), kept, "{rows:?}: {:?}", report.problems);
        assert!(texts.is_sorted_by_key(|(time, _)| *time));
        let lost = tape.stream_named("text").unwrap().status().counters.dropped;
        assert!(lost <= 2, "{lost} frames counted as lost of {rows:?}");
        let left: Vec<_> = std::fs::read_dir(path("")).unwrap().map(|file| file.unwrap().file_name()).collect();
        assert!(left.iter().all(|name| name == "a.gtape" || name == "a.gtape.damaged"), "{left:?}");
    }
}

#[test]
fn recover_leaves_no_unfinished_file_behind() {
    let (_folder, path) = temp();
    unclosed(&path("a.gtape"), &[(0, 0), (1, 5)]);
    // A leftover of a killed rewrite, and an unrelated file.
    std::fs::write(path("a.gtape.4711.part"), "half").unwrap();
    std::fs::write(path("a.gtape.mine.part"), "other").unwrap();
    recover(Arc::new(StdFiles), &path("a.gtape"), None, &mut |_| {}).unwrap();
    let mut left: Vec<_> = std::fs::read_dir(path("")).unwrap().map(|file| file.unwrap().file_name()).collect();
    left.sort();
    assert_eq!(left, ["a.gtape", "a.gtape.mine.part"]);
}

/// A disk that is full when the first byte is written.
struct Full;

impl Files for Full {
    fn create_tape(&self, path: &Path) -> std::io::Result<Box<dyn TapeFile>> {
        StdFiles.create_tape(path).map(|_| Box::new(FullFile) as Box<dyn TapeFile>)
    }
}

struct FullFile;

impl TapeFile for FullFile {
    fn append(&mut self, _: &[u8]) -> std::io::Result<()> {
        Err(std::io::ErrorKind::StorageFull.into())
    }
    fn truncate(&mut self, _: u64) -> std::io::Result<()> {
        Ok(())
    }
    fn sync(&mut self) -> std::io::Result<()> {
        Ok(())
    }
}

#[test]
fn a_full_disk_leaves_no_unfinished_file_behind() {
    let (_folder, path) = temp();
    unclosed(&path("a.gtape"), &[(0, 0), (1, 5)]);
    let before = std::fs::read_dir(path("")).unwrap().count();
    for out in [None, Some(path("b.gtape"))] {
        assert!(recover(Arc::new(Full), &path("a.gtape"), out.as_deref(), &mut |_| {}).is_err());
        assert_eq!(std::fs::read_dir(path("")).unwrap().count(), before);
    }
}

#[test]
fn a_header_of_another_length_is_a_problem() {
    let (_folder, path) = temp();
    build(&path("a.gtape"), 300, START, 0);
    let mut bytes = std::fs::read(path("a.gtape")).unwrap();
    bytes[12] = 80;
    let crc = crc32c::crc32c(&bytes[..60]);
    bytes[60..64].copy_from_slice(&crc.to_le_bytes());
    std::fs::write(path("b.gtape"), &bytes).unwrap();
    let tape = Tape::open(path("b.gtape")).unwrap();
    assert!(tape.problems().iter().any(|p| p.kind == ProblemKind::FileHeader), "{:?}", tape.problems());
}

#[test]
fn a_header_that_differs_from_its_copy_in_the_footer_is_a_problem() {
    let (_folder, path) = temp();
    build(&path("a.gtape"), 300, START, 0);
    let whole = std::fs::read(path("a.gtape")).unwrap();
    // The id, and the recording time.
    for at in [20, 36] {
        let mut bytes = whole.clone();
        bytes[at] ^= 0x55;
        let crc = crc32c::crc32c(&bytes[..60]);
        bytes[60..64].copy_from_slice(&crc.to_le_bytes());
        std::fs::write(path("b.gtape"), &bytes).unwrap();
        let verified = Tape::open(path("b.gtape")).unwrap().verify(&mut |_| {}).unwrap();
        assert!(verified.problems.iter().any(|p| p.kind == ProblemKind::FileHeader), "{at}: {:?}", verified.problems);
    }
}
