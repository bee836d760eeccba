//! How another command reaches a recorder that runs: a local socket, or on Windows a named pipe, that only the same user can open.
//!
//! One line asks, one line answers. A line is a verb, a space and the rest:
//!
//! ```text
//! mark TEXT    puts a mark on the tape that is being written    ok PATH | no WHY
//! status       frames and path of the tape being written        ok recording FRAMES PATH | ok waiting
//! server       where the recorder serves its laps               ok http://127.0.0.1:7223 | no WHY
//! ```
#[cfg(any(unix, windows))]
mod folder;
#[cfg(any(unix, windows))]
mod line;
#[cfg(windows)]
mod pipe;
#[cfg(unix)]
mod socket;
#[cfg(any(unix, windows))]
mod talk;
#[cfg(not(any(unix, windows)))]
mod unsupported;

#[cfg(any(unix, windows))]
pub use folder::recorders;
#[cfg(windows)]
pub use pipe::{ControlServer, ask};
#[cfg(unix)]
pub use socket::{ControlServer, ask};
#[cfg(not(any(unix, windows)))]
pub use unsupported::{ControlServer, ask, recorders};

use std::io;
use std::path::PathBuf;

/// A recorder that can be asked.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RunningRecorder {
    /// Number of its process.
    pub process: u32,
    /// The file by which it is found.
    pub address: PathBuf,
}

/// Why a recorder could not be asked.
#[derive(Debug, thiserror::Error)]
pub enum ControlError {
    /// The system refused.
    #[error("cannot reach the recorder at {}: {source}", address.display())]
    Io {
        /// Where it listens.
        address: PathBuf,
        /// What the system said.
        source: io::Error,
    },
    /// The recorder said no.
    #[error("the recorder says: {0}")]
    Refused(String),
    /// The answer is none that this version knows.
    #[error("the recorder gave an answer that is not understood: {0:?}; it may be of another version")]
    NotUnderstood(String),
}
