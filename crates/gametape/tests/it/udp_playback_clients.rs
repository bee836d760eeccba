//! Clients that nobody here wrote read a tape that is played, and get the values of the tape.
//!
//! `tests/clients` has them, and the scripts that print what they read.
#![cfg(target_os = "linux")]
use crate::datagrams::traffic;
use crate::game;
use crate::support::skip;
use crate::udp::{Recording, frames, here};

use std::collections::BTreeMap;
use std::io::{BufRead as _, BufReader};
use std::net::{SocketAddr, UdpSocket};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::sync::mpsc::{Receiver, channel};
use std::time::Duration;

use gametape::Tape;
use gametape::games::{Kind, Layout, find_game};
use gametape::play::Player;
use serde_json::Value;

/// A value: the stream and the channel that have it on the tape, and the packet and the path in the client.
type Watched = (&'static str, &'static str, &'static str, &'static str);

/// A client that runs. It ends with this process.
struct Client {
    process: Child,
    heard: Receiver<Value>,
}

impl Client {
    /// Starts a script of `tests/clients` that prints these values; its own arguments follow its name. Returns where it listens.
    fn start(program: &Path, script: &[&str], watched: &[Watched]) -> (Self, SocketAddr) {
        let folder = Path::new(concat!(env!("CARGO_MANIFEST_DIR"), "/../../tests/clients"));
        let mut command = Command::new(program);
        command.env("PYTHONDONTWRITEBYTECODE", "1").arg(folder.join(script[0])).args(&script[1..]);
        command.args(watched.iter().map(|(_, _, packet, path)| format!("{packet}:{path}")));
        let mut process = command.stdin(Stdio::piped()).stdout(Stdio::piped()).spawn().unwrap();
        let lines = BufReader::new(process.stdout.take().unwrap()).lines();
        let (tell, heard) = channel();
        std::thread::spawn(move || {
            lines.for_each(|line| drop(tell.send(serde_json::from_str(&line.unwrap()).unwrap())));
        });
        let client = Self { process, heard };
        let port = client.heard.recv_timeout(Duration::from_secs(60)).unwrap()["port"].as_u64().unwrap();
        (client, SocketAddr::from(([127, 0, 0, 1], port as u16)))
    }

    /// Waits for the next packet.
    fn packet(&self) -> Value {
        self.heard.recv_timeout(Duration::from_secs(60)).expect("a packet that the client read")
    }
}

impl Drop for Client {
    fn drop(&mut self) {
        drop(self.process.stdin.take());
        let _ = self.process.wait();
    }
}

/// Records what the simulated car sends as a game.
fn recorded_tape(id: &str, variant: usize, folder: &Path) -> PathBuf {
    let traffic = traffic(find_game(id).unwrap(), variant);
    let recording = Recording::start(folder, here(), 1);
    let sender = UdpSocket::bind("127.0.0.1:0").unwrap();
    for datagram in &traffic.datagrams {
        sender.send_to(datagram, recording.address).unwrap();
        std::thread::sleep(Duration::from_micros(200));
    }
    drop(sender);
    let tape = recording.wait_until_closed();
    recording.end();
    tape.path
}

/// Reads a channel of a frame as a number. All of them are exact in 64 bits.
fn value_of(layout: &Layout, channel: &str, frame: &[u8]) -> f64 {
    let channel = layout.channel(channel).unwrap_or_else(|| panic!("no channel {channel}"));
    let bytes = &frame[channel.offset as usize..];
    match channel.kind {
        Kind::U8 => bytes[0].into(),
        Kind::I8 => bytes[0].cast_signed().into(),
        Kind::U16 => u16::from_le_bytes(*bytes.first_chunk().unwrap()).into(),
        Kind::I16 => i16::from_le_bytes(*bytes.first_chunk().unwrap()).into(),
        Kind::U32 => u32::from_le_bytes(*bytes.first_chunk().unwrap()).into(),
        Kind::I32 => i32::from_le_bytes(*bytes.first_chunk().unwrap()).into(),
        Kind::F32 => f32::from_le_bytes(*bytes.first_chunk().unwrap()).into(),
        kind => panic!("{kind:?}"),
    }
}

