//! `udp` as a user runs it, but short and slow, and without the usual ports, which other tests may use. How fast the machine is decides nothing here.
#![cfg(target_os = "linux")]
#![allow(clippy::unwrap_used, clippy::expect_used)]

use std::process::Command;

use serde_json::Value;

#[test]
fn a_short_flood_is_read_back_to_the_byte_and_every_method_gives_the_datagrams_back() {
    let folder = tempfile::tempdir().unwrap();
    let mut command = Command::new(env!("CARGO_BIN_EXE_gametape-bench"));
    command.args(["udp", "--part", "flood", "--part", "hour", "--seconds", "1", "--rate", "2000", "--hours", "0.005"]);
    let output = command.args(["--json", "--directory"]).arg(folder.path()).output().unwrap();
    let said = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "{said}");
    let result: Value = serde_json::from_slice(&output.stdout).unwrap();
    let figure = |part: &str, what: &str| {
        let rows = result["rows"].as_array().unwrap();
        let found = rows.iter().find(|row| row["part"] == part && row["what"].as_str().unwrap().trim() == what);
        found.unwrap_or_else(|| panic!("no {what:?} of {part:?}: {result:#}")).clone()
    };
    let value = |part: &str, what: &str| figure(part, what)["value"].as_f64().unwrap();
    assert_eq!(value("flood", "datagrams sent, 1352 bytes each"), 2000.0);
    // Each datagram is on the tape, or was counted as lost.
    let lost = value("flood", "lost by the system") + value("flood", "lost by the recorder");
    assert_eq!(value("flood", "read back from the tape, all equal") + lost, 2000.0);
    assert_eq!(figure("flood", "counted by it")["met"], true, "{result:#}");
    for what in ["recorder", "only receiving, with recvmmsg", "resident memory, the most", "tape"] {
        assert!(value("flood", what) > 0.0, "{what}: {result:#}");
    }
    // 18 seconds. Bytes do not depend on the machine.
    assert!(value("hour", "raw") > 5.0 && value("hour", "gametape") < value("hour", "zstd3-stream"), "{result:#}");
    assert_eq!(std::fs::read_dir(folder.path()).unwrap().count(), 0, "something was left behind");
}
