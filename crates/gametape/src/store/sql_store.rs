//! A store in a database: the queries of this module, over connections to SQLite or PostgreSQL.

use std::fmt::Debug;
use std::path::Path;
use std::time::{SystemTime, UNIX_EPOCH};

use gametape_format::TapeId;

use super::connection::{Connection, Database, in_transaction};
use super::contract::Store;
use super::derived::{derive_lap, derive_laps, derive_session, lock_drivers, lock_session_of, visibility_of};
use super::edits::{Edit, Kind, edit};
use super::error::StoreError;
use super::lists::Thing;
use super::matches::{self, MatchQuery, StoredMatch};
use super::outbox::{self, OutboxEntry, Turn};
use super::people::DriverEdit;
use super::pool::Pool;
#[cfg(feature = "postgres")]
use super::postgres_server::PostgresServer;
use super::query::{Audience, Filter, LapQuery, ListQuery, Page, ProgressQuery, Visibility};
use super::query_cache::QueryCache;
use super::session_upload::{note_pushed, pushed_content};
use super::sqlite::SqliteFile;
use super::stored::{
    Best, Change, Driven, Driver, Origin, Progress, Replaced, SessionDetail, StoredCar, StoredLap, StoredSession,
    TrackerVersion, Write,
};
use super::tapes::{self, CataloguedTape};
use super::tokens::{self, Scope, Token};
use super::value::needed;
use super::{
    bests, cars, lists, people, progress, query_cache, read_laps, read_sessions, replace, track_facts, writing,
};
use crate::laps::{Id, TrackFacts, TrackedSession};

/// A store in SQLite or PostgreSQL.
pub struct SqlStore {
    pool: Pool,
    kept: QueryCache,
}

impl SqlStore {
    /// Opens a store in a file. The file is created if it does not exist.
    pub fn sqlite(path: impl AsRef<Path>) -> Result<Self, StoreError> {
        Self::open(Box::new(SqliteFile { path: path.as_ref().to_owned() }))
    }

    #[cfg(feature = "postgres")]
    /// Opens a store on a server named by a URL. The tables are created if they do not exist.
    pub fn postgres(url: &str) -> Result<Self, StoreError> {
        Self::open(Box::new(PostgresServer::new(url)?))
    }

    #[cfg(feature = "postgres")]
    /// Creates a store on a server without connecting. Each operation connects if necessary.
    pub(super) fn postgres_later(url: &str) -> Result<Self, StoreError> {
        Ok(Self { pool: Pool::new(Box::new(PostgresServer::new(url)?)), kept: QueryCache::default() })
    }

    pub(super) fn queue(&self, origin: &Origin, writes: &[Write]) -> Result<Vec<Change>, StoreError> {
        self.pool.write(|db| outbox::queue(db, origin, writes))
    }

    pub(super) fn waiting(&self) -> Result<u32, StoreError> {
        self.read(outbox::waiting)
    }

    /// Queues in the outbox that a tape was written as a whole. It is sent after all sessions of the tape.
    pub(super) fn queue_tracked(&self, origin: &Origin) -> Result<(), StoreError> {
        self.pool.write(|db| outbox::queue_tracked(db, origin))
    }

    pub(super) fn next_entry(&self, after: Turn) -> Result<Option<OutboxEntry>, StoreError> {
        self.pool.snapshot(|db| outbox::next(db, after))
    }

    pub(super) fn arrived(&self, entry: &OutboxEntry) -> Result<(), StoreError> {
        self.pool.write(|db| outbox::arrived(db, entry))
    }

    pub(super) fn forget_tape(&self, tape: TapeId) -> Result<(), StoreError> {
        self.pool.write(|db| outbox::forget_tape(db, tape))
    }

    /// Returns whether the server responded to the last request.
    pub(super) fn is_connected(&self) -> bool {
        self.pool.is_connected()
    }

    fn open(database: Box<dyn Database>) -> Result<Self, StoreError> {
        Ok(Self { pool: Pool::open(database)?, kept: QueryCache::default() })
    }

    fn read<T>(&self, work: impl FnOnce(&mut dyn Connection) -> Result<T, StoreError>) -> Result<T, StoreError> {
        self.pool.with(work)
    }
}

impl SqlStore {
    /// Returns the cached result of a query, or runs it on a snapshot and caches the result.
    fn answer<T: Clone + Send + Sync + 'static>(
        &self,
        kind: &str,
        question: &dyn Debug,
        audience: Audience,
        ask: impl FnOnce(&mut dyn Connection) -> Result<T, StoreError>,
    ) -> Result<T, StoreError> {
        self.pool.with(|db| {
            self.kept.get(format!("{kind} {audience:?} {question:?}"), db, |db| {
                let begin = db.dialect().begin_snapshot();
                in_transaction(db, begin, ask)
            })
        })
    }
}

