//! What a recording is asked to do, and what it tells.

use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

use gametape_format::TapeId;
use gametape_format::write::{CreateError, Files, Finished, WriteOptions, Writer};
use gametape_games::About;

use crate::identity::new_id;
use crate::names::{free_path, recording_name};
use crate::paths::create_private_folder;
use crate::sys::MappedFiles;

/// Where tapes go.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Place {
    /// Into a folder, named by game, track and time.
    Folder(PathBuf),
    /// Into a folder, named by game, this word and time.
    Named(PathBuf, String),
    /// Into this file; when there is more than one tape, a number is added.
    File(PathBuf),
}

/// When a new tape begins although the game goes on.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Split {
    /// With each session of the game.
    #[default]
    Session,
    /// Never: pauses in menus become gaps.
    None,
}

/// How to record.
#[derive(Clone)]
pub struct RecordOptions {
    /// Where tapes go; `None` keeps nothing.
    pub place: Option<Place>,
    /// When a new tape begins.
    pub split: Split,
    /// End after this much of a tape.
    pub max_duration: Option<Duration>,
    /// Write a session as pieces of this length, tapes each: what is old can then be thrown away, see [`crate::keep_last`].
    pub piece: Option<Duration>,
    /// Metadata for every tape, such as a note of the user.
    pub metadata: Vec<(String, String)>,
    /// Go on with another tape when one cannot be made or written any more, as soon as that is possible; frames wait in memory until then. Without it the
    /// recording ends.
    pub go_on: bool,
    /// The file system.
    pub files: Arc<dyn Files>,
    /// Least size of a journal generation, see [`WriteOptions`].
    pub journal_bytes: u64,
}

/// Enough for some seconds of the games at hand, and little of it in memory at a time.
const JOURNAL_BYTES: u64 = 4 << 20;

/// A tape that was made, and nothing is on it yet.
pub(super) struct NewTape {
    pub(super) id: TapeId,
    pub(super) path: PathBuf,
    pub(super) writer: Writer,
}

impl RecordOptions {
    /// Records to this place, a tape a session.
    pub fn new(place: Option<Place>) -> Self {
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

    /// Makes the tape of this name or, if that is taken, of the next one. Waits for the disk.
    pub(super) fn create(&self, place: &Place, game: &str, about: &About, utc_ns: i64) -> Result<NewTape, CreateError> {
        let wanted = match place {
            Place::File(path) => path.clone(),
            Place::Folder(folder) => folder.join(recording_name(game, about.track.as_deref(), utc_ns)),
            Place::Named(folder, word) => folder.join(recording_name(game, Some(word), utc_ns)),
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
                // Somebody else took the name while we looked, or a journal of it is left.
                Err(CreateError::Exists { .. }) => taken.push(path),
                Err(error) => return Err(error),
            }
        }
    }
}

/// Why a tape ended. The text is on the tape.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum EndReason {
    /// The user or the system asked for the end.
    Stopped,
    /// The game left its session or ended.
    GameEnded,
    /// The game's memory is there but nothing in it moves.
    Frozen,
    /// Another session of the game began: the next of the same kind, or the game does not say what is different.
    NewSession,
    /// A session of another kind began.
    NewSessionType,
    /// A session with another car began.
    NewCar,
    /// A session on another track or layout began.
    NewTrack,
    /// The source describes its frames in another way now.
    NewLayout,
    /// As long as it was asked to be.
    MaxDuration,
    /// The session goes on in the next piece.
    NextPiece,
    /// The source has no more: a tape that is played.
    SourceEnded,
    /// The source could not be read any more.
    SourceFailed,
    /// The tape could not be written any more.
    DiskFailed,
    /// The file was deleted or moved while it was being written.
    FileGone,
}

impl EndReason {
    /// Why a session makes place for another, by what the game said before and says now. What is not said on one side is no difference.
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

    /// The word that stands on the tape.
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

/// What a recording tells while it runs.
#[derive(Debug)]
pub enum Told {
    /// A tape was begun.
    Opened {
        /// The tape.
        path: PathBuf,
        /// Id of the game.
        game: String,
        /// What the game says about itself.
        about: About,
        /// What is odd about what the game offers, for the user; on the tape as events.
        notes: Vec<String>,
    },
    /// A tape is whole.
    Closed {
        /// The tape.
        path: PathBuf,
        /// Id of the game.
        game: String,
        /// Why it ended.
        reason: EndReason,
        /// From the first frame to the end.
        duration_ns: u64,
        /// What is on it and what was lost.
        finished: Finished,
    },
    /// A tape could not be begun, kept or closed; the text says what to do.
    Failed(String),
    /// Frames that were captured are on no tape; the text says which and why. The recording goes on.
    Lost(String),
    /// Something is wrong with the disk, or no longer is; the text says what to do. Nothing is lost so far, and the recording goes on.
    Warned(String),
}
