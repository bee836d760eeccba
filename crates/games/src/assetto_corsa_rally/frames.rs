//! The pages as structs and layouts: those of [Assetto Corsa Competizione](acc), under this game's ids.
use std::ops::{Deref, DerefMut};

use zerocopy::{FromBytes, Immutable, IntoBytes, KnownLayout};

use super::GAME;
use crate::acc;
use crate::layout::Layout;
use crate::typed::{Frame, TypedStream};

/// The physics page.
pub static PHYSICS_800: Layout = Layout::from_table("acr-physics-800", 800, acc::PHYSICS_CHANNELS);
/// The graphics page.
pub static GRAPHICS_1588: Layout = Layout::from_table("acr-graphics-1588", 1588, acc::GRAPHICS_CHANNELS);
/// The static page.
pub static STATIC_820: Layout = Layout::from_table("acr-static-820", 820, acc::STATIC_CHANNELS);

/// The physics page. Its fields are those of [`acc::Physics`].
#[derive(Debug, Clone, Copy, PartialEq, Default, FromBytes, IntoBytes, Immutable, KnownLayout)]
#[repr(transparent)]
pub struct Physics(pub acc::Physics);

/// The graphics page, which the game leaves zero. Its fields are those of [`acc::Graphics`].
#[derive(Debug, Clone, Copy, PartialEq, Default, FromBytes, IntoBytes, Immutable, KnownLayout)]
#[repr(transparent)]
pub struct Graphics(pub acc::Graphics);

/// The static page. Its fields are those of [`acc::Static`].
#[derive(Debug, Clone, Copy, PartialEq, Default, FromBytes, IntoBytes, Immutable, KnownLayout)]
#[repr(transparent)]
pub struct Static(pub acc::Static);

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

impl Deref for Graphics {
    type Target = acc::Graphics;

    fn deref(&self) -> &acc::Graphics {
        &self.0
    }
}

impl DerefMut for Graphics {
    fn deref_mut(&mut self) -> &mut acc::Graphics {
        &mut self.0
    }
}

impl Deref for Static {
    type Target = acc::Static;

    fn deref(&self) -> &acc::Static {
        &self.0
    }
}

impl DerefMut for Static {
    fn deref_mut(&mut self) -> &mut acc::Static {
        &mut self.0
    }
}

impl Frame for Physics {
    fn stream() -> TypedStream<Self> {
        TypedStream::new(&GAME, &super::PHYSICS)
    }
}

impl Frame for Graphics {
    fn stream() -> TypedStream<Self> {
        TypedStream::new(&GAME, &super::GRAPHICS)
    }
}

impl Frame for Static {
    fn stream() -> TypedStream<Self> {
        TypedStream::new(&GAME, &super::STATIC)
    }
}
