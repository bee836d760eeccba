//! Opens the file of a section in `/dev/shm`, a folder in which every user may create files.
//!
//! Symbolic links below `/dev/shm` are not followed, and only regular files are used, so that a link, a pipe or a folder planted
//! under the name of a section is an error. A file that is written must also belong to this user and have a plausible size.

use std::ffi::OsStr;
use std::fs::{File, Metadata};
use std::io;
use std::os::fd::OwnedFd;
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};

use rustix::fs::{CWD, Mode, OFlags, mkdirat, openat};
use rustix::io::Errno;

const FOLDER: &str = "/dev/shm";

/// Maximum size of an existing section that is reused. The largest section of a known game has 1.2 MB.
const MOST_BYTES: u64 = 64 << 20;

/// Returns the path of a section. Fails unless the name stays inside the folder.
pub(super) fn path_of(name: &str) -> io::Result<PathBuf> {
    // Subfolders are in use (`SCS/SCSTelemetry`); `..` and absolute paths are not.
    let inside =
        !name.is_empty() && Path::new(name).components().all(|part| matches!(part, std::path::Component::Normal(_)));
    match inside {
        true => Ok(Path::new(FOLDER).join(name)),
        false => Err(io::Error::new(io::ErrorKind::InvalidInput, format!("{name:?} is not a valid section name"))),
    }
}

/// Opens a section for reading. Fails with `NotFound` if there is none.
pub(super) fn open_to_read(path: &Path) -> io::Result<(File, Metadata)> {
    let (folder, name) = folder_of(path, false)?;
    regular(path, open(path, &folder, name, OFlags::RDONLY)?)
}

/// Opens a section of this user for writing, or creates it. The last value is whether it was created.
pub(super) fn open_to_write(path: &Path) -> io::Result<(File, Metadata, bool)> {
    let (folder, name) = folder_of(path, true)?;
    // Other programs may remove or create the file between the calls.
    for _ in 0..100 {
        match open(path, &folder, name, OFlags::RDWR | OFlags::CREATE | OFlags::EXCL) {
            Ok(file) => {
                let metadata = file.metadata()?;
                return Ok((file, metadata, true));
            }
            Err(error) if error.kind() == io::ErrorKind::AlreadyExists => {}
            Err(error) => return Err(error),
        }
        match open(path, &folder, name, OFlags::RDWR) {
            Err(error) if error.kind() == io::ErrorKind::NotFound => {}
            Err(error) => return Err(error),
            Ok(file) => {
                let (file, metadata) = regular(path, file)?;
                let found = Found { owner: metadata.uid(), names: metadata.nlink(), bytes: metadata.len() };
                return match found.refusal(rustix::process::geteuid().as_raw()) {
                    None => Ok((file, metadata, false)),
                    Some(why) => Err(refused(path, &why)),
                };
            }
        }
    }
    Err(refused(path, "is created and removed by another program again and again"))
}

/// Returns whether the name still refers to this file.
pub(super) fn is_named(path: &Path, device_and_inode: (u64, u64)) -> bool {
    std::fs::symlink_metadata(path).is_ok_and(|now| (now.dev(), now.ino()) == device_and_inode)
}

/// Opens the folder of a section without following links below `/dev/shm`.
fn folder_of(path: &Path, create: bool) -> io::Result<(OwnedFd, &OsStr)> {
    let name = path.file_name().ok_or(io::ErrorKind::InvalidInput)?;
    let flags = OFlags::PATH | OFlags::DIRECTORY | OFlags::CLOEXEC;
    let mut folder = openat(CWD, FOLDER, flags, Mode::empty())?;
    let inside = path.parent().and_then(|parent| parent.strip_prefix(FOLDER).ok()).unwrap_or(Path::new(""));
    for part in inside {
        if create {
            match mkdirat(&folder, part, Mode::from_raw_mode(0o755)) {
                Ok(()) | Err(Errno::EXIST) => {}
                Err(error) => return Err(error.into()),
            }
        }
        folder = openat(&folder, part, flags | OFlags::NOFOLLOW, Mode::empty()).map_err(|error| match error {
            Errno::NOTDIR | Errno::LOOP => refused(path, "is not inside a folder, but behind a link or a file"),
            error => error.into(),
        })?;
    }
    Ok((folder, name))
}

fn open(path: &Path, folder: &OwnedFd, name: &OsStr, flags: OFlags) -> io::Result<File> {
    // Nonblocking: a pipe with that name must not block.
    let flags = flags | OFlags::NOFOLLOW | OFlags::NONBLOCK | OFlags::NOCTTY | OFlags::CLOEXEC;
    let opened = openat(folder, name, flags, Mode::from_raw_mode(0o600));
    opened.map(File::from).map_err(|error| match error {
        Errno::LOOP => refused(path, "is a symbolic link, and links are not followed here"),
        Errno::ISDIR | Errno::NXIO | Errno::NODEV => refused(path, "is not a regular file"),
        error => error.into(),
    })
}

fn regular(path: &Path, file: File) -> io::Result<(File, Metadata)> {
    let metadata = file.metadata()?;
    if metadata.is_file() { Ok((file, metadata)) } else { Err(refused(path, "is not a regular file")) }
}

fn refused(path: &Path, why: &str) -> io::Error {
    io::Error::other(format!("{} {why}; remove it and try again", path.display()))
}

/// The relevant properties of an existing file that is about to be written.
struct Found {
    owner: u32,
    /// Number of hard links.
    names: u64,
    bytes: u64,
}

impl Found {
    /// Returns why this user must not write it.
    fn refusal(&self, user: u32) -> Option<String> {
        let Self { owner, names, bytes } = *self;
        if owner != user {
            return Some(format!("belongs to user {owner}, but the writer is user {user}"));
        }
        if names > 1 {
            return Some(format!("has {names} names (hard links), but a section must have one"));
        }
        (bytes > MOST_BYTES).then(|| format!("has {bytes} bytes, more than any section of a game"))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_a_file_of_this_user_with_one_name_and_a_plausible_length_is_written() {
        let found = |owner, names, bytes| Found { owner, names, bytes }.refusal(1000);
        assert_eq!(found(1000, 1, 4096), None);
        assert_eq!(found(1000, 1, MOST_BYTES), None);
        for (refusal, says) in [
            (found(1001, 1, 4096), "belongs to user 1001"),
            (found(0, 1, 4096), "belongs to user 0"),
            (found(1000, 2, 4096), "2 names"),
            (found(1000, 1, 1 << 40), "1099511627776 bytes"),
        ] {
            assert!(refusal.as_ref().is_some_and(|text| text.contains(says)), "{refusal:?}");
        }
    }
}
