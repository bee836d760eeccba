//! Echo VR over HTTP: an imported match is played, polled by a client, and recorded again; wrong ports and settings are reported.
#![cfg(target_os = "linux")]
#![allow(clippy::unwrap_used, clippy::panic, missing_docs)]
use crate::support;

use std::io::{BufRead as _, BufReader, Read as _, Write as _};
use std::net::{Ipv4Addr, TcpListener, TcpStream};
use std::process::{Child, ChildStderr, Stdio};

use gametape::format::read::Tape;
use gametape::games::echo_vr::simulated::{Match, Settings};
use support::{Bench, Ran, text};

/// A tape imported from an `.echoreplay` file, and its responses of `/session`.
fn imported(bench: &Bench) -> (String, Vec<String>) {
    let settings = Settings { frames: 100, rate_hz: 20.0, players: 4, ..Settings::default() };
    let (mut lines, mut sessions) = (String::new(), Vec::new());
    for answers in Match::new(settings) {
        let (seconds, ms) = (answers.utc_ms.div_euclid(1000) % 86_400, answers.utc_ms.rem_euclid(1000));
        let time = format!("2023/04/01 {:02}:{:02}:{:02}.{ms:03}", seconds / 3600, seconds / 60 % 60, seconds % 60);
        lines.push_str(&format!("{time}\t{}\t{}\r\n", answers.session, answers.player_bones));
        sessions.push(answers.session);
    }
    let source = support::ibt::put(&bench.path("match.echoreplay"), lines.as_bytes());
    (bench.expect(0, &["import", text(&source)]).out.trim().to_owned(), sessions)
}

/// A player running on a free port.
struct Playing {
    child: Child,
    _said: BufReader<ChildStderr>,
    port: String,
}

impl Playing {
    fn start(bench: &Bench, tape: &str) -> Self {
        let mut command = bench.command(&["play", tape, "--loop", "--http-port", "0"]);
        let mut child = command.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
        let mut said = BufReader::new(child.stderr.take().unwrap());
        let mut line = String::new();
        while !line.contains("http://127.0.0.1:") {
            line.clear();
            assert_ne!(said.read_line(&mut line).unwrap(), 0, "it ended");
        }
        let port = line.trim().rsplit_once(':').unwrap().1.to_owned();
        Self { child, _said: said, port }
    }

    fn ask(&self, path: &str) -> String {
        let mut client = TcpStream::connect(("127.0.0.1", self.port.parse().unwrap())).unwrap();
        write!(client, "GET {path} HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n").unwrap();
        let mut answer = String::new();
        client.read_to_string(&mut answer).unwrap();
        answer
    }
}

fn signal(child: &Child, name: &str) {
    let sent = std::process::Command::new("kill").args([name, &child.id().to_string()]).status().unwrap();
    assert!(sent.success());
}

impl Drop for Playing {
    fn drop(&mut self) {
        signal(&self.child, "-TERM");
        self.child.wait().unwrap();
    }
}

