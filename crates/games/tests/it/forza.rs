//! Forza: tables, laps and states, on made-up datagrams and on real ones.
use crate::support;
use crate::udp_frames::{Built, Reader, accepted_by, datagrams, survives_any_bytes};

use gametape_games::forza::{HORIZON, MOTORSPORT};
use gametape_games::{BackInTime, Game, Kind, Presence, SessionKind, find_game};

const FH6: &str = "forza/fh6_race_324B_a.bin";

fn motorsport() -> &'static Game {
    find_game("fm").unwrap()
}

fn horizon() -> &'static Game {
    find_game("fh").unwrap()
}

/// A car that is driven in an event.
#[derive(Clone, Copy)]
struct Drive {
    bytes: u32,
    timestamp_ms: u32,
    race_s: f32,
    current_s: f32,
    last_s: f32,
    lap: u16,
    distance: f32,
    speed: f32,
    x: f32,
    position: u8,
    gear: u8,
}

const DRIVE: Drive = Drive {
    bytes: 331,
    timestamp_ms: 1_000,
    race_s: 50.0,
    current_s: 50.0,
    last_s: 0.0,
    lap: 0,
    distance: 2_000.0,
    speed: 40.0,
    x: 100.0,
    position: 3,
    gear: 4,
};

impl Drive {
    fn bytes(self) -> Vec<u8> {
        let game = if self.bytes == 324 { HORIZON } else { MOTORSPORT };
        let built = Built::new(&game, "data-out", self.bytes)
            .put("IsRaceOn", 1_i32.to_le_bytes())
            .put("TimestampMS", self.timestamp_ms.to_le_bytes())
            .floats(&[("EngineMaxRpm", 8_000.0), ("EngineIdleRpm", 800.0), ("CurrentEngineRpm", 5_500.0)])
            .put("CarOrdinal", 3_545_i32.to_le_bytes())
            .put("CarClass", 4_i32.to_le_bytes())
            .put("CarPerformanceIndex", 693_i32.to_le_bytes())
            .put("NumCylinders", 4_i32.to_le_bytes());
        if self.bytes == 232 {
            return built.bytes;
        }
        let built = built
            .floats(&[("CurrentRaceTime", self.race_s), ("CurrentLap", self.current_s), ("LastLap", self.last_s)])
            .floats(&[("DistanceTraveled", self.distance), ("Speed", self.speed), ("Position", self.x)])
            .put("LapNumber", self.lap.to_le_bytes())
            .put("RacePosition", [self.position])
            .put("Gear", [self.gear])
            .put("Accel", [255])
            .put("Steer", (-127_i8).to_le_bytes());
        if self.bytes == 331 { built.put("TrackOrdinal", 1640_i32.to_le_bytes()) } else { built }.bytes
    }

    /// The same a while later.
    fn after(self, seconds: f32) -> Self {
        Self {
            timestamp_ms: self.timestamp_ms + (seconds * 1000.0) as u32,
            race_s: self.race_s + seconds,
            current_s: self.current_s + seconds,
            distance: self.distance + seconds * self.speed,
            x: self.x + seconds * self.speed,
            ..self
        }
    }
}

fn pause(bytes: usize, timestamp_ms: u32) -> Vec<u8> {
    let mut frame = vec![0; bytes];
    frame[4..8].copy_from_slice(&timestamp_ms.to_le_bytes());
    frame
}

#[test]
fn forza_fields_stand_where_they_are_documented() {
    let at = |game: &Game, bytes, name: &str| {
        let channel = game.streams[0].layout_of(bytes).unwrap().channel(name).cloned().unwrap();
        (channel.offset, channel.kind, channel.count)
    };
    assert_eq!(at(&MOTORSPORT, 232, "NumCylinders"), (228, Kind::I32, 1));
    assert_eq!(at(&MOTORSPORT, 311, "NormalizedAIBrakeDifference"), (310, Kind::I8, 1));
    assert_eq!(at(&MOTORSPORT, 331, "TrackOrdinal"), (327, Kind::I32, 1));
    assert_eq!(at(&MOTORSPORT, 331, "WheelInPuddleDepth"), (132, Kind::F32, 4));
    assert_eq!(at(&HORIZON, 324, "WheelInPuddle"), (132, Kind::I32, 4));
    assert_eq!(at(&HORIZON, 324, "Speed"), (256, Kind::F32, 1));
    assert_eq!(at(&HORIZON, 323, "LapNumber"), (312, Kind::U16, 1));
    assert_eq!((motorsport().udp_port(), horizon().udp_port()), (Some(0), Some(0)));
}

