//! The document that `gametape laps --json` prints. Field names are stable: other programs rely on them.

use gametape::laps::{Conditions, Lap, Reason, Stint, TrackedSession, sector_source};
use gametape::names::utc_text;
use serde::Serialize;

use crate::server::CarStandingAnswer;

/// The document.
#[derive(Debug, Serialize)]
pub(crate) struct Report {
    pub(crate) sessions: Vec<ReportSession>,
}

/// A session.
#[derive(Debug, Serialize)]
pub(crate) struct ReportSession {
    pub(crate) id: String,
    pub(crate) game: String,
    pub(crate) game_version: Option<String>,
    #[serde(rename = "type")]
    pub(crate) kind: &'static str,
    pub(crate) track: Option<String>,
    pub(crate) layout: Option<String>,
    pub(crate) car: Option<String>,
    pub(crate) driver: Option<String>,
    pub(crate) online: Option<bool>,
    pub(crate) started_utc: Option<String>,
    pub(crate) ended_utc: Option<String>,
    pub(crate) end_reason: Option<&'static str>,
    pub(crate) sector_count: Option<u8>,
    pub(crate) best_lap: Option<String>,
    pub(crate) theoretical_best_ms: Option<u32>,
    pub(crate) stints: Vec<ReportStint>,
    pub(crate) laps: Vec<ReportLap>,
    /// All cars, with `--all-cars`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) cars: Option<Vec<CarStandingAnswer>>,
    /// Data that the game does not provide.
    pub(crate) remark: Option<String>,
    /// The laps are someone else's: they are in a lap file of another logger.
    pub(crate) foreign: bool,
    /// For tables: the best lap and the best sectors of all laps, including those that a filter removes.
    #[serde(skip)]
    pub(crate) bests: Bests,
    /// For people: names given by users.
    #[serde(skip)]
    pub(crate) names: Names,
}

/// The bests of a session.
#[derive(Debug, Default)]
pub(crate) struct Bests {
    /// Number on the tape, and time.
    pub(crate) lap: Option<(u32, Option<u32>)>,
    pub(crate) sectors_ms: Vec<Option<u32>>,
}

impl Bests {
    fn of(laps: &[Lap], best: Option<&Lap>) -> Self {
        let eligible = || laps.iter().filter(|lap| lap.eligible);
        let sectors = eligible().map(|lap| lap.sectors.len()).max().unwrap_or(0);
        let of_sector = |index: usize| eligible().filter_map(|lap| lap.sectors.get(index)?.time_ms).min();
        Self { lap: best.map(|lap| (lap.tape_lap, lap.time_ms)), sectors_ms: (0..sectors).map(of_sector).collect() }
    }
}

/// Names that users gave to tracks, cars and drivers.
#[derive(Debug, Default)]
pub(crate) struct Names {
    pub(crate) track: Option<String>,
    pub(crate) car: Option<String>,
    pub(crate) driver: Option<String>,
}

/// A stint.
#[derive(Debug, Serialize)]
pub(crate) struct ReportStint {
    pub(crate) n: u32,
    pub(crate) start_reason: &'static str,
    pub(crate) end_reason: Option<&'static str>,
    pub(crate) first_lap: Option<u32>,
    pub(crate) last_lap: Option<u32>,
    pub(crate) fuel_start_l: Option<f32>,
    pub(crate) fuel_end_l: Option<f32>,
}

/// A lap.
#[derive(Debug, Serialize)]
pub(crate) struct ReportLap {
    pub(crate) id: String,
    pub(crate) number: Option<u32>,
    pub(crate) tape_lap: u32,
    pub(crate) time_ms: Option<u32>,
    pub(crate) time_source: Option<&'static str>,
    pub(crate) state: &'static str,
    pub(crate) phase: &'static str,
    pub(crate) complete: bool,
    pub(crate) valid: Option<bool>,
    pub(crate) reasons: Vec<&'static str>,
    pub(crate) reason_details: Vec<ReportReason>,
    pub(crate) eligible: bool,
    /// It was driven by someone else.
    pub(crate) foreign: bool,
    pub(crate) sectors_ms: Vec<Option<u32>>,
    pub(crate) sector_source: &'static str,
    pub(crate) delta_to_best_ms: Option<i64>,
    pub(crate) stint: Option<u32>,
    pub(crate) start_ns: u64,
    pub(crate) end_ns: Option<u64>,
    pub(crate) fuel_used_l: Option<f32>,
    pub(crate) conditions: ReportConditions,
    /// The driver of the lap; differs from the session's driver after a driver swap.
    pub(crate) driver: Option<String>,
}

/// A reason why a lap is invalid or does not count.
#[derive(Debug, Serialize)]
pub(crate) struct ReportReason {
    pub(crate) code: &'static str,
    pub(crate) source: &'static str,
    pub(crate) at_sector: Option<u8>,
    pub(crate) at_fraction: Option<f32>,
    pub(crate) at_ns: Option<u64>,
}

/// The conditions of a lap.
#[derive(Debug, Serialize)]
pub(crate) struct ReportConditions {
    pub(crate) air_celsius: Option<f32>,
    pub(crate) track_celsius: Option<f32>,
    pub(crate) grip: Option<String>,
    pub(crate) rain: Option<String>,
    pub(crate) caution: Option<bool>,
    pub(crate) time_of_day_s: Option<f32>,
    pub(crate) tyre: Option<String>,
}

impl ReportSession {
    pub(crate) fn of(tracked: &TrackedSession) -> Self {
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
            laps: tracked.laps.iter().map(|lap| ReportLap::of(lap, best_ms, session.foreign)).collect(),
            cars: None,
            remark: session.remark.clone(),
            foreign: session.foreign,
            bests: Bests::of(&tracked.laps, best),
            names: Names::default(),
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
    /// `foreign`: its session is someone else's, so the lap is never a personal best.
    pub(crate) fn of(lap: &Lap, best_ms: Option<u32>, foreign: bool) -> Self {
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
            eligible: lap.eligible && !foreign,
            foreign,
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
