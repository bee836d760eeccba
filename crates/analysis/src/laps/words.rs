//! The vocabulary of laps. Each value has one name in code and one in files, API responses and tables. Names in files never change.

pub use gametape_games::SessionKind;

/// Why a session ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum SessionEnd {
    /// The game ended it.
    Game,
    /// Another kind of session began.
    TypeChange,
    /// The next session of the weekend began.
    IndexChange,
    /// The car changed.
    CarChange,
    /// The track changed.
    TrackChange,
    /// The session was restarted.
    Restart,
    /// No more frames: the game or the recording broke off.
    StreamEnd,
    /// The recording was stopped.
    ToolStop,
    /// The recorder crashed; the rest was recovered from its journal.
    CrashRecovered,
}

impl SessionEnd {
    /// All values.
    pub const ALL: &'static [Self] = &[
        Self::Game,
        Self::TypeChange,
        Self::IndexChange,
        Self::CarChange,
        Self::TrackChange,
        Self::Restart,
        Self::StreamEnd,
        Self::ToolStop,
        Self::CrashRecovered,
    ];

    /// Returns its name in files and API responses.
    #[must_use]
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Game => "game",
            Self::TypeChange => "type_change",
            Self::IndexChange => "index_change",
            Self::CarChange => "car_change",
            Self::TrackChange => "track_change",
            Self::Restart => "restart",
            Self::StreamEnd => "stream_end",
            Self::ToolStop => "tool_stop",
            Self::CrashRecovered => "crash_recovered",
        }
    }

    /// Returns the value with this name.
    #[must_use]
    pub fn parse(name: &str) -> Option<Self> {
        Self::ALL.iter().copied().find(|word| word.as_str() == name)
    }
}

/// Why a stint began.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum StintStart {
    /// The session began, or was joined.
    Start,
    /// The car left the pits.
    Pit,
    /// The car left the garage after a return to the garage.
    Garage,
    /// The driver changed.
    DriverSwap,
    /// The tyres were changed.
    TyreChange,
}

impl StintStart {
    /// All values.
    pub const ALL: &'static [Self] = &[Self::Start, Self::Pit, Self::Garage, Self::DriverSwap, Self::TyreChange];

    /// Returns its name in files and API responses.
    #[must_use]
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Start => "start",
            Self::Pit => "pit",
            Self::Garage => "garage",
            Self::DriverSwap => "driver_swap",
            Self::TyreChange => "tyre_change",
        }
    }

    /// Returns the value with this name.
    #[must_use]
    pub fn parse(name: &str) -> Option<Self> {
        Self::ALL.iter().copied().find(|word| word.as_str() == name)
    }
}

/// Why a stint ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum StintEnd {
    /// The car came into the pits.
    Pit,
    /// The car was returned to the garage.
    Garage,
    /// The driver changed.
    DriverSwap,
    /// The tyres were changed.
    TyreChange,
    /// The session ended.
    End,
}

impl StintEnd {
    /// All values.
    pub const ALL: &'static [Self] = &[Self::Pit, Self::Garage, Self::DriverSwap, Self::TyreChange, Self::End];

    /// Returns its name in files and API responses.
    #[must_use]
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Pit => "pit",
            Self::Garage => "garage",
            Self::DriverSwap => "driver_swap",
            Self::TyreChange => "tyre_change",
            Self::End => "end",
        }
    }

    /// Returns the value with this name.
    #[must_use]
    pub fn parse(name: &str) -> Option<Self> {
        Self::ALL.iter().copied().find(|word| word.as_str() == name)
    }
}

/// State of a lap.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum LapState {
    /// The lap is being driven.
    Running,
    /// The car crossed the line; the official time is awaited.
    Provisional,
    /// The lap is finished.
    Final,
    /// The lap has no end, or was never driven in full.
    Aborted,
}

impl LapState {
    /// All values.
    pub const ALL: &'static [Self] = &[Self::Running, Self::Provisional, Self::Final, Self::Aborted];

    /// Returns its name in files and API responses.
    #[must_use]
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Running => "running",
            Self::Provisional => "provisional",
            Self::Final => "final",
            Self::Aborted => "aborted",
        }
    }

    /// Returns the value with this name.
    #[must_use]
    pub fn parse(name: &str) -> Option<Self> {
        Self::ALL.iter().copied().find(|word| word.as_str() == name)
    }
}

