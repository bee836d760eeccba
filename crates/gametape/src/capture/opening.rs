//! A tape whose file is being made, on a thread of its own: the capturing thread never waits for the disk.

use std::io;
use std::sync::Arc;
use std::thread::JoinHandle;

use gametape_format::write::CreateError;

use super::options::{NewTape, Place, RecordOptions};
use super::running_tape::Beginning;

/// A tape that is not there yet.
pub(super) struct Opening {
    thread: JoinHandle<Result<NewTape, CreateError>>,
    begun: Beginning,
}

/// Why there will be no tape.
#[derive(Debug, thiserror::Error)]
pub(super) enum OpenError {
    #[error(transparent)]
    Create(#[from] CreateError),
    #[error("the thread that made the tape ended: please report it")]
    Panicked,
}

impl Opening {
    pub(super) fn start(options: &Arc<RecordOptions>, place: Place, game: &str, begun: Beginning) -> io::Result<Self> {
        let (options, game) = (Arc::clone(options), game.to_owned());
        let (about, utc_ns) = (begun.about.clone(), begun.utc_ns);
        let make = move || options.create(&place, &game, &about, utc_ns);
        let thread = std::thread::Builder::new().name("gametape-open".into()).spawn(make)?;
        Ok(Self { thread, begun })
    }

    /// Whether the file is there, or will never be.
    pub(super) fn is_done(&self) -> bool {
        self.thread.is_finished()
    }

    /// The file, and what was known of the tape. Waits if it is not done.
    pub(super) fn finish(self) -> Result<(NewTape, Beginning), OpenError> {
        Ok((self.thread.join().map_err(|_| OpenError::Panicked)??, self.begun))
    }
}
