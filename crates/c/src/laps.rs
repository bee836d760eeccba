//! Sessions and laps of a tape as JSON: the document of `gametape laps TAPE --json`.

use std::sync::Arc;

use gametape_analysis::documents::SessionDocument;
use gametape_analysis::laps::{Tracked, track_tape};
use gametape_format::read::{Problem, ProblemKind, Tape};
use serde::Serialize;

use crate::border::Reporter;
use crate::handles::{OpenTape, locked};
use crate::progress::Watched;
use crate::status::{Failure, Status, damaged_if};

#[derive(Serialize)]
struct Document {
    sessions: Vec<SessionDocument>,
}

/// Returns the document, and whether all of the tape could be read.
pub(crate) fn document(open: &OpenTape, reporter: &Reporter) -> Result<(String, Status), Failure> {
    let tracked = tracked(open, reporter, 1.0)?;
    let document = Document { sessions: tracked.sessions.iter().map(SessionDocument::of).collect() };
    Ok((serde_json::to_string(&document)?, damaged_if(damage(&open.tape, tracked.damaged))))
}

/// Returns the laps of a tape; reads it if that was not done before. `share` is the part of all work that this is.
pub(crate) fn tracked(open: &OpenTape, reporter: &Reporter, share: f64) -> Result<Arc<Tracked>, Failure> {
    if let Some(known) = &*locked(&open.tracked) {
        return Ok(Arc::clone(known));
    }
    // Not locked: the caller's function for the progress may ask for something of this tape.
    let found = Arc::new(track_tape(&Watched { tape: &open.tape, reporter, share })?);
    *locked(&open.tracked) = Some(Arc::clone(&found));
    Ok(found)
}

/// Says what of a tape could not be read: `parts` of the frames, or what was found when it was opened.
pub(crate) fn damage(tape: &Tape, parts: u64) -> Option<String> {
    // A tape whose recorder was killed is whole up to its end.
    let is_damage = |problem: &&Problem| !matches!(problem.kind, ProblemKind::NotClosed | ProblemKind::JournalTail);
    let first = tape.problems().iter().find(is_damage).map(ToString::to_string);
    first.or_else(|| (parts > 0).then(|| format!("{parts} parts of the tape could not be read")))
}
