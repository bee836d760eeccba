//! Converts frames of any game to envelopes. Takes streams, then frames and events as they arrive; returns bytes.

use std::collections::BTreeMap;

use gametape_format::StreamSpec;
use telemetry_v2::Timestamp;
use telemetry_v2::proto::telemetry::v2::{
    CaptureHeader, Frame, Mark, RawFrame, RawHeader, RawStream, capture_header, frame,
};
use telemetry_v2::write::{Layout, WriteError, WriteOptions, Writer};

/// The header fields of a capture that do not depend on the game.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct CaptureHead {
    /// Identity; for a tape, its id.
    pub capture_id: String,
    /// UTC at time 0, if known.
    pub start_utc_ns: Option<i64>,
    /// Keys and values.
    pub metadata: BTreeMap<String, String>,
}

impl CaptureHead {
    /// Returns the header without the game's part.
    pub(super) fn header(self) -> CaptureHeader {
        CaptureHeader {
            capture_id: self.capture_id,
            created_at: self.start_utc_ns.and_then(|ns| Timestamp::from_unix_nanos(ns.into())),
            metadata: self.metadata,
            ..CaptureHeader::default()
        }
    }
}

/// Why an envelope cannot be built.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum V2MakeError {
    /// The frame number would overflow.
    #[error("a stream holds at most {} frames; start another", u32::MAX)]
    TooManyFrames,
    /// The frame is larger than readers accept, or a previous write failed.
    #[error(transparent)]
    Write(#[from] WriteError),
}

/// Builds the envelopes of a capture.
pub struct RawMaker {
    writer: Writer<Vec<u8>>,
    frames: u32,
}

impl std::fmt::Debug for RawMaker {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("RawMaker").field("frames", &self.frames).finish_non_exhaustive()
    }
}

impl RawMaker {
    /// Creates a maker; the header can be taken at once. Streams that are not listed here may still have frames.
    pub fn new<'a>(
        head: CaptureHead,
        game: &str,
        streams: impl IntoIterator<Item = &'a StreamSpec>,
    ) -> Result<Self, V2MakeError> {
        let streams = streams.into_iter().map(|spec| RawStream {
            name: spec.name.clone(),
            layout: spec.layout.clone(),
            descriptor: spec.to_bytes().into(),
        });
        let raw = RawHeader { game: game.to_owned(), streams: streams.collect() };
        let header = CaptureHeader { game_header: Some(capture_header::GameHeader::Raw(raw)), ..head.header() };
        Ok(Self { writer: Writer::new(Vec::new(), header, plain())?, frames: 0 })
    }

    /// Feeds a frame. `sequence` is the number of the frame in its stream: a gap means loss.
    pub fn frame(&mut self, stream: &str, time_ns: u64, sequence: u64, data: &[u8]) -> Result<(), V2MakeError> {
        let data = data.to_vec().into();
        self.push(time_ns, frame::Payload::Raw(RawFrame { stream: stream.to_owned(), data, time_ns, sequence }))
    }

    /// Feeds a mark or another event.
    pub fn mark(&mut self, time_ns: u64, kind: &str, text: &str) -> Result<(), V2MakeError> {
        self.push(time_ns, frame::Payload::Mark(mark(time_ns, kind, text)))
    }

    fn push(&mut self, time_ns: u64, payload: frame::Payload) -> Result<(), V2MakeError> {
        let frame_index = self.frames;
        let next = frame_index.checked_add(1).ok_or(V2MakeError::TooManyFrames)?;
        let timestamp_offset_ms = offset_ms(time_ns);
        self.writer.frame(Frame { frame_index, timestamp_offset_ms, payload: Some(payload), ..Frame::default() })?;
        self.frames = next;
        Ok(())
    }

    /// Returns the bytes produced since the last call, in complete records.
    pub fn take(&mut self) -> Vec<u8> {
        std::mem::take(self.writer.sink_mut())
    }

    /// Ends the stream. Returns the remaining bytes, including the footer.
    pub fn finish(self) -> Result<Vec<u8>, V2MakeError> {
        Ok(self.writer.finish()?.0)
    }
}

