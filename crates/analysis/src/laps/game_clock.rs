//! The time that passes in the game, as opposed to the time that passes on the tape: pauses, with frames or in silence, and gaps.

use gametape_games::LapFrame;

use super::debounce::went_back;
use super::open_session::OpenSession;
use super::running::Moment;
use super::thresholds::{GAP_NS, STOOD_MS};

/// Returns a clock that stops during pauses: the game's own, or that of the frames.
pub(super) fn clock_ms(open: &OpenSession, time_ns: u64, stood_ns: u64, frame: &LapFrame) -> f64 {
    let by_frames = time_ns.saturating_sub(stood_ns) as f64 / 1e6;
    match (&open.before, frame.game_ms) {
        (None, Some(ms)) => ms,
        (Some(before), Some(ms)) if before.frame.game_ms.is_some() => ms.max(before.clock_ms),
        (Some(before), _) if before.frame.game_ms.is_some() => before.clock_ms,
        _ => by_frames,
    }
}

/// Returns for how long the game stood still before a frame, if it sent nothing meanwhile: its lap timer has advanced by less than the time
/// that has passed. Games that are paused often send nothing.
pub(super) fn silent_pause_ns(open: &OpenSession, time_ns: u64, frame: &LapFrame) -> u64 {
    let Some(before) = &open.before else { return 0 };
    let passed_ns = time_ns.saturating_sub(before.time_ns);
    let is_same_lap = before.frame.laps_completed == frame.laps_completed && went_back(&before.frame, frame).is_none();
    let timers = Option::zip(before.frame.running_ms, frame.running_ms).filter(|(from, to)| *to > 0 && to >= from);
    match timers.filter(|_| is_same_lap && passed_ns >= GAP_NS) {
        Some((from_ms, to_ms)) => {
            let stood_ns = passed_ns.saturating_sub(u64::from(to_ms - from_ms).saturating_mul(1_000_000));
            if stood_ns > u64::from(STOOD_MS) * 1_000_000 { stood_ns } else { 0 }
        }
        None => 0,
    }
}

/// Returns whether no frames are missing between two: they are close, or the game stood still.
pub(super) fn is_whole(before: &Moment, now: &Moment) -> bool {
    let step_ms = now.clock_ms - before.clock_ms;
    if step_ms * 1e6 <= GAP_NS as f64 {
        return true;
    }
    let (from, to) = (&before.frame, &now.frame);
    let timer = Option::zip(from.running_ms, to.running_ms).map(|(from, to)| to.abs_diff(from) > STOOD_MS);
    let moved = from.position != to.position || from.laps_completed != to.laps_completed;
    !timer.unwrap_or(moved)
}
