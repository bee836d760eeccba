//! Finds the part of a tape that is a lap, for commands that take `--lap N` or `TAPE#N`.

use std::ops::Range;
use std::path::Path;

use anyhow::Context as _;
use gametape::format::TapeId;
use gametape::format::read::Tape;
use gametape::identity::derived_id;
use gametape::laps::{CutLap, Lap, Tracked, track_tape};

use crate::cli::tell;
use crate::{exit, open};

/// Tracks the sessions and laps of a tape. Errors name the file.
pub(super) fn tracked(tape: &Tape, path: &Path) -> anyhow::Result<Tracked> {
    track_tape(tape).with_context(|| format!("cannot track the laps of {}", path.display()))
}

/// Returns the lap with this number on the tape.
pub(super) fn lap<'a>(tracked: &'a Tracked, number: u32, path: &Path) -> anyhow::Result<&'a Lap> {
    tracked.lap(number).ok_or_else(|| {
        let there = match tracked.laps().count() {
            0 => "it has no laps".to_owned(),
            1 => "it has only lap 1".to_owned(),
            count => format!("it has laps 1 to {count}"),
        };
        exit::nothing_found(format!("{} has no lap {number} ({there}); `gametape laps` lists them", path.display()))
    })
}

/// Returns the time range of a lap on its tape: from its start line up to, but not including, the next one.
pub(super) fn times(lap: &Lap) -> Range<u64> {
    lap.start_ns..lap.end_ns.unwrap_or(u64::MAX).max(lap.start_ns + 1)
}

/// Returns the time range of the lap with this number.
pub(super) fn times_of(tape: &Tape, number: u32, path: &Path) -> anyhow::Result<Range<u64>> {
    let tracked = tracked(tape, path)?;
    lap(&tracked, number, path).map(times)
}

/// Returns the part of a tape to keep for the lap with this number, and the lap.
pub(super) fn part_of(tape: &Tape, number: u32, path: &Path) -> anyhow::Result<(CutLap, Lap)> {
    let tracked = tracked(tape, path)?;
    let lap = lap(&tracked, number, path)?;
    Ok((CutLap::of(tape, lap), lap.clone()))
}

/// Warns if the lap on the cut tape differs from the original, so that the user does not find out later.
pub(super) fn warn_if_changed(out: &Path, lap: &Lap) -> anyhow::Result<()> {
    let tracked = tracked(&open::tape(out)?, out)?;
    let facts = |lap: &Lap| {
        let sectors: Vec<_> = lap.sectors.iter().map(|sector| sector.time_ms).collect();
        (lap.time_ms, lap.time_source, lap.state, sectors, lap.valid, lap.phase, lap.complete)
    };
    if tracked.lap(1).map(facts) != Some(facts(lap)) {
        let out = out.display();
        tell(&format!(
            "warning: the lap differs on {out}: its time, sectors or validity depend on frames outside the cut; `gametape laps {out}` shows it"
        ));
    }
    Ok(())
}

/// Returns the id and the metadata of a tape cut for a lap.
pub(super) fn id_and_metadata(sources: &[TapeId], part: &CutLap) -> (TapeId, Option<String>) {
    let lap = part.value(TapeId::default());
    let id = derived_id(sources, &format!("cut {} {} lap {lap}", part.times.start, part.times.end));
    (id, Some(part.value(id)))
}
