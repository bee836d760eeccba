//! Assetto Corsa Competizione's broadcasting: messages, standings, and the test vectors if they are there.
use crate::support;

use gametape_games::acc::broadcast::{
    CarUpdate, LapRecord, Message, Request, register, request_entry_list, request_track_data,
};
use gametape_games::{
    CarResult, CarStanding, GAMES, NO_CHANNELS, Pit, Presence, ReadStandings, Seen, SeenFrame, acc, fuzz_datagram,
};
use serde_json::Value;

/// Builds a message field by field.
#[derive(Clone, Default)]
struct Build(Vec<u8>);

impl Build {
    fn raw(mut self, bytes: &[u8]) -> Self {
        self.0.extend_from_slice(bytes);
        self
    }

    fn u8(self, value: u8) -> Self {
        self.raw(&[value])
    }

    fn u16(self, value: u16) -> Self {
        self.raw(&value.to_le_bytes())
    }

    fn i32(self, value: i32) -> Self {
        self.raw(&value.to_le_bytes())
    }

    fn f32(self, value: f32) -> Self {
        self.raw(&value.to_le_bytes())
    }

    fn text(self, text: &str) -> Self {
        self.u16(text.len() as u16).raw(text.as_bytes())
    }

    fn lap(self, ms: i32, splits: &[i32], invalid: bool) -> Self {
        let lap = self.i32(ms).u16(4).u16(0).u8(splits.len() as u8);
        splits.iter().fold(lap, |lap, split| lap.i32(*split)).raw(&[u8::from(invalid), u8::from(!invalid), 0, 0])
    }
}

const NONE: i32 = i32::MAX;

fn update(session: u16, kind: u8, replay: bool, focused: i32) -> Vec<u8> {
    let build = Build::default().u8(2).u16(0).u16(session).u8(kind).u8(5).f32(1000.0).f32(9000.0).i32(focused);
    let build = build.text("set").text("camera").text("page").u8(replay.into());
    let build = if replay { build.f32(1.0).f32(2.0) } else { build };
    build.f32(43_200.0).raw(&[20, 30, 0, 0, 0]).lap(NONE, &[], false).0
}

struct Driven {
    car: u16,
    driver: u16,
    position: u16,
    laps: u16,
    last: (i32, [i32; 3], bool),
    current: Vec<i32>,
    location: u8,
}

impl Driven {
    fn new(car: u16, laps: u16, last_ms: i32) -> Self {
        let third = last_ms / 3;
        let last = (last_ms, [third, third, last_ms - 2 * third], false);
        Self { car, driver: 0, position: car + 1, laps, last, current: Vec::new(), location: 1 }
    }

    fn message(&self) -> Vec<u8> {
        let build = Build::default().u8(3).u16(self.car).u16(self.driver).u8(2).u8(5).f32(1.0).f32(2.0).f32(0.5);
        let build = build.u8(self.location).u16(187).u16(self.position).u16(1).u16(0).f32(0.25).u16(self.laps).i32(-5);
        let (ms, splits, invalid) = &self.last;
        build.lap(101_000, &[1, 2, 3], false).lap(*ms, splits, *invalid).lap(5000, &self.current, false).0
    }
}

fn entry(car: u16, drivers: &[(&str, &str)]) -> Vec<u8> {
    let build = Build::default().u8(6).u16(car).u8(32).text("Team A").i32(63).u8(3).u8(0).u16(2);
    let add = |build: Build, (first, last): &(&str, &str)| build.text(first).text(last).text("DRV").u8(1).u16(2);
    drivers.iter().fold(build.u8(drivers.len() as u8), add).0
}

fn list(cars: &[u16]) -> Vec<u8> {
    cars.iter().fold(Build::default().u8(4).i32(4).u16(cars.len() as u16), |build, car| build.u16(*car)).0
}

