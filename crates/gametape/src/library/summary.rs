//! What a capture gave, once it is over.

use std::path::PathBuf;
use std::time::Duration;

use super::wanted::Fault;
use crate::capture::{EndReason, Told};
use crate::format::Counters;
use crate::format::write::Finished;

/// What a capture gave.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct Summary {
    /// The tapes, in the order in which they were closed.
    pub tapes: Vec<TapeSummary>,
    /// Different frames that came in, of all streams, recorded or not.
    pub frames: u64,
    /// Frames that callbacks and iterators missed, because they were slow. They are on the tape all the same.
    pub skipped: u64,
    /// Why it ended.
    pub end: EndReason,
}

/// A tape that was written.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct TapeSummary {
    /// The file.
    pub path: PathBuf,
    /// Id of the game.
    pub game: String,
    /// Why it ended.
    pub end: EndReason,
    /// From the first frame to the end.
    pub duration: Duration,
    /// Frames of the game on it.
    pub frames: u64,
    /// Length of the file.
    pub bytes: u64,
    /// What was lost and noticed.
    pub loss: Counters,
    /// The same for each stream.
    pub finished: Finished,
}

impl TapeSummary {
    /// A tape that was told of.
    pub(crate) fn of(told: Told) -> Result<Option<Self>, String> {
        match told {
            Told::Opened { .. } | Told::Warned(_) => Ok(None),
            Told::Closed { path, game, reason, duration_ns, finished } => Ok(Some(Self {
                path,
                game,
                end: reason,
                duration: Duration::from_nanos(duration_ns),
                // The tape's own streams (events, metadata, …) have names that begin with a dot.
                frames: finished
                    .streams
                    .iter()
                    .filter(|stream| !stream.name.starts_with('.'))
                    .map(|stream| stream.totals.frames)
                    .sum(),
                bytes: finished.bytes,
                loss: finished.loss(),
                finished,
            })),
            Told::Failed(text) | Told::Lost(text) => Err(text),
        }
    }
}

/// Something went wrong while capturing. What was recorded is in the summary.
#[derive(Debug, thiserror::Error)]
#[error("{}", self.text())]
#[non_exhaustive]
pub struct CaptureError {
    /// What could not be read, kept or closed.
    pub failures: Vec<String>,
    /// What went wrong with callbacks, iterators and writers; the recording knows nothing of it.
    pub faults: Vec<Fault>,
    /// What was captured all the same.
    pub summary: Summary,
}

impl CaptureError {
    fn text(&self) -> String {
        let all = self.failures.iter().cloned().chain(self.faults.iter().map(ToString::to_string));
        all.collect::<Vec<_>>().join("; ")
    }
}
