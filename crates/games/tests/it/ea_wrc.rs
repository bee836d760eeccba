//! EA SPORTS WRC: structures, layouts and runs. There are no captured datagrams: the vector was made from the description of the format.
use crate::support;
use crate::udp_frames::{Built, Reader, accepted_by, survives_any_bytes};

use gametape_games::ea_wrc::{GAME, STRUCTURE_JSON, StructureError, layout_of_structure};
use gametape_games::{Game, Kind, LayoutError, Presence, Seen, SeenFrame, UserSettings, find_game};

const UPDATE: &str = "session-update";

fn game() -> &'static Game {
    find_game("wrc").unwrap()
}

/// An update in the game's own structure, on a stage of 9876.5 m.
fn default_update(uid: u64, time_s: f32, distance_m: f64) -> Vec<u8> {
    Built::new(&GAME, UPDATE, 237)
        .put("packet_uid", uid.to_le_bytes())
        .floats(&[
            ("vehicle_left_direction_x", 1.0),
            ("vehicle_forward_direction_z", 1.0),
            ("vehicle_up_direction_y", 1.0),
        ])
        .floats(&[("vehicle_speed", 30.0), ("vehicle_throttle", 1.0), ("vehicle_engine_rpm_current", 6_000.0)])
        .floats(&[("vehicle_engine_rpm_max", 7_500.0), ("vehicle_engine_rpm_idle", 1_600.0)])
        .floats(&[("stage_current_time", time_s), ("vehicle_position_x", 5.0)])
        .put("vehicle_gear_index", [3])
        .put("vehicle_gear_index_reverse", [10])
        .put("vehicle_gear_maximum", [6])
        .put("stage_current_distance", distance_m.to_le_bytes())
        .put("stage_length", 9_876.5_f64.to_le_bytes())
        .bytes
}

/// A packet in our structure.
fn own(stream: &str, fourcc: &[u8; 4], uid: u64) -> Built {
    let bytes = GAME.stream(stream).unwrap().layouts()[0].frame_bytes();
    Built::new(&GAME, stream, bytes).put("packet_4cc", fourcc).put("packet_uid", uid.to_le_bytes())
}

fn own_update(uid: u64, time_s: f32, distance_m: f64) -> Built {
    own(UPDATE, b"SESU", uid)
        .floats(&[("stage_current_time", time_s), ("vehicle_speed", 30.0)])
        .put("stage_current_distance", distance_m.to_le_bytes())
        .put("stage_length", 9_876.5_f64.to_le_bytes())
        .put("location_id", 12_u16.to_le_bytes())
        .put("route_id", 345_u16.to_le_bytes())
        .put("vehicle_id", 67_u16.to_le_bytes())
}

fn own_end(uid: u64, status: u8, result_s: f32) -> Vec<u8> {
    let end = own("session-end", b"SESE", uid).floats(&[("stage_result_time", result_s)]);
    end.put("stage_result_status", [status]).bytes
}

#[test]
fn the_own_structure_of_the_game_has_237_bytes() {
    let layout = GAME.stream(UPDATE).unwrap().layout_of(237).unwrap();
    for (name, offset, kind) in [
        ("packet_uid", 0, Kind::U64),
        ("game_frame_count", 16, Kind::U64),
        ("shiftlights_rpm_valid", 36, Kind::Bool),
        ("vehicle_gear_maximum", 40, Kind::U8),
        ("vehicle_speed", 41, Kind::F32),
        ("vehicle_acceleration_x", 73, Kind::F32),
        ("vehicle_up_direction_x", 109, Kind::F32),
        ("vehicle_brake_temperature_bl", 169, Kind::F32),
        ("vehicle_engine_rpm_max", 185, Kind::F32),
        ("vehicle_steering", 209, Kind::F32),
        ("vehicle_handbrake", 213, Kind::F32),
        ("stage_current_time", 217, Kind::F32),
        ("stage_current_distance", 221, Kind::F64),
        ("stage_length", 229, Kind::F64),
    ] {
        let channel = layout.channel(name).unwrap();
        assert_eq!((channel.offset, channel.kind), (offset, kind), "{name}");
    }
}

