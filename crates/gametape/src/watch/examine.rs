//! Reads a file that seems to be complete. Takes its path and stamp, gives its hash, unless it is not complete after all.

use std::fs::File;
use std::io;
use std::path::Path;

use super::content::ContentHash;
use super::stamp::Stamp;
use super::stopping::Stopping;

/// What reading a file gave.
#[derive(Debug)]
pub(super) enum Examined {
    /// It is complete.
    Complete(ContentHash),
    /// It changed while it was read, or its writer keeps others out.
    NotYet,
    /// It is gone.
    Gone,
    /// It cannot be read.
    Unreadable(io::Error),
    /// The end was wanted.
    Stopped,
}

/// Reads a file of this stamp.
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
    // Of the file that was read, and of the one that has the name now.
    let unchanged = Stamp::of(&file.metadata()?) == stamp && Stamp::of(&path.metadata()?) == stamp;
    Ok(if unchanged { Examined::Complete(hash) } else { Examined::NotYet })
}

/// Windows: its writer shares it with nobody (32), or has locked a part (33).
fn is_in_use(error: &io::Error) -> bool {
    cfg!(windows) && matches!(error.raw_os_error(), Some(32 | 33))
}
