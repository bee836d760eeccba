//! The output of `gametape watch` for a found file. Field names are stable: other programs rely on them.

use std::path::Path;

use gametape::names::utc_text;
use gametape::watch::{Archive, Completeness, Found, Import};
use serde::Serialize;

use crate::adding::InStore;
use crate::human;

/// A found file, as a line of JSON.
#[derive(Debug, Serialize)]
pub(super) struct ReportFound {
    path: String,
    /// Whether it is the folder of a match.
    folder: bool,
    /// All its files: the file itself and those that belong to it, or all files in the folder.
    files: Vec<String>,
    /// Whether nothing is missing; `null` if there is no test for its format.
    complete: Option<bool>,
    /// What is missing of an incomplete one.
    missing: Option<&'static str>,
    game: Option<String>,
    kind: Option<&'static str>,
    bytes: u64,
    modified_utc: Option<String>,
    blake3: String,
    /// Different content was reported under this path before.
    rewritten: bool,
    archived: Option<String>,
    archive_error: Option<String>,
    tape: Option<String>,
    tape_id: Option<String>,
    /// `made`, `already_there`, `not_readable` or `failed`.
    import: Option<&'static str>,
    import_error: Option<String>,
    frames: Option<u64>,
    /// Problems of the file; the intact parts are on the tape.
    problems: Vec<String>,
    /// The result of adding the tape to the store; `null` without a tape, and with `--no-store`.
    store: Option<InStore>,
}

impl ReportFound {
    pub(super) fn of(found: &Found, in_store: Option<InStore>) -> Self {
        let text = |path: &Path| path.display().to_string();
        let archive_error = match &found.archive {
            Archive::Failed(error) => Some(error.to_string()),
            Archive::NotWanted | Archive::Copied(_) | Archive::AlreadyThere(_) => None,
        };
        let imported = match &found.import {
            Import::Made { imported, .. } => Some(imported),
            _ => None,
        };
        let (import, import_error) = match &found.import {
            Import::NotWanted => (None, None),
            Import::Made { .. } => (Some("made"), None),
            Import::AlreadyThere { .. } => (Some("already_there"), None),
            // The files of most games cannot be imported; that is not an error.
            Import::NotReadable(_) => (Some("not_readable"), None),
            Import::Failed(error) => (Some("failed"), Some(error.to_string())),
        };
        Self {
            path: text(&found.path),
            folder: found.is_folder,
            files: found.files.iter().map(|file| text(file)).collect(),
            complete: match found.completeness {
                Completeness::Whole => Some(true),
                Completeness::Unchanged => None,
                Completeness::Incomplete { .. } => Some(false),
            },
            missing: found.missing(),
            game: found.game.clone(),
            kind: found.kind.map(|kind| kind.id()),
            bytes: found.bytes,
            modified_utc: found.modified_utc_ns.and_then(utc_text),
            blake3: found.hash.to_string(),
            rewritten: found.rewritten,
            archived: found.archived().map(text),
            archive_error,
            tape: found.tape().map(text),
            tape_id: found.tape().map(|_| found.hash.tape_id().to_string()),
            import,
            import_error,
            frames: imported.map(|imported| imported.frames),
            problems: imported.map(|imported| imported.problems.clone()).unwrap_or_default(),
            store: in_store,
        }
    }
}

/// A found file, as a line of text.
pub(super) fn plain(found: &Found, in_store: Option<&InStore>) -> String {
    let mut parts = vec![human::bytes(found.bytes)];
    if found.files.len() > 1 {
        parts.push(human::counted(found.files.len() as u64, "file"));
    }
    parts.extend(found.missing().map(|missing| format!("incomplete: {missing}")));
    parts.extend(found.game.clone());
    let to_the_second = |ns: i64| ns - ns.rem_euclid(1_000_000_000);
    parts.extend(found.modified_utc_ns.map(to_the_second).and_then(utc_text));
    if found.rewritten {
        parts.push("rewritten".into());
    }
    match &found.archive {
        Archive::NotWanted => {}
        Archive::Copied(path) => parts.push(format!("copied to {}", path.display())),
        Archive::AlreadyThere(path) => parts.push(format!("already archived as {}", path.display())),
        Archive::Failed(error) => parts.push(format!("not archived: {error}")),
    }
    match &found.import {
        Import::NotWanted | Import::NotReadable(_) => parts.push(format!("blake3 {}", found.hash)),
        Import::Made { tape, imported } => {
            parts.push(format!("tape {}", tape.display()));
            parts.extend(imported.problems.iter().map(|problem| format!("warning: {problem}")));
        }
        Import::AlreadyThere { tape, .. } => parts.push(format!("tape {} already exists", tape.display())),
        Import::Failed(error) => parts.push(format!("no tape: {error}")),
    }
    parts.extend(in_store.map(InStore::words));
    human::safe(&format!("{}: {}", found.path.display(), parts.join(", ")))
}