#[test]
fn a_length_belongs_to_one_series_and_pauses_are_accepted() {
    for (bytes, game) in [(232, "forza-motorsport"), (311, "forza-motorsport"), (331, "forza-motorsport")] {
        assert_eq!(accepted_by(&Drive { bytes, ..DRIVE }.bytes()), [game]);
        assert_eq!(accepted_by(&pause(bytes as usize, 7)), [game]);
    }
    let horizon = Drive { bytes: 324, ..DRIVE }.bytes();
    assert_eq!(accepted_by(&horizon), ["forza-horizon"]);
    assert_eq!(accepted_by(&horizon[..323]), ["forza-horizon"]);
    assert_eq!(accepted_by(&pause(324, 7)), ["forza-horizon"]);
}

#[test]
fn what_only_has_the_length_is_refused() {
    for bytes in [232, 311, 323, 324, 331] {
        assert_eq!(accepted_by(&vec![0; bytes]), [""; 0], "zeros");
        assert_eq!(accepted_by(&vec![0x41; bytes]), [""; 0], "letters");
        assert_eq!(accepted_by(&vec![0xFF; bytes]), [""; 0], "NaN");
    }
    let good = DRIVE.bytes();
    for (name, value) in [("IsRaceOn", 2), ("CarClass", 9), ("CarPerformanceIndex", 1_000), ("DrivetrainType", 3)] {
        let at = MOTORSPORT.streams[0].layout_of(331).unwrap().channel(name).unwrap().offset as usize;
        let mut bad = good.clone();
        bad[at..at + 4].copy_from_slice(&i32::to_le_bytes(value));
        assert_eq!(accepted_by(&bad), [""; 0], "{name}");
    }
    assert_eq!(accepted_by(&good[..330]), [""; 0]);
}

#[test]
fn a_shift_keeps_the_gear_and_a_pause_keeps_everything() {
    let mut reader = Reader::new(motorsport());
    reader.read(&DRIVE.bytes());
    assert_eq!((reader.sample.gear, reader.sample.steering, reader.sample.throttle), (Some(4), Some(-1.0), Some(1.0)));
    reader.read(&Drive { gear: 11, ..DRIVE.after(0.1) }.bytes());
    assert_eq!(reader.sample.gear, Some(4));
    let (before, laps) = (reader.sample, reader.laps);
    reader.read(&pause(331, 2_000));
    assert_eq!((reader.sample.presence, reader.sample.gear), (Some(Presence::Paused), Some(4)));
    assert_eq!(gametape_games::Sample { presence: before.presence, ..reader.sample }, before);
    assert_eq!(gametape_games::LapFrame { presence: laps.presence, ..reader.laps }, laps);
    reader.read(&Drive { gear: 0, ..DRIVE }.bytes());
    assert_eq!(reader.sample.gear, Some(-1));
}

#[test]
fn a_lap_ends_with_the_lap_number() {
    let mut reader = Reader::new(motorsport());
    reader.read(&Drive { current_s: 95.0, distance: 4_270.0, ..DRIVE }.bytes());
    assert_eq!(
        (reader.laps.laps_completed, reader.laps.last_ms, reader.laps.running_ms),
        (Some(0), None, Some(95_000))
    );
    assert_eq!(reader.sample.lap_distance_m, Some(4_270.0));
    let line = Drive { lap: 1, current_s: 0.5, last_s: 95.2504, distance: 4_300.0, ..DRIVE.after(0.75) };
    reader.read(&line.bytes());
    assert_eq!(
        (reader.laps.laps_completed, reader.laps.last_ms, reader.laps.running_ms),
        (Some(1), Some(95_250), Some(500))
    );
    assert_eq!(reader.sample.lap_distance_m, Some(20.0));
    // The lap time appears again in every frame, and is not that of another lap.
    reader.read(&line.after(1.0).bytes());
    assert_eq!((reader.laps.laps_completed, reader.sample.last_lap_ms), (Some(1), Some(95_250)));
}

