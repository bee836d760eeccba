//! What `gametape import` reports for each file. The JSON field names are stable: other programs rely on them.

use std::path::{Path, PathBuf};

use gametape::format::TapeId;
use gametape::import::{ImportError, Imported};
use serde::Serialize;

use super::problem_report::ReportProblem;
use crate::adding::InStore;
use crate::cli::tell;
use crate::human;
use crate::stoppable::is_stopped;

/// The tape of a file.
pub(super) struct Done {
    /// The path of the tape.
    pub(super) path: PathBuf,
    pub(super) what: What,
    /// `None` with `--no-store`.
    pub(super) in_store: Option<InStore>,
}

/// Where the tape came from.
pub(super) enum What {
    Made(Imported),
    /// A tape of the same bytes existed.
    AlreadyThere(TapeId),
}

pub(super) type ImportResult = Result<Done, ImportError>;

#[derive(Debug, Serialize)]
pub(super) struct Report {
    pub(super) imports: Vec<ReportImport>,
}

#[derive(Debug, Serialize)]
pub(super) struct ReportImport {
    source: String,
    pub(super) path: Option<String>,
    /// A tape of the same bytes existed; nothing was written.
    already_there: bool,
    kind: Option<&'static str>,
    tape_id: Option<String>,
    frames: Option<u64>,
    bytes_source: Option<u64>,
    bytes: Option<u64>,
    problems: Vec<ReportProblem>,
    error: Option<String>,
    /// `null` with `--no-store`.
    store: Option<InStore>,
}

impl Done {
    pub(super) fn imported(&self) -> Option<&Imported> {
        match &self.what {
            What::Made(imported) => Some(imported),
            What::AlreadyThere(_) => None,
        }
    }

    pub(super) fn store_error(&self) -> Option<&String> {
        self.in_store.as_ref()?.error.as_ref()
    }
}

/// Prints the result of importing a file.
pub(super) fn tell_result(source: &Path, result: &ImportResult) {
    let done = match result {
        Ok(done) => done,
        // Reported once, at the end.
        Err(error) if is_stopped(error) => return,
        Err(error) => return tell(&format!("error: {}: {error}", source.display())),
    };
    let (from, to) = (source.display(), done.path.display());
    match &done.what {
        What::Made(imported) => {
            for problem in &imported.problems {
                tell(&format!("warning: {from}: {problem}"));
            }
            let sizes = (human::bytes(imported.source_bytes), human::bytes(imported.tape_bytes));
            let frames = human::counted(imported.frames, "frame");
            tell(&format!("{from} -> {to}: {frames}, {} -> {}", sizes.0, sizes.1));
        }
        What::AlreadyThere(_) => tell(&format!("{from}: already imported as {to}")),
    }
    if let Some(in_store) = &done.in_store {
        tell(&format!("  {}", in_store.words()));
    }
}

/// Converts a problem of a source, which is plain text. The kind is that of the event that stores it on the tape.
fn of_source(text: &str) -> ReportProblem {
    ReportProblem { kind: "import_problem", offset: None, stream: None, frames_lost: None, text: text.into() }
}

impl ReportImport {
    pub(super) fn of(source: &Path, result: &ImportResult) -> Self {
        let done = result.as_ref().ok();
        let imported = done.and_then(Done::imported);
        let tape_id = done.map(|done| match &done.what {
            What::Made(imported) => imported.tape_id,
            What::AlreadyThere(id) => *id,
        });
        Self {
            source: source.display().to_string(),
            path: done.map(|done| done.path.display().to_string()),
            already_there: done.is_some_and(|done| matches!(done.what, What::AlreadyThere(_))),
            kind: imported.map(|imported| imported.kind.id()),
            tape_id: tape_id.map(|id| id.to_string()),
            frames: imported.map(|imported| imported.frames),
            bytes_source: imported.map(|imported| imported.source_bytes),
            bytes: imported.map(|imported| imported.tape_bytes),
            problems: imported
                .map(|imported| imported.problems.iter().map(|text| of_source(text)).collect())
                .unwrap_or_default(),
            error: result.as_ref().err().map(ToString::to_string),
            store: done.and_then(|done| done.in_store.clone()),
        }
    }
}
