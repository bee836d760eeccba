//! Plays tapes of Echo VR over HTTP, and records what is played.
#![cfg(any(target_os = "linux", windows))]
#![allow(clippy::unwrap_used, clippy::panic)]
use crate::echo_game;
use crate::game;
use crate::playback;

use std::io::{Read as _, Write as _};
use std::net::{SocketAddr, TcpStream};
use std::path::Path;
use std::sync::Arc;
use std::time::Duration;

use echo_game::{assert_same, frames, open};
use game::{Recording, wait_until};
use gametape::Tape;
use gametape::capture::{Destination, EchoVrAddress, EchoVrSource, RecordOptions, RecorderEvent, TapeSummary};
use gametape::format::write::{StdFiles, TapeBuilder, WriteOptions};
use gametape::format::{StreamSpec, TapeId};
use gametape::games::echo_vr;
use gametape::games::echo_vr::simulated::{Match, Settings};
use gametape::play::{Ended, PlayError, Player, StageError};
use gametape::sys::Prefix;
use playback::SleepClock;

const ID: TapeId = TapeId([5; 16]);

/// Creates a tape of a simulated match. Returns it with its session and bones responses.
fn match_tape(folder: &Path, settings: Settings) -> (Tape, Vec<Vec<u8>>, Vec<Vec<u8>>) {
    let path = folder.join("match.gtape");
    let mut tape = TapeBuilder::create(Arc::new(StdFiles), &path, &WriteOptions::new(ID), true).unwrap();
    let mut add = |name: &str| {
        let spec = StreamSpec { game: echo_vr::ID.into(), transport: "file".into(), ..StreamSpec::json(name) };
        tape.add_stream(spec, 0).unwrap()
    };
    let (session, player_bones) = (add(echo_vr::SESSION), add(echo_vr::PLAYER_BONES));
    let (mut sessions, mut bones) = (Vec::new(), Vec::new());
    let period_ns = (1e9 / settings.rate_hz) as u64;
    for (number, answers) in Match::new(settings).enumerate() {
        let time_ns = number as u64 * period_ns;
        tape.append(session, time_ns, answers.session.as_bytes()).unwrap();
        tape.append(player_bones, time_ns + 1000, answers.player_bones.as_bytes()).unwrap();
        sessions.push(answers.session.into_bytes());
        bones.push(answers.player_bones.into_bytes());
    }
    tape.finish().unwrap();
    (Tape::open(&path).unwrap(), sessions, bones)
}

fn get(address: SocketAddr, path: &str) -> (u16, Vec<u8>) {
    let mut client = TcpStream::connect(address).unwrap();
    write!(client, "GET {path} HTTP/1.1\r\nHost: {address}\r\nConnection: close\r\n\r\n").unwrap();
    let mut answer = Vec::new();
    client.read_to_end(&mut answer).unwrap();
    let head = answer.windows(4).position(|end| end == b"\r\n\r\n").unwrap() + 4;
    let status = std::str::from_utf8(&answer[9..12]).unwrap().parse().unwrap();
    (status, answer[head..].to_vec())
}

#[test]
fn step_by_step_every_answer_is_the_frame_of_the_tape_and_seeks_and_loops_go_where_they_should() {
    let folder = tempfile::tempdir().unwrap();
    let settings = Settings { frames: 40, rate_hz: 20.0, ..Settings::default() };
    let (tape, sessions, bones) = match_tape(folder.path(), settings);
    let mut playing = Player::new(&tape).http_port(0).looping(true).start().unwrap();
    let address = playing.http_address().unwrap();
    assert!(address.ip().is_loopback() && playing.notes().is_empty(), "{:?}", playing.notes());
    assert_eq!(get(address, "/session").0, 404, "before the first frame there is no match");
    let mut number = 0;
    for _ in 0..2 {
        for (session, bones) in sessions.iter().zip(&bones) {
            // The frames of the first position are shown together.
            playing.step().unwrap();
            assert!(get(address, "/session") == (200, session.clone()), "{number}");
            if number % sessions.len() > 0 {
                playing.step().unwrap();
            }
            assert!(get(address, "/player_bones") == (200, bones.clone()), "{number}");
            number += 1;
        }
    }
    playing.seek(Duration::from_millis(1010));
    playing.step().unwrap();
    assert!(get(address, "/session").1 == sessions[20]);
    assert!(get(address, "/player_bones").1 == bones[20]);
    let played = playing.stop().unwrap();
    assert_eq!((played.loops, played.unfit, played.lost), (1, 0, 0));
    assert!(TcpStream::connect(address).is_err(), "nobody answers after the end");
}

