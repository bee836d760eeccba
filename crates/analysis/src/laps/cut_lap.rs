//! Tapes that were cut out of another tape for a single lap.
//!
//! Detecting a lap needs frames from outside of it: the frames before the line show that it begins, and the game publishes its time some
//! seconds after its end. Such a tape therefore includes these frames, and its metadata stores which part is the lap. The tracker reads
//! all frames; only this lap is kept.

use std::ops::Range;

use gametape_format::TapeId;

use super::model::Lap;
use super::thresholds::LATE_TIME_NS;
use super::tracked::Tracked;
use crate::recording::Recording;

/// How much is kept before the line.
const BEFORE_NS: u64 = 2_000_000_000;
/// How much is kept after the next line: until the game has published the lap time.
const BEHIND_NS: u64 = LATE_TIME_NS + 1_000_000_000;

/// The part of a tape to keep for a lap.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CutLap {
    /// Time range of the frames to keep.
    pub times: Range<u64>,
    /// Time range of the lap itself.
    lap: Range<u64>,
}

impl CutLap {
    /// Metadata key for the time range of the lap.
    pub const KEY: &'static str = "cut_lap";

    /// Returns the part to keep for a lap: the lap, and the frames around it that are needed to detect it.
    #[must_use]
    pub fn of(tape: &dyn Recording, lap: &Lap) -> Self {
        let end_of_tape_ns = tape.end_ns().saturating_add(1);
        let lap_end_ns = lap.end_ns.unwrap_or(end_of_tape_ns).max(lap.start_ns.saturating_add(1));
        let behind_ns = lap_end_ns.saturating_add(BEHIND_NS).min(end_of_tape_ns).max(lap_end_ns);
        Self { times: lap.start_ns.saturating_sub(BEFORE_NS)..behind_ns, lap: lap.start_ns..lap_end_ns }
    }

    /// Returns the metadata value for the new tape: the tape's id, so that tapes derived from it do not inherit the entry, and the time
    /// range of the lap in nanoseconds.
    #[must_use]
    pub fn value(&self, tape: TapeId) -> String {
        let [from_ns, to_ns] = [self.lap.start, self.lap.end].map(|at_ns| at_ns.saturating_sub(self.times.start));
        format!("{tape} {from_ns} {to_ns}")
    }
}

/// Returns the time range of the lap that a tape was cut for, from its metadata.
fn lap_of(tape: &dyn Recording) -> Option<Range<u64>> {
    let metadata = tape.metadata();
    let mut words = metadata.get(CutLap::KEY)?.split(' ');
    let of_this = Some(words.next()?) == tape.id().map(|id| id.to_string()).as_deref();
    let (from_ns, to_ns) = (words.next()?.parse().ok()?, words.next()?.parse().ok()?);
    of_this.then_some(from_ns..to_ns)
}

/// Removes all laps except the one that the tape was cut for. Other tapes are left unchanged.
pub(super) fn keep_cut_lap(tape: &dyn Recording, tracked: &mut Tracked) {
    let Some(part) = lap_of(tape) else { return };
    let common_ns = |lap: &Lap| {
        let end_ns = lap.end_ns.unwrap_or(u64::MAX).min(part.end);
        end_ns.saturating_sub(lap.start_ns.max(part.start))
    };
    let Some(kept) = tracked.laps().max_by_key(|lap| common_ns(lap)).filter(|lap| common_ns(lap) > 0) else { return };
    let (kept, stint) = (kept.id, kept.stint);
    for known in &mut tracked.sessions {
        known.laps.retain(|lap| lap.id == kept);
        known.laps.iter_mut().for_each(|lap| lap.tape_lap = 1);
        known.stints.retain(|known| Some(known.n) == stint);
        for stint in &mut known.stints {
            (stint.first_lap, stint.last_lap) = (Some(1), Some(1));
        }
        known.session.best_lap = known.session.best_lap.filter(|best| *best == kept);
    }
    tracked.sessions.retain(|known| !known.laps.is_empty());
}
