//! Uploads what the other server lacks: first sessions, which are small, then tapes, in chunks from the offset that the server has.

use std::cell::{Cell, RefCell};
use std::fs::File;
use std::io::{Read, Seek as _, SeekFrom};
use std::path::Path;
use std::time::{Duration, Instant};

use anyhow::bail;
use gametape::capture::StopFlag;
use gametape::laps::{Id, ReasonCode};
use gametape::paths::this_machine;
use gametape::store::{
    Audience, CataloguedTape, LARGEST_PAGE, ListQuery, SessionUpload, Store, TrackedSession, Visibility,
};
use tokio::runtime::Runtime;

use super::client::{Said, Upstream};

/// The number of sessions checked after a change.
const NEWEST: u32 = 100;
/// Part of the message with which the version before refuses an upload with other cars. It knows no other format.
const OLDER_SERVER: &str = "expected upload format 1:";
/// Chunk size of tape uploads.
const CHUNK_BYTES: usize = 512 << 10;

/// How often other cars are offered again to a server that refused them.
const CARS_AGAIN: Duration = Duration::from_secs(600);
/// How often a running session is sent if only other cars have changed: they do every second.
const RUNNING_CARS_EVERY: Duration = Duration::from_secs(60);

/// Which sessions are checked.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Pass {
    All,
    Newest,
}

/// Everything needed for a push.
pub(super) struct Sending<'a> {
    pub(super) store: &'a dyn Store,
    pub(super) upstream: &'a Upstream,
    pub(super) runtime: &'a Runtime,
    pub(super) stop: &'a StopFlag,
    pub(super) say: &'a dyn Fn(String),
    pub(super) cars: CarSending,
}

/// How other cars are sent.
#[derive(Default)]
pub(super) struct CarSending {
    /// When the server refused them, because it is older.
    refused: Cell<Option<Instant>>,
    /// The running session that was sent last: its content without other cars, and when it was sent.
    running: RefCell<Option<(Id, String, Instant)>>,
}

impl CarSending {
    /// Returns whether the server refused other cars not long ago.
    fn is_refused(&self) -> bool {
        self.refused.get().is_some_and(|at| at.elapsed() < CARS_AGAIN)
    }

    /// Returns whether a running session differs only in other cars from what was sent not long ago.
    fn may_wait(&self, session: Id, plain: &str) -> bool {
        let last = self.running.borrow();
        last.as_ref().is_some_and(|(id, sent, at)| *id == session && sent == plain && at.elapsed() < RUNNING_CARS_EVERY)
    }
}

