//! Records the Assetto Corsa family from real shared memory.
#![cfg(any(target_os = "linux", windows))]
#![allow(clippy::unwrap_used, clippy::panic, clippy::expect_used)]
use crate::game;

use game::{Game, Recording, prefix, wait_until};
use gametape::capture::player_marker::PlayerMarker;
use gametape::capture::{EndReason, RecorderEvent, TapeSummary};
use gametape::format::TapeId;
use gametape::format::read::Tape;

fn closed(told: &RecorderEvent) -> (std::path::PathBuf, EndReason) {
    match told {
        RecorderEvent::Closed(TapeSummary { path, end: reason, .. }) => (path.clone(), *reason),
        other => panic!("{other:?}"),
    }
}

fn packets(tape: &Tape, stream: &str) -> Vec<(u64, i32)> {
    let mut frames = tape.frames(tape.stream_named(stream).unwrap());
    let mut found = Vec::new();
    while let Some(frame) = frames.next().unwrap() {
        found.push((frame.time_ns, i32::from_le_bytes(*frame.data.first_chunk().unwrap())));
    }
    found
}

#[test]
fn with_a_game_that_waits_for_the_recorder_every_frame_arrives_in_order_and_equal() {
    let (prefix, folder) = (prefix("every"), tempfile::tempdir().unwrap());
    let mut game = Game::start(&prefix);
    let recording = Recording::family(&prefix, folder.path(), 1000);
    game.status(2);
    let frames = || recording.progress.numbers().frames;
    // The first frame that moves begins the tape; the tape includes the frame before it.
    wait_until("the game is seen", || recording.progress.situation().state.is_some_and(|state| state.text() == "live"));
    game.step();
    wait_until("the tape begins", || recording.progress.is_recording() && frames() >= 4);
    for _ in 0..1000 {
        let before = frames();
        game.step();
        wait_until("the frame is taken", || frames() > before);
    }
    let told = recording.end();
    let (path, reason) = closed(told.last().unwrap());
    assert_eq!(reason, EndReason::Stopped);
    let tape = Tape::open(&path).unwrap();
    let found: Vec<i32> = packets(&tape, "physics").iter().map(|(_, packet)| *packet).collect();
    assert_eq!(found, (0..=1001).collect::<Vec<_>>());
    let mut all = tape.frames(tape.stream_named("physics").unwrap());
    while let Some(frame) = all.next().unwrap() {
        let speed = f32::from_le_bytes(frame.data[28..32].try_into().unwrap());
        let fuel = f32::from_le_bytes(frame.data[12..16].try_into().unwrap());
        assert_eq!((speed, frame.data.len()), (-fuel, 800));
    }
    let metadata = tape.metadata();
    assert_eq!(metadata.get("car").map(String::as_str), Some("test_car"));
    assert_eq!(metadata.get("track").map(String::as_str), Some("test track"));
    assert_eq!(metadata.get("game_version").map(String::as_str), Some("1.9.0"));
    assert_eq!(metadata.get("end_reason").map(String::as_str), Some("stopped"));
    assert!(metadata.contains_key("rate_hz.physics") && !metadata.contains_key("replay_of"));
    let name = path.file_name().unwrap().to_string_lossy().into_owned();
    assert!(name.starts_with("assetto-corsa-competizione_test-track_"), "{name}");
}

