//! `lmu` as a user runs it, but short. How fast the machine is decides nothing here.
#![cfg(target_os = "linux")]
#![allow(clippy::unwrap_used, clippy::expect_used)]

use std::process::Command;

use serde_json::Value;

#[test]
fn pages_of_a_race_come_back_from_the_parts_on_a_tape_and_take_less_room() {
    let folder = tempfile::tempdir().unwrap();
    let mut command = Command::new(env!("CARGO_BIN_EXE_gametape-bench"));
    command.args(["lmu", "--cars", "6", "--size-seconds", "2", "--seconds", "2", "--json", "--directory"]);
    let output = command.arg(folder.path()).output().unwrap();
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    let result: Value = serde_json::from_slice(&output.stdout).unwrap();
    let value = |part: &str, what: &str| {
        let rows = result["rows"].as_array().unwrap();
        let found = rows.iter().find(|row| row["part"] == part && row["what"].as_str().unwrap().trim() == what);
        found.unwrap_or_else(|| panic!("no {what:?} of {part:?}: {result:#}"))["value"].as_f64().unwrap()
    };
    assert_eq!(value("size", "pages of 6 cars"), 200.0);
    // Bytes do not depend on the machine.
    assert!(value("size", "zstd3-stream / gametape") > 1.5, "{result:#}");
    assert_eq!(value("cost", "that the game never wrote"), 0.0, "{result:#}");
    assert!(value("cost", "pages on the tape") > 0.0 && value("cost", "dropped") == 0.0, "{result:#}");
    assert_eq!(std::fs::read_dir(folder.path()).unwrap().count(), 0, "something was left behind");
}
