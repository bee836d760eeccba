//! Puts tapes into the catalogue and their laps into the store, for `import`, `add` and `watch`.

use std::path::{Path, PathBuf};

use gametape::games::find_game;
use gametape::paths::this_machine;
use gametape::store::catalogue::file_of;
use gametape::store::{Added, Skipped, SqlStore, TapeLaps, add_tape};
use serde::Serialize;

use crate::{human, open, store};

/// A store that tapes are added to.
pub(crate) struct Adding {
    store: SqlStore,
    place: String,
    /// Where the tapes of this store are.
    pub(crate) tapes: PathBuf,
}

/// What became of a tape in the store; the same object in every command. The names of the fields are a promise to other programs.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize)]
pub(crate) struct InStore {
    /// `null` if no laps were looked for.
    pub(crate) sessions: Option<u32>,
    /// Aborted ones too.
    pub(crate) laps: Option<u32>,
    /// Sessions, stints and laps that were not in the store before.
    pub(crate) new_entries: Option<u32>,
    /// `playback`, `no_laps`, `being_recorded`.
    pub(crate) skipped: Option<&'static str>,
    /// The file of the same tape that the catalogue keeps.
    pub(crate) copy_of: Option<String>,
    pub(crate) error: Option<String>,
    /// Id of the tape.
    #[serde(skip)]
    pub(crate) tape_id: Option<String>,
    /// Id of its game.
    #[serde(skip)]
    pub(crate) game: Option<String>,
}

impl Adding {
    /// Opens the store that was named, or the user's own.
    pub(crate) fn open(named: Option<&str>) -> anyhow::Result<Self> {
        let known = open::folders()?;
        let tapes = if named == Some(store::DEMO) { known.demo } else { known.tapes };
        Ok(Self { store: store::open(named)?, place: this_machine(), tapes })
    }

    /// The file of a tape that the store knows, if it is there.
    pub(crate) fn file_of(&self, tape: gametape::format::TapeId) -> Option<PathBuf> {
        file_of(&self.store, tape).ok().flatten()
    }

    /// Adds a tape. What goes wrong is in the answer.
    pub(crate) fn add(&self, path: &Path, playbacks: bool) -> InStore {
        let failed = |error: String| InStore { error: Some(error), ..InStore::default() };
        let path = match std::path::absolute(path) {
            Ok(path) => path,
            Err(error) => return failed(error.to_string()),
        };
        match add_tape(&self.store, &self.place, &path, playbacks) {
            Ok(added) => InStore::of(added),
            Err(error) => failed(error.to_string()),
        }
    }
}

impl InStore {
    fn of(added: Added) -> Self {
        let (tape, copy_of, laps) = match added {
            Added::Tape { tape, copy_of, laps } => (tape, copy_of, laps),
            Added::Recording => return Self { skipped: Some("being_recorded"), ..Self::default() },
            Added::Unreadable(reason) => return Self { error: Some(reason), ..Self::default() },
        };
        let known = Self {
            tape_id: Some(tape.id.to_string()),
            game: tape.game.clone(),
            copy_of: copy_of.map(|path| path.display().to_string()),
            ..Self::default()
        };
        match laps {
            TapeLaps::Kept { replaced, sessions, laps } => {
                Self { sessions: Some(sessions), laps: Some(laps), new_entries: Some(replaced.new), ..known }
            }
            TapeLaps::Skipped(Skipped::Playback) => Self { skipped: Some("playback"), ..known },
            TapeLaps::Skipped(Skipped::NoLaps { .. }) => Self { skipped: Some("no_laps"), ..known },
            TapeLaps::Failed(reason) => Self { error: Some(reason), ..known },
        }
    }

    /// The same for people.
    pub(crate) fn words(&self) -> String {
        let mut words = match (&self.error, self.skipped) {
            (Some(error), _) => format!("not in the store: {error}"),
            (_, Some("being_recorded")) => "it is being recorded; the recorder adds it to the store".to_owned(),
            (_, Some("playback")) => {
                "in the catalogue; no laps, it is the recording of a playback (`gametape add --playbacks TAPE` adds them)".to_owned()
            }
            (_, Some(_)) => {
                let game = self.game.as_deref().and_then(find_game).map(|game| game.name);
                format!("in the catalogue; {} has no laps", game.unwrap_or("its game"))
            }
            (None, None) => {
                let sessions = human::counted(self.sessions.unwrap_or(0).into(), "session");
                match self.laps.unwrap_or(0) {
                    0 => format!("in the store: {sessions}, no laps"),
                    laps => format!("in the store: {} in {sessions}", human::counted(laps.into(), "lap")),
                }
            }
        };
        if let Some(other) = &self.copy_of {
            words.push_str(&format!("; a copy of {other}, which the catalogue keeps"));
        }
        human::safe(&words)
    }

    /// Whether laps can be looked at now.
    pub(crate) fn has_laps(&self) -> bool {
        self.error.is_none() && self.laps.unwrap_or(0) > 0
    }
}

/// What to do next, once tapes were added.
pub(crate) fn next_step(any_laps: bool) -> &'static str {
    match any_laps {
        true => "next: `gametape laps` shows the laps, `gametape serve` the pages",
        false => "next: `gametape info TAPE` shows what is on it, `gametape cat TAPE --events` what happened",
    }
}
