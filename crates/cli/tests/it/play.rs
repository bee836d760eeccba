//! `play`: exit codes, signals, steps from stdin, the stand-in process, refusals.
#![cfg(target_os = "linux")]
#![allow(clippy::unwrap_used, clippy::panic, missing_docs)]
use crate::support;

use std::io::Write as _;
use std::path::Path;
use std::process::{Child, Stdio};
use std::time::{Duration, Instant};

use gametape::sys::{Prefix, SectionReader};
use support::{Bench, Ran};

fn names(test: &str) -> String {
    format!("gametape-cli-{}-{test}-", std::process::id())
}

fn wait_until(what: &str, mut is_so: impl FnMut() -> bool) {
    let start = Instant::now();
    while !is_so() {
        assert!(start.elapsed() < Duration::from_secs(300), "waited too long: {what}");
        std::thread::sleep(Duration::from_millis(5));
    }
}

fn section(names: &str, name: &str) -> Option<SectionReader> {
    SectionReader::open(&Prefix::new(names).unwrap().section(name)).unwrap()
}

fn number(section: &SectionReader, at: u64) -> i32 {
    let mut bytes = [0; 4];
    section.copy(at, &mut bytes).unwrap();
    i32::from_le_bytes(bytes)
}

/// A running player, and the section of row buffers it writes.
fn playing(bench: &Bench, arguments: &[&str], names: &str) -> (Child, SectionReader) {
    let mut command = bench.command(arguments);
    let child = command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
    // The section appears before it has its length.
    let is_long_enough = |section: &SectionReader| section.len().is_ok_and(|bytes| bytes >= 144);
    let opened = || section(names, "IRSDKMemMapFileName").filter(is_long_enough);
    let connected = || opened().filter(|section| number(section, 4) == 1);
    wait_until("it plays", || connected().is_some());
    (child, connected().unwrap())
}

fn signal(child: &Child, name: &str) {
    let sent = std::process::Command::new("kill").args([name, &child.id().to_string()]).status().unwrap();
    assert!(sent.success());
}

#[test]
fn a_game_of_ones_own_is_sent_to_the_address_that_is_named() {
    use gametape::format::write::{StdFiles, WriteOptions, Writer};
    use gametape::format::{StreamSpec, TapeId};
    let bench = Bench::new();
    let path = bench.path("own.gtape");
    let options = WriteOptions::new(TapeId([7; 16]));
    let mut writer = Writer::create(std::sync::Arc::new(StdFiles), &path, &options).unwrap();
    let spec = StreamSpec { game: "my-game".into(), transport: "udp".into(), ..StreamSpec::rows("car") };
    let stream = writer.add_stream(spec).unwrap();
    for number in 0..20_u8 {
        writer.append(stream, u64::from(number) * 1_000_000, &[number; 30]).unwrap();
    }
    writer.finish().unwrap();
    let tape = support::text(&path);
    bench.expect(1, &["play", tape]).is_one_error_with(&["--send-to HOST:PORT"]);
    let client = std::net::UdpSocket::bind("127.0.0.1:0").unwrap();
    client.set_read_timeout(Some(Duration::from_secs(60))).unwrap();
    let address = client.local_addr().unwrap().to_string();
    let json = bench.expect(0, &["play", tape, "--send-to", &address, "--json"]).json();
    assert_eq!((&json["frames"], &json["game"]), (&20.into(), &"my-game".into()));
    for number in 0..20_u8 {
        let mut buffer = [0; 100];
        let length = client.recv(&mut buffer).unwrap();
        assert_eq!(buffer[..length], [number; 30]);
    }
}

#[test]
fn a_tape_is_played_to_its_end_and_nothing_stays() {
    let (bench, names) = (Bench::new(), names("end"));
    let (tape, _) = bench.imported(40);
    let ran = bench.expect(0, &["play", &tape, "--speed", "2", "--names", &names, "--json"]);
    let json = ran.json();
    assert_eq!((&json["frames"], &json["ended"], &json["game"]), (&40.into(), &"end".into(), &"iracing".into()));
    assert_eq!((&json["lost"], &json["loops"], &json["unfit"]), (&0.into(), &0.into(), &0.into()));
    assert!(ran.err.contains("40 frames shown") && ran.err.contains(&names), "{}", ran.err);
    assert!(!ran.err.contains('\r') && !ran.err.contains('\x1b'), "plain lines in a pipe: {:?}", ran.err);
    assert!(section(&names, "IRSDKMemMapFileName").is_none() && section(&names, "gametape_player").is_none());
}

