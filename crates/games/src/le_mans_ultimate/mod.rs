//! Le Mans Ultimate, through its own section of shared memory: 324,820 bytes, which change 100 times a second.
//!
//! | stream | bytes of `LMU_Data` | changes |
//! |---|---|---|
//! | [`HEADER`] | 0..1632: events, version, window, paths | with each update |
//! | [`SCORING_STREAM`] | 1632..2192: the session | 5 times a second |
//! | [`SCORING_CARS_STREAM`] | 2192..62,928: 104 vehicles of 584 bytes | 5 times a second |
//! | [`RESULTS`] | 62,928..128,464: text about incidents and penalties | rarely |
//! | [`TELEMETRY_STREAM`] | 128,464..128,468: number of vehicles, place of the player | rarely |
//! | `telemetry_cars_0_25` to `telemetry_cars_78_103` | 26 vehicles each, of 1888 bytes | 100 times a second where there are vehicles |
//!
//! The streams are parts of one consistent copy. A part that does not change is not stored again; together they are the section again, byte for
//! byte. The records are those of [rFactor 2](crate::rfactor_2), whose modules read them.
//!
//! The section has no counter. Clients take a lock in a section of its own, which a recorder must not hold, because the game waits for it. So it only
//! looks at the lock: two equal copies while nobody held it are consistent. Bridges on Linux do not provide the lock; there, two equal copies have to do.
pub(crate) mod rules;

use std::sync::OnceLock;

use crate::capture::{CopyRule, Transport};
use crate::layout::{Channel, Kind, Layout};
use crate::proof::Proof;
use crate::registry::{Game, Layouts, SharedMemory, Stream};
use crate::rfactor_2::interface::{SCORING, SCORING_CARS, TELEMETRY};
use crate::rfactor_2::records::{self, SCORING_BYTES, VEHICLE_BYTES, leaked, put};
use crate::rfactor_2::tables;

/// Registry entry.
pub const GAME: Game = Game {
    id: "le-mans-ultimate",
    name: "Le Mans Ultimate",
    aliases: &["lmu"],
    streams: &[
        HEADER,
        SCORING_STREAM,
        SCORING_CARS_STREAM,
        RESULTS,
        TELEMETRY_STREAM,
        TELEMETRY_CARS[0],
        TELEMETRY_CARS[1],
        TELEMETRY_CARS[2],
        TELEMETRY_CARS[3],
    ],
    processes: &["Le Mans Ultimate.exe"],
    default_hz: Some(100),
    rules: &rules::LmuRules,
    shared_memory: SharedMemory::STREAMS_ONLY,
    setup: "in the game, switch on Settings > Gameplay > Enable Plugins",
    proven: Proof::DescriptionsOnly,
};

/// The name of the section.
pub const SECTION: &str = "LMU_Data";
/// The section with the lock: how many wait, and whether somebody has it.
pub const LOCK_SECTION: &str = "LMU_SharedMemoryLockData";

const LOCK: CopyRule = CopyRule::TwoEqualCopiesUnlocked { lock_section: LOCK_SECTION, busy_offset: 4 };

/// What is used of the section. The game allocates four more bytes, bridges half as much again.
pub const PAGE_BYTES: u32 = 324_820;
const SECTION_BYTES: u32 = 324_824;
const HEADER_BYTES: u32 = 1632;
const SCORING_HEAD_BYTES: u32 = 560;
const RESULTS_BYTES: u32 = 65_536;
const TELEMETRY_HEAD_BYTES: u32 = 4;
const VEHICLES: u32 = 104;
/// Vehicles in each stream of telemetry.
const GROUP: u32 = 26;

const SCORING_AT: u32 = HEADER_BYTES;
const SCORING_CARS_AT: u32 = SCORING_AT + SCORING_HEAD_BYTES;
const RESULTS_AT: u32 = SCORING_CARS_AT + VEHICLES * SCORING_BYTES;
const TELEMETRY_AT: u32 = RESULTS_AT + RESULTS_BYTES;
const TELEMETRY_CARS_AT: u32 = TELEMETRY_AT + TELEMETRY_HEAD_BYTES;

const fn stream(
    name: &'static str,
    offset: u32,
    bytes: u32,
    layouts: fn() -> &'static [&'static Layout],
    play_rank: u8,
) -> Stream {
    Stream {
        name,
        layouts: Layouts::Built(layouts),
        transport: Transport::SharedMemoryPart {
            section: SECTION,
            section_bytes: SECTION_BYTES,
            page_bytes: PAGE_BYTES,
            offset,
            bytes,
            is_needed: true,
        },
        copy_rule: LOCK,
        play_rank,
    }
}

/// Events of the update, version of the game, its window, and paths.
pub const HEADER: Stream = stream("header", 0, HEADER_BYTES, header_layouts, 5);
/// The session.
pub const SCORING_STREAM: Stream = stream(SCORING, SCORING_AT, SCORING_HEAD_BYTES, scoring_layouts, 2);
/// The classification.
pub const SCORING_CARS_STREAM: Stream =
    stream(SCORING_CARS, SCORING_CARS_AT, VEHICLES * SCORING_BYTES, scoring_cars_layouts, 1);
/// Text about incidents, penalties and track limits, of which `mResultsStreamSize` bytes are used.
pub const RESULTS: Stream = stream("results", RESULTS_AT, RESULTS_BYTES, || &[], 0);
/// The number of vehicles and the place of the player.
pub const TELEMETRY_STREAM: Stream = stream(TELEMETRY, TELEMETRY_AT, TELEMETRY_HEAD_BYTES, telemetry_layouts, 4);
/// Telemetry of the vehicles, in groups of 26.
pub const TELEMETRY_CARS: [Stream; 4] = [
    telemetry_cars_stream("telemetry_cars_0_25", 0, || telemetry_cars_layouts(0)),
    telemetry_cars_stream("telemetry_cars_26_51", 1, || telemetry_cars_layouts(1)),
    telemetry_cars_stream("telemetry_cars_52_77", 2, || telemetry_cars_layouts(2)),
    telemetry_cars_stream("telemetry_cars_78_103", 3, || telemetry_cars_layouts(3)),
];

