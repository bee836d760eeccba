//! Who else sees the frames while they are recorded.

use std::path::Path;

use gametape_format::{Event, TapeId};

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

/// Kind of the event with which a tape says that the game was away.
pub(crate) const GAP: &str = "gap";

/// Returns how long the game was away by a gap event of a tape. Tapes of earlier versions have the length only in the text.
pub(crate) fn gap_length_ns(event: &Event) -> Option<u64> {
    let by_text = || {
        let ms: u64 = event.text.strip_prefix("away for ")?.strip_suffix(" ms")?.parse().ok()?;
        Some(ms.saturating_mul(1_000_000))
    };
    event.length_ns.or_else(by_text)
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_length_of_a_gap_is_a_number_and_on_earlier_tapes_a_sentence() {
        let length =
            |text: &str, length_ns| gap_length_ns(&Event { at_ns: 0, kind: GAP.into(), text: text.into(), length_ns });
        assert_eq!(length("in other words", Some(1_490_000_123)), Some(1_490_000_123));
        assert_eq!(length("away for 7 ms", Some(5)), Some(5), "the number counts");
        assert_eq!(length("away for 1490 ms", None), Some(1_490_000_000));
        assert_eq!(length("in other words", None), None);
    }
}
