//! Why a file could not be imported.

use std::io;
use std::path::PathBuf;

use gametape_format::read::ReadError;
use gametape_format::write::{BuildError, CreateError};
use gametape_games::iracing::IbtError;

use super::captures::CaptureError;
use super::echoreplay::EchoReplayError;
use super::gamesdat::GamesDatError;
use super::kind::Kind;
use super::ksana::KsanaError;
use super::replay::ReplayError;

/// Why a file could not be imported. No tape was made.
#[derive(Debug, thiserror::Error)]
pub enum ImportError {
    /// The source cannot be read.
    #[error("cannot read {}: {source}{}", path.display(), read_hint(source))]
    Read {
        /// The source.
        path: PathBuf,
        /// What the system said.
        source: io::Error,
    },
    /// The source is of no known kind.
    #[error(
        "this is of no kind that can be imported: it looks like {looks_like}; what can be read: {}",
        Kind::readable()
    )]
    UnknownKind {
        /// What it looks like.
        looks_like: String,
    },
    /// The source is a tape.
    #[error(
        "this is a tape already: there is nothing to import, use it as it is; `gametape add` puts its laps into the store"
    )]
    IsTape,
    /// A file of the tape's name is there.
    #[error("{} exists already; nothing was overwritten, choose another name", path.display())]
    Exists {
        /// The file.
        path: PathBuf,
    },
    /// An `.ibt` that cannot be read.
    #[error(transparent)]
    Ibt(#[from] IbtError),
    /// A ksana file that cannot be read.
    #[error(transparent)]
    Ksana(#[from] KsanaError),
    /// A GamesDat file that cannot be read.
    #[error(transparent)]
    GamesDat(#[from] GamesDatError),
    /// A Rocket League replay that cannot be imported.
    #[error(transparent)]
    Replay(#[from] ReplayError),
    /// An `.echoreplay` file that cannot be read.
    #[error(transparent)]
    EchoReplay(#[from] EchoReplayError),
    /// A capture of Telemetry V2 or of its first version that cannot be read.
    #[error(transparent)]
    Capture(#[from] CaptureError),
    /// The tape cannot be made.
    #[error(transparent)]
    Create(#[from] CreateError),
    /// The tape cannot be written.
    #[error(transparent)]
    Build(#[from] BuildError),
    /// The tape that the source is compared with cannot be read.
    #[error(transparent)]
    Compared(#[from] ReadError),
}

/// What to do about a source that cannot be read, unless the error says it.
fn read_hint(error: &io::Error) -> &'static str {
    match error.kind() {
        io::ErrorKind::InvalidInput => "",
        _ => "; check its name and that you may read it",
    }
}
