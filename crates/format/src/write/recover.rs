//! Makes a whole tape of one that was not closed or is damaged.

use std::collections::BTreeMap;
use std::io;
use std::path::Path;
use std::sync::Arc;

use super::builder::{BuildError, TapeBuilder};
use super::files::Files;
use super::rewrite::{Carry, Copier, RewriteError, RewriteProgress, RewriteReport, copy_all};
use super::writer::WriteOptions;
use crate::TapeId;
use crate::read::{ProblemKind, Tape};
use crate::stream::Role;
use crate::system::Counters;

/// Metadata key of tapes that were put together with frames from a journal.
pub const RECOVERED: &str = "recovered_from_journal";

/// Writes everything that can be read of a tape and its journals into a closed tape: to `out`, or in its own place.
///
/// In place, the new tape takes the name when it is whole and durable, then the journals go: being killed at any point loses
/// nothing. Frames that are missing are counted as dropped. A tape whose recorder still runs is refused.
pub fn recover(
    files: Arc<dyn Files>,
    path: &Path,
    out: Option<&Path>,
    progress: &mut dyn FnMut(RewriteProgress),
) -> Result<RewriteReport, RewriteError> {
    let lock = files.lock(path).map_err(|error| match error.kind() {
        io::ErrorKind::WouldBlock => {
            RewriteError::Refused(format!("{} is still being recorded: stop the recorder first", path.display()))
        }
        _ => BuildError::Io { path: path.into(), source: error }.into(),
    })?;
    let tape = Tape::open(path)?;
    let options =
        WriteOptions { start_utc_ns: tape.start_utc_ns(), ..WriteOptions::new(tape.id().unwrap_or(TapeId::default())) };
    let mut builder = TapeBuilder::create(Arc::clone(&files), out.unwrap_or(path), &options, out.is_none())?;
    let mut problems = copy(&tape, &mut builder, progress)?;
    if tape.uses_journal() {
        let end = tape.streams().filter_map(|stream| stream.totals().last_ns).max().unwrap_or_default();
        builder.metadata(end, RECOVERED, "true")?;
    }
    let frames = builder.frames();
    let journals = files.journals(path).map_err(|source| BuildError::Io { path: path.into(), source })?;
    let bytes = builder.finish()?;
    drop(lock);
    if out.is_none() {
        for journal in journals {
            files.remove(&journal).map_err(|source| BuildError::Io { path: journal.clone(), source })?;
        }
    }
    // That it was not closed is why we are here, not something that was lost.
    let expected = [ProblemKind::NotClosed, ProblemKind::CutRecord, ProblemKind::JournalTail];
    let damage = tape.problems().into_iter().filter(|problem| !expected.contains(&problem.kind));
    for problem in damage {
        if !problems.contains(&problem) {
            problems.push(problem);
        }
    }
    Ok(RewriteReport { bytes, frames, problems })
}

fn copy(
    tape: &Tape,
    builder: &mut TapeBuilder,
    progress: &mut dyn FnMut(RewriteProgress),
) -> Result<Vec<crate::read::Problem>, RewriteError> {
    let mut ids = BTreeMap::new();
    let mut copiers = Vec::new();
    for stream in super::cut::described_first(tape) {
        if stream.spec().role == Role::Status {
            continue;
        }
        let id = builder.add_stream(super::cut::mapped(stream.spec(), &ids), 0)?;
        ids.insert(stream.id(), id);
        builder.set_status(id, *stream.status());
        builder.count(id, &Counters { dropped: tape.missing_frames(stream)?, ..Counters::default() });
        copiers.push(Copier::new(tape, stream, id, 0..u64::MAX, 0, Carry::Nothing)?);
    }
    let problems = copy_all(&mut copiers, builder, progress)?;
    for problem in &problems {
        if let (Some(stream), Some(lost)) = (problem.stream.and_then(|id| ids.get(&id)), problem.frames_lost) {
            builder.count(*stream, &Counters { dropped: lost, ..Counters::default() });
        }
    }
    Ok(problems)
}
