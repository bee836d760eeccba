//! Standings: all cars of a session and their laps, for games that report more than the player's car.
//!
//! A game's [`ReadStandings`] turns raw frames into one [`CarStanding`] for each car. A field is `None` if the game does not report it.
//! Nothing here decides anything: positions, gaps and validity are the game's own.
use crate::capture::SeenFrame;
use crate::lap_frame::Pit;

/// A car in a session.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct CarStanding {
    /// The game's number of the car, which is constant within a session.
    pub car: u32,
    /// Whether this is the player's car.
    pub is_player: bool,
    /// Driver, as the game shows the name.
    pub name: Option<String>,
    /// Team.
    pub team: Option<String>,
    /// Car, in the game's words.
    pub car_model: Option<String>,
    /// Car class, in the game's words.
    pub class: Option<String>,
    /// Start number.
    pub race_number: Option<u16>,
    /// Position, from 1.
    pub position: Option<u16>,
    /// Whether the car still drives.
    pub result: CarResult,
    /// Number of the current lap, from 1.
    pub current_lap: Option<u32>,
    /// Last lap time.
    pub last_ms: Option<u32>,
    /// Best lap time of the session.
    pub best_ms: Option<u32>,
    /// Sectors of the last lap, each alone. Empty if the game does not report them.
    pub last_sectors_ms: Vec<Option<u32>>,
    /// Time behind the leader; `None` for the leader itself.
    pub gap_to_leader_ms: Option<u32>,
    /// Time behind the car in front; `None` for the leader.
    pub gap_ahead_ms: Option<u32>,
    /// Pit stops so far.
    pub pit_stops: Option<u16>,
    /// Whether the car is on the track, in the pit lane or in its box.
    pub pit: Option<Pit>,
    /// Tyre compound, in the game's words.
    pub tyre: Option<String>,
    /// Its laps, oldest first, including the current one.
    pub laps: Vec<CarLap>,
}

/// A lap of any car.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct CarLap {
    /// Lap number, from 1.
    pub number: u32,
    /// Lap time; `None` while the lap is driven.
    pub time_ms: Option<u32>,
    /// Sectors, each alone; `None` for those that have not ended.
    pub sectors_ms: Vec<Option<u32>>,
    /// Whether the lap is valid.
    pub valid: Option<bool>,
    /// Whether each sector is valid. Empty if the game does not report it.
    pub valid_sectors: Vec<bool>,
}

/// Whether a car takes part, and how its session ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum CarResult {
    /// Not reported.
    #[default]
    Unknown,
    /// Takes part.
    Active,
    /// Has finished.
    Finished,
    /// Did not finish.
    DidNotFinish,
    /// Disqualified.
    Disqualified,
    /// Not classified.
    NotClassified,
    /// Retired.
    Retired,
}

impl CarResult {
    /// All values.
    pub const ALL: &'static [Self] = &[
        Self::Unknown,
        Self::Active,
        Self::Finished,
        Self::DidNotFinish,
        Self::Disqualified,
        Self::NotClassified,
        Self::Retired,
    ];

    /// Returns its name in files and API responses.
    #[must_use]
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Unknown => "unknown",
            Self::Active => "active",
            Self::Finished => "finished",
            Self::DidNotFinish => "did_not_finish",
            Self::Disqualified => "disqualified",
            Self::NotClassified => "not_classified",
            Self::Retired => "retired",
        }
    }

    /// Returns the value with this name.
    #[must_use]
    pub fn parse(name: &str) -> Option<Self> {
        Self::ALL.iter().copied().find(|result| result.as_str() == name)
    }
}

/// Turns the frames of a game into standings. Frames of all streams must arrive in time order.
pub trait ReadStandings: Send {
    /// Takes a frame. Returns whether [`cars`](Self::cars) may differ now.
    fn frame(&mut self, frame: SeenFrame<'_>) -> bool;

    /// Returns the cars that take part, sorted by [`CarStanding::car`]. Empty outside sessions.
    fn cars(&self) -> Vec<&CarStanding>;

    /// Returns a number that changes when [`cars`](Self::cars) begins to describe another session.
    fn session(&self) -> u64 {
        0
    }
}
