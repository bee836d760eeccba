//! Assetto Corsa Competizione: three shared memory pages, each a stream, and the messages of [`broadcast`].
//!
//! | stream | page | frame | other known length |
//! |---|---|---:|---|
//! | [`PHYSICS`] | `Local\acpmf_physics` | 800 | |
//! | [`GRAPHICS`] | `Local\acpmf_graphics` | 1588 | 1580, without `gapAhead` and `gapBehind` |
//! | [`STATIC`] | `Local\acpmf_static` | 820 | 756, without `wetTyresName` |
//!
//! The pages are little-endian C structs whose members are aligned to at most 4 bytes. Text is stored in fixed UTF-16LE
//! arrays, NUL-padded (decode with [`crate::utf16le_text`]). Padding bytes have no channel. Per-wheel arrays are in the
//! order front left, front right, rear left, rear right. Many members are inherited from an older game and stay 0; the
//! tables list them nevertheless.
//!
//! Units: fractions from 0 to 1 are `ratio` (`%` is never used), temperatures are `degC`. The unit is empty if there is
//! none or if it is not documented.
pub mod broadcast;
mod decode;
mod graphics;
mod laps;
mod physics;
pub(crate) mod rules;
mod static_page;

pub(crate) use graphics::CHANNELS as GRAPHICS_CHANNELS;
pub use graphics::{GRAPHICS_1580, GRAPHICS_1588, Graphics};
pub(crate) use physics::CHANNELS as PHYSICS_CHANNELS;
pub use physics::{PHYSICS_800, Physics};
pub(crate) use static_page::CHANNELS as STATIC_CHANNELS;
pub use static_page::{STATIC_756, STATIC_820, Static};

use crate::capture::{CopyRule, Transport};
use crate::proof::Proof;
use crate::registry::{Game, Layouts, Stream};
use crate::typed::{Frame as _, TypedStream};

/// Registry entry.
pub const GAME: Game = Game {
    id: "assetto-corsa-competizione",
    name: "Assetto Corsa Competizione",
    aliases: &["acc"],
    streams: &STREAMS,
    processes: &["AC2-Win64-Shipping.exe"],
    default_hz: Some(100),
    rules: &rules::AccRules,
    shared_memory: crate::ac::GAME.shared_memory,
    setup: "for all cars: set updListenerPort to a port such as 9000 in Documents/Assetto Corsa Competizione/Config/broadcasting.json, and restart the game",
    proven: Proof::DescriptionsOnly,
};

/// The pages first: recordings of earlier versions have only these.
const STREAMS: [Stream; 10] = {
    let [registration, update, car_update, entry_list, track_data, entry_list_car, event] = broadcast::STREAMS;
    [PHYSICS, GRAPHICS, STATIC, registration, update, car_update, entry_list, track_data, entry_list_car, event]
};

/// Car state, written at every physics step.
pub const PHYSICS: Stream = Stream {
    name: "physics",
    layouts: Layouts::Tables(&[&PHYSICS_800]),
    transport: Transport::SharedMemory { section: "acpmf_physics", section_bytes: SECTION_BYTES },
    copy_rule: CopyRule::CounterAndSecondCopy { counter_offset: 0 },
    play_rank: 2,
};

/// Session, laps, opponents and settings, written with every rendered frame.
pub const GRAPHICS: Stream = Stream {
    name: "graphics",
    layouts: Layouts::Tables(&[&GRAPHICS_1588, &GRAPHICS_1580]),
    transport: Transport::SharedMemory { section: "acpmf_graphics", section_bytes: SECTION_BYTES },
    copy_rule: CopyRule::CounterAndSecondCopy { counter_offset: 0 },
    play_rank: 4,
};

/// Car, track and driver, written when a session is loaded.
pub const STATIC: Stream = Stream {
    name: "static",
    layouts: Layouts::Tables(&[&STATIC_820, &STATIC_756]),
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
