//! The library with running games: real shared memory, real sockets.
#![cfg(target_os = "linux")]
#![allow(clippy::unwrap_used, clippy::panic, clippy::expect_used, missing_docs)]
use crate::game;

use std::mem::offset_of;
use std::net::UdpSocket;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex};
use std::time::Duration;

use game::iracing::Memory;
use game::{Game, prefix, wait_until};
use gametape::capture::{Away, Batch, Clock, Description, EndReason, Pace, Source, SourceError, State};
use gametape::games::{Kind, Presence};
use gametape::library::Fault;
use gametape::sys::{Prefix, SectionWriter};
use gametape::{Capture, RunningCapture, Tape, ac, acc, iracing, shared_memory};
use zerocopy::{FromBytes, Immutable, IntoBytes};

/// Drives until a number of frames was received.
fn drive(game: &mut Game, capture: &RunningCapture, frames: u64) {
    let wanted = capture.frames_seen() + frames;
    wait_until("the frames are seen", || {
        game.step();
        std::thread::sleep(Duration::from_millis(1));
        capture.frames_seen() >= wanted
    });
}

fn streams(tape: &Tape) -> Vec<String> {
    let of_games = tape.streams().filter(|stream| !stream.spec().role.is_system());
    of_games.map(|stream| stream.spec().name.clone()).collect()
}

#[test]
fn one_stream_of_a_game_is_recorded_under_its_name() {
    let (prefix, folder) = (prefix("one"), tempfile::tempdir().unwrap());
    let mut game = Game::start(&prefix);
    let last = Arc::new(AtomicU64::new(0));
    let called = Arc::clone(&last);
    let capture = Capture::new()
        .source(acc::physics())
        .names(prefix.as_str())
        .hz(500)
        .on(move |_, p: &acc::Physics| {
            assert_eq!(p.speed_kmh, -p.fuel);
            called.store(p.packet_id as u64, Ordering::Relaxed);
        })
        .folder(folder.path())
        .start()
        .unwrap();
    game.status(2);
    drive(&mut game, &capture, 50);
    // The tape can be read while it is being written.
    let path = capture.progress().next().unwrap().situation().path.unwrap();
    assert!(Tape::open(&path).unwrap().frames::<acc::Physics>().unwrap().count() >= 50);
    assert!(capture.mark("here"));
    drive(&mut game, &capture, 50);
    let summary = capture.stop().unwrap();
    let tape = Tape::open(&summary.tapes[0].path).unwrap();
    assert_eq!(streams(&tape), ["physics"]);
    let name = path.file_name().unwrap().to_str().unwrap();
    let time = name.strip_prefix("assetto-corsa-competizione_physics_").unwrap().strip_suffix(".gtape").unwrap();
    assert!(time.len() == 15 && time.as_bytes()[8] == b'_', "{name}");
    let recorded: Vec<_> = tape.frames::<acc::Physics>().unwrap().map(|(_, p)| p.packet_id).collect();
    assert_eq!(recorded.len() as u64, summary.frames);
    assert_eq!(*recorded.last().unwrap() as u64, last.load(Ordering::Relaxed));
    assert_eq!(tape.metadata().get("car").map(String::as_str), Some("test_car"), "though its page is not recorded");
    assert!(tape.events().iter().any(|event| event.kind == "mark" && event.text == "here"));
}

#[test]
fn a_page_that_never_changes_is_recorded_when_the_game_moves() {
    let (prefix, folder) = (prefix("static"), tempfile::tempdir().unwrap());
    let mut game = Game::start(&prefix);
    game.status(2);
    let capture =
        Capture::new().source(acc::static_page()).names(prefix.as_str()).folder(folder.path()).start().unwrap();
    drive(&mut game, &capture, 1);
    let tape = Tape::open(&capture.stop().unwrap().tapes[0].path).unwrap();
    let pages: Vec<_> = tape.frames::<acc::Static>().unwrap().collect();
    assert_eq!((pages.len(), pages[0].1.car_model.to_string()), (1, "test_car".into()));
}

