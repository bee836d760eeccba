//! A replay on disk: a file, a file with others beside it, or a folder. Determines its state, its hash, and whether it is complete.

use std::fs::File;
use std::io;
use std::path::{Path, PathBuf};
use std::time::{Duration, SystemTime};

use super::content::{ContentHash, Examined, Stamp, examine, is_in_use, open_unless_written};
use super::folder::Folder;
use super::found::Completeness;
use super::signals::Stopping;
use super::structure::{self, Bytes, Verdict};

/// Maximum number of files in the folder of a match.
const MAX_FILES: usize = 20_000;
/// Maximum depth of the folder of a match.
const MAX_DEPTH: usize = 16;
/// A file that is not whole, or a match that may go on, is reported after this time without a change.
const UNFINISHED_QUIET: Duration = Duration::from_secs(300);
/// How long to wait for a file that the game writes beside a replay.
const BESIDE_QUIET: Duration = Duration::from_secs(60);

/// A replay on disk, at a point in time.
#[derive(Debug)]
pub(super) struct Item {
    pub(super) path: PathBuf,
    pub(super) is_folder: bool,
    /// Its files. The first is the replay, unless it is a folder.
    pub(super) files: Vec<PathBuf>,
    /// Of the replay and everything that belongs to it.
    pub(super) stamp: Stamp,
    /// The length of the file, or of all files in the folder.
    pub(super) bytes: u64,
    pub(super) modified_ns: Option<i64>,
    /// Whether the game is expected to write another file beside it.
    waits_for_more: bool,
}

impl Item {
    /// Looks at a path that is part of a find of `folder`. `None` if there is no replay, or not yet.
    pub(super) fn look(folder: &Folder, path: &Path) -> io::Result<Option<Self>> {
        let metadata = match path.metadata() {
            Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(None),
            metadata => metadata?,
        };
        if metadata.is_dir() {
            return if folder.match_folder(path).is_some() { Self::of_folder(folder, path) } else { Ok(None) };
        }
        if !metadata.is_file() {
            return Ok(None);
        }
        let stamp = Stamp::of(&metadata);
        let mut item = Self {
            path: path.into(),
            is_folder: false,
            files: vec![path.into()],
            stamp,
            bytes: stamp.bytes,
            modified_ns: stamp.modified_ns,
            waits_for_more: false,
        };
        for (beside, rule) in folder.files_beside(path) {
            match beside.metadata().ok().filter(std::fs::Metadata::is_file) {
                // The writer of an empty replay has not begun.
                Some(metadata) if stamp.bytes > 0 => {
                    item.stamp.add(Stamp::of(&metadata));
                    item.files.push(beside);
                }
                _ => item.waits_for_more |= rule.expected,
            }
        }
        Ok(Some(item))
    }

    fn of_folder(folder: &Folder, path: &Path) -> io::Result<Option<Self>> {
        let mut files = Vec::new();
        let mut stamp = Stamp { bytes: 0, modified_ns: None };
        collect(path, 0, &mut |file, of_file| {
            stamp.add(of_file);
            files.push(file);
            if files.len() > MAX_FILES {
                return Err(io::Error::other(format!("more than {MAX_FILES} files")));
            }
            Ok(())
        })?;
        files.sort_unstable();
        let has_replay = files.iter().any(|file| folder.name_fits(file));
        Ok(has_replay.then(|| Self {
            path: path.into(),
            is_folder: true,
            files,
            stamp,
            bytes: stamp.bytes,
            modified_ns: stamp.modified_ns,
            waits_for_more: false,
        }))
    }

    /// Returns what the structure says about it.
    pub(super) fn verdict(&self, folder: &Folder) -> Verdict {
        if !self.is_folder {
            return verdict_of(&self.path);
        }
        let replays = self.files.iter().filter(|file| folder.name_fits(file));
        let verdicts: Vec<_> = replays.map(|file| verdict_of(file)).collect();
        let grows = folder.match_folder(&self.path).is_some_and(|shape| shape.grows);
        let missing = verdicts.iter().copied().find(|verdict| matches!(verdict, Verdict::Missing(_)));
        match missing {
            Some(missing) => missing,
            None if grows => Verdict::MayGrow,
            None if verdicts.contains(&Verdict::Unknown) => Verdict::Unknown,
            None => Verdict::Whole,
        }
    }

