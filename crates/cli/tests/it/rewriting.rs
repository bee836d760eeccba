//! `cut`, `merge` and `recover`.
#![allow(clippy::unwrap_used, missing_docs)]
use crate::support;

use support::{Bench, text};

fn demo(bench: &Bench, laps: usize) -> String {
    bench.driven_tape(laps * 3600)
}

fn raw(bench: &Bench, tape: &str, stream: &str) -> Vec<u8> {
    bench.expect(0, &["cat", tape, "--stream", stream, "--format", "raw"]).raw
}

#[test]
fn cut_and_merge_give_back_every_byte() {
    let bench = Bench::new();
    let tape = demo(&bench, 2);
    let (first, second) = (bench.path("first.gtape"), bench.path("second.gtape"));
    let (first, second) = (first.to_str().unwrap(), second.to_str().unwrap());
    let whole = bench.path("whole.gtape");
    let whole = whole.to_str().unwrap();
    bench.expect(0, &["cut", &tape, "--from", "0", "--to", "0:20.5", "-o", first]);
    bench.expect(0, &["cut", &tape, "--from", "0:20.5", "--to", "10m", "-o", second]);
    let (one, two) = (raw(&bench, first, "physics"), raw(&bench, second, "physics"));
    assert_eq!(one.len(), 2050 * 800);
    let all = raw(&bench, &tape, "physics");
    assert!([one, two].concat() == all);
    bench.expect(0, &["merge", second, first, "-o", whole]);
    assert!(raw(&bench, whole, "physics") == all);
    bench.expect(0, &["verify", whole]);
    assert_eq!(bench.expect(0, &["cat", whole, "--events"]).out, bench.expect(0, &["cat", &tape, "--events"]).out);
}

#[test]
fn nothing_is_overwritten_and_nothing_is_left_behind() {
    let bench = Bench::new();
    let tape = demo(&bench, 1);
    let before = std::fs::read(&tape).unwrap();
    let refused = bench.expect(1, &["cut", &tape, "--from", "1", "--to", "2", "-o", &tape]);
    assert!(refused.err.starts_with("error: "), "{}", refused.err);
    bench.expect(1, &["merge", &tape, &tape, "-o", &tape]);
    bench.expect(1, &["recover", &tape, "-o", &tape]);
    assert!(std::fs::read(&tape).unwrap() == before);
    assert_eq!(std::fs::read_dir(bench.path("demo")).unwrap().count(), 1);
}

#[test]
fn a_damaged_tape_is_recovered_with_its_loss_told() {
    let bench = Bench::new();
    let tape = demo(&bench, 2);
    let mut bytes = std::fs::read(&tape).unwrap();
    let middle = bytes.len() / 2;
    bytes[middle] ^= 0x10;
    let damaged = support::ibt::put(&bench.path("damaged.gtape"), &bytes);
    let damaged = damaged.to_str().unwrap();
    let report = bench.expect(3, &["verify", damaged, "--json"]).json();
    assert_eq!((report["ok"].as_bool(), report["problems"][0]["frames_lost"].as_u64()), (Some(false), Some(1024)));
    let rescued = bench.path("rescued.gtape");
    let rescued = rescued.to_str().unwrap();
    bench.expect(3, &["recover", damaged, "-o", rescued]);
    bench.expect(0, &["verify", rescued]);
    let info = bench.expect(0, &["info", rescued, "--json"]).json();
    assert_eq!(
        (info["streams"][0]["frames"].as_u64(), info["loss"]["dropped"].as_u64()),
        (Some(7200 - 1024), Some(1024))
    );
}

#[test]
fn recover_of_a_whole_tape_changes_nothing() {
    let bench = Bench::new();
    let tape = demo(&bench, 1);
    let before = std::fs::read(&tape).unwrap();
    bench.expect(0, &["recover", &tape]);
    assert!(std::fs::read(&tape).unwrap() == before);
}

#[test]
fn json_says_what_was_made_and_what_was_left_out() {
    let bench = Bench::new();
    let tape = demo(&bench, 2);
    let mut bytes = std::fs::read(&tape).unwrap();
    let middle = bytes.len() / 2;
    bytes[middle] ^= 0x10;
    let damaged = support::ibt::put(&bench.path("damaged.gtape"), &bytes);
    let damaged = text(&damaged);
    let out = bench.path("out.gtape");
    let out = text(&out);
    for arguments in [
        vec!["cut", damaged, "--from", "0", "-o", out, "--json"],
        vec!["merge", damaged, &tape, "-o", out, "--json"],
        vec!["recover", damaged, "-o", out, "--json"],
    ] {
        let made = bench.expect(3, &arguments).json();
        assert_eq!(support::keys(&made), ["bytes", "frames", "path", "problems"]);
        assert_eq!((&made["path"], &made["bytes"]), (&out.into(), &std::fs::metadata(out).unwrap().len().into()));
        assert_eq!(made["frames"], bench.expect(0, &["verify", out, "--json"]).json()["frames"]);
        let problem = &made["problems"][0];
        assert_eq!(support::keys(problem), ["frames_lost", "kind", "offset", "stream", "text"]);
        assert_eq!(
            (&problem["kind"], &problem["stream"], &problem["frames_lost"]),
            (&"block".into(), &"physics".into(), &1024.into())
        );
        std::fs::remove_file(out).unwrap();
    }
    let whole = bench.expect(0, &["cut", &tape, "--from", "1", "-o", out, "--json"]).json();
    assert_eq!(whole["problems"], serde_json::json!([]));
}

#[test]
fn a_part_without_frames_is_4_and_makes_no_file() {
    let bench = Bench::new();
    let tape = demo(&bench, 1);
    let out = bench.path("out.gtape");
    let out = text(&out);
    for times in [vec!["--from", "1h"], vec!["--from", "36"], vec!["--from", "10.001", "--to", "10.009"]] {
        let ran = bench.expect(4, &[vec!["cut", &tape, "-o", out], times].concat());
        ran.is_one_error_with(&["no frames", "0:35.990", "choose other times"]);
        assert!(!bench.path("out.gtape").exists());
    }
    bench.expect(0, &["cut", &tape, "--from", "35.99", "-o", out]);
    assert_eq!(raw(&bench, out, "physics").len(), 800);
}
