//! Finds and opens the tape that a command works on.

use std::io;
use std::path::{Path, PathBuf};

use anyhow::anyhow;
use gametape::capture::{EchoVrAddress, GamePlaces, InWine, Sections};
use gametape::format::read::{Problem, ProblemKind, ReadError, Tape};
use gametape::paths::{Folders, newest_tape};
use gametape::sys::Prefix;

use crate::cli::tell;
use crate::exit;
use crate::udp_args::UdpArgs;

/// Environment variable with a folder that holds all of gametape's folders.
pub(crate) const DATA_DIR: &str = "GAMETAPE_DATA_DIR";

/// Environment variable that selects the Wine processes to search for shared memory: `off`, the file name of a program, or a process id.
pub(crate) const WINE: &str = "GAMETAPE_WINE";

/// Which Wine processes are searched if no section has the name; processes of known games by default.
pub(crate) fn in_wine() -> InWine {
    match std::env::var(WINE).unwrap_or_default().trim() {
        "" => InWine::Games,
        "off" => InWine::Off,
        process => InWine::Process(process.into()),
    }
}

/// Environment variable with the address of Echo VR's API: `off`, a port, several ports, a host, or host and port.
pub(crate) const ECHO: &str = "GAMETAPE_ECHO";

/// Returns where to look for games, with this prefix of the shared-memory names.
pub(crate) fn game_places(prefix: Prefix, udp: &UdpArgs) -> anyhow::Result<GamePlaces> {
    let udp = udp.settings(prefix.as_str().is_empty());
    let usual = GamePlaces::from(Sections::new(prefix, in_wine()));
    let echo_vr = match std::env::var(ECHO).unwrap_or_default().trim() {
        "" => usual.echo_vr,
        "off" => None,
        address => Some(address.parse::<EchoVrAddress>().map_err(|error| exit::usage(format!("{ECHO}: {error}")))?),
    };
    Ok(GamePlaces { echo_vr, udp, ..usual })
}

/// Returns the folders of tapes and other data on this machine.
pub(crate) fn folders() -> anyhow::Result<Folders> {
    if let Some(data) = std::env::var_os(DATA_DIR).filter(|data| !data.is_empty()) {
        return Ok(Folders::below(Path::new(&data)));
    }
    Folders::of_user().ok_or_else(|| anyhow!("cannot find the home folder for tapes; set {DATA_DIR} to a folder"))
}

/// Returns the named file, or the newest tape. Without any tape, falls back to the newest one of `demo` and prints a note.
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
        tell(&format!("there is no tape in {shown}; using the newest one of `gametape demo`: {}", demo.display()));
        return Ok(demo);
    }
    Err(exit::nothing_found(format!(
        "there is no tape in {shown}; name a tape, or make one with `gametape demo` or `gametape import FILE`"
    )))
}

fn newest_in(folder: &Path) -> anyhow::Result<Option<PathBuf>> {
    newest_tape(folder).map_err(|error| anyhow!("cannot list {}: {error}; name a tape instead", folder.display()))
}

/// Opens a tape. Errors name the file and what to do next.
pub(crate) fn tape(path: &Path) -> anyhow::Result<Tape> {
    let shown = path.display();
    if path.is_dir() {
        return Err(anyhow!("{shown} is a folder; name a tape in it"));
    }
    Tape::open(path).map_err(|error| match error {
        ReadError::Io { ref source, .. } if source.kind() == io::ErrorKind::NotFound => {
            anyhow!("{shown}: no such file; check the name, or leave it out for the newest tape")
        }
        ReadError::Io { ref source, .. } if source.kind() == io::ErrorKind::PermissionDenied => {
            anyhow!("cannot open {shown}: {error}; ask its owner for read permission")
        }
        ReadError::Io { ref source, .. } if source.kind() == io::ErrorKind::InvalidInput => {
            anyhow!("cannot open {shown}: {source}")
        }
        ReadError::NotATape { .. } => anyhow!(
            "cannot open {shown}: {error}; name a .gtape file, or convert a file of another program with `gametape import`"
        ),
        error => anyhow::Error::from(error).context(format!("cannot open {shown}")),
    })
}

/// Whether a problem means damage. A tape that was not closed is not necessarily damaged: its recorder may still be running, or was
/// killed while it wrote a row.
pub(crate) fn is_damage(problem: &Problem) -> bool {
    !matches!(problem.kind, ProblemKind::NotClosed | ProblemKind::JournalTail)
}
