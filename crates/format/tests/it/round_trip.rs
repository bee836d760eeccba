//! From writer to reader with real files.
#![allow(clippy::unwrap_used, clippy::panic, missing_docs)]

use std::sync::Arc;

use gametape_format::read::{ReadError, Tape, Values};
use gametape_format::write::{Accepted, AppendError, CreateError, StdFiles, WriteOptions, Writer};
use gametape_format::{Channel, ChannelType, Counters, Role, StreamId, StreamSpec, TapeId};

fn car() -> StreamSpec {
    let channels = vec![
        Channel::new("tick", ChannelType::I32, 0, 1, ""),
        Channel::new("speed", ChannelType::F32, 4, 1, "km/h"),
        Channel::new("tyre", ChannelType::F32, 8, 4, "degC"),
    ];
    StreamSpec { game: "test-game".into(), ..StreamSpec::columns("car", 26, channels) }
}

fn frame(i: u64) -> Vec<u8> {
    let mut out = (i as i32).to_le_bytes().to_vec();
    out.extend((100.0 + (i as f32 * 0.01).sin() * 50.0).to_le_bytes());
    for wheel in 0..4 {
        out.extend((80.0 + wheel as f32 + (i / 100) as f32 * 0.125).to_le_bytes());
    }
    out.extend([i as u8, (i >> 8) as u8]);
    out
}

fn options() -> WriteOptions {
    WriteOptions {
        start_utc_ns: Some(1_700_000_000_000_000_000),
        journal_bytes: 64 << 10,
        ..WriteOptions::new(TapeId([3; 16]))
    }
}

fn write(path: &std::path::Path, frames: u64) -> Writer {
    let mut writer = Writer::create(Arc::new(StdFiles), path, &options()).unwrap();
    let stream = writer.add_stream(car()).unwrap();
    let text = writer
        .add_stream(StreamSpec { role: Role::Describe, describes: Some(stream), ..StreamSpec::rows("car.text") })
        .unwrap();
    writer.metadata(0, "track", "Nowhere Ring").unwrap();
    for i in 0..frames {
        let time = i * 10_000_000 + i % 7;
        loop {
            match writer.append(stream, time, &frame(i)) {
                Ok(accepted) => break assert_eq!(accepted, Accepted::Stored(i)),
                Err(AppendError::NoRoom { .. }) => std::thread::sleep(std::time::Duration::from_millis(5)),
                Err(error) => panic!("{error}"),
            }
        }
        if i % 500 == 0 {
            writer.append(text, time, format!("revision {}", i / 500).repeat(i as usize / 500 + 1).as_bytes()).unwrap();
            writer.event(time, "mark", &format!("mark {i}")).unwrap();
        }
    }
    writer
}

fn check(tape: &Tape, frames: u64) {
    let stream = tape.stream_named("car").unwrap();
    assert_eq!(stream.totals().frames, frames);
    let mut all = tape.frames(stream);
    for i in 0..frames {
        let got = all.next().unwrap().unwrap();
        assert_eq!((got.seq, got.time_ns, got.data), (i, i * 10_000_000 + i % 7, frame(i).as_slice()));
    }
    assert!(all.next().unwrap().is_none());
}

#[test]
fn frames_come_back_exact_and_in_order() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("a.gtape");
    let finished = write(&path, 5000).finish().unwrap();
    assert_eq!(std::fs::metadata(&path).unwrap().len(), finished.bytes);
    assert_eq!(std::fs::read_dir(folder.path()).unwrap().count(), 1, "one file is left");
    let tape = Tape::open(&path).unwrap();
    assert!(tape.is_complete() && tape.problems().is_empty(), "{:?}", tape.problems());
    check(&tape, 5000);
    assert_eq!(tape.metadata().get("track").map(String::as_str), Some("Nowhere Ring"));
    assert_eq!(tape.events().len(), 10);
    let verified = tape.verify(&mut |_| {}).unwrap();
    assert!(verified.is_ok(), "{:?}", verified.problems);
    check(&Tape::from_bytes(std::fs::read(&path).unwrap()).unwrap(), 5000);
    check(&Tape::from_reader(std::fs::File::open(&path).unwrap()).unwrap(), 5000);
}

#[test]
fn a_tape_without_finish_is_read_with_its_journal() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("a.gtape");
    drop(write(&path, 3000));
    let tape = Tape::open(&path).unwrap();
    assert!(!tape.is_complete() && tape.uses_journal());
    check(&tape, 3000);
    let kinds: Vec<_> = tape.problems().iter().map(|problem| problem.kind.name()).collect();
    assert_eq!(kinds, ["not_closed"]);
}

