//! A game that gametape has never heard of: its struct, the name of its shared memory, ten lines.
//!
//! The game writes this struct to `/dev/shm/my_game` (Windows: `Local\my_game`).
#![allow(clippy::print_stdout)]
use std::mem::offset_of;

use gametape::games::Kind;
use gametape::{Capture, shared_memory};
use zerocopy::FromBytes;

#[derive(FromBytes)]
#[repr(C)]
struct MyCar {
    _tick: u32,
    gear: i32,
    speed: f32,
}

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let prefix = std::env::args().nth(1).unwrap_or_default();

    let my_game = shared_memory::<MyCar>("my_game")
        .game("my-game")
        .stream("car")
        .hz(60)
        // Named channels are for other tools: `gametape cat --channels speed`.
        .channel("gear", offset_of!(MyCar, gear), Kind::I32, 1, "")
        .channel("speed", offset_of!(MyCar, speed), Kind::F32, 1, "m/s");
    let capture = Capture::new()
        .names(&prefix)
        .source(my_game)
        .on(|t, car: &MyCar| println!("{t:.1?} gear {} {:.1} m/s", car.gear, car.speed))
        .start()?;

    for tape in capture.wait()?.tapes {
        println!("{} frames in {}", tape.frames, tape.path.display());
    }
    Ok(())
}