/// Returns the current time in microseconds since 1970.
pub(super) fn now_us() -> i64 {
    let now = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
    i64::try_from(now.as_micros()).unwrap_or(i64::MAX)
}

/// Returns whether the audience may use the filter: only the owner sees deleted items.
fn may_ask(filter: &Filter, audience: Audience) -> bool {
    audience == Audience::Owner || !filter.deleted
}

/// Returns an empty page.
fn nothing<T>() -> Page<T> {
    Page { items: Vec::new(), next: None }
}

impl Store for SqlStore {
    fn name(&self) -> String {
        self.pool.name()
    }

    fn ready(&self) -> Result<(), StoreError> {
        self.read(|db| db.first("SELECT version FROM gametape_schema", &[], |_| Ok(())).map(drop))
    }

    fn write(&self, origin: &Origin, writes: &[Write]) -> Result<Vec<Change>, StoreError> {
        self.pool.write(|db| writing::write(db, origin, writes))
    }

    fn replace_tape(&self, origin: &Origin, sessions: &[TrackedSession]) -> Result<Replaced, StoreError> {
        self.pool.write(|db| replace::replace_tape(db, origin, sessions))
    }

    fn tracked(&self, origin: &Origin) -> Result<(), StoreError> {
        self.pool.write(|db| writing::end_tracking(db, origin))
    }

    fn track_facts(&self, game: &str, track: &str, layout: Option<&str>) -> Result<Option<TrackFacts>, StoreError> {
        self.read(|db| track_facts::get(db, game, track, layout))
    }

    fn tracker_of(&self, tape: TapeId) -> Result<Option<TrackerVersion>, StoreError> {
        let sql = "SELECT tracker, tracker_version FROM tracked WHERE tape = ?1";
        self.read(|db| {
            db.first(sql, &[tape.into()], |mut row| {
                let id = needed(row.text("a tracker")?, "a tracker")?;
                let seen = writing::TrackingState::of_number(needed(row.number("a version")?, "a version")?);
                Ok(TrackerVersion { id, version: if seen.whole { seen.version } else { 0 } })
            })
        })
    }

    fn edit_lap(&self, lap: Id, change: &Edit) -> Result<StoredLap, StoreError> {
        change.check()?;
        self.pool.write(|db| {
            // Writers lock the session before its laps. A different lock order would deadlock.
            lock_session_of(db, lap)?;
            let changed = edit(db, Kind::Lap, lap, change, now_us())?;
            let gone = || StoreError::NotFound { what: "lap", id: lap.to_string() };
            let found = read_laps::lap(db, lap, Audience::Owner)?.ok_or_else(gone)?;
            if !changed {
                return Ok(found);
            }
            let session = writing::session_of(db, found.lap.session)?;
            derive_lap(db, &session, lap)?;
            derive_session(db, session.id)?;
            read_laps::lap(db, lap, Audience::Owner)?.ok_or_else(gone)
        })
    }

    fn edit_session(&self, id: Id, change: &Edit) -> Result<StoredSession, StoreError> {
        change.check()?;
        self.pool.write(|db| {
            lock_drivers(db, [id], [])?;
            if edit(db, Kind::Session, id, change, now_us())? {
                let session = writing::session_of(db, id)?;
                derive_laps(db, &session)?;
                derive_session(db, id)?;
            }
            let found = read_sessions::session(db, id, Audience::Owner)?;
            found.map(|found| found.session).ok_or_else(|| StoreError::NotFound { what: "session", id: id.to_string() })
        })
    }

    fn edit_driver(&self, driver: &str, edit: &DriverEdit) -> Result<(), StoreError> {
        self.pool.write(|db| people::edit_driver(db, driver, edit, now_us()))
    }

    fn name_track(&self, game: &str, track: &str, name: Option<&String>) -> Result<(), StoreError> {
        self.pool.write(|db| people::name_thing(db, Thing::Track, game, track, name, now_us()))
    }

    fn name_car(&self, game: &str, car: &str, name: Option<&String>) -> Result<(), StoreError> {
        self.pool.write(|db| people::name_thing(db, Thing::Car, game, car, name, now_us()))
    }

    fn sessions(&self, query: &ListQuery, audience: Audience) -> Result<Page<StoredSession>, StoreError> {
        if !may_ask(&query.filter, audience) {
            return Ok(nothing());
        }
        self.answer("sessions", query, audience, |db| read_sessions::sessions(db, query, audience))
    }

