//! Errors when starting a watch.

use std::io;
use std::path::PathBuf;

/// Why a watch could not start. Later problems are reported as a [`Notice`](super::Notice), and the watch continues.
#[derive(Debug, thiserror::Error)]
pub enum WatchError {
    /// No folder was given.
    #[error("no folder to watch; name one, or a game whose replay folder is on this machine")]
    NoFolder,
    /// The game is not in the table.
    #[error("no replay folder is known for the game {id:?}; known games are {known}")]
    UnknownGame {
        /// The requested id.
        id: String,
        /// The known ids.
        known: String,
    },
    /// Not a pattern for file names.
    #[error("{pattern:?} is not a pattern for file names; use something like *.replay, without a folder")]
    Pattern {
        /// The given pattern.
        pattern: String,
    },
    /// The path to watch is a file.
    #[error("{} is not a folder; name the folder it is in", path.display())]
    NotAFolder {
        /// The given path.
        path: PathBuf,
    },
    /// The archive is inside a watched folder, so copies would be reported as new files.
    #[error("the archive {} is inside a watched folder, so its copies would be found again; choose a folder elsewhere", path.display())]
    ArchiveIsWatched {
        /// The archive.
        path: PathBuf,
    },
    /// A path cannot be made absolute.
    #[error("cannot determine the absolute path of {}: {source}", path.display())]
    Where {
        /// The path.
        path: PathBuf,
        /// The I/O error.
        source: io::Error,
    },
    /// The state file cannot be read.
    #[error("cannot read the state file {}: {source}; check that you may read and write it", path.display())]
    State {
        /// The state file.
        path: PathBuf,
        /// The I/O error.
        source: io::Error,
    },
    /// The state file has an unknown format.
    #[error("{} is not a state file that this version supports; move it away, or update gametape", path.display())]
    StateVersion {
        /// The state file.
        path: PathBuf,
    },
    /// The thread could not be started.
    #[error("cannot start the watching thread: {source}")]
    Thread {
        /// The I/O error.
        source: io::Error,
    },
}
