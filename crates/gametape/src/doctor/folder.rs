//! The tapes folder: whether it is writable, its free space, and unfinished tapes in it. Nothing is written to find out.

use std::io;
use std::path::{Path, PathBuf};

use crate::names::EXTENSION;
use crate::paths::free_bytes;

/// Facts about the folder of tapes.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TapesFolder {
    /// The folder.
    pub path: PathBuf,
    /// Whether it exists. A recorder creates it.
    pub exists: bool,
    /// Why it is not writable, if so.
    pub not_writable: Option<String>,
    /// Free space available to this user; `None` if it is unknown.
    pub free_bytes: Option<u64>,
    /// Tapes with journals, except those that are being recorded.
    pub unfinished: Vec<PathBuf>,
}

impl TapesFolder {
    /// Examines the folder, or the place where it would be created.
    pub(super) fn look(path: &Path, being_recorded: &[PathBuf]) -> Self {
        // A missing folder gets the permissions and the disk of its nearest existing ancestor.
        let nearest = path.ancestors().find(|folder| folder.exists()).unwrap_or(Path::new("/"));
        let not_writable = match nearest.is_dir() {
            true => writable(nearest).err().map(|error| format!("{}: {error}", nearest.display())),
            false => Some(format!("{} is not a folder", nearest.display())),
        };
        let mut unfinished = unfinished(path).unwrap_or_default();
        // A recorder may report its tape relative to its own working directory.
        let same =
            |tape: &Path, recorded: &PathBuf| recorded == tape || recorded.is_relative() && tape.ends_with(recorded);
        unfinished.retain(|tape| !being_recorded.iter().any(|recorded| same(tape, recorded)));
        Self { path: path.into(), exists: path.is_dir(), not_writable, free_bytes: free_bytes(nearest), unfinished }
    }
}

/// Returns the tapes that have a journal.
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
    // Creating a file uses the permissions of the effective user.
    Ok(accessat(CWD, folder, Access::WRITE_OK | Access::EXEC_OK, AtFlags::EACCESS)?)
}

#[cfg(not(target_os = "linux"))]
fn writable(folder: &Path) -> io::Result<()> {
    match std::fs::metadata(folder)?.permissions().readonly() && cfg!(not(windows)) {
        true => Err(io::ErrorKind::PermissionDenied.into()),
        false => Ok(()),
    }
}
