//! Tapes in the library: read as structs and samples, and played into the callbacks of a capture.
#![allow(clippy::unwrap_used, clippy::panic, clippy::expect_used, missing_docs)]
use crate::scripted;

use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex};
use std::time::Duration;

use gametape::capture::{Clock, Description, EndReason};
use gametape::games::Layout;
use gametape::library::Fault;
use gametape::tape::TapeError;
use gametape::{Capture, StartError, Tape, ac, acc};
use scripted::{LongTick, Tick, tick_tape, ticks_description, write_tape};
use zerocopy::{FromZeros as _, IntoBytes as _};

/// Physics at 100 Hz and graphics at 10 Hz, for some seconds.
fn acc_tape(path: &Path, seconds: u64) {
    let mut description = Description::of_game(acc::GAME.id);
    description.layout("physics", "shm", &acc::PHYSICS_800);
    description.layout("graphics", "shm", &acc::GRAPHICS_1588);
    let mut frames = Vec::new();
    for tick in 0..seconds * 100 {
        let mut physics = acc::Physics::new_zeroed();
        physics.packet_id = tick as i32;
        physics.speed_kmh = tick as f32 / 10.0;
        frames.push((0, tick * 10_000_000, physics.as_bytes().to_vec()));
        if tick % 10 == 0 {
            let mut graphics = acc::Graphics::new_zeroed();
            graphics.packet_id = tick as i32;
            graphics.status = 2;
            graphics.completed_laps = (tick / 1000) as i32;
            frames.push((1, tick * 10_000_000, graphics.as_bytes().to_vec()));
        }
    }
    write_tape(path, &description.streams, &frames);
}

fn file(name: &str) -> (tempfile::TempDir, PathBuf) {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join(name);
    (folder, path)
}

#[test]
fn frames_come_back_as_structs_with_their_times() {
    let (_folder, path) = file("a.gtape");
    acc_tape(&path, 30);
    let mut tick = 0u64;
    for (t, p) in Tape::open(&path).unwrap().frames::<acc::Physics>().unwrap() {
        assert_eq!((t, p.packet_id), (Duration::from_millis(tick * 10), tick as i32));
        assert_eq!(p.speed_kmh, tick as f32 / 10.0);
        tick += 1;
    }
    assert_eq!(tick, 3000);
    let tape = Tape::open(&path).unwrap();
    let mut frames = tape.frames::<acc::Graphics>().unwrap();
    frames.seek(Duration::from_millis(25_001)).unwrap();
    let (t, graphics) = frames.next().unwrap();
    assert_eq!((t, graphics.packet_id, graphics.completed_laps), (Duration::from_millis(25_100), 2510, 2));
    assert_eq!(tape.try_frames::<acc::Physics>().unwrap().map(Result::unwrap).count(), 3000);
}

#[test]
fn a_tape_has_samples() {
    let (_folder, path) = file("a.gtape");
    acc_tape(&path, 2);
    let tape = Tape::open(&path).unwrap();
    let samples: Vec<_> = tape.samples().unwrap().collect();
    assert_eq!(samples.len(), 220);
    let (t, last) = samples.last().unwrap();
    assert_eq!((*t, last.speed_kmh, last.laps_completed), (Duration::from_millis(1990), Some(19.9), Some(0)));

    let played = Arc::new(Mutex::new(Vec::new()));
    let calls = Arc::clone(&played);
    let capture = Capture::new().source(tape.clone()).on_sample(move |t, s| calls.lock().unwrap().push((t, *s)));
    capture.start().unwrap().wait_for_end().unwrap();
    assert_eq!(*played.lock().unwrap(), samples);

    let (_folder, path) = file("b.gtape");
    tick_tape(&path, 3);
    let unknown = Tape::open(&path).unwrap().samples().err();
    assert!(matches!(unknown, Some(TapeError::UnknownGame { game }) if game == "scripted"));
}

