//! The program on Windows, as interacting processes: recorder, demo, player, and a C client like those of other programs
//! (`tests/windows/client.c`, built by `scripts/windows/test`).
//!
//! No test depends on time: it reads what the processes have printed so far, and stops them when that is enough.
#![cfg(windows)]
#![allow(clippy::unwrap_used, clippy::panic, clippy::print_stdout, missing_docs)]
use crate::support;

use std::fs::File;
use std::io::Write as _;
use std::os::windows::process::CommandExt as _;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Output, Stdio};
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use gametape::format::read::Tape;
use gametape_simulator::{Script, Settings, Simulation};
use support::{Bench, Ran, text};
use zerocopy::IntoBytes as _;

const CREATE_NEW_CONSOLE: u32 = 0x10;
/// Guards against a hang; no test depends on it.
const HANG: Duration = Duration::from_secs(180);

/// One test at a time: a process that another test starts inherits the pipes that are open at that moment, and so do system
/// processes that never end. Waiting for the end of such a pipe would never return.
static ALONE: Mutex<()> = Mutex::new(());

fn alone() -> MutexGuard<'static, ()> {
    ALONE.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Returns the client, if it was built, and the lock to run alone; skips with a message if not.
fn client(test: &str) -> Option<(PathBuf, MutexGuard<'static, ()>)> {
    let path = std::env::var_os("GAMETAPE_WINDOWS_CLIENT").map(PathBuf::from);
    if path.is_none() {
        println!("SKIPPED {test}: GAMETAPE_WINDOWS_CLIENT is not set");
        if let Some(log) = std::env::var_os("GAMETAPE_SKIP_LOG") {
            let file = std::fs::OpenOptions::new().append(true).create(true).open(log);
            file.unwrap().write_all(format!("{test}\n").as_bytes()).unwrap();
        }
    }
    path.map(|path| (path, alone()))
}

/// A process, and files for its output. A pipe would have to be closed by all processes that inherited it, and system processes
/// inherit it too.
struct Running {
    child: Child,
    said: tempfile::TempDir,
}

fn start(mut command: Command) -> Running {
    let said = tempfile::tempdir().unwrap();
    let file = |name: &str| File::create_new(said.path().join(name)).unwrap();
    command.stdin(Stdio::null()).stdout(file("out")).stderr(file("err"));
    Running { child: command.spawn().unwrap(), said }
}

impl Running {
    /// Returns the output so far.
    fn said(&self, name: &str) -> Vec<u8> {
        std::fs::read(self.said.path().join(name)).unwrap()
    }

    /// Waits until it has printed these words.
    fn until(&mut self, words: &str) {
        let begun = Instant::now();
        loop {
            let ended = self.child.try_wait().unwrap();
            let both = [self.said("out"), self.said("err")].concat();
            let both = String::from_utf8_lossy(&both);
            if both.contains(words) {
                return;
            }
            assert!(ended.is_none() && begun.elapsed() < HANG, "it did not say {words:?}: {both}");
            std::thread::sleep(Duration::from_millis(10));
        }
    }

    /// Waits for the end, and kills it after a timeout.
    fn end(mut self) -> Ran {
        let begun = Instant::now();
        while self.child.try_wait().unwrap().is_none() && begun.elapsed() < HANG {
            std::thread::sleep(Duration::from_millis(10));
        }
        let _ = self.child.kill();
        let status = self.child.wait().unwrap();
        Ran::of(&Output { status, stdout: self.said("out"), stderr: self.said("err") })
    }

    /// Ends it as the system does when the user logs off.
    fn log_off(self, client: &Path) -> Ran {
        let told = ask(client, &["end-session", &self.child.id().to_string()]).end();
        assert_eq!(told.code, 0, "{}", told.out);
        self.end()
    }
}

fn ask(client: &Path, words: &[&str]) -> Running {
    let mut command = Command::new(client);
    command.args(words);
    start(command)
}

fn names(test: &str) -> String {
    format!("test-{}-{test}-", std::process::id())
}

fn raw(bench: &Bench, tape: &str) -> Vec<[u8; 800]> {
    let bytes = bench.expect(0, &["cat", tape, "--stream", "physics", "--format", "raw"]).raw;
    bytes.as_chunks().0.to_vec()
}

