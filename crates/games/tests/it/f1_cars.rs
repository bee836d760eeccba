//! F1: samples of the player's car, and the standings of all cars.
use crate::support;
use crate::support::f1::{PLAYER, Packet, frame, game};

use gametape_games::{CarResult, CarStanding, Pit, Presence, Sample, Seen};

const FORMATS: std::ops::RangeInclusive<u16> = 2022..=2026;

fn sample_of(format: u16, packets: &[&Packet]) -> Sample {
    let (mut decoder, mut sample) = (game(format).rules.decoder(), Sample::default());
    packets.iter().for_each(|packet| decoder.frame(packet.seen(), &mut sample));
    sample
}

#[test]
fn a_sample_has_the_units_signs_and_wheels_of_samples() {
    for format in FORMATS {
        let g = if format < 2026 { 1.0 } else { 1000.0 };
        let (motion_group, car) = ("carMotionData", "carTelemetryData");
        let motion = Packet::new(format, 0)
            .car(motion_group, PLAYER, "worldPositionX", 10.0)
            .car(motion_group, PLAYER, "worldPositionY", 2.0)
            .car(motion_group, PLAYER, "worldPositionZ", -30.5)
            .car(motion_group, PLAYER, "gForceLateral", 1.5 * g)
            .car(motion_group, PLAYER, "gForceLongitudinal", -2.5 * g)
            .car(motion_group, PLAYER, "gForceVertical", 0.25 * g);
        let session = Packet::new(format, 1).set("trackLength", 5000.0).set("sessionTimeLeft", 600.0);
        let lap = Packet::new(format, 2)
            .car("lapData", PLAYER, "currentLapTimeInMS", 61_234.0)
            .car("lapData", PLAYER, "lastLapTimeInMS", 90_500.0)
            .car("lapData", PLAYER, "lapDistance", 1250.0)
            .car("lapData", PLAYER, "currentLapNum", 4.0)
            .car("lapData", PLAYER, "carPosition", 3.0)
            .car("lapData", PLAYER, "driverStatus", 4.0)
            .car("lapData", PLAYER, "sector", 1.0);
        let mut telemetry = Packet::new(format, 6)
            .car(car, PLAYER, "speed", 305.0)
            .car(car, PLAYER, "throttle", 0.75)
            .car(car, PLAYER, "steer", -0.25)
            .car(car, PLAYER, "clutch", 50.0)
            .car(car, PLAYER, "gear", -1.0)
            .car(car, PLAYER, "engineRPM", 11_000.0);
        let mut damage = Packet::new(format, 10);
        for wheel in 0..4 {
            let name = |field: &str| format!("{car}[{PLAYER}].{field}");
            telemetry = telemetry.set_nth(&name("tyresPressure"), wheel, 20.0 + wheel as f64);
            telemetry = telemetry.set_nth(&name("brakesTemperature"), wheel, 400.0 + wheel as f64);
            damage = damage.set_nth(&format!("carDamageData[{PLAYER}].tyresWear"), wheel, 10.0 * wheel as f64);
        }
        let status = Packet::new(format, 7).car("carStatusData", PLAYER, "vehicleFiaFlags", 3.0);
        let all = [&session, &motion, &lap, &telemetry, &status, &damage];
        let sample = sample_of(format, &all);
        assert_eq!(sample.presence, Some(Presence::Live), "{format}");
        assert_eq!((sample.lateral_g, sample.longitudinal_g), (Some(-1.5), Some(-2.5)), "left is positive in the game");
        assert_eq!((sample.vertical_g, sample.world_m), (Some(0.25), Some([10.0, 2.0, -30.5])));
        assert_eq!(
            (sample.lap_time_ms, sample.last_lap_ms, sample.laps_completed),
            (Some(61_234), Some(90_500), Some(3))
        );
        assert_eq!((sample.track_position, sample.lap_distance_m, sample.sector), (Some(0.25), Some(1250.0), Some(1)));
        assert_eq!(
            (sample.race_position, sample.lap_is_valid, sample.session_left_ms),
            (Some(3), Some(true), Some(600_000))
        );
        assert_eq!((sample.in_pit_box, sample.in_pit_lane), (Some(false), Some(false)));
        assert_eq!((sample.speed_kmh, sample.gear, sample.rpm), (Some(305.0), Some(-1), Some(11_000.0)));
        assert_eq!((sample.throttle, sample.steering, sample.clutch), (Some(0.75), Some(-0.25), Some(0.5)));
        // The game's arrays begin at the rear left.
        assert_eq!(sample.wheels.map(|wheel| wheel.brake_celsius.unwrap()), [402.0, 403.0, 400.0, 401.0]);
        assert_eq!(sample.wheels.map(|wheel| wheel.tread_left.unwrap()), [0.8, 0.7, 1.0, 0.9]);
        assert!((sample.wheels[2].pressure_kpa.unwrap() - 20.0 * 6.894_757).abs() < 1e-3);
        assert_eq!(sample.flags.map(|flags| (flags.yellow, flags.blue)), Some((true, false)));
        assert_eq!((sample.fuel_l, sample.wheels[0].suspension_m), (None, None), "kilograms, and no known unit");
        let menu = lap.clone().uid(0);
        let sample = sample_of(format, &[&session, &lap, &telemetry, &menu]);
        assert_eq!(sample, Sample { presence: Some(Presence::Off), ..Sample::default() });
        let watching = lap.clone().set("playerCarIndex", 255.0);
        assert_eq!(sample_of(format, &[&session, &watching, &telemetry]).speed_kmh, None);
    }
}

