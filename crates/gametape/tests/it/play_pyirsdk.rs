//! Unmodified pyirsdk reads a tape that is being played, and gets the values of the tape.
#![cfg(target_os = "linux")]
#![allow(clippy::unwrap_used, clippy::panic, missing_docs)]
use crate::game;
use crate::playback;
use crate::support;

use std::collections::HashMap;
use std::io::{BufRead as _, BufReader, Write as _};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::Duration;

use gametape::Tape;
use gametape::format::Channel;
use gametape::games::iracing::SECTION;
use gametape::import::import;
use gametape::play::{Ended, Player};
use gametape::sys::section_file;
use playback::frames;

const TEST: &str = "pyirsdk_gets_the_values_of_the_tape_that_is_played";
const VARIABLES: usize = 50;

/// Returns the interpreter that has pyirsdk, or reports that the test is skipped.
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

fn hex(bytes: &[u8]) -> String {
    bytes.iter().map(|byte| format!("{byte:02x}")).collect()
}

/// Returns `SessionTick` and other channels, spread over the row.
fn some_channels(tape: &Tape) -> Vec<Channel> {
    let all = &tape.raw().stream_named("telemetry").unwrap().spec().channels;
    let first = all.iter().find(|channel| channel.name == "SessionTick").unwrap().clone();
    let others = all.iter().filter(|channel| channel.name != "SessionTick");
    let step = all.len() / VARIABLES;
    std::iter::once(first).chain(others.step_by(step).cloned()).take(VARIABLES).collect()
}

/// Plays the tape at a speed while pyirsdk reads it. Returns its output.
fn watched(python: &Path, tape: &Tape, speed: f64, names: &[&str]) -> Vec<(String, String)> {
    let prefix = game::prefix("pyirsdk");
    let mut playing = Player::new(tape).names(prefix.clone()).speed(speed).start().unwrap();
    // pyirsdk starts up only if the game is present. Without freezing, it reads the row before the newest.
    playing.step().unwrap();
    playing.step().unwrap();
    let file = section_file(&prefix.section(SECTION)).unwrap();
    let script = concat!(env!("CARGO_MANIFEST_DIR"), "/../../tests/independent/play_values.py");
    let mut command = Command::new(python);
    let mut child = command.arg("-B").arg(script).arg(file).args(names).stdout(Stdio::piped()).spawn().unwrap();
    let lines = BufReader::new(child.stdout.take().unwrap());
    let (send, heard) = std::sync::mpsc::channel();
    std::thread::spawn(move || lines.lines().for_each(|line| drop(send.send(line.unwrap()))));
    assert_eq!(heard.recv().unwrap(), "ready");
    assert_eq!(playing.run().unwrap(), Ended::AtEnd);
    // The last row is there until the game is gone. The client has it when it says nothing more.
    let mut rest = Vec::new();
    while let Ok(line) = heard.recv_timeout(Duration::from_secs(4)) {
        rest.push(line);
    }
    playing.stop().unwrap();
    rest.extend(heard);
    assert!(child.wait().unwrap().success());
    rest.iter().map(|line| line.split_once(' ').unwrap()).map(|(what, rest)| (what.into(), rest.into())).collect()
}

#[test]
fn pyirsdk_gets_the_values_of_the_tape_that_is_played() {
    let (Some(data), Some(python)) = (support::real_data(TEST), python()) else { return };
    let folder = tempfile::tempdir().unwrap();
    // What was seen must be right without exception. How much a client sees depends on the machine; nothing seen would prove nothing.
    for (name, speed, share) in [("red_bull_ring_w13", 1.0, 0.1), ("sebring_amg_gt4", 10.0, 0.05)] {
        let out = folder.path().join(name);
        import(&data.join("ibt").join(format!("{name}.ibt")), &out, &mut |_| {}).unwrap();
        let tape = Tape::open(&out).unwrap();
        let channels = some_channels(&tape);
        let names: Vec<&str> = channels.iter().map(|channel| channel.name.as_str()).collect();
        assert_eq!(names.len(), VARIABLES);
        let expected = |row: &[u8]| -> Vec<String> {
            let value = |channel: &Channel| {
                let start = channel.offset as usize;
                hex(&row[start..start + channel.kind.width() * channel.count as usize])
            };
            channels.iter().map(value).collect()
        };
        let rows = frames(tape.raw(), "telemetry");
        let places: HashMap<String, usize> =
            rows.iter().enumerate().map(|(place, (_, row))| (expected(row)[0].clone(), place)).collect();
        let told = watched(&python, &tape, speed, &names);
        let of =
            |what: &str| told.iter().filter(|(is, _)| is == what).map(|(_, rest)| rest.clone()).collect::<Vec<_>>();
        let mut last = None;
        for (row, second) in of("row").iter().zip(of("second")) {
            let values: Vec<String> = row.split(' ').map(str::to_owned).collect();
            let place = *places.get(&values[0]).expect("a tick of the tape");
            assert_eq!(values, expected(&rows[place].1), "{name}, row {place}");
            // The same row twice if it arrived between the check for new data and the freezing.
            assert!(last.is_none_or(|last| place >= last), "{name}: row {place} after {last:?}");
            last = Some(place);
            // Without freezing it is the previous row, or a later one if time has passed.
            let behind = *places.get(&second).expect("a tick of the tape");
            assert!(behind + 1 >= place, "{name}: {behind} is not next to {place}");
        }
        let seen = of("row").len();
        let text = &frames(tape.raw(), "telemetry.session-text")[0].1;
        let text = &text[..text.iter().rposition(|byte| *byte != 0).unwrap() + 1];
        assert_eq!(of("text"), [hex(text)], "{name}");
        assert!(String::from_utf8_lossy(text).contains(&format!("TrackName: {}", of("track")[0])), "{name}");
        println!("{name} at speed {speed}: pyirsdk saw {seen} of {} rows, all equal", rows.len());
        assert!(seen as f64 >= rows.len() as f64 * share, "{name}: only {seen} of {} rows", rows.len());
        assert_eq!(last, Some(rows.len() - 1), "{name}");
    }
}
