//! Options of a recording, and the notifications it sends.

use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

use gametape_format::write::{CreateError, Files, Finished, WriteOptions, Writer};
use gametape_format::{Counters, TapeId};
use gametape_games::About;

use crate::identity::new_id;
use crate::names::{free_path, recording_name};
use crate::paths::create_private_folder;
use crate::sys::MappedFiles;

/// Where tapes are created.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Destination {
    /// In a folder, named after game, track and time.
    Folder(PathBuf),
    /// In a folder, named after game, this word and time.
    Named(PathBuf, String),
    /// In this file. If there is more than one tape, a number is appended.
    File(PathBuf),
}

/// When a new tape begins while the game keeps running.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Split {
    /// With each session of the game.
    #[default]
    Session,
    /// Never. Time in menus becomes a gap.
    None,
}

/// Options of a recording.
#[derive(Clone)]
pub struct RecordOptions {
    /// Where tapes are created; `None` stores nothing.
    pub place: Option<Destination>,
    /// When a new tape begins.
    pub split: Split,
    /// Stop when the tape is this long.
    pub max_duration: Option<Duration>,
    /// Write a session in pieces of this length, one tape each, so that old pieces can be deleted; see [`crate::keep_last`].
    pub piece: Option<Duration>,
    /// Metadata for every tape, such as a note by the user.
    pub metadata: Vec<(String, String)>,
    /// If a tape cannot be created or written any more, continue on another tape as soon as possible. Frames are queued in memory
    /// until then. If unset, the recording ends.
    pub go_on: bool,
    /// The file system.
    pub files: Arc<dyn Files>,
    /// Minimum size of a journal generation, see [`WriteOptions`].
    pub journal_bytes: u64,
}

/// Holds a few seconds of the supported games. Only a small part of it is in memory at a time.
const JOURNAL_BYTES: u64 = 4 << 20;

/// A new tape without contents.
pub(super) struct NewTape {
    pub(super) id: TapeId,
    pub(super) path: PathBuf,
    pub(super) writer: Writer,
}

impl RecordOptions {
    /// Returns options that record to `place`, one tape per session.
    pub fn new(place: Option<Destination>) -> Self {
        Self {
            place,
            split: Split::default(),
            max_duration: None,
            piece: None,
            metadata: Vec::new(),
            go_on: false,
            files: Arc::new(MappedFiles),
            journal_bytes: JOURNAL_BYTES,
        }
    }

    /// Creates the tape under its name or, if that is taken, under the next free one. Waits for the disk.
    pub(super) fn create(
        &self,
        place: &Destination,
        game: &str,
        about: &About,
        utc_ns: i64,
    ) -> Result<NewTape, CreateError> {
        let wanted = match place {
            Destination::File(path) => path.clone(),
            Destination::Folder(folder) => folder.join(recording_name(game, about.track.as_deref(), utc_ns)),
            Destination::Named(folder, word) => folder.join(recording_name(game, Some(word), utc_ns)),
        };
        if let Some(folder) = wanted.parent().filter(|folder| !folder.as_os_str().is_empty()) {
            let failed = |source| CreateError::Io { doing: "make the folder", path: folder.into(), source };
            create_private_folder(folder).map_err(failed)?;
        }
        let options = WriteOptions {
            start_utc_ns: Some(utc_ns),
            journal_bytes: self.journal_bytes,
            ..WriteOptions::new(new_id())
        };
        let id = options.tape_id;
        let mut taken = Vec::new();
        loop {
            let path = free_path(&wanted, &|path: &Path| path.exists() || taken.iter().any(|taken| taken == path));
            match Writer::create(Arc::clone(&self.files), &path, &options) {
                Ok(writer) => return Ok(NewTape { id, path, writer }),
                // The name was taken in the meantime, or a journal with that name is left over.
                Err(CreateError::Exists { .. }) => taken.push(path),
                Err(error) => return Err(error),
            }
        }
    }
}