#[test]
fn signals_end_it_and_clients_see_the_game_go() {
    let bench = Bench::new();
    let (tape, _) = bench.imported(100);
    for (name, code) in [("-INT", 130), ("-TERM", 0)] {
        let names = names(name);
        let (child, memory) = playing(&bench, &["play", &tape, "--loop", "--names", &names, "--json"], &names);
        signal(&child, name);
        let ran = Ran::of(&child.wait_with_output().unwrap());
        assert_eq!((ran.code, &ran.json()["ended"]), (code, &"stopped".into()), "{}", ran.err);
        assert_eq!(number(&memory, 4), 0, "a client that holds the memory sees the end");
        assert!(section(&names, "IRSDKMemMapFileName").is_none());
    }
}

#[test]
fn a_line_on_standard_input_is_a_frame() {
    let (bench, names) = (Bench::new(), names("step"));
    let (tape, _) = bench.imported(40);
    let mut command = bench.command(&["play", &tape, "--step", "--names", &names, "--json"]);
    let mut child = command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
    child.stdin.take().unwrap().write_all(b"\n\n\n\n\n").unwrap();
    let ran = Ran::of(&child.wait_with_output().unwrap());
    // The initial state is there before the first line is read.
    assert_eq!((ran.code, &ran.json()["frames"]), (0, &6.into()), "{}", ran.err);
}

fn processes_named(name: &str) -> Vec<String> {
    let named = |process: &Path| std::fs::read_to_string(process.join("comm")).is_ok_and(|comm| comm.trim() == name);
    let alive = |process: &Path| std::fs::read(process.join("cmdline")).is_ok_and(|command| !command.is_empty());
    let all = std::fs::read_dir("/proc").unwrap().flatten().map(|entry| entry.path());
    all.filter(|process| named(process) && alive(process)).map(|process| process.display().to_string()).collect()
}

#[test]
fn a_process_of_the_games_name_runs_as_long_as_the_player_even_if_that_is_killed() {
    let bench = Bench::new();
    let (tape, _) = bench.imported(100);
    for kill in [false, true] {
        let names = names(if kill { "killed" } else { "named" });
        // Truncated by the system to 15 characters.
        let name = format!("gt{}{kill}.exe", std::process::id() % 10_000);
        let arguments = ["play", &tape, "--loop", "--names", &names, "--as-process", &name];
        let (mut child, _memory) = playing(&bench, &arguments, &names);
        wait_until("the process runs", || processes_named(&name).len() == 1);
        signal(&child, if kill { "-KILL" } else { "-TERM" });
        child.wait().unwrap();
        wait_until("the process ends", || processes_named(&name).is_empty());
        for left in ["IRSDKMemMapFileName", "gametape_player"] {
            let _ = std::fs::remove_file(format!("/dev/shm/{names}{left}"));
        }
    }
    bench.expect(2, &["play", &tape, "--as-process", "a/b"]);
}

#[test]
fn next_to_another_player_it_refuses_and_says_what_to_do() {
    let (bench, names) = (Bench::new(), names("second"));
    let (tape, _) = bench.imported(100);
    let (child, memory) = playing(&bench, &["play", &tape, "--loop", "--names", &names], &names);
    let refused = bench.expect(1, &["play", &tape, "--names", &names]);
    refused.is_one_error_with(&["another gametape", "--names", "--force"]);
    assert_eq!(number(&memory, 4), 1, "the first one goes on");
    bench.expect(0, &["play", &tape, "--names", &names, "--force", "--speed", "100"]);
    signal(&child, "-TERM");
    child.wait_with_output().unwrap();
}

#[test]
fn wrong_arguments_and_tapes_are_told_apart() {
    let bench = Bench::new();
    let (tape, source) = bench.imported(10);
    for wrong in ["0.05", "101", "fast", "nan"] {
        bench.expect(2, &["play", &tape, "--speed", wrong]);
    }
    bench.expect(2, &["play", &tape, "--from", "2", "--to", "1"]).is_one_error_with(&["--to", "--from"]);
    bench.expect(1, &["play", &source]).is_one_error_with(&["gametape import"]);
    let names = names("wrong");
    bench.expect(4, &["play", &tape, "--names", &names, "--from", "1h"]).is_one_error_with(&["no frames"]);
    let help = bench.expect(0, &["play", "--help"]).out;
    assert!(help.contains("startup(test_file='/dev/shm/IRSDKMemMapFileName')") && help.contains("--force"), "{help}");
}
