//! `import`: names, exit codes, several files, real files.
#![allow(clippy::unwrap_used, missing_docs)]
use crate::gamesdat;
use crate::replay;
use crate::support;

use serde_json::Value;
use support::ibt::{ibt, lapped_ibt, put, real_data};
use support::{Bench, keys, text};

#[test]
fn without_a_store_a_tape_goes_beside_its_source_and_a_number_is_added_rather_than_anything_overwritten() {
    let bench = Bench::new();
    let (first, source) = bench.imported(50);
    assert_eq!(first, text(&bench.path("a.gtape")));
    let second = bench.expect(0, &["import", &source, "--no-store"]).out;
    assert_eq!(second.trim(), text(&bench.path("a-2.gtape")));
    assert!(std::fs::read(first).unwrap() == std::fs::read(second.trim()).unwrap(), "the same source, the same tape");
    assert!(!bench.path("laps.sqlite").exists() && !bench.path("tapes").exists());
}

fn laps_in_store(bench: &Bench) -> usize {
    let sessions = bench.expect(0, &["laps", "--json"]).json();
    let laps = |session: &serde_json::Value| session["laps"].as_array().unwrap().len();
    sessions["sessions"].as_array().unwrap().iter().map(laps).sum()
}

#[test]
fn an_imported_file_is_in_the_tapes_folder_the_catalogue_and_the_store_once() {
    let bench = Bench::new();
    let source = put(&bench.path("race.ibt"), &lapped_ibt(6400));
    let ran = bench.expect(0, &["import", text(&source)]);
    let tape = bench.path("tapes/race.gtape");
    assert_eq!(ran.out.trim(), text(&tape));
    assert!(ran.err.contains("in the store") && ran.err.contains("next: `gametape "), "{}", ran.err);
    let sessions = bench.expect(0, &["laps", "--json"]).json()["sessions"].as_array().unwrap().len();
    assert!(sessions > 0);
    let laps = laps_in_store(&bench);
    assert!(laps >= 3, "{laps}");
    // The same bytes under another name are the same tape.
    let renamed = put(&bench.path("copy.ibt"), &lapped_ibt(6400));
    for again in [&source, &renamed] {
        let report = bench.expect(0, &["import", text(again), "--json"]).json();
        let import = &report["imports"][0];
        assert_eq!((&import["path"], &import["already_there"]), (&text(&tape).into(), &true.into()), "{report}");
        assert_eq!(import["store"]["new_entries"], 0, "{report}");
    }
    assert_eq!(std::fs::read_dir(bench.path("tapes")).unwrap().count(), 1);
    // A named output gets its file; the laps are not duplicated.
    let out = bench.path("mine.gtape");
    bench.expect(0, &["import", text(&source), "-o", text(&out)]);
    assert!(out.is_file());
    assert_eq!(laps_in_store(&bench), laps);
    let rebuilt = bench.expect(0, &["laps", "rebuild", "--all", "--json"]).json();
    assert_eq!((&rebuilt["tapes"]["tracked"], &rebuilt["entries"]["new"]), (&1.into(), &0.into()), "{rebuilt}");
}

#[test]
fn a_tape_that_was_imported_to_another_folder_is_known_to_rebuild() {
    let bench = Bench::new();
    let source = put(&bench.path("race.ibt"), &lapped_ibt(6400));
    let out = bench.path("elsewhere.gtape");
    bench.expect(0, &["import", text(&source), "-o", text(&out)]);
    let rebuilt = bench.expect(0, &["laps", "rebuild", "--all", "--json"]).json();
    assert_eq!(rebuilt["tapes"]["tracked"], 1, "{rebuilt}");
    std::fs::remove_file(&out).unwrap();
    let rebuilt = bench.expect(0, &["laps", "rebuild", "--json"]).json();
    assert_eq!(rebuilt["tapes"]["missing"], 1, "{rebuilt}");
}

