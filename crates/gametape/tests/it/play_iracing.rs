//! Plays tapes of iRacing into real shared memory.
#![cfg(any(target_os = "linux", windows))]
#![allow(clippy::unwrap_used, clippy::panic, clippy::expect_used, missing_docs)]
use crate::game;
use crate::playback;
use crate::support;

use std::io::{Read as _, Write as _};
use std::net::TcpStream;
use std::path::Path;
use std::sync::atomic::Ordering;
use std::time::Duration;

use game::iracing::{Memory, ROW_BYTES, is_whole};
use game::{Recording, prefix, wait_until};
use gametape::Tape;
use gametape::capture::{Destination, IracingSource, RecordOptions, RecorderEvent, State, TapeSummary};
use gametape::format::read;
use gametape::games::iracing::{SECTION, SECTION_BYTES};
use gametape::import::import;
use gametape::play::{Ended, Player};
use gametape::sys::Prefix;
use playback::{Eye, SleepClock, frames, number};

const TEXT: &str = "---\nWeekendInfo:\n TrackDisplayName: Test Ring\n BuildVersion: 2026.01\n\n...\n";
const LONGER: &str = "---\nWeekendInfo:\n TrackDisplayName: A Much Longer Name Of A Test Ring\n\n...\n";

fn record(prefix: &Prefix, folder: &Path) -> Recording {
    let options = RecordOptions::new(Some(Destination::Folder(folder.into())));
    Recording::start(options, IracingSource::new(prefix.clone(), None))
}

fn rows(recording: &Recording) -> u64 {
    recording.rows.load(Ordering::Relaxed)
}

fn is_seen(recording: &Recording) -> bool {
    recording.progress.situation().state.is_some_and(|state| matches!(state, State::Here(_)))
}

fn recorded(told: &[RecorderEvent]) -> read::Tape {
    match told.last() {
        Some(RecorderEvent::Closed(TapeSummary { path, .. })) => read::Tape::open(path).unwrap(),
        other => panic!("{other:?}"),
    }
}

/// Records a tape from the game: sometimes two ticks at once, and two texts.
fn live_tape(folder: &Path, ticks: usize, begin_counts: bool) -> Tape {
    let prefix = prefix("original");
    let mut memory = Memory::start(&prefix, 3, begin_counts);
    memory.text(LONGER);
    let recording = record(&prefix, folder);
    memory.step();
    memory.connected(true);
    wait_until("it is seen", || is_seen(&recording));
    memory.step();
    wait_until("the tape begins", || rows(&recording) >= 2);
    while (memory.tick as usize) < 100 + ticks {
        let before = rows(&recording);
        memory.step();
        if before.is_multiple_of(5) {
            memory.step();
        }
        if before == 40 {
            memory.text(TEXT);
        }
        wait_until("it is taken", || rows(&recording) > before + u64::from(before.is_multiple_of(5)));
    }
    let told = recording.end();
    Tape::from(recorded(&told))
}

/// Plays in lockstep with a recorder and returns the recording.
fn play_in_step(tape: &Tape, folder: &Path) -> read::Tape {
    let prefix = prefix("copy");
    let mut playing = Player::new(tape).names(prefix.clone()).start().unwrap();
    playing.step().unwrap();
    let recording = record(&prefix, folder);
    wait_until("it is seen", || is_seen(&recording));
    playing.step().unwrap();
    wait_until("the tape begins", || rows(&recording) >= 2);
    let memory = Eye::open(&prefix, SECTION).unwrap();
    let tick = || newest_tick(&memory.bytes(0, 112));
    loop {
        let (before, tick_before) = (rows(&recording), tick());
        let numbers = recording.progress.numbers().frames;
        if playing.step().unwrap().is_none() {
            break;
        }
        match tick() == tick_before {
            true => wait_until("the text is taken", || recording.progress.numbers().frames > numbers),
            false => wait_until("the row is taken", || rows(&recording) > before),
        }
    }
    let told = recording.end();
    playing.stop().unwrap();
    recorded(&told)
}

fn bytes_of(tape: &read::Tape, stream: &str) -> Vec<Vec<u8>> {
    frames(tape, stream).into_iter().map(|(_, bytes)| bytes).collect()
}

fn newest_tick(header: &[u8]) -> i32 {
    (0..3).map(|index| number(header, 48 + 16 * index)).max().unwrap()
}

