//! Which part of a tape a lap is, for commands that take `--lap N` or `TAPE#N`.

use std::ops::Range;
use std::path::Path;

use anyhow::Context as _;
use gametape::format::read::Tape;
use gametape::laps::{Lap, Tracked, track_tape};

use crate::exit;

/// Sessions and laps of a tape; errors name the file.
pub(super) fn tracked(tape: &Tape, path: &Path) -> anyhow::Result<Tracked> {
    track_tape(tape).with_context(|| format!("cannot find laps on {}", path.display()))
}

/// The lap with this number on the tape.
pub(super) fn lap<'a>(tracked: &'a Tracked, number: u32, path: &Path) -> anyhow::Result<&'a Lap> {
    tracked.lap(number).ok_or_else(|| {
        let there = match tracked.laps().count() {
            0 => "it has none".to_owned(),
            1 => "it has one, number 1".to_owned(),
            count => format!("it has laps 1 to {count}"),
        };
        exit::nothing_found(format!("{} has no lap {number}, {there}; `gametape laps` lists them", path.display()))
    })
}

/// The times of a lap on its tape: from its line on and before the next one.
pub(super) fn times(lap: &Lap) -> Range<u64> {
    lap.start_ns..lap.end_ns.unwrap_or(u64::MAX).max(lap.start_ns + 1)
}

/// The part of a tape that is the lap with this number.
pub(super) fn times_of(tape: &Tape, number: u32, path: &Path) -> anyhow::Result<Range<u64>> {
    let tracked = tracked(tape, path)?;
    lap(&tracked, number, path).map(times)
}
