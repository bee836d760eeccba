//! Expands the files that a command was given: a folder is replaced by the files in it that the command can read.

use std::io::{self, Read as _};
use std::path::{Path, PathBuf};

use anyhow::Context as _;
use gametape::format::open_regular;
use gametape::import::Dictionary;
use gametape::names::EXTENSION;

use crate::exit;

/// Extensions of other programs' files. Used for folders only: the type of a file that is named itself is detected by its content.
pub(crate) const IMPORTED: [&str; 23] = [
    "ibt",
    "ksr",
    "bin",
    "dat",
    "replay",
    "osr",
    "sc2replay",
    "aoe2record",
    "mgz",
    "mgx",
    "w3g",
    "rec",
    "dem",
    "rofl",
    "replayinfo",
    "gbx",
    "echoreplay",
    "nevrcap",
    "tape",
    "ld",
    "vbo",
    "gpx",
    "f1pcap",
];
/// Extensions of files with Echo VR recordings.
const CAPTURES: [&str; 4] = [EXTENSION, "echoreplay", "nevrcap", "tape"];

/// The named paths, expanded to files.
#[derive(Debug, Default)]
pub(crate) struct Sources {
    /// The files.
    pub(crate) files: Vec<PathBuf>,
    /// Folders that cannot be listed, with the error.
    pub(crate) unreadable: Vec<(PathBuf, io::Error)>,
    /// Folders without a readable file.
    pub(crate) empty: Vec<PathBuf>,
}

/// Returns the sources of an import. A folder that cannot be listed does not prevent the import of the others.
pub(crate) fn of_import(named: &[PathBuf]) -> Sources {
    expand(named, &|folder| files_in(folder, &|ending| IMPORTED.contains(&ending)))
}

/// Returns the sources of a conversion to this extension. Files in a folder that already have the extension are skipped.
pub(crate) fn of_captures(named: &[PathBuf], to: &str) -> anyhow::Result<Vec<PathBuf>> {
    let sources = expand(named, &|folder| files_in(folder, &|ending| ending != to && CAPTURES.contains(&ending)));
    if let Some((folder, error)) = sources.unreadable.into_iter().next() {
        return Err(error).with_context(|| format!("cannot list the folder {}", folder.display()));
    }
    match sources.empty.first() {
        Some(folder) => Err(nothing_in(folder)),
        None => Ok(sources.files),
    }
}

/// The error for a folder without a readable file.
pub(crate) fn nothing_in(folder: &Path) -> anyhow::Error {
    exit::nothing_found(format!(
        "the folder {} contains no supported file; name the files themselves",
        folder.display()
    ))
}

fn expand(named: &[PathBuf], list: &dyn Fn(&Path) -> io::Result<Vec<PathBuf>>) -> Sources {
    let mut sources = Sources::default();
    for path in named {
        if !path.is_dir() {
            sources.files.push(path.clone());
            continue;
        }
        match list(path) {
            Err(error) => sources.unreadable.push((path.clone(), error)),
            Ok(inside) if inside.is_empty() => sources.empty.push(path.clone()),
            Ok(mut inside) => {
                inside.sort();
                sources.files.append(&mut inside);
            }
        }
    }
    sources
}

fn files_in(folder: &Path, fits: &dyn Fn(&str) -> bool) -> io::Result<Vec<PathBuf>> {
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

/// Reads the zstd dictionary that Telemetry V2 captures were compressed with, if `--dictionary` names one.
pub(crate) fn dictionary(path: Option<&Path>) -> anyhow::Result<Option<Dictionary>> {
    let Some(path) = path else { return Ok(None) };
    let mut bytes = Vec::new();
    // Reads one byte more than the limit, so that a file that is too large is detected.
    open_regular(path)
        .and_then(|file| file.take(Dictionary::MAX_BYTES as u64 + 1).read_to_end(&mut bytes))
        .with_context(|| format!("cannot read the dictionary {}", path.display()))?;
    let dictionary = Dictionary::from_bytes(bytes);
    Ok(Some(dictionary.with_context(|| format!("cannot use {} as a dictionary", path.display()))?))
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
        assert_eq!(names(of_import(&named).files), ["notes.txt", "a.echoreplay", "b.tape"]);
        let empty = tempfile::tempdir().unwrap();
        assert!(of_captures(&[empty.path().to_owned()], "tape").is_err());
        assert_eq!(of_import(&[empty.path().to_owned(), named[0].clone()]).files, [named[0].clone()]);
    }

    #[test]
    fn a_folder_that_cannot_be_listed_does_not_keep_the_others_out() {
        let folders = [tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap()];
        let named: Vec<PathBuf> = folders.iter().map(|folder| folder.path().to_owned()).collect();
        let sources = expand(&named, &|folder| match folder == named[0] {
            true => Err(io::ErrorKind::PermissionDenied.into()),
            false => Ok(vec![folder.join("a.ibt")]),
        });
        assert_eq!(sources.files, [named[1].join("a.ibt")]);
        assert!(sources.unreadable.len() == 1 && sources.unreadable[0].0 == named[0], "{sources:?}");
    }
}
