//! Extracts a part of a tape as a separate tape.

use std::collections::BTreeMap;
use std::ops::Range;
use std::path::Path;
use std::sync::Arc;

use super::builder::TapeBuilder;
use super::files::Files;
use super::outcome::WriteOptions;
use super::rewrite::{
    Carry, Copier, RewriteError, RewriteProgress, RewriteReport, add_problems, copy_all, refuse_newer,
};
use crate::TapeId;
use crate::read::Tape;
use crate::stream::{Role, StreamId, StreamSpec};
use crate::system::Status;

/// Creates a tape of the frames whose time lies in `times`. Its time 0 is `times.start`, so UTC times stay the same.
///
/// Frames that were still current at the start (descriptions, pages that do not change) and metadata are carried over, at time 0.
pub fn cut(
    files: Arc<dyn Files>,
    tape: &Tape,
    times: Range<u64>,
    out: &Path,
    tape_id: TapeId,
    progress: &mut dyn FnMut(RewriteProgress),
) -> Result<RewriteReport, RewriteError> {
    cut_with(files, tape, times, out, tape_id, &[], progress)
}

/// Like [`cut`], and also adds metadata at the end of the part.
///
/// # Errors
/// Those of [`cut`].
pub fn cut_with(
    files: Arc<dyn Files>,
    tape: &Tape,
    times: Range<u64>,
    out: &Path,
    tape_id: TapeId,
    metadata: &[(&str, &str)],
    progress: &mut dyn FnMut(RewriteProgress),
) -> Result<RewriteReport, RewriteError> {
    if times.is_empty() {
        let text = format!("the range from {} ns to {} ns is empty", times.start, times.end);
        return Err(RewriteError::Refused(text));
    }
    refuse_newer(tape)?;
    let start_utc_ns = tape.start_utc_ns().and_then(|utc| utc.checked_add_unsigned(times.start));
    let options = WriteOptions { start_utc_ns, ..WriteOptions::new(tape_id) };
    let mut builder = TapeBuilder::create(files, out, &options, false)?;
    let shift = -i128::from(times.start);
    let (before, after) = (tape.status_at(times.start)?, tape.status_at(times.end)?);
    let mut ids = BTreeMap::new();
    let mut copiers = Vec::new();
    // Described streams first, because a description refers to its stream by the new number.
    for stream in described_first(tape) {
        let spec = stream.spec();
        let status = status_within(stream.id(), &before, &after, &times);
        if matches!(spec.role, Role::Status | Role::Clock) {
            builder.count_system(spec.role, &status.counters)?;
            continue;
        }
        let id = builder.add_stream(mapped(spec, &ids), 0)?;
        ids.insert(stream.id(), id);
        builder.set_status(id, status);
        let carry = match spec.role {
            Role::Metadata => Carry::All,
            Role::Describe => Carry::Last,
            _ if spec.skip_unchanged => Carry::Last,
            _ => Carry::Nothing,
        };
        copiers.push(Copier::new(tape, stream, id, times.clone(), shift, carry)?);
    }
    let mut problems = copy_all(&mut copiers, &mut builder, progress)?;
    for (time_ns, utc_ns) in clock_within(&tape.clock_readings(), &times) {
        builder.clock(time_ns - times.start, utc_ns)?;
    }
    for (key, value) in metadata {
        // After the entries of the tape: the last value of a key wins.
        builder.metadata(times.end - times.start - 1, key, value)?;
    }
    add_problems(&mut problems, tape);
    let frames = builder.frames();
    Ok(RewriteReport { bytes: builder.finish()?, frames, problems })
}

/// Returns the counts within `times` and the time until which the last frame was observed. Status frames are a second
/// apart, so counts near a border may end up on the other side of it, but are never lost.
fn status_within(
    stream: StreamId,
    before: &BTreeMap<StreamId, Status>,
    after: &BTreeMap<StreamId, Status>,
    times: &Range<u64>,
) -> Status {
    let known = |state: &BTreeMap<StreamId, Status>| state.get(&stream).copied().unwrap_or_default();
    let counters = known(after).counters.since(&known(before).counters);
    let seen = known(after).seen_until_ns.map(|seen| seen.min(times.end).saturating_sub(times.start));
    Status { seen_until_ns: seen.filter(|seen| *seen > 0), counters }
}

/// Returns the streams in an order in which every description follows the stream it describes.
pub(crate) fn described_first(tape: &Tape) -> Vec<&crate::read::TapeStream> {
    let mut streams: Vec<_> = tape.streams().collect();
    streams.sort_by_key(|stream| (stream.spec().role == Role::Describe, stream.id()));
    streams
}

/// Returns a stream's specification with the new number of the stream that it describes.
pub(crate) fn mapped(spec: &StreamSpec, ids: &BTreeMap<StreamId, StreamId>) -> StreamSpec {
    StreamSpec { describes: spec.describes.and_then(|id| ids.get(&id).copied()), ..spec.clone() }
}

/// Returns the readings within `times`, and one at the start that is interpolated or extrapolated from an earlier reading.
fn clock_within(readings: &[(u64, i64)], times: &Range<u64>) -> Vec<(u64, i64)> {
    let mut inside: Vec<_> = readings.iter().copied().filter(|(time, _)| times.contains(time)).collect();
    let before = readings.iter().rev().find(|(time, _)| *time < times.start);
    let after = readings.iter().find(|(time, _)| *time >= times.start);
    let at_start = match (before, after) {
        (Some((t0, u0)), Some((t1, u1))) => {
            let (span, part) = (i128::from(t1 - t0), i128::from(times.start - t0));
            Some(i128::from(*u0) + (i128::from(*u1) - i128::from(*u0)) * part / span.max(1))
        }
        (Some((t0, u0)), None) => Some(i128::from(*u0) + i128::from(times.start - t0)),
        _ => None,
    };
    if let Some(utc) = at_start.and_then(|utc| i64::try_from(utc).ok())
        && inside.first().is_none_or(|(time, _)| *time > times.start)
    {
        inside.insert(0, (times.start, utc));
    }
    inside
}