fn messages() -> Vec<(Vec<u8>, &'static str)> {
    let track = Build::default().u8(5).i32(4).text("Test Ring").i32(26).i32(4318).u8(0).u8(1).text("page");
    vec![
        (vec![1, 4, 0, 0, 0, 1, 0, 0, 0], "broadcast-registration"),
        (update(1, 10, false, 4), "broadcast-update"),
        (update(1, 10, true, 4), "broadcast-update"),
        (Driven::new(4, 7, 102_345).message(), "broadcast-car-update"),
        (list(&[4, 1, 9]), "broadcast-entry-list"),
        (track.0, "broadcast-track-data"),
        (entry(4, &[("Driver", "1"), ("Driver", "2")]), "broadcast-entry-list-car"),
        (Build::default().u8(7).u8(5).text("01:42.345").i32(702_345).i32(4).0, "broadcast-event"),
    ]
}

fn stream_of(datagram: &[u8]) -> Option<&'static str> {
    acc::GAME.rules.datagram(datagram, &mut Vec::new())
}

#[test]
fn a_message_is_recognised_only_if_it_is_whole() {
    for (message, stream) in messages() {
        assert_eq!(stream_of(&message), Some(stream));
        assert!(acc::GAME.stream(stream).is_some_and(|stream| stream.udp_port() == Some(0)));
        for length in 0..message.len() {
            assert_eq!(stream_of(&message[..length]), None, "{stream}, {length} of {} bytes", message.len());
        }
        assert_eq!(stream_of(&[message.clone(), vec![1]].concat()), None, "{stream} and a byte");
        let zeros = [message.clone(), vec![0; 2]].concat();
        assert_eq!(stream_of(&zeros), (message[0] == 1).then_some(stream), "zeros after a {stream}");
        fuzz_datagram(&message);
        // Other games do not know it, and any changed byte is survived.
        let others = GAMES.iter().filter(|game| game.id != acc::GAME.id);
        assert!(others.into_iter().all(|game| game.rules.datagram(&message, &mut Vec::new()).is_none()));
        for at in 0..message.len() {
            for flip in [1, 0x80, 0xFF] {
                let mut broken = message.clone();
                broken[at] ^= flip;
                fuzz_datagram(&broken);
            }
        }
    }
    let huge = Build::default().u8(4).i32(4).u16(513).raw(&[0; 1026]).0;
    assert_eq!(stream_of(&huge), None, "more cars than any server has");
    let many_splits = |splits: usize| {
        Build::default()
            .u8(2)
            .raw(&[0; 18])
            .text("")
            .text("")
            .text("")
            .u8(0)
            .raw(&[0; 9])
            .lap(1, &vec![1; splits], false)
            .0
    };
    assert!(stream_of(&many_splits(8)).is_some() && stream_of(&many_splits(9)).is_none());
}

#[test]
fn a_recording_without_pages_has_the_state_of_the_newest_update() {
    let rules = acc::GAME.rules;
    let [before, live, replay] = [update(0, 4, false, 1), update(1, 10, false, 1), update(1, 10, true, 1)];
    let saved = update(1, 14, false, 1);
    let frame = |bytes| [SeenFrame { stream: "broadcast-update", layout: &NO_CHANNELS, bytes }];
    assert_eq!(rules.presence(Seen(&frame(&live))), Presence::Live);
    assert_eq!(rules.presence(Seen(&frame(&replay))), Presence::Replay);
    assert_eq!(rules.presence(Seen(&frame(&saved))), Presence::Replay);
    let key = |bytes| rules.session_key(Seen(&frame(bytes)));
    assert!(
        key(&live).is_some() && key(&live) == key(&replay) && key(&live) != key(&before) && key(&live) != key(&saved)
    );
    assert_eq!(rules.about(Seen(&frame(&before))).session.as_deref(), Some("qualify"));
    let track = messages().swap_remove(5).0;
    let answer = [SeenFrame { stream: "broadcast-track-data", layout: &NO_CHANNELS, bytes: &track }];
    assert_eq!(rules.presence(Seen(&answer)), Presence::Off, "an answer does not show that a car is driven");
    assert_eq!(rules.about(Seen(&answer)).track.as_deref(), Some("Test Ring"));
    let requests = rules.requests().unwrap();
    assert!(requests.is_answer("broadcast-track-data") && !requests.is_answer("broadcast-car-update"));
    assert_eq!((requests.game_port(), requests.client_port(), requests.is_in_shared_memory()), (9000, None, false));
}

