//! The physics page, 800 bytes: the same as in [Assetto Corsa Competizione](acc::Physics), with `current_max_rpm`
//! filled.
use std::ops::{Deref, DerefMut};

use zerocopy::{FromBytes, Immutable, IntoBytes, KnownLayout};

use super::GAME;
use crate::acc;
use crate::layout::Layout;
use crate::typed::{Frame, TypedStream};

/// Layout of all known versions of the game.
pub static PHYSICS_800: Layout = Layout::from_table("ace-physics-800", 800, acc::PHYSICS_CHANNELS);

/// The physics page. Dereferences to [`acc::Physics`]: `page.speed_kmh`.
#[derive(Debug, Clone, Copy, PartialEq, Default, FromBytes, IntoBytes, Immutable, KnownLayout)]
#[repr(transparent)]
pub struct Physics(pub acc::Physics);

const _: () = assert!(size_of::<Physics>() == 800);

impl Deref for Physics {
    type Target = acc::Physics;

    fn deref(&self) -> &acc::Physics {
        &self.0
    }
}

impl DerefMut for Physics {
    fn deref_mut(&mut self) -> &mut acc::Physics {
        &mut self.0
    }
}

impl Frame for Physics {
    fn stream() -> TypedStream<Self> {
        TypedStream::new(&GAME, &super::PHYSICS)
    }
}
