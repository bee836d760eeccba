//! Typed frames: a stream together with the struct of its frames.
//!
//! The structs hold plain numbers in the byte order of the games, little endian. A big-endian host would misread them,
//! so the crate does not build for one.
use std::fmt::{self, Debug};
use std::marker::PhantomData;

use zerocopy::{FromBytes, Immutable, KnownLayout};

use crate::registry::{Game, Stream};

#[cfg(target_endian = "big")]
compile_error!(
    "gametape-games does not support big-endian hosts: frames are little endian and read without conversion"
);

/// A struct with the exact layout of a frame: `#[repr(C)]`, little endian, with explicit padding.
pub trait Frame: FromBytes + Immutable + KnownLayout + Sized + 'static {
    /// Returns the stream whose frames have this type.
    fn stream() -> TypedStream<Self>;
}

/// A stream of a game and the type of its frames.
pub struct TypedStream<F> {
    /// The game.
    pub game: &'static Game,
    /// The stream.
    pub stream: &'static Stream,
    frame: PhantomData<fn() -> F>,
}

impl<F> TypedStream<F> {
    /// Pairs a stream of a game with its frame type `F`.
    #[must_use]
    pub const fn new(game: &'static Game, stream: &'static Stream) -> Self {
        Self { game, stream, frame: PhantomData }
    }
}

impl<F> Clone for TypedStream<F> {
    fn clone(&self) -> Self {
        *self
    }
}

impl<F> Copy for TypedStream<F> {}

impl<F> Debug for TypedStream<F> {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(out, "{} {}", self.game.id, self.stream.name)
    }
}