#[test]
fn in_step_a_recorder_gets_rows_texts_variables_and_headers_equal() {
    for begin_counts in [true, false] {
        let folders = [tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap()];
        let tape = live_tape(folders[0].path(), 120, begin_counts);
        let copy = play_in_step(&tape, folders[1].path());
        for stream in ["telemetry", "telemetry.variables", "session-text"] {
            assert_eq!(bytes_of(&copy, stream), bytes_of(tape.raw(), stream), "{stream}");
        }
        assert_eq!(bytes_of(&copy, "session-text").len(), 2);
        // The copy has a header for each row; those of the tape are among them, byte for byte.
        let headers = bytes_of(&copy, "telemetry.header");
        for original in bytes_of(tape.raw(), "telemetry.header") {
            let tick = newest_tick(&original);
            let same = headers.iter().rfind(|header| newest_tick(header) == tick);
            assert_eq!(same, Some(&original), "at tick {tick}");
        }
        assert_eq!(copy.stream_named("telemetry").unwrap().status().counters.missed, 0);
    }
}

// Wine wakes up threads up to 40 ms late, so real-time results mean nothing there.
#[cfg(target_os = "linux")]
#[test]
fn in_real_time_ticks_arrive_or_are_counted_as_missed() {
    let folders = [tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap()];
    let source = support::put(&folders[0].path().join("a.ibt"), &support::ibt(240));
    let out = folders[0].path().join("a.gtape");
    import(&source, &out, &mut |_| {}).unwrap();
    let tape = Tape::open(&out).unwrap();
    let prefix = prefix("real");
    let recording = record(&prefix, folders[1].path());
    let mut playing = Player::new(&tape).names(prefix).speed(2.0).start().unwrap();
    assert_eq!(playing.run().unwrap(), Ended::AtEnd);
    assert_eq!(playing.stop().unwrap().frames, 240);
    wait_until("it is closed", || !recording.progress.is_recording());
    let copy = recorded(&recording.end());
    let (all, arrived) = (bytes_of(tape.raw(), "telemetry"), bytes_of(&copy, "telemetry"));
    let first = all.iter().position(|row| Some(row) == arrived.first()).unwrap();
    let missed = copy.stream_named("telemetry").unwrap().status().counters.missed;
    // The recorder finds the game within 200 ms; rows in older buffers are recorded too.
    assert!(first < 40, "{first}");
    // The player ends with its last row: a recorder that reads a moment later finds no game, and has nothing to count.
    let end = all.iter().rposition(|row| Some(row) == arrived.last()).unwrap() + 1;
    assert!(end > first + 40, "{first}..{end}");
    assert_eq!(arrived.len() as u64 + missed, (end - first) as u64, "every row arrived or was counted");
    let mut rest = all.iter();
    assert!(arrived.iter().all(|row| rest.any(|original| original == row)), "in order, and each on the tape");
}

#[test]
fn over_loops_and_seeks_ticks_and_text_numbers_never_fall() {
    let folder = tempfile::tempdir().unwrap();
    let (tape, prefix) = (live_tape(folder.path(), 80, true), prefix("rise"));
    let mut playing = Player::new(&tape).names(prefix.clone()).looping(true).speed(3.0).start().unwrap();
    let (controls, clock) = (playing.controls(), SleepClock::default());
    let memory = Eye::open(&prefix, SECTION).unwrap();
    let (mut last, mut shown, mut texts) = ([i32::MIN; 3], 0, 0);
    let ended = playing.run_by(&clock, &mut |_| {
        let header = memory.bytes(0, 112);
        let tick = newest_tick(&header);
        let buffer = (0..3).find(|index| number(&header, 48 + 16 * index) == tick).unwrap();
        let row = memory.bytes(number(&header, 52 + 16 * buffer) as u64, ROW_BYTES);
        let now = [tick, number(&row, 0), number(&header, 12)];
        assert!(now.iter().zip(last).all(|(now, last)| *now >= last), "{now:?} after {last:?}");
        assert!(is_whole_but_tick(&row), "a row of one tick");
        texts += usize::from(now[2] > last[2]);
        last = now;
        shown += 1;
        match shown {
            100 => controls.seek(Duration::ZERO),
            130 => controls.back(Duration::from_millis(200)),
            170 => controls.forward(Duration::from_millis(300)),
            400 => controls.stop(),
            _ => {}
        }
    });
    assert_eq!(ended.unwrap(), Ended::Stopped);
    assert!(texts >= 3, "the texts change with each loop: {texts}");
    playing.stop().unwrap();
}