#[test]
fn a_struct_of_another_length_or_game_is_an_error_that_names_both() {
    let (_folder, path) = file("a.gtape");
    let of = |stream: &str, layout: &Layout| {
        let mut description = Description::of_game(acc::GAME.id);
        description.layout(stream, "shm", layout);
        description.streams.remove(0)
    };
    let streams = [of("graphics", &acc::GRAPHICS_1580), of("static", &acc::STATIC_756)];
    write_tape(&path, &streams, &[(0, 0, vec![1; 1580]), (1, 0, vec![1; 756])]);
    let tape = Tape::open(&path).unwrap();

    let text = tape.frames::<acc::Graphics>().err().unwrap().to_string();
    assert!(text.contains("1580 bytes (layout \"acc-graphics-1580\")") && text.contains("has 1588 bytes"), "{text}");
    let text = tape.try_frames::<acc::Static>().err().unwrap().to_string();
    assert!(text.contains("756 bytes") && text.contains("820 bytes"), "{text}");
    let text = tape.frames::<ac::Graphics>().err().unwrap().to_string();
    let expected = "the tape has no stream graphics of assetto-corsa; it has graphics of assetto-corsa-competizione, \
                    static of assetto-corsa-competizione";
    assert_eq!(text, expected);

    let error = Capture::new().source(tape.clone()).on(|_, _: &acc::Graphics| {}).start().err().unwrap();
    assert!(matches!(error, StartError::WrongType(Fault::WrongType { frame_bytes: 1580, type_bytes: 1588, .. })));
    let error = Capture::new().source(tape.clone()).on(|_, _: &ac::Static| {}).start().err().unwrap();
    assert!(matches!(error, StartError::NobodyGives { .. }), "{error}");
    let running = Capture::new().source(tape).start().unwrap();
    assert!(matches!(running.frames::<acc::Graphics>().err(), Some(StartError::WrongType(_))));
}

#[test]
fn a_frame_of_another_length_in_the_middle_of_a_stream_is_found_before_the_loop() {
    let (_folder, path) = file("a.gtape");
    let tick = |number: u64| (0, number, Tick::new(number).as_bytes().to_vec());
    let frames = [tick(0), tick(1), (0, 2, vec![7; 5]), tick(3)];
    write_tape(&path, &ticks_description().streams, &frames);
    let tape = Tape::open(&path).unwrap();
    let error = tape.frames_of::<Tick>("ticks").err().unwrap();
    assert!(matches!(error, TapeError::WrongType(Fault::WrongType { frame_bytes: 5, type_bytes: 16, .. })), "{error}");
    let each: Vec<_> = tape.try_frames_of::<Tick>("ticks").unwrap().collect();
    assert_eq!(each.iter().filter(|frame| frame.is_ok()).count(), 3);
    assert!(matches!(each[2], Err(TapeError::WrongType(_))));
}

#[test]
fn damage_is_told_before_the_loop_and_can_be_read_around() {
    let (_folder, path) = file("a.gtape");
    acc_tape(&path, 40);
    let whole: Vec<_> = Tape::open(&path).unwrap().frames::<acc::Physics>().unwrap().collect();
    let mut bytes = std::fs::read(&path).unwrap();
    let (mut told, mut read_around) = (0, 0);
    for at in (100..bytes.len()).step_by(bytes.len() / 60) {
        bytes[at] ^= 0x10;
        let raw = gametape::format::read::Tape::from_bytes(bytes.clone());
        bytes[at] ^= 0x10;
        let Ok(raw) = raw else { continue };
        let tape = Tape::from(raw);
        match tape.frames::<acc::Physics>() {
            // Damage elsewhere in the tape: every frame is present and correct.
            Ok(frames) => assert!(frames.eq(whole.iter().copied()), "byte {at}"),
            Err(_) => told += 1,
        }
        let Ok(frames) = tape.try_frames::<acc::Physics>() else { continue };
        let kept: Vec<_> = frames.filter_map(Result::ok).collect();
        assert!(kept.iter().all(|frame| whole.contains(frame)), "byte {at}");
        read_around += u64::from(!kept.is_empty() && kept.len() < whole.len());
    }
    assert!(told > 10 && read_around > 10, "{told} {read_around}");
}

