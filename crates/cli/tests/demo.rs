//! `demo`: a whole recording through the real writer, its end by itself and by signals.
#![allow(clippy::unwrap_used, missing_docs)]
mod support;

use support::Bench;

#[test]
fn demo_with_exit_makes_a_whole_tape_of_one_lap_in_a_folder_of_its_own() {
    let bench = Bench::new();
    let ran = bench.expect(0, &["demo", "--exit", "--speed", "100"]);
    assert_eq!(ran.out.lines().count(), 1, "stdout has the path alone: {}", ran.out);
    let tape = std::path::Path::new(ran.out.trim());
    assert_eq!(tape.parent().unwrap(), bench.path("demo"));
    assert_eq!(std::fs::read_dir(bench.path("demo")).unwrap().count(), 1, "no journal is left");
    for words in ["not a game", "nothing was lost", "gametape info", "gametape cat"] {
        assert!(ran.err.contains(words), "{words:?} is not in {}", ran.err);
    }
    assert!(!ran.err.contains('\r') && !ran.err.contains('\x1b'), "plain lines in a pipe: {:?}", ran.err);
    let info = bench.expect(0, &["info", ran.out.trim(), "--json"]).json();
    assert_eq!(info["streams"][0]["frames"], 3600);
    assert_eq!(info["duration_ns"], 35_990_000_000_u64);
    bench.expect(0, &["verify", ran.out.trim()]);
}

#[test]
fn laps_and_seed_say_what_is_driven() {
    let bench = Bench::new();
    let drive = |seed: &str| {
        let tape = bench.expect(0, &["demo", "--laps", "2", "--speed", "100", "--seed", seed]).out;
        let events = bench.expect(0, &["cat", tape.trim(), "--events"]).out;
        assert_eq!(events.matches("lap_start").count(), 2, "{events}");
        bench.expect(0, &["cat", tape.trim(), "--format", "raw"]).raw
    };
    let one = drive("1");
    assert_eq!(one.len(), 2 * 3600 * 800);
    assert!(one == drive("1"));
    assert!(one != drive("2"));
}

#[test]
fn two_demos_at_the_same_time_do_not_meet() {
    let bench = Bench::new();
    let children: Vec<_> = (0..2)
        .map(|_| {
            let mut command = bench.command(&["demo", "--exit", "--speed", "100"]);
            command.stdout(std::process::Stdio::piped()).stderr(std::process::Stdio::piped()).spawn().unwrap()
        })
        .collect();
    let mut paths: Vec<_> = children.into_iter().map(|child| child.wait_with_output().unwrap().stdout).collect();
    paths.dedup();
    let whole = paths.iter().filter(|path| !path.is_empty()).count();
    assert_eq!(whole, 2, "{paths:?}");
}

#[cfg(unix)]
mod signals {
    use super::support::{Bench, Ran};
    use std::io::{BufRead, BufReader, Read};
    use std::process::{Command, Stdio};

    /// Starts an endless demo, sends a signal when it runs, gives its end.
    fn ended_by(signal: &str) -> (Bench, Ran) {
        let bench = Bench::new();
        let mut child = bench.command(&["demo"]).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
        let mut err = BufReader::new(child.stderr.take().unwrap());
        let mut told = String::new();
        while !told.contains("Ctrl+C") {
            assert!(err.read_line(&mut told).unwrap() > 0, "{told}");
        }
        let status = Command::new("kill").args([signal, &child.id().to_string()]).status().unwrap();
        assert!(status.success());
        err.read_to_string(&mut told).unwrap();
        let mut ran = Ran::of(&child.wait_with_output().unwrap());
        ran.err = told;
        (bench, ran)
    }

    #[test]
    fn ctrl_c_closes_the_tape_and_exits_with_130() {
        let (bench, ran) = ended_by("-INT");
        assert_eq!(ran.code, 130, "{}", ran.err);
        assert!(ran.err.contains("nothing was lost"), "{}", ran.err);
        bench.expect(0, &["verify", ran.out.trim()]);
    }

    #[test]
    fn sigterm_closes_the_tape_and_exits_with_0() {
        let (bench, ran) = ended_by("-TERM");
        assert_eq!(ran.code, 0, "{}", ran.err);
        bench.expect(0, &["verify", ran.out.trim()]);
    }

    /// What the README promises: kill a recording and look.
    #[test]
    fn a_killed_demo_leaves_a_tape_that_info_reads_verify_calls_not_closed_and_recover_makes_whole() {
        let bench = Bench::new();
        let mut child = bench.command(&["demo"]).stderr(Stdio::piped()).stdout(Stdio::null()).spawn().unwrap();
        let mut err = BufReader::new(child.stderr.take().unwrap());
        let mut told = String::new();
        while !told.contains("Ctrl+C") {
            assert!(err.read_line(&mut told).unwrap() > 0, "{told}");
        }
        let frames = |report: &serde_json::Value| report["streams"][0]["frames"].as_u64().unwrap_or_default();
        let mut seen = 0;
        while seen < 10 {
            assert!(child.try_wait().unwrap().is_none(), "{told}");
            seen = frames(&bench.expect(0, &["info", "--json"]).json());
        }
        child.kill().unwrap();
        child.wait().unwrap();
        let info = bench.expect(0, &["info"]);
        assert!(info.out.contains("not closed") && info.out.contains("gametape recover"), "{}", info.out);
        let json = bench.expect(0, &["info", "--json"]).json();
        assert_eq!((json["complete"].as_bool(), json["recovered_from_journal"].as_bool()), (Some(false), Some(true)));
        let there = frames(&json);
        assert!(there >= seen, "{there} of {seen} frames");
        let tape = json["path"].as_str().unwrap();
        let verify = bench.expect(3, &["verify", tape, "--json"]).json();
        assert_eq!((&verify["ok"], &verify["frames"]), (&false.into(), &there.into()));
        let kinds: Vec<_> = verify["problems"].as_array().unwrap().iter().map(|problem| &problem["kind"]).collect();
        assert!(kinds.iter().any(|kind| *kind == "not_closed"), "{kinds:?}");
        let rows = bench.expect(0, &["cat", tape, "--format", "raw"]).raw;
        let recovered = bench.expect(0, &["recover", tape, "--json"]).json();
        assert_eq!((&recovered["frames"], &recovered["problems"]), (&there.into(), &serde_json::json!([])));
        assert_eq!(bench.expect(0, &["verify", tape, "--json"]).json()["frames"], there);
        assert!(bench.expect(0, &["cat", tape, "--format", "raw"]).raw == rows);
        assert_eq!(std::fs::read_dir(bench.path("demo")).unwrap().count(), 1, "no journal is left");
        let json = bench.expect(0, &["info", "--json"]).json();
        assert_eq!((json["complete"].as_bool(), json["recovered_from_journal"].as_bool()), (Some(true), Some(true)));
    }
}
