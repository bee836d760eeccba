//! Listens to folders. Takes which ones, gives [`Signal`](super::signals::Signal)s of them.
//!
//! Linux listens to each folder by itself, and tells when it goes. Windows listens to a whole tree by a handle of its top folder, and says
//! nothing when that is removed, renamed, or made anew: so there somebody has to ask now and then ([`Ears::have_lost`]).

use std::collections::HashMap;
use std::path::{Path, PathBuf};

use notify::{RecommendedWatcher, RecursiveMode, Watcher};

use super::signals::{Sender, Translator};

/// Whether the system listens to whole trees, by the folder on top.
const TREES: bool = cfg!(not(any(target_os = "linux", target_os = "android")));

/// Listens to folders.
#[derive(Debug)]
pub(super) struct Ears {
    watcher: Option<RecommendedWatcher>,
    /// The tops of trees. To listen to one of them again would take another handle, and tell everything twice.
    trees: HashMap<PathBuf, Tree>,
}

/// A tree that is listened to.
#[derive(Debug, PartialEq, Eq)]
struct Tree {
    recursive: bool,
    top: Option<Identity>,
}

impl Ears {
    /// With no ears, folders are looked at again and again.
    pub(super) fn new(sender: Sender) -> Self {
        let mut translator = Translator::new(sender);
        let handler = move |event: notify::Result<notify::Event>| translator.translate(event);
        Self { watcher: notify::recommended_watcher(handler).ok(), trees: HashMap::new() }
    }

    /// Hears nothing.
    pub(super) fn deaf() -> Self {
        Self { watcher: None, trees: HashMap::new() }
    }

    /// Whether the system tells when a writer closes a file.
    pub(super) fn hear_closing(&self) -> bool {
        cfg!(any(target_os = "linux", target_os = "android")) && self.watcher.is_some()
    }

    /// Listens to a folder; again does no harm. `top` is the folder that was asked for: where the system listens to whole trees, the
    /// folders below it need nothing. On Linux each folder is listened to by itself, before it is read: so no file is missed in between.
    pub(super) fn listen(&mut self, folder: &Path, top: bool, recursive: bool) -> Result<(), Deaf> {
        let watcher = self.watcher.as_mut().ok_or(Deaf::NoEvents)?;
        if !TREES {
            return watcher.watch(folder, RecursiveMode::NonRecursive).map_err(Deaf::Refused);
        }
        if !top {
            return Ok(());
        }
        let mut tree = Tree { recursive, top: identity(folder) };
        if let Some(before) = self.trees.remove(folder) {
            // Two may have asked for it, one of them for all below.
            tree.recursive |= before.recursive;
            if before == tree {
                self.trees.insert(folder.into(), tree);
                return Ok(());
            }
            let _ = watcher.unwatch(folder);
        }
        let mode = if tree.recursive { RecursiveMode::Recursive } else { RecursiveMode::NonRecursive };
        watcher.watch(folder, mode).map_err(Deaf::Refused)?;
        self.trees.insert(folder.into(), tree);
        Ok(())
    }

    /// Whether the system may leave out that a folder is gone.
    pub(super) const fn have_to_ask() -> bool {
        TREES
    }

    /// Whether a folder that is listened to is no longer the one of that name. Where the system tells that by itself: no.
    pub(super) fn have_lost(&self, folder: &Path) -> bool {
        self.trees.get(folder).is_some_and(|tree| identity(folder) != tree.top)
    }

    /// Stops listening to a folder that is gone: should it be somewhere else now, that is not our business.
    pub(super) fn forget(&mut self, folder: &Path) {
        let listens = !TREES || self.trees.remove(folder).is_some();
        if let Some(watcher) = self.watcher.as_mut().filter(|_| listens) {
            // It may have ended by itself.
            let _ = watcher.unwatch(folder);
        }
    }
}

#[cfg(windows)]
type Identity = crate::sys::FolderIdentity;
#[cfg(not(windows))]
type Identity = ();

/// The folder of this name; `None` if there is none, or if that cannot be told.
fn identity(folder: &Path) -> Option<Identity> {
    #[cfg(windows)]
    return crate::sys::FolderIdentity::of(folder).ok();
    #[cfg(not(windows))]
    folder.is_dir().then_some(())
}

/// Why a folder is not listened to.
#[derive(Debug, thiserror::Error)]
pub(super) enum Deaf {
    /// There are no events here.
    #[error("there are no events to listen to")]
    NoEvents,
    /// Most often there are too many watched folders.
    #[error("the system refused events ({0})")]
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
        let mut ears = Ears::new(signals.sender());
        (0..5).for_each(|_| ears.listen(root.path(), true, true).unwrap());
        let (first, last) = (root.path().join("first"), root.path().join("last"));
        std::fs::create_dir(&first).unwrap();
        std::fs::create_dir(&last).unwrap();
        let mut told = Vec::new();
        while !told.contains(&Signal::Changed(last.clone())) {
            told.push(signals.wait(Duration::from_secs(60)).unwrap());
        }
        // Were there others who listen, they would come now.
        while let Some(more) = signals.wait(Duration::from_millis(300)) {
            told.push(more);
        }
        assert_eq!(told, [Signal::Changed(first), Signal::Changed(last)]);
    }
}
