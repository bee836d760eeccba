//! F1: which datagrams are recognised, and what the rules and the events say.
use crate::support;
use crate::support::f1::{PLAYER, Packet, UID, event, game};

use std::path::Path;

use gametape_games::f1::Event;
use gametape_games::{About, GAMES, LapFrame, Presence, Sample, Seen, SeenFrame, f1, find_game};

const FORMATS: std::ops::RangeInclusive<u16> = 2022..=2026;

/// The game and the stream to which a datagram belongs. Panics if several games claim it.
fn claimed(datagram: &[u8]) -> Option<(&'static str, &'static str)> {
    let claims = GAMES.iter().filter_map(|game| {
        let mut plain = Vec::new();
        let stream = game.rules.datagram(datagram, &mut plain)?;
        assert!(plain.is_empty() || !game.id.starts_with("f1-"));
        Some((game.id, stream))
    });
    let claims: Vec<_> = claims.collect();
    assert!(claims.len() < 2, "{claims:?}");
    claims.first().copied()
}

fn presence_of(format: u16, packets: &[&Packet]) -> (Presence, Option<u64>) {
    let seen: Vec<SeenFrame<'_>> = packets.iter().map(|packet| packet.seen()).collect();
    let (rules, seen) = (game(format).rules, Seen(&seen));
    (rules.presence(seen), rules.session_key(seen))
}

#[test]
fn datagrams_are_recognised_by_format_id_and_length() {
    for format in FORMATS {
        for id in 0..=17 {
            let Some(layout) = f1::packet_layout(format, id) else { continue };
            let packet = Packet::new(format, id);
            let expected = Some((game(format).id, f1::packet_name(id).unwrap()));
            assert_eq!(claimed(&packet.bytes), expected);
            assert!(game(format).stream(packet.stream).is_some_and(|stream| stream.udp_port() == Some(20777)));
            // A byte more or less, and another format or id, are other packets.
            assert_eq!(claimed(&packet.bytes[1..]), None);
            assert_eq!(claimed(&packet.bytes[..layout.frame_bytes() as usize - 1]), None);
            assert_eq!(claimed(&[&packet.bytes[..], &[0]].concat()), None);
            assert_eq!(claimed(&packet.clone().set("packetId", 200.0).bytes), None);
            assert_eq!(claimed(&packet.set("packetFormat", 2027.0).bytes), None);
        }
    }
}

#[test]
fn packets_of_older_formats_are_kept_if_their_header_is_plausible() {
    // Header length, and the offset of the packet id, by format.
    for (format, header_bytes, id_at, types) in
        [(2018u16, 21, 3, 8), (2019, 23, 5, 8), (2020, 24, 5, 10), (2021, 24, 5, 12)]
    {
        let mut packet = vec![0; 500];
        packet[..2].copy_from_slice(&format.to_le_bytes());
        packet[id_at + 1..id_at + 9].copy_from_slice(&UID.to_le_bytes());
        packet[id_at + 9..id_at + 13].copy_from_slice(&87.5f32.to_le_bytes());
        packet[id_at + 17] = PLAYER;
        for id in 0..types {
            packet[id_at] = id;
            assert_eq!(claimed(&packet), Some((game(format).id, f1::packet_name(id).unwrap())), "{format} {id}");
        }
        assert_eq!(claimed(&packet[..header_bytes]), None, "a header alone");
        let broken = |at: usize, byte: u8| {
            let mut packet = packet.clone();
            packet[at] = byte;
            claimed(&packet)
        };
        assert_eq!(broken(id_at, types), None, "an id that the format does not have");
        assert_eq!(broken(id_at + 17, 22), None, "a player that there cannot be");
        assert!(broken(id_at + 17, 255).is_some(), "a spectator");
        assert_eq!(broken(id_at + 12, 0xC2), None, "a negative session time");
        let rules = game(format).rules;
        let seen = [SeenFrame { stream: "motion", layout: &gametape_games::NO_CHANNELS, bytes: &packet }];
        assert_eq!((rules.presence(Seen(&seen)), rules.session_key(Seen(&seen))), (Presence::Live, Some(UID)));
        assert!(!rules.has_laps() && rules.is_it(Seen(&seen)) == Some(true));
    }
}

