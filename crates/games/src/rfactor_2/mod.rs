//! rFactor 2, through the shared memory of its plugin `rF2SharedMemoryMapPlugin64` 3.x, which writes each section between two version words.
//!
//! | stream | section | bytes of it |
//! |---|---|---|
//! | `telemetry` | `$rFactor2SMMP_Telemetry$`, 241,680 bytes | 0..16: version words, number of vehicles |
//! | `telemetry_cars_0_31` to `telemetry_cars_96_127` | the same | 32 vehicles each, of 1888 bytes |
//! | `scoring` | `$rFactor2SMMP_Scoring$`, 75,312 bytes | 0..560: version words, the session |
//! | `scoring_cars` | the same | 128 vehicles of 584 bytes |
//! | [`EXTENDED`] | `$rFactor2SMMP_Extended$`, 10,152 bytes | all; optional |
//!
//! Streams of a section are parts of one consistent copy. A part that does not change is not stored again, so places without a vehicle cost nothing.
//! [Le Mans Ultimate](crate::le_mans_ultimate) has the same records in one section; the modules of this folder read both.
//!
//! The plugin's published structure lacks an `f64` at offset 696 of the telemetry (`mDeltaBest`). The plugin copies the game's own record, so the
//! fields after it are 8 bytes further than programs believe that use the published structure. The tables have the true places.
pub(crate) mod cars;
pub(crate) mod decode;
mod extended;
pub(crate) mod fuzz;
pub(crate) mod interface;
pub(crate) mod laps;
pub(crate) mod records;
pub(crate) mod rules;
pub(crate) mod scoring;
pub(crate) mod tables;
pub(crate) mod vehicle;

use std::sync::OnceLock;

use crate::capture::{CopyRule, Transport};
use crate::layout::Layout;
use crate::proof::Proof;
use crate::registry::{Game, Layouts, SharedMemory, Stream};
use interface::{SCORING, SCORING_CARS, TELEMETRY};
use records::{SCORING_BYTES, VEHICLE_BYTES, leaked, put, scoring_cars, telemetry_cars, versions};

/// Registry entry.
pub const GAME: Game = Game {
    id: "rfactor-2",
    name: "rFactor 2",
    aliases: &["rf2", "rfactor2"],
    streams: &[
        EXTENDED,
        SCORING_STREAM,
        SCORING_CARS_STREAM,
        TELEMETRY_STREAM,
        TELEMETRY_CARS[0],
        TELEMETRY_CARS[1],
        TELEMETRY_CARS[2],
        TELEMETRY_CARS[3],
    ],
    processes: &["rFactor2.exe"],
    default_hz: Some(100),
    rules: &rules::RFactor2Rules,
    shared_memory: SharedMemory::STREAMS_ONLY,
    setup: "copy rF2SharedMemoryMapPlugin64.dll to the folder Bin64/Plugins of the game, and enable it in UserData/player/CustomPluginVariables.JSON; on Linux, use the build of the plugin for Wine",
    proven: Proof::DescriptionsOnly,
};

const VERSIONS: CopyRule = CopyRule::EqualVersions { begin_offset: 0, end_offset: 4 };

const TELEMETRY_SECTION: &str = "$rFactor2SMMP_Telemetry$";
const SCORING_SECTION: &str = "$rFactor2SMMP_Scoring$";
const EXTENDED_SECTION: &str = "$rFactor2SMMP_Extended$";
const VEHICLES: u32 = 128;
/// Vehicles in each stream of telemetry.
const GROUP: u32 = 32;
const TELEMETRY_HEAD_BYTES: u32 = 16;
const SCORING_HEAD_BYTES: u32 = 560;
const TELEMETRY_PAGE_BYTES: u32 = TELEMETRY_HEAD_BYTES + VEHICLES * VEHICLE_BYTES;
const SCORING_PAGE_BYTES: u32 = SCORING_HEAD_BYTES + VEHICLES * SCORING_BYTES;

const fn part(section: &'static str, page_bytes: u32, offset: u32, bytes: u32) -> Transport {
    Transport::SharedMemoryPart { section, section_bytes: page_bytes, page_bytes, offset, bytes, is_needed: true }
}

/// Version words and the number of vehicles.
pub const TELEMETRY_STREAM: Stream = Stream {
    name: TELEMETRY,
    layouts: Layouts::Built(telemetry_layouts),
    transport: part(TELEMETRY_SECTION, TELEMETRY_PAGE_BYTES, 0, TELEMETRY_HEAD_BYTES),
    copy_rule: VERSIONS,
    play_rank: 4,
};

