//! Records iRacing from real shared memory.
#![cfg(any(target_os = "linux", windows))]
#![allow(clippy::unwrap_used, clippy::panic, clippy::expect_used)]
use crate::game;
use crate::support;

use game::iracing::Memory;
use game::{Recording, prefix, wait_until};
use gametape::capture::{
    Batch, Clock, Destination, EndReason, IracingSource, RealClock, RecordOptions, RecorderEvent, Source as _, State,
    TapeSummary,
};
use gametape::format::read::Tape;
use gametape::games::iracing::{SECTION, SECTION_BYTES};
use gametape::sys::{Prefix, SectionWriter};

const TEXT: &str = "---\nWeekendInfo:\n TrackDisplayName: Test Ring\n BuildVersion: 2026.01\n\n...\n";

fn record(prefix: &Prefix, folder: &std::path::Path) -> Recording {
    let options = RecordOptions::new(Some(Destination::Folder(folder.into())));
    Recording::start(options, IracingSource::new(prefix.clone(), None))
}

fn ticks(tape: &Tape) -> Vec<i32> {
    let mut frames = tape.frames(tape.stream_named("telemetry").unwrap());
    let mut found = Vec::new();
    while let Some(frame) = frames.next().unwrap() {
        found.push(i32::from_le_bytes(*frame.data.first_chunk().unwrap()));
    }
    found
}

fn tape_of(told: &RecorderEvent) -> (Tape, EndReason) {
    match told {
        RecorderEvent::Closed(TapeSummary { path, end: reason, .. }) => (Tape::open(path).unwrap(), *reason),
        other => panic!("{other:?}"),
    }
}

#[test]
fn every_tick_is_recorded_also_those_in_older_buffers() {
    let (prefix, folder) = (prefix("ticks"), tempfile::tempdir().unwrap());
    let mut memory = Memory::start(&prefix, 4, true);
    let recording = record(&prefix, folder.path());
    memory.text(TEXT);
    memory.step();
    memory.connected(true);
    wait_until("it is seen", || {
        recording.progress.situation().state.is_some_and(|state| matches!(state, State::Here(_)))
    });
    let rows = || recording.rows.load(std::sync::atomic::Ordering::Relaxed);
    memory.step();
    wait_until("the tape begins", || rows() >= 2);
    // Two ticks at once: one of them is in an older buffer when the recorder reads.
    for _ in 0..50 {
        let before = rows();
        memory.step();
        memory.step();
        wait_until("they are taken", || rows() >= before + 2);
    }
    memory.connected(false);
    let told = recording.opened();
    let (tape, reason) = tape_of(&recording.next());
    assert_eq!(reason, EndReason::GameEnded);
    assert!(told.file_name().unwrap().to_string_lossy().starts_with("iracing_test-ring_"), "{told:?}");
    assert_eq!(ticks(&tape), (101..=202).collect::<Vec<_>>());
    assert_eq!(tape.stream_named("telemetry").unwrap().status().counters.missed, 0);
    for (stream, least) in [("telemetry.variables", 1), ("telemetry.header", 50), ("session-text", 1)] {
        let frames = tape.stream_named(stream).unwrap().totals().frames;
        assert!(frames >= least, "{stream}: {frames}");
    }
    assert!(recording.end().is_empty());
}

#[test]
fn a_short_absence_gives_no_tick_twice() {
    let (prefix, folder) = (prefix("absence"), tempfile::tempdir().unwrap());
    let mut memory = Memory::start(&prefix, 3, true);
    memory.step();
    memory.connected(true);
    let recording = record(&prefix, folder.path());
    let state = |text: &str| recording.progress.situation().state.is_some_and(|state| state.text() == text);
    wait_until("it is seen", || {
        recording.progress.situation().state.is_some_and(|state| matches!(state, State::Here(_)))
    });
    memory.step();
    wait_until("the tape begins", || recording.progress.is_recording());
    memory.connected(false);
    wait_until("it is away", || state("the game is in its menus"));
    memory.connected(true);
    wait_until("it is back", || !state("the game is in its menus"));
    memory.step();
    wait_until("it goes on", || recording.rows.load(std::sync::atomic::Ordering::Relaxed) >= 3);
    let told = recording.end();
    let (tape, _) = tape_of(told.last().unwrap());
    assert_eq!(ticks(&tape), [101, 102, 103]);
    assert_eq!(tape.stream_named("telemetry").unwrap().status().counters.gaps, 1);
}

#[test]
fn ticks_that_went_by_unseen_are_counted() {
    let (prefix, folder) = (prefix("missed"), tempfile::tempdir().unwrap());
    let mut memory = Memory::start(&prefix, 3, false);
    memory.step();
    memory.connected(true);
    let recording = record(&prefix, folder.path());
    wait_until("it is seen", || {
        recording.progress.situation().state.is_some_and(|state| matches!(state, State::Here(_)))
    });
    memory.step();
    wait_until("the tape begins", || recording.progress.is_recording());
    memory.tick += 1000;
    memory.step();
    wait_until("the tick is taken", || recording.progress.numbers().counters.missed == 1000);
    let told = recording.end();
    let (tape, _) = tape_of(told.last().unwrap());
    assert_eq!(tape.stream_named("telemetry").unwrap().status().counters.missed, 1000);
    assert_eq!(ticks(&tape), [101, 102, 1103]);
}

