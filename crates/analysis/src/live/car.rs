//! What is shown of a car at one moment. What is not known is `None`.

use std::path::PathBuf;

use gametape_format::TapeId;
use gametape_games::Sample;

use crate::laps::{Id, Lap, Phase, Session};

/// The tape on which something happens.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct LiveTape {
    /// Its id.
    pub id: TapeId,
    /// Its file.
    pub path: PathBuf,
    /// Id of the game.
    pub game: String,
    /// The tape that is being played back, if it is a recording of a playback of ours.
    pub replay_of: Option<String>,
}

/// What the game is doing.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum CarState {
    /// Somebody drives.
    Driving,
    /// The session stands still.
    Paused,
    /// A replay is shown.
    Replay,
    /// The game is in its menus.
    Menu,
    /// The game says that it drives, and nothing moves.
    Stale,
}

impl CarState {
    /// Its name in answers.
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

/// The lap that is being driven.
#[derive(Debug, Clone, PartialEq)]
pub struct RunningLap {
    /// Id of the lap.
    pub id: Id,
    /// Number in the session.
    pub number: Option<u32>,
    /// Number on the tape.
    pub tape_lap: u32,
    /// Who drives it, if the game says.
    pub driver: Option<String>,
    /// What kind of lap, as far as it is known.
    pub phase: Phase,
    /// When it began, since the beginning of the tape.
    pub start_ns: u64,
    /// Whether it was joined in the middle: then its beginning is not the line.
    pub joined: bool,
    /// Sectors that are over.
    pub sectors_ms: Vec<Option<u32>>,
}

impl RunningLap {
    /// How long ago the line was, if that is known.
    #[must_use]
    pub fn since_line_ns(&self, at_ns: u64) -> Option<u64> {
        (!self.joined).then(|| at_ns.saturating_sub(self.start_ns))
    }
}

/// What a car does now.
#[derive(Debug, Clone, Copy)]
pub struct CarNow<'a> {
    /// The tape it is recorded to.
    pub tape: &'a LiveTape,
    /// The moment, since the beginning of the tape.
    pub at_ns: u64,
    /// What the game is doing.
    pub state: CarState,
    /// The session.
    pub session: Option<&'a Session>,
    /// The lap that is being driven.
    pub lap: Option<&'a RunningLap>,
    /// Its time so far.
    pub lap_time_ms: Option<u32>,
    /// The lap before.
    pub last_lap: Option<&'a Lap>,
    /// Best time of the session.
    pub best_ms: Option<u32>,
    /// How much later the car is here than in the best lap of the session.
    pub delta_session_ms: Option<i32>,
    /// Best time ever with this car on this track.
    pub best_ever_ms: Option<u32>,
    /// How much later the car is here than in the best lap ever.
    pub delta_best_ms: Option<i32>,
    /// Highest engine speed that was seen.
    pub rpm_max: Option<f32>,
    /// What a lap takes.
    pub fuel_per_lap_l: Option<f32>,
    /// Laps that the fuel lasts.
    pub fuel_laps_left: Option<f32>,
    /// Everything else.
    pub sample: &'a Sample,
}