/// Returns the only file in a folder: a tape, and no journal.
fn tape_in(folder: &Path) -> PathBuf {
    let tapes = std::fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path());
    let is_store = |path: &PathBuf| path.file_name().unwrap().to_str().unwrap().starts_with("laps.sqlite");
    let tapes: Vec<PathBuf> = tapes.filter(|path| !is_store(path)).collect();
    assert!(tapes.len() == 1, "one tape and no journal: {tapes:?}");
    tapes[0].clone()
}

/// A client and a recorder that wait for a game with these names.
fn waiting(client: &Path, bench: &Bench, names: &str, tape: &Path) -> (Running, Running) {
    let mut seen = ask(client, &["acpmf", names]);
    let record = ["record", "--names", names, "-o", text(tape), "--max-duration", "1"];
    let mut recorder = start(bench.command(&record));
    seen.until("waiting");
    recorder.until("waiting for");
    (seen, recorder)
}

#[test]
fn a_demo_is_recorded_by_another_process_and_seen_by_a_client_to_appear_run_and_go() {
    let Some((client, _alone)) = client("a_demo_is_recorded_by_another_process") else { return };
    let (bench, names) = (Bench::new(), names("demo"));
    let tape = bench.path("second.gtape");
    let (mut seen, recorder) = waiting(&client, &bench, &names, &tape);
    let demo = start(bench.command(&["demo", "--names", &names]));
    let recorded = recorder.end();
    assert_eq!(recorded.code, 0, "{}", recorded.err);
    seen.until("runs");
    let demo = demo.log_off(&client);
    assert_eq!(demo.code, 0, "{}", demo.err);
    let seen = seen.end();
    assert!(seen.code == 0 && seen.out.trim_end().ends_with("gone"), "{}", seen.out);
    bench.expect(0, &["verify", text(&tape)]);
    let (first, second) = (raw(&bench, text(&tape_in(&bench.path("demo")))), raw(&bench, text(&tape)));
    // How many pages each of them caught, and which, depends on timing. That each is a page of this car does not.
    assert!(!first.is_empty() && !second.is_empty(), "{} and {} frames", first.len(), second.len());
    let last = first.iter().chain(&second).map(packet_id).max().unwrap();
    let pages = pages_of_demo(last);
    assert!(first.iter().all(|frame| pages.contains(frame)), "the car waits for its own recorder");
    for frame in &second {
        assert!(was_written(&pages, frame), "not a page of the car: {frame:?}");
    }
}

fn packet_id(frame: &[u8; 800]) -> i32 {
    i32::from_le_bytes(frame[..4].try_into().unwrap())
}

/// The physics pages that the car of `demo` writes, up to this packet id: the same for each run with the same seed.
fn pages_of_demo(last: i32) -> Vec<[u8; 800]> {
    let mut simulation = Simulation::driving(Settings { seed: 1, ..Settings::default() }, Script::new());
    let mut pages = Vec::new();
    let mut is_written = true;
    while pages.last().is_none_or(|page| packet_id(page) < last) && !simulation.is_over() {
        if is_written {
            pages.push(simulation.pages().physics.as_bytes().try_into().unwrap());
        }
        is_written = simulation.step().physics;
    }
    pages
}

/// Whether a recorder can have seen this frame of pages that were written one after the other. The pages have no lock: if the system interrupts the
/// writer in the middle of a page, for longer than a recorder waits between two copies, both copies have the first words of a page and the rest of
/// the one before. On a busy machine that happens.
fn was_written(pages: &[[u8; 800]], frame: &[u8; 800]) -> bool {
    let interrupted = |before: &[u8; 800], page: &[u8; 800]| {
        (8..800).step_by(8).any(|at| frame[..at] == page[..at] && frame[at..] == before[at..])
    };
    pages.contains(frame) || pages.windows(2).any(|pair| interrupted(&pair[0], &pair[1]))
}

