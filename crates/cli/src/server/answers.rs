//! What answers look like. The names of the fields are a promise, and those of sessions and laps are those of `gametape laps --json`.

use std::path::Path;

use gametape::laps::{Conditions, Stint, sector_source};
use gametape::store::{Best, CataloguedTape, Driven, Driver, Progress, SessionDetail, StoredLap, StoredSession};
use serde::Serialize;
use utoipa::ToSchema;

use super::times;

/// A page of something.
macro_rules! page {
    ($name:ident, $field:ident, $item:ty, $text:literal) => {
        #[doc = $text]
        #[derive(Debug, Serialize, ToSchema)]
        pub(super) struct $name {
            /// What was found.
            pub(super) $field: Vec<$item>,
            /// `cursor` of the next page; `null` on the last one.
            pub(super) next: Option<String>,
        }
    };
}

page!(SessionPage, sessions, SessionAnswer, "Sessions, newest first.");
page!(LapPage, laps, LapAnswer, "Laps.");
page!(BestPage, bests, BestAnswer, "Bests by track, the fastest first.");
page!(TrackPage, tracks, DrivenAnswer, "Tracks by name.");
page!(CarPage, cars, DrivenAnswer, "Cars by name.");
page!(DriverPage, drivers, DriverAnswer, "Drivers by name.");
page!(ProgressPage, days, DayAnswer, "Days by track and car, the oldest first.");
page!(TapePage, tapes, TapeAnswer, "Tapes, newest first.");

/// A session.
#[derive(Debug, Serialize, ToSchema)]
pub(super) struct SessionAnswer {
    pub(super) id: String,
    pub(super) tape_id: String,
    pub(super) game: String,
    pub(super) game_version: Option<String>,
    pub(super) r#type: &'static str,
    pub(super) track: Option<String>,
    pub(super) track_name: Option<String>,
    pub(super) layout: Option<String>,
    pub(super) car: Option<String>,
    pub(super) car_name: Option<String>,
    pub(super) driver: Option<String>,
    pub(super) driver_name: Option<String>,
    pub(super) online: Option<bool>,
    pub(super) started_utc: Option<String>,
    pub(super) ended_utc: Option<String>,
    /// `null` while it runs.
    pub(super) end_reason: Option<&'static str>,
    pub(super) sector_count: Option<u8>,
    /// Id of the best lap of its driver.
    pub(super) best_lap: Option<String>,
    pub(super) best_ms: Option<u32>,
    pub(super) theoretical_best_ms: Option<u32>,
    pub(super) lap_count: u32,
    pub(super) remark: Option<String>,
    pub(super) name: Option<String>,
    pub(super) note: Option<String>,
    pub(super) tags: Vec<String>,
    pub(super) deleted_utc: Option<String>,
    /// The session of which this one is the rest: the recorder was ended and started again in between.
    pub(super) continues: Option<String>,
    /// Only if asked for.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) stints: Option<Vec<StintAnswer>>,
    /// Only if asked for.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) laps: Option<Vec<LapAnswer>>,
}

impl From<StoredSession> for SessionAnswer {
    fn from(found: StoredSession) -> Self {
        let session = found.session;
        Self {
            id: session.id.to_string(),
            tape_id: session.tape.to_string(),
            game: session.game,
            game_version: session.game_version,
            r#type: session.kind.as_str(),
            track: session.track,
            track_name: found.track_name,
            layout: session.layout,
            car: session.car,
            car_name: found.car_name,
            driver: session.driver,
            driver_name: found.driver_name,
            online: session.online,
            started_utc: times::text(session.started_utc_us),
            ended_utc: times::text(session.ended_utc_us),
            end_reason: session.end.map(|end| end.as_str()),
            sector_count: session.sector_count,
            best_lap: session.best_lap.map(|id| id.to_string()),
            best_ms: found.best_ms,
            theoretical_best_ms: session.theoretical_best_ms,
            lap_count: found.lap_count,
            remark: session.remark,
            name: found.remarks.name,
            note: found.remarks.note,
            tags: found.remarks.tags,
            deleted_utc: times::text(found.remarks.deleted_us),
            continues: found.continues.map(|id| id.to_string()),
            stints: None,
            laps: None,
        }
    }
}

impl From<SessionDetail> for SessionAnswer {
    fn from(found: SessionDetail) -> Self {
        let best_ms = found.session.best_ms;
        let laps = found.laps.into_iter().map(|lap| LapAnswer::of(lap, best_ms)).collect();
        let stints = found.stints.into_iter().map(StintAnswer::from).collect();
        Self { stints: Some(stints), laps: Some(laps), ..Self::from(found.session) }
    }
}

/// A run between two stops.
#[derive(Debug, Serialize, ToSchema)]
pub(super) struct StintAnswer {
    n: u32,
    start_reason: &'static str,
    end_reason: Option<&'static str>,
    first_lap: Option<u32>,
    last_lap: Option<u32>,
    driver: Option<String>,
    fuel_start_l: Option<f32>,
    fuel_end_l: Option<f32>,
}