/// Plays what the simulated car sends as a game to a client, and compares all values.
fn assert_client_reads(program: &Path, script: &[&str], id: &str, watched: &[Watched]) {
    let folder = tempfile::tempdir().unwrap();
    let path = recorded_tape(id, 0, folder.path());
    let (client, address) = Client::start(program, script, watched);
    let packet_of: BTreeMap<&str, &str> = watched.iter().map(|(stream, _, packet, _)| (*stream, *packet)).collect();
    let player = Player::new(&Tape::open(&path).unwrap()).names(game::prefix("udp-clients")).send_to(&[address]);
    let mut playing = player.start().unwrap();
    let mut packets = 0;
    let mut moved = 0;
    let mut before: BTreeMap<String, Vec<f64>> = BTreeMap::new();
    for (stream, _, bytes) in &frames(&path) {
        // One after the other: a client that is slow would lose some of them.
        assert!(playing.step().unwrap().is_some());
        if !packet_of.contains_key(stream.as_str()) {
            continue;
        }
        let packet = client.packet();
        packets += 1;
        assert_eq!(packet["packet"], packet_of[stream.as_str()], "another packet, or lost");
        let layout = find_game(id).unwrap().stream(stream).unwrap().layout_of(bytes.len() as u32).unwrap();
        let channels = watched.iter().filter(|(of, ..)| of == stream).map(|(_, channel, ..)| *channel);
        let expected: Vec<f64> = channels.map(|channel| value_of(layout, channel, bytes)).collect();
        let found: Vec<f64> =
            packet["values"].as_array().unwrap().iter().map(|value| value.as_f64().unwrap()).collect();
        // The reader of JSON may miss the last of 64 bits; floats on the tape have 32. RaceTelemetry rounds to five decimals.
        let rounding = if script[0] == "race_telemetry.py" { 0.000_005_1 } else { 0.0 };
        let is_same =
            |(found, expected): (&f64, &f64)| *found as f32 == *expected as f32 || (found - expected).abs() <= rounding;
        assert!(
            found.len() == expected.len() && found.iter().zip(&expected).all(is_same),
            "{id}, {stream}: {found:?} is not {expected:?}"
        );
        moved += usize::from(before.insert(stream.clone(), expected.clone()).is_some_and(|before| before != expected));
    }
    playing.stop().unwrap();
    println!("{}: {packets} packets of {id}, all values equal", script.join(" "));
    assert!(moved > 20, "only {moved} of the values that were compared differ from the ones before");
}

#[test]
fn f1_packets_reads_the_values_of_the_tape_that_is_played() {
    let Some(python) = std::env::var_os("GAMETAPE_PYTHON") else {
        return skip("f1_packets_reads_the_values_of_the_tape_that_is_played", "GAMETAPE_PYTHON is not set");
    };
    let watched: &[Watched] = &[
        ("motion", "frameIdentifier", "PacketMotionData", "header.frame_identifier"),
        ("motion", "carMotionData[0].worldPositionX", "PacketMotionData", "car_motion_data[0].world_position_x"),
        ("motion", "carMotionData[23].worldPositionZ", "PacketMotionData", "car_motion_data[23].world_position_z"),
        ("motion", "carMotionData[19].gForceLateral", "PacketMotionData", "car_motion_data[19].g_force_lateral"),
        ("motion", "carMotionData[19].yaw", "PacketMotionData", "car_motion_data[19].yaw"),
        ("lap-data", "frameIdentifier", "PacketLapData", "header.frame_identifier"),
        ("lap-data", "lapData[19].lapDistance", "PacketLapData", "lap_data[19].lap_distance"),
        ("lap-data", "lapData[3].currentLapTimeInMS", "PacketLapData", "lap_data[3].current_lap_time_in_ms"),
        ("lap-data", "lapData[23].carPosition", "PacketLapData", "lap_data[23].car_position"),
        ("car-telemetry", "sessionTime", "PacketCarTelemetryData", "header.session_time"),
        ("car-telemetry", "carTelemetryData[19].speed", "PacketCarTelemetryData", "car_telemetry_data[19].speed"),
        ("car-telemetry", "carTelemetryData[19].throttle", "PacketCarTelemetryData", "car_telemetry_data[19].throttle"),
        (
            "car-telemetry",
            "carTelemetryData[7].engineRPM",
            "PacketCarTelemetryData",
            "car_telemetry_data[7].engine_rpm",
        ),
        ("car-telemetry", "carTelemetryData[19].gear", "PacketCarTelemetryData", "car_telemetry_data[19].gear"),
        ("car-status", "carStatusData[19].fuelInTank", "PacketCarStatusData", "car_status_data[19].fuel_in_tank"),
        ("car-status", "carStatusData[23].maxRPM", "PacketCarStatusData", "car_status_data[23].max_rpm"),
    ];
    assert_client_reads(Path::new(&python), &["f1_packets.py"], "f1-26", watched);
}

