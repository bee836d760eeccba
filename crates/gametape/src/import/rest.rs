//! Bytes of a source that no reader knows a meaning for: kept as they are, in a stream of their own.

use std::ops::Range;

use gametape_format::{Role, StreamId, StreamSpec};

use super::error::ImportError;
use super::out::Out;
use super::source::{Source, chunks};

/// A stream that is added when the first byte for it comes.
#[derive(Debug)]
pub(super) struct Rest {
    name: &'static str,
    stream: Option<StreamId>,
}

impl Rest {
    pub(super) fn new(name: &'static str) -> Self {
        Self { name, stream: None }
    }

    /// Keeps bytes, if there are any.
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

    /// Keeps a stretch of the source, in pieces.
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