#[test]
fn an_imported_match_is_played_to_clients_and_recorded_again() {
    let bench = Bench::new();
    let (tape, sessions) = imported(&bench);
    let playing = Playing::start(&bench, &tape);
    // The first frame is shown a moment after the port is open.
    let answer = loop {
        let answer = playing.ask("/session");
        if !answer.starts_with("HTTP/1.1 404") {
            break answer;
        }
    };
    let (head, body) = answer.split_once("\r\n\r\n").unwrap();
    assert!(head.starts_with("HTTP/1.1 200 OK") && sessions.iter().any(|session| session == body), "{answer}");
    assert!(playing.ask("/player_bones").contains("{\"user_bones\":"));
    assert!(playing.ask("/get_rules").starts_with("HTTP/1.1 404"));

    let ready = bench.command(&["doctor", "--game", "echo-vr", "--json"]).env("GAMETAPE_ECHO", &playing.port).output();
    let ready = Ran::of(&ready.unwrap());
    assert_eq!((ready.code, &ready.json()["ready"][0]), (0, &"echo-vr".into()), "{} {}", ready.out, ready.err);
    assert!(ready.out.contains("a player responds") && ready.out.contains("GAMETAPE_ECHO"), "{}", ready.out);

    let again = bench.path("again.gtape");
    let mut record = bench.command(&["record", "--game", "echo", "--max-duration", "1s", "-o", text(&again), "--json"]);
    // A proxy of the environment is ignored.
    record
        .env("GAMETAPE_ECHO", &playing.port)
        .env("HTTP_PROXY", "http://127.0.0.1:9")
        .env("http_proxy", "http://127.0.0.1:9");
    let ran = Ran::of(&record.output().unwrap());
    assert_eq!(ran.code, 0, "{}", ran.err);
    assert_eq!(ran.json()["tapes"][0]["end_reason"], "max_duration", "{}", ran.out);
    let info = bench.expect(0, &["info", text(&again), "--json"]).json();
    assert_eq!((&info["game"], &info["metadata"]["track"]), (&"echo-vr".into(), &"mpl_arena_a".into()), "{info:#}");
    assert!(info["metadata"]["replay_of"].as_str().unwrap().starts_with("replay of "), "{info:#}");
    bench.expect(0, &["verify", text(&again)]);
    assert!(bench.expect(0, &["cat", text(&again), "--events"]).out.contains("player_joined"));
    let tape = Tape::open(&again).unwrap();
    let mut frames = tape.frames(tape.stream_named("session").unwrap());
    let mut count = 0;
    while let Some(frame) = frames.next().unwrap() {
        count += 1;
        assert!(sessions.iter().any(|session| session.as_bytes() == frame.data), "invented");
    }
    assert!(count > 1, "{count}");
    let none = bench.expect(4, &["laps", text(&again), "--json"]);
    assert_eq!(none.json()["sessions"].as_array().unwrap().len(), 0, "no laps are made up");
    let error: serde_json::Value = serde_json::from_str(&none.err).unwrap();
    assert!(["Echo VR", "cat --events"].iter().all(|word| error.to_string().contains(word)), "{error}");
}

#[test]
fn the_main_job_records_it_too() {
    let bench = Bench::new();
    let (tape, _) = imported(&bench);
    let playing = Playing::start(&bench, &tape);
    let mut job = bench.command(&[]);
    job.env("GAMETAPE_NAMES", format!("gametape-cli-{}-echo-", std::process::id()));
    job.env("GAMETAPE_WINE", "off").env("GAMETAPE_ECHO", &playing.port);
    let mut job = job.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
    let mut said = BufReader::new(job.stderr.take().unwrap());
    let mut all = String::new();
    while !all.contains("recording echo-vr, mpl_arena_a to ") {
        assert_ne!(said.read_line(&mut all).unwrap(), 0, "{all}");
    }
    assert!(all.contains("waiting for") && all.contains("Echo VR"), "{all}");
    signal(&job, "-INT");
    said.read_to_string(&mut all).unwrap();
    assert_eq!(job.wait().unwrap().code(), Some(130), "{all}");
    let path = all.split("recording echo-vr, mpl_arena_a to ").nth(1).unwrap().lines().next().unwrap();
    assert!(Tape::open(path).unwrap().is_complete());
}

#[test]
fn a_port_that_is_taken_and_settings_that_are_none_are_named() {
    let bench = Bench::new();
    let (tape, _) = imported(&bench);
    let taken = TcpListener::bind((Ipv4Addr::LOCALHOST, 0)).unwrap();
    let port = taken.local_addr().unwrap().port().to_string();
    let ran = bench.expect(1, &["play", &tape, "--http-port", &port]);
    ran.is_one_error_with(&[&port, "--http-port"]);
    let names = format!("gametape-cli-{}-none-", std::process::id());
    bench.expect(2, &["record", "--game", "echo-vr", "--names", &names]).is_one_error_with(&["GAMETAPE_ECHO"]);
    let wrong = bench.command(&["record", "--game", "echo-vr"]).env("GAMETAPE_ECHO", "a b").output().unwrap();
    let wrong = Ran::of(&wrong);
    assert_eq!(wrong.code, 2);
    wrong.is_one_error_with(&["GAMETAPE_ECHO", "6721"]);
}
