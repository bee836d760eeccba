//! What a watch remembers: in memory always, in a state file on request. Takes finds, gives what is known of a file.

use std::collections::HashSet;
use std::path::{Path, PathBuf};

use super::content::ContentHash;
use super::error::WatchError;
use super::found::Notice;
use super::known::{Known, Sight};
use super::record::Record;
use super::stamp::Stamp;
use super::state_file::StateFile;

/// Finds that are not written down, while the state file cannot be written.
const MAX_UNSAVED: usize = 10_000;

/// What a watch remembers.
#[derive(Debug, Default)]
pub(super) struct Memory {
    known: Known,
    state: Option<StateFile>,
    /// Files that were waited for when the watch ended the last time.
    owed: HashSet<PathBuf>,
    unsaved: Vec<Record>,
    told: bool,
}

impl Memory {
    /// Takes over what an earlier watch wrote down.
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

    /// Whether the file is known and not changed.
    pub(super) fn is_unchanged(&self, path: &Path, stamp: Stamp) -> bool {
        self.known.is_unchanged(path, stamp)
    }

    /// The file was there when the watch began: no find, unless an earlier watch waited for it. `None` if there is no room for more.
    pub(super) fn was_there_before(&mut self, path: &Path, stamp: Stamp) -> Option<bool> {
        if self.owed.contains(path) {
            return Some(false);
        }
        (self.is_unchanged(path, stamp) || self.known.there_before(path, stamp)).then_some(true)
    }

    /// What its content makes of a file.
    pub(super) fn sight(&mut self, path: &Path, hash: ContentHash) -> Sight {
        self.known.sight(path, hash)
    }

    /// The file is not looked at again until it changes. `false` if there is no room for more.
    pub(super) fn settle(&mut self, record: &Record) -> bool {
        self.owed.remove(&record.path);
        self.known.reported(record)
    }

    /// The file is done with: a restart does not report it.
    pub(super) fn write_down(&mut self, record: Record) {
        if self.state.is_some() {
            self.unsaved.push(record);
        }
    }

    /// The file is not complete: a restart looks at it, and reports it if its content is new.
    pub(super) fn write_down_waiting(&mut self, path: &Path) {
        let record = Record::waited_for(path, self.known.hash(path));
        self.write_down(record);
    }

    /// The file is complete, but nobody has heard of it: a restart reports it.
    pub(super) fn write_down_unheard(&mut self, path: &Path) {
        self.write_down(Record::waited_for(path, None));
    }

    /// Writes to the state file what is not there yet.
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
