//! The program on Windows, as processes that meet: recorder, demo, player, and a client in C as others write them
//! (`tests/windows/client.c`, built by `scripts/windows/test`).
#![cfg(windows)]
#![allow(clippy::unwrap_used, clippy::panic, clippy::print_stdout, missing_docs)]
mod support;

use std::fs::File;
use std::io::{Read as _, Seek as _, SeekFrom, Write as _};
use std::os::windows::process::CommandExt as _;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Output, Stdio};
use std::time::{Duration, Instant};

use gametape::format::read::Tape;
use support::{Bench, Ran, text};

const CREATE_NEW_CONSOLE: u32 = 0x10;

/// The client, if it was built; says so loudly if not.
fn client(test: &str) -> Option<PathBuf> {
    let path = std::env::var_os("GAMETAPE_WINDOWS_CLIENT").map(PathBuf::from);
    if path.is_none() {
        println!("SKIPPED {test}: GAMETAPE_WINDOWS_CLIENT is not set");
        if let Some(log) = std::env::var_os("GAMETAPE_SKIP_LOG") {
            let file = std::fs::OpenOptions::new().append(true).create(true).open(log);
            file.unwrap().write_all(format!("{test}\n").as_bytes()).unwrap();
        }
    }
    path
}

/// A process, and files for what it says. A pipe would have to be closed by all who have got it, and processes of the system get it too.
struct Running {
    child: Child,
    out: File,
    err: File,
}

fn start(mut command: Command) -> Running {
    let (out, err) = (tempfile::tempfile().unwrap(), tempfile::tempfile().unwrap());
    command.stdin(Stdio::null()).stdout(out.try_clone().unwrap()).stderr(err.try_clone().unwrap());
    Running { child: command.spawn().unwrap(), out, err }
}

/// Waits for the end, and ends it if there is none.
fn end(running: Running) -> Ran {
    let Running { mut child, out, err } = running;
    let begun = Instant::now();
    while child.try_wait().unwrap().is_none() && begun.elapsed() < Duration::from_secs(60) {
        std::thread::sleep(Duration::from_millis(10));
    }
    let _ = child.kill();
    let status = child.wait().unwrap();
    let said = |mut file: File| {
        let mut bytes = Vec::new();
        file.seek(SeekFrom::Start(0)).unwrap();
        file.read_to_end(&mut bytes).unwrap();
        bytes
    };
    Ran::of(&Output { status, stdout: said(out), stderr: said(err) })
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

/// A tape that is there, has frames and lost none.
fn tape_in(folder: &Path) -> PathBuf {
    let tapes = std::fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path());
    let tapes: Vec<PathBuf> = tapes.collect();
    assert!(tapes.len() == 1, "one tape and no journal: {tapes:?}");
    tapes[0].clone()
}

#[test]
fn a_demo_is_recorded_by_another_process_and_seen_by_a_client_to_appear_run_and_go() {
    let Some(client) = client("a_demo_is_recorded_by_another_process") else { return };
    let (bench, names) = (Bench::new(), names("demo"));
    let seen = ask(&client, &["acpmf", &names, "50"]);
    let tape = bench.path("second.gtape");
    let recorder = start(bench.command(&["record", "--names", &names, "-o", text(&tape), "--max-duration", "1"]));
    let demo = end(start(bench.command(&["demo", "--names", &names, "--exit", "--speed", "10"])));
    assert_eq!(demo.code, 0, "{}", demo.err);
    let (recorded, seen) = (end(recorder), end(seen));
    assert_eq!(recorded.code, 0, "{}", recorded.err);
    assert!(seen.code == 0 && seen.out.contains("runs") && seen.out.trim_end().ends_with("gone"), "{}", seen.out);
    bench.expect(0, &["verify", text(&tape)]);
    let (first, second) = (raw(&bench, demo.out.trim()), raw(&bench, text(&tape)));
    assert!(second.len() > 20, "{} frames", second.len());
    // What both saw of the same car is the same.
    assert!(second.iter().any(|frame| first.contains(frame)));
}