#[test]
fn a_game_that_counts_from_the_beginning_again_is_noticed() {
    let (prefix, folder) = (prefix("anew"), tempfile::tempdir().unwrap());
    let mut memory = Memory::start(&prefix, 3, true);
    memory.tick = 5000;
    memory.step();
    memory.connected(true);
    let recording = record(&prefix, folder.path());
    wait_until("the tape begins", || {
        memory.step();
        recording.progress.is_recording()
    });
    memory.tick = 10;
    // All buffers must have the new tick count before new rows can be told from old ones.
    (0..3).for_each(|_| memory.step());
    wait_until("it goes on", || {
        memory.step();
        (1..5000).contains(&recording.newest.load(std::sync::atomic::Ordering::Relaxed))
    });
    let last = memory.tick;
    let told = recording.end();
    let (tape, _) = tape_of(told.last().unwrap());
    let said = tape.events().iter().filter(|event| event.kind == "counter_fell_back").count();
    assert_eq!(said, 1);
    let ticks = ticks(&tape);
    let anew = ticks.iter().position(|tick| *tick < 5000).unwrap();
    let (old, new) = ticks.split_at(anew);
    assert!(old.iter().all(|tick| *tick > 5000) && new.iter().all(|tick| (11..=last).contains(tick)), "{ticks:?}");
    assert!(new.is_sorted_by(|one, next| one < next), "no row twice: {ticks:?}");
}

#[test]
fn each_session_has_a_tape_that_describes_itself() {
    let (prefix, folder) = (prefix("sessions"), tempfile::tempdir().unwrap());
    let mut memory = Memory::start(&prefix, 3, true);
    memory.text(TEXT);
    memory.step();
    memory.connected(true);
    let recording = record(&prefix, folder.path());
    wait_until("it is seen", || {
        recording.progress.situation().state.is_some_and(|state| matches!(state, State::Here(_)))
    });
    let rows = || recording.rows.load(std::sync::atomic::Ordering::Relaxed);
    // The game waits for the recorder; a new session is reported after it has persisted for a while.
    let drive = |memory: &mut Memory, is_enough: &dyn Fn() -> bool| {
        wait_until("it is driven", || {
            let before = rows();
            memory.step();
            wait_until("the row is taken", || rows() > before || !recording.progress.is_recording());
            is_enough()
        });
    };
    drive(&mut memory, &|| rows() > 20);
    let first = recording.opened();
    memory.session = 1;
    drive(&mut memory, &|| recording.progress.situation().path.is_some_and(|path| path != first));
    let begun = rows();
    drive(&mut memory, &|| rows() > begun + 20);
    let told: Vec<RecorderEvent> =
        recording.end().into_iter().filter(|told| matches!(told, RecorderEvent::Closed(_))).collect();
    let [first, second] = &told[..] else { panic!("{told:?}") };
    assert_eq!((tape_of(first).1, tape_of(second).1), (EndReason::NewSession, EndReason::Stopped));
    let (first, second) = (tape_of(first).0, tape_of(second).0);
    for tape in [&first, &second] {
        for stream in ["telemetry.variables", "telemetry.header", "session-text"] {
            assert!(tape.stream_named(stream).unwrap().totals().frames > 0, "{stream}");
        }
        assert_eq!(tape.metadata().get("track").map(String::as_str), Some("Test Ring"));
    }
    assert_eq!(ticks(&first).last().unwrap() + 1, *ticks(&second).first().unwrap());
}

/// A clock that advances only by sleeping, and calls a function on each sleep.
struct StepClock<F>(std::sync::atomic::AtomicU64, F);

impl<F: Fn() + Send + Sync> Clock for StepClock<F> {
    fn now_ns(&self) -> u64 {
        self.0.load(std::sync::atomic::Ordering::Relaxed)
    }

    fn utc_ns(&self) -> i64 {
        0
    }

    fn sleep_until_ns(&self, moment_ns: u64) {
        self.0.fetch_max(moment_ns, std::sync::atomic::Ordering::Relaxed);
        self.1();
    }
}

