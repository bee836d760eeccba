//! Options, results and errors of the writer.

use std::io;
use std::path::PathBuf;
use std::time::Duration;

use super::generation::Failure;
use crate::footer::Totals;
use crate::record::{FileHeader, TapeId, VERSION};
use crate::stream::StreamId;
use crate::system::{Counters, Status};

/// Options for recording a tape.
#[derive(Debug, Clone)]
pub struct WriteOptions {
    /// Identity of the tape.
    pub tape_id: TapeId,
    /// UTC at tape time 0, in nanoseconds since 1970, if known.
    pub start_utc_ns: Option<i64>,
    /// The interval between syncs. A power cut loses at most the frames accepted within this time.
    pub sync_interval: Duration,
    /// The minimum size of a journal generation. Two generations are allocated while recording.
    pub journal_bytes: u64,
}

impl WriteOptions {
    /// Returns the defaults: a sync every second, generations of 8 MiB (more for large frames and high rates).
    pub fn new(tape_id: TapeId) -> Self {
        Self { tape_id, start_utc_ns: None, sync_interval: Duration::from_secs(1), journal_bytes: 8 << 20 }
    }

    pub(crate) fn header(&self) -> FileHeader {
        FileHeader { version: VERSION, tape_id: self.tape_id, start_utc_ns: self.start_utc_ns }
    }
}

/// The reason why a tape could not be created.
#[derive(Debug, thiserror::Error)]
pub enum CreateError {
    /// A file with that name exists.
    #[error("{} exists already; nothing was overwritten", path.display())]
    Exists {
        /// The tape or journal that already exists.
        path: PathBuf,
    },
    /// An I/O error.
    #[error("cannot {doing} {}: {source}", path.display())]
    Io {
        /// The operation that failed.
        doing: &'static str,
        /// The file concerned.
        path: PathBuf,
        /// The error reported by the system.
        source: io::Error,
    },
}

/// The reason why a frame or stream was not accepted. Nothing of it is stored in the tape.
#[derive(Debug, thiserror::Error)]
pub enum AppendError {
    /// No such stream.
    #[error("stream {} does not exist", stream.0)]
    NoSuchStream {
        /// The given id.
        stream: StreamId,
    },
    /// A stream descriptor that violates the rules of the format.
    #[error("stream {name:?}: {reason}")]
    BadStream {
        /// Name of the stream.
        name: String,
        /// What is wrong with it.
        reason: String,
    },
    /// The times of a stream must not decrease. The frame is counted as dropped.
    #[error("time {time_ns} ns is earlier than the stream's last frame at {last_ns} ns")]
    TimeWentBack {
        /// The given time.
        time_ns: u64,
        /// The time of the last accepted frame.
        last_ns: u64,
    },
    /// The frame is larger than a block may be. It is counted as dropped.
    #[error("a frame of {bytes} bytes is larger than the limit of {limit}")]
    TooLarge {
        /// Size of the frame.
        bytes: usize,
        /// Maximum size.
        limit: usize,
    },
    /// No prepared journal has room: the disk is full or too slow. The frame is counted as dropped.
    #[error("the disk is full or cannot keep up: no prepared journal has room for a frame of {bytes} bytes")]
    NoRoom {
        /// Size of the frame.
        bytes: usize,
    },
    /// Writing to the journal failed. The frame is counted as dropped.
    #[error("cannot write to the journal: {0}")]
    Journal(#[source] io::Error),
    /// The encoder failed, and the writer accepts nothing more. The frame is counted as dropped.
    #[error(
        "the recording stopped while {0}; all accepted frames are in the tape and its journal: run `gametape recover` on it"
    )]
    Failed(Failure),
}

/// The fate of an accepted frame.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Accepted {
    /// It is stored under this sequence number.
    Stored(u64),
    /// It equals the previous frame; the stream was observed unchanged until its time.
    Unchanged,
}

/// A summary of a finished recording.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Finished {
    /// Length of the tape file.
    pub bytes: u64,
    /// The streams of the tape.
    pub streams: Vec<FinishedStream>,
}

/// A summary of one stream of a finished recording.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FinishedStream {
    /// Its number in the tape.
    pub id: StreamId,
    /// Its name.
    pub name: String,
    /// Frames, bytes and times.
    pub totals: Totals,
    /// Loss counters and "seen until".
    pub status: Status,
}

impl Finished {
    /// Returns the losses of all streams together; see [`Counters::of_streams`].
    pub fn loss(&self) -> Counters {
        Counters::of_streams(self.streams.iter().map(|stream| &stream.status.counters))
    }
}

/// The reason why a recording could not be closed. The tape and its journals are left as they are and remain readable.
#[derive(Debug, thiserror::Error)]
pub enum FinishError {
    /// The encoder failed, now or earlier.
    #[error(
        "the tape could not be closed while {0}; all accepted frames are in the tape and its journal: run `gametape recover` on it"
    )]
    Failed(#[from] Failure),
    /// The file was removed, moved or replaced while it was being written.
    #[error(
        "the tape was deleted or moved while it was being recorded; a moved tape is complete at its new path, a deleted one is lost"
    )]
    TapeGone,
    /// The encoder thread ended.
    #[error(
        "the encoder thread ended unexpectedly; all accepted frames are in the tape and its journal: run `gametape recover` on it"
    )]
    ThreadGone,
}
