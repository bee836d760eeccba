//! `--upstream`: two servers, either of them killed in the middle, and everything arrives exactly once.
#![cfg(unix)]
#![allow(clippy::unwrap_used, clippy::panic, missing_docs)]
use crate::support;

use std::io::{BufRead, BufReader, Read, Write};
use std::net::{TcpListener, TcpStream};
use std::path::Path;
use std::process::{Child, Stdio};
use std::sync::Arc;
use std::time::{Duration, Instant};

use gametape::format::TapeId;
use gametape::format::write::{StdFiles, TapeBuilder, WriteOptions};
use gametape::games::acc;
use gametape::layout::stream_of_layout;
use gametape_simulator::{Script, Settings, Simulation, Start};
use serde_json::Value;
use support::Bench;
use zerocopy::IntoBytes as _;

/// A server; killed when dropped, like in a crash.
struct Serving {
    child: Child,
    address: String,
    token: String,
}

impl Drop for Serving {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

fn serve(bench: &Bench, bind: &str, token: &str, upstream: Option<(&str, &str)>) -> Serving {
    let mut arguments = vec!["serve", "--bind", bind];
    let url = upstream.map(|(address, _)| format!("http://{address}"));
    if let Some(url) = &url {
        arguments.extend(["--upstream", url]);
    }
    let mut command = bench.command(&arguments);
    if let Some((_, token)) = upstream {
        command.env("GAMETAPE_UPSTREAM_TOKEN", token);
    }
    let mut child = command.stdout(Stdio::piped()).stderr(Stdio::null()).spawn().unwrap();
    let mut line = String::new();
    BufReader::new(child.stdout.take().unwrap()).read_line(&mut line).unwrap();
    let address = line.trim().strip_prefix("http://").unwrap().to_owned();
    Serving { child, address, token: token.to_owned() }
}

impl Serving {
    fn get(&self, path: &str) -> Value {
        let mut socket = TcpStream::connect(&self.address).unwrap();
        socket.set_read_timeout(Some(Duration::from_secs(30))).unwrap();
        let request = format!(
            "GET {path} HTTP/1.1\r\nHost: {}\r\nAuthorization: Bearer {}\r\nConnection: close\r\n\r\n",
            self.address, self.token
        );
        socket.write_all(request.as_bytes()).unwrap();
        let mut said = String::new();
        socket.read_to_string(&mut said).unwrap();
        serde_json::from_str(said.split_once("\r\n\r\n").unwrap().1).unwrap_or_else(|error| panic!("{error}: {said}"))
    }
}

/// Waits for something, with a timeout.
fn wait_for(what: &str, mut is: impl FnMut() -> bool) {
    let until = Instant::now() + Duration::from_secs(120);
    while !is() {
        assert!(Instant::now() < until, "{what} did not come");
        std::thread::sleep(Duration::from_millis(5));
    }
}

/// A tape of some laps in the tapes folder.
fn record(bench: &Bench, number: u8) {
    std::fs::create_dir_all(bench.path("tapes")).unwrap();
    let path = bench.path(&format!("tapes/acc_ring_{number}.gtape"));
    let start_utc_ns = Some(1_767_225_600_000_000_000 + i64::from(number) * 3_600_000_000_000);
    let options = WriteOptions { start_utc_ns, ..WriteOptions::new(TapeId([number; 16])) };
    let mut tape = TapeBuilder::create(Arc::new(StdFiles), &path, &options, false).unwrap();
    let layouts = [("physics", &acc::PHYSICS_800), ("graphics", &acc::GRAPHICS_1588), ("static", &acc::STATIC_820)];
    let ids =
        layouts.map(|(name, layout)| tape.add_stream(stream_of_layout(acc::GAME.id, name, "shm", layout), 0).unwrap());
    let settings = Settings { start: Start::Flying, seed: number.into(), ..Settings::default() };
    for (at, (time_ns, pages)) in Simulation::driving(settings, Script::new().at(100_000).end()).sample(200).enumerate()
    {
        tape.append(ids[0], time_ns, pages.physics.as_bytes()).unwrap();
        tape.append(ids[1], time_ns, pages.graphics.as_bytes()).unwrap();
        if at == 0 {
            tape.append(ids[2], time_ns, pages.static_page.as_bytes()).unwrap();
        }
    }
    tape.finish().unwrap();
}

fn parts(folder: &Path) -> Vec<u64> {
    let entries = std::fs::read_dir(folder.join("tapes/incoming"));
    entries.into_iter().flatten().flatten().filter_map(|entry| Some(entry.metadata().ok()?.len())).collect()
}

/// What must be the same on both sides: laps with all their fields, except those that only one side can know.
fn laps(serving: &Serving) -> Vec<Value> {
    let found = serving.get("/api/v1/laps?limit=500&sort=oldest");
    found["laps"].as_array().unwrap().clone()
}

fn tapes(serving: &Serving) -> Vec<(String, String)> {
    let found = serving.get("/api/v1/tapes?limit=500");
    let text = |tape: &Value, field: &str| tape[field].as_str().unwrap_or_default().to_owned();
    let mut all: Vec<_> =
        found["tapes"].as_array().unwrap().iter().map(|tape| (text(tape, "id"), text(tape, "checksum"))).collect();
    all.sort();
    all
}

#[test]
fn laps_and_tapes_arrive_once_though_either_side_is_killed() {
    let (rig, home) = (Bench::new(), Bench::new());
    (1..=3).for_each(|number| record(&rig, number));
    rig.expect(0, &["laps", "rebuild"]);
    let token = home.expect(0, &["token", "add", "rig", "--scope", "write"]).out.trim().to_owned();
    let own = rig.expect(0, &["token", "add", "me"]).out.trim().to_owned();
    let address = TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap().to_string();
    // The server is not running yet.
    let sender = serve(&rig, "127.0.0.1:0", &own, Some((&address, &token)));
    let driver = laps(&sender)[0]["driver"].as_str().unwrap().to_owned();
    {
        let receiver = serve(&home, &address, &token, None);
        wait_for("the first piece of a tape", || parts(home.folder.path()).iter().any(|bytes| *bytes > 0));
        drop(receiver);
    }
    drop(sender);
    let receiver = serve(&home, &address, &token, None);
    {
        let sender = serve(&rig, "127.0.0.1:0", &own, Some((&address, &token)));
        wait_for("more pieces", || {
            !tapes(&receiver).is_empty() || parts(home.folder.path()).iter().any(|bytes| *bytes > 600_000)
        });
        drop(sender);
    }
    let sender = serve(&rig, "127.0.0.1:0", &own, Some((&address, &token)));
    wait_for("all tapes", || tapes(&receiver).len() == 3 && parts(home.folder.path()).is_empty());
    assert_eq!(tapes(&receiver), tapes(&sender), "the same bytes");
    assert_eq!(laps(&receiver), laps(&sender), "the same laps, each once");
    assert!(laps(&sender).len() >= 6);
    let received = std::fs::read_dir(home.path("tapes/received")).unwrap().count();
    assert_eq!(received, 3, "no tape is there twice");
    // Lap telemetry can be requested from the server that received it.
    let whole = laps(&sender).into_iter().find(|lap| lap["complete"] == true).unwrap();
    let said = receiver.get(&format!("/api/v1/laps/{}/channels?hz=10", whole["id"].as_str().unwrap()));
    assert!(said["rows"].as_u64().unwrap() > 100, "{said}");
    // A driver hidden here is hidden there, also later.
    let store = gametape::store::open(rig.path("laps.sqlite").to_str().unwrap()).unwrap();
    let hidden = gametape::store::DriverEdit { name: None, visibility: Some(gametape::store::Visibility::Private) };
    gametape::store::Store::edit_driver(&store, &driver, &hidden).unwrap();
    wait_for("the mark", || receiver.get("/api/v1/drivers")["drivers"][0]["privacy"] == "private");
}

#[test]
fn a_lap_that_is_excluded_at_the_rig_counts_nowhere_until_it_is_taken_back() {
    let (rig, home) = (Bench::new(), Bench::new());
    record(&rig, 1);
    rig.expect(0, &["laps", "rebuild"]);
    let token = home.expect(0, &["token", "add", "rig", "--scope", "write"]).out.trim().to_owned();
    let mut receiver = serve(&home, "127.0.0.1:0", &token, None);
    let own = rig.expect(0, &["token", "add", "me"]).out.trim().to_owned();
    let address = receiver.address.clone();
    let _sender = serve(&rig, "127.0.0.1:0", &own, Some((&address, &token)));
    wait_for("the tape", || tapes(&receiver).len() == 1 && parts(home.folder.path()).is_empty());
    let counting = |serving: &Serving| {
        let counts = laps(serving).into_iter().filter(|lap| lap["eligible"] == true);
        counts.map(|lap| lap["id"].as_str().unwrap().to_owned()).collect::<Vec<_>>()
    };
    let whole = counting(&receiver);
    let (best, second) = (whole[0].clone(), whole[1].clone());
    let edit = |bench: &Bench, id: &str, excluded: bool| {
        let store = gametape::store::open(bench.path("laps.sqlite").to_str().unwrap()).unwrap();
        let edit = gametape::store::Edit { excluded: Some(excluded), ..Default::default() };
        gametape::store::Store::edit_lap(&store, gametape::laps::Id::parse(id).unwrap(), &edit).unwrap();
    };
    edit(&rig, &best, true);
    wait_for("the word", || laps(&receiver).iter().any(|lap| lap["id"] == *best && lap["excluded"] == true));
    assert_eq!(counting(&receiver), whole[1..]);
    // The other server tracks the received tape when it starts: user edits stay.
    drop(receiver);
    home.expect(0, &["laps", "rebuild", "--all"]);
    receiver = serve(&home, &address, &token, None);
    assert_eq!(counting(&receiver), whole[1..]);
    // Edits by its own users stay, too.
    edit(&home, &second, true);
    edit(&rig, &best, false);
    wait_for("the other word", || counting(&receiver).contains(&best));
    assert!(!counting(&receiver).contains(&second), "who excluded it here did not take it back");
}

#[test]
fn the_main_job_sends_what_it_has() {
    let (rig, home) = (Bench::new(), Bench::new());
    record(&rig, 1);
    let token = home.expect(0, &["token", "add", "rig", "--scope", "write"]).out.trim().to_owned();
    let receiver = serve(&home, "127.0.0.1:0", &token, None);
    let url = format!("http://{}", receiver.address);
    rig.expect(2, &["--upstream", &url]).is_one_error_with(&["GAMETAPE_UPSTREAM_TOKEN"]);
    assert!(rig.expect(2, &["--upstream", &url, "laps"]).err.contains("--upstream"), "it belongs to no other command");
    let mut command = rig.command(&["--upstream", &url]);
    command.env("GAMETAPE_UPSTREAM_TOKEN", &token).env("GAMETAPE_WINE", "off");
    command.env("GAMETAPE_NAMES", format!("upstream-{}-", std::process::id()));
    let mut job = command.stdout(Stdio::null()).stderr(Stdio::piped()).spawn().unwrap();
    // The laps are found while the tape is being sent: either may be there first.
    let has_tape = || tapes(&receiver).len() == 1 && parts(home.folder.path()).is_empty();
    wait_for("the tape and its laps", || has_tape() && !laps(&receiver).is_empty());
    assert!(std::process::Command::new("kill").args(["-INT", &job.id().to_string()]).status().unwrap().success());
    let mut said = String::new();
    job.stderr.take().unwrap().read_to_string(&mut said).unwrap();
    assert_eq!(job.wait().unwrap().code(), Some(130), "{said}");
    assert!(said.contains(&format!("sending laps and tapes to {url}")), "{said}");
    let stored = rig.expect(0, &["laps", "--json"]).json();
    assert_eq!(stored["sessions"][0]["laps"].as_array().unwrap().len(), laps(&receiver).len());
}

#[test]
fn what_is_sent_is_not_trusted() {
    let home = Bench::new();
    let token = home.expect(0, &["token", "add", "rig", "--scope", "write"]).out.trim().to_owned();
    let reader = home.expect(0, &["token", "add", "guest"]).out.trim().to_owned();
    let receiver = serve(&home, "127.0.0.1:0", &token, None);
    let put = |path: &str, token: &str, body: &[u8]| {
        let mut socket = TcpStream::connect(&receiver.address).unwrap();
        let head = format!(
            "PUT {path} HTTP/1.1\r\nHost: {}\r\nAuthorization: Bearer {token}\r\nContent-Length: {}\r\nConnection: close\r\n\r\n",
            receiver.address,
            body.len()
        );
        socket.write_all(head.as_bytes()).unwrap();
        let _ = socket.write_all(body);
        let mut said = String::new();
        let _ = socket.read_to_string(&mut said);
        said.split(' ').nth(1).unwrap_or_default().to_owned()
    };
    let id = "09".repeat(16);
    let checksum = blake3_of(b"no tape at all");
    let tape = format!("/api/v1/push/tapes/{id}?bytes=14&checksum={checksum}&file=..%2F..%2Fevil.gtape");
    assert_eq!(put(&tape, &reader, b""), "403");
    assert_eq!(put(&tape, "wrong", b""), "401");
    assert_eq!(put(&tape, &token, b""), "200");
    assert_eq!(put(&format!("{tape}&offset=5"), &token, b"x"), "409", "not the next piece");
    assert_eq!(put(&format!("{tape}&offset=0"), &token, b"no tape at all, and more"), "409", "more than was announced");
    assert_eq!(put(&format!("{tape}&offset=0"), &token, b"no tape at "), "200");
    assert_eq!(put(&format!("{tape}&offset=11"), &token, b"ALL"), "409", "another checksum");
    assert_eq!(put(&format!("{tape}&offset=0"), &token, b"no tape at all"), "409", "the right bytes, and no tape");
    let huge = format!("/api/v1/push/tapes/{id}?bytes=99999999999999&checksum={checksum}");
    assert_eq!(put(&huge, &token, b""), "413");
    assert_eq!(put(&format!("/api/v1/push/tapes/{id}?bytes=14&checksum=../x"), &token, b""), "400");
    assert!(parts(home.folder.path()).is_empty() && !home.path("tapes/received").exists());
    for body in [&b"{}"[..], b"[]", b"\xff", br#"{"format":2}"#] {
        assert_eq!(put("/api/v1/push/sessions", &token, body), "400");
    }
    assert_eq!(put("/api/v1/push/sessions", &reader, b"{}"), "403");
    assert_eq!(receiver.get("/api/v1/sessions")["sessions"].as_array().unwrap().len(), 0);
}

fn blake3_of(bytes: &[u8]) -> String {
    gametape::store::SessionUpload::content(std::str::from_utf8(bytes).unwrap())
}