#[test]
fn the_last_lap_ends_with_its_time() {
    let mut reader = Reader::new(motorsport());
    let lap = Drive { lap: 2, current_s: 95.0, last_s: 96.5, ..DRIVE };
    reader.read(&lap.bytes());
    assert_eq!(reader.laps.laps_completed, Some(2));
    let finish = Drive { last_s: 95.01, ..lap.after(0.016) };
    reader.read(&finish.bytes());
    assert_eq!((reader.laps.laps_completed, reader.laps.last_ms), (Some(3), Some(95_010)));
    // The number may follow, a frame late.
    reader.read(&Drive { lap: 3, current_s: 0.03, ..finish.after(0.016) }.bytes());
    assert_eq!(reader.laps.laps_completed, Some(3));
    // A time that comes after the number is not that of the lap that has just begun.
    let mut reader = Reader::new(motorsport());
    reader.read(&lap.bytes());
    reader.read(&Drive { lap: 3, current_s: 0.01, ..lap.after(0.016) }.bytes());
    reader.read(&Drive { lap: 3, current_s: 0.03, last_s: 95.01, ..lap.after(0.032) }.bytes());
    assert_eq!((reader.laps.laps_completed, reader.laps.last_ms), (Some(3), Some(95_010)));
}

#[test]
fn a_clock_that_stops_is_a_finish_and_a_pause_is_not() {
    let mut reader = Reader::new(horizon());
    let lap = Drive { bytes: 324, ..DRIVE };
    reader.read(&lap.bytes());
    reader.read(&lap.after(0.5).bytes());
    reader.read(&pause(324, 90_000));
    let still = |timestamp_ms| Drive { timestamp_ms, ..lap.after(0.5) }.bytes();
    reader.read(&still(90_016));
    reader.read(&still(91_000));
    assert_eq!(reader.laps.laps_completed, Some(0), "not long enough");
    reader.read(&still(91_600));
    assert_eq!((reader.laps.laps_completed, reader.laps.last_ms), (Some(1), Some(50_500)));
    let mut waiting = Reader::new(horizon());
    for ms in [0, 900, 1_800, 2_700] {
        let drive = Drive { race_s: 0.0, current_s: 0.0, distance: -80.0, timestamp_ms: 1_000 + ms, ..lap };
        waiting.read(&drive.bytes());
    }
    assert_eq!((waiting.laps.laps_completed, waiting.laps.running_ms), (Some(0), Some(0)), "the countdown");
}

#[test]
fn a_sprint_ends_where_the_distance_is_reset_and_a_fast_travel_ends_nothing() {
    let sprint = Drive { bytes: 324, current_s: 100.0, race_s: 100.0, speed: 0.5, ..DRIVE };
    let over = Drive { distance: 0.0, race_s: 0.0, current_s: 0.0, position: 0, ..sprint.after(0.016) };
    let mut reader = Reader::new(horizon());
    reader.read(&sprint.bytes());
    reader.read(&over.bytes());
    assert_eq!((reader.laps.laps_completed, reader.laps.last_ms), (Some(1), Some(100_000)));
    assert_eq!((reader.laps.presence, reader.laps.running_ms), (Presence::Live, Some(0)));
    reader.read(&over.after(0.0).bytes());
    assert_eq!(reader.laps.presence, Presence::Off, "free roam");
    let mut reader = Reader::new(horizon());
    reader.read(&sprint.bytes());
    reader.read(&Drive { x: 5_000.0, ..over }.bytes());
    assert_eq!((reader.laps.presence, reader.laps.laps_completed), (Presence::Off, None));
}

