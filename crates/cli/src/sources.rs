//! The files that a command speaks of: a folder stands for the files in it that the command can read.

use std::path::{Path, PathBuf};

use anyhow::Context as _;
use gametape::names::EXTENSION;

use crate::exit;

/// Endings of files of other programs. A file that is named itself may be called anything: its content says what it is.
const IMPORTED: [&str; 8] = ["ibt", "ksr", "bin", "dat", "replay", "echoreplay", "nevrcap", "tape"];
/// Endings of files with recordings of Echo VR.
const CAPTURES: [&str; 4] = [EXTENSION, "echoreplay", "nevrcap", "tape"];

/// Sources of an import.
pub(crate) fn of_import(named: &[PathBuf]) -> anyhow::Result<Vec<PathBuf>> {
    expand(named, &|ending| IMPORTED.contains(&ending))
}

/// Sources of a conversion to files with this ending. Of a folder, those that have the ending already are left out.
pub(crate) fn of_captures(named: &[PathBuf], to: &str) -> anyhow::Result<Vec<PathBuf>> {
    expand(named, &|ending| ending != to && CAPTURES.contains(&ending))
}

fn expand(named: &[PathBuf], fits: &dyn Fn(&str) -> bool) -> anyhow::Result<Vec<PathBuf>> {
    let mut files = Vec::new();
    for path in named {
        if !path.is_dir() {
            files.push(path.clone());
            continue;
        }
        let mut inside = files_in(path, fits).with_context(|| format!("cannot list the folder {}", path.display()))?;
        if inside.is_empty() {
            return Err(exit::nothing_found(format!(
                "the folder {} has no file that can be read here; name the files themselves",
                path.display()
            )));
        }
        inside.sort();
        files.append(&mut inside);
    }
    Ok(files)
}

fn files_in(folder: &Path, fits: &dyn Fn(&str) -> bool) -> std::io::Result<Vec<PathBuf>> {
    let mut inside = Vec::new();
    for entry in folder.read_dir()? {
        let path = entry?.path();
        let ending = path.extension().unwrap_or_default().to_string_lossy().to_ascii_lowercase();
        if fits(&ending) && path.is_file() {
            inside.push(path);
        }
    }
    Ok(inside)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_folder_stands_for_the_files_in_it_that_can_be_read() {
        let folder = tempfile::tempdir().unwrap();
        for name in ["b.tape", "a.echoreplay", "notes.txt", "c.GTAPE"] {
            std::fs::File::create_new(folder.path().join(name)).unwrap();
        }
        std::fs::create_dir(folder.path().join("d.tape")).unwrap();
        let named = [folder.path().join("notes.txt"), folder.path().to_owned()];
        let names = |files: Vec<PathBuf>| -> Vec<String> {
            files.iter().map(|file| file.file_name().unwrap().to_string_lossy().into_owned()).collect()
        };
        assert_eq!(names(of_captures(&named, "tape").unwrap()), ["notes.txt", "a.echoreplay", "c.GTAPE"]);
        assert_eq!(names(of_import(&named).unwrap()), ["notes.txt", "a.echoreplay", "b.tape"]);
        assert!(of_captures(&[tempfile::tempdir().unwrap().path().to_owned()], "tape").is_err());
    }
}
