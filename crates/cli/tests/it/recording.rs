//! `record` and `mark` as processes: signals, kills, and what is left afterwards. The game is real shared memory.
#![cfg(target_os = "linux")]
#![allow(clippy::unwrap_used, clippy::panic, missing_docs)]
use crate::game;
use crate::support;

use std::io::{BufRead as _, BufReader};
use std::path::PathBuf;
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

use game::{Game, prefix, wait_until};
use gametape::control::{ask, recorders};
use gametape::format::read::Tape;
use gametape::sys::Prefix;
use support::{Bench, Ran};

/// A running `gametape record` and the game that it records.
struct Recorder {
    child: Guard,
    game: Game,
}

/// A process that is killed if the test fails.
struct Guard(Option<Child>);

impl Guard {
    fn into_inner(mut self) -> Child {
        self.0.take().unwrap()
    }
}

impl std::ops::Deref for Guard {
    type Target = Child;
    fn deref(&self) -> &Child {
        self.0.as_ref().unwrap()
    }
}

impl std::ops::DerefMut for Guard {
    fn deref_mut(&mut self) -> &mut Child {
        self.0.as_mut().unwrap()
    }
}

impl Drop for Guard {
    fn drop(&mut self) {
        if let Some(child) = &mut self.0 {
            let _ = child.kill();
            let _ = child.wait();
        }
    }
}

impl Recorder {
    fn start(bench: &Bench, prefix: &Prefix, more: &[&str]) -> Self {
        let game = Game::start(prefix);
        let arguments = [&["record", "--names", prefix.as_str()], more].concat();
        let child = bench.command(&arguments).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
        Self { child: Guard(Some(child)), game }
    }

    /// Drives until this many frames are on the tape; returns the number that the recorder reported.
    fn drive_until(&mut self, bench: &Bench, frames: u64) -> u64 {
        if self.game.graphics.status != 2 {
            self.game.status(2);
        }
        let start = Instant::now();
        loop {
            self.game.step();
            let recorded = accepted(bench, self.child.id());
            if recorded >= frames {
                return recorded;
            }
            assert!(self.child.try_wait().unwrap().is_none(), "the recorder ended");
            assert!(start.elapsed() < Duration::from_secs(60), "{recorded} frames after a minute");
            std::thread::sleep(Duration::from_millis(1));
        }
    }

    fn signal(&self, signal: &str) {
        // Nothing has waited for it, so its id is still valid.
        assert!(Command::new("kill").args([signal, &self.child.id().to_string()]).status().unwrap().success());
    }

    fn end(self) -> Ran {
        let Self { child, game } = self;
        let ran = Ran::of(&child.into_inner().wait_with_output().unwrap());
        drop(game);
        ran
    }
}

/// Frames accepted by the recorder, as it reports them.
fn accepted(bench: &Bench, process: u32) -> u64 {
    let running = recorders(&bench.path("run")).unwrap();
    let Some(recorder) = running.iter().find(|recorder| recorder.process == process) else { return 0 };
    let Ok(answer) = ask(recorder, "status") else { return 0 };
    answer.split(' ').nth(1).and_then(|frames| frames.parse().ok()).unwrap_or(0)
}

fn frames(tape: &Tape) -> u64 {
    ["physics", "graphics", "static"].iter().map(|name| tape.stream_named(name).unwrap().totals().frames).sum()
}

#[test]
fn ctrl_c_leaves_a_whole_tape_and_says_what_is_on_it() {
    let bench = Bench::new();
    let mut recorder = Recorder::start(&bench, &prefix("int"), &["--hz", "200", "--note", "wet track"]);
    let recorded = recorder.drive_until(&bench, 100);
    recorder.signal("-INT");
    let ran = recorder.end();
    let path = ran.out.trim().to_owned();
    // A disk that is too slow is the machine's fault, and is reported.
    let kept = ran.err.contains("nothing was lost") || ran.err.contains("every captured frame is stored");
    assert!(if ran.code == 3 { ran.err.contains("LOST") } else { ran.code == 130 && kept }, "{}", ran.err);
    assert!(ran.err.contains("(stopped)"), "{}", ran.err);
    bench.expect(0, &["verify", &path]);
    let tape = Tape::open(&path).unwrap();
    assert!(frames(&tape) >= recorded);
    assert_eq!(tape.metadata().get("note").map(String::as_str), Some("wet track"));
    let info = bench.expect(0, &["info", "--json"]).json();
    assert_eq!((info["path"].as_str(), info["game"].as_str()), (Some(&*path), Some("assetto-corsa-competizione")));
    assert_eq!(info["game_version"], "1.9.0");
}

