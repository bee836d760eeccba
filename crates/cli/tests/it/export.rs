//! `export`: tables of tapes, exact, with laps and times; sources are not modified and nothing is overwritten.
#![cfg(target_os = "linux")]
#![allow(clippy::unwrap_used, missing_docs)]
use crate::support;

use std::collections::HashMap;

use support::{Bench, text};

/// Returns the cells of each row by the names of the header.
fn rows(csv: &str) -> Vec<HashMap<String, String>> {
    assert!(csv.ends_with("\r\n") && !csv.replace("\r\n", "").contains('\n'), "lines end as RFC 4180 says");
    let mut lines = csv.split_terminator("\r\n").map(|line| line.split(',').map(str::to_owned).collect::<Vec<_>>());
    let names = lines.next().unwrap();
    lines
        .map(|cells| {
            assert_eq!(cells.len(), names.len());
            names.iter().cloned().zip(cells).collect()
        })
        .collect()
}

fn driven(bench: &Bench) -> String {
    bench.expect(0, &["demo", "--laps", "2", "--speed", "100"]).out.trim().to_owned()
}

#[test]
fn a_table_has_every_frame_with_times_laps_and_units() {
    let bench = Bench::new();
    let tape = driven(&bench);
    let before = std::fs::read(&tape).unwrap();
    let ran = bench.expect(0, &["export", &tape, "--channels", "speedKmh,gear,completedLaps,track"]);
    let csv = ran.out.trim().to_owned();
    assert_eq!(csv, tape.replace(".gtape", ".csv"));
    let table = rows(&std::fs::read_to_string(&csv).unwrap());
    assert!(ran.err.contains(&format!("{},{:03} rows", table.len() / 1000, table.len() % 1000)), "{}", ran.err);

    // The stream with the most frames determines the rows: each of its values is in its row.
    let cat = bench.expect(0, &["cat", &tape, "--channels", "speedKmh,gear"]).out;
    let cat: Vec<&str> = cat.lines().skip(1).collect();
    assert_eq!(table.len(), cat.len());
    for (row, line) in table.iter().zip(&cat) {
        assert_eq!(format!("{},{},{}", row["time_ns"], row["speedKmh"], row["gear"]), **line);
    }
    // A slower stream repeats its last value, and laps are those of `laps`.
    let laps = bench.expect(0, &["laps", &tape, "--json"]).json();
    for lap in laps["sessions"][0]["laps"].as_array().unwrap() {
        let (start, end) = (lap["start_ns"].as_u64().unwrap(), lap["end_ns"].as_u64().unwrap());
        let inside = |row: &&HashMap<String, String>| (start..end).contains(&row["time_ns"].parse().unwrap());
        let driven: Vec<_> = table.iter().filter(inside).collect();
        let number = lap["tape_lap"].to_string();
        assert!(driven.iter().all(|row| row["lap"] == number));
        let metres: Vec<f64> = driven.iter().filter_map(|row| row["lap_distance_m"].parse().ok()).collect();
        let middle = &metres[5..metres.len() - 5];
        assert!(middle.windows(2).all(|pair| pair[0] <= pair[1]), "the way grows along a lap");
    }
    assert!(table.iter().skip(10).all(|row| row["track"] == "gametape ring" && row["utc"].starts_with("20")));
    assert_eq!(table[100]["time_s"].replace('.', "").trim_start_matches('0'), table[100]["time_ns"]);
    assert_eq!(std::fs::read(&tape).unwrap(), before, "the source is as it was");
}

#[test]
fn laps_get_files_of_their_own_and_nothing_is_overwritten() {
    let bench = Bench::new();
    let tape = driven(&bench);
    let folder = bench.path("laps");
    let arguments = ["export", &tape, "--per-lap", "--channels", "speedKmh", "--to", "csv,jsonl", "-o", text(&folder)];
    let files: Vec<String> = bench.expect(0, &arguments).out.lines().map(str::to_owned).collect();
    assert!(files.len() >= 4 && files.iter().any(|file| file.ends_with("_lap02.jsonl")), "{files:?}");
    let lap = |file: &str| std::fs::read_to_string(file).unwrap();
    let first = files.iter().find(|file| file.ends_with("_lap01.csv")).unwrap();
    assert!(rows(&lap(first)).iter().all(|row| row["lap"] == "1"));
    let json = lap(files.iter().find(|file| file.ends_with("_lap01.jsonl")).unwrap());
    for (line, row) in json.lines().zip(rows(&lap(first))) {
        let object: serde_json::Value = serde_json::from_str(line).unwrap();
        assert_eq!(object["speedKmh"].as_f64().unwrap() as f32, row["speedKmh"].parse::<f32>().unwrap());
        assert_eq!(object["lap"], 1);
    }
    let again: Vec<String> = bench.expect(0, &arguments).out.lines().map(str::to_owned).collect();
    assert!(again.iter().all(|file| !files.contains(file)), "{again:?}");
    bench.expect(2, &["export", &tape, "-o", first]).is_one_error_with(&["already exists"]);
    assert_eq!(std::fs::read_dir(&folder).unwrap().count(), files.len() + again.len(), "no unfinished file is left");
}

