//! `live-ui` as a user runs it, but short. How fast the machine is decides nothing here.
#![cfg(target_os = "linux")]
#![allow(clippy::unwrap_used, clippy::expect_used)]

use std::process::Command;

use serde_json::Value;

#[test]
fn a_quick_run_measures_the_server_with_browsers_that_look_on() {
    let folder = tempfile::tempdir().unwrap();
    let mut command = Command::new(env!("CARGO_BIN_EXE_gametape-bench"));
    command.args(["live-ui", "--quick", "--json", "--clients", "5", "--seconds", "2", "--hours", "0.02"]);
    let output = command.env("TMPDIR", folder.path()).output().unwrap();
    let said = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "{said}");
    let result: Value = serde_json::from_slice(&output.stdout).unwrap();
    let figure = |what: &str| {
        let rows = result["rows"].as_array().unwrap();
        let found = rows.iter().find(|row| row["what"].as_str().unwrap().trim().starts_with(what));
        found.unwrap_or_else(|| panic!("no {what:?}")).clone()
    };
    for what in ["that were let go", "messages that are none"] {
        assert_eq!(figure(what)["met"], true, "{what}: {said}{result:#}");
    }
    assert_eq!(figure("browsers")["value"], 5.0);
    for what in ["car messages, median", "processor of the server", "all of it", "a minute"] {
        assert!(figure(what)["value"].as_f64().unwrap() > 0.0, "{what}: {result:#}");
    }
    assert_eq!(std::fs::read_dir(folder.path()).unwrap().count(), 0, "something was left behind");
}
