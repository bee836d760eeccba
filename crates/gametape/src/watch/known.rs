//! The files that need no inspection: those that were reported, and those that existed before the watch. Classifies files by stamp and
//! hash.

use std::collections::HashMap;
use std::path::{Path, PathBuf};

use super::content::ContentHash;
use super::content::Stamp;
use super::record::Record;
use super::state_file::MAX_RECORDS;

/// The known files.
#[derive(Debug, Default)]
pub(super) struct Known {
    files: HashMap<PathBuf, Entry>,
    /// The paths at which a content was reported. Some may have other content by now.
    by_content: HashMap<ContentHash, Vec<PathBuf>>,
}

/// Maximum number of paths with the same content that are looked at. More have been copied, not moved.
const MAX_COPIES: usize = 16;

#[derive(Debug, Clone, Copy)]
struct Entry {
    stamp: Stamp,
    /// `None`: existed before the watch and was never read.
    hash: Option<ContentHash>,
}

/// The classification of a file by its content.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum Sight {
    /// Not observed before.
    New,
    /// Different content was reported for this path.
    Rewritten,
    /// This content was reported for this path, or for a path that no longer exists.
    Reported,
}

impl Known {
    /// Returns whether the file is known and unchanged.
    pub(super) fn is_unchanged(&self, path: &Path, stamp: Stamp) -> bool {
        self.files.get(path).is_some_and(|entry| entry.stamp == stamp)
    }

    /// Adds a file that existed before the watch; it is ignored until it changes. Returns `false` if the limit is reached.
    pub(super) fn there_before(&mut self, path: &Path, stamp: Stamp) -> bool {
        self.put(path, Entry { stamp, hash: None })
    }

    /// Adds a file that was reported. Returns `false` if the limit is reached.
    pub(super) fn reported(&mut self, record: &Record) -> bool {
        self.put(&record.path, Entry { stamp: record.stamp, hash: record.hash })
    }

    /// Returns the hash that was last reported for this path.
    pub(super) fn hash(&self, path: &Path) -> Option<ContentHash> {
        self.files.get(path).and_then(|entry| entry.hash)
    }

    fn put(&mut self, path: &Path, entry: Entry) -> bool {
        if self.files.len() >= MAX_RECORDS && !self.files.contains_key(path) {
            self.files.retain(|path, _| path.exists());
            let files = &self.files;
            self.by_content.retain(|_, paths| {
                paths.retain(|path| files.contains_key(path));
                !paths.is_empty()
            });
            if self.files.len() >= MAX_RECORDS {
                return false;
            }
        }
        let before = self.files.insert(path.to_owned(), entry);
        if let Some(hash) = entry.hash.filter(|hash| before.is_none_or(|before| before.hash != Some(*hash))) {
            let paths = self.by_content.entry(hash).or_default();
            if paths.len() < MAX_COPIES && !paths.iter().any(|other| other == path) {
                paths.push(path.to_owned());
            }
        }
        true
    }

    /// Classifies a file by its content. Content that was reported for a path that no longer exists was moved, which is not a find.
    pub(super) fn sight(&mut self, path: &Path, hash: ContentHash) -> Sight {
        let before = self.hash(path);
        if before == Some(hash) {
            return Sight::Reported;
        }
        let paths = self.by_content.get_mut(&hash);
        let has_it = |path: &PathBuf| self.files.get(path).is_some_and(|entry| entry.hash == Some(hash));
        let moved = paths.and_then(|paths| {
            let at = paths.iter().position(|other| has_it(other) && !other.exists())?;
            Some(paths.swap_remove(at))
        });
        if let Some(gone) = moved {
            self.files.remove(&gone);
            return Sight::Reported;
        }
        if before.is_some() { Sight::Rewritten } else { Sight::New }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn stamp(bytes: u64) -> Stamp {
        Stamp { bytes, modified_ns: None }
    }

    fn report(known: &mut Known, path: &Path, hash: u8) {
        let record = Record { path: path.into(), stamp: stamp(1), hash: Some(ContentHash([hash; 32])) };
        assert!(known.reported(&record));
    }

    #[test]
    fn equal_content_is_no_find_and_other_content_is() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("a");
        std::fs::File::create_new(&path).unwrap();
        let mut known = Known::default();
        assert_eq!(known.sight(&path, ContentHash([1; 32])), Sight::New);
        report(&mut known, &path, 1);
        assert_eq!(known.sight(&path, ContentHash([1; 32])), Sight::Reported);
        assert_eq!(known.sight(&path, ContentHash([2; 32])), Sight::Rewritten);
        assert_eq!(
            known.sight(&folder.path().join("copy"), ContentHash([1; 32])),
            Sight::New,
            "a copy is a file of its own"
        );
    }

    #[test]
    fn a_file_that_was_moved_is_no_find() {
        let mut known = Known::default();
        report(&mut known, Path::new("/gone/a"), 1);
        assert_eq!(known.sight(Path::new("/gone/b"), ContentHash([1; 32])), Sight::Reported);
    }

    #[test]
    fn a_file_that_was_there_before_is_looked_at_when_it_changes() {
        let mut known = Known::default();
        let path = Path::new("/a");
        assert!(!known.is_unchanged(path, stamp(1)));
        known.there_before(path, stamp(1));
        assert!(known.is_unchanged(path, stamp(1)) && !known.is_unchanged(path, stamp(2)));
        assert_eq!(known.sight(path, ContentHash([1; 32])), Sight::New);
    }
}