#[test]
fn a_tape_anywhere_is_added_and_a_folder_stands_for_its_tapes() {
    let bench = Bench::new();
    let source = put(&bench.path("race.ibt"), &lapped_ibt(6400));
    let other = put(&bench.path("match.replay"), &replay::replay());
    let folder = bench.path("more/tapes");
    let folder_text = format!("{}/", text(&folder));
    bench.expect(0, &["import", text(&source), text(&other), "--no-store", "-o", &folder_text]);
    bench.expect(4, &["laps"]);
    let tape = folder.join("race.gtape");
    let ran = bench.expect(0, &["add", text(&tape)]);
    assert!(ran.out.contains("in the store: "), "{}", ran.out);
    let report = bench.expect(0, &["add", text(&bench.path("more")), "--json"]).json();
    let tapes = report["tapes"].as_array().unwrap();
    assert_eq!(tapes.len(), 2, "{report}");
    assert_eq!((&tapes[0]["skipped"], &tapes[0]["error"]), (&"no_laps".into(), &serde_json::Value::Null), "{report}");
    assert_eq!((&tapes[1]["game"], &tapes[1]["new_entries"]), (&"iracing".into(), &0.into()), "{report}");
    assert!(bench.expect(0, &["laps", "--json"]).json()["sessions"].as_array().unwrap().len() == 1);
    assert_eq!(std::fs::read_dir(&folder).unwrap().count(), 2, "the files stay where they are");
    let text_file = put(&bench.path("notes.txt"), b"notes");
    bench.expect(1, &["add", text(&text_file)]).is_one_error_with(&["notes.txt", "cannot add"]);
    let ran = bench.expect(1, &["add", text(&tape), text(&text_file)]);
    assert!(ran.out.contains("race.gtape: in the store"), "{}", ran.out);
    std::fs::create_dir(bench.path("empty")).unwrap();
    bench.expect(4, &["add", text(&bench.path("empty"))]).is_one_error_with(&["no tape"]);
}

#[test]
fn a_tape_without_laps_and_a_playback_are_skipped_by_name_and_rebuild_ends_with_0() {
    let bench = Bench::new();
    let other = put(&bench.path("match.replay"), &replay::replay());
    bench.expect(0, &["import", text(&other)]);
    playback(&bench.path("tapes/played.gtape"));
    let ran = bench.expect(0, &["laps", "rebuild"]);
    for said in ["match.gtape: skipped: rocket-league has no laps", "played.gtape: skipped: a recording of a playback"]
    {
        assert!(ran.err.contains(said), "{said} is not in {}", ran.err);
    }
    let report = bench.expect(0, &["laps", "rebuild", "--all", "--json"]).json();
    let reasons: Vec<_> =
        report["skipped"].as_array().unwrap().iter().map(|skipped| skipped["reason"].as_str()).collect();
    assert_eq!(reasons.len(), 2, "{report}");
    assert!(reasons.contains(&Some("no_laps")) && reasons.contains(&Some("playback")), "{report}");
}

/// A tape of a recorder that recorded a player.
fn playback(path: &std::path::Path) {
    use gametape::format::write::{StdFiles, WriteOptions, Writer};
    let options = WriteOptions::new(gametape::identity::new_id());
    let written = path.with_extension("being-written");
    let mut writer = Writer::create(std::sync::Arc::new(StdFiles), &written, &options).unwrap();
    let spec =
        gametape::format::StreamSpec { game: "iracing".to_owned(), ..gametape::format::StreamSpec::rows("text") };
    let stream = writer.add_stream(spec).unwrap();
    writer.append(stream, 0, b"row").unwrap();
    writer.metadata(0, "replay_of", "another tape").unwrap();
    writer.finish().unwrap();
    std::fs::copy(&written, path).unwrap();
    std::fs::remove_file(&written).unwrap();
}

