//! Adds tapes to the catalogue and their laps to the store, for `import`, `add` and `watch`.

use std::path::{Path, PathBuf};

use gametape::format::TapeId;
use gametape::games::find_game;
use gametape::laps::Id;
use gametape::paths::this_machine;
use gametape::store::catalogue::file_of;
use gametape::store::incoming_file::claim;
use gametape::store::{Added, Skipped, SqlStore, TapeLaps, add_tape};
use serde::Serialize;

use crate::{human, open, store};

/// A store that tapes are added to.
pub(crate) struct Adding {
    store: SqlStore,
    place: String,
    /// The folder with the tapes of this store.
    pub(crate) tapes: PathBuf,
}

/// The result of adding one tape to the store; every command reports it as the same object. Field names are stable: other
/// programs rely on them.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize)]
pub(crate) struct InStore {
    /// `null` if the tape was not tracked.
    pub(crate) sessions: Option<u32>,
    /// Includes aborted laps.
    pub(crate) laps: Option<u32>,
    /// The number of sessions, stints and laps that are new in the store.
    pub(crate) new_entries: Option<u32>,
    /// `playback`, `no_laps`, `being_recorded`.
    pub(crate) skipped: Option<&'static str>,
    /// The file that the catalogue lists for the same tape.
    pub(crate) copy_of: Option<String>,
    pub(crate) error: Option<String>,
    /// Tape id.
    #[serde(skip)]
    pub(crate) tape_id: Option<String>,
    /// Game id.
    #[serde(skip)]
    pub(crate) game: Option<String>,
}

impl Adding {
    /// Opens the named store, or the user's default store.
    pub(crate) fn open(named: Option<&str>) -> anyhow::Result<Self> {
        let known = open::folders()?;
        let tapes = if named == Some(store::DEMO) { known.demo } else { known.tapes };
        Ok(Self { store: store::open(named)?, place: this_machine(), tapes })
    }

    /// Returns the path of a tape that the store lists, if the file exists.
    pub(crate) fn file_of(&self, tape: gametape::format::TapeId) -> Option<PathBuf> {
        file_of(&self.store, tape).ok().flatten()
    }

    /// Adds a tape. Errors are reported in the returned value.
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

impl Adding {
    /// [`Adding::add`] a tape whose laps are the user's own, whatever the tape says.
    pub(crate) fn add_own(&self, path: &Path) -> InStore {
        let in_store = self.add(path, false);
        let Some(tape) = in_store.tape_id.as_deref().and_then(Id::parse) else { return in_store };
        match claim(&self.store, TapeId(tape.0)) {
            Ok(()) => in_store,
            Err(error) => InStore { error: Some(error.to_string()), ..in_store },
        }
    }
}

impl InStore {
    pub(crate) fn of(added: Added) -> Self {
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

    /// Returns the result as text for a person.
    pub(crate) fn words(&self) -> String {
        let mut words = match (&self.error, self.skipped) {
            (Some(error), _) => format!("not in the store: {error}"),
            (_, Some("being_recorded")) => "still being recorded; its recorder adds it to the store".to_owned(),
            (_, Some("playback")) => {
                "in the catalogue; laps skipped, since it is a recording of a playback (`gametape add --playbacks TAPE` adds them)"
                    .to_owned()
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
            words.push_str(&format!("; a copy of {other}, which is in the catalogue"));
        }
        human::safe(&words)
    }

    /// Whether the store now has laps of this tape.
    pub(crate) fn has_laps(&self) -> bool {
        self.error.is_none() && self.laps.unwrap_or(0) > 0
    }
}

/// Returns what to do next after adding tapes.
pub(crate) fn next_step(any_laps: bool) -> &'static str {
    match any_laps {
        true => "next: `gametape laps` lists the laps, `gametape serve` shows them in a browser",
        false => "next: `gametape info TAPE` summarizes the tape, `gametape cat TAPE --events` lists its events",
    }
}
