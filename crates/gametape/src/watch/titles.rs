//! The table of titles and their replay folders. To support a title, add an entry.
//!
//! Titles without an entry keep no replays on this machine (Apex Legends, Street Fighter 6, Halo Infinite).

use super::games::ReplayLocation::{self, AppData, Documents, Install, LocalAppData, LocalLow, Profile, ProgramFiles};
use super::games::{Beside, ReplayGame, ReplayItem, Replays};

/// All titles, sorted by id.
pub const REPLAY_GAMES: &[ReplayGame] = &[
    ReplayGame {
        id: "age-of-empires-2-de",
        name: "Age of Empires II: Definitive Edition",
        aliases: &["aoe2", "aoe2-de"],
        steam_app: Some(813_780),
        settle_ms: 5000,
        replays: &[Replays {
            kind: Some("aoe2-record"),
            ..Replays::files(&["*.aoe2record"], &[Profile("Games/Age of Empires 2 DE/*/savegame")])
        }],
    },
    ReplayGame {
        id: "age-of-empires-2-hd",
        name: "Age of Empires II: HD Edition",
        aliases: &["aoe2-hd"],
        steam_app: Some(221_380),
        settle_ms: 5000,
        replays: &[Replays {
            kind: Some("aoe2-record"),
            ..Replays::files(&["*.aoe2record"], &[Install { folder: "Age2HD", below: "SaveGame" }])
        }],
    },
    ReplayGame {
        id: "age-of-empires-4",
        name: "Age of Empires IV",
        aliases: &["aoe4"],
        steam_app: Some(1_466_860),
        settle_ms: 5000,
        // Names without extension; `temp.rec` is the game that is running, and is written again by the next one.
        replays: &[Replays::files(
            &["AgeIV_Replay_*", "temp.rec"],
            &[Documents("My Games/Age of Empires IV/playback")],
        )],
    },
    ReplayGame {
        id: "assetto-corsa",
        name: "Assetto Corsa",
        aliases: &["ac"],
        steam_app: Some(244_210),
        settle_ms: 3000,
        replays: &[Replays {
            recursive: true,
            ..Replays::files(&["*.acreplay"], &[Documents("Assetto Corsa/replay")])
        }],
    },
    ReplayGame {
        id: "assetto-corsa-competizione",
        name: "Assetto Corsa Competizione",
        aliases: &["acc"],
        steam_app: Some(805_550),
        settle_ms: 3000,
        replays: &[
            // Written at the end of a stint. The laps are in the file beside it.
            Replays {
                item: ReplayItem::FileWith(&[Beside { of: "ld", extension: "ldx", expected: true }]),
                kind: Some("ld"),
                ..Replays::files(&["*.ld"], &[Documents("Assetto Corsa Competizione/MoTeC")])
            },
            Replays { recursive: true, ..Replays::files(&[], &[Documents("Assetto Corsa Competizione/Replay")]) },
        ],
    },
    ReplayGame {
        id: "brawlhalla",
        name: "Brawlhalla",
        aliases: &[],
        steam_app: Some(291_550),
        settle_ms: 2000,
        replays: &[Replays::files(&["*.replay"], &[Profile("BrawlhallaReplays")])],
    },
    ReplayGame {
        id: "counter-strike-2",
        name: "Counter-Strike 2",
        aliases: &["cs2"],
        steam_app: Some(730),
        settle_ms: 3000,
        // Own recordings, and downloads, which come with a file of facts.
        replays: &[Replays {
            item: ReplayItem::FileWith(&[Beside { of: "dem", extension: "dem.info", expected: false }]),
            kind: Some("source2-dem"),
            ..Replays::files(
                &["*.dem"],
                &[
                    Install { folder: "Counter-Strike Global Offensive", below: "game/csgo" },
                    Install { folder: "Counter-Strike Global Offensive", below: "game/csgo/replays" },
                ],
            )
        }],
    },
    ReplayGame {
        id: "dota-2",
        name: "Dota 2",
        aliases: &["dota"],
        steam_app: Some(570),
        settle_ms: 3000,
        replays: &[Replays {
            kind: Some("source2-dem"),
            ..Replays::files(&["*.dem"], &[Install { folder: "dota 2 beta", below: "game/dota/replays" }])
        }],
    },
    ReplayGame {
        id: gametape_games::echo_vr::GAME.id,
        name: gametape_games::echo_vr::GAME.name,
        aliases: gametape_games::echo_vr::GAME.aliases,
        steam_app: None,
        // Written during the match, and compressed at its end.
        settle_ms: 5000,
        // The game itself writes no replays. Spark does, to its own folder.
        replays: &[Replays {
            recursive: true,
            kind: Some("echoreplay"),
            ..Replays::files(&["*.echoreplay"], &[Documents("Spark/replays")])
        }],
    },
    ReplayGame {
        id: "f1-22",
        name: "F1 22",
        steam_app: Some(1_692_250),
        replays: &[Replays::files(&["*.frr"], &[Documents("My Games/F1 22/replays")])],
        ..F1
    },
    ReplayGame {
        id: "f1-23",
        name: "F1 23",
        steam_app: Some(2_108_330),
        replays: &[Replays::files(&["*.frr"], &[Documents("My Games/F1 23/replays")])],
        ..F1
    },
    ReplayGame {
        id: "f1-24",
        name: "F1 24",
        steam_app: Some(2_488_620),
        replays: &[Replays::files(&["*.frr"], &[Documents("My Games/F1 24/replays")])],
        ..F1
    },
    ReplayGame {
        id: "f1-25",
        name: "F1 25",
        steam_app: Some(3_059_520),
        replays: &[Replays::files(&["*.frr"], &[Documents("My Games/F1 25/replays")])],
        ..F1
    },
    ReplayGame {
        id: "fortnite",
        name: "Fortnite",
        aliases: &["fn"],
        steam_app: None,
        settle_ms: 5000,
        // Written during the match. The game deletes the oldest that the user has not saved.
        replays: &[Replays {
            kind: Some("fortnite-replay"),
            ..Replays::files(&["*.replay"], &[LocalAppData("FortniteGame/Saved/Demos")])
        }],
    },
    ReplayGame {
        id: "halo-mcc",
        name: "Halo: The Master Chief Collection",
        aliases: &["mcc"],
        steam_app: Some(976_730),
        settle_ms: 3000,
        replays: &[
            Replays {
                keeps: Some(12),
                ..Replays::files(&["*.mov", "*.film"], &[LocalLow("MCC/Temporary/*/autosave")])
            },
            Replays::files(&["*.mov", "*.film"], &[LocalLow("MCC/UserContent/*/Movie")]),
        ],
    },
    ReplayGame {
        id: gametape_games::iracing::GAME.id,
        name: gametape_games::iracing::GAME.name,
        aliases: gametape_games::iracing::GAME.aliases,
        steam_app: Some(266_410),
        // Grows during the whole drive, whenever a buffer is full.
        settle_ms: 5000,
        // Users sort them by car and track.
        replays: &[
            Replays {
                recursive: true,
                kind: Some("ibt"),
                ..Replays::files(&["*.ibt"], &[Documents("iRacing/telemetry")])
            },
            Replays { recursive: true, ..Replays::files(&["*.rpy"], &[Documents("iRacing/replay")]) },
            Replays { recursive: true, ..Replays::files(&["*.olap", "*.blap"], &[Documents("iRacing/lapfiles")]) },
        ],
    },
    ReplayGame {
        id: "le-mans-ultimate",
        name: "Le Mans Ultimate",
        aliases: &["lmu"],
        steam_app: Some(2_399_420),
        settle_ms: 3000,
        replays: &[Replays::files(&["*.vcr"], &[Install { folder: "Le Mans Ultimate", below: "UserData/Replays" }])],
    },
    ReplayGame {
        id: "league-of-legends",
        name: "League of Legends",
        aliases: &["lol"],
        steam_app: None,
        settle_ms: 2000,
        replays: &[Replays {
            kind: Some("rofl"),
            ..Replays::files(&["*.rofl"], &[Documents("League of Legends/Replays")])
        }],
    },
    ReplayGame {
        id: "maniaplanet",
        name: "ManiaPlanet",
        aliases: &["mp"],
        steam_app: Some(228_760),
        settle_ms: 2000,
        replays: &[trackmania(&[Documents("ManiaPlanet/Replays")])],
    },
    ReplayGame {
        id: "osu",
        name: "osu!",
        aliases: &[],
        steam_app: None,
        settle_ms: 2000,
        // Exports of osu! stable, its internal replays, and exports of osu!lazer.
        replays: &[Replays {
            kind: Some("osr"),
            ..Replays::files(
                &["*.osr"],
                &[LocalAppData("osu!/Replays"), LocalAppData("osu!/Data/r"), AppData("osu/exports")],
            )
        }],
    },
    ReplayGame {
        id: "overwatch-2",
        name: "Overwatch 2",
        aliases: &["ow2"],
        steam_app: Some(2_357_570),
        settle_ms: 5000,
        // Videos of highlights. Replays are on the game's servers.
        replays: &[Replays::files(&["*.mp4"], &[Documents("Overwatch/videos/overwatch")])],
    },
    ReplayGame {
        id: "pubg",
        name: "PUBG: Battlegrounds",
        aliases: &[],
        steam_app: Some(578_080),
        settle_ms: 3000,
        replays: &[Replays {
            item: ReplayItem::Folder { name: "match.*", grows: false },
            keeps: Some(20),
            kind: Some("pubg-replay"),
            ..Replays::files(&["PUBG.replayinfo"], &[LocalAppData("TslGame/Saved/Demos")])
        }],
    },
    ReplayGame {
        id: "rainbow-six-siege",
        name: "Tom Clancy's Rainbow Six Siege",
        aliases: &["r6", "r6s", "siege"],
        steam_app: Some(359_550),
        settle_ms: 3000,
        // One file for each round. A match is deleted when a new one is recorded, or when a replay is watched.
        replays: &[Replays {
            recursive: true,
            item: ReplayItem::Folder { name: "Match-*", grows: true },
            keeps: Some(12),
            kind: Some("r6-rec"),
            ..Replays::files(
                &["*.rec"],
                &[
                    Install { folder: "Tom Clancy's Rainbow Six Siege", below: "MatchReplay" },
                    ProgramFiles("Ubisoft/Ubisoft Game Launcher/games/Tom Clancy's Rainbow Six Siege/MatchReplay"),
                ],
            )
        }],
    },
    ReplayGame {
        id: "rfactor-2",
        name: "rFactor 2",
        aliases: &["rf2"],
        steam_app: Some(365_960),
        settle_ms: 3000,
        replays: &[Replays::files(&["*.vcr"], &[Install { folder: "rFactor 2", below: "UserData/Replays" }])],
    },
    ReplayGame {
        id: "rocket-league",
        name: "Rocket League",
        aliases: &["rl"],
        steam_app: Some(252_950),
        settle_ms: 2000,
        // `Demos` with Steam, `DemosEpic` with Epic's launcher.
        replays: &[Replays {
            kind: Some("replay"),
            ..Replays::files(&["*.replay"], &[Documents("My Games/Rocket League/TAGame/Demos*")])
        }],
    },
    ReplayGame {
        id: "starcraft-2",
        name: "StarCraft II",
        aliases: &["sc2"],
        steam_app: None,
        settle_ms: 2000,
        // By account, then by region and realm, then by kind of game.
        replays: &[Replays {
            recursive: true,
            kind: Some("sc2-replay"),
            ..Replays::files(&["*.SC2Replay"], &[Documents("StarCraft II/Accounts/*/*/Replays")])
        }],
    },
    ReplayGame {
        id: "tekken-8",
        name: "Tekken 8",
        aliases: &[],
        steam_app: Some(1_778_820),
        settle_ms: 3000,
        replays: &[Replays { recursive: true, ..Replays::files(&[], &[LocalAppData("TEKKEN 8/Saved/SaveGames")]) }],
    },
    ReplayGame {
        id: "trackmania",
        name: "Trackmania",
        aliases: &["tm"],
        steam_app: Some(2_225_070),
        settle_ms: 2000,
        replays: &[trackmania(&[Documents("Trackmania/Replays")])],
    },
    ReplayGame {
        id: "trackmania-turbo",
        name: "Trackmania Turbo",
        aliases: &["tm-turbo"],
        steam_app: None,
        settle_ms: 2000,
        replays: &[trackmania(&[Documents("TrackmaniaTurbo/Replays")])],
    },
    ReplayGame {
        id: "valorant",
        name: "Valorant",
        aliases: &[],
        steam_app: None,
        settle_ms: 3000,
        // The game deletes old ones.
        replays: &[Replays::files(&["*.vrf"], &[LocalAppData("VALORANT/Saved/Demos")])],
    },
    ReplayGame {
        id: "warcraft-3",
        name: "Warcraft III",
        aliases: &["w3", "wc3"],
        steam_app: None,
        settle_ms: 2000,
        // `TempReplay.w3g` is the game that is running. `LastReplay.w3g` is written again some seconds after each game.
        replays: &[Replays {
            recursive: true,
            kind: Some("w3g"),
            ..Replays::files(&["*.w3g"], &[Documents("Warcraft III/BattleNet/*/Replays")])
        }],
    },
];

const F1: ReplayGame = ReplayGame { id: "", name: "", aliases: &[], steam_app: None, settle_ms: 2000, replays: &[] };

/// Replays and ghosts, with those of the game itself in `Autosaves`: one for each map, written again with each better time.
const fn trackmania(places: &'static [ReplayLocation]) -> Replays {
    Replays { recursive: true, kind: Some("gbx"), ..Replays::files(&["*.Replay.Gbx", "*.Ghost.Gbx"], places) }
}
