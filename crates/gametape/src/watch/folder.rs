//! A folder to watch: its path, and which files match.

use std::path::{Path, PathBuf};
use std::time::Duration;

use super::error::WatchError;
use super::games::ReplayGame;
use super::pattern::Pattern;

/// A folder to watch. It need not exist yet.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Folder {
    pub(super) path: PathBuf,
    pub(super) patterns: Vec<Pattern>,
    pub(super) recursive: bool,
    pub(super) game: Option<String>,
    pub(super) settle: Option<Duration>,
}

impl Folder {
    /// Creates a folder in which all files match, unless a [`pattern`](Self::pattern) is added.
    pub fn new(path: impl Into<PathBuf>) -> Self {
        Self { path: path.into(), patterns: Vec::new(), recursive: false, game: None, settle: None }
    }

    /// Creates a folder with the patterns and quiet period of a game from the table.
    pub fn of_game(path: impl Into<PathBuf>, game: &ReplayGame) -> Result<Self, WatchError> {
        let folder = Self {
            recursive: game.recursive,
            game: Some(game.id.into()),
            settle: Some(Duration::from_millis(game.settle_ms)),
            ..Self::new(path)
        };
        game.patterns.iter().try_fold(folder, |folder, pattern| folder.pattern(pattern))
    }

    /// Adds a pattern of matching files (`*.replay`).
    pub fn pattern(mut self, pattern: &str) -> Result<Self, WatchError> {
        self.patterns.push(Pattern::new(pattern)?);
        Ok(self)
    }

    /// Includes subfolders.
    pub fn recursive(mut self) -> Self {
        self.recursive = true;
        self
    }

    /// Returns its path.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// Returns the id of the game whose files are here, if known.
    pub fn game(&self) -> Option<&str> {
        self.game.as_deref()
    }

    /// Returns the patterns of matching files; empty if all files match.
    pub fn patterns(&self) -> &[Pattern] {
        &self.patterns
    }

    /// Returns whether a file matches by its location and name.
    pub(super) fn covers(&self, path: &Path) -> bool {
        self.covers_folder(path.parent()) && self.name_fits(path)
    }

    /// Returns whether a folder is this one, or a subfolder that is included.
    pub(super) fn covers_folder(&self, folder: Option<&Path>) -> bool {
        folder.is_some_and(|folder| if self.recursive { folder.starts_with(&self.path) } else { folder == self.path })
    }

    fn name_fits(&self, path: &Path) -> bool {
        let Some(name) = path.file_name() else { return false };
        self.patterns.is_empty() || self.patterns.iter().any(|pattern| pattern.fits(name))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn files_count_by_place_and_name() {
        let flat = Folder::new("/a").pattern("*.rec").unwrap().pattern("*.ibt").unwrap();
        for (path, counts) in
            [("/a/x.rec", true), ("/a/x.IBT", true), ("/a/x.txt", false), ("/a/b/x.rec", false), ("/ab/x.rec", false)]
        {
            assert_eq!(flat.covers(Path::new(path)), counts, "{path}");
        }
        let deep = Folder::new("/a").recursive();
        for (path, counts) in [("/a/x", true), ("/a/b/c/x", true), ("/ab/x", false), ("/", false)] {
            assert_eq!(deep.covers(Path::new(path)), counts, "{path}");
        }
    }
}