#[test]
fn a_session_that_ends_closes_its_tape_and_the_next_one_gets_another() {
    let (prefix, folder) = (prefix("again"), tempfile::tempdir().unwrap());
    let mut game = Game::start(&prefix);
    let recording = Recording::family(&prefix, folder.path(), 200);
    let rows = || recording.rows.load(std::sync::atomic::Ordering::Relaxed);
    let is_other = |than: &std::path::Path| recording.progress.situation().path.is_some_and(|path| path != than);
    // The game waits for the recorder while there is a tape.
    let drive = |game: &mut Game| {
        let before = rows();
        game.step();
        wait_until("the frame is taken", || rows() > before || !recording.progress.is_recording());
    };
    game.status(2);
    wait_until("it is recorded", || {
        drive(&mut game);
        recording.progress.is_recording()
    });
    let first = recording.opened();
    (0..40).for_each(|_| drive(&mut game));
    // A session of another kind, without a pause in between.
    game.session(2);
    wait_until("it gets another tape", || {
        drive(&mut game);
        is_other(&first)
    });
    (0..40).for_each(|_| drive(&mut game));
    // The old tape is closed concurrently with the new one: either notification may come first.
    let mut both = [recording.next(), recording.next()];
    both.sort_by_key(|told| matches!(told, RecorderEvent::Opened { .. }));
    let [was_closed, RecorderEvent::Opened { path: second, .. }] = both else { panic!("{both:?}") };
    assert_eq!(closed(&was_closed), (first.clone(), EndReason::NewSessionType));
    game.status(3);
    wait_until("it pauses", || recording.progress.situation().state.is_some_and(|state| state.text() == "paused"));
    game.status(0);
    let (path, reason) = closed(&recording.next());
    assert_eq!((&path, reason), (&second, EndReason::GameEnded));
    assert!(recording.end().is_empty());

    let (first, second) = (Tape::open(&first).unwrap(), Tape::open(&second).unwrap());
    let last = packets(&first, "physics").last().unwrap().1;
    let next = packets(&second, "physics").first().unwrap().1;
    assert!(next - last <= 2, "frames between {last} and {next} are on neither tape");
    let said: Vec<String> = second.events().iter().filter(|e| e.kind == "presence").map(|e| e.text.clone()).collect();
    assert_eq!(said, ["live", "paused"]);
    let session = |tape: &Tape| tape.metadata().get("session").cloned();
    assert_eq!((session(&first).as_deref(), session(&second).as_deref()), (Some("practice"), Some("race")));
}

#[test]
fn what_a_dead_game_left_behind_is_not_recorded() {
    let (prefix, folder) = (prefix("dead"), tempfile::tempdir().unwrap());
    let mut game = Game::start(&prefix);
    game.status(2);
    game.step();
    let recording = Recording::family(&prefix, folder.path(), 500);
    wait_until("it is seen", || recording.progress.situation().state.is_some_and(|state| state.text() == "live"));
    std::thread::sleep(std::time::Duration::from_millis(300));
    assert!(!recording.progress.is_recording());
    assert!(recording.end().is_empty());
    assert_eq!(std::fs::read_dir(folder.path()).unwrap().count(), 0);
}

#[test]
fn sections_that_are_replaced_under_the_recorder_are_found_again() {
    let (prefix, folder) = (prefix("replaced"), tempfile::tempdir().unwrap());
    let recording = Recording::family(&prefix, folder.path(), 200);
    for round in 0..2 {
        let mut game = Game::start(&prefix);
        game.status(2);
        wait_until("it is recorded", || {
            game.step();
            recording.progress.is_recording()
        });
        drop(game);
        recording.opened();
        assert_eq!(closed(&recording.next()).1, EndReason::GameEnded, "{round}");
    }
    assert!(recording.end().is_empty());
}

#[test]
fn a_recording_of_a_player_says_of_which_tape() {
    let (prefix, folder) = (prefix("player"), tempfile::tempdir().unwrap());
    let sign = PlayerMarker::create(&prefix, TapeId([0x2A; 16]), &gametape::games::acc::GAME).unwrap();
    let recording = Recording::family(&prefix, folder.path(), 200);
    let mut game = Game::start(&prefix);
    game.status(2);
    wait_until("it is recorded", || {
        game.step();
        recording.progress.is_recording()
    });
    let told = recording.end();
    let tape = Tape::open(closed(told.last().unwrap()).0).unwrap();
    sign.remove().unwrap();
    let expected = format!("replay of {}", TapeId([0x2A; 16]));
    assert_eq!(tape.metadata().get("replay_of"), Some(&expected));
}