#[test]
fn a_name_that_was_given_and_is_taken_is_refused() {
    let bench = Bench::new();
    let source = put(&bench.path("a.ibt"), &ibt(5));
    let out = put(&bench.path("mine.gtape"), b"mine");
    let ran = bench.expect(1, &["import", text(&source), "-o", text(&out)]);
    ran.is_one_error_with(&["mine.gtape", "nothing was overwritten"]);
    assert_eq!(std::fs::read(&out).unwrap(), b"mine");
}

#[test]
fn several_files_go_to_a_folder_and_each_tells_its_own() {
    let bench = Bench::new();
    std::fs::create_dir(bench.path("more")).unwrap();
    let one = put(&bench.path("a.ibt"), &ibt(5));
    let two = put(&bench.path("more/a.ibt"), &ibt(6));
    let out = bench.path("out");
    let ran = bench.expect(0, &["import", text(&one), text(&two), "-o", text(&out), "--jobs", "2", "--json"]).json();
    let paths: Vec<_> =
        ran["imports"].as_array().unwrap().iter().map(|import| import["path"].as_str().unwrap()).collect();
    assert_eq!(paths, [text(&out.join("a.gtape")), text(&out.join("a-2.gtape"))]);
    assert_eq!((&ran["imports"][1]["frames"], &ran["imports"][1]["kind"]), (&6.into(), &"ibt".into()));
    let none = put(&bench.path("none.ibt"), b"");
    let ran = bench.expect(1, &["import", text(&one), text(&none), "-o", text(&out)]);
    assert_eq!(ran.out.lines().count(), 1, "what could be imported was");
    assert!(ran.err.contains("none.ibt") && ran.err.contains("an empty file"), "{}", ran.err);
    bench.expect(2, &["import", text(&one), text(&two), "-o", text(&none)]).is_one_error_with(&["folder"]);
    // A folder with one file is still a folder.
    let new = bench.path("new");
    bench.expect(0, &["import", text(&bench.path("more")), "-o", text(&new), "--no-store"]);
    assert!(new.join("a.gtape").is_file());
}

#[test]
fn a_cut_file_is_imported_as_far_as_it_is_whole_with_exit_3() {
    let bench = Bench::new();
    let file = ibt(100);
    let source = put(&bench.path("cut.ibt"), &file[..file.len() - 10]);
    let json = bench.expect(3, &["import", text(&source), "--json"]).json();
    let problem = &json["imports"][0]["problems"][0];
    assert_eq!(keys(problem), ["frames_lost", "kind", "offset", "stream", "text"]);
    assert_eq!((&problem["kind"], &problem["offset"]), (&"import_problem".into(), &serde_json::Value::Null));
    let ran = bench.expect(3, &["import", text(&source), "--no-store"]);
    assert!(ran.err.contains("warning: ") && ran.err.contains("ends inside a row"), "{}", ran.err);
    let events = bench.expect(0, &["cat", ran.out.trim(), "--events"]).out;
    assert_eq!(events.matches("import_problem").count(), 2, "{events}");
    let info = bench.expect(0, &["info", ran.out.trim(), "--json"]).json();
    assert_eq!((&info["streams"][0]["frames"], &info["metadata"]["import_problems"]), (&99.into(), &"2".into()));
    bench.expect(0, &["verify", ran.out.trim(), "--against", text(&source)]);
}