#[test]
fn what_import_reads_is_exported_and_what_is_not_there_is_told() {
    let bench = Bench::new();
    let (tape, source) = bench.imported(50);
    let out = bench.path("of_source.csv");
    bench.expect(0, &["export", &source, "--channels", "Torque_ST,Letters", "-o", text(&out)]);
    let direct = bench.path("of_tape.csv");
    bench.expect(0, &["export", &tape, "--channels", "Torque_ST,Letters", "-o", text(&direct)]);
    assert_eq!(std::fs::read(&out).unwrap(), std::fs::read(&direct).unwrap());
    bench.expect(4, &["export", &tape, "--channels", "Sped"]).is_one_error_with(&["Sped", "gametape info --channels"]);
    bench.expect(4, &["export", &tape, "--channels", "torque_sd"]).is_one_error_with(&["did you mean Torque_ST?"]);
    for to in ["nevrcap", "v2-tape"] {
        bench.expect(4, &["export", &tape, "--to", to]).is_one_error_with(&["no Echo VR responses", "cat --format v2"]);
    }
}

#[test]
fn a_motec_log_and_its_laps_are_one_pair() {
    let bench = Bench::new();
    let tape = driven(&bench);
    let files = |ran: &str| ran.lines().map(str::to_owned).collect::<Vec<_>>();
    let first = bench.expect(0, &["export", &tape, "--to", "motec"]);
    let pair = files(&first.out);
    assert_eq!(pair, [tape.replace(".gtape", ".ld"), tape.replace(".gtape", ".ldx")]);
    let ldx = std::fs::read_to_string(&pair[1]).unwrap();
    assert!(ldx.contains("ClassName=\"BCN\"") && ldx.contains("Fastest Time"), "{ldx}");
    // The importer reads it, with the laps.
    let laps = |file: &str| {
        let sessions = bench.expect(0, &["laps", file, "--json"]).json()["sessions"].clone();
        let laps = sessions[0]["laps"].as_array().unwrap().clone();
        let timed = laps.iter().filter(|lap| lap["state"] == "final" && lap["complete"] == true);
        timed.map(|lap| lap["time_ms"].as_u64().unwrap()).collect::<Vec<_>>()
    };
    let back = bench.path("back.gtape");
    bench.expect(0, &["import", &pair[0], "-o", text(&back)]);
    assert!(!laps(&tape).is_empty());
    assert_eq!(laps(text(&back)), laps(&tape));

    // If one name is taken, both get a number; a name that was given is refused.
    std::fs::remove_file(&pair[0]).unwrap();
    let second = files(&bench.expect(0, &["export", &tape, "--to", "motec", "--hz", "20"]).out);
    assert_eq!(second, [tape.replace(".gtape", "-2.ld"), tape.replace(".gtape", "-2.ldx")]);
    assert_eq!(std::fs::read_to_string(&pair[1]).unwrap(), ldx);
    bench.expect(2, &["export", &tape, "--to", "motec", "-o", &pair[0]]).is_one_error_with(&[".ldx already exists"]);
    let forced = bench.expect(0, &["export", &tape, "--to", "motec", "-o", &pair[0], "--force"]);
    assert_eq!(files(&forced.out), pair);
    let folder = bench.path("logs");
    let each = files(&bench.expect(0, &["export", &tape, "--to", "motec", "--per-lap", "-o", text(&folder)]).out);
    assert!(each.len() >= 4 && each.iter().any(|file| file.ends_with("_lap02.ldx")), "{each:?}");
    assert_eq!(std::fs::read_dir(&folder).unwrap().count(), each.len(), "no unfinished file is left");
    let only = bench.expect(0, &["export", &tape, "--to", "motec", "--until", "3", "-o", "-"]);
    assert!(only.err.contains(".ldx with the laps"), "{}", only.err);
    bench
        .expect(4, &["export", &tape, "--to", "motec", "--from", "900:00"])
        .is_one_error_with(&["no frames in this range"]);
}