/// Telemetry of the vehicles, in groups of 32.
pub const TELEMETRY_CARS: [Stream; 4] = [
    telemetry_cars_stream(0, "telemetry_cars_0_31"),
    telemetry_cars_stream(1, "telemetry_cars_32_63"),
    telemetry_cars_stream(2, "telemetry_cars_64_95"),
    telemetry_cars_stream(3, "telemetry_cars_96_127"),
];

const fn telemetry_cars_stream(group: u32, name: &'static str) -> Stream {
    let bytes = GROUP * VEHICLE_BYTES;
    Stream {
        name,
        layouts: Layouts::Built(match group {
            0 => || telemetry_cars_layouts(0),
            1 => || telemetry_cars_layouts(1),
            2 => || telemetry_cars_layouts(2),
            _ => || telemetry_cars_layouts(3),
        }),
        transport: part(TELEMETRY_SECTION, TELEMETRY_PAGE_BYTES, TELEMETRY_HEAD_BYTES + group * bytes, bytes),
        copy_rule: VERSIONS,
        play_rank: 3,
    }
}

/// Version words and the session.
pub const SCORING_STREAM: Stream = Stream {
    name: SCORING,
    layouts: Layouts::Built(scoring_layouts),
    transport: part(SCORING_SECTION, SCORING_PAGE_BYTES, 0, SCORING_HEAD_BYTES),
    copy_rule: VERSIONS,
    play_rank: 2,
};

/// The classification.
pub const SCORING_CARS_STREAM: Stream = Stream {
    name: SCORING_CARS,
    layouts: Layouts::Built(scoring_cars_layouts),
    transport: part(SCORING_SECTION, SCORING_PAGE_BYTES, SCORING_HEAD_BYTES, VEHICLES * SCORING_BYTES),
    copy_rule: VERSIONS,
    play_rank: 1,
};

/// The plugin, and what it observed beside the other sections. Some bridges do not provide it.
pub const EXTENDED: Stream = Stream {
    name: "extended",
    layouts: Layouts::Built(extended_layouts),
    transport: Transport::SharedMemoryPart {
        section: EXTENDED_SECTION,
        section_bytes: extended::BYTES,
        page_bytes: extended::BYTES,
        offset: 0,
        bytes: extended::BYTES,
        is_needed: false,
    },
    copy_rule: VERSIONS,
    play_rank: 0,
};

fn telemetry_layouts() -> &'static [&'static Layout] {
    static LAYOUTS: OnceLock<Vec<&'static Layout>> = OnceLock::new();
    LAYOUTS.get_or_init(|| {
        leaked(records::layout("rf2-telemetry-16".into(), TELEMETRY_HEAD_BYTES, |channels| {
            versions(channels);
            put(channels, "", 8, tables::TELEMETRY_HEAD);
        }))
    })
}

fn telemetry_cars_layouts(group: usize) -> &'static [&'static Layout] {
    static LAYOUTS: [OnceLock<Vec<&'static Layout>>; 4] = [const { OnceLock::new() }; 4];
    let Some(layouts) = LAYOUTS.get(group) else { return &[] };
    layouts.get_or_init(|| {
        let first = group as u32 * GROUP;
        let id = format!("rf2-telemetry-cars-{first}-{}", GROUP * VEHICLE_BYTES);
        leaked(telemetry_cars(id, first, GROUP, false))
    })
}

fn scoring_layouts() -> &'static [&'static Layout] {
    static LAYOUTS: OnceLock<Vec<&'static Layout>> = OnceLock::new();
    LAYOUTS.get_or_init(|| {
        leaked(records::layout("rf2-scoring-560".into(), SCORING_HEAD_BYTES, |channels| {
            versions(channels);
            put(channels, "", 8, tables::SCORING_HEAD);
            put(channels, "", 12, tables::INFO);
        }))
    })
}

fn scoring_cars_layouts() -> &'static [&'static Layout] {
    static LAYOUTS: OnceLock<Vec<&'static Layout>> = OnceLock::new();
    LAYOUTS
        .get_or_init(|| leaked(scoring_cars(format!("rf2-scoring-cars-{}", VEHICLES * SCORING_BYTES), VEHICLES, false)))
}

fn extended_layouts() -> &'static [&'static Layout] {
    static LAYOUTS: OnceLock<Vec<&'static Layout>> = OnceLock::new();
    LAYOUTS.get_or_init(|| leaked(extended::extended()))
}
