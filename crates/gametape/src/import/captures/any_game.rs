//! Importer for Telemetry V2 captures (`.tape`) of games without their own message types: each `RawFrame` becomes a frame again, exact to
//! the byte and the nanosecond, and each mark an event.
//!
//! ```text
//! RawHeader ─▶ streams, metadata      RawFrame ─▶ frame      Mark ─▶ event      anything else ─▶ v2.rest
//! ```
//! Such a file does not contain until when an unchanged frame was observed, losses during recording, or further clock readings, so the
//! tape lacks them.

use std::collections::BTreeMap;

use gametape_format::write::BuildError;
use gametape_format::{Role, StreamId, StreamSpec};
use telemetry_v2::proto::telemetry::v2::{
    CaptureHeader, Frame, Mark, RawFrame, RawHeader, RawStream, capture_header, envelope, frame,
};
use telemetry_v2::read::{Item, Placed, ReadError, Reader, Tape};
use telemetry_v2::{Fitted, Record, RecordKind};

use super::{Reading, limits};
use crate::import::kind::Kind;
use crate::import::out::{Out, add_stream_or_plain};
use crate::import::problems::{OWN_KEYS, Problems, tell_source_at};
use crate::import::{Found, ImportError, Source};

/// Value of the metadata key `importer`. Raise the number when the same file produces a different tape.
const IMPORTER: &str = concat!("gametape ", env!("CARGO_PKG_VERSION"), " v2-tape-raw 2");

/// Stream of records that did not become a frame or event, and of records that contain more than was understood.
const REST: &str = "v2.rest";
/// Maximum number of streams; frames of further streams are stored as records.
const MAX_STREAMS: usize = 256;

/// Returns whether a capture is from a game without its own message types. The header decides or, if it is lost, the first frame.
pub(super) fn is_raw(capture: &mut Tape<Reading<'_>>) -> Result<bool, ReadError> {
    match capture.header().game_header {
        Some(capture_header::GameHeader::Raw(_)) => return Ok(true),
        Some(_) => return Ok(false),
        None => {}
    }
    let mut records = capture.records_from(0)?;
    while let Some(item) = records.next()? {
        if let Item::Record(placed) = item
            && placed.record.kind() == RecordKind::Frame
        {
            let frame = placed.record.frame(&limits());
            return Ok(frame.is_ok_and(|frame| matches!(frame.payload, Some(frame::Payload::Raw(_)))));
        }
    }
    Ok(false)
}

/// Returns whether a text fits into a tape's system streams.
fn fits(text: &str) -> bool {
    text.len() <= usize::from(u16::MAX)
}

/// A stream of the capture.
#[derive(Default)]
struct Stream {
    /// `None` if a tape cannot hold the stream.
    id: Option<StreamId>,
    time_ns: u64,
    /// Sequence number of the last frame.
    sequence: Option<u64>,
    /// Number of skipped sequence numbers.
    missing: u64,
}

/// Writes the records of a capture to a tape.
#[derive(Default)]
pub(super) struct AnyGame {
    pub(super) problems: Problems,
    begun: bool,
    game: String,
    capture_id: String,
    metadata: BTreeMap<String, String>,
    streams: BTreeMap<String, Stream>,
    records: u64,
    frames: u64,
    went_back: u64,
    /// Number of records in [`REST`].
    kept: u64,
    /// Latest time of anything; `event_ns` is that of events.
    time_ns: u64,
    event_ns: u64,
}

impl AnyGame {
    /// Reads all records.
    pub(super) fn read(
        mut reader: Reader<Reading<'_>>,
        source: &Source,
        out: &mut dyn Out,
        progress: &mut dyn FnMut(u64),
        failed: &dyn Fn(ReadError) -> ImportError,
    ) -> Result<Found, ImportError> {
        let mut import = Self::default();
        while let Some(item) = reader.next().map_err(failed)? {
            match item {
                Item::Problem(problem) => import.problems.add(problem),
                Item::Record(placed) => {
                    progress(placed.place.block.unwrap_or(placed.place.offset).min(source.bytes));
                    import.take(&placed, out)?;
                }
            }
        }
        import.finish(source, out)
    }