#[test]
fn a_tape_that_was_cut_short_is_not_taken_for_a_short_one() {
    let (_folder, path) = file("a.gtape");
    acc_tape(&path, 40);
    let bytes = std::fs::read(&path).unwrap();
    for length in (200..bytes.len()).step_by(bytes.len() / 50) {
        let Ok(raw) = gametape::format::read::Tape::from_bytes(bytes[..length].to_vec()) else { continue };
        let tape = Tape::from(raw);
        let whole = tape.frames::<acc::Physics>().is_ok_and(|frames| frames.count() == 4000);
        let said = tape.frames::<acc::Physics>().err().is_some();
        assert!(whole || said, "{length} of {} bytes", bytes.len());
        let started = Capture::new().source(tape).start();
        assert!(whole || started.is_err(), "{length} of {} bytes", bytes.len());
    }
}

#[test]
fn a_damaged_tape_as_a_source_fails_visibly() {
    let (_folder, path) = file("a.gtape");
    acc_tape(&path, 40);
    let mut bytes = std::fs::read(&path).unwrap();
    let (mut before, mut during) = (0, 0);
    for at in (100..bytes.len()).step_by(bytes.len() / 60) {
        bytes[at] ^= 0x10;
        let raw = gametape::format::read::Tape::from_bytes(bytes.clone());
        bytes[at] ^= 0x10;
        let Ok(raw) = raw else { continue };
        match Capture::new().source(Tape::from(raw)).start() {
            Err(error) => {
                assert!(matches!(error, StartError::Damaged(_)), "{error}");
                before += 1;
            }
            Ok(capture) => match capture.wait_for_end() {
                Ok(summary) => assert_eq!(summary.frames, 4400, "byte {at}"),
                Err(error) => {
                    assert!(error.to_string().starts_with("the tape cannot be read to its end"), "{error}");
                    during += 1;
                }
            },
        }
    }
    assert!(before > 0 && during > 5, "{before} {during}");
}

#[test]
fn a_tape_at_full_speed_gives_each_frame_once_however_slow_the_callback() {
    let (_folder, path) = file("a.gtape");
    tick_tape(&path, 5000);
    let seen = Arc::new(Mutex::new(Vec::new()));
    let calls = Arc::clone(&seen);
    let summary = Capture::new()
        .source(Tape::open(&path).unwrap())
        .on_stream("ticks", move |t, tick: &Tick| {
            if tick.number.is_multiple_of(500) {
                std::thread::sleep(Duration::from_millis(5));
            }
            calls.lock().unwrap().push((t, *tick));
        })
        .start()
        .unwrap()
        .wait_for_end()
        .unwrap();
    let tape = Tape::open(&path).unwrap();
    let frames: Vec<_> = tape.frames_of::<Tick>("ticks").unwrap().collect();
    assert_eq!(frames[0].0, Duration::from_secs(1), "times are those of the tape");
    assert_eq!(*seen.lock().unwrap(), frames);
    assert_eq!((summary.frames, summary.skipped, summary.end), (5000, 0, EndReason::SourceEnded));
    assert!(summary.tapes.is_empty(), "a tape is not recorded again unless that is asked for");
}

#[test]
fn iterators_over_a_tape_at_full_speed_miss_nothing() {
    let (_folder, path) = file("a.gtape");
    acc_tape(&path, 60);
    let capture = Capture::new().source(Tape::open(&path).unwrap()).start().unwrap();
    // Long enough for the tape to end if it did not wait for a reader.
    std::thread::sleep(Duration::from_millis(100));
    let physics = capture.frames::<acc::Physics>().unwrap();
    let graphics = capture.frames::<acc::Graphics>().unwrap();
    let other = std::thread::spawn(move || graphics.count());
    let packets: Vec<i32> = physics.map(|(_, p)| p.packet_id).collect();
    assert_eq!(packets, (0..6000).collect::<Vec<_>>());
    assert_eq!(other.join().unwrap(), 600);
    assert_eq!(capture.wait_for_end().unwrap().skipped, 0);
}

#[test]
fn an_iterator_that_is_dropped_does_not_hold_the_tape_up() {
    let (_folder, path) = file("a.gtape");
    tick_tape(&path, 3000);
    let capture = Capture::new().source(Tape::open(&path).unwrap()).start().unwrap();
    let mut frames = capture.frames_of::<Tick>("ticks").unwrap();
    assert_eq!(frames.next().unwrap().1.number, 0);
    drop(frames);
    let summary = capture.wait_for_end().unwrap();
    assert_eq!((summary.frames, summary.skipped), (3000, 0));
}

