//! Which laps are eligible as best laps, and which one is the best. Bests are recomputed whenever a lap changes, so any of them can be
//! revoked.

use gametape_games::LapRecord;

use super::model::{Id, Lap, Reason};
use super::thresholds::{COVERAGE, USUAL_LAPS, USUAL_WAY};
use super::words::{LapState, Phase, ReasonCode, ReasonSource, TimeSource};

/// A finished lap, and what is needed to judge it again.
#[derive(Debug, Clone)]
pub(super) struct Done {
    pub(super) lap: Lap,
    pub(super) driven_m: Option<f32>,
    /// Too little of the track was driven, judged by track position.
    pub(super) little_driven: bool,
    /// A second source of the game excludes the lap from bests.
    pub(super) barred: bool,
    /// The game's record of the lap, as last received.
    pub(super) record: Option<LapRecord>,
}

/// The best lap and the theoretical best of one driver.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(super) struct Best {
    pub(super) lap: Option<Id>,
    pub(super) time_ms: Option<u32>,
    pub(super) theoretical_ms: Option<u32>,
}

/// Returns whether a lap may be a best lap.
pub(super) fn is_eligible(done: &Done) -> bool {
    let lap = &done.lap;
    lap.state == LapState::Final
        && lap.time_source == Some(TimeSource::Official)
        && lap.valid != Some(false)
        && lap.phase == Phase::Flying
        && !done.barred
        && !lap.reasons.iter().any(|reason| disqualifies(reason.code))
}

/// Returns whether a reason keeps a lap from being a best. Reasons that only mean that less is known about the lap do not.
fn disqualifies(code: ReasonCode) -> bool {
    !matches!(
        code,
        ReasonCode::SectorMissing | ReasonCode::SectorSumMismatch | ReasonCode::Caution | ReasonCode::StreamGap
    )
}

/// Returns the best lap of a driver.
pub(super) fn best_of(laps: &[Done], driver: Option<&str>) -> Best {
    let own = || laps.iter().map(|done| &done.lap).filter(|lap| lap.eligible && lap.driver.as_deref() == driver);
    let best = own().filter(|lap| lap.time_ms.is_some()).min_by_key(|lap| lap.time_ms);
    Best { lap: best.map(|lap| lap.id), time_ms: best.and_then(|lap| lap.time_ms), theoretical_ms: theoretical(own()) }
}

/// Returns the theoretical best, the sum of the best sectors. Laps with an unknown sector are skipped: the start of their other sectors
/// is uncertain.
fn theoretical<'a>(laps: impl Iterator<Item = &'a Lap>) -> Option<u32> {
    let mut best: Vec<u32> = Vec::new();
    for lap in laps {
        let Some(times) = lap.sectors.iter().map(|sector| sector.time_ms).collect::<Option<Vec<u32>>>() else {
            continue;
        };
        if best.is_empty() {
            best = times;
        } else if best.len() == times.len() {
            best.iter_mut().zip(times).for_each(|(best, time)| *best = time.min(*best));
        }
    }
    if best.is_empty() { None } else { best.into_iter().try_fold(0_u32, u32::checked_add) }
}

/// Compares the distance driven in each lap with the median, and sets or clears [`ReasonCode::CoverageLow`]. Returns the indices of the
/// laps that changed.
pub(super) fn judge_ways(laps: &mut [Done]) -> Vec<usize> {
    let whole = |done: &Done| {
        done.lap.state == LapState::Final && done.lap.phase == Phase::Flying && !done.lap.has(ReasonCode::PartialStart)
    };
    let mut ways: Vec<f32> = laps.iter().filter(|done| whole(done)).filter_map(|done| done.driven_m).collect();
    ways.sort_by(f32::total_cmp);
    let usual = ways.get(ways.len() / 2).copied().filter(|_| ways.len() >= USUAL_LAPS);
    let mut changed = Vec::new();
    for (place, done) in laps.iter_mut().enumerate() {
        let short =
            whole(done) && Option::zip(done.driven_m, usual).is_some_and(|(way, usual)| way < usual * USUAL_WAY);
        let low = short || done.little_driven;
        if low != done.lap.has(ReasonCode::CoverageLow) {
            set_low(&mut done.lap, low);
            changed.push(place);
        }
    }
    changed
}

/// Sets or clears [`ReasonCode::CoverageLow`].
pub(super) fn set_low(lap: &mut Lap, low: bool) {
    lap.reasons.retain(|reason| reason.code != ReasonCode::CoverageLow);
    if low {
        lap.reasons.push(Reason {
            code: ReasonCode::CoverageLow,
            source: ReasonSource::Tool,
            at_sector: None,
            at_fraction: None,
            at_ns: None,
        });
    }
    lap.complete = is_complete(lap);
}

/// Returns whether all of a lap was observed.
pub(super) fn is_complete(lap: &Lap) -> bool {
    let cut = [ReasonCode::PartialStart, ReasonCode::PartialEnd, ReasonCode::Teleport, ReasonCode::CoverageLow];
    let seen = lap.coverage.is_none_or(|seen| seen >= COVERAGE);
    lap.state == LapState::Final && seen && !cut.into_iter().any(|code| lap.has(code))
}
