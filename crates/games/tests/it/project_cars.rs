//! Project CARS: packets, states and laps; a real capture if there is one.
use crate::datagram_feed::{Feed, Noise, assert_only, put};
use crate::support;

use gametape_games::project_cars::GAME;
use gametape_games::{NO_CHANNELS, Pit, Presence, SectorValue, SeenFrame, SessionKind};

/// A telemetry packet of a race with three cars; the second one is viewed.
fn telemetry() -> Vec<u8> {
    let mut packet = vec![0; 1367];
    put(&mut packet, 0, 1200_u16.to_le_bytes());
    put(&mut packet, 3, [0x52, 1, 3]);
    put(&mut packet, 10, [2, 5]);
    for (at, number) in [(12, 91.5_f32), (16, 92.25), (20, 30.5), (36, -1.0), (48, 25.0), (116, 0.5), (120, 50.0)] {
        put(&mut packet, at, number.to_le_bytes());
    }
    put(&mut packet, 111, [60, 0, 255, 0, 0x81]);
    put(&mut packet, 124, 6000_u16.to_le_bytes());
    put(&mut packet, 128, [0x63]);
    put(&mut packet, 1360, 4000_f32.to_le_bytes());
    let car = 464 + 16;
    put(&mut packet, car, 100_i16.to_le_bytes());
    put(&mut packet, car + 4, (-50_i16).to_le_bytes());
    put(&mut packet, car + 6, 1000_u16.to_le_bytes());
    put(&mut packet, car + 8, [0x80 | 2, 3, 4, 0b0110_0010]);
    put(&mut packet, car + 12, 25.5_f32.to_le_bytes());
    packet
}

fn names() -> Vec<u8> {
    let mut packet = vec![0; 1347];
    put(&mut packet, 0, 1200_u16.to_le_bytes());
    packet[2] = 1;
    for (at, text) in [(3, "Test Car"), (67, "Road"), (131, "Test Track"), (195, "Short"), (259 + 64, "Driver 1")] {
        packet[at..at + text.len()].copy_from_slice(text.as_bytes());
    }
    packet
}

#[test]
fn tables_have_the_lengths_of_the_packets() {
    for (stream, bytes) in [("telemetry", 1367), ("participants", 1347), ("more-participants", 1028)] {
        assert_eq!(GAME.stream(stream).unwrap().lengths().collect::<Vec<_>>(), [bytes]);
    }
    let at = |name: &str| GAME.stream("telemetry").unwrap().layouts()[0].channel(name).unwrap().offset;
    assert_eq!((at("sJoyPad"), at("sFuelLevel"), at("sOdometerKM"), at("sTyreFlags")), (96, 116, 132, 220));
    assert_eq!((at("sBrakeTempCelsius"), at("sAmbientTemperature"), at("sTrackLength")), (328, 458, 1360));
    assert_eq!(at("sParticipantInfo[55].sLastSectorTime"), 464 + 55 * 16 + 12);
}

#[test]
fn the_viewed_car_is_decoded() {
    let mut feed = Feed::new(&GAME);
    assert_eq!(feed.datagram(&names()), Some("participants"));
    assert_eq!((feed.presence(), feed.session_key(), feed.is_lap_frame), (Presence::Off, None, false));
    assert_eq!(feed.datagram(&telemetry()), Some("telemetry"));
    let (sample, laps) = (feed.sample, feed.laps);
    assert_eq!((sample.speed_kmh, sample.gear, sample.throttle), (Some(180.0), Some(3), Some(1.0)));
    assert_eq!((sample.steering, sample.fuel_l, sample.world_m), (Some(-1.0), Some(30.0), Some([100.25, 0.0, -49.5])));
    assert_eq!((sample.laps_completed, sample.sector, sample.track_position), (Some(3), Some(1), Some(0.25)));
    assert_eq!(
        (sample.best_lap_ms, sample.last_lap_ms, sample.lap_time_ms),
        (Some(91_500), Some(92_250), Some(30_500))
    );
    assert_eq!((laps.kind, laps.laps_completed, laps.last_ms), (SessionKind::Race, Some(3), Some(92_250)));
    assert_eq!((laps.sector_value, laps.valid, laps.pit), (SectorValue::Own(25_500), Some(true), Some(Pit::Track)));
    assert_eq!((laps.player_car, laps.on_lap, laps.world_m), (Some(1), Some(true), Some([100.25, 0.0, 49.5])));
    let identity = feed.identity();
    assert_eq!((identity.track.as_deref(), identity.layout.as_deref()), (Some("Test Track"), Some("Short")));
    assert_eq!((identity.car.as_deref(), identity.driver.as_deref()), (Some("Test Car"), Some("Driver 1")));
    assert_eq!((identity.sector_count, identity.length_m), (Some(3), Some(4000.0)));
    assert_eq!(feed.about().session.as_deref(), Some("race"));
    for datagram in [telemetry(), names()] {
        assert_only(&GAME, &datagram);
    }
}

