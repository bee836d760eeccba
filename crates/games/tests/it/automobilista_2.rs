//! Automobilista 2 and Project CARS 2: packets, states and laps. No bytes of the games have been available.
use crate::datagram_feed::{Feed, Noise, assert_only, put};
use crate::support;

use gametape_games::automobilista_2::GAME;
use gametape_games::{CarResult, CarStanding, NO_CHANNELS, Pit, Presence, SectorValue, SeenFrame, SessionKind};

/// A packet with its header.
fn packet(packet_type: u8, bytes: usize) -> Vec<u8> {
    let mut packet = vec![0; bytes];
    put(&mut packet, 0, 500_u32.to_le_bytes());
    put(&mut packet, 8, [1, 1, packet_type, 1]);
    packet
}

fn put_text(packet: &mut [u8], at: usize, text: &str) {
    packet[at..at + text.len()].copy_from_slice(text.as_bytes());
}

/// Game and session state.
fn game_state(states: u8) -> Vec<u8> {
    let mut packet = packet(4, 24);
    put(&mut packet, 12, 1510_u16.to_le_bytes());
    put(&mut packet, 14, [states, 21, 33]);
    packet
}

fn race_definition(track: &str) -> Vec<u8> {
    let mut packet = packet(1, 308);
    put(&mut packet, 44, 4000_f32.to_le_bytes());
    put_text(&mut packet, 48, track);
    put_text(&mut packet, 112, "Short");
    packet
}

/// What a car's entry in the timings says.
#[derive(Clone, Copy)]
struct Entry {
    participant: u16,
    distance_m: u16,
    position: u8,
    sector: u8,
    pit_mode: u8,
    race_state: u8,
    lap: u8,
    time_s: f32,
}

const ENTRY: Entry = Entry {
    participant: 7,
    distance_m: 1000,
    position: 2,
    sector: 1,
    pit_mode: 0,
    race_state: 2,
    lap: 4,
    time_s: 30.5,
};

/// Two cars; the second one is the player's.
fn timings(bytes: usize, own: Entry) -> Vec<u8> {
    let mut packet = packet(3, bytes);
    packet[12] = 2;
    put(&mut packet, 17, 600_f32.to_le_bytes());
    for (place, entry) in [Entry { participant: 3, position: 1, ..ENTRY }, own].into_iter().enumerate() {
        let at = 33 + 32 * place;
        put(&mut packet, at, 100_i16.to_le_bytes());
        put(&mut packet, at + 4, (-50_i16).to_le_bytes());
        put(&mut packet, at + 12, entry.distance_m.to_le_bytes());
        put(&mut packet, at + 14, [0x80 | entry.position, 0b0110_0000 | entry.sector, 6, entry.pit_mode]);
        put(&mut packet, at + 18, (0x8000_u16 | 40).to_le_bytes());
        put(&mut packet, at + 20, [entry.race_state, entry.lap]);
        put(&mut packet, at + 22, entry.time_s.to_le_bytes());
        put(&mut packet, at + 30, entry.participant.to_le_bytes());
    }
    put(&mut packet, 1057, 7_u16.to_le_bytes());
    packet
}

fn time_stats(last_s: f32, last_sector_s: f32) -> Vec<u8> {
    let mut packet = packet(7, 1040);
    for (place, participant) in [3_u16, 7].into_iter().enumerate() {
        let at = 16 + 32 * place;
        for (index, seconds) in [91.0, last_s, last_sector_s, 25.0, -1.0, -1.0].into_iter().enumerate() {
            put(&mut packet, at + index * 4, seconds.to_le_bytes());
        }
        put(&mut packet, at + 28, participant.to_le_bytes());
    }
    packet
}

fn telemetry(bytes: usize, viewed: u8) -> Vec<u8> {
    let mut packet = packet(0, bytes);
    put(&mut packet, 12, [viewed]);
    put(&mut packet, 28, [60, 51, 255, 0]);
    for (at, number) in [(32, 0.5_f32), (36, 50.0), (48, 12.5), (542, 100.5), (546, 3.0), (550, -49.0)] {
        if at + 4 <= bytes {
            put(&mut packet, at, number.to_le_bytes());
        }
    }
    put(&mut packet, 40, 6000_u16.to_le_bytes());
    put(&mut packet, 44, [0x7F, 0x6F]);
    packet
}

