//! Programs that nobody here wrote read what a player sends, unmodified: `granturismo` from PyPI, and `ac-remote-telemetry-client` and
//! `acc-broadcast` from npm.
#![cfg(target_os = "linux")]
#![allow(clippy::unwrap_used)]
use std::collections::BTreeSet;
use std::ffi::OsString;
use std::io::{BufRead as _, BufReader, Write as _};
use std::path::Path;
use std::process::{Command, Stdio};
use std::sync::mpsc::{Receiver, channel};
use std::time::Duration;

use gametape::games::acc::broadcast::Message;
use gametape::games::{acc, find_game};

use crate::udp_requests::{playing, recorded, remote_messages, simulated, wait_until};

/// Guards against a hang.
const PATIENCE: Duration = Duration::from_secs(60);

/// Returns an environment variable, or reports that the test is skipped.
fn variable(name: &str, test: &str) -> Option<OsString> {
    if let Some(value) = std::env::var_os(name) {
        return Some(value);
    }
    std::io::stderr().write_all(format!("SKIPPED {test}: {name} is not set\n").as_bytes()).unwrap();
    if let Some(log) = std::env::var_os("GAMETAPE_SKIP_LOG") {
        let mut log = std::fs::OpenOptions::new().create(true).append(true).open(log).unwrap();
        log.write_all(format!("{test}\n").as_bytes()).unwrap();
    }
    None
}

/// Plays a tape while a script reads it: after this many requests, until it got this many datagrams. Returns the lines that it prints;
/// nothing if it gave up.
fn read_by(command: &mut Command, (tape, prefix): (&Path, &str), requests: u64, count: usize) -> Vec<String> {
    let (mut playing, address) = playing(tape, prefix);
    let args = [address.ip().to_string(), address.port().to_string(), count.to_string()];
    let mut child = command.args(args).stdout(Stdio::piped()).spawn().unwrap();
    let lines = BufReader::new(child.stdout.take().unwrap());
    let (send, heard): (_, Receiver<String>) = channel();
    std::thread::spawn(move || lines.lines().for_each(|line| drop(send.send(line.unwrap()))));
    assert_eq!(heard.recv_timeout(PATIENCE).unwrap(), "ready");
    wait_until("the client did not ask", || playing.asked().requests >= requests);
    playing.run().unwrap();
    let mut got = Vec::new();
    while let Ok(line) = heard.recv_timeout(PATIENCE) {
        got.push(line);
    }
    let ended_well = child.wait().unwrap().success();
    playing.stop().unwrap();
    if ended_well { got } else { Vec::new() }
}

fn f32_at(bytes: &[u8], at: usize) -> f32 {
    f32::from_le_bytes(bytes[at..at + 4].try_into().unwrap())
}

fn i32_at(bytes: &[u8], at: usize) -> i32 {
    i32::from_le_bytes(bytes[at..at + 4].try_into().unwrap())
}

#[test]
fn granturismo_reads_the_packets_of_a_player() {
    let Some(python) = variable("GAMETAPE_PYTHON", "granturismo_reads_the_packets_of_a_player") else { return };
    let folder = tempfile::tempdir().unwrap();
    let gt7 = find_game("gran-turismo-7").unwrap();
    // The tape has packets of kind C; this client asks for kind A.
    let packets = simulated(gt7.id, 3_000);
    let tape = recorded(folder.path(), &packets);
    let script = concat!(env!("CARGO_MANIFEST_DIR"), "/../../tests/independent/granturismo_values.py");
    let read = || read_by(Command::new(&python).arg("-B").arg(script), (&tape, "granturismo"), 1, packets.len());
    // The client gives up if a busy machine does not let it run for a while.
    let got = (0..3).map(|_| read()).find(|got| !got.is_empty()).unwrap();
    let expected = packets.iter().map(|packet| {
        let mut plain = Vec::new();
        assert_eq!(gt7.rules.datagram(packet, &mut plain), Some("c"));
        let [x, speed, rpm] = [0x04, 0x4C, 0x3C].map(|at| f32_at(&plain, at).to_bits());
        format!("{} {} {x:08x} {speed:08x} {rpm:08x}", i32_at(&plain, 0x70), i32_at(&plain, 0x124))
    });
    assert_eq!(got, expected.collect::<Vec<_>>());
}