#[test]
fn a_rewind_goes_back_on_the_lap_but_not_on_the_clock_and_a_restart_does_on_both() {
    let mut reader = Reader::new(motorsport());
    reader.read(&DRIVE.bytes());
    reader.read(&DRIVE.after(1.0).bytes());
    let before = reader.laps.game_ms.unwrap();
    reader.read(&Drive { race_s: 47.0, current_s: 47.0, timestamp_ms: 2_016, ..DRIVE }.bytes());
    assert_eq!((reader.laps.running_ms, reader.laps.laps_completed), (Some(47_000), Some(0)));
    assert!(reader.laps.game_ms.unwrap() >= before);
    assert_eq!(reader.laps.back_in_time, Some(BackInTime::Rewinds(1)));
    reader.read(&Drive { race_s: 46.95, current_s: 46.95, timestamp_ms: 2_032, ..DRIVE }.bytes());
    assert_eq!(reader.laps.back_in_time, Some(BackInTime::Rewinds(2)), "further back");
    reader.read(&Drive { race_s: 47.0, current_s: 47.0, timestamp_ms: 2_048, ..DRIVE }.bytes());
    reader.read(&Drive { race_s: 46.984, current_s: 46.984, timestamp_ms: 2_064, ..DRIVE }.bytes());
    assert_eq!(reader.laps.back_in_time, Some(BackInTime::Rewinds(2)), "a datagram that was overtaken");
    reader.read(&Drive { race_s: 0.2, current_s: 0.2, ..DRIVE }.bytes());
    assert_eq!((reader.laps.game_ms.map(f64::round), reader.laps.running_ms), (Some(200.0), Some(200)));
}

#[test]
fn free_roam_is_not_a_session_and_the_sled_has_no_laps() {
    let roam = Drive { bytes: 324, race_s: 0.0, current_s: 0.0, position: 0, ..DRIVE }.bytes();
    let mut reader = Reader::new(horizon());
    reader.read(&roam);
    assert_eq!((reader.laps.presence, reader.sample.presence), (Presence::Off, Some(Presence::Live)));
    assert_eq!((reader.sample.lap_time_ms, reader.sample.laps_completed), (None, None));
    assert_eq!(
        reader.seen(&roam, |seen| (horizon().rules.presence(seen), horizon().rules.session_key(seen))),
        (Presence::Live, None)
    );
    let mut reader = Reader::new(motorsport());
    reader.read(&Drive { bytes: 232, ..DRIVE }.bytes());
    assert_eq!(
        (reader.laps.presence, reader.laps.laps_completed, reader.sample.speed_kmh),
        (Presence::Live, None, None)
    );
    assert_eq!(reader.sample.rpm, Some(5_500.0));
    assert!(reader.identity().remark.unwrap().contains("Sled"));
}

#[test]
fn tracks_and_cars_have_words() {
    let mut reader = Reader::new(motorsport());
    reader.read(&DRIVE.bytes());
    let identity = reader.identity();
    assert_eq!((identity.track.as_deref(), identity.layout.as_deref()), (Some("Hakone"), Some("Grand Prix")));
    assert_eq!((identity.car.as_deref(), identity.length_m), (Some("3545, class A 693"), Some(4_280.0)));
    let about = reader.seen(&DRIVE.bytes(), |seen| motorsport().rules.about(seen));
    assert_eq!((about.track, about.car), (identity.track.clone(), identity.car.clone()));
    let paused = reader.seen(&pause(331, 5), |seen| motorsport().rules.about(seen));
    assert_eq!(paused, gametape_games::About::default(), "track 0 of a pause is not Laguna Seca");
}

#[test]
fn forza_survives_any_bytes() {
    survives_any_bytes(motorsport(), &DRIVE.bytes());
    survives_any_bytes(horizon(), &Drive { bytes: 324, ..DRIVE }.bytes());
}

