//! Walks a folder and its subfolders, and yields the folders, the matching files and folders of matches, and problems. Always terminates: links that lead back
//! are not followed, and depth and number of folders are limited.

use std::collections::HashSet;
use std::path::{Path, PathBuf};

use super::folder::Folder;
use super::found::Notice;

/// Maximum number of folders.
const MAX_FOLDERS: usize = 10_000;
/// Maximum depth below the watched folder.
const MAX_DEPTH: usize = 32;

/// A step of the walk.
pub(super) enum Step<'a> {
    /// A folder, before it is read.
    Folder(&'a Path),
    /// A matching file, or the folder of a match.
    Find(&'a Path),
    /// A path that is skipped, with the reason.
    NotEntered(&'a Path, Notice),
}

/// Walks `start`, which is the watched folder or one below it. Folders in `left_out` are skipped.
pub(super) fn walk(folder: &Folder, start: &Path, left_out: &[PathBuf], step: &mut dyn FnMut(Step<'_>)) {
    let top = std::fs::canonicalize(&folder.path).unwrap_or_else(|_| folder.path.clone());
    let mut seen: HashSet<PathBuf> = HashSet::new();
    let mut ahead = vec![(start.to_owned(), 0, false)];
    while let Some((path, depth, is_link)) = ahead.pop() {
        let real = match std::fs::canonicalize(&path) {
            Ok(real) => real,
            Err(error) if error.kind() == std::io::ErrorKind::NotFound => continue,
            Err(error) => {
                tell_unreadable(&path, &error, step);
                continue;
            }
        };
        // Compares both forms: canonical paths are spelled differently on Windows, and a folder that did not exist yet could not be
        // canonicalized.
        if left_out.contains(&real) || left_out.contains(&path) {
            continue;
        }
        let leads_back = is_link && (real.starts_with(&top) || top.starts_with(&real));
        if leads_back || seen.contains(&real) {
            step(Step::NotEntered(&path, Notice::LinkNotFollowed { path: path.clone() }));
            continue;
        }
        if seen.len() >= MAX_FOLDERS || depth > MAX_DEPTH {
            step(Step::NotEntered(&path, Notice::TooManyFolders { path: path.clone() }));
            continue;
        }
        seen.insert(real);
        step(Step::Folder(&path));
        // A folder below that of a match belongs to it, and so do all files in them.
        if let Some(find) = folder.find_of(&path, true).filter(|find| path == *find || path == start) {
            step(Step::Find(&find));
        }
        read_folder(folder, &path, &mut |below, is_link| ahead.push((below, depth + 1, is_link)), step);
    }
}

fn read_folder(folder: &Folder, path: &Path, below: &mut dyn FnMut(PathBuf, bool), step: &mut dyn FnMut(Step<'_>)) {
    let entries = match std::fs::read_dir(path) {
        Ok(entries) => entries,
        Err(error) => return tell_unreadable(path, &error, step),
    };
    let in_match = folder.find_of(path, true).is_some();
    for entry in entries {
        // If reading an entry fails, the folder is gone; the next scan finds its current contents.
        let Ok(entry) = entry else { return };
        let Ok(kind) = entry.file_type() else { continue };
        let path = entry.path();
        let is_link = kind.is_symlink() && path.is_dir();
        if kind.is_dir() || is_link {
            if folder.covers_folder(&path) {
                below(path, is_link);
            }
        } else if !in_match && let Some(find) = folder.find_of(&path, false) {
            // Dangling links and files that have disappeared are ignored. Pipes and devices are not files.
            match path.metadata() {
                Ok(metadata) if metadata.is_file() => step(Step::Find(&find)),
                Ok(_) => {}
                Err(error) if error.kind() == std::io::ErrorKind::NotFound => {}
                Err(error) => tell_unreadable(&path, &error, step),
            }
        }
    }
}

fn tell_unreadable(path: &Path, error: &std::io::Error, step: &mut dyn FnMut(Step<'_>)) {
    step(Step::NotEntered(path, Notice::Unreadable { path: path.into(), reason: error.to_string() }));
}

#[cfg(test)]
mod tests {
    use super::*;

    fn names(folder: &Folder, start: &Path, left_out: &[PathBuf]) -> (Vec<String>, Vec<Notice>) {
        let (mut files, mut notices) = (Vec::new(), Vec::new());
        walk(folder, start, left_out, &mut |step| match step {
            Step::Folder(_) => {}
            Step::Find(path) => files.push(path.file_name().unwrap().to_string_lossy().into_owned()),
            Step::NotEntered(_, notice) => notices.push(notice),
        });
        files.sort_unstable();
        (files, notices)
    }

    fn tree(names: &[&str]) -> tempfile::TempDir {
        let root = tempfile::tempdir().unwrap();
        for name in names {
            let path = root.path().join(name);
            std::fs::create_dir_all(path.parent().unwrap()).unwrap();
            std::fs::File::create_new(path).unwrap();
        }
        root
    }

    #[test]
    fn only_what_counts_is_given_and_folders_below_only_on_request() {
        let root = tree(&["a.rec", "b.txt", "m1/c.rec", "m1/deep/d.REC", "archive/e.rec"]);
        let flat = Folder::new(root.path()).pattern("*.rec").unwrap();
        assert_eq!(names(&flat, root.path(), &[]).0, ["a.rec"]);
        let deep = flat.recursive();
        assert_eq!(names(&deep, root.path(), &[]).0, ["a.rec", "c.rec", "d.REC", "e.rec"]);
        assert_eq!(names(&deep, &root.path().join("m1"), &[]).0, ["c.rec", "d.REC"]);
        let archive = std::fs::canonicalize(root.path().join("archive")).unwrap();
        assert_eq!(names(&deep, root.path(), &[archive]).0, ["a.rec", "c.rec", "d.REC"]);
    }

    #[cfg(unix)]
    #[test]
    fn links_in_a_circle_end_and_are_told() {
        use std::os::unix::fs::symlink;
        let root = tree(&["w/a.rec", "w/sub/b.rec", "out/c.rec"]);
        let watched = root.path().join("w");
        symlink(&watched, watched.join("sub/up")).unwrap();
        symlink(root.path(), watched.join("sub/further-up")).unwrap();
        symlink(watched.join("self"), watched.join("self")).unwrap();
        symlink(root.path().join("out"), watched.join("out1")).unwrap();
        symlink(root.path().join("out"), watched.join("out2")).unwrap();
        symlink(root.path().join("out"), root.path().join("out/again")).unwrap();
        let folder = Folder::new(&watched).pattern("*.rec").unwrap().recursive();
        let (files, notices) = names(&folder, &watched, &[]);
        assert_eq!(files, ["a.rec", "b.rec", "c.rec"]);
        assert_eq!(notices.len(), 4, "{notices:?}");
        assert!(notices.iter().all(|notice| matches!(notice, Notice::LinkNotFollowed { .. })), "{notices:?}");
        assert_eq!(names(&folder, &watched.join("sub"), &[]).0, ["b.rec"], "from below, too");
    }

    #[test]
    fn depth_has_a_limit_that_is_told() {
        let root = tree(&[&format!("{}a.rec", "d/".repeat(40))]);
        let folder = Folder::new(root.path()).recursive();
        let (files, notices) = names(&folder, root.path(), &[]);
        assert!(files.is_empty() && matches!(notices[..], [Notice::TooManyFolders { .. }]), "{notices:?}");
    }
}
