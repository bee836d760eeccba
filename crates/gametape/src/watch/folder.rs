//! A folder to watch: its path, and which files and folders in it are finds.

use std::path::{Component, Path, PathBuf};
use std::time::Duration;

use super::error::WatchError;
use super::games::{Beside, REPLAY_GAMES, ReplayGame, ReplayItem, Replays};
use super::pattern::Pattern;

/// A folder to watch. It need not exist yet.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Folder {
    pub(super) path: PathBuf,
    /// Patterns of the folders below, one for each level: only files below such folders match.
    pub(super) below: Vec<Pattern>,
    pub(super) patterns: Vec<Pattern>,
    pub(super) recursive: bool,
    /// Subfolders that are one find each.
    pub(super) match_folders: Vec<MatchFolder>,
    pub(super) beside: Vec<Beside>,
    pub(super) game: Option<String>,
    pub(super) settle: Option<Duration>,
}

/// Subfolders that are one find each.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct MatchFolder {
    pub(super) name: Pattern,
    /// Whether files are added while the match goes on.
    pub(super) grows: bool,
}

impl Folder {
    /// Creates a folder in which all files match, unless a [`pattern`](Self::pattern) is added.
    pub fn new(path: impl Into<PathBuf>) -> Self {
        Self {
            path: path.into(),
            below: Vec::new(),
            patterns: Vec::new(),
            recursive: false,
            match_folders: Vec::new(),
            beside: Vec::new(),
            game: None,
            settle: None,
        }
    }

    /// Creates a folder with the patterns and quiet period of a game from the table.
    pub fn of_game(path: impl Into<PathBuf>, game: &ReplayGame) -> Result<Self, WatchError> {
        let folder = game.replays.iter().fold(Self::new(path), Self::with);
        let all = game.replays.iter().any(|replays| replays.patterns.is_empty());
        let patterns = if all && folder.patterns.is_empty() { Vec::new() } else { folder.patterns };
        Ok(Self { patterns, game: Some(game.id.into()), settle: Some(Duration::from_millis(game.settle_ms)), ..folder })
    }

    /// Creates a folder, with subfolders, for the replays of all games in the table whose names are known.
    pub fn of_any_game(path: impl Into<PathBuf>) -> Self {
        let all = REPLAY_GAMES.iter().flat_map(|game| game.replays).filter(|replays| !replays.patterns.is_empty());
        Self { recursive: true, ..all.fold(Self::new(path), Self::with) }
    }

    /// Creates a folder for one kind of replay. The path may end with patterns.
    pub(super) fn of_replays(path: &Path, below: &str, game: &ReplayGame, replays: &Replays) -> Self {
        let mut parts = below.split('/');
        let plain: Vec<&str> = parts.clone().take_while(|part| !part.contains('*')).collect();
        let start = plain.iter().fold(path.to_owned(), |path, part| path.join(part));
        let below = parts.by_ref().skip(plain.len()).map(Pattern::of_table).collect();
        Self {
            below,
            game: Some(game.id.into()),
            settle: Some(Duration::from_millis(game.settle_ms)),
            ..Self::new(start).with(replays)
        }
    }

