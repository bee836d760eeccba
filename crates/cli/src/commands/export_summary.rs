//! A short summary of an exported tape for people.

use gametape::format::read::Tape;
use gametape::laps::{Tracked, TrackedSession};

use super::laps_table::lap_time;
use crate::cli::tell;
use crate::human;

/// Prints a line per session: what was driven, how long, and the best lap.
pub(super) fn tell_summary(tape: &Tape, tracked: Option<&Tracked>) {
    let streams = || tape.streams().filter(|stream| !stream.spec().role.is_system());
    let end_ns = streams().filter_map(|stream| stream.totals().last_ns.max(stream.status().seen_until_ns)).max();
    let game = streams().map(|stream| stream.spec().game.as_str()).find(|game| !game.is_empty());
    let parts = [game.map(human::safe), end_ns.map(human::duration)];
    tell(&format!("  {}", parts.into_iter().flatten().collect::<Vec<_>>().join(", ")));
    for session in tracked.map(|tracked| tracked.sessions.as_slice()).unwrap_or_default() {
        tell(&format!("  {}", line(session)));
    }
}

fn line(TrackedSession { session, laps, .. }: &TrackedSession) -> String {
    let said = |text: &Option<String>| text.as_deref().map(human::safe);
    let counting = laps.iter().filter(|lap| lap.eligible).count();
    let best = session.best_lap.and_then(|best| laps.iter().find(|lap| lap.id == best));
    let parts = [
        Some(session.kind.as_str().replace('_', " ")),
        said(&session.track),
        said(&session.layout),
        said(&session.car),
        said(&session.driver),
        Some(format!("{} ({counting} count)", human::counted(laps.len() as u64, "lap"))),
        best.map(|best| format!("best {} in lap #{}", lap_time(best.time_ms), best.tape_lap)),
    ];
    parts.into_iter().flatten().collect::<Vec<_>>().join(", ")
}
