//! Copies finds to an archive folder. Nothing is overwritten, and an incomplete copy never has its final name.

use std::fs::File;
use std::io::{self, Read, Write};
use std::path::{Path, PathBuf};

use gametape_format::write::{Files, StdFiles};

use super::archive_folder::copy_folder_into;
use super::content::ContentHash;
use super::found::Archive;
use super::item::Item;
use crate::names::free_path;

/// Why a find could not be copied. The archive is unchanged.
#[derive(Debug, thiserror::Error)]
pub enum ArchiveError {
    /// An I/O error.
    #[error("cannot copy to {}: {source}; check that the disk has free space and that you may write there", path.display())]
    Io {
        /// The copy.
        path: PathBuf,
        /// The I/O error.
        source: io::Error,
    },
    /// The source changed during the copy.
    #[error("it changed while it was copied; it will be copied when it is complete again")]
    Changed,
    /// The watch was stopped.
    #[error("the watch was stopped")]
    Stopped,
}

/// Copies a find, whose content hash is `hash`, into `folder`, under its own name or a numbered one. Files that belong to it are copied
/// beside it, under the same name.
pub(super) fn copy_item(folder: &Path, item: &Item, hash: ContentHash, stop: &dyn Fn() -> bool) -> Archive {
    if item.is_folder {
        return copy_folder_into(folder, item, hash, stop);
    }
    let archive = copy_into(folder, &item.path, hash, stop);
    let (Archive::Copied(copy) | Archive::AlreadyThere(copy)) = &archive else { return archive };
    for beside in item.files.iter().skip(1) {
        if let Err(error) = copy_beside(copy, item, beside, stop) {
            return Archive::Failed(error);
        }
    }
    archive
}

/// Copies a file that belongs to a find, whose copy is `copy`.
fn copy_beside(copy: &Path, item: &Item, beside: &Path, stop: &dyn Fn() -> bool) -> Result<(), ArchiveError> {
    let failed = |source| ArchiveError::Io { path: copy.to_owned(), source };
    let hash = File::open(beside).and_then(|mut file| ContentHash::of(&mut file, stop)).map_err(failed)?;
    let hash = hash.ok_or(ArchiveError::Stopped)?;
    // `a.dem.info` beside `a.dem`: what follows the common part.
    let stem = item.path.with_extension("");
    let ending = beside.as_os_str().to_string_lossy();
    let ending = ending.strip_prefix(&*stem.as_os_str().to_string_lossy()).unwrap_or_default();
    let mut name = copy.with_extension("").into_os_string();
    name.push(ending);
    try_copy(Path::new(&name), beside, hash, stop).map(|_| ())
}

/// Copies `source`, whose content hash is `hash`, into `folder`, under its own name or a numbered one.
fn copy_into(folder: &Path, source: &Path, hash: ContentHash, stop: &dyn Fn() -> bool) -> Archive {
    match try_copy(&folder.join(source.file_name().unwrap_or_default()), source, hash, stop) {
        Ok(archive) => archive,
        Err(error) => Archive::Failed(error),
    }
}

fn try_copy(wanted: &Path, source: &Path, hash: ContentHash, stop: &dyn Fn() -> bool) -> Result<Archive, ArchiveError> {
    let failed = |source| ArchiveError::Io { path: wanted.to_owned(), source };
    let folder = wanted.parent().unwrap_or(wanted);
    std::fs::create_dir_all(folder).map_err(failed)?;
    let part = part_path(folder, hash);
    loop {
        let bytes = source.metadata().map_err(failed)?.len();
        let taken = |path: &Path| path.symlink_metadata().is_ok();
        // The first name that is free, or whose file has the same content.
        let free = free_path(wanted, &|path| taken(path) && !holds(path, bytes, hash, stop));
        if taken(&free) {
            return Ok(Archive::AlreadyThere(free));
        }
        let copied = copy(source, &part, hash, stop).and_then(|()| {
            // Another process may have taken the name in the meantime.
            match StdFiles.publish(&part, &free) {
                Err(error) if error.kind() == io::ErrorKind::AlreadyExists => Ok(false),
                result => result.map(|()| true).map_err(failed),
            }
        });
        if !matches!(copied, Ok(true)) {
            let _ = std::fs::remove_file(&part);
        }
        if copied? {
            StdFiles.sync_directory(&free).map_err(failed)?;
            return Ok(Archive::Copied(free));
        }
    }
}

/// Returns the path of an incomplete copy.
pub(super) fn part_path(folder: &Path, hash: ContentHash) -> PathBuf {
    folder.join(format!(".{hash}.{}.part", std::process::id()))
}

/// Returns whether a file of the archive has this content.
fn holds(path: &Path, bytes: u64, hash: ContentHash, stop: &dyn Fn() -> bool) -> bool {
    let same_length = path.metadata().is_ok_and(|metadata| metadata.is_file() && metadata.len() == bytes);
    same_length
        && File::open(path)
            .and_then(|mut file| ContentHash::of(&mut file, stop))
            .is_ok_and(|content| content == Some(hash))
}

