//! Errors of the player.

use std::io;
use std::time::Duration;

use crate::format::read::ReadError;
use crate::transport::StageError;
use crate::transport::shared_memory::running_game::RunningGame;

/// Why a tape cannot be played, or not to its end.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum PlayError {
    /// The tape has no stream that its game publishes while it runs.
    #[error("this tape cannot be played: it has {found}; tapes of these games can be: {playable}")]
    NotPlayable {
        /// What the tape contains.
        found: String,
        /// Names of the games whose tapes can be played.
        playable: String,
    },
    /// The requested range has no frames.
    #[error(
        "the tape has no frames from {from:?} to {}; its frames are between {first:?} and {last:?}",
        to.map_or_else(|| "its end".to_owned(), |to| format!("{to:?}"))
    )]
    Empty {
        /// Start of the requested range.
        from: Duration,
        /// End of the requested range; `None` if it is the end of the tape.
        to: Option<Duration>,
        /// Time of the first frame.
        first: Duration,
        /// Time of the last frame.
        last: Duration,
    },
    /// The speed is not supported.
    #[error("the speed {found} is not supported; use {} to {}", super::SLOWEST, super::FASTEST)]
    Speed {
        /// The requested speed.
        found: f64,
    },
    /// A game is running under these names.
    #[error("{found}; nothing was written. Exit it, play under other names, or force the playback")]
    Live {
        /// What was detected.
        found: RunningGame,
    },
    /// The interface of the game cannot be created or written.
    #[error(transparent)]
    Stage(#[from] StageError),
    /// The tape cannot be read any further.
    #[error(transparent)]
    Read(#[from] ReadError),
    /// The thread that reads the tape ended unexpectedly.
    #[error("the thread that reads the tape ended early: {why}. Playback cannot continue; this is a bug in gametape")]
    ReaderDied {
        /// Its panic message.
        why: String,
    },
    /// No thread could be started.
    #[error("cannot start a thread: {0}")]
    Thread(io::Error),
}
