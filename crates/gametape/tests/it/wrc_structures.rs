//! EA SPORTS WRC with a structure of the user: recorded with its columns, decoded on any machine, played as it was sent.
#![allow(clippy::unwrap_used)]
use std::net::UdpSocket;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

use gametape::capture::UdpSettings;
use gametape::format::read::Tape;
use gametape::format::write::{StdFiles, WriteOptions, Writer};
use gametape::format::{Role, StreamSpec, TapeId};
use gametape::games::ea_wrc::layout_of_structure;
use gametape::laps::track_tape;
use gametape::play::Player;

use crate::udp::{Recording, here};

/// The 4CC is not the first channel, and the order is another one than ours.
const STRUCTURE: &str = r#"{
  "versions": { "schema": 1, "data": 3 },
  "id": "mine",
  "header": { "channels": ["packet_uid", "packet_4cc"] },
  "packets": [
    { "id": "session_pause", "channels": [] },
    { "id": "session_end", "channels": ["stage_result_status", "stage_result_time"] },
    { "id": "session_update", "channels": ["stage_length", "vehicle_speed", "shiftlights_rpm_valid", "stage_current_distance",
      "vehicle_gear_index_reverse", "vehicle_gear_index_neutral", "vehicle_gear_index", "stage_current_time", "vehicle_throttle"] }
  ]
}"#;

const STAGE_M: f64 = 3_000.0;

fn put(path: &Path, text: &[u8]) {
    std::fs::create_dir_all(path.parent().unwrap()).unwrap();
    std::io::Write::write_all(&mut std::fs::File::create_new(path).unwrap(), text).unwrap();
}

/// The documents of a user who has enabled these packets of the structure.
fn documents(folder: &Path) -> PathBuf {
    let documents = folder.join("Documents");
    let telemetry = documents.join("My Games").join("WRC").join("telemetry");
    let entry = |packet: &str| {
        format!(
            "{{\"structure\":\"mine\",\"packet\":\"{packet}\",\"ip\":\"127.0.0.1\",\"port\":20777,\"frequencyHz\":60,\"bEnabled\":true}}"
        )
    };
    let packets = ["session_update", "session_pause", "session_end"].map(entry).join(",");
    // As the game writes it.
    let config = format!("{{\"schema\":2,\"udp\":{{\"packets\":[{packets}]}},\"lcd\":{{\"bDisplayGears\":true}}}}");
    let config: Vec<u8> = std::iter::once(0xFEFF).chain(config.encode_utf16()).flat_map(u16::to_le_bytes).collect();
    put(&telemetry.join("config.json"), &config);
    put(&telemetry.join("udp").join("mine.json"), STRUCTURE.as_bytes());
    documents
}

/// A packet in the user's structure.
fn packet(id: &str, fourcc: &[u8; 4], uid: u64, values: &[(&str, &[u8])]) -> Vec<u8> {
    let layout = layout_of_structure(STRUCTURE, id).unwrap();
    let mut bytes = vec![0; layout.frame_bytes() as usize];
    let uid = uid.to_le_bytes();
    for (name, value) in [("packet_4cc", &fourcc[..]), ("packet_uid", &uid)].iter().chain(values) {
        let at = layout.channel(name).unwrap().offset as usize;
        bytes[at..at + value.len()].copy_from_slice(value);
    }
    bytes
}

/// An update at this time of a run with 30 m/s.
fn update(uid: u64, time_s: f32) -> Vec<u8> {
    let distance_m = f64::from(time_s) * 30.0;
    packet(
        "session_update",
        b"SESU",
        uid,
        &[
            ("stage_length", &STAGE_M.to_le_bytes()),
            ("stage_current_distance", &distance_m.to_le_bytes()),
            ("stage_current_time", &time_s.to_le_bytes()),
            ("vehicle_speed", &30_f32.to_le_bytes()),
            ("vehicle_throttle", &0.75_f32.to_le_bytes()),
            ("vehicle_gear_index", &[4]),
            ("vehicle_gear_index_reverse", &[10]),
        ],
    )
}

/// All files below a folder, with their contents.
fn files(folder: &Path) -> Vec<(PathBuf, Vec<u8>)> {
    let mut found = Vec::new();
    for entry in std::fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        match path.is_dir() {
            true => found.extend(files(&path)),
            false => found.push((path.clone(), std::fs::read(&path).unwrap())),
        }
    }
    found.sort();
    found
}

