//! A game that sends datagrams: a source of your own. HTTP and TCP look the same, with another call inside `read`.
//!
//! `cargo run --example udp_game -- 127.0.0.1:9999`
#![allow(clippy::print_stdout)]
use std::io::ErrorKind::{TimedOut, WouldBlock};
use std::net::UdpSocket;
use std::time::Duration;

use gametape::Capture;
use gametape::capture::{Batch, Clock, Description, Pace, Source, SourceError, State};
use gametape::games::Presence;

struct MyGame(UdpSocket);

impl Source for MyGame {
    fn pace(&self) -> Pace {
        Pace::Source // `read` waits itself, but not longer than a tenth of a second
    }

    fn read(&mut self, clock: &dyn Clock, batch: &mut Batch) -> Result<State, SourceError> {
        if batch.described() == 0 {
            let mut description = Description::of_game("my-udp-game");
            description.rows("car", "udp");
            batch.describe(description);
        }
        let mut datagram = [0; 2048];
        match self.0.recv(&mut datagram) {
            Ok(length) => batch.frame(0, clock.now_ns(), &datagram[..length]),
            Err(error) if matches!(error.kind(), WouldBlock | TimedOut) => {}
            Err(source) => return Err(SourceError::Io { what: "the socket".into(), source }),
        }
        Ok(State::Here(Presence::Live))
    }
}

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let address = std::env::args().nth(1).ok_or("which address and port?")?;
    let socket = UdpSocket::bind(address)?;
    socket.set_read_timeout(Some(Duration::from_millis(100)))?;
    println!("listening on {}", socket.local_addr()?);

    let capture = Capture::new()
        .source(MyGame(socket))
        .on_bytes("car", |t, bytes| println!("{t:.1?} {} bytes", bytes.len()))
        .start()?;
    println!("{} tapes", capture.wait()?.tapes.len());
    Ok(())
}
