//! The simulated game in real shared memory, recorded by the real recorder.
#![cfg(any(target_os = "linux", windows))]
#![allow(clippy::unwrap_used, clippy::panic, clippy::expect_used)]
use crate::game;

use std::collections::HashMap;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::mpsc::channel;

use game::this_machine::{InStep, ThisMachine};
use game::{is_of_interrupted_writer, prefix};
use gametape::capture::{
    Clock, Destination, EndReason, PageSource, Progress, RealClock, RecordOptions, Recorder, RecorderEvent, StopFlag,
    TapeSummary,
};
use gametape::format::read::Tape;
use gametape::games::ASSETTO_CORSA_FAMILY;
use gametape::sys::{Prefix, SectionReader};
use gametape_simulator::live::{GameClock, LiveError, LiveGame};
use gametape_simulator::{Rates, Script, SessionKind, Settings, Simulation};
use zerocopy::IntoBytes as _;

/// Records a game that runs on a thread of its own until its simulation is over; the tapes and why they ended.
fn record(simulation: Simulation, clock: GameClock, name: &str, hz: u32, folder: &Path) -> Vec<(PathBuf, EndReason)> {
    let prefix = prefix(name);
    let (clock, stop) = (Arc::new(clock), StopFlag::default());
    let in_step: Arc<dyn Clock> = Arc::new(InStep(Arc::clone(&clock)));
    let (told, hear) = channel();
    // Hours of data in a second: no disk keeps up with that, so all of it finds room in the journal.
    let options =
        RecordOptions { journal_bytes: 64 << 20, ..RecordOptions::new(Some(Destination::Folder(folder.into()))) };
    let progress: Arc<Progress> = Arc::default();
    let recorder = Recorder {
        options: Arc::new(options),
        clock: in_step,
        progress: Arc::clone(&progress),
        told,
        observers: Vec::new(),
        stop: stop.clone(),
        once: true,
    };
    let mut game = LiveGame::start(ThisMachine, prefix.as_str(), simulation).unwrap();
    let mut source = PageSource::new(ASSETTO_CORSA_FAMILY, prefix.clone(), hz);
    let recording = std::thread::spawn(move || recorder.run(&mut source));
    // The file of a tape is created beside the recording. On a busy machine that takes long, and meanwhile no other tape begins.
    let drive_slowly_without_a_tape = |simulation: &Simulation| {
        if simulation.ms() > 500 && !progress.is_recording() {
            std::thread::sleep(std::time::Duration::from_millis(5));
        }
        true
    };
    game.run(&clock, || stop.wanted(), drive_slowly_without_a_tape).unwrap();
    game.stop(&clock).unwrap();
    assert!(recording.join().unwrap());
    let closed = hear.iter().filter_map(|told| match told {
        RecorderEvent::Closed(TapeSummary { path, end: reason, .. }) => Some((path, reason)),
        RecorderEvent::Opened { .. } | RecorderEvent::Warned(_) => None,
        RecorderEvent::Failed(why) | RecorderEvent::Lost(why) => panic!("{why}"),
    });
    closed.collect()
}

fn frames(tape: &Tape, stream: &str) -> Vec<Vec<u8>> {
    let mut frames = tape.frames(tape.stream_named(stream).unwrap());
    let mut found = Vec::new();
    while let Some(frame) = frames.next().unwrap() {
        found.push(frame.data.to_vec());
    }
    found
}

fn number(frame: &[u8]) -> i32 {
    i32::from_le_bytes(*frame.first_chunk().unwrap())
}

fn drive(seconds: u64) -> Simulation {
    Simulation::driving(Settings::default(), Script::new().at(seconds * 1000).end())
}

/// Every physics and graphics page that the simulation writes, by its number.
fn written(mut simulation: Simulation) -> (HashMap<i32, Vec<u8>>, HashMap<i32, Vec<u8>>) {
    let (mut physics, mut graphics) = (HashMap::new(), HashMap::new());
    loop {
        let pages = simulation.pages();
        physics.insert(pages.physics.packet_id, pages.physics.as_bytes().to_vec());
        graphics.insert(pages.graphics.packet_id, pages.graphics.as_bytes().to_vec());
        if simulation.is_over() {
            return (physics, graphics);
        }
        simulation.step();
    }
}

