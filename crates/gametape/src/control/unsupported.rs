//! Platforms without a control channel.

use std::io;
use std::path::Path;

use super::{ControlError, RunningRecorder};

/// Serves requests.
#[derive(Debug)]
pub struct ControlServer(());

impl ControlServer {
    /// Returns an error: this platform has no control channel yet.
    pub fn start(
        _folder: &Path,
        _answer: impl Fn(&str, &str) -> Result<String, String> + Send + 'static,
    ) -> io::Result<Self> {
        Err(io::Error::new(
            io::ErrorKind::Unsupported,
            "control of a running recorder is not supported on this system yet",
        ))
    }
}

/// Returns the running recorders: none, because this platform has no control channel yet.
pub fn recorders(_folder: &Path) -> io::Result<Vec<RunningRecorder>> {
    Ok(Vec::new())
}

/// Sends a request. Always fails on this platform.
pub fn ask(recorder: &RunningRecorder, _line: &str) -> Result<String, ControlError> {
    let source = io::Error::new(io::ErrorKind::Unsupported, "not supported on this system yet");
    Err(ControlError::Io { address: recorder.address.clone(), source })
}
