//! `laps`, `compare`, `split`, and `cut` and `play` by lap.
#![allow(clippy::unwrap_used, missing_docs)]
use crate::support;

use std::sync::Arc;

use gametape::format::write::{StdFiles, TapeBuilder, WriteOptions};
use gametape::format::{StreamSpec, TapeId};
use gametape::games::acc;
use gametape::layout::stream_of_layout;
use gametape_simulator::{Datagrams, Game, Script, SessionKind, Settings, Simulation, Start, datagram_encoder};
use support::{Bench, text};
use zerocopy::IntoBytes as _;

/// A tape of Competizione's three pages, 50 times a second.
fn record(bench: &Bench, name: &str, simulation: Simulation) -> String {
    let path = bench.path(name);
    let options = WriteOptions { start_utc_ns: Some(1_767_225_600_000_000_000), ..WriteOptions::new(TapeId([9; 16])) };
    let mut tape = TapeBuilder::create(Arc::new(StdFiles), &path, &options, false).unwrap();
    let layouts = [("physics", &acc::PHYSICS_800), ("graphics", &acc::GRAPHICS_1588), ("static", &acc::STATIC_820)];
    let ids = layouts.map(|(name, layout)| {
        // As the recorder does: a page that does not change is stored once, and stays valid.
        let spec = StreamSpec { skip_unchanged: true, ..stream_of_layout(acc::GAME.id, name, "shm", layout) };
        tape.add_stream(spec, 0).unwrap()
    });
    let mut first = true;
    for (time_ns, pages) in simulation.sample(50) {
        tape.append(ids[0], time_ns, pages.physics.as_bytes()).unwrap();
        tape.append(ids[1], time_ns, pages.graphics.as_bytes()).unwrap();
        if std::mem::take(&mut first) {
            tape.append(ids[2], time_ns, pages.static_page.as_bytes()).unwrap();
        }
    }
    tape.finish().unwrap();
    text(&path).to_owned()
}

/// A lap, a faster invalid one, a slow one; then the session is restarted.
fn scripted(bench: &Bench) -> String {
    let script = Script::new()
        .lap(&[30_500, 34_700, 35_200])
        .lap(&[30_000, 34_000, 35_000])
        .lap(&[31_000, 35_000, 36_000])
        .wait(10_000)
        .restart()
        .wait(20_000)
        .at(110_000)
        .cut()
        .at(331_400);
    record(bench, "scripted.gtape", Simulation::bare(script))
}

fn driven(bench: &Bench) -> String {
    let settings = Settings { start: Start::Flying, mistakes: false, pit_every_laps: None, ..Settings::default() };
    record(bench, "driven.gtape", Simulation::driving(settings, Script::new().at(130_000).end()))
}

#[test]
fn the_document_has_the_promised_fields_and_the_right_laps() {
    let bench = Bench::new();
    let tape = scripted(&bench);
    let report = bench.expect(0, &["laps", &tape, "--json"]).json();
    let sessions = report["sessions"].as_array().unwrap();
    assert_eq!(sessions.len(), 2);
    let keys = |value: &serde_json::Value| {
        let mut keys: Vec<String> = value.as_object().unwrap().keys().cloned().collect();
        keys.sort();
        keys.join(" ")
    };
    assert_eq!(
        keys(&sessions[0]),
        "best_lap car driver end_reason ended_utc foreign game game_version id laps layout online remark sector_count started_utc stints \
         theoretical_best_ms track type"
    );
    let laps = sessions[0]["laps"].as_array().unwrap();
    assert_eq!(
        keys(&laps[0]),
        "complete conditions delta_to_best_ms driver eligible end_ns foreign fuel_used_l id number phase reason_details reasons sector_source sectors_ms start_ns \
         state stint tape_lap time_ms time_source valid"
    );
    assert_eq!(keys(&laps[1]["reason_details"][0]), "at_fraction at_ns at_sector code source");
    assert_eq!(keys(&sessions[0]["stints"][0]), "end_reason first_lap fuel_end_l fuel_start_l last_lap n start_reason");
    let times: Vec<_> = laps
        .iter()
        .map(|lap| (lap["time_ms"].as_u64(), lap["valid"].as_bool(), lap["delta_to_best_ms"].as_i64()))
        .collect();
    assert_eq!(
        times,
        [
            (Some(100_400), Some(true), Some(0)),
            (Some(99_000), Some(false), Some(-1_400)),
            (Some(102_000), Some(true), Some(1_600)),
            (None, Some(true), None),
        ]
    );
    assert_eq!(sessions[0]["best_lap"], laps[0]["id"]);
    assert_eq!((sessions[0]["type"].as_str(), sessions[0]["end_reason"].as_str()), (Some("practice"), Some("restart")));
    assert_eq!(sessions[0]["started_utc"].as_str(), Some("2026-01-01T00:00:00Z"));
    assert_eq!(laps[0]["sectors_ms"].as_array().unwrap().len(), 3);
    assert_eq!(sessions[1]["laps"][0]["tape_lap"].as_u64(), Some(5));
}

