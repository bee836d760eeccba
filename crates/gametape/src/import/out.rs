//! Where a reader puts what it finds in a source: onto a new tape.
//!
//! The other taker is the comparison with a tape that is there ([`super::against`]). A reader does not know which of the two it
//! feeds, so both mean the same by "what is in the file".

use std::path::Path;
use std::sync::Arc;

use gametape_format::write::{BuildError, Files, TapeBuilder, WriteOptions};
use gametape_format::{StreamId, StreamSpec, TapeId};

use super::error::ImportError;

/// Takes what a reader finds. [`Out::begin`] comes first.
pub trait Out {
    /// Begins the tape; UTC at time 0, if the source says it.
    fn begin(&mut self, start_utc_ns: Option<i64>) -> Result<(), ImportError>;

    /// Adds a stream.
    fn add_stream(&mut self, spec: StreamSpec) -> Result<StreamId, ImportError>;

    /// Adds a frame that stands, or whose packed form stands, at a place in the source.
    fn append(&mut self, stream: StreamId, time_ns: u64, frame: &[u8], source_offset: u64) -> Result<(), ImportError>;

    /// Adds an event.
    fn event(&mut self, time_ns: u64, kind: &str, text: &str) -> Result<(), ImportError>;

    /// Sets a metadata entry.
    fn metadata(&mut self, key: &str, value: &str) -> Result<(), ImportError>;

    /// Relates the tape's clock to UTC.
    fn clock(&mut self, time_ns: u64, utc_ns: i64) -> Result<(), ImportError>;
}

/// Adds a stream; a channel table that no tape can hold (a damaged file's) is left out, and the frames stay whole.
pub(super) fn add_stream_or_plain(
    out: &mut dyn Out,
    spec: StreamSpec,
    left_out: &mut dyn FnMut(String),
) -> Result<StreamId, ImportError> {
    match out.add_stream(spec.clone()) {
        Err(ImportError::Build(BuildError::Refused { reason, .. })) if spec.frame_bytes > 0 => {
            left_out(format!("{}: the channel table does not fit ({reason}): frames have no channels", spec.name));
            out.add_stream(StreamSpec { frame_bytes: 0, channels: Vec::new(), ..spec })
        }
        result => result,
    }
}

/// Makes a tape.
pub(super) struct OnTape<'a> {
    files: Arc<dyn Files>,
    path: &'a Path,
    tape_id: TapeId,
    tape: Option<TapeBuilder>,
}

impl<'a> OnTape<'a> {
    pub(super) fn new(files: Arc<dyn Files>, path: &'a Path, tape_id: TapeId) -> Self {
        Self { files, path, tape_id, tape: None }
    }

    /// Closes the tape and gives it its name. Gives its length.
    pub(super) fn finish(mut self) -> Result<u64, ImportError> {
        self.tape()?;
        Ok(self.tape.take().map(TapeBuilder::finish).transpose()?.unwrap_or_default())
    }

    fn tape(&mut self) -> Result<&mut TapeBuilder, ImportError> {
        self.begin_once(None)
    }

    fn begin_once(&mut self, start_utc_ns: Option<i64>) -> Result<&mut TapeBuilder, ImportError> {
        let tape = match self.tape.take() {
            Some(tape) => tape,
            None => {
                let options = WriteOptions { start_utc_ns, ..WriteOptions::new(self.tape_id) };
                TapeBuilder::create(self.files.clone(), self.path, &options, false)?
            }
        };
        Ok(self.tape.insert(tape))
    }
}

impl Out for OnTape<'_> {
    fn begin(&mut self, start_utc_ns: Option<i64>) -> Result<(), ImportError> {
        self.begin_once(start_utc_ns).map(|_| ())
    }

    fn add_stream(&mut self, spec: StreamSpec) -> Result<StreamId, ImportError> {
        Ok(self.tape()?.add_stream(spec, 0)?)
    }

    fn append(&mut self, stream: StreamId, time_ns: u64, frame: &[u8], _: u64) -> Result<(), ImportError> {
        Ok(self.tape()?.append(stream, time_ns, frame)?)
    }

    fn event(&mut self, time_ns: u64, kind: &str, text: &str) -> Result<(), ImportError> {
        Ok(self.tape()?.event(time_ns, kind, text)?)
    }

    fn metadata(&mut self, key: &str, value: &str) -> Result<(), ImportError> {
        Ok(self.tape()?.metadata(0, key, value)?)
    }

    fn clock(&mut self, time_ns: u64, utc_ns: i64) -> Result<(), ImportError> {
        Ok(self.tape()?.clock(time_ns, utc_ns)?)
    }
}
