//! Compares a tape with the file it was imported from, byte by byte.

use std::fs::File;
use std::io;
use std::path::{Path, PathBuf};

use gametape_format::read::{Frames, ReadError, Tape};
use gametape_games::iracing::IbtError;

use super::ImportProgress;
use super::error::ImportError;
use super::ibt_pieces::{Pieces, PiecesError, RowReader, TELEMETRY, read_range};
use super::kind::{Kind, detect};

/// Differences that are listed; all are counted.
const LISTED: usize = 100;

/// A place where tape and source are not the same.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Difference {
    /// Name of the stream.
    pub stream: String,
    /// Where in the source.
    pub source_offset: u64,
    /// In words.
    pub text: String,
}

/// Result of a comparison.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Comparison {
    /// Frames that are the same.
    pub equal_frames: u64,
    /// Bytes that are the same.
    pub equal_bytes: u64,
    /// Places that are not the same.
    pub different: u64,
    /// The first of them.
    pub differences: Vec<Difference>,
}

impl Comparison {
    /// Whether the tape holds the source to the byte.
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

/// Why a comparison could not be made.
#[derive(Debug, thiserror::Error)]
pub enum AgainstError {
    /// The source cannot be read.
    #[error("cannot read {}: {source}; check its name and that you may read it", path.display())]
    Read {
        /// The source.
        path: PathBuf,
        /// What the system said.
        source: io::Error,
    },
    /// The source is of a kind that cannot be compared yet.
    #[error("the source is {kind}: comparing with it is not there yet, only with iRacing's .ibt")]
    NotYet {
        /// The kind.
        kind: Kind,
    },
    /// The kind of the source is not known.
    #[error("the source cannot be told: {0}")]
    Kind(#[source] ImportError),
    /// The source is a damaged `.ibt`.
    #[error(transparent)]
    Ibt(#[from] IbtError),
    /// The tape was not imported from such a source.
    #[error(
        "the tape has no stream {stream:?}: it was not imported from {kind}; name the file that its metadata call source_file"
    )]
    OtherTape {
        /// The stream that is missing.
        stream: &'static str,
        /// What the source is.
        kind: Kind,
    },
    /// The tape cannot be read.
    #[error(transparent)]
    Tape(#[from] ReadError),
}

/// Compares a tape with its source: the number of rows, every row and every description, to the byte.
pub fn compare_with_source(
    tape: &Tape,
    source: &Path,
    progress: &mut dyn FnMut(ImportProgress),
) -> Result<Comparison, AgainstError> {
    let read = |error| AgainstError::Read { path: source.into(), source: error };
    match detect(source) {
        Ok(Kind::Ibt) => {}
        Ok(kind) => return Err(AgainstError::NotYet { kind }),
        Err(ImportError::Read { path, source }) => return Err(AgainstError::Read { path, source }),
        Err(error) => return Err(AgainstError::Kind(error)),
    }
    let file = File::open(source).map_err(read)?;
    let bytes = file.metadata().map_err(read)?.len();
    let pieces = Pieces::of(&file, bytes).map_err(|error| match error {
        PiecesError::Io(error) => read(error),
        PiecesError::Ibt(error) => error.into(),
    })?;
    let mut comparison = Comparison::default();
    compare_parts(tape, &file, &pieces, &mut comparison).map_err(|error| match error {
        PartError::Io(error) => read(error),
        PartError::Tape(error) => error.into(),
    })?;
    let rows = pieces.ibt.rows;
    let Ok(stream) = tape.stream_named(TELEMETRY) else {
        return Err(AgainstError::OtherTape { stream: TELEMETRY, kind: Kind::Ibt });
    };
    let mut frames = tape.frames(stream);
    let mut reader = RowReader::new(&file, rows);
    let mut number = 0u64;
    while let Some(row) = reader.next().map_err(read)? {
        let offset = rows.start + number * u64::from(rows.row_bytes);
        compare_next(&mut frames, TELEMETRY, offset, row, &mut comparison)?;
        number += 1;
        if number.is_multiple_of(256) {
            progress(ImportProgress { done_bytes: offset, total_bytes: bytes });
        }
    }
    no_more(&mut frames, TELEMETRY, bytes, &mut comparison)?;
    Ok(comparison)
}

enum PartError {
    Io(io::Error),
    Tape(ReadError),
}

fn compare_parts(tape: &Tape, file: &File, pieces: &Pieces, comparison: &mut Comparison) -> Result<(), PartError> {
    for group in pieces.parts.chunk_by(|a, b| a.0 == b.0) {
        let Some((part, first)) = group.first() else { continue };
        let Ok(stream) = tape.stream_named(part.stream()) else {
            comparison.differs(part.stream(), first.start, "the tape has no such stream".into());
            continue;
        };
        let mut frames = tape.frames(stream);
        for (_, range) in group {
            let bytes = read_range(file, range).map_err(PartError::Io)?;
            compare_next(&mut frames, part.stream(), range.start, &bytes, comparison).map_err(PartError::Tape)?;
        }
        let end = group.last().map_or(first.end, |(_, range)| range.end);
        no_more(&mut frames, part.stream(), end, comparison).map_err(PartError::Tape)?;
    }
    Ok(())
}

/// Compares the next frame of the tape with a piece of the source.
fn compare_next(
    frames: &mut Frames<'_>,
    stream: &str,
    offset: u64,
    piece: &[u8],
    comparison: &mut Comparison,
) -> Result<(), ReadError> {
    match next_whole(frames, stream, offset, comparison)? {
        None => comparison.differs(stream, offset, "the tape has no frame for it".into()),
        Some((seq, data)) if data != piece => {
            let same = data.iter().zip(piece).take_while(|(a, b)| a == b).count();
            let text = format!(
                "frame {seq} differs from byte {same} of it on ({} bytes on the tape, {} in the source)",
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
        comparison.differs(stream, offset, format!("the tape has {more} frames more than the source"));
    }
    Ok(())
}

/// The next frame that can be read; damage before it is a difference.
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
