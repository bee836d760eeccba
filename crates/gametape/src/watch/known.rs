//! Which files need not be looked at: those that were reported, and those that were there before. Takes stamps and hashes, gives
//! what a file is.

use std::collections::HashMap;
use std::path::{Path, PathBuf};

use super::content::ContentHash;
use super::record::Record;
use super::stamp::Stamp;
use super::state_file::MAX_RECORDS;

/// The files that are known.
#[derive(Debug, Default)]
pub(super) struct Known {
    files: HashMap<PathBuf, Entry>,
}

#[derive(Debug, Clone, Copy)]
struct Entry {
    stamp: Stamp,
    /// `None`: was there before, and was never read.
    hash: Option<ContentHash>,
}

/// What the content of a file says about it.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum Sight {
    /// Not seen before.
    New,
    /// Another content was reported under this path.
    Rewritten,
    /// This content was reported under this path, or under one that is no longer there.
    Reported,
}

impl Known {
    /// Whether the file is known and not changed.
    pub(super) fn is_unchanged(&self, path: &Path, stamp: Stamp) -> bool {
        self.files.get(path).is_some_and(|entry| entry.stamp == stamp)
    }

    /// The file was there before; it is not looked at until it changes. `false` if there is no room for more.
    pub(super) fn there_before(&mut self, path: &Path, stamp: Stamp) -> bool {
        self.put(path, Entry { stamp, hash: None })
    }

    /// The file was reported. `false` if there is no room for more.
    pub(super) fn reported(&mut self, record: &Record) -> bool {
        self.put(&record.path, Entry { stamp: record.stamp, hash: record.hash })
    }

    /// What was reported last under this path.
    pub(super) fn hash(&self, path: &Path) -> Option<ContentHash> {
        self.files.get(path).and_then(|entry| entry.hash)
    }

    fn put(&mut self, path: &Path, entry: Entry) -> bool {
        if self.files.len() >= MAX_RECORDS && !self.files.contains_key(path) {
            self.files.retain(|path, _| path.exists());
            if self.files.len() >= MAX_RECORDS {
                return false;
            }
        }
        self.files.insert(path.to_owned(), entry);
        true
    }

    /// What this content makes of the file. One that was reported under a name that is gone was moved: that is no find.
    pub(super) fn sight(&mut self, path: &Path, hash: ContentHash) -> Sight {
        let before = self.hash(path);
        if before == Some(hash) {
            return Sight::Reported;
        }
        let moved = self.files.iter().find(|(other, entry)| entry.hash == Some(hash) && !other.exists());
        if let Some(gone) = moved.map(|(other, _)| other.clone()) {
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
