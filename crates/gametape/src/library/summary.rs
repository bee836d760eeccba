//! The result of a capture.

use std::path::PathBuf;
use std::time::Duration;

use crate::capture::{EndReason, RecorderEvent};
use crate::format::Counters;
use crate::format::write::Finished;
use crate::tape::wanted::Fault;

/// The result of a capture.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct Summary {
    /// The tapes, in the order in which they were closed.
    pub tapes: Vec<TapeSummary>,
    /// Distinct frames received, of all streams, recorded or not.
    pub frames: u64,
    /// Frames that slow callbacks and iterators missed. The tape contains them nevertheless.
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
    /// Time from the first frame to the end.
    pub duration: Duration,
    /// Number of the game's frames in it.
    pub frames: u64,
    /// Length of the file in bytes.
    pub bytes: u64,
    /// Detected losses.
    pub loss: Counters,
    /// Totals and losses of each stream.
    pub finished: Finished,
}

impl TapeSummary {
    /// Converts a message of a recorder: a closed tape, an error, or nothing of interest.
    pub(crate) fn of(told: RecorderEvent) -> Result<Option<Self>, String> {
        match told {
            RecorderEvent::Opened { .. } | RecorderEvent::Warned(_) => Ok(None),
            RecorderEvent::Closed { path, game, reason, duration_ns, finished } => Ok(Some(Self {
                path,
                game,
                end: reason,
                duration: Duration::from_nanos(duration_ns),
                // The names of the tape's system streams (events, metadata, …) begin with a dot.
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
            RecorderEvent::Failed(text) | RecorderEvent::Lost(text) => Err(text),
        }
    }
}

/// An error during a capture. The summary holds what was recorded.
#[derive(Debug, thiserror::Error)]
#[error("{}", self.text())]
#[non_exhaustive]
pub struct CaptureError {
    /// Errors of reading, writing or closing.
    pub failures: Vec<String>,
    /// Errors of callbacks, iterators and writers. They do not affect the recording.
    pub faults: Vec<Fault>,
    /// What was captured nevertheless.
    pub summary: Summary,
}

impl CaptureError {
    fn text(&self) -> String {
        let all = self.failures.iter().cloned().chain(self.faults.iter().map(ToString::to_string));
        all.collect::<Vec<_>>().join("; ")
    }
}
