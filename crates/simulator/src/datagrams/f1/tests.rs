//! The simulated car in every packet format, read back by the game's own rules.
use std::collections::BTreeMap;

use gametape_games::{
    CarResult, Game as KnownGame, LapFrame, Presence, Sample, SectorValue, Seen, SeenFrame, find_game,
};

use super::*;
use crate::board::SessionKind;
use crate::datagrams::datagram_encoder;
use crate::game::{Settings, Start};

const IDS: [&str; 5] = ["f1-22", "f1-23", "f1-24", "f1-25", "f1-26"];

/// Runs the simulation for some seconds. `each` gets every datagram, the stream that it belongs to, and the game at that time.
fn drive(id: &str, settings: Settings, seconds: u64, mut each: impl FnMut(u64, SeenFrame<'_>, &Game)) {
    let known: &KnownGame = find_game(id).unwrap();
    let mut encoder = datagram_encoder(id).unwrap();
    let (mut game, mut out) = (Game::new(settings), Datagrams::default());
    for ms in 0..seconds * 1000 {
        out.clear();
        encoder.encode(ms, &game, &mut out);
        for bytes in out.iter() {
            let stream = known.rules.datagram(bytes, &mut Vec::new()).unwrap();
            let layout = known.stream(stream).unwrap().layout_of(bytes.len() as u32).unwrap();
            each(ms, SeenFrame { stream, layout, bytes }, &game);
        }
        game.step();
    }
}

#[test]
fn the_laps_are_found_again_with_the_times_of_the_board() {
    for (id, session) in IDS.into_iter().zip([SessionKind::Practice, SessionKind::Race].into_iter().cycle()) {
        let settings = Settings { session, pit_every_laps: Some(3), seed: 5, ..Settings::default() };
        let mut laps = find_game(id).unwrap().rules.laps();
        let (mut now, mut before) = (LapFrame::default(), None::<LapFrame>);
        let (mut found, mut shown, mut sectors) = (Vec::new(), Vec::new(), Vec::new());
        let mut records = BTreeMap::new();
        let (mut valid, mut completed, mut boxes) = (true, 0, 0);
        drive(id, settings, 240, |_, frame, game| {
            let board = &game.board;
            if board.completed_laps > completed {
                shown.push((board.last_ms.unwrap() as u32, valid));
                completed = board.completed_laps;
            }
            valid = board.valid;
            if !laps.frame(frame, &mut now) || now.presence != Presence::Live {
                return;
            }
            records.extend(now.record.map(|record| (record.lap, record.invalid == Some(true))));
            if let Some(old) = before {
                if old.laps_completed.is_some() && now.laps_completed > old.laps_completed {
                    assert_eq!(now.laps_completed, old.laps_completed.map(|laps| laps + 1));
                    assert!(now.running_ms.unwrap() < 20 && now.position.unwrap() < 0.01, "{now:?}");
                    found.push((now.last_ms.unwrap(), old.valid.unwrap()));
                }
                if now.sector > old.sector {
                    let SectorValue::Own(ms) = now.sector_value else { panic!("{id}: {now:?}") };
                    sectors.push(ms);
                }
                boxes += u32::from(now.pit != old.pit && now.pit == Some(gametape_games::Pit::Box));
            }
            before = Some(now);
        });
        assert!(found.len() >= 5, "{id}: {found:?}");
        assert_eq!(
            found.iter().map(|lap| lap.0).collect::<Vec<_>>(),
            shown.iter().map(|lap| lap.0).collect::<Vec<_>>()
        );
        assert!(sectors.iter().all(|ms| (8_000..40_000).contains(ms)), "{sectors:?}");
        assert!(sectors.len() >= 2 * found.len(), "{sectors:?}");
        assert!((1..=3).contains(&boxes), "{id}: {boxes} stops");
        // The last lap may have ended less than a round of histories ago.
        assert!(records.len() + 1 >= found.len(), "{records:?}");
        for (lap, invalid) in &records {
            assert_eq!(*invalid, !shown[*lap as usize - 1].1, "{id}: lap {lap}");
        }
        let identity = laps.identity();
        assert_eq!((identity.driver.as_deref(), identity.track.as_deref()), (Some("Driver 20"), Some("track 100")));
        let kind = if session == SessionKind::Race {
            gametape_games::SessionKind::Race
        } else {
            gametape_games::SessionKind::Practice
        };
        assert_eq!(now.kind, kind);
    }
}

#[test]
fn packets_come_at_the_rates_of_the_game() {
    for id in IDS {
        let mut counts: BTreeMap<String, u32> = BTreeMap::new();
        drive(id, Settings::default(), 10, |_, frame, _| *counts.entry(frame.stream.to_owned()).or_default() += 1);
        let count = |stream: &str| counts.get(stream).copied().unwrap_or(0);
        for stream in ["motion", "lap-data", "car-telemetry", "car-status"] {
            assert!((600..=601).contains(&count(stream)), "{id} {stream}: {}", count(stream));
        }
        assert!((20..=21).contains(&count("session")) && (2..=3).contains(&count("participants")), "{counts:?}");
        assert!((200..=201).contains(&count("session-history")) && (100..=101).contains(&count("car-damage")));
        assert!((20..=21).contains(&count("car-setups")) && count("event") == 1);
        let newer = id != "f1-22";
        assert_eq!((count("motion-ex") > 0, count("tyre-sets") > 0), (newer, newer));
        assert_eq!(count("car-telemetry-2") > 0, id == "f1-26");
    }
}

#[test]
fn samples_move_like_the_simulated_car() {
    for id in IDS {
        let known = find_game(id).unwrap();
        let (mut decoder, mut sample) = (known.rules.decoder(), Sample::default());
        let (mut top, mut left, mut before) = (0f32, 0, None::<(u64, [f32; 3])>);
        drive(id, Settings::default(), 30, |ms, frame, game| {
            decoder.frame(frame, &mut sample);
            if frame.stream != "car-telemetry" || sample.presence != Some(Presence::Live) {
                return;
            }
            let car = game.car();
            let near = |ours: Option<f32>, theirs: f64, by: f64| {
                let ours = f64::from(ours.unwrap());
                assert!((ours - theirs).abs() <= by, "{id} at {ms} ms: {ours}, {theirs}");
            };
            near(sample.speed_kmh, car.speed_over_road_ms() * 3.6, 0.6);
            near(sample.throttle, car.gas, 1e-6);
            near(sample.lateral_g, -car.left_ms2 / 9.81, 2e-3);
            near(sample.wheels[0].brake_celsius, car.wheels[0].brake_celsius, 0.6);
            near(sample.track_position, game.board.position, 1e-3);
            let world = sample.world_m.unwrap();
            assert_eq!((world[0], world[2]), (car.x as f32, -car.z as f32));
            if let Some((then, old)) = before {
                let metres = f64::from(world[0] - old[0]).hypot(f64::from(world[2] - old[2]));
                assert!(metres <= 90.0 * (ms - then) as f64 / 1000.0 + 0.1, "{id} at {ms} ms: {metres} m");
            }
            before = Some((ms, world));
            top = top.max(sample.speed_kmh.unwrap());
            left += u32::from(sample.steering.unwrap() < -0.05 && sample.lateral_g.unwrap() < -0.3);
        });
        assert!(top > 150.0 && left > 20, "{id}: {top} km/h, {left} samples of left turns");
    }
}

#[test]
fn other_cars_drive_their_own_laps() {
    for id in IDS {
        let known = find_game(id).unwrap();
        let mut cars = known.rules.standings().unwrap();
        let settings = Settings { session: SessionKind::Race, start: Start::Grid, ..Settings::default() };
        drive(id, settings, 270, |_, frame, _| {
            cars.frame(frame);
        });
        let cars = cars.cars();
        assert_eq!(cars.len(), if id == "f1-26" { 24 } else { 22 });
        let mut positions: Vec<_> = cars.iter().map(|car| car.position.unwrap()).collect();
        positions.sort_unstable();
        assert!(positions.iter().copied().eq(1..=cars.len() as u16), "{positions:?}");
        for car in &cars {
            assert_eq!(car.name.as_deref(), Some(format!("Driver {}", car.car + 1).as_str()));
            assert_eq!((car.is_player, car.result), (car.car == PLAYER as u32, CarResult::Active));
            assert!(car.current_lap.unwrap() >= 5 && car.tyre.is_some() && car.team.is_some(), "{car:?}");
            let ended: Vec<_> = car.laps.iter().filter(|lap| lap.time_ms.is_some()).collect();
            assert!(ended.len() + 2 >= car.current_lap.unwrap() as usize, "{car:?}");
            for lap in ended {
                let sum: u32 = lap.sectors_ms.iter().flatten().sum();
                assert_eq!(lap.time_ms, Some(sum), "{car:?}");
            }
            assert!(car.gap_to_leader_ms.is_none() == (car.position == Some(1)) || id == "f1-22", "{car:?}");
        }
        let stops = cars.iter().filter(|car| !car.is_player && car.pit_stops > Some(0)).count();
        assert!(stops > 3, "{stops} cars have stopped");
        assert!(cars.iter().any(|car| car.laps.iter().any(|lap| lap.valid == Some(false))));
    }
}

#[test]
fn a_session_that_runs_out_is_ended_and_the_next_has_another_uid() {
    let settings = Settings { session_ms: Some(20_000), ..Settings::default() };
    let rules = find_game("f1-25").unwrap().rules;
    let (mut events, mut keys) = (Vec::new(), Vec::new());
    let mut newest: BTreeMap<&'static str, Vec<u8>> = BTreeMap::new();
    drive("f1-25", settings, 45, |_, frame, _| {
        if let Some(event) = gametape_games::f1::event(frame.bytes) {
            events.push(event);
        }
        let stream = find_game("f1-25").unwrap().stream(frame.stream).unwrap();
        newest.insert(stream.name, frame.bytes.to_vec());
        let seen: Vec<_> =
            newest.iter().map(|(name, bytes)| SeenFrame { stream: name, layout: frame.layout, bytes }).collect();
        let key = rules.session_key(Seen(&seen));
        if key.is_some() && keys.last() != Some(&key) {
            keys.push(key);
        }
    });
    use gametape_games::f1::Event::{SessionEnded, SessionStarted};
    assert_eq!(events, [SessionStarted, SessionEnded, SessionStarted, SessionEnded, SessionStarted]);
    assert_eq!(keys.len(), 3, "{keys:?}");
}