#[test]
fn a_structure_becomes_the_layout_of_its_packets() {
    let text = "\u{feff}{ \"versions\": {\"schema\": 1, \"data\": 3}, \"id\": \"mine\",\n \"header\": {\"channels\": [\"packet_4cc\"]},\
        \"packets\": [{\"id\": \"session_start\", \"channels\": []}, {\"channels\": [\"stage_length\", \"vehicle_speed\", \
        \"shiftlights_rpm_valid\", \"route_id\"], \"id\": \"session_update\"}]}";
    let layout = layout_of_structure(text, "session_update").unwrap();
    let channels: Vec<_> =
        layout.channels().iter().map(|channel| (&*channel.name, channel.offset, channel.count)).collect();
    assert_eq!(
        channels,
        [
            ("packet_4cc", 0, 4),
            ("stage_length", 4, 1),
            ("vehicle_speed", 12, 1),
            ("shiftlights_rpm_valid", 16, 1),
            ("route_id", 17, 1)
        ]
    );
    assert_eq!((layout.frame_bytes(), layout.id()), (19, "ea-wrc-mine-session_update"));
    assert_eq!(layout_of_structure(text, "session_start").unwrap().frame_bytes(), 4);
    let missing = layout_of_structure(text, "session_end").unwrap_err();
    assert_eq!(missing, StructureError::NoPacket { packet: "session_end".into() });
}

#[test]
fn a_structure_that_cannot_be_decoded_says_why() {
    let error = |text: &str| layout_of_structure(text, "p").unwrap_err();
    let unknown = error("{\"packets\":[{\"id\":\"p\",\"channels\":[\"packet_uid\",\"weather\"]}]}");
    assert_eq!(unknown, StructureError::UnknownChannel { channel: "weather".into(), packet: "p".into() });
    let twice = error(
        "{\"header\":{\"channels\":[\"packet_uid\"]},\"packets\":[{\"id\":\"p\",\"channels\":[\"packet_uid\"]}]}",
    );
    assert!(matches!(twice, StructureError::Layout { error: LayoutError::DuplicateName { .. }, .. }), "{twice}");
    for text in ["", "[]", "{}", "null", "{\"packets\":[{\"id\":\"p\",\"channels\":[\"packet_uid\""] {
        assert_eq!(error(text), StructureError::NotAStructure, "{text}");
    }
    // Cut anywhere, a structure is an error and not a shorter layout.
    for end in 0..STRUCTURE_JSON.trim_end().len() {
        let cut = layout_of_structure(&STRUCTURE_JSON[..end], "session_end");
        assert!(cut.is_err() || end > STRUCTURE_JSON.rfind(']').unwrap(), "{end}");
    }
}

#[test]
fn our_structure_has_all_packets_with_their_4cc() {
    for stream in GAME.streams {
        let layout = stream.layouts()[0];
        let first: Vec<_> = layout.channels()[..2].iter().map(|channel| (&*channel.name, channel.offset)).collect();
        assert_eq!(first, [("packet_4cc", 0), ("packet_uid", 4)], "{}", stream.name);
        let packet = stream.name.replace('-', "_");
        assert_eq!(&layout_of_structure(STRUCTURE_JSON, &packet).unwrap(), layout);
    }
}