#[test]
fn by_the_clock_the_whole_tape_is_shown_once_at_any_speed() {
    let folder = tempfile::tempdir().unwrap();
    let (tape, sessions, _) = match_tape(folder.path(), Settings { frames: 50, rate_hz: 20.0, ..Settings::default() });
    for speed in [1.0, 10.0] {
        let mut playing = Player::new(&tape).http_port(0).speed(speed).start().unwrap();
        let address = playing.http_address().unwrap();
        let mut seen = Vec::new();
        let clock = SleepClock::default();
        let mut due = Vec::new();
        let ended = playing.run_by(&clock, &mut |moment| {
            due.push(moment.due_ns);
            seen.push(get(address, "/session").1);
        });
        assert_eq!(ended.unwrap(), Ended::AtEnd);
        seen.dedup();
        // The frames of the first position are shown without waiting.
        assert_same(&seen, &sessions[1..]);
        let last_ns = (49.0 * 50_000_000.0 / speed) as u64;
        assert!(due.last().unwrap().abs_diff(last_ns) < 2000, "{due:?}");
    }
}

#[test]
fn under_a_prefix_a_free_port_answers_and_a_taken_port_is_an_error_that_says_what_to_do() {
    let folder = tempfile::tempdir().unwrap();
    let (tape, ..) = match_tape(folder.path(), Settings { frames: 3, ..Settings::default() });
    let prefix = Prefix::new("gametape-test-echo-").unwrap();
    let first = Player::new(&tape).names(prefix).start().unwrap();
    let port = first.http_address().unwrap().port();
    assert_ne!(port, echo_vr::PORTS.0);
    let taken = Player::new(&tape).http_port(port).start().map(|_| ()).unwrap_err();
    assert!(matches!(taken, PlayError::Stage(StageError::Port { port: found, .. }) if found == port), "{taken}");
}

/// Tests recorder and player against each other: the recording must equal what was played.
#[test]
fn what_is_played_is_recorded_byte_for_byte_in_order_and_nothing_is_invented() {
    let folder = tempfile::tempdir().unwrap();
    let settings = Settings { frames: 60, rate_hz: 20.0, players: 4, seed: 9, ..Settings::default() };
    let (tape, sessions, bones) = match_tape(folder.path(), settings);
    let mut playing = Player::new(&tape).http_port(0).start().unwrap();
    let address = EchoVrAddress::from(playing.http_address().unwrap());
    let source = EchoVrSource::new(address, 200).look_every(Duration::from_millis(20));
    let recording =
        Recording::start(RecordOptions::new(Some(Destination::Folder(folder.path().join("again")))), source);
    // The player waits for the recorder, so every response is recorded.
    let taken = || recording.rows.load(std::sync::atomic::Ordering::Relaxed);
    for _ in 0..60 {
        playing.step().unwrap();
        let before = taken();
        wait_until("the answer is taken", || taken() >= before + 2);
    }
    let played_to = playing.position();
    // Then in real time.
    assert_eq!(playing.run().unwrap(), Ended::AtEnd);
    playing.stop().unwrap();
    let path = loop {
        if let RecorderEvent::Closed(TapeSummary { path, .. }) = recording.next() {
            break path;
        }
    };
    recording.end();
    let again = open(&path);
    let found = frames(&again, echo_vr::SESSION);
    let mut rest = sessions.iter();
    assert!(found.iter().all(|frame| rest.any(|played| played == frame)), "in order, and none that was not played");
    let stepped = sessions.iter().take(played_to.as_millis() as usize / 50);
    assert!(stepped.clone().count() >= 25 && found.iter().zip(stepped).all(|(found, played)| found == played));
    let mut rest = bones.iter();
    assert!(frames(&again, echo_vr::PLAYER_BONES).iter().all(|frame| rest.any(|played| played == frame)));
    assert_eq!(again.metadata().get("replay_of").map(String::as_str), Some(format!("replay of {ID}").as_str()));
    assert!(again.events().iter().any(|event| event.kind == "player_joined"));
}
