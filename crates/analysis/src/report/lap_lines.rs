//! The laps of a tape by position on the track, with as many channels each as fit.

use gametape_format::read::Tape;

use super::ReportError;
use super::pack::Packed;
use super::time_lines::{Known, TimeLines};
use super::{LAP_VALUES, LapLines, Progress, Weight};
use crate::laps::compare::compare;
use crate::laps::{AlongLap, ColumnsError, Lap, RequestedChannel, TrackError, Tracked, along};

/// Distance between two positions, if it fits.
const STEP_M: f64 = 5.0;
/// Resolution of lap times.
const TIME_STEP_MS: f64 = 0.01;

pub(super) fn lap_lines(
    tape: &Tape,
    tracked: &Tracked,
    lines: &TimeLines,
    progress: Progress<'_>,
) -> Result<Vec<LapLines>, ReportError> {
    let laps: Vec<(&Lap, f64)> = tracked.laps().filter_map(|lap| Some((lap, length_of(tracked, lap)?))).collect();
    let (step_m, taps) = room(laps.iter().map(|(_, length_m)| length_m).sum(), laps.len(), &lines.known);
    let (from_ns, span_ns) = (lines.span.from_ns, lines.span.stretch_ns.saturating_mul(lines.span.stretches as u64));
    let mut found = Vec::new();
    for (lap, length_m) in laps {
        progress(span_ns.saturating_add(lap.start_ns.saturating_sub(from_ns)), span_ns.saturating_mul(2))?;
        match along(tape, lap, &taps, step_m, length_m) {
            Ok(along) => found.extend(packed(lap, &along, step_m, length_m)),
            Err(ColumnsError::Track(TrackError::Read(error))) => return Err(error.into()),
            // Skip laps that cannot be mapped to positions.
            Err(_) => {}
        }
    }
    Ok(found)
}

/// Returns the track length of a completed lap.
fn length_of(tracked: &Tracked, lap: &Lap) -> Option<f64> {
    lap.end_ns.filter(|end_ns| *end_ns > lap.start_ns)?;
    let session = &tracked.sessions.iter().find(|session| session.session.id == lap.session)?.session;
    let track = session.track.as_ref();
    let facts = tracked.tracks.iter().find(|facts| Some(&facts.track) == track && facts.layout == session.layout)?;
    facts.length_m.map(f64::from).filter(|length_m| length_m.is_finite() && *length_m > STEP_M)
}

/// Returns the resolution of laps and their channels: the core channels, then as many others as fit.
fn room(way_m: f64, laps: usize, known: &[Known]) -> (f64, Vec<RequestedChannel>) {
    let values = |step_m: f64| 2.0 * way_m / step_m + laps as f64;
    let cores = known.iter().filter(|known| known.channel.weight == Weight::Core).count();
    let mut step_m = STEP_M;
    // A time takes the room of two values, but there is one time for every two values.
    while values(step_m) * (cores + 1) as f64 > LAP_VALUES as f64 {
        step_m *= 2.0;
    }
    let most = (LAP_VALUES as f64 / values(step_m).max(1.0)) as usize;
    (step_m, known.iter().take(most.saturating_sub(1)).map(|known| known.tap.clone()).collect())
}

fn packed(lap: &Lap, along: &AlongLap, step_m: f64, length_m: f64) -> Option<LapLines> {
    along.at.time_ms.iter().flatten().nth(1)?;
    let corners = compare(std::slice::from_ref(&along.at), length_m, step_m).ok()?.corners;
    let channels = along.at.columns.iter().zip(&along.between).filter_map(|(column, between)| {
        let at = column.values.iter().map(|value| value.unwrap_or(f64::NAN));
        let between = between.iter().copied().chain([f64::NAN]);
        let mut both: Vec<f32> = at.zip(between).flat_map(|(at, between)| [at as f32, between as f32]).collect();
        // There is no interval after the last position.
        both.pop();
        both.iter().any(|value| value.is_finite()).then(|| (column.name.clone(), Packed::coarse(&both)))
    });
    Some(LapLines {
        tape_lap: lap.tape_lap,
        length_m,
        step_m,
        time_ms: Packed::fine(&along.at.time_ms, TIME_STEP_MS),
        channels: channels.collect(),
        corners: corners.iter().map(|corner| [corner.from_m, corner.apex_m, corner.to_m]).collect(),
    })
}
