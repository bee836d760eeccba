//! The games whose replay folders are known: a table. A new game is an entry.

use super::error::WatchError;

/// Every game, in the order of their ids.
pub const REPLAY_GAMES: &[ReplayGame] = &[ECHO_VR, IRACING, RAINBOW_SIX_SIEGE, ROCKET_LEAGUE];

/// A game that writes files into a folder when something has ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ReplayGame {
    /// The full name in kebab-case, as in [`gametape_games::GAMES`] where the game is there too.
    pub id: &'static str,
    /// The name as its makers write it.
    pub name: &'static str,
    /// Short names for people.
    pub aliases: &'static [&'static str],
    /// Which files.
    pub patterns: &'static [&'static str],
    /// Whether files are in folders below, too.
    pub recursive: bool,
    /// For how long a file must not change until it is complete. Longer for games that write in bursts.
    pub settle_ms: u64,
    /// The game's number at Steam: it names the Proton prefix.
    pub steam_app: Option<u32>,
    /// Where the folders are.
    pub places: &'static [Place],
}

/// Where a folder is, with `/` between its parts on every system.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Place {
    /// Below the user's documents; under Proton below those of the game's prefix.
    Documents(&'static str),
    /// Below `steamapps/common` of a Steam library.
    SteamCommon(&'static str),
    /// Below the folder for programs on Windows.
    ProgramFiles(&'static str),
}

const ECHO_VR: ReplayGame = ReplayGame {
    id: gametape_games::echo_vr::GAME.id,
    name: gametape_games::echo_vr::GAME.name,
    aliases: gametape_games::echo_vr::GAME.aliases,
    patterns: &["*.echoreplay"],
    recursive: true,
    // Written while the match is played, and packed at its end.
    settle_ms: 5000,
    steam_app: None,
    // The game writes no replays; Spark does, into a folder of its own.
    places: &[Place::Documents("Spark/replays")],
};

const IRACING: ReplayGame = ReplayGame {
    id: gametape_games::iracing::GAME.id,
    name: gametape_games::iracing::GAME.name,
    aliases: gametape_games::iracing::GAME.aliases,
    patterns: &["*.ibt"],
    // Users sort them by car and track.
    recursive: true,
    // Grows for as long as one drives, whenever a buffer is full.
    settle_ms: 5000,
    steam_app: Some(266_410),
    places: &[Place::Documents("iRacing/telemetry")],
};

const RAINBOW_SIX_SIEGE: ReplayGame = ReplayGame {
    id: "rainbow-six-siege",
    name: "Tom Clancy's Rainbow Six Siege",
    aliases: &["r6", "r6s", "siege"],
    patterns: &["*.rec"],
    // A folder for each match, a file for each round. The game keeps a dozen matches and deletes older ones.
    recursive: true,
    settle_ms: 3000,
    steam_app: Some(359_550),
    places: &[
        Place::SteamCommon("Tom Clancy's Rainbow Six Siege/MatchReplay"),
        Place::ProgramFiles("Ubisoft/Ubisoft Game Launcher/games/Tom Clancy's Rainbow Six Siege/MatchReplay"),
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
        Place::Documents("My Games/Rocket League/TAGame/Demos"),
        // What the game makes when it was installed by Epic's launcher.
        Place::Documents("My Games/Rocket League/TAGame/DemosEpic"),
    ],
};

/// The game with this id or alias, in any case of letters.
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
