//! `doctor` as a process, with games in real shared memory.
#![cfg(target_os = "linux")]
#![allow(clippy::unwrap_used, clippy::panic, missing_docs)]
use crate::game;
use crate::support;

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use game::{Game, iracing, prefix};
use gametape::capture::player_marker::PlayerMarker;
use gametape::format::TapeId;
use gametape::sys::{Prefix, SectionWriter};
use serde_json::Value;
use support::{Bench, keys, text};

/// Runs the doctor with these names; returns its document and its last line.
fn doctor(bench: &Bench, code: i32, prefix: &Prefix, more: &[&str]) -> (Value, String) {
    let ran = bench.expect(code, &[&["doctor", "--json", "--names", prefix.as_str()], more].concat());
    let document = ran.json();
    assert_eq!(document["can_record"], code == 0, "{document:#}");
    if code != 0 {
        ran.is_one_error_with(&["no game can be recorded now"]);
    }
    (document, ran.err)
}

fn finding<'a>(document: &'a Value, what: &str) -> &'a Value {
    let all = document["findings"].as_array().unwrap();
    all.iter().find(|finding| finding["what"] == what).unwrap_or_else(|| panic!("no {what} in {document:#}"))
}

/// Runs something every millisecond while something else runs.
fn meanwhile<T>(mut act: impl FnMut() + Send, run: impl FnOnce() -> T) -> T {
    let done = Arc::new(AtomicBool::new(false));
    let (stop, own) = (Arc::clone(&done), done);
    std::thread::scope(|scope| {
        let thread = scope.spawn(move || {
            while !stop.load(Ordering::Relaxed) {
                act();
                std::thread::sleep(Duration::from_millis(1));
            }
        });
        let result = std::panic::catch_unwind(std::panic::AssertUnwindSafe(run));
        own.store(true, Ordering::Relaxed);
        thread.join().unwrap();
        result.unwrap_or_else(|panic| std::panic::resume_unwind(panic))
    })
}

#[test]
fn no_game_is_4_with_a_reason_and_says_where_settings_come_from() {
    let bench = Bench::new();
    let prefix = prefix("none");
    let (document, err) = doctor(&bench, 4, &prefix, &[]);
    assert!(err.contains(prefix.as_str()) && err.contains("leave out --names"), "{err}");
    assert_eq!(keys(&document), ["can_record", "findings", "ready", "settings"]);
    assert_eq!(keys(&document["findings"][0]), ["game", "state", "text", "what", "what_to_do"]);
    let settings = document["settings"].as_array().unwrap();
    let from = |name: &str| settings.iter().find(|setting| setting["name"] == name).unwrap()["from"].clone();
    assert_eq!(from("tapes folder"), "environment GAMETAPE_DATA_DIR");
    assert_eq!((from("names"), from("game")), ("flag --names".into(), "default".into()));
    assert!(!bench.path("tapes").exists(), "nothing is made by looking");
}

#[test]
fn lines_in_a_pipe_begin_with_the_state() {
    let bench = Bench::new();
    let out = bench.expect(4, &["doctor", "--names", prefix("lines").as_str(), "--game", "acc"]).out;
    let known = ["ok: ", "note: ", "problem: ", "setting: "];
    assert!(out.lines().all(|line| known.iter().any(|state| line.starts_with(state))), "{out}");
    assert!(out.contains("setting: game: assetto-corsa-competizione (flag --game)"), "{out}");
    assert!(!out.contains("IRSDK") && !out.contains('\u{1b}'), "{out}");
    bench.expect(2, &["doctor", "--game", "pong"]);
}

#[test]
fn empty_short_and_zero_sections_are_told_apart() {
    let bench = Bench::new();
    let prefix = prefix("made");
    let names = ["acpmf_physics", "acpmf_graphics", "acpmf_static"].map(|name| prefix.section(name));
    let make = |bytes| names.each_ref().map(|name| SectionWriter::create(name, bytes).unwrap());
    for (bytes, state, words) in
        [(0, "note", "is empty"), (100, "problem", "has 100 bytes, too few"), (2048, "note", "no game has written")]
    {
        let sections = make(bytes);
        let (_, err) = doctor(&bench, 4, &prefix, &[]);
        let (document, _) = doctor(&bench, 4, &prefix, &["--game", "acc"]);
        sections.into_iter().for_each(|section| section.remove().unwrap());
        assert!(err.contains(words), "{bytes}: {err}");
        let states: Vec<&Value> =
            document["findings"].as_array().unwrap().iter().map(|finding| &finding["state"]).collect();
        assert!(states.contains(&&state.into()), "{document:#}");
    }
}

#[test]
fn menus_live_and_frozen_are_told_apart() {
    let bench = Bench::new();
    let prefix = prefix("live");
    let mut game = Game::start(&prefix);
    let (_, err) = meanwhile(|| game.step(), || doctor(&bench, 4, &prefix, &[]));
    assert!(err.contains("in its menus") && err.contains("start a session"), "{err}");
    game.status(2);
    let (document, err) = meanwhile(|| game.step(), || doctor(&bench, 0, &prefix, &[]));
    assert_eq!((document["ready"][0].as_str(), err.as_str()), (Some("assetto-corsa-competizione"), ""));
    let said = finding(&document, "telemetry")["text"].as_str().unwrap();
    assert!(said.contains("Competizione, live") && said.contains("test_car") && said.contains("test track"), "{said}");
    // The same memory, but nothing writes to it.
    let (document, err) = doctor(&bench, 4, &prefix, &[]);
    assert!(err.contains("left over from a game that ended"), "{err}");
    assert_eq!(document["ready"].as_array().unwrap().len(), 0);
    // The names are right, but another game is wanted.
    let (_, err) = meanwhile(|| game.step(), || doctor(&bench, 4, &prefix, &["--game", "ac"]));
    assert!(err.contains("leave out --game"), "{err}");
}