#[test]
fn f1_telemetry_client_reads_the_values_of_the_tape_that_is_played() {
    if std::env::var_os("GAMETAPE_NODE_CLIENTS").is_none() {
        let test = "f1_telemetry_client_reads_the_values_of_the_tape_that_is_played";
        return skip(test, "GAMETAPE_NODE_CLIENTS is not set");
    }
    let watched: &[Watched] = &[
        ("motion", "frameIdentifier", "motion", "m_header.m_frameIdentifier"),
        ("motion", "carMotionData[0].worldPositionX", "motion", "m_carMotionData[0].m_worldPositionX"),
        ("motion", "carMotionData[21].worldPositionZ", "motion", "m_carMotionData[21].m_worldPositionZ"),
        ("motion", "carMotionData[19].gForceLateral", "motion", "m_carMotionData[19].m_gForceLateral"),
        ("lap-data", "lapData[19].lapDistance", "lapData", "m_lapData[19].m_lapDistance"),
        ("lap-data", "lapData[3].currentLapTimeInMS", "lapData", "m_lapData[3].m_currentLapTimeInMS"),
        ("lap-data", "lapData[21].carPosition", "lapData", "m_lapData[21].m_carPosition"),
        ("car-telemetry", "sessionTime", "carTelemetry", "m_header.m_sessionTime"),
        ("car-telemetry", "carTelemetryData[19].speed", "carTelemetry", "m_carTelemetryData[19].m_speed"),
        ("car-telemetry", "carTelemetryData[19].throttle", "carTelemetry", "m_carTelemetryData[19].m_throttle"),
        ("car-telemetry", "carTelemetryData[7].engineRPM", "carTelemetry", "m_carTelemetryData[7].m_engineRPM"),
        ("car-telemetry", "carTelemetryData[19].gear", "carTelemetry", "m_carTelemetryData[19].m_gear"),
        ("car-status", "carStatusData[19].fuelInTank", "carStatus", "m_carStatusData[19].m_fuelInTank"),
        ("car-status", "carStatusData[21].maxRPM", "carStatus", "m_carStatusData[21].m_maxRPM"),
    ];
    assert_client_reads(Path::new("node"), &["f1_telemetry_client.js"], "f1-23", watched);
}