/// Kind of lap.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Phase {
    /// A flying lap: from line to line, on the track.
    Flying,
    /// An out lap: it began in the pits.
    Out,
    /// An in lap: it ended in the pits.
    In,
    /// It began and ended in the pits.
    Pit,
    /// It began on the grid.
    GridStart,
    /// A formation lap, before the start.
    Formation,
}

impl Phase {
    /// All values.
    pub const ALL: &'static [Self] = &[Self::Flying, Self::Out, Self::In, Self::Pit, Self::GridStart, Self::Formation];

    /// Returns its name in files and API responses.
    #[must_use]
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Flying => "flying",
            Self::Out => "out",
            Self::In => "in",
            Self::Pit => "pit",
            Self::GridStart => "grid_start",
            Self::Formation => "formation",
        }
    }

    /// Returns the value with this name.
    #[must_use]
    pub fn parse(name: &str) -> Option<Self> {
        Self::ALL.iter().copied().find(|word| word.as_str() == name)
    }
}

/// Source of a lap time.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum TimeSource {
    /// Reported by the game.
    Official,
    /// Measured from the game's lap timer, or from the capture times of frames.
    Measured,
}

impl TimeSource {
    /// All values.
    pub const ALL: &'static [Self] = &[Self::Official, Self::Measured];

    /// Returns its name in files and API responses.
    #[must_use]
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Official => "official",
            Self::Measured => "measured",
        }
    }

    /// Returns the value with this name.
    #[must_use]
    pub fn parse(name: &str) -> Option<Self> {
        Self::ALL.iter().copied().find(|word| word.as_str() == name)
    }
}

/// Source of a sector time.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum SectorSource {
    /// The time is unknown.
    None,
    /// Reported by the game.
    Official,
    /// The difference of two times that the game reported.
    Differenced,
    /// Interpolated between two frames, by track position.
    Interpolated,
}

impl SectorSource {
    /// All values.
    pub const ALL: &'static [Self] = &[Self::None, Self::Official, Self::Differenced, Self::Interpolated];

    /// Returns its name in files and API responses.
    #[must_use]
    pub fn as_str(self) -> &'static str {
        match self {
            Self::None => "none",
            Self::Official => "official",
            Self::Differenced => "differenced",
            Self::Interpolated => "interpolated",
        }
    }

    /// Returns the value with this name.
    #[must_use]
    pub fn parse(name: &str) -> Option<Self> {
        Self::ALL.iter().copied().find(|word| word.as_str() == name)
    }
}

/// Who reports a reason.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum ReasonSource {
    /// The game.
    Game,
    /// The game's second source in addition to its shared memory: its broadcast.
    Broadcast,
    /// The tracker.
    Tool,
    /// The user.
    User,
}

impl ReasonSource {
    /// All values.
    pub const ALL: &'static [Self] = &[Self::Game, Self::Broadcast, Self::Tool, Self::User];

    /// Returns its name in files and API responses.
    #[must_use]
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Game => "game",
            Self::Broadcast => "broadcast",
            Self::Tool => "tool",
            Self::User => "user",
        }
    }

    /// Returns the value with this name.
    #[must_use]
    pub fn parse(name: &str) -> Option<Self> {
        Self::ALL.iter().copied().find(|word| word.as_str() == name)
    }
}

/// What counts against a lap.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum ReasonCode {
    /// The game reports a cut.
    Cut,
    /// The car exceeded track limits.
    TrackLimits,
    /// The game reports the lap as invalid.
    GameInvalid,
    /// This source reports the lap as valid, another one as invalid. Both statements are kept.
    SaidValid,
    /// Speeding in the pit lane.
    PitSpeeding,
    /// A penalty deleted it as a best lap.
    BestRemovedByPenalty,
    /// An out lap: it began in the pits.
    OutLap,
    /// An in lap: it ended in the pits.
    InLap,
    /// It began and ended in the pits.
    PitLap,
    /// It began on the grid.
    GridStart,
    /// A formation lap, before the start.
    Formation,
    /// Its start was not observed.
    PartialStart,
    /// Its end was not observed.
    PartialEnd,
    /// The car was returned to the garage.
    AbortedGarage,
    /// The session was restarted.
    AbortedRestart,
    /// Part of it was undone by a flashback.
    Flashback,
    /// The car was teleported.
    Teleport,
    /// The lap timer was rewound.
    Rewind,
    /// The game reported no lap time.
    NoOfficialTime,
    /// A sector time is unknown.
    SectorMissing,
    /// The sector times do not add up to the lap time.
    SectorSumMismatch,
    /// Too little of the track was covered.
    CoverageLow,
    /// Frames are missing.
    StreamGap,
    /// It is from a replay.
    Replay,
    /// Another car was being watched.
    Spectating,
    /// Another driver drove it.
    OtherDriver,
    /// The lap time is too short to be plausible.
    ImplausibleTime,
    /// A yellow or red flag was out.
    Caution,
    /// The user excluded it.
    UserExcluded,
}

