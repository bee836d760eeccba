//! Finds and opens the tape that a command speaks of.

use std::io;
use std::path::{Path, PathBuf};

use anyhow::{Context, anyhow};
use gametape::capture::{EchoVrAddress, GamePlaces, InWine, Sections};
use gametape::format::read::{Problem, ProblemKind, ReadError, Tape};
use gametape::paths::{Folders, newest_tape};
use gametape::sys::Prefix;

use crate::cli::tell;
use crate::exit;

/// Environment variable that puts all folders below one.
pub(crate) const DATA_DIR: &str = "GAMETAPE_DATA_DIR";

/// Environment variable that says into which processes is looked for memory in Wine: `off`, a program's file name, or a number.
pub(crate) const WINE: &str = "GAMETAPE_WINE";

/// Into which processes is looked where no section has the name. Known games, if nothing else is said.
pub(crate) fn in_wine() -> InWine {
    match std::env::var(WINE).unwrap_or_default().trim() {
        "" => InWine::Games,
        "off" => InWine::Off,
        process => InWine::Process(process.into()),
    }
}

/// Environment variable that says where Echo VR is asked: `off`, a port, ports, a host, or both.
pub(crate) const ECHO: &str = "GAMETAPE_ECHO";

/// Where games are looked for, under this prefix of memory names.
pub(crate) fn game_places(prefix: Prefix) -> anyhow::Result<GamePlaces> {
    let usual = GamePlaces::from(Sections::new(prefix, in_wine()));
    let echo_vr = match std::env::var(ECHO).unwrap_or_default().trim() {
        "" => usual.echo_vr,
        "off" => None,
        address => Some(address.parse::<EchoVrAddress>().map_err(|error| exit::usage(format!("{ECHO}: {error}")))?),
    };
    Ok(GamePlaces { echo_vr, ..usual })
}

/// Where tapes are on this machine.
pub(crate) fn folders() -> anyhow::Result<Folders> {
    if let Some(data) = std::env::var_os(DATA_DIR).filter(|data| !data.is_empty()) {
        return Ok(Folders::below(Path::new(&data)));
    }
    Folders::of_user().ok_or_else(|| anyhow!("the system knows no home folder for tapes; set {DATA_DIR}"))
}

/// The file that was named, or the newest tape; while there is none, the newest one that `demo` made, which is told.
pub(crate) fn or_newest(file: Option<PathBuf>) -> anyhow::Result<PathBuf> {
    if let Some(file) = file {
        return Ok(file);
    }
    let folders = folders()?;
    if let Some(tape) = newest_in(&folders.tapes)? {
        return Ok(tape);
    }
    let shown = folders.tapes.display();
    if let Some(demo) = newest_in(&folders.demo)? {
        tell(&format!("there is no tape in {shown}; this is the newest one of `gametape demo`: {}", demo.display()));
        return Ok(demo);
    }
    Err(exit::nothing_found(format!(
        "there is no tape in {shown}; name one, or make one with `gametape demo` or `gametape import FILE`"
    )))
}

fn newest_in(folder: &Path) -> anyhow::Result<Option<PathBuf>> {
    newest_tape(folder).with_context(|| format!("cannot list {}; name a tape instead", folder.display()))
}

/// Opens a tape; errors name the file and what to do.
pub(crate) fn tape(path: &Path) -> anyhow::Result<Tape> {
    let shown = path.display();
    if path.is_dir() {
        return Err(anyhow!("{shown} is a folder; name a tape in it"));
    }
    Tape::open(path).map_err(|error| match error {
        ReadError::Io { ref source, .. } if source.kind() == io::ErrorKind::NotFound => {
            anyhow!("{shown}: there is no such file; check the name, or leave it out for the newest tape")
        }
        ReadError::Io { ref source, .. } if source.kind() == io::ErrorKind::PermissionDenied => {
            anyhow!("cannot open {shown}: {error}; ask its owner for the right to read it")
        }
        ReadError::Io { ref source, .. } if source.kind() == io::ErrorKind::InvalidInput => {
            anyhow!("cannot open {shown}: {source}")
        }
        ReadError::NotATape { .. } => anyhow!(
            "cannot open {shown}: {error}; name a .gtape file, `gametape import` makes one of files of other programs"
        ),
        error => anyhow::Error::from(error).context(format!("cannot open {shown}")),
    })
}

/// Whether a problem means that something is damaged. A tape that was not closed need not be: its recorder may be running, or was
/// ended while it wrote a row.
pub(crate) fn is_damage(problem: &Problem) -> bool {
    !matches!(problem.kind, ProblemKind::NotClosed | ProblemKind::JournalTail)
}
