//! Named pipes, one per recorder. A file in the user's folder names the pipe, so that recorders are found as on other systems.
//!
//! The pipe has the default security descriptor of Windows: only the user and administrators may write to it, and it cannot be opened
//! from another machine.

use std::fs::OpenOptions;
use std::io::{self, Read, Write};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread::JoinHandle;
use std::time::Duration;

use super::folder::{address, remove_dead};
use super::{ControlError, RunningRecorder, line};
use crate::sys::{PipeServer, PipeStream};

/// Timeout for a request, and for its response.
const PATIENCE: Duration = Duration::from_secs(2);
const NAP: Duration = Duration::from_millis(20);
/// Maximum length of a pipe name; longer than any that we create.
const NAME_BYTES: u64 = 256;

/// Serves requests until dropped.
#[derive(Debug)]
pub struct ControlServer {
    address: PathBuf,
    name: String,
    stop: Arc<AtomicBool>,
    thread: Option<JoinHandle<()>>,
}

impl ControlServer {
    /// Starts serving, and writes the file with the pipe's name to `folder`, which is created if it does not exist. `answer` maps a verb
    /// and its argument to the response.
    pub fn start(
        folder: &Path,
        answer: impl Fn(&str, &str) -> Result<String, String> + Send + 'static,
    ) -> io::Result<Self> {
        std::fs::create_dir_all(folder)?;
        remove_dead(folder)?;
        // The name is random, so that no other process can create the pipe first.
        let name = format!("gametape-{}-{}", std::process::id(), crate::identity::new_id());
        let pipe = PipeServer::create(&name)?;
        let address = address(folder);
        let stop = Arc::new(AtomicBool::new(false));
        let stopped = Arc::clone(&stop);
        let thread = std::thread::Builder::new()
            .name("gametape-control".into())
            .spawn(move || serve(&pipe, &stopped, &answer))?;
        // The file is created after the pipe. If that fails, dropping the server stops the thread.
        let server = Self { address, name, stop, thread: Some(thread) };
        let mut file = OpenOptions::new().write(true).create_new(true).open(&server.address)?;
        file.write_all(server.name.as_bytes())?;
        Ok(server)
    }
}

impl Drop for ControlServer {
    fn drop(&mut self) {
        self.stop.store(true, Ordering::Relaxed);
        let _ = std::fs::remove_file(&self.address);
        // Wakes the thread, which waits for a connection.
        if PipeStream::open(&self.name, PATIENCE).is_err() {
            return;
        }
        if let Some(thread) = self.thread.take() {
            let _ = thread.join();
        }
    }
}

fn serve(pipe: &PipeServer, stop: &AtomicBool, answer: &dyn Fn(&str, &str) -> Result<String, String>) {
    while !stop.load(Ordering::Relaxed) {
        match pipe.accept(PATIENCE) {
            // A malformed request affects only its client.
            Ok(mut client) if !stop.load(Ordering::Relaxed) => {
                if line::answer(&mut client, answer).is_ok() {
                    client.wait_until_read();
                }
            }
            Ok(_) => return,
            Err(_) => std::thread::sleep(NAP),
        }
    }
}

/// Sends a request: a verb, a space and the argument. Returns the response without `ok`.
pub fn ask(recorder: &RunningRecorder, text: &str) -> Result<String, ControlError> {
    let connected = || {
        let mut name = String::new();
        std::fs::File::open(&recorder.address)?.take(NAME_BYTES).read_to_string(&mut name)?;
        PipeStream::open(&name, PATIENCE)
    };
    line::ask(recorder, connected, text)
}

#[cfg(test)]
mod tests {
    use super::super::recorders;
    use super::*;

    #[test]
    fn a_recorder_is_found_asked_and_gone() {
        let folder = tempfile::tempdir().unwrap();
        let folder = folder.path().join("run");
        assert!(recorders(&folder).unwrap().is_empty());
        let server = ControlServer::start(&folder, |verb, rest| match verb {
            "mark" => Ok(format!("marked {rest}")),
            other => Err(format!("no such verb: {other}")),
        })
        .unwrap();
        let [recorder] = recorders(&folder).unwrap().try_into().unwrap();
        assert_eq!(ask(&recorder, "mark here\nand there").unwrap(), "marked here and there");
        assert!(matches!(ask(&recorder, "dance"), Err(ControlError::Refused(_))));
        // Silent clients and malformed requests do not block others for long.
        drop(PipeStream::open(&server.name, PATIENCE).unwrap());
        let mut rude = PipeStream::open(&server.name, PATIENCE).unwrap();
        rude.write_all(&[0xff; 5_000]).ok();
        drop(rude);
        assert_eq!(ask(&recorder, "mark again").unwrap(), "marked again");
        drop(server);
        assert!(recorders(&folder).unwrap().is_empty());
        assert!(matches!(ask(&recorder, "mark late"), Err(ControlError::Io { .. })));
    }

    #[test]
    fn what_a_killed_recorder_left_is_not_found_and_goes_away() {
        let folder = tempfile::tempdir().unwrap();
        let dead = folder.path().join("recorder-4294967295.pipe");
        drop(std::fs::File::create_new(&dead).unwrap());
        assert!(recorders(folder.path()).unwrap().is_empty());
        let _server = ControlServer::start(folder.path(), |_, _| Ok(String::new())).unwrap();
        assert!(!dead.exists());
        assert_eq!(recorders(folder.path()).unwrap().len(), 1);
    }
}
