//! An imported `.ibt` has the same values as pyirsdk's `IBT`, bit for bit, for every variable in every row.
#![allow(clippy::unwrap_used, clippy::panic, missing_docs)]
use crate::support;

use std::io::Write as _;
use std::path::{Path, PathBuf};
use std::process::Command;

use gametape::format::read::{Tape, Values};
use gametape::import::import;

const TEST: &str = "values_of_real_ibt_files_are_those_of_pyirsdk";

/// Returns the Python interpreter that has pyirsdk. If there is none, reports the skip and returns `None`.
fn python() -> Option<PathBuf> {
    if let Some(python) = std::env::var_os("GAMETAPE_PYTHON") {
        return Some(python.into());
    }
    std::io::stderr().write_all(format!("SKIPPED {TEST}: GAMETAPE_PYTHON is not set\n").as_bytes()).unwrap();
    if let Some(log) = std::env::var_os("GAMETAPE_SKIP_LOG") {
        let mut log = std::fs::OpenOptions::new().create(true).append(true).open(log).unwrap();
        log.write_all(format!("{TEST}\n").as_bytes()).unwrap();
    }
    None
}

/// All values of a channel, as the bytes in the file.
fn channel_hex(tape: &Tape, name: &str) -> String {
    let mut channels = tape.channels(tape.stream_named("telemetry").unwrap(), &[name]).unwrap();
    let mut hex = String::new();
    let mut add = |bytes: &[u8]| bytes.iter().for_each(|byte| hex.push_str(&format!("{byte:02x}")));
    while let Some(block) = channels.next_block().unwrap() {
        match &block.values[0] {
            Values::U8(values) => add(values),
            Values::Bool(values) => values.iter().for_each(|value| add(&[u8::from(*value)])),
            Values::I32(values) => values.iter().for_each(|value| add(&value.to_le_bytes())),
            Values::U32(values) => values.iter().for_each(|value| add(&value.to_le_bytes())),
            Values::F32(values) => values.iter().for_each(|value| add(&value.to_le_bytes())),
            Values::F64(values) => values.iter().for_each(|value| add(&value.to_le_bytes())),
            other => panic!("iRacing has no {other:?}"),
        }
    }
    hex
}

fn pyirsdk(python: &Path, file: &Path) -> String {
    let script = concat!(env!("CARGO_MANIFEST_DIR"), "/../../tests/independent/ibt_values.py");
    let output = Command::new(python).arg("-B").arg(script).arg(file).output().unwrap();
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    String::from_utf8(output.stdout).unwrap()
}

#[test]
fn values_of_real_ibt_files_are_those_of_pyirsdk() {
    let (Some(data), Some(python)) = (support::real_data(TEST), python()) else { return };
    let folder = tempfile::tempdir().unwrap();
    for (name, rows, variables) in [("sebring_amg_gt4", 2683, 285), ("red_bull_ring_w13", 390, 276)] {
        let source = data.join("ibt").join(format!("{name}.ibt"));
        let out = folder.path().join(name);
        import(&source, &out, &mut |_| {}).unwrap();
        let tape = Tape::open(&out).unwrap();
        let told = pyirsdk(&python, &source);
        let mut compared = 0;
        for line in told.lines() {
            let [variable, kind, count, hex] = line.split(' ').collect::<Vec<_>>()[..] else { panic!("{line}") };
            let width = [1, 1, 4, 4, 4, 8][kind.parse::<usize>().unwrap()];
            assert_eq!(hex.len(), rows * count.parse::<usize>().unwrap() * width * 2, "{variable}");
            assert!(channel_hex(&tape, variable) == hex, "{name}: {variable} differs");
            compared += 1;
        }
        assert_eq!(compared, variables, "{name}");
    }
}