#[test]
fn kinds_are_told_by_content() {
    let bench = Bench::new();
    let renamed = put(&bench.path("telemetry.dat"), &ibt(5));
    bench.expect(0, &["import", text(&renamed)]);
    let zstd = put(&bench.path("a.nevrcap"), b"\x28\xb5\x2f\xfd");
    bench.expect(1, &["import", text(&zstd)]).is_one_error_with(&["a.nevrcap", "zstd stream", ".ksr", ".nevrcap"]);
    let zip = put(&bench.path("a.echoreplay"), b"PK\x03\x04");
    bench.expect(1, &["import", text(&zip)]).is_one_error_with(&["a.echoreplay", "not an Echo VR replay"]);
    let ksr = put(&bench.path("a.ksr"), b"RECROCKS\x02\0\0\0");
    bench.expect(1, &["import", text(&ksr)]).is_one_error_with(&["a.ksr", "ends inside its header", "12 of 72"]);
    let picture = put(&bench.path("b.ibt"), b"\x89PNG\r\n\x1a\n");
    bench.expect(1, &["import", text(&picture)]).is_one_error_with(&["b.ibt", "PNG", ".ibt"]);
    let tape = bench.path("tapes/telemetry.gtape");
    bench.expect(1, &["import", text(&tape)]).is_one_error_with(&["already a tape"]);
    bench.expect(1, &["import", text(&bench.path("none"))]).is_one_error_with(&["none", "cannot read"]);
}

#[test]
fn real_files_are_imported_and_are_the_same_as_their_sources() {
    let Some(data) = real_data("real_files_are_imported_and_are_the_same_as_their_sources") else { return };
    let bench = Bench::new();
    for (name, rows, channels) in [("sebring_amg_gt4.ibt", 2683, 285), ("red_bull_ring_w13.ibt", 390, 276)] {
        let source = data.join("ibt").join(name);
        let tape = bench.path(name).with_extension("gtape");
        bench.expect(0, &["import", text(&source), "-o", text(&tape)]);
        bench.expect(0, &["verify", text(&tape), "--against", text(&source)]);
        let info = bench.expect(0, &["info", text(&tape), "--json"]).json();
        let telemetry = &info["streams"][0];
        assert_eq!((&telemetry["name"], &telemetry["frames"]), (&"telemetry".into(), &rows.into()));
        assert_eq!(telemetry["channels"].as_array().unwrap().len(), channels);
        let csv = bench.expect(0, &["cat", text(&tape)]).out;
        assert_eq!(csv.lines().count(), rows + 1);
    }
}

#[test]
fn the_real_broken_file_is_refused_with_one_line() {
    let Some(data) = real_data("the_real_broken_file_is_refused_with_one_line") else { return };
    let bench = Bench::new();
    let ran = bench.expect(1, &["import", text(&data.join("ibt/broken.ibt")), "-o", text(&bench.path("x.gtape"))]);
    ran.is_one_error_with(&["broken.ibt", "looks like", ".ibt"]);
    assert!(!bench.path("x.gtape").exists());
}

#[test]
fn info_of_a_replay_shows_teams_players_score_and_goals() {
    let bench = Bench::new();
    let source = put(&bench.path("match.replay"), &replay::replay());
    let tape = bench.expect(0, &["import", text(&source)]).out.trim().to_owned();
    let told = bench.expect(0, &["info", &tape]).out;
    for words in
        ["rocket-league", "team_0", "Player 1", "Player 2", "700 points", "2:1", "goal", "1:1 Player 2, team 1"]
    {
        assert!(told.contains(words), "{words}: {told}");
    }
    let info = bench.expect(0, &["info", &tape, "--json"]).json();
    assert_eq!((&info["game"], &info["metadata"]["score"]), (&"rocket-league".into(), &"2:1".into()));
    assert_eq!(info["duration_ns"], 2_000_000_000u64);
    assert_eq!((&info["events"][0]["kind"], &info["events"][0]["at_ns"]), (&"goal".into(), &500_000_000.into()));
    assert_eq!(bench.expect(0, &["cat", &tape, "--stream", "replay", "--format", "raw"]).raw, replay::replay());
}