#[test]
fn streams_of_one_game_share_a_tape_and_one_look() {
    let (prefix, folder) = (prefix("share"), tempfile::tempdir().unwrap());
    let mut game = Game::start(&prefix);
    game.status(2);
    let names = prefix.as_str();
    let plans = [
        Capture::new().names(names).source(acc::physics()).and(acc::graphics()),
        Capture::new().source(acc::physics()).names(names).hz(500).and(acc::graphics()),
        Capture::new().source(acc::physics()).and(acc::graphics()).names(names),
    ];
    for (number, plan) in plans.into_iter().enumerate() {
        let path = folder.path().join(format!("{number}.gtape"));
        let capture = plan.to(&path).start().unwrap();
        drive(&mut game, &capture, 20);
        capture.stop().unwrap();
        let tape = Tape::open(&path).unwrap();
        assert_eq!(streams(&tape), ["physics", "graphics"]);
        assert!(tape.frames::<acc::Graphics>().unwrap().count() >= 1);
        let rate = if number == 1 { "500" } else { "100" };
        assert_eq!(tape.metadata().get("sampling_hz").map(String::as_str), Some(rate));
    }

    let capture = Capture::new().source(&acc::GAME).names(names).folder(folder.path()).start().unwrap();
    drive(&mut game, &capture, 20);
    let tape = Tape::open(&capture.stop().unwrap().tapes[0].path).unwrap();
    assert_eq!(streams(&tape), ["physics", "graphics", "static"]);
}

#[test]
fn a_capture_ends_with_the_game_or_waits_for_it_again() {
    for again in [false, true] {
        let (prefix, folder) = (prefix("again"), tempfile::tempdir().unwrap());
        let capture = Capture::new().source(acc::physics()).names(prefix.as_str()).folder(folder.path());
        let capture = if again { capture.again() } else { capture }.start().unwrap();
        let mut game = Game::start(&prefix);
        game.status(2);
        drive(&mut game, &capture, 10);
        drop(game);
        let summary = if again {
            wait_until("the first tape is closed", || !capture.progress().next().unwrap().is_recording());
            let mut game = Game::start(&prefix);
            game.status(2);
            drive(&mut game, &capture, 10);
            capture.stop().unwrap()
        } else {
            capture.wait_for_end().unwrap()
        };
        let ends: Vec<_> = summary.tapes.iter().map(|tape| tape.end).collect();
        match again {
            false => {
                assert_eq!((ends.as_slice(), summary.end), ([EndReason::GameEnded].as_slice(), EndReason::GameEnded))
            }
            true => assert_eq!(ends, [EndReason::GameEnded, EndReason::Stopped]),
        }
    }
}

#[test]
fn another_game_with_the_same_names_is_not_the_one_that_was_asked_for() {
    let prefix = prefix("other");
    let mut game = Game::start(&prefix);
    game.status(2);
    let capture = Capture::new().source(ac::physics()).names(prefix.as_str()).realtime_only().start().unwrap();
    for _ in 0..200 {
        game.step();
        std::thread::sleep(Duration::from_millis(1));
    }
    assert_eq!(capture.stop().unwrap().frames, 0, "this is Competizione");
}

#[test]
fn an_older_page_of_the_game_is_recorded_and_never_misread() {
    let (prefix, folder) = (prefix("older"), tempfile::tempdir().unwrap());
    let mut game = Game::start(&prefix);
    game.status(2);
    // Another section of that name with the 1580 bytes of an older version.
    let name = prefix.section("acpmf_graphics");
    std::fs::remove_file(format!("/dev/shm/{name}")).unwrap();
    let short = SectionWriter::create(&name, 1580).unwrap();
    short.write(0, &game.graphics.as_bytes()[..1580]).unwrap();
    let capture = Capture::new()
        .source(acc::graphics())
        .names(prefix.as_str())
        .folder(folder.path())
        .on(|_, _: &acc::Graphics| panic!("misread"))
        .start()
        .unwrap();
    drive(&mut game, &capture, 1);
    let error = capture.stop().unwrap_err();
    short.remove().unwrap();
    std::mem::forget(game); // One of its sections is gone already.
    let [Fault::WrongType { frame_bytes: 1580, type_bytes: 1588, layout, .. }] = error.faults.as_slice() else {
        panic!("{error:?}")
    };
    assert_eq!(layout, "acc-graphics-1580");
    let tape = Tape::open(&error.summary.tapes[0].path).unwrap();
    assert_eq!(tape.stream_named("graphics").unwrap().totals().frames, 1);
    for page in ["acpmf_physics", "acpmf_static"] {
        std::fs::remove_file(format!("/dev/shm/{}", prefix.section(page))).unwrap();
    }
}

