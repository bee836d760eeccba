//! Why a tape cannot be played.

use std::io;
use std::time::Duration;

use super::neighbours::Neighbour;
use crate::format::read::ReadError;

/// Why a tape cannot be played, or not to its end.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum PlayError {
    /// Nothing on the tape is what a game shows to others while it runs.
    #[error("nothing on this tape can be played: {found}; playable are tapes of {playable}")]
    NotPlayable {
        /// What is on it.
        found: String,
        /// Names of the games that can be played.
        playable: String,
    },
    /// The wanted part has no frames.
    #[error("the tape has no frames from {from:?} to {to:?}; they are between {first:?} and {last:?}")]
    Empty {
        /// Wanted beginning.
        from: Duration,
        /// Wanted end.
        to: Duration,
        /// Where its frames begin.
        first: Duration,
        /// Where they end.
        last: Duration,
    },
    /// The speed cannot be played.
    #[error("the speed is {found}, possible are {} to {}", super::SLOWEST, super::FASTEST)]
    Speed {
        /// The speed.
        found: f64,
    },
    /// A game lives under these names.
    #[error("{neighbour}: nothing was written. End it, play under other names, or insist")]
    Live {
        /// What was seen.
        neighbour: Neighbour,
    },
    /// Somebody holds a section that is too small, and does not let go.
    #[error(
        "the shared memory {name} is there with {found} bytes, {wanted} are needed, and nobody let go of it within \
         {waited:?}: end the programs that use it"
    )]
    TooSmall {
        /// The section.
        name: String,
        /// Its bytes.
        found: u64,
        /// The bytes it should have.
        wanted: u64,
        /// How long we waited.
        waited: Duration,
    },
    /// The memory cannot be made or written.
    #[error("cannot write the shared memory {name}: {source}")]
    Memory {
        /// The section.
        name: String,
        /// What the system said.
        source: io::Error,
    },
    /// Somebody else answers where the game does, or nobody may.
    #[error(
        "cannot answer on port {port} of this machine: {source}; a game or another player may be there: end it, or play on another port"
    )]
    Port {
        /// The port.
        port: u16,
        /// What the system said.
        source: io::Error,
    },
    /// The tape cannot be read any further.
    #[error(transparent)]
    Read(#[from] ReadError),
    /// The thread that reads the tape ended, although it should not.
    #[error("the thread that reads the tape ended early: {why}. Playing cannot go on; this is a defect of gametape")]
    ReaderDied {
        /// What it left.
        why: String,
    },
    /// The system gives no thread.
    #[error("cannot start a thread: {0}")]
    Thread(io::Error),
}