#[test]
fn a_real_frame_is_the_car_at_305_kmh() {
    let Some(data) = support::real_data("a_real_frame_is_the_car_at_305_kmh") else { return };
    let read =
        |id: u8| frame(&std::fs::read(data.join(format!("f1-udp/gamesdat/2025/packet-{id}.bin"))).unwrap()).unwrap();
    let packets = [1, 2, 0, 4, 6, 7, 10, 11, 13].map(read);
    let sample = sample_of(2025, &packets.each_ref());
    assert_eq!(sample.presence, Some(Presence::Paused), "these were sent while the game was paused");
    assert_eq!(
        (sample.speed_kmh, sample.gear, sample.rpm, sample.throttle),
        (Some(305.0), Some(8), Some(10_926.0), Some(1.0))
    );
    assert_eq!(
        (sample.lap_time_ms, sample.last_lap_ms, sample.laps_completed),
        (Some(62_095), Some(100_047), Some(14))
    );
    assert_eq!((sample.race_position, sample.car_count, sample.sector), (Some(15), Some(18), Some(2)));
    // 3916.8 m of 5276 m.
    assert!((0.742..0.743).contains(&sample.track_position.unwrap()), "{:?}", sample.track_position);
    assert!((0.1..0.11).contains(&sample.longitudinal_g.unwrap()) && sample.lateral_g.unwrap().abs() < 0.01);
    let about = game(2025).rules.about(Seen(&packets.each_ref().map(|packet| packet.seen())));
    assert_eq!(about.track.as_deref(), Some("Melbourne"));
    assert_eq!((about.car.as_deref(), about.session.as_deref()), (Some("Ferrari"), Some("Race")));
    assert_eq!(about.game_version.as_deref(), Some("1.17"));
    // Sent by F1 25 in format 2023: its own numbers of session types.
    let read =
        |id: u8| frame(&std::fs::read(data.join(format!("f1-udp/gamesdat/2023/packet-{id}.bin"))).unwrap()).unwrap();
    let packets = [1, 2].map(read);
    let about = game(2023).rules.about(Seen(&packets.each_ref().map(|packet| packet.seen())));
    assert_eq!((about.track.as_deref(), about.session.as_deref()), (Some("Silverstone"), Some("Time trial")));
}

