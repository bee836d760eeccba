//! What a watch was asked for.

use std::path::{Path, PathBuf};
use std::time::Duration;

use super::error::WatchError;
use super::folder::Folder;

/// For how long a file must not change until it is complete, where the game does not say.
pub(super) const SETTLE: Duration = Duration::from_secs(2);
/// How often a folder is looked at that is not there, or of which the system tells nothing.
const LOOK_EVERY: Duration = Duration::from_secs(3);
/// How often a folder is looked at of which the system should tell everything.
const SCAN_EVERY: Duration = Duration::from_secs(60);

/// What a watch was asked for.
#[derive(Debug, Clone)]
pub(super) struct Setup {
    pub(super) folders: Vec<Folder>,
    /// For all folders; else each has its own.
    pub(super) settle: Option<Duration>,
    pub(super) look_every: Duration,
    pub(super) scan_every: Duration,
    pub(super) existing: bool,
    pub(super) polling: bool,
    pub(super) archive: Option<PathBuf>,
    pub(super) tapes: Option<PathBuf>,
    pub(super) state: Option<PathBuf>,
    /// Folders where finds are copied to: no finds of their own.
    pub(super) left_out: Vec<PathBuf>,
}

impl Default for Setup {
    fn default() -> Self {
        Self {
            folders: Vec::new(),
            settle: None,
            look_every: LOOK_EVERY,
            scan_every: SCAN_EVERY,
            existing: false,
            polling: false,
            archive: None,
            tapes: None,
            state: None,
            left_out: Vec::new(),
        }
    }
}

impl Setup {
    /// Checks everything and makes paths absolute: they are remembered, and the current folder may be another one next time.
    pub(super) fn checked(mut self) -> Result<Self, WatchError> {
        if self.folders.is_empty() {
            return Err(WatchError::NoFolder);
        }
        for folder in &mut self.folders {
            folder.path = absolute(&folder.path)?;
            if folder.path.exists() && !folder.path.is_dir() {
                return Err(WatchError::NotAFolder { path: folder.path.clone() });
            }
        }
        for path in [&mut self.archive, &mut self.tapes, &mut self.state].into_iter().flatten() {
            *path = absolute(path)?;
        }
        let kept: Vec<PathBuf> = self.archive.iter().chain(&self.tapes).cloned().collect();
        for path in kept {
            let real = std::fs::canonicalize(&path).unwrap_or_else(|_| path.clone());
            let is_watched = |folder: &Folder| {
                folder.path == path || std::fs::canonicalize(&folder.path).is_ok_and(|folder| folder == real)
            };
            let is_archive = self.archive.as_ref() == Some(&path);
            if self.folders.iter().any(is_watched) {
                // Tapes are no finds unless all files are; copies would be found for ever.
                if is_archive {
                    return Err(WatchError::ArchiveIsWatched { path });
                }
                continue;
            }
            self.left_out.extend([real, path]);
        }
        Ok(self)
    }

    /// Whether a path is where finds are copied to.
    pub(super) fn is_left_out(&self, path: &Path) -> bool {
        self.left_out.iter().any(|folder| path.starts_with(folder))
    }
}

fn absolute(path: &Path) -> Result<PathBuf, WatchError> {
    std::path::absolute(path).map_err(|source| WatchError::Where { path: path.into(), source })
}
