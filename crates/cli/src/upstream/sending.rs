//! Uploads what the other server lacks: first sessions, which are small, then tapes, in chunks from the offset that the server has.

use std::fs::File;
use std::io::{Read, Seek as _, SeekFrom};
use std::path::Path;

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
/// Chunk size of tape uploads.
const CHUNK_BYTES: usize = 512 << 10;

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
        let text = upload.pack()?;
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
        let drivers = laps.iter().filter_map(|lap| lap.driver.clone()).chain(session.driver.clone());
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
        let tracked = TrackedSession { session, stints: found.stints, laps };
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