fn names() -> [Vec<u8>; 3] {
    let (mut drivers, mut cars, mut classes) = (packet(2, 1136), packet(8, 1164), packet(8, 1452));
    put_text(&mut drivers, 16, "Driver 1");
    put_text(&mut drivers, 80, "Driver 2");
    put(&mut drivers, 1104, 3_u16.to_le_bytes());
    put(&mut drivers, 1106, 7_u16.to_le_bytes());
    put(&mut cars, 12, 7_u16.to_le_bytes());
    put(&mut cars, 14, 0xABCD_u32.to_le_bytes());
    put_text(&mut cars, 18, "Test Car");
    put(&mut classes, 12, 0xABCD_u32.to_le_bytes());
    put_text(&mut classes, 16, "GT3");
    [drivers, cars, classes]
}

#[test]
fn tables_have_the_lengths_of_all_versions() {
    for (stream, lengths) in [
        ("telemetry", &[559, 556, 555, 538][..]),
        ("race-definition", &[308]),
        ("participants", &[1136]),
        ("timings", &[1063, 1059]),
        ("game-state", &[24]),
        ("time-stats", &[1040]),
        ("vehicles", &[1164]),
        ("vehicle-classes", &[1452]),
    ] {
        assert_eq!(GAME.stream(stream).unwrap().lengths().collect::<Vec<_>>(), lengths, "{stream}");
    }
    let at = |stream: &str, name: &str| GAME.stream(stream).unwrap().layouts()[0].channel(name).unwrap().offset;
    let telemetry = ["sFuelLevel", "sOrientation", "sTyreTemp", "sEngineSpeed", "sJoyPad0", "sTickCount"];
    assert_eq!(telemetry.map(|name| at("telemetry", name)), [32, 52, 176, 360, 373, 555]);
    assert_eq!(at("timings", "sParticipants[31].sMPParticipantIndex"), 33 + 31 * 32 + 30);
    assert_eq!(
        (at("timings", "sLocalParticipantIndex"), at("time-stats", "sParticipants[1].sLastLapTime")),
        (1057, 52)
    );
}

#[test]
fn packets_are_recognized_by_type_length_and_contents() {
    let [drivers, cars, classes] = names();
    let mut all = vec![
        ("game-state", game_state(0x52)),
        ("race-definition", race_definition("Test Track")),
        ("time-stats", time_stats(92.25, 25.5)),
        ("participants", drivers),
        ("vehicles", cars),
        ("vehicle-classes", classes),
    ];
    all.extend([538, 555, 556, 559].map(|bytes| ("telemetry", telemetry(bytes, 0))));
    all.extend([1059, 1063].map(|bytes| ("timings", timings(bytes, ENTRY))));
    for (stream, datagram) in &all {
        let mut feed = Feed::new(&GAME);
        assert_eq!(feed.datagram(datagram), Some(*stream));
        assert_only(&GAME, datagram);
        let longer = [&datagram[..], &[0]].concat();
        assert!(feed.datagram(&longer).is_none_or(|_| [555, 556].contains(&datagram.len())), "{stream}");
        let mut other = datagram.clone();
        other[10] = 5;
        assert_eq!(feed.datagram(&other), None, "{stream} of another type");
        other = datagram.clone();
        other[8] = 2;
        assert_eq!(feed.datagram(&other), None, "part 2 of 1");
    }
}

