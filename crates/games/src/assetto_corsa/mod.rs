//! Assetto Corsa: three shared memory pages, each a stream.
//!
//! | stream | page | frame | other known length |
//! |---|---|---:|---|
//! | [`PHYSICS`] | `Local\acpmf_physics` | 580 | 568, without `localVelocity` |
//! | [`GRAPHICS`] | `Local\acpmf_graphics` | 296 | 284, without `mandatoryPitDone` and the wind |
//! | [`STATIC`] | `Local\acpmf_static` | 684 | 592, up to `trackConfiguration` |
//!
//! Section names and leading bytes are those of [Assetto Corsa Competizione](crate::assetto_corsa_competizione), whose
//! documentation describes the page layout. `family` holds the shared code and tells the two games apart. Older
//! versions of the game leave the end of a page zero.
pub(crate) mod decode;
pub(crate) mod family;
mod graphics;
pub(crate) mod laps;
mod physics;
pub(crate) mod rules;
mod static_page;
pub(crate) mod unnamed;

pub(crate) use family::Member;
pub(crate) use graphics::HEAD as GRAPHICS_HEAD;
pub use graphics::{GRAPHICS_284, GRAPHICS_296, Graphics, GraphicsHead};
pub(crate) use physics::CHANNELS as PHYSICS_CHANNELS;
pub use physics::{PHYSICS_568, PHYSICS_580, Physics};
pub(crate) use static_page::CHANNELS as STATIC_CHANNELS;
pub use static_page::{STATIC_592, STATIC_684, Static};

use crate::capture::{CopyRule, Transport};
use crate::proof::Proof;
use crate::registry::{Game, Layouts, SharedMemory, Stream};
use crate::typed::{Frame as _, TypedStream};

/// Registry entry.
pub const GAME: Game = Game {
    id: "assetto-corsa",
    name: "Assetto Corsa",
    aliases: &["ac"],
    streams: &[PHYSICS, GRAPHICS, STATIC],
    processes: &["acs.exe"],
    default_hz: Some(100),
    rules: &rules::AcRules,
    shared_memory: SharedMemory { older_versions: &[], companions: COMPANIONS, running_flag: RUNNING_FLAG },
    setup: "",
    proven: Proof::DescriptionsOnly,
};

/// Programs on Linux open this section too, and crash if it is missing or empty.
const COMPANIONS: &[(&str, u64)] = &[("acpmf_crewchief", 16_000)];

/// `status` in the graphics page; 0 means off.
pub(crate) const RUNNING_FLAG: Option<(&str, u64)> = Some(("graphics", 4));

/// Car state, written at every physics step.
pub const PHYSICS: Stream = Stream {
    name: "physics",
    layouts: Layouts::Tables(&[&PHYSICS_580, &PHYSICS_568]),
    transport: Transport::SharedMemory { section: "acpmf_physics", section_bytes: SECTION_BYTES },
    copy_rule: CopyRule::CounterAndSecondCopy { counter_offset: 0 },
    play_rank: 2,
};

/// Session, laps and track, written with every rendered frame.
pub const GRAPHICS: Stream = Stream {
    name: "graphics",
    layouts: Layouts::Tables(&[&GRAPHICS_296, &GRAPHICS_284]),
    transport: Transport::SharedMemory { section: "acpmf_graphics", section_bytes: SECTION_BYTES },
    copy_rule: CopyRule::CounterAndSecondCopy { counter_offset: 0 },
    play_rank: 4,
};

/// Car, track and driver, written when a session is loaded.
pub const STATIC: Stream = Stream {
    name: "static",
    layouts: Layouts::Tables(&[&STATIC_684, &STATIC_592]),
    transport: Transport::SharedMemory { section: "acpmf_static", section_bytes: SECTION_BYTES },
    copy_rule: CopyRule::TwoEqualCopies,
    play_rank: 0,
};

/// Sections consist of whole memory pages, and clients map up to one.
const SECTION_BYTES: u32 = 4096;

/// Returns the typed physics stream.
#[must_use]
pub fn physics() -> TypedStream<Physics> {
    Physics::stream()
}

/// Returns the typed graphics stream.
#[must_use]
pub fn graphics() -> TypedStream<Graphics> {
    Graphics::stream()
}

/// Returns the typed static stream.
#[must_use]
pub fn static_page() -> TypedStream<Static> {
    Static::stream()
}
