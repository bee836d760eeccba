//! Observers, which receive the frames while they are recorded.

use std::path::Path;

use gametape_format::TapeId;

use super::options::EndReason;
use crate::transport::Description;

/// The start of a tape.
#[derive(Debug, Clone, Copy)]
pub struct TapeBegins<'a> {
    /// The streams of the tape.
    pub description: &'a Description,
    /// Id and path of the tape; `None` if nothing is stored.
    pub file: Option<(TapeId, &'a Path)>,
    /// Start time: UTC, nanoseconds since 1970.
    pub utc_ns: i64,
    /// Id of the tape that is being played, if the recording captures a gametape player.
    pub replay_of: Option<&'a str>,
}

/// A frame that the tape has accepted.
#[derive(Debug, Clone, Copy)]
pub struct ObservedFrame<'a> {
    /// Index of its stream in the description.
    pub stream: usize,
    /// Time since the beginning of the tape.
    pub time_ns: u64,
    /// Its bytes.
    pub bytes: &'a [u8],
    /// Whether it equals the previous frame of its stream, so that the tape does not store it again.
    pub unchanged: bool,
}

impl<'a> ObservedFrame<'a> {
    /// Creates a frame that differs from the previous one.
    pub fn new(stream: usize, time_ns: u64, bytes: &'a [u8]) -> Self {
        Self { stream, time_ns, bytes, unchanged: false }
    }
}

/// Receives every frame that the tape has accepted. Called on the capturing thread: it must not block and must not fail. Frames
/// that the tape rejected are not passed on. Times are relative to the beginning of the tape.
pub trait Observer: Send {
    /// A tape begins.
    fn begin(&mut self, tape: &TapeBegins<'_>);

    /// Called with a frame that the tape has accepted, unchanged ones included.
    fn frame(&mut self, frame: &ObservedFrame<'_>);

    /// Called when the game comes back after an absence of `length_ns` that ended at `until_ns`. Later frames are after the gap.
    fn gap(&mut self, until_ns: u64, length_ns: u64) {
        let _ = (until_ns, length_ns);
    }

    /// Called with a clock reading that maps tape time to UTC, in nanoseconds since 1970.
    fn clock(&mut self, time_ns: u64, utc_ns: i64) {
        let _ = (time_ns, utc_ns);
    }

    /// Called when the user sets a mark.
    fn mark(&mut self, time_ns: u64, text: &str) {
        let _ = (time_ns, text);
    }

    /// Called after the last frame of the tape. Its file is being closed.
    fn end(&mut self, time_ns: u64, reason: EndReason) {
        let _ = (time_ns, reason);
    }
}
