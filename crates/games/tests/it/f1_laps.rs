//! F1: lap frames of sequences of packets.
use crate::support;
use crate::support::f1::{PLAYER, Packet, UID, event, frame};

use gametape_games::{
    BackInTime, LapFrame, Pit, Presence, ReadLaps, SectorValue, SessionKind, Validity, f1, find_game,
};

const FORMATS: std::ops::RangeInclusive<u16> = 2022..=2026;

/// A lap reader and what it says.
struct Reader {
    format: u16,
    laps: Box<dyn ReadLaps>,
    frame: LapFrame,
    /// The car in the next lap data packet.
    car: Vec<(&'static str, f64)>,
    sent: u32,
}

impl Reader {
    /// A reader without a session.
    fn new(format: u16) -> Self {
        let laps = find_game(&f1::game_id(format).unwrap()).unwrap().rules.laps();
        let car = vec![("resultStatus", 2.0), ("driverStatus", 4.0), ("currentLapNum", 1.0)];
        Self { format, laps, frame: LapFrame::default(), car, sent: 0 }
    }

    /// A reader in a race on a track of 5000 m.
    fn racing(format: u16) -> Self {
        let mut reader = Self::new(format);
        assert!(!reader.give(&reader.session()), "no lap data yet");
        assert_eq!(reader.lap(&[]).presence, Presence::Live);
        reader
    }

    fn session(&self) -> Packet {
        let race = if self.format < 2024 { 10.0 } else { 15.0 };
        Packet::new(self.format, 1).set("trackLength", 5000.0).set("sessionType", race).set("trackId", 10.0)
    }

    /// Returns whether the lap frame is to be evaluated.
    fn give(&mut self, packet: &Packet) -> bool {
        self.laps.frame(packet.seen(), &mut self.frame)
    }