    /// Returns how long it must have been unchanged to count as complete.
    pub(super) fn quiet_needed(&self, verdict: Verdict) -> Duration {
        match verdict {
            Verdict::MayGrow | Verdict::Missing(_) => UNFINISHED_QUIET,
            Verdict::Whole | Verdict::Unknown if self.waits_for_more => BESIDE_QUIET,
            Verdict::Whole | Verdict::Unknown => Duration::ZERO,
        }
    }

    /// Returns the time since its last modification, by the clock of the system; 0 if it is unknown or in the future.
    pub(super) fn age(&self) -> Duration {
        let since = |ns: i64| SystemTime::UNIX_EPOCH.checked_add(Duration::from_nanos(u64::try_from(ns).ok()?));
        let modified = self.stamp.modified_ns.and_then(since);
        modified.and_then(|modified| SystemTime::now().duration_since(modified).ok()).unwrap_or_default()
    }

    /// Reads it and checks that nothing has changed.
    pub(super) fn examine(&self, folder: &Folder, stopping: &Stopping) -> Examined {
        if !self.is_folder && self.files.len() == 1 {
            return examine(&self.path, self.stamp, stopping);
        }
        let hash = match self.hash(stopping) {
            Ok(Some(hash)) => hash,
            Ok(None) => return Examined::Stopped,
            Err(error) if error.kind() == io::ErrorKind::NotFound => return Examined::NotYet,
            Err(error) if is_in_use(&error) => return Examined::NotYet,
            Err(error) => return Examined::Unreadable(error),
        };
        match Self::look(folder, &self.path) {
            Ok(Some(now)) if now.stamp == self.stamp && now.files == self.files => Examined::Complete(hash),
            Ok(Some(_)) => Examined::NotYet,
            Ok(None) => Examined::Gone,
            Err(error) => Examined::Unreadable(error),
        }
    }

    /// Returns the hash of the file, or of all names and contents in the folder.
    fn hash(&self, stopping: &Stopping) -> io::Result<Option<ContentHash>> {
        let stop = || stopping.is_wanted();
        if !self.is_folder {
            return ContentHash::of(&mut open_unless_written(&self.path)?, &stop);
        }
        hash_files(&self.path, &self.files, &mut |file| ContentHash::of(&mut open_unless_written(file)?, &stop))
    }
}

/// Returns the hash of a folder's files: of their names relative to the folder, and their contents. `None` if `hash` returns `None`.
pub(super) fn hash_files(
    folder: &Path,
    files: &[PathBuf],
    hash: &mut dyn FnMut(&Path) -> io::Result<Option<ContentHash>>,
) -> io::Result<Option<ContentHash>> {
    let mut hasher = blake3::Hasher::new();
    for file in files {
        let name = file.strip_prefix(folder).unwrap_or(file);
        let Some(content) = hash(file)? else { return Ok(None) };
        for part in name.components() {
            hasher.update(part.as_os_str().as_encoded_bytes());
            hasher.update(&[0]);
        }
        hasher.update(&content.0);
    }
    Ok(Some(ContentHash(*hasher.finalize().as_bytes())))
}

/// Returns whether it is complete, as far as its structure shows.
pub(super) fn completeness(verdict: Verdict) -> Completeness {
    match verdict {
        Verdict::Whole | Verdict::MayGrow => Completeness::Whole,
        Verdict::Unknown => Completeness::Unchanged,
        Verdict::Missing(reason) => Completeness::Incomplete { reason },
    }
}

fn verdict_of(path: &Path) -> Verdict {
    // What cannot be read is reported when it is hashed.
    let Ok(file) = File::open(path) else { return Verdict::Unknown };
    let Ok(metadata) = file.metadata() else { return Verdict::Unknown };
    structure::judge(path, &Bytes::new(&file, metadata.len()))
}

/// Passes on all files in a folder. Links are not followed.
fn collect(folder: &Path, depth: usize, file: &mut dyn FnMut(PathBuf, Stamp) -> io::Result<()>) -> io::Result<()> {
    if depth > MAX_DEPTH {
        return Err(io::Error::other("its folders are nested too deeply"));
    }
    for entry in std::fs::read_dir(folder)? {
        let entry = entry?;
        let kind = entry.file_type()?;
        if kind.is_dir() {
            collect(&entry.path(), depth + 1, file)?;
        } else if kind.is_file() {
            match entry.path().metadata() {
                Ok(metadata) => file(entry.path(), Stamp::of(&metadata))?,
                // Deleted since it was listed.
                Err(error) if error.kind() == io::ErrorKind::NotFound => {}
                Err(error) => return Err(error),
            }
        }
    }
    Ok(())
}
