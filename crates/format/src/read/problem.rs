//! Problems that readers find in a tape, and errors of reading.

use std::io;
use std::sync::{Mutex, PoisonError};

use super::catalog::{BlockLocation, Located};
use crate::stream::StreamId;

/// The kind of a problem.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum ProblemKind {
    /// The file header is damaged.
    FileHeader,
    /// Bytes between records are not a record.
    Record,
    /// A record extends beyond the end of the file.
    CutRecord,
    /// A stream descriptor is damaged or contradicts another.
    Stream,
    /// A block is damaged.
    Block,
    /// Sequence numbers are missing.
    MissingFrames,
    /// An index page is damaged or wrong.
    Index,
    /// The footer is damaged.
    Footer,
    /// The trailer is damaged.
    Trailer,
    /// The tape was not closed.
    NotClosed,
    /// The tape was not closed and has no journal.
    JournalMissing,
    /// A journal's header is damaged, or it belongs to another tape.
    JournalHeader,
    /// A row of a journal is damaged.
    JournalRow,
    /// Bytes after the last row of a journal are not zero.
    JournalTail,
    /// A frame of a system stream (event, metadata, clock, status) is invalid.
    SystemFrame,
    /// Data of a later version of the format: intact, but not readable by this version.
    Newer,
}

impl ProblemKind {
    /// The stable name, as printed by `verify --json`.
    pub fn name(self) -> &'static str {
        match self {
            Self::FileHeader => "file_header",
            Self::Record => "record",
            Self::CutRecord => "cut_record",
            Self::Stream => "stream",
            Self::Block => "block",
            Self::MissingFrames => "missing_frames",
            Self::Index => "index",
            Self::Footer => "footer",
            Self::Trailer => "trailer",
            Self::NotClosed => "not_closed",
            Self::JournalMissing => "journal_missing",
            Self::JournalHeader => "journal_header",
            Self::JournalRow => "journal_row",
            Self::JournalTail => "journal_tail",
            Self::SystemFrame => "system_frame",
            Self::Newer => "newer",
        }
    }
}

/// A problem with a tape.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Problem {
    /// The kind.
    pub kind: ProblemKind,
    /// The offset in bytes from the start of the tape or of the journal.
    pub offset: u64,
    /// The journal generation, if the problem is in a journal.
    pub journal: Option<u64>,
    /// The stream concerned, if known.
    pub stream: Option<StreamId>,
    /// The number of frames lost, if known.
    pub frames_lost: Option<u64>,
    /// A human-readable description.
    pub text: String,
}

impl Problem {
    pub(crate) fn new(kind: ProblemKind, offset: u64, text: impl Into<String>) -> Self {
        Self { kind, offset, journal: None, stream: None, frames_lost: None, text: text.into() }
    }

    /// Creates a problem of this kind, or of kind `Newer` if the error indicates that.
    pub(crate) fn of_error(kind: ProblemKind, offset: u64, what: &str, error: &crate::Malformed) -> Self {
        if error.is_newer() {
            let text = format!("{what} was written by a newer gametape: {error}");
            return Self::new(ProblemKind::Newer, offset, text);
        }
        Self::new(kind, offset, format!("{what} is damaged: {error}"))
    }

    /// Creates a problem for sequence numbers missing before a block.
    pub(crate) fn missing_frames(block: &Located, missing: u64) -> Self {
        let (first, last) = (block.first_seq.saturating_sub(missing), block.first_seq.saturating_sub(1));
        let text = format!("frames {first} to {last} of the stream are missing");
        let at = match block.location {
            BlockLocation::Tape { offset, .. } => offset,
            BlockLocation::Journal { run, .. } => run.start,
        };
        Self::new(ProblemKind::MissingFrames, at, text).losing(missing)
    }

    pub(crate) fn of_stream(self, stream: u16) -> Self {
        Self { stream: Some(StreamId(stream)), ..self }
    }

    pub(crate) fn losing(self, frames: u64) -> Self {
        Self { frames_lost: Some(frames), ..self }
    }

    pub(crate) fn in_journal(self, generation: u64) -> Self {
        Self { journal: Some(generation), ..self }
    }
}

impl std::fmt::Display for Problem {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{} at byte {}", self.text, self.offset)?;
        if let Some(generation) = self.journal {
            write!(f, " of journal {generation}")?;
        }
        if let Some(frames) = self.frames_lost {
            write!(f, ", {frames} frames lost")?;
        }
        Ok(())
    }
}

/// The maximum number of problems that are kept; a hostile file could have any number.
const MAX_PROBLEMS: usize = 1000;

/// Problems found while reading.
#[derive(Debug, Default)]
pub(crate) struct Notes(Mutex<Vec<Problem>>);

impl Notes {
    pub(crate) fn add(&self, problem: Problem) {
        let mut all = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        if all.len() < MAX_PROBLEMS && !all.contains(&problem) {
            all.push(problem);
        }
    }

    pub(crate) fn all(&self) -> Vec<Problem> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }
}

/// The reason why a tape, or a part of it, cannot be read.
#[derive(Debug, thiserror::Error)]
pub enum ReadError {
    /// An I/O error.
    #[error("cannot read at byte {offset}: {source}")]
    Io {
        /// The offset in the file.
        offset: u64,
        /// The error reported by the system.
        source: io::Error,
    },
    /// The file is not a tape.
    #[error("this is not a tape: it looks like {looks_like}")]
    NotATape {
        /// What it looks like instead.
        looks_like: &'static str,
    },
    /// A version of the format that is not supported.
    #[error("this tape has format version {version}, but this program supports version {known}; use a newer gametape")]
    UnknownVersion {
        /// The tape's version.
        version: u16,
        /// The supported version.
        known: u16,
    },
    /// No stream of that name.
    #[error("there is no stream {name:?} on this tape; it has {}", known.join(", "))]
    NoSuchStream {
        /// The requested name.
        name: String,
        /// The existing streams.
        known: Vec<String>,
    },
    /// No channel of that name.
    #[error("stream {stream:?} has no channel {name:?}{}", similar(like))]
    NoSuchChannel {
        /// The stream.
        stream: String,
        /// The requested name.
        name: String,
        /// Similar names.
        like: Vec<String>,
    },
    /// A part is damaged; reading can continue after it.
    #[error("{0}")]
    Damaged(Problem),
}

fn similar(like: &[String]) -> String {
    if like.is_empty() { String::new() } else { format!("; did you mean {}?", like.join(", ")) }
}

pub(crate) fn io_at(offset: u64) -> impl FnOnce(io::Error) -> ReadError {
    move |source| ReadError::Io { offset, source }
}
