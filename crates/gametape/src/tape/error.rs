//! Errors of reading frames from a tape.

use super::wanted::Fault;
use crate::format::read::{Problem, ReadError};

/// Why frames of a tape cannot be returned.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum TapeError {
    /// The tape has no such stream.
    #[error("the tape has no stream {wanted}; it has {offered}")]
    NoSuchStream {
        /// The requested stream.
        wanted: String,
        /// The streams in the tape.
        offered: String,
    },
    /// The frames do not have the requested type.
    #[error(transparent)]
    WrongType(Fault),
    /// A part of the stream is damaged.
    #[error("{0}; skip it with try_frames, or write an intact tape with `gametape recover`")]
    Damaged(Problem),
    /// The tape cannot be read.
    #[error(transparent)]
    Read(ReadError),
    /// There is no decoder for the game.
    #[error("samples are not supported for the game {game:?}")]
    UnknownGame {
        /// The game in the tape.
        game: String,
    },
}

impl From<ReadError> for TapeError {
    fn from(error: ReadError) -> Self {
        match error {
            ReadError::Damaged(problem) => Self::Damaged(problem),
            other => Self::Read(other),
        }
    }
}