#[test]
fn seeks_find_time_number_and_what_held_then() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("a.gtape");
    write(&path, 5000).finish().unwrap();
    let tape = Tape::open(&path).unwrap();
    let stream = tape.stream_named("car").unwrap();
    let mut frames = tape.frames(stream);
    for i in [0u64, 1, 1023, 1024, 1025, 4999] {
        frames.seek_time(i * 10_000_000).unwrap();
        assert_eq!(frames.next().unwrap().unwrap().seq, i);
        frames.seek_seq(i).unwrap();
        assert_eq!(frames.next().unwrap().unwrap().seq, i);
    }
    frames.seek_time(u64::MAX).unwrap();
    assert!(frames.next().unwrap().is_none());
    let text = tape.descriptions_of(stream.id()).next().unwrap();
    let (time, bytes) = tape.frame_at(text, 12_345_000_000).unwrap().unwrap();
    assert_eq!((time / 10_000_000, bytes), (1000, "revision 2".repeat(3).into_bytes()));
}

#[test]
fn channels_are_read_by_name_and_overviews_hold_all_values() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("a.gtape");
    write(&path, 5000).finish().unwrap();
    let tape = Tape::open(&path).unwrap();
    let stream = tape.stream_named("car").unwrap();
    let mut channels = tape.channels(stream, &["speed", "tyre", "tyre[2]", "tick"]).unwrap();
    let mut row = 0u64;
    while let Some(block) = channels.next_block().unwrap() {
        let [Values::F32(speed), Values::F32(tyre), Values::F32(third), Values::I32(tick)] = block.values.as_slice()
        else {
            panic!("types")
        };
        for i in 0..block.times.len() {
            let raw = frame(row);
            assert_eq!(speed[i].to_le_bytes(), raw[4..8]);
            assert_eq!(tyre[4 * i + 3].to_le_bytes(), raw[20..24]);
            assert_eq!(third[i].to_le_bytes(), raw[16..20]);
            assert_eq!(tick[i] as u64, row);
            row += 1;
        }
    }
    assert_eq!(row, 5000);
    // Without times: the same values, from a closed tape and from a journal.
    let open_path = folder.path().join("open.gtape");
    let writer = write(&open_path, 300);
    for (path, rows) in [(&path, 5000), (&open_path, 300)] {
        let tape = Tape::open(path).unwrap();
        let stream = tape.stream_named("car").unwrap();
        let mut channels = tape.channels(stream, &["tick"]).unwrap().without_times();
        let mut ticks = Vec::new();
        while let Some(block) = channels.next_block().unwrap() {
            assert_eq!((block.first_seq, block.times.len()), (ticks.len() as u64, 0));
            let [Values::I32(tick)] = block.values.as_slice() else { panic!("types") };
            ticks.extend_from_slice(tick);
        }
        assert_eq!(ticks, (0..rows).collect::<Vec<i32>>());
    }
    writer.finish().unwrap();
    assert!(matches!(tape.channels(stream, &["sped"]), Err(ReadError::NoSuchChannel { .. })));
    let overview = tape.overview(stream, "tick", 0, 0..u64::MAX, 3).unwrap();
    assert_eq!(overview.first().unwrap().min, Some(0.0));
    assert_eq!(overview.last().unwrap().max, Some(4999.0));
    let zoomed = tape.overview(stream, "tick", 0, 0..1_000_000_000, 10).unwrap();
    assert_eq!((zoomed[3].min, zoomed[3].max), (Some(30.0), Some(39.0)));
}

#[test]
fn two_writers_on_one_file_are_refused() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("a.gtape");
    let first = write(&path, 10);
    let second = Writer::create(Arc::new(StdFiles), &path, &options());
    assert!(matches!(second, Err(CreateError::Exists { .. })));
    first.finish().unwrap();
    assert!(matches!(Writer::create(Arc::new(StdFiles), &path, &options()), Err(CreateError::Exists { .. })));
    check(&Tape::open(&path).unwrap(), 10);
}

#[test]
fn unchanged_frames_are_counted_and_seen_until_is_kept() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("a.gtape");
    let mut writer = Writer::create(Arc::new(StdFiles), &path, &options()).unwrap();
    let stream = writer.add_stream(StreamSpec { skip_unchanged: true, ..car() }).unwrap();
    for i in 0..100u64 {
        let accepted = writer.append(stream, i * 100_000_000, &frame(i / 40)).unwrap();
        assert_eq!(accepted == Accepted::Unchanged, i % 40 != 0);
    }
    writer.count(stream, &Counters { torn: 3, late: 2, ..Counters::default() });
    drop(writer);
    let crashed = Tape::open(&path).unwrap();
    let status = *crashed.stream_named("car").unwrap().status();
    assert!(
        status.counters.unchanged >= 80 && status.seen_until_ns.is_some_and(|ns| ns >= 8_900_000_000),
        "{status:?}"
    );
    assert_eq!(crashed.stream_named("car").unwrap().totals().frames, 3);
}

#[test]
fn wrong_calls_are_refused_and_lose_nothing() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("a.gtape");
    let mut writer = write(&path, 10);
    let stream = StreamId(0);
    assert!(matches!(writer.append(stream, 0, &frame(1)), Err(AppendError::TimeWentBack { .. })));
    assert!(matches!(writer.append(StreamId(99), 0, b""), Err(AppendError::NoSuchStream { .. })));
    assert!(matches!(writer.append(stream, u64::MAX, &vec![0; 17 << 20]), Err(AppendError::TooLarge { .. })));
    assert!(matches!(writer.add_stream(car()), Err(AppendError::BadStream { .. })));
    writer.finish().unwrap();
    check(&Tape::open(&path).unwrap(), 10);
}

