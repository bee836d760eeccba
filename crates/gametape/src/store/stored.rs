//! What goes into a store, and what comes out of it.

use gametape_format::TapeId;

use super::query::Visibility;
pub use crate::laps::TrackedSession;
use crate::laps::{Id, Lap, Session, Stint, TrackFacts};

/// What found the laps of a tape.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Tracker {
    /// Its id.
    pub id: String,
    /// Its version: a higher one is newer.
    pub version: u32,
}

/// Where sessions and laps come from.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Origin {
    /// The tape.
    pub tape: TapeId,
    /// The tracker.
    pub tracker: Tracker,
    /// What the tape says of a playback that it recorded (`replay_of` of its metadata). Such laps were driven before, and are on another
    /// tape.
    pub replay_of: Option<String>,
    /// Store laps of a playback too: somebody asked for it.
    pub keep_replays: bool,
}

impl Origin {
    /// A tape of its own.
    #[must_use]
    pub fn new(tape: TapeId, tracker: Tracker) -> Self {
        Self { tape, tracker, replay_of: None, keep_replays: false }
    }

    /// Whether nothing of it is to be stored.
    #[must_use]
    pub fn is_left_out(&self) -> bool {
        self.replay_of.is_some() && !self.keep_replays
    }
}

/// One thing to keep. Writing it again changes nothing; writing it with other content replaces what is there, except what users said.
#[derive(Debug, Clone, PartialEq)]
pub enum Write {
    /// A session. It comes before its stints and laps.
    Session(Session),
    /// A stint of a session.
    Stint(Id, Stint),
    /// A lap.
    Lap(Lap),
    /// What a session has taught about its track.
    Track(TrackFacts),
}

/// What writing one thing did.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Change {
    /// It was not there.
    New,
    /// It was there with other content.
    Changed,
    /// It was there.
    Same,
    /// It is from a recording of a playback, and nobody asked to keep that.
    LeftOut,
    /// The tape was tracked as a whole, by this version of the tracker or a newer one: what is stored of it stays.
    Superseded,
}

/// What replacing the laps of a tape did.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Replaced {
    /// Sessions, stints and laps that were not there before.
    pub new: u32,
    /// Those with other content.
    pub changed: u32,
    /// Those that stayed as they were.
    pub same: u32,
    /// Those that are there no more.
    pub removed: u32,
    /// Changes by users that fit no lap or session any more. They are kept, for a tracker that finds them again.
    pub unattached: u32,
    /// A newer tracker has been here, so nothing was done.
    pub kept_newer: bool,
    /// The tape is a recording of a playback, so nothing was done.
    pub left_out: bool,
}

/// What users said about a lap or a session.
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

/// A session as it is stored. [`Session::best_lap`] and [`Session::theoretical_best_ms`] are made from the laps that may count and are
/// not excluded, and that whoever asks may see.
#[derive(Debug, Clone, PartialEq)]
pub struct StoredSession {
    /// The session.
    pub session: Session,
    /// What users said.
    pub remarks: Remarks,
    /// Its laps, aborted ones too.
    pub lap_count: u32,
    /// Time of its best lap.
    pub best_ms: Option<u32>,
    /// Name that a user gave to the track.
    pub track_name: Option<String>,
    /// Name that a user gave to the car.
    pub car_name: Option<String>,
    /// Name that a user gave to the driver.
    pub driver_name: Option<String>,
    /// Who may see it.
    pub visibility: Visibility,
    /// The session that it goes on from, where the recorder was ended and started again in the middle of it.
    pub continues: Option<Id>,
}

/// A session with all that is in it.
#[derive(Debug, Clone, PartialEq)]
pub struct SessionDetail {
    /// The session.
    pub session: StoredSession,
    /// Its stints.
    pub stints: Vec<Stint>,
    /// Its laps.
    pub laps: Vec<StoredLap>,
}

/// A lap as it is stored, with what it needs from its session. An excluded lap is not eligible, and has the reason for it.
#[derive(Debug, Clone, PartialEq)]
pub struct StoredLap {
    /// The lap.
    pub lap: Lap,
    /// What users said.
    pub remarks: Remarks,
    /// The tape it is on.
    pub tape: TapeId,
    /// What bests are kept apart by: game, track, layout, car, driver.
    pub combination: Combination,
    /// It or its session was deleted.
    pub gone: bool,
    /// Who may see it: as hidden as its driver or its session, whichever is more.
    pub visibility: Visibility,
}

/// What bests are kept apart by.
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

/// The best of a driver in a car on a track.
#[derive(Debug, Clone, PartialEq)]
pub struct Best {
    /// Whose, where, in what.
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
    /// Laps that may count.
    pub lap_count: u32,
}

/// A track or a car, and what was driven there.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Driven {
    /// Id of the game.
    pub game: String,
    /// The track or the car, in the game's words.
    pub native: String,
    /// Layout, of a track.
    pub layout: Option<String>,
    /// Name that a user gave it.
    pub name: Option<String>,
    /// Sessions.
    pub session_count: u32,
    /// Laps, aborted ones too.
    pub lap_count: u32,
    /// The best time, of a track.
    pub best_ms: Option<u32>,
    /// The last time; UTC, microseconds since 1970.
    pub last_us: Option<i64>,
}

/// A driver, and what was driven.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Driver {
    /// The name in games.
    pub driver: String,
    /// Name that a user gave.
    pub name: Option<String>,
    /// Who may see it.
    pub visibility: Visibility,
    /// Laps, aborted ones too.
    pub lap_count: u32,
    /// The last time; UTC, microseconds since 1970.
    pub last_us: Option<i64>,
}

/// The times of a day in a car on a track.
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
    /// Days since 1970, as the query counts days.
    pub day: i64,
    /// Laps that may count.
    pub lap_count: u32,
    /// The best of them.
    pub best_ms: u32,
    /// The median; the lower one of two. Laps behind yellow flags are left out, unless there were no others.
    pub median_ms: u32,
}