#[test]
fn a_real_race_of_horizon_has_a_pause_and_no_lap() {
    let Some(data) = support::real_data("a_real_race_of_horizon_has_a_pause_and_no_lap") else { return };
    let frames = datagrams(&data, FH6, 324);
    assert_eq!(frames.len(), 1300);
    let mut reader = Reader::new(horizon());
    let (mut keys, mut shifts, mut last_ms, mut gear) = (Vec::new(), 0, 0, None);
    for (index, frame) in frames.iter().enumerate() {
        assert_eq!(accepted_by(frame), ["forza-horizon"], "{index}");
        let laps = *reader.read(frame);
        let pause = (1037..=1288).contains(&index);
        assert_eq!(laps.presence, if pause { Presence::Paused } else { Presence::Live }, "{index}");
        assert_eq!((laps.laps_completed, laps.last_ms, laps.kind), (Some(0), None, SessionKind::Race), "{index}");
        assert!(laps.running_ms.unwrap() >= last_ms, "{index}");
        last_ms = laps.running_ms.unwrap();
        let key = reader.seen(frame, |seen| horizon().rules.session_key(seen));
        assert_eq!(key.is_none(), pause);
        keys.extend(key);
        if frame[319] == 11 {
            shifts += 1;
            assert_eq!(reader.sample.gear, gear, "{index}");
        }
        gear = reader.sample.gear;
        assert!((1..=10).contains(&gear.unwrap()), "{index}");
        if index == 600 {
            let sample = &reader.sample;
            assert_eq!(sample.speed_kmh.map(|speed| speed.round()), Some(273.0));
            assert_eq!((sample.rpm.map(f32::round), gear, sample.race_position), (Some(9_961.0), Some(6), Some(11)));
            assert_eq!(sample.lap_time_ms, Some(11_720));
            let tyres = sample.wheels.map(|wheel| wheel.tyre_core_celsius.unwrap());
            assert!(tyres.iter().all(|celsius| (40.0..80.0).contains(celsius)), "{tyres:?}");
        }
    }
    assert_eq!((shifts, last_ms), (12, 18_341));
    keys.dedup();
    assert_eq!(keys.len(), 1);
    assert_eq!(reader.identity().car.as_deref(), Some("1651, class S2 900"));
    // The clock of the race stood still in the pause.
    assert_eq!(reader.laps.game_ms.map(|ms| ms.round()), Some(18_341.0));
    let driven_m = reader.laps.distance_m.unwrap();
    assert!((900.0..960.0).contains(&driven_m), "{driven_m}");
}

#[test]
fn real_laps_of_motorsport_have_their_tracks() {
    let Some(data) = support::real_data("real_laps_of_motorsport_have_their_tracks") else { return };
    let files = [
        ("forza/fm2023_331B_a.bin", 150, "Circuit de Barcelona-Catalunya", "National Alt", "3545, class A 693"),
        ("forza/fm2023_lap_331B_a.bin", 900, "Hakone", "Grand Prix", "445, class B 598"),
    ];
    for (file, count, track, layout, car) in files {
        let frames = datagrams(&data, file, 331);
        assert_eq!(frames.len(), count);
        let mut reader = Reader::new(motorsport());
        for frame in &frames {
            assert_eq!(accepted_by(frame), ["forza-motorsport"]);
            let laps = reader.read(frame);
            assert_eq!((laps.presence, laps.laps_completed, laps.last_ms), (Presence::Live, Some(0), None));
            assert!(reader.sample.wheels.iter().all(|wheel| (0.97..=1.0).contains(&wheel.tread_left.unwrap())));
            assert!(reader.sample.lateral_g.unwrap().abs() < 1.2 && reader.sample.vertical_g.unwrap().abs() < 0.2);
        }
        let identity = reader.identity();
        assert_eq!((identity.track.as_deref(), identity.layout.as_deref()), (Some(track), Some(layout)));
        assert_eq!((identity.car.as_deref(), identity.revision), (Some(car), 1));
    }
}