#[test]
fn a_new_text_does_not_change_the_times_of_rows() {
    let prefix = prefix("times");
    let mut memory = Memory::start(&prefix, 4, true);
    memory.step();
    memory.connected(true);
    let clock = StepClock(1_000_000_000.into(), || {});
    let (mut source, mut batch) = (IracingSource::new(prefix, None), Batch::default());
    source.read(&clock, &mut batch).unwrap();
    batch.clear();
    clock.sleep_until_ns(2_000_000_000);
    memory.step();
    memory.step();
    memory.text(TEXT);
    source.read(&clock, &mut batch).unwrap();
    let times = |stream: usize| -> Vec<u64> {
        batch.frames().filter(|frame| frame.stream == stream).map(|frame| frame.time_ns / 1000).collect()
    };
    // The copies of the text are 50 µs apart; one of the two rows was written a tick (60 Hz) before the other.
    assert_eq!((times(3), times(0)), (vec![2_000_000], vec![2_000_050 - 16_666 - 1, 2_000_050]));
}

#[test]
fn a_text_that_is_being_written_is_torn_and_tried_again() {
    let prefix = prefix("text");
    let mut memory = Memory::start(&prefix, 4, true);
    memory.text(TEXT);
    memory.step();
    memory.connected(true);
    let section = SectionWriter::create(&prefix.section(SECTION), SECTION_BYTES.into()).unwrap();
    // The game keeps writing between the two copies, without changing the update counter.
    let writes = std::sync::atomic::AtomicBool::new(true);
    let clock = StepClock(1_000_000_000.into(), || {
        if writes.swap(false, std::sync::atomic::Ordering::Relaxed) {
            section.write(4096 + 10, b"X").unwrap();
        }
    });
    let (mut source, mut batch) = (IracingSource::new(prefix, None), Batch::default());
    source.read(&clock, &mut batch).unwrap();
    assert_eq!((batch.counters()[3].torn, batch.frames().filter(|frame| frame.stream == 3).count()), (1, 0));
    source.read(&clock, &mut batch).unwrap();
    assert_eq!((batch.counters()[3].torn, batch.frames().filter(|frame| frame.stream == 3).count()), (1, 1));
}

#[test]
fn a_memory_that_does_not_move_and_one_that_lies_are_not_recorded() {
    let (prefix, folder) = (prefix("dead"), tempfile::tempdir().unwrap());
    let mut memory = Memory::start(&prefix, 3, true);
    // All buffers hold different rows, as a crashed game leaves them.
    (0..5).for_each(|_| memory.step());
    memory.connected(true);
    let recording = record(&prefix, folder.path());
    wait_until("it is seen", || {
        recording.progress.situation().state.is_some_and(|state| matches!(state, State::Here(_)))
    });
    std::thread::sleep(std::time::Duration::from_millis(200));
    assert!(!recording.progress.is_recording());
    drop(memory);
    let liar = SectionWriter::create(&prefix.section(SECTION), SECTION_BYTES.into()).unwrap();
    liar.write(0, &[0x7F; 112]).unwrap();
    wait_until("it is said", || {
        recording.progress.situation().state.is_some_and(|state| state.text().contains("expected"))
    });
    liar.remove().unwrap();
    assert!(recording.end().is_empty());
    assert_eq!(std::fs::read_dir(folder.path()).unwrap().count(), 0);
}

#[test]
fn real_memory_is_read_as_the_game_wrote_it() {
    let Some(data) = support::real_data("real_memory_is_read_as_the_game_wrote_it") else { return };
    for (name, row_bytes) in [("live_map_a.bin", 7419..=8154), ("live_map_b.bin", 7419..=8154)] {
        let bytes = std::fs::read(data.join("irsdk-live").join(name)).unwrap();
        let prefix = prefix("real");
        let section = SectionWriter::create(&prefix.section(SECTION), bytes.len() as u64).unwrap();
        section.write(0, &bytes).unwrap();
        // The dump may be of a game that was just disconnecting.
        section.write(4, &1_i32.to_le_bytes()).unwrap();
        let mut source = IracingSource::new(prefix, None);
        let mut batch = Batch::default();
        let state = source.read(&RealClock::start(), &mut batch).unwrap();
        assert!(matches!(state, State::Here(_)), "{name}: {state:?}");
        let telemetry = batch.description().streams.first().unwrap();
        assert!(row_bytes.contains(&telemetry.frame_bytes), "{name}: {}", telemetry.frame_bytes);
        assert!(telemetry.channels.iter().any(|channel| channel.name == "CarIdxLapDistPct"), "{name}");
        let rows: Vec<_> = batch.frames().filter(|frame| frame.stream == 0).collect();
        let newest = (0..3).max_by_key(|i| i32::from_le_bytes(bytes[48 + 16 * i..][..4].try_into().unwrap())).unwrap();
        let at = i32::from_le_bytes(bytes[52 + 16 * newest..][..4].try_into().unwrap()) as usize;
        let expected = &bytes[at..at + telemetry.frame_bytes as usize];
        assert_eq!(rows.last().unwrap().bytes, expected, "{name}");
        assert!(batch.frames().any(|frame| frame.stream == 3 && frame.bytes.starts_with(b"---")), "{name}");
        assert!(source.about().track.is_some(), "{name}");
        section.remove().unwrap();
    }
}