impl Sending<'_> {
    /// Uploads what the other server lacks. A rejected item does not block the others; the first rejection is returned.
    pub(super) fn pass(&self, pass: Pass) -> anyhow::Result<()> {
        let mut refused = Ok(());
        let limit = if pass == Pass::All { LARGEST_PAGE } else { NEWEST };
        let mut query = ListQuery { limit, ..ListQuery::default() };
        loop {
            let page = self.store.sessions(&query, Audience::Owner)?;
            for found in &page.items {
                if self.stop.wanted() {
                    return Ok(());
                }
                let sent = self.session(found.session.id)?;
                refused = refused.and(sent);
            }
            query.after = page.next.filter(|_| pass == Pass::All);
            if query.after.is_none() {
                break;
            }
        }
        for tape in self.store.tapes_of(&this_machine())? {
            if self.stop.wanted() {
                return Ok(());
            }
            let sent = self.tape(&tape)?;
            refused = refused.and(sent);
        }
        refused
    }

    fn put(&self, path: &str, kind: &str, body: Vec<u8>) -> anyhow::Result<Said> {
        let said = self.runtime.block_on(self.upstream.put(path, kind, body))?;
        match said.status.as_u16() {
            // All other requests would fail too; someone has to fix the configuration or the server.
            401 | 403 | 404 | 421 | 429 | 503 => bail!("{}", said.refusal()),
            _ => Ok(said),
        }
    }

    /// Uploads a session if it has changed since the last upload. The outer error concerns the server, the inner one this session.
    fn session(&self, id: Id) -> anyhow::Result<anyhow::Result<()>> {
        let Some(upload) = self.upload(id)? else { return Ok(Ok(())) };
        if upload.tracked.cars.is_empty() {
            return self.send(id, upload.pack()?);
        }
        let plain = upload.without_cars().pack()?;
        if self.cars.is_refused() {
            return self.send(id, plain);
        }
        let is_running = upload.tracked.session.end.is_none();
        if is_running && self.cars.may_wait(id, &plain) {
            return Ok(Ok(()));
        }
        let sent = self.send(id, upload.pack()?)?;
        match sent {
            Ok(()) => {
                if is_running {
                    *self.cars.running.borrow_mut() = Some((id, plain, Instant::now()));
                }
                Ok(Ok(()))
            }
            Err(refusal) if refusal.to_string().contains(OLDER_SERVER) => {
                if self.cars.refused.replace(Some(Instant::now())).is_none() {
                    (self.say)(format!(
                        "note: {} has an older gametape, which stores only your own laps; update it to send those of all cars",
                        self.upstream.name()
                    ));
                }
                self.send(id, plain)
            }
            Err(refusal) => Ok(Err(refusal)),
        }
    }

    /// Sends a serialized session, unless the server has it.
    fn send(&self, id: Id, text: String) -> anyhow::Result<anyhow::Result<()>> {
        let content = SessionUpload::content(&text);
        let upstream = self.upstream.name();
        if self.store.pushed(&upstream, "session", id.0)?.as_ref() == Some(&content) {
            return Ok(Ok(()));
        }
        let said = self.put("/api/v1/push/sessions", "application/json", text.into_bytes())?;
        if !said.status.is_success() {
            return Ok(Err(anyhow::anyhow!("session {id}: {}", said.refusal())));
        }
        self.store.note_pushed(&upstream, "session", id.0, &content)?;
        Ok(Ok(()))
    }

    fn upload(&self, id: Id) -> anyhow::Result<Option<SessionUpload>> {
        let Some(found) = self.store.session(id, Audience::Owner)? else { return Ok(None) };
        let mut session = found.session.session;
        let Some(tracker) = self.store.tracker_of(session.tape)? else { return Ok(None) };
        // Computed from the laps on the server, as it was here. Names and notes by users stay here; laps that they excluded do
        // not count there either.
        (session.best_lap, session.theoretical_best_ms) = (None, None);
        let mut laps: Vec<_> = found.laps.into_iter().map(|lap| lap.lap).collect();
        let excluded = laps.iter().filter(|lap| lap.excluded).map(|lap| lap.id).collect();
        // Exclusions are sent separately, as user edits: the tracker's reasons do not include them.
        laps.iter_mut().for_each(|lap| lap.reasons.retain(|reason| reason.code != ReasonCode::UserExcluded));
        let cars = self.store.standings(id, Audience::Owner)?.unwrap_or_default();
        let mut cars: Vec<_> = cars.into_iter().map(|stored| stored.car).collect();
        cars.sort_by_key(|car| car.car);
        let drivers = laps.iter().filter_map(|lap| lap.driver.clone()).chain(session.driver.clone());
        let drivers = drivers.chain(cars.iter().filter_map(|car| car.name.clone()));
        let drivers: std::collections::BTreeSet<String> = drivers.collect();
        let mut hidden = Vec::new();
        for driver in drivers {
            let how = self.store.visibility_of(&driver)?;
            if how != Visibility::Public {
                hidden.push((driver, how));
            }
        }
        let facts = match &session.track {
            Some(track) => self.store.track_facts(&session.game, track, session.layout.as_deref())?,
            None => None,
        };
        let tracked = TrackedSession { session, stints: found.stints, laps, cars };
        Ok(Some(SessionUpload { tracker, tracked, facts, hidden, excluded }))
    }

    /// Uploads a closed tape if the server does not have it.
    fn tape(&self, tape: &CataloguedTape) -> anyhow::Result<anyhow::Result<()>> {
        let Some(checksum) = tape.checksum.as_ref().filter(|_| tape.complete && tape.missing_us.is_none()) else {
            return Ok(Ok(()));
        };
        let upstream = self.upstream.name();
        if tape.replay_of.is_some() || self.store.pushed(&upstream, "tape", tape.id.0)?.as_ref() == Some(checksum) {
            return Ok(Ok(()));
        }
        // The file may just have been moved; the catalogue will be updated.
        let Ok(mut file) = File::open(&tape.path) else { return Ok(Ok(())) };
        let name = Path::new(&tape.path).file_name().and_then(|name| name.to_str()).unwrap_or_default();
        let name: String = name.chars().filter(|c| c.is_ascii_alphanumeric() || matches!(c, '_' | '-' | '.')).collect();
        let path = format!("/api/v1/push/tapes/{}?bytes={}&checksum={checksum}&file={name}", tape.id, tape.bytes);
        let mut said = self.put(&path, "application/octet-stream", Vec::new())?;
        loop {
            let offset = said.body["offset"].as_u64().filter(|_| said.status.is_success());
            let Some(offset) = offset else {
                return Ok(Err(anyhow::anyhow!("tape {}: {}", tape.id, said.refusal())));
            };
            if said.body["complete"].as_bool() == Some(true) {
                self.store.note_pushed(&upstream, "tape", tape.id.0, checksum)?;
                return Ok(Ok(()));
            }
            if self.stop.wanted() {
                return Ok(Ok(()));
            }
            let mut piece = Vec::with_capacity(CHUNK_BYTES);
            file.seek(SeekFrom::Start(offset))?;
            Read::by_ref(&mut file).take(CHUNK_BYTES as u64).read_to_end(&mut piece)?;
            if piece.is_empty() {
                return Ok(Err(anyhow::anyhow!(
                    "tape {}: the file is shorter than recorded in the catalogue",
                    tape.id
                )));
            }
            said = self.put(&format!("{path}&offset={offset}"), "application/octet-stream", piece)?;
        }
    }
}

