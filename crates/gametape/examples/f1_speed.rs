//! Records F1 25 over UDP and prints the speed of the car. All other supported games on the network work in the same way.
//!
//! `cargo run --example f1_speed -- 127.0.0.1:20777`
#![allow(clippy::print_stdout)]
use gametape::capture::UdpSettings;
use gametape::{Capture, games::f1};

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let address = std::env::args().nth(1).ok_or("which address and port?")?;
    let capture = Capture::new()
        .source(&f1::F1_25)
        .udp(UdpSettings { usual_ports: false, listen: vec![address.parse()?], ..UdpSettings::default() })
        .on_sample(|t, sample| {
            if let Some(speed_kmh) = sample.speed_kmh {
                println!("{t:.1?} {speed_kmh:.0} km/h");
            }
        })
        .start()?;
    println!("{} tapes", capture.wait()?.tapes.len());
    Ok(())
}
