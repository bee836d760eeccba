//! The state of a car at one moment. Unknown values are `None`.

use crate::games::Sample;
use crate::laps::live::LiveTape;
use crate::laps::{Id, Lap, Phase, Session};

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
    /// The game reports that it is live, but nothing moves.
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

/// The current lap.
#[derive(Debug, Clone, PartialEq)]
pub struct RunningLap {
    /// Id of the lap.
    pub id: Id,
    /// Lap number in the session.
    pub number: Option<u32>,
    /// Lap number on the tape.
    pub tape_lap: u32,
    /// The driver, if the game reports it.
    pub driver: Option<String>,
    /// The kind of lap, as far as it is known.
    pub phase: Phase,
    /// Start time, since the beginning of the tape.
    pub start_ns: u64,
    /// Whether recording began in the middle of the lap. If so, its start is not the start line.
    pub joined: bool,
    /// Times of the completed sectors.
    pub sectors_ms: Vec<Option<u32>>,
}

impl RunningLap {
    /// Returns the time since the start line, if it is known.
    pub(super) fn since_line_ns(&self, at_ns: u64) -> Option<u64> {
        (!self.joined).then(|| at_ns.saturating_sub(self.start_ns))
    }
}

/// The current state of a car.
#[derive(Debug, Clone, Copy)]
pub struct CarNow<'a> {
    /// The tape that is being recorded.
    pub tape: &'a LiveTape,
    /// The time, since the beginning of the tape.
    pub at_ns: u64,
    /// What the game is doing.
    pub state: CarState,
    /// The session.
    pub session: Option<&'a Session>,
    /// The current lap.
    pub lap: Option<&'a RunningLap>,
    /// Its time so far.
    pub lap_time_ms: Option<u32>,
    /// The previous lap.
    pub last_lap: Option<&'a Lap>,
    /// Best time of the session.
    pub best_ms: Option<u32>,
    /// Time difference to the best lap of the session at this position; positive is slower.
    pub delta_session_ms: Option<i32>,
    /// Best time ever with this car on this track.
    pub best_ever_ms: Option<u32>,
    /// Time difference to the best lap ever at this position; positive is slower.
    pub delta_best_ms: Option<i32>,
    /// Highest engine speed observed.
    pub rpm_max: Option<f32>,
    /// Fuel consumption per lap.
    pub fuel_per_lap_l: Option<f32>,
    /// Number of laps that the fuel lasts.
    pub fuel_laps_left: Option<f32>,
    /// All other values.
    pub sample: &'a Sample,
}