/// The counter at the start may have been increased; the rest of the row belongs to one tick.
fn is_whole_but_tick(row: &[u8]) -> bool {
    let mut same = row.to_vec();
    same[0] = row[13];
    is_whole(&same)
}

#[test]
fn the_memory_is_laid_out_as_clients_expect_and_they_see_it_go() {
    let folder = tempfile::tempdir().unwrap();
    let source = support::put(&folder.path().join("a.ibt"), &support::ibt(30));
    let out = folder.path().join("a.gtape");
    import(&source, &out, &mut |_| {}).unwrap();
    let (tape, prefix) = (Tape::open(&out).unwrap(), prefix("layout"));
    let mut playing = Player::new(&tape).names(prefix.clone()).start().unwrap();
    let memory = Eye::open(&prefix, SECTION).unwrap();
    assert_eq!((memory.len(), memory.number(4)), (u64::from(SECTION_BYTES), 0), "not connected before the first row");
    let mut buffers = Vec::new();
    while playing.step().unwrap().is_some() {
        let header = memory.bytes(0, 112);
        let tick = newest_tick(&header);
        buffers.push((0..3).find(|index| number(&header, 48 + 16 * index) == tick).unwrap());
        assert_eq!(number(&header, 40), tick);
        assert_eq!(usize::from(header[44]), *buffers.last().unwrap());
        assert_eq!(number(&header, 56 + 16 * buffers.last().unwrap()), tick);
    }
    assert_eq!(buffers, (0..30).map(|row| row % 3).collect::<Vec<_>>(), "three rotating buffers");
    let header = memory.bytes(0, 112);
    let fields: Vec<i32> = (0..10).map(|index| number(&header, 4 * index)).collect();
    assert_eq!(fields, [2, 1, 60, 1, 524_288, 112, 6, 524_400, 3, support::ROW_BYTES as i32]);
    let text = memory.bytes(112, 524_288);
    let end = text.iter().position(|byte| *byte == 0).unwrap();
    assert!(text.starts_with(b"---\nWeekendInfo:") && text[end..].iter().all(|byte| *byte == 0));
    playing.stop().unwrap();
    assert_eq!(memory.number(4), 0);
    assert!(Eye::open(&prefix, SECTION).is_none());
}

#[test]
fn a_shorter_text_leaves_nothing_of_the_longer_one() {
    let folder = tempfile::tempdir().unwrap();
    let (tape, prefix) = (live_tape(folder.path(), 80, true), prefix("texts"));
    let mut playing = Player::new(&tape).names(prefix.clone()).start().unwrap();
    let memory = Eye::open(&prefix, SECTION).unwrap();
    while playing.step().unwrap().is_some() {}
    let room = memory.bytes(memory.number(20) as u64, memory.number(16) as usize);
    assert_eq!(&room[..TEXT.len()], TEXT.as_bytes());
    assert!(room[TEXT.len()..].iter().all(|byte| *byte == 0));
    assert_eq!(memory.number(12), 2);
}

#[test]
fn clients_that_ask_are_told_that_the_game_runs_and_a_taken_port_is_said() {
    let folder = tempfile::tempdir().unwrap();
    let source = support::put(&folder.path().join("a.ibt"), &support::ibt(5));
    let out = folder.path().join("a.gtape");
    import(&source, &out, &mut |_| {}).unwrap();
    let tape = Tape::open(&out).unwrap();
    let player = |test: &str, port| Player::new(&tape).names(prefix(test)).status_port(port);
    let playing = player("asked", Some(0)).start().unwrap();
    let address = playing.status_address().unwrap();
    let mut client = TcpStream::connect(address).unwrap();
    client.write_all(b"GET /get_sim_status?object=simStatus HTTP/1.1\r\nHost: x\r\n\r\n").unwrap();
    let mut answer = String::new();
    client.read_to_string(&mut answer).unwrap();
    assert!(answer.contains("running:1"), "{answer}");
    let second = player("taken", Some(address.port())).start().unwrap();
    assert!(second.notes().iter().any(|note| note.contains("not available")), "{:?}", second.notes());
    assert_eq!(second.status_address(), None);
    playing.stop().unwrap();
    assert!(TcpStream::connect(address).is_err());
    assert_eq!(player("nobody", None).start().unwrap().status_address(), None);
}
