//! Records Assetto Corsa Competizione and shows the speed while you drive.
//!
//! `cargo run --example quick_start`, then drive; Ctrl+C ends it. Without the game: start `gametape demo`, and give the prefix that it
//! prints: `cargo run --example quick_start -- PREFIX`.
#![allow(clippy::print_stdout)]
use gametape::acc;

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let prefix = std::env::args().nth(1).unwrap_or_default();

    let capture = gametape::Capture::new()
        .names(&prefix)
        .source(acc::physics())
        .on(|t, p: &acc::Physics| println!("{t:.1?} {:.0} km/h", p.speed_kmh))
        .start()?;
    let summary = capture.wait()?; // until Ctrl+C or the game ends

    for tape in summary.tapes {
        println!("{} frames in {}", tape.frames, tape.path.display());
    }
    Ok(())
}
