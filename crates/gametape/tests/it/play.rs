//! Plays tapes of the Assetto Corsa family into real shared memory.
#![cfg(any(target_os = "linux", windows))]
#![allow(clippy::unwrap_used, clippy::panic, clippy::expect_used, missing_docs)]
use crate::game;
use crate::playback;

use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use game::{Game, Recording, drop_interrupted, prefix, wait_until};
use gametape::capture::{RealClock, RecorderEvent, TapeSummary};
use gametape::format::read::Tape;
use gametape::play::{Ended, PlayError, Player, RunningGame};
#[cfg(target_os = "linux")]
use playback::number;
use playback::{Eye, MS, PERIOD_NS, SleepClock, frames, pages_tape};

const PAGES: [(&str, &str); 3] =
    [("physics", "acpmf_physics"), ("graphics", "acpmf_graphics"), ("static", "acpmf_static")];

fn recorded(told: &[RecorderEvent]) -> Tape {
    match told.last() {
        Some(RecorderEvent::Closed(TapeSummary { path, .. })) => Tape::open(path).unwrap(),
        other => panic!("{other:?}"),
    }
}

#[test]
fn in_step_a_recorder_gets_every_frame_of_the_tape_equal() {
    let (prefix, folder) = (prefix("step"), tempfile::tempdir().unwrap());
    let (_, tape) = pages_tape(folder.path(), 300);
    let recordings = tempfile::tempdir().unwrap();
    let mut playing = Player::new(&tape).names(prefix.clone()).start().unwrap();
    playing.step().unwrap();
    let recording = Recording::family(&prefix, recordings.path(), 1000);
    let seen = || recording.progress.numbers().frames;
    wait_until("the game is seen", || recording.progress.situation().state.is_some_and(|state| state.text() == "live"));
    playing.step().unwrap();
    wait_until("the tape begins", || recording.progress.is_recording() && seen() >= 4);
    loop {
        let before = seen();
        if playing.step().unwrap().is_none() {
            break;
        }
        wait_until("the frame is taken", || seen() > before);
    }
    let told = recording.end();
    assert_eq!(playing.stop().unwrap().frames, 300 + 100 + 1);
    let copy = recorded(&told);
    for (stream, _) in PAGES {
        let bytes = |tape: &Tape| frames(tape, stream).into_iter().map(|(_, bytes)| bytes).collect::<Vec<_>>();
        let (mut found, played) = (bytes(&copy), bytes(tape.raw()));
        // The player goes on when a frame was taken: half a page in place of the page may be that frame.
        let interrupted = drop_interrupted(&mut found, &played);
        let mut rest = played.iter();
        let is_in_order = found.iter().all(|frame| rest.any(|page| page == frame));
        let missing = played.len().saturating_sub(found.len());
        assert!(is_in_order && missing <= interrupted, "{stream}: {missing} missing, {interrupted} interrupted");
    }
    assert_eq!(copy.metadata().get("replay_of"), tape.raw().id().map(|id| format!("replay of {id}")).as_ref());
}

