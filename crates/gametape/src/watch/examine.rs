//! Reads a file that appears to be complete and hashes it, and detects that it is not complete after all.

use std::fs::File;
use std::io;
use std::path::Path;

use super::content::ContentHash;
use super::stamp::Stamp;
use super::stopping::Stopping;

/// The result of reading a file.
#[derive(Debug)]
pub(super) enum Examined {
    /// The file is complete.
    Complete(ContentHash),
    /// The file changed during reading, or its writer has locked it.
    NotYet,
    /// The file no longer exists.
    Gone,
    /// The file cannot be read.
    Unreadable(io::Error),
    /// The watch was stopped.
    Stopped,
}

/// Reads a file and checks that its stamp has not changed.
pub(super) fn examine(path: &Path, stamp: Stamp, stopping: &Stopping) -> Examined {
    match try_examine(path, stamp, stopping) {
        Ok(examined) => examined,
        Err(error) if error.kind() == io::ErrorKind::NotFound => Examined::Gone,
        Err(error) if is_in_use(&error) => Examined::NotYet,
        Err(error) => Examined::Unreadable(error),
    }
}

fn try_examine(path: &Path, stamp: Stamp, stopping: &Stopping) -> io::Result<Examined> {
    let mut file = File::open(path)?;
    let Some(hash) = ContentHash::of(&mut file, &|| stopping.is_wanted())? else { return Ok(Examined::Stopped) };
    // Checks the file that was read, and the file that has the name now.
    let unchanged = Stamp::of(&file.metadata()?) == stamp && Stamp::of(&path.metadata()?) == stamp;
    Ok(if unchanged { Examined::Complete(hash) } else { Examined::NotYet })
}

/// Returns whether a Windows error is a sharing violation (32) or a lock violation (33).
fn is_in_use(error: &io::Error) -> bool {
    cfg!(windows) && matches!(error.raw_os_error(), Some(32 | 33))
}