/// Real cars: in left turns, where the steering is negative, the lateral g of the game is positive.
#[test]
fn the_sign_of_lateral_g_is_that_of_real_cars() {
    let Some(data) = support::real_data("the_sign_of_lateral_g_is_that_of_real_cars") else { return };
    let read =
        |id: u8| frame(&std::fs::read(data.join(format!("f1-udp/gamesdat/2025/packet-{id}.bin"))).unwrap()).unwrap();
    let [session, motion, lap_data, telemetry] = [1, 0, 2, 6].map(read);
    let mut turning = 0;
    for car in 0..20 {
        let player = |packet: &Packet| packet.clone().set("playerCarIndex", f64::from(car));
        let packets = [player(&session), player(&motion), player(&lap_data), player(&telemetry)];
        let sample = sample_of(2025, &packets.each_ref());
        let (steering, lateral_g) = (sample.steering.unwrap(), sample.lateral_g.unwrap());
        if steering.abs() > 0.1 {
            assert_eq!(steering > 0.0, lateral_g > 0.5, "car {car}: {steering}, {lateral_g}");
            turning += 1;
        }
        if sample.brake.unwrap() > 0.5 {
            assert!(sample.longitudinal_g.unwrap() < -2.0);
        }
    }
    assert!(turning >= 6, "{turning}");
}

fn standings(format: u16, packets: &[Packet]) -> Vec<CarStanding> {
    let mut cars = game(format).rules.standings().unwrap();
    packets.iter().for_each(|packet| {
        cars.frame(packet.seen());
    });
    cars.cars().into_iter().cloned().collect()
}

#[test]
fn standings_have_every_car_that_takes_part() {
    for format in FORMATS {
        let mut laps = Packet::new(format, 2);
        for (car, result, position) in [(0, 2.0, 2.0), (5, 3.0, 1.0), (7, 1.0, 0.0), (PLAYER, 7.0, 20.0)] {
            laps = laps
                .car("lapData", car, "resultStatus", result)
                .car("lapData", car, "carPosition", position)
                .car("lapData", car, "currentLapNum", 3.0)
                .car("lapData", car, "lastLapTimeInMS", 80_123.0)
                .car("lapData", car, "numPitStops", 1.0)
                .car("lapData", car, "driverStatus", 4.0);
        }
        laps = laps
            .car("lapData", 0, "pitStatus", 1.0)
            .set_if("lapData[0].deltaToRaceLeaderMSPart", 5_250.0)
            .set_if("lapData[0].deltaToRaceLeaderMinutesPart", 1.0)
            .set_if("lapData[0].deltaToRaceLeaderInMS", 65_250.0);
        let names = Packet::new(format, 4)
            .text("participants[0].name", "PÉREZ")
            .car("participants", 0, "teamId", 2.0)
            .car("participants", 0, "raceNumber", 11.0);
        let status = Packet::new(format, 7).car("carStatusData", 0, "visualTyreCompound", 17.0);
        let mut history = Packet::new(format, 11).set("carIdx", 0.0).set("numLaps", 3.0).set("bestLapTimeLapNum", 2.0);
        for (lap, ms, valid) in [(0, 81_000.0, 6.0), (1, 80_123.0, 15.0), (2, 0.0, 15.0)] {
            history = history.set(&format!("lapHistoryData[{lap}].lapTimeInMS"), ms);
            history = history.set(&format!("lapHistoryData[{lap}].lapValidBitFlags"), valid);
            history = history.set_if(&format!("lapHistoryData[{lap}].sector1TimeMSPart"), 5_250.0);
            history = history.set_if(&format!("lapHistoryData[{lap}].sector1TimeMinutesPart"), 1.0);
        }
        let cars = standings(format, &[Packet::new(format, 1), laps, names, status, history]);
        let numbers: Vec<_> = cars.iter().map(|car| (car.car, car.result, car.position)).collect();
        let expected = [
            (0, CarResult::Active, Some(2)),
            (5, CarResult::Finished, Some(1)),
            (u32::from(PLAYER), CarResult::Retired, Some(20)),
        ];
        assert_eq!(numbers, expected);
        let car = &cars[0];
        assert_eq!((car.name.as_deref(), car.team.as_deref()), (Some("PÉREZ"), Some("Red Bull Racing")));
        assert_eq!((car.race_number, car.current_lap, car.last_ms), (Some(11), Some(3), Some(80_123)));
        assert_eq!((car.best_ms, car.pit_stops, car.pit), (Some(80_123), Some(1), Some(Pit::Lane)));
        assert_eq!((car.tyre.as_deref(), car.is_player), (Some("medium"), false));
        assert_eq!(car.gap_to_leader_ms, (format > 2022).then_some(65_250));
        assert_eq!(car.gap_ahead_ms, None);
        assert_eq!(car.laps.iter().map(|lap| lap.time_ms).collect::<Vec<_>>(), [Some(81_000), Some(80_123), None]);
        assert_eq!(car.laps.iter().map(|lap| lap.valid).collect::<Vec<_>>(), [Some(false), Some(true), Some(true)]);
        assert_eq!(car.laps[0].valid_sectors, [true, true, false]);
        if format >= 2024 {
            // A minute and 5.250 s.
            assert_eq!(car.last_sectors_ms, [Some(65_250), None, None]);
        }
        assert!(cars[2].is_player);
    }
}

