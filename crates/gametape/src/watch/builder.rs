//! Says what to watch and what to do with finds; then it begins.

use std::path::PathBuf;
use std::time::{Duration, Instant};

use super::engine::Engine;
use super::error::WatchError;
use super::events::Events;
use super::folder::Folder;
use super::found::{Found, Notice};
use super::games::find_replay_game;
use super::places::Environment;
use super::running::Watching;
use super::setup::Setup;

pub(super) type OnFound = Box<dyn FnMut(&Found) + Send>;
pub(super) type OnNotice = Box<dyn FnMut(&Notice) + Send>;

/// A watch that has not begun.
#[derive(Default)]
pub struct Watch {
    setup: Setup,
    on_found: Vec<OnFound>,
    on_notice: Vec<OnNotice>,
}

impl Watch {
    /// Nothing is watched yet.
    pub fn new() -> Self {
        Self::default()
    }

    /// Watches a folder. Where folders overlap, the one that was given first says which game a file belongs to.
    pub fn folder(mut self, folder: Folder) -> Self {
        self.setup.folders.push(folder);
        self
    }

    /// Watches the replay folders of a game, by id or alias, that are on this machine: those that exist, or all where none does.
    pub fn game(mut self, id: &str) -> Result<Self, WatchError> {
        let game = find_replay_game(id)?;
        let mut places = Environment::of_this_machine().replay_folders(game);
        if places.iter().any(|place| place.is_dir()) {
            places.retain(|place| place.is_dir());
        }
        for place in places {
            self.setup.folders.push(Folder::of_game(place, game)?);
        }
        Ok(self)
    }

    /// For how long a file must not change until it is complete, for all folders. Else each game has a time of its own, about 2 seconds.
    pub fn settle(mut self, settle: Duration) -> Self {
        self.setup.settle = Some(settle);
        self
    }

    /// Files that are there already are reported too, unless they were reported before.
    pub fn existing(mut self) -> Self {
        self.setup.existing = true;
        self
    }

    /// Copies each find to this folder. Nothing there is overwritten.
    pub fn archive_to(mut self, folder: impl Into<PathBuf>) -> Self {
        self.setup.archive = Some(folder.into());
        self
    }

    /// Makes a tape of each find that can be read, in this folder.
    pub fn import_to(mut self, folder: impl Into<PathBuf>) -> Self {
        self.setup.tapes = Some(folder.into());
        self
    }

    /// Remembers in this file what was reported, so that the next watch does not report it again.
    pub fn remember_in(mut self, file: impl Into<PathBuf>) -> Self {
        self.setup.state = Some(file.into());
        self
    }

    /// Looks at folders again and again instead of waiting for the system to tell: for drives that tell nothing.
    pub fn polling(mut self, every: Duration) -> Self {
        self.setup.polling = true;
        self.setup.look_every = every;
        self
    }

    /// How often a folder that is not there yet is looked for (3 seconds), and how often folders are looked through in case the system
    /// told nothing (60 seconds).
    pub fn look_every(mut self, missing: Duration, scan: Duration) -> Self {
        self.setup.look_every = missing;
        self.setup.scan_every = scan;
        self
    }

    /// Called with each find, on the thread that watches. One that panics is called again with the next find.
    pub fn on_found(mut self, callback: impl FnMut(&Found) + Send + 'static) -> Self {
        self.on_found.push(Box::new(callback));
        self
    }

    /// Called with everything else there is to know.
    pub fn on_notice(mut self, callback: impl FnMut(&Notice) + Send + 'static) -> Self {
        self.on_notice.push(Box::new(callback));
        self
    }

    #[cfg(test)]
    pub(super) fn setup(self) -> Setup {
        self.setup
    }

    /// Begins, and watches while it is asked for the next event. Callbacks are not called.
    pub fn events(self) -> Result<Events, WatchError> {
        Ok(Events::new(Engine::new(self.setup.checked()?, Instant::now())?))
    }

    /// Begins, on a thread of its own, and calls the callbacks.
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