#[test]
fn a_game_that_describes_itself_is_read_by_the_names_of_its_channels() {
    let (prefix, folder) = (prefix("rows"), tempfile::tempdir().unwrap());
    let mut memory = Memory::start(&prefix, 4, true);
    memory.text("---\nWeekendInfo:\n TrackDisplayName: Test Ring\n\n...\n");
    let (ticks, samples) = (Arc::new(Mutex::new(Vec::new())), Arc::new(AtomicU64::new(0)));
    let (seen, sampled) = (Arc::clone(&ticks), Arc::clone(&samples));
    let capture = Capture::new()
        .names(prefix.as_str())
        .source(&iracing::GAME)
        .folder(folder.path())
        .on_row("telemetry", move |_, row| seen.lock().unwrap().push(row.integer("SessionTick").unwrap()))
        .on_sample(move |_, sample| {
            sampled.fetch_add(u64::from(sample.speed_kmh.is_some()), Ordering::Relaxed);
        })
        .start()
        .unwrap();
    memory.step();
    memory.connected(true);
    wait_until("enough is recorded", || {
        memory.step();
        std::thread::sleep(Duration::from_millis(10));
        ticks.lock().unwrap().len() >= 50
    });
    let summary = capture.stop().unwrap();
    let ticks = ticks.lock().unwrap();
    assert!(ticks.windows(2).all(|pair| pair[1] > pair[0]), "{ticks:?}");
    let tape = Tape::open(&summary.tapes[0].path).unwrap();
    assert_eq!(tape.stream_named("telemetry").unwrap().totals().frames, ticks.len() as u64);
    assert!(samples.load(Ordering::Relaxed) >= 50);
    assert_eq!(tape.samples().unwrap().count() as u64, summary.frames);
}

/// The struct of an unsupported game.
#[derive(Debug, Clone, Copy, FromBytes, IntoBytes, Immutable)]
#[repr(C)]
struct MyCar {
    tick: u32,
    on_track: u32,
    speed: f32,
    inverse: u32,
}

fn my_car(tick: u32) -> MyCar {
    MyCar { tick, on_track: u32::from(tick > 5), speed: tick as f32 / 2.0, inverse: !tick }
}

#[test]
fn a_game_of_ones_own_is_a_struct_and_a_section() {
    let (prefix, folder) = (prefix("own"), tempfile::tempdir().unwrap());
    let speeds = Arc::new(Mutex::new(Vec::new()));
    let seen = Arc::clone(&speeds);
    let capture = Capture::new()
        .source(
            shared_memory::<MyCar>("my_car")
                .game("my-game")
                .stream("car")
                .hz(1000)
                .live_when(|car| car.on_track == 1)
                .channel("tick", offset_of!(MyCar, tick), Kind::U32, 1, "")
                .channel("speed", offset_of!(MyCar, speed), Kind::F32, 1, "m/s"),
        )
        .names(prefix.as_str())
        .folder(folder.path())
        .on(move |_, car: &MyCar| seen.lock().unwrap().push(car.speed))
        .start()
        .unwrap();
    let state = || capture.progress().next().unwrap().situation().state;
    wait_until("it is looked for", || state() == Some(State::Away(Away::NotThere)));
    let name = prefix.section("my_car");
    let short = SectionWriter::create(&name, 15).unwrap();
    wait_until(
        "the short one is refused",
        || matches!(state(), Some(State::Away(Away::Unreadable(text))) if text.ends_with("has 15 bytes, the struct 16")),
    );
    short.remove().unwrap();
    let section = SectionWriter::create(&name, 4096).unwrap();
    let mut tick = 0;
    wait_until("enough is recorded", || {
        tick += 1;
        section.write(0, my_car(tick).as_bytes()).unwrap();
        // Frames wait while the tape is created, and then come all at once: slowly until then, so that they fit into the queue of the callback
        // however long the disk takes.
        let seen = capture.frames_seen();
        std::thread::sleep(Duration::from_millis(if seen == 0 { 50 } else { 2 }));
        seen >= 100
    });
    assert_eq!(capture.skipped(), 0);
    section.remove().unwrap();
    let summary = capture.wait_for_end().unwrap();
    assert_eq!(summary.end, EndReason::GameEnded);
    let path = &summary.tapes[0].path;
    assert!(path.file_name().unwrap().to_str().unwrap().starts_with("my-game_car_"), "{}", path.display());
    let tape = Tape::open(path).unwrap();
    let cars: Vec<_> = tape.frames_of::<MyCar>("car").unwrap().map(|(_, car)| car).collect();
    assert!(cars.iter().all(|car| car.inverse == !car.tick && car.tick > 5));
    assert_eq!(*speeds.lock().unwrap(), cars.iter().map(|car| car.speed).collect::<Vec<_>>());
    let channel = tape.stream_named("car").unwrap().spec().channel("speed").unwrap().clone();
    assert_eq!((channel.offset, channel.unit.as_str()), (8, "m/s"));
}

