//! A server that goes away and comes back: each lap is delivered once. The test runs and really stops its own server.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, missing_docs, unreachable_pub)]
#![allow(dead_code, reason = "samples and places are those of all tests of the store")]
#![cfg(unix)]

use std::io::Read;
use std::net::TcpListener;
use std::os::unix::net::UnixStream;
use std::path::PathBuf;
use std::process::Command;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::channel;
use std::time::{Duration, Instant};

use gametape::laps::Session;
use gametape::store::{Audience, Change, Edit, Pauses, QueuedStore, SqlStore, Store, Write};

use crate::store::place;
use crate::store::sample;

use sample::{lap, origin, session};

const PAUSES: Pauses = Pauses { first: Duration::from_millis(20), longest: Duration::from_millis(200) };

/// A server in a temporary folder, removed with it.
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
        // The server runs as a different user, who needs access to its folder.
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
fn h2_laps_arrive_once_through_stops_and_crashes_of_the_server() {
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
    wait_until_nothing_waits(&store);
    assert_eq!(times_on(&server.url, &session).len(), 5);
    // User edits on the server are kept, whatever is delivered later.
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
        // Some laps arrive during sending, some after.
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
    store.tracked(&origin(1)).unwrap();
    assert!(store.waiting().unwrap().problem.is_some());
    drop(store);
    server.restart();
    let store = QueuedStore::open(&server.url, &file, PAUSES).unwrap();
    wait_until_nothing_waits(&store);
    assert_eq!(times_on(&server.url, &session), [100_000]);
    // The notice that the tape is complete is sent after all its laps.
    let (on_server, start) = (SqlStore::postgres(&server.url).unwrap(), Instant::now());
    while on_server.tracker_of(session.tape).unwrap() != Some(origin(1).tracker) {
        assert!(start.elapsed() < Duration::from_secs(60));
        std::thread::sleep(Duration::from_millis(10));
    }
}

#[test]
fn laps_that_a_server_refuses_wait_and_hold_up_no_others() {
    let Some(place) = place::Place::postgres() else { return };
    SqlStore::postgres(&place.url()).unwrap();
    place.run(
        "CREATE FUNCTION refuse() RETURNS trigger LANGUAGE plpgsql AS \
         $$ BEGIN RAISE EXCEPTION 'not this one' USING ERRCODE = '42501'; END $$; \
         CREATE TRIGGER refuse BEFORE INSERT ON laps FOR EACH ROW WHEN (NEW.time_ms = 100666) EXECUTE FUNCTION refuse()",
    );
    let folder = tempfile::tempdir().unwrap();
    let store = QueuedStore::open(&place.url(), folder.path().join("outbox.sqlite"), PAUSES).unwrap();
    let (refused, other) = (session(1, 0), session(2, 1));
    let put = |number: u8, session: &Session, time_ms: u32| {
        let writes = [Write::Session(session.clone()), Write::Lap(lap(session, 1, time_ms))];
        store.write(&origin(number), &writes).unwrap()
    };
    assert_eq!(put(1, &refused, 100_666), [Change::New; 2], "it waits");
    assert_eq!(put(2, &other, 100_000), [Change::New; 2]);
    let start = Instant::now();
    while store.waiting().unwrap().sessions != 1 {
        assert!(start.elapsed() < Duration::from_secs(60), "{:?}", store.waiting());
        std::thread::sleep(Duration::from_millis(10));
    }
    assert_eq!(times_on(&place.url(), &other), [100_000]);
    assert!(store.waiting().unwrap().problem.unwrap().contains("not this one"));
    place.run("DROP TRIGGER refuse ON laps");
    wait_until_nothing_waits(&store);
    assert_eq!(times_on(&place.url(), &refused), [100_666]);
}

#[test]
fn laps_wait_while_the_server_has_a_newer_schema() {
    let Some(place) = place::Place::postgres() else { return };
    SqlStore::postgres(&place.url()).unwrap();
    place.run("UPDATE gametape_schema SET version = version + 1000");
    let folder = tempfile::tempdir().unwrap();
    let store = QueuedStore::open(&place.url(), folder.path().join("outbox.sqlite"), PAUSES).unwrap();
    let session = session(1, 0);
    let writes = [Write::Session(session.clone()), Write::Lap(lap(&session, 1, 100_000))];
    assert_eq!(store.write(&origin(1), &writes).unwrap(), [Change::New; 2]);
    place.run("UPDATE gametape_schema SET version = version - 1000");
    wait_until_nothing_waits(&store);
    assert_eq!(times_on(&place.url(), &session), [100_000]);
}

