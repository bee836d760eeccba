//! The game of `live`: the simulated car in shared memory, at the rates of the real game, until standard input ends.

use std::io::{Read as _, Write as _};

use anyhow::Result;
use clap::Args;
use gametape::capture::StopFlag;
use gametape::simulated_car::live::{GameClock, LiveGame};
use gametape::simulated_car::{Script, Settings, Simulation};

use super::prefix;

/// Printed once the pages exist.
pub(super) const READY: &str = "ready";

/// Where the pages go.
#[derive(Debug, Args)]
pub(crate) struct GameArgs {
    /// Prefix of the page names
    names: String,
}

/// Returns the drive, the same each time. Its session never ends, so any duration results in one tape.
pub(super) fn drive() -> Simulation {
    Simulation::driving(Settings { session_ms: None, ..Settings::default() }, Script::new())
}

/// Runs until standard input ends, which also happens when the parent is gone.
pub(crate) fn run(args: &GameArgs) -> Result<()> {
    let mut game = LiveGame::start(&prefix(&args.names)?, drive())?;
    let stop = StopFlag::default();
    let wanted = stop.clone();
    std::thread::spawn(move || {
        let _ = std::io::stdin().read_to_end(&mut Vec::new());
        wanted.stop();
    });
    println!("{READY}");
    std::io::stdout().flush()?;
    let clock = GameClock::in_real_time(1.0);
    game.run(&clock, &stop, |_| true)?;
    game.stop(&clock)?;
    Ok(())
}