#[test]
fn frames_of_another_size_than_the_layout_are_kept_too() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("a.gtape");
    let mut writer = Writer::create(Arc::new(StdFiles), &path, &options()).unwrap();
    let stream = writer.add_stream(car()).unwrap();
    let sizes = [26, 26, 5, 0, 26, 300, 26];
    for (i, size) in sizes.iter().enumerate() {
        writer.append(stream, i as u64, &vec![i as u8; *size]).unwrap();
    }
    writer.finish().unwrap();
    let tape = Tape::open(&path).unwrap();
    let mut frames = tape.frames(tape.stream_named("car").unwrap());
    for (i, size) in sizes.iter().enumerate() {
        assert_eq!(frames.next().unwrap().unwrap().data, vec![i as u8; *size]);
    }
    assert!(tape.verify(&mut |_| {}).unwrap().is_ok());
}

#[test]
fn a_reader_follows_a_tape_that_is_being_written() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("a.gtape");
    let mut writer = write(&path, 2500);
    let mut tape = Tape::open(&path).unwrap();
    check(&tape, 2500);
    for i in 2500..2600u64 {
        writer.append(StreamId(0), i * 10_000_000 + i % 7, &frame(i)).unwrap();
    }
    assert!(tape.refresh().unwrap());
    check(&tape, 2600);
    assert!(!tape.refresh().unwrap());
    writer.finish().unwrap();
    assert!(tape.refresh().unwrap() && tape.is_complete());
    check(&tape, 2600);
}

#[test]
fn merged_frames_are_in_order_of_time() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("a.gtape");
    write(&path, 3000).finish().unwrap();
    let tape = Tape::open(&path).unwrap();
    let mut merged = tape.merged(tape.streams().filter(|stream| stream.spec().role != Role::Status));
    let (mut last, mut count) = (0, 0);
    while let Some(frame) = merged.next().unwrap() {
        assert!(frame.time_ns >= last);
        last = frame.time_ns;
        count += 1;
    }
    assert_eq!(count, 3000 + 6 + 6 + 1);
}

#[test]
fn streams_that_a_reader_would_refuse_are_refused_by_the_writer() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("a.gtape");
    let options = WriteOptions { journal_bytes: 64 << 20, ..options() };
    let mut writer = Writer::create(Arc::new(StdFiles), &path, &options).unwrap();
    let channel = |i: u32| Channel::new(format!("{i}"), ChannelType::U8, i, 1, "");
    let wide = |name: &str| StreamSpec::columns(name, 65_536, (0..65_536).map(channel).collect());
    for name in ["a", "b"] {
        writer.add_stream(wide(name)).unwrap();
    }
    assert!(matches!(writer.add_stream(wide("c")), Err(AppendError::BadStream { .. })));
    writer.finish().unwrap();
    let tape = Tape::open(&path).unwrap();
    assert_eq!(tape.streams().count(), 2);
    assert!(tape.verify(&mut |_| {}).unwrap().is_ok(), "{:?}", tape.problems());
}

#[test]
fn the_answer_at_any_moment_is_the_one_that_frames_give_and_events_are_found_by_their_kind() {
    use gametape_format::write::TapeBuilder;

    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("answers.gtape");
    let mut tape = TapeBuilder::create(Arc::new(StdFiles), &path, &WriteOptions::new(TapeId([9; 16])), false).unwrap();
    let stream = tape.add_stream(StreamSpec::json("answers"), 0).unwrap();
    let answer = |number: u64| match number % 100 {
        17 => "<html>loading</html>".to_owned(),
        _ => format!("{{\"clock\":{}.5,\"who\":\"Player {}\"}}", number / 3, number % 4),
    };
    // More than two blocks, sometimes with two responses at the same time.
    for number in 0..2500 {
        tape.append(stream, 1_000 + number / 2 * 10, answer(number).as_bytes()).unwrap();
        if number % 50 == 0 {
            let kind = if number % 100 == 0 { "goal" } else { "save" };
            tape.event(1_000 + number / 2 * 10, kind, &format!("number {number}")).unwrap();
        }
    }
    tape.finish().unwrap();
    let tape = Tape::open(&path).unwrap();
    let stream = tape.stream_named("answers").unwrap();
    assert_eq!(tape.frame_at(stream, 999).unwrap(), None);
    for number in 0..1250 {
        let time_ns = 1_000 + number * 10;
        let expected = Some((time_ns, answer(number * 2 + 1).into_bytes()));
        assert_eq!(tape.frame_at(stream, time_ns).unwrap(), expected);
        assert_eq!(tape.frame_at(stream, time_ns + 9).unwrap(), expected);
    }
    let goals = tape.events_of("goal");
    assert_eq!((goals.len(), goals[1].text.as_str()), (25, "number 100"));
    assert_eq!((tape.events().len(), tape.events_of("lap").len()), (50, 0));
}