#[test]
fn several_tapes_at_full_speed_share_their_callbacks() {
    let (folder, path) = file("a.gtape");
    tick_tape(&path, 3000);
    let second = folder.path().join("b.gtape");
    acc_tape(&second, 10);
    for together in [false, true] {
        let (ticks, physics) = (Arc::new(AtomicU64::new(0)), Arc::new(AtomicU64::new(0)));
        let (tick_calls, physics_calls) = (Arc::clone(&ticks), Arc::clone(&physics));
        let (first, second) = (Tape::open(&path).unwrap(), Tape::open(&second).unwrap());
        let capture = Capture::new().source(first);
        let capture = if together { capture.and(second) } else { capture.source(second) };
        let summary = capture
            .on_stream("ticks", move |_, _: &Tick| {
                tick_calls.fetch_add(1, Ordering::Relaxed);
            })
            .on(move |_, _: &acc::Physics| {
                physics_calls.fetch_add(1, Ordering::Relaxed);
            })
            .start()
            .unwrap()
            .wait_for_end()
            .unwrap();
        let calls = (ticks.load(Ordering::Relaxed), physics.load(Ordering::Relaxed));
        assert_eq!((calls, summary.skipped, summary.frames), ((3000, 1000), 0, 4100), "{together}");
    }
}

#[test]
fn a_tape_at_full_speed_is_not_mixed_with_what_has_a_pace_of_its_own() {
    let (folder, path) = file("a.gtape");
    tick_tape(&path, 3);
    let tape = || Tape::open(&path).unwrap();
    let mixed = Capture::new().source(tape()).source(acc::physics()).realtime_only().start().err();
    assert!(matches!(mixed, Some(StartError::MixedSpeeds)));
    let to_tape = Capture::new().source(tape()).to(folder.path().join("b.gtape")).start().err();
    assert!(matches!(to_tape, Some(StartError::TooFast)));
    let no_such = Capture::new().source(tape()).on_stream("tocks", |_, _: &Tick| {}).start().err();
    assert!(matches!(no_such, Some(StartError::NobodyGives { .. })));
    let longer = Capture::new().source(tape()).on_stream("ticks", |_, _: &LongTick| {}).start().err();
    assert!(matches!(longer, Some(StartError::WrongType(_))));
}

/// A clock that jumps to the latest time that a sleeper requested.
#[derive(Default)]
struct JumpingClock(AtomicU64);

impl Clock for JumpingClock {
    fn now_ns(&self) -> u64 {
        self.0.load(Ordering::SeqCst)
    }

    fn utc_ns(&self) -> i64 {
        1_700_000_000_000_000_000
    }

    fn sleep_until_ns(&self, moment_ns: u64) {
        self.0.fetch_max(moment_ns, Ordering::SeqCst);
    }
}

#[test]
fn in_real_time_frames_come_when_they_are_due_and_can_be_recorded_again() {
    let (folder, path) = file("a.gtape");
    tick_tape(&path, 300);
    let again = folder.path().join("again.gtape");
    let clock = Arc::new(JumpingClock::default());
    let early = Arc::new(AtomicU64::new(0));
    let (times, early_calls) = (Arc::clone(&clock), Arc::clone(&early));
    let summary = Capture::new()
        .clock(clock.clone())
        .source(Tape::open(&path).unwrap().real_time())
        .to(&again)
        .on_stream("ticks", move |t, _: &Tick| {
            if u128::from(times.now_ns()) < t.as_nanos() {
                early_calls.fetch_add(1, Ordering::Relaxed);
            }
        })
        .start()
        .unwrap()
        .wait_for_end()
        .unwrap();
    assert_eq!((early.load(Ordering::Relaxed), summary.tapes[0].frames), (0, 300));
    // One second before the first frame, then ten milliseconds for each.
    assert!(clock.now_ns() >= 3_990_000_000, "{}", clock.now_ns());
    let frames = |path: &Path| Tape::open(path).unwrap().frames_of::<Tick>("ticks").unwrap().collect::<Vec<_>>();
    assert_eq!(frames(&path), frames(&again));
    let said = Tape::open(&again).unwrap().metadata().get("replay_of").cloned();
    assert_eq!(said.as_deref(), Some("replay of 09090909090909090909090909090909"));
}
