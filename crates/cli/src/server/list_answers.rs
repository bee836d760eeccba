//! Bests, tracks, cars, drivers, days and tapes in responses.

use std::path::Path;

use gametape::store::{Best, CataloguedTape, Driven, Driver, Progress};
use serde::Serialize;
use utoipa::ToSchema;

use super::times;

/// The best lap of a driver in a car on a track.
#[derive(Debug, Serialize, ToSchema)]
pub(super) struct BestAnswer {
    game: String,
    track: Option<String>,
    layout: Option<String>,
    car: Option<String>,
    driver: Option<String>,
    /// Lap id.
    lap: String,
    /// Id of its session.
    session: String,
    time_ms: u32,
    started_utc: Option<String>,
    theoretical_best_ms: Option<u32>,
    /// The number of eligible laps.
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
    /// As named by the game.
    id: String,
    layout: Option<String>,
    /// Display name given by a user.
    name: Option<String>,
    session_count: u32,
    lap_count: u32,
    /// The best time on a track.
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
    /// Display name given by a user.
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

/// The lap times of a day.
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

/// A tape. Its path is not disclosed.
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
            // The path may come from another system, with other separators.
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