#[test]
fn standings_of_another_session_begin_empty() {
    let [session, laps] = [1, 2].map(|id| Packet::new(2025, id));
    let laps = laps.car("lapData", 3, "resultStatus", 2.0);
    let mut cars = game(2025).rules.standings().unwrap();
    assert!(!cars.frame(laps.seen()), "no session yet");
    cars.frame(session.seen());
    assert!(cars.frame(laps.seen()));
    assert_eq!(cars.cars().len(), 1);
    assert!(!cars.frame(laps.clone().uid(0).seen()));
    assert_eq!(cars.cars().len(), 1, "the results stay while the menus are shown");
    cars.frame(session.clone().uid(9).seen());
    cars.frame(laps.clone().uid(9).car("lapData", 3, "resultStatus", 0.0).seen());
    assert_eq!(cars.cars().len(), 0);
}

#[test]
fn real_standings_are_those_of_the_race() {
    let Some(data) = support::real_data("real_standings_are_those_of_the_race") else { return };
    let read =
        |id: u8| frame(&std::fs::read(data.join(format!("f1-udp/gamesdat/2025/packet-{id}.bin"))).unwrap()).unwrap();
    let packets = [1, 2, 4, 7, 11].map(read);
    let cars = standings(2025, &packets);
    assert_eq!(cars.len(), 20);
    let leader = cars.iter().find(|car| car.position == Some(1)).unwrap();
    assert_eq!((leader.name.is_some(), leader.team.as_deref(), leader.race_number), (true, Some("McLaren"), Some(4)));
    assert_eq!((leader.gap_to_leader_ms, leader.last_ms, leader.current_lap), (None, Some(83_565), Some(16)));
    let retired: Vec<_> = cars.iter().filter(|car| car.result == CarResult::Retired).collect();
    assert_eq!(retired.iter().map(|car| car.race_number).collect::<Vec<_>>(), [Some(31), Some(6)]);
    assert!(retired.iter().all(|car| car.pit == Some(Pit::Box)));
    // The history is that of car 7.
    let eighth = &cars[7];
    assert_eq!((eighth.name.is_some(), eighth.laps.len(), eighth.best_ms), (true, 15, Some(85_529)));
    assert_eq!(eighth.last_sectors_ms, [Some(29_708), Some(18_833), Some(37_507)]);
    assert_eq!((eighth.laps[14].time_ms, eighth.laps[14].sectors_ms[1]), (None, Some(18_528)));
    assert!(eighth.laps.iter().all(|lap| lap.valid == Some(true)));
    assert_eq!((cars[19].is_player, cars[19].pit_stops), (true, Some(2)));
}
