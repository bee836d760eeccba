//! Assetto Corsa Competizione: three pages of shared memory, each a stream.
//!
//! | stream | page | frame | other known length |
//! |---|---|---:|---|
//! | [`PHYSICS`] | `Local\acpmf_physics` | 800 | |
//! | [`GRAPHICS`] | `Local\acpmf_graphics` | 1588 | 1580, without `gapAhead` and `gapBehind` |
//! | [`STATIC`] | `Local\acpmf_static` | 820 | 756, without `wetTyresName` |
//!
//! The pages are C structures with members aligned to at most 4 bytes, little endian; text is UTF-16LE in fixed
//! arrays, NUL padded (read it with [`crate::utf16le_text`]). Padding bytes have no channel. Arrays over wheels are
//! front left, front right, rear left, rear right. Many members are inherited from an older game and stay 0; they are
//! listed all the same.
//!
//! Units: `%` is never used, shares from 0 to 1 are `ratio`, temperatures `degC`. A unit is empty where there is none
//! or where the documentation leaves it open.
mod decode;
mod graphics;
mod laps;
mod physics;
mod rules;
mod static_page;

pub(crate) use graphics::CHANNELS as GRAPHICS_CHANNELS;
pub use graphics::{GRAPHICS_1580, GRAPHICS_1588, Graphics};
pub(crate) use physics::CHANNELS as PHYSICS_CHANNELS;
pub use physics::{PHYSICS_800, Physics};
pub(crate) use static_page::CHANNELS as STATIC_CHANNELS;
pub use static_page::{STATIC_756, STATIC_820, Static};

use crate::capture::{CopyRule, Transport};
use crate::registry::{Game, Stream};
use crate::typed::{Frame as _, TypedStream};

/// The registry's entry.
pub const GAME: Game = Game {
    id: "assetto-corsa-competizione",
    name: "Assetto Corsa Competizione",
    aliases: &["acc"],
    streams: &[PHYSICS, GRAPHICS, STATIC],
    processes: &["AC2-Win64-Shipping.exe"],
    default_hz: Some(100),
    rules: &rules::AccRules,
};

/// The car, written at every physics step.
pub const PHYSICS: Stream = Stream {
    name: "physics",
    layouts: &[&PHYSICS_800],
    transport: Transport::SharedMemory { section: "acpmf_physics", section_bytes: SECTION_BYTES },
    copy_rule: CopyRule::CounterAndSecondCopy { counter_offset: 0 },
};

/// Session, laps, opponents and settings, written with the picture.
pub const GRAPHICS: Stream = Stream {
    name: "graphics",
    layouts: &[&GRAPHICS_1588, &GRAPHICS_1580],
    transport: Transport::SharedMemory { section: "acpmf_graphics", section_bytes: SECTION_BYTES },
    copy_rule: CopyRule::CounterAndSecondCopy { counter_offset: 0 },
};

/// Car, track and driver, written when a session is loaded.
pub const STATIC: Stream = Stream {
    name: "static",
    layouts: &[&STATIC_820, &STATIC_756],
    transport: Transport::SharedMemory { section: "acpmf_static", section_bytes: SECTION_BYTES },
    copy_rule: CopyRule::TwoEqualCopies,
};

/// Sections are made of whole pages, and clients map up to a whole one.
const SECTION_BYTES: u32 = 4096;

/// The car's stream, typed.
#[must_use]
pub fn physics() -> TypedStream<Physics> {
    Physics::stream()
}

/// The stream of session and laps, typed.
#[must_use]
pub fn graphics() -> TypedStream<Graphics> {
    Graphics::stream()
}

/// The stream of car, track and driver, typed.
#[must_use]
pub fn static_page() -> TypedStream<Static> {
    Static::stream()
}