#[test]
fn race_telemetry_reads_the_values_of_the_tapes_that_are_played() {
    let Some(python) = std::env::var_os("GAMETAPE_PYTHON") else {
        return skip("race_telemetry_reads_the_values_of_the_tapes_that_are_played", "GAMETAPE_PYTHON is not set");
    };
    let forza: &[Watched] = &[
        ("data-out", "TimestampMS", "DashData", "TimestampMS"),
        ("data-out", "CurrentEngineRpm", "DashData", "CurrentEngineRpm"),
        ("data-out", "Acceleration", "DashData", "AccelerationX"),
        ("data-out", "Position", "DashData", "PositionX"),
        ("data-out", "Speed", "DashData", "Speed"),
        ("data-out", "LastLap", "DashData", "LastLap"),
        ("data-out", "LapNumber", "DashData", "LapNumber"),
        ("data-out", "Accel", "DashData", "Accel"),
        ("data-out", "Gear", "DashData", "Gear"),
        ("data-out", "Steer", "DashData", "Steer"),
    ];
    let automobilista: &[Watched] = &[
        ("telemetry", "mPacketNumber", "TelemetryData", "s_header.mPacketNumber"),
        ("telemetry", "sThrottle", "TelemetryData", "sThrottle"),
        ("telemetry", "sSpeed", "TelemetryData", "sSpeed"),
        ("telemetry", "sRpm", "TelemetryData", "sRpm"),
        ("telemetry", "sOdometerKM", "TelemetryData", "sOdometerKM"),
        ("telemetry", "sFullPosition", "TelemetryData", "sFullPosition[0]"),
        ("telemetry", "sTickCount", "TelemetryData", "sTickCount"),
        ("timings", "sParticipants[0].sCurrentLapDistance", "TimingsData", "sParticipants[0].sCurrentLapDistance"),
        ("timings", "sParticipants[3].sRacePosition", "TimingsData", "sParticipants[3].sRacePosition"),
        ("timings", "sParticipants[0].sCurrentTime", "TimingsData", "sParticipants[0].sCurrentTime"),
        ("timings", "sLocalParticipantIndex", "TimingsData", "sLocalParticipantIndex"),
    ];
    let project_cars: &[Watched] = &[
        ("telemetry", "sBuildVersionNumber", "sTelemetryData", "sBuildVersionNumber"),
        ("telemetry", "sCurrentTime", "sTelemetryData", "sCurrentTime"),
        ("telemetry", "sThrottle", "sTelemetryData", "sThrottle"),
        ("telemetry", "sSteering", "sTelemetryData", "sSteering"),
        ("telemetry", "sSpeed", "sTelemetryData", "sSpeed"),
        ("telemetry", "sRpm", "sTelemetryData", "sRpm"),
        ("telemetry", "sOdometerKM", "sTelemetryData", "sOdometerKM"),
        ("telemetry", "sEngineSpeed", "sTelemetryData", "sEngineSpeed"),
        ("telemetry", "sTrackLength", "sTelemetryData", "sTrackLength"),
        ("telemetry", "sLocalVelocity", "sTelemetryData", "sLocalVelocity[0]"),
    ];
    let dirt: &[Watched] = &[
        ("telemetry", "totalTime", "Mode3", "total_time"),
        ("telemetry", "lapTime", "Mode3", "lap_time"),
        ("telemetry", "lapDistance", "Mode3", "lap_distance"),
        ("telemetry", "positionX", "Mode3", "position_x"),
        ("telemetry", "speed", "Mode3", "speed"),
        ("telemetry", "wheelSpeedRL", "Mode3", "wheel_patch_speed_rl"),
        ("telemetry", "throttle", "Mode3", "throttle_input"),
        ("telemetry", "gear", "Mode3", "gear"),
        ("telemetry", "engineSpeed", "Mode3", "engine_rate"),
        ("telemetry", "brakeTemperatureFR", "Mode3", "brake_temp_fr"),
        ("telemetry", "trackLength", "Mode3", "track_length"),
        ("telemetry", "maximumEngineSpeed", "Mode3", "max_rpm"),
    ];
    for (game, id, watched) in [
        ("FM8", "forza-motorsport", forza),
        ("FH6", "forza-horizon", forza),
        ("PC2", "automobilista-2", automobilista),
        ("PC_UDP", "project-cars", project_cars),
        ("Dirt_4", "dirt-rally", dirt),
    ] {
        assert_client_reads(Path::new(&python), &["race_telemetry.py", game], id, watched);
    }
}
