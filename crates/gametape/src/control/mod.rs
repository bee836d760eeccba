//! The control channel of a running recorder: a local socket, or a named pipe on Windows, that only the same user can open.
//!
//! Each request and each response is one line. A request is a verb, a space and the argument:
//!
//! ```text
//! mark TEXT    adds a mark to the tape that is being written    ok PATH | no REASON
//! status       frames and path of the tape being written        ok recording FRAMES PATH | ok waiting
//! server       URL of the recorder's web server                 ok http://127.0.0.1:7223 | no REASON
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

/// A running recorder.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RunningRecorder {
    /// Its process id.
    pub process: u32,
    /// The path of its file: the socket, or the file that names the pipe.
    pub address: PathBuf,
}

/// Why a request to a recorder failed.
#[derive(Debug, thiserror::Error)]
pub enum ControlError {
    /// An I/O error.
    #[error("cannot reach the recorder at {}: {source}", address.display())]
    Io {
        /// The address of the recorder.
        address: PathBuf,
        /// The I/O error.
        source: io::Error,
    },
    /// The recorder refused the request.
    #[error("the recorder refused: {0}")]
    Refused(String),
    /// The response is not known to this version.
    #[error("unknown response from the recorder: {0:?}; it may be a different version of gametape")]
    NotUnderstood(String),
}