#[test]
fn a_broken_file_says_where_and_is_imported_as_far_as_it_goes() {
    let bench = Bench::new();
    let record = |number: u8| gamesdat::record(gamesdat::START_TICKS, &gamesdat::payload(number, 496));
    let records: Vec<_> = (0..9).map(record).collect();
    let file = gamesdat::file(&gamesdat::header("ACC", "ACCPhysics", 496), &records, 1000);
    let source = put(&bench.path("a.dat"), &file[..file.len() - 4]);
    let ran = bench.expect(3, &["import", text(&source)]);
    let place = format!("byte {}: the file ends without an end mark", file.len() - 4);
    assert!(ran.err.contains("warning: ") && ran.err.contains(&place), "{}", ran.err);
    bench.expect(0, &["verify", ran.out.trim(), "--against", text(&source)]);
    let speeds = bench.expect(0, &["cat", ran.out.trim(), "--stream", "physics", "--channels", "speedKmh"]).out;
    assert_eq!(speeds.lines().count(), 10);
}

#[test]
fn every_kind_of_real_file_is_imported_with_the_right_exit_code() {
    let Some(data) = real_data("every_kind_of_real_file_is_imported_with_the_right_exit_code") else { return };
    let bench = Bench::new();
    for (name, code, frames) in [
        ("ksana/ac_v2.ksr", 0, 2),
        ("ksana/ir_v2.ksr", 0, 3),
        ("ksana/trunc.ksr", 3, 2),
        ("gamesdat-dat/f1_complete.dat", 0, 220),
        ("gamesdat-dat/f1_no_endmark.dat", 3, 220),
        ("gamesdat-dat/f1_truncated_midblock.dat", 3, 126),
        ("gamesdat-dat/f1_legacy_no_header.dat", 0, 220),
        ("rocket-league/good_db70.replay", 0, 1),
        ("rocket-league/partial_utf-16.replay", 0, 1),
        ("rocket-league/bad_fuzz-slice-index.replay", 3, 1),
        ("rocket-league/bad_fuzz-too-many-frames.replay", 3, 1),
    ] {
        let (source, out) = (data.join(name), bench.path("tapes/"));
        let report = bench.expect(code, &["import", text(&source), "-o", &format!("{}/", text(&out)), "--json"]).json();
        let import = &report["imports"][0];
        assert_eq!(import["frames"], frames, "{name}");
        assert_eq!(import["problems"].as_array().unwrap().is_empty(), code == 0, "{name}");
        let tape = import["path"].as_str().unwrap();
        bench.expect(0, &["verify", tape, "--against", text(&source)]);
    }
}

/// A lap of Garage 61 on this track: as many rows at 60 per second, at 50 m/s.
fn lap_file(bench: &Bench, track: &str, time: &str, rows: u32) -> std::path::PathBuf {
    let row = |row: u32| format!("50.0,{:.6},50.0,8.0\n", (f64::from(row) + 0.5) / f64::from(rows));
    let content = "Speed,LapDistPct,Lat,Lon\n".to_owned() + &(0..rows).map(row).collect::<String>();
    let name = format!("Garage 61 - Driver 2 - Car A - {track} - {time} - ABC.csv");
    put(&bench.path(&name), content.as_bytes())
}

#[test]
fn laps_of_a_lap_file_are_someone_elses_until_the_user_claims_them() {
    let bench = Bench::new();
    let source = lap_file(&bench, "Spa", "01.00.000", 3600);
    let ran = bench.expect(0, &["import", text(&source)]);
    let tape = ran.out.trim().to_owned();
    bench.expect(0, &["verify", &tape, "--against", text(&source)]);
    let flying = |report: &serde_json::Value| {
        let session = &report["sessions"][0];
        let lap = session["laps"].as_array().unwrap().iter().find(|lap| lap["state"] == "final").unwrap();
        assert_eq!((&lap["time_ms"], &session["foreign"]), (&60_000.into(), &lap["foreign"]), "{report}");
        (lap["foreign"].as_bool().unwrap(), lap["eligible"].as_bool().unwrap())
    };
    let of_store = || flying(&bench.expect(0, &["laps", "--json"]).json());
    assert_eq!(of_store(), (true, false));
    assert_eq!(flying(&bench.expect(0, &["laps", &tape, "--json"]).json()), (true, false));
    assert!(bench.expect(0, &["laps"]).out.contains("someone else's laps"));
    // The file that is there already is not imported again, but claimed.
    bench.expect(0, &["import", text(&source), "--mine"]);
    assert_eq!(of_store(), (false, true));
    bench.expect(0, &["laps", "rebuild", "--all"]);
    assert_eq!(of_store(), (false, true), "what the user said outlives tracking");
}

