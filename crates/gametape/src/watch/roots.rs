//! The folders that were asked for, and how each of them is watched. Takes what scans saw, gives when to scan next.

use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use super::ears::Ears;
use super::folder::Folder;
use super::found::Notice;
use super::network::silent_file_system;
use super::setup::{SETTLE, Setup};

/// The folders that were asked for.
#[derive(Debug)]
pub(super) struct Roots(Vec<Root>);

#[derive(Debug)]
struct Root {
    folder: Folder,
    settle: Duration,
    presence: Presence,
    next_scan: Instant,
    /// When to ask whether it is still there, if nobody tells.
    next_to_ask: Instant,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Presence {
    /// Not looked at yet.
    New,
    Missing,
    /// The system tells of changes.
    Heard,
    /// It does not.
    LookedAt,
}

impl Root {
    fn has_to_be_asked(&self) -> bool {
        Ears::have_to_ask() && self.presence == Presence::Heard
    }
}

impl Roots {
    pub(super) fn new(setup: &Setup, now: Instant) -> Self {
        let root = |folder: &Folder| Root {
            folder: folder.clone(),
            settle: setup.settle.or(folder.settle).unwrap_or(SETTLE),
            presence: Presence::New,
            next_scan: now,
            next_to_ask: now,
        };
        Self(setup.folders.iter().map(root).collect())
    }

    /// The first folder in which this file counts.
    pub(super) fn of_file(&self, path: &Path) -> Option<usize> {
        self.0.iter().position(|root| root.folder.covers(path))
    }

    /// The first folder that has this folder in it, or is it.
    pub(super) fn of_folder(&self, path: &Path) -> Option<usize> {
        self.0.iter().position(|root| root.folder.covers_folder(Some(path)))
    }

    pub(super) fn folder(&self, root: usize) -> Option<&Folder> {
        self.0.get(root).map(|root| &root.folder)
    }

    pub(super) fn settle(&self, root: usize) -> Duration {
        self.0.get(root).map_or(SETTLE, |root| root.settle)
    }

    /// Whether it was never looked at: then what is in it was there before.
    pub(super) fn is_new(&self, root: usize) -> bool {
        self.0.get(root).is_some_and(|root| root.presence == Presence::New)
    }

    pub(super) fn due(&self, now: Instant) -> Option<usize> {
        self.0.iter().position(|root| root.next_scan <= now)
    }

    pub(super) fn next_due(&self) -> Option<Instant> {
        self.0.iter().map(|root| root.next_scan).min()
    }

    /// A folder of which it is time to ask whether it is still there; then not again for this long.
    pub(super) fn due_to_ask(&mut self, now: Instant, every: Duration) -> Option<PathBuf> {
        let root = self.0.iter_mut().find(|root| root.has_to_be_asked() && root.next_to_ask <= now)?;
        root.next_to_ask = now + every;
        Some(root.folder.path.clone())
    }

    pub(super) fn next_to_ask(&self) -> Option<Instant> {
        self.0.iter().filter(|root| root.has_to_be_asked()).map(|root| root.next_to_ask).min()
    }

    pub(super) fn scan_all_at(&mut self, now: Instant) {
        self.0.iter_mut().for_each(|root| root.next_scan = root.next_scan.min(now));
    }

    /// The system says that something is gone. Whether it was one of the folders.
    pub(super) fn gone(&mut self, path: &Path, next_scan: Instant) -> bool {
        let mut any = false;
        for root in self.0.iter_mut().filter(|root| root.folder.path == path && root.presence != Presence::Missing) {
            root.presence = Presence::Missing;
            root.next_scan = next_scan;
            any = true;
        }
        any
    }

    /// A scan found no folder.
    pub(super) fn missing(&mut self, root: usize, next_scan: Instant) -> Option<Notice> {
        let root = self.0.get_mut(root)?;
        root.next_scan = next_scan;
        let folder = root.folder.path.clone();
        match std::mem::replace(&mut root.presence, Presence::Missing) {
            Presence::New => Some(Notice::WaitingFor { folder }),
            Presence::Missing => None,
            Presence::Heard | Presence::LookedAt => Some(Notice::FolderGone { folder }),
        }
    }

    /// A scan went through the folder; `deaf` says why it, or one below, is not listened to.
    pub(super) fn scanned(
        &mut self,
        root: usize,
        deaf: Option<String>,
        took: Duration,
        now: Instant,
        setup: &Setup,
    ) -> Option<Notice> {
        let root = self.0.get_mut(root)?;
        let silent = || silent_file_system(&root.folder.path).map(|name| format!("it is on {name}"));
        let looking_because = deaf.or_else(silent);
        let (presence, every) = match looking_because {
            None => (Presence::Heard, setup.scan_every),
            Some(_) => (Presence::LookedAt, setup.look_every),
        };
        // However large the folder is, scans take a small part of the time.
        root.next_scan = now + every.max(took.saturating_mul(20));
        let before = std::mem::replace(&mut root.presence, presence);
        (before != presence).then(|| Notice::Watching { folder: root.folder.path.clone(), looking_because })
    }

    /// A folder below cannot be listened to.
    pub(super) fn deaf(&mut self, root: usize, reason: String, next_scan: Instant) -> Option<Notice> {
        let root = self.0.get_mut(root)?;
        root.next_scan = root.next_scan.min(next_scan);
        let before = std::mem::replace(&mut root.presence, Presence::LookedAt);
        let folder = root.folder.path.clone();
        (before != Presence::LookedAt).then_some(Notice::Watching { folder, looking_because: Some(reason) })
    }
}
