//! Where tapes live.

use std::io;
use std::path::{Path, PathBuf};

use directories::{ProjectDirs, UserDirs};
use gametape_format::write::new_private;

use crate::names::EXTENSION;

const WATCHED: &str = "watched.txt";
const STORE: &str = "laps.sqlite";

/// The folders that gametape uses. Nothing is made until something is written.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Folders {
    /// The user's tapes.
    pub tapes: PathBuf,
    /// What the demonstration records.
    pub demo: PathBuf,
    /// Where running recorders can be reached.
    pub run: PathBuf,
    /// The file that remembers which replays were reported.
    pub watched: PathBuf,
    /// The store of laps.
    pub store: PathBuf,
    /// Where laps wait for stores on servers that do not answer, in a file for each: see [`crate::store::outbox_name`].
    pub outboxes: PathBuf,
}

impl Folders {
    /// The folders of this user: tapes in `Documents/gametape` on Windows, `$XDG_DATA_HOME/gametape/tapes` elsewhere. `None` if
    /// the system knows no home folder.
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

    /// All folders below one.
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

    /// The store of the demonstration, beside its tapes: its laps are not the user's.
    pub fn demo_store(&self) -> PathBuf {
        self.demo.join(STORE)
    }
}

/// The name of this machine: paths in a catalogue that several share mean something on one of them.
#[must_use]
pub fn this_machine() -> String {
    #[cfg(target_os = "linux")]
    let name = rustix::system::uname().nodename().to_string_lossy().into_owned();
    #[cfg(not(target_os = "linux"))]
    let name = std::env::var("COMPUTERNAME").or_else(|_| std::env::var("HOSTNAME")).unwrap_or_default();
    if name.is_empty() { "unnamed".to_owned() } else { name }
}

/// Room on the disk of a folder; `None` where it is not known.
#[cfg(target_os = "linux")]
#[must_use]
pub fn free_bytes(folder: &Path) -> Option<u64> {
    let room = rustix::fs::statvfs(folder).ok()?;
    room.f_bavail.checked_mul(room.f_frsize)
}

/// Room on the disk of a folder; `None` where it is not known.
#[cfg(not(target_os = "linux"))]
#[must_use]
pub fn free_bytes(_folder: &Path) -> Option<u64> {
    None
}

/// Makes a folder, and those above it, for the user alone. A folder that exists keeps its mode.
pub fn create_private_folder(folder: &Path) -> io::Result<()> {
    let mut builder = std::fs::DirBuilder::new();
    builder.recursive(true);
    #[cfg(unix)]
    std::os::unix::fs::DirBuilderExt::mode(&mut builder, 0o700);
    builder.create(folder)
}

/// Makes a folder if it is not there, and checks that files can be made in it.
pub fn check_writable(folder: &Path) -> io::Result<()> {
    create_private_folder(folder)?;
    let probe = folder.join(format!(".gametape-{}", std::process::id()));
    // One of a process that had this number may be left.
    let _ = std::fs::remove_file(&probe);
    drop(new_private().write(true).open(&probe)?);
    std::fs::remove_file(&probe)
}

/// The tape in a folder that was changed last; `None` if there is none, or no such folder.
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
        // A tape that goes away while we look is not the newest.
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