/// Why a tape ended. [`as_str`](Self::as_str) is stored in the tape.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum EndReason {
    /// The user or the system requested the end.
    Stopped,
    /// The game left its session or exited.
    GameEnded,
    /// The shared memory of the game exists, but nothing in it changes.
    Frozen,
    /// Another session of the game began: one of the same kind, or the game does not report what differs.
    NewSession,
    /// A session of another kind began.
    NewSessionType,
    /// A session with another car began.
    NewCar,
    /// A session on another track or layout began.
    NewTrack,
    /// The source changed the description of its frames.
    NewLayout,
    /// The maximum duration was reached.
    MaxDuration,
    /// The session continues in the next piece.
    NextPiece,
    /// The source has no more frames, for example a tape that was played to its end.
    SourceEnded,
    /// The source could not be read any more.
    SourceFailed,
    /// The tape could not be written any more.
    DiskFailed,
    /// The file was deleted or moved while it was being written.
    FileGone,
}

impl EndReason {
    /// Compares what the game reported before with what it reports now, and returns why the tape ends. A value that is missing on
    /// one side is not a difference.
    pub(super) fn of_another_session(before: &About, now: &About) -> Self {
        let differs =
            |a: &Option<String>, b: &Option<String>| Option::zip(a.as_ref(), b.as_ref()).is_some_and(|(a, b)| a != b);
        if differs(&before.track, &now.track) || differs(&before.track_layout, &now.track_layout) {
            Self::NewTrack
        } else if differs(&before.car, &now.car) {
            Self::NewCar
        } else if differs(&before.session, &now.session) {
            Self::NewSessionType
        } else {
            Self::NewSession
        }
    }

    /// Returns the value that is stored in the tape.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Stopped => "stopped",
            Self::GameEnded => "game_ended",
            Self::Frozen => "game_frozen",
            Self::NewSession => "new_session",
            Self::NewSessionType => "new_session_type",
            Self::NewCar => "new_car",
            Self::NewTrack => "new_track",
            Self::NewLayout => "new_layout",
            Self::MaxDuration => "max_duration",
            Self::NextPiece => "next_piece",
            Self::SourceEnded => "source_ended",
            Self::SourceFailed => "source_failed",
            Self::DiskFailed => "disk_failed",
            Self::FileGone => "file_gone",
        }
    }
}

/// A tape that was written and closed.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct TapeSummary {
    /// The file.
    pub path: PathBuf,
    /// Id of the game.
    pub game: String,
    /// Why it ended.
    pub end: EndReason,
    /// Time from the first frame to the end.
    pub duration: Duration,
    /// Number of the game's frames in it.
    pub frames: u64,
    /// Length of the file in bytes.
    pub bytes: u64,
    /// Detected losses.
    pub loss: Counters,
    /// Totals and losses of each stream.
    pub finished: Finished,
}

impl TapeSummary {
    pub(super) fn new(path: PathBuf, game: String, end: EndReason, duration_ns: u64, finished: Finished) -> Self {
        // The names of the tape's system streams (events, metadata, …) begin with a dot.
        let of_game = finished.streams.iter().filter(|stream| !stream.name.starts_with('.'));
        Self {
            path,
            game,
            end,
            duration: Duration::from_nanos(duration_ns),
            frames: of_game.map(|stream| stream.totals.frames).sum(),
            bytes: finished.bytes,
            loss: finished.loss(),
            finished,
        }
    }
}

/// A notification from a running recording.
#[derive(Debug)]
pub enum RecorderEvent {
    /// A tape was begun.
    Opened {
        /// The tape.
        path: PathBuf,
        /// Id of the game.
        game: String,
        /// What the game reports about itself.
        about: About,
        /// Anomalies of the source's data, for the user. They are also stored in the tape as events.
        notes: Vec<String>,
    },
    /// A tape was closed and is complete.
    Closed(TapeSummary),
    /// A tape could not be begun, written or closed. The text says what to do.
    Failed(String),
    /// Captured frames are not on any tape. The text says which and why. The recording continues.
    Lost(String),
    /// A problem with the disk began or ended. The text says what to do. Nothing is lost so far, and the recording continues.
    Warned(String),
}
