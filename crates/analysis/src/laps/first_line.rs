//! The run from the pits to the first line crossing, and teleports back to the pits.
//!
//! Some games count the first lap from the line, not from the pits. The part before the line is a separate lap if it leads round the
//! track, and not a lap if the pits lie just before the line.

use gametape_games::{LapFrame, Pit};

use super::closing::line_share;
use super::coverage::forward;
use super::event::Event;
use super::open_session::{FirstLine, OpenSession, Shared};
use super::running::Moment;
use super::thresholds::{LEAP_WAIT_MS, REFUELLED_L, TELEPORT_SHARE, TELEPORT_SHARE_PER_S};
use super::words::ReasonCode;

impl OpenSession {
    /// Handles the line crossing at which the first lap begins.
    pub(super) fn cross_first_line(
        &mut self,
        shared: &mut Shared,
        before: &Moment,
        now: &Moment,
        whole: bool,
        out: &mut Vec<Event>,
    ) {
        let Some(lap) = self.running.take() else { return };
        let step_ms = (now.clock_ms - before.clock_ms).max(0.0);
        let since_ms = step_ms * (1.0 - line_share(&before.frame, &now.frame));
        let ns = now.time_ns.saturating_sub((since_ms * 1e6) as u64).max(before.time_ns).max(lap.start_ns);
        let is_lap = lap.told.is_some();
        let from_pits = lap.began_in_pits && !is_lap;
        self.first_line = Some(FirstLine { ns, ms: now.clock_ms - since_ms, seen: whole, from_pits });
        if is_lap {
            // The game reports no time for it.
            self.abort(shared, lap, ReasonCode::NoOfficialTime, ns, now, out);
        }
    }

    /// Returns whether the car was teleported to the pits, for games that do not distinguish the pit box from the pit lane: its position
    /// jumps, and it has more fuel.
    pub(super) fn is_put_into_pits(&mut self, before: &Moment, now: &Moment, whole: bool) -> bool {
        if is_leap(before, now, whole) {
            self.leap.get_or_insert((now.clock_ms, before.frame.fuel_l));
        }
        let Some((since_ms, fuel_l)) = self.leap else { return false };
        if now.clock_ms - since_ms > LEAP_WAIT_MS {
            self.leap = None;
            return false;
        }
        let refuelled = Option::zip(fuel_l, now.frame.fuel_l).is_some_and(|(before, now)| now > before + REFUELLED_L);
        let put = refuelled && may_be_in_pits(&now.frame);
        if put {
            self.leap = None;
        }
        put
    }
}

fn may_be_in_pits(frame: &LapFrame) -> bool {
    matches!(frame.pit, None | Some(Pit::Lane))
}

/// Returns whether the car moved further than it can have driven.
fn is_leap(before: &Moment, now: &Moment, whole: bool) -> bool {
    let Some((from, to)) = Option::zip(before.frame.position, now.frame.position) else { return false };
    let seconds = ((now.clock_ms - before.clock_ms) / 1000.0).clamp(0.0, 1.0) as f32;
    let far = if whole { TELEPORT_SHARE + TELEPORT_SHARE_PER_S * seconds } else { TELEPORT_SHARE };
    forward(from, to).abs() > far
}
