//! A server that goes away and comes back: each lap arrives, once. The server is one of the test's own, and is really stopped.
#![allow(clippy::unwrap_used, clippy::panic, missing_docs, unreachable_pub)]
#![allow(dead_code, reason = "samples and places are those of all tests of the store")]
#![cfg(unix)]

use std::path::PathBuf;
use std::process::Command;
use std::time::{Duration, Instant};

use gametape::laps::Session;
use gametape::store::{Audience, Change, Edit, Pauses, QueuedStore, SqlStore, Store, Write};

#[path = "store/place.rs"]
mod place;
#[path = "store/sample.rs"]
mod sample;

use sample::{lap, origin, session};

const PAUSES: Pauses = Pauses { first: Duration::from_millis(20), longest: Duration::from_millis(200) };

/// A server in a folder of its own; removed with it.
struct Server {
    folder: PathBuf,
    url: String,
    _parent: tempfile::TempDir,
}

impl Server {
    fn start(test: &str) -> Option<Self> {
        if std::env::var_os("GAMETAPE_POSTGRES").is_none() {
            place::skip("store_on_postgres", &format!("{test}: GAMETAPE_POSTGRES is not set"));
            return None;
        }
        let parent = tempfile::tempdir().unwrap();
        // The server's user is another one, and must get to its folder.
        let permissions = std::os::unix::fs::PermissionsExt::from_mode(0o711);
        std::fs::set_permissions(parent.path(), permissions).unwrap();
        let folder = parent.path().join("pg");
        let url = script(&["start", folder.to_str().unwrap()]);
        Some(Self { folder, url, _parent: parent })
    }

    fn stop(&self, crash: bool) {
        let folder = self.folder.to_str().unwrap();
        if crash {
            script(&["stop", folder, "--crash"])
        } else {
            script(&["stop", folder])
        };
    }

    fn restart(&self) {
        script(&["restart", self.folder.to_str().unwrap()]);
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        script(&["remove", self.folder.to_str().unwrap()]);
    }
}

fn script(arguments: &[&str]) -> String {
    let script = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../../scripts/postgres");
    // Output goes to files: a server that inherited a pipe would keep it open.
    let mut out = tempfile::tempfile().unwrap();
    let mut complaints = tempfile::tempfile().unwrap();
    let done = Command::new(script)
        .args(arguments)
        .stdin(std::process::Stdio::null())
        .stdout(out.try_clone().unwrap())
        .stderr(complaints.try_clone().unwrap())
        .status()
        .unwrap();
    let read = |file: &mut std::fs::File| {
        let mut text = String::new();
        std::io::Seek::rewind(file).unwrap();
        std::io::Read::read_to_string(file, &mut text).unwrap();
        text.trim().to_owned()
    };
    assert!(done.success(), "{arguments:?}: {}", read(&mut complaints));
    read(&mut out)
}

fn wait_until_nothing_waits(store: &QueuedStore) {
    let start = Instant::now();
    while store.waiting().unwrap().sessions > 0 {
        assert!(start.elapsed() < Duration::from_secs(60), "{:?}", store.waiting());
        std::thread::sleep(Duration::from_millis(10));
    }
}

fn times_on(url: &str, session: &Session) -> Vec<u32> {
    let store = SqlStore::postgres(url).unwrap();
    let found = store.session(session.id, Audience::Owner).unwrap().unwrap();
    assert_eq!(found.session.lap_count as usize, found.laps.len());
    found.laps.iter().map(|lap| lap.lap.time_ms.unwrap()).collect()
}

#[test]
fn laps_arrive_once_through_stops_and_crashes_of_the_server() {
    let Some(server) = Server::start("laps_arrive_once_through_stops_and_crashes_of_the_server") else { return };
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("outbox.sqlite");
    let store = QueuedStore::open(&server.url, &file, PAUSES).unwrap();
    let session = session(1, 0);
    let put = |number: u32| {
        let start = Instant::now();
        let done = store.write(&origin(1), &[Write::Lap(lap(&session, number, 100_000 + number))]).unwrap();
        assert_eq!(done, [Change::New], "lap {number}");
        start.elapsed()
    };
    store.write(&origin(1), &[Write::Session(session.clone())]).unwrap();
    for number in 1..=5 {
        put(number);
    }
    assert_eq!(times_on(&server.url, &session).len(), 5, "written through while the server answers");
    // What a user says on the server stays, whatever arrives later.
    let first = lap(&session, 1, 100_001).id;
    store.edit_lap(first, &Edit { excluded: Some(true), ..Edit::default() }).unwrap();
    let mut number = 5;
    for crash in [false, true, true] {
        server.stop(crash);
        for _ in 0..20 {
            number += 1;
            assert!(put(number) < Duration::from_secs(10), "only the sending thread waits for the server");
        }
        assert_eq!(store.waiting().unwrap().sessions, 1);
        server.restart();
        // Some while it is being sent, some after.
        for _ in 0..20 {
            number += 1;
            put(number);
        }
        wait_until_nothing_waits(&store);
        number += 1;
        put(number);
    }
    wait_until_nothing_waits(&store);
    assert_eq!(store.waiting().unwrap().problem, None);
    let expected: Vec<u32> = (1..=number).map(|number| 100_000 + number).collect();
    assert_eq!(times_on(&server.url, &session), expected);
    let on_server = SqlStore::postgres(&server.url).unwrap();
    assert!(on_server.lap(first, Audience::Owner).unwrap().unwrap().lap.excluded);
}

#[test]
fn what_waits_is_sent_by_the_next_program() {
    let Some(server) = Server::start("what_waits_is_sent_by_the_next_program") else { return };
    server.stop(false);
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("outbox.sqlite");
    let session = session(1, 0);
    let writes = [Write::Session(session.clone()), Write::Lap(lap(&session, 1, 100_000))];
    let store = QueuedStore::open(&server.url, &file, PAUSES).unwrap();
    assert_eq!(store.write(&origin(1), &writes).unwrap(), [Change::New; 2]);
    assert!(store.waiting().unwrap().problem.is_some());
    drop(store);
    server.restart();
    let store = QueuedStore::open(&server.url, &file, PAUSES).unwrap();
    wait_until_nothing_waits(&store);
    assert_eq!(times_on(&server.url, &session), [100_000]);
}
