//! `laps`, `compare`, `split`, and `cut` and `play` by lap.
#![allow(clippy::unwrap_used, missing_docs)]
mod support;

use std::sync::Arc;

use gametape::format::TapeId;
use gametape::format::write::{StdFiles, TapeBuilder, WriteOptions};
use gametape::games::acc;
use gametape::layout::stream_of_layout;
use gametape::simulated_car::{Script, Settings, Simulation, Start};
use support::{Bench, text};
use zerocopy::IntoBytes as _;

/// A tape of Competizione's three pages, 50 times a second.
fn record(bench: &Bench, name: &str, simulation: Simulation) -> String {
    let path = bench.path(name);
    let options = WriteOptions { start_utc_ns: Some(1_767_225_600_000_000_000), ..WriteOptions::new(TapeId([9; 16])) };
    let mut tape = TapeBuilder::create(Arc::new(StdFiles), &path, &options, false).unwrap();
    let layouts = [("physics", &acc::PHYSICS_800), ("graphics", &acc::GRAPHICS_1588), ("static", &acc::STATIC_820)];
    let ids =
        layouts.map(|(name, layout)| tape.add_stream(stream_of_layout(acc::GAME.id, name, "shm", layout), 0).unwrap());
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

/// A lap, a faster one that is cut, a slow one; then the session is started again.
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
        "best_lap car driver end_reason ended_utc game game_version id laps layout online remark sector_count started_utc stints \
         theoretical_best_ms track type"
    );
    let laps = sessions[0]["laps"].as_array().unwrap();
    assert_eq!(
        keys(&laps[0]),
        "complete conditions delta_to_best_ms driver eligible end_ns fuel_used_l id number phase reason_details reasons sector_source sectors_ms start_ns \
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

#[test]
fn a_lap_is_cut_played_and_split() {
    let bench = Bench::new();
    let tape = scripted(&bench);
    let lap = bench.path("lap.gtape");
    bench.expect(0, &["cut", &tape, "--lap", "2", "-o", text(&lap)]);
    let info = bench.expect(0, &["info", text(&lap), "--json"]).json();
    let seconds = info["duration_ns"].as_u64().unwrap() as f64 / 1e9;
    assert!((98.9..99.1).contains(&seconds), "{seconds}");
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
    bench.expect(1, &["split", &tape, "--by", "lap", "-o", text(&parts)]).is_one_error_with(&["exists already"]);
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
    assert!((last - (times[1] - times[0]) as f64).abs() < 40.0, "{last} of {times:?}");
    let lost: f64 =
        compared["stretches"].as_array().unwrap().iter().map(|part| part["lost_ms"].as_f64().unwrap()).sum();
    assert!((lost - last).abs() < 60.0, "{lost} of {last}");
    assert!(
        grid.iter()
            .all(|point| point["a"]["speed_kmh"].as_f64().is_some() && point["b"]["throttle"].as_f64().is_some())
    );
    let table = bench.expect(0, &["compare", &one, &two]).out;
    assert!(table.contains("lost") || table.contains("won"), "{table}");
    assert_eq!(bench.expect(0, &["compare", &one, &two, "--csv"]).out.lines().count(), grid.len() + 1);
    let itself = bench.expect(0, &["compare", &one, &one, "--json"]).json();
    assert!(itself["grid"].as_array().unwrap().iter().all(|point| point["delta_ms"].as_f64() == Some(0.0)));
    bench.expect(2, &["compare", &tape, &two]).is_one_error_with(&["TAPE#N"]);
    bench.expect(4, &["compare", &one, &format!("{tape}#99")]).is_one_error_with(&["lap 99"]);
}
