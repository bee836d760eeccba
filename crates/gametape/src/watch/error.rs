//! Why a watch could not begin.

use std::io;
use std::path::PathBuf;

/// Why a watch could not begin. What goes wrong later is a [`Notice`](super::Notice): a watch goes on.
#[derive(Debug, thiserror::Error)]
pub enum WatchError {
    /// No folder was given.
    #[error("there is no folder to watch; name one, or a game whose replay folder is on this machine")]
    NoFolder,
    /// No such game in the table.
    #[error("no replay folder is known for the game {id:?}; known are {known}")]
    UnknownGame {
        /// What was asked for.
        id: String,
        /// The ids that there are.
        known: String,
    },
    /// Not a pattern for file names.
    #[error("{pattern:?} is no pattern for names of files; write something like *.replay, without a folder")]
    Pattern {
        /// What was given.
        pattern: String,
    },
    /// What should be watched is a file.
    #[error("{} is not a folder; name the folder it is in", path.display())]
    NotAFolder {
        /// What was given.
        path: PathBuf,
    },
    /// Copies would be found as new files.
    #[error("{} is watched itself: an archive there would find its own copies; choose a folder elsewhere", path.display())]
    ArchiveIsWatched {
        /// The archive.
        path: PathBuf,
    },
    /// A path cannot be made absolute.
    #[error("cannot find out where {} is: {source}", path.display())]
    Where {
        /// The path.
        path: PathBuf,
        /// What the system said.
        source: io::Error,
    },
    /// What was reported before cannot be read.
    #[error("cannot read {}, which remembers what was reported: {source}; check that you may read and write it", path.display())]
    State {
        /// The state file.
        path: PathBuf,
        /// What the system said.
        source: io::Error,
    },
    /// What was reported before is written in a way that this version does not know.
    #[error("{} is not a state file that this version reads; move it away, or update gametape", path.display())]
    StateVersion {
        /// The state file.
        path: PathBuf,
    },
    /// The system gave no thread.
    #[error("cannot start the thread that watches: {source}")]
    Thread {
        /// What the system said.
        source: io::Error,
    },
}
