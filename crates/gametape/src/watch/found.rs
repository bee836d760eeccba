//! What a watch tells: finds, and what else there is to know.

use std::fmt;
use std::path::{Path, PathBuf};

use gametape_format::TapeId;

use super::archive::ArchiveError;
use super::content::ContentHash;
use crate::import::{ImportError, Imported, Kind};

/// What a watch tells.
#[derive(Debug)]
pub enum WatchEvent {
    /// A file is complete.
    Found(Box<Found>),
    /// Something that is no find.
    Notice(Notice),
}

/// A file that is complete.
#[derive(Debug)]
pub struct Found {
    /// Where it is.
    pub path: PathBuf,
    /// The game whose folder it is in; `None` for folders of one's own.
    pub game: Option<String>,
    /// What it is, by its content; `None` if that is not known.
    pub kind: Option<Kind>,
    /// Its length.
    pub bytes: u64,
    /// When it was changed, nanoseconds since 1970 in UTC; `None` if the system does not say.
    pub modified_utc_ns: Option<i64>,
    /// Its content.
    pub hash: ContentHash,
    /// Whether another content was reported under this path before.
    pub rewritten: bool,
    /// What became of its copy.
    pub archive: Archive,
    /// What became of its tape.
    pub import: Import,
}

/// What became of the copy of a find.
#[derive(Debug)]
pub enum Archive {
    /// No archive was asked for.
    NotWanted,
    /// It was copied.
    Copied(PathBuf),
    /// The same content was there already.
    AlreadyThere(PathBuf),
    /// It could not be copied.
    Failed(ArchiveError),
}

/// What became of the tape of a find.
#[derive(Debug)]
pub enum Import {
    /// No tapes were asked for.
    NotWanted,
    /// A tape was made.
    Made {
        /// The tape.
        tape: PathBuf,
        /// What is on it.
        imported: Box<Imported>,
    },
    /// A tape of the same content was there already.
    AlreadyThere {
        /// The tape.
        tape: PathBuf,
        /// Its identity.
        tape_id: TapeId,
    },
    /// Nothing here reads files of this kind. That is no fault of the file.
    NotReadable(ImportError),
    /// It should have become a tape, and did not.
    Failed(ImportError),
}

impl Found {
    /// The copy in the archive.
    pub fn archived(&self) -> Option<&Path> {
        match &self.archive {
            Archive::Copied(path) | Archive::AlreadyThere(path) => Some(path),
            Archive::NotWanted | Archive::Failed(_) => None,
        }
    }

    /// The tape.
    pub fn tape(&self) -> Option<&Path> {
        match &self.import {
            Import::Made { tape, .. } | Import::AlreadyThere { tape, .. } => Some(tape),
            Import::NotWanted | Import::NotReadable(_) | Import::Failed(_) => None,
        }
    }

    /// Whether a tape was made, now.
    pub fn was_imported(&self) -> bool {
        matches!(self.import, Import::Made { .. })
    }

    /// Whether something that was asked for did not come out whole: a copy or a tape that is missing, or a source with damage.
    pub fn has_problems(&self) -> bool {
        let import = match &self.import {
            Import::Made { imported, .. } => !imported.problems.is_empty(),
            Import::Failed(_) => true,
            Import::NotWanted | Import::AlreadyThere { .. } | Import::NotReadable(_) => false,
        };
        import || matches!(self.archive, Archive::Failed(_))
    }
}

/// Something that is no find, but good to know. The watch goes on.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Notice {
    /// A folder is watched from now on.
    Watching {
        /// The folder.
        folder: PathBuf,
        /// Why it is looked at every few seconds instead of listened to; `None` if the system tells of changes.
        looking_because: Option<String>,
    },
    /// A folder is not there; it is watched as soon as it is.
    WaitingFor {
        /// The folder.
        folder: PathBuf,
    },
    /// A folder that was watched is gone; it is watched again when it is back.
    FolderGone {
        /// The folder.
        folder: PathBuf,
    },
    /// A file or folder cannot be read.
    Unreadable {
        /// Which one.
        path: PathBuf,
        /// What the system said.
        reason: String,
    },
    /// A link leads to a folder that is watched already, or in a circle. It is not followed.
    LinkNotFollowed {
        /// The link.
        path: PathBuf,
    },
    /// There are more folders, or deeper ones, than are watched.
    TooManyFolders {
        /// The first one that is not watched.
        path: PathBuf,
    },
    /// There are more files than can be remembered: old ones may be reported again.
    TooManyFiles {
        /// So many are remembered.
        limit: usize,
    },
    /// The system lost events; all folders are looked at instead.
    Overflow,
    /// What was reported could not be written down: a restart may report it again.
    NotRemembered {
        /// What the system said.
        reason: String,
    },
    /// Some of what was reported before could not be read: it may be reported again.
    MemoryDamaged {
        /// Lines of the state file.
        lines: u64,
    },
}

impl fmt::Display for Notice {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Watching { folder, looking_because: None } => write!(f, "watching {}", folder.display()),
            Self::Watching { folder, looking_because: Some(reason) } => {
                write!(f, "watching {} by looking every few seconds: {reason}", folder.display())
            }
            Self::WaitingFor { folder } => write!(f, "{} is not there yet: waiting for it", folder.display()),
            Self::FolderGone { folder } => write!(f, "{} is gone: waiting for it to come back", folder.display()),
            Self::Unreadable { path, reason } => write!(f, "cannot read {}: {reason}", path.display()),
            Self::LinkNotFollowed { path } => {
                write!(f, "{} leads to a folder that is watched already: not followed", path.display())
            }
            Self::TooManyFolders { path } => {
                write!(
                    f,
                    "there are too many folders: {} and others are not watched; name the ones that matter",
                    path.display()
                )
            }
            Self::TooManyFiles { limit } => {
                write!(f, "there are more than {limit} files: those beyond may be missed, or reported again")
            }
            Self::Overflow => f.write_str("the system lost events: looking through all folders"),
            Self::NotRemembered { reason } => {
                write!(f, "cannot write down what was reported: {reason}; a restart may report it again")
            }
            Self::MemoryDamaged { lines } => {
                write!(f, "{lines} lines of what was reported before are damaged: those files may be reported again")
            }
        }
    }
}