    fn with(mut self, replays: &Replays) -> Self {
        for pattern in replays.patterns {
            let pattern = Pattern::of_table(pattern);
            if !self.patterns.contains(&pattern) {
                self.patterns.push(pattern);
            }
        }
        self.recursive |= replays.recursive;
        match replays.item {
            ReplayItem::File => {}
            ReplayItem::FileWith(beside) => self.beside.extend(beside),
            ReplayItem::Folder { name, grows } => {
                self.match_folders.push(MatchFolder { name: Pattern::of_table(name), grows });
            }
        }
        self
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

    /// Returns the folders that exist now: the folder itself or, if it is one of several (`Demos*`), those that fit.
    pub fn existing(&self) -> Vec<PathBuf> {
        let mut found = vec![self.path.clone()];
        found.retain(|path| path.is_dir());
        for pattern in &self.below {
            let inside = |path: &PathBuf| std::fs::read_dir(path).into_iter().flatten().flatten();
            let fitting = found.iter().flat_map(inside).filter(|entry| pattern.fits(&entry.file_name()));
            found = fitting.map(|entry| entry.path()).filter(|path| path.is_dir()).collect();
            found.sort();
        }
        found
    }

    /// Returns its path with the patterns of the folders below, to show to the user.
    pub fn full_path(&self) -> PathBuf {
        self.below.iter().fold(self.path.clone(), |path, part| path.join(part.to_string()))
    }

    /// Returns whether folders below this one matter.
    pub(super) fn is_deep(&self) -> bool {
        self.recursive || !self.below.is_empty() || !self.match_folders.is_empty()
    }

    /// Returns what a path belongs to: a file that matches, the file beside which it is, or the folder of a match. `None` if it is not part of
    /// a find. `is_folder` says what is at the path.
    pub(super) fn find_of(&self, path: &Path, is_folder: bool) -> Option<PathBuf> {
        let (mut item, mut depth) = (self.path.clone(), 0);
        let mut names = path.strip_prefix(&self.path).ok()?.components().peekable();
        while let Some(Component::Normal(name)) = names.next() {
            item.push(name);
            let is_last = names.peek().is_none();
            if is_last && !is_folder {
                break;
            }
            if !self.enters(depth, name) {
                return None;
            }
            if self.is_match_folder(depth, name) {
                return Some(item);
            }
            depth += 1;
        }
        if is_folder || depth < self.below.len() || item == self.path {
            return None;
        }
        match self.main_of(path) {
            Some(main) => Some(main),
            None => self.name_fits(path).then(|| path.to_owned()),
        }
    }

    /// Returns whether a folder is this one, or a subfolder that matters.
    pub(super) fn covers_folder(&self, folder: &Path) -> bool {
        let Ok(below) = folder.strip_prefix(&self.path) else { return false };
        let mut inside = false;
        below.components().enumerate().all(|(depth, part)| {
            let enters = inside || self.enters(depth, part.as_os_str());
            inside |= self.is_match_folder(depth, part.as_os_str());
            enters
        })
    }

    /// Returns the kind of match folder that this path is, if it is one.
    pub(super) fn match_folder(&self, item: &Path) -> Option<&MatchFolder> {
        let name = item.file_name()?;
        self.match_folders.iter().find(|shape| shape.name.fits(name))
    }

    /// Returns the files that belong to a file, whether they exist or not.
    pub(super) fn files_beside(&self, main: &Path) -> impl Iterator<Item = (PathBuf, &Beside)> {
        let extension = main.extension().unwrap_or_default().to_owned();
        let of = move |beside: &&Beside| extension.eq_ignore_ascii_case(beside.of);
        self.beside.iter().filter(of).map(|beside| (main.with_extension(beside.extension), beside))
    }

    pub(super) fn name_fits(&self, path: &Path) -> bool {
        let Some(name) = path.file_name() else { return false };
        self.patterns.is_empty() || self.patterns.iter().any(|pattern| pattern.fits(name))
    }

    /// Returns the file that this one is beside, if that one exists.
    fn main_of(&self, path: &Path) -> Option<PathBuf> {
        let name = path.file_name()?.to_str()?;
        self.beside.iter().find_map(|beside| {
            let stem_bytes = name.len().checked_sub(beside.extension.len() + 1)?;
            let (stem, ending) = (name.get(..stem_bytes)?, name.get(stem_bytes..)?);
            let is_it = ending.strip_prefix('.').is_some_and(|ending| ending.eq_ignore_ascii_case(beside.extension));
            let main = path.with_file_name(format!("{stem}.{}", beside.of));
            (is_it && self.name_fits(&main) && main.is_file()).then_some(main)
        })
    }

    fn enters(&self, depth: usize, name: &std::ffi::OsStr) -> bool {
        match self.below.get(depth) {
            Some(pattern) => pattern.fits(name),
            None => self.recursive || self.is_match_folder(depth, name),
        }
    }

    fn is_match_folder(&self, depth: usize, name: &std::ffi::OsStr) -> bool {
        depth >= self.below.len() && self.match_folders.iter().any(|shape| shape.name.fits(name))
    }
}

#[cfg(test)]
mod tests {
    use super::super::games::find_replay_game;
    use super::*;

    fn counts(folder: &Folder, path: &str) -> bool {
        folder.find_of(Path::new(path), false).is_some_and(|item| item == Path::new(path))
    }

