//! The `Store` trait: the operations of a store, independent of the database.

use gametape_format::TapeId;

use super::edits::Edit;
use super::error::StoreError;
use super::matches::{MatchQuery, StoredMatch};
use super::people::DriverEdit;
use super::query::{Audience, LapQuery, ListQuery, Page, ProgressQuery, Visibility};
use super::stored::{
    Best, Change, Driven, Driver, Origin, Progress, Replaced, SessionDetail, StoredCar, StoredLap, StoredSession, Write,
};
use super::tapes::CataloguedTape;
use super::tokens::{Scope, Token};
use crate::laps::{Id, TrackFacts, TrackedSession};

/// Stores sessions and laps, the users' edits to them, and the catalogue of tapes.
///
/// All methods block until the database has responded. Writes are durable when they return, so that a lap may be announced then. Writes
/// are idempotent.
pub trait Store: Send + Sync {
    /// Returns the name of the store for messages, without passwords.
    fn name(&self) -> String;

    /// Checks that the database responds.
    fn ready(&self) -> Result<(), StoreError>;

    /// Writes sessions, stints and laps, all or nothing. A session must be written before its stints and laps. Once a tape has been
    /// tracked as a whole, by this version of the tracker or a newer one, its stored laps are not changed.
    fn write(&self, origin: &Origin, writes: &[Write]) -> Result<Vec<Change>, StoreError>;

    /// Replaces everything stored for a tape with what a tracker found in the whole tape. User edits stay attached to the time range of
    /// the tape that they were made for. Does nothing if a newer version of the tracker has processed the tape.
    fn replace_tape(&self, origin: &Origin, sessions: &[TrackedSession]) -> Result<Replaced, StoreError>;

    /// Records that everything a tracker found in a tape has been written, so that the tape need not be tracked again. Until this call or
    /// [`Store::replace_tape`], no version of the tracker counts as having processed the whole tape.
    fn tracked(&self, origin: &Origin) -> Result<(), StoreError>;

    /// Returns what is known about a track from the laps driven on it.
    fn track_facts(&self, game: &str, track: &str, layout: Option<&str>) -> Result<Option<TrackFacts>, StoreError>;

    /// Returns the tracker that last processed a tape. Its version is 0 if no version has processed the whole tape.
    fn tracker_of(&self, tape: TapeId) -> Result<Option<super::TrackerVersion>, StoreError>;

    /// Applies a user's edit to a lap. Returns the lap after the edit.
    fn edit_lap(&self, lap: Id, edit: &Edit) -> Result<StoredLap, StoreError>;

    /// Applies a user's edit to a session. Returns the session after the edit. Deleting or restoring a session does the same to its laps.
    fn edit_session(&self, session: Id, edit: &Edit) -> Result<StoredSession, StoreError>;

    /// Applies a user's edit to a driver.
    fn edit_driver(&self, driver: &str, edit: &DriverEdit) -> Result<(), StoreError>;

    /// Sets or removes the display name of a track.
    fn name_track(&self, game: &str, track: &str, name: Option<&String>) -> Result<(), StoreError>;

    /// Sets or removes the display name of a car.
    fn name_car(&self, game: &str, car: &str, name: Option<&String>) -> Result<(), StoreError>;

    /// Returns a page of sessions, newest first.
    fn sessions(&self, query: &ListQuery, audience: Audience) -> Result<Page<StoredSession>, StoreError>;

    /// Returns a page of sessions, newest first, each with its stints and laps.
    fn sessions_with_laps(&self, query: &ListQuery, audience: Audience) -> Result<Page<SessionDetail>, StoreError>;

    /// Returns one session with its stints and laps.
    fn session(&self, id: Id, audience: Audience) -> Result<Option<SessionDetail>, StoreError>;

    /// Returns all cars of a session with their laps, in the order of their positions: none if the game only reports the player's. `None` if
    /// there is no such session.
    fn standings(&self, session: Id, audience: Audience) -> Result<Option<Vec<StoredCar>>, StoreError>;

    /// Returns a page of laps.
    fn laps(&self, query: &LapQuery, audience: Audience) -> Result<Page<StoredLap>, StoreError>;

    /// Returns one lap.
    fn lap(&self, id: Id, audience: Audience) -> Result<Option<StoredLap>, StoreError>;

    /// Returns the best lap of each driver in each car on each track, among the laps that count.
    fn bests(&self, query: &ListQuery, audience: Audience) -> Result<Page<Best>, StoreError>;

    /// Returns the tracks that have been driven.
    fn tracks(&self, query: &ListQuery, audience: Audience) -> Result<Page<Driven>, StoreError>;

    /// Returns the cars that have been driven.
    fn cars(&self, query: &ListQuery, audience: Audience) -> Result<Page<Driven>, StoreError>;

    /// Returns the drivers.
    fn drivers(&self, query: &ListQuery, audience: Audience) -> Result<Page<Driver>, StoreError>;

    /// Returns the best and the median time of each day, per car and track.
    fn progress(&self, query: &ProgressQuery, audience: Audience) -> Result<Page<Progress>, StoreError>;

    /// Adds or updates a tape in the catalogue.
    fn put_tape(&self, tape: &CataloguedTape) -> Result<Change, StoreError>;

    /// Returns a tape of the catalogue.
    fn tape(&self, id: TapeId) -> Result<Option<CataloguedTape>, StoreError>;

    /// Returns the tapes of the catalogue, newest first.
    fn tapes(&self, query: &ListQuery) -> Result<Page<CataloguedTape>, StoreError>;

    /// Returns all tapes that are, or were, on the machine `place`.
    fn tapes_of(&self, place: &str) -> Result<Vec<CataloguedTape>, StoreError>;

    /// Adds or updates the match on a tape. Equal rows are left untouched.
    fn put_match(&self, stored: &StoredMatch) -> Result<Change, StoreError>;

    /// Returns a page of matches, newest first, without their events.
    fn matches(&self, query: &MatchQuery) -> Result<Page<StoredMatch>, StoreError>;

    /// Returns the match on a tape, with its events.
    fn match_on(&self, tape: TapeId) -> Result<Option<StoredMatch>, StoreError>;

    /// Returns the content hash that was last sent of a session or a tape to another server; `None` if it was never sent.
    fn pushed(&self, upstream: &str, kind: &str, id: [u8; 16]) -> Result<Option<String>, StoreError>;

    /// Records that a session or a tape has been delivered to another server, with its content hash.
    fn note_pushed(&self, upstream: &str, kind: &str, id: [u8; 16], content: &str) -> Result<(), StoreError>;

    /// Returns the visibility of a driver.
    fn visibility_of(&self, driver: &str) -> Result<Visibility, StoreError>;

    /// Returns a number that changes whenever any program changes the visibility of a driver.
    fn privacy_state(&self) -> Result<i64, StoreError>;

    /// Returns a counter that increases with every change to sessions, laps, tapes or user edits.
    fn changes(&self) -> Result<i64, StoreError>;

    /// Creates an access token for the server. Returns its secret too, which cannot be retrieved again.
    fn add_token(&self, name: &str, scope: Scope) -> Result<(Token, String), StoreError>;

    /// Returns the token with this secret, unless it was revoked.
    fn token(&self, secret: &str) -> Result<Option<Token>, StoreError>;

    /// Returns all tokens, including revoked ones.
    fn tokens(&self) -> Result<Vec<Token>, StoreError>;

    /// Revokes a token permanently.
    fn revoke_token(&self, id: Id) -> Result<(), StoreError>;
}
