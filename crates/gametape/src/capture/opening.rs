//! Creates the file of a tape on a separate thread, so that the capturing thread never waits for the disk.

use std::io;
use std::sync::Arc;
use std::thread::JoinHandle;

use gametape_format::write::CreateError;

use super::options::{Destination, NewTape, RecordOptions};
use super::running_tape::Beginning;

/// A tape whose file is being created.
pub(super) struct Opening {
    thread: JoinHandle<Result<NewTape, CreateError>>,
    begun: Beginning,
}

/// Why a tape could not be created.
#[derive(Debug, thiserror::Error)]
pub(super) enum OpenError {
    #[error(transparent)]
    Create(#[from] CreateError),
    #[error("the thread that created the tape panicked; please report this")]
    Panicked,
}

impl Opening {
    pub(super) fn start(
        options: &Arc<RecordOptions>,
        place: Destination,
        game: &str,
        begun: Beginning,
    ) -> io::Result<Self> {
        let (options, game) = (Arc::clone(options), game.to_owned());
        let (about, utc_ns) = (begun.about.clone(), begun.utc_ns);
        let make = move || options.create(&place, &game, &about, utc_ns);
        let thread = std::thread::Builder::new().name("gametape-open".into()).spawn(make)?;
        Ok(Self { thread, begun })
    }

    /// Returns whether the thread has finished, successfully or not.
    pub(super) fn is_done(&self) -> bool {
        self.thread.is_finished()
    }

    /// Returns the file and the initial data of the tape. Blocks if the thread has not finished.
    pub(super) fn finish(self) -> Result<(NewTape, Beginning), OpenError> {
        Ok((self.thread.join().map_err(|_| OpenError::Panicked)??, self.begun))
    }
}
