//! Automobilista 2 and Project CARS 2: UDP packets ("UDP Protocol Version: Project CARS 2"), and a page of shared memory (`memory`).
//!
//! The game broadcasts to port 5606. A packet is a header of 12 bytes, whose byte 10 is the type, and one struct, little endian without padding.
//! The packets of a type differ in length between versions of the game:
//!
//! | type | stream | bytes | sent |
//! |---:|---|---:|---|
//! | 0 | `telemetry` | 538, 555, 556, 559 | each tick: the viewed car |
//! | 1 | `race-definition` | 308 | on change |
//! | 2 | `participants` | 1136 | on change: names, 16 in a packet |
//! | 3 | `timings` | 1059, 1063 | each tick: places and laps of all cars |
//! | 4 | `game-state` | 24 | every 5 to 10 s, on change |
//! | 7 | `time-stats` | 1040 | when any car ends a sector: last and best times |
//! | 8 | `vehicles`, `vehicle-classes` | 1164, 1452 | on change |
//!
//! Never seen on real bytes: the tables follow the vendor's header file and programs that read the packets. Signs and axes are those that a
//! capture of [`project_cars`](crate::project_cars), which has the same engine, showed.
mod cars;
mod decode;
mod laps;
pub(crate) mod memory;
pub(crate) mod rules;
mod stats;
mod tables;
mod telemetry;
mod timings;

use crate::capture::{CopyRule, Transport};
use crate::project_cars::PORT;
use crate::proof::Proof;
use crate::registry::{Game, Layouts, SharedMemory, Stream};
use rules::Automobilista2Rules;

/// The registry entry.
pub const GAME: Game = Game {
    id: "automobilista-2",
    name: "Automobilista 2 / Project CARS 2",
    aliases: &["ams2", "pcars2", "project-cars-2"],
    streams: &[
        PAGE,
        stream(GAME_STATE, Layouts::Built(tables::game_state), 0),
        stream(RACE_DEFINITION, Layouts::Built(tables::race_definition), 1),
        stream(PARTICIPANTS, Layouts::Built(tables::participants), 1),
        stream(VEHICLES, Layouts::Built(tables::vehicles), 1),
        stream(VEHICLE_CLASSES, Layouts::Built(tables::vehicle_classes), 1),
        stream(TELEMETRY, Layouts::Built(tables::telemetry), 2),
        stream(TIMINGS, Layouts::Built(tables::timings), 3),
        stream(TIME_STATS, Layouts::Built(tables::time_stats), 4),
    ],
    processes: &["AMS2AVX.exe", "AMS2.exe", "AMS2DemoAVX.exe", "pCARS2AVX.exe", "pCARS2.exe", "pCARS2Gld.exe"],
    default_hz: None,
    rules: &Automobilista2Rules,
    shared_memory: SharedMemory { running_flag: Some((memory::SHARED_MEMORY, 8)), ..SharedMemory::STREAMS_ONLY },
    setup: "in the game, Options > System: Shared Memory Project CARS 2; or UDP Protocol Version Project CARS 2, UDP Frequency 1 (fastest) to 9",
    proven: Proof::DescriptionsOnly,
};

/// The page of shared memory.
pub const PAGE: Stream = Stream {
    name: memory::SHARED_MEMORY,
    layouts: Layouts::Built(memory::layouts),
    transport: Transport::SharedMemory { section: "$pcars2$", section_bytes: 24_576 },
    copy_rule: CopyRule::EvenSequence { sequence_offset: 7320 },
    play_rank: 1,
};

/// Names of the streams of packets.
const TELEMETRY: &str = "telemetry";
const RACE_DEFINITION: &str = "race-definition";
const PARTICIPANTS: &str = "participants";
const TIMINGS: &str = "timings";
const GAME_STATE: &str = "game-state";
const TIME_STATS: &str = "time-stats";
const VEHICLES: &str = "vehicles";
const VEHICLE_CLASSES: &str = "vehicle-classes";

const fn stream(name: &'static str, layouts: Layouts, play_rank: u8) -> Stream {
    Stream {
        name,
        layouts,
        transport: Transport::Udp { port: PORT, broadcast: true },
        copy_rule: CopyRule::Whole,
        play_rank,
    }
}
