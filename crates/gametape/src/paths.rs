//! Paths of tapes and other files.

use std::io;
use std::path::{Path, PathBuf};

use directories::{ProjectDirs, UserDirs};
use gametape_format::write::new_private;

use crate::names::EXTENSION;

const WATCHED: &str = "watched.txt";
const STORE: &str = "laps.sqlite";

/// The folders that gametape uses. They are created on the first write.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Folders {
    /// The user's tapes.
    pub tapes: PathBuf,
    /// The tapes of the demo.
    pub demo: PathBuf,
    /// The control channels of running recorders.
    pub run: PathBuf,
    /// The state file of `watch`: which replays have been reported.
    pub watched: PathBuf,
    /// The store of laps.
    pub store: PathBuf,
    /// The outboxes for stores on servers, one file per server: see [`crate::store::outbox_name`].
    pub outboxes: PathBuf,
}

impl Folders {
    /// Returns the folders of the current user: tapes are in `Documents/gametape` on Windows and in `$XDG_DATA_HOME/gametape/tapes`
    /// elsewhere. Returns `None` if the user has no home folder.
    pub fn of_user() -> Option<Self> {
        let dirs = ProjectDirs::from("", "", "gametape")?;
        let data = dirs.data_dir().to_owned();
        let run = dirs.runtime_dir().map_or_else(|| data.join("run"), Path::to_owned);
        let documents = UserDirs::new().and_then(|user| user.document_dir().map(Path::to_owned));
        let tapes = match documents.filter(|_| cfg!(windows)) {
            Some(documents) => documents.join("gametape"),
            None => data.join("tapes"),
        };
        Some(Self { tapes, run, ..Self::below(&data) })
    }

    /// Places all folders below `data`.
    pub fn below(data: &Path) -> Self {
        Self {
            tapes: data.join("tapes"),
            demo: data.join("demo"),
            run: data.join("run"),
            watched: data.join(WATCHED),
            store: data.join(STORE),
            outboxes: data.to_owned(),
        }
    }

    /// Returns the path of the demo's store, beside its tapes: its laps are not mixed with the user's.
    pub fn demo_store(&self) -> PathBuf {
        self.demo.join(STORE)
    }
}

/// Returns the name of this machine. In a catalogue that several machines share, a path is valid on one of them only.
#[must_use]
pub fn this_machine() -> String {
    #[cfg(target_os = "linux")]
    let name = rustix::system::uname().nodename().to_string_lossy().into_owned();
    #[cfg(not(target_os = "linux"))]
    let name = std::env::var("COMPUTERNAME").or_else(|_| std::env::var("HOSTNAME")).unwrap_or_default();
    if name.is_empty() { "unnamed".to_owned() } else { name }
}

/// Returns the free space on the disk of a folder, in bytes; `None` if it is unknown.
#[cfg(target_os = "linux")]
#[must_use]
pub fn free_bytes(folder: &Path) -> Option<u64> {
    let room = rustix::fs::statvfs(folder).ok()?;
    room.f_bavail.checked_mul(room.f_frsize)
}

/// Returns the free space on the disk of a folder, in bytes; `None` if it is unknown.
#[cfg(not(target_os = "linux"))]
#[must_use]
pub fn free_bytes(_folder: &Path) -> Option<u64> {
    None
}

/// Creates a folder and its parents with access for the user only. An existing folder keeps its mode.
pub fn create_private_folder(folder: &Path) -> io::Result<()> {
    let mut builder = std::fs::DirBuilder::new();
    builder.recursive(true);
    #[cfg(unix)]
    std::os::unix::fs::DirBuilderExt::mode(&mut builder, 0o700);
    builder.create(folder)
}

/// Creates a folder unless it exists, and checks that files can be created in it.
pub fn check_writable(folder: &Path) -> io::Result<()> {
    create_private_folder(folder)?;
    let probe = folder.join(format!(".gametape-{}", std::process::id()));
    // A former process with the same id may have left a file.
    let _ = std::fs::remove_file(&probe);
    drop(new_private().write(true).open(&probe)?);
    std::fs::remove_file(&probe)
}

/// Returns the most recently modified tape in a folder; `None` if there is no tape or no such folder.
pub fn newest_tape(folder: &Path) -> io::Result<Option<PathBuf>> {
    let entries = match std::fs::read_dir(folder) {
        Ok(entries) => entries,
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(None),
        Err(error) => return Err(error),
    };
    let mut newest = None;
    for entry in entries {
        let path = entry?.path();
        if path.extension().is_none_or(|extension| extension != EXTENSION) {
            continue;
        }
        // A tape that disappears during the search is skipped.
        let Ok(changed) = path.metadata().and_then(|metadata| metadata.modified()) else { continue };
        let candidate = (changed, path);
        if newest.as_ref().is_none_or(|newest| *newest < candidate) {
            newest = Some(candidate);
        }
    }
    Ok(newest.map(|(_, path)| path))
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::time::{Duration, SystemTime};

    #[test]
    fn a_folder_is_made_for_the_user_alone_and_one_that_exists_keeps_its_mode() {
        let folder = tempfile::tempdir().unwrap();
        let deep = folder.path().join("a/b");
        check_writable(&deep).unwrap();
        assert_eq!(std::fs::read_dir(&deep).unwrap().count(), 0, "the probe is gone");
        #[cfg(unix)]
        {
            use std::os::unix::fs::PermissionsExt as _;
            let mode = |path: &Path| std::fs::metadata(path).unwrap().permissions().mode() & 0o777;
            assert_eq!((mode(&deep), mode(&folder.path().join("a"))), (0o700, 0o700));
            std::fs::set_permissions(&deep, std::fs::Permissions::from_mode(0o755)).unwrap();
            check_writable(&deep).unwrap();
            assert_eq!(mode(&deep), 0o755);
        }
        drop(std::fs::File::create_new(folder.path().join("file")).unwrap());
        assert!(check_writable(&folder.path().join("file")).is_err());
        assert!(check_writable(&folder.path().join("file/below")).is_err());
    }

    #[test]
    fn the_newest_tape_is_the_one_changed_last() {
        let folder = tempfile::tempdir().unwrap();
        assert_eq!(newest_tape(&folder.path().join("none")).unwrap(), None);
        assert_eq!(newest_tape(folder.path()).unwrap(), None);
        for (age_s, name) in [(50, "b.gtape"), (10, "a.gtape"), (0, "c.txt"), (0, "a.gtape-journal-0"), (30, "d.gtape")]
        {
            let file = std::fs::File::create_new(folder.path().join(name)).unwrap();
            file.set_modified(SystemTime::now() - Duration::from_secs(age_s)).unwrap();
        }
        assert_eq!(newest_tape(folder.path()).unwrap(), Some(folder.path().join("a.gtape")));
    }
}
