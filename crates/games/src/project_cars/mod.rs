//! Project CARS: UDP packets, which Automobilista 2 can also send ("UDP Protocol Version: Project CARS 1").
//!
//! The game broadcasts one large telemetry packet per tick to port 5606, and packets with names every few seconds. All of them begin with the
//! build number, a byte with type and sequence number, and are little endian without padding. Tables, signs of accelerations, and the order of
//! wheels were checked against a capture of the game.
//!
//! Project CARS 2 and Automobilista 2 send other packets to the same port: [`automobilista_2`](crate::automobilista_2). The engine is the same, so
//! both use the states in `states` and describe cars as [`CarState`].
mod cars;
mod decode;
mod laps;
mod rules;
pub(crate) mod states;
mod tables;
mod telemetry;

pub use cars::{CarState, Cars};

use crate::capture::{CopyRule, Transport};
use crate::registry::{Game, Layouts, SharedMemory, Stream};
use rules::ProjectCarsRules;

/// The registry entry.
pub const GAME: Game = Game {
    id: "project-cars",
    name: "Project CARS",
    aliases: &["pcars", "pcars1"],
    streams: &[
        stream(PARTICIPANTS, Layouts::Built(tables::participants), 1),
        stream(MORE_PARTICIPANTS, Layouts::Built(tables::more_participants), 1),
        stream(TELEMETRY, Layouts::Built(tables::telemetry), 3),
    ],
    processes: &[],
    default_hz: None,
    rules: &ProjectCarsRules,
    shared_memory: SharedMemory::STREAMS_ONLY,
};

/// The port to which all games of the engine send.
pub(crate) const PORT: u16 = 5606;

/// Names of the streams.
const TELEMETRY: &str = "telemetry";
const PARTICIPANTS: &str = "participants";
const MORE_PARTICIPANTS: &str = "more-participants";

const fn stream(name: &'static str, layouts: Layouts, play_rank: u8) -> Stream {
    Stream { name, layouts, transport: Transport::Udp { port: PORT }, copy_rule: CopyRule::Whole, play_rank }
}
