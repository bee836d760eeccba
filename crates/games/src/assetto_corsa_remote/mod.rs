//! Assetto Corsa's "remote telemetry": UDP messages for other machines. It is always on, and has less than the shared memory of
//! [`assetto_corsa`](crate::assetto_corsa), which sees the same game on its own machine.
//!
//! The game sends nothing unasked. [`handshake`] has the requests: a handshake, which the game answers with names, and two subscriptions. The
//! table of cars was checked against a capture of the game; the answer to the handshake and the laps were not.
//!
//! | stream | bytes | sent |
//! |---|---:|---|
//! | `handshake` | 408 | once: car, driver, track |
//! | `car` | 328 | about 60 Hz: the player's car |
//! | `lap` | 212 | when any car completes a lap |
mod decode;
pub mod handshake;
mod laps;
mod requests;
pub(crate) mod rules;
mod tables;

use crate::capture::{CopyRule, Transport};
use crate::proof::Proof;
use crate::registry::{Game, Layouts, SharedMemory, Stream};
use rules::RemoteRules;

pub use tables::{CAR_328, HANDSHAKE_408, LAP_212};

/// The registry entry.
pub const GAME: Game = Game {
    id: "assetto-corsa-remote",
    name: "Assetto Corsa (remote telemetry)",
    aliases: &["ac-remote"],
    streams: &[
        stream(HANDSHAKE, Layouts::Tables(tables::HANDSHAKE_LAYOUTS), 0),
        stream(CAR, Layouts::Tables(tables::CAR_LAYOUTS), 3),
        stream(LAP, Layouts::Tables(tables::LAP_LAYOUTS), 3),
    ],
    processes: &[],
    default_hz: None,
    rules: &RemoteRules,
    shared_memory: SharedMemory::STREAMS_ONLY,
    setup: "nothing to set in the game; datagrams are sent only to programs that request them",
    proven: Proof::SomeRealBytes("stream car; handshake and lap were never seen"),
};

/// Names of the streams.
const HANDSHAKE: &str = "handshake";
const CAR: &str = "car";
const LAP: &str = "lap";

/// The game sends to the port that the requests came from, whichever it is.
const fn stream(name: &'static str, layouts: Layouts, play_rank: u8) -> Stream {
    Stream {
        name,
        layouts,
        transport: Transport::Udp { port: 0, broadcast: false },
        copy_rule: CopyRule::Whole,
        play_rank,
    }
}
