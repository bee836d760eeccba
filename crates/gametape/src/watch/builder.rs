//! The builder: configures what to watch and what to do with finds, then starts the watch.

use std::path::PathBuf;
use std::time::{Duration, Instant};

use super::engine::Engine;
use super::error::WatchError;
use super::events::Events;
use super::folder::Folder;
use super::found::{Found, Notice};
use super::games::{ReplayGame, find_replay_game};
use super::places::Environment;
use super::running::Watching;
use super::setup::Setup;

pub(super) type OnFound = Box<dyn FnMut(&Found) + Send>;
pub(super) type OnNotice = Box<dyn FnMut(&Notice) + Send>;

/// A builder for a watch.
#[derive(Default)]
pub struct Watch {
    setup: Setup,
    on_found: Vec<OnFound>,
    on_notice: Vec<OnNotice>,
}

impl Watch {
    /// Creates a builder without folders.
    pub fn new() -> Self {
        Self::default()
    }

    /// Adds a folder. If folders overlap, the one added first determines the game of a file.
    pub fn folder(mut self, folder: Folder) -> Self {
        self.setup.folders.push(folder);
        self
    }

    /// Adds the replay folders of a game, by id or alias: those that exist on this machine, or all candidates if none exists.
    pub fn game(self, id: &str) -> Result<Self, WatchError> {
        Ok(self.replays_of(find_replay_game(id)?, &Environment::of_this_machine()))
    }

    /// Adds the replay folders of a game on a machine, for example with a Wine prefix of another launcher
    /// ([`Environment::wine_prefix`]): those that exist, or all candidates if none exists.
    pub fn replays_of(mut self, game: &ReplayGame, machine: &Environment) -> Self {
        let mut folders = machine.replay_folders(game);
        if folders.iter().any(|folder| folder.path().is_dir()) {
            folders.retain(|folder| folder.path().is_dir());
        }
        self.setup.folders.extend(folders);
        self
    }

    /// Sets the quiet period for all folders: how long a file must be unchanged to count as complete. By default each game has its own,
    /// about 2 seconds.
    pub fn settle(mut self, settle: Duration) -> Self {
        self.setup.settle = Some(settle);
        self
    }

    /// Also reports files that already exist, unless they were reported before.
    pub fn existing(mut self) -> Self {
        self.setup.existing = true;
        self
    }

    /// Copies each find to this folder, before it is imported. Existing files are not overwritten.
    pub fn archive_to(mut self, folder: impl Into<PathBuf>) -> Self {
        self.setup.archive = Some(folder.into());
        self
    }

    /// Imports each find of a supported format to a tape in this folder.
    pub fn import_to(mut self, folder: impl Into<PathBuf>) -> Self {
        self.setup.tapes = Some(folder.into());
        self
    }

    /// Records what was reported in this state file, so that the next watch does not report it again.
    pub fn remember_in(mut self, file: impl Into<PathBuf>) -> Self {
        self.setup.state = Some(file.into());
        self
    }

    /// Polls the folders instead of using file system events, for drives that do not report changes.
    pub fn polling(mut self, every: Duration) -> Self {
        self.setup.polling = true;
        self.setup.look_every = every;
        self
    }

    /// Sets how often to look for a missing folder (default: 3 seconds), and how often to rescan folders in case events were missed
    /// (default: 60 seconds).
    pub fn look_every(mut self, missing: Duration, scan: Duration) -> Self {
        self.setup.look_every = missing;
        self.setup.scan_every = scan;
        self
    }

    /// Adds a callback for finds, called on the watching thread. A callback that panics is called again for the next find.
    pub fn on_found(mut self, callback: impl FnMut(&Found) + Send + 'static) -> Self {
        self.on_found.push(Box::new(callback));
        self
    }

    /// Adds a callback for notices.
    pub fn on_notice(mut self, callback: impl FnMut(&Notice) + Send + 'static) -> Self {
        self.on_notice.push(Box::new(callback));
        self
    }

    /// Returns the games of all folders.
    pub(crate) fn games(&self) -> impl Iterator<Item = Option<&str>> {
        self.setup.folders.iter().map(Folder::game)
    }

    #[cfg(test)]
    pub(super) fn setup(self) -> Setup {
        self.setup
    }

    /// Starts the watch as an iterator, which watches while the caller waits for the next event. Callbacks are not called.
    pub fn events(self) -> Result<Events, WatchError> {
        Ok(Events::new(Engine::new(self.setup.checked()?, Instant::now())?))
    }

    /// Starts the watch on its own thread, which calls the callbacks.
    pub fn start(mut self) -> Result<Watching, WatchError> {
        let (on_found, on_notice) = (std::mem::take(&mut self.on_found), std::mem::take(&mut self.on_notice));
        Watching::start(self.events()?, on_found, on_notice)
    }
}

impl std::fmt::Debug for Watch {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Watch").field("setup", &self.setup).finish_non_exhaustive()
    }
}
