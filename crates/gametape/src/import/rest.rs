//! Stores bytes of a source that the importer does not understand, unchanged, in a separate stream.

use std::ops::Range;

use gametape_format::{Role, StreamId, StreamSpec};

use super::error::ImportError;
use super::out::Out;
use super::source::{Source, chunks};

/// A stream that is added when its first bytes arrive.
#[derive(Debug)]
pub(super) struct Rest {
    name: &'static str,
    stream: Option<StreamId>,
}

impl Rest {
    pub(super) fn new(name: &'static str) -> Self {
        Self { name, stream: None }
    }

    /// Stores bytes, if there are any.
    pub(super) fn keep(
        &mut self,
        out: &mut dyn Out,
        time_ns: u64,
        bytes: &[u8],
        source_offset: u64,
    ) -> Result<(), ImportError> {
        if bytes.is_empty() {
            return Ok(());
        }
        let stream = match self.stream {
            Some(stream) => stream,
            None => {
                let spec = StreamSpec { transport: "file".into(), role: Role::Describe, ..StreamSpec::rows(self.name) };
                *self.stream.insert(out.add_stream(spec)?)
            }
        };
        out.append(stream, time_ns, bytes, source_offset)
    }

    /// Stores a range of the source, in chunks.
    pub(super) fn keep_stretch(
        &mut self,
        out: &mut dyn Out,
        time_ns: u64,
        source: &Source,
        stretch: Range<u64>,
    ) -> Result<(), ImportError> {
        for chunk in chunks(stretch) {
            self.keep(out, time_ns, &source.read(&chunk)?, chunk.start)?;
        }
        Ok(())
    }
}