#[test]
fn h11_the_table_says_by_signs_what_it_says_by_colours() {
    let bench = Bench::new();
    let tape = scripted(&bench);
    let table = bench.expect(0, &["laps", &tape]).out;
    for said in [
        "1:40.400*",
        "1:39.000!",
        "-1.400",
        "+1.600",
        "invalid",
        "30.500",
        "best 1:40.400",
        "practice, gametape ring",
        "aborted",
    ] {
        assert!(table.contains(said), "{said} is not in\n{table}");
    }
    assert!(!table.contains('\u{1b}'), "no colours where nobody sees them");
    assert_eq!(bench.expect(0, &["laps", &tape]).out, table);
    let mut coloured = bench.command(&["laps", &tape]);
    let coloured = String::from_utf8(coloured.env("CLICOLOR_FORCE", "1").output().unwrap().stdout).unwrap();
    for (colour, said) in
        [("31", "   +1.600"), ("32", "   -1.400"), ("1m\u{1b}[35", " 1:40.400*"), ("31", " 1:39.000!")]
    {
        assert!(coloured.contains(&format!("\u{1b}[{colour}m{said}\u{1b}[0m")), "{said:?} is not so in\n{coloured:?}");
    }
}

#[test]
fn a_filter_does_not_take_the_best_away() {
    let bench = Bench::new();
    let settings = Settings { start: Start::Box, mistakes: false, pit_every_laps: None, ..Settings::default() };
    let tape = record(&bench, "out.gtape", Simulation::driving(settings, Script::new().at(130_000).end()));
    let whole = bench.expect(0, &["laps", &tape]).out;
    let best = whole.lines().find(|line| line.contains(" in lap #")).unwrap();
    let out = bench.expect(0, &["laps", &tape, "--phase", "out"]).out;
    assert!(out.contains(best) && out.lines().count() < whole.lines().count(), "{best} is not in\n{out}");
}

#[test]
fn filters_leave_out_and_say_when_nothing_is_left() {
    let bench = Bench::new();
    let tape = scripted(&bench);
    let count = |arguments: &[&str]| {
        let all = [&["laps", &tape, "--json"], arguments].concat();
        let report = bench.expect(0, &all).json();
        report["sessions"]
            .as_array()
            .unwrap()
            .iter()
            .map(|session| session["laps"].as_array().unwrap().len())
            .sum::<usize>()
    };
    assert_eq!((count(&[]), count(&["--valid"]), count(&["--phase", "flying", "--valid"])), (5, 2, 2));
    assert_eq!((count(&["--track", "RING"]), count(&["--game", "acc", "--driver", "driver 1"])), (5, 5));
    assert_eq!((count(&["--since", "2025-12-31"]), count(&["--until", "2026-01-01"])), (5, 5));
    bench.expect(4, &["laps", &tape, "--track", "elsewhere"]).is_one_error_with(&["filter"]);
    bench.expect(4, &["laps", &tape, "--since", "2026-01-02"]).is_one_error_with(&["filter"]);
    for wrong in [["--phase", "sideways"], ["--since", "yesterday"], ["--game", "chess"]] {
        bench.expect(2, &[&["laps", &tape], &wrong[..]].concat());
    }
    let csv = bench.expect(0, &["laps", &tape, "--csv"]).out;
    assert_eq!(csv.lines().count(), 6);
    assert!(csv.starts_with("tape,session,game,") && csv.contains("30500 34700 35200"), "{csv}");
}

/// All laps of a tape.
fn laps_of(bench: &Bench, tape: &str) -> Vec<serde_json::Value> {
    let laps = bench.expect(0, &["laps", tape, "--json"]).json();
    let sessions = laps["sessions"].as_array().unwrap();
    sessions.iter().flat_map(|session| session["laps"].as_array().unwrap().clone()).collect()
}

