//! Frames as structs: a stream together with the type of its frames.
//!
//! The structs have plain numbers in the byte order of the games, little endian; a host of the other order would read
//! them wrong, so the crate does not build for one.
use std::fmt::{self, Debug};
use std::marker::PhantomData;

use zerocopy::{FromBytes, Immutable, KnownLayout};

use crate::registry::{Game, Stream};

#[cfg(target_endian = "big")]
compile_error!("games write little endian, and frames are read as they are: no big-endian hosts");

/// A struct that is a frame, byte for byte: `#[repr(C)]`, little endian, with padding spelled out.
pub trait Frame: FromBytes + Immutable + KnownLayout + Sized + 'static {
    /// Which stream of which game has such frames.
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
    /// The stream of this game, with frames of type `F`.
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