#[test]
fn in_real_time_frames_arrive_equal_or_are_counted() {
    let (prefix, folder) = (prefix("real"), tempfile::tempdir().unwrap());
    let (_, tape) = pages_tape(folder.path(), 150);
    let recordings = tempfile::tempdir().unwrap();
    let recording = Recording::family(&prefix, recordings.path(), 1000);
    let mut playing = Player::new(&tape).names(prefix.clone()).start().unwrap();
    playing.step().unwrap();
    wait_until("the game is seen", || recording.progress.situation().state.is_some_and(|state| state.text() == "live"));
    let start = Instant::now();
    assert_eq!(playing.run().unwrap(), Ended::AtEnd);
    let took = start.elapsed();
    // However busy the machine is, the last frame stays until the recorder has read again.
    let looked_ns = || recording.progress.numbers().duration_ns;
    let end_ns = looked_ns();
    wait_until("it looks again", || looked_ns() > end_ns + 10 * MS);
    let played = playing.stop().unwrap();
    wait_until("it is closed", || !recording.progress.is_recording());
    let copy = recorded(&recording.end());
    assert!(took >= Duration::from_millis(1490), "faster than the tape: {took:?}");
    assert_eq!((played.frames, played.lost, played.unfit), (150 + 50 + 1, 0, 0));
    let physics = |tape: &Tape| frames(tape, "physics").into_iter().map(|(_, bytes)| bytes).collect::<Vec<_>>();
    let (all, mut arrived) = (physics(tape.raw()), physics(&copy));
    let interrupted = drop_interrupted(&mut arrived, &all) as u64;
    let mut rest = all.iter();
    for (index, bytes) in arrived.iter().enumerate() {
        let place = all.iter().position(|original| original == bytes);
        assert!(
            rest.any(|original| original == bytes),
            "frame {index}: twice, or not on the tape (it is {place:?} there)"
        );
    }
    let place = |bytes: &Vec<u8>| all.iter().position(|original| original == bytes).unwrap();
    let (first, last) = (place(arrived.first().unwrap()), place(arrived.last().unwrap()));
    assert_eq!(last, 149);
    let lost = last + 1 - first - arrived.len();
    let missed = copy.stream_named("physics").unwrap().status().counters.missed;
    assert!(missed + interrupted >= lost as u64, "{lost} lost, {missed} counted, {interrupted} interrupted");
}

/// What a client observes of the counters, at every frame.
struct Counters {
    physics: Eye,
    graphics: Eye,
    last: (i32, i32),
    rises: usize,
}

impl Counters {
    fn new(prefix: &gametape::sys::Prefix) -> Self {
        let eye = |section| Eye::open(prefix, section).unwrap();
        Self { physics: eye("acpmf_physics"), graphics: eye("acpmf_graphics"), last: (i32::MIN, i32::MIN), rises: 0 }
    }

    fn look(&mut self) {
        let now = (self.physics.number(0), self.graphics.number(0));
        assert!(now.0 >= self.last.0 && now.1 >= self.last.1, "{now:?} after {:?}", self.last);
        self.rises += usize::from(now.0 > self.last.0);
        self.last = now;
    }
}

#[test]
fn over_loops_seeks_and_pauses_counters_never_fall() {
    let (prefix, folder) = (prefix("rise"), tempfile::tempdir().unwrap());
    let (_, tape) = pages_tape(folder.path(), 100);
    let player = Player::new(&tape).names(prefix.clone()).speed(10.0).looping(true);
    let mut playing = player.start().unwrap();
    let (controls, mut counters) = (playing.controls(), Counters::new(&prefix));
    let (clock, mut shown) = (SleepClock::default(), 0);
    let ended = playing.run_by(&clock, &mut |_| {
        counters.look();
        shown += 1;
        match shown {
            200 => controls.seek(Duration::from_millis(100)),
            250 => controls.back(Duration::from_millis(300)),
            300 => controls.forward(Duration::from_millis(500)),
            350 => {
                controls.pause(true);
                controls.step();
                controls.toggle_pause();
            }
            400 => controls.back(Duration::from_secs(3600)),
            450 => controls.forward(Duration::from_secs(3600)),
            700 => controls.stop(),
            _ => {}
        }
    });
    assert_eq!(ended.unwrap(), Ended::Stopped);
    assert!(counters.rises > 400, "{}", counters.rises);
    // Single steps continue where real-time playback stopped.
    for _ in 0..300 {
        playing.step().unwrap().unwrap();
        counters.look();
    }
    assert!(playing.stop().unwrap().loops >= 3);
}

