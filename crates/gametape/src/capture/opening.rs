//! Creates the file of a tape on a separate thread, so that the capturing thread never waits for the disk. Pauses
//! between tapes that fail one after the other.

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

/// A failure within this time after the previous one counts as consecutive.
const RECENT_NS: u64 = 60_000_000_000;
const FIRST_NS: u64 = 1_000_000_000;
const LONGEST_NS: u64 = 60_000_000_000;

/// Doubles the pause with every failure that follows another one within a minute. There is no pause after the first failure: most
/// causes disappear with the old file, and frames must not wait.
#[derive(Debug, Default)]
pub(super) struct Backoff {
    last_ns: Option<u64>,
    pause_ns: u64,
}

impl Backoff {
    /// Returns how long to wait after a failure at `now_ns`, in nanoseconds.
    pub(super) fn after_failure(&mut self, now_ns: u64) -> u64 {
        let again = self
            .last_ns
            .replace(now_ns)
            .is_some_and(|last_ns| now_ns.saturating_sub(last_ns) < RECENT_NS.saturating_add(self.pause_ns));
        self.pause_ns = match again {
            true => (self.pause_ns * 2).clamp(FIRST_NS, LONGEST_NS),
            false => 0,
        };
        self.pause_ns
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pauses_grow_while_tapes_break_off_and_begin_anew_after_one_that_lasted() {
        let (mut backoff, mut now_ns) = (Backoff::default(), 5);
        let pauses: Vec<u64> = (0..9)
            .map(|_| {
                let pause_ns = backoff.after_failure(now_ns);
                now_ns += pause_ns + 1_000_000;
                pause_ns / 1_000_000_000
            })
            .collect();
        assert_eq!(pauses, [0, 1, 2, 4, 8, 16, 32, 60, 60]);
        assert_eq!(backoff.after_failure(now_ns + 2 * RECENT_NS), 0);
    }
}
