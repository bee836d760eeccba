//! The memory of a watch: known files in memory, and on request in a state file.

use std::collections::HashSet;
use std::path::{Path, PathBuf};

use super::content::ContentHash;
use super::content::Stamp;
use super::error::WatchError;
use super::found::Notice;
use super::known::{Known, Sight};
use super::record::Record;
use super::state_file::StateFile;

/// Maximum number of unsaved records while the state file cannot be written.
const MAX_UNSAVED: usize = 10_000;

/// The memory of a watch.
#[derive(Debug, Default)]
pub(super) struct Memory {
    known: Known,
    state: Option<StateFile>,
    /// Files that were pending when the previous watch ended.
    owed: HashSet<PathBuf>,
    unsaved: Vec<Record>,
    told: bool,
}

impl Memory {
    /// Loads the state file of previous watches.
    pub(super) fn open(state: Option<&Path>) -> Result<(Self, Option<Notice>), WatchError> {
        let mut memory = Self::default();
        let Some(path) = state else { return Ok((memory, None)) };
        let (state, remembered) = StateFile::open(path)?;
        memory.state = Some(state);
        for record in remembered.records {
            if record.was_waited_for() {
                memory.owed.insert(record.path.clone());
            }
            if record.hash.is_some() {
                memory.known.reported(&record);
            }
        }
        let notice = (remembered.damaged > 0).then_some(Notice::MemoryDamaged { lines: remembered.damaged });
        Ok((memory, notice))
    }

    /// Returns whether the file is known and unchanged.
    pub(super) fn is_unchanged(&self, path: &Path, stamp: Stamp) -> bool {
        self.known.is_unchanged(path, stamp)
    }

    /// Adds a file that existed when the watch started. Returns whether to ignore it: `false` if it was pending when the previous watch
    /// ended, `None` if the limit is reached.
    pub(super) fn was_there_before(&mut self, path: &Path, stamp: Stamp) -> Option<bool> {
        if self.owed.contains(path) {
            return Some(false);
        }
        (self.is_unchanged(path, stamp) || self.known.there_before(path, stamp)).then_some(true)
    }

    /// Classifies a file by its content.
    pub(super) fn sight(&mut self, path: &Path, hash: ContentHash) -> Sight {
        self.known.sight(path, hash)
    }

    /// Marks a file as processed: it is ignored until it changes. Returns `false` if the limit is reached.
    pub(super) fn settle(&mut self, record: &Record) -> bool {
        self.owed.remove(&record.path);
        self.known.reported(record)
    }

    /// Records a processed file, so that it is not reported after a restart.
    pub(super) fn write_down(&mut self, record: Record) {
        if self.state.is_some() {
            self.unsaved.push(record);
        }
    }

    /// Records an incomplete file, so that it is inspected after a restart, and reported if its content is new.
    pub(super) fn write_down_waiting(&mut self, path: &Path) {
        let record = Record::waited_for(path, self.known.hash(path));
        self.write_down(record);
    }

    /// Records a complete file whose find was not delivered, so that it is reported after a restart.
    pub(super) fn write_down_unheard(&mut self, path: &Path) {
        self.write_down(Record::waited_for(path, None));
    }

    /// Writes unsaved records to the state file.
    pub(super) fn save(&mut self) -> Option<Notice> {
        let state = self.state.as_mut().filter(|_| !self.unsaved.is_empty())?;
        match state.add(&self.unsaved) {
            Ok(()) => {
                self.unsaved.clear();
                self.told = false;
                None
            }
            Err(error) => {
                self.unsaved.truncate(MAX_UNSAVED);
                let notice = Notice::NotRemembered { reason: error.to_string() };
                (!std::mem::replace(&mut self.told, true)).then_some(notice)
            }
        }
    }
}