#[test]
fn without_loop_and_seek_not_a_byte_is_changed() {
    let (prefix, folder) = (prefix("bytes"), tempfile::tempdir().unwrap());
    let (_, tape) = pages_tape(folder.path(), 60);
    let mut playing = Player::new(&tape).names(prefix.clone()).start().unwrap();
    let eyes = PAGES.map(|(stream, section)| (frames(tape.raw(), stream), Eye::open(&prefix, section).unwrap()));
    let clock = SleepClock::default();
    let (mut dues, mut pages) = (Vec::new(), 0);
    let ended = playing.run_by(&clock, &mut |moment| {
        dues.push((moment.tape_ns, moment.due_ns, moment.shown_ns));
        for (frames, eye) in &eyes {
            let (_, expected) = frames.iter().rev().find(|(time_ns, _)| *time_ns <= moment.tape_ns).unwrap();
            assert_eq!(&eye.bytes(0, expected.len()), expected, "at {}", moment.tape_ns);
            assert!(eye.bytes(expected.len() as u64, 4096 - expected.len()).iter().all(|byte| *byte == 0));
            pages += 1;
        }
    });
    assert_eq!(ended.unwrap(), Ended::AtEnd);
    assert_eq!(pages, (59 + 19) * 3);
    // The deadlines follow the tape times from the first frame on, whatever happened in between.
    assert!(dues.iter().all(|(tape_ns, due_ns, shown_ns)| tape_ns == due_ns && due_ns == shown_ns), "{dues:?}");
}

#[test]
fn speed_divides_the_deadlines_and_a_pause_moves_them() {
    let (prefix, folder) = (prefix("speed"), tempfile::tempdir().unwrap());
    let (_, tape) = pages_tape(folder.path(), 50);
    let mut playing = Player::new(&tape).names(prefix).speed(0.5).start().unwrap();
    let (controls, clock, mut dues) = (playing.controls(), SleepClock::default(), Vec::new());
    playing
        .run_by(&clock, &mut |moment| {
            dues.push((moment.tape_ns, moment.due_ns));
            if moment.tape_ns == 20 * PERIOD_NS {
                controls.pause(true);
                controls.step();
                controls.pause(false);
            }
        })
        .unwrap();
    let before = dues.iter().filter(|(tape_ns, _)| *tape_ns <= 20 * PERIOD_NS);
    assert!(before.clone().count() > 20 && before.clone().all(|(tape_ns, due_ns)| *due_ns == tape_ns * 2), "{dues:?}");
    let (tape_ns, due_ns) = *dues.last().unwrap();
    assert_eq!(tape_ns, 49 * PERIOD_NS);
    assert!(due_ns <= tape_ns * 2 && due_ns + 2 * PERIOD_NS >= tape_ns * 2, "one frame was shown before its time");
}

#[test]
fn beyond_the_end_is_the_end_and_from_there_it_goes_back() {
    let (prefix, folder) = (prefix("beyond"), tempfile::tempdir().unwrap());
    let (_, tape) = pages_tape(folder.path(), 500);
    let mut playing = Player::new(&tape).names(prefix).start().unwrap();
    let (controls, clock, mut times) = (playing.controls(), SleepClock::default(), Vec::new());
    playing
        .run_by(&clock, &mut |moment| {
            times.push(moment.tape_ns);
            if times.len() == 5 {
                controls.pause(true);
                controls.forward(Duration::from_secs(3600));
                controls.back(Duration::from_millis(205));
                controls.pause(false);
            }
        })
        .unwrap();
    let after: Vec<u64> = times.iter().skip(5).copied().collect();
    // The last frame is shown until 5 s: seek back from there.
    assert_eq!((after.first(), after.last()), (Some(&(480 * PERIOD_NS)), Some(&(499 * PERIOD_NS))), "{times:?}");
}

#[test]
fn from_the_middle_a_client_sees_what_was_seen_there() {
    let (prefix, folder) = (prefix("from"), tempfile::tempdir().unwrap());
    let (_, tape) = pages_tape(folder.path(), 100);
    let (from, to) = (Duration::from_millis(505), Duration::from_millis(600));
    let mut playing = Player::new(&tape).names(prefix.clone()).from(from).to(to).start().unwrap();
    playing.step().unwrap();
    let eye = |section| Eye::open(&prefix, section).unwrap();
    let (physics, graphics, statics) = (eye("acpmf_physics"), eye("acpmf_graphics"), eye("acpmf_static"));
    assert_eq!((physics.number(0), graphics.number(0), graphics.number(4)), (1000 + 50 * 3, 500 + 48, 2));
    assert_eq!(statics.bytes(0, 820), frames(tape.raw(), "static")[0].1);
    let mut last = 0;
    while playing.step().unwrap().is_some() {
        last = physics.number(0);
    }
    assert_eq!(last, 1000 + 59 * 3);
    drop(playing);
    let late = Player::new(&tape).names(prefix.clone()).from(Duration::from_secs(60)).start();
    assert!(matches!(late, Err(PlayError::Empty { .. })));
    let fast = Player::new(&tape).names(prefix).speed(101.0).start();
    assert!(matches!(fast, Err(PlayError::Speed { .. })));
}

