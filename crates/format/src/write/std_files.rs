//! Real files, using the standard library only. Journals use ordinary writes here; the `gametape` crate memory-maps them.

use std::fs::{self, File, OpenOptions};
use std::io::{self, Write};
use std::path::Path;

use super::files::{Files, JournalFile, TapeFile};
use crate::source::{ReadAt, check_regular, read_full};

/// The file system of the machine.
#[derive(Debug, Clone, Copy, Default)]
pub struct StdFiles;

impl Files for StdFiles {}

pub(super) fn create_tape(path: &Path) -> io::Result<Box<dyn TapeFile>> {
    let file = held(new_private().read(true).write(true), path)?;
    Ok(Box::new(Appender { file }))
}

pub(super) fn create_journal(path: &Path, bytes: u64) -> io::Result<Box<dyn JournalFile>> {
    let mut file = new_private().read(true).write(true).open(path)?;
    if let Err(error) = fill_with_zeros(&mut file, bytes) {
        // A partly allocated journal on a full disk is useless.
        let _ = fs::remove_file(path);
        return Err(error);
    }
    Ok(Box::new(Journal { file }))
}

/// Returns options that create a new file readable and writable by its owner only, on systems with such permissions.
#[must_use]
pub fn new_private() -> OpenOptions {
    let mut options = OpenOptions::new();
    options.create_new(true);
    #[cfg(unix)]
    std::os::unix::fs::OpenOptionsExt::mode(&mut options, 0o600);
    options
}

/// Whether `path` refers to this open file.
#[cfg(unix)]
pub fn is_file_at(file: &File, path: &Path) -> io::Result<bool> {
    use std::os::unix::fs::MetadataExt as _;
    let own = file.metadata()?;
    match fs::metadata(path) {
        Ok(found) => Ok((found.dev(), found.ino()) == (own.dev(), own.ino())),
        Err(error) if matches!(error.kind(), io::ErrorKind::NotFound | io::ErrorKind::NotADirectory) => Ok(false),
        Err(error) => Err(error),
    }
}

/// Whether `path` exists; this system does not tell whether it is the same file.
#[cfg(not(unix))]
pub fn is_file_at(_file: &File, path: &Path) -> io::Result<bool> {
    path.try_exists()
}

pub(super) fn lock(path: &Path) -> io::Result<Box<dyn Send>> {
    // Opening a pipe would block.
    check_regular(&path.metadata()?)?;
    let mut options = OpenOptions::new();
    let file = match held(options.read(true).write(cfg!(windows)), path) {
        // A file without write permission has no writers: read access is enough to lock it.
        Err(error) if error.kind() == io::ErrorKind::PermissionDenied => held(options.write(false), path)?,
        held => held?,
    };
    Ok(Box::new(file))
}

/// Whether a writer currently has this tape open. If not, a tape that was not closed has lost its recorder.
#[must_use]
pub fn is_being_written(path: &Path) -> bool {
    lock(path).is_err_and(|error| error.kind() == io::ErrorKind::WouldBlock)
}

/// Opens a file with a single writer and any number of readers. `WouldBlock` if another writer has it.
#[cfg(not(windows))]
fn held(options: &mut OpenOptions, path: &Path) -> io::Result<File> {
    let file = options.open(path)?;
    file.try_lock().map_err(io::Error::from)?;
    Ok(file)
}

/// The same on Windows, where a lock would keep others from reading: a share mode that denies other writers is used instead.
#[cfg(windows)]
fn held(options: &mut OpenOptions, path: &Path) -> io::Result<File> {
    use std::os::windows::fs::OpenOptionsExt as _;
    const SHARE_READ: u32 = 1;
    const SHARE_DELETE: u32 = 4;
    const SHARING_VIOLATION: i32 = 32;
    options.share_mode(SHARE_READ | SHARE_DELETE).open(path).map_err(|error| match error.raw_os_error() {
        Some(SHARING_VIOLATION) => io::Error::new(io::ErrorKind::WouldBlock, error),
        _ => error,
    })
}

#[cfg(not(windows))]
pub(super) fn remove(path: &Path) -> io::Result<()> {
    fs::remove_file(path)
}

/// On file systems without POSIX delete semantics, a file that is still open keeps its name until it is closed, so it
/// is renamed first.
#[cfg(windows)]
pub(super) fn remove(path: &Path) -> io::Result<()> {
    let mut gone = path.as_os_str().to_owned();
    gone.push(format!(".{}.gone", std::process::id()));
    fs::rename(path, &gone)?;
    // If it is in use in a way that forbids removal, restore its name.
    fs::remove_file(&gone).inspect_err(|_| drop(fs::rename(&gone, path)))
}

pub(super) fn publish(from: &Path, to: &Path) -> io::Result<()> {
    // A link fails if the name is taken; a rename would overwrite the file. Not every file system supports links.
    match fs::hard_link(from, to) {
        Ok(()) => fs::remove_file(from),
        Err(error) if error.kind() == io::ErrorKind::AlreadyExists => Err(error),
        Err(_) if to.exists() => Err(io::Error::from(io::ErrorKind::AlreadyExists)),
        Err(_) => fs::rename(from, to),
    }
}

pub(super) fn keep(path: &Path, second: &Path) -> io::Result<bool> {
    match fs::hard_link(path, second) {
        Err(error) if error.kind() == io::ErrorKind::AlreadyExists => Ok(false),
        Err(_) if !second.exists() => fs::copy(path, second).map(|_| true),
        result => result.map(|()| true),
    }
}

pub(super) fn sync_directory(path: &Path) -> io::Result<()> {
    // Windows makes names durable by itself and cannot open directories as files.
    if cfg!(unix) {
        let directory = path.parent().filter(|parent| !parent.as_os_str().is_empty()).unwrap_or(Path::new("."));
        File::open(directory)?.sync_all()?;
    }
    Ok(())
}

