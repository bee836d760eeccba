//! `laps` as a user runs it, but short. How fast the machine is decides nothing here; that nothing is lost, and nothing is left behind, does.
#![cfg(target_os = "linux")]
#![allow(clippy::unwrap_used, clippy::expect_used)]

use std::process::Command;

use serde_json::Value;

#[test]
fn a_quick_run_measures_every_part_loses_nothing_and_leaves_nothing() {
    let folder = tempfile::tempdir().unwrap();
    let mut command = Command::new(env!("CARGO_BIN_EXE_gametape-bench"));
    command.args(["laps", "--quick", "--control", "--json", "--hours", "0.05", "--sessions", "20"]);
    command.args(["--load-seconds", "1", "--clients", "10", "--listen-seconds", "2", "--rounds", "1"]);
    // Other databases than the file are for those who measure.
    let output = command.env("TMPDIR", folder.path()).env_remove("GAMETAPE_POSTGRES").output().unwrap();
    let said = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "{said}");
    assert!(said.contains("PostgreSQL is left out"), "{said}");
    let result: Value = serde_json::from_slice(&output.stdout).unwrap();
    let figure = |part: &str, what: &str| {
        let rows = result["rows"].as_array().unwrap();
        let found = rows.iter().find(|row| row["part"] == part && row["what"].as_str().unwrap().trim() == what);
        found.unwrap_or_else(|| panic!("no {what:?} of {part:?}")).clone()
    };
    // Whatever the speed of the machine: these hold.
    for (part, what) in [
        ("retrack", "laps found"),
        ("retrack", "not with the time that was driven"),
        ("api, SQLite", "errors"),
        ("listeners", "that were let go"),
        ("listeners", "clients that got each once"),
        ("listeners", "messages that are none"),
        ("kill", "without an announced lap"),
        ("kill", "lost when it was killed"),
        ("kill", "lost after all rounds and the next start"),
    ] {
        assert_eq!(figure(part, what)["met"], true, "{what} of {part}: {said}{result:#}");
    }
    for (part, what) in [
        ("tracking", "frames: physics and graphics pages in turn"),
        ("retrack", "laps driven"),
        ("api, SQLite", "latency from when it was due, p99"),
        ("listeners", "car messages, median of the clients"),
        ("kill", "laps announced"),
    ] {
        assert!(figure(part, what)["value"].as_f64().unwrap() > 0.0, "{what} of {part}: {result:#}");
    }
    assert_eq!(std::fs::read_dir(folder.path()).unwrap().count(), 0, "something was left behind");
}
