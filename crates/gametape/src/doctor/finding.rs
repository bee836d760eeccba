//! Findings of the doctor.

/// The severity of a finding.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Level {
    /// As expected.
    Ok,
    /// Worth knowing; nothing is broken.
    Note,
    /// Prevents recording.
    Problem,
}

impl Level {
    /// Returns the name: `ok`, `note` or `problem`.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Ok => "ok",
            Self::Note => "note",
            Self::Problem => "problem",
        }
    }
}

/// What a finding is about.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Subject {
    /// The process of the game.
    Process,
    /// The sections of shared memory: whether they exist and are readable.
    Memory,
    /// The contents of the shared memory.
    Telemetry,
    /// A UDP port.
    Port,
    /// The receive buffer for datagrams.
    Buffer,
    /// The files in which the user sets up the game's telemetry.
    Settings,
    /// Running recorders.
    Recorder,
    /// A player that replaces a game.
    Player,
    /// The folder of tapes.
    TapesFolder,
    /// Tapes that were not closed.
    UnfinishedTape,
    /// The folder in which a game saves its replays.
    ReplayFolder,
    /// The wakeup latency of the scheduler.
    Timer,
}

impl Subject {
    /// Returns the name, such as `tapes_folder`.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Process => "process",
            Self::Memory => "memory",
            Self::Telemetry => "telemetry",
            Self::Port => "port",
            Self::Buffer => "buffer",
            Self::Settings => "settings",
            Self::Recorder => "recorder",
            Self::Player => "player",
            Self::TapesFolder => "tapes_folder",
            Self::UnfinishedTape => "unfinished_tape",
            Self::ReplayFolder => "replay_folder",
            Self::Timer => "timer",
        }
    }

    fn is_of_a_game(self) -> bool {
        matches!(self, Self::Process | Self::Memory | Self::Telemetry | Self::Port | Self::Settings)
    }
}

/// One finding.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Finding {
    /// Id of the game; `None` if it is not about a game, or if several games share the subject and it is not known which one it is.
    pub game: Option<&'static str>,
    /// What it is about.
    pub subject: Subject,
    /// Its severity.
    pub level: Level,
    /// What was found.
    pub text: String,
    /// The next step, if there is one.
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

/// All findings.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Diagnosis {
    /// Findings about games first, then about this machine.
    pub findings: Vec<Finding>,
    /// Ids of the games that are present and readable.
    pub ready: Vec<&'static str>,
}

impl Diagnosis {
    /// Returns whether a recorder started now would record a game.
    pub fn can_record(&self) -> bool {
        !self.ready.is_empty() && self.blocking().is_none()
    }

    /// Returns the finding that best explains why nothing can be recorded; `None` if something can.
    pub fn reason(&self) -> Option<&Finding> {
        if !self.ready.is_empty() {
            return self.blocking();
        }
        let of_games = || self.findings.iter().filter(|finding| finding.subject.is_of_a_game());
        of_games().find(|finding| finding.level == Level::Problem).or_else(|| {
            // Ports and settings explain something only if their game was asked for, and are problems then.
            let is_general = |finding: &&Finding| !matches!(finding.subject, Subject::Port | Subject::Settings);
            let mut notes = of_games().filter(|finding| finding.level == Level::Note && finding.what_to_do.is_some());
            notes.find(is_general)
        })
    }

    /// Returns the finding that prevents recording of any game.
    fn blocking(&self) -> Option<&Finding> {
        self.findings.iter().find(|finding| finding.level == Level::Problem && !finding.subject.is_of_a_game())
    }
}