#[test]
fn a_lap_is_cut_played_and_split() {
    let bench = Bench::new();
    let tape = scripted(&bench);
    let lap = bench.path("lap.gtape");
    bench.expect(0, &["cut", &tape, "--lap", "2", "-o", text(&lap)]);
    let info = bench.expect(0, &["info", text(&lap), "--json"]).json();
    let seconds = info["duration_ns"].as_u64().unwrap() as f64 / 1e9;
    assert!((101.0..111.0).contains(&seconds), "the lap, two seconds before and up to nine behind it: {seconds}");
    let facts = |lap: &serde_json::Value| {
        ["number", "time_ms", "time_source", "state", "phase", "sectors_ms", "valid", "complete", "eligible", "reasons"]
            .map(|name| lap[name].clone())
    };
    let all = laps_of(&bench, &tape);
    let cut = laps_of(&bench, text(&lap));
    assert_eq!((cut.len(), &cut[0]["tape_lap"]), (1, &serde_json::json!(1)), "{cut:?}");
    assert_eq!(facts(&cut[0]), facts(&all[1]));
    // A tape cut from it in turn is not mistaken for the lap.
    let again = bench.path("again.gtape");
    bench.expect(0, &["cut", text(&lap), "--from", "1", "--to", "60", "-o", text(&again)]);
    assert!(laps_of(&bench, text(&again)).iter().all(|lap| lap["time_ms"].is_null() || lap["complete"] == false));
    bench
        .expect(4, &["cut", &tape, "--lap", "9", "-o", text(&bench.path("none.gtape"))])
        .is_one_error_with(&["lap 9", "laps 1 to 5"]);
    bench.expect(2, &["cut", &tape, "--lap", "1", "--from", "1", "-o", "x"]);
    bench.expect(4, &["play", &tape, "--lap", "0", "--names", "laps-test-"]).is_one_error_with(&["lap 0"]);
    let played = bench
        .expect(0, &["play", &tape, "--lap", "2", "--speed", "100", "--names", "gametape-laps-test-", "--json"])
        .json();
    let frames = played["frames"].as_u64().unwrap();
    assert!((9_880..9_930).contains(&frames), "{frames}");

    let parts = bench.path("parts");
    let made = bench.expect(0, &["split", &tape, "--by", "lap", "-o", text(&parts)]).out;
    assert_eq!(made.lines().count(), 5);
    assert!(made.lines().next().unwrap().ends_with("scripted_lap-1.gtape"), "{made}");
    assert!(std::fs::read(parts.join("scripted_lap-2.gtape")).unwrap() == std::fs::read(&lap).unwrap(), "the same lap");
    for (path, before) in made.lines().zip(&all) {
        let lap = laps_of(&bench, path);
        assert_eq!((lap.len(), facts(&lap[0])), (1, facts(before)), "{path}");
    }
    bench.expect(1, &["split", &tape, "--by", "lap", "-o", text(&parts)]).is_one_error_with(&["already exists"]);
    let made = bench.expect(0, &["split", &tape, "--by", "session"]).out;
    assert_eq!(made.lines().count(), 2);
    let second = bench.expect(0, &["laps", made.lines().nth(1).unwrap(), "--json"]).json();
    assert_eq!(second["sessions"].as_array().unwrap().len(), 1);
}

#[test]
fn two_laps_are_compared_by_the_place() {
    let bench = Bench::new();
    let tape = driven(&bench);
    let laps = bench.expect(0, &["laps", &tape, "--json"]).json();
    let times: Vec<i64> =
        laps["sessions"][0]["laps"].as_array().unwrap().iter().filter_map(|lap| lap["time_ms"].as_i64()).collect();
    assert!(times.len() >= 3, "{times:?}");
    let [one, two] = ["#1", "#2"].map(|lap| format!("{tape}{lap}"));
    let compared = bench.expect(0, &["compare", &one, &two, "--json"]).json();
    let grid = compared["grid"].as_array().unwrap();
    let step_m = grid[1]["distance_m"].as_f64().unwrap() - grid[0]["distance_m"].as_f64().unwrap();
    assert!((step_m - 5.0).abs() < 1e-3 && grid.len() > 300, "{step_m} {}", grid.len());
    let last = grid.last().unwrap()["delta_ms"].as_f64().unwrap();
    let difference = (times[1] - times[0]) as f64;
    assert!((last - difference).abs() < 0.01, "{last} of {times:?}");
    for step in ["0.5", "5", "100", "499"] {
        let compared = bench.expect(0, &["compare", &one, &two, "--step", step, "--json"]).json();
        let lost: f64 =
            compared["stretches"].as_array().unwrap().iter().map(|part| part["lost_ms"].as_f64().unwrap()).sum();
        assert!((lost - difference).abs() < 0.01, "{step} m: {lost} of {difference}");
        let corners = compared["corners"].as_array().unwrap();
        assert!(corners.len() >= 3, "{step} m: {corners:?}");
        assert!(corners[0]["min_speed_a_kmh"].as_f64().is_some() && corners[0]["lost_ms"].as_f64().is_some());
    }
    assert!(
        grid.iter()
            .all(|point| point["a"]["speed_kmh"].as_f64().is_some() && point["b"]["throttle"].as_f64().is_some())
    );
    let table = bench.expect(0, &["compare", &one, &two]).out;
    assert!(table.starts_with("A  ") && table.contains("lost") || table.contains("won"), "{table}");
    let at = |word: &str| table.find(word).unwrap_or_else(|| panic!("{word}: {table}"));
    assert!(at("B is ") < at("corner") && at("corner") < at("km/h A"), "the summary comes first: {table}");
    assert_eq!(bench.expect(0, &["compare", &one, &two, "--csv"]).out.lines().count(), grid.len() + 1);
    let itself = bench.expect(0, &["compare", &one, &one, "--json"]).json();
    assert!(itself["grid"].as_array().unwrap().iter().all(|point| point["delta_ms"].as_f64() == Some(0.0)));
    bench.expect(2, &["compare", &tape, &two]).is_one_error_with(&["TAPE#N"]);
    bench.expect(4, &["compare", &one, &format!("{tape}#99")]).is_one_error_with(&["lap 99"]);
}

