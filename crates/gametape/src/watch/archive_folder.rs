//! Copies the folder of a match to an archive folder. The copy gets its name when all its files are there.

use std::fs::File;
use std::io;
use std::path::{Path, PathBuf};

use super::archive::{ArchiveError, copy, part_path};
use super::content::ContentHash;
use super::found::Archive;
use super::item::{Item, hash_files};
use crate::names::free_path;

/// Maximum depth of folders in the archive that are compared.
const MAX_DEPTH: usize = 16;

/// Copies the folder of a match, whose hash is `hash`, into `folder`, under its own name or a numbered one.
pub(super) fn copy_folder_into(folder: &Path, item: &Item, hash: ContentHash, stop: &dyn Fn() -> bool) -> Archive {
    let part = part_path(folder, hash);
    let copied = try_copy(folder, &part, item, hash, stop);
    // Also if a killed process with the same id has left one.
    if part.exists() {
        let _ = std::fs::remove_dir_all(&part);
    }
    copied.unwrap_or_else(Archive::Failed)
}

fn try_copy(
    folder: &Path,
    part: &Path,
    item: &Item,
    hash: ContentHash,
    stop: &dyn Fn() -> bool,
) -> Result<Archive, ArchiveError> {
    let wanted = folder.join(item.path.file_name().unwrap_or_default());
    let failed = |source| ArchiveError::Io { path: wanted.clone(), source };
    std::fs::create_dir_all(folder).map_err(failed)?;
    let taken = |path: &Path| path.symlink_metadata().is_ok();
    loop {
        let free = free_path(&wanted, &|path| taken(path) && !holds(path, item, hash, stop));
        if stop() {
            return Err(ArchiveError::Stopped);
        }
        if taken(&free) {
            return Ok(Archive::AlreadyThere(free));
        }
        copy_files(part, item, hash, stop)?;
        // A rename onto a folder with files in it fails on every system.
        match std::fs::rename(part, &free) {
            Ok(()) => {
                if cfg!(unix) {
                    File::open(folder).and_then(|folder| folder.sync_all()).map_err(failed)?;
                }
                return Ok(Archive::Copied(free));
            }
            Err(_) if taken(&free) => {}
            Err(error) => return Err(failed(error)),
        }
    }
}

/// Copies all files, and checks that they are those of the find.
fn copy_files(part: &Path, item: &Item, hash: ContentHash, stop: &dyn Fn() -> bool) -> Result<(), ArchiveError> {
    let failed = |source| ArchiveError::Io { path: part.to_owned(), source };
    if part.exists() {
        std::fs::remove_dir_all(part).map_err(failed)?;
    }
    let mut error = None;
    let copied = hash_files(&item.path, &item.files, &mut |file| {
        let to = part.join(file.strip_prefix(&item.path).unwrap_or(file));
        std::fs::create_dir_all(to.parent().unwrap_or(part))?;
        let Some(hash) = ContentHash::of(&mut File::open(file)?, stop)? else { return Ok(None) };
        match copy(file, &to, hash, stop) {
            Ok(()) => Ok(Some(hash)),
            Err(why) => {
                error = Some(why);
                Ok(None)
            }
        }
    });
    match (error, copied) {
        (Some(error), _) => Err(error),
        // A file was deleted in the meantime.
        (None, Err(error)) if error.kind() == io::ErrorKind::NotFound => Err(ArchiveError::Changed),
        (None, Err(error)) => Err(failed(error)),
        (None, Ok(None)) => Err(ArchiveError::Stopped),
        (None, Ok(Some(copied))) if copied == hash => Ok(()),
        (None, Ok(Some(_))) => Err(ArchiveError::Changed),
    }
}

/// Returns whether a folder of the archive has this content.
fn holds(path: &Path, item: &Item, hash: ContentHash, stop: &dyn Fn() -> bool) -> bool {
    let mut files = Vec::new();
    if !path.is_dir() || list(path, 0, item.files.len(), &mut files).is_err() || files.len() != item.files.len() {
        return false;
    }
    files.sort_unstable();
    let content = hash_files(path, &files, &mut |file| ContentHash::of(&mut File::open(file)?, stop));
    content.is_ok_and(|content| content == Some(hash))
}

/// Lists the files of a folder, at most one more than `limit`.
fn list(folder: &Path, depth: usize, limit: usize, files: &mut Vec<PathBuf>) -> io::Result<()> {
    for entry in std::fs::read_dir(folder)? {
        let entry = entry?;
        if files.len() > limit || depth > MAX_DEPTH {
            return Ok(());
        }
        match entry.file_type()?.is_dir() {
            true => list(&entry.path(), depth + 1, limit, files)?,
            false => files.push(entry.path()),
        }
    }
    Ok(())
}