#[test]
fn a_signal_from_the_system_is_a_clean_end() {
    let bench = Bench::new();
    let mut recorder = Recorder::start(&bench, &prefix("term"), &["--json"]);
    recorder.drive_until(&bench, 20);
    recorder.signal("-TERM");
    let ran = recorder.end();
    let tape = &ran.json()["tapes"][0];
    assert_eq!(tape["end_reason"], "stopped");
    let lost = tape["loss"]["dropped"].as_u64().unwrap();
    assert_eq!(ran.code, if lost == 0 { 0 } else { 3 }, "{}", ran.err);
    bench.expect(0, &["verify", tape["path"].as_str().unwrap()]);
}

#[test]
fn a_second_signal_ends_at_once_and_nothing_that_was_accepted_is_lost() {
    let bench = Bench::new();
    // Two threads may each take a signal at the same moment, and then neither is the second one.
    let at_once = (0..5).any(|round| {
        let file = bench.path(&format!("{round}.gtape"));
        let mut recorder = Recorder::start(&bench, &prefix("twice"), &["--hz", "500", "-o", file.to_str().unwrap()]);
        let recorded = recorder.drive_until(&bench, 100);
        // It finds both signals pending when it continues: there is no time to end after the first.
        for signal in ["-STOP", "-INT", "-TERM", "-CONT"] {
            recorder.signal(signal);
        }
        let ran = recorder.end();
        assert_eq!(ran.code, 130, "{}", ran.err);
        let tape = Tape::open(&file).unwrap();
        assert!(frames(&tape) >= recorded);
        !tape.is_complete() && !ran.err.contains("(stopped)")
    });
    assert!(at_once, "it always closed its tape first");
}

#[test]
fn one_signal_closes_the_tape() {
    // The control of the test above, with one signal less: its effect must be absent.
    let bench = Bench::new();
    let file = bench.path("a.gtape");
    let mut recorder = Recorder::start(&bench, &prefix("once"), &["--hz", "500", "-o", file.to_str().unwrap()]);
    recorder.drive_until(&bench, 100);
    for signal in ["-STOP", "-INT", "-CONT"] {
        recorder.signal(signal);
    }
    let ran = recorder.end();
    assert!(ran.code == 130 && ran.err.contains("(stopped)"), "{}", ran.err);
    assert!(Tape::open(&file).unwrap().is_complete());
}

#[test]
fn a_tape_that_is_deleted_while_it_is_recorded_is_told_and_costs_the_exit_code() {
    let bench = Bench::new();
    let mut recorder = Recorder::start(&bench, &prefix("gone"), &["--hz", "200"]);
    recorder.drive_until(&bench, 50);
    let tapes = || {
        let found = std::fs::read_dir(bench.path("tapes")).unwrap().map(|entry| entry.unwrap().path());
        found.filter(|path| path.extension().is_some_and(|extension| extension == "gtape")).collect::<Vec<_>>()
    };
    let [gone] = tapes().try_into().unwrap();
    for file in std::fs::read_dir(bench.path("tapes")).unwrap() {
        std::fs::remove_file(file.unwrap().path()).unwrap();
    }
    let start = Instant::now();
    while tapes().is_empty() {
        recorder.game.step();
        assert!(start.elapsed() < Duration::from_secs(60), "it is not noticed");
        std::thread::sleep(Duration::from_millis(1));
    }
    recorder.drive_until(&bench, 50);
    recorder.signal("-INT");
    let ran = recorder.end();
    assert_eq!(ran.code, 3, "{}", ran.err);
    let gone = gone.display().to_string();
    let told = ran.err.lines().find(|line| line.starts_with("LOST: ")).unwrap_or_default();
    assert!(told.contains(&gone) && told.contains("deleted or moved"), "{}", ran.err);
    assert!(ran.out.lines().count() == 1 && !ran.out.contains(&gone), "only what is there is named: {}", ran.out);
    bench.expect(0, &["verify", ran.out.trim()]);
}