#[test]
fn laps_of_lap_files_are_compared_if_their_lengths_agree_however_their_tracks_are_called() {
    let bench = Bench::new();
    let import = |source: &std::path::Path| bench.expect(0, &["import", text(source)]).out.trim().to_owned();
    let spa = import(&lap_file(&bench, "Spa", "01.00.000", 3600));
    let slower = import(&lap_file(&bench, "Circuit de Spa-Francorchamps", "01.01.000", 3660));
    let short = import(&lap_file(&bench, "Monza", "00.50.000", 3000));
    let lap = |tape: &str| {
        let laps = bench.expect(0, &["laps", tape, "--json"]).json();
        let laps = laps["sessions"][0]["laps"].as_array().unwrap().clone();
        let found = laps.iter().find(|lap| lap["state"] == "final").unwrap()["tape_lap"].clone();
        format!("{tape}#{found}")
    };
    let compared = bench.expect(0, &["compare", &lap(&spa), &lap(&slower), "--json"]).json();
    let end = compared["grid"].as_array().unwrap().last().unwrap().clone();
    assert!((end["delta_ms"].as_f64().unwrap() - 1_000.0).abs() < 20.0, "{end}");
    bench.run(&["compare", &lap(&spa), &lap(&short)]).is_one_error_with(&["different tracks"]);
}

#[test]
fn a_replay_is_shown_without_an_import_and_its_facts_stay_with_the_tape() {
    let bench = Bench::new();
    let source = put(&bench.path("a.replay"), &replay::replay());
    let shown = bench.expect(0, &["info", text(&source), "--json"]).json();
    assert_eq!(
        keys(&shown),
        [
            "bytes",
            "created_utc",
            "duration_ns",
            "event_count",
            "events",
            "kind",
            "match",
            "metadata",
            "path",
            "problems",
            "streams"
        ]
    );
    assert_eq!((shown["kind"].as_str(), shown["match"]["result"].as_str()), (Some("replay"), Some("2:1")));
    assert_eq!(
        (&shown["match"]["started_utc"], &shown["match"]["players"][0]["played_as"]),
        (&Value::Null, &Value::Null)
    );
    assert_eq!(shown["event_count"], 3);
    let human = bench.expect(0, &["info", text(&source)]).out;
    for word in ["Player 2", "2:1", "1:1 Player 2, team 1", "gametape import"] {
        assert!(human.contains(word), "{word}: {human}");
    }
    assert_eq!(std::fs::read_dir(bench.folder.path()).unwrap().count(), 1, "nothing is written");
    let tape = bench.expect(0, &["import", text(&source), "--no-store"]).out;
    let of_tape = bench.expect(0, &["info", tape.trim(), "--json"]).json();
    assert_eq!(of_tape["match"], shown["match"]);
    let human = bench.expect(0, &["info", tape.trim()]).out;
    assert!(human.contains("Player 2") && !human.contains("{\"game\""), "the facts are a table: {human}");
    // A damaged file is shown as far as it can be read.
    let mut cut = replay::replay();
    cut.truncate(cut.len() - 5);
    let cut = put(&bench.path("cut.replay"), &cut);
    let shown = bench.expect(3, &["info", text(&cut), "--json"]).json();
    assert_eq!((shown["problems"].as_array().unwrap().len(), &shown["match"]["result"]), (1, &"2:1".into()));
}
