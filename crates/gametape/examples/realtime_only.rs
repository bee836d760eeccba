//! A shift light: frames as they come, and no file. Ends with the game.
//!
//! `cargo run --example realtime_only`, then drive. Without the game: give the prefix that `gametape demo` prints.
#![allow(clippy::print_stdout)]
use gametape::{Capture, acc};

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let prefix = std::env::args().nth(1).unwrap_or_default();
    let capture = Capture::new().names(&prefix).source(acc::physics()).realtime_only().start()?;

    // Waits for each frame. With `.on(…)` instead, the frames come to a callback on a thread of its own.
    for (t, p) in capture.frames::<acc::Physics>()? {
        let bar = "#".repeat((p.rpms / 500).clamp(0, 20) as usize);
        let shift = if p.rpms > 7000 { "SHIFT" } else { "" };
        println!("{:7.2} s {bar:20} {shift}", t.as_secs_f32());
    }
    Ok(())
}
