//! `echo` as a user runs it, but short. How fast the machine is decides nothing here.
#![cfg(target_os = "linux")]
#![allow(clippy::unwrap_used, clippy::expect_used)]

use std::process::Command;

use serde_json::Value;

#[test]
fn a_quick_run_measures_sizes_conversions_events_and_seeks() {
    let folder = tempfile::tempdir().unwrap();
    let mut command = Command::new(env!("CARGO_BIN_EXE_gametape-bench"));
    command.args(["echo", "--quick", "--json", "--frames", "300", "--hours", "0.005"]);
    let output = command.env("TMPDIR", folder.path()).output().unwrap();
    let said = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "{said}");
    let result: Value = serde_json::from_slice(&output.stdout).unwrap();
    let rows = result["rows"].as_array().unwrap();
    let of_part = |part: &str| rows.iter().filter(|row| row["part"] == part).collect::<Vec<_>>();
    // Bytes do not depend on the machine.
    for part in ["scenario", "calibration"] {
        assert!(!of_part(part).is_empty());
        for row in of_part(part) {
            assert_eq!(row["met"], true, "{row:#}");
        }
    }
    for part in ["sizes", "convert", "events", "seek"] {
        assert!(!of_part(part).is_empty(), "{part}");
        assert!(of_part(part).iter().all(|row| row["value"].is_number()), "{part}: {result:#}");
    }
    assert_eq!(std::fs::read_dir(folder.path()).unwrap().count(), 0, "something was left behind");
}