fn fill_with_zeros(file: &mut File, bytes: u64) -> io::Result<()> {
    let zeros = vec![0; 1 << 20];
    let mut left = bytes;
    while left > 0 {
        let count = left.min(zeros.len() as u64);
        file.write_all(zeros.get(..count as usize).unwrap_or_default())?;
        left -= count;
    }
    Ok(())
}

struct Appender {
    file: File,
}

impl TapeFile for Appender {
    fn append(&mut self, data: &[u8]) -> io::Result<()> {
        self.file.write_all(data)?;
        Ok(())
    }

    fn truncate(&mut self, bytes: u64) -> io::Result<()> {
        self.file.set_len(bytes)?;
        io::Seek::seek(&mut self.file, io::SeekFrom::Start(bytes))?;
        Ok(())
    }

    fn sync(&mut self) -> io::Result<()> {
        self.file.sync_data()
    }

    fn is_at(&self, path: &Path) -> io::Result<bool> {
        is_file_at(&self.file, path)
    }
}

struct Journal {
    file: File,
}

impl JournalFile for Journal {
    #[cfg(unix)]
    fn write(&self, at: u64, data: &[u8]) -> io::Result<()> {
        std::os::unix::fs::FileExt::write_all_at(&self.file, data, at)
    }

    #[cfg(windows)]
    fn write(&self, at: u64, data: &[u8]) -> io::Result<()> {
        let mut done = 0;
        while let Some(rest) = data.get(done..).filter(|rest| !rest.is_empty()) {
            done += std::os::windows::fs::FileExt::seek_write(&self.file, rest, at + done as u64)?;
        }
        Ok(())
    }

    #[cfg(not(any(unix, windows)))]
    fn write(&self, _at: u64, _data: &[u8]) -> io::Result<()> {
        Err(io::Error::new(io::ErrorKind::Unsupported, "files are not supported on this platform"))
    }

    fn read(&self, at: u64, buffer: &mut [u8]) -> io::Result<()> {
        if read_full(&self.file as &dyn ReadAt, at, buffer)? == buffer.len() {
            Ok(())
        } else {
            Err(io::Error::from(io::ErrorKind::UnexpectedEof))
        }
    }

    fn sync(&self) -> io::Result<()> {
        self.file.sync_data()
    }

    fn is_at(&self, path: &Path) -> io::Result<bool> {
        is_file_at(&self.file, path)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_tape_has_one_writer_and_any_number_of_readers() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("a");
        let mut writer = create_tape(&path).unwrap();
        writer.append(b"frames").unwrap();
        assert_eq!(fs::read(&path).unwrap(), b"frames");
        let refused = |path: &Path| lock(path).err().map(|error| error.kind());
        assert_eq!(refused(&path), Some(io::ErrorKind::WouldBlock));
        drop(writer);
        let held = lock(&path).unwrap();
        assert_eq!(refused(&path), Some(io::ErrorKind::WouldBlock));
        assert_eq!(fs::read(&path).unwrap(), b"frames");
        drop(held);
        assert_eq!(refused(&path), None);
    }

    #[cfg(unix)]
    #[test]
    fn tapes_and_journals_are_for_their_owner_alone() {
        use std::os::unix::fs::PermissionsExt as _;
        let folder = tempfile::tempdir().unwrap();
        let (tape, journal) = (folder.path().join("a"), folder.path().join("a-journal-0"));
        let _files = (create_tape(&tape).unwrap(), create_journal(&journal, 10).unwrap());
        for path in [tape, journal] {
            assert_eq!(fs::metadata(&path).unwrap().permissions().mode() & 0o777, 0o600, "{}", path.display());
        }
    }

    #[test]
    fn a_file_that_was_removed_or_moved_or_replaced_is_not_at_its_path() {
        let folder = tempfile::tempdir().unwrap();
        let [path, other] = ["a", "b"].map(|name| folder.path().join(name));
        let tape = create_tape(&path).unwrap();
        assert!(tape.is_at(&path).unwrap());
        fs::rename(&path, &other).unwrap();
        assert!(!tape.is_at(&path).unwrap() && tape.is_at(&other).unwrap());
        // On Windows a file that is open keeps its name until it is closed.
        if cfg!(unix) {
            drop(create_tape(&path).unwrap());
            assert!(!tape.is_at(&path).unwrap(), "another file now has its name");
            fs::remove_file(&other).unwrap();
            assert!(!tape.is_at(&other).unwrap());
            assert!(!tape.is_at(&other.join("below")).unwrap());
        }
    }

    #[test]
    fn a_removed_file_is_not_listed_while_somebody_reads_it() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("a");
        drop(create_tape(&path).unwrap());
        let reader = File::open(&path).unwrap();
        remove(&path).unwrap();
        assert!(!path.exists());
        drop(create_tape(&path).unwrap());
        drop(reader);
        remove(&path).unwrap();
        assert_eq!(remove(&path).unwrap_err().kind(), io::ErrorKind::NotFound);
        assert_eq!(fs::read_dir(folder.path()).unwrap().count(), 0);
    }

    #[test]
    fn a_read_only_file_can_be_locked_too() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("a");
        create_tape(&path).unwrap().append(b"frames").unwrap();
        let mut rights = fs::metadata(&path).unwrap().permissions();
        rights.set_readonly(true);
        fs::set_permissions(&path, rights.clone()).unwrap();
        assert!(lock(&path).is_ok());
        #[allow(clippy::permissions_set_readonly_false, reason = "so that the folder can be removed")]
        rights.set_readonly(false);
        fs::set_permissions(&path, rights).unwrap();
    }
}