    fn take(&mut self, placed: &Placed, out: &mut dyn Out) -> Result<(), ImportError> {
        self.records += 1;
        let (record, offset) = (&placed.record, placed.place.offset);
        let understood = match record.kind() {
            RecordKind::Header if self.records == 1 => match record.header(&limits()) {
                Ok(header) => {
                    let again = Record::from_message(envelope::Message::Header(header.clone()));
                    let fits = header.metadata.iter().all(|(key, value)| fits(key) && fits(value));
                    self.begin(header, out)?;
                    fits && again.bytes() == record.bytes()
                }
                // The reader has already reported the problem; store the record unchanged.
                Err(_) => false,
            },
            RecordKind::Frame => match record.fitted_frame(&limits()) {
                Ok(Fitted { message, misfits }) => {
                    if !misfits.is_empty() {
                        self.problems
                            .add(format!("fields of the frame at {offset} of the stream are not read: {misfits}"));
                    }
                    self.take_frame(message, record, offset, out)?
                }
                Err(error) => {
                    self.problems.add(format!("the frame at {offset} of the stream is kept as it is: {error}"));
                    false
                }
            },
            // A footer only contains offsets into this file.
            RecordKind::Footer => true,
            RecordKind::Header | RecordKind::Unknown(_) | RecordKind::Empty => false,
        };
        if understood { Ok(()) } else { self.keep(record, offset, out) }
    }

    /// Begins the tape, with the streams listed in the header.
    fn begin(&mut self, header: CaptureHeader, out: &mut dyn Out) -> Result<(), ImportError> {
        if self.begun {
            return Ok(());
        }
        self.begun = true;
        out.begin(header.created_at.and_then(|time| i64::try_from(time.unix_nanos()).ok()))?;
        (self.capture_id, self.metadata) = (header.capture_id, header.metadata);
        let Some(capture_header::GameHeader::Raw(RawHeader { game, streams })) = header.game_header else {
            return Ok(());
        };
        self.game = game;
        // `describes` is an index into this list.
        let mut places = Vec::new();
        for stream in streams {
            let spec = self.spec_of(&stream, &places);
            places.push(match self.streams.contains_key(&spec.name) {
                true => None,
                false => self.add_stream(spec, out)?,
            });
        }
        Ok(())
    }

    fn spec_of(&self, stream: &RawStream, places: &[Option<StreamId>]) -> StreamSpec {
        let told = StreamSpec::parse(&stream.descriptor).ok();
        let told = told.filter(|spec| spec.name == stream.name && !spec.role.is_system());
        let describes = told.as_ref().and_then(|spec| spec.describes);
        let describes = describes.and_then(|place| places.get(usize::from(place.0)).copied().flatten());
        let layout = stream.layout.clone();
        let plain = || StreamSpec { game: self.game.clone(), layout, ..StreamSpec::rows(stream.name.clone()) };
        StreamSpec { describes, ..told.unwrap_or_else(plain) }
    }

    /// Adds a stream, if a tape can hold it.
    fn add_stream(&mut self, spec: StreamSpec, out: &mut dyn Out) -> Result<Option<StreamId>, ImportError> {
        let name = spec.name.clone();
        let problems = &mut self.problems;
        // Names with a leading dot are reserved for the tape's system streams.
        let may = !name.is_empty() && !name.starts_with('.') && self.streams.len() < MAX_STREAMS;
        let id = match may.then(|| add_stream_or_plain(out, spec, &mut |problem| problems.add(problem))) {
            Some(Ok(id)) => Some(id),
            None | Some(Err(ImportError::Build(BuildError::Refused { .. }))) => None,
            Some(Err(error)) => return Err(error),
        };
        if id.is_none() && self.streams.len() < 2 * MAX_STREAMS {
            self.problems.add(format!("stream {name:?} does not fit on a tape: its records are kept in {REST}"));
        }
        // Bounds the memory for a capture with an endless number of names.
        if self.streams.len() < 2 * MAX_STREAMS {
            self.streams.insert(name, Stream { id, ..Stream::default() });
        }
        Ok(id)
    }

