//! A program that is killed at any time has stored each lap that it announced.
//!
//! The test runs itself again as the child, which passes laps to [`KeepLaps`] as fast as it can, like a recorder, and prints the
//! announcements. If `KeepLaps` announced before it stores, the test would fail.
#![allow(clippy::unwrap_used, clippy::panic, missing_docs, unreachable_pub)]
#![allow(dead_code, reason = "the samples are those of all tests of the store")]

use std::io::{Read, Write as _};
use std::path::Path;
use std::process::{Command, Stdio};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use gametape::laps::{Event, Id};
use gametape::live::{Announced, KeepLaps, LapSink, LiveTape};
use gametape::store::{Audience, SqlStore, Store, Write};

use crate::store::sample;

const CHILD: &str = "GAMETAPE_STORE_KILL_TEST_CHILD";
const ANNOUNCE_FIRST: &str = "GAMETAPE_STORE_KILL_TEST_ANNOUNCES_FIRST";
const KILLS: u32 = 40;

/// Announces a lap. Returns `false` if the reader has gone.
fn announce(id: Id) -> bool {
    let mut out = std::io::stdout().lock();
    out.write_all(format!("lap {id}\n").as_bytes()).and_then(|()| out.flush()).is_ok()
}

/// Stores laps, and announces each once it is stored.
fn drive(path: &Path) {
    let session = sample::session(1, 0);
    let store = Arc::new(SqlStore::sqlite(path).unwrap());
    let tape = LiveTape { id: session.tape, path: "lap.gtape".into(), game: session.game.clone(), replay_of: None };
    let heard = AtomicBool::new(true);
    let keep = KeepLaps::new(store, false, |_: &LiveTape, what: Announced<'_>| match what {
        Announced::Happened { event: Event::LapFinal(lap), .. } => heard.store(announce(lap.id), Ordering::Relaxed),
        Announced::Happened { .. } => {}
        other => panic!("{other:?}"),
    });
    keep.events(&tape, vec![Event::SessionOpened(session.clone())]);
    for number in 1.. {
        keep.events(&tape, vec![Event::LapFinal(sample::lap(&session, number, 100_000 + number))]);
        if !heard.load(Ordering::Relaxed) {
            return;
        }
    }
}

/// The negative control: announces each lap before it stores it.
fn drive_wrongly(path: &Path) {
    let session = sample::session(1, 0);
    let store = SqlStore::sqlite(path).unwrap();
    store.write(&sample::origin(1), &[Write::Session(session.clone())]).unwrap();
    for number in 1.. {
        let lap = sample::lap(&session, number, 100_000 + number);
        if !announce(lap.id) {
            return;
        }
        // Long compared with the write, so that the control does not depend on the time of the kill.
        std::thread::sleep(Duration::from_millis(20));
        store.write(&sample::origin(1), &[Write::Lap(lap)]).unwrap();
    }
}

/// The child process. Without its environment variable, this test does nothing.
#[test]
fn child() {
    if let Some(path) = std::env::var_os(CHILD) {
        match std::env::var_os(ANNOUNCE_FIRST) {
            None => drive(Path::new(&path)),
            Some(_) => drive_wrongly(Path::new(&path)),
        }
    }
}

/// Runs a child and kills it. Returns the number of laps it announced, and how many of them are not in the store.
fn drive_and_kill(path: &Path, after: Duration, announce_first: bool) -> (usize, usize) {
    let mut command = Command::new(std::env::current_exe().unwrap());
    command.args(["store_kill::child", "--exact", "--nocapture", "--quiet"]).env(CHILD, path);
    if announce_first {
        command.env(ANNOUNCE_FIRST, "1");
    }
    let mut child = command.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::null()).spawn().unwrap();
    let mut pipe = child.stdout.take().unwrap();
    // The child is killed some time after its first output, so that a slow start does not leave it without any.
    let mut first = [0; 64];
    let mut said = Vec::new();
    while !String::from_utf8_lossy(&said).contains("lap ") {
        let count = pipe.read(&mut first).unwrap();
        assert!(count > 0, "the child ended by itself");
        said.extend(&first[..count]);
    }
    let reader = std::thread::spawn(move || {
        pipe.read_to_end(&mut said).unwrap();
        String::from_utf8(said).unwrap()
    });
    // A random delay: nothing depends on its actual length.
    std::thread::sleep(after);
    child.kill().unwrap();
    child.wait().unwrap();
    let said = reader.join().unwrap();
    let announced: Vec<_> =
        said.lines().filter_map(|line| line.split_once("lap ")).filter_map(|(_, id)| Id::parse(id)).collect();
    let store = SqlStore::sqlite(path).unwrap();
    let missing = announced.iter().filter(|id| store.lap(**id, Audience::Owner).unwrap().is_none()).count();
    (announced.len(), missing)
}

#[test]
fn a_killed_program_has_stored_every_lap_that_it_announced() {
    let folder = tempfile::tempdir().unwrap();
    let (mut announced, mut missing_in_control) = (0, 0);
    for kill in 0..KILLS {
        let after = Duration::from_micros(500 + u64::from(kill * 7919 % 100) * 400);
        let path = folder.path().join(format!("{kill}.sqlite"));
        let (count, missing) = drive_and_kill(&path, after, false);
        assert_eq!(missing, 0, "run {kill}: of {count}");
        announced += count;
        let path = folder.path().join(format!("control-{kill}.sqlite"));
        missing_in_control += drive_and_kill(&path, after, true).1;
    }
    assert!(announced >= KILLS as usize, "{announced} laps: each child was killed behind its first word");
    assert!(missing_in_control > 0, "control: announced before they are written, laps must be missing");
}
