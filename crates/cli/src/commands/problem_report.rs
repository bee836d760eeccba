//! A problem as `--json` prints it: the same object in every command. Field names are stable: other programs rely on them.

use std::collections::BTreeMap;

use gametape::format::StreamId;
use gametape::format::read::{Problem, Tape};
use serde::Serialize;

/// A problem of a tape or its source; unknown values are null.
#[derive(Debug, Serialize)]
pub(super) struct ReportProblem {
    pub(super) kind: &'static str,
    pub(super) offset: Option<u64>,
    pub(super) stream: Option<String>,
    pub(super) frames_lost: Option<u64>,
    pub(super) text: String,
}

impl ReportProblem {
    /// Converts a problem that a reader found.
    pub(super) fn of(problem: &Problem, names: &StreamNames) -> Self {
        Self {
            kind: problem.kind.name(),
            offset: Some(problem.offset),
            stream: problem.stream.and_then(|id| names.get(id)),
            frames_lost: problem.frames_lost,
            text: match problem.journal {
                Some(generation) => format!("journal {generation}: {}", problem.text),
                None => problem.text.clone(),
            },
        }
    }
}

/// Names of streams. Problems refer to streams by number only.
#[derive(Debug, Default)]
pub(super) struct StreamNames(BTreeMap<StreamId, Option<String>>);

impl StreamNames {
    /// Collects the names on all these tapes. A number that means different streams has no name.
    pub(super) fn of<'a>(tapes: impl IntoIterator<Item = &'a Tape>) -> Self {
        let mut names: BTreeMap<StreamId, Option<String>> = BTreeMap::new();
        for stream in tapes.into_iter().flat_map(Tape::streams) {
            let name = &stream.spec().name;
            let known = names.entry(stream.id()).or_insert_with(|| Some(name.clone()));
            if known.as_ref() != Some(name) {
                *known = None;
            }
        }
        Self(names)
    }

    fn get(&self, id: StreamId) -> Option<String> {
        self.0.get(&id).cloned().unwrap_or_else(|| Some(format!("#{}", id.0)))
    }
}