struct Standings(Box<dyn ReadStandings>);

impl Standings {
    fn new() -> Self {
        Self(acc::GAME.rules.standings().unwrap())
    }

    fn take(&mut self, datagram: &[u8]) -> bool {
        let stream = stream_of(datagram).unwrap();
        self.0.frame(SeenFrame { stream, layout: &NO_CHANNELS, bytes: datagram })
    }

    fn car(&self, car: u32) -> CarStanding {
        self.0.cars().into_iter().find(|standing| standing.car == car).unwrap().clone()
    }
}

#[test]
fn standings_have_every_car_with_its_names_and_laps() {
    let mut standings = Standings::new();
    standings.take(&update(0, 10, false, 4));
    assert!(standings.0.cars().is_empty());
    assert!(standings.take(&Driven::new(4, 0, NONE).message()));
    assert_eq!(standings.car(4).name, None, "the entry list comes later");
    standings.take(&entry(4, &[("Driver", "1"), ("Driver", "2")]));
    standings.take(&entry(9, &[("", "")]));
    standings.take(&Driven { location: 3, ..Driven::new(9, 0, NONE) }.message());
    assert_eq!(standings.0.cars().iter().map(|car| car.car).collect::<Vec<_>>(), [4, 9]);
    let car = standings.car(4);
    assert_eq!(
        (car.name.as_deref(), car.team.as_deref(), car.race_number),
        (Some("Driver 1"), Some("Team A"), Some(63))
    );
    assert_eq!((car.class.as_deref(), car.car_model.as_deref()), (Some("Silver"), Some("Ferrari 296 GT3")));
    assert_eq!((car.position, car.result, car.current_lap), (Some(5), CarResult::Active, Some(1)));
    assert_eq!((car.last_ms, car.best_ms, car.last_sectors_ms), (None, Some(101_000), vec![]));
    assert_eq!((car.gap_ahead_ms, car.gap_to_leader_ms, car.pit_stops), (None, None, None));
    assert_eq!((car.pit, standings.car(9).pit), (Some(Pit::Track), Some(Pit::Lane)));
    assert_eq!(standings.car(9).name.as_deref(), Some("DRV"));
    assert!(car.laps.len() == 1 && car.laps[0].time_ms.is_none());

    // The update after the line still has the lap before.
    standings.take(&Driven { current: vec![30_000], ..Driven::new(4, 1, 100_000) }.message());
    standings.take(&Driven { driver: 1, ..Driven::new(4, 2, 100_000) }.message());
    let invalid = Driven { driver: 1, last: (99_000, [33_000, 33_000, 33_000], true), ..Driven::new(4, 2, 0) };
    standings.take(&invalid.message());
    let car = standings.car(4);
    let laps: Vec<_> = car.laps.iter().map(|lap| (lap.number, lap.time_ms, lap.valid)).collect();
    assert_eq!(laps, [(1, Some(100_000), Some(true)), (2, Some(99_000), Some(false)), (3, None, Some(true))]);
    assert_eq!((car.last_ms, car.last_sectors_ms), (Some(99_000), vec![Some(33_000); 3]));
    assert_eq!(car.name.as_deref(), Some("Driver 2"), "drivers were swapped");

    // A car that left.
    standings.take(&list(&[9]));
    assert_eq!(standings.0.cars().iter().map(|car| car.car).collect::<Vec<_>>(), [9]);
}

#[test]
fn another_session_has_no_laps_of_the_last_one() {
    let mut standings = Standings::new();
    standings.take(&entry(4, &[("Driver", "1")]));
    standings.take(&update(0, 4, false, 4));
    standings.take(&Driven::new(4, 3, 100_000).message());
    let first = standings.0.session();
    standings.take(&update(0, 4, false, 4));
    assert_eq!(standings.0.session(), first);
    assert!(standings.take(&update(1, 10, false, 4)));
    assert_ne!(standings.0.session(), first);
    assert!(standings.0.cars().is_empty());
    standings.take(&Driven::new(4, 0, NONE).message());
    let car = standings.car(4);
    assert_eq!((car.laps.len(), car.last_ms, car.name.as_deref()), (1, None, Some("Driver 1")));
}

