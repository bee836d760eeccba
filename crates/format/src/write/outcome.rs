//! What callers of the writer give and get: options, results, errors.

use std::io;
use std::path::PathBuf;
use std::time::Duration;

use super::generation::Failure;
use crate::footer::Totals;
use crate::record::{FileHeader, TapeId, VERSION};
use crate::stream::StreamId;
use crate::system::{Counters, Status};

/// How a tape is recorded.
#[derive(Debug, Clone)]
pub struct WriteOptions {
    /// Identity of the tape.
    pub tape_id: TapeId,
    /// UTC at time 0, nanoseconds since 1970, if known.
    pub start_utc_ns: Option<i64>,
    /// A power cut loses at most what was accepted within this time.
    pub sync_interval: Duration,
    /// Least size of a journal generation. Two of them are allocated while recording.
    pub journal_bytes: u64,
}

impl WriteOptions {
    /// The defaults: synced every second, generations of 8 MiB (more for large frames and high rates).
    pub fn new(tape_id: TapeId) -> Self {
        Self { tape_id, start_utc_ns: None, sync_interval: Duration::from_secs(1), journal_bytes: 8 << 20 }
    }

    pub(crate) fn header(&self) -> FileHeader {
        FileHeader { version: VERSION, tape_id: self.tape_id, start_utc_ns: self.start_utc_ns }
    }
}

/// Why a tape could not be made.
#[derive(Debug, thiserror::Error)]
pub enum CreateError {
    /// A file of that name is there.
    #[error("{} exists already; nothing was overwritten", path.display())]
    Exists {
        /// The tape or the journal that is in the way.
        path: PathBuf,
    },
    /// The system refused.
    #[error("cannot {doing} {}: {source}", path.display())]
    Io {
        /// What was tried.
        doing: &'static str,
        /// On which file.
        path: PathBuf,
        /// What the system said.
        source: io::Error,
    },
}

/// Why a frame or a stream was not accepted. Nothing of it is on the tape.
#[derive(Debug, thiserror::Error)]
pub enum AppendError {
    /// No such stream.
    #[error("stream {} does not exist", stream.0)]
    NoSuchStream {
        /// The id that was given.
        stream: StreamId,
    },
    /// A stream description that the format does not allow.
    #[error("stream {name:?}: {reason}")]
    BadStream {
        /// Name of the stream.
        name: String,
        /// What is wrong.
        reason: String,
    },
    /// Times of a stream must not fall. The frame is counted as dropped.
    #[error("time {time_ns} ns lies before the stream's last frame at {last_ns} ns")]
    TimeWentBack {
        /// The time that was given.
        time_ns: u64,
        /// The last accepted one.
        last_ns: u64,
    },
    /// Larger than a block may be. The frame is counted as dropped.
    #[error("a frame of {bytes} bytes is larger than the limit of {limit}")]
    TooLarge {
        /// Size of the frame.
        bytes: usize,
        /// Largest size.
        limit: usize,
    },
    /// No prepared journal has room: the disk is full or too slow. The frame is counted as dropped.
    #[error("the disk is full or does not keep up: no prepared journal has room for a frame of {bytes} bytes")]
    NoRoom {
        /// Size of the frame.
        bytes: usize,
    },
    /// The journal could not be written. The frame is counted as dropped.
    #[error("cannot write to the journal: {0}")]
    Journal(#[source] io::Error),
    /// The encoder gave up; the writer takes nothing more. The frame is counted as dropped.
    #[error(
        "the recording has stopped while {0}; what was accepted is in the tape and its journal: run `gametape recover` on it"
    )]
    Failed(Failure),
}

/// What became of an accepted frame.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Accepted {
    /// It is on the tape under this sequence number.
    Stored(u64),
    /// It equals the frame before; the stream was seen unchanged until its time.
    Unchanged,
}

/// What a finished recording holds.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Finished {
    /// Length of the tape file.
    pub bytes: u64,
    /// What is on each stream.
    pub streams: Vec<FinishedStream>,
}

/// What a finished recording holds of one stream.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FinishedStream {
    /// Its number on the tape.
    pub id: StreamId,
    /// Its name.
    pub name: String,
    /// Frames, bytes and times.
    pub totals: Totals,
    /// What was lost and noticed.
    pub status: Status,
}

impl Finished {
    /// What was lost on all streams together, see [`Counters::of_streams`].
    pub fn loss(&self) -> Counters {
        Counters::of_streams(self.streams.iter().map(|stream| &stream.status.counters))
    }
}

/// Why a recording could not be closed. The tape and its journals are left as they are, readable.
#[derive(Debug, thiserror::Error)]
pub enum FinishError {
    /// The encoder failed, now or earlier.
    #[error(
        "the tape could not be closed while {0}; what was accepted is in the tape and its journal: run `gametape recover` on it"
    )]
    Failed(#[from] Failure),
    /// The file was removed, moved or replaced while it was being written.
    #[error(
        "the tape was deleted or moved while it was being recorded; a tape that was moved is whole in its new place, a deleted one is lost"
    )]
    TapeGone,
    /// The encoder thread is gone.
    #[error(
        "the encoder thread ended unexpectedly; what was accepted is in the tape and its journal: run `gametape recover` on it"
    )]
    ThreadGone,
}
