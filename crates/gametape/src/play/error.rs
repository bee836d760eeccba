//! Errors of the player.

use std::io;
use std::time::Duration;

use super::neighbours::Neighbour;
use crate::format::read::ReadError;

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
    #[error("the tape has no frames from {from:?} to {to:?}; its frames are between {first:?} and {last:?}")]
    Empty {
        /// Start of the requested range.
        from: Duration,
        /// End of the requested range.
        to: Duration,
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
    #[error("{neighbour}; nothing was written. Exit it, play under other names, or force the playback")]
    Live {
        /// What was detected.
        neighbour: Neighbour,
    },
    /// Another program holds a section that is too small and does not release it.
    #[error(
        "the shared memory {name} exists with {found} bytes, but {wanted} are needed, and no program released it within \
         {waited:?}: exit the programs that use it"
    )]
    TooSmall {
        /// The section.
        name: String,
        /// Its size in bytes.
        found: u64,
        /// The required size in bytes.
        wanted: u64,
        /// How long the player waited.
        waited: Duration,
    },
    /// The shared memory cannot be created or written.
    #[error("cannot write the shared memory {name}: {source}")]
    Memory {
        /// The section.
        name: String,
        /// The error of the operating system.
        source: io::Error,
    },
    /// The port is in use, or binding it is not allowed.
    #[error(
        "cannot listen on port {port} of this machine: {source}; a game or another player may use it: exit it, or play on another port"
    )]
    Port {
        /// The port.
        port: u16,
        /// The error of the operating system.
        source: io::Error,
    },
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
