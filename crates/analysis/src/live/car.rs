//! The state of a car at one moment, for live views. Unknown values are `None`.

use std::path::PathBuf;

use gametape_format::TapeId;
use gametape_games::Sample;

use crate::laps::{Id, Lap, Phase, Session};

/// The tape that a live car is recorded to.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct LiveTape {
    /// Tape id.
    pub id: TapeId,
    /// Path of the file.
    pub path: PathBuf,
    /// Game id.
    pub game: String,
    /// The tape being played back, if this tape records one of our own playbacks.
    pub replay_of: Option<String>,
}

/// What the game is doing.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum CarState {
    /// The car is being driven.
    Driving,
    /// The session is paused.
    Paused,
    /// A replay is shown.
    Replay,
    /// The game is in its menus.
    Menu,
    /// The game reports driving, but its data does not change.
    Stale,
}

impl CarState {
    /// Returns its name in API responses.
    #[must_use]
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Driving => "driving",
            Self::Paused => "paused",
            Self::Replay => "replay",
            Self::Menu => "menu",
            Self::Stale => "stale",
        }
    }
}

/// The lap being driven.
#[derive(Debug, Clone, PartialEq)]
pub struct RunningLap {
    /// Lap id.
    pub id: Id,
    /// Lap number in the session.
    pub number: Option<u32>,
    /// Lap number on the tape.
    pub tape_lap: u32,
    /// Driver, if the game reports one.
    pub driver: Option<String>,
    /// Kind of lap, as far as known.
    pub phase: Phase,
    /// Start time since the start of the tape.
    pub start_ns: u64,
    /// Whether the lap was joined in the middle. If so, `start_ns` is not a line crossing.
    pub joined: bool,
    /// Times of the completed sectors.
    pub sectors_ms: Vec<Option<u32>>,
}

impl RunningLap {
    /// Returns the time since the car crossed the start/finish line, or `None` if that crossing was not observed.
    #[must_use]
    pub fn since_line_ns(&self, at_ns: u64) -> Option<u64> {
        (!self.joined).then(|| at_ns.saturating_sub(self.start_ns))
    }
}

/// The state of a car at one moment.
#[derive(Debug, Clone, Copy)]
pub struct CarNow<'a> {
    /// The tape that the car is recorded to.
    pub tape: &'a LiveTape,
    /// Time since the start of the tape.
    pub at_ns: u64,
    /// What the game is doing.
    pub state: CarState,
    /// Current session.
    pub session: Option<&'a Session>,
    /// Current lap.
    pub lap: Option<&'a RunningLap>,
    /// Current lap time.
    pub lap_time_ms: Option<u32>,
    /// Last lap.
    pub last_lap: Option<&'a Lap>,
    /// Best lap time of the session.
    pub best_ms: Option<u32>,
    /// Delta to the best lap of the session at this track position; positive is slower.
    pub delta_session_ms: Option<i32>,
    /// Best lap time ever with this car on this track.
    pub best_ever_ms: Option<u32>,
    /// Delta to the best lap ever at this track position; positive is slower.
    pub delta_best_ms: Option<i32>,
    /// Highest engine speed observed.
    pub rpm_max: Option<f32>,
    /// Fuel used per lap.
    pub fuel_per_lap_l: Option<f32>,
    /// Number of laps that the fuel lasts.
    pub fuel_laps_left: Option<f32>,
    /// All other values.
    pub sample: &'a Sample,
}
