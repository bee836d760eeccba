//! [`Store`] for [`QueuedStore`]: writes of laps may be queued, everything else is requested from the server.

use gametape_format::TapeId;

use super::contract::Store;
use super::edits::Edit;
use super::error::StoreError;
use super::matches::{MatchQuery, StoredMatch};
use super::people::DriverEdit;
use super::query::{Audience, LapQuery, ListQuery, Page, ProgressQuery, Visibility};
use super::queued_store::QueuedStore;
use super::stored::{
    Best, Change, Driven, Driver, Origin, Progress, Replaced, SessionDetail, StoredCar, StoredLap, StoredSession,
    TrackerVersion, Write,
};
use super::tapes::CataloguedTape;
use super::tokens::{Scope, Token};
use crate::laps::{Id, TrackFacts, TrackedSession};

impl Store for QueuedStore {
    fn name(&self) -> String {
        self.server_name()
    }

    fn ready(&self) -> Result<(), StoreError> {
        self.ask(|server| server.ready())
    }

    fn write(&self, origin: &Origin, writes: &[Write]) -> Result<Vec<Change>, StoreError> {
        self.write_or_queue(origin, writes)
    }

    fn replace_tape(&self, origin: &Origin, sessions: &[TrackedSession]) -> Result<Replaced, StoreError> {
        self.replace(origin, sessions)
    }

    fn tracked(&self, origin: &Origin) -> Result<(), StoreError> {
        self.tracked_or_queue(origin)
    }

    fn track_facts(&self, game: &str, track: &str, layout: Option<&str>) -> Result<Option<TrackFacts>, StoreError> {
        self.ask(|server| server.track_facts(game, track, layout))
    }

    fn tracker_of(&self, tape: TapeId) -> Result<Option<TrackerVersion>, StoreError> {
        self.ask(|server| server.tracker_of(tape))
    }

    fn edit_lap(&self, lap: Id, edit: &Edit) -> Result<StoredLap, StoreError> {
        self.ask(|server| server.edit_lap(lap, edit))
    }

    fn edit_session(&self, session: Id, edit: &Edit) -> Result<StoredSession, StoreError> {
        self.ask(|server| server.edit_session(session, edit))
    }

    fn edit_driver(&self, driver: &str, edit: &DriverEdit) -> Result<(), StoreError> {
        self.ask(|server| server.edit_driver(driver, edit))
    }

    fn name_track(&self, game: &str, track: &str, name: Option<&String>) -> Result<(), StoreError> {
        self.ask(|server| server.name_track(game, track, name))
    }

    fn name_car(&self, game: &str, car: &str, name: Option<&String>) -> Result<(), StoreError> {
        self.ask(|server| server.name_car(game, car, name))
    }

    fn sessions(&self, query: &ListQuery, audience: Audience) -> Result<Page<StoredSession>, StoreError> {
        self.ask(|server| server.sessions(query, audience))
    }

    fn sessions_with_laps(&self, query: &ListQuery, audience: Audience) -> Result<Page<SessionDetail>, StoreError> {
        self.ask(|server| server.sessions_with_laps(query, audience))
    }

    fn session(&self, id: Id, audience: Audience) -> Result<Option<SessionDetail>, StoreError> {
        self.ask(|server| server.session(id, audience))
    }

    fn standings(&self, session: Id, audience: Audience) -> Result<Option<Vec<StoredCar>>, StoreError> {
        self.ask(|server| server.standings(session, audience))
    }

    fn laps(&self, query: &LapQuery, audience: Audience) -> Result<Page<StoredLap>, StoreError> {
        self.ask(|server| server.laps(query, audience))
    }

    fn lap(&self, id: Id, audience: Audience) -> Result<Option<StoredLap>, StoreError> {
        self.ask(|server| server.lap(id, audience))
    }

    fn bests(&self, query: &ListQuery, audience: Audience) -> Result<Page<Best>, StoreError> {
        self.ask(|server| server.bests(query, audience))
    }

    fn tracks(&self, query: &ListQuery, audience: Audience) -> Result<Page<Driven>, StoreError> {
        self.ask(|server| server.tracks(query, audience))
    }

    fn cars(&self, query: &ListQuery, audience: Audience) -> Result<Page<Driven>, StoreError> {
        self.ask(|server| server.cars(query, audience))
    }

    fn drivers(&self, query: &ListQuery, audience: Audience) -> Result<Page<Driver>, StoreError> {
        self.ask(|server| server.drivers(query, audience))
    }

    fn progress(&self, query: &ProgressQuery, audience: Audience) -> Result<Page<Progress>, StoreError> {
        self.ask(|server| server.progress(query, audience))
    }

    fn put_tape(&self, tape: &CataloguedTape) -> Result<Change, StoreError> {
        self.ask(|server| server.put_tape(tape))
    }

    fn tape(&self, id: TapeId) -> Result<Option<CataloguedTape>, StoreError> {
        self.ask(|server| server.tape(id))
    }

    fn tapes(&self, query: &ListQuery) -> Result<Page<CataloguedTape>, StoreError> {
        self.ask(|server| server.tapes(query))
    }

    fn tapes_of(&self, place: &str) -> Result<Vec<CataloguedTape>, StoreError> {
        self.ask(|server| server.tapes_of(place))
    }

    fn put_match(&self, stored: &StoredMatch) -> Result<Change, StoreError> {
        self.ask(|server| server.put_match(stored))
    }

    fn matches(&self, query: &MatchQuery) -> Result<Page<StoredMatch>, StoreError> {
        self.ask(|server| server.matches(query))
    }

    fn match_on(&self, tape: TapeId) -> Result<Option<StoredMatch>, StoreError> {
        self.ask(|server| server.match_on(tape))
    }

    fn pushed(&self, upstream: &str, kind: &str, id: [u8; 16]) -> Result<Option<String>, StoreError> {
        self.ask(|server| server.pushed(upstream, kind, id))
    }

    fn note_pushed(&self, upstream: &str, kind: &str, id: [u8; 16], content: &str) -> Result<(), StoreError> {
        self.ask(|server| server.note_pushed(upstream, kind, id, content))
    }

    fn privacy_state(&self) -> Result<i64, StoreError> {
        self.ask(|server| server.privacy_state())
    }

    fn visibility_of(&self, driver: &str) -> Result<Visibility, StoreError> {
        self.ask(|server| server.visibility_of(driver))
    }

    fn changes(&self) -> Result<i64, StoreError> {
        self.ask(|server| server.changes())
    }

    fn add_token(&self, name: &str, scope: Scope) -> Result<(Token, String), StoreError> {
        self.ask(|server| server.add_token(name, scope))
    }

    fn token(&self, secret: &str) -> Result<Option<Token>, StoreError> {
        self.ask(|server| server.token(secret))
    }

    fn tokens(&self) -> Result<Vec<Token>, StoreError> {
        self.ask(|server| server.tokens())
    }

    fn revoke_token(&self, id: Id) -> Result<(), StoreError> {
        self.ask(|server| server.revoke_token(id))
    }
}
