//! The words of laps: each has one name in code and one in files, answers and tables. Names in files never change.

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
    /// Another car.
    CarChange,
    /// Another track.
    TrackChange,
    /// It was started again.
    Restart,
    /// Nothing more came: the game or the recording broke off.
    StreamEnd,
    /// The recording was ended.
    ToolStop,
    /// The recorder broke off; the rest was found in its journal.
    CrashRecovered,
}

impl SessionEnd {
    /// All of them.
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

    /// Its name in files and answers.
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

    /// The one with this name.
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
    /// The car left the garage after it was put there.
    Garage,
    /// Another driver.
    DriverSwap,
    /// Other tyres.
    TyreChange,
}

impl StintStart {
    /// All of them.
    pub const ALL: &'static [Self] = &[Self::Start, Self::Pit, Self::Garage, Self::DriverSwap, Self::TyreChange];

    /// Its name in files and answers.
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

    /// The one with this name.
    #[must_use]
    pub fn parse(name: &str) -> Option<Self> {
        Self::ALL.iter().copied().find(|word| word.as_str() == name)
    }
}

/// Why a stint ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum StintEnd {
    /// The car came to the pits.
    Pit,
    /// The car was put back into the garage.
    Garage,
    /// Another driver.
    DriverSwap,
    /// Other tyres.
    TyreChange,
    /// The session ended.
    End,
}

impl StintEnd {
    /// All of them.
    pub const ALL: &'static [Self] = &[Self::Pit, Self::Garage, Self::DriverSwap, Self::TyreChange, Self::End];

    /// Its name in files and answers.
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

    /// The one with this name.
    #[must_use]
    pub fn parse(name: &str) -> Option<Self> {
        Self::ALL.iter().copied().find(|word| word.as_str() == name)
    }
}

/// How far a lap is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum LapState {
    /// It is being driven.
    Running,
    /// The line was crossed; the game's time is awaited.
    Provisional,
    /// It is done.
    Final,
    /// It has no end, or was never driven whole.
    Aborted,
}

impl LapState {
    /// All of them.
    pub const ALL: &'static [Self] = &[Self::Running, Self::Provisional, Self::Final, Self::Aborted];

    /// Its name in files and answers.
    #[must_use]
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Running => "running",
            Self::Provisional => "provisional",
            Self::Final => "final",
            Self::Aborted => "aborted",
        }
    }

    /// The one with this name.
    #[must_use]
    pub fn parse(name: &str) -> Option<Self> {
        Self::ALL.iter().copied().find(|word| word.as_str() == name)
    }
}

/// What kind of lap it is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Phase {
    /// From line to line, on the track.
    Flying,
    /// It began in the pits.
    Out,
    /// It ended in the pits.
    In,
    /// It began and ended in the pits.
    Pit,
    /// It began on the grid.
    GridStart,
    /// Before the start.
    Formation,
}

impl Phase {
    /// All of them.
    pub const ALL: &'static [Self] = &[Self::Flying, Self::Out, Self::In, Self::Pit, Self::GridStart, Self::Formation];

    /// Its name in files and answers.
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

    /// The one with this name.
    #[must_use]
    pub fn parse(name: &str) -> Option<Self> {
        Self::ALL.iter().copied().find(|word| word.as_str() == name)
    }
}

/// Where the time of a lap is from.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum TimeSource {
    /// The game said it.
    Official,
    /// Taken from the game's running clock, or from the times of the frames.
    Measured,
}

impl TimeSource {
    /// All of them.
    pub const ALL: &'static [Self] = &[Self::Official, Self::Measured];

    /// Its name in files and answers.
    #[must_use]
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Official => "official",
            Self::Measured => "measured",
        }
    }

    /// The one with this name.
    #[must_use]
    pub fn parse(name: &str) -> Option<Self> {
        Self::ALL.iter().copied().find(|word| word.as_str() == name)
    }
}

/// Where the time of a sector is from.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum SectorSource {
    /// It is not known.
    None,
    /// The game said it.
    Official,
    /// The difference of two times that the game said.
    Differenced,
    /// Between two frames, by the place on the track.
    Interpolated,
}

impl SectorSource {
    /// All of them.
    pub const ALL: &'static [Self] = &[Self::None, Self::Official, Self::Differenced, Self::Interpolated];

    /// Its name in files and answers.
    #[must_use]
    pub fn as_str(self) -> &'static str {
        match self {
            Self::None => "none",
            Self::Official => "official",
            Self::Differenced => "differenced",
            Self::Interpolated => "interpolated",
        }
    }

    /// The one with this name.
    #[must_use]
    pub fn parse(name: &str) -> Option<Self> {
        Self::ALL.iter().copied().find(|word| word.as_str() == name)
    }
}

/// Who says so.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum ReasonSource {
    /// The game.
    Game,
    /// The game's second source, beside its memory: what it broadcasts.
    Broadcast,
    /// The tracker.
    Tool,
    /// The user.
    User,
}

impl ReasonSource {
    /// All of them.
    pub const ALL: &'static [Self] = &[Self::Game, Self::Broadcast, Self::Tool, Self::User];

    /// Its name in files and answers.
    #[must_use]
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Game => "game",
            Self::Broadcast => "broadcast",
            Self::Tool => "tool",
            Self::User => "user",
        }
    }

    /// The one with this name.
    #[must_use]
    pub fn parse(name: &str) -> Option<Self> {
        Self::ALL.iter().copied().find(|word| word.as_str() == name)
    }
}

/// What speaks against a lap.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum ReasonCode {
    /// The game says that it was cut.
    Cut,
    /// The car left the track.
    TrackLimits,
    /// The game says that it does not count.
    GameInvalid,
    /// This source said that it counts, another one that it does not: what both said is kept.
    SaidValid,
    /// Too fast in the pit lane.
    PitSpeeding,
    /// A penalty took it out of the bests.
    BestRemovedByPenalty,
    /// It began in the pits.
    OutLap,
    /// It ended in the pits.
    InLap,
    /// It began and ended in the pits.
    PitLap,
    /// It began on the grid.
    GridStart,
    /// It was before the start.
    Formation,
    /// Its beginning was not seen.
    PartialStart,
    /// Its end was not seen.
    PartialEnd,
    /// The car was put back into the garage.
    AbortedGarage,
    /// The session was started again.
    AbortedRestart,
    /// Part of it was taken back.
    Flashback,
    /// The car was put elsewhere.
    Teleport,
    /// The lap's clock went back.
    Rewind,
    /// The game gave no time.
    NoOfficialTime,
    /// A sector's time is not known.
    SectorMissing,
    /// The sectors do not add up to the lap.
    SectorSumMismatch,
    /// Too little of the track was seen.
    CoverageLow,
    /// Frames are missing.
    StreamGap,
    /// It is from a replay.
    Replay,
    /// Another car was watched.
    Spectating,
    /// Another driver drove it.
    OtherDriver,
    /// Nobody can drive it in that time.
    ImplausibleTime,
    /// A yellow or red flag was out.
    Caution,
    /// The user took it out.
    UserExcluded,
}

impl ReasonCode {
    /// All of them.
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

    /// Its name in files and answers.
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

    /// The one with this name.
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
