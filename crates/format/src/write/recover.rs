//! Rebuilds a closed tape from one that was not closed or is damaged.

use std::collections::BTreeMap;
use std::io;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use super::builder::{BuildError, TapeBuilder};
use super::files::Files;
use super::outcome::WriteOptions;
use super::rewrite::{
    Carry, Copier, RewriteError, RewriteProgress, RewriteReport, add_problems, copy_all, refuse_newer,
};
use crate::TapeId;
use crate::read::{Problem, ProblemKind, Tape};
use crate::stream::Role;

/// The metadata key of tapes that were recovered with frames from a journal.
pub const RECOVERED: &str = "recovered_from_journal";

/// Writes everything that can be read from a tape and its journals into a closed tape: to `out`, or in place.
///
/// In place, the new tape takes the name once it is complete and durable; then the journals are removed. Being killed
/// at any point loses nothing. Missing frames are counted as dropped; if there are any, the old file is kept beside the
/// new one ([`damaged_path`]). A tape that is still being recorded, or was written by a newer version, is rejected.
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
    refuse_newer(&tape)?;
    if out.is_none() && tape.is_complete() && tape.verify(&mut |_| {})?.is_ok() {
        let frames = tape.streams().map(|stream| stream.totals().frames).sum();
        return Ok(RewriteReport { bytes: tape.bytes(), frames, problems: Vec::new() });
    }
    let options =
        WriteOptions { start_utc_ns: tape.start_utc_ns(), ..WriteOptions::new(tape.id().unwrap_or(TapeId::default())) };
    let to = out.unwrap_or(path);
    for part in files.unfinished(to).map_err(|source| BuildError::Io { path: to.into(), source })? {
        // A writer locks its file: one that can be locked is a leftover of a rewrite that was killed.
        if files.lock(&part).is_ok() {
            let _ = files.remove(&part);
        }
    }
    let mut builder = TapeBuilder::create(Arc::clone(&files), to, &options, out.is_none())?;
    let mut problems = copy(&tape, &mut builder, progress)?;
    add_problems(&mut problems, &tape);
    // Rebuilding an index loses nothing.
    problems.retain(|problem| !matches!(problem.kind, ProblemKind::Trailer | ProblemKind::Footer | ProblemKind::Index));
    if tape.uses_journal() {
        let end = tape.streams().filter_map(|stream| stream.totals().last_ns).max().unwrap_or_default();
        builder.metadata(end, RECOVERED, "true")?;
    }
    let io = |source| BuildError::Io { path: path.into(), source };
    let journals = files.journals(path).map_err(io)?;
    // The unreadable parts may still be of use.
    let kept = out.is_none() && !problems.is_empty() && files.keep(path, &damaged_path(path)).map_err(io)?;
    let frames = builder.frames();
    // On Windows an open file cannot always be replaced, and this is the one that has it open.
    drop(tape);
    let lock = (!cfg!(windows)).then_some(lock);
    let bytes = builder.finish().inspect_err(|_| {
        if kept {
            let _ = files.remove(&damaged_path(path));
        }
    })?;
    drop(lock);
    if out.is_none() {
        for journal in journals {
            files.remove(&journal).map_err(|source| BuildError::Io { path: journal.clone(), source })?;
        }
    }
    Ok(RewriteReport { bytes, frames, problems })
}

/// The name under which a damaged tape is kept when it is recovered in place.
pub fn damaged_path(path: &Path) -> PathBuf {
    let mut name = path.as_os_str().to_owned();
    name.push(".damaged");
    PathBuf::from(name)
}

fn copy(
    tape: &Tape,
    builder: &mut TapeBuilder,
    progress: &mut dyn FnMut(RewriteProgress),
) -> Result<Vec<Problem>, RewriteError> {
    let mut ids = BTreeMap::new();
    let mut copiers = Vec::new();
    for stream in super::cut::described_first(tape) {
        if stream.spec().role == Role::Status {
            builder.count_system(Role::Status, &stream.status().counters)?;
            continue;
        }
        let id = builder.add_stream(super::cut::mapped(stream.spec(), &ids), 0)?;
        ids.insert(stream.id(), id);
        builder.set_status(id, *stream.status());
        copiers.push(Copier::new(tape, stream, id, 0..u64::MAX, 0, Carry::Nothing)?);
    }
    copy_all(&mut copiers, builder, progress)
}