#[test]
fn sessions_differ_in_kind_and_names() {
    let key = |states: u8, track: &[u8; 4]| {
        let (mut packet, mut names) = (telemetry(), names());
        packet[3] = states;
        put(&mut names, 131, *track);
        let mut feed = Feed::new(&GAME);
        feed.datagram(&names);
        feed.datagram(&packet);
        feed.session_key()
    };
    assert!(key(0x52, b"Test").is_some());
    assert_eq!(key(0x52, b"Test"), key(0x42, b"Test"), "the formation lap is part of the race");
    assert!(key(0x52, b"Test") != key(0x12, b"Test") && key(0x52, b"Test") != key(0x52, b"Best"));
    assert_eq!((key(0x51, b"Test"), key(0x02, b"Test")), (None, None), "menus, and no session");
}

#[test]
fn states_of_game_and_race_are_those_of_the_frames() {
    let with = |at: usize, byte: u8| {
        let mut packet = telemetry();
        packet[at] = byte;
        let mut feed = Feed::new(&GAME);
        feed.frame("telemetry", &packet);
        feed
    };
    let presence = [0, 1, 2, 3, 4, 5, 6, 7].map(|state| with(3, 0x50 | state).presence());
    use Presence::{Live, Off, Paused, Replay};
    assert_eq!(presence, [Off, Off, Live, Paused, Live, Paused, Replay, Replay]);
    assert_eq!((with(10, 2 | 8).laps.valid, with(10, 1).laps.on_lap), (Some(false), Some(false)));
    assert_eq!([1, 2, 4].map(|mode| with(99, mode).laps.pit), [Some(Pit::Lane), Some(Pit::Box), Some(Pit::Box)]);
    assert_eq!(with(4, 0xFF).laps.laps_completed, None, "nobody is viewed");
    // The race ends: its last lap is completed by the first packet that says so.
    let mut feed = with(10, 3);
    assert_eq!(feed.laps.on_lap, Some(true));
    let mut packet = telemetry();
    packet[10] = 3;
    feed.frame("telemetry", &packet);
    assert_eq!(feed.laps.on_lap, Some(false));
}

#[test]
fn any_bytes_are_decoded_without_a_panic() {
    let mut noise = Noise(7);
    for round in 0..3_000 {
        let bytes = noise.bytes((round * 17) % 1500);
        assert_eq!(GAME.rules.datagram(&bytes, &mut Vec::new()), None);
        let mut cars = GAME.rules.standings().unwrap();
        for stream in GAME.streams {
            let mut feed = Feed::new(&GAME);
            feed.frame(stream.name, &bytes);
            cars.frame(SeenFrame { stream: stream.name, layout: &NO_CHANNELS, bytes: &bytes });
            let _ = (feed.presence(), feed.session_key(), feed.about());
            assert!(feed.laps.position.is_none_or(|position| (0.0..=1.0).contains(&position)));
            assert!(feed.sample.speed_kmh.is_none_or(f32::is_finite) && feed.sample.fuel_l.is_none_or(f32::is_finite));
        }
    }
}

/// F1 2019 sends 1347 bytes, and its third byte is 1.
#[test]
fn real_datagrams_of_f1_are_not_those_of_project_cars() {
    let Some(data) = support::real_data("real_datagrams_of_f1_are_not_those_of_project_cars") else { return };
    let mut seen = 0;
    for folder in ["racehub/2019", "racehub/2021", "racehub/2022", "gamesdat/2023", "gamesdat/2024", "gamesdat/2025"] {
        for entry in std::fs::read_dir(data.join("f1-udp").join(folder)).unwrap() {
            let datagram = std::fs::read(entry.unwrap().path()).unwrap();
            for game in [&GAME, &gametape_games::automobilista_2::GAME, &gametape_games::gran_turismo::GT7] {
                assert_eq!(game.rules.datagram(&datagram, &mut Vec::new()), None, "{folder}, {} bytes", datagram.len());
            }
            seen += usize::from(datagram.len() == 1347 && datagram[2] & 3 == 1);
        }
    }
    assert!(seen > 0, "none of them is easily mistaken");
}

