//! Makes a whole tape of one that was not closed or is damaged.

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

/// Metadata key of tapes that were put together with frames from a journal.
pub const RECOVERED: &str = "recovered_from_journal";

/// Writes everything that can be read of a tape and its journals into a closed tape: to `out`, or in its own place.
///
/// In place, the new tape takes the name when it is whole and durable, then the journals go: being killed at any point loses
/// nothing. Frames that are missing are counted as dropped; if anything is, the old file is kept beside it ([`damaged_path`]). A tape
/// whose recorder still runs, and one that a newer version wrote, are refused.
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
    // Nobody else recovers this tape while we hold it: these are of a rewrite that was killed.
    for part in files.unfinished(to).map_err(|source| BuildError::Io { path: to.into(), source })? {
        let _ = files.remove(&part);
    }
    let mut builder = TapeBuilder::create(Arc::clone(&files), to, &options, out.is_none())?;
    let mut problems = copy(&tape, &mut builder, progress)?;
    add_problems(&mut problems, &tape);
    // An index that had to be made anew costs nothing.
    problems.retain(|problem| !matches!(problem.kind, ProblemKind::Trailer | ProblemKind::Footer | ProblemKind::Index));
    if tape.uses_journal() {
        let end = tape.streams().filter_map(|stream| stream.totals().last_ns).max().unwrap_or_default();
        builder.metadata(end, RECOVERED, "true")?;
    }
    let io = |source| BuildError::Io { path: path.into(), source };
    let journals = files.journals(path).map_err(io)?;
    // What could not be read may still be of use to somebody.
    let kept = out.is_none() && !problems.is_empty() && files.keep(path, &damaged_path(path)).map_err(io)?;
    let frames = builder.frames();
    // A file that somebody has open cannot always be replaced on Windows, and that somebody is us.
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
