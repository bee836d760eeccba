//! The game's records of completed laps: official times, sectors and validity, which may arrive before a lap is counted or after it was final.

use gametape_games::LapRecord;

use super::finished::plain;
use super::model::{Lap, Reason, Sector};
use super::open_session::OpenSession;
use super::thresholds::{OFFICIAL_NEAR_MS, RECORD_SUM_MS};
use super::words::{LapState, ReasonCode, ReasonSource, SectorSource, TimeSource};

impl OpenSession {
    /// Applies the game's record to a lap. Returns whether the lap has changed.
    pub(super) fn take_record(&mut self, place: usize, record: &LapRecord) -> bool {
        let Some(done) = self.laps.get_mut(place).filter(|done| done.record.as_ref() != Some(record)) else {
            return false;
        };
        done.record = Some(*record);
        let barred = record.counts_for_best == Some(false) && !done.barred;
        done.barred |= barred;
        let before = done.lap.clone();
        apply(record, &mut done.lap);
        barred || done.lap != before
    }
}

/// Applies a record to a lap. A provisional lap takes the time and the sectors when it becomes final.
pub(super) fn apply(record: &LapRecord, lap: &mut Lap) {
    match record.overrules {
        true => overrule_validity(record, lap),
        false => add_validity(record, lap),
    }
    if lap.state == LapState::Final {
        apply_time(record, lap);
    }
}

fn overrule_validity(record: &LapRecord, lap: &mut Lap) {
    let Some(invalid) = record.invalid else { return };
    lap.valid = Some(!invalid);
    let is_flag = |reason: &Reason| reason.code == ReasonCode::GameInvalid && reason.source == ReasonSource::Game;
    if !invalid {
        lap.reasons.retain(|reason| !is_flag(reason));
    } else if !lap.reasons.iter().any(is_flag) {
        lap.reasons.push(plain(ReasonCode::GameInvalid, ReasonSource::Game));
    }
}

/// Invalid wins, whichever source reports it. If the sources disagree, both statements are kept as reasons.
fn add_validity(record: &LapRecord, lap: &mut Lap) {
    let code = match (record.invalid, lap.valid) {
        (Some(true), _) => ReasonCode::GameInvalid,
        (Some(false), Some(false)) => ReasonCode::SaidValid,
        _ => return,
    };
    let is_said = |reason: &Reason| reason.source == ReasonSource::Broadcast && reason.code == code;
    if !lap.reasons.iter().any(is_said) {
        lap.reasons.push(plain(code, ReasonSource::Broadcast));
        heed_second_source(lap);
    }
}

/// Invalidates a lap that a second source calls invalid, and records it if the first source called it valid.
pub(super) fn heed_second_source(lap: &mut Lap) {
    let invalid = |reason: &Reason| reason.source == ReasonSource::Broadcast && reason.code == ReasonCode::GameInvalid;
    if lap.reasons.iter().any(invalid) {
        if lap.valid == Some(true) {
            lap.reasons.push(plain(ReasonCode::SaidValid, ReasonSource::Game));
        }
        lap.valid = Some(false);
    }
}

fn apply_time(record: &LapRecord, lap: &mut Lap) {
    let Some(time_ms) = record.time_ms.filter(|ms| *ms > 0) else { return };
    // Without authority, a time that is far from the known one may belong to another lap.
    let is_near = lap.time_ms.is_none_or(|known_ms| known_ms.abs_diff(time_ms) <= OFFICIAL_NEAR_MS);
    if !record.overrules && !is_near {
        return;
    }
    let is_other = lap.time_ms != Some(time_ms);
    (lap.time_ms, lap.time_source) = (Some(time_ms), Some(TimeSource::Official));
    lap.reasons.retain(|reason| reason.code != ReasonCode::NoOfficialTime);
    if let Some(sectors) = sectors_of(record, time_ms).filter(|sectors| sectors.len() == lap.sectors.len()) {
        lap.sectors = sectors.to_vec();
        let is_about_sectors = |code| matches!(code, ReasonCode::SectorMissing | ReasonCode::SectorSumMismatch);
        lap.reasons.retain(|reason| !is_about_sectors(reason.code));
    } else if is_other {
        fit_last_sector(lap, time_ms);
    }
}

/// Returns the sectors of a record; `None` if one is unknown or if they do not add up to the lap time.
fn sectors_of(record: &LapRecord, time_ms: u32) -> Option<[Sector; 3]> {
    let [first, second, third] = record.sectors_ms.map(|sector| sector.filter(|ms| *ms > 0));
    let (first, second, third) = (first?, second?, third?);
    // The remainder, so that the sectors add up to the lap time although each of them is rounded.
    let last = time_ms.checked_sub(first)?.checked_sub(second).filter(|ms| *ms > 0)?;
    let official = |ms| Sector { time_ms: Some(ms), source: SectorSource::Official };
    match last.abs_diff(third) {
        0 => Some([first, second, third].map(official)),
        1..=RECORD_SUM_MS => {
            let last = Sector { time_ms: Some(last), source: SectorSource::Differenced };
            Some([official(first), official(second), last])
        }
        _ => None,
    }
}

/// Makes the last sector the remainder of another lap time.
fn fit_last_sector(lap: &mut Lap, time_ms: u32) {
    let Some((last, others)) = lap.sectors.split_last_mut() else { return };
    let others_ms = others.iter().try_fold(0_u32, |sum, sector| sum.checked_add(sector.time_ms?));
    let left_ms = others_ms.and_then(|others_ms| time_ms.checked_sub(others_ms)).filter(|ms| *ms > 0);
    *last = match left_ms {
        Some(_) => Sector { time_ms: left_ms, source: SectorSource::Differenced },
        None => Sector { time_ms: None, source: SectorSource::None },
    };
    if left_ms.is_none() && !lap.has(ReasonCode::SectorMissing) {
        lap.reasons.push(plain(ReasonCode::SectorMissing, ReasonSource::Tool));
    }
}