/// Calls a function at the end of a scope, even if the test fails.
struct AtEnd<F: Fn()>(F);

impl<F: Fn()> Drop for AtEnd<F> {
    fn drop(&mut self) {
        (self.0)();
    }
}

#[test]
fn next_to_a_living_game_nothing_is_written_unless_forced() {
    let (prefix, folder) = (prefix("live"), tempfile::tempdir().unwrap());
    let (_, tape) = pages_tape(folder.path(), 10);
    let end = AtomicBool::new(false);
    let end = &end;
    std::thread::scope(|scope| {
        let _ending = AtEnd(|| end.store(true, Ordering::Relaxed));
        let mut game = Game::start(&prefix);
        game.status(2);
        let graphics = Eye::open(&prefix, "acpmf_graphics").unwrap();
        scope.spawn(move || {
            while !end.load(Ordering::Relaxed) {
                game.step();
                std::thread::sleep(Duration::from_millis(20));
            }
        });
        let before = graphics.bytes(0, 1588);
        let refused = Player::new(&tape).names(prefix.clone()).start().err();
        let moved = RunningGame::Moves { section: prefix.section("acpmf_physics") };
        assert!(matches!(&refused, Some(PlayError::Live { found }) if *found == moved), "{refused:?}");
        assert_eq!(graphics.bytes(0, 1588), before);
        assert!(Eye::open(&prefix, "acpmf_crewchief").is_none() && Eye::open(&prefix, "gametape_player").is_none());
        let mut forced = Player::new(&tape).names(prefix.clone()).force(true).start().unwrap();
        forced.step().unwrap();
        assert_eq!(graphics.number(0), 500);
    });
}

#[test]
fn a_second_player_sees_the_first() {
    let (prefix, folder) = (prefix("second"), tempfile::tempdir().unwrap());
    let (_, tape) = pages_tape(folder.path(), 100);
    let mut first = Player::new(&tape).names(prefix.clone()).looping(true).start().unwrap();
    let controls = first.controls();
    std::thread::scope(|scope| {
        let _ending = AtEnd(|| controls.stop());
        scope.spawn(move || first.run().unwrap());
        wait_until("it plays", || Eye::open(&prefix, "acpmf_physics").is_some_and(|eye| eye.number(0) > 0));
        let second = Player::new(&tape).names(prefix.clone()).start().err();
        let id = tape.raw().id().unwrap().to_string();
        assert!(
            matches!(&second, Some(PlayError::Live { found: RunningGame::Player { tape } }) if *tape == id),
            "{second:?}"
        );
    });
}

#[cfg(target_os = "linux")]
#[test]
fn what_a_dead_game_left_is_used_and_left_in_place() {
    let (prefix, folder) = (prefix("dead"), tempfile::tempdir().unwrap());
    let (_, tape) = pages_tape(folder.path(), 10);
    let mut game = Game::start(&prefix);
    game.status(2);
    game.step();
    let inode = |section: &str| {
        let file = gametape::sys::section_file(&prefix.section(section)).unwrap();
        std::os::unix::fs::MetadataExt::ino(&std::fs::metadata(file).unwrap())
    };
    let before = PAGES.map(|(_, section)| inode(section));
    let graphics = Eye::open(&prefix, "acpmf_graphics").unwrap();
    let mut playing = Player::new(&tape).names(prefix.clone()).start().unwrap();
    playing.step().unwrap();
    assert_eq!((graphics.number(0), graphics.number(4), graphics.len()), (500, 2, 4096));
    playing.stop().unwrap();
    assert_eq!(PAGES.map(|(_, section)| inode(section)), before, "what others made stays");
    assert_eq!(graphics.number(4), 0);
    assert!(Eye::open(&prefix, "acpmf_crewchief").is_none(), "what the player made goes");
}

