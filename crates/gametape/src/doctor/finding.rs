//! What the doctor says.

/// How much a finding matters.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Level {
    /// As it should be.
    Ok,
    /// Worth knowing; nothing is broken.
    Note,
    /// Stands in the way of recording.
    Problem,
}

impl Level {
    /// The word for it: `ok`, `note`, `problem`.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Ok => "ok",
            Self::Note => "note",
            Self::Problem => "problem",
        }
    }
}

/// What was looked at.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Subject {
    /// The game's program.
    Process,
    /// Its sections of shared memory: are they there, may they be read.
    Memory,
    /// What stands in that memory.
    Telemetry,
    /// Recorders that run already.
    Recorder,
    /// A player that stands in for a game.
    Player,
    /// Where tapes go.
    TapesFolder,
    /// Tapes that were not closed.
    UnfinishedTape,
    /// How exactly the system wakes a recorder.
    Timer,
}

impl Subject {
    /// The word for it.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Process => "process",
            Self::Memory => "memory",
            Self::Telemetry => "telemetry",
            Self::Recorder => "recorder",
            Self::Player => "player",
            Self::TapesFolder => "tapes_folder",
            Self::UnfinishedTape => "unfinished_tape",
            Self::Timer => "timer",
        }
    }

    fn is_of_a_game(self) -> bool {
        matches!(self, Self::Process | Self::Memory | Self::Telemetry)
    }
}

/// One thing that was found.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Finding {
    /// Id of the game; `None` where it is of no game, or where games share what was looked at and it cannot be told which it is.
    pub game: Option<&'static str>,
    /// What was looked at.
    pub subject: Subject,
    /// How much it matters.
    pub level: Level,
    /// What was found.
    pub text: String,
    /// The next step, where there is one.
    pub what_to_do: Option<String>,
}

impl Finding {
    pub(super) fn new(subject: Subject, level: Level, text: impl Into<String>) -> Self {
        Self { game: None, subject, level, text: text.into(), what_to_do: None }
    }

    pub(super) fn of(self, game: Option<&'static str>) -> Self {
        Self { game, ..self }
    }

    pub(super) fn next(self, what: impl Into<String>) -> Self {
        Self { what_to_do: Some(what.into()), ..self }
    }
}

/// All that was found.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Diagnosis {
    /// Of games first, then of this machine.
    pub findings: Vec<Finding>,
    /// Ids of the games that are there and can be read.
    pub ready: Vec<&'static str>,
}

impl Diagnosis {
    /// Whether a recorder that is started now would record a game.
    pub fn can_record(&self) -> bool {
        !self.ready.is_empty() && self.blocking().is_none()
    }

    /// The finding that says best why nothing can be recorded; `None` if something can.
    pub fn reason(&self) -> Option<&Finding> {
        if !self.ready.is_empty() {
            return self.blocking();
        }
        let of_games = || self.findings.iter().filter(|finding| finding.subject.is_of_a_game());
        of_games()
            .find(|finding| finding.level == Level::Problem)
            .or_else(|| of_games().find(|finding| finding.level == Level::Note && finding.what_to_do.is_some()))
    }

    /// What keeps any game from being recorded.
    fn blocking(&self) -> Option<&Finding> {
        self.findings.iter().find(|finding| finding.level == Level::Problem && !finding.subject.is_of_a_game())
    }
}
