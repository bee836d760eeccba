//! The configured folders, their state, and when to scan them next. Some file systems report no changes: their folders are polled.

use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use super::folder::Folder;
use super::found::Notice;
use super::setup::{SETTLE, Setup};
use super::watcher::FileWatcher;

/// The configured folders.
#[derive(Debug)]
pub(super) struct Roots(Vec<Root>);

#[derive(Debug)]
struct Root {
    folder: Folder,
    settle: Duration,
    presence: Presence,
    next_scan: Instant,
    /// When to check its identity, on systems that do not report its removal.
    next_to_ask: Instant,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Presence {
    /// Not scanned yet.
    New,
    Missing,
    /// Watched by file system events.
    Heard,
    /// Polled.
    LookedAt,
}

impl Root {
    fn has_to_be_asked(&self) -> bool {
        FileWatcher::must_poll() && self.presence == Presence::Heard
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

    /// Returns the find that a path is part of, and the first folder that includes it.
    pub(super) fn find_of(&self, path: &Path, is_folder: bool) -> Option<(usize, PathBuf)> {
        let finds = self.0.iter().enumerate().map(|(root, of)| (root, of.folder.find_of(path, is_folder)));
        finds.into_iter().find_map(|(root, find)| find.map(|find| (root, find)))
    }

    /// Returns the first folder that is, or includes, this folder.
    pub(super) fn of_folder(&self, path: &Path) -> Option<usize> {
        self.0.iter().position(|root| root.folder.covers_folder(path))
    }

    pub(super) fn folder(&self, root: usize) -> Option<&Folder> {
        self.0.get(root).map(|root| &root.folder)
    }

    pub(super) fn settle(&self, root: usize) -> Duration {
        self.0.get(root).map_or(SETTLE, |root| root.settle)
    }

    /// Returns whether the folder was never scanned: its files then existed before the watch.
    pub(super) fn is_new(&self, root: usize) -> bool {
        self.0.get(root).is_some_and(|root| root.presence == Presence::New)
    }

    pub(super) fn due(&self, now: Instant) -> Option<usize> {
        self.0.iter().position(|root| root.next_scan <= now)
    }

    pub(super) fn next_due(&self) -> Option<Instant> {
        self.0.iter().map(|root| root.next_scan).min()
    }

    /// Returns a folder whose identity is due to be checked, and schedules its next check.
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

    /// Handles the removal of a path. Returns whether it was one of the folders.
    pub(super) fn gone(&mut self, path: &Path, next_scan: Instant) -> bool {
        let mut any = false;
        for root in self.0.iter_mut().filter(|root| root.folder.path == path && root.presence != Presence::Missing) {
            root.presence = Presence::Missing;
            root.next_scan = next_scan;
            any = true;
        }
        any
    }

    /// Handles a scan that found no folder.
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

    /// Handles a completed scan. `deaf` is the reason why the folder, or one below, cannot be watched.
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
        // Limits scans to a small part of the time, however large the folder is.
        root.next_scan = now + every.max(took.saturating_mul(20));
        let before = std::mem::replace(&mut root.presence, presence);
        (before != presence).then(|| Notice::Watching { folder: root.folder.path.clone(), looking_because })
    }

    /// Handles a subfolder that cannot be watched: the folder is polled.
    pub(super) fn cannot_watch(&mut self, root: usize, reason: String, next_scan: Instant) -> Option<Notice> {
        let root = self.0.get_mut(root)?;
        root.next_scan = root.next_scan.min(next_scan);
        let before = std::mem::replace(&mut root.presence, Presence::LookedAt);
        let folder = root.folder.path.clone();
        (before != Presence::LookedAt).then_some(Notice::Watching { folder, looking_because: Some(reason) })
    }
}

/// Returns the name of the file system if its folders must be polled.
#[cfg(target_os = "linux")]
pub(super) fn silent_file_system(folder: &Path) -> Option<&'static str> {
    let statistics = rustix::fs::statfs(folder).ok()?;
    // The constants of the kernel's `magic.h`. The type of the field differs between architectures.
    #[allow(clippy::cast_possible_truncation, clippy::cast_sign_loss, clippy::unnecessary_cast)]
    match statistics.f_type as u32 {
        0x6969 => Some("NFS"),
        0x517b | 0xff53_4d42 | 0xfe53_4d42 => Some("a Windows share"),
        0x0102_1997 => Some("a 9P share"),
        0x6573_5546 => Some("FUSE"),
        0x00c3_6400 => Some("Ceph"),
        0x5346_414f => Some("AFS"),
        _ => None,
    }
}

/// Not detected on other platforms; the periodic rescan finds unreported changes.
#[cfg(not(target_os = "linux"))]
pub(super) fn silent_file_system(_folder: &Path) -> Option<&'static str> {
    None
}
