//! Tests of the server without its socket: requests in, responses out.

mod access;
mod channels;
mod edits;
mod import;
mod live;
mod live_v2;
mod matches;
mod push;
mod reading;
mod socket;
mod standings;
mod tapes;
mod web;

use std::net::SocketAddr;
use std::sync::Arc;

use axum::Router;
use axum::body::{Body, to_bytes};
use axum::extract::ConnectInfo;
use axum::http::{HeaderMap, Request, StatusCode};
use gametape::format::TapeId;
use gametape::laps::{
    Conditions, Id, Lap, LapState, Phase, Sector, SectorSource, Session, SessionEnd, SessionKind, TimeSource,
};
use gametape::store::{Origin, SqlStore, Store, TrackerVersion, Write};
use serde_json::Value;
use tower::ServiceExt;

use super::{Access, AppState, Limits, app};

/// 2026-03-01 12:00 UTC.
const START_US: i64 = 1_772_366_400_000_000;

struct Server {
    app: Router,
    store: Arc<SqlStore>,
    state: AppState,
    peer: &'static str,
    _folder: tempfile::TempDir,
}

struct Answer {
    status: StatusCode,
    headers: HeaderMap,
    text: String,
    bytes: Vec<u8>,
}

impl Answer {
    fn json(&self) -> Value {
        serde_json::from_str(&self.text).unwrap_or_else(|error| panic!("{error}: {}", self.text))
    }

    fn code(&self) -> String {
        self.json()["error"]["code"].as_str().unwrap().to_owned()
    }
}

fn local() -> Access {
    Access { loopback: true, port: 7223, ..Access::default() }
}

impl Server {
    fn new(access: Access) -> Self {
        Self::with(access, Limits::default())
    }

    fn with(access: Access, limits: Limits) -> Self {
        let folder = tempfile::tempdir().unwrap();
        let store = Arc::new(SqlStore::sqlite(folder.path().join("laps.sqlite")).unwrap());
        let state = AppState::new(Arc::clone(&store) as Arc<dyn Store>, access, limits);
        let peer = if state.access.loopback { "127.0.0.1:50000" } else { "192.0.2.7:50000" };
        Self { app: app(state.clone()), store, state, peer, _folder: folder }
    }

    /// Sends a request with a method, a path, headers and a body.
    async fn send(&self, method: &str, path: &str, headers: &[(&str, &str)], body: &str) -> Answer {
        let mut request = Request::builder().method(method).uri(path);
        if !headers.iter().any(|(name, _)| *name == "host") {
            request = request.header("host", "127.0.0.1:7223");
        }
        for (name, value) in headers {
            request = request.header(*name, *value);
        }
        let peer: SocketAddr = self.peer.parse().unwrap();
        let request = request.extension(ConnectInfo(peer)).body(Body::from(body.to_owned())).unwrap();
        let response = self.app.clone().oneshot(request).await.unwrap();
        let (head, body) = response.into_parts();
        let body = to_bytes(body, 10 << 20).await.unwrap();
        let text = String::from_utf8_lossy(&body).into_owned();
        Answer { status: head.status, headers: head.headers, text, bytes: body.to_vec() }
    }

    async fn get(&self, path: &str) -> Answer {
        self.send("GET", path, &[], "").await
    }
}

pub(crate) fn session(number: u8, driver: &str) -> Session {
    let tape = TapeId([number; 16]);
    Session {
        id: Id::of_session(tape, 0),
        tape,
        game: "assetto-corsa-competizione".to_owned(),
        game_version: None,
        kind: SessionKind::Practice,
        index: Some(0),
        track: Some("Spa".to_owned()),
        layout: None,
        car: Some("car_a".to_owned()),
        driver: Some(driver.to_owned()),
        online: Some(false),
        start_ns: 0,
        end_ns: Some(1),
        started_utc_us: Some(START_US + i64::from(number) * 1_000_000),
        ended_utc_us: None,
        end: Some(SessionEnd::ToolStop),
        sector_count: Some(2),
        best_lap: None,
        theoretical_best_ms: None,
        remark: None,
        foreign: false,
    }
}

fn lap(session: &Session, number: u32, time_ms: u32) -> Lap {
    let start_ns = u64::from(number - 1) * 100_000_000_000;
    let sector = |time_ms| Sector { time_ms: Some(time_ms), source: SectorSource::Official };
    Lap {
        id: Id::of_lap(session.tape, start_ns, 0),
        session: session.id,
        number: Some(number),
        tape_lap: number,
        stint: None,
        driver: session.driver.clone(),
        start_ns,
        end_ns: Some(start_ns + 100_000_000_000),
        started_utc_us: session.started_utc_us,
        time_ms: Some(time_ms),
        time_source: Some(TimeSource::Official),
        state: LapState::Final,
        phase: Phase::Flying,
        complete: true,
        valid: Some(true),
        reasons: Vec::new(),
        eligible: true,
        sectors: vec![sector(40_000), sector(time_ms - 40_000)],
        fuel_used_l: None,
        conditions: Conditions::default(),
        coverage: None,
        top_speed_kmh: None,
        excluded: false,
    }
}

fn origin(session: &Session) -> Origin {
    Origin::new(session.tape, TrackerVersion { id: "test".to_owned(), version: 1 })
}

/// Stores a session with laps of these times; returns their ids.
fn drive(store: &dyn Store, number: u8, driver: &str, times_ms: &[u32]) -> (Id, Vec<Id>) {
    let session = session(number, driver);
    let laps: Vec<_> = (1..).zip(times_ms).map(|(number, time_ms)| lap(&session, number, *time_ms)).collect();
    let mut writes = vec![Write::Session(session.clone())];
    writes.extend(laps.iter().cloned().map(Write::Lap));
    store.write(&origin(&session), &writes).unwrap();
    (session.id, laps.iter().map(|lap| lap.id).collect())
}