    /// Writes a frame or mark. Returns whether the tape holds everything in the record.
    fn take_frame(
        &mut self,
        frame: Frame,
        record: &Record,
        offset: u64,
        out: &mut dyn Out,
    ) -> Result<bool, ImportError> {
        self.begin(CaptureHeader::default(), out)?;
        let wanted_ns =
            |time_ns: u64| if time_ns == 0 { u64::from(frame.timestamp_offset_ms) * 1_000_000 } else { time_ns };
        let taken = match &frame.payload {
            Some(frame::Payload::Raw(raw)) => self.take_raw(raw, wanted_ns(raw.time_ns), offset, out)?,
            Some(frame::Payload::Mark(Mark { kind, text, time_ns })) => {
                let wanted_ns = wanted_ns(*time_ns);
                self.went_back += u64::from(wanted_ns < self.event_ns);
                self.event_ns = self.event_ns.max(wanted_ns);
                self.time_ns = self.time_ns.max(self.event_ns);
                out.event(self.event_ns, kind, text)?;
                fits(kind) && fits(text)
            }
            _ => false,
        };
        // Unknown fields exist only in the record itself.
        Ok(taken && Record::from_message(envelope::Message::Frame(frame)).bytes() == record.bytes())
    }

    fn take_raw(
        &mut self,
        raw: &RawFrame,
        wanted_ns: u64,
        offset: u64,
        out: &mut dyn Out,
    ) -> Result<bool, ImportError> {
        if !self.streams.contains_key(&raw.stream) {
            let spec = StreamSpec { game: self.game.clone(), ..StreamSpec::rows(raw.stream.clone()) };
            self.add_stream(spec, out)?;
        }
        let Some(stream) = self.streams.get_mut(&raw.stream) else { return Ok(false) };
        let Some(id) = stream.id else { return Ok(false) };
        if let Some(last) = stream.sequence {
            stream.missing = stream.missing.saturating_add(raw.sequence.saturating_sub(last.saturating_add(1)));
        }
        stream.sequence = Some(raw.sequence);
        self.went_back += u64::from(wanted_ns < stream.time_ns);
        stream.time_ns = stream.time_ns.max(wanted_ns);
        self.time_ns = self.time_ns.max(wanted_ns);
        self.frames += 1;
        out.append(id, stream.time_ns, &raw.data, offset)?;
        Ok(true)
    }

    /// Stores a record byte for byte.
    fn keep(&mut self, record: &Record, offset: u64, out: &mut dyn Out) -> Result<(), ImportError> {
        self.begin(CaptureHeader::default(), out)?;
        self.kept += 1;
        let id = match self.streams.get(REST).and_then(|stream| stream.id) {
            Some(id) => id,
            None => {
                let spec = StreamSpec { role: Role::Describe, transport: "file".into(), ..StreamSpec::rows(REST) };
                let id = out.add_stream(spec)?;
                self.streams.insert(REST.into(), Stream { id: Some(id), ..Stream::default() });
                id
            }
        };
        let time_ns = self.time_ns;
        self.streams.entry(REST.into()).or_default().time_ns = time_ns;
        out.append(id, time_ns, record.bytes(), offset)
    }

    fn finish(mut self, source: &Source, out: &mut dyn Out) -> Result<Found, ImportError> {
        self.begin(CaptureHeader::default(), out)?;
        for (name, stream) in self.streams.iter().filter(|(_, stream)| stream.missing > 0) {
            let missing = stream.missing;
            self.problems
                .add(format!("stream {name:?}: the numbers of {missing} frames are left out: they were lost before"));
        }
        if self.went_back > 0 {
            let count = self.went_back;
            self.problems.add(format!("the time goes back in {count} records: they stand at the time before it"));
        }
        if self.kept > 0 {
            let count = self.kept;
            self.problems.add(format!("{count} records say more than was understood: they are kept in {REST}"));
        }
        for (key, value) in &self.metadata {
            // These keys describe this import, so those of an earlier import get a prefix.
            let own = key.is_empty() || OWN_KEYS.contains(&key.as_str());
            out.metadata(&if own { format!("capture.{key}") } else { key.clone() }, value)?;
        }
        out.metadata("capture_id", &self.capture_id)?;
        let found = Found { frames: self.frames, problems: self.problems.list() };
        tell_source_at(out, source, Kind::V2Tape, IMPORTER, "source", &self.problems, self.time_ns)?;
        Ok(found)
    }
}