    /// The next lap data packet, with these fields changed.
    fn lap_data(&mut self, changes: &[(&'static str, f64)]) -> Packet {
        for (name, value) in changes {
            self.car.retain(|(known, _)| known != name);
            self.car.push((name, *value));
        }
        self.sent += 1;
        let packet = Packet::new(self.format, 2).set("frameIdentifier", f64::from(self.sent));
        self.car.iter().fold(packet, |packet, (name, value)| packet.car("lapData", PLAYER, name, *value))
    }

    fn lap(&mut self, changes: &[(&'static str, f64)]) -> LapFrame {
        let packet = self.lap_data(changes);
        let told = self.give(&packet);
        assert!(told || matches!(self.frame.presence, Presence::Off | Presence::Replay));
        self.frame
    }

    /// A session history: time and validity of each lap, the current one included.
    fn history(&self, laps: &[(f64, f64)]) -> Packet {
        let packet = Packet::new(self.format, 11).set("carIdx", f64::from(PLAYER)).set("numLaps", laps.len() as f64);
        laps.iter().enumerate().fold(packet, |packet, (lap, (ms, valid))| {
            let packet = packet.set(&format!("lapHistoryData[{lap}].lapTimeInMS"), *ms);
            packet.set(&format!("lapHistoryData[{lap}].lapValidBitFlags"), *valid)
        })
    }
}

#[test]
fn a_lap_frame_has_what_the_packets_say() {
    for format in FORMATS {
        let mut reader = Reader::racing(format);
        let speed = Packet::new(format, 6).car("carTelemetryData", PLAYER, "speed", 250.0);
        assert!(!reader.give(&speed), "completes the next lap frame");
        reader.give(&Packet::new(format, 0).car("carMotionData", PLAYER, "worldPositionZ", 7.0));
        let now = reader.lap(&[
            ("currentLapNum", 4.0),
            ("currentLapTimeInMS", 12_345.0),
            ("lastLapTimeInMS", 90_001.0),
            ("lapDistance", 1_250.0),
            ("totalDistance", 16_250.0),
            ("currentLapInvalid", 1.0),
        ]);
        assert_eq!((now.counter, now.session_id, now.player_car), (Some(2), Some(UID), Some(19)));
        assert_eq!((now.kind, now.laps_completed, now.running_ms), (SessionKind::Race, Some(3), Some(12_345)));
        assert_eq!((now.last_ms, now.valid, now.sector), (Some(90_001), Some(false), Some(0)));
        assert_eq!((now.position, now.distance_m, now.pit), (Some(0.25), Some(16_250.0), Some(Pit::Track)));
        assert_eq!((now.on_lap, now.caution, now.formation), (Some(true), Some(false), Some(false)));
        assert_eq!((now.speed_kmh, now.world_m, now.fuel_l), (Some(250.0), Some([0.0, 0.0, 7.0]), None));
        let identity = reader.laps.identity();
        assert_eq!(
            (identity.track.as_deref(), identity.length_m, identity.sector_count),
            (Some("Spa"), Some(5000.0), Some(3))
        );
        assert_eq!((identity.validity, identity.online), (Validity::Flag, Some(false)));
    }
}

/// G6: a minute and 5.250 s, in two fields.
#[test]
fn sector_times_are_minutes_and_milliseconds() {
    for format in 2023..=2026 {
        let names = match format {
            2023 => [["sector1TimeInMS", "sector1TimeMinutes"], ["sector2TimeInMS", "sector2TimeMinutes"]],
            _ => [["sector1TimeMSPart", "sector1TimeMinutesPart"], ["sector2TimeMSPart", "sector2TimeMinutesPart"]],
        };
        let mut reader = Reader::racing(format);
        assert_eq!(reader.lap(&[("currentLapTimeInMS", 60_000.0)]).sector_value, SectorValue::None);
        let now = reader.lap(&[(names[0][0], 5_250.0), (names[0][1], 1.0), ("sector", 1.0)]);
        assert_eq!((now.sector, now.sector_value), (Some(1), SectorValue::Own(65_250)));
        let now = reader.lap(&[(names[1][0], 59_999.0), (names[1][1], 2.0), ("sector", 2.0)]);
        assert_eq!((now.sector, now.sector_value), (Some(2), SectorValue::Own(179_999)));
        let now = reader.lap(&[(names[0][0], 0.0), (names[0][1], 0.0), ("sector", 0.0)]);
        assert_eq!(now.sector_value, SectorValue::None);
    }
    let mut reader = Reader::racing(2022);
    let now = reader.lap(&[("sector1TimeInMS", 34_896.0), ("sector", 1.0)]);
    assert_eq!(now.sector_value, SectorValue::Own(34_896));
}

/// G8, as real packets have it: at the flag the timer falls to 13 ms and stays, and the lap number does not rise.
#[test]
fn the_last_lap_ends_although_its_number_does_not_rise() {
    for format in FORMATS {
        let mut reader = Reader::racing(format);
        reader.lap(&[("currentLapNum", 2.0), ("currentLapTimeInMS", 90_990.0), ("lastLapTimeInMS", 92_035.0)]);
        let now = reader.lap(&[("currentLapNum", 3.0), ("currentLapTimeInMS", 12.0), ("lastLapTimeInMS", 91_000.0)]);
        assert_eq!((now.laps_completed, now.last_ms), (Some(2), Some(91_000)), "an ordinary line");
        assert_eq!(reader.lap(&[("currentLapTimeInMS", 91_313.0)]).laps_completed, Some(2));
        let flag = [("currentLapTimeInMS", 13.0), ("lastLapTimeInMS", 91_322.0), ("resultStatus", 3.0)];
        let now = reader.lap(&flag);
        assert_eq!((now.laps_completed, now.last_ms, now.running_ms), (Some(3), Some(91_322), Some(13)));
        let frames: Vec<_> = (0..20).map(|_| reader.lap(&[])).collect();
        assert!(frames.iter().all(|now| now.laps_completed == Some(3) && now.running_ms == Some(13)));
    }
}

#[test]
fn a_last_lap_time_ends_the_lap_without_a_result() {
    let mut reader = Reader::racing(2025);
    reader.lap(&[("currentLapNum", 3.0), ("currentLapTimeInMS", 91_300.0), ("lastLapTimeInMS", 92_035.0)]);
    let now = reader.lap(&[("currentLapTimeInMS", 8.0), ("lastLapTimeInMS", 91_322.0)]);
    assert_eq!((now.laps_completed, now.last_ms), (Some(3), Some(91_322)));
    // If the number rises after all, the lap is not counted twice.
    assert_eq!(reader.lap(&[("currentLapNum", 4.0), ("currentLapTimeInMS", 25.0)]).laps_completed, Some(3));
    assert_eq!(reader.lap(&[("currentLapTimeInMS", 60_000.0)]).laps_completed, Some(3));
    // A time that is corrected in the middle of a lap ends nothing.
    assert_eq!(reader.lap(&[("currentLapTimeInMS", 60_020.0), ("lastLapTimeInMS", 91_400.0)]).laps_completed, Some(3));
}

/// G8: the packets end before the line; the session history comes after the end, with UID 0 or with that of the session.
#[test]
fn the_session_history_after_the_end_has_the_last_lap() {
    for (format, uid) in FORMATS.flat_map(|format| [(format, 0), (format, UID)]) {
        let mut reader = Reader::racing(format);
        let now =
            reader.lap(&[("currentLapNum", 3.0), ("currentLapTimeInMS", 91_200.0), ("lastLapTimeInMS", 92_035.0)]);
        assert_eq!(now.laps_completed, Some(2));
        reader.give(&reader.history(&[(93_000.0, 15.0), (92_035.0, 15.0), (0.0, 15.0)]));
        let told: Vec<_> = (0..2).filter_map(|_| reader.lap(&[]).record).map(|record| record.lap).collect();
        assert_eq!(told, [1, 2]);
        let ended = reader.history(&[(93_000.0, 15.0), (92_035.0, 15.0), (91_322.0, 15.0), (0.0, 15.0)]).uid(uid);
        if uid == UID {
            assert!(!reader.give(&ended), "before the end it is only a history");
            assert_eq!(reader.frame.laps_completed, Some(2));
        }
        assert!(reader.give(&event(format, "SEND")));
        assert_eq!(reader.frame.presence, Presence::Off);
        let running = reader.history(&[(93_000.0, 15.0), (92_035.0, 15.0), (0.0, 15.0)]).uid(uid);
        assert!(!reader.give(&running), "the lap has not ended");
        let other_car = ended.clone().set("carIdx", 3.0);
        assert!(!reader.give(&other_car));
        let counter = reader.frame.counter;
        assert!(reader.give(&ended), "format {format}, UID {uid:x}");
        let now = reader.frame;
        assert_eq!(now.record.map(|record| (record.lap, record.time_ms)), Some((3, Some(91_322))));
        assert_eq!((now.presence, now.laps_completed, now.last_ms), (Presence::Live, Some(3), Some(91_322)));
        assert_eq!((now.session_id, now.counter), (Some(UID), counter.map(|counter| counter + 1)));
        assert!(reader.give(&ended), "the game is off again");
        assert_eq!((reader.frame.presence, reader.frame.laps_completed), (Presence::Off, Some(3)));
        assert!(!reader.give(&ended), "and nothing is told twice");
    }
    // Without an event that ends the session.
    let mut reader = Reader::racing(2025);
    reader.lap(&[("currentLapNum", 2.0), ("currentLapTimeInMS", 91_200.0), ("lastLapTimeInMS", 92_035.0)]);
    assert!(reader.give(&reader.history(&[(92_035.0, 15.0), (91_322.0, 15.0), (0.0, 15.0)]).uid(0)));
    assert_eq!((reader.frame.laps_completed, reader.frame.last_ms), (Some(2), Some(91_322)));
}

/// G10.
#[test]
fn menus_and_skipped_sessions_open_no_session() {
    for format in FORMATS {
        let mut reader = Reader::new(format);
        for packet in [reader.session().uid(0), reader.lap_data(&[]).uid(0), event(format, "SSTA")] {
            assert!(!reader.give(&packet));
            assert_eq!(reader.frame.presence, Presence::Off);
        }
        // A session that is skipped: nothing but events, and lap data of no session packet.
        reader.give(&event(format, "SEND"));
        let packet = reader.lap_data(&[]);
        assert!(!reader.give(&packet));
        assert_eq!(reader.frame.presence, Presence::Off);
        reader.give(&reader.session().uid(UID + 1));
        let packet = reader.lap_data(&[]).uid(UID + 1);
        assert!(reader.give(&packet));
        assert_eq!((reader.frame.presence, reader.frame.session_id), (Presence::Live, Some(UID + 1)));
    }
}

/// G7: what the packets say after a flashback is told as it is: the lap number falls, and so does the timer.
#[test]
fn a_flashback_goes_back_and_ends_no_lap() {
    for format in FORMATS {
        let mut reader = Reader::racing(format);
        reader.lap(&[("currentLapNum", 3.0), ("currentLapTimeInMS", 84_000.0), ("lastLapTimeInMS", 86_000.0)]);
        let now = reader.lap(&[("currentLapNum", 4.0), ("currentLapTimeInMS", 9_000.0), ("lastLapTimeInMS", 85_000.0)]);
        assert_eq!(now.laps_completed, Some(3));
        assert_eq!(now.back_in_time, Some(BackInTime::Flashbacks(0)));
        reader.give(&event(format, "FLBK"));
        let now = reader.lap(&[("currentLapTimeInMS", 9_016.0)]);
        assert_eq!(
            now.back_in_time,
            Some(BackInTime::Flashbacks(0)),
            "lap data of before it that arrive after its event"
        );
        let back = [("currentLapNum", 3.0), ("currentLapTimeInMS", 38_000.0), ("lastLapTimeInMS", 86_000.0)];
        let now = reader.lap(&back);
        assert_eq!(now.back_in_time, Some(BackInTime::Flashbacks(1)));
        assert_eq!((now.laps_completed, now.running_ms, now.last_ms), (Some(2), Some(38_000), Some(86_000)));
        assert_eq!(now.game_ms, None, "a clock that goes back would be a restart");
        // Within a lap: a last time that changes with the flashback is not a finish.
        reader.lap(&[("currentLapTimeInMS", 86_500.0)]);
        reader.give(&event(format, "FLBK"));
        let now = reader.lap(&[("currentLapTimeInMS", 80_000.0), ("lastLapTimeInMS", 86_400.0)]);
        assert_eq!((now.laps_completed, now.back_in_time), (Some(2), Some(BackInTime::Flashbacks(2))));
        assert_eq!(reader.lap(&[("currentLapTimeInMS", 81_000.0)]).back_in_time, now.back_in_time);
    }
}

/// The event of a flashback may be lost. Datagrams that overtake each other, and sessions that begin again, are not flashbacks.
#[test]
fn a_frame_number_that_goes_back_is_a_flashback() {
    for format in FORMATS {
        let mut reader = Reader::racing(format);
        let at = |reader: &mut Reader, number: u32, timer_ms: f64| {
            reader.sent = number - 1;
            reader.lap(&[("currentLapNum", 3.0), ("currentLapTimeInMS", timer_ms)]).back_in_time
        };
        assert_eq!(at(&mut reader, 6_000, 60_000.0), Some(BackInTime::Flashbacks(0)));
        assert_eq!(at(&mut reader, 5_998, 59_966.0), Some(BackInTime::Flashbacks(0)), "overtaken");
        assert_eq!(at(&mut reader, 5_400, 50_000.0), Some(BackInTime::Flashbacks(1)));
        assert_eq!(at(&mut reader, 5_401, 50_016.0), Some(BackInTime::Flashbacks(1)));
        reader.give(&event(format, "SSTA"));
        assert_eq!(at(&mut reader, 10, 100.0), Some(BackInTime::Flashbacks(1)), "the session begins again");
    }
}

#[test]
fn the_session_history_judges_laps_one_after_another() {
    for format in FORMATS {
        let mut reader = Reader::racing(format);
        reader.lap(&[("currentLapNum", 4.0), ("currentLapTimeInMS", 500.0)]);
        let records = |reader: &mut Reader| -> Vec<(u32, Option<bool>)> {
            let frames: Vec<_> = (0..5).map(|_| reader.lap(&[])).collect();
            frames.iter().filter_map(|now| now.record).map(|record| (record.lap, record.invalid)).collect()
        };
        // Bit 0 is the lap; a sector may be valid in an invalid lap.
        let laps = [(93_000.0, 15.0), (92_000.0, 6.0), (91_000.0, 15.0), (0.0, 15.0)];
        assert!(!reader.give(&reader.history(&laps)));
        assert_eq!(records(&mut reader), [(1, Some(false)), (2, Some(true)), (3, Some(false))]);
        reader.give(&reader.history(&laps).set("carIdx", 3.0));
        assert_eq!(records(&mut reader), [], "another car");
        reader.give(&reader.history(&laps));
        assert_eq!(records(&mut reader), [(3, Some(false))], "the newest again: it may have been too early");
        reader.give(&reader.history(&[laps[0], laps[1], (91_000.0, 14.0), laps[3]]));
        assert_eq!(records(&mut reader), [(3, Some(true))]);
        reader.give(&reader.history(&[]).set("numLaps", 255.0));
        assert_eq!(records(&mut reader), [], "a count that is too large");
    }
}

/// G6, of completed laps: minutes and milliseconds.
#[test]
fn records_have_times_and_sectors() {
    for format in FORMATS {
        let mut reader = Reader::racing(format);
        reader.lap(&[("currentLapNum", 2.0), ("currentLapTimeInMS", 500.0)]);
        let mut history = reader.history(&[(140_499.0, 15.0), (0.0, 15.0)]);
        for (sector, minutes, ms) in [(1, 1.0, 5_250.0), (2, 0.0, 35_249.0), (3, 0.0, 40_000.0)] {
            for (end, value) in [("InMS", ms), ("MSPart", ms), ("Minutes", minutes), ("MinutesPart", minutes)] {
                history = history.set_if(&format!("lapHistoryData[0].sector{sector}Time{end}"), value);
            }
        }
        reader.give(&history);
        let record = reader.lap(&[]).record.unwrap();
        let first_ms = if format > 2022 { 65_250 } else { 5_250 };
        assert_eq!((record.lap, record.time_ms), (1, Some(140_499)));
        assert_eq!(record.sectors_ms, [Some(first_ms), Some(35_249), Some(40_000)], "{format}");
        assert_eq!((record.invalid, record.overrules), (Some(false), true));
        // It is passed on again if a sector changes, and not if nothing does.
        reader.lap(&[("currentLapNum", 3.0)]);
        let more = reader.history(&[(140_499.0, 15.0), (99_000.0, 15.0), (0.0, 15.0)]);
        reader.give(&more);
        let laps: Vec<_> = (0..4).filter_map(|_| reader.lap(&[]).record).map(|record| record.lap).collect();
        assert_eq!(laps, [1, 2], "the first has no sectors any more");
    }
}

#[test]
fn garage_pit_lane_and_box_are_told_apart() {
    let mut reader = Reader::racing(2025);
    let speed = |kmh: f64| Packet::new(2025, 6).car("carTelemetryData", PLAYER, "speed", kmh);
    reader.give(&speed(80.0));
    assert_eq!(reader.lap(&[("pitStatus", 1.0)]).pit, Some(Pit::Lane));
    assert_eq!(reader.lap(&[("pitStatus", 2.0)]).pit, Some(Pit::Lane), "drives through the pit area");
    reader.give(&speed(0.0));
    assert_eq!(reader.lap(&[]).pit, Some(Pit::Box));
    let now = reader.lap(&[("pitStatus", 1.0), ("driverStatus", 0.0)]);
    assert_eq!((now.pit, now.on_lap), (Some(Pit::Box), Some(false)), "in the garage");
    reader.give(&Packet::new(2025, 12).set("carIdx", 3.0).set("fittedIdx", 9.0));
    assert_eq!(reader.lap(&[]).tyre_set, None);
    reader.give(&Packet::new(2025, 12).set("carIdx", f64::from(PLAYER)).set("fittedIdx", 4.0));
    let now = reader.lap(&[("pitStatus", 0.0), ("driverStatus", 3.0)]);
    assert_eq!((now.pit, now.on_lap, now.tyre_set), (Some(Pit::Track), Some(true), Some(4)));
    assert_eq!(reader.lap(&[("resultStatus", 7.0)]).on_lap, Some(false), "retired");
}

/// In practice the way from the garage to the line is not timed, and distances are negative by a lap.
#[test]
fn the_way_to_the_line_is_before_the_first_lap() {
    let mut reader = Reader::new(2026);
    reader.give(&reader.session().set("sessionType", 1.0).set("trackLength", 5890.0));
    let garage = reader.lap(&[("lapDistance", -5716.9), ("totalDistance", -5716.9), ("driverStatus", 0.0)]);
    assert_eq!((garage.kind, garage.laps_completed, garage.running_ms), (SessionKind::Practice, Some(0), Some(0)));
    assert!((0.029..0.030).contains(&garage.position.unwrap()), "{:?}", garage.position);
    assert_eq!((garage.pit, garage.on_lap), (Some(Pit::Box), Some(false)));
    let out = reader.lap(&[("lapDistance", -1943.7), ("driverStatus", 3.0)]);
    assert!(out.before_first_line && (0.66..0.68).contains(&out.position.unwrap()));
    let first = reader.lap(&[("lapDistance", 3.0), ("currentLapTimeInMS", 40.0), ("driverStatus", 1.0)]);
    assert_eq!((first.before_first_line, first.laps_completed, first.running_ms), (false, Some(0), Some(40)));
    // On a grid before the line, the race is timed from the lights.
    let mut reader = Reader::racing(2026);
    let grid = reader.lap(&[("lapDistance", -50.0), ("currentLapTimeInMS", 900.0)]);
    assert_eq!((grid.before_first_line, grid.position), (false, Some(0.99)));
    let odd = reader.lap(&[("lapDistance", f64::NAN)]);
    assert_eq!((odd.position, odd.bad_position), (None, true));
}

#[test]
fn safety_cars_and_flags_are_cautions_and_formation_laps_are_marked() {
    let mut reader = Reader::racing(2024);
    for (status, caution, formation) in
        [(1.0, true, false), (2.0, true, false), (3.0, false, true), (0.0, false, false)]
    {
        reader.give(&reader.session().set("safetyCarStatus", status));
        let now = reader.lap(&[]);
        assert_eq!((now.caution, now.formation), (Some(caution), Some(formation)), "{status}");
    }
    reader.give(&Packet::new(2024, 7).car("carStatusData", PLAYER, "vehicleFiaFlags", 3.0));
    assert_eq!(reader.lap(&[]).caution, Some(true));
    reader.give(&reader.session().set("weather", 4.0).set("airTemperature", -3.0));
    let now = reader.lap(&[]);
    assert_eq!((now.rain, now.air_celsius), (Some("heavy rain"), Some(-3.0)));
}

#[test]
fn pauses_and_spectators_are_told_and_kept_apart_from_driving() {
    let mut reader = Reader::racing(2025);
    assert!(reader.give(&reader.session().set("gamePaused", 1.0)), "a pause is told at once");
    assert_eq!(reader.frame.presence, Presence::Paused);
    assert!(reader.give(&reader.session()));
    assert_eq!(reader.frame.presence, Presence::Live);
    assert!(!reader.give(&reader.session()));
    reader.give(&reader.session().set("isSpectating", 1.0));
    let before = reader.frame;
    let now = reader.lap(&[("currentLapNum", 9.0)]);
    assert_eq!((now.presence, now.laps_completed), (Presence::Replay, before.laps_completed));
    reader.give(&reader.session());
    let watching = reader.lap_data(&[]).set("playerCarIndex", 24.0);
    reader.give(&watching);
    assert_eq!(reader.frame.presence, Presence::Replay, "there is no such car");
}

#[test]
fn names_of_a_session_do_not_outlive_it() {
    for format in FORMATS {
        let mut reader = Reader::racing(format);
        let names = |team: f64, name: &str| {
            let packet = Packet::new(format, 4).car("participants", PLAYER, "teamId", team);
            packet.text(&format!("participants[{PLAYER}].name"), name)
        };
        reader.give(&names(1.0, "Driver 1"));
        reader.give(&Packet::new(format, 7).car("carStatusData", PLAYER, "visualTyreCompound", 16.0));
        let identity = reader.laps.identity().clone();
        assert_eq!((identity.driver.as_deref(), identity.car.as_deref()), (Some("Driver 1"), Some("Ferrari")));
        assert_eq!(identity.tyre.as_deref(), Some("soft"));
        assert_eq!(reader.lap(&[]).names, identity.names);
        reader.give(&reader.session().uid(5));
        let packet = reader.lap_data(&[("currentLapNum", 1.0)]).uid(5);
        reader.give(&packet);
        let identity = reader.laps.identity();
        assert_eq!((identity.driver.as_deref(), identity.car.as_deref()), (None, None));
        assert_eq!((reader.frame.session_id, reader.frame.identity), (Some(5), identity.revision));
        // Participants of the old session arrive late.
        reader.give(&names(2.0, "Driver 2"));
        assert_eq!(reader.laps.identity().car, None);
    }
}

#[test]
fn a_session_packet_counts_whether_it_comes_before_or_after_lap_data() {
    for format in FORMATS {
        let names = Packet::new(format, 4).text(&format!("participants[{PLAYER}].name"), "Driver 1");
        let mut reader = Reader::new(format);
        let first = reader.lap_data(&[("lapDistance", 2500.0)]);
        assert!(!reader.give(&first));
        reader.give(&names);
        assert!(!reader.give(&reader.session()), "the lap frame is not complete");
        let after = reader.lap(&[]);
        let mut reader = Reader::new(format);
        reader.give(&names);
        reader.give(&reader.session());
        reader.lap(&[("lapDistance", 2500.0)]);
        let before = reader.lap(&[]);
        assert_eq!(before, after);
        assert_eq!((before.position, before.kind), (Some(0.5), SessionKind::Race));
        assert_eq!(reader.laps.identity().driver.as_deref(), Some("Driver 1"));
    }
}

#[test]
fn session_types_become_kinds() {
    for (format, number, kind) in [
        (2022, 2.0, SessionKind::Practice),
        (2022, 9.0, SessionKind::Superpole),
        (2023, 10.0, SessionKind::Race),
        (2023, 13.0, SessionKind::TimeTrial),
        (2024, 10.0, SessionKind::Qualifying),
        (2025, 15.0, SessionKind::Race),
        (2025, 18.0, SessionKind::TimeTrial),
        (2026, 0.0, SessionKind::Unknown),
    ] {
        let mut reader = Reader::racing(format);
        reader.give(&reader.session().set("sessionType", number));
        assert_eq!(reader.lap(&[]).kind, kind, "{format} {number}");
    }
}

/// The end of a race of three laps: five cars have finished, the player is 9 ms before the line, and its history says how it ended.
#[test]
fn real_packets_of_a_finish_have_the_laps_of_the_race() {
    let Some(data) = support::real_data("real_packets_of_a_finish_have_the_laps_of_the_race") else { return };
    let folder = data.join("f1-udp/racehub/2022");
    let read = |name: &str| frame(&std::fs::read(folder.join(name)).unwrap()).unwrap();
    let laps = read("12_id2_lapData_972B.bin");
    let history = read("16_id11_sessionHistory_1155B.bin");
    let uid = u64::from_le_bytes(*laps.bytes[6..].first_chunk().unwrap());
    let mut reader = Reader::new(2022);
    let session = reader.session().uid(uid);
    reader.give(&session);
    reader.give(&laps);
    assert_eq!((reader.frame.presence, reader.frame.laps_completed), (Presence::Live, Some(2)));
    assert_eq!((reader.frame.running_ms, reader.frame.last_ms), (Some(91_313), Some(92_035)));
    assert_eq!((reader.frame.sector, reader.frame.sector_value), (Some(2), SectorValue::Own(29_340)));
    reader.give(&event(2022, "SEND").uid(uid));
    assert!(reader.give(&history));
    assert_eq!((reader.frame.laps_completed, reader.frame.last_ms), (Some(3), Some(91_322)));
    // The winner, as if it were the player: its lap number has not risen, its timer shows 13 ms.
    let mut reader = Reader::new(2022);
    reader.give(&session.set("playerCarIndex", 12.0));
    reader.give(&laps.set("playerCarIndex", 12.0));
    assert_eq!(
        (reader.frame.laps_completed, reader.frame.last_ms, reader.frame.running_ms),
        (Some(3), Some(90_745), Some(13))
    );
}
