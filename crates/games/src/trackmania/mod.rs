//! Trackmania (2020), ManiaPlanet 4 and TrackMania Turbo: version 3 of their page of shared memory.
//!
//! A header of 44 bytes (magic, version, size, update number) precedes 1652 bytes of game, race, object, vehicle, device and player. The update
//! number is even while the page is consistent. Other programs record the page without its header; such frames are the stream [`TELEMETRY`].
//!
//! A race is a lap, and in races over several laps each of them is. Checkpoints end sectors. The playback of a replay after a race looks like
//! driving.
//!
//! Never seen on real bytes: the table follows the public header file.
mod body;
mod decode;
mod laps;
pub(crate) mod rules;
mod tables;

pub use tables::telemetry_layout;

use crate::capture::{CopyRule, Transport};
use crate::proof::Proof;
use crate::registry::{Game, Layouts, SharedMemory, Stream};

/// Game id in recordings.
pub const GAME_ID: &str = "trackmania";

/// Length of the page without its header.
pub const TELEMETRY_BYTES: u32 = 1652;
/// Length of the header.
const HEADER_BYTES: u32 = 44;

/// The registry entry.
pub const GAME: Game = Game {
    id: GAME_ID,
    name: "Trackmania",
    aliases: &["tm"],
    streams: &[PAGE, TELEMETRY],
    processes: &["Trackmania.exe", "ManiaPlanet.exe", "TrackmaniaTurbo.exe"],
    default_hz: Some(100),
    rules: &rules::TrackmaniaRules,
    shared_memory: SharedMemory { running_flag: Some((PAGE.name, HEADER_BYTES as u64)), ..SharedMemory::STREAMS_ONLY },
    setup: "",
    proven: Proof::DescriptionsOnly,
};

/// The page.
pub const PAGE: Stream = Stream {
    name: "page",
    layouts: Layouts::Built(tables::page_layouts),
    transport: Transport::SharedMemory { section: "ManiaPlanet_Telemetry", section_bytes: 4096 },
    copy_rule: CopyRule::EvenSequence { sequence_offset: 40 },
    play_rank: 1,
};

/// The page without its header, in files of other programs.
pub const TELEMETRY: Stream = Stream {
    name: "telemetry",
    layouts: Layouts::Built(tables::telemetry_layouts),
    transport: Transport::File,
    copy_rule: CopyRule::Whole,
    play_rank: 1,
};
