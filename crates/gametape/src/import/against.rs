//! Compares a tape with the file it was imported from, byte by byte.
//!
//! The source is read by the same importer that produced the tape; its output is compared with the frames of the tape.

use std::io;
use std::path::{Path, PathBuf};

use gametape_format::read::{Frames, ReadError, Tape};
use gametape_format::write::BuildError;
use gametape_format::{StreamId, StreamSpec};

use super::error::ImportError;
use super::kind::{Kind, detect};
use super::problems::IMPORT_PROBLEM;
use super::{ImportOptions, ImportProgress, Out, Source};

/// Maximum number of differences listed; all are counted.
const LISTED: usize = 100;

/// A position where tape and source differ.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Difference {
    /// Name of the stream.
    pub stream: String,
    /// Byte offset in the source.
    pub source_offset: u64,
    /// Description for humans.
    pub text: String,
}

/// Result of a comparison.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Comparison {
    /// Identical frames.
    pub equal_frames: u64,
    /// Bytes in identical frames.
    pub equal_bytes: u64,
    /// Number of differences.
    pub different: u64,
    /// The first differences, at most 100.
    pub differences: Vec<Difference>,
}

impl Comparison {
    /// Returns whether the tape holds the source byte for byte.
    pub fn is_equal(&self) -> bool {
        self.different == 0
    }

    fn differs(&mut self, stream: &str, source_offset: u64, text: String) {
        self.different += 1;
        if self.differences.len() < LISTED {
            self.differences.push(Difference { stream: stream.into(), source_offset, text });
        }
    }
}

/// Why a comparison failed.
#[derive(Debug, thiserror::Error)]
pub enum AgainstError {
    /// The source cannot be read.
    #[error("cannot read {}: {source}; check the path and its permissions", path.display())]
    Read {
        /// The source.
        path: PathBuf,
        /// The I/O error.
        source: io::Error,
    },
    /// The kind of the source is unknown.
    #[error("cannot determine the kind of the source: {0}")]
    Kind(#[source] ImportError),
    /// The source is too damaged to import.
    #[error(transparent)]
    Source(ImportError),
    /// The tape was not imported from a source of this kind.
    #[error("the tape was not imported from {kind}; give the file that its metadata names in source_file")]
    OtherTape {
        /// Kind of the source.
        kind: Kind,
    },
    /// The tape cannot be read.
    #[error(transparent)]
    Tape(ReadError),
}

impl From<ImportError> for AgainstError {
    fn from(error: ImportError) -> Self {
        match error {
            ImportError::Read { path, source } => Self::Read { path, source },
            ImportError::Compared(error) => Self::Tape(error),
            error => Self::Source(error),
        }
    }
}

/// Compares a tape with its source byte for byte: every frame and every description.
pub fn compare_with_source(
    tape: &Tape,
    source: &Path,
    progress: &mut dyn FnMut(ImportProgress),
) -> Result<Comparison, AgainstError> {
    compare_with_source_using(tape, source, &ImportOptions::default(), progress)
}

/// [`compare_with_source`] with additional information about the source.
pub fn compare_with_source_using(
    tape: &Tape,
    source: &Path,
    options: &ImportOptions,
    progress: &mut dyn FnMut(ImportProgress),
) -> Result<Comparison, AgainstError> {
    let kind = match detect(source) {
        Ok(kind) => kind,
        Err(error @ ImportError::Read { .. }) => return Err(error.into()),
        Err(error) => return Err(AgainstError::Kind(error)),
    };
    if tape.metadata().get("source_kind").is_none_or(|of| of != kind.id()) {
        return Err(AgainstError::OtherTape { kind });
    }
    let source = Source::open(source)?.with_options(options);
    let total_bytes = source.bytes;
    let mut beside = Beside { tape, streams: Vec::new(), problems: 0, comparison: Comparison::default() };
    kind.importer()
        .read(&source, &mut beside, &mut |done_bytes| progress(ImportProgress { done_bytes, total_bytes }))?;
    beside.finish().map_err(AgainstError::Tape)
}

/// An [`Out`] that compares what an importer emits with a tape.
struct Beside<'a> {
    tape: &'a Tape,
    streams: Vec<Compared<'a>>,
    /// Problem events that the importer emitted for the source.
    problems: usize,
    comparison: Comparison,
}

/// A stream of the source. `frames` is `None` if the tape has no stream of this name.
struct Compared<'a> {
    name: String,
    frames: Option<Frames<'a>>,
    /// Source offset of the stream's last frame.
    last_offset: u64,
}