#[test]
fn a_real_capture_is_a_race_at_dubai() {
    let Some(data) = support::real_data("a_real_capture_is_a_race_at_dubai") else { return };
    let file = std::fs::read(data.join("project-cars1/pcars1_udp_framed_a.bin")).unwrap();
    let (mut feed, mut cars) = (Feed::new(&GAME), GAME.rules.standings().unwrap());
    let (mut rest, mut datagrams, mut streams) = (&file[..], 0, std::collections::BTreeMap::new());
    let (mut top_kmh, mut before, mut moved_m) = (0_f32, None, 0.0);
    let (mut on_grid, mut sum) = (0, [0.0_f64; 3]);
    while let Some((length, behind)) = rest.split_first_chunk() {
        let (datagram, behind) = behind.split_at(u32::from_le_bytes(*length) as usize);
        rest = behind;
        datagrams += 1;
        let stream = feed.datagram(datagram).unwrap();
        *streams.entry(stream).or_insert(0) += 1;
        assert_only(&GAME, datagram);
        cars.frame(SeenFrame { stream, layout: &NO_CHANNELS, bytes: datagram });
        if stream != "telemetry" {
            continue;
        }
        assert_eq!((feed.presence(), feed.laps.kind), (Presence::Live, SessionKind::Race));
        let (sample, laps) = (feed.sample, feed.laps);
        top_kmh = top_kmh.max(sample.speed_kmh.unwrap());
        assert!((0.0..=6.0).contains(&f32::from(sample.gear.unwrap())), "{:?}", sample.gear);
        assert!((85.0..115.0).contains(&sample.wheels[0].tyre_core_celsius.unwrap()), "{:?}", sample.wheels[0]);
        assert!((250.0..600.0).contains(&sample.wheels[0].brake_celsius.unwrap()), "{:?}", sample.wheels[0]);
        if laps.valid.is_none() {
            on_grid += 1;
            assert_eq!((laps.position, laps.sector), (None, Some(2)));
        }
        // Turning right, the left wheels turn faster and the acceleration points to the right.
        if sample.speed_kmh.unwrap() > 40.0 {
            let wheel = |index: usize| f64::from(sample.wheels[index].angular_speed_rad_s.unwrap());
            let (right, said) = (wheel(2) / wheel(3) - 1.0, f64::from(sample.lateral_g.unwrap()));
            sum = [sum[0] + right * said, sum[1] + right * right, sum[2] + said * said];
        }
        let [x, _, z] = laps.world_m.unwrap();
        if let Some((old_x, old_z)) = before.replace((x, z)) {
            moved_m += f64::from((x - old_x).hypot(z - old_z));
        }
    }
    assert_eq!(
        (datagrams, streams["telemetry"], streams["participants"], streams["more-participants"]),
        (1450, 1440, 5, 5)
    );
    assert!((160.0..190.0).contains(&top_kmh), "{top_kmh}");
    assert!(sum[0] / (sum[1] * sum[2]).sqrt() > 0.4, "{sum:?}");
    // From the grid to the line; then it is lap 1, which no sector has ended of.
    assert!((400..460).contains(&on_grid), "{on_grid}");
    let (laps, identity) = (feed.laps, feed.identity());
    assert_eq!((laps.laps_completed, laps.sector, laps.valid), (Some(0), Some(0), Some(true)));
    assert_eq!((laps.running_ms, laps.last_ms, laps.sector_value), (Some(39_560), None, SectorValue::None));
    assert!((laps.position.unwrap() - 1151.0 / 4290.96).abs() < 1e-4, "{:?}", laps.position);
    assert!((1_150.0..1_400.0).contains(&moved_m), "{moved_m}");
    assert_eq!(
        (identity.track.as_deref(), identity.layout.as_deref()),
        (Some("Dubai Autodrome"), Some("International"))
    );
    assert_eq!(
        (identity.car.as_deref(), identity.game_version.as_deref()),
        (Some("Audi A1 quattro"), Some("build 1200"))
    );
    assert!(identity.driver.is_some() && feed.session_key().is_some());
    assert_eq!((laps.air_celsius, laps.track_celsius), (Some(22.0), Some(31.0)));
    // All twenty cars, each at its own position.
    let mut positions: Vec<_> = cars.cars().iter().map(|car| car.position.unwrap()).collect();
    positions.sort_unstable();
    assert_eq!(positions, (1..=20).collect::<Vec<_>>());
    assert!(cars.cars().iter().all(|car| car.name.is_some() && car.current_lap == Some(1)));
    // From the grid to the first sector: no sector of the lap has ended.
    assert!(cars.cars().iter().all(|car| car.laps.len() == 1 && car.laps[0].sectors_ms == [None; 3]));
    let own: Vec<_> = cars.cars().into_iter().filter(|car| car.is_player).collect();
    assert_eq!(own.iter().map(|car| car.class.as_deref()).collect::<Vec<_>>(), [Some("Road C2")]);
}
