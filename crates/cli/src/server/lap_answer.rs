//! A lap in responses and messages.

use gametape::laps::{Conditions, sector_source};
use gametape::store::StoredLap;
use serde::Serialize;
use utoipa::ToSchema;

use super::times;

/// A lap.
#[derive(Debug, Serialize, ToSchema)]
pub(super) struct LapAnswer {
    pub(super) id: String,
    pub(super) session: String,
    pub(super) tape_id: String,
    pub(super) game: String,
    pub(super) track: Option<String>,
    pub(super) layout: Option<String>,
    pub(super) car: Option<String>,
    pub(super) driver: Option<String>,
    pub(super) number: Option<u32>,
    pub(super) tape_lap: u32,
    pub(super) started_utc: Option<String>,
    pub(super) time_ms: Option<u32>,
    /// official or measured
    pub(super) time_source: Option<&'static str>,
    /// final, provisional, aborted or running
    pub(super) state: &'static str,
    pub(super) phase: &'static str,
    pub(super) complete: bool,
    /// `null` if the game does not report it.
    pub(super) valid: Option<bool>,
    pub(super) reasons: Vec<&'static str>,
    pub(super) reason_details: Vec<ReasonAnswer>,
    pub(super) eligible: bool,
    pub(super) excluded: bool,
    /// It was driven by someone else: it is in a lap file, and counts for no personal best.
    pub(super) foreign: bool,
    pub(super) sectors_ms: Vec<Option<u32>>,
    /// official, differenced, interpolated or none; the least certain of them
    pub(super) sector_source: &'static str,
    /// Difference to the best lap of its session; only in responses about that session.
    pub(super) delta_to_best_ms: Option<i64>,
    pub(super) stint: Option<u32>,
    pub(super) start_ns: u64,
    pub(super) end_ns: Option<u64>,
    pub(super) fuel_used_l: Option<f32>,
    pub(super) top_speed_kmh: Option<f32>,
    pub(super) conditions: ConditionsAnswer,
    pub(super) name: Option<String>,
    pub(super) note: Option<String>,
    pub(super) tags: Vec<String>,
    pub(super) deleted_utc: Option<String>,
}

impl From<StoredLap> for LapAnswer {
    fn from(found: StoredLap) -> Self {
        Self::of(found, None)
    }
}

impl LapAnswer {
    /// Creates the answer with the difference to the best lap of the session, if that is known.
    pub(super) fn of(found: StoredLap, best_ms: Option<u32>) -> Self {
        let StoredLap { lap, remarks, tape, combination, foreign, .. } = found;
        let delta = lap.time_ms.zip(best_ms).map(|(time, best)| i64::from(time) - i64::from(best));
        let reason_details = lap.reasons.iter().map(|reason| ReasonAnswer {
            code: reason.code.as_str(),
            source: reason.source.as_str(),
            at_sector: reason.at_sector,
            at_fraction: reason.at_fraction,
            at_ns: reason.at_ns,
        });
        Self {
            id: lap.id.to_string(),
            session: lap.session.to_string(),
            tape_id: tape.to_string(),
            game: combination.game,
            track: combination.track,
            layout: combination.layout,
            car: combination.car,
            driver: combination.driver,
            number: lap.number,
            tape_lap: lap.tape_lap,
            started_utc: times::text(lap.started_utc_us),
            time_ms: lap.time_ms,
            time_source: lap.time_source.map(|source| source.as_str()),
            state: lap.state.as_str(),
            phase: lap.phase.as_str(),
            complete: lap.complete,
            valid: lap.valid,
            reasons: lap.reasons.iter().map(|reason| reason.code.as_str()).collect(),
            reason_details: reason_details.collect(),
            eligible: lap.eligible,
            excluded: lap.excluded,
            foreign,
            sectors_ms: lap.sectors.iter().map(|sector| sector.time_ms).collect(),
            sector_source: sector_source(&lap.sectors).as_str(),
            delta_to_best_ms: delta,
            stint: lap.stint,
            start_ns: lap.start_ns,
            end_ns: lap.end_ns,
            fuel_used_l: lap.fuel_used_l,
            top_speed_kmh: lap.top_speed_kmh,
            conditions: ConditionsAnswer::from(lap.conditions),
            name: remarks.name,
            note: remarks.note,
            tags: remarks.tags,
            deleted_utc: times::text(remarks.deleted_us),
        }
    }
}

/// A reason why a lap is invalid or does not count.
#[derive(Debug, Serialize, ToSchema)]
pub(super) struct ReasonAnswer {
    code: &'static str,
    source: &'static str,
    at_sector: Option<u8>,
    at_fraction: Option<f32>,
    at_ns: Option<u64>,
}

/// The conditions of a lap.
#[derive(Debug, Serialize, ToSchema)]
pub(super) struct ConditionsAnswer {
    air_celsius: Option<f32>,
    track_celsius: Option<f32>,
    grip: Option<String>,
    rain: Option<String>,
    caution: Option<bool>,
    time_of_day_s: Option<f32>,
    tyre: Option<String>,
}

impl From<Conditions> for ConditionsAnswer {
    fn from(conditions: Conditions) -> Self {
        let Conditions { air_celsius, track_celsius, grip, rain, caution, time_of_day_s, tyre } = conditions;
        Self { air_celsius, track_celsius, grip, rain, caution, time_of_day_s, tyre }
    }
}
