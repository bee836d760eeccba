//! A tape that was cut out of another one for one of its laps.
//!
//! The signs of a lap lie on both sides of its lines: a lap is known to begin only by the frames before it, and the game gives its time some seconds behind its
//! end. Such a tape has these frames, too, and its metadata says which part is the lap. The tracker looks at all frames, and the tape has this lap alone.

use std::ops::Range;

use gametape_format::TapeId;

use super::choices::LATE_TIME_NS;
use super::model::Lap;
use super::tracked::Tracked;
use crate::recording::Recording;

/// Frames before the line that are kept.
const BEFORE_NS: u64 = 2_000_000_000;
/// Frames behind the next line that are kept: until the game has given the time.
const BEHIND_NS: u64 = LATE_TIME_NS + 1_000_000_000;

/// The part of a tape that is kept for a lap.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CutLap {
    /// The frames that are kept.
    pub times: Range<u64>,
    /// The lap itself.
    lap: Range<u64>,
}

impl CutLap {
    /// The metadata key under which a tape says which part of it is the lap.
    pub const KEY: &'static str = "cut_lap";

    /// The part to keep for a lap of a tape: the lap, and the frames around it that show what it is.
    #[must_use]
    pub fn of(tape: &dyn Recording, lap: &Lap) -> Self {
        let end_of_tape_ns = tape.end_ns().saturating_add(1);
        let lap_end_ns = lap.end_ns.unwrap_or(end_of_tape_ns).max(lap.start_ns.saturating_add(1));
        let behind_ns = lap_end_ns.saturating_add(BEHIND_NS).min(end_of_tape_ns).max(lap_end_ns);
        Self { times: lap.start_ns.saturating_sub(BEFORE_NS)..behind_ns, lap: lap.start_ns..lap_end_ns }
    }

    /// What the metadata of the new tape says: its own id, so that what is made of it in turn does not inherit it, and the lap on it.
    #[must_use]
    pub fn value(&self, tape: TapeId) -> String {
        let [from_ns, to_ns] = [self.lap.start, self.lap.end].map(|at_ns| at_ns.saturating_sub(self.times.start));
        format!("{tape} {from_ns} {to_ns}")
    }
}

/// The lap that a tape was cut for, by its metadata.
fn lap_of(tape: &dyn Recording) -> Option<Range<u64>> {
    let metadata = tape.metadata();
    let mut words = metadata.get(CutLap::KEY)?.split(' ');
    let of_this = Some(words.next()?) == tape.id().map(|id| id.to_string()).as_deref();
    let (from_ns, to_ns) = (words.next()?.parse().ok()?, words.next()?.parse().ok()?);
    of_this.then_some(from_ns..to_ns)
}

/// Leaves the lap that a tape was cut for. All other tapes have all of their laps.
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
