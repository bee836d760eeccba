//! `import`: names, exit codes, several files, real files.
#![allow(clippy::unwrap_used, missing_docs)]
mod support;

use support::ibt::{ibt, put, real_data};
use support::{Bench, keys, text};

#[test]
fn a_tape_goes_beside_its_source_and_a_number_is_added_rather_than_anything_overwritten() {
    let bench = Bench::new();
    let (first, source) = bench.imported(50);
    assert_eq!(first, text(&bench.path("a.gtape")));
    let second = bench.expect(0, &["import", &source]).out;
    assert_eq!(second.trim(), text(&bench.path("a-2.gtape")));
    assert!(std::fs::read(first).unwrap() == std::fs::read(second.trim()).unwrap(), "the same source, the same tape");
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
    let ran = bench.expect(3, &["import", text(&source)]);
    assert!(ran.err.contains("warning: ") && ran.err.contains("ends inside a row"), "{}", ran.err);
    let events = bench.expect(0, &["cat", ran.out.trim(), "--events"]).out;
    assert_eq!(events.matches("import_problem").count(), 2, "{events}");
    let info = bench.expect(0, &["info", ran.out.trim(), "--json"]).json();
    assert_eq!((&info["streams"][0]["frames"], &info["metadata"]["import_problems"]), (&99.into(), &"2".into()));
    bench.expect(0, &["verify", ran.out.trim(), "--against", text(&source)]);
}

#[test]
fn kinds_are_told_by_content_and_those_that_come_later_say_so() {
    let bench = Bench::new();
    let renamed = put(&bench.path("telemetry.dat"), &ibt(5));
    bench.expect(0, &["import", text(&renamed)]);
    let zip = put(&bench.path("a.echoreplay"), b"PK\x03\x04");
    bench.expect(2, &["import", text(&zip)]).is_one_error_with(&[
        "a.echoreplay",
        "zip archive",
        "not there yet",
        ".ksr",
    ]);
    let ksr = put(&bench.path("a.ksr"), b"RECROCKS\x02\0\0\0");
    bench.expect(1, &["import", text(&ksr)]).is_one_error_with(&["a.ksr", "ends inside its header", "12 of 72"]);
    let picture = put(&bench.path("b.ibt"), b"\x89PNG\r\n\x1a\n");
    bench.expect(1, &["import", text(&picture)]).is_one_error_with(&["b.ibt", "PNG", ".ibt"]);
    let tape = bench.path("telemetry.gtape");
    bench.expect(1, &["import", text(&tape)]).is_one_error_with(&["tape already"]);
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