/// Options for a stream that is read sequentially.
pub(super) fn plain() -> WriteOptions {
    WriteOptions { layout: Layout::Plain, ..WriteOptions::default() }
}

pub(super) fn mark(time_ns: u64, kind: &str, text: &str) -> Mark {
    Mark { kind: kind.to_owned(), text: text.to_owned(), time_ns }
}

/// Converts a time to milliseconds for a frame. They saturate after 49 days; the payload has the nanoseconds.
pub(super) fn offset_ms(time_ns: u64) -> u32 {
    u32::try_from(time_ns / 1_000_000).unwrap_or(u32::MAX)
}

#[cfg(test)]
mod tests {
    use telemetry_v2::proto::telemetry::v2::EventType;
    use telemetry_v2::read::Reader;

    use super::*;

    #[test]
    fn every_frame_and_mark_is_in_the_stream_in_its_order_whenever_it_is_taken() {
        let head = CaptureHead {
            capture_id: "one".into(),
            start_utc_ns: Some(1_700_000_000_123_456_789),
            metadata: BTreeMap::from([("track".to_owned(), "somewhere".to_owned())]),
        };
        let specs = [StreamSpec::rows("physics"), StreamSpec::json("session")];
        let mut maker = RawMaker::new(head, "some-game", &specs).unwrap();
        let mut bytes = maker.take();
        assert!(!bytes.is_empty() && maker.take().is_empty());
        for number in 0..250u64 {
            maker.frame("physics", number * 1_500_000, number, &number.to_le_bytes()).unwrap();
            if number == 7 {
                maker.mark(number * 1_500_000, "mark", "look here").unwrap();
            }
            bytes.extend(maker.take());
        }
        bytes.extend(maker.finish().unwrap());
        let capture = Reader::new(bytes.as_slice()).unwrap().read_all().unwrap();
        assert_eq!((capture.problems.len(), capture.frames.len()), (0, 251));
        let header = capture.header.unwrap();
        assert_eq!(header.created_at.unwrap().unix_nanos(), 1_700_000_000_123_456_789);
        let Some(capture_header::GameHeader::Raw(raw)) = header.game_header else { panic!() };
        assert_eq!((raw.game.as_str(), raw.streams.len()), ("some-game", 2));
        assert_eq!(StreamSpec::parse(&raw.streams[1].descriptor).unwrap(), specs[1]);
        let Some(frame::Payload::Mark(found)) = &capture.frames[8].payload else { panic!() };
        assert_eq!((found.text.as_str(), found.time_ns), ("look here", 10_500_000));
        let Some(frame::Payload::Raw(last)) = &capture.frames[250].payload else { panic!() };
        assert_eq!((last.sequence, last.time_ns, capture.frames[250].timestamp_offset_ms), (249, 373_500_000, 373));
        assert_eq!(last.data, 249u64.to_le_bytes().as_slice());
        let footer = capture.footer.unwrap();
        assert_eq!((footer.frame_count, footer.keyframe_index.len()), (251, 3));
        assert!(footer.event_index.iter().all(|entry| entry.event.event_type() != Some(EventType::Unspecified)));
    }

    #[test]
    fn a_frame_that_no_reader_takes_is_refused_and_the_stream_goes_on() {
        let mut maker = RawMaker::new(CaptureHead::default(), "some-game", &[]).unwrap();
        let error = maker.frame("physics", 0, 0, &vec![0; 17 << 20]).unwrap_err();
        assert!(error.to_string().contains("at most"), "{error}");
        maker.frame("physics", 5, 1, &[1]).unwrap();
        let capture = Reader::new(maker.finish().unwrap().as_slice()).unwrap().read_all().unwrap();
        assert_eq!((capture.problems.len(), capture.frames.len()), (0, 1));
    }
}