    fn sessions_with_laps(&self, query: &ListQuery, audience: Audience) -> Result<Page<SessionDetail>, StoreError> {
        if !may_ask(&query.filter, audience) {
            return Ok(nothing());
        }
        self.answer("sessions with laps", query, audience, |db| {
            let page = read_sessions::sessions(db, query, audience)?;
            let with_laps = page.items.into_iter().map(|found| read_sessions::detail(db, found, audience));
            Ok(Page { items: with_laps.collect::<Result<_, _>>()?, next: page.next })
        })
    }

    fn session(&self, id: Id, audience: Audience) -> Result<Option<SessionDetail>, StoreError> {
        self.pool.snapshot(|db| read_sessions::session(db, id, audience))
    }

    fn standings(&self, session: Id, audience: Audience) -> Result<Option<Vec<StoredCar>>, StoreError> {
        self.pool.snapshot(|db| cars::standings(db, session, audience))
    }

    fn laps(&self, query: &LapQuery, audience: Audience) -> Result<Page<StoredLap>, StoreError> {
        if !may_ask(&query.filter, audience) {
            return Ok(nothing());
        }
        self.read(|db| read_laps::laps(db, query, audience))
    }

    fn lap(&self, id: Id, audience: Audience) -> Result<Option<StoredLap>, StoreError> {
        self.read(|db| read_laps::lap(db, id, audience))
    }

    fn bests(&self, query: &ListQuery, audience: Audience) -> Result<Page<Best>, StoreError> {
        self.answer("bests", query, audience, |db| bests::bests(db, query, audience))
    }

    fn tracks(&self, query: &ListQuery, audience: Audience) -> Result<Page<Driven>, StoreError> {
        self.answer("tracks", query, audience, |db| lists::driven(db, Thing::Track, query, audience))
    }

    fn cars(&self, query: &ListQuery, audience: Audience) -> Result<Page<Driven>, StoreError> {
        self.answer("cars", query, audience, |db| lists::driven(db, Thing::Car, query, audience))
    }

    fn drivers(&self, query: &ListQuery, audience: Audience) -> Result<Page<Driver>, StoreError> {
        self.answer("drivers", query, audience, |db| lists::drivers(db, query, audience))
    }

    fn progress(&self, query: &ProgressQuery, audience: Audience) -> Result<Page<Progress>, StoreError> {
        self.answer("progress", query, audience, |db| progress::progress(db, query, audience))
    }

    fn put_tape(&self, tape: &CataloguedTape) -> Result<Change, StoreError> {
        self.pool.write(|db| tapes::put_tape(db, tape))
    }

    fn tape(&self, id: TapeId) -> Result<Option<CataloguedTape>, StoreError> {
        self.read(|db| tapes::tape(db, id))
    }

    fn tapes(&self, query: &ListQuery) -> Result<Page<CataloguedTape>, StoreError> {
        self.read(|db| tapes::tapes(db, query))
    }

    fn tapes_of(&self, place: &str) -> Result<Vec<CataloguedTape>, StoreError> {
        self.read(|db| tapes::tapes_of(db, place))
    }

    fn put_match(&self, stored: &StoredMatch) -> Result<Change, StoreError> {
        self.pool.write(|db| matches::put(db, stored))
    }

    fn matches(&self, query: &MatchQuery) -> Result<Page<StoredMatch>, StoreError> {
        self.read(|db| matches::page(db, query))
    }

    fn match_on(&self, tape: TapeId) -> Result<Option<StoredMatch>, StoreError> {
        self.read(|db| matches::one(db, tape))
    }

    fn pushed(&self, upstream: &str, kind: &str, id: [u8; 16]) -> Result<Option<String>, StoreError> {
        self.read(|db| pushed_content(db, upstream, kind, id))
    }

    fn note_pushed(&self, upstream: &str, kind: &str, id: [u8; 16], content: &str) -> Result<(), StoreError> {
        // Not visible to clients, so it does not increase the change counter.
        self.read(|db| note_pushed(db, upstream, kind, id, content))
    }

    fn visibility_of(&self, driver: &str) -> Result<Visibility, StoreError> {
        self.read(|db| visibility_of(db, Some(&driver.to_owned())))
    }

    fn privacy_state(&self) -> Result<i64, StoreError> {
        self.read(people::privacy_state)
    }

    fn changes(&self) -> Result<i64, StoreError> {
        self.read(query_cache::counter)
    }

    fn add_token(&self, name: &str, scope: Scope) -> Result<(Token, String), StoreError> {
        self.pool.write(|db| tokens::add(db, name, scope, now_us()))
    }

    fn token(&self, secret: &str) -> Result<Option<Token>, StoreError> {
        self.read(|db| tokens::with_secret(db, secret, now_us()))
    }

    fn tokens(&self) -> Result<Vec<Token>, StoreError> {
        self.read(tokens::all)
    }

    fn revoke_token(&self, id: Id) -> Result<(), StoreError> {
        self.pool.write(|db| tokens::revoke(db, id, now_us()))
    }
}
