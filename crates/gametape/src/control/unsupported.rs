//! Systems without a control channel yet.

use std::io;
use std::path::Path;

use super::{ControlError, RunningRecorder};

/// Listens for other commands.
#[derive(Debug)]
pub struct ControlServer(());

impl ControlServer {
    /// Says that this system has no control channel yet.
    pub fn start(
        _folder: &Path,
        _answer: impl Fn(&str, &str) -> Result<String, String> + Send + 'static,
    ) -> io::Result<Self> {
        Err(io::Error::new(io::ErrorKind::Unsupported, "a running recorder cannot be reached on this system yet"))
    }
}

/// The recorders that run: none can be found on this system yet.
pub fn recorders(_folder: &Path) -> io::Result<Vec<RunningRecorder>> {
    Ok(Vec::new())
}

/// Asks a recorder.
pub fn ask(recorder: &RunningRecorder, _line: &str) -> Result<String, ControlError> {
    let source = io::Error::new(io::ErrorKind::Unsupported, "not on this system yet");
    Err(ControlError::Io { address: recorder.address.clone(), source })
}
