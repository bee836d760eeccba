//! The games whose replay folders are known, as a table. To support a game, add an entry.

use super::error::WatchError;

/// All games, sorted by id.
pub const REPLAY_GAMES: &[ReplayGame] = &[ECHO_VR, IRACING, RAINBOW_SIX_SIEGE, ROCKET_LEAGUE];

/// A game that writes a file to a folder when a match or session ends.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ReplayGame {
    /// The full name in kebab-case; the same as in [`gametape_games::GAMES`] if the game is listed there.
    pub id: &'static str,
    /// The official name.
    pub name: &'static str,
    /// Short names.
    pub aliases: &'static [&'static str],
    /// Patterns of its files.
    pub patterns: &'static [&'static str],
    /// Whether subfolders are included.
    pub recursive: bool,
    /// The quiet period, in milliseconds. Longer for games that write in bursts.
    pub settle_ms: u64,
    /// The Steam app id, which names the Proton prefix.
    pub steam_app: Option<u32>,
    /// The possible folders.
    pub places: &'static [ReplayLocation],
}

/// The location of a folder, with `/` as the separator on every system.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ReplayLocation {
    /// Below the user's documents; under Proton, below those of the game's prefix.
    Documents(&'static str),
    /// Below `steamapps/common` of a Steam library.
    SteamCommon(&'static str),
    /// Below the Program Files folder on Windows.
    ProgramFiles(&'static str),
}

const ECHO_VR: ReplayGame = ReplayGame {
    id: gametape_games::echo_vr::GAME.id,
    name: gametape_games::echo_vr::GAME.name,
    aliases: gametape_games::echo_vr::GAME.aliases,
    patterns: &["*.echoreplay"],
    recursive: true,
    // Written during the match, and compressed at its end.
    settle_ms: 5000,
    steam_app: None,
    // The game itself writes no replays. Spark does, to its own folder.
    places: &[ReplayLocation::Documents("Spark/replays")],
};

const IRACING: ReplayGame = ReplayGame {
    id: gametape_games::iracing::GAME.id,
    name: gametape_games::iracing::GAME.name,
    aliases: gametape_games::iracing::GAME.aliases,
    patterns: &["*.ibt"],
    // Users sort them by car and track.
    recursive: true,
    // Grows during the whole drive, whenever a buffer is full.
    settle_ms: 5000,
    steam_app: Some(266_410),
    places: &[ReplayLocation::Documents("iRacing/telemetry")],
};

const RAINBOW_SIX_SIEGE: ReplayGame = ReplayGame {
    id: "rainbow-six-siege",
    name: "Tom Clancy's Rainbow Six Siege",
    aliases: &["r6", "r6s", "siege"],
    patterns: &["*.rec"],
    // One folder per match, one file per round. The game keeps a dozen matches and deletes older ones.
    recursive: true,
    settle_ms: 3000,
    steam_app: Some(359_550),
    places: &[
        ReplayLocation::SteamCommon("Tom Clancy's Rainbow Six Siege/MatchReplay"),
        ReplayLocation::ProgramFiles("Ubisoft/Ubisoft Game Launcher/games/Tom Clancy's Rainbow Six Siege/MatchReplay"),
    ],
};

const ROCKET_LEAGUE: ReplayGame = ReplayGame {
    id: "rocket-league",
    name: "Rocket League",
    aliases: &["rl"],
    patterns: &["*.replay"],
    recursive: false,
    settle_ms: 2000,
    steam_app: Some(252_950),
    places: &[
        ReplayLocation::Documents("My Games/Rocket League/TAGame/Demos"),
        // Created by the game if it was installed with Epic's launcher.
        ReplayLocation::Documents("My Games/Rocket League/TAGame/DemosEpic"),
    ],
};

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
            assert!(!game.places.is_empty() && !game.patterns.is_empty(), "{}", game.id);
            assert!(game.patterns.iter().all(|pattern| Pattern::new(pattern).is_ok()), "{}", game.id);
            assert!((1000..60_000).contains(&game.settle_ms), "{}", game.id);
        }
        assert_eq!(find_replay_game("RL").unwrap().id, "rocket-league");
        let unknown = find_replay_game("pong").unwrap_err().to_string();
        assert!(unknown.contains("pong") && unknown.contains("rocket-league"), "{unknown}");
    }
}
