//! Two pages of a game, each on a tape of its own with a name of its own.
//!
//! `cargo run --example several_sources`, then drive; Ctrl+C ends it. Without the game: give the prefix that `gametape demo` prints.
#![allow(clippy::print_stdout)]
use gametape::{Capture, acc};

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let prefix = std::env::args().nth(1).unwrap_or_default();

    // `.source` begins a tape, and what follows belongs to it. On one tape: `.source(…).and(…).to("my_race.gtape")`.
    let capture = Capture::new()
        .names(&prefix)
        .source(acc::physics())
        .hz(200)
        .to("my_race/physics.gtape")
        .source(acc::graphics())
        .to("my_race/graphics.gtape")
        .start()?;

    for tape in capture.wait()?.tapes {
        println!("{} frames in {}, lost: {:?}", tape.frames, tape.path.display(), tape.loss.dropped);
    }
    Ok(())
}
