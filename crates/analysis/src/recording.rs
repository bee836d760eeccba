//! [`Recording`], the trait through which analysis reads a recording. Implemented for tapes.
//!
//! It exposes stream descriptors and frames in time order, and little else. [`laps`](crate::laps) and [`live`](crate::live) read
//! through it, so that a tape on disk, a tape in a browser and another program's recording give the same laps.

use std::collections::BTreeMap;

use gametape_format::read::{Merged, ReadError, Tape, TapeStream};
use gametape_format::{Event, StreamSpec, TapeId};

/// Kind of the event at the end of a gap, a period in which the game was unavailable.
pub const GAP: &str = "gap";

/// Returns the length of the gap that a [`GAP`] event ends. Tapes of earlier versions store it only in the event's text.
#[must_use]
pub fn gap_length_ns(event: &Event) -> Option<u64> {
    let by_text = || {
        let ms: u64 = event.text.strip_prefix("away for ")?.strip_suffix(" ms")?.parse().ok()?;
        Some(ms.saturating_mul(1_000_000))
    };
    event.length_ns.or_else(by_text)
}

/// A recorded frame.
#[derive(Debug, Clone, Copy)]
pub struct RecordedFrame<'a> {
    /// Index of the frame's stream in [`Recording::streams`].
    pub stream: usize,
    /// Capture time since the start of the recording.
    pub time_ns: u64,
    /// Raw bytes, as the game wrote them.
    pub bytes: &'a [u8],
}

/// A period in which the game was unavailable.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Gap {
    /// When the game became available again.
    pub end_ns: u64,
    /// How long the game was unavailable.
    pub length_ns: u64,
}

/// How a recording ends, and whether more frames may follow.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Ending {
    /// The recording was closed.
    Closed,
    /// The recording is cut off: its recorder was killed, or the file was truncated.
    Broken,
    /// The recording is still being written.
    Running,
}

/// A cursor over frames in time order.
pub trait FrameCursor {
    /// Returns the next frame, or `None` after the last one. After [`ReadError::Damaged`], the cursor continues past the damage.
    fn next(&mut self) -> Result<Option<RecordedFrame<'_>>, ReadError>;
}

/// A recording of a game.
pub trait Recording {
    /// Returns the recording's id, from which the ids of sessions and laps are derived.
    fn id(&self) -> Option<TapeId>;

    /// Returns the descriptors of the game streams, without the streams that the recorder writes about itself. Everywhere else, a
    /// stream is identified by its index in this list.
    fn streams(&self) -> Vec<&StreamSpec>;

    /// Returns the time of a stream's first frame and the time until which its last frame was observed, or `None` if it has no frames.
    fn span_ns(&self, stream: usize) -> Option<(u64, u64)>;

    /// Returns a cursor over the frames of all game streams, starting at `from_ns`.
    fn frames_from<'a>(&'a self, from_ns: u64) -> Result<Box<dyn FrameCursor + 'a>, ReadError>;

    /// Returns the frame of a stream that was current at `time_ns`, or `None` if there was none or it cannot be read.
    fn frame_at(&self, stream: usize, time_ns: u64) -> Option<Vec<u8>>;

    /// Returns the wall clock readings: time in the recording, and UTC in nanoseconds since 1970.
    fn clock_readings(&self) -> Vec<(u64, i64)>;

    /// Returns the gaps in time order.
    fn gaps(&self) -> Vec<Gap>;

    /// Returns the metadata stored with the recording.
    fn metadata(&self) -> BTreeMap<String, String>;

    /// Returns how the recording ends, and whether more frames may follow.
    fn ending(&self) -> Ending;

    /// Returns the game id, or an empty string if the recording does not name a game.
    fn game(&self) -> String {
        self.streams().into_iter().map(|spec| spec.game.as_str()).find(|game| !game.is_empty()).unwrap_or("").to_owned()
    }

    /// Returns the time until which any stream was observed.
    fn end_ns(&self) -> u64 {
        (0..self.streams().len()).filter_map(|stream| Some(self.span_ns(stream)?.1)).max().unwrap_or_default()
    }
}

/// Returns the game streams of a tape, in the order of [`Recording::streams`].
pub fn streams_of_games(tape: &Tape) -> impl Iterator<Item = &TapeStream> {
    tape.streams().filter(|stream| !stream.spec().role.is_system())
}

struct TapeCursor<'a> {
    frames: Merged<'a>,
    /// Stream ids on the tape, by stream index.
    streams: Vec<gametape_format::StreamId>,
}

impl FrameCursor for TapeCursor<'_> {
    fn next(&mut self) -> Result<Option<RecordedFrame<'_>>, ReadError> {
        let Some(frame) = self.frames.next()? else { return Ok(None) };
        let stream = self.streams.iter().position(|id| *id == frame.stream).unwrap_or(usize::MAX);
        Ok(Some(RecordedFrame { stream, time_ns: frame.time_ns, bytes: frame.data }))
    }
}

impl Recording for Tape {
    fn id(&self) -> Option<TapeId> {
        Tape::id(self)
    }

    fn streams(&self) -> Vec<&StreamSpec> {
        streams_of_games(self).map(TapeStream::spec).collect()
    }

    fn span_ns(&self, stream: usize) -> Option<(u64, u64)> {
        let stream = streams_of_games(self).nth(stream)?;
        let last_ns = stream.totals().last_ns.max(stream.status().seen_until_ns);
        Some((stream.totals().first_ns?, last_ns?))
    }

    fn frames_from<'a>(&'a self, from_ns: u64) -> Result<Box<dyn FrameCursor + 'a>, ReadError> {
        let mut frames = self.merged(streams_of_games(self));
        if from_ns > 0 {
            match frames.seek_time(from_ns) {
                Ok(()) | Err(ReadError::Damaged(_)) => {}
                Err(error) => return Err(error),
            }
        }
        Ok(Box::new(TapeCursor { frames, streams: streams_of_games(self).map(TapeStream::id).collect() }))
    }

    fn frame_at(&self, stream: usize, time_ns: u64) -> Option<Vec<u8>> {
        let stream = streams_of_games(self).nth(stream)?;
        Tape::frame_at(self, stream, time_ns).ok().flatten().map(|(_, bytes)| bytes)
    }

    fn clock_readings(&self) -> Vec<(u64, i64)> {
        let mut readings = Tape::clock_readings(self);
        if let (true, Some(utc_ns)) = (readings.is_empty(), self.start_utc_ns()) {
            readings.push((0, utc_ns));
        }
        readings.sort_by_key(|(time_ns, _)| *time_ns);
        readings
    }

    fn gaps(&self) -> Vec<Gap> {
        let gaps = self.events().into_iter().filter(|event| event.kind == GAP);
        // The time of the event is the end of the gap.
        gaps.filter_map(|event| Some(Gap { end_ns: event.at_ns, length_ns: gap_length_ns(&event)? })).collect()
    }

    fn metadata(&self) -> BTreeMap<String, String> {
        Tape::metadata(self)
    }

    fn ending(&self) -> Ending {
        match (self.is_complete(), self.is_being_written()) {
            (true, _) => Ending::Closed,
            (false, true) => Ending::Running,
            (false, false) => Ending::Broken,
        }
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