/// A custom source for a game that sends datagrams; this is all the code it needs.
struct Udp(UdpSocket);

impl Source for Udp {
    fn pace(&self) -> Pace {
        Pace::Source
    }

    fn read(&mut self, clock: &dyn Clock, batch: &mut Batch) -> Result<State, SourceError> {
        if batch.described() == 0 {
            let mut description = Description::of_game("my-udp-game");
            description.rows("car", "udp");
            batch.describe(description);
        }
        let mut datagram = [0; 1500];
        match self.0.recv(&mut datagram) {
            Ok(length) => batch.frame(0, clock.now_ns(), &datagram[..length]),
            Err(error) if error.kind() == std::io::ErrorKind::WouldBlock => {}
            Err(source) => return Err(SourceError::Io { what: "the socket".into(), source }),
        }
        Ok(State::Here(Presence::Live))
    }
}

fn udp() -> (Udp, UdpSocket) {
    let here = UdpSocket::bind("127.0.0.1:0").unwrap();
    here.set_read_timeout(Some(Duration::from_millis(50))).unwrap();
    let there = UdpSocket::bind("127.0.0.1:0").unwrap();
    there.connect(here.local_addr().unwrap()).unwrap();
    (Udp(here), there)
}

#[test]
fn a_game_that_sends_datagrams_is_a_source_of_ones_own() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("udp.gtape");
    let (source, socket) = udp();
    let sum = Arc::new(AtomicU64::new(0));
    let called = Arc::clone(&sum);
    let capture = Capture::new()
        .source(source)
        .to(&path)
        .on_stream("car", move |_, car: &MyCar| {
            called.fetch_add(u64::from(car.tick), Ordering::Relaxed);
        })
        .start()
        .unwrap();
    for tick in 1..=500 {
        socket.send(my_car(tick).as_bytes()).unwrap();
        wait_until("it came", || capture.frames_seen() == u64::from(tick));
    }
    let summary = capture.stop().unwrap();
    assert_eq!((summary.frames, summary.skipped, sum.load(Ordering::Relaxed)), (500, 0, 500 * 501 / 2));
    let tape = Tape::open(&path).unwrap();
    let ticks: Vec<_> = tape.frames_of::<MyCar>("car").unwrap().map(|(_, car)| car.tick).collect();
    assert_eq!(ticks, (1..=500).collect::<Vec<_>>());
}

#[test]
fn a_sampled_game_and_a_socket_share_a_tape() {
    let (prefix, folder) = (prefix("both"), tempfile::tempdir().unwrap());
    let path = folder.path().join("both.gtape");
    let (source, socket) = udp();
    let mut game = Game::start(&prefix);
    game.status(2);
    let capture = Capture::new().source(acc::physics()).names(prefix.as_str()).and(source).to(&path).start().unwrap();
    let mut tick = 0;
    wait_until("there is enough of both", || {
        game.step();
        tick += 1;
        socket.send(my_car(tick).as_bytes()).unwrap();
        std::thread::sleep(Duration::from_millis(5));
        capture.frames_seen() > 100 && tick > 60
    });
    let summary = capture.stop().unwrap();
    let tape = Tape::open(&path).unwrap();
    assert_eq!(streams(&tape), ["physics", "car"]);
    let ticks: Vec<_> = tape.frames_of::<MyCar>("car").unwrap().map(|(_, car)| car.tick).collect();
    assert!(ticks.len() > 20 && ticks.windows(2).all(|pair| pair[1] == pair[0] + 1), "{ticks:?}");
    assert!(tape.frames::<acc::Physics>().unwrap().count() > 20);
    assert_eq!(summary.tapes[0].loss.dropped, 0);
    assert_eq!(Prefix::new(prefix.as_str()), Some(prefix));
}
