//! Replays as they are saved: a callback for each file that is complete. Ctrl+C ends it.
//!
//! `cargo run --example replay_folder`, then play Rocket League. Without the game: give a folder with replays of any game.
#![allow(clippy::print_stdout)]
use gametape::watch::{Folder, Watch};
use gametape::{Capture, rocket_league};

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let replays = match std::env::args().nth(1) {
        Some(folder) => Watch::new().folder(Folder::of_any_game(folder)).existing(),
        None => rocket_league::replays(),
    };
    // Beside other sources: `.source(acc::physics()).source(replays)`. Without `.realtime_only()`, a tape lists what was found.
    let capture = Capture::new()
        .source(replays)
        .realtime_only()
        .on_file(|found| println!("{}: {} bytes", found.path.display(), found.bytes))
        .start()?;
    capture.wait()?;
    Ok(())
}
