//! Errors of imports.

use std::io;
use std::path::PathBuf;

use gametape_format::read::ReadError;
use gametape_format::write::{BuildError, CreateError};
use gametape_games::iracing::IbtError;

#[cfg(feature = "echo")]
use super::captures::CaptureError;
#[cfg(feature = "echo")]
use super::echoreplay::EchoReplayError;
use super::gamesdat::GamesDatError;
use super::kind::Kind;
use super::ksana::KsanaError;
use super::lap_files::LapFileError;
#[cfg(feature = "rocket-league")]
use super::replays::rocket_league::ReplayError;

/// Why a file could not be imported. No tape was created.
#[derive(Debug, thiserror::Error)]
pub enum ImportError {
    /// The source cannot be read.
    #[error("cannot read {}: {source}{}", path.display(), read_hint(source))]
    Read {
        /// The source.
        path: PathBuf,
        /// The I/O error.
        source: io::Error,
    },
    /// The kind of the source is unknown.
    #[error("unknown file format: it looks like {looks_like}; supported formats: {}", Kind::readable())]
    UnknownKind {
        /// What it looks like.
        looks_like: String,
    },
    /// The source is a tape.
    #[error("this file is already a tape and needs no import; `gametape add` adds its laps to the store")]
    IsTape,
    /// The target file already exists.
    #[error("{} already exists; nothing was overwritten, choose another name", path.display())]
    Exists {
        /// The file.
        path: PathBuf,
    },
    /// The `.ibt` file cannot be read.
    #[error(transparent)]
    Ibt(#[from] IbtError),
    /// The ksana file cannot be read.
    #[error(transparent)]
    Ksana(#[from] KsanaError),
    /// The GamesDat file cannot be read.
    #[error(transparent)]
    GamesDat(#[from] GamesDatError),
    /// The lap file of another logger cannot be imported.
    #[error(transparent)]
    LapFile(#[from] LapFileError),
    /// The Rocket League replay cannot be imported.
    #[cfg(feature = "rocket-league")]
    #[error(transparent)]
    Replay(#[from] ReplayError),
    /// The `.echoreplay` file cannot be read.
    #[cfg(feature = "echo")]
    #[error(transparent)]
    EchoReplay(#[from] EchoReplayError),
    /// The Telemetry V2 or `.nevrcap` capture cannot be read.
    #[cfg(feature = "echo")]
    #[error(transparent)]
    Capture(#[from] CaptureError),
    /// The tape cannot be created.
    #[error(transparent)]
    Create(#[from] CreateError),
    /// The tape cannot be written.
    #[error(transparent)]
    Build(#[from] BuildError),
    /// The tape that the source is compared with cannot be read.
    #[error(transparent)]
    Compared(#[from] ReadError),
}

/// Returns a hint for a source that cannot be read, unless the error itself contains one.
fn read_hint(error: &io::Error) -> &'static str {
    match error.kind() {
        io::ErrorKind::InvalidInput => "",
        _ => "; check the path and its permissions",
    }
}
