//! Writes tapes: the writer of the recorder, with its journal.
//!
//! Takes streams as JSON and frames as bytes, gives a tape. A frame that was accepted survives the end of the process. Natively only.

use std::path::Path;
use std::sync::{Arc, Mutex};
use std::time::{Duration, SystemTime, UNIX_EPOCH};

use gametape::format::write::{AppendError, CreateError, FinishError, Finished, WriteOptions, Writer};
use gametape::identity::new_id;
use gametape::sys::MappedFiles;
use gametape_format::{Channel, ChannelType, StreamId, StreamSpec, TapeId};
use serde::{Deserialize, Serialize};

use crate::handles::locked;
use crate::status::{Failure, Status};

/// A tape that is being written; `None` when it was finished or abandoned.
pub(crate) struct OpenWriter(Mutex<Option<Writer>>);

/// The options of a tape.
#[derive(Default, Deserialize)]
#[serde(deny_unknown_fields, default)]
struct Options {
    tape_id: Option<String>,
    start_utc_ns: Option<i64>,
    sync_ms: Option<u64>,
    journal_bytes: Option<u64>,
}

/// A stream as the caller describes it.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Spec {
    name: String,
    #[serde(default)]
    game: String,
    #[serde(default)]
    transport: String,
    #[serde(default)]
    layout: String,
    #[serde(default)]
    skip_unchanged: bool,
    frame_bytes: Option<u32>,
    #[serde(default)]
    channels: Vec<SpecChannel>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct SpecChannel {
    name: String,
    #[serde(rename = "type")]
    kind: String,
    count: Option<u32>,
    #[serde(default)]
    unit: String,
    offset: Option<u32>,
}

#[derive(Serialize)]
struct Done {
    bytes: u64,
    loss: Loss,
    streams: Vec<DoneStream>,
}

#[derive(Serialize)]
struct DoneStream {
    id: u16,
    name: String,
    frames: u64,
    dropped: u64,
    unchanged: u64,
}

#[derive(Serialize)]
struct Loss {
    dropped: u64,
}

/// The largest journal: a wrong number should not fill the disk.
const MOST_JOURNAL_BYTES: u64 = 1 << 30;
/// The longest time between two syncs.
const MOST_SYNC_MS: u64 = 60_000;

/// Creates a tape.
pub(crate) fn create(path: &str, options: Option<&str>) -> Result<OpenWriter, Failure> {
    let Options { tape_id, start_utc_ns, sync_ms, journal_bytes } = match options {
        Some(text) => serde_json::from_str(text)?,
        None => Options::default(),
    };
    let tape_id = tape_id.map_or_else(|| Ok(new_id()), |text| parse_id(&text))?;
    let mut write = WriteOptions::new(tape_id);
    write.start_utc_ns = start_utc_ns.or_else(now_utc_ns);
    if let Some(ms) = sync_ms {
        in_range("sync_ms", ms, 1, MOST_SYNC_MS)?;
        write.sync_interval = Duration::from_millis(ms);
    }
    if let Some(bytes) = journal_bytes {
        in_range("journal_bytes", bytes, 1, MOST_JOURNAL_BYTES)?;
        write.journal_bytes = bytes;
    }
    let writer = Writer::create(Arc::new(MappedFiles), Path::new(path), &write)?;
    Ok(OpenWriter(Mutex::new(Some(writer))))
}

fn now_utc_ns() -> Option<i64> {
    SystemTime::now().duration_since(UNIX_EPOCH).ok().and_then(|now| i64::try_from(now.as_nanos()).ok())
}

fn in_range(name: &str, value: u64, least: u64, most: u64) -> Result<(), Failure> {
    match (least..=most).contains(&value) {
        true => Ok(()),
        false => Err(Failure::invalid(format!("{name} is {value}; it can be {least} to {most}"))),
    }
}

fn parse_id(text: &str) -> Result<TapeId, Failure> {
    let number = (text.len() == 32 && !text.starts_with('+')).then(|| u128::from_str_radix(text, 16).ok()).flatten();
    let number = number.ok_or_else(|| Failure::invalid(format!("tape_id {text:?} is not 32 hexadecimal digits")))?;
    Ok(TapeId(number.to_be_bytes()))
}

impl OpenWriter {
    fn with<T>(&self, act: impl FnOnce(&mut Writer) -> Result<T, AppendError>) -> Result<T, Failure> {
        match &mut *locked(&self.0) {
            Some(writer) => Ok(act(writer)?),
            None => Err(closed()),
        }
    }