#[test]
fn a_mark_reaches_the_recorder_that_runs() {
    let bench = Bench::new();
    let ran = bench.expect(4, &["mark", "nobody listens"]);
    assert!(ran.err.contains("no recorder is running"), "{}", ran.err);
    let mut recorder = Recorder::start(&bench, &prefix("mark"), &[]);
    wait_until("it listens", || !recorders(&bench.path("run")).unwrap().is_empty());
    let ran = bench.expect(1, &["mark", "too early"]);
    assert!(ran.err.contains("nothing is being recorded"), "{}", ran.err);
    let recorded = recorder.drive_until(&bench, 10);
    let path = bench.expect(0, &["mark", "turn 3"]).out.trim().to_owned();
    recorder.drive_until(&bench, recorded + 10);
    recorder.signal("-INT");
    assert_eq!(recorder.end().out.trim(), path);
    let events = bench.expect(0, &["cat", &path, "--events"]).out;
    assert!(events.contains("turn 3"), "{events}");
}

/// Drives for this long, whatever is recorded.
fn drive_for(recorder: &mut Recorder, time: Duration) {
    let start = Instant::now();
    while start.elapsed() < time {
        recorder.game.step();
        std::thread::sleep(Duration::from_millis(1));
    }
}

/// Returns the packet ids of the physics frames, which have to be consecutive.
fn packets(path: &str) -> (i32, i32) {
    let tape = Tape::open(path).unwrap();
    let mut frames = tape.frames(tape.stream_named("physics").unwrap());
    let mut packets = Vec::new();
    while let Some(frame) = frames.next().unwrap() {
        packets.push(i32::from_le_bytes(*frame.data.first_chunk().unwrap()));
    }
    assert!(packets.is_sorted(), "a frame is too late");
    // A page that did not move meanwhile may be the last one of a piece and the first one of the next: only there.
    let doubled = packets.windows(2).filter(|pair| pair[0] == pair[1]).count();
    assert!(doubled <= 8, "{doubled} of {} frames are doubled", packets.len());
    (packets[0], packets[packets.len() - 1])
}

#[test]
fn what_is_kept_is_saved_while_the_recorder_goes_on_and_after_it_was_killed() {
    let bench = Bench::new();
    assert!(bench.expect(4, &["save"]).err.contains("--keep-last"));
    let mut recorder = Recorder::start(&bench, &prefix("keep"), &["--hz", "200", "--keep-last", "2s"]);
    recorder.drive_until(&bench, 20);
    let start = Instant::now();
    // Until the first pieces are thrown away: how soon depends on the machine, that they are does not.
    let (path, last) = loop {
        drive_for(&mut recorder, Duration::from_secs(3));
        let path = bench.expect(0, &["save"]).out.trim().to_owned();
        bench.expect(0, &["verify", &path]);
        let (first, last) = packets(&path);
        if first > 1 && last > first {
            break (path, last);
        }
        assert!(start.elapsed() < Duration::from_secs(90), "the beginning is still there: {first} to {last}");
    };
    let duration_ns = bench.expect(0, &["info", "--json", &path]).json()["duration_ns"].as_u64().unwrap();
    assert!(duration_ns >= 1_500_000_000, "{duration_ns}");

    let recorded = accepted(&bench, recorder.child.id());
    recorder.drive_until(&bench, recorded + 20);
    recorder.signal("-KILL");
    let process = recorder.child.id().to_string();
    recorder.end();
    let ran = bench.expect(0, &["save", "--process", &process, "--json"]);
    assert!(ran.err.contains("has ended"), "{}", ran.err);
    let path = ran.json()["tapes"][0]["path"].as_str().unwrap().to_owned();
    bench.expect(0, &["verify", &path]);
    assert!(packets(&path).1 > last, "what came after the first save is not there");
}

#[test]
fn a_killed_recorder_loses_nothing_that_was_accepted() {
    let bench = Bench::new();
    let (mut all, mut without_journals) = (0, 0);
    for kill in 0..50_u64 {
        let file = bench.path(&format!("{kill}.gtape"));
        let mut recorder = Recorder::start(&bench, &prefix("kill"), &["--hz", "1000", "-o", file.to_str().unwrap()]);
        let recorded = recorder.drive_until(&bench, 5 + kill * 7919 % 60);
        recorder.child.kill().unwrap();
        recorder.child.wait().unwrap();
        let tape = Tape::open(&file).unwrap();
        assert!(frames(&tape) >= recorded, "run {kill}: {} of {recorded}", frames(&tape));
        all += recorded;
        let alone = bench.path("alone.gtape");
        std::fs::copy(&file, &alone).unwrap();
        let found = Tape::open(&alone).map_or(0, |tape| if tape.streams().count() < 3 { 0 } else { frames(&tape) });
        without_journals += recorded.saturating_sub(found);
    }
    assert!(all > 1000, "{all} frames: too few to say anything");
    // How many depends on the progress of the encoder each time.
    assert!(without_journals > 0, "control: without journals frames must be missing");
}

