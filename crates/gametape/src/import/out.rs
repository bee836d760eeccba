//! The output of an importer: a new tape.
//!
//! The other implementation compares with an existing tape ([`super::against`]). An importer does not know which one it writes to,
//! so import and comparison always agree on the content of a file.

use std::path::Path;
use std::sync::Arc;

use gametape_format::write::{BuildError, Files, TapeBuilder, WriteOptions};
use gametape_format::{StreamId, StreamSpec, TapeId};

use super::error::ImportError;

/// Receives what an importer reads. [`Out::begin`] must be called first.
pub trait Out {
    /// Begins the tape. `start_utc_ns` is UTC at tape time 0, if the source contains it.
    fn begin(&mut self, start_utc_ns: Option<i64>) -> Result<(), ImportError>;

    /// Adds a stream.
    fn add_stream(&mut self, spec: StreamSpec) -> Result<StreamId, ImportError>;

    /// Adds a frame. `source_offset` is the offset in the source of the frame or of its compressed form.
    fn append(&mut self, stream: StreamId, time_ns: u64, frame: &[u8], source_offset: u64) -> Result<(), ImportError>;

    /// Adds an event.
    fn event(&mut self, time_ns: u64, kind: &str, text: &str) -> Result<(), ImportError>;

    /// Sets a metadata entry.
    fn metadata(&mut self, key: &str, value: &str) -> Result<(), ImportError>;

    /// Maps a tape time to UTC.
    fn clock(&mut self, time_ns: u64, utc_ns: i64) -> Result<(), ImportError>;
}

/// Adds a stream. If a tape cannot hold its channel table (in a damaged file), adds the stream without channels; frames stay complete.
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

/// Writes a tape.
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

    /// Closes the tape and renames it to its final name. Returns its length in bytes.
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