#[test]
fn an_mcap_file_is_whole_and_has_the_frames_of_the_tape() {
    const MAGIC: &[u8] = b"\x89MCAP0\r\n";
    let bench = Bench::new();
    let tape = driven(&bench);
    let ran = bench.expect(0, &["export", &tape, "--to", "mcap", "--channels", "speedKmh,gear"]);
    let file = std::fs::read(ran.out.trim()).unwrap();
    assert!(file.starts_with(MAGIC) && file.ends_with(MAGIC));
    let frames = bench.expect(0, &["cat", &tape, "--channels", "speedKmh,gear"]).out.lines().count() - 1;
    assert!(ran.err.replace(',', "").contains(&format!("{frames} frames 2 channels")), "{}", ran.err);
    let folder = bench.path("laps");
    let each = bench.expect(0, &["export", &tape, "--to", "mcap", "--per-lap", "--hz", "10", "-o", text(&folder)]).out;
    assert!(each.lines().count() >= 2 && each.lines().all(|file| std::fs::read(file).unwrap().ends_with(MAGIC)));
}

/// Exports a report; `None` if this program was built without npm, after checking its error.
fn page(bench: &Bench, arguments: &[&str]) -> Option<Vec<String>> {
    let ran = bench.run(arguments);
    if ran.code == 1 && ran.err.contains("built without its web pages") {
        ran.is_one_error_with(&["Node.js 20.19", "--to csv"]);
        return None;
    }
    assert_eq!(ran.code, 0, "{}", ran.err);
    Some(ran.out.lines().map(str::to_owned).collect())
}

/// Returns the document in a report.
fn document(html: &str) -> serde_json::Value {
    let (_, data) = html.split_once("<script type=\"application/json\" id=\"data\">").unwrap();
    serde_json::from_str(data.split_once("</script>").unwrap().0).unwrap()
}

#[test]
fn the_newest_tape_becomes_a_table_and_a_page_and_a_summary_tells_of_it() {
    let bench = Bench::new();
    let tape = driven(&bench);
    let before = std::fs::read(&tape).unwrap();
    let Some(files) = page(&bench, &["export", "--to", "csv,html"]) else { return };
    assert_eq!(files, [tape.replace(".gtape", ".csv"), tape.replace(".gtape", ".html")]);
    let html = std::fs::read_to_string(&files[1]).unwrap();
    let report = document(&html);
    let laps = bench.expect(0, &["laps", &tape, "--json"]).json();
    assert_eq!(report["sessions"], laps["sessions"]);
    let names = report["lines"]["channels"].as_array().unwrap().iter().map(|one| one["name"].as_str().unwrap());
    let names: Vec<_> = names.collect();
    for name in ["speed_kmh", "throttle", "brake", "gear", "steering", "rpm", "x_m", "z_m", "speedKmh"] {
        assert!(names.contains(&name), "{name}: {names:?}");
    }
    assert!(report["lines"]["laps"].as_array().unwrap().len() >= 2);
    assert!(report["tracks"][0]["outline_m"].as_array().unwrap().len() > 50);
    // Nothing in it refers to an external resource.
    assert!(html.contains("default-src 'none'") && !html.contains("src=\"") && !html.contains("@import"));
    let again = page(&bench, &["export", "--to", "html,csv"]).unwrap();
    assert!(again.iter().all(|file| !files.contains(file)), "{again:?}");
    assert_eq!(std::fs::read_to_string(&files[1]).unwrap(), html, "nothing was overwritten");
    let told = bench.expect(0, &["export", "--to", "html", "-o", text(&bench.path("a.html"))]).err;
    assert!(told.contains("gametape ring") && told.contains("laps (") && told.contains("best 0:"), "{told}");
    bench.expect(2, &["export", "--to", "html", "--per-lap"]).is_one_error_with(&["omit --per-lap"]);
    assert_eq!(std::fs::read(&tape).unwrap(), before, "the source is as it was");
}

#[test]
fn no_text_of_a_tape_ends_the_script_of_a_page() {
    use gametape::format::write::{StdFiles, TapeBuilder, WriteOptions};
    use gametape::format::{Channel, ChannelType, StreamSpec};
    const EVIL: &str = "</script><script>alert(1)</script><!--";
    let bench = Bench::new();
    let path = bench.path("evil.gtape");
    let options = WriteOptions::new(gametape::identity::new_id());
    let mut tape = TapeBuilder::create(std::sync::Arc::new(StdFiles), &path, &options, false).unwrap();
    let channels = vec![Channel::new(EVIL, ChannelType::F32, 0, 1, EVIL)];
    let spec = StreamSpec { game: EVIL.into(), ..StreamSpec::columns(EVIL, 4, channels) };
    let stream = tape.add_stream(spec, 0).unwrap();
    for frame in 0..100_u64 {
        tape.append(stream, frame * 10_000_000, &(frame as f32).to_le_bytes()).unwrap();
    }
    for key in ["track", "car", "driver", "note"] {
        tape.metadata(0, key, EVIL).unwrap();
    }
    tape.event(5, "mark", EVIL).unwrap();
    tape.finish().unwrap();
    let Some(files) = page(&bench, &["export", text(&path), "--to", "html"]) else { return };
    let html = std::fs::read_to_string(&files[0]).unwrap();
    assert!(
        !html.contains("alert(1)</") && html.matches("<script").count() == 2,
        "the data and the script of the page"
    );
    let report = document(&html);
    assert_eq!([&report["track"], &report["game"], &report["note"], &report["marks"][0]["text"]], [EVIL; 4]);
    assert_eq!(report["lines"]["channels"][0]["unit"], EVIL);
}