#[test]
fn packets_are_recognized_by_4cc_or_by_contents_and_others_are_refused() {
    assert_eq!(accepted_by(&default_update(7, 60.0, 1_500.0)), ["ea-wrc"]);
    assert_eq!(accepted_by(&own_update(7, 60.0, 1_500.0).bytes), ["ea-wrc"]);
    assert_eq!(game().rules.datagram(&own_end(9, 1, 60.0), &mut Vec::new()), Some("session-end"));
    assert_eq!(game().rules.datagram(b"SESP and what the user chose", &mut Vec::new()), Some("session-pause"));
    for bytes in [vec![0; 237], vec![0xFF; 237], vec![0x3F; 237], b"SES".to_vec(), b"SESX".to_vec()] {
        assert_eq!(accepted_by(&bytes), [""; 0], "{bytes:?}");
    }
    let good = default_update(7, 60.0, 1_500.0);
    for (at, value) in [(229, 0.0_f64), (229, 100_000.0), (229, f64::NAN), (229, -5.0)] {
        let mut bad = good.clone();
        bad[at..at + 8].copy_from_slice(&value.to_le_bytes());
        assert_eq!(accepted_by(&bad), [""; 0], "{value}");
    }
    assert_eq!(accepted_by(&good[..236]), [""; 0]);
}

/// The settings of a user with this structure, whose updates are enabled.
fn settings_with(structure: &'static str) -> UserSettings {
    let config = "{\"udp\":{\"packets\":[{\"structure\":\"mine\",\"packet\":\"session_update\",\"ip\":\"127.0.0.1\",\"port\":20777,\
        \"bEnabled\":true},{\"structure\":\"other\",\"packet\":\"session_end\",\"bEnabled\":false}]}}";
    let files = game().rules.settings_files().unwrap();
    files.read(&mut |name| match name {
        "config.json" => Ok(Some(config.into())),
        "udp/mine.json" => Ok(Some(structure.into())),
        _ => Ok(None),
    })
}

#[test]
fn a_structure_of_the_user_is_recognized_by_4cc_or_by_its_contents() {
    let settings = settings_with(
        "{\"packets\":[{\"id\":\"session_update\",\"channels\":[\"stage_length\",\"vehicle_up_direction_x\",\"vehicle_up_direction_y\",\
         \"vehicle_up_direction_z\",\"packet_uid\",\"shiftlights_rpm_valid\",\"vehicle_throttle\"]}]}",
    );
    assert!(settings.found && settings.problems.is_empty(), "{:?}", settings.problems);
    let enabled: Vec<_> = settings.packets.iter().map(|packet| (packet.stream, packet.enabled, packet.port)).collect();
    assert_eq!(enabled, [(UPDATE, true, Some(20777)), ("session-end", false, None)]);
    let mut bytes = vec![0; 33];
    bytes[..8].copy_from_slice(&9_876.5_f64.to_le_bytes());
    bytes[12..16].copy_from_slice(&1_f32.to_le_bytes());
    assert_eq!(settings.stream_of(&bytes), Some(UPDATE));
    assert_eq!(settings.layout_of(UPDATE, 33).unwrap().channel("packet_uid").unwrap().offset, 20);
    assert_eq!((settings.stream_of(&bytes[..32]), settings.layout_of("session-end", 33)), (None, None));
    // A length, a direction, a counter, a flag or a pedal that cannot be.
    for (at, value) in [(7, 0xC0), (15, 0x40), (27, 1), (28, 2), (32, 0x40)] {
        let mut bad = bytes.clone();
        bad[at] = value;
        assert_eq!(settings.stream_of(&bad), None, "{at}");
    }
    let with_4cc =
        settings_with("{\"packets\":[{\"id\":\"session_update\",\"channels\":[\"vehicle_speed\",\"packet_4cc\"]}]}");
    assert_eq!(with_4cc.stream_of(b"1234SESU"), Some(UPDATE));
    assert_eq!((with_4cc.stream_of(b"1234SESE"), with_4cc.stream_of(b"1234SESU5")), (None, None));
    assert!(with_4cc.description.starts_with("{\"structures\":[{\"packets\""));
}