#[test]
fn a_tape_that_is_tracked_again_takes_its_waiting_laps_out_of_the_file() {
    let Some(server) = Server::start("a_tape_that_is_tracked_again_takes_its_waiting_laps_out_of_the_file") else {
        return;
    };
    SqlStore::postgres(&server.url).unwrap();
    server.stop(false);
    let folder = tempfile::tempdir().unwrap();
    // One attempt, then none for an hour.
    let hour = Duration::from_secs(3600);
    let pauses = Pauses { first: hour, longest: hour };
    let store = QueuedStore::open(&server.url, folder.path().join("outbox.sqlite"), pauses).unwrap();
    let [old, other] = [(1, session(1, 0)), (2, session(2, 1))].map(|(number, session)| {
        let writes = [Write::Session(session.clone()), Write::Lap(lap(&session, 1, 111_111))];
        store.write(&origin(number), &writes).unwrap();
        session
    });
    while store.waiting().unwrap().problem.is_none() {
        std::thread::sleep(Duration::from_millis(10));
    }
    server.restart();
    let start = Instant::now();
    let whole = sample::tracked(&old, &[100_000]);
    while let Err(error) = store.replace_tape(&origin(1), std::slice::from_ref(&whole)) {
        assert!(error.is_unreachable() && start.elapsed() < Duration::from_secs(60), "{error}");
        std::thread::sleep(Duration::from_millis(100));
    }
    assert_eq!(times_on(&server.url, &old), [100_000]);
    assert_eq!(store.waiting().unwrap().sessions, 1, "that of the other tape");
    drop(store);
    let store = QueuedStore::open(&server.url, folder.path().join("outbox.sqlite"), PAUSES).unwrap();
    wait_until_nothing_waits(&store);
    assert_eq!(times_on(&server.url, &old), [100_000]);
    assert_eq!(times_on(&server.url, &other), [111_111]);
}

/// A server that accepts connections but does not respond.
#[test]
fn a_server_that_hangs_is_told_at_once_after_the_first_time() {
    let silent = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
    let url = format!("postgres://me@{}/laps?connect_timeout=2", silent.local_addr().unwrap());
    let folder = tempfile::tempdir().unwrap();
    let session = session(1, 0);
    let (told, hear) = std::sync::mpsc::channel();
    let file = folder.path().join("outbox.sqlite");
    // On a separate thread, so that a call that never returns fails the test.
    std::thread::spawn(move || {
        let store = QueuedStore::open(&url, &file, PAUSES).unwrap();
        let done = store.write(&origin(1), &[Write::Session(session.clone())]).unwrap();
        let start = Instant::now();
        let errors = [
            store.lap(session.id, Audience::Owner).unwrap_err(),
            store.session(session.id, Audience::Owner).unwrap_err(),
        ];
        let _ = told.send((done, errors.map(|error| error.is_unreachable()), start.elapsed()));
    });
    let (done, unreachable, took) = hear.recv_timeout(Duration::from_secs(30)).expect("a call that never returns");
    assert_eq!(done, [Change::New]);
    // Two attempts to connect would take four seconds.
    assert!(unreachable == [true; 2] && took < Duration::from_millis(3_900), "{took:?}");
}

/// A proxy between the store and a server that can stop forwarding, like a server that hangs.
struct Relay {
    url: String,
    frozen: Arc<AtomicBool>,
}

impl Relay {
    /// Creates a proxy for the server of this test, which listens on a Unix socket in its folder.
    fn start(server: &Server) -> Self {
        let socket = std::fs::read_dir(&server.folder).unwrap().map(|entry| entry.unwrap().path());
        let mut sockets = socket.filter(|path| {
            let name = path.file_name().unwrap().to_string_lossy().into_owned();
            name.starts_with(".s.PGSQL.") && !name.ends_with(".lock")
        });
        let socket = sockets.next().expect("the server's socket");
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let address = listener.local_addr().unwrap();
        let (user, rest) = server.url.split_once("://").unwrap().1.split_once('@').unwrap();
        let database = rest.split('?').next().unwrap().rsplit('/').next().unwrap();
        let url = format!("postgres://{user}@{address}/{database}?connect_timeout=2");
        let frozen = Arc::new(AtomicBool::new(false));
        let stopped = Arc::clone(&frozen);
        std::thread::spawn(move || {
            for client in listener.incoming() {
                let (client, server) = (client.unwrap(), UnixStream::connect(&socket).unwrap());
                let ends = [(client.try_clone().unwrap(), server.try_clone().unwrap()), (client, server)];
                let [(from, to), (back_to, back_from)] = ends;
                let frozen = [Arc::clone(&stopped), Arc::clone(&stopped)];
                let [one, two] = frozen;
                std::thread::spawn(move || pass_on(from, to, &one));
                std::thread::spawn(move || pass_on(back_from, back_to, &two));
            }
        });
        Self { url, frozen }
    }
}