#[test]
fn a_recording_ends_by_itself_when_it_is_long_enough() {
    let bench = Bench::new();
    let mut recorder = Recorder::start(&bench, &prefix("long"), &["--max-duration", "300ms"]);
    recorder.game.status(2);
    wait_until("it ends", || {
        recorder.game.step();
        recorder.child.try_wait().unwrap().is_some()
    });
    let ran = recorder.end();
    assert_eq!(ran.code, 0, "{}", ran.err);
    assert!(ran.err.contains("(max_duration)"), "{}", ran.err);
}

#[test]
fn d11_a_game_in_its_menu_is_told_in_one_line_and_nothing_is_recorded() {
    let bench = Bench::new();
    let prefix = prefix("menu");
    let mut recorder = Recorder::start(&bench, &prefix, &["--game", "acc"]);
    let mut said = BufReader::new(recorder.child.stderr.take().unwrap());
    let (told, hear) = std::sync::mpsc::channel();
    let reader = std::thread::spawn(move || {
        let mut all = String::new();
        while said.read_line(&mut all).unwrap() > 0 {
            let _ = told.send(all.contains("in its menus"));
        }
        all
    });
    // The menu lives: its pages are written again and again, and say "off".
    let mut write_for = |time: Duration| {
        let start = Instant::now();
        while start.elapsed() < time {
            recorder.game.status(0);
            std::thread::sleep(Duration::from_millis(10));
        }
    };
    let start = Instant::now();
    while !hear.try_iter().any(|menu| menu) {
        assert!(start.elapsed() < Duration::from_secs(60), "the menu was not noticed");
        write_for(Duration::from_millis(20));
    }
    // It is not said again.
    write_for(Duration::from_millis(500));
    recorder.signal("-INT");
    let ran = recorder.end();
    let said = reader.join().unwrap();
    assert_eq!(said.lines().filter(|line| line.contains("in its menus")).count(), 1, "{said}");
    assert!(said.contains("nothing was recorded"), "{said}");
    assert!(ran.out.is_empty(), "no tape: {}", ran.out);
}

#[test]
fn without_arguments_it_waits_for_a_game() {
    let bench = Bench::new();
    // Names of its own: another program may play a tape under the names of a game.
    let mut command = bench.command(&[]);
    command.env("GAMETAPE_NAMES", prefix("waits").as_str());
    let child = command.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
    let child = Guard(Some(child));
    wait_until("it listens", || !recorders(&bench.path("run")).unwrap().is_empty());
    assert!(Command::new("kill").args(["-INT", &child.id().to_string()]).status().unwrap().success());
    let ran = Ran::of(&child.into_inner().wait_with_output().unwrap());
    assert_eq!((ran.code, ran.out.as_str()), (130, ""), "{}", ran.err);
    assert!(ran.err.contains("waiting for") && ran.err.contains("gametape doctor"), "{}", ran.err);
}

#[test]
fn a_folder_that_cannot_be_written_to_is_refused_at_the_start() {
    let bench = Bench::new();
    // A file at the path of the folder: that stops root, too.
    for name in ["tapes", "demo"] {
        drop(std::fs::File::create_new(bench.path(name)).unwrap());
    }
    let below = bench.path("tapes/a.gtape");
    bench.expect(1, &[]).is_one_error_with(&["cannot write to the folder", "tapes", "GAMETAPE_DATA_DIR"]);
    bench.expect(1, &["record"]).is_one_error_with(&["cannot write to the folder", "tapes", "GAMETAPE_DATA_DIR"]);
    bench.expect(1, &["record", "-o", support::text(&below)]).is_one_error_with(&["cannot write", "-o"]);
    bench.expect(1, &["demo", "--exit"]).is_one_error_with(&["cannot write to the folder", "demo"]);
}

/// A process that holds a small file system in memory, in its own mount namespace. Others access it through `/proc`.
struct SmallDisk(Child);

