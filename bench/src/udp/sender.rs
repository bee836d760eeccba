//! The sender of the flood.

use std::net::{SocketAddr, UdpSocket};
use std::time::{Duration, Instant};

use anyhow::Result;
use clap::Args;
use gametape::sys::{sleep_until, wake_exactly};
use serde::{Deserialize, Serialize};

use super::traffic::Traffic;

/// How often datagrams are sent, many at once.
const STEP: Duration = Duration::from_millis(1);

/// What to send where.
#[derive(Debug, Args)]
pub(crate) struct SenderArgs {
    /// The receiver
    to: SocketAddr,
    /// Datagrams per second
    #[arg(long)]
    rate: u64,
    /// Duration in seconds
    #[arg(long)]
    seconds: u64,
}

/// What was sent.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub(crate) struct Sent {
    pub(crate) datagrams: u64,
    pub(crate) bytes: u64,
    pub(crate) seconds: f64,
}

/// Sends, and prints what was sent. If the system was busy, what is due is sent at once.
pub(crate) fn run(args: &SenderArgs) -> Result<()> {
    let mut traffic = Traffic::new(args.rate)?;
    let socket = UdpSocket::bind("127.0.0.1:0")?;
    socket.connect(args.to)?;
    wake_exactly();
    let (start, all) = (Instant::now(), args.rate * args.seconds);
    let (mut number, mut bytes) = (0, 0);
    let mut next = start;
    while number < all {
        let due = u64::try_from(start.elapsed().as_nanos() * u128::from(args.rate) / 1_000_000_000)? + 1;
        while number < due.min(all) {
            bytes += socket.send(traffic.datagram(number))? as u64;
            number += 1;
        }
        next = (next + STEP).max(Instant::now());
        sleep_until(next);
    }
    let sent = Sent { datagrams: number, bytes, seconds: start.elapsed().as_secs_f64() };
    println!("{}", serde_json::to_string(&sent)?);
    Ok(())
}
