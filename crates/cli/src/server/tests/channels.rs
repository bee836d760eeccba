//! Lap telemetry: the server returns what the library reads from the tape.
use std::path::PathBuf;
use std::sync::Arc;

use gametape::format::TapeId;
use gametape::format::read::Tape;
use gametape::format::write::{StdFiles, TapeBuilder, WriteOptions};
use gametape::games::acc;
use gametape::laps::columns::columns;
use gametape::laps::compare::{FineGrid, compare};
use gametape::laps::{Grid, Lap, TRACKER_ID, TRACKER_VERSION, Tracked, track_tape};
use gametape::layout::stream_of_layout;
use gametape::store::catalogue::{Look, look};
use gametape::store::{DriverEdit, Origin, Store, TrackerVersion, Visibility, Write};
use gametape_simulator::{Script, Settings, Simulation, Start};
use serde_json::{Value, json};
use zerocopy::IntoBytes as _;

use super::*;

/// A server whose store has a tape of the simulated car.
pub(super) struct Driven {
    pub(super) server: Server,
    pub(super) path: PathBuf,
    pub(super) tracked: Tracked,
}

pub(super) fn driven(access: Access) -> Driven {
    let server = Server::new(access);
    let path = server._folder.path().join("a tape.gtape");
    let options = WriteOptions { start_utc_ns: Some(1_767_225_600_000_000_000), ..WriteOptions::new(TapeId([9; 16])) };
    let mut tape = TapeBuilder::create(Arc::new(StdFiles), &path, &options, false).unwrap();
    let layouts = [("physics", &acc::PHYSICS_800), ("graphics", &acc::GRAPHICS_1588), ("static", &acc::STATIC_820)];
    let ids =
        layouts.map(|(name, layout)| tape.add_stream(stream_of_layout(acc::GAME.id, name, "shm", layout), 0).unwrap());
    let settings = Settings { start: Start::Flying, mistakes: false, pit_every_laps: None, ..Settings::default() };
    let simulation = Simulation::driving(settings, Script::new().at(110_000).end());
    for (number, (time_ns, pages)) in simulation.sample(50).enumerate() {
        tape.append(ids[0], time_ns, pages.physics.as_bytes()).unwrap();
        tape.append(ids[1], time_ns, pages.graphics.as_bytes()).unwrap();
        if number == 0 {
            tape.append(ids[2], time_ns, pages.static_page.as_bytes()).unwrap();
        }
    }
    tape.event(42_000_000_000, "mark", "a mark").unwrap();
    tape.finish().unwrap();
    let tracked = track_tape(&Tape::open(&path).unwrap()).unwrap();
    let origin = Origin::new(TapeId([9; 16]), TrackerVersion { id: TRACKER_ID.into(), version: TRACKER_VERSION });
    server.store.replace_tape(&origin, &tracked.sessions).unwrap();
    let facts: Vec<_> = tracked.tracks.iter().cloned().map(Write::Track).collect();
    server.store.write(&origin, &facts).unwrap();
    let folders = [server._folder.path().to_owned()];
    let found = look(
        server.store.as_ref(),
        &Look { place: "here", folders: &folders, except: &[], elsewhere: false, checksums: false },
    )
    .unwrap();
    assert_eq!(found.new.len(), 1);
    Driven { server, path, tracked }
}

impl Driven {
    /// Complete laps.
    pub(super) fn laps(&self) -> Vec<Lap> {
        let laps: Vec<_> = self.tracked.laps().filter(|lap| lap.complete && lap.time_ms.is_some()).cloned().collect();
        assert!(laps.len() >= 2, "{}", laps.len());
        laps
    }

    fn length_m(&self) -> f64 {
        self.tracked.tracks[0].length_m.unwrap().into()
    }

    /// Returns status, code and message of an error response, and checks that it contains no path.
    async fn refused(&self, path: &str) -> (u16, String, String) {
        let answer = self.server.get(path).await;
        assert!(!answer.text.contains("tape.gtape") && !answer.text.contains("/tmp"), "{}", answer.text);
        let message = answer.json()["error"]["message"].as_str().unwrap().to_owned();
        (answer.status.as_u16(), answer.code(), message)
    }
}