impl ReasonCode {
    /// All values.
    pub const ALL: &'static [Self] = &[
        Self::Cut,
        Self::TrackLimits,
        Self::GameInvalid,
        Self::SaidValid,
        Self::PitSpeeding,
        Self::BestRemovedByPenalty,
        Self::OutLap,
        Self::InLap,
        Self::PitLap,
        Self::GridStart,
        Self::Formation,
        Self::PartialStart,
        Self::PartialEnd,
        Self::AbortedGarage,
        Self::AbortedRestart,
        Self::Flashback,
        Self::Teleport,
        Self::Rewind,
        Self::NoOfficialTime,
        Self::SectorMissing,
        Self::SectorSumMismatch,
        Self::CoverageLow,
        Self::StreamGap,
        Self::Replay,
        Self::Spectating,
        Self::OtherDriver,
        Self::ImplausibleTime,
        Self::Caution,
        Self::UserExcluded,
    ];

    /// Returns its name in files and API responses.
    #[must_use]
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Cut => "cut",
            Self::TrackLimits => "track_limits",
            Self::GameInvalid => "game_invalid",
            Self::SaidValid => "said_valid",
            Self::PitSpeeding => "pit_speeding",
            Self::BestRemovedByPenalty => "best_removed_by_penalty",
            Self::OutLap => "out_lap",
            Self::InLap => "in_lap",
            Self::PitLap => "pit_lap",
            Self::GridStart => "grid_start",
            Self::Formation => "formation",
            Self::PartialStart => "partial_start",
            Self::PartialEnd => "partial_end",
            Self::AbortedGarage => "aborted_garage",
            Self::AbortedRestart => "aborted_restart",
            Self::Flashback => "flashback",
            Self::Teleport => "teleport",
            Self::Rewind => "rewind",
            Self::NoOfficialTime => "no_official_time",
            Self::SectorMissing => "sector_missing",
            Self::SectorSumMismatch => "sector_sum_mismatch",
            Self::CoverageLow => "coverage_low",
            Self::StreamGap => "stream_gap",
            Self::Replay => "replay",
            Self::Spectating => "spectating",
            Self::OtherDriver => "other_driver",
            Self::ImplausibleTime => "implausible_time",
            Self::Caution => "caution",
            Self::UserExcluded => "user_excluded",
        }
    }

    /// Returns the value with this name.
    #[must_use]
    pub fn parse(name: &str) -> Option<Self> {
        Self::ALL.iter().copied().find(|word| word.as_str() == name)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_read_back_and_differ() {
        assert!(SessionKind::ALL.iter().all(|word| SessionKind::parse(word.as_str()) == Some(*word)));
        assert!(SessionEnd::ALL.iter().all(|word| SessionEnd::parse(word.as_str()) == Some(*word)));
        assert!(StintStart::ALL.iter().all(|word| StintStart::parse(word.as_str()) == Some(*word)));
        assert!(StintEnd::ALL.iter().all(|word| StintEnd::parse(word.as_str()) == Some(*word)));
        assert!(LapState::ALL.iter().all(|word| LapState::parse(word.as_str()) == Some(*word)));
        assert!(Phase::ALL.iter().all(|word| Phase::parse(word.as_str()) == Some(*word)));
        assert!(TimeSource::ALL.iter().all(|word| TimeSource::parse(word.as_str()) == Some(*word)));
        assert!(SectorSource::ALL.iter().all(|word| SectorSource::parse(word.as_str()) == Some(*word)));
        assert!(ReasonSource::ALL.iter().all(|word| ReasonSource::parse(word.as_str()) == Some(*word)));
        assert!(ReasonCode::ALL.iter().all(|word| ReasonCode::parse(word.as_str()) == Some(*word)));
        assert_eq!(Phase::parse("flight"), None);
    }
}
