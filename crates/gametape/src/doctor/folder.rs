//! The tapes folder: may it be written to, how much room is left, what was not finished in it. Nothing is written to find out.

use std::io;
use std::path::{Path, PathBuf};

use crate::names::EXTENSION;
use crate::paths::free_bytes;

/// What is known of the folder that tapes go to.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TapesFolder {
    /// The folder.
    pub path: PathBuf,
    /// Whether it is there; a recorder makes it.
    pub exists: bool,
    /// Why nothing can be written, if so.
    pub not_writable: Option<String>,
    /// Room that this user may take; `None` if the system does not say.
    pub free_bytes: Option<u64>,
    /// Tapes with journals beside them, the ones that are being recorded left out.
    pub unfinished: Vec<PathBuf>,
}

impl TapesFolder {
    /// Looks at the folder, or where it would be made.
    pub(super) fn look(path: &Path, being_recorded: &[PathBuf]) -> Self {
        // A folder that is not there takes the rights and the disk of the nearest one that is.
        let nearest = path.ancestors().find(|folder| folder.exists()).unwrap_or(Path::new("/"));
        let not_writable = match nearest.is_dir() {
            true => writable(nearest).err().map(|error| format!("{}: {error}", nearest.display())),
            false => Some(format!("{} is not a folder", nearest.display())),
        };
        let mut unfinished = unfinished(path).unwrap_or_default();
        // A recorder may name its tape from a folder of its own.
        let same =
            |tape: &Path, recorded: &PathBuf| recorded == tape || recorded.is_relative() && tape.ends_with(recorded);
        unfinished.retain(|tape| !being_recorded.iter().any(|recorded| same(tape, recorded)));
        Self { path: path.into(), exists: path.is_dir(), not_writable, free_bytes: free_bytes(nearest), unfinished }
    }
}

/// Tapes that have a journal.
fn unfinished(folder: &Path) -> io::Result<Vec<PathBuf>> {
    let mark = format!(".{EXTENSION}-journal-");
    let mut tapes = Vec::new();
    for entry in std::fs::read_dir(folder)? {
        let name = entry?.file_name();
        if let Some((stem, _)) = name.to_str().and_then(|name| name.rsplit_once(&mark)) {
            tapes.push(folder.join(format!("{stem}.{EXTENSION}")));
        }
    }
    tapes.sort();
    tapes.dedup();
    Ok(tapes)
}

#[cfg(target_os = "linux")]
fn writable(folder: &Path) -> io::Result<()> {
    use rustix::fs::{Access, AtFlags, CWD, accessat};
    // The rights that count are those of the effective user, as when a file is made.
    Ok(accessat(CWD, folder, Access::WRITE_OK | Access::EXEC_OK, AtFlags::EACCESS)?)
}

#[cfg(not(target_os = "linux"))]
fn writable(folder: &Path) -> io::Result<()> {
    match std::fs::metadata(folder)?.permissions().readonly() && cfg!(not(windows)) {
        true => Err(io::ErrorKind::PermissionDenied.into()),
        false => Ok(()),
    }
}
