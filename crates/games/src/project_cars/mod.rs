//! Project CARS: a page of shared memory (see [`automobilista_2`](crate::automobilista_2)), and UDP packets, which Automobilista 2 can also send ("UDP Protocol Version: Project CARS 1").
//!
//! The game broadcasts one large telemetry packet per tick to port 5606, and packets with names every few seconds. All of them begin with the
//! build number, a byte with type and sequence number, and are little endian without padding. Tables, signs of accelerations, and the order of
//! wheels were checked against a capture of the game.
//!
//! Project CARS 2 and Automobilista 2 send other packets to the same port: [`automobilista_2`](crate::automobilista_2). The engine is the same, so
//! both use the states in `states` and the laps of other cars in `lap_history`.
mod cars;
mod decode;
pub(crate) mod lap_history;
mod laps;
pub(crate) mod rules;
pub(crate) mod states;
mod tables;
mod telemetry;

use crate::automobilista_2::memory::{self, SHARED_MEMORY};
use crate::capture::{CopyRule, Transport};
use crate::proof::Proof;
use crate::registry::{Game, Layouts, SharedMemory, Stream};
use rules::ProjectCarsRules;

/// The registry entry.
pub const GAME: Game = Game {
    id: "project-cars",
    name: "Project CARS",
    aliases: &["pcars", "pcars1"],
    streams: &[
        PAGE,
        stream(PARTICIPANTS, Layouts::Built(tables::participants), 1),
        stream(MORE_PARTICIPANTS, Layouts::Built(tables::more_participants), 1),
        stream(TELEMETRY, Layouts::Built(tables::telemetry), 3),
    ],
    processes: &["pCARS64.exe", "pCARS.exe"],
    default_hz: None,
    rules: &ProjectCarsRules,
    shared_memory: SharedMemory { running_flag: Some((SHARED_MEMORY, 8)), ..SharedMemory::STREAMS_ONLY },
    setup: "in the game, Options > System: Shared Memory on, in Automobilista 2 Project CARS 1; or UDP on, UDP Frequency 1 (fastest) to 9; in Automobilista 2 UDP Protocol Version Project CARS 1",
    proven: Proof::SomeRealBytes("all UDP packets; not the page of shared memory"),
};

/// The page of shared memory. It has no sequence number.
pub const PAGE: Stream = Stream {
    name: SHARED_MEMORY,
    layouts: Layouts::Built(memory::first_game_layouts),
    transport: Transport::SharedMemory { section: "$pcars$", section_bytes: 8192 },
    copy_rule: CopyRule::TwoEqualCopies,
    play_rank: 1,
};

/// The port to which all games of the engine send.
pub(crate) const PORT: u16 = 5606;

/// Names of the streams.
const TELEMETRY: &str = "telemetry";
const PARTICIPANTS: &str = "participants";
const MORE_PARTICIPANTS: &str = "more-participants";

const fn stream(name: &'static str, layouts: Layouts, play_rank: u8) -> Stream {
    Stream {
        name,
        layouts,
        transport: Transport::Udp { port: PORT, broadcast: true },
        copy_rule: CopyRule::Whole,
        play_rank,
    }
}
