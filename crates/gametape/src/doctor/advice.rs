//! The next steps, where they depend on the system or the game.

use gametape_games::{Game, ace, iracing};

use super::facts::System;

/// A game runs, and its memory is nowhere.
pub(super) fn no_memory(game: &Game, system: System) -> (String, String) {
    let name = game.name;
    match (system, game.id == iracing::GAME.id) {
        (System::Linux, true) => (
            format!("{name} runs, but its memory is not in /dev/shm: Wine keeps it to itself, and simapi does not carry iRacing's"),
            "set irsdkEnableMem=1 in iRacing's app.ini and start a bridge for IRSDKMemMapFileName before the sim; without one, \
             import the .ibt files (`gametape watch --game iracing`)"
                .into(),
        ),
        (_, true) => (
            format!("{name} runs, but has no telemetry memory: it is switched off"),
            "set irsdkEnableMem=1 in app.ini (Documents/iRacing) and start the sim again".into(),
        ),
        (System::Linux, false) if game.id == ace::GAME.id => (
            format!("{name} runs, but its memory is not in /dev/shm: Wine keeps it to itself until a bridge carries it out"),
            "start a bridge that carries acevo_pmf_physics, acevo_pmf_graphics and acevo_pmf_static before the game; \
             simapi's acbridge.exe carries the older names only"
                .into(),
        ),
        (System::Linux, false) => (
            format!("{name} runs, but its memory is not in /dev/shm: Wine keeps it to itself until a bridge carries it out"),
            format!("end {name}, start a bridge (simd of simapi, or acbridge.exe of simshmbridge in the game's prefix), then start {name} again: the bridge has to be there first"),
        ),
        (_, false) => (
            format!("{name} runs, but has no telemetry memory yet"),
            format!("wait until {name} has started; if it stays so, start it as the same user as gametape"),
        ),
    }
}

/// A game runs, and nothing is written to the memory that is there.
pub(super) fn not_written(game: &Game, system: System) -> String {
    let name = game.name;
    match system {
        System::Linux => format!(
            "end {name}, check that the bridge runs in the game's prefix, then start {name} again: a bridge that comes after the game is not used. \
             Without a bridge, remove these files from /dev/shm: gametape then reads what {name} has in Wine"
        ),
        _ => format!("wait until {name} has started; if it stays so, start it again"),
    }
}

/// Nothing at all was found.
pub(super) fn start_a_game(system: System, prefixed: bool) -> String {
    match (prefixed, system) {
        (true, _) => "start what uses these names (`gametape demo` prints its own), or leave out --names to look for real games".into(),
        (_, System::Linux) => {
            "start a game and drive. A game in Wine or Proton needs no bridge; one that is there (simd of simapi, simshmbridge) is used. \
             `gametape demo` needs no game"
                .into()
        }
        _ => "start a game and drive. `gametape demo` needs no game".into(),
    }
}
