//! The result of a capture.

use crate::capture::{EndReason, RecorderEvent, TapeSummary};
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

/// The results among the events of recorders.
#[derive(Default)]
pub(crate) struct Results {
    pub(crate) tapes: Vec<TapeSummary>,
    pub(crate) failures: Vec<String>,
}

impl Results {
    pub(crate) fn add(&mut self, event: &RecorderEvent) {
        match event {
            RecorderEvent::Opened { .. } | RecorderEvent::Warned(_) => {}
            RecorderEvent::Closed(tape) => self.tapes.push(tape.clone()),
            RecorderEvent::Failed(text) | RecorderEvent::Lost(text) => self.failures.push(text.clone()),
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
