//! Assetto Corsa Rally: the pages of [Assetto Corsa Competizione](crate::assetto_corsa_competizione), of which the game
//! only fills the physics page.
//!
//! | stream | page | frame | contents |
//! |---|---|---:|---|
//! | [`PHYSICS`] | `Local\acpmf_physics` | 800 | the car |
//! | [`GRAPHICS`] | `Local\acpmf_graphics` | 1588 | zeros; a bridge may set `status` |
//! | [`STATIC`] | `Local\acpmf_static` | 820 | zeros, perhaps names |
//!
//! The game is identified by a physics page that changes while the graphics page stays zero. Competizione and Assetto
//! Corsa look like that briefly while they load, so the state has to last (see
//! [`Rules::believed_after_ns`](crate::Rules::believed_after_ns)). Assetto Corsa EVO before 0.6 looks like that
//! permanently ([`crate::ace::BEFORE_0_6`]).
mod decode;
mod frames;
mod laps;
pub(crate) mod rules;

pub use frames::{GRAPHICS_1588, Graphics, PHYSICS_800, Physics, STATIC_820, Static};
pub(crate) use rules::RallyRules;

use crate::acc;
use crate::capture::CopyRule;
use crate::proof::Proof;
use crate::registry::{Game, Layouts, Stream};
use crate::typed::{Frame as _, TypedStream};

/// Registry entry.
pub const GAME: Game = Game {
    id: "assetto-corsa-rally",
    name: "Assetto Corsa Rally",
    aliases: &["acr"],
    streams: &[PHYSICS, GRAPHICS, STATIC],
    processes: &["acr.exe"],
    default_hz: Some(100),
    rules: &RallyRules,
    shared_memory: acc::GAME.shared_memory,
    setup: "",
    proven: Proof::DescriptionsOnly,
};

/// Car state, written at every physics step.
pub const PHYSICS: Stream = Stream { layouts: Layouts::Tables(&[&PHYSICS_800]), ..acc::PHYSICS };

/// All zero. Provided because programs that read the family open it. Its packet number never increases.
pub const GRAPHICS: Stream =
    Stream { layouts: Layouts::Tables(&[&GRAPHICS_1588]), copy_rule: CopyRule::TwoEqualCopies, ..acc::GRAPHICS };

/// Zeros, or names at most.
pub const STATIC: Stream = Stream { layouts: Layouts::Tables(&[&STATIC_820]), ..acc::STATIC };

/// Returns the typed physics stream.
#[must_use]
pub fn physics() -> TypedStream<Physics> {
    Physics::stream()
}

/// Returns the typed graphics stream, whose page stays zero.
#[must_use]
pub fn graphics() -> TypedStream<Graphics> {
    Graphics::stream()
}

/// Returns the typed static stream.
#[must_use]
pub fn static_page() -> TypedStream<Static> {
    Static::stream()
}
