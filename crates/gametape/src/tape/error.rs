//! Why frames of a tape cannot be given.

use crate::format::read::{Problem, ReadError};
use crate::library::Fault;

/// Why frames of a tape cannot be given.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum TapeError {
    /// There is no such stream.
    #[error("there is no stream {wanted} on this tape; it has {offered}")]
    NoSuchStream {
        /// What was asked for.
        wanted: String,
        /// What is there.
        offered: String,
    },
    /// The frames are of another kind.
    #[error(transparent)]
    WrongType(Fault),
    /// A part of the stream is damaged.
    #[error("{0}; read around it with try_frames, or make a whole tape with `gametape recover`")]
    Damaged(Problem),
    /// The tape cannot be read.
    #[error(transparent)]
    Read(ReadError),
    /// No decoder for the game.
    #[error("{game:?} is no game that has samples")]
    UnknownGame {
        /// What stands on the tape.
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
