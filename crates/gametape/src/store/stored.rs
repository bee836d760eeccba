//! The types that are written to a store and read from it.

use gametape_format::TapeId;

use super::query::Visibility;
use crate::games::CarStanding;
pub use crate::laps::TrackedSession;
use crate::laps::{CarChange, Id, Lap, Session, Stint, TrackFacts};

/// The tracker that found the laps of a tape.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TrackerVersion {
    /// Its id.
    pub id: String,
    /// Its version; higher is newer.
    pub version: u32,
}

/// The origin of sessions and laps.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Origin {
    /// The tape.
    pub tape: TapeId,
    /// The tracker.
    pub tracker: TrackerVersion,
    /// The `replay_of` metadata of the tape, if it is a recording of a playback. Such laps were driven earlier and are stored in the
    /// original tape.
    pub replay_of: Option<String>,
    /// Store laps of a recorded playback too, at the user's request.
    pub keep_replays: bool,
}

impl Origin {
    /// Creates the origin of an original recording.
    #[must_use]
    pub fn new(tape: TapeId, tracker: TrackerVersion) -> Self {
        Self { tape, tracker, replay_of: None, keep_replays: false }
    }

    /// Returns whether nothing of this tape is to be stored.
    #[must_use]
    pub fn is_left_out(&self) -> bool {
        self.replay_of.is_some() && !self.keep_replays
    }
}

/// An item to write. Writing is idempotent; different content replaces the stored content, but not the user's edits.
#[derive(Debug, Clone, PartialEq)]
pub enum Write {
    /// A session. Must precede its stints, laps and cars.
    Session(Session),
    /// A stint of a session.
    Stint(Id, Stint),
    /// A lap.
    Lap(Lap),
    /// What a session has revealed about its track.
    Track(TrackFacts),
    /// Cars of a session whose standing or laps have changed.
    Cars(Id, Vec<CarChange>),
}

/// The effect of writing one item.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Change {
    /// The item was inserted.
    New,
    /// The item was updated.
    Changed,
    /// The item was already stored with the same content.
    Same,
    /// The item is from a recorded playback, which was not requested.
    LeftOut,
    /// The tape was already tracked as a whole, by this version of the tracker or a newer one. The stored content is kept.
    Superseded,
}

/// The effect of replacing the laps of a tape.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Replaced {
    /// Number of sessions, stints and laps inserted.
    pub new: u32,
    /// Number of those updated.
    pub changed: u32,
    /// Number of those unchanged.
    pub same: u32,
    /// Number of those deleted.
    pub removed: u32,
    /// Number of user edits that no longer match a lap or session. They are kept, in case another version of the tracker finds a match.
    pub unattached: u32,
    /// A newer tracker has processed the tape, so nothing was changed.
    pub kept_newer: bool,
    /// The tape is a recording of a playback, so nothing was changed.
    pub left_out: bool,
}

/// User annotations of a lap or a session.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Remarks {
    /// A name.
    pub name: Option<String>,
    /// A note.
    pub note: Option<String>,
    /// Tags, sorted.
    pub tags: Vec<String>,
    /// When it was deleted; UTC, microseconds since 1970.
    pub deleted_us: Option<i64>,
}

/// A session as stored. [`Session::best_lap`] and [`Session::theoretical_best_ms`] are computed from the laps that count, are not
/// excluded and are visible to the client.
#[derive(Debug, Clone, PartialEq)]
pub struct StoredSession {
    /// The session.
    pub session: Session,
    /// The user's annotations.
    pub remarks: Remarks,
    /// Number of laps, including aborted ones.
    pub lap_count: u32,
    /// Time of its best lap.
    pub best_ms: Option<u32>,
    /// The user's display name for the track.
    pub track_name: Option<String>,
    /// The user's display name for the car.
    pub car_name: Option<String>,
    /// The user's display name for the driver.
    pub driver_name: Option<String>,
    /// Who may see it.
    pub visibility: Visibility,
    /// The session that this one continues, if the recorder was restarted in the middle of it.
    pub continues: Option<Id>,
}