impl From<Stint> for StintAnswer {
    fn from(stint: Stint) -> Self {
        Self {
            n: stint.n,
            start_reason: stint.start.as_str(),
            end_reason: stint.end.map(|end| end.as_str()),
            first_lap: stint.first_lap,
            last_lap: stint.last_lap,
            driver: stint.driver,
            fuel_start_l: stint.fuel_start_l,
            fuel_end_l: stint.fuel_end_l,
        }
    }
}

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
    /// `null` where the game does not say.
    pub(super) valid: Option<bool>,
    pub(super) reasons: Vec<&'static str>,
    pub(super) reason_details: Vec<ReasonAnswer>,
    pub(super) eligible: bool,
    pub(super) excluded: bool,
    pub(super) sectors_ms: Vec<Option<u32>>,
    /// official, differenced, interpolated or none; the least certain of them
    pub(super) sector_source: &'static str,
    /// To the best lap of its session; only in answers about that session.
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

impl LapAnswer {
    pub(super) fn of(found: StoredLap, best_ms: Option<u32>) -> Self {
        let StoredLap { lap, remarks, tape, combination, .. } = found;
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

/// Why a lap is not what it could be.
#[derive(Debug, Serialize, ToSchema)]
pub(super) struct ReasonAnswer {
    code: &'static str,
    source: &'static str,
    at_sector: Option<u8>,
    at_fraction: Option<f32>,
    at_ns: Option<u64>,
}

/// What a lap was driven in.
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

/// The best of a driver in a car on a track.
#[derive(Debug, Serialize, ToSchema)]
pub(super) struct BestAnswer {
    game: String,
    track: Option<String>,
    layout: Option<String>,
    car: Option<String>,
    driver: Option<String>,
    /// Id of the lap.
    lap: String,
    /// Id of its session.
    session: String,
    time_ms: u32,
    started_utc: Option<String>,
    theoretical_best_ms: Option<u32>,
    /// Laps that may count.
    lap_count: u32,
}

impl From<Best> for BestAnswer {
    fn from(best: Best) -> Self {
        Self {
            game: best.combination.game,
            track: best.combination.track,
            layout: best.combination.layout,
            car: best.combination.car,
            driver: best.combination.driver,
            lap: best.lap.to_string(),
            session: best.session.to_string(),
            time_ms: best.time_ms,
            started_utc: times::text(best.started_utc_us),
            theoretical_best_ms: best.theoretical_ms,
            lap_count: best.lap_count,
        }
    }
}

/// A track or a car.
#[derive(Debug, Serialize, ToSchema)]
pub(super) struct DrivenAnswer {
    game: String,
    /// In the game's words.
    id: String,
    layout: Option<String>,
    /// Name that a user gave it.
    name: Option<String>,
    session_count: u32,
    lap_count: u32,
    /// The best time, of a track.
    best_ms: Option<u32>,
    last_utc: Option<String>,
}

impl From<Driven> for DrivenAnswer {
    fn from(driven: Driven) -> Self {
        let Driven { game, native, layout, name, session_count, lap_count, best_ms, last_us } = driven;
        Self { game, id: native, layout, name, session_count, lap_count, best_ms, last_utc: times::text(last_us) }
    }
}

/// A driver.
#[derive(Debug, Serialize, ToSchema)]
pub(super) struct DriverAnswer {
    driver: String,
    /// Name that a user gave.
    name: Option<String>,
    /// public, unlisted or private
    privacy: &'static str,
    lap_count: u32,
    last_utc: Option<String>,
}

impl From<Driver> for DriverAnswer {
    fn from(driver: Driver) -> Self {
        let privacy = driver.visibility.as_str();
        let Driver { driver, name, lap_count, last_us, .. } = driver;
        Self { driver, name, privacy, lap_count, last_utc: times::text(last_us) }
    }
}

/// The times of a day.
#[derive(Debug, Serialize, ToSchema)]
pub(super) struct DayAnswer {
    game: String,
    track: Option<String>,
    layout: Option<String>,
    car: Option<String>,
    /// 2026-03-01
    day: Option<String>,
    lap_count: u32,
    best_ms: u32,
    median_ms: u32,
}

impl From<Progress> for DayAnswer {
    fn from(progress: Progress) -> Self {
        let Progress { game, track, layout, car, day, lap_count, best_ms, median_ms } = progress;
        Self { game, track, layout, car, day: times::day(day), lap_count, best_ms, median_ms }
    }
}

/// A tape. Where it lies is nobody's business.
#[derive(Debug, Serialize, ToSchema)]
pub(super) struct TapeAnswer {
    id: String,
    file: Option<String>,
    bytes: u64,
    checksum: Option<String>,
    complete: bool,
    game: Option<String>,
    track: Option<String>,
    car: Option<String>,
    created_utc: Option<String>,
    duration_ns: Option<u64>,
    frames: u64,
    missing: bool,
}

impl From<CataloguedTape> for TapeAnswer {
    fn from(tape: CataloguedTape) -> Self {
        let file = Path::new(&tape.path).file_name().map(|name| name.to_string_lossy().into_owned());
        Self {
            id: tape.id.to_string(),
            // A path of another system has other separators.
            file: file.map(|file| file.rsplit(['/', '\\']).next().unwrap_or_default().to_owned()),
            bytes: tape.bytes,
            checksum: tape.checksum,
            complete: tape.complete,
            game: tape.game,
            track: tape.track,
            car: tape.car,
            created_utc: times::text(tape.created_us),
            duration_ns: tape.duration_ns,
            frames: tape.frames,
            missing: tape.missing_us.is_some(),
        }
    }
}