#[test]
fn a_run_in_the_own_structure_of_the_game_is_a_lap() {
    let mut reader = Reader::new(game());
    let mut uid = 0;
    // 30 m/s, 60 updates a second.
    for step in 0..=19_752 {
        uid += 1;
        reader.read(&default_update(uid, step as f32 / 60.0, f64::from(step) / 2.0));
        assert_eq!(reader.laps.laps_completed, Some(u32::from(step >= 19_752)), "{step}");
    }
    assert_eq!((reader.laps.last_ms, reader.laps.presence), (Some(329_217), Presence::Live));
    assert_eq!(reader.identity().track.as_deref(), Some("9876.50 m"));
    assert_eq!(reader.identity().car.as_deref(), Some("7500 rpm, idle 1600 rpm, 6 gears"));
    // The next run begins.
    reader.read(&default_update(uid + 1, 0.5, 10.0));
    assert_eq!((reader.laps.laps_completed, reader.laps.running_ms), (Some(1), Some(500)));
    // It is given up.
    reader.read(&default_update(uid + 2, 100.0, 3_000.0));
    reader.read(&default_update(uid + 3, 0.0, 0.0));
    assert_eq!((reader.laps.laps_completed, reader.laps.running_ms), (Some(1), Some(0)));
}

#[test]
fn the_result_of_the_end_packet_is_the_time_of_the_run_and_packets_may_repeat() {
    let mut reader = Reader::new(game());
    let start = own("session-start", b"SESS", 1).bytes;
    reader.read(&start);
    reader.read(&start);
    assert_eq!(reader.laps.presence, Presence::Off);
    reader.read(&own_update(2, 250.0, 9_000.0).floats(&[("stage_previous_split_time", 61.5)]).bytes);
    assert_eq!((reader.laps.laps_completed, reader.laps.sector), (Some(0), Some(0)));
    reader.read(&own_update(3, 250.1, 9_003.0).floats(&[("stage_previous_split_time", 122.25)]).bytes);
    assert_eq!(reader.laps.sector, Some(1));
    reader.read(&own("session-pause", b"SESP", 4).bytes);
    assert_eq!((reader.laps.presence, reader.sample.presence), (Presence::Paused, Some(Presence::Paused)));
    reader.read(&own("session-resume", b"SESR", 5).bytes);
    reader.read(&own_update(6, 251.0, 9_030.0).bytes);
    assert_eq!(reader.laps.presence, Presence::Live);
    for uid in [7, 8] {
        reader.read(&own_end(uid, 1, 279.125));
        assert_eq!((reader.laps.laps_completed, reader.laps.last_ms), (Some(1), Some(279_125)));
    }
    assert_eq!((reader.laps.presence, reader.sample.presence), (Presence::Off, Some(Presence::Off)));
    assert_eq!(reader.identity().track.as_deref(), Some("location 12, route 345"));
    assert_eq!(reader.identity().car.as_deref(), Some("vehicle 67"));
    // A run that ends otherwise.
    reader.read(&own_update(9, 30.0, 800.0).bytes);
    reader.read(&own_end(10, 4, 0.0));
    assert_eq!((reader.laps.laps_completed, reader.laps.presence), (Some(1), Presence::Off));
}

#[test]
fn the_newest_packet_tells_what_the_game_is_doing() {
    let layout = |stream: &str| GAME.stream(stream).unwrap().layouts()[0];
    let (update, pause, end) =
        (own_update(5, 30.0, 800.0).bytes, own("session-pause", b"SESP", 6).bytes, own_end(7, 1, 60.0));
    let frames = [(UPDATE, &update), ("session-pause", &pause), ("session-end", &end)]
        .map(|(stream, bytes)| SeenFrame { stream, layout: layout(stream), bytes });
    let rules = game().rules;
    let told =
        |count: usize| (rules.presence(Seen(&frames[..count])), rules.session_key(Seen(&frames[..count])).is_some());
    assert_eq!([told(1), told(2), told(3)], [(Presence::Live, true), (Presence::Paused, true), (Presence::Off, false)]);
    assert_eq!(rules.about(Seen(&frames)).track.as_deref(), Some("location 12, route 345"));
    assert_eq!(rules.counter(Seen(&frames)), Some(7));
}

