//! `demo`: a simulated car in shared memory, recorded by the real recorder; how it ends on its own and by signals.
#![cfg(target_os = "linux")]
#![allow(clippy::unwrap_used, missing_docs)]
use crate::support;

use support::Bench;

/// Values of channels as text, without their times.
fn values(bench: &Bench, tape: &str, channels: &str) -> Vec<String> {
    let rows = bench.expect(0, &["cat", tape, "--channels", channels]).out;
    rows.lines().skip(1).map(|row| row.split_once(',').unwrap().1.to_owned()).collect()
}

/// Removes the shared memory that a killed demo leaves.
fn forget(prefix: &str) {
    for page in ["physics", "graphics", "static"] {
        let _ = std::fs::remove_file(format!("/dev/shm/{prefix}acpmf_{page}"));
    }
}

#[test]
fn demo_with_exit_makes_a_whole_tape_of_one_lap_in_a_folder_of_its_own() {
    let bench = Bench::new();
    let ran = bench.expect(0, &["demo", "--exit", "--speed", "100"]);
    assert_eq!(ran.out.lines().count(), 1, "stdout has the path alone: {}", ran.out);
    let tape = std::path::Path::new(ran.out.trim());
    assert_eq!(tape.parent().unwrap(), bench.path("demo"));
    let mut left: Vec<_> =
        std::fs::read_dir(bench.path("demo")).unwrap().map(|file| file.unwrap().file_name()).collect();
    left.sort();
    assert_eq!(left, [tape.file_name().unwrap(), "laps.sqlite".as_ref()], "no journal is left");
    assert!(!bench.path("laps.sqlite").exists(), "its laps are not the user's");
    let next = ["gametape info", "gametape compare", "gametape top --store demo", "--to html"];
    for words in
        ["not a game", "gametape record --names demo-", "   1    1   0:3", "nothing was lost"].into_iter().chain(next)
    {
        assert!(ran.err.contains(words), "{words:?} is not in {}", ran.err);
    }
    assert!(!ran.err.contains('\r') && !ran.err.contains('\x1b'), "plain lines in a pipe: {:?}", ran.err);
    let info = bench.expect(0, &["info", ran.out.trim(), "--json"]).json();
    let names: Vec<_> = info["streams"].as_array().unwrap().iter().map(|stream| stream["name"].clone()).collect();
    assert_eq!(names, ["physics", "graphics", "static"]);
    // The way to the start line, a lap of less than 40 s, and a second after it.
    let frames = info["streams"][0]["frames"].as_u64().unwrap();
    assert!((3_800..4_300).contains(&frames), "{frames}");
    assert_eq!(
        (&info["metadata"]["track"], &info["metadata"]["end_reason"]),
        (&"gametape ring".into(), &"game_ended".into())
    );
    assert_eq!((&info["loss"]["dropped"], &info["loss"]["missed"]), (&0.into(), &0.into()));
    bench.expect(0, &["verify", ran.out.trim()]);
    assert_eq!(values(&bench, ran.out.trim(), "completedLaps").last().unwrap(), "1");
}

#[test]
fn laps_and_seed_say_what_is_driven() {
    let bench = Bench::new();
    let drive = |seed: &str| {
        let tape = bench.expect(0, &["demo", "--laps", "2", "--speed", "100", "--seed", seed]).out;
        assert_eq!(
            values(&bench, tape.trim(), "completedLaps,iLastTime").last().unwrap().split_once(',').unwrap().0,
            "2"
        );
        bench.expect(0, &["cat", tape.trim(), "--stream", "physics", "--format", "raw"]).raw
    };
    let one = drive("1");
    assert!(one == drive("1"), "the same seed is the same recording, at any speed of the machine");
    assert!(one != drive("2"));
}

#[test]
fn at_full_speed_the_laps_beside_the_demo_miss_no_frame_of_the_tape() {
    let bench = Bench::new();
    let ran = bench.expect(0, &["demo", "--laps", "3", "--speed", "100", "--exit"]);
    for words in ["gap", "again from the tape"] {
        assert!(!ran.err.contains(words), "{words:?} is in {}", ran.err);
    }
    let laps = bench.expect(0, &["laps", ran.out.trim(), "--json"]).out;
    assert!(laps.contains("time_ms") && !laps.contains("stream_gap"), "{laps}");
}

#[test]
fn a_recorder_in_another_process_records_the_demo_by_its_prefix() {
    let bench = Bench::new();
    let prefix = format!("demo-test-{}-", std::process::id());
    let tape = bench.path("second.gtape");
    let mut command = bench.command(&["record", "--names", &prefix, "-o", support::text(&tape), "--max-duration", "1"]);
    let mut recorder =
        command.stdout(std::process::Stdio::piped()).stderr(std::process::Stdio::piped()).spawn().unwrap();
    let mut demo = bench.command(&["demo", "--names", &prefix]);
    let mut demo = demo.stdout(std::process::Stdio::null()).stderr(std::process::Stdio::null()).spawn().unwrap();
    let start = std::time::Instant::now();
    while recorder.try_wait().unwrap().is_none() && start.elapsed().as_secs() < 60 {
        std::thread::sleep(std::time::Duration::from_millis(10));
    }
    // In case it did not end on its own.
    let _ = recorder.kill();
    let recorded = recorder.wait_with_output().unwrap();
    demo.kill().unwrap();
    demo.wait().unwrap();
    forget(&prefix);
    assert!(recorded.status.success(), "{recorded:?}");
    let metadata = bench.expect(0, &["info", support::text(&tape), "--json"]).json()["metadata"].clone();
    assert_eq!((&metadata["car"], &metadata["end_reason"]), (&"gametape_gt".into(), &"max_duration".into()));
    assert!(values(&bench, support::text(&tape), "speedKmh").len() > 20);
}

