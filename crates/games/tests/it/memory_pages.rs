//! Games with one page of shared memory: states, sentinels, and any bytes.
use gametape_games::{
    Game, LapFrame, Pit, Presence, Sample, Seen, SeenFrame, Stream, american_truck_simulator, automobilista_2,
    euro_truck_simulator_2, project_cars, raceroom, trackmania,
};

use crate::datagram_feed::Noise;

const GAMES: [&Game; 6] = [
    &american_truck_simulator::GAME,
    &automobilista_2::GAME,
    &euro_truck_simulator_2::GAME,
    &project_cars::GAME,
    &raceroom::GAME,
    &trackmania::GAME,
];

fn page_of(game: &Game) -> &'static Stream {
    game.streams.iter().find(|stream| stream.section().is_some()).unwrap()
}

/// A page of the newest version of a game, whose channels are written by name.
struct Page {
    game: &'static Game,
    bytes: Vec<u8>,
}

impl Page {
    /// A page of a game that drives.
    fn new(game: &'static Game) -> Self {
        let bytes = vec![0; page_of(game).layouts()[0].frame_bytes() as usize];
        let mut page = Self { game, bytes };
        match game.id {
            "raceroom" => page.ints(&[
                ("version_major", 3),
                ("version_minor", 5),
                ("all_drivers_offset", 2008),
                ("driver_data_size", 328),
                ("session_phase", 5),
            ]),
            "automobilista-2" | "project-cars" => {
                let version = if game.id == "project-cars" { 6 } else { 14 };
                page.ints(&[("mVersion", version), ("mGameState", 2), ("mSessionState", 1), ("mRaceState", 2)]);
                page.ints(&[("mNumParticipants", 1)]);
                page.put("mTrackLength", &4000_f32.to_le_bytes());
                page.put("mTrackLocation", b"Ring");
                page.put("mParticipantInfo[0].mIsActive", &[1]);
                page.put("mParticipantInfo[0].mName", b"Driver 1");
            }
            "trackmania" => {
                page.put("header.magic", b"ManiaPlanet_Telemetry");
                page.ints(&[("header.version", 3), ("header.size", 1696), ("game.state", 2), ("race.state", 1)]);
                page.put("game.mapId", b"map");
            }
            id => {
                page.put("sdkActive", &[1]);
                let number = if id == "american-truck-simulator" { 2 } else { 1 };
                page.ints(&[("scs_values.telemetry_plugin_revision", 12), ("scs_values.game", number)]);
            }
        }
        page
    }

    fn put(&mut self, name: &str, bytes: &[u8]) {
        let channel = page_of(self.game).layouts()[0].channel(name).unwrap_or_else(|| panic!("{name}"));
        let at = channel.offset as usize;
        self.bytes[at..at + bytes.len()].copy_from_slice(bytes);
    }

    fn ints(&mut self, values: &[(&str, i32)]) {
        values.iter().for_each(|(name, value)| self.put(name, &value.to_le_bytes()));
    }

    fn seen(&self) -> SeenFrame<'_> {
        let stream = page_of(self.game);
        SeenFrame { stream: stream.name, layout: stream.layouts()[0], bytes: &self.bytes }
    }

    fn presence(&self) -> Presence {
        let presence = self.game.rules.presence(Seen(&[self.seen()]));
        assert_eq!(self.sample().presence, Some(presence));
        presence
    }

    fn sample(&self) -> Sample {
        let mut sample = Sample::default();
        self.game.rules.decoder().frame(self.seen(), &mut sample);
        sample
    }

    fn laps(&self) -> LapFrame {
        let mut laps = LapFrame::default();
        self.game.rules.laps().frame(self.seen(), &mut laps);
        laps
    }
}

/// Values of a channel, and what they say.
type States = &'static [(i32, Presence)];

