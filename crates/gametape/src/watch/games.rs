//! The titles whose replay folders are known: what the table says about each. [`super::titles`] is the table.

use super::error::WatchError;
pub use super::titles::REPLAY_GAMES;
use crate::import::Kind;

/// A game that writes a file or a folder when a match or session ends.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ReplayGame {
    /// The full name in kebab-case; the same as in [`gametape_games::GAMES`] if the game is listed there.
    pub id: &'static str,
    /// The official name.
    pub name: &'static str,
    /// Short names.
    pub aliases: &'static [&'static str],
    /// The Steam app id, which names the manifest with its install folder, and its Proton prefix.
    pub steam_app: Option<u32>,
    /// The quiet period, in milliseconds. Longer for games that write in bursts.
    pub settle_ms: u64,
    /// Its replays, one entry for each kind.
    pub replays: &'static [Replays],
}

/// One kind of replay of a game.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Replays {
    /// Patterns of its files. Empty if their names are not known: then all files match, and only if the game is asked for.
    pub patterns: &'static [&'static str],
    /// Whether subfolders are included.
    pub recursive: bool,
    /// What one replay consists of.
    pub item: ReplayItem,
    /// How many replays the game keeps before it deletes the oldest; `None` if it keeps all, or if the number is not known.
    pub keeps: Option<u32>,
    /// The [`Kind`] that imports them, by id.
    pub kind: Option<&'static str>,
    /// The possible folders.
    pub places: &'static [ReplayLocation],
}

/// What one replay consists of.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ReplayItem {
    /// A file.
    File,
    /// A file, and files beside it that have the same name with other extensions.
    FileWith(&'static [Beside]),
    /// A folder whose name fits this pattern, with everything in it. One that `grows` has one file for each round of a match, and is
    /// complete when no file was added for five minutes.
    Folder {
        /// Pattern of the folder's name.
        name: &'static str,
        /// Whether files are added during the match.
        grows: bool,
    },
}

/// A file that belongs to another one.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Beside {
    /// Extension of the replay.
    pub of: &'static str,
    /// Extension of the file beside it.
    pub extension: &'static str,
    /// Whether the game always writes it, shortly after the replay.
    pub expected: bool,
}

