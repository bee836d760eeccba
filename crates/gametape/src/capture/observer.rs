//! Who else sees the frames while they are recorded.

use std::path::Path;

use gametape_format::TapeId;

use super::batch::Description;
use super::options::EndReason;

/// A tape that begins.
#[derive(Debug, Clone, Copy)]
pub struct TapeBegins<'a> {
    /// What its streams are.
    pub description: &'a Description,
    /// Its id and its file; `None` if nothing is kept.
    pub file: Option<(TapeId, &'a Path)>,
    /// When it begins; UTC, nanoseconds since 1970.
    pub utc_ns: i64,
    /// The tape that is being played back, if what is recorded is a playback of ours.
    pub replay_of: Option<&'a str>,
}

/// Sees every frame that the tape has accepted, on the capturing thread: it must neither wait nor fail. Frames that the tape refused are
/// not shown. Times are since the beginning of the tape.
pub trait Observer: Send {
    /// A tape begins.
    fn begin(&mut self, tape: &TapeBegins<'_>);

    /// A frame that the tape has accepted, by the number of its stream in the description; also one that the tape does not store because it
    /// equals the one before.
    fn frame(&mut self, stream: usize, time_ns: u64, bytes: &[u8]);

    /// The game was away for so long until then, and comes back: what follows is behind the gap.
    fn gap(&mut self, until_ns: u64, length_ns: u64) {
        let _ = (until_ns, length_ns);
    }

    /// The clocks were compared: at this time it was that late in UTC, nanoseconds since 1970.
    fn clock(&mut self, time_ns: u64, utc_ns: i64) {
        let _ = (time_ns, utc_ns);
    }

    /// A user has set a mark.
    fn mark(&mut self, time_ns: u64, text: &str) {
        let _ = (time_ns, text);
    }

    /// The tape has got its last frame; its file is being closed.
    fn end(&mut self, time_ns: u64, reason: EndReason) {
        let _ = (time_ns, reason);
    }
}