#[cfg(test)]
mod tests {
    use std::io::{BufRead as _, BufReader, Write as _};
    use std::net::TcpListener;
    use std::sync::mpsc::{Receiver, channel};

    use gametape::games::CarStanding;
    use gametape::laps::{CarChange, Session, TRACKER_ID, TRACKER_VERSION};
    use gametape::store::{Origin, SqlStore, TrackerVersion, Write};

    use super::*;

    /// A server that answers each upload with the response for its format. Returns its address, and the formats and sizes of the uploads.
    fn server(formats: &'static [i64]) -> (String, Receiver<i64>) {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let address = listener.local_addr().unwrap();
        let (tell, told) = channel();
        std::thread::spawn(move || {
            for socket in listener.incoming() {
                let mut reader = BufReader::new(socket.unwrap());
                let (mut line, mut bytes) = (String::new(), 0);
                while reader.read_line(&mut line).unwrap() > 2 {
                    if let Some(length) = line.to_lowercase().strip_prefix("content-length:") {
                        bytes = length.trim().parse().unwrap();
                    }
                    line.clear();
                }
                let mut body = vec![0; bytes];
                reader.read_exact(&mut body).unwrap();
                let upload: serde_json::Value = serde_json::from_slice(&body).unwrap();
                let format = upload["format"].as_i64().unwrap();
                let (status, body) = match formats.contains(&format) {
                    true => ("200 OK", r#"{"session":"x","changed":1,"kept_newer":false}"#.to_owned()),
                    // As the version before responds.
                    false => {
                        let found = format.to_string();
                        let expected = "upload format 1: is the other gametape newer?";
                        let message = format!("invalid session: found {found:?}, expected {expected}");
                        let error = serde_json::json!({ "error": { "code": "bad_request", "message": message } });
                        ("400 Bad Request", error.to_string())
                    }
                };
                let length = body.len();
                let head =
                    format!("HTTP/1.1 {status}\r\ncontent-type: application/json\r\ncontent-length: {length}\r\n\r\n");
                reader.get_mut().write_all((head + &body).as_bytes()).unwrap();
                if tell.send(format).is_err() {
                    return;
                }
            }
        });
        (format!("http://{address}"), told)
    }

    fn drive(store: &SqlStore, session: &Session, gap_ms: u32) {
        let car = CarStanding {
            car: 3,
            name: Some("Driver 3".to_owned()),
            position: Some(2),
            gap_to_leader_ms: Some(gap_ms),
            ..CarStanding::default()
        };
        let tracker = TrackerVersion { id: TRACKER_ID.to_owned(), version: TRACKER_VERSION };
        let writes = [Write::Session(session.clone()), Write::Cars(session.id, vec![CarChange::whole(car)])];
        store.write(&Origin::new(session.tape, tracker), &writes).unwrap();
    }

    /// Pushes three times to a server: twice the same, then with another gap. Returns the formats that arrived, and what was said.
    fn push(formats: &'static [i64], session: &Session) -> (Vec<i64>, Vec<String>) {
        let folder = tempfile::tempdir().unwrap();
        let store = SqlStore::sqlite(folder.path().join("laps.sqlite")).unwrap();
        let (url, told) = server(formats);
        let upstream = Upstream::new(&url, "gt_test".to_owned()).unwrap();
        let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
        let (stop, said) = (StopFlag::default(), RefCell::new(Vec::new()));
        let say = |text: String| said.borrow_mut().push(text);
        let sending = Sending {
            store: &store,
            upstream: &upstream,
            runtime: &runtime,
            stop: &stop,
            say: &say,
            cars: CarSending::default(),
        };
        drive(&store, session, 1_000);
        for gap_ms in [1_000, 1_000, 2_000] {
            drive(&store, session, gap_ms);
            sending.pass(Pass::All).unwrap();
        }
        let formats = told.try_iter().collect();
        (formats, said.into_inner())
    }

    #[test]
    fn a_server_of_the_version_before_gets_the_players_laps_and_the_user_a_note() {
        let session = crate::server::tests::session(1, "Driver 1");
        let (formats, said) = push(&[1], &session);
        // The cars are offered once; the rest has not changed since.
        assert_eq!(formats, [2, 1]);
        assert!(said.len() == 1 && said[0].contains("older gametape") && said[0].contains("update"), "{said:?}");
        let (formats, said) = push(&[1, 2], &session);
        assert_eq!((formats, said.len()), (vec![2, 2], 0));
    }

    #[test]
    fn a_running_session_is_not_sent_for_every_change_of_another_car() {
        let session = Session { end: None, ..crate::server::tests::session(1, "Driver 1") };
        assert_eq!(push(&[1, 2], &session).0, [2]);
    }
}