#[test]
fn the_players_car_is_the_one_of_shared_memory_that_the_camera_has_shown() {
    let mut standings = Standings::new();
    let mut page = vec![0; 1588];
    page[1216..1220].copy_from_slice(&4_i32.to_le_bytes());
    let is_player = |standings: &mut Standings| {
        standings.take(&Driven::new(4, 0, NONE).message());
        standings.car(4).is_player
    };
    standings.take(&update(0, 10, false, 4));
    assert!(!is_player(&mut standings), "the focused car may be another one");
    standings.0.frame(SeenFrame { stream: "graphics", layout: &acc::GRAPHICS_1588, bytes: &page });
    standings.take(&update(0, 10, false, 7));
    assert!(!is_player(&mut standings), "the two sources have not agreed yet");
    standings.take(&update(0, 10, false, 4));
    assert!(is_player(&mut standings));
    standings.take(&update(0, 10, false, 7));
    assert!(is_player(&mut standings), "the camera shows another car for a while");
}

fn hex(text: &str) -> Vec<u8> {
    (0..text.len() / 2).map(|at| u8::from_str_radix(&text[2 * at..2 * at + 2], 16).unwrap()).collect()
}

fn lap_is(lap: &LapRecord, wanted: &Value) {
    if let Some(ms) = wanted.get("ms") {
        assert_eq!(lap.time_ms().map(u64::from), ms.as_u64());
    }
    let splits: Vec<u64> = wanted["splits"].as_array().unwrap().iter().map(|split| split.as_u64().unwrap()).collect();
    assert_eq!(lap.splits_ms().map(|split| u64::from(split.unwrap())).collect::<Vec<_>>(), splits);
    assert_eq!(
        wanted.get("invalid").map_or(u64::from(lap.is_invalid), |flag| flag.as_u64().unwrap()),
        u64::from(lap.is_invalid)
    );
}

fn car_is(car: &CarUpdate, wanted: &Value) {
    assert_eq!(Some(u64::from(car.car)), wanted["car"].as_u64());
    assert_eq!(Some(i64::from(car.gear)), wanted["gear"].as_i64());
    assert_eq!(Some(u64::from(car.location)), wanted["location"].as_u64());
    assert_eq!(Some(u64::from(car.speed_kmh)), wanted["kmh"].as_u64());
    assert_eq!(Some(u64::from(car.position)), wanted["position"].as_u64());
    assert_eq!(Some(f64::from(car.lap_fraction)), wanted["spline"].as_f64());
    assert_eq!(Some(u64::from(car.laps)), wanted["laps"].as_u64());
    assert_eq!(Some(i64::from(car.delta_ms)), wanted["deltaMs"].as_i64());
    lap_is(&car.last_lap, &wanted["last"]);
    lap_is(&car.current_lap, &wanted["current"]);
    assert!(!car.last_lap.is_valid_for_best && car.current_lap.is_valid_for_best);
}

