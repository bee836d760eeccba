//! What `gametape laps --json` prints. The names of the fields are a promise to other programs.

use gametape::laps::{Conditions, Lap, Reason, Stint, TrackedSession, sector_source};
use gametape::names::utc_text;
use serde::Serialize;

/// The document.
#[derive(Debug, Serialize)]
pub(super) struct Report {
    pub(super) sessions: Vec<ReportSession>,
}

/// A session.
#[derive(Debug, Serialize)]
pub(super) struct ReportSession {
    pub(super) id: String,
    pub(super) game: String,
    pub(super) game_version: Option<String>,
    #[serde(rename = "type")]
    pub(super) kind: &'static str,
    pub(super) track: Option<String>,
    pub(super) layout: Option<String>,
    pub(super) car: Option<String>,
    pub(super) driver: Option<String>,
    pub(super) online: Option<bool>,
    pub(super) started_utc: Option<String>,
    pub(super) ended_utc: Option<String>,
    pub(super) end_reason: Option<&'static str>,
    pub(super) sector_count: Option<u8>,
    pub(super) best_lap: Option<String>,
    pub(super) theoretical_best_ms: Option<u32>,
    pub(super) stints: Vec<ReportStint>,
    pub(super) laps: Vec<ReportLap>,
    /// For people; what the game does not give.
    #[serde(skip)]
    pub(super) remark: Option<String>,
}

/// A stint.
#[derive(Debug, Serialize)]
pub(super) struct ReportStint {
    pub(super) n: u32,
    pub(super) start_reason: &'static str,
    pub(super) end_reason: Option<&'static str>,
    pub(super) first_lap: Option<u32>,
    pub(super) last_lap: Option<u32>,
    pub(super) fuel_start_l: Option<f32>,
    pub(super) fuel_end_l: Option<f32>,
}

/// A lap.
#[derive(Debug, Serialize)]
pub(super) struct ReportLap {
    pub(super) id: String,
    pub(super) number: Option<u32>,
    pub(super) tape_lap: u32,
    pub(super) time_ms: Option<u32>,
    pub(super) time_source: Option<&'static str>,
    pub(super) state: &'static str,
    pub(super) phase: &'static str,
    pub(super) complete: bool,
    pub(super) valid: Option<bool>,
    pub(super) reasons: Vec<&'static str>,
    pub(super) reason_details: Vec<ReportReason>,
    pub(super) eligible: bool,
    pub(super) sectors_ms: Vec<Option<u32>>,
    pub(super) sector_source: &'static str,
    pub(super) delta_to_best_ms: Option<i64>,
    pub(super) stint: Option<u32>,
    pub(super) start_ns: u64,
    pub(super) end_ns: Option<u64>,
    pub(super) fuel_used_l: Option<f32>,
    pub(super) conditions: ReportConditions,
    /// For filters and tables.
    #[serde(skip)]
    pub(super) driver: Option<String>,
}

/// What speaks against a lap.
#[derive(Debug, Serialize)]
pub(super) struct ReportReason {
    pub(super) code: &'static str,
    pub(super) source: &'static str,
    pub(super) at_sector: Option<u8>,
    pub(super) at_fraction: Option<f32>,
    pub(super) at_ns: Option<u64>,
}

/// What a lap was driven in.
#[derive(Debug, Serialize)]
pub(super) struct ReportConditions {
    pub(super) air_celsius: Option<f32>,
    pub(super) track_celsius: Option<f32>,
    pub(super) grip: Option<String>,
    pub(super) rain: Option<String>,
    pub(super) caution: Option<bool>,
    pub(super) time_of_day_s: Option<f32>,
    pub(super) tyre: Option<String>,
}

impl ReportSession {
    pub(super) fn of(tracked: &TrackedSession) -> Self {
        let session = &tracked.session;
        let utc = |us: Option<i64>| us.and_then(|us| us.checked_mul(1000)).and_then(utc_text);
        let best = session.best_lap.and_then(|best| tracked.laps.iter().find(|lap| lap.id == best));
        let best_ms = best.and_then(|lap| lap.time_ms);
        Self {
            id: session.id.to_string(),
            game: session.game.clone(),
            game_version: session.game_version.clone(),
            kind: session.kind.as_str(),
            track: session.track.clone(),
            layout: session.layout.clone(),
            car: session.car.clone(),
            driver: session.driver.clone(),
            online: session.online,
            started_utc: utc(session.started_utc_us),
            ended_utc: utc(session.ended_utc_us),
            end_reason: session.end.map(|end| end.as_str()),
            sector_count: session.sector_count,
            best_lap: session.best_lap.map(|id| id.to_string()),
            theoretical_best_ms: session.theoretical_best_ms,
            stints: tracked.stints.iter().map(ReportStint::of).collect(),
            laps: tracked.laps.iter().map(|lap| ReportLap::of(lap, best_ms)).collect(),
            remark: session.remark.clone(),
        }
    }
}

impl ReportStint {
    fn of(stint: &Stint) -> Self {
        Self {
            n: stint.n,
            start_reason: stint.start.as_str(),
            end_reason: stint.end.map(|end| end.as_str()),
            first_lap: stint.first_lap,
            last_lap: stint.last_lap,
            fuel_start_l: stint.fuel_start_l,
            fuel_end_l: stint.fuel_end_l,
        }
    }
}

impl ReportLap {
    fn of(lap: &Lap, best_ms: Option<u32>) -> Self {
        Self {
            id: lap.id.to_string(),
            number: lap.number,
            tape_lap: lap.tape_lap,
            time_ms: lap.time_ms,
            time_source: lap.time_source.map(|source| source.as_str()),
            state: lap.state.as_str(),
            phase: lap.phase.as_str(),
            complete: lap.complete,
            valid: lap.valid,
            reasons: lap.reasons.iter().map(|reason| reason.code.as_str()).collect(),
            reason_details: lap.reasons.iter().map(ReportReason::of).collect(),
            eligible: lap.eligible,
            sectors_ms: lap.sectors.iter().map(|sector| sector.time_ms).collect(),
            sector_source: sector_source(&lap.sectors).as_str(),
            delta_to_best_ms: Option::zip(lap.time_ms, best_ms).map(|(ms, best)| i64::from(ms) - i64::from(best)),
            stint: lap.stint,
            start_ns: lap.start_ns,
            end_ns: lap.end_ns,
            fuel_used_l: lap.fuel_used_l,
            conditions: ReportConditions::of(&lap.conditions),
            driver: lap.driver.clone(),
        }
    }
}

impl ReportReason {
    fn of(reason: &Reason) -> Self {
        Self {
            code: reason.code.as_str(),
            source: reason.source.as_str(),
            at_sector: reason.at_sector,
            at_fraction: reason.at_fraction,
            at_ns: reason.at_ns,
        }
    }
}

impl ReportConditions {
    fn of(conditions: &Conditions) -> Self {
        Self {
            air_celsius: conditions.air_celsius,
            track_celsius: conditions.track_celsius,
            grip: conditions.grip.clone(),
            rain: conditions.rain.clone(),
            caution: conditions.caution,
            time_of_day_s: conditions.time_of_day_s,
            tyre: conditions.tyre.clone(),
        }
    }
}