// Only programs on Linux use these files.
#[cfg(target_os = "linux")]
#[test]
fn clients_see_the_game_go_when_it_stops_and_when_it_is_dropped() {
    let (prefix, folder) = (prefix("gone"), tempfile::tempdir().unwrap());
    let (_, tape) = pages_tape(folder.path(), 10);
    for stops in [true, false] {
        let mut playing = Player::new(&tape).names(prefix.clone()).start().unwrap();
        playing.step().unwrap();
        let graphics = Eye::open(&prefix, "acpmf_graphics").unwrap();
        let crew_chief = Eye::open(&prefix, "acpmf_crewchief").unwrap();
        assert_eq!((graphics.number(4), crew_chief.len()), (2, 16_000));
        for (_, section) in PAGES {
            assert_eq!(Eye::open(&prefix, section).unwrap().len(), 4096);
        }
        let packet = graphics.number(0);
        match stops {
            true => drop(playing.stop().unwrap()),
            false => drop(playing),
        }
        assert_eq!((graphics.number(4), graphics.number(0)), (0, packet + 1));
        for section in ["acpmf_physics", "acpmf_graphics", "acpmf_static", "acpmf_crewchief", "gametape_player"] {
            assert!(Eye::open(&prefix, section).is_none(), "{section}");
        }
    }
}

#[test]
fn a_page_that_the_game_leaves_empty_stays_empty() {
    use gametape::format::write::{StdFiles, WriteOptions, Writer};
    use gametape::games::acc;
    use gametape::layout::stream_of_layout;
    let (prefix, folder) = (prefix("empty"), tempfile::tempdir().unwrap());
    let path = folder.path().join("empty.gtape");
    let options = WriteOptions::new(gametape::format::TapeId([3; 16]));
    let mut writer = Writer::create(std::sync::Arc::new(StdFiles), &path, &options).unwrap();
    for (stream, fill) in [(&acc::PHYSICS, 1), (&acc::GRAPHICS, 0)] {
        let id = writer.add_stream(stream_of_layout(acc::GAME.id, stream.name, "shm", stream.layouts()[0])).unwrap();
        writer.append(id, 0, &vec![fill; stream.layouts()[0].frame_bytes() as usize]).unwrap();
    }
    writer.finish().unwrap();
    let tape = gametape::Tape::open(&path).unwrap();
    let mut playing = Player::new(&tape).names(prefix.clone()).start().unwrap();
    playing.step().unwrap();
    let graphics = Eye::open(&prefix, "acpmf_graphics").unwrap();
    playing.stop().unwrap();
    assert!(graphics.bytes(0, 1588).iter().all(|byte| *byte == 0));
}

#[test]
fn deadlines_do_not_drift() {
    let (prefix, folder) = (prefix("drift"), tempfile::tempdir().unwrap());
    let (_, tape) = pages_tape(folder.path(), 100);
    let mut playing = Player::new(&tape).names(prefix).start().unwrap();
    let mut moments = Vec::new();
    playing.run_by(&RealClock::start(), &mut |moment| moments.push(*moment)).unwrap();
    let zero_ns = moments[0].due_ns - moments[0].tape_ns;
    assert!(moments.iter().all(|moment| moment.due_ns - moment.tape_ns == zero_ns));
    assert!(moments.iter().all(|moment| moment.shown_ns >= moment.due_ns));
    // A busy machine makes frames late, but the delay must not accumulate.
    let late: Vec<u64> = moments.iter().map(|moment| moment.shown_ns - moment.due_ns).collect();
    let of_the_last = late[late.len() / 2..].iter().min().unwrap();
    assert!(*of_the_last < 5 * MS, "all frames of the second half are late: {late:?}");
}

