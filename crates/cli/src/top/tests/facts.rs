//! Fixed facts for the tests, as a server sends them.

use std::time::Instant;

use serde_json::{Value, json};

use super::super::facts::{Car, Comparison, SessionDetail, Standings, sessions, tapes};
use super::super::look::Look;
use super::super::source::{Answer, News, Status};
use super::super::state::State;

pub(super) fn id(number: usize) -> String {
    format!("{number:032x}")
}

pub(super) fn car() -> Value {
    json!({
        "rig": "local", "state": "driving", "session": id(1), "game": "assetto-corsa-competizione", "track": "Kyalami", "layout": null,
        "car": "porsche_991ii_gt3_r", "driver": "Driver 1",
        "lap": {"id": id(105), "number": 5, "tape_lap": 5, "phase": "flying", "valid": true, "time_ms": 45_123, "share": 0.41, "sector": 1, "sectors_ms": [31_204, null, null]},
        "last_lap": {"id": id(104), "number": 4, "time_ms": 105_104, "valid": false, "eligible": false, "sectors_ms": [31_204, 41_512, 32_388]},
        "best_ms": 105_673, "delta_session_ms": -213, "best_ever_ms": 104_990, "delta_best_ms": 87,
        "speed_kmh": 213.4, "rpm": 7012.0, "rpm_max": 9250.0, "gear": 4, "throttle": 0.92, "brake": 0.0, "clutch": null, "steering": -0.25,
        "fuel_l": 32.44, "fuel_per_lap_l": 2.31, "fuel_laps_left": 14.0,
        "tyres": [{"core_c": 82.1, "pressure_psi": 27.3, "wear": 0.04}, {"core_c": 83.0, "pressure_psi": 27.4, "wear": 0.05},
                  {"core_c": 79.9, "pressure_psi": 27.0, "wear": null}, {"core_c": 80.2, "pressure_psi": 27.1, "wear": null}],
        "air_c": 24.0, "track_c": 31.0, "race_position": 3, "session_left_ms": 754_000, "in_pit_lane": false
    })
}

pub(super) fn session(number: usize) -> Value {
    json!({
        "id": id(number), "tape_id": id(900 + number), "game": "assetto-corsa-competizione", "type": "practice", "track": if number % 2 == 1 { "Kyalami" } else { "Monza" },
        "layout": null, "car": "porsche_991ii_gt3_r", "driver": "Driver 1", "started_utc": format!("2026-11-{:02}T12:55:01.193Z", 1 + number % 28),
        "end_reason": "session_changed", "best_lap": id(103), "best_ms": 105_673, "theoretical_best_ms": 105_104, "lap_count": 5
    })
}

pub(super) fn lap(number: usize) -> Value {
    let invalid = number.is_multiple_of(4);
    json!({
        "id": id(100 + number), "number": number, "tape_lap": number, "time_ms": 105_673 + (number as i64 - 3).abs() * 317, "time_source": "official",
        "state": "final", "phase": if number == 1 { "out" } else { "flying" }, "complete": true, "valid": !invalid, "eligible": !invalid && number > 1,
        "excluded": false, "reasons": if invalid { json!(["cut"]) } else { json!([]) }, "driver": "Driver 1",
        "sectors_ms": [31_204 + number * 3, 41_512 + number * 5, 32_388 + number], "delta_to_best_ms": (number as i64 - 3).abs() * 317
    })
}

pub(super) fn detail(laps: usize) -> Value {
    let mut detail = session(1);
    detail["laps"] = (1..=laps).map(lap).collect();
    detail
}