#[test]
fn a_game_that_counts_from_the_beginning_again_is_noticed() {
    let (prefix, folder) = (prefix("anew"), tempfile::tempdir().unwrap());
    let recording = Recording::family(&prefix, folder.path(), 500);
    let mut game = Game::start(&prefix);
    game.physics.packet_id = 5000;
    game.status(2);
    wait_until("it is recorded", || {
        game.step();
        recording.progress.is_recording()
    });
    game.physics.packet_id = 0;
    // Earlier frames may be queued for the tape, so wait until a new one was accepted.
    wait_until("it goes on", || {
        game.step();
        (1..5000).contains(&recording.newest.load(std::sync::atomic::Ordering::Relaxed))
    });
    let told = recording.end();
    let tape = Tape::open(closed(told.last().unwrap()).0).unwrap();
    let events = tape.events();
    let said: Vec<&str> =
        events.iter().filter(|event| event.kind == "counter_fell_back").map(|event| event.text.as_str()).collect();
    let [said] = said.as_slice() else { panic!("{said:?}") };
    let from: i32 = said.strip_prefix("from ").unwrap().split(' ').next().unwrap().parse().unwrap();
    assert!(from >= 5000, "{said}");
}

#[test]
fn f9_a_page_of_a_length_that_no_known_version_has_is_recorded_and_told() {
    // Windows reports sizes in whole memory pages, so there is no note on Windows.
    for (bytes, odd) in [(1588, false), (1700, cfg!(not(windows)))] {
        let (prefix, folder) = (prefix("length"), tempfile::tempdir().unwrap());
        let recording = Recording::family(&prefix, folder.path(), 200);
        let mut game = Game::start_with(&prefix, bytes);
        game.status(2);
        wait_until("it is recorded", || {
            game.step();
            recording.progress.is_recording()
        });
        let told = recording.end();
        let Some(RecorderEvent::Opened { notes, .. }) = told.first() else { panic!("{told:?}") };
        let tape = Tape::open(closed(told.last().unwrap()).0).unwrap();
        let events = tape.events();
        let on_tape: Vec<&String> =
            events.iter().filter(|event| event.kind == "unknown_page_length").map(|event| &event.text).collect();
        assert_eq!(notes.iter().collect::<Vec<_>>(), on_tape, "the user is told what the tape says");
        assert_eq!(notes.len(), usize::from(odd), "{bytes}: {notes:?}");
        assert!(notes.iter().all(|note| note.contains("1700 bytes") && note.contains("1580, 1588")), "{notes:?}");
        let graphics = tape.streams().find(|stream| stream.name() == "graphics").unwrap();
        assert!(graphics.spec().frame_bytes == 1588, "what is known of it is recorded as such");
    }
}

#[test]
fn a_rate_that_is_no_whole_period_is_on_the_tape_as_it_was_asked_for() {
    let (prefix, folder) = (prefix("rate"), tempfile::tempdir().unwrap());
    let recording = Recording::family(&prefix, folder.path(), 333);
    let mut game = Game::start(&prefix);
    game.status(2);
    wait_until("it is recorded", || {
        game.step();
        recording.progress.is_recording()
    });
    let told = recording.end();
    let tape = Tape::open(closed(told.last().unwrap()).0).unwrap();
    assert_eq!(tape.metadata().get("sampling_hz").map(String::as_str), Some("333"));
}

#[test]
fn marks_are_put_on_the_tape_that_is_being_written() {
    let (prefix, folder) = (prefix("marks"), tempfile::tempdir().unwrap());
    let recording = Recording::family(&prefix, folder.path(), 200);
    assert!(!recording.progress.mark("too early"));
    let mut game = Game::start(&prefix);
    game.status(2);
    wait_until("it is recorded", || {
        game.step();
        recording.progress.is_recording()
    });
    assert!(recording.progress.mark("here"));
    let frames = recording.progress.numbers().frames;
    wait_until("it goes on", || {
        game.step();
        recording.progress.numbers().frames > frames + 2
    });
    let told = recording.end();
    let tape = Tape::open(closed(told.last().unwrap()).0).unwrap();
    let marks: Vec<String> = tape.events().iter().filter(|e| e.kind == "mark").map(|e| e.text.clone()).collect();
    assert_eq!(marks, ["here"]);
}
