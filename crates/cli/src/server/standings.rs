//! `GET /api/v1/sessions/{id}/standings`: all cars of a session.

use axum::response::Response;
use gametape::games::{CarLap, find_game};
use gametape::store::StoredCar;
use serde::Serialize;
use utoipa::ToSchema;

use super::blocking::query_store;
use super::error::{ApiError, Problem};
use super::filters::StandingsParams;
use super::params::{Named, Params};
use super::reading::{Reader, id_of};

/// All cars of a session that the client may see.
#[derive(Debug, Serialize, ToSchema)]
pub(super) struct StandingsAnswer {
    session: String,
    /// Whether the game reports all cars. If not, `cars` is empty.
    all_cars: bool,
    /// In the order of their positions; cars without one come last.
    cars: Vec<CarStandingAnswer>,
}

/// A car of a session. All values are the game's own; those that it does not report are null.
#[derive(Debug, Serialize, ToSchema)]
pub(crate) struct CarStandingAnswer {
    /// The game's number of the car, which is constant within a session.
    pub(crate) car: u32,
    pub(crate) is_player: bool,
    pub(crate) position: Option<u16>,
    pub(crate) driver: Option<String>,
    pub(crate) driver_name: Option<String>,
    pub(crate) team: Option<String>,
    pub(crate) car_model: Option<String>,
    pub(crate) class: Option<String>,
    pub(crate) race_number: Option<u16>,
    /// `active`, `finished`, `did_not_finish`, `disqualified`, `not_classified`, `retired` or `unknown`.
    pub(crate) result: &'static str,
    pub(crate) current_lap: Option<u32>,
    pub(crate) last_ms: Option<u32>,
    pub(crate) best_ms: Option<u32>,
    pub(crate) last_sectors_ms: Vec<Option<u32>>,
    /// Time behind the leader.
    pub(crate) gap_to_leader_ms: Option<u32>,
    /// Time behind the car in front: the interval.
    pub(crate) gap_ahead_ms: Option<u32>,
    pub(crate) pit_stops: Option<u16>,
    pub(crate) tyre: Option<String>,
    /// Only if requested.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) laps: Option<Vec<CarLapAnswer>>,
}

/// A lap of any car.
#[derive(Debug, Serialize, ToSchema)]
pub(crate) struct CarLapAnswer {
    pub(crate) number: u32,
    pub(crate) time_ms: Option<u32>,
    pub(crate) sectors_ms: Vec<Option<u32>>,
    pub(crate) valid: Option<bool>,
    /// Empty if the game does not report it.
    pub(crate) valid_sectors: Vec<bool>,
}

impl CarStandingAnswer {
    /// Builds the answer, with or without laps.
    pub(crate) fn of(stored: StoredCar, with_laps: bool) -> Self {
        let StoredCar { car, driver_name } = stored;
        Self {
            car: car.car,
            is_player: car.is_player,
            position: car.position,
            driver: car.name,
            driver_name,
            team: car.team,
            car_model: car.car_model,
            class: car.class,
            race_number: car.race_number,
            result: car.result.as_str(),
            current_lap: car.current_lap,
            last_ms: car.last_ms,
            best_ms: car.best_ms,
            last_sectors_ms: car.last_sectors_ms,
            gap_to_leader_ms: car.gap_to_leader_ms,
            gap_ahead_ms: car.gap_ahead_ms,
            pit_stops: car.pit_stops,
            tyre: car.tyre,
            laps: with_laps.then(|| car.laps.into_iter().map(CarLapAnswer::from).collect()),
        }
    }
}

impl From<CarLap> for CarLapAnswer {
    fn from(lap: CarLap) -> Self {
        let CarLap { number, time_ms, sectors_ms, valid, valid_sectors } = lap;
        Self { number, time_ms, sectors_ms, valid, valid_sectors }
    }
}

/// Returns all cars of a session, for games that report more than the player's. Drivers who are hidden are left out.
#[utoipa::path(get, path = "/api/v1/sessions/{id}/standings", tag = "laps",
    params(("id" = String, Path, description = "Session id", pattern = "^[0-9a-f]{32}$"), StandingsParams),
    responses((status = 200, body = StandingsAnswer), (status = 304), (status = "4XX", body = Problem), (status = 503, body = Problem)))]
pub(super) async fn standings(
    Named(id): Named,
    Params(params): Params<StandingsParams>,
    reader: Reader,
) -> Result<Response, ApiError> {
    let (id, audience) = (id_of(&id)?, reader.audience());
    let found = query_store(reader.state(), move |store| {
        let Some(found) = store.session(id, audience)? else { return Ok(None) };
        if found.session.remarks.deleted_us.is_some() {
            return Ok(None);
        }
        Ok(store.standings(id, audience)?.map(|cars| (found.session.session.game, cars)))
    });
    let (game, cars) = found.await?.ok_or_else(|| ApiError::not_found("session"))?;
    let with_laps = params.laps.unwrap_or_default();
    reader.json(&StandingsAnswer {
        session: id.to_string(),
        all_cars: find_game(&game).is_some_and(|game| game.rules.standings().is_some()),
        cars: cars.into_iter().map(|car| CarStandingAnswer::of(car, with_laps)).collect(),
    })
}