#[test]
fn the_distance_is_known_whatever_channels_are_chosen() {
    let bench = Bench::new();
    let tape = driven(&bench);
    let csv = bench.expect(0, &["export", &tape, "--channels", "speedKmh"]).out.trim().to_owned();
    let table = rows(&std::fs::read_to_string(&csv).unwrap());
    let frames = bench.expect(0, &["cat", &tape, "--channels", "speedKmh"]).out.lines().count() - 1;
    assert_eq!(table.len(), frames, "rows stand where the chosen stream has frames");
    let inside = table.iter().filter(|row| row["lap"] == "1");
    assert!(inside.skip(5).all(|row| row["lap_distance_m"].parse::<f64>().is_ok_and(|metres| metres >= 0.0)));
}

#[test]
fn a_table_goes_to_stdout_and_has_the_rows_and_columns_that_were_asked_for() {
    let bench = Bench::new();
    let tape = bench.driven_tape(1000);
    for out in ["-", "/dev/stdout"] {
        let ran = bench.expect(0, &["export", &tape, "--from", "2", "--until", "4", "--hz", "10", "-o", out]);
        let table = rows(&ran.out);
        assert_eq!(table.len(), 20, "{}", ran.out);
        assert!(table.iter().all(|row| row["time_s"].starts_with("2.") || row["time_s"].starts_with("3.")));
        assert!(table[0].contains_key("speedKmh") && table[0].len() < 60, "the usual columns: {:?}", table[0].keys());
        assert!(ran.err.contains("stdout") && ran.err.contains("--all"), "{}", ran.err);
    }
    let all = bench.expect(0, &["export", &tape, "--all", "--until", "1", "-o", "-"]);
    let json = bench.expect(0, &["export", &tape, "--all", "--until", "1", "--to", "jsonl", "-o", "-"]);
    let cat = bench.expect(0, &["cat", &tape, "--to", "1"]);
    let names = |head: &str| head.lines().next().unwrap().split(',').map(str::to_owned).collect::<Vec<_>>();
    assert_eq!(names(&all.out)[5..], names(&cat.out)[1..], "one naming scheme");
    let object: serde_json::Value = serde_json::from_str(json.out.lines().next().unwrap()).unwrap();
    let plain = |name: &String| name.split('[').next().unwrap().to_owned();
    let mut expected: Vec<String> = names(&all.out).iter().map(plain).collect();
    expected.dedup();
    expected.sort_unstable();
    assert_eq!(support::keys(&object), expected);
    for (arguments, word) in [
        (vec!["--to", "csv,jsonl", "-o", "-"], "only one file"),
        (vec!["-o", "-", "--json"], "--json"),
        (vec!["--from", "4", "--until", "2"], "later"),
        (vec!["--hz", "0"], "0.001"),
        (vec!["--to", "echoreplay", "--hz", "5"], "gametape cut"),
        (vec!["-o", "/dev/null"], "-o -"),
    ] {
        let ran = bench.expect(2, &[vec!["export", &tape], arguments].concat());
        assert!(ran.err.contains(word), "{word}: {}", ran.err);
    }
    bench.expect(4, &["export", &tape, "--from", "1h"]).is_one_error_with(&["no frames between", &tape]);
}

#[test]
fn force_overwrites_files_and_never_a_source() {
    let bench = Bench::new();
    let tape = bench.driven_tape(100);
    let before = std::fs::read(&tape).unwrap();
    let out = support::ibt::put(&bench.path("old.csv"), b"old");
    bench.expect(2, &["export", &tape, "-o", text(&out)]).is_one_error_with(&["old.csv", "--force"]);
    bench.expect(0, &["export", &tape, "-o", text(&out), "--force"]);
    assert!(std::fs::read_to_string(&out).unwrap().starts_with("time_ns,"));
    let beside = bench.expect(0, &["export", &tape]).out;
    assert_eq!(bench.expect(0, &["export", &tape, "--force"]).out, beside, "the same name again");
    bench.expect(2, &["export", &tape, "-o", &tape, "--force"]).is_one_error_with(&["is the source"]);
    bench.expect(2, &["export", &tape, "-o", "/dev/null", "--force"]).is_one_error_with(&["not a regular file"]);
    assert_eq!(std::fs::read(&tape).unwrap(), before);
    let nowhere = bench.path("none/a.csv");
    bench.expect(1, &["export", &tape, "-o", text(&nowhere)]).is_one_error_with(&[text(&nowhere), &tape]);
}