#[test]
fn states_of_the_games_are_told_apart() {
    use Presence::{Live, Off, Paused, Replay};
    let states: [(&'static Game, &str, States); 8] = [
        (&raceroom::GAME, "game_paused", &[(0, Live), (1, Paused), (-1, Live)]),
        (&raceroom::GAME, "game_in_menus", &[(1, Paused)]),
        (&raceroom::GAME, "game_in_replay", &[(1, Replay)]),
        (&raceroom::GAME, "control_type", &[(0, Live), (1, Live), (2, Live), (3, Replay)]),
        (&raceroom::GAME, "session_type", &[(-1, Off), (0, Live), (2, Live)]),
        (
            &automobilista_2::GAME,
            "mGameState",
            &[(0, Off), (1, Off), (2, Live), (3, Paused), (4, Live), (5, Paused), (6, Replay), (7, Replay), (9, Off)],
        ),
        (&automobilista_2::GAME, "mNumParticipants", &[(-1, Off), (0, Off), (1, Live)]),
        (&trackmania::GAME, "game.state", &[(0, Off), (1, Off), (2, Live), (3, Paused), (9, Off)]),
    ];
    for (game, channel, values) in states {
        for (value, expected) in values {
            let mut page = Page::new(game);
            page.ints(&[(channel, *value)]);
            assert_eq!(page.presence(), *expected, "{} {channel} {value}", game.id);
        }
    }
    let mut page = Page::new(&euro_truck_simulator_2::GAME);
    assert_eq!(page.presence(), Live);
    page.put("paused", &[1]);
    assert_eq!(page.presence(), Paused);
    page.put("sdkActive", &[0]);
    assert_eq!(page.presence(), Off);
}

#[test]
fn the_truck_simulators_are_told_apart_by_their_number() {
    let [europe, america] = [&euro_truck_simulator_2::GAME, &american_truck_simulator::GAME];
    for (page, other) in [(Page::new(europe), america), (Page::new(america), europe)] {
        let seen = page.seen();
        assert_eq!(page.game.rules.is_it(Seen(&[seen])), Some(true));
        assert_eq!(other.rules.is_it(Seen(&[seen])), Some(false));
    }
    let mut unknown = Page::new(europe);
    unknown.ints(&[("scs_values.game", 0)]);
    assert_eq!(europe.rules.is_it(Seen(&[unknown.seen()])), None);
}

#[test]
fn sentinels_of_raceroom_are_unknown() {
    let mut page = Page::new(&raceroom::GAME);
    for name in [
        "lap_time_best_self",
        "lap_time_previous_self",
        "lap_time_current_self",
        "lap_distance_fraction",
        "session_time_remaining",
        "fuel_left",
        "engine_rps",
        "throttle",
        "throttle_raw",
        "brake",
        "brake_raw",
        "clutch",
        "clutch_raw",
    ] {
        page.put(name, &(-1_f32).to_le_bytes());
    }
    for name in ["sector_time_previous_self", "sector_time_current_self", "tire_pressure", "tire_wear"] {
        page.put(name, &[-1_f32; 3].map(f32::to_le_bytes).concat());
    }
    page.ints(&[("gear", -2), ("completed_laps", -1), ("position", -1), ("num_cars", -1), ("in_pitlane", -1)]);
    page.ints(&[("current_lap_valid", -1), ("aid_settings.abs", -1), ("abs_setting", -1), ("track_sector", 0)]);
    ["yellow", "blue", "black", "green", "checkered", "white"]
        .iter()
        .for_each(|flag| page.ints(&[(&format!("flags.{flag}"), -1)]));
    let sample = page.sample();
    assert_eq!((sample.gear, sample.rpm, sample.fuel_l, sample.throttle), (None, None, None, None));
    assert_eq!((sample.brake, sample.clutch, sample.track_position), (None, None, None));
    assert_eq!((sample.lap_time_ms, sample.last_lap_ms, sample.best_lap_ms), (None, None, None));
    assert_eq!((sample.session_left_ms, sample.laps_completed, sample.race_position), (None, None, None));
    assert_eq!((sample.car_count, sample.in_pit_lane, sample.lap_is_valid, sample.sector), (None, None, None, None));
    assert_eq!((sample.abs_active, sample.abs_level, sample.flags), (None, None, None));
    assert_eq!((sample.wheels[0].pressure_kpa, sample.wheels[0].tread_left), (None, None));
    page.ints(&[("gear", -1), ("aid_settings.abs", 5)]);
    assert_eq!((page.sample().gear, page.sample().abs_active), (Some(-1), Some(true)));
}

#[test]
fn units_of_raceroom_are_converted() {
    let mut page = Page::new(&raceroom::GAME);
    for (name, value) in [("car_speed", 50.0_f32), ("engine_rps", 100.0 * std::f32::consts::PI), ("throttle_raw", 0.5)]
    {
        page.put(name, &value.to_le_bytes());
    }
    page.put("local_acceleration", &[9.806_65_f32, 0.0, -19.613_3].map(f32::to_le_bytes).concat());
    let sample = page.sample();
    let close = |value: Option<f32>, expected: f32| value.is_some_and(|value| (value - expected).abs() < 0.01);
    assert!(close(sample.speed_kmh, 180.0) && close(sample.rpm, 3000.0) && close(sample.throttle, 0.5), "{sample:?}");
    assert!(close(sample.lateral_g, -1.0) && close(sample.longitudinal_g, 2.0), "{sample:?}");
}

#[test]
fn the_grid_of_a_race_says_nothing_about_validity() {
    let mut page = Page::new(&raceroom::GAME);
    page.ints(&[("session_type", 2), ("session_phase", 4), ("current_lap_valid", 0)]);
    assert_eq!((page.laps().valid, page.laps().on_lap), (None, Some(false)));
    page.ints(&[("session_phase", 5)]);
    assert_eq!((page.laps().valid, page.laps().on_lap), (Some(false), Some(true)));
    page.ints(&[("current_lap_valid", 1), ("lap_valid_state", 2)]);
    assert_eq!(page.laps().valid, Some(false));
    // Another player's car is viewed.
    page.ints(&[("control_type", 2), ("completed_laps", 7)]);
    assert_eq!((page.laps().laps_completed, page.laps().on_lap), (None, Some(false)));
}

#[test]
fn times_and_units_of_automobilista_are_those_of_the_game() {
    let mut page = Page::new(&automobilista_2::GAME);
    for unset in [-1.0_f32, -123.0, 0.0] {
        page.put("mLastLapTime", &unset.to_le_bytes());
        page.put("mBestLapTime", &unset.to_le_bytes());
        assert_eq!((page.sample().last_lap_ms, page.sample().best_lap_ms), (None, None));
    }
    for (name, value) in [("mFuelLevel", 0.5_f32), ("mFuelCapacity", 110.0), ("mEventTimeRemaining", 600.0)] {
        page.put(name, &value.to_le_bytes());
    }
    page.put("mSessionDuration", &20_f32.to_le_bytes());
    page.put("mTyreCarcassTemp", &353.15_f32.to_le_bytes());
    page.put("mAirPressure", &153.7_f32.to_le_bytes());
    let sample = page.sample();
    assert_eq!((sample.fuel_l, sample.session_left_ms), (Some(55.0), Some(600_000)));
    assert!((sample.wheels[0].tyre_core_celsius.unwrap() - 80.0).abs() < 0.01);
    assert_eq!(sample.wheels[0].pressure_kpa, Some(153.7));
    // The header file says milliseconds: more than the session can last is.
    page.put("mEventTimeRemaining", &600_000_f32.to_le_bytes());
    assert_eq!(page.sample().session_left_ms, Some(600_000));
    page.put("mEventTimeRemaining", &(-1_f32).to_le_bytes());
    assert_eq!(page.sample().session_left_ms, None);
    page.ints(&[("mPitMode", 4)]);
    assert_eq!(page.laps().pit, Some(Pit::Box));
}

#[test]
fn the_next_session_of_automobilista_begins_when_the_results_are_gone() {
    let key = |page: &Page| page.game.rules.session_key(Seen(&[page.seen()]));
    let mut page = Page::new(&automobilista_2::GAME);
    page.ints(&[("mSessionState", 3)]);
    let qualifying = key(&page).unwrap();
    page.ints(&[("mRaceState", 3)]);
    assert_eq!(key(&page), None);
    page.ints(&[("mSessionState", 5)]);
    assert_eq!(key(&page), None, "the race, but still the results of the qualifying");
    page.ints(&[("mRaceState", 1)]);
    assert!(key(&page).is_some_and(|race| race != qualifying));
    page.ints(&[("mSessionState", 0)]);
    assert_eq!(key(&page), None, "shown for some frames when a strategy is saved");
}

#[test]
fn any_bytes_are_decoded_without_a_panic() {
    let mut noise = Noise(23);
    for game in GAMES {
        let valid = Page::new(game);
        let stream = page_of(game);
        for round in 0..600 {
            let mut bytes = match round % 3 {
                0 => noise.bytes(round * 37 % 9_000),
                _ => valid.bytes.clone(),
            };
            if round % 3 == 1 && !bytes.is_empty() {
                // A valid head with a noisy rest.
                let from = 64.min(bytes.len());
                let rest = noise.bytes(bytes.len() - from);
                bytes[from..].copy_from_slice(&rest);
            }
            for _ in 0..8 {
                let (at, byte) = (noise.next() as usize, noise.next() as u8);
                let length = bytes.len().max(1);
                if let Some(place) = bytes.get_mut(at % length) {
                    *place = byte;
                }
            }
            bytes.truncate(if round % 5 == 0 { noise.next() as usize % (bytes.len() + 1) } else { bytes.len() });
            let seen = SeenFrame { stream: stream.name, layout: stream.layouts()[0], bytes: &bytes };
            let rules = game.rules;
            let _ = (rules.is_it(Seen(&[seen])), rules.about(Seen(&[seen])), rules.counter(Seen(&[seen])));
            let _ = (rules.session_key(Seen(&[seen])), rules.frame_bytes(stream.name, &bytes));
            assert!(rules.stream_of(bytes.len() as u64, &bytes).is_none_or(|name| name == stream.name));
            let (mut sample, mut laps) = (Sample::default(), LapFrame::default());
            rules.decoder().frame(seen, &mut sample);
            let mut reader = rules.laps();
            reader.frame(seen, &mut laps);
            reader.frame(seen, &mut laps);
            if let Some(mut standings) = rules.standings() {
                standings.frame(seen);
                standings.frame(seen);
                assert!(standings.cars().len() <= 128);
            }
            assert_eq!(sample.presence, Some(rules.presence(Seen(&[seen]))).filter(|_| sample.presence.is_some()));
            assert!(laps.position.is_none_or(|position| (0.0..=1.0).contains(&position)));
            assert!(sample.speed_kmh.is_none_or(f32::is_finite) && sample.fuel_l.is_none_or(f32::is_finite));
            let shares = [sample.throttle, sample.brake, sample.clutch];
            assert!(shares.into_iter().flatten().all(|share| (0.0..=1.0).contains(&share)), "{}: {sample:?}", game.id);
        }
    }
}

#[test]
fn empty_memory_is_no_game() {
    for game in GAMES {
        let stream = page_of(game);
        let bytes = vec![0; stream.section_bytes().unwrap() as usize];
        let seen = SeenFrame { stream: stream.name, layout: stream.layouts()[0], bytes: &bytes };
        assert_eq!((game.rules.is_it(Seen(&[seen])), game.rules.presence(Seen(&[seen]))), (None, Presence::Off));
        let front = &bytes[..bytes.len().min(8192)];
        assert_eq!(
            (game.rules.stream_of(bytes.len() as u64, front), game.rules.session_key(Seen(&[seen]))),
            (None, None)
        );
    }
}