pub(super) fn comparison() -> Value {
    let places: Vec<f64> = (0..=400).map(|place| f64::from(place) * 10.0).collect();
    let wave = |scale: f64| places.iter().map(|place| (place / 300.0).sin() * scale).collect::<Vec<_>>();
    let column = |name: &str, values: Vec<f64>| json!({ "name": name, "unit": "", "values": values });
    let columns = |more: f64| {
        let speed = wave(80.0).iter().map(|kmh| kmh + 150.0 + more).collect();
        let pedal = |sign: f64| wave(sign).iter().map(|share| share.clamp(0.0, 1.0)).collect();
        json!([column("speed_kmh", speed), column("throttle", pedal(1.0)), column("brake", pedal(-1.0))])
    };
    let delta: Vec<f64> = wave(200.0);
    json!({
        "reference": id(103), "length_m": 4000.0, "distance_m": places,
        "laps": [{"lap": lap(3), "delta_ms": wave(0.0), "columns": columns(0.0)}, {"lap": lap(4), "delta_ms": delta, "columns": columns(5.0)}],
        "stretches": [{"from_m": 0.0, "to_m": 200.0, "lost_ms": [0.0, 120.4]}, {"from_m": 200.0, "to_m": 400.0, "lost_ms": [0.0, -88.0]},
                      {"from_m": 400.0, "to_m": 600.0, "lost_ms": [0.0, 0.2]}, {"from_m": 600.0, "to_m": 800.0, "lost_ms": [0.0, null]}],
        "corners": []
    })
}

/// Three cars; the second one is the player's, the third one has retired and reports little.
pub(super) fn standings() -> Value {
    json!({
        "session": id(1), "all_cars": true,
        "cars": [
            {"car": 4, "is_player": false, "position": 1, "driver": "Driver 2", "class": "GT3", "current_lap": 5, "gap_to_leader_ms": null, "gap_ahead_ms": null,
             "last_ms": 104_990, "best_ms": 104_550, "pit_stops": 1, "tyre": "medium", "result": "active"},
            {"car": 0, "is_player": true, "position": 2, "driver": "Driver 1", "class": "GT3", "current_lap": 5, "gap_to_leader_ms": 12_345, "gap_ahead_ms": 12_345,
             "last_ms": 105_104, "best_ms": 105_673, "pit_stops": 0, "tyre": "soft", "result": "active"},
            {"car": 9, "is_player": false, "position": null, "driver": null, "class": null, "current_lap": null, "gap_to_leader_ms": null, "gap_ahead_ms": null,
             "last_ms": null, "best_ms": null, "pit_stops": null, "tyre": null, "result": "retired"}
        ]
    })
}

pub(super) fn tape(number: usize) -> Value {
    json!({
        "id": id(900 + number), "file": format!("assetto-corsa-competizione_kyalami_202611{:02}_125501.gtape", 1 + number % 28), "bytes": 3_021_147, "checksum": null,
        "complete": number != 1, "game": "assetto-corsa-competizione", "track": "Kyalami", "car": "porsche_991ii_gt3_r",
        "created_utc": format!("2026-11-{:02}T12:55:01Z", 1 + number % 28), "duration_ns": 3_723_004_000_000_u64, "frames": 372_300, "missing": number == 3
    })
}

/// A state with all these facts.
pub(super) fn told(look: Look, car: &Value, laps: usize) -> State {
    let mut state = State::new(look);
    state.hear(News { status: Some(Status::Server { name: "http://127.0.0.1:7223".into() }), ..News::default() });
    state.hear(News { car: Some((Car::of(car), Instant::now())), ..News::default() });
    state.open_session(&id(1));
    state.pair = Some((id(103), id(104)));
    let list = json!({ "sessions": (1..=6).map(session).collect::<Vec<_>>(), "next": null });
    let files = json!({ "tapes": (1..=4).map(tape).collect::<Vec<_>>(), "next": null });
    let answers = vec![
        Answer::Sessions(Ok(sessions(&list).0)),
        Answer::Session(id(1), Ok(SessionDetail::of(&detail(laps)).unwrap())),
        Answer::Compare((id(103), id(104)), Ok(Box::new(Comparison::of(&comparison()).unwrap()))),
        Answer::Tapes(Ok(tapes(&files).0)),
        Answer::Standings(id(1), Ok(Standings::of(&standings()).unwrap())),
    ];
    state.cars_of = Some(id(1));
    state.hear(News { answers, ..News::default() });
    state
}

pub(super) fn full(look: Look) -> State {
    told(look, &car(), 5)
}