#[test]
fn a_frame_of_two_pages_is_told_from_one_of_an_interrupted_writer() {
    let pages = pages_of_demo(30);
    assert!(pages.len() > 2 && pages.iter().all(|page| was_written(&pages, page)));
    let mix = |front: &[u8; 800], back: &[u8; 800]| -> [u8; 800] {
        [&front[..400], &back[400..]].concat().try_into().unwrap()
    };
    assert!(was_written(&pages, &mix(&pages[1], &pages[0])));
    assert!(!was_written(&pages, &mix(&pages[0], &pages[1])), "written from the end to the front");
    assert!(!was_written(&pages, &mix(&pages[2], &pages[0])), "a page between them was skipped");
}

#[test]
fn what_is_played_is_recorded_to_the_byte_and_seen_by_a_client() {
    let Some((client, _alone)) = client("what_is_played_is_recorded") else { return };
    let (bench, names) = (Bench::new(), names("play"));
    let original = bench.expect(0, &["demo", "--exit", "--speed", "100"]).out.trim().to_owned();
    let tape = bench.path("again.gtape");
    let (mut seen, recorder) = waiting(&client, &bench, &names, &tape);
    // Half a minute, of which a second is recorded.
    let player = start(bench.command(&["play", &original, "--names", &names, "--from", "5"]));
    let recorded = recorder.end();
    assert_eq!(recorded.code, 0, "{}", recorded.err);
    seen.until("runs");
    let played = player.log_off(&client);
    assert_eq!(played.code, 0, "{}", played.err);
    let seen = seen.end();
    assert!(seen.code == 0 && seen.out.contains("fell 0") && seen.out.trim_end().ends_with("gone"), "{}", seen.out);
    let (original, again) = (raw(&bench, &original), raw(&bench, text(&tape)));
    assert!(!again.is_empty());
    assert!(again.iter().all(|frame| was_written(&original, frame)), "a frame that nobody played");
}

#[test]
fn a_replayed_ibt_satisfies_the_start_up_of_pyirsdk_and_shows_its_speeds() {
    let Some((client, _alone)) = client("a_replayed_ibt_satisfies_the_start_up_of_pyirsdk") else { return };
    let (bench, names) = (Bench::new(), names("ibt"));
    let source = support::ibt::put(&bench.path("driven.ibt"), &support::ibt::driven_ibt(400));
    let tape = bench.expect(0, &["import", text(&source)]).out.trim().to_owned();
    // A port that was free a moment ago may be in use now: then there is a note, and another attempt.
    let (player, port) = loop {
        let port = std::net::TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap().port().to_string();
        let play = ["play", &tape, "--loop", "--names", &names, "--status-port", &port];
        let mut player = start(bench.command(&play));
        player.until("press Ctrl+C to stop");
        if String::from_utf8_lossy(&player.said("err")).contains("reporting to clients") {
            break (player, port);
        }
        player.log_off(&client);
    };
    let mut seen = ask(&client, &["iracing", &names, &port]);
    seen.until("enough");
    let played = player.log_off(&client);
    let seen = seen.end();
    assert_eq!(played.code, 0, "{}", played.err);
    assert!(seen.code == 0 && seen.out.trim_end().ends_with("gone"), "{}\n{}", seen.out, played.err);
    let shown: Vec<(f64, f64)> = seen.out.lines().filter_map(time_and_speed).collect();
    assert_eq!(shown.len(), 10, "{}", seen.out);
    for (time, speed) in shown {
        let row = support::ibt::row_at(time);
        assert!((speed - f64::from(support::ibt::speed_of(row))).abs() < 1e-5, "{time} s, row {row}: {speed} m/s");
    }
}

/// `100.015625 s 42.5 m/s`
fn time_and_speed(line: &str) -> Option<(f64, f64)> {
    let (time, speed) = line.trim_end().strip_suffix(" m/s")?.split_once(" s ")?;
    Some((time.parse().ok()?, speed.parse().ok()?))
}

