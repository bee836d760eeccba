//! The events of a watch: finds and notices.

use std::fmt;
use std::path::{Path, PathBuf};

use gametape_format::TapeId;

use super::archive::ArchiveError;
use super::content::ContentHash;
use crate::import::{ImportError, Imported, Kind};

/// An event of a watch.
#[derive(Debug)]
pub enum WatchEvent {
    /// A file is complete.
    Found(Box<Found>),
    /// A notice.
    Notice(Notice),
}

/// A complete file, or the folder of a match.
#[derive(Debug)]
pub struct Found {
    /// Its path.
    pub path: PathBuf,
    /// Its files: the file itself and those that belong to it, or all files in the folder.
    pub files: Vec<PathBuf>,
    /// Whether it is the folder of a match.
    pub is_folder: bool,
    /// Whether anything is missing.
    pub completeness: Completeness,
    /// The game of its folder; `None` for folders without a game.
    pub game: Option<String>,
    /// Its format, detected from the content; `None` if it is unknown.
    pub kind: Option<Kind>,
    /// Its length in bytes; of a folder, the sum of the lengths of its files.
    pub bytes: u64,
    /// Its modification time, or that of the newest file in the folder, in nanoseconds since 1970 UTC; `None` if the system does not provide it.
    pub modified_utc_ns: Option<i64>,
    /// The hash of its content; of a folder, of the names and contents of its files.
    pub hash: ContentHash,
    /// Whether different content was reported for this path before.
    pub rewritten: bool,
    /// The result of copying it to the archive.
    pub archive: Archive,
    /// The result of importing it.
    pub import: Import,
}

/// Whether a find is complete.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Completeness {
    /// Its structure shows that nothing is missing.
    Whole,
    /// It was unchanged for the quiet period. There is no test for its format.
    Unchanged,
    /// Something is missing, and nothing was added for minutes: the game crashed, or the recording was aborted.
    Incomplete {
        /// What is missing.
        reason: &'static str,
    },
}

/// The result of copying a find to the archive.
#[derive(Debug)]
pub enum Archive {
    /// No archive was requested.
    NotWanted,
    /// The file was copied.
    Copied(PathBuf),
    /// The archive already has the same content.
    AlreadyThere(PathBuf),
    /// The copy failed.
    Failed(ArchiveError),
}

/// The result of importing a find.
#[derive(Debug)]
pub enum Import {
    /// No import was requested.
    NotWanted,
    /// A tape was written.
    Made {
        /// The tape.
        tape: PathBuf,
        /// The contents of the tape.
        imported: Box<Imported>,
    },
    /// A tape with the same content already exists.
    AlreadyThere {
        /// The tape.
        tape: PathBuf,
        /// Its id.
        tape_id: TapeId,
    },
    /// No importer supports this format. The file is not damaged.
    NotReadable(ImportError),
    /// The import failed.
    Failed(ImportError),
}

impl Found {
    /// Returns the path of the copy in the archive.
    pub fn archived(&self) -> Option<&Path> {
        match &self.archive {
            Archive::Copied(path) | Archive::AlreadyThere(path) => Some(path),
            Archive::NotWanted | Archive::Failed(_) => None,
        }
    }

    /// Returns the path of the tape.
    pub fn tape(&self) -> Option<&Path> {
        match &self.import {
            Import::Made { tape, .. } | Import::AlreadyThere { tape, .. } => Some(tape),
            Import::NotWanted | Import::NotReadable(_) | Import::Failed(_) => None,
        }
    }

    /// Returns whether a tape was written just now.
    pub fn was_imported(&self) -> bool {
        matches!(self.import, Import::Made { .. })
    }

    /// Returns what is missing of an incomplete find.
    pub fn missing(&self) -> Option<&'static str> {
        match self.completeness {
            Completeness::Whole | Completeness::Unchanged => None,
            Completeness::Incomplete { reason } => Some(reason),
        }
    }

    /// Returns whether a requested copy or tape is missing, or the source is incomplete or damaged.
    pub fn has_problems(&self) -> bool {
        let import = match &self.import {
            Import::Made { imported, .. } => !imported.problems.is_empty(),
            Import::Failed(_) => true,
            Import::NotWanted | Import::AlreadyThere { .. } | Import::NotReadable(_) => false,
        };
        import || matches!(self.archive, Archive::Failed(_)) || self.missing().is_some()
    }
}

/// An event that is not a find. The watch continues.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Notice {
    /// A folder is being watched.
    Watching {
        /// The folder.
        folder: PathBuf,
        /// Why the folder is polled; `None` if file system events are used.
        looking_because: Option<String>,
    },
    /// A folder does not exist. It will be watched as soon as it does.
    WaitingFor {
        /// The folder.
        folder: PathBuf,
    },
    /// A watched folder is gone. It will be watched again when it is back.
    FolderGone {
        /// The folder.
        folder: PathBuf,
    },
    /// A file or folder cannot be read.
    Unreadable {
        /// The path.
        path: PathBuf,
        /// The I/O error.
        reason: String,
    },
    /// A link leads to a folder that is already watched, or forms a cycle. It is not followed.
    LinkNotFollowed {
        /// The link.
        path: PathBuf,
    },
    /// A replay was deleted before it was complete, by the game or by the user.
    Lost {
        /// Its path.
        path: PathBuf,
    },
    /// The limit of watched folders, or of their depth, is exceeded.
    TooManyFolders {
        /// The first folder that is not watched.
        path: PathBuf,
    },
    /// The limit of remembered files is exceeded: old files may be reported again.
    TooManyFiles {
        /// The limit.
        limit: usize,
    },
    /// The system lost events. All folders are rescanned.
    Overflow,
    /// The state file could not be written: finds may be reported again after a restart.
    NotRemembered {
        /// The I/O error.
        reason: String,
    },
    /// Part of the state file could not be read: those files may be reported again.
    MemoryDamaged {
        /// Number of damaged lines.
        lines: u64,
    },
}

impl fmt::Display for Notice {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Watching { folder, looking_because: None } => write!(f, "watching {}", folder.display()),
            Self::Watching { folder, looking_because: Some(reason) } => {
                write!(f, "watching {} by polling every few seconds: {reason}", folder.display())
            }
            Self::WaitingFor { folder } => write!(f, "{} does not exist yet: waiting for it", folder.display()),
            Self::FolderGone { folder } => write!(f, "{} is gone: waiting for it to come back", folder.display()),
            Self::Unreadable { path, reason } => write!(f, "cannot read {}: {reason}", path.display()),
            Self::LinkNotFollowed { path } => {
                write!(f, "{} links to a folder that is already watched: not followed", path.display())
            }
            Self::Lost { path } => write!(f, "{} was deleted before it was complete", path.display()),
            Self::TooManyFolders { path } => {
                write!(f, "too many folders: {} and others are not watched; name the ones that matter", path.display())
            }
            Self::TooManyFiles { limit } => {
                write!(f, "more than {limit} files: some may be missed or reported again")
            }
            Self::Overflow => f.write_str("the system lost events: scanning all folders again"),
            Self::NotRemembered { reason } => {
                write!(f, "cannot write the state file: {reason}; finds may be reported again after a restart")
            }
            Self::MemoryDamaged { lines } => {
                write!(f, "{lines} lines of the state file are damaged: those files may be reported again")
            }
        }
    }
}