#[test]
fn bytes_of_other_games_are_not_f1() {
    let f1_claims = |datagram: &[u8]| claimed(datagram).filter(|(game, _)| game.starts_with("f1-"));
    let mut state = 1u64;
    let mut random = || {
        state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (state >> 56) as u8
    };
    for _ in 0..20 {
        for length in (0..1500).step_by(3) {
            let bytes: Vec<u8> = (0..length).map(|_| random()).collect();
            assert_eq!(f1_claims(&bytes), None);
            assert_eq!(f1_claims(&vec![0; length]), None);
        }
    }
    // EA SPORTS WRC and Codemasters' older games send to the same port.
    assert_eq!(f1_claims(&2025u64.to_le_bytes().repeat(30)[..237]), None);
    assert_eq!(f1_claims(&0.001f32.to_le_bytes().repeat(66)), None);
}

fn files(folder: &Path) -> Vec<(String, Vec<u8>)> {
    let entries = std::fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path());
    let mut files: Vec<_> = entries
        .filter(|path| path.is_file())
        .map(|path| (path.file_name().unwrap().to_str().unwrap().to_owned(), std::fs::read(&path).unwrap()))
        .collect();
    files.sort();
    files
}

#[test]
fn real_datagrams_of_f1_and_of_other_games_are_told_apart() {
    let test = "real_datagrams_of_f1_and_of_other_games_are_told_apart";
    let Some(data) = support::real_data(test) else { return };
    let mut seen = 0;
    for (folder, id) in [
        ("gamesdat/2023", "f1-23"),
        ("gamesdat/2024", "f1-24"),
        ("gamesdat/2025", "f1-25"),
        ("racehub/2019", "f1-19"),
        ("racehub/2021", "f1-21"),
        ("racehub/2022", "f1-22"),
    ] {
        for (name, bytes) in files(&data.join("f1-udp").join(folder)) {
            let (game, stream) = claimed(&bytes).unwrap_or_else(|| panic!("{folder}/{name}"));
            assert_eq!(game, id, "{name}");
            // Some files are named after their packet: `04_lapData_843B.bin`.
            let named = name.split('_').rev().nth(1).filter(|_| folder.starts_with("racehub"));
            assert!(named.is_none_or(|named| named.eq_ignore_ascii_case(&stream.replace('-', ""))), "{name} {stream}");
            seen += 1;
        }
    }
    let whole =
        std::fs::read(data.join("f1-udp/vectors/packet_6_car_telemetry_data__f1_26_whole_datagram.bin")).unwrap();
    assert_eq!(claimed(&whole), Some(("f1-26", "car-telemetry")));
    assert_eq!(seen, 55 + 9 + 9 + 9);
    let mut others = 0;
    for (folder, length) in [
        ("forza", 324),
        ("forza", 331),
        ("gt7", 296),
        ("gt7", 368),
        ("dirt-rally1", 264),
        ("ac-remote-telemetry", 328),
        ("lfs", 92),
        ("lfs", 64),
    ] {
        for (name, bytes) in files(&data.join(folder)) {
            for datagram in bytes.chunks(length) {
                let claim = claimed(datagram).filter(|(game, _)| game.starts_with("f1-"));
                assert_eq!(claim, None, "{folder}/{name}");
                others += 1;
            }
        }
    }
    assert!(others > 5_000, "{others}");
}

#[test]
fn a_session_opens_at_its_first_session_packet() {
    for format in FORMATS {
        let [session, lap_data, motion] = [1, 2, 0].map(|id| Packet::new(format, id));
        // The key is that of the last packet, also before the session is open.
        assert_eq!(presence_of(format, &[&lap_data, &motion]), (Presence::Off, Some(UID)), "no session packet yet");
        assert_eq!(presence_of(format, &[&lap_data, &session]), (Presence::Live, Some(UID)));
        assert_eq!(presence_of(format, &[&motion, &session]), (Presence::Live, Some(UID)));
        let next = lap_data.clone().uid(UID + 1);
        let new = (Presence::Off, Some(UID + 1));
        assert_eq!(presence_of(format, &[&next, &session]), new, "a new UID alone is not a session");
        let menu = [lap_data.clone().uid(0), session.clone().uid(0)];
        assert_eq!(presence_of(format, &[&menu[0], &menu[1]]), (Presence::Off, None));
        let paused = session.clone().set("gamePaused", 1.0);
        assert_eq!(presence_of(format, &[&lap_data, &paused]), (Presence::Paused, Some(UID)));
        let watching = session.clone().set("isSpectating", 1.0);
        assert_eq!(presence_of(format, &[&lap_data, &watching]), (Presence::Replay, Some(UID)));
        let none = lap_data.clone().set("playerCarIndex", 255.0);
        assert_eq!(presence_of(format, &[&none, &session]), (Presence::Replay, Some(UID)));
        let (over, others) = (event(format, "SEND"), event(format, "SEND").uid(UID + 1));
        assert_eq!(presence_of(format, &[&lap_data, &session, &over]), (Presence::Off, Some(UID)));
        assert_eq!(presence_of(format, &[&lap_data, &session, &others]), (Presence::Live, Some(UID)));
    }
}