/// Copies a file, and checks its content.
pub(super) fn copy(source: &Path, part: &Path, hash: ContentHash, stop: &dyn Fn() -> bool) -> Result<(), ArchiveError> {
    let failed = |source| ArchiveError::Io { path: part.to_owned(), source };
    let mut from = File::open(source).map_err(failed)?;
    // A killed process with the same id may have left a file.
    let _ = std::fs::remove_file(part);
    let mut to = File::create_new(part).map_err(failed)?;
    let modified = from.metadata().and_then(|metadata| metadata.modified());
    let mut copying = Copying { from: &mut from, to: &mut to };
    let content = ContentHash::of(&mut copying, stop).map_err(failed)?.ok_or(ArchiveError::Stopped)?;
    if content != hash {
        return Err(ArchiveError::Changed);
    }
    if let Ok(modified) = modified {
        // Not every file system stores modification times. The copy is valid without.
        let _ = to.set_modified(modified);
    }
    to.sync_all().map_err(failed)
}

/// A reader that copies everything it reads.
struct Copying<'a> {
    from: &'a mut File,
    to: &'a mut File,
}

impl Read for Copying<'_> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let count = self.from.read(buffer)?;
        self.to.write_all(buffer.get(..count).unwrap_or_default())?;
        Ok(count)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    struct Bench {
        folder: tempfile::TempDir,
    }

    impl Bench {
        fn new() -> Self {
            Self { folder: tempfile::tempdir().unwrap() }
        }

        fn put(&self, name: &str, bytes: &[u8]) -> PathBuf {
            let path = self.folder.path().join(name);
            std::fs::create_dir_all(path.parent().unwrap()).unwrap();
            File::create_new(&path).unwrap().write_all(bytes).unwrap();
            path
        }

        fn archive(&self, source: &Path, content: &[u8]) -> Archive {
            let hash = ContentHash::of(&mut &*content, &|| false).unwrap().unwrap();
            copy_into(&self.folder.path().join("archive"), source, hash, &|| false)
        }

        fn names(&self) -> Vec<String> {
            let entries = std::fs::read_dir(self.folder.path().join("archive")).unwrap();
            let mut names: Vec<_> = entries.map(|entry| entry.unwrap().file_name().into_string().unwrap()).collect();
            names.sort_unstable();
            names
        }
    }

    #[test]
    fn a_copy_is_equal_in_content_and_time() {
        let bench = Bench::new();
        let source = bench.put("a.rec", b"one");
        let Archive::Copied(copy) = bench.archive(&source, b"one") else { panic!() };
        assert_eq!(std::fs::read(&copy).unwrap(), b"one");
        let time = |path: &Path| path.metadata().unwrap().modified().unwrap();
        assert_eq!(time(&copy), time(&source));
        assert_eq!(bench.names(), ["a.rec"]);
    }

    #[test]
    fn a_name_that_is_taken_gets_a_number_and_the_same_content_is_not_copied_twice() {
        let bench = Bench::new();
        for (folder, content, name, copied) in [
            ("1", b"one", "a.rec", true),
            ("2", b"two", "a-2.rec", true),
            ("3", b"six", "a-3.rec", true),
            ("4", b"one", "a.rec", false),
            ("5", b"six", "a-3.rec", false),
        ] {
            let source = bench.put(&format!("{folder}/a.rec"), content);
            let archive = bench.archive(&source, content);
            assert_eq!(matches!(archive, Archive::Copied(_)), copied, "{archive:?}");
            let (Archive::Copied(path) | Archive::AlreadyThere(path)) = archive else { panic!("{archive:?}") };
            assert_eq!(path, bench.folder.path().join("archive").join(name));
            assert_eq!(std::fs::read(path).unwrap(), content);
        }
        assert_eq!(bench.names(), ["a-2.rec", "a-3.rec", "a.rec"]);
    }

    #[test]
    fn a_source_that_changed_or_a_wanted_end_leaves_nothing_half() {
        let bench = Bench::new();
        let source = bench.put("a.rec", b"later");
        assert!(matches!(bench.archive(&source, b"before"), Archive::Failed(ArchiveError::Changed)));
        let hash = ContentHash::of(&mut b"later".as_slice(), &|| false).unwrap().unwrap();
        let stopped = copy_into(&bench.folder.path().join("archive"), &source, hash, &|| true);
        assert!(matches!(stopped, Archive::Failed(ArchiveError::Stopped)));
        assert_eq!(bench.names(), Vec::<String>::new());
    }

    #[test]
    fn a_folder_that_cannot_be_made_is_an_error_that_says_what_to_do() {
        let bench = Bench::new();
        let source = bench.put("a.rec", b"one");
        bench.put("archive", b"a file");
        let Archive::Failed(error) = bench.archive(&source, b"one") else { panic!() };
        assert!(error.to_string().contains("check that"), "{error}");
    }
}
