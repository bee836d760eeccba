//! What there is to tell, in order, until somebody takes it.

use std::collections::{HashSet, VecDeque};
use std::path::{Path, PathBuf};

use super::found::{Found, Notice, WatchEvent};
use super::record::Record;

/// Notices about single paths that are told once each; more are not told.
const MAX_TOLD: usize = 1000;

/// What there is to tell.
#[derive(Debug, Default)]
pub(super) struct Outbox {
    queue: VecDeque<(WatchEvent, Option<Record>)>,
    told: HashSet<PathBuf>,
    /// A find that was handed out; whoever has it is not done with it yet.
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

    /// Tells something about a path, unless that was told before.
    pub(super) fn notice_once(&mut self, about: &Path, notice: Notice) {
        if self.told.len() < MAX_TOLD && self.told.insert(about.to_owned()) {
            self.notice(Some(notice));
        }
    }

    pub(super) fn is_empty(&self) -> bool {
        self.queue.is_empty()
    }

    /// Hands out what was told first.
    pub(super) fn take(&mut self) -> Option<WatchEvent> {
        let (event, record) = self.queue.pop_front()?;
        self.handed_out = record;
        Some(event)
    }

    /// The find that was handed out last, once.
    pub(super) fn handed_out(&mut self) -> Option<Record> {
        self.handed_out.take()
    }

    /// Finds that nobody took.
    pub(super) fn left(&mut self) -> impl Iterator<Item = Record> {
        self.queue.drain(..).filter_map(|(_, record)| record)
    }
}