/// The location of a folder, with `/` as the separator on every system. A part may be a pattern, such as `Demos*`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ReplayLocation {
    /// Below the user's documents; under Proton and Wine, below those of the prefix. The same for the next four.
    Documents(&'static str),
    /// Below `%LOCALAPPDATA%`.
    LocalAppData(&'static str),
    /// Below `%USERPROFILE%\AppData\LocalLow`.
    LocalLow(&'static str),
    /// Below the user's profile: `%USERPROFILE%`.
    Profile(&'static str),
    /// Below the folder of application data: `%APPDATA%`, or `$XDG_DATA_HOME` for games that run on Linux.
    AppData(&'static str),
    /// Below the install folder in a Steam library, as its manifest names it.
    Install {
        /// The usual name of the install folder.
        folder: &'static str,
        /// The folder below it.
        below: &'static str,
    },
    /// Below a Program Files folder.
    ProgramFiles(&'static str),
}

impl Replays {
    /// One file for each replay, with the defaults of the table: no subfolders, nothing deleted, not imported.
    pub(super) const fn files(patterns: &'static [&'static str], places: &'static [ReplayLocation]) -> Self {
        Self { patterns, recursive: false, item: ReplayItem::File, keeps: None, kind: None, places }
    }

    /// Returns whether the content of these files is imported when they are found, or only their name, size and time are known. Folders of
    /// matches are not imported yet, although their files can be.
    pub fn are_read(&self) -> bool {
        let is_file = !matches!(self.item, ReplayItem::Folder { .. });
        is_file && self.kind.is_some_and(|kind| Kind::ids().any(|id| id == kind))
    }
}

impl ReplayGame {
    /// Returns the patterns of all its files.
    pub fn patterns(&self) -> impl Iterator<Item = &'static str> + use<> {
        self.replays.iter().flat_map(|replays| replays.patterns).copied()
    }

    /// Returns whether the content of any of its replays is imported.
    pub fn is_read(&self) -> bool {
        self.replays.iter().any(Replays::are_read)
    }
}

/// Returns the game with this id or alias, ignoring case.
pub fn find_replay_game(id_or_alias: &str) -> Result<&'static ReplayGame, WatchError> {
    let same = |name: &&str| name.eq_ignore_ascii_case(id_or_alias);
    REPLAY_GAMES.iter().find(|game| same(&game.id) || game.aliases.iter().any(same)).ok_or_else(|| {
        let known: Vec<_> = REPLAY_GAMES.iter().map(|game| game.id).collect();
        WatchError::UnknownGame { id: id_or_alias.into(), known: known.join(", ") }
    })
}

#[cfg(test)]
mod tests {
    use super::super::pattern::Pattern;
    use super::*;

    #[test]
    fn ids_are_sorted_kebab_case_and_aliases_belong_to_one_game() {
        assert!(REPLAY_GAMES.is_sorted_by_key(|game| game.id));
        let mut names: Vec<&str> =
            REPLAY_GAMES.iter().flat_map(|game| game.aliases.iter().copied().chain([game.id])).collect();
        for name in &names {
            assert!(name.chars().all(|c| c.is_ascii_lowercase() || c.is_ascii_digit() || c == '-'), "{name}");
        }
        names.sort_unstable();
        let all = names.len();
        names.dedup();
        assert_eq!(names.len(), all);
    }

    #[test]
    fn games_that_are_captured_too_have_the_same_name_there() {
        for game in REPLAY_GAMES {
            for name in game.aliases.iter().copied().chain([game.id]) {
                let captured = gametape_games::find_game(name);
                assert!(captured.is_none_or(|captured| (captured.id, captured.name) == (game.id, game.name)), "{name}");
            }
        }
    }

    #[test]
    fn every_entry_can_be_watched() {
        for game in REPLAY_GAMES {
            assert!(!game.replays.is_empty() && (2000..60_000).contains(&game.settle_ms), "{}", game.id);
            for replays in game.replays {
                assert!(!replays.places.is_empty(), "{}", game.id);
                assert!(replays.patterns.iter().all(|pattern| Pattern::new(pattern).is_ok()), "{}", game.id);
                match replays.item {
                    ReplayItem::File => {}
                    ReplayItem::FileWith(beside) => assert!(beside.iter().all(|beside| beside.of != beside.extension)),
                    ReplayItem::Folder { name, .. } => {
                        assert!(Pattern::new(name).is_ok() && name != "*", "{}", game.id)
                    }
                }
            }
        }
        assert_eq!(find_replay_game("RL").unwrap().id, "rocket-league");
        let unknown = find_replay_game("pong").unwrap_err().to_string();
        assert!(unknown.contains("pong") && unknown.contains("rocket-league"), "{unknown}");
    }

    #[test]
    fn every_title_is_in_the_documentation_with_its_files() {
        let page = include_str!("../../../../docs/watch.md");
        for game in REPLAY_GAMES {
            let row = page.lines().find(|line| line.starts_with("| ") && line.contains(&format!("`{}`", game.id)));
            let row = row.unwrap_or_else(|| panic!("{} is not in docs/watch.md", game.id));
            assert!(game.patterns().all(|pattern| row.contains(&format!("`{pattern}`"))), "{row}");
            let counts = game.replays.iter().filter_map(|replays| replays.keeps);
            assert!(counts.into_iter().all(|keeps| row.contains(&keeps.to_string())), "{row}");
        }
    }

    #[test]
    fn what_is_read_is_told_by_the_list_of_importers() {
        let read: Vec<_> = REPLAY_GAMES.iter().filter(|game| game.is_read()).map(|game| game.id).collect();
        for id in ["dota-2", "fortnite", "iracing", "league-of-legends", "osu", "starcraft-2", "warcraft-3"] {
            assert!(read.contains(&id), "{id}: {read:?}");
        }
        // Every kind is that of an importer, also those of folders, whose files can be imported one by one.
        for replays in REPLAY_GAMES.iter().flat_map(|game| game.replays) {
            let kind = replays.kind.filter(|kind| !["echoreplay", "replay"].contains(kind));
            assert!(kind.is_none_or(|kind| Kind::ids().any(|id| id == kind)), "{kind:?}");
        }
        assert_eq!(find_replay_game("echo-vr").is_ok_and(|game| game.is_read()), cfg!(feature = "echo"));
        assert!(!find_replay_game("r6").unwrap().is_read(), "a folder");
        assert!(!find_replay_game("valorant").unwrap().is_read());
        let unknown = Replays { kind: Some("no-such-kind"), ..Replays::files(&["*.x"], &[]) };
        assert!(!unknown.are_read());
    }
}
