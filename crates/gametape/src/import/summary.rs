//! Reads what a file of another program contains, without writing a tape: what its import would put into the tape besides frames.

use std::collections::BTreeMap;
use std::path::Path;

use gametape_format::{StreamId, StreamSpec};

use super::error::ImportError;
use super::kind::{Kind, detect};
use super::out::Out;
use super::problems::IMPORT_PROBLEM;
use super::{ImportOptions, Source};
use crate::matches::{METADATA_KEY, MatchEvent, MatchFacts};

/// Maximum number of events that are kept. A capture of hours may have more; all are counted.
const MAX_EVENTS: usize = 10_000;

/// A stream that an import would write.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FileStream {
    /// Its description.
    pub spec: StreamSpec,
    /// Number of frames.
    pub frames: u64,
    /// Bytes of all frames.
    pub bytes: u64,
    /// Time of the last frame.
    pub last_ns: Option<u64>,
}

/// What a file contains.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FileSummary {
    /// Kind of the file.
    pub kind: Kind,
    /// Its length.
    pub bytes: u64,
    /// Facts of the match, if it is a file of a match.
    pub facts: Option<MatchFacts>,
    /// UTC at its start.
    pub start_utc_ns: Option<i64>,
    /// The streams.
    pub streams: Vec<FileStream>,
    /// The first events, at most 10,000.
    pub events: Vec<MatchEvent>,
    /// Number of events.
    pub event_count: u64,
    /// Metadata of the tape that an import would write.
    pub metadata: BTreeMap<String, String>,
    /// Problems in the file. The intact parts were read.
    pub problems: Vec<String>,
}

/// Reads a file with the importer of its kind. Nothing is written.
pub fn summary_of(path: &Path, options: &ImportOptions) -> Result<FileSummary, ImportError> {
    let kind = detect(path)?;
    let source = Source::open(path)?.with_options(options);
    let mut noted = Noted::default();
    let found = kind.importer().read(&source, &mut noted, &mut |_| {})?;
    let Noted { start_utc_ns, streams, events, event_count, metadata } = noted;
    Ok(FileSummary {
        kind,
        bytes: source.bytes,
        facts: metadata.get(METADATA_KEY).and_then(|text| MatchFacts::parse(text)),
        start_utc_ns,
        streams,
        events,
        event_count,
        metadata,
        problems: found.problems,
    })
}

/// An [`Out`] that keeps everything but the frames.
#[derive(Default)]
struct Noted {
    start_utc_ns: Option<i64>,
    streams: Vec<FileStream>,
    events: Vec<MatchEvent>,
    event_count: u64,
    metadata: BTreeMap<String, String>,
}

impl Out for Noted {
    fn begin(&mut self, start_utc_ns: Option<i64>) -> Result<(), ImportError> {
        self.start_utc_ns = start_utc_ns;
        Ok(())
    }

    fn add_stream(&mut self, spec: StreamSpec) -> Result<StreamId, ImportError> {
        let refused =
            |reason: String| gametape_format::write::BuildError::Refused { stream: spec.name.clone(), reason };
        spec.check().map_err(|error| refused(error.to_string()))?;
        let id = u16::try_from(self.streams.len()).map_err(|_| refused("there are too many streams".to_owned()))?;
        self.streams.push(FileStream { spec, frames: 0, bytes: 0, last_ns: None });
        Ok(StreamId(id))
    }

    fn append(&mut self, stream: StreamId, time_ns: u64, frame: &[u8], _: u64) -> Result<(), ImportError> {
        if let Some(stream) = self.streams.get_mut(usize::from(stream.0)) {
            stream.frames += 1;
            stream.bytes += frame.len() as u64;
            stream.last_ns = stream.last_ns.max(Some(time_ns));
        }
        Ok(())
    }

    fn event(&mut self, at_ns: u64, kind: &str, text: &str) -> Result<(), ImportError> {
        if kind == IMPORT_PROBLEM {
            return Ok(());
        }
        self.event_count += 1;
        if self.events.len() < MAX_EVENTS {
            self.events.push(MatchEvent { at_ns, kind: kind.to_owned(), text: text.to_owned() });
        }
        Ok(())
    }

    fn metadata(&mut self, key: &str, value: &str) -> Result<(), ImportError> {
        self.metadata.insert(key.to_owned(), value.to_owned());
        Ok(())
    }

    fn clock(&mut self, _: u64, _: i64) -> Result<(), ImportError> {
        Ok(())
    }
}