#[test]
fn in_step_every_page_arrives_in_order_and_equal_at_any_speed() {
    let folder = tempfile::tempdir().unwrap();
    let tapes = record(drive(20), GameClock::in_step(f64::INFINITY), "in-step", 1000, folder.path());
    let [(path, EndReason::GameEnded)] = tapes.as_slice() else { panic!("{tapes:?}") };
    let tape = Tape::open(path).unwrap();
    let (physics, graphics) = written(drive(20));
    for (stream, all) in [("physics", physics), ("graphics", graphics)] {
        let found = frames(&tape, stream);
        let first = number(&found[0]);
        // The first look finds a game that runs already; from then on nothing is missing. The last graphics page says that the game is off.
        assert!(first < 100, "{stream}: {first}");
        let last = all.keys().max().unwrap();
        let mut expected = first..=*last;
        for frame in found.iter().filter(|frame| number(frame) <= *last) {
            assert_eq!(Some(number(frame)), expected.next(), "{stream}");
            assert!(all[&number(frame)] == *frame, "{stream}: page {} differs", number(frame));
        }
        assert_eq!(expected.next(), None, "{stream}");
        let counters = tape.stream_named(stream).unwrap().status().counters;
        assert_eq!((counters.missed, counters.torn, counters.dropped, counters.late), (0, 0, 0, 0), "{stream}");
    }
}

#[test]
fn in_step_the_same_seed_gives_the_same_recording() {
    let folder = tempfile::tempdir().unwrap();
    let record = |speed: f64| {
        let tapes = record(drive(15), GameClock::in_step(speed), "same", 100, folder.path());
        let tape = Tape::open(&tapes[0].0).unwrap();
        (frames(&tape, "physics"), frames(&tape, "graphics"), frames(&tape, "static"))
    };
    let (fast, slower) = (record(f64::INFINITY), record(20.0));
    assert_eq!(fast.0.len(), slower.0.len());
    assert!(fast == slower);
}

#[test]
fn in_real_time_pages_are_equal_or_their_ticks_were_missed() {
    // A machine may have better things to do for three seconds: what is recorded must be right each time, but it need not be much.
    let moments = (0..5).find_map(|_| Some(moments_recorded_in_real_time()).filter(|moments| *moments > 10));
    assert!(moments.is_some(), "five drives were hardly seen");
}

/// Records a drive in real time, checks what was recorded, and returns the number of moments from the first frame to the last look.
fn moments_recorded_in_real_time() -> u64 {
    let folder = tempfile::tempdir().unwrap();
    let prefix = prefix("real");
    let (clock, stop) = (GameClock::in_real_time(1.0), StopFlag::default());
    let (told, hear) = channel();
    let recorder = Recorder {
        options: Arc::new(RecordOptions::new(Some(Destination::Folder(folder.path().into())))),
        clock: Arc::new(RealClock::start()),
        progress: Arc::default(),
        told,
        observers: Vec::new(),
        stop: stop.clone(),
        once: true,
    };
    let mut source = PageSource::new(ASSETTO_CORSA_FAMILY, prefix.clone(), 100);
    let recording = std::thread::spawn(move || recorder.run(&mut source));
    let mut game = LiveGame::start(ThisMachine, prefix.as_str(), drive(3)).unwrap();
    let began = std::time::Instant::now();
    game.run(&clock, || stop.wanted(), |_| true).unwrap();
    assert!(began.elapsed() >= std::time::Duration::from_millis(2_900));
    game.stop(&clock).unwrap();
    // A recorder that never looked during the drive would wait for the next one.
    let given_up = std::time::Instant::now() + std::time::Duration::from_secs(20);
    while !recording.is_finished() && std::time::Instant::now() < given_up {
        std::thread::sleep(std::time::Duration::from_millis(10));
    }
    stop.stop();
    assert!(recording.join().unwrap());
    let most_moments = u64::try_from(began.elapsed().as_millis()).unwrap() / 10 + 2;
    let path = hear
        .iter()
        .find_map(|told| if let RecorderEvent::Closed(TapeSummary { path, .. }) = told { Some(path) } else { None });
    let Some(path) = path else { return 0 };
    let tape = Tape::open(path).unwrap();
    let (physics, _) = written(drive(3));
    let found = frames(&tape, "physics");
    let is_written = |frame: &Vec<u8>| {
        let (page, before) = (&physics[&number(frame)], physics.get(&(number(frame) - 1)));
        page == frame || before.is_some_and(|before| is_of_interrupted_writer(frame, page, before))
    };
    assert!(found.iter().all(is_written), "a page that the game never wrote");
    assert!(found.windows(2).all(|pair| number(&pair[0]) < number(&pair[1])));
    // Every moment from the first frame to the last look gave a page, the same page again, or was missed; a look may be late by less
    // than a period. If the look that finds the game gone is late, its missed moments are counted too, although nothing was seen after them.
    let status = tape.stream_named("physics").unwrap().status();
    let moments = status.seen_until_ns.map_or(0, |seen_until_ns| seen_until_ns / 10_000_000 + 1);
    let counted = found.len() as u64 + status.counters.missed + status.counters.unchanged;
    assert!(counted + 1 >= moments, "{moments} moments, {} pages, {status:?}", found.len());
    assert!(counted <= most_moments, "{most_moments} moments at most, {} pages, {status:?}", found.len());
    assert_eq!(status.counters.dropped, 0, "{status:?}");
    moments
}

