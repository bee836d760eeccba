//! The configuration of a watch.

use std::path::{Path, PathBuf};
use std::time::Duration;

use super::error::WatchError;
use super::folder::Folder;
use crate::documents::real_path;

/// Default quiet period.
pub(super) const SETTLE: Duration = Duration::from_secs(2);
/// Interval for missing and polled folders.
const LOOK_EVERY: Duration = Duration::from_secs(3);
/// Interval of the rescans of folders with file system events.
const SCAN_EVERY: Duration = Duration::from_secs(60);

/// The configuration of a watch.
#[derive(Debug, Clone)]
pub(super) struct Setup {
    pub(super) folders: Vec<Folder>,
    /// Overrides the quiet period of all folders.
    pub(super) settle: Option<Duration>,
    pub(super) look_every: Duration,
    pub(super) scan_every: Duration,
    pub(super) existing: bool,
    pub(super) polling: bool,
    pub(super) archive: Option<PathBuf>,
    pub(super) tapes: Option<PathBuf>,
    pub(super) state: Option<PathBuf>,
    /// Folders that finds are copied to. Their files are not finds.
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
    /// Validates the configuration and makes paths absolute: they are stored, and the current folder may differ next time.
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
        self.spell_alike();
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
                // Tapes match only if all files match; copies would be found endlessly.
                if is_archive {
                    return Err(WatchError::ArchiveIsWatched { path });
                }
                continue;
            }
            self.left_out.extend([real, path]);
        }
        Ok(self)
    }

    /// Spells folders that are the same, through a link, like the first of them: otherwise each find would be reported under each name.
    fn spell_alike(&mut self) {
        let mut known: Vec<(PathBuf, PathBuf)> = Vec::new();
        for folder in &mut self.folders {
            let real = real_path(&folder.path);
            let same = known.iter().find_map(|(other, path)| Some((path, real.strip_prefix(other).ok()?)));
            if let Some((path, below)) = same.filter(|(path, _)| !folder.path.starts_with(path)) {
                folder.path = if below.as_os_str().is_empty() { path.clone() } else { path.join(below) };
            }
            known.push((real, folder.path.clone()));
        }
    }

    /// Returns whether finds are copied to this path.
    pub(super) fn is_left_out(&self, path: &Path) -> bool {
        self.left_out.iter().any(|folder| path.starts_with(folder))
    }
}

fn absolute(path: &Path) -> Result<PathBuf, WatchError> {
    std::path::absolute(path).map_err(|source| WatchError::Where { path: path.into(), source })
}
