//! The engine of a watch: takes file system signals and the current time, and produces finds and notices.
//!
//! ```text
//!  signals ─┐                    ┌─▶ known and unchanged: ignored
//!           ├─▶ inspect an item ─┤
//!  scans ───┘                    └─▶ Settling ── unchanged ──▶ structure ── whole ──▶ hash ──▶ known content: ignored
//!                                       ▲                         │                    └────▶ archive, tape ──▶ Found ── confirmed ──▶ state file
//!                                       └── something is missing ─┘
//! ```
//! An item is a file, a file with others beside it, or the folder of a match; its path stands for it everywhere.
//! The engine has no clock: the caller passes the time to [`Engine::step`].

use std::path::{Path, PathBuf};
use std::time::Instant;

use super::archive::copy_item;
use super::content::ContentHash;
use super::content::Examined;
use super::error::WatchError;
use super::folder::Folder;
use super::found::{Archive, Found, Notice, WatchEvent};
use super::item::{Item, completeness};
use super::known::Sight;
use super::memory::Memory;
use super::outbox::Outbox;
use super::record::Record;
use super::roots::Roots;
use super::settle::Settling;
use super::setup::Setup;
use super::signals::{Signal, Signals};
use super::signals::{StopHandle, Stopping};
use super::state_file::MAX_RECORDS;
use super::structure::Verdict;
use super::tapes::keep;
use super::walk::{Step as Walked, walk};
use super::watcher::FileWatcher;

/// Maximum number of signals to process before files are inspected.
const SIGNALS_AT_ONCE: usize = 4096;

/// The engine.
pub(super) struct Engine {
    setup: Setup,
    roots: Roots,
    signals: Signals,
    watcher: FileWatcher,
    settling: Settling,
    memory: Memory,
    outbox: Outbox,
    /// Whether files were skipped because too many are pending.
    crowded: bool,
    stopping: Stopping,
}

/// The result of a step.
pub(super) enum Step {
    /// An event to report.
    Event(WatchEvent),
    /// Nothing to do until this time.
    Idle(Instant),
}

impl Engine {
    pub(super) fn new(setup: Setup, now: Instant) -> Result<Self, WatchError> {
        let signals = Signals::new();
        let watcher = if setup.polling { FileWatcher::disabled() } else { FileWatcher::new(signals.sender()) };
        let (memory, notice) = Memory::open(setup.state.as_deref())?;
        let mut outbox = Outbox::default();
        outbox.notice(notice);
        Ok(Self {
            roots: Roots::new(&setup, now),
            setup,
            signals,
            watcher,
            settling: Settling::default(),
            memory,
            outbox,
            crowded: false,
            stopping: Stopping::default(),
        })
    }

    pub(super) fn stop_handle(&self) -> StopHandle {
        StopHandle::new(self.stopping.clone(), self.signals.sender())
    }

    #[cfg(test)]
    pub(super) fn stopping(&self) -> &Stopping {
        &self.stopping
    }

    pub(super) fn is_stop_wanted(&self) -> bool {
        self.stopping.is_wanted()
    }

    /// Does the work that is due, and returns the first event.
    pub(super) fn step(&mut self, now: Instant) -> Step {
        self.outbox.notice(self.memory.save());
        loop {
            if let Some(event) = self.outbox.take() {
                return Step::Event(event);
            }
            for _ in 0..SIGNALS_AT_ONCE {
                let Some(signal) = self.signals.try_next() else { break };
                self.handle(signal, now);
            }
            if self.crowded && self.settling.has_much_room() {
                self.crowded = false;
                self.roots.scan_all_at(now);
            }
            if let Some(root) = self.roots.due(now) {
                self.scan(root, now);
            } else if let Some(path) = self.settling.due(now) {
                self.look_whether_complete(&path, now);
            } else if let Some(folder) = self.roots.due_to_ask(now, self.setup.look_every) {
                if self.watcher.has_lost(&folder) {
                    self.handle(Signal::Gone(folder), now);
                }
            } else if self.outbox.is_empty() {
                let all = [self.settling.next_due(), self.roots.next_due(), self.roots.next_to_ask()];
                let next = all.into_iter().flatten().min();
                return Step::Idle(next.unwrap_or(now + self.setup.scan_every));
            }
            if self.is_stop_wanted() {
                return Step::Idle(now);
            }
        }
    }

    /// Waits for a signal, at most until `until`.
    pub(super) fn wait(&mut self, until: Instant) {
        if let Some(signal) = self.signals.wait(until.saturating_duration_since(Instant::now())) {
            self.handle(signal, Instant::now());
        }
    }