impl Beside<'_> {
    fn finish(mut self) -> Result<Comparison, ReadError> {
        for stream in &mut self.streams {
            if let Some(frames) = &mut stream.frames {
                no_more(frames, &stream.name, stream.last_offset, &mut self.comparison)?;
            }
        }
        let of_games = self.tape.streams().filter(|stream| !stream.spec().role.is_system());
        for stream in of_games.filter(|stream| stream.totals().frames > 0) {
            let name = &stream.spec().name;
            if !self.streams.iter().any(|compared| compared.name == *name) {
                self.comparison.differs(name, 0, "the source has no frames for this stream".into());
            }
        }
        let known = self.tape.events().iter().filter(|event| event.kind == IMPORT_PROBLEM).count();
        if known != self.problems {
            let text = format!("problems found in the source: {}, recorded in the tape: {known}", self.problems);
            self.comparison.differs("events", 0, text);
        }
        Ok(self.comparison)
    }
}

impl Out for Beside<'_> {
    fn begin(&mut self, _: Option<i64>) -> Result<(), ImportError> {
        Ok(())
    }

    fn add_stream(&mut self, spec: StreamSpec) -> Result<StreamId, ImportError> {
        // Refuse what a tape would refuse, so that the importer takes the same path as during the import.
        if let Err(error) = spec.check() {
            return Err(BuildError::Refused { stream: spec.name, reason: error.to_string() }.into());
        }
        let id = StreamId(u16::try_from(self.streams.len()).unwrap_or(u16::MAX));
        let frames = self.tape.stream_named(&spec.name).ok().map(|stream| self.tape.frames(stream));
        self.streams.push(Compared { name: spec.name, frames, last_offset: 0 });
        Ok(id)
    }

    fn append(&mut self, stream: StreamId, _: u64, frame: &[u8], source_offset: u64) -> Result<(), ImportError> {
        let Some(stream) = self.streams.get_mut(usize::from(stream.0)) else { return Ok(()) };
        stream.last_offset = source_offset;
        match &mut stream.frames {
            Some(frames) => compare_next(frames, &stream.name, source_offset, frame, &mut self.comparison)?,
            None => self.comparison.differs(&stream.name, source_offset, "the tape has no such stream".into()),
        }
        Ok(())
    }

    fn event(&mut self, _: u64, kind: &str, _: &str) -> Result<(), ImportError> {
        self.problems += usize::from(kind == IMPORT_PROBLEM);
        Ok(())
    }

    fn metadata(&mut self, _: &str, _: &str) -> Result<(), ImportError> {
        Ok(())
    }

    fn clock(&mut self, _: u64, _: i64) -> Result<(), ImportError> {
        Ok(())
    }
}

/// Compares the next frame of the tape with a frame of the source.
fn compare_next(
    frames: &mut Frames<'_>,
    stream: &str,
    offset: u64,
    piece: &[u8],
    comparison: &mut Comparison,
) -> Result<(), ReadError> {
    match next_whole(frames, stream, offset, comparison)? {
        None => comparison.differs(stream, offset, "the tape has no matching frame".into()),
        Some((seq, data)) if data != piece => {
            let same = data.iter().zip(piece).take_while(|(a, b)| a == b).count();
            let text = format!(
                "frame {seq} differs from byte {same} on ({} bytes in the tape, {} in the source)",
                data.len(),
                piece.len()
            );
            comparison.differs(stream, offset + same as u64, text);
        }
        Some(_) => {
            comparison.equal_frames += 1;
            comparison.equal_bytes += piece.len() as u64;
        }
    }
    Ok(())
}

fn no_more(frames: &mut Frames<'_>, stream: &str, offset: u64, comparison: &mut Comparison) -> Result<(), ReadError> {
    let mut more = 0u64;
    while next_whole(frames, stream, offset, comparison)?.is_some() {
        more += 1;
    }
    if more > 0 {
        comparison.differs(stream, offset, format!("the tape has {more} more frames than the source"));
    }
    Ok(())
}

/// Returns the next readable frame. Damage before it counts as a difference.
fn next_whole<'a>(
    frames: &'a mut Frames<'_>,
    stream: &str,
    offset: u64,
    comparison: &mut Comparison,
) -> Result<Option<(u64, &'a [u8])>, ReadError> {
    loop {
        match frames.peek() {
            Ok(_) => break,
            Err(ReadError::Damaged(problem)) => comparison.differs(stream, offset, problem.to_string()),
            Err(error) => return Err(error),
        }
    }
    Ok(frames.next()?.map(|frame| (frame.seq, frame.data)))
}