#[test]
fn what_is_played_is_recorded_to_the_byte_and_seen_by_a_client() {
    let Some(client) = client("what_is_played_is_recorded") else { return };
    let (bench, names) = (Bench::new(), names("play"));
    let original = bench.expect(0, &["demo", "--exit", "--speed", "100"]).out.trim().to_owned();
    let seen = ask(&client, &["acpmf", &names, "50"]);
    let tape = bench.path("again.gtape");
    let recorder = start(bench.command(&["record", "--names", &names, "-o", text(&tape), "--max-duration", "2"]));
    let played =
        end(start(bench.command(&["play", &original, "--names", &names, "--from", "5", "--to", "9", "--json"])));
    assert_eq!(played.code, 0, "{}", played.err);
    let (recorded, seen) = (end(recorder), end(seen));
    assert_eq!(recorded.code, 0, "{}", recorded.err);
    assert!(seen.code == 0 && seen.out.contains("fell 0") && seen.out.trim_end().ends_with("gone"), "{}", seen.out);
    let (original, again) = (raw(&bench, &original), raw(&bench, text(&tape)));
    assert!(again.len() > 50, "{} frames", again.len());
    assert!(again.iter().all(|frame| original.contains(frame)), "a frame that nobody played");
}

#[test]
fn a_replayed_ibt_satisfies_the_start_up_of_pyirsdk() {
    let Some(client) = client("a_replayed_ibt_satisfies_the_start_up_of_pyirsdk") else { return };
    let (bench, names) = (Bench::new(), names("ibt"));
    let (tape, _) = bench.imported(400);
    let port = std::net::TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap().port().to_string();
    let seen = ask(&client, &["iracing", &names, &port, "50"]);
    let played = end(start(bench.command(&["play", &tape, "--names", &names, "--status-port", &port])));
    let seen = end(seen);
    assert_eq!(played.code, 0, "{}", played.err);
    assert!(seen.code == 0 && seen.out.trim_end().ends_with("gone"), "{}\n{}", seen.out, played.err);
}

#[test]
fn ctrl_break_and_ctrl_c_leave_a_whole_tape() {
    let Some(client) = client("ctrl_break_and_ctrl_c_leave_a_whole_tape") else { return };
    for key in ["break", "c"] {
        let bench = Bench::new();
        let mut command = Command::new(&client);
        command.args(["ctrl", key, "3", env!("CARGO_BIN_EXE_gametape"), "demo"]);
        command.env("GAMETAPE_DATA_DIR", bench.folder.path());
        let ran = end(start(command));
        if key == "break" && ran.out.contains("cannot interrupt it (error 6)") {
            // Wine 8 refuses to generate it. What is called is the same as for Ctrl+C.
            println!("NOT TRIED: Ctrl+Break cannot be generated here");
            continue;
        }
        assert_eq!(ran.code, 130, "{key}: {} {}", ran.out, ran.err);
        let tape = Tape::open(tape_in(&bench.path("demo"))).unwrap();
        assert!(tape.is_complete() && tape.stream_named("physics").unwrap().totals().frames > 20, "{key}");
    }
}

#[test]
fn logging_off_leaves_a_whole_tape() {
    let Some(client) = client("logging_off_leaves_a_whole_tape") else { return };
    let bench = Bench::new();
    let demo = start(bench.command(&["demo"]));
    wait_for_frames(&bench);
    let told = end(ask(&client, &["end-session", &demo.child.id().to_string()]));
    assert_eq!(told.code, 0, "{}", told.out);
    let ran = end(demo);
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
        assert!(begun.elapsed() < Duration::from_secs(30), "no tape");
        std::thread::sleep(Duration::from_millis(20));
    }
}

#[test]
fn a_tape_is_read_marked_and_refused_to_others_while_it_is_recorded() {
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
    let bench = Bench::new();
    let mut command = bench.command(&["demo", "--exit", "--speed", "100"]);
    command.creation_flags(CREATE_NEW_CONSOLE);
    let ran = end(start(command));
    assert_eq!(ran.code, 0, "{}", ran.err);
    assert!(ran.err.contains("nothing was lost") && ran.err.contains("you can close this window"), "{}", ran.err);
    let mut command = bench.command(&["no-such-command"]);
    command.creation_flags(CREATE_NEW_CONSOLE);
    let ran = end(start(command));
    assert!(ran.code == 2 && ran.err.contains("you can close this window"), "{}", ran.err);
    // In a console that others use too, nothing waits.
    assert!(!bench.expect(0, &["games"]).err.contains("you can close"));
}

#[test]
fn doctor_lists_sections_and_games_by_their_windows_names() {
    let bench = Bench::new();
    let ran = bench.run(&["doctor"]);
    assert!(
        ran.out.contains(r"Local\acpmf_physics") || ran.err.contains(r"Local\acpmf_physics"),
        "{}{}",
        ran.out,
        ran.err
    );
}
