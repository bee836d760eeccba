//! Euro Truck Simulator 2, and what it has in common with American Truck Simulator: one page of shared memory, written by the plugin
//! `scs-telemetry`.
//!
//! | revision of the plugin | frame |
//! |---|---:|
//! | 12 | 21,600 |
//! | 10, 11 | 21,520 |
//! | later ones | the first 21,600 bytes, without channels |
//!
//! The section has 32,768 bytes. On Linux it is `/dev/shm/SCSTelemetry` or `/dev/shm/SCS/SCSTelemetry`, depending on the build of the plugin. The page
//! has no lock; its time in µs advances with every frame and stops in pauses.
//!
//! There are no laps. A job is a session of its own: from accepting the cargo to its delivery.
//!
//! Never seen on real bytes: the tables follow the plugin's header file.
mod decode;
mod page;
pub(crate) mod rules;
mod tables;

pub(crate) use rules::TruckRules;
pub(crate) use tables::american_layouts;

use crate::capture::{CopyRule, Transport};
use crate::proof::Proof;
use crate::registry::{Game, Layouts, SharedMemory, Stream};

/// The registry entry.
pub const GAME: Game =
    Game { shared_memory: SharedMemory { older_versions: &[IN_FOLDER], ..NAMED.shared_memory }, ..NAMED };

const NAMED: Game = Game {
    id: "euro-truck-simulator-2",
    name: "Euro Truck Simulator 2",
    aliases: &["ets2"],
    streams: &[PAGE],
    processes: &["eurotrucks2.exe", "eurotrucks2"],
    default_hz: Some(60),
    rules: &TruckRules { game: 1 },
    shared_memory: SharedMemory { running_flag: Some((PAGE.name, 0)), ..SharedMemory::STREAMS_ONLY },
    setup: "install the plugin scs-telemetry in bin/win_x64/plugins (Linux: bin/linux_x64/plugins) of the game, and confirm the question about the SDK",
    proven: Proof::DescriptionsOnly,
};

/// The game with a plugin that makes its section in a folder.
pub(crate) const IN_FOLDER: Game = Game { streams: &[PAGE_IN_FOLDER], ..NAMED };

/// The page.
pub const PAGE: Stream = Stream {
    name: "page",
    layouts: Layouts::Built(tables::layouts),
    transport: Transport::SharedMemory { section: "SCSTelemetry", section_bytes: SECTION_BYTES },
    copy_rule: CopyRule::CounterAndSecondCopy { counter_offset: page::TIME },
    play_rank: 1,
};

pub(crate) const PAGE_IN_FOLDER: Stream =
    Stream { transport: Transport::SharedMemory { section: "SCS/SCSTelemetry", section_bytes: SECTION_BYTES }, ..PAGE };

const SECTION_BYTES: u32 = 32_768;
