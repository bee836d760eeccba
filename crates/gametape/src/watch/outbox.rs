//! The queue of events for the caller.

use std::collections::{HashSet, VecDeque};
use std::path::{Path, PathBuf};

use super::found::{Found, Notice, WatchEvent};
use super::record::Record;

/// Maximum number of paths with notices. Each path is reported once; further paths are not reported.
const MAX_TOLD: usize = 1000;

/// The event queue.
#[derive(Debug, Default)]
pub(super) struct Outbox {
    queue: VecDeque<(WatchEvent, Option<Record>)>,
    told: HashSet<PathBuf>,
    /// The find that was handed out and is not confirmed yet.
    handed_out: Option<Record>,
}

impl Outbox {
    pub(super) fn found(&mut self, found: Found, record: Record) {
        self.told.remove(&found.path);
        self.queue.push_back((WatchEvent::Found(Box::new(found)), Some(record)));
    }

    pub(super) fn notice(&mut self, notice: Option<Notice>) {
        self.queue.extend(notice.map(|notice| (WatchEvent::Notice(notice), None)));
    }

    /// Queues a notice about a path, unless there was one before.
    pub(super) fn notice_once(&mut self, about: &Path, notice: Notice) {
        if self.told.len() < MAX_TOLD && self.told.insert(about.to_owned()) {
            self.notice(Some(notice));
        }
    }

    pub(super) fn is_empty(&self) -> bool {
        self.queue.is_empty()
    }

    /// Returns the oldest event.
    pub(super) fn take(&mut self) -> Option<WatchEvent> {
        let (event, record) = self.queue.pop_front()?;
        self.handed_out = record;
        Some(event)
    }

    /// Returns the record of the find that was handed out last, once.
    pub(super) fn handed_out(&mut self) -> Option<Record> {
        self.handed_out.take()
    }

    /// Drains the queue and returns the records of undelivered finds.
    pub(super) fn left(&mut self) -> impl Iterator<Item = Record> {
        self.queue.drain(..).filter_map(|(_, record)| record)
    }
}
