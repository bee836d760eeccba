//! Unix sockets in a folder that only the user may enter: one per recorder, named by its process id.

use std::fs::{DirBuilder, Permissions};
use std::io;
use std::net::Shutdown;
use std::os::unix::fs::{DirBuilderExt, PermissionsExt};
use std::os::unix::net::{UnixListener, UnixStream};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::thread::JoinHandle;
use std::time::Duration;

use super::folder::{address, remove_dead};
use super::{ControlError, RunningRecorder, line};

/// Timeout for a request, and for its response.
const PATIENCE: Duration = Duration::from_secs(2);
/// Number of connection attempts: a recorder that is starting has bound its socket but may not listen yet.
const TRIES: u32 = 10;
const NAP: Duration = Duration::from_millis(20);

/// Serves requests until dropped.
#[derive(Debug)]
pub struct ControlServer {
    address: PathBuf,
    stop: Arc<AtomicBool>,
    /// The client that is being served.
    asking: Asking,
    thread: Option<JoinHandle<()>>,
}

type Asking = Arc<Mutex<Option<UnixStream>>>;

impl ControlServer {
    /// Starts serving in `folder`, which is created if it does not exist. `answer` maps a verb and its argument to the response.
    pub fn start(
        folder: &Path,
        answer: impl Fn(&str, &str) -> Result<String, String> + Send + 'static,
    ) -> io::Result<Self> {
        DirBuilder::new().recursive(true).mode(0o700).create(folder)?;
        std::fs::set_permissions(folder, Permissions::from_mode(0o700))?;
        remove_dead(folder)?;
        let address = address(folder);
        let listener = UnixListener::bind(&address)?;
        let stop = Arc::new(AtomicBool::new(false));
        let (stopped, asking) = (Arc::clone(&stop), Asking::default());
        let asks = Arc::clone(&asking);
        let thread = std::thread::Builder::new()
            .name("gametape-control".into())
            .spawn(move || serve(&listener, &stopped, &asks, &answer))?;
        Ok(Self { address, stop, asking, thread: Some(thread) })
    }
}

impl Drop for ControlServer {
    fn drop(&mut self) {
        self.stop.store(true, Ordering::SeqCst);
        // Wakes the thread, which waits for a connection.
        let woken = UnixStream::connect(&self.address);
        let _ = std::fs::remove_file(&self.address);
        if woken.is_err() {
            return;
        }
        // A client that has not sent its request must not delay shutdown: the thread reads no more from it.
        if let Some(stream) = self.asking.lock().unwrap_or_else(PoisonError::into_inner).take() {
            let _ = stream.shutdown(Shutdown::Read);
        }
        if let Some(thread) = self.thread.take() {
            let _ = thread.join();
        }
    }
}

fn serve(
    listener: &UnixListener,
    stop: &AtomicBool,
    asking: &Asking,
    answer: &dyn Fn(&str, &str) -> Result<String, String>,
) {
    let note = |stream| *asking.lock().unwrap_or_else(PoisonError::into_inner) = stream;
    while !stop.load(Ordering::Relaxed) {
        match listener.accept() {
            Ok((mut stream, _)) => {
                note(stream.try_clone().ok());
                // Checked after storing the stream: a concurrent shutdown either is seen here or finds the stream.
                if stop.load(Ordering::SeqCst) {
                    return;
                }
                // A malformed request affects only its client.
                let _ = serve_one(&mut stream, answer);
                note(None);
            }
            Err(_) => std::thread::sleep(NAP),
        }
    }
}

fn serve_one(stream: &mut UnixStream, answer: &dyn Fn(&str, &str) -> Result<String, String>) -> io::Result<()> {
    stream.set_read_timeout(Some(PATIENCE))?;
    stream.set_write_timeout(Some(PATIENCE))?;
    line::answer(stream, answer)
}

fn connect(address: &Path) -> io::Result<UnixStream> {
    let mut tries = 1;
    loop {
        match UnixStream::connect(address) {
            Err(error) if error.kind() == io::ErrorKind::ConnectionRefused && tries < TRIES => tries += 1,
            connected => return connected,
        }
        std::thread::sleep(NAP);
    }
}

/// Sends a request: a verb, a space and the argument. Returns the response without `ok`.
pub fn ask(recorder: &RunningRecorder, text: &str) -> Result<String, ControlError> {
    let connected = || {
        let stream = connect(&recorder.address)?;
        stream.set_read_timeout(Some(PATIENCE))?;
        stream.set_write_timeout(Some(PATIENCE))?;
        Ok(stream)
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
        assert_eq!(std::fs::metadata(&folder).unwrap().permissions().mode() & 0o777, 0o700);
        let [recorder] = recorders(&folder).unwrap().try_into().unwrap();
        assert_eq!(ask(&recorder, "mark here\nand there").unwrap(), "marked here and there");
        assert!(matches!(ask(&recorder, "dance"), Err(ControlError::Refused(_))));
        // Silent clients and malformed requests do not block others for long.
        drop(UnixStream::connect(&recorder.address).unwrap());
        let mut rude = UnixStream::connect(&recorder.address).unwrap();
        io::Write::write_all(&mut rude, &[0xff; 100_000]).ok();
        drop(rude);
        assert_eq!(ask(&recorder, "mark again").unwrap(), "marked again");
        drop(server);
        assert!(recorders(&folder).unwrap().is_empty());
        assert!(matches!(ask(&recorder, "mark late"), Err(ControlError::Io { .. })));
    }

    #[test]
    fn somebody_who_says_nothing_does_not_delay_the_end() {
        let folder = tempfile::tempdir().unwrap();
        let (heard, hear) = std::sync::mpsc::channel();
        let server = ControlServer::start(folder.path(), move |verb, _| {
            heard.send(verb.to_owned()).unwrap();
            Ok(String::new())
        })
        .unwrap();
        let [recorder] = recorders(folder.path()).unwrap().try_into().unwrap();
        let silent = UnixStream::connect(&recorder.address).unwrap();
        while server.asking.lock().unwrap().is_none() {
            std::thread::yield_now();
        }
        let began = std::time::Instant::now();
        drop(server);
        // Waiting for the silent one would take all of it.
        assert!(began.elapsed() < PATIENCE, "{:?}", began.elapsed());
        drop(silent);
        assert!(hear.try_recv().is_err(), "nothing was asked");
    }

    #[test]
    fn what_a_killed_recorder_left_is_not_found_and_goes_away() {
        let folder = tempfile::tempdir().unwrap();
        let dead = folder.path().join("recorder-4294967295.sock");
        drop(UnixListener::bind(&dead).unwrap());
        assert!(recorders(folder.path()).unwrap().is_empty());
        let _server = ControlServer::start(folder.path(), |_, _| Ok(String::new())).unwrap();
        assert!(!dead.exists());
        assert_eq!(recorders(folder.path()).unwrap().len(), 1);
    }
}