#[test]
fn physics_alone_is_told() {
    let bench = Bench::new();
    let prefix = prefix("physics");
    let mut game = Game::start(&prefix);
    zerocopy::FromZeros::zero(&mut game.graphics);
    zerocopy::FromZeros::zero(&mut game.statics);
    game.write();
    let (document, _) = meanwhile(|| game.step(), || doctor(&bench, 0, &prefix, &[]));
    assert_eq!(document["ready"][0], "assetto-corsa-rally");
    let (_, err) = meanwhile(|| game.step(), || doctor(&bench, 4, &prefix, &["--game", "acc"]));
    assert!(err.contains("--game assetto-corsa-rally"), "{err}");
}

#[test]
fn iracing_is_seen_connected_and_not() {
    let bench = Bench::new();
    let prefix = prefix("iracing");
    let mut memory = iracing::Memory::start(&prefix, 3, true);
    let (document, err) = doctor(&bench, 4, &prefix, &["--game", "iracing"]);
    assert!(err.contains("left over"), "{err}");
    assert_eq!(finding(&document, "memory")["state"], "ok");
    memory.connected(true);
    let (document, _) = meanwhile(|| memory.step(), || doctor(&bench, 0, &prefix, &[]));
    assert_eq!(document["ready"][0], "iracing");
    let (_, err) = doctor(&bench, 4, &prefix, &[]);
    assert!(err.contains("left over"), "control: without ticks it is not live: {err}");
}

#[test]
fn unfinished_tapes_and_players_are_told_and_a_blocked_folder_stops_it_all() {
    let bench = Bench::new();
    let prefix = prefix("folder");
    let tapes = bench.path("tapes");
    std::fs::create_dir(&tapes).unwrap();
    for name in ["a.gtape", "a.gtape-journal-3", "a.gtape-journal-4", "whole.gtape"] {
        std::fs::File::create_new(tapes.join(name)).unwrap();
    }
    let mut game = Game::start(&prefix);
    game.status(2);
    let sign = PlayerMarker::create(&prefix, TapeId([7; 16]), &gametape::games::acc::GAME).unwrap();
    let (document, _) = meanwhile(|| game.step(), || doctor(&bench, 0, &prefix, &[]));
    sign.remove().unwrap();
    let unfinished = finding(&document, "unfinished_tape");
    assert_eq!(unfinished["what_to_do"], format!("gametape recover {}", text(&tapes.join("a.gtape"))));
    let journals =
        document["findings"].as_array().unwrap().iter().filter(|finding| finding["what"] == "unfinished_tape");
    assert_eq!(journals.count(), 1);
    assert!(finding(&document, "player")["text"].as_str().unwrap().contains(&TapeId([7; 16]).to_string()));
    std::fs::remove_dir_all(&tapes).unwrap();
    std::fs::File::create_new(&tapes).unwrap();
    let (_, err) = meanwhile(|| game.step(), || doctor(&bench, 4, &prefix, &[]));
    assert!(err.contains("is not a folder"), "{err}");
}

#[test]
fn datagrams_of_a_game_are_seen_and_a_taken_port_is_told() {
    let bench = Bench::new();
    let prefix = prefix("udp");
    let game = std::net::UdpSocket::bind("127.0.0.1:0").unwrap();
    let other = std::net::UdpSocket::bind("127.0.0.1:0").unwrap();
    let address = other.local_addr().unwrap();
    let listen = address.to_string();
    let asked = ["--game", "f1-25", "--listen", &listen];
    let (document, err) = doctor(&bench, 4, &prefix, &asked);
    let port = finding(&document, "port");
    assert_eq!((&port["state"], &port["game"]), (&"problem".into(), &"f1-25".into()));
    assert!(err.contains(&format!("process {}", std::process::id())) && err.contains("--forward"), "{err}");
    drop(other);
    let (document, err) = doctor(&bench, 4, &prefix, &asked);
    assert_eq!(finding(&document, "port")["state"], "ok");
    assert!(err.contains("nothing arrives") && err.contains("UDP Telemetry on"), "{err}");
    assert!(finding(&document, "buffer")["text"].as_str().unwrap().contains("MB"));
    let layout = gametape::games::f1::packet_layout(2025, 6).unwrap();
    let mut packet = vec![0; layout.frame_bytes() as usize];
    packet[..2].copy_from_slice(&2025_u16.to_le_bytes());
    (packet[2], packet[6]) = (25, 6);
    let send = || drop(game.send_to(&packet, address));
    let (document, _) = meanwhile(send, || doctor(&bench, 0, &prefix, &asked));
    assert_eq!(document["ready"][0], "f1-25");
    assert!(finding(&document, "telemetry")["text"].as_str().unwrap().contains("F1 25 sends to UDP port"));
}
