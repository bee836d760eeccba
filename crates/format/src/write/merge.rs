//! Merges several tapes into one, aligned by UTC.

use std::collections::BTreeMap;
use std::path::Path;
use std::sync::Arc;

use super::builder::TapeBuilder;
use super::cut::{described_first, mapped};
use super::files::Files;
use super::outcome::WriteOptions;
use super::rewrite::{
    Carry, Copier, RewriteError, RewriteProgress, RewriteReport, add_problems, copy_all, refuse_newer,
};
use crate::TapeId;
use crate::read::{Tape, TapeStream};
use crate::stream::{StreamId, StreamSpec};
use crate::system::Status;

/// A stream of the new tape and its contents so far.
struct Target {
    id: StreamId,
    spec: StreamSpec,
    /// The time after which another part may follow.
    last_ns: Option<u64>,
    status: Status,
}

/// Merges tapes. Time 0 of the result is that of the earliest tape.
///
/// Streams with the same name and descriptor that do not overlap in time become one; others are kept separate under
/// numbered names (`physics@2`). The same applies to metadata entries that differ.
pub fn merge(
    files: Arc<dyn Files>,
    tapes: &[Tape],
    out: &Path,
    tape_id: TapeId,
    progress: &mut dyn FnMut(RewriteProgress),
) -> Result<RewriteReport, RewriteError> {
    tapes.iter().try_for_each(refuse_newer)?;
    let mut starts = Vec::with_capacity(tapes.len());
    for (number, tape) in tapes.iter().enumerate() {
        let unknown = || RewriteError::Refused(format!("tape {} has no recording time (UTC)", number + 1));
        starts.push(tape.start_utc_ns().ok_or_else(unknown)?);
    }
    let Some(base) = starts.iter().min().copied() else {
        return Err(RewriteError::Refused("there are no tapes to merge".into()));
    };
    let options = WriteOptions { start_utc_ns: Some(base), ..WriteOptions::new(tape_id) };
    let mut builder = TapeBuilder::create(files, out, &options, false)?;
    let mut by_start: Vec<(&Tape, i128)> =
        tapes.iter().zip(&starts).map(|(tape, start)| (tape, i128::from(*start) - i128::from(base))).collect();
    by_start.sort_by_key(|(_, shift)| *shift);
    let mut targets: Vec<Target> = Vec::new();
    let mut copiers = Vec::new();
    for (tape, shift) in &by_start {
        let mut ids = BTreeMap::new();
        for stream in described_first(tape).into_iter().filter(|stream| !stream.spec().role.is_system()) {
            let target = target_of(&mut targets, &mut builder, stream, mapped(stream.spec(), &ids), *shift)?;
            ids.insert(stream.id(), target);
            copiers.push(Copier::new(tape, stream, target, 0..u64::MAX, *shift, Carry::Nothing)?);
        }
    }
    for target in &targets {
        builder.set_status(target.id, target.status);
    }
    let mut problems = copy_all(&mut copiers, &mut builder, progress)?;
    copy_system_streams(&by_start, &mut builder)?;
    tapes.iter().for_each(|tape| add_problems(&mut problems, tape));
    let frames = builder.frames();
    Ok(RewriteReport { bytes: builder.finish()?, frames, problems })
}

fn moved(time_ns: u64, shift: i128) -> u64 {
    (i128::from(time_ns) + shift).clamp(0, i128::from(u64::MAX)) as u64
}

/// Returns the stream to which a part can be appended, or a new one.
fn target_of(
    targets: &mut Vec<Target>,
    builder: &mut TapeBuilder,
    stream: &TapeStream,
    spec: StreamSpec,
    shift: i128,
) -> Result<StreamId, RewriteError> {
    let first = stream.totals().first_ns.map(|time| moved(time, shift));
    let last = stream.totals().last_ns.map(|time| moved(time, shift));
    let mut status = *stream.status();
    status.seen_until_ns = status.seen_until_ns.map(|time| moved(time, shift));
    let name = spec.name.clone();
    let fits = |target: &&mut Target| {
        let same =
            StreamSpec { name: name.clone(), ..target.spec.clone() } == spec && base_name(&target.spec.name) == name;
        same && (first.is_none() || target.last_ns.is_none() || target.last_ns < first)
    };
    if let Some(target) = targets.iter_mut().find(fits) {
        target.last_ns = last.or(target.last_ns);
        target.status.counters.add(&status.counters);
        target.status.seen_until_ns = status.seen_until_ns;
        return Ok(target.id);
    }
    let taken = |name: &str| targets.iter().any(|target| target.spec.name == name);
    let free = (2..).map(|n| format!("{name}@{n}")).find(|name| !taken(name)).filter(|_| taken(&name));
    let spec = StreamSpec { name: free.unwrap_or(name), ..spec };
    let id = builder.add_stream(spec.clone(), 0)?;
    targets.push(Target { id, spec, last_ns: last, status });
    Ok(id)
}

/// Returns a name without the number added by `merge`.
fn base_name(name: &str) -> &str {
    match name.rsplit_once('@') {
        Some((base, number)) if !number.is_empty() && number.bytes().all(|byte| byte.is_ascii_digit()) => base,
        _ => name,
    }
}

fn copy_system_streams(tapes: &[(&Tape, i128)], builder: &mut TapeBuilder) -> Result<(), RewriteError> {
    let mut events = Vec::new();
    let mut clock = Vec::new();
    let mut metadata: BTreeMap<String, String> = BTreeMap::new();
    for (tape, shift) in tapes {
        events.extend(tape.events().into_iter().map(|event| (moved(event.at_ns, *shift), event)));
        clock.extend(tape.clock_readings().into_iter().map(|(time, utc)| (moved(time, *shift), utc)));
        for (key, value) in tape.metadata() {
            let free = |name: &String| metadata.get(name).is_none_or(|known| *known == value);
            let names = std::iter::once(key.clone()).chain((2..).map(|n| format!("{key}@{n}")));
            if let Some(name) = names.into_iter().find(free) {
                metadata.insert(name, value);
            }
        }
    }
    for stream in tapes.iter().flat_map(|(tape, _)| tape.streams()).filter(|stream| stream.spec().role.is_system()) {
        builder.count_system(stream.spec().role, &stream.status().counters)?;
    }
    for (key, value) in metadata {
        builder.metadata(0, &key, &value)?;
    }
    events.sort_by_key(|(time, _)| *time);
    for (time, event) in events {
        builder.copy_event(time, &event)?;
    }
    clock.sort_by_key(|(time, _)| *time);
    clock.dedup_by_key(|(time, _)| *time);
    for (time, utc) in clock {
        builder.clock(time, utc)?;
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::base_name;

    #[test]
    fn only_a_number_after_the_last_at_sign_is_removed() {
        assert_eq!(base_name("physics@2"), "physics");
        assert_eq!(base_name("a@b"), "a@b");
        assert_eq!(base_name("@"), "@");
    }
}