/// A session with its stints and laps.
#[derive(Debug, Clone, PartialEq)]
pub struct SessionDetail {
    /// The session.
    pub session: StoredSession,
    /// Its stints.
    pub stints: Vec<Stint>,
    /// Its laps.
    pub laps: Vec<StoredLap>,
}

/// A car of a session as stored.
#[derive(Debug, Clone, PartialEq)]
pub struct StoredCar {
    /// The car and its laps. Where it is ([`CarStanding::pit`]) is not stored.
    pub car: CarStanding,
    /// The user's display name for the driver.
    pub driver_name: Option<String>,
}

/// A lap as stored, with the required data of its session. An excluded lap is not eligible and has the corresponding reason.
#[derive(Debug, Clone, PartialEq)]
pub struct StoredLap {
    /// The lap.
    pub lap: Lap,
    /// The user's annotations.
    pub remarks: Remarks,
    /// The tape that contains it.
    pub tape: TapeId,
    /// The group key of bests: game, track, layout, car, driver.
    pub combination: Combination,
    /// Whether the lap or its session was deleted.
    pub gone: bool,
    /// Who may see it: the more hidden of its driver and its session.
    pub visibility: Visibility,
    /// It was driven by someone else: it is in a lap file, and no user said that it is their own. Such a lap is not eligible.
    pub foreign: bool,
}

/// The group key of bests.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub struct Combination {
    /// Id of the game.
    pub game: String,
    /// Track.
    pub track: Option<String>,
    /// Layout of the track.
    pub layout: Option<String>,
    /// Car.
    pub car: Option<String>,
    /// Driver.
    pub driver: Option<String>,
}

/// The best lap of a driver in a car on a track.
#[derive(Debug, Clone, PartialEq)]
pub struct Best {
    /// The driver, track and car.
    pub combination: Combination,
    /// The lap.
    pub lap: Id,
    /// Its session.
    pub session: Id,
    /// Its time.
    pub time_ms: u32,
    /// When it was driven; UTC, microseconds since 1970.
    pub started_utc_us: Option<i64>,
    /// The sum of the best sectors.
    pub theoretical_ms: Option<u32>,
    /// Number of laps that count.
    pub lap_count: u32,
}

/// A track or a car that has been driven.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Driven {
    /// Id of the game.
    pub game: String,
    /// The game's name for the track or car.
    pub native: String,
    /// Layout, for a track.
    pub layout: Option<String>,
    /// The user's display name.
    pub name: Option<String>,
    /// Number of sessions.
    pub session_count: u32,
    /// Number of laps, including aborted ones.
    pub lap_count: u32,
    /// The best time, for a track.
    pub best_ms: Option<u32>,
    /// When it was last driven; UTC, microseconds since 1970.
    pub last_us: Option<i64>,
}

/// A driver.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Driver {
    /// The name in the game.
    pub driver: String,
    /// The user's display name.
    pub name: Option<String>,
    /// Who may see the driver.
    pub visibility: Visibility,
    /// Number of laps, including aborted ones.
    pub lap_count: u32,
    /// When the driver last drove; UTC, microseconds since 1970.
    pub last_us: Option<i64>,
}

/// The lap times of one day in a car on a track.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Progress {
    /// Id of the game.
    pub game: String,
    /// Track.
    pub track: Option<String>,
    /// Layout of the track.
    pub layout: Option<String>,
    /// Car.
    pub car: Option<String>,
    /// Days since 1970, in the UTC offset of the query.
    pub day: i64,
    /// Number of laps that count.
    pub lap_count: u32,
    /// The best time.
    pub best_ms: u32,
    /// The median time; of two middle values, the lower one. Laps under caution are left out unless there are no others.
    pub median_ms: u32,
}