const fn telemetry_cars_stream(name: &'static str, group: u32, layouts: fn() -> &'static [&'static Layout]) -> Stream {
    let bytes = GROUP * VEHICLE_BYTES;
    stream(name, TELEMETRY_CARS_AT + group * bytes, bytes, layouts, 3)
}

/// Names are those of the game's plugin interface.
const HEADER_CHANNELS: &[Channel] = &[
    Channel::fixed("events.enter", 0, Kind::U32, 1, ""),
    Channel::fixed("events.exit", 4, Kind::U32, 1, ""),
    Channel::fixed("events.startup", 8, Kind::U32, 1, ""),
    Channel::fixed("events.shutdown", 12, Kind::U32, 1, ""),
    Channel::fixed("events.load", 16, Kind::U32, 1, ""),
    Channel::fixed("events.unload", 20, Kind::U32, 1, ""),
    Channel::fixed("events.startSession", 24, Kind::U32, 1, ""),
    Channel::fixed("events.endSession", 28, Kind::U32, 1, ""),
    Channel::fixed("events.enterRealtime", 32, Kind::U32, 1, ""),
    Channel::fixed("events.exitRealtime", 36, Kind::U32, 1, ""),
    Channel::fixed("events.updateScoring", 40, Kind::U32, 1, ""),
    Channel::fixed("events.updateTelemetry", 44, Kind::U32, 1, ""),
    Channel::fixed("events.initApplication", 48, Kind::U32, 1, ""),
    Channel::fixed("events.uninitApplication", 52, Kind::U32, 1, ""),
    Channel::fixed("events.setEnvironment", 56, Kind::U32, 1, ""),
    Channel::fixed("events.forceFeedback", 60, Kind::U32, 1, ""),
    Channel::fixed("gameVersion", 64, Kind::I32, 1, ""),
    Channel::fixed("forceFeedbackTorque", 68, Kind::F32, 1, ""),
    Channel::fixed("window.handle", 72, Kind::U64, 1, ""),
    Channel::fixed("window.width", 80, Kind::U32, 1, ""),
    Channel::fixed("window.height", 84, Kind::U32, 1, ""),
    Channel::fixed("window.refreshRate", 88, Kind::U32, 1, ""),
    Channel::fixed("window.isWindowed", 92, Kind::U32, 1, ""),
    Channel::fixed("optionsLocation", 96, Kind::U8, 1, ""),
    Channel::fixed("optionsPage", 97, Kind::Char, 31, ""),
    Channel::fixed("paths.userData", 332, Kind::Char, 260, ""),
    Channel::fixed("paths.customVariables", 592, Kind::Char, 260, ""),
    Channel::fixed("paths.stewardResults", 852, Kind::Char, 260, ""),
    Channel::fixed("paths.playerProfile", 1112, Kind::Char, 260, ""),
    Channel::fixed("paths.plugins", 1372, Kind::Char, 260, ""),
];

const TELEMETRY_CHANNELS: &[Channel] = &[
    Channel::fixed("activeVehicles", 0, Kind::U8, 1, ""),
    Channel::fixed("playerVehicleIdx", 1, Kind::U8, 1, ""),
    Channel::fixed("playerHasVehicle", 2, Kind::Bool, 1, ""),
];

fn header_layouts() -> &'static [&'static Layout] {
    static TABLE: Layout = Layout::from_table("lmu-header-1632", HEADER_BYTES, HEADER_CHANNELS);
    static LAYOUTS: [&Layout; 1] = [&TABLE];
    &LAYOUTS
}

fn telemetry_layouts() -> &'static [&'static Layout] {
    static TABLE: Layout = Layout::from_table("lmu-telemetry-4", TELEMETRY_HEAD_BYTES, TELEMETRY_CHANNELS);
    static LAYOUTS: [&Layout; 1] = [&TABLE];
    &LAYOUTS
}

fn scoring_layouts() -> &'static [&'static Layout] {
    static LAYOUTS: OnceLock<Vec<&'static Layout>> = OnceLock::new();
    LAYOUTS.get_or_init(|| {
        leaked(records::layout("lmu-scoring-560".into(), SCORING_HEAD_BYTES, |channels| {
            put(channels, "", 0, tables::INFO);
            put(channels, "", 0, tables::INFO_LMU);
            channels.push(Channel::fixed("mResultsStreamSize", 552, Kind::U64, 1, ""));
        }))
    })
}

fn scoring_cars_layouts() -> &'static [&'static Layout] {
    static LAYOUTS: OnceLock<Vec<&'static Layout>> = OnceLock::new();
    LAYOUTS.get_or_init(|| {
        leaked(records::scoring_cars(format!("lmu-scoring-cars-{}", VEHICLES * SCORING_BYTES), VEHICLES, true))
    })
}

fn telemetry_cars_layouts(group: usize) -> &'static [&'static Layout] {
    static LAYOUTS: [OnceLock<Vec<&'static Layout>>; 4] = [const { OnceLock::new() }; 4];
    let Some(layouts) = LAYOUTS.get(group) else { return &[] };
    layouts.get_or_init(|| {
        let first = group as u32 * GROUP;
        let id = format!("lmu-telemetry-cars-{first}-{}", GROUP * VEHICLE_BYTES);
        leaked(records::telemetry_cars(id, first, GROUP, true))
    })
}