#[test]
fn the_players_car_is_joined_from_all_packets() {
    let (mut feed, mut all_cars) = (Feed::new(&GAME), GAME.rules.standings().unwrap());
    let [drivers, cars, classes] = names();
    let (state, definition) = (game_state(0x52), race_definition("Test Track"));
    for datagram in
        [state, definition, drivers, cars, classes, telemetry(559, 1), timings(1063, ENTRY), time_stats(92.25, 25.5)]
    {
        let stream = feed.datagram(&datagram).unwrap();
        assert_eq!(feed.is_lap_frame, stream == "timings");
        all_cars.frame(SeenFrame { stream, layout: &NO_CHANNELS, bytes: &datagram });
    }
    feed.datagram(&timings(1063, ENTRY));
    all_cars.frame(SeenFrame { stream: "timings", layout: &NO_CHANNELS, bytes: &timings(1063, ENTRY) });
    let (sample, laps) = (feed.sample, feed.laps);
    assert_eq!((sample.speed_kmh, sample.gear, sample.throttle), (Some(180.0), Some(-1), Some(1.0)));
    assert_eq!((sample.brake, sample.steering, sample.fuel_l), (Some(0.2), Some(1.0), Some(30.0)));
    assert_eq!(
        (sample.lap_time_ms, sample.last_lap_ms, sample.best_lap_ms),
        (Some(30_500), Some(92_250), Some(91_000))
    );
    assert_eq!((sample.track_position, sample.race_position), (Some(0.25), Some(2)));
    assert!(sample.flags.unwrap().yellow);
    assert_eq!((laps.kind, laps.laps_completed, laps.last_ms), (SessionKind::Race, Some(3), Some(92_250)));
    assert_eq!((laps.sector, laps.sector_value, laps.valid), (Some(1), SectorValue::Own(25_500), Some(true)));
    assert_eq!((laps.player_car, laps.pit, laps.on_lap), (Some(7), Some(Pit::Track), Some(true)));
    assert_eq!((laps.world_m, laps.distance_m), (Some([100.5, 3.0, 49.0]), Some(12_500.0)));
    assert_eq!((laps.left_ms, laps.caution, laps.air_celsius), (Some(600_000.0), Some(true), Some(21.0)));
    let identity = feed.identity();
    assert_eq!((identity.driver.as_deref(), identity.car.as_deref()), (Some("Driver 2"), Some("Test Car")));
    assert_eq!((identity.track.as_deref(), identity.length_m), (Some("Test Track"), Some(4000.0)));
    assert_eq!(feed.about().car.as_deref(), Some("Test Car"));
    let cars = all_cars.cars();
    assert_eq!(cars.iter().map(|car| (car.car, car.position)).collect::<Vec<_>>(), [(3, Some(1)), (7, Some(2))]);
    assert_eq!(cars.iter().map(|car| car.is_player).collect::<Vec<_>>(), [false, true]);
    let own = cars[1];
    assert_eq!(
        (own.name.as_deref(), own.car_model.as_deref(), own.class.as_deref()),
        (Some("Driver 2"), Some("Test Car"), Some("GT3"))
    );
    assert_eq!((own.last_ms, own.best_ms, own.result), (Some(92_250), Some(91_000), CarResult::Active));
    assert_eq!((own.pit, own.current_lap), (Some(Pit::Track), Some(4)));
    // The game does not report these.
    assert_eq!((own.gap_to_leader_ms, own.gap_ahead_ms, own.pit_stops, own.tyre.as_deref()), (None, None, None, None));
}

fn seen(stream: &'static str, bytes: &[u8]) -> (&'static str, Vec<u8>) {
    (stream, bytes.to_vec())
}