#[test]
fn ac_remote_telemetry_client_reads_the_messages_of_a_player() {
    const TEST: &str = "ac_remote_telemetry_client_reads_the_messages_of_a_player";
    let Some(modules) = variable("GAMETAPE_NODE_CLIENTS", TEST) else { return };
    let folder = tempfile::tempdir().unwrap();
    let (names, messages) = remote_messages();
    let tape = recorded(folder.path(), &[&[names][..], &messages].concat());
    let script = concat!(env!("CARGO_MANIFEST_DIR"), "/../../tests/independent/ac_remote_values.cjs");
    let mut command = Command::new("node");
    command.arg(script).env("NODE_PATH", modules);
    let got = read_by(&mut command, (&tape, "ac-remote-client"), 3, messages.len());
    let mut expected = vec!["names gametape_gt gametape ring".to_owned()];
    expected.extend(messages.iter().map(|message| match message.len() {
        212 => format!("lap {} {}", i32_at(message, 4), i32_at(message, 208)),
        _ => {
            let [speed, rpm, position] = [8, 68, 308].map(|at| f32_at(message, at).to_bits());
            format!("car {speed:08x} {rpm:08x} {} {position:08x}", i32_at(message, 76))
        }
    }));
    assert_eq!(got, expected);
}

/// What Assetto Corsa Competizione sends in a minute: each response to a request once, and a part of the rest.
fn broadcast_messages() -> (Vec<Vec<u8>>, Vec<Vec<u8>>) {
    let protocol = acc::GAME.rules.requests().unwrap();
    let is_response =
        |message: &Vec<u8>| protocol.is_answer(acc::GAME.rules.datagram(message, &mut Vec::new()).unwrap());
    let (mut responses, messages): (Vec<_>, Vec<_>) =
        simulated(acc::GAME.id, 60_000).into_iter().partition(is_response);
    let mut known = BTreeSet::new();
    responses.retain(|response| known.insert(response.clone()));
    // No common divisor with the number of messages between two updates of a car: some of every kind are left.
    (responses, messages.into_iter().step_by(5).collect())
}

#[test]
fn acc_broadcast_reads_the_messages_of_a_player() {
    let Some(modules) = variable("GAMETAPE_NODE_CLIENTS", "acc_broadcast_reads_the_messages_of_a_player") else {
        return;
    };
    let folder = tempfile::tempdir().unwrap();
    let (responses, messages) = broadcast_messages();
    let tape = recorded(folder.path(), &[responses.clone(), messages.clone()].concat());
    let script = concat!(env!("CARGO_MANIFEST_DIR"), "/../../tests/independent/acc_broadcast_values.cjs");
    let mut command = Command::new("node");
    command.arg(script).env("NODE_PATH", modules);
    // The registration, the track and the entry list.
    let got = read_by(&mut command, (&tape, "acc-broadcast"), 3, messages.len());
    let line = |message: &Vec<u8>| match Message::parse(message).unwrap() {
        Message::Registration(result) => format!("registered {} {}", result.connection, result.success),
        Message::TrackData(track) => format!("track {} {} {}", track.name, track.track, track.length_m),
        Message::EntryList(list) => {
            let cars: BTreeSet<u16> = list.cars().collect();
            format!("list {}", cars.iter().map(u16::to_string).collect::<Vec<_>>().join(" "))
        }
        Message::EntryListCar(car) => {
            let driver = car.drivers().next().unwrap();
            format!("entry {} {} {} {}", car.model, car.race_number, car.driver_count(), driver.last_name)
        }
        Message::Update(update) => {
            let time = update.session_ms.to_bits();
            format!("update {} {} {} {time:08x}", update.event_index, update.session_index, update.session_type)
        }
        Message::CarUpdate(car) => {
            let times = [car.best_lap, car.last_lap, car.current_lap].map(|lap| match lap.raw_ms {
                i32::MAX => "null".to_owned(),
                ms => ms.to_string(),
            });
            // The client takes neutral for 1.
            let (gear, x) = (car.gear + 1, car.world_m[0].to_bits());
            let place = format!("{} {gear} {} {} {x:08x}", car.car, car.speed_kmh, car.position);
            format!("car {place} {} {} {}", car.laps, car.delta_ms, times.join(" "))
        }
        Message::Event(event) => format!("event {} {}", event.kind, event.car),
    };
    // Responses come from a thread of their own, so that the first updates may come between them.
    let is_update = |line: &&String| ["update", "car", "event"].contains(&line.split(' ').next().unwrap());
    let (got_messages, got_responses): (Vec<_>, Vec<_>) = got.iter().partition(is_update);
    let expected: Vec<String> = messages.iter().map(line).collect();
    assert_eq!(got_messages, expected.iter().collect::<Vec<_>>());
    assert!(
        expected.iter().any(|line| line.starts_with("update")) && expected.iter().any(|line| line.starts_with("car"))
    );
    let mut sorted = [got_responses.into_iter().cloned().collect(), responses.iter().map(line).collect::<Vec<_>>()];
    sorted.iter_mut().for_each(|lines| lines.sort());
    assert_eq!(sorted[0], sorted[1]);
    assert!(sorted[0].len() >= 9, "the registration, the list, the track and six cars: {:?}", sorted[0]);
}