#[test]
fn two_demos_under_the_same_names_do_not_mix() {
    let bench = Bench::new();
    let prefix = format!("demo-twice-{}-", std::process::id());
    let mut first = bench.command(&["demo", "--names", &prefix]);
    let mut first = first.stdout(std::process::Stdio::null()).stderr(std::process::Stdio::null()).spawn().unwrap();
    let pages = || std::fs::read(format!("/dev/shm/{prefix}acpmf_physics")).unwrap_or_default();
    let start = std::time::Instant::now();
    while pages().first_chunk::<4>().is_none_or(|number| i32::from_le_bytes(*number) < 10) {
        assert!(start.elapsed().as_secs() < 60, "the first demo does not run");
        std::thread::sleep(std::time::Duration::from_millis(5));
    }
    let second = bench.expect(1, &["demo", "--names", &prefix, "--exit"]);
    first.kill().unwrap();
    first.wait().unwrap();
    forget(&prefix);
    second.is_one_error_with(&["a game is running", "another prefix"]);
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
    use super::forget;
    use super::support::{Bench, Ran};
    use std::io::{BufRead, BufReader, Read};
    use std::process::{Command, Stdio};

    /// Starts an endless demo, sends a signal once it runs, returns how it ended.
    fn ended_by(signal: &str) -> (Bench, Ran) {
        let bench = Bench::new();
        let mut child = bench.command(&["demo"]).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
        let mut err = BufReader::new(child.stderr.take().unwrap());
        let mut told = String::new();
        // It prints progress during its first lap.
        while !told.contains("recording assetto-corsa") || !told.contains("first lap: ") {
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
        // A busy machine may miss samples.
        let kept = ran.err.contains("nothing was lost") || ran.err.contains("every captured frame is stored");
        assert!(kept && ran.err.contains("(stopped)"), "{}", ran.err);
        bench.expect(0, &["verify", ran.out.trim()]);
    }

    #[test]
    fn sigterm_closes_the_tape_and_exits_with_0() {
        let (bench, ran) = ended_by("-TERM");
        assert_eq!(ran.code, 0, "{}", ran.err);
        bench.expect(0, &["verify", ran.out.trim()]);
    }

    /// What the README shows: kill a recording and inspect the tape.
    #[test]
    fn a_killed_demo_leaves_a_tape_that_info_reads_verify_calls_not_closed_and_recover_makes_whole() {
        let bench = Bench::new();
        let mut child = bench.command(&["demo"]).stderr(Stdio::piped()).stdout(Stdio::null()).spawn().unwrap();
        let mut err = BufReader::new(child.stderr.take().unwrap());
        let mut told = String::new();
        while !told.contains("recording assetto-corsa") {
            assert!(err.read_line(&mut told).unwrap() > 0, "{told}");
        }
        let frames = |report: &serde_json::Value| {
            let streams = report["streams"].as_array().unwrap();
            streams.iter().map(|stream| stream["frames"].as_u64().unwrap_or_default()).sum::<u64>()
        };
        let mut seen = 0;
        while seen < 10 {
            assert!(child.try_wait().unwrap().is_none(), "{told}");
            seen = frames(&bench.expect(0, &["info", "--json"]).json());
        }
        child.kill().unwrap();
        child.wait().unwrap();
        forget(&format!("demo-{}-", child.id()));
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
        let raw = ["cat", tape, "--stream", "physics", "--format", "raw"];
        let rows = bench.expect(0, &raw).raw;
        let recovered = bench.expect(0, &["recover", tape, "--json"]).json();
        assert_eq!((&recovered["frames"], &recovered["problems"]), (&there.into(), &serde_json::json!([])));
        assert_eq!(bench.expect(0, &["verify", tape, "--json"]).json()["frames"], there);
        assert!(bench.expect(0, &raw).raw == rows);
        let left = std::fs::read_dir(bench.path("demo")).unwrap().map(|file| file.unwrap().file_name());
        let of_tape = left.filter(|name| !name.to_str().unwrap().starts_with("laps.sqlite")).count();
        assert_eq!(of_tape, 1, "no journal is left");
        let json = bench.expect(0, &["info", "--json"]).json();
        assert_eq!((json["complete"].as_bool(), json["recovered_from_journal"].as_bool()), (Some(true), Some(true)));
    }
}

#[test]
fn the_car_stands_in_for_every_game_on_the_network() {
    let drive = |id: &str| {
        let bench = Bench::new();
        let ran = bench.expect(0, &["demo", "--game", id, "--exit", "--speed", "10"]);
        let tape = ran.out.lines().next().unwrap();
        assert_eq!(bench.expect(0, &["info", tape, "--json"]).json()["game"], id);
        let laps = bench.expect(0, &["laps", tape, "--json"]).json();
        let laps = laps["sessions"].as_array().unwrap().iter().flat_map(|session| session["laps"].as_array().unwrap());
        let times: Vec<_> = laps.filter_map(|lap| lap["time_ms"].as_u64()).collect();
        // The track is driven in less than 40 s.
        assert!(times.iter().any(|ms| (30_000..40_000).contains(ms)), "{id}: {times:?}");
    };
    std::thread::scope(|scope| {
        for id in [
            "assetto-corsa-remote",
            "automobilista-2",
            "dirt-rally",
            "ea-wrc",
            "f1-25",
            "f1-26",
            "forza-horizon",
            "forza-motorsport",
            "gran-turismo-7",
            "gran-turismo-sport",
            "project-cars",
        ] {
            scope.spawn(move || drive(id));
        }
    });
}
