//! A game of your own that sends structs over UDP: typed callbacks, and a tape with named channels.
//!
//! `cargo run --example udp_packets -- 127.0.0.1:9999`
#![allow(clippy::print_stdout)]
use std::mem::offset_of;

use gametape::{Capture, games::Kind};
use zerocopy::FromBytes;

#[derive(FromBytes)]
#[repr(C)]
struct Telemetry {
    magic: [u8; 4],
    tick: u32,
    speed: f32,
}

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let address = std::env::args().nth(1).ok_or("which address and port?")?;
    let source = gametape::udp(&address)
        .game("my-udp-game")
        .packet::<Telemetry>(|bytes| bytes.starts_with(b"CAR1"))
        .stream("car")
        .channel("speed", offset_of!(Telemetry, speed), Kind::F32, 1, "m/s");
    let capture = Capture::new()
        .source(source)
        .on(|t, car: &Telemetry| println!("{t:.1?} tick {} {} m/s", car.tick, car.speed))
        .start()?;
    println!("listening on {address}");
    println!("{} tapes", capture.wait()?.tapes.len());
    Ok(())
}
