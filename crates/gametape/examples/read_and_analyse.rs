//! Reads a tape: the same numbers for every game, and a game's own frames as structs.
//!
//! `cargo run --example read_and_analyse -- race.gtape`
#![allow(clippy::print_stdout)]
use gametape::{Tape, acc};

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let path = std::env::args().nth(1).ok_or("which tape?")?;
    let tape = Tape::open(&path)?;

    // Samples have the same words and units for every game; what a game does not say is `None`.
    let mut top_kmh = 0.0_f32;
    let mut full_throttle = 0;
    let mut samples = 0;
    for (_t, sample) in tape.samples()? {
        top_kmh = top_kmh.max(sample.speed_kmh.unwrap_or_default());
        full_throttle += usize::from(sample.throttle.is_some_and(|throttle| throttle > 0.99));
        samples += 1;
    }
    println!("top speed {top_kmh:.1} km/h, full throttle {:.0} %", 100.0 * full_throttle as f32 / samples as f32);

    // Frames are the game's own, with all that it shows.
    let mut hottest = (0.0, Default::default());
    for (t, p) in tape.frames::<acc::Physics>()? {
        let front_left = p.brake_temp[0];
        if front_left > hottest.0 {
            hottest = (front_left, t);
        }
    }
    println!("the front left brake was hottest at {:.1?}: {:.0} °C", hottest.1, hottest.0);
    Ok(())
}