// Only programs on Linux use these files.
#[cfg(target_os = "linux")]
#[test]
fn programs_that_see_all_games_alike_see_it_run_and_go() {
    let (prefix, folder) = (prefix("simapi"), tempfile::tempdir().unwrap());
    let (_, tape) = pages_tape(folder.path(), 100);
    let mut playing = Player::new(&tape).names(prefix.clone()).simapi(true).start().unwrap();
    let file = Eye::open(&prefix, "SIMAPI.DAT").unwrap();
    assert_eq!((file.len(), file.bytes(46_040, 2)), (46_044, vec![0, 1]));
    for _ in 0..60 {
        playing.step().unwrap();
    }
    let page = file.bytes(0, 46_044);
    let speed = Eye::open(&prefix, "acpmf_physics").unwrap().bytes(28, 4);
    let speed = f32::from_le_bytes(speed.try_into().unwrap());
    assert_eq!((number(&page, 16), number(&page, 20)), (2, speed as i32));
    assert_eq!(page[46_040..46_042], [1, 1]);
    assert_eq!(number(&page, 46_032), 805_550);
    assert_eq!(&page[979..989], b"test track");
    assert_eq!(f64::from_le_bytes(page[140..148].try_into().unwrap()), f64::from(-speed));
    playing.stop().unwrap();
    assert_eq!((file.bytes(46_040, 1), file.number(16)), (vec![0], 0));
    assert!(Eye::open(&prefix, "SIMAPI.DAT").is_none());
}

#[test]
fn a_file_for_all_games_that_somebody_else_feeds_is_left_alone() {
    let (prefix, folder) = (prefix("fed"), tempfile::tempdir().unwrap());
    let (_, tape) = pages_tape(folder.path(), 10);
    let end = AtomicBool::new(false);
    let end = &end;
    let name = prefix.section("SIMAPI.DAT");
    let file = gametape::sys::SectionWriter::create(&name, 46_044).unwrap();
    std::thread::scope(|scope| {
        let _ending = AtEnd(|| end.store(true, Ordering::Relaxed));
        let file = &file;
        scope.spawn(move || {
            let mut tick = 0_u64;
            while !end.load(Ordering::Relaxed) {
                tick += 1;
                file.write(0, &tick.to_le_bytes()).unwrap();
                std::thread::sleep(Duration::from_millis(10));
            }
        });
        let player = Player::new(&tape).names(prefix.clone());
        let refused = player.clone().simapi(true).start().err();
        let moved = RunningGame::Moves { section: name.clone() };
        assert!(matches!(&refused, Some(PlayError::Live { found }) if *found == moved), "{refused:?}");
        drop(player.start().unwrap());
    });
    file.remove().unwrap();
}

#[test]
fn frames_that_are_damaged_are_counted_and_the_others_are_shown() {
    let (prefix, folder) = (prefix("damage"), tempfile::tempdir().unwrap());
    let (path, tape) = pages_tape(folder.path(), 3000);
    let whole = tape.raw().stream_named("physics").unwrap().totals().frames;
    drop(tape);
    let mut bytes = std::fs::read(&path).unwrap();
    // The middle of the file is in a block; the damage costs only that block.
    let middle = bytes.len() / 2;
    bytes[middle] ^= 0x55;
    let tape = gametape::Tape::from(Tape::from_bytes(bytes).unwrap());
    let mut playing = Player::new(&tape).names(prefix).start().unwrap();
    while playing.step().unwrap().is_some() {}
    let played = playing.stop().unwrap();
    let all = whole + whole.div_ceil(3) + 1;
    assert!(played.lost > 0 && !played.problems.is_empty(), "{played:?}");
    assert_eq!(played.frames + played.lost, all, "{played:?}");
}

#[test]
fn a_tape_of_something_else_is_refused_with_what_is_on_it() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("other.gtape");
    let options = gametape::format::write::WriteOptions::new(gametape::format::TapeId([1; 16]));
    let files = std::sync::Arc::new(gametape::format::write::StdFiles);
    let mut writer = gametape::format::write::Writer::create(files, &path, &options).unwrap();
    let spec = gametape::format::StreamSpec { game: "chess".into(), ..gametape::format::StreamSpec::rows("moves") };
    let stream = writer.add_stream(spec).unwrap();
    writer.append(stream, 0, b"e4").unwrap();
    writer.finish().unwrap();
    let error = Player::new(&gametape::Tape::open(&path).unwrap()).start().err().unwrap().to_string();
    assert!(error.contains("moves of chess") && error.contains("iRacing"), "{error}");
}