#[test]
fn acc_broadcast_vectors_have_the_promised_values() {
    let Some(data) = support::real_data("acc_broadcast_vectors_have_the_promised_values") else { return };
    let file = std::fs::read_to_string(data.join("acc-broadcast/vectors.json")).unwrap();
    let file: Value = serde_json::from_str(&file).unwrap();
    let vectors = file["vectors"].as_array().unwrap();
    assert_eq!(vectors.len(), 11);
    for vector in vectors {
        let (name, bytes) = (vector["message"].as_str().unwrap(), hex(vector["hex"].as_str().unwrap()));
        let wanted = &vector["values"];
        let number = |key: &str| wanted[key].as_i64().unwrap();
        let text = |key: &str| wanted[key].as_str().unwrap();
        if name.starts_with("out_") {
            let built = match name {
                "out_register" => {
                    let (display_name, password) = (text("displayName"), text("connectionPassword"));
                    let interval_ms = number("intervalMs") as i32;
                    let parsed = Request::Register { display_name, password, interval_ms };
                    assert_eq!(Request::parse(&bytes), Some(parsed));
                    register(display_name, password, interval_ms)
                }
                "out_request_entry_list" => request_entry_list(number("connectionId") as i32),
                _ => request_track_data(number("connectionId") as i32),
            };
            assert_eq!(built, bytes, "{name}");
            continue;
        }
        assert!(stream_of(&bytes).is_some(), "{name}");
        match Message::parse(&bytes).unwrap() {
            Message::Registration(result) => {
                assert_eq!(i64::from(result.connection), number("connectionId"));
                assert_eq!((result.success, result.may_command, result.error), (true, false, text("error")));
            }
            Message::Update(update) => {
                assert_eq!(update.replay.is_some(), number("replay") == 1, "{name}");
                assert_eq!(update.best_lap.time_ms().map(u64::from), wanted["bestLapMs"].as_u64());
                if let Some(replay) = update.replay {
                    assert_eq!(Some(f64::from(replay.session_ms)), wanted["replaySessionTime"].as_f64());
                    assert_eq!(Some(f64::from(replay.remaining_ms)), wanted["replayRemaining"].as_f64());
                    continue;
                }
                let numbers: [i64; 3] = [update.session_index.into(), update.session_type.into(), update.phase.into()];
                assert_eq!(numbers, ["sessionIndex", "sessionType", "phase"].map(number));
                let times = [update.session_ms, update.remaining_ms, update.time_of_day_s].map(f64::from);
                assert_eq!(
                    times,
                    ["sessionTimeMs", "remainingMs", "timeOfDayS"].map(|key| wanted[key].as_f64().unwrap())
                );
                let weather = [update.air_celsius, update.track_celsius, update.clouds, update.rain, update.wetness];
                assert_eq!(weather.map(i64::from), ["air", "track", "clouds", "rain", "wetness"].map(number));
                assert_eq!(i64::from(update.focused_car), number("focusedCar"));
            }
            Message::CarUpdate(car) => car_is(&car, wanted),
            Message::EntryList(list) => {
                let cars: Vec<u64> =
                    wanted["cars"].as_array().unwrap().iter().map(|car| car.as_u64().unwrap()).collect();
                assert_eq!(list.cars().map(u64::from).collect::<Vec<_>>(), cars);
            }
            Message::TrackData(track) => {
                assert_eq!(
                    (track.name, i64::from(track.track), i64::from(track.length_m)),
                    (text("name"), number("trackId"), number("metres"))
                );
                let sets = wanted["cameraSets"].as_object().unwrap();
                assert_eq!(track.camera_sets().count(), sets.len());
                assert!(track.camera_sets().all(|(set, cameras)| sets[set] == serde_json::json!(cameras)));
                assert_eq!(serde_json::json!(track.hud_pages().collect::<Vec<_>>()), wanted["hud"]);
            }
            Message::EntryListCar(car) => {
                let numbers = [
                    car.car.into(),
                    car.model.into(),
                    i64::from(car.race_number),
                    car.current_driver.into(),
                    car.nationality.into(),
                ];
                assert_eq!(numbers, ["car", "model", "raceNumber", "currentDriver", "nationality"].map(number));
                assert_eq!(car.team, text("team"));
                let drivers: Vec<Value> = car
                    .drivers()
                    .map(|one| {
                        serde_json::json!([
                            one.first_name,
                            one.last_name,
                            one.short_name,
                            one.category,
                            one.nationality
                        ])
                    })
                    .collect();
                assert_eq!(Value::from(drivers), wanted["drivers"]);
            }
            Message::Event(event) => {
                assert_eq!(
                    [i64::from(event.kind), event.session_ms.into(), event.car.into()],
                    ["type", "timeMs", "car"].map(number)
                );
                assert_eq!(event.text, text("msg"));
            }
        }
    }
}
