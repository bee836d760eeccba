//! RaceRoom Racing Experience: one page of shared memory with the player's car, the session and all cars.
//!
//! | version | frame | driver entry | |
//! |---|---:|---:|---|
//! | 3.4, 3.5 | 43,996 | 328 | decoded |
//! | 2.6 to 2.16 | 39,320 | 292 | decoded |
//! | others | as they describe themselves | | recorded only |
//!
//! The page describes itself: offset 8 holds the offset of its driver array, and offset 12 the length of an entry. The minor version does not
//! determine the structure. The game has no lock: it writes its page with every rendered frame, and a tick counts 400 steps of physics a second.
//!
//! Angles are radians, engine and wheels are measured in rad/s, temperatures in °C. The local axes point left, up and back. Sectors are cumulative
//! times. -1 stands for a missing value, -2 for a missing gear, -1000 for a missing delta.
//!
//! Never seen on real bytes: tables and rules follow the vendor's header file and programs that read the page.
mod cars;
mod decode;
mod laps;
mod page;
pub(crate) mod rules;
mod structure;
mod tables;

use crate::capture::{CopyRule, Transport};
use crate::proof::Proof;
use crate::registry::{Game, Layouts, SharedMemory, Stream};

/// The registry entry.
pub const GAME: Game = Game {
    id: "raceroom",
    name: "RaceRoom Racing Experience",
    aliases: &["r3e", "rrre"],
    streams: &[PAGE],
    processes: &["RRRE64.exe", "RRRE.exe"],
    default_hz: Some(100),
    rules: &rules::RaceRoomRules,
    shared_memory: SharedMemory::STREAMS_ONLY,
    setup: "",
    proven: Proof::DescriptionsOnly,
};

/// The page.
pub const PAGE: Stream = Stream {
    name: "page",
    layouts: Layouts::Built(structure::layouts),
    transport: Transport::SharedMemory { section: "$R3E", section_bytes: 45_056 },
    copy_rule: CopyRule::CounterAndSecondCopy { counter_offset: structure::TICK },
    play_rank: 1,
};
