//! The next steps, where they depend on the operating system or the game.

use gametape_games::{Game, ace, iracing};

use super::facts::System;

/// A game is running, but its shared memory is not found. Returns the finding and the next step.
pub(super) fn no_memory(game: &Game, system: System) -> (String, String) {
    let name = game.name;
    match (system, game.id == iracing::GAME.id) {
        (System::Linux, true) => (
            format!("{name} is running, but its memory is not in /dev/shm: Wine does not expose it, and simapi does not bridge iRacing"),
            "set irsdkEnableMem=1 in iRacing's app.ini and start a bridge for IRSDKMemMapFileName before the sim; without one, \
             import the .ibt files (`gametape watch --game iracing`)"
                .into(),
        ),
        (_, true) => (
            format!("{name} is running, but has no telemetry memory: it is switched off"),
            "set irsdkEnableMem=1 in app.ini (Documents/iRacing) and restart the sim".into(),
        ),
        (System::Linux, false) if game.id == ace::GAME.id => (
            format!("{name} is running, but its memory is not in /dev/shm: Wine does not expose it without a bridge"),
            "start a bridge for acevo_pmf_physics, acevo_pmf_graphics and acevo_pmf_static before the game; \
             simapi's acbridge.exe supports the older names only"
                .into(),
        ),
        (System::Linux, false) => (
            format!("{name} is running, but its memory is not in /dev/shm: Wine does not expose it without a bridge"),
            format!("exit {name}, start a bridge (simd of simapi, or acbridge.exe of simshmbridge in the game's prefix), then start {name} again: the bridge must be started first"),
        ),
        (_, false) => (
            format!("{name} is running, but has no telemetry memory yet"),
            format!("wait until {name} has started; if this does not change, start it as the same user as gametape"),
        ),
    }
}

/// A game is running, but nothing is written to its shared memory.
pub(super) fn not_written(game: &Game, system: System) -> String {
    let name = game.name;
    match system {
        System::Linux => format!(
            "exit {name}, check that the bridge runs in the game's prefix, then start {name} again: a bridge that is started after the game has no effect. \
             Without a bridge, remove these files from /dev/shm: gametape then reads the memory of {name} in Wine"
        ),
        _ => format!("wait until {name} has started; if this does not change, restart it"),
    }
}

/// Nothing was found.
pub(super) fn start_a_game(system: System, prefixed: bool) -> String {
    match (prefixed, system) {
        (true, _) => "start a program that uses these names (`gametape demo` prints its own), or leave out --names to look for real games".into(),
        (_, System::Linux) => {
            "start a game and drive. A game in Wine or Proton needs no bridge; if one is running (simd of simapi, simshmbridge), it is used. \
             `gametape demo` needs no game"
                .into()
        }
        _ => "start a game and drive. `gametape demo` needs no game".into(),
    }
}