#[test]
fn a_new_session_gives_a_new_tape_and_a_restart_does_not() {
    let folder = tempfile::tempdir().unwrap();
    let script = Script::new().at(5_000).restart().at(10_000).new_session(SessionKind::Race).at(15_000).end();
    let simulation = Simulation::driving(Settings::default(), script);
    let mut tapes = record(simulation, GameClock::in_step(10.0), "sessions", 100, folder.path());
    // Tapes are closed beside each other: the later one may be whole first.
    tapes.sort_by_key(|(_, reason)| *reason != EndReason::NewSessionType);
    let reasons: Vec<EndReason> = tapes.iter().map(|(_, reason)| *reason).collect();
    assert_eq!(reasons, [EndReason::NewSessionType, EndReason::GameEnded]);
    let session = |index: usize| Tape::open(&tapes[index].0).unwrap().metadata().get("session").cloned();
    assert_eq!((session(0).as_deref(), session(1).as_deref()), (Some("practice"), Some("race")));
    let about = Tape::open(&tapes[0].0).unwrap().metadata().clone();
    assert_eq!(about.get("car").map(String::as_str), Some("gametape_gt"));
    assert_eq!(about.get("track").map(String::as_str), Some("gametape ring"));
}

#[test]
fn a_game_that_stops_says_so_and_takes_its_names_away() {
    let prefix = prefix("stops");
    let mut game = LiveGame::start(ThisMachine, prefix.as_str(), drive(1)).unwrap();
    let reader = SectionReader::open(&prefix.section("acpmf_graphics")).unwrap().unwrap();
    let status = || {
        let mut bytes = [0; 4];
        reader.copy(4, &mut bytes).unwrap();
        i32::from_le_bytes(bytes)
    };
    assert_eq!(status(), 2);
    while game.write_next().unwrap() {}
    assert_eq!((status(), game.simulation().ms()), (2, 1000));
    drop(game);
    assert_eq!(status(), 0);
    assert!(SectionReader::open(&prefix.section("acpmf_physics")).unwrap().is_none());
}

#[test]
fn a_crash_leaves_the_last_pages_as_they_were() {
    let prefix = prefix("crash");
    let simulation =
        Simulation::driving(Settings::default(), Script::new().at(500).game_crash()).with_rates(Rates::GAME);
    let mut game = LiveGame::start(ThisMachine, prefix.as_str(), simulation).unwrap();
    while game.write_next().unwrap() {}
    let reader = SectionReader::open(&prefix.section("acpmf_graphics")).unwrap().unwrap();
    drop(game);
    let mut bytes = [0; 4];
    reader.copy(4, &mut bytes).unwrap();
    assert_eq!(i32::from_le_bytes(bytes), 2);
}

#[test]
fn two_games_do_not_share_names() {
    let prefix = prefix("taken");
    let mut first = LiveGame::start(ThisMachine, prefix.as_str(), drive(60)).unwrap();
    let stop = StopFlag::default();
    let also = stop.clone();
    let thread = std::thread::spawn(move || {
        first.run(&GameClock::in_real_time(1.0), || also.wanted(), |_| true).unwrap();
    });
    let second = LiveGame::start(ThisMachine, prefix.as_str(), drive(1));
    assert!(matches!(second, Err(LiveError::Taken { .. })));
    stop.stop();
    thread.join().unwrap();
    assert!(LiveGame::start(ThisMachine, prefix.as_str(), drive(1)).is_ok());
    let _: Prefix = prefix;
}