#[test]
fn ctrl_c_ctrl_break_and_the_close_button_leave_a_whole_tape() {
    let Some((client, _alone)) = client("ctrl_c_ctrl_break_and_the_close_button_leave_a_whole_tape") else { return };
    for (key, code) in [("c", 130), ("break", 130), ("close", 0)] {
        let bench = Bench::new();
        let when = bench.path("now");
        let mut command = Command::new(&client);
        command.args(["ctrl", key, text(&when), env!("CARGO_BIN_EXE_gametape"), "demo"]);
        command.env("GAMETAPE_DATA_DIR", bench.folder.path());
        let running = start(command);
        wait_for_frames(&bench);
        File::create_new(&when).unwrap();
        let ran = running.end();
        assert_eq!(ran.code, code, "{key}: {} {}", ran.out, ran.err);
        // When the window is closed, the system ends the program as soon as its handler returns.
        assert!(
            key != "close" || ran.out.contains("the program ended while its handler was waited for"),
            "{}",
            ran.out
        );
        let tape = Tape::open(tape_in(&bench.path("demo"))).unwrap();
        assert!(tape.is_complete() && tape.stream_named("physics").unwrap().totals().frames > 20, "{key}");
    }
}

#[test]
fn logging_off_leaves_a_whole_tape() {
    let Some((client, _alone)) = client("logging_off_leaves_a_whole_tape") else { return };
    let bench = Bench::new();
    let demo = start(bench.command(&["demo"]));
    wait_for_frames(&bench);
    let ran = demo.log_off(&client);
    assert_eq!(ran.code, 0, "{}", ran.err);
    assert!(Tape::open(tape_in(&bench.path("demo"))).unwrap().is_complete());
}

/// Waits until a tape in the folder of `demo` can be read while it is written, and has frames.
fn wait_for_frames(bench: &Bench) -> String {
    let begun = Instant::now();
    loop {
        let tapes = std::fs::read_dir(bench.path("demo")).into_iter().flatten().flatten().map(|entry| entry.path());
        let tape = tapes.filter(|path| path.extension().is_some_and(|ending| ending == "gtape")).max();
        let frames = |tape: &PathBuf| {
            let tape = Tape::open(tape).ok()?;
            tape.stream_named("physics").ok().map(|stream| stream.totals().frames)
        };
        if let Some(tape) = tape.filter(|tape| frames(tape).is_some_and(|frames| frames > 20)) {
            return text(&tape).to_owned();
        }
        assert!(begun.elapsed() < HANG, "no tape");
        std::thread::sleep(Duration::from_millis(20));
    }
}

#[test]
fn a_tape_is_read_marked_and_refused_to_others_while_it_is_recorded() {
    let _alone = alone();
    let bench = Bench::new();
    let mut demo = start(bench.command(&["demo"]));
    let tape = wait_for_frames(&bench);
    let info = bench.expect(0, &["info", &tape, "--json"]).json();
    assert_eq!(info["complete"], false);
    assert_eq!(bench.expect(0, &["mark", "turn 3"]).out.trim(), tape);
    let refused = bench.run(&["recover", &tape]);
    assert!(refused.code == 1 && refused.err.contains("still being recorded"), "{}", refused.err);
    demo.child.kill().unwrap();
    demo.child.wait().unwrap();
    bench.expect(0, &["recover", &tape]);
    assert!(bench.expect(0, &["cat", &tape, "--events"]).out.contains("turn 3"));
    bench.expect(0, &["verify", &tape]);
    tape_in(&bench.path("demo"));
}

#[test]
fn a_window_of_its_own_stays_and_says_so() {
    let _alone = alone();
    let bench = Bench::new();
    let in_window = |words: &[&str]| {
        let mut command = bench.command(words);
        command.creation_flags(CREATE_NEW_CONSOLE);
        start(command).end()
    };
    let ran = in_window(&["demo", "--exit", "--speed", "100"]);
    assert_eq!(ran.code, 0, "{}", ran.err);
    assert!(ran.err.contains("nothing was lost") && ran.err.contains("close this window"), "{}", ran.err);
    let ran = in_window(&["no-such-command"]);
    assert!(ran.code == 2 && ran.err.contains("close this window"), "{}", ran.err);
    // In a console shared with other programs, it does not wait.
    assert!(!bench.expect(0, &["games"]).err.contains("close this window"));
}

#[test]
fn doctor_lists_sections_and_games_by_their_windows_names() {
    let _alone = alone();
    let bench = Bench::new();
    let ran = bench.run(&["doctor"]);
    let said = format!("{}{}", ran.out, ran.err);
    assert!(said.contains(r"Local\acpmf_physics"), "{said}");
}