    /// Adds a stream that is described as JSON; returns its number.
    pub(crate) fn add_stream(&self, description: &str) -> Result<u32, Failure> {
        let spec = parse_stream(description)?;
        self.with(|writer| writer.add_stream(spec)).map(|id| u32::from(id.0))
    }

    /// Appends a frame.
    pub(crate) fn append(&self, stream: u32, time_ns: u64, frame: &[u8]) -> Result<(), Failure> {
        let Ok(id) = u16::try_from(stream) else {
            return Err(Failure::new(Status::NotFound, format!("stream {stream} does not exist")));
        };
        self.with(|writer| writer.append(StreamId(id), time_ns, frame)).map(|_| ())
    }

    /// Appends an event.
    pub(crate) fn event(&self, time_ns: u64, kind: &str, text: &str) -> Result<(), Failure> {
        self.with(|writer| writer.event(time_ns, kind, text))
    }

    /// Sets a metadata entry.
    pub(crate) fn metadata(&self, time_ns: u64, key: &str, value: &str) -> Result<(), Failure> {
        self.with(|writer| writer.metadata(time_ns, key, value))
    }

    /// Maps a tape time to UTC.
    pub(crate) fn clock(&self, time_ns: u64, utc_ns: i64) -> Result<(), Failure> {
        self.with(|writer| writer.clock(time_ns, utc_ns))
    }

    /// Closes the tape; returns what it contains as JSON.
    pub(crate) fn finish(&self) -> Result<String, Failure> {
        let writer = locked(&self.0).take().ok_or_else(closed)?;
        let finished = writer.finish()?;
        Ok(serde_json::to_string(&done(&finished))?)
    }

    /// Leaves the tape as a killed recorder leaves it.
    pub(crate) fn abandon(&self) -> Result<(), Failure> {
        let writer = locked(&self.0).take().ok_or_else(closed)?;
        drop(writer);
        Ok(())
    }
}

fn closed() -> Failure {
    Failure::new(Status::Handle, "the writer was finished or abandoned")
}

fn done(finished: &Finished) -> Done {
    let streams = finished.streams.iter().filter(|stream| !stream.name.starts_with('.')).map(|stream| DoneStream {
        id: stream.id.0,
        name: stream.name.clone(),
        frames: stream.totals.frames,
        dropped: stream.status.counters.dropped,
        unchanged: stream.status.counters.unchanged,
    });
    Done { bytes: finished.bytes, loss: Loss { dropped: finished.loss().dropped }, streams: streams.collect() }
}

/// Parses the description of a stream. Channels without an offset follow each other without gaps.
fn parse_stream(text: &str) -> Result<StreamSpec, Failure> {
    let spec: Spec = serde_json::from_str(text)?;
    if spec.name.starts_with('.') {
        return Err(Failure::invalid(format!(
            "stream {:?}: names that begin with a dot are those of gametape",
            spec.name
        )));
    }
    let (mut end, mut channels) = (0_u32, Vec::new());
    for SpecChannel { name, kind, count, unit, offset } in spec.channels {
        let known = ChannelType::from_name(&kind);
        let kind = known.ok_or_else(|| Failure::invalid(format!("channel {name:?}: there is no type {kind:?}")))?;
        let (offset, count) = (offset.unwrap_or(end), count.unwrap_or(1));
        let after = (kind.width() as u32).checked_mul(count).and_then(|bytes| offset.checked_add(bytes));
        end =
            after.ok_or_else(|| Failure::invalid(format!("channel {name:?} is larger than a frame can be")))?.max(end);
        channels.push(Channel::new(name, kind, offset, count, unit));
    }
    Ok(StreamSpec {
        name: spec.name,
        game: spec.game,
        transport: spec.transport,
        layout: spec.layout,
        skip_unchanged: spec.skip_unchanged,
        frame_bytes: spec.frame_bytes.unwrap_or(end),
        channels,
        ..StreamSpec::default()
    })
}

impl From<CreateError> for Failure {
    fn from(error: CreateError) -> Self {
        let status = match &error {
            CreateError::Exists { .. } => Status::Exists,
            CreateError::Io { .. } => Status::Io,
        };
        Self::new(status, error.to_string())
    }
}

impl From<AppendError> for Failure {
    fn from(error: AppendError) -> Self {
        let status = match &error {
            AppendError::NoSuchStream { .. } => Status::NotFound,
            AppendError::BadStream { .. } => Status::Invalid,
            AppendError::Journal(_) | AppendError::Failed(_) => Status::Io,
            _ => Status::Rejected,
        };
        Self::new(status, error.to_string())
    }
}

impl From<FinishError> for Failure {
    fn from(error: FinishError) -> Self {
        Self::new(Status::Io, error.to_string())
    }
}