    #[test]
    fn files_count_by_place_and_name() {
        let flat = Folder::new("/a").pattern("*.rec").unwrap().pattern("*.ibt").unwrap();
        for (path, is_find) in
            [("/a/x.rec", true), ("/a/x.IBT", true), ("/a/x.txt", false), ("/a/b/x.rec", false), ("/ab/x.rec", false)]
        {
            assert_eq!(counts(&flat, path), is_find, "{path}");
        }
        let deep = Folder::new("/a").recursive();
        for (path, is_find) in [("/a/x", true), ("/a/b/c/x", true), ("/ab/x", false), ("/", false)] {
            assert_eq!(counts(&deep, path), is_find, "{path}");
        }
    }

    #[test]
    fn folders_on_the_way_fit_their_patterns() {
        let game = find_replay_game("sc2").unwrap();
        let folder =
            Folder::of_replays(Path::new("/d"), "StarCraft II/Accounts/*/*-S2-*/Replays", game, &game.replays[0]);
        assert_eq!(folder.path(), Path::new("/d/StarCraft II/Accounts"));
        assert_eq!(folder.full_path(), Path::new("/d/StarCraft II/Accounts/*/*-S2-*/Replays"));
        for (below, is_find) in [
            ("1/2-S2-1-3/Replays/a.SC2Replay", true),
            ("1/2-S2-1-3/Replays/Multiplayer/a.SC2Replay", true),
            ("1/2-S2-1-3/replays/VersusAI/x/a.sc2replay", true),
            ("1/2-S2-1-3/Other/a.SC2Replay", false),
            ("1/2/Replays/a.SC2Replay", false),
            ("1/a.SC2Replay", false),
            ("a.SC2Replay", false),
        ] {
            let path = folder.path().join(below);
            assert_eq!(folder.find_of(&path, false).is_some(), is_find, "{below}");
            let covered = folder.covers_folder(path.parent().unwrap());
            assert!(covered || !is_find, "{below}");
        }
        assert!(!folder.covers_folder(&folder.path().join("1/2-S2-1-3/Other")));
        assert!(!folder.covers_folder(Path::new("/d/StarCraft II")));
    }

    #[test]
    fn a_match_folder_is_one_find_with_everything_in_it() {
        let r6 = Folder::of_game("/m", find_replay_game("r6").unwrap()).unwrap();
        let item = Some(PathBuf::from("/m/Match-2026-01-02_03-04-05-1"));
        for path in ["", "/Match-2026-01-02_03-04-05-1-R01.rec", "/other.txt", "/deep/er"] {
            let path = PathBuf::from(format!("/m/Match-2026-01-02_03-04-05-1{path}"));
            assert_eq!(r6.find_of(&path, true), item, "{}", path.display());
            assert!(r6.covers_folder(&path));
        }
        assert_eq!(
            r6.find_of(Path::new("/m/Match-1.rec"), false),
            Some("/m/Match-1.rec".into()),
            "a file is not a folder"
        );
        assert_eq!(r6.find_of(Path::new("/m/kept/Match-1/R01.rec"), false), Some("/m/kept/Match-1".into()));
        assert_eq!(r6.find_of(Path::new("/m/kept"), true), None);
        let pubg = Folder::of_game("/p", find_replay_game("pubg").unwrap()).unwrap();
        assert_eq!(pubg.find_of(Path::new("/p/match.bro.x/data/1"), false), Some("/p/match.bro.x".into()));
        assert!(pubg.covers_folder(Path::new("/p/match.bro.x/data")) && !pubg.covers_folder(Path::new("/p/other")));
        assert_eq!(pubg.find_of(Path::new("/p/other/PUBG.replayinfo"), false), None, "subfolders do not count");
    }

    #[test]
    fn a_file_beside_another_belongs_to_it() {
        let root = tempfile::tempdir().unwrap();
        let (main, beside) = (root.path().join("a.b.ld"), root.path().join("a.b.ldx"));
        let folder = Folder::of_game(root.path(), find_replay_game("acc").unwrap()).unwrap();
        assert_eq!(folder.find_of(&beside, false), None, "alone it is not a replay");
        std::fs::File::create_new(&main).unwrap();
        assert_eq!(folder.find_of(&beside, false), Some(main.clone()));
        assert_eq!(folder.files_beside(&main).map(|(path, _)| path).collect::<Vec<_>>(), [beside]);
        let demos = Folder::of_any_game(root.path());
        let demo = root.path().join("match730_1.dem");
        std::fs::File::create_new(&demo).unwrap();
        assert_eq!(demos.find_of(&root.path().join("match730_1.dem.info"), false), Some(demo));
    }
}
