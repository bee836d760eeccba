//! The file watcher: subscribes to folders and sends their events as [`Signal`](super::signals::Signal)s.
//!
//! On Linux, each folder is watched separately, and its removal is reported. On Windows, a whole tree is watched through a handle of its
//! top folder, and nothing is reported when that folder is removed, renamed or recreated. So its identity must be checked periodically
//! ([`FileWatcher::has_lost`]).

use std::collections::HashMap;
use std::path::{Path, PathBuf};

use notify::{RecommendedWatcher, RecursiveMode, Watcher};

use super::signals::{Sender, Translator};

/// Whether the system watches whole trees by their top folder.
const TREES: bool = cfg!(not(any(target_os = "linux", target_os = "android")));

/// The file watcher.
#[derive(Debug)]
pub(super) struct FileWatcher {
    watcher: Option<RecommendedWatcher>,
    /// The watched trees, by top folder. Watching a tree twice would open another handle and report every event twice.
    trees: HashMap<PathBuf, Tree>,
}

/// A watched tree.
#[derive(Debug, PartialEq, Eq)]
struct Tree {
    recursive: bool,
    top: Option<Identity>,
}

impl FileWatcher {
    /// Creates a watcher. If the system provides none, folders are polled.
    pub(super) fn new(sender: Sender) -> Self {
        let mut translator = Translator::new(sender);
        let handler = move |event: notify::Result<notify::Event>| translator.translate(event);
        Self { watcher: notify::recommended_watcher(handler).ok(), trees: HashMap::new() }
    }

    /// Creates a watcher without events.
    pub(super) fn disabled() -> Self {
        Self { watcher: None, trees: HashMap::new() }
    }

    /// Returns whether the system reports that a writer has closed a file.
    pub(super) fn reports_close(&self) -> bool {
        cfg!(any(target_os = "linux", target_os = "android")) && self.watcher.is_some()
    }

    /// Watches a folder. Idempotent. `top` marks the folder that the user named: on systems that watch whole trees, the folders below it
    /// need no watch. On Linux, each folder is watched before it is read, so that no file is missed in between.
    pub(super) fn listen(&mut self, folder: &Path, top: bool, recursive: bool) -> Result<(), CannotWatch> {
        let watcher = self.watcher.as_mut().ok_or(CannotWatch::NoEvents)?;
        if !TREES {
            return watcher.watch(folder, RecursiveMode::NonRecursive).map_err(CannotWatch::Refused);
        }
        if !top {
            return Ok(());
        }
        let mut tree = Tree { recursive, top: identity(folder) };
        if let Some(before) = self.trees.remove(folder) {
            // Two folders of the configuration may be the same, one of them recursive.
            tree.recursive |= before.recursive;
            if before == tree {
                self.trees.insert(folder.into(), tree);
                return Ok(());
            }
            let _ = watcher.unwatch(folder);
        }
        let mode = if tree.recursive { RecursiveMode::Recursive } else { RecursiveMode::NonRecursive };
        watcher.watch(folder, mode).map_err(CannotWatch::Refused)?;
        self.trees.insert(folder.into(), tree);
        Ok(())
    }

    /// Returns whether the system may fail to report that a folder is gone.
    pub(super) const fn must_poll() -> bool {
        TREES
    }

    /// Returns whether the path of a watched folder now refers to a different folder, or to none. Always `false` on systems that report
    /// this.
    pub(super) fn has_lost(&self, folder: &Path) -> bool {
        self.trees.get(folder).is_some_and(|tree| identity(folder) != tree.top)
    }

    /// Stops watching a folder that is gone. It may still exist under another path.
    pub(super) fn forget(&mut self, folder: &Path) {
        let listens = !TREES || self.trees.remove(folder).is_some();
        if let Some(watcher) = self.watcher.as_mut().filter(|_| listens) {
            // The watch may have ended by itself.
            let _ = watcher.unwatch(folder);
        }
    }
}

#[cfg(windows)]
type Identity = crate::sys::FolderIdentity;
#[cfg(not(windows))]
type Identity = ();

/// Returns the identity of the folder at this path; `None` if there is none, or it cannot be determined.
fn identity(folder: &Path) -> Option<Identity> {
    #[cfg(windows)]
    return crate::sys::FolderIdentity::of(folder).ok();
    #[cfg(not(windows))]
    folder.is_dir().then_some(())
}

/// Why a folder cannot be watched.
#[derive(Debug, thiserror::Error)]
pub(super) enum CannotWatch {
    /// No file watcher is available.
    #[error("file system events are not available")]
    NoEvents,
    /// Most often, the limit of watched folders is reached.
    #[error("the system refused to watch it ({0})")]
    Refused(notify::Error),
}

#[cfg(all(test, windows))]
mod tests {
    use super::super::signals::{Signal, Signals};
    use super::*;
    use std::time::Duration;

    #[test]
    fn a_folder_that_is_listened_to_again_tells_everything_once() {
        let root = tempfile::tempdir().unwrap();
        let signals = Signals::new();
        let mut watcher = FileWatcher::new(signals.sender());
        (0..5).for_each(|_| watcher.listen(root.path(), true, true).unwrap());
        let (first, last) = (root.path().join("first"), root.path().join("last"));
        std::fs::create_dir(&first).unwrap();
        std::fs::create_dir(&last).unwrap();
        let mut told = Vec::new();
        while !told.contains(&Signal::Changed(last.clone())) {
            told.push(signals.wait(Duration::from_secs(60)).unwrap());
        }
        // Duplicate events would arrive now.
        while let Some(more) = signals.wait(Duration::from_millis(300)) {
            told.push(more);
        }
        assert_eq!(told, [Signal::Changed(first), Signal::Changed(last)]);
    }
}