fn pass_on(mut from: impl Read, mut to: impl std::io::Write, frozen: &AtomicBool) {
    let mut bytes = [0; 4096];
    while let Ok(count) = from.read(&mut bytes) {
        while frozen.load(Ordering::SeqCst) {
            std::thread::sleep(Duration::from_millis(5));
        }
        if count == 0 || to.write_all(&bytes[..count]).is_err() {
            return;
        }
    }
}

#[test]
fn a_lap_does_not_wait_for_a_server_that_takes_its_time() {
    let Some(server) = Server::start("a_lap_does_not_wait_for_a_server_that_takes_its_time") else { return };
    let mut other = postgres::Client::connect(&server.url, postgres::NoTls).unwrap();
    // The server itself is in no hurry: only the limit of the store ends the wait.
    other.batch_execute("ALTER ROLE CURRENT_USER SET lock_timeout = '1h'").unwrap();
    other.batch_execute("ALTER ROLE CURRENT_USER SET statement_timeout = '1h'").unwrap();
    let folder = tempfile::tempdir().unwrap();
    let session = session(1, 0);
    let store = Arc::new(QueuedStore::open(&server.url, folder.path().join("outbox.sqlite"), PAUSES).unwrap());
    store.write(&origin(1), &[Write::Session(session.clone())]).unwrap();
    wait_until_nothing_waits(&store);
    store.session(session.id, Audience::Owner).unwrap().expect("it has arrived");
    other.batch_execute("BEGIN; LOCK TABLE laps IN ACCESS EXCLUSIVE MODE").unwrap();
    let (told, hear) = channel();
    let (of_thread, lap) = (Arc::clone(&store), lap(&session, 1, 100_001));
    std::thread::spawn(move || told.send(of_thread.write(&origin(1), &[Write::Lap(lap)])).unwrap());
    let written = hear.recv_timeout(NEVER).expect("the lap waited for the server");
    assert_eq!(written.unwrap(), [Change::New]);
    assert_eq!(store.waiting().unwrap().sessions, 1, "it is in the outbox");
    other.batch_execute("COMMIT").unwrap();
    wait_until_nothing_waits(&store);
    assert_eq!(times_on(&server.url, &session), [100_001], "once");
}

/// Timeout: a call that takes longer counts as never returning.
const NEVER: Duration = Duration::from_secs(60);

#[test]
fn a_server_that_stops_answering_holds_up_neither_laps_nor_questions_nor_the_end() {
    let Some(server) = Server::start("a_server_that_stops_answering_holds_up_neither_laps_nor_questions_nor_the_end")
    else {
        return;
    };
    let relay = Relay::start(&server);
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("outbox.sqlite");
    let session = session(1, 0);
    let (told, hear) = channel();
    let (url, frozen, of_thread) = (relay.url.clone(), Arc::clone(&relay.frozen), session.clone());
    let path = file.clone();
    // On a separate thread, so that a call that never returns fails the test.
    std::thread::spawn(move || {
        let session = of_thread;
        let store = QueuedStore::open(&url, &path, PAUSES).unwrap();
        store.write(&origin(1), &[Write::Session(session.clone())]).unwrap();
        wait_until_nothing_waits(&store);
        store.session(session.id, Audience::Owner).unwrap().expect("it has arrived");
        frozen.store(true, Ordering::SeqCst);
        // Requested before the server is known to hang.
        let asked = store.session(session.id, Audience::Owner).unwrap_err();
        assert!(asked.is_unreachable(), "{asked}");
        told.send("a question").unwrap();
        for number in 1..=30 {
            let done = store.write(&origin(1), &[Write::Lap(lap(&session, number, 100_000 + number))]).unwrap();
            assert_eq!(done, [Change::New]);
        }
        told.send("laps").unwrap();
        assert!(store.lap(session.id, Audience::Owner).unwrap_err().is_unreachable());
        assert_eq!(store.waiting().unwrap().sessions, 1);
        drop(store);
        told.send("the end").unwrap();
        // Another program's first request also gets no response.
        let store = QueuedStore::open(&url, &path, PAUSES).unwrap();
        store.write(&origin(1), &[Write::Lap(lap(&session, 31, 100_031))]).unwrap();
        told.send("another program").unwrap();
    });
    for what in ["a question", "laps", "the end", "another program"] {
        assert_eq!(hear.recv_timeout(NEVER), Ok(what), "{what} waited for the server");
    }
    relay.frozen.store(false, Ordering::SeqCst);
    let store = QueuedStore::open(&relay.url, &file, PAUSES).unwrap();
    wait_until_nothing_waits(&store);
    let expected: Vec<u32> = (1..=31).map(|number| 100_000 + number).collect();
    assert_eq!(times_on(&server.url, &session), expected);
}