#[test]
fn the_rules_name_track_session_team_and_version() {
    for (format, race, team) in [(2022, 10.0, 6.0), (2024, 15.0, 9.0), (2026, 15.0, 41.0)] {
        let session = Packet::new(format, 1).set("trackId", 40.0).set("sessionType", race);
        let lap_data = Packet::new(format, 2).set("frameIdentifier", 77.0).set_if("overallFrameIdentifier", 99.0);
        let names = Packet::new(format, 4).car("participants", PLAYER, "teamId", team);
        let seen = [session.seen(), lap_data.seen(), names.seen()];
        let rules = game(format).rules;
        let car = match format {
            2022 => "AlphaTauri",
            2024 => "Sauber",
            _ => "team 41",
        };
        let expected = About {
            game_version: Some("1.07".into()),
            car: Some(car.into()),
            track: Some("Austria".into()),
            track_layout: Some("reverse".into()),
            session: Some("Race".into()),
        };
        assert_eq!(rules.about(Seen(&seen)), expected);
        assert_eq!(rules.counter(Seen(&seen)), Some(if format == 2022 { 77 } else { 99 }));
        let unknown = session.clone().set("trackId", -1.0);
        let older = names.clone().uid(5);
        let about = rules.about(Seen(&[unknown.seen(), lap_data.seen(), older.seen()]));
        assert_eq!((about.track, about.car), (None, None), "participants of another session");
        let about = rules.about(Seen(&[session.clone().set("trackId", 99.0).seen(), lap_data.seen()]));
        assert_eq!(about.track.as_deref(), Some("track 99"));
    }
}

#[test]
fn real_events_have_their_fields() {
    let Some(data) = support::real_data("real_events_have_their_fields") else { return };
    let folder = data.join("f1-udp/gamesdat/2025");
    let read = |code: &str| f1::event(&std::fs::read(folder.join(format!("packet-3-{code}.bin"))).unwrap()).unwrap();
    assert_eq!(read("SSTA"), Event::SessionStarted);
    assert_eq!(read("SEND"), Event::SessionEnded);
    assert_eq!(read("FTLP"), Event::FastestLap { car: 19, lap_time_s: 82.245 });
    assert_eq!(read("RTMT"), Event::Retirement { car: 10, reason: Some(3) });
    assert_eq!(read("TMPT"), Event::TeamMateInPits { car: 11 });
    assert_eq!(read("RCWN"), Event::RaceWinner { car: 9 });
    let penalty = Event::Penalty {
        penalty: 16,
        infringement: 41,
        car: 1,
        other_car: 255,
        time_s: 255,
        lap: 12,
        places_gained: 255,
    };
    assert_eq!(read("PENA"), penalty);
    let Event::SpeedTrap { car: 2, speed_kmh, fastest_car: 19, fastest_kmh, fastest_of_session: false, .. } =
        read("SPTP")
    else {
        panic!()
    };
    assert!((306.0..306.2).contains(&speed_kmh) && (328.4..328.6).contains(&fastest_kmh), "{speed_kmh} {fastest_kmh}");
    assert_eq!(read("STLG"), Event::StartLights { lights: 5 });
    assert_eq!(read("LGOT"), Event::LightsOut);
    let Event::Flashback { frame: 57_980, session_time_s } = read("FLBK") else { panic!() };
    assert!((1201.0..1202.0).contains(&session_time_s), "{session_time_s}");
    assert_eq!(read("BUTN"), Event::Buttons { pressed: 0 });
    assert_eq!(read("OVTK"), Event::Overtake { car: 5, overtaken: 18 });
    assert_eq!(read("COLL"), Event::Collision { car: 9, other_car: 19, severity: None });
    for (name, payload) in files(&data.join("f1-udp/vectors")) {
        let Some(format) = name.split("event_data__test_f1_").nth(1).filter(|_| name.ends_with(".bin")) else {
            continue;
        };
        let header = Packet::new(2000 + format.get(..2).unwrap().parse::<u16>().unwrap(), 3);
        let datagram = [&header.bytes[..29], &payload].concat();
        let expected = match name.as_str() {
            name if name.contains("started") => Event::SessionStarted,
            name if name.contains("f1_24") => Event::FastestLap { car: 4, lap_time_s: 110.172_005 },
            _ => Event::FastestLap { car: 7, lap_time_s: 68.59 },
        };
        assert_eq!(f1::event(&datagram), Some(expected), "{name}");
    }
    let folder = data.join("f1-udp/racehub/2022");
    let codes = files(&folder).into_iter().filter_map(|(_, bytes)| f1::event(&bytes));
    assert!(matches!(
        codes.collect::<Vec<_>>()[..],
        [
            Event::StartLights { lights: 5 },
            Event::SpeedTrap { car: 8, fastest_car: 15, .. },
            Event::Buttons { pressed: 0 }
        ]
    ));
}