#[test]
fn laps_are_excluded_noted_deleted_and_come_back() {
    let bench = Bench::new();
    let tape = scripted(&bench);
    bench.expect(4, &["laps", "exclude", &format!("{tape}#1")]).is_one_error_with(&["no store"]);
    bench.expect(0, &["add", &tape]);
    let laps = || {
        let report = bench.expect(0, &["laps", "--json"]).json();
        let sessions = report["sessions"].as_array().unwrap().clone();
        let best = |session: &serde_json::Value| session["best_lap"].as_str().map(str::to_owned);
        let first = sessions.iter().find(|session| session["laps"].as_array().unwrap().len() > 1).unwrap().clone();
        (best(&first), first)
    };
    let (best, session) = laps();
    let (best, id) = (best.unwrap(), session["id"].as_str().unwrap().to_owned());
    // The first lap is the best one, by its number on the tape and by its id.
    let edited = bench.expect(0, &["laps", "exclude", &format!("{tape}#1"), "--json"]).json();
    assert_eq!((&edited["edited"][0]["id"], &edited["edited"][0]["excluded"]), (&best.as_str().into(), &true.into()));
    assert_ne!(laps().0.as_deref(), Some(best.as_str()), "an excluded lap is no best");
    bench.expect(0, &["laps", "include", &best]);
    assert_eq!(laps().0.as_deref(), Some(best.as_str()));
    let noted = bench.expect(0, &["laps", "note", &best, "new tyres", "--json"]).json();
    assert_eq!(noted["edited"][0]["note"], "new tyres");
    let noted = bench.expect(0, &["laps", "note", &best, "", "--json"]).json();
    assert!(noted["edited"][0]["note"].is_null());
    let count = |session: &serde_json::Value| session["laps"].as_array().unwrap().len();
    let ran = bench.expect(0, &["laps", "delete", &best]);
    assert!(ran.err.contains("laps restore"), "{}", ran.err);
    assert_eq!(count(&laps().1), count(&session) - 1);
    bench.expect(0, &["laps", "rebuild", "--all"]);
    assert_eq!(count(&laps().1), count(&session) - 1, "it stays deleted");
    bench.expect(0, &["laps", "restore", &best]);
    assert_eq!(laps().1, session);
    // The same for a session, but it cannot be excluded.
    bench.expect(2, &["laps", "exclude", &id]).is_one_error_with(&["session"]);
    bench.expect(0, &["laps", "delete", &id]);
    bench.expect(0, &["laps", "restore", &id]);
    assert_eq!(laps().1, session);
    bench.expect(4, &["laps", "delete", &"0".repeat(32)]).is_one_error_with(&["no lap or session"]);
    bench.expect(2, &["laps", "delete", "first"]).is_one_error_with(&["TAPE#N"]);
    assert!(bench.expect(0, &["laps", "--csv"]).out.contains(&best), "ids are printed");
}