fn numbers(value: &Value) -> Vec<Option<f64>> {
    value.as_array().unwrap().iter().map(Value::as_f64).collect()
}

fn same(found: &[Option<f64>], expected: &[Option<f64>], within: f64) -> bool {
    let near = |(a, b): (&Option<f64>, &Option<f64>)| match (a, b) {
        (Some(a), Some(b)) => (a - b).abs() <= within * b.abs().max(1.0),
        (a, b) => a == b,
    };
    found.len() == expected.len() && found.iter().zip(expected).all(near)
}

#[tokio::test]
async fn the_channels_of_a_lap_are_what_is_on_its_tape() {
    let driven = driven(local());
    let lap = driven.laps()[0].clone();
    let tape = Tape::open(&driven.path).unwrap();
    let plain = driven.server.get(&format!("/api/v1/laps/{}", lap.id)).await.json();
    for (query, grid) in [
        ("", Grid::Recorded),
        ("?step_m=5", Grid::Metres { step_m: 5.0, length_m: driven.length_m() }),
        ("?hz=20", Grid::Hertz(20.0)),
    ] {
        let answer = driven.server.get(&format!("/api/v1/laps/{}/channels{query}", lap.id)).await;
        assert_eq!(answer.status, 200, "{}", answer.text);
        let said = answer.json();
        let expected = columns(&tape, &lap, &[], grid).unwrap();
        assert_eq!(said["lap"], plain);
        assert_eq!(said["rows"].as_u64(), Some(expected.time_ms.len() as u64));
        assert!(same(&numbers(&said["time_ms"]), &expected.time_ms, 1e-3), "{query}");
        assert!(same(&numbers(&said["share"]), &expected.share, 1e-6), "{query}");
        let metres: Vec<_> = expected.share.iter().map(|share| share.map(|share| share * driven.length_m())).collect();
        assert!(same(&numbers(&said["distance_m"]), &metres, 0.01), "{query}");
        for (said, expected) in said["columns"].as_array().unwrap().iter().zip(&expected.columns) {
            assert_eq!(
                (said["name"].as_str().unwrap(), said["unit"].as_str().unwrap()),
                (&*expected.name, &*expected.unit)
            );
            assert!(same(&numbers(&said["values"]), &expected.values, 1e-6), "{query} {}", expected.name);
        }
        assert_eq!(said["columns"].as_array().unwrap().len(), expected.columns.len());
        assert_eq!(said["available"].as_array().unwrap().len(), expected.available.len());
    }
    let path = format!("/api/v1/laps/{}/channels?channels=brake,physics/wheelSlip.1&hz=10", lap.id);
    let said = driven.server.get(&path).await.json();
    let names: Vec<_> =
        said["columns"].as_array().unwrap().iter().map(|column| column["name"].as_str().unwrap()).collect();
    assert_eq!(names, ["brake", "physics/wheelSlip.1"]);
}

