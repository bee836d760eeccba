//! Assetto Corsa EVO 0.6 and later: three shared memory pages under the game's own section names, each a stream.
//!
//! | stream | page | frame |
//! |---|---|---:|
//! | [`PHYSICS`] | `Local\acevo_pmf_physics` | 800 |
//! | [`GRAPHICS`] | `Local\acevo_pmf_graphics` | 4900 |
//! | [`STATIC`] | `Local\acevo_pmf_static` | 208 |
//!
//! The pages are little-endian C structs whose members are aligned to at most 4 bytes. Unlike in [Assetto Corsa
//! Competizione](crate::assetto_corsa_competizione), text is stored as bytes ([`crate::Chars`]) and flags are single
//! bytes. The physics page and the units are the same as in Competizione.
//!
//! Before 0.6 the game used the section names of the family and only filled its physics page: [`BEFORE_0_6`].
mod decode;
mod graphics;
mod graphics_channels;
pub(crate) mod laps;
mod parts;
mod physics;
pub(crate) mod rules;
mod static_page;

pub use graphics::{GRAPHICS_4900, Graphics};
pub use parts::{Assists, CarDamage, Electronics, Instruments, PitInfo, SessionState, TimingState, Tyre};
pub use physics::{PHYSICS_800, Physics};
pub use static_page::{STATIC_208, Static};

use crate::capture::{CopyRule, Transport};
use crate::proof::Proof;
use crate::registry::{Game, Layouts, SharedMemory, Stream};
use crate::typed::{Frame as _, TypedStream};

/// Registry entry.
pub const GAME: Game =
    Game { shared_memory: SharedMemory { older_versions: &[BEFORE_0_6], ..NEWEST.shared_memory }, ..NEWEST };

const NEWEST: Game = Game {
    id: "assetto-corsa-evo",
    name: "Assetto Corsa EVO",
    aliases: &["ace", "acevo"],
    streams: &[PHYSICS, GRAPHICS, STATIC],
    processes: &["AssettoCorsaEVO.exe"],
    default_hz: Some(100),
    rules: &rules::EvoRules,
    shared_memory: SharedMemory { running_flag: crate::assetto_corsa::RUNNING_FLAG, ..SharedMemory::STREAMS_ONLY },
    setup: "",
    proven: Proof::DescriptionsOnly,
};

/// The game before 0.6, under the section names of Assetto Corsa and Competizione. Its pages are those of [Assetto
/// Corsa Rally](crate::assetto_corsa_rally), and their contents cannot tell the two games apart.
pub const BEFORE_0_6: Game =
    Game { streams: &[PHYSICS_BEFORE_0_6], rules: &crate::assetto_corsa_rally::RallyRules, ..NEWEST };

/// Car state, written at every physics step.
pub const PHYSICS: Stream = Stream {
    name: "physics",
    layouts: Layouts::Tables(&[&PHYSICS_800]),
    transport: Transport::SharedMemory { section: "acevo_pmf_physics", section_bytes: 4096 },
    copy_rule: CopyRule::CounterAndSecondCopy { counter_offset: 0 },
    play_rank: 2,
};

const PHYSICS_BEFORE_0_6: Stream =
    Stream { transport: Transport::SharedMemory { section: "acpmf_physics", section_bytes: 4096 }, ..PHYSICS };

/// Session, laps, opponents and settings, written with every rendered frame.
pub const GRAPHICS: Stream = Stream {
    name: "graphics",
    layouts: Layouts::Tables(&[&GRAPHICS_4900]),
    // Sections consist of whole memory pages, and this one needs two.
    transport: Transport::SharedMemory { section: "acevo_pmf_graphics", section_bytes: 8192 },
    copy_rule: CopyRule::CounterAndSecondCopy { counter_offset: 0 },
    play_rank: 4,
};

/// Session and track, written when a session is loaded.
pub const STATIC: Stream = Stream {
    name: "static",
    layouts: Layouts::Tables(&[&STATIC_208]),
    transport: Transport::SharedMemory { section: "acevo_pmf_static", section_bytes: 4096 },
    copy_rule: CopyRule::TwoEqualCopies,
    play_rank: 0,
};

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