#[test]
fn bytes_after_an_event_are_not_part_of_it() {
    let fill = |mut packet: Packet, byte: u8| {
        let details = packet.bytes.len() - 12;
        packet.bytes[details..].fill(byte);
        f1::event(&packet.bytes).unwrap()
    };
    for code in ["SSTA", "SEND", "DRSE", "CHQF", "RDFL", "LGOT"] {
        for format in FORMATS {
            assert_eq!(fill(event(format, code), 0), fill(event(format, code), 0xAB), "{code}");
        }
    }
    assert_eq!(fill(event(2024, "RTMT"), 7), Event::Retirement { car: 7, reason: None });
    assert_eq!(fill(event(2025, "DRSD"), 2), Event::DrsDisabled { reason: Some(2) });
    assert_eq!(fill(event(2025, "COLL"), 2), Event::Collision { car: 2, other_car: 2, severity: None });
    assert_eq!(fill(event(2026, "COLL"), 2), Event::Collision { car: 2, other_car: 2, severity: Some(2) });
    assert_eq!(fill(event(2026, "ABCD"), 2), Event::Other { code: *b"ABCD" });
    assert_eq!(f1::event(&event(2026, "SEND").bytes[..44]), None);
    assert_eq!(f1::event(&Packet::new(2025, 2).bytes), None);
}

/// No bytes make any decoder panic: packets of all lengths, and random contents in packets of the right length.
#[test]
fn no_bytes_make_a_decoder_panic() {
    let mut state = 7u64;
    let mut random = || {
        state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (state >> 56) as u8
    };
    for format in 2018..=2027u16 {
        let Some(game) = f1::game_id(format).and_then(|id| find_game(&id)) else { continue };
        let (mut decoder, mut sample) = (game.rules.decoder(), Sample::default());
        let (mut laps, mut lap_frame) = (game.rules.laps(), LapFrame::default());
        let mut cars = game.rules.standings();
        let mut feed = |stream: &'static str, bytes: &[u8]| {
            let layout = game.stream(stream).and_then(|stream| stream.layouts().first().copied());
            let frame = SeenFrame { stream, layout: layout.unwrap_or(&gametape_games::NO_CHANNELS), bytes };
            decoder.frame(frame, &mut sample);
            laps.frame(frame, &mut lap_frame);
            assert!(lap_frame.position.is_none_or(|position| (0.0..=1.0).contains(&position)));
            if let Some(cars) = &mut cars {
                cars.frame(frame);
            }
            let seen = [frame];
            let _ = (game.rules.about(Seen(&seen)), game.rules.presence(Seen(&seen)), game.rules.counter(Seen(&seen)));
            let _ = f1::event(bytes);
        };
        for round in 0..40 {
            for stream in game.streams {
                let whole = stream.layouts().first().map_or(1300, |layout| layout.frame_bytes() as usize);
                let length = if round % 2 == 0 { whole } else { usize::from(random()) * 6 % (whole + 1) };
                let mut bytes: Vec<u8> = (0..length).map(|_| random()).collect();
                // Most of them are packets of one session, so that they are decoded further.
                if bytes.len() > 50 && round % 4 != 3 {
                    bytes[..2].copy_from_slice(&format.to_le_bytes());
                    bytes[6..15].fill(3);
                    bytes[22] = PLAYER;
                    bytes[27] = PLAYER;
                    if stream.name == "session" {
                        bytes[38..46].fill(0);
                    }
                }
                feed(stream.name, &bytes);
            }
        }
        for length in 0..1500 {
            let bytes = vec![0xFF; length];
            feed("lap-data", &bytes);
            feed("session-history", &bytes);
        }
    }
    // The invariants of all games, on packets of one session with random contents.
    for format in FORMATS {
        for _ in 0..50 {
            let packets = (0..17).filter(|id| f1::packet_layout(format, *id).is_some()).flat_map(|id| {
                let mut packet = Packet::new(format, id);
                packet.bytes.iter_mut().skip(if id == 1 { 50 } else { 29 }).for_each(|byte| *byte = random());
                packet.bytes
            });
            gametape_games::fuzz_frames(&packets.collect::<Vec<u8>>());
        }
    }
}