#[tokio::test]
async fn a_comparison_is_what_the_library_says() {
    let driven = driven(local());
    let laps = driven.laps();
    let tape = Tape::open(&driven.path).unwrap();
    let ids: Vec<String> = laps.iter().map(|lap| lap.id.to_string()).collect();
    let path = format!("/api/v1/compare?laps={}&channels=rpm,speed_kmh&step_m=10", ids.join(","));
    let answer = driven.server.get(&path).await;
    assert_eq!(answer.status, 200, "{}", answer.text);
    let said = answer.json();
    let names = ["rpm", "speed_kmh", "brake"].map(str::to_owned);
    let fine = FineGrid::of(10.0, driven.length_m());
    let grid = Grid::Metres { step_m: fine.step_m, length_m: driven.length_m() };
    let mut found: Vec<_> = laps.iter().map(|lap| columns(&tape, lap, &names, grid).unwrap()).collect();
    let mut expected = compare(&found, driven.length_m(), fine.step_m).unwrap();
    fine.thin(&mut expected, &mut found);
    // Together they are the difference between the laps, whatever the step is.
    for step_m in ["5", "10", "100", "333"] {
        let path = format!("/api/v1/compare?laps={},{}&channels=rpm&step_m={step_m}", ids[0], ids[1]);
        let said = driven.server.get(&path).await.json();
        let lost: f64 =
            said["stretches"].as_array().unwrap().iter().filter_map(|part| part["lost_ms"][1].as_f64()).sum();
        let difference = f64::from(laps[1].time_ms.unwrap()) - f64::from(laps[0].time_ms.unwrap());
        assert!((lost - difference).abs() < 0.1, "{step_m} m: {lost} of {difference}");
    }
    assert_eq!(said["reference"], json!(ids[0]));
    assert_eq!(said["length_m"].as_f64().map(|metres| metres.round()), Some(driven.length_m().round()));
    let places: Vec<_> = expected.distance_m.iter().copied().map(Some).collect();
    assert!(same(&numbers(&said["distance_m"]), &places, 1e-3));
    for ((said, delta), found) in said["laps"].as_array().unwrap().iter().zip(&expected.delta_ms).zip(&found) {
        assert!(same(&numbers(&said["delta_ms"]), delta, 1e-3));
        let columns = said["columns"].as_array().unwrap();
        assert_eq!(columns.len(), 2, "what was read for corners alone is not told");
        assert!(same(&numbers(&columns[0]["values"]), &found.columns[0].values, 1e-6));
    }
    assert_eq!(said["laps"].as_array().unwrap().len(), laps.len());
    assert_eq!(said["stretches"].as_array().unwrap().len(), expected.stretches.len());
    assert!(same(&numbers(&said["stretches"][3]["lost_ms"]), &expected.stretches[3].lost_ms, 1e-3));
    let corners = said["corners"].as_array().unwrap();
    assert!(corners.len() == expected.corners.len() && corners.len() >= 3, "{corners:?}");
    assert!(same(&numbers(&corners[0]["min_speed_kmh"]), &expected.corners[0].min_speed_kmh, 1e-3));
    let (from, apex, to) = (&corners[0]["from_m"], &corners[0]["apex_m"], &corners[0]["to_m"]);
    assert!(from.as_f64() < apex.as_f64() && apex.as_f64() < to.as_f64(), "{from} {apex} {to}");
    // By default the normalized channels.
    let said = driven.server.get(&format!("/api/v1/compare?laps={},{}", ids[0], ids[1])).await.json();
    assert!(said["laps"][0]["columns"].as_array().unwrap().len() > 10);
    assert_eq!(said["distance_m"][1], json!(5.0));
}

#[tokio::test]
async fn the_outline_of_a_track_is_what_laps_taught() {
    let driven = driven(local());
    let facts = &driven.tracked.tracks[0];
    let track = facts.track.replace(' ', "%20");
    let layout =
        facts.layout.as_ref().map(|layout| format!("&layout={}", layout.replace(' ', "%20"))).unwrap_or_default();
    let said =
        driven.server.get(&format!("/api/v1/tracks/outline?game={}&track={track}{layout}", facts.game)).await.json();
    assert_eq!(said["outline_m"].as_array().unwrap().len(), facts.outline_m.len());
    assert_eq!(said["sector_ends"].as_array().unwrap().len(), facts.sector_ends.len());
    assert_eq!((&said["game"], &said["track"]), (&json!(facts.game), &json!(facts.track)));
    let (status, code, _) = driven.refused("/api/v1/tracks/outline?game=x&track=nowhere").await;
    assert_eq!((status, code.as_str()), (404, "not_learned"));
    assert_eq!(driven.refused("/api/v1/tracks/outline?game=x").await.0, 400);
    assert_eq!(driven.refused("/api/v1/tracks/outline?game=&track=x").await.0, 400);
}

