//! Kinds of session, in one set of words for all games. Names in files never change.

/// What kind of session it is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum SessionKind {
    /// The game does not say.
    Unknown,
    /// Free driving.
    Practice,
    /// For the grid.
    Qualifying,
    /// One lap for the grid.
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
    /// A straight line.
    Drag,
    /// Testing, offline.
    Test,
}

impl SessionKind {
    /// All of them.
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

    /// Its name in files and answers.
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

    /// The one with this name.
    #[must_use]
    pub fn parse(name: &str) -> Option<Self> {
        Self::ALL.iter().copied().find(|word| word.as_str() == name)
    }
}
