//! `live` as a user runs it, but short. How fast the machine is decides nothing here; that the numbers add up does.
#![cfg(target_os = "linux")]
#![allow(clippy::unwrap_used, clippy::expect_used)]

use std::process::Command;

use serde_json::Value;

fn sum(row: &Value, figure: &str) -> u64 {
    row["cost"]["streams"].as_array().unwrap().iter().map(|stream| stream[figure].as_u64().unwrap()).sum()
}

#[test]
fn a_short_recording_is_counted_to_the_last_frame() {
    let folder = tempfile::tempdir().unwrap();
    let output = Command::new(env!("CARGO_BIN_EXE_gametape-bench"))
        .args(["live", "--seconds", "1", "--rates", "100", "--json", "--directory"])
        .arg(folder.path())
        .output()
        .unwrap();
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    let result: Value = serde_json::from_slice(&output.stdout).unwrap();
    let row = &result["rows"][0];
    let cost = |figure: &str| row["cost"][figure].as_u64().unwrap();

    let names: Vec<&str> =
        row["cost"]["streams"].as_array().unwrap().iter().map(|stream| stream["name"].as_str().unwrap()).collect();
    assert_eq!(names, ["physics", "graphics", "static"]);
    // Each moment of the grid was read or missed, and the recorder says so too. A read gives a frame of each page, or gives it up.
    let given_up = sum(row, "missed") - 3 * cost("ticks_missed");
    assert_eq!((cost("reads"), 3 * cost("reads")), (cost("ticks") + 1, cost("given") + given_up));
    // What the reads gave is on the tape, is the same as before, or was counted.
    let kept = sum(row, "frames") + sum(row, "unchanged") + sum(row, "dropped");
    assert_eq!(cost("given"), kept + cost("forgotten"));
    // What the recorder took is what the tape gives back.
    assert_eq!((cost("accepted"), row["lost"].as_u64().unwrap()), (sum(row, "frames"), sum(row, "dropped")));
    let wall_ns = cost("wall_ns");
    assert!(wall_ns >= 1_000_000_000 && cost("ticks") + cost("ticks_missed") <= wall_ns / 10_000_000, "{row}");

    let methods: Vec<&str> =
        row["stored"].as_array().unwrap().iter().map(|stored| stored["method"].as_str().unwrap()).collect();
    assert_eq!(methods, ["gametape", "gamesdat-lz4", "ksana-zlib"]);
    assert_eq!(std::fs::read_dir(folder.path()).unwrap().count(), 0, "something was left behind");
}

#[test]
fn a_short_playback_shows_every_frame_and_leaves_nothing() {
    let folder = tempfile::tempdir().unwrap();
    let output = Command::new(env!("CARGO_BIN_EXE_gametape-bench"))
        .args(["live", "--play", "--minutes", "0.03", "--long-minutes", "0.5", "--json", "--directory"])
        .arg(folder.path())
        .output()
        .unwrap();
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    let result: Value = serde_json::from_slice(&output.stdout).unwrap();
    let frames = |row: usize| result["rows"][row]["cost"]["frames"].as_u64().unwrap();
    // Two seconds: 200 physics pages, some 120 graphics pages and a static one; 120 ticks and the session text before them.
    assert!((300..340).contains(&frames(0)), "{}", frames(0));
    assert_eq!(frames(1), 120);
    for row in result["rows"].as_array().unwrap() {
        assert_eq!(row["start_ms"].as_array().unwrap().len(), 9);
        assert!(row["cost"]["late"]["p99_us"].as_f64().unwrap() > 0.0);
    }
    assert_eq!(std::fs::read_dir(folder.path()).unwrap().count(), 0, "something was left behind");
}