#[tokio::test]
async fn impossible_requests_are_refused_with_the_reason() {
    let driven = driven(local());
    let laps = driven.laps();
    let (a, b) = (laps[0].id, laps[1].id);
    let (_, others) = drive(driven.server.store.as_ref(), 3, "Driver 2", &[90_000]);
    let nobody = "0".repeat(32);
    for (path, status, words) in [
        (format!("/laps/{a}/channels?channels=nothing"), 400, "no channel \"nothing\""),
        (format!("/laps/{a}/channels?channels="), 400, "empty"),
        (format!("/laps/{a}/channels?channels=rpm,,gear"), 400, "empty"),
        (format!("/laps/{a}/channels?channels=physics/wheelSlip"), 400, "wheelSlip.0 to"),
        (format!("/laps/{a}/channels?channels={}", ["rpm"; 33].join(",")), 400, "at most 32"),
        (format!("/laps/{a}/channels?step_m=5&hz=5"), 400, "use only one"),
        (format!("/laps/{a}/channels?step_m=0"), 400, "0.5 and 500"),
        (format!("/laps/{a}/channels?hz=NaN"), 400, "1 and 1000"),
        (format!("/laps/{a}/channels?hz=1000"), 400, "20000 rows"),
        (format!("/laps/{a}/channels?speed=1"), 400, "step_m"),
        (format!("/laps/{nobody}/channels"), 404, "no such lap"),
        ("/laps/x/channels".to_owned(), 400, "32 hexadecimal"),
        (format!("/compare?laps={a}"), 400, "2 to 8"),
        (format!("/compare?laps={}", vec![a.to_string(); 9].join(",")), 400, "2 to 8"),
        ("/compare".to_owned(), 400, "laps"),
        (format!("/compare?laps={a},{nobody}"), 404, "no such lap"),
        (format!("/compare?laps={a},{}", others[0]), 400, "different tracks"),
        (format!("/compare?laps={a},{b}&step_m=0.4"), 400, "0.5 and 500"),
        (format!("/laps/{}/channels", others[0]), 404, "not available"),
        (format!("/laps/{}/channels?step_m=5", others[0]), 404, "length of this track"),
    ] {
        let (found, _, message) = driven.refused(&format!("/api/v1{path}")).await;
        assert!(found == status && message.contains(words), "{path}: {found} {message}");
    }
    std::fs::rename(&driven.path, driven.path.with_extension("moved")).unwrap();
    let (status, code, _) = driven.refused(&format!("/api/v1/laps/{a}/channels")).await;
    assert_eq!((status, code.as_str()), (404, "tape_not_in_reach"));
    std::fs::hard_link(driven.server._folder.path().join("laps.sqlite"), &driven.path).unwrap();
    assert_eq!(driven.refused(&format!("/api/v1/compare?laps={a},{b}")).await.1, "tape_not_in_reach");
}

#[tokio::test]
async fn laps_of_private_drivers_are_not_there_for_others() {
    let driven = driven(Access { public: true, ..local() });
    let laps = driven.laps();
    let facts = &driven.tracked.tracks[0];
    let layout = facts.layout.as_ref().map(|layout| format!("&layout={layout}")).unwrap_or_default();
    let outline =
        format!("/api/v1/tracks/outline?game={}&track={}{layout}", facts.game, facts.track).replace(' ', "%20");
    let channels = format!("/api/v1/laps/{}/channels", laps[0].id);
    let compare = format!("/api/v1/compare?laps={},{}", laps[0].id, laps[1].id);
    for path in [&channels, &compare, &outline] {
        assert_eq!(driven.server.get(path).await.status, 200, "{path}");
    }
    let edit = DriverEdit { name: None, visibility: Some(Visibility::Private) };
    driven.server.store.edit_driver(laps[0].driver.as_ref().unwrap(), &edit).unwrap();
    for path in [&channels, &compare, &outline] {
        assert_eq!(driven.server.get(path).await.status, 404, "{path}");
    }
}
