//! When the line was crossed, from the laps of a tape. Gives the beacons of a log and the times of its laps.

use std::ops::Range;

use gametape_analysis::laps::{Lap, LapState, Tracked};

/// How far a crossing may be from the frame that shows it. Otherwise the time of the frame is taken.
const OFF_NS: u64 = 100_000_000;

/// A lap from line to line.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct TimedLap {
    end_ns: u64,
    time_ms: u32,
}

/// The crossings of a tape, in order.
#[derive(Debug, Default, PartialEq, Eq)]
pub(super) struct Lines {
    pub(super) at_ns: Vec<u64>,
    laps: Vec<TimedLap>,
}

impl Lines {
    /// Finds the crossings. Frames show them up to a period late, so a lap with a time ends that long after it began.
    pub(super) fn of(tracked: &Tracked) -> Self {
        let mut found = Self::default();
        for session in &tracked.sessions {
            // Where the lap before ended: by its frame, and by its time.
            let mut before: Option<(u64, u64)> = None;
            for lap in &session.laps {
                let follows = before.filter(|(frame_ns, _)| *frame_ns == lap.start_ns).map(|(_, line_ns)| line_ns);
                let start_ns = follows.or(lap.complete.then_some(lap.start_ns));
                before = end_of(lap, start_ns).inspect(|(_, line_ns)| {
                    found.at_ns.extend(start_ns.filter(|_| follows.is_none()));
                    found.at_ns.push(*line_ns);
                    if let (Some(_), Some(time_ms)) = (start_ns, lap.time_ms) {
                        found.laps.push(TimedLap { end_ns: *line_ns, time_ms });
                    }
                });
            }
        }
        found.at_ns.sort_unstable();
        found.at_ns.dedup();
        found
    }

    /// Returns those of a part of the tape, since its start.
    pub(super) fn within(&self, times: &Range<u64>) -> Self {
        let is_within = |at_ns: u64| (times.start..=times.end).contains(&at_ns);
        let at_ns = self.at_ns.iter().filter(|at_ns| is_within(**at_ns)).map(|at_ns| at_ns - times.start);
        let laps = self.laps.iter().filter(|lap| {
            // The line at its start has to be there too.
            let start_ns = lap.end_ns.saturating_sub(u64::from(lap.time_ms) * 1_000_000);
            is_within(lap.end_ns) && is_within(start_ns.saturating_add(OFF_NS))
        });
        let laps = laps.map(|lap| TimedLap { end_ns: lap.end_ns - times.start, ..*lap });
        Self { at_ns: at_ns.collect(), laps: laps.collect() }
    }

    /// Returns the fastest lap: its number, counted from the out lap, which is 0, and its time.
    pub(super) fn fastest(&self) -> Option<(usize, u32)> {
        let fastest = self.laps.iter().min_by_key(|lap| lap.time_ms)?;
        Some((self.at_ns.binary_search(&fastest.end_ns).ok()?, fastest.time_ms))
    }
}

/// Returns when a lap ended at the line: by its frame, and by its time.
fn end_of(lap: &Lap, start_ns: Option<u64>) -> Option<(u64, u64)> {
    let end_ns = lap.end_ns.filter(|_| matches!(lap.state, LapState::Final | LapState::Provisional))?;
    let by_time = Option::zip(start_ns, lap.time_ms)
        .map(|(start_ns, time_ms)| start_ns.saturating_add(u64::from(time_ms) * 1_000_000))
        .filter(|at_ns| at_ns.abs_diff(end_ns) <= OFF_NS);
    Some((end_ns, by_time.unwrap_or(end_ns)))
}
