//! What a store does, whichever database it is in.

use gametape_format::TapeId;

use super::edits::Edit;
use super::error::StoreError;
use super::people::DriverEdit;
use super::query::{Audience, LapQuery, ListQuery, Page, ProgressQuery, SessionQuery, Visibility};
use super::stored::{
    Best, Change, Driven, Driver, Origin, Progress, Replaced, SessionDetail, StoredLap, StoredSession, Write,
};
use super::tapes::CataloguedTape;
use super::tokens::{Scope, Token};
use crate::laps::{Id, TrackFacts, TrackedSession};

/// Keeps sessions and laps, what users said about them, and the catalogue of tapes.
///
/// All methods block until the database has answered; what writes has written durably when it returns, so that a lap may be announced
/// then. Writing the same again changes nothing.
pub trait Store: Send + Sync {
    /// Its name for messages, without passwords.
    fn name(&self) -> String;

    /// Whether it answers.
    fn ready(&self) -> Result<(), StoreError>;

    /// Keeps sessions, stints and laps, all or none of them. A session comes before what is in it. What is stored of a tape stays as it is
    /// once the tape was tracked as a whole, by this version of the tracker or a newer one.
    fn write(&self, origin: &Origin, writes: &[Write]) -> Result<Vec<Change>, StoreError>;

    /// Keeps what a tracker found on a whole tape, instead of what is kept of it; what users said stays with the stretch of tape that it
    /// was said about. A tape on which a newer version of the tracker has been stays as it is.
    fn replace_tape(&self, origin: &Origin, sessions: &[TrackedSession]) -> Result<Replaced, StoreError>;

    /// Notes that all that a tracker found on a tape was written: the tape need not be tracked again. Until then, and until
    /// [`Store::replace_tape`], the tape is one that no version of the tracker has seen as a whole.
    fn tracked(&self, origin: &Origin) -> Result<(), StoreError>;

    /// What laps have taught about a track.
    fn track_facts(&self, game: &str, track: &str, layout: Option<&str>) -> Result<Option<TrackFacts>, StoreError>;

    /// The tracker that looked at a tape last, with the version that has seen all of it: 0 if none has.
    fn tracker_of(&self, tape: TapeId) -> Result<Option<super::Tracker>, StoreError>;

    /// Changes what users say about a lap; gives the lap as it is then.
    fn edit_lap(&self, lap: Id, edit: &Edit) -> Result<StoredLap, StoreError>;

    /// Changes what users say about a session; gives the session as it is then. Its laps are deleted and come back with it.
    fn edit_session(&self, session: Id, edit: &Edit) -> Result<StoredSession, StoreError>;

    /// Changes what users say about a driver.
    fn edit_driver(&self, driver: &str, edit: &DriverEdit) -> Result<(), StoreError>;

    /// Gives a track of a game a name, or takes it away.
    fn name_track(&self, game: &str, track: &str, name: Option<&String>) -> Result<(), StoreError>;

    /// Gives a car of a game a name, or takes it away.
    fn name_car(&self, game: &str, car: &str, name: Option<&String>) -> Result<(), StoreError>;

    /// Sessions, newest first.
    fn sessions(&self, query: &SessionQuery, audience: Audience) -> Result<Page<StoredSession>, StoreError>;

    /// Sessions, newest first, each with its stints and laps.
    fn sessions_with_laps(&self, query: &SessionQuery, audience: Audience) -> Result<Page<SessionDetail>, StoreError>;

    /// One session with its stints and laps.
    fn session(&self, id: Id, audience: Audience) -> Result<Option<SessionDetail>, StoreError>;

    /// Laps.
    fn laps(&self, query: &LapQuery, audience: Audience) -> Result<Page<StoredLap>, StoreError>;

    /// One lap.
    fn lap(&self, id: Id, audience: Audience) -> Result<Option<StoredLap>, StoreError>;

    /// The best of each driver in each car on each track, from the laps that may count.
    fn bests(&self, query: &ListQuery, audience: Audience) -> Result<Page<Best>, StoreError>;

    /// Tracks on which somebody drove.
    fn tracks(&self, query: &ListQuery, audience: Audience) -> Result<Page<Driven>, StoreError>;

    /// Cars that somebody drove.
    fn cars(&self, query: &ListQuery, audience: Audience) -> Result<Page<Driven>, StoreError>;

    /// Drivers.
    fn drivers(&self, query: &ListQuery, audience: Audience) -> Result<Page<Driver>, StoreError>;

    /// The best and the median time of each day, per car and track.
    fn progress(&self, query: &ProgressQuery, audience: Audience) -> Result<Page<Progress>, StoreError>;

    /// Puts a tape into the catalogue.
    fn put_tape(&self, tape: &CataloguedTape) -> Result<Change, StoreError>;

    /// A tape of the catalogue.
    fn tape(&self, id: TapeId) -> Result<Option<CataloguedTape>, StoreError>;

    /// The tapes of the catalogue, newest first.
    fn tapes(&self, query: &ListQuery) -> Result<Page<CataloguedTape>, StoreError>;

    /// All tapes that are, or were, in a place.
    fn tapes_of(&self, place: &str) -> Result<Vec<CataloguedTape>, StoreError>;

    /// What was sent of a session or a tape to another server; `None` if nothing was.
    fn pushed(&self, upstream: &str, kind: &str, id: [u8; 16]) -> Result<Option<String>, StoreError>;

    /// Notes that a session or a tape has arrived at another server, and what it was.
    fn note_pushed(&self, upstream: &str, kind: &str, id: [u8; 16], content: &str) -> Result<(), StoreError>;

    /// Who may see a driver.
    fn visibility_of(&self, driver: &str) -> Result<Visibility, StoreError>;

    /// A number that differs after a driver was hidden or shown, by whichever program.
    fn privacy_state(&self) -> Result<i64, StoreError>;

    /// A number that rises with every change of sessions, laps, tapes and what users say.
    fn changes(&self) -> Result<i64, StoreError>;

    /// Makes a token for the server; gives its secret too, which nobody can get again.
    fn add_token(&self, name: &str, scope: Scope) -> Result<(Token, String), StoreError>;

    /// The token with this secret, unless it was revoked.
    fn token(&self, secret: &str) -> Result<Option<Token>, StoreError>;

    /// All tokens, revoked ones too.
    fn tokens(&self) -> Result<Vec<Token>, StoreError>;

    /// Revokes a token, for good.
    fn revoke_token(&self, id: Id) -> Result<(), StoreError>;
}
