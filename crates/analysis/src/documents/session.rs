//! A session with its stints and laps as JSON. Field names are stable: other programs rely on them.

use serde::Serialize;

use super::utc_text;
use crate::laps::{Conditions, Lap, Reason, Stint, TrackedSession, sector_source};

/// A session.
#[derive(Debug, Serialize)]
pub struct SessionDocument {
    /// Id of the session, the same whenever the tape is tracked again.
    pub id: String,
    /// Id of the game.
    pub game: String,
    /// The game's version, if it reports one.
    pub game_version: Option<String>,
    /// Kind of session.
    #[serde(rename = "type")]
    pub kind: &'static str,
    /// Track, as the game names it.
    pub track: Option<String>,
    /// Layout of the track.
    pub layout: Option<String>,
    /// Car, as the game names it.
    pub car: Option<String>,
    /// Driver, as the game names them.
    pub driver: Option<String>,
    /// Whether it was driven online.
    pub online: Option<bool>,
    /// Start as ISO 8601 in UTC.
    pub started_utc: Option<String>,
    /// End as ISO 8601 in UTC.
    pub ended_utc: Option<String>,
    /// Why it ended; null while it runs.
    pub end_reason: Option<&'static str>,
    /// Number of sectors of the track.
    pub sector_count: Option<u8>,
    /// Id of the best lap that counts.
    pub best_lap: Option<String>,
    /// Sum of the best sectors of laps that count.
    pub theoretical_best_ms: Option<u32>,
    /// Its stints.
    pub stints: Vec<StintDocument>,
    /// Its laps in the order in which they were driven.
    pub laps: Vec<LapDocument>,
    /// Data that the game does not provide.
    pub remark: Option<String>,
    /// The laps are someone else's: they are in a lap file of another logger.
    pub foreign: bool,
}

/// A stint.
#[derive(Debug, Serialize)]
pub struct StintDocument {
    /// Number within the session, from 1.
    pub n: u32,
    /// Why it began.
    pub start_reason: &'static str,
    /// Why it ended; null while it runs.
    pub end_reason: Option<&'static str>,
    /// Number of its first lap on the tape.
    pub first_lap: Option<u32>,
    /// Number of its last lap on the tape.
    pub last_lap: Option<u32>,
    /// Fuel at its start.
    pub fuel_start_l: Option<f32>,
    /// Fuel at its end.
    pub fuel_end_l: Option<f32>,
}

/// A lap.
#[derive(Debug, Serialize)]
pub struct LapDocument {
    /// Id of the lap, the same whenever the tape is tracked again.
    pub id: String,
    /// The game's number of the lap.
    pub number: Option<u32>,
    /// Number on the tape, from 1.
    pub tape_lap: u32,
    /// Lap time.
    pub time_ms: Option<u32>,
    /// Where the lap time comes from.
    pub time_source: Option<&'static str>,
    /// How far the lap is: running, final or aborted.
    pub state: &'static str,
    /// Out lap, timed lap, in lap and so on.
    pub phase: &'static str,
    /// Whether it was driven from line to line.
    pub complete: bool,
    /// Whether the game accepts it; null if unknown.
    pub valid: Option<bool>,
    /// Codes of the reasons why it is invalid or does not count.
    pub reasons: Vec<&'static str>,
    /// The same reasons with source and place.
    pub reason_details: Vec<ReasonDocument>,
    /// Whether it counts for bests.
    pub eligible: bool,
    /// It was driven by someone else.
    pub foreign: bool,
    /// Sector times.
    pub sectors_ms: Vec<Option<u32>>,
    /// Where the sector times come from.
    pub sector_source: &'static str,
    /// Time behind the best lap of the session.
    pub delta_to_best_ms: Option<i64>,
    /// Number of its stint.
    pub stint: Option<u32>,
    /// Start in tape time.
    pub start_ns: u64,
    /// End in tape time; null while it runs.
    pub end_ns: Option<u64>,
    /// Fuel used.
    pub fuel_used_l: Option<f32>,
    /// Conditions of the lap.
    pub conditions: ConditionsDocument,
    /// The driver of the lap; differs from the session's driver after a driver swap.
    pub driver: Option<String>,
}

/// A reason why a lap is invalid or does not count.
#[derive(Debug, Serialize)]
pub struct ReasonDocument {
    /// Code of the reason.
    pub code: &'static str,
    /// Who says so: the game or the tracker.
    pub source: &'static str,
    /// Sector in which it happened, from 0.
    pub at_sector: Option<u8>,
    /// Position on the track, 0 to 1.
    pub at_fraction: Option<f32>,
    /// Tape time.
    pub at_ns: Option<u64>,
}

/// The conditions of a lap.
#[derive(Debug, Serialize)]
pub struct ConditionsDocument {
    /// Air temperature.
    pub air_celsius: Option<f32>,
    /// Track temperature.
    pub track_celsius: Option<f32>,
    /// Track grip, in the game's words.
    pub grip: Option<String>,
    /// Rain intensity, in the game's words.
    pub rain: Option<String>,
    /// Whether a yellow or red flag or a safety car was out.
    pub caution: Option<bool>,
    /// Time of day in the game at the start of the lap, in seconds since midnight.
    pub time_of_day_s: Option<f32>,
    /// Tyre compound, in the game's words.
    pub tyre: Option<String>,
}

impl SessionDocument {
    /// Makes the document.
    #[must_use]
    pub fn of(tracked: &TrackedSession) -> Self {
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
            stints: tracked.stints.iter().map(StintDocument::of).collect(),
            laps: tracked.laps.iter().map(|lap| LapDocument::of(lap, best_ms, session.foreign)).collect(),
            remark: session.remark.clone(),
            foreign: session.foreign,
        }
    }
}

impl StintDocument {
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

impl LapDocument {
    /// Makes the document. `foreign`: its session is someone else's, so the lap is never a personal best.
    #[must_use]
    pub fn of(lap: &Lap, best_ms: Option<u32>, foreign: bool) -> Self {
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
            reason_details: lap.reasons.iter().map(ReasonDocument::of).collect(),
            eligible: lap.eligible && !foreign,
            foreign,
            sectors_ms: lap.sectors.iter().map(|sector| sector.time_ms).collect(),
            sector_source: sector_source(&lap.sectors).as_str(),
            delta_to_best_ms: Option::zip(lap.time_ms, best_ms).map(|(ms, best)| i64::from(ms) - i64::from(best)),
            stint: lap.stint,
            start_ns: lap.start_ns,
            end_ns: lap.end_ns,
            fuel_used_l: lap.fuel_used_l,
            conditions: ConditionsDocument::of(&lap.conditions),
            driver: lap.driver.clone(),
        }
    }
}

impl ReasonDocument {
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

impl ConditionsDocument {
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