    pub(super) fn handle(&mut self, signal: Signal, now: Instant) {
        match signal {
            Signal::Changed(path) => self.look(&path, now),
            Signal::Written(path) => {
                self.look(&path, now);
                self.settling.written(&self.item_path(&path), self.watcher.reports_close(), now);
            }
            Signal::Closed(path) => {
                self.look(&path, now);
                self.settling.closed(&self.item_path(&path));
            }
            Signal::Arrived(path) => {
                self.look(&path, now);
                self.settling.renamed_into_place(&self.item_path(&path));
            }
            Signal::Renamed { from, to } => {
                if self.roots.find_of(&from, false).is_some() {
                    self.settling.renamed_only(&self.item_path(&to));
                }
            }
            Signal::Gone(path) => {
                let is_match = self.folder_of(&path).is_some_and(|folder| folder.match_folder(&path).is_some());
                if is_match && self.settling.is_pending(&path) {
                    self.outbox.notice(Some(Notice::Lost { path: path.clone() }));
                }
                self.settling.forget_below(&path);
                // Part of an item, which is another one without it.
                self.look(&path, now);
                if self.roots.gone(&path, now + self.setup.look_every) {
                    self.watcher.forget(&path);
                    self.outbox.notice(Some(Notice::FolderGone { folder: path }));
                }
            }
            Signal::Overflow => {
                self.outbox.notice(Some(Notice::Overflow));
                self.roots.scan_all_at(now);
            }
            Signal::Wake => {}
        }
    }

    /// Inspects a file or folder that the system reported.
    fn look(&mut self, path: &Path, now: Instant) {
        if self.setup.is_left_out(path) {
            return;
        }
        let is_folder = path.is_dir();
        if let Some(root) = self.roots.of_folder(path).filter(|_| is_folder) {
            if let Some(reason) = self.go_through(root, path, false, now) {
                self.outbox.notice(self.roots.cannot_watch(root, reason, now + self.setup.look_every));
            }
        } else if let Some((root, find)) = self.roots.find_of(path, is_folder) {
            self.consider(root, &find, false, now);
        }
    }

    /// Adds an item to the pending ones unless it is known and unchanged. An empty file is one that its writer has not begun.
    fn consider(&mut self, root: usize, path: &Path, there_before: bool, now: Instant) {
        let item = match self.roots.folder(root).map(|folder| Item::look(folder, path)) {
            Some(Ok(Some(item))) => item,
            Some(Ok(None)) | None => return self.settling.forget(path),
            Some(Err(error)) => {
                let notice = Notice::Unreadable { path: path.into(), reason: error.to_string() };
                return self.outbox.notice_once(path, notice);
            }
        };
        match there_before.then(|| self.memory.was_there_before(path, item.stamp)) {
            None | Some(Some(false)) => {}
            Some(Some(true)) => return,
            Some(None) => return self.too_many_files(),
        }
        if item.stamp.bytes == 0 || self.memory.is_unchanged(path, item.stamp) {
            self.settling.forget(path);
        } else {
            self.crowded |= !self.settling.seen(path, item.stamp, self.roots.settle(root), now);
        }
    }

    /// Returns the path of the item that a path is part of.
    fn item_path(&self, path: &Path) -> PathBuf {
        self.roots.find_of(path, path.is_dir()).map_or_else(|| path.to_owned(), |(_, find)| find)
    }

    /// Returns the folder that an item is in.
    fn folder_of(&self, item: &Path) -> Option<Folder> {
        let root = self.roots.find_of(item, false).or_else(|| self.roots.find_of(item, true))?.0;
        self.roots.folder(root).cloned()
    }

    fn scan(&mut self, root: usize, now: Instant) {
        let begin = Instant::now();
        let notice = match self.roots.folder(root).map(|folder| folder.path.clone()).filter(|path| path.is_dir()) {
            None => {
                if let Some(folder) = self.roots.folder(root) {
                    self.watcher.forget(&folder.path);
                }
                self.roots.missing(root, now + self.setup.look_every)
            }
            Some(path) => {
                let there_before = self.roots.is_new(root) && !self.setup.existing;
                let deaf = self.go_through(root, &path, there_before, now);
                self.roots.scanned(root, deaf, begin.elapsed(), now, &self.setup)
            }
        };
        self.outbox.notice(notice);
    }