/// Records some updates and a pause; gives the tape and what was sent.
fn record(folder: &Path) -> (PathBuf, Vec<Vec<u8>>) {
    let documents = documents(folder);
    let before = files(&documents);
    let tapes = folder.join("tapes");
    let recording = Recording::start(&tapes, UdpSettings { documents: Some(vec![documents.clone()]), ..here() }, 1);
    let game = UdpSocket::bind("127.0.0.1:0").unwrap();
    let mut sent: Vec<Vec<u8>> = (0..60).map(|step| update(step, 1.0 + step as f32 / 60.0)).collect();
    sent.push(packet("session_pause", b"SESP", 60, &[]));
    for datagram in &sent {
        game.send_to(datagram, recording.address).unwrap();
        std::thread::sleep(Duration::from_millis(1));
    }
    drop(game);
    let tape = recording.wait_until_closed();
    assert!(
        recording.end().is_empty(),
        "a pause in another layout than that of the first updates does not end the tape"
    );
    assert_eq!((tape.game.as_str(), tape.loss.dropped), ("ea-wrc", 0));
    assert_eq!(files(&documents), before, "nothing is written there");
    // From now on, only the tape knows the structure.
    std::fs::remove_dir_all(documents).unwrap();
    (tape.path, sent)
}

#[test]
fn a_structure_of_the_user_is_recorded_decoded_and_played() {
    let folder = tempfile::tempdir().unwrap();
    let (path, sent) = record(folder.path());
    let tape = Tape::open(&path).unwrap();
    let structure = tape.stream_named("structure").unwrap();
    assert_eq!((structure.spec().role, structure.totals().frames), (Role::Describe, 1));
    let mut frames = tape.frames(structure);
    let text = String::from_utf8(frames.next().unwrap().unwrap().data.to_vec()).unwrap();
    assert_eq!(text, format!("{{\"structures\":[{STRUCTURE}]}}"));
    assert_eq!(tape.stream_named("session-update").unwrap().spec().channels.len(), 11);

    let samples: Vec<_> = gametape::Tape::open(&path).unwrap().samples().unwrap().map(|(_, sample)| sample).collect();
    let driven: Vec<_> = samples.iter().filter(|sample| sample.speed_kmh.is_some()).collect();
    assert!(driven.len() >= 60, "{}", driven.len());
    assert!(driven.iter().all(|sample| sample.speed_kmh == Some(108.0) && sample.gear == Some(4)), "{driven:?}");
    assert_eq!(driven.first().unwrap().throttle, Some(0.75));
    assert_eq!(driven.first().unwrap().lap_distance_m, Some(30.0));

    let client = UdpSocket::bind("127.0.0.1:0").unwrap();
    client.set_read_timeout(Some(Duration::from_secs(60))).unwrap();
    let tape = gametape::Tape::open(&path).unwrap();
    let mut playing = Player::new(&tape).send_to(&[client.local_addr().unwrap()]).start().unwrap();
    for datagram in &sent {
        assert!(playing.step().unwrap().is_some());
        let mut buffer = [0; 1000];
        let length = client.recv(&mut buffer).unwrap();
        assert_eq!(buffer[..length], datagram[..]);
    }
    playing.stop().unwrap();
}

#[test]
fn runs_are_laps_by_the_channels_on_the_tape() {
    let folder = tempfile::tempdir().unwrap();
    let (path, _) = record(folder.path());
    let recorded = Tape::open(&path).unwrap();
    let spec = |name: &str| -> StreamSpec { recorded.stream_named(name).unwrap().spec().clone() };
    // A whole run, with the streams of the recorded tape.
    let run = folder.path().join("run.gtape");
    let mut writer = Writer::create(Arc::new(StdFiles), &run, &WriteOptions::new(TapeId([7; 16]))).unwrap();
    let [updates, ends] = ["session-update", "session-end"].map(|name| writer.add_stream(spec(name)).unwrap());
    let mut time_ns = 0;
    for step in 0..6_000_u32 {
        time_ns = u64::from(step) * 1_000_000_000 / 60;
        writer.append(updates, time_ns, &update(step.into(), step as f32 / 60.0)).unwrap();
    }
    let values: [(&str, &[u8]); 2] = [("stage_result_status", &[1]), ("stage_result_time", &100.125_f32.to_le_bytes())];
    writer.append(ends, time_ns + 16_000_000, &packet("session_end", b"SESE", 6_000, &values)).unwrap();
    writer.finish().unwrap();
    let tracked = track_tape(&Tape::open(&run).unwrap()).unwrap();
    let times: Vec<_> = tracked.laps().filter_map(|lap| lap.time_ms).collect();
    assert_eq!(times, [100_125]);
}
