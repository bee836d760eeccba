//! Session types, normalized across games. Files store their names, which never change.

/// A session type.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum SessionKind {
    /// Not reported by the game.
    Unknown,
    /// Free driving.
    Practice,
    /// Sets the starting grid.
    Qualifying,
    /// Sets the starting grid with a single lap.
    Superpole,
    /// A race.
    Race,
    /// Flying laps against the clock.
    Hotlap,
    /// As many laps as fit, against the clock.
    Hotstint,
    /// Against the clock.
    TimeTrial,
    /// For points.
    Drift,
    /// A straight-line race.
    Drag,
    /// Offline testing.
    Test,
}

impl SessionKind {
    /// All session types.
    pub const ALL: &'static [Self] = &[
        Self::Unknown,
        Self::Practice,
        Self::Qualifying,
        Self::Superpole,
        Self::Race,
        Self::Hotlap,
        Self::Hotstint,
        Self::TimeTrial,
        Self::Drift,
        Self::Drag,
        Self::Test,
    ];

    /// Returns the name used in files and API responses.
    #[must_use]
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Unknown => "unknown",
            Self::Practice => "practice",
            Self::Qualifying => "qualifying",
            Self::Superpole => "superpole",
            Self::Race => "race",
            Self::Hotlap => "hotlap",
            Self::Hotstint => "hotstint",
            Self::TimeTrial => "time_trial",
            Self::Drift => "drift",
            Self::Drag => "drag",
            Self::Test => "test",
        }
    }

    /// Returns the session type with this name.
    #[must_use]
    pub fn parse(name: &str) -> Option<Self> {
        Self::ALL.iter().copied().find(|word| word.as_str() == name)
    }
}