    /// Inspects everything in a folder. Each folder is watched before it is read. Returns the reason if one cannot be watched.
    fn go_through(&mut self, root: usize, start: &Path, there_before: bool, now: Instant) -> Option<String> {
        let folder = self.roots.folder(root)?.clone();
        let left_out = self.setup.left_out.clone();
        let mut deaf = None;
        walk(&folder, start, &left_out, &mut |step| match step {
            Walked::Folder(path) => {
                if let Err(error) = self.watcher.listen(path, path == folder.path, folder.is_deep()) {
                    deaf.get_or_insert(error.to_string());
                }
            }
            Walked::Find(path) => self.consider(root, path, there_before, now),
            Walked::NotEntered(path, notice) => self.outbox.notice_once(path, notice),
        });
        deaf
    }

    /// Checks a file whose quiet period is over.
    fn look_whether_complete(&mut self, path: &Path, now: Instant) {
        let folder = self.roots.find_of(path, path.is_dir()).and_then(|(root, _)| self.roots.folder(root)).cloned();
        let Some(folder) = folder else { return self.settling.forget(path) };
        let item = match Item::look(&folder, path) {
            Ok(Some(item)) => item,
            Ok(None) => return self.settling.forget(path),
            // It changed while it was listed.
            Err(_) => return self.settling.again(path, now),
        };
        if !self.settling.is_complete(path, item.stamp, now) {
            return;
        }
        let verdict = item.verdict(&folder);
        let needed = item.quiet_needed(verdict);
        let quiet = self.settling.quiet_for(path, now).max(item.age());
        if quiet < needed {
            return self.settling.hold(path, now + (needed - quiet));
        }
        match item.examine(&folder, &self.stopping) {
            Examined::Complete(hash) => self.complete(item, verdict, hash, &folder),
            Examined::NotYet => self.settling.again(path, now),
            Examined::Stopped => {}
            Examined::Gone => self.settling.forget(path),
            Examined::Unreadable(error) => {
                self.settling.forget(path);
                self.outbox.notice_once(path, Notice::Unreadable { path: path.into(), reason: error.to_string() });
            }
        }
    }

    /// Handles a complete item: reports it as a find unless its content was reported before.
    fn complete(&mut self, item: Item, verdict: Verdict, hash: ContentHash, folder: &Folder) {
        let record = Record { path: item.path.clone(), stamp: item.stamp, hash: Some(hash) };
        let sight = self.memory.sight(&item.path, hash);
        let kept = match sight {
            Sight::Reported => {
                self.archive_late(&item, hash);
                None
            }
            Sight::New | Sight::Rewritten => match keep(&item, hash, &self.setup, &self.stopping) {
                Some(kept) => Some(kept),
                // Stopped: the item remains pending.
                None => return,
            },
        };
        self.settling.forget(&item.path);
        if !self.memory.settle(&record) {
            self.too_many_files();
        }
        let Some(kept) = kept else { return self.memory.write_down(record) };
        let found = Found {
            path: item.path,
            files: item.files,
            is_folder: item.is_folder,
            completeness: completeness(verdict),
            game: folder.game.clone(),
            kind: kept.kind,
            bytes: item.bytes,
            modified_utc_ns: item.modified_ns,
            hash,
            rewritten: sight == Sight::Rewritten,
            archive: kept.archive,
            import: kept.import,
        };
        self.outbox.found(found, record);
    }

    /// Copies files that were written beside a replay after it was reported.
    fn archive_late(&mut self, item: &Item, hash: ContentHash) {
        let Some(archive) = self.setup.archive.as_ref().filter(|_| !item.is_folder && item.files.len() > 1) else {
            return;
        };
        if let Archive::Failed(error) = copy_item(archive, item, hash, &|| self.stopping.is_wanted()) {
            let reason = format!("not archived: {error}");
            self.outbox.notice_once(&item.path, Notice::Unreadable { path: item.path.clone(), reason });
        }
    }

    /// Records the last find as processed by the caller.
    pub(super) fn confirm(&mut self) {
        if let Some(record) = self.outbox.handed_out() {
            self.memory.write_down(record);
        }
    }

    /// Records that the caller could not use the last find, so that it is reported again after a restart.
    pub(super) fn give_back(&mut self) {
        if let Some(record) = self.outbox.handed_out() {
            self.memory.write_down_unheard(&record.path);
        }
    }

    /// Records what must be inspected after a restart. Returns a notice if that fails.
    pub(super) fn finish(&mut self) -> Option<Notice> {
        for record in self.outbox.left() {
            self.memory.write_down_unheard(&record.path);
        }
        self.settling.paths().for_each(|path| self.memory.write_down_waiting(path));
        self.memory.save()
    }

    fn too_many_files(&mut self) {
        self.outbox.notice_once(Path::new(""), Notice::TooManyFiles { limit: MAX_RECORDS });
    }
}