#[test]
fn a_token_is_revoked_by_its_name_and_has_one() {
    let bench = Bench::new();
    for empty in ["", "  "] {
        bench.expect(2, &["token", "add", empty]);
    }
    bench.expect(0, &["token", "add", "rig"]);
    let ran = bench.expect(0, &["token", "revoke", "rig"]);
    assert!(ran.err.contains("revoked rig"), "{}", ran.err);
    // The name of a revoked token can be used again.
    bench.expect(0, &["token", "add", "rig"]);
    bench.expect(0, &["token", "revoke", "rig"]);
    let tokens = bench.expect(0, &["token", "list", "--json"]).json();
    let tokens = tokens["tokens"].as_array().unwrap();
    assert!(tokens.len() == 2 && tokens.iter().all(|token| token["revoked_utc"].is_string()), "{tokens:?}");
    for _ in 0..2 {
        bench.expect(0, &["token", "add", "twice"]);
    }
    bench.expect(2, &["token", "revoke", "twice"]).is_one_error_with(&["2 tokens", "id"]);
    let list = bench.expect(0, &["token", "list", "--json"]).json();
    let id = list["tokens"][2]["id"].as_str().unwrap().to_owned();
    bench.expect(0, &["token", "revoke", &id]);
    bench.expect(0, &["token", "revoke", "twice"]);
    bench.expect(4, &["token", "revoke", "nobody"]).is_one_error_with(&["nobody", "token list"]);
}

/// A tape of a race of F1 25 with 22 cars: only the packets about laps and cars, 20 times a second.
fn race(bench: &Bench) -> String {
    let game = gametape::games::find_game("f1-25").unwrap();
    let path = bench.path("race.gtape");
    let options = WriteOptions { start_utc_ns: Some(1_767_225_600_000_000_000), ..WriteOptions::new(TapeId([8; 16])) };
    let mut tape = TapeBuilder::create(Arc::new(StdFiles), &path, &options, false).unwrap();
    let wanted = ["session", "lap-data", "participants", "car-status", "session-history", "event"];
    let ids = wanted.map(|name| {
        let layout = game.stream(name).unwrap().layouts()[0];
        tape.add_stream(stream_of_layout(game.id, name, "udp", layout), 0).unwrap()
    });
    let settings = Settings { session: SessionKind::Race, start: Start::Grid, ..Settings::default() };
    let (mut car, mut sent) = (Game::new(settings), Datagrams::default());
    let mut encoder = datagram_encoder(game.id).unwrap();
    for ms in 0..100_000_u64 {
        sent.clear();
        encoder.encode(ms, &car, &mut sent);
        for datagram in sent.iter() {
            let name = game.rules.datagram(datagram, &mut Vec::new()).unwrap();
            let is_due = !["lap-data", "car-status"].contains(&name) || ms % 50 < 16;
            if let Some(at) = wanted.iter().position(|wanted| *wanted == name && is_due) {
                tape.append(ids[at], ms * 1_000_000, datagram).unwrap();
            }
        }
        car.step();
    }
    tape.finish().unwrap();
    text(&path).to_owned()
}

#[test]
fn all_cars_are_listed_with_their_laps_if_the_game_reports_them() {
    let bench = Bench::new();
    let race = race(&bench);
    let json = bench.expect(0, &["laps", &race, "--all-cars", "--json"]).json();
    let cars = json["sessions"][0]["cars"].as_array().unwrap();
    let positions: Vec<_> = cars.iter().map(|car| car["position"].as_u64().unwrap()).collect();
    assert!(positions.iter().copied().eq(1..=22), "{positions:?}");
    assert_eq!(cars[0]["gap_to_leader_ms"], serde_json::Value::Null);
    let laps: usize = cars.iter().map(|car| car["laps"].as_array().unwrap().len()).sum();
    assert!(laps > 44, "{laps}");
    let csv = bench.expect(0, &["laps", &race, "--all-cars", "--csv"]).out;
    assert_eq!(csv.lines().count(), laps + 1);
    let table = bench.expect(0, &["laps", &race, "--all-cars"]).out;
    assert!(table.contains("interval") && table.contains("Driver 22") && table.contains("medium"), "{table}");
    // The player's laps stay the default.
    let alone = bench.expect(0, &["laps", &race, "--json"]).json();
    assert!(alone["sessions"][0].get("cars").is_none() && !bench.expect(0, &["laps", &race]).out.contains("Driver 22"));
    // The same from the store.
    bench.expect(0, &["add", &race]);
    let stored = bench.expect(0, &["laps", "--all-cars", "--json"]).json();
    assert_eq!(stored["sessions"][0]["cars"], json["sessions"][0]["cars"]);
}

#[test]
fn a_game_that_did_not_send_the_other_cars_says_so() {
    let bench = Bench::new();
    let tape = driven(&bench);
    let table = bench.expect(0, &["laps", &tape, "--all-cars"]).out;
    assert!(table.contains("no other cars are stored"), "{table}");
}
