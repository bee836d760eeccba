//! Assetto Corsa Rally: the pages of [Assetto Corsa Competizione](crate::assetto_corsa_competizione), of which the game fills the
//! physics page alone.
//!
//! | stream | page | frame | what is in it |
//! |---|---|---:|---|
//! | [`PHYSICS`] | `Local\acpmf_physics` | 800 | the car |
//! | [`GRAPHICS`] | `Local\acpmf_graphics` | 1588 | zeros; a bridge may set `status` |
//! | [`STATIC`] | `Local\acpmf_static` | 820 | zeros, perhaps names |
//!
//! That the physics page moves while the graphics page is zero is how the game is known. Competizione and Assetto Corsa look
//! like that for a moment while they load, so it has to last (see [`Rules::believed_after_ns`](crate::Rules::believed_after_ns)).
//! Assetto Corsa EVO before 0.6 looks the same all the time ([`crate::ace::BEFORE_0_6`]).
mod decode;
mod frames;
mod laps;
mod rules;

pub use frames::{GRAPHICS_1588, Graphics, PHYSICS_800, Physics, STATIC_820, Static};
pub(crate) use rules::RallyRules;

use crate::acc;
use crate::capture::CopyRule;
use crate::registry::{Game, Stream};
use crate::typed::{Frame as _, TypedStream};

/// The registry's entry.
pub const GAME: Game = Game {
    id: "assetto-corsa-rally",
    name: "Assetto Corsa Rally",
    aliases: &["acr"],
    streams: &[PHYSICS, GRAPHICS, STATIC],
    processes: &["acr.exe"],
    default_hz: Some(100),
    rules: &RallyRules,
};

/// The car, written at every physics step.
pub const PHYSICS: Stream = Stream { layouts: &[&PHYSICS_800], ..acc::PHYSICS };

/// Zeros. It is kept because programs that read the family open it. What would be its number never goes up.
pub const GRAPHICS: Stream =
    Stream { layouts: &[&GRAPHICS_1588], copy_rule: CopyRule::TwoEqualCopies, ..acc::GRAPHICS };

/// Zeros, perhaps names.
pub const STATIC: Stream = Stream { layouts: &[&STATIC_820], ..acc::STATIC };

/// The car's stream, typed.
#[must_use]
pub fn physics() -> TypedStream<Physics> {
    Physics::stream()
}

/// The stream of the page that stays zero, typed.
#[must_use]
pub fn graphics() -> TypedStream<Graphics> {
    Graphics::stream()
}

/// The stream of names, typed.
#[must_use]
pub fn static_page() -> TypedStream<Static> {
    Static::stream()
}