#[test]
fn wrc_survives_any_bytes() {
    survives_any_bytes(game(), &default_update(7, 60.0, 1_500.0));
    survives_any_bytes(game(), &own_update(7, 60.0, 1_500.0).bytes);
}

#[test]
fn the_vector_of_wrc_has_its_values() {
    let Some(data) = support::real_data("the_vector_of_wrc_has_its_values") else { return };
    let text = std::fs::read_to_string(data.join("udp-vectors/vectors.json")).unwrap();
    let (_, vector) = text.split_once("EA WRC structure wrc session_update").unwrap();
    let (_, hex) = vector.split_once("\"hex\"").unwrap();
    let digits = hex.split('"').nth(1).unwrap().as_bytes();
    let bytes: Vec<u8> =
        digits.chunks(2).map(|pair| u8::from_str_radix(std::str::from_utf8(pair).unwrap(), 16).unwrap()).collect();
    assert_eq!((bytes.len(), accepted_by(&bytes)), (237, vec!["ea-wrc"]));
    let mut reader = Reader::new(game());
    reader.read(&bytes);
    let sample = &reader.sample;
    assert_eq!((sample.speed_kmh, sample.rpm, sample.gear), (Some(112.5), Some(6_234.5), Some(3)));
    assert_eq!(
        (sample.steering, sample.lap_time_ms, sample.lap_distance_m),
        (Some(-0.25), Some(63_750), Some(1_500.5))
    );
    assert_eq!(sample.world_m.map(|[_, _, z]| z), Some(-30.75));
    assert_eq!(sample.wheels.map(|wheel| wheel.brake_celsius.unwrap()), [200.0, 210.0, 100.0, 110.0]);
    assert_eq!(reader.seen(&bytes, |seen| game().rules.counter(seen)), Some(1_000));
    assert_eq!(reader.identity().length_m, Some(9_876.5));
}

#[test]
fn real_packets_of_other_games_are_not_those_of_these_games() {
    let Some(data) = support::real_data("real_packets_of_other_games_are_not_those_of_these_games") else { return };
    let mut files = Vec::new();
    for folder in ["f1-udp/gamesdat/2023", "f1-udp/gamesdat/2024", "f1-udp/gamesdat/2025", "f1-udp/racehub/2019", "lfs"]
    {
        files.extend(
            std::fs::read_dir(data.join(folder)).unwrap().map(|file| std::fs::read(file.unwrap().path()).unwrap()),
        );
    }
    // F1 24 has a packet as long as the default one here.
    assert!(files.iter().any(|bytes| bytes.len() == 237));
    for (file, length) in
        [("gt7/gt7_C_lap_decrypted_368B_a.bin", 368), ("ac-remote-telemetry/ac_monza_r8_328B_a.bin", 328)]
    {
        let file = std::fs::read(data.join(file)).unwrap();
        files.extend(file.chunks(length).map(<[u8]>::to_vec));
    }
    files.push(std::fs::read(data.join("gt7/gt7_A_encrypted_1.bin")).unwrap());
    let framed = std::fs::read(data.join("project-cars1/pcars1_udp_framed_a.bin")).unwrap();
    let mut rest = &framed[..];
    while let Some((length, behind)) = rest.split_first_chunk::<4>() {
        let (datagram, behind) = behind.split_at(u32::from_le_bytes(*length) as usize);
        files.push(datagram.to_vec());
        rest = behind;
    }
    assert!(files.len() > 9_000, "{}", files.len());
    let ours = ["dirt-rally", "ea-wrc", "forza-horizon", "forza-motorsport"];
    for bytes in &files {
        assert!(accepted_by(bytes).iter().all(|game| !ours.contains(game)), "{} bytes", bytes.len());
    }
}