#[test]
fn laps_of_all_cars_are_put_together() {
    let mut standings = GAME.rules.standings().unwrap();
    let mut feed = |packets: &[(&'static str, Vec<u8>)]| {
        for (stream, bytes) in packets {
            standings.frame(SeenFrame { stream, layout: &NO_CHANNELS, bytes });
        }
        let cars: Vec<CarStanding> = standings.cars().into_iter().cloned().collect();
        (standings.session(), cars)
    };
    let at = |lap: u8, sector: u8| seen("timings", &timings(1063, Entry { lap, sector, ..ENTRY }));
    let (first, _) = feed(&[seen("game-state", &game_state(0x52)), seen("race-definition", &race_definition("Spa"))]);
    let (session, cars) = feed(&[
        at(4, 0),
        seen("time-stats", &time_stats(90.0, 31.0)),
        at(4, 0),
        at(4, 1),
        seen("time-stats", &time_stats(90.0, 20.0)),
        at(4, 1),
        at(4, 2),
        seen("time-stats", &time_stats(90.0, 40.5)),
        at(4, 2),
        at(5, 0),
        seen("time-stats", &time_stats(91.125, 30.625)),
        at(5, 0),
    ]);
    assert_eq!(session, first);
    let own = &cars[1];
    let laps: Vec<_> = own.laps.iter().map(|lap| (lap.number, lap.time_ms, lap.valid)).collect();
    assert_eq!(laps, [(4, Some(91_125), Some(true)), (5, None, Some(true))]);
    assert_eq!(own.last_sectors_ms, [Some(20_000), Some(40_500), Some(30_625)]);
    assert!(cars[0].laps.iter().all(|lap| lap.time_ms.is_none()), "the other car has not moved");
    // A replay shows the past, and in the menus the results stay.
    for state in [0x56, 0x51] {
        let (_, unchanged) = feed(&[seen("game-state", &game_state(state)), at(1, 0)]);
        assert_eq!(unchanged, cars);
    }
    let (_, gone) = feed(&[
        seen("game-state", &game_state(0x52)),
        seen("timings", &{
            let mut one = timings(1063, ENTRY);
            one[12] = 1;
            one
        }),
    ]);
    assert_eq!(gone.iter().map(|car| car.car).collect::<Vec<_>>(), [3]);
    let (other, cars) = feed(&[seen("game-state", &game_state(0x32)), at(1, 0)]);
    assert!(other != session && cars[1].laps.len() == 1, "another session");
}

#[test]
fn a_car_that_is_watched_does_not_change_the_players_laps() {
    let mut feed = Feed::new(&GAME);
    feed.datagram(&game_state(0x52));
    feed.datagram(&telemetry(559, 0));
    feed.datagram(&timings(1063, ENTRY));
    assert_eq!((feed.laps.player_car, feed.laps.speed_kmh, feed.laps.fuel_l), (Some(7), None, None));
    assert_eq!(feed.laps.world_m, Some([100.25, 0.0, 49.5]), "from the timings");
    assert_eq!(feed.sample.race_position, Some(1), "the sample is that of the viewed car");
}

#[test]
fn the_last_lap_time_follows_the_line() {
    let mut feed = Feed::new(&GAME);
    feed.datagram(&game_state(0x52));
    feed.datagram(&timings(1063, ENTRY));
    feed.datagram(&time_stats(92.25, 25.5));
    feed.datagram(&timings(1063, Entry { lap: 5, sector: 0, time_s: 0.01, ..ENTRY }));
    assert_eq!((feed.laps.laps_completed, feed.laps.last_ms), (Some(4), Some(92_250)), "still that of the lap before");
    feed.datagram(&time_stats(91.125, 31.0));
    feed.datagram(&timings(1063, Entry { lap: 5, sector: 0, time_s: 0.03, ..ENTRY }));
    assert_eq!((feed.laps.last_ms, feed.laps.sector_value), (Some(91_125), SectorValue::Own(31_000)));
}

/// The record of a lap is made of the last three sector times. The timings of the line may come before or after them.
#[test]
fn a_lap_has_a_record_with_its_sectors() {
    for stats_first in [false, true] {
        let mut feed = Feed::new(&GAME);
        feed.datagram(&game_state(0x52));
        feed.datagram(&timings(1063, Entry { time_s: 39.0, ..ENTRY }));
        let mut at = |lap: u8, sector: u8, time_s: f32, stats: (f32, f32)| {
            let packets = [timings(1063, Entry { lap, sector, time_s, ..ENTRY }), time_stats(stats.0, stats.1)];
            let order = if stats_first { [1, 0] } else { [0, 1] };
            for index in order {
                feed.datagram(&packets[index]);
            }
            feed.datagram(&timings(1063, Entry { lap, sector, time_s: time_s + 0.05, ..ENTRY }));
            feed.laps.record
        };
        // The recording begins in the middle of a lap: the last lap is not in it.
        assert_eq!(at(4, 1, 40.0, (92.25, 30.0)), None);
        assert_eq!(at(4, 2, 60.0, (92.25, 29.5)), None);
        assert_eq!(at(4, 2, 91.05, (92.25, 29.5)), None);
        let record = at(5, 0, 0.01, (91.125, 31.625)).unwrap();
        assert_eq!((record.lap, record.time_ms), (4, Some(91_125)), "stats first: {stats_first}");
        assert_eq!(record.sectors_ms, [Some(30_000), Some(29_500), Some(31_625)]);
        assert_eq!((record.invalid, record.overrules), (None, false));
        assert_eq!(at(5, 0, 30.0, (91.125, 31.625)), Some(record));
        let same = at(5, 1, 30.5, (91.125, 30.25));
        assert_eq!(same, Some(record), "the first sector of the next lap is not part of it");
        assert_eq!(at(1, 0, 0.0, (91.125, 30.25)), None, "the session was restarted");
    }
}

#[test]
fn states_of_game_and_race_are_those_of_the_frames() {
    let with = |states: Option<u8>, own: Entry| {
        let mut feed = Feed::new(&GAME);
        if let Some(states) = states {
            feed.datagram(&game_state(states));
        }
        feed.datagram(&race_definition("Test Track"));
        feed.datagram(&timings(1059, own));
        assert_eq!((feed.sample.presence, feed.laps.presence), (Some(feed.presence()), feed.presence()));
        feed
    };
    use Presence::{Live, Off, Paused, Replay};
    let presence = [0, 1, 2, 3, 4, 5, 6, 7].map(|state| with(Some(0x50 | state), ENTRY).presence());
    assert_eq!(presence, [Off, Off, Live, Paused, Live, Paused, Replay, Replay]);
    assert_eq!(with(None, ENTRY).presence(), Live, "the game state may follow");
    let off = with(Some(0x51), ENTRY);
    assert_eq!((off.sample.lap_time_ms, off.sample.lap_is_valid, off.session_key()), (None, None, None));
    for bit in [3, 7] {
        let invalid = with(Some(0x52), Entry { race_state: 2 | 1 << bit, ..ENTRY });
        assert_eq!((invalid.laps.valid, invalid.laps.on_lap), (Some(false), Some(true)));
    }
    let grid = Entry { race_state: 1, lap: 1, sector: 2, distance_m: 0, ..ENTRY };
    let mut feed = with(Some(0x52), grid);
    assert_eq!((feed.laps.on_lap, feed.laps.valid, feed.laps.position), (Some(false), None, None));
    feed.datagram(&timings(1059, Entry { race_state: 2 | 8, ..grid }));
    assert_eq!((feed.laps.on_lap, feed.laps.valid), (Some(true), None), "before the line");
    feed.datagram(&timings(1059, Entry { race_state: 2, sector: 0, distance_m: 5, ..grid }));
    assert_eq!(feed.laps.valid, Some(true));
    feed.datagram(&timings(1059, Entry { race_state: 2 | 8, sector: 2, distance_m: 3000, ..grid }));
    assert_eq!(feed.laps.valid, Some(false), "the last sector of the first lap");
    let key = |states, track| {
        let mut feed = Feed::new(&GAME);
        feed.datagram(&game_state(states));
        feed.datagram(&race_definition(track));
        feed.session_key()
    };
    assert!(key(0x52, "Spa").is_some() && key(0x52, "Spa") == key(0x42, "Spa"));
    assert!(key(0x52, "Spa") != key(0x32, "Spa") && key(0x52, "Spa") != key(0x52, "Imola"));
}

#[test]
fn both_forms_of_vehicle_names_are_read() {
    let name = |at: usize| {
        let mut cars = packet(8, 1164);
        put(&mut cars, 12, 7_u16.to_le_bytes());
        put(&mut cars, 12 + at, 3_u32.to_le_bytes());
        put_text(&mut cars, 12 + at + 4, "Test Car");
        let mut all_cars = GAME.rules.standings().unwrap();
        for (stream, bytes) in [("vehicles", &cars), ("timings", &timings(1063, ENTRY))] {
            assert_eq!(GAME.rules.datagram(bytes, &mut Vec::new()), Some(stream));
            all_cars.frame(SeenFrame { stream, layout: &NO_CHANNELS, bytes });
        }
        all_cars.cars()[1].car_model.clone()
    };
    assert_eq!((name(2).as_deref(), name(4).as_deref()), (Some("Test Car"), Some("Test Car")));
}

#[test]
fn any_bytes_are_decoded_without_a_panic() {
    let mut noise = Noise(11);
    for round in 0..3_000 {
        let mut bytes = noise.bytes((round * 17) % 1500);
        assert_eq!(GAME.rules.datagram(&bytes, &mut Vec::new()), None);
        if let Some(count) = bytes.get_mut(12) {
            *count %= 33;
        }
        let (mut feed, mut cars) = (Feed::new(&GAME), GAME.rules.standings().unwrap());
        for stream in GAME.udp_streams() {
            feed.frame(stream.name, &bytes);
            cars.frame(SeenFrame { stream: stream.name, layout: &NO_CHANNELS, bytes: &bytes });
            let _ = (feed.session_key(), feed.about());
            assert_eq!(feed.sample.presence, Some(feed.presence()).filter(|_| feed.sample.presence.is_some()));
            assert!(feed.laps.position.is_none_or(|position| (0.0..=1.0).contains(&position)));
            assert!(feed.sample.speed_kmh.is_none_or(f32::is_finite) && feed.sample.fuel_l.is_none_or(f32::is_finite));
        }
    }
}

/// Returns the bytes of a vector in the file of test vectors.
fn vector(file: &str, kind: &str) -> Vec<u8> {
    let behind = file.split(&format!("\"{kind}\"")).nth(1).unwrap();
    let hex = behind.split("\"hex\": \"").nth(1).unwrap().split('"').next().unwrap();
    hex.as_bytes().chunks(2).map(|pair| u8::from_str_radix(std::str::from_utf8(pair).unwrap(), 16).unwrap()).collect()
}

/// Made from a description of the packets, by another program.
#[test]
fn test_vectors_have_the_promised_values() {
    let Some(data) = support::real_data("test_vectors_have_the_promised_values") else { return };
    let file = std::fs::read_to_string(data.join("udp-vectors/vectors.json")).unwrap();
    let mut feed = Feed::new(&GAME);
    assert_eq!(feed.datagram(&vector(&file, "pCars2 type 4 24 B")), Some("game-state"));
    assert_eq!(feed.datagram(&vector(&file, "pCars2 type 1 308 B")), Some("race-definition"));
    assert_eq!(feed.datagram(&vector(&file, "pCars2 type 0 559 B")), Some("telemetry"));
    assert_eq!(feed.datagram(&vector(&file, "pCars2 type 3 1063 B")), Some("timings"));
    assert_eq!(feed.datagram(&vector(&file, "pCars2 type 7 1040 B")), Some("time-stats"));
    let (sample, laps) = (feed.sample, feed.laps);
    assert_eq!(
        (feed.presence(), laps.kind, feed.about().game_version.as_deref()),
        (Presence::Live, SessionKind::Race, Some("build 1234"))
    );
    assert_eq!((sample.rpm, sample.gear, sample.throttle), (Some(7200.0), Some(4), Some(200.0 / 255.0)));
    assert!((sample.speed_kmh.unwrap() - 55.5 * 3.6).abs() < 1e-3 && sample.world_m.unwrap()[0] == -12.5);
    assert_eq!((laps.laps_completed, laps.sector, laps.running_ms), (Some(4), Some(1), Some(61_250)));
    assert_eq!((laps.valid, laps.pit, laps.caution), (Some(false), Some(Pit::Track), Some(true)));
    assert_eq!((sample.race_position, sample.car_count, laps.left_ms), (Some(3), Some(2), None));
    assert_eq!(
        (laps.last_ms, sample.best_lap_ms, laps.sector_value),
        (Some(81_250), Some(80_500), SectorValue::Own(27_500))
    );
    assert_eq!(
        (feed.identity().length_m, laps.air_celsius, laps.track_celsius),
        (Some(4309.5), Some(22.0), Some(30.0))
    );
    assert!((laps.position.unwrap() - 2345.0 / 4309.5).abs() < 1e-6);
}