impl SmallDisk {
    /// `None` if the system does not allow it.
    fn mount(at: &std::path::Path, size: &str) -> Option<Self> {
        let script = format!("mount -t tmpfs -o size={size} none '{}' && echo ready && cat", at.display());
        let mut command = Command::new("unshare");
        command.args(["--user", "--map-root-user", "--mount", "sh", "-c", &script]);
        command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::null());
        let mut disk = Self(command.spawn().ok()?);
        let mut line = String::new();
        let said = std::io::BufRead::read_line(&mut std::io::BufReader::new(disk.0.stdout.take()?), &mut line);
        (said.is_ok() && line == "ready\n").then_some(disk)
    }

    fn path(&self, at: &std::path::Path) -> PathBuf {
        PathBuf::from(format!("/proc/{}/root{}", self.0.id(), at.display()))
    }
}

impl Drop for SmallDisk {
    fn drop(&mut self) {
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}

#[test]
fn a_disk_that_is_full_for_a_while_does_not_end_the_recording() {
    let bench = Bench::new();
    let at = bench.path("small");
    std::fs::create_dir(&at).unwrap();
    let Some(disk) = SmallDisk::mount(&at, "20m") else {
        support::skip("a_disk_that_is_full_for_a_while_does_not_end_the_recording", "no user namespaces");
        return;
    };
    let small = disk.path(&at);
    let tape = small.join("a.gtape");
    let said = bench.path("said");
    let prefix = prefix("full");
    let mut game = Game::start(&prefix);
    let mut command =
        bench.command(&["record", "--names", prefix.as_str(), "--hz", "500", "--json", "-o", support::text(&tape)]);
    command.stdout(Stdio::piped()).stderr(std::fs::File::create_new(&said).unwrap());
    let mut recorder = Recorder {
        child: Guard(Some(command.spawn().unwrap())),
        game: {
            game.status(2);
            game
        },
    };
    recorder.drive_until(&bench, 50);
    // Fills the rest, to the last byte.
    let mut filler = std::fs::File::create_new(small.join("filler")).unwrap();
    let full = std::io::copy(&mut std::io::repeat(7), &mut filler).unwrap_err();
    assert_eq!(full.kind(), std::io::ErrorKind::StorageFull);
    let mut drive_until_said = |words: &str| {
        let start = Instant::now();
        while !std::fs::read_to_string(&said).unwrap().contains(words) {
            recorder.game.step();
            assert!(recorder.child.try_wait().unwrap().is_none(), "{}", std::fs::read_to_string(&said).unwrap());
            assert!(start.elapsed() < Duration::from_secs(240), "{words:?} was not said");
            std::thread::sleep(Duration::from_millis(1));
        }
    };
    // A disk of 20 MB never has much room.
    drive_until_said("the disk is nearly full");
    drive_until_said("no space on the disk for");
    // Its space is freed only after all handles are closed.
    drop(filler);
    std::fs::remove_file(small.join("filler")).unwrap();
    drive_until_said("there is space on the disk again");
    let then = accepted(&bench, recorder.child.id());
    recorder.drive_until(&bench, then + 100);
    recorder.signal("-INT");
    let ran = recorder.end();
    let report = &ran.json()["tapes"];
    assert_eq!(report.as_array().unwrap().len(), 1, "the same tape goes on: {report}");
    let dropped = report[0]["loss"]["dropped"].as_u64().unwrap();
    assert_eq!(ran.code, if dropped > 0 { 3 } else { 130 }, "{report}");
    bench.expect(0, &["verify", support::text(&tape)]);
    let whole = Tape::open(&tape).unwrap();
    assert!(whole.is_complete() && frames(&whole) >= then + 100);
    let kinds: Vec<String> = whole.events().into_iter().map(|event| event.kind).collect();
    for kind in ["disk_full", "disk_has_room"] {
        assert!(kinds.iter().any(|found| found == kind), "{kind} is not in {kinds:?}");
    }
}

#[test]
fn wrong_wishes_are_refused_before_anything_is_made() {
    let bench = Bench::new();
    let there: PathBuf = bench.path("there.gtape");
    std::io::Write::write_all(&mut std::fs::File::create_new(&there).unwrap(), b"mine").unwrap();
    bench.expect(1, &["record", "-o", there.to_str().unwrap()]).is_one_error_with(&["already exists"]);
    assert_eq!(std::fs::read(&there).unwrap(), b"mine");
    for wrong in [&["--hz", "0"][..], &["--hz", "1001"], &["--game", "pong"], &["--names", "a/b"], &["--split", "lap"]]
    {
        bench.expect(2, &[&["record"], wrong].concat());
    }
}
