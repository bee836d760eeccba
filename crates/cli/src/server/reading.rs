//! Read endpoints: sessions, laps, bests, tracks, cars, drivers, progress, tapes.

use axum::extract::{Extension, State};
use axum::http::HeaderMap;
use axum::response::Response;
use gametape::laps::Id;
use gametape::store::{Audience, Cursor, LapQuery, ListQuery, Page, ProgressQuery, SessionQuery};

use super::access::Caller;
use super::answers::{
    BestPage, CarPage, DriverPage, LapPage, ProgressPage, SessionAnswer, SessionPage, TapePage, TrackPage,
};
use super::blocking::query_store;
use super::error::{ApiError, Problem};
use super::etag::json;
use super::filters::{LapParams, ListParams, OneParams, ProgressParams, SessionParams, TapeParams};
use super::lap_answer::LapAnswer;
use super::list_answers::{BestAnswer, DayAnswer, DrivenAnswer, DriverAnswer, TapeAnswer};
use super::params::{Named, Params, cursor, limit, sort};
use super::state::AppState;

type Who = Extension<Caller>;
type Answer = Result<Response, ApiError>;

/// Parses an id from a path.
pub(super) fn id_of(text: &str) -> Result<Id, ApiError> {
    Id::parse(text).ok_or_else(|| ApiError::bad_request("an id has 32 hexadecimal digits"))
}

fn next(next: Option<Cursor>) -> Option<String> {
    next.map(|cursor| cursor.to_string())
}

/// Rejects requests for deleted items unless they come from the owner.
fn check_deleted(deleted: bool, audience: Audience) -> Result<(), ApiError> {
    match deleted && audience == Audience::Public {
        true => Err(ApiError::token_needed()),
        false => Ok(()),
    }
}

/// The largest page of sessions with all their laps, since a session can have hundreds.
const MOST_WITH_LAPS: u32 = 20;

/// Lists sessions, newest first.
#[utoipa::path(get, path = "/api/v1/sessions", tag = "laps", params(SessionParams),
    responses((status = 200, body = SessionPage), (status = 304), (status = "4XX", body = Problem), (status = 503, body = Problem)))]
pub(super) async fn sessions(
    State(state): State<AppState>,
    Extension(caller): Who,
    headers: HeaderMap,
    Params(params): Params<SessionParams>,
) -> Answer {
    let audience = state.access.audience(caller)?;
    let with_laps = params.laps.unwrap_or_default();
    let (limit, after) = (limit(params.limit)?, cursor(params.cursor.as_ref())?);
    if with_laps && limit > MOST_WITH_LAPS {
        return Err(ApiError::bad_request("with laps=true a page has at most 20 sessions"));
    }
    let query = SessionQuery { limit, after, filter: params.filter()? };
    check_deleted(query.filter.deleted, audience)?;
    let (sessions, next) = match with_laps {
        true => answers(
            query_store(&state, move |store| {
                let filter = query.filter.clone().resolved(store, audience)?;
                store.sessions_with_laps(&SessionQuery { filter, ..query }, audience)
            })
            .await?,
        ),
        false => answers(
            query_store(&state, move |store| {
                let filter = query.filter.clone().resolved(store, audience)?;
                store.sessions(&SessionQuery { filter, ..query }, audience)
            })
            .await?,
        ),
    };
    json(&headers, &SessionPage { sessions, next })
}

/// Returns a session with its stints and laps.
#[utoipa::path(get, path = "/api/v1/sessions/{id}", tag = "laps",
    params(("id" = String, Path, description = "Session id", pattern = "^[0-9a-f]{32}$"), OneParams),
    responses((status = 200, body = SessionAnswer), (status = 304), (status = "4XX", body = Problem), (status = 503, body = Problem)))]
pub(super) async fn session(
    State(state): State<AppState>,
    Extension(caller): Who,
    headers: HeaderMap,
    Named(id): Named,
    Params(params): Params<OneParams>,
) -> Answer {
    let audience = state.access.audience(caller)?;
    let id = id_of(&id)?;
    let deleted = params.deleted.unwrap_or_default();
    check_deleted(deleted, audience)?;
    let found = query_store(&state, move |store| store.session(id, audience)).await?;
    let found = found.filter(|found| deleted || found.session.remarks.deleted_us.is_none());
    json(&headers, &SessionAnswer::from(found.ok_or_else(|| ApiError::not_found("session"))?))
}

/// Lists laps.
#[utoipa::path(get, path = "/api/v1/laps", tag = "laps", params(LapParams),
    responses((status = 200, body = LapPage), (status = 304), (status = "4XX", body = Problem), (status = 503, body = Problem)))]
pub(super) async fn laps(
    State(state): State<AppState>,
    Extension(caller): Who,
    headers: HeaderMap,
    Params(params): Params<LapParams>,
) -> Answer {
    let audience = state.access.audience(caller)?;
    let (limit, after) = (limit(params.limit)?, cursor(params.cursor.as_ref())?);
    let query = LapQuery { limit, after, sort: sort(params.sort.as_ref())?, filter: params.filter()? };
    check_deleted(query.filter.deleted, audience)?;
    let page = query_store(&state, move |store| {
        let filter = query.filter.clone().resolved(store, audience)?;
        store.laps(&LapQuery { filter, ..query }, audience)
    })
    .await?;
    let laps = page.items.into_iter().map(|lap| LapAnswer::of(lap, None)).collect();
    json(&headers, &LapPage { laps, next: next(page.next) })
}

/// Returns a lap.
#[utoipa::path(get, path = "/api/v1/laps/{id}", tag = "laps",
    params(("id" = String, Path, description = "Lap id", pattern = "^[0-9a-f]{32}$"), OneParams),
    responses((status = 200, body = LapAnswer), (status = 304), (status = "4XX", body = Problem), (status = 503, body = Problem)))]
pub(super) async fn lap(
    State(state): State<AppState>,
    Extension(caller): Who,
    headers: HeaderMap,
    Named(id): Named,
    Params(params): Params<OneParams>,
) -> Answer {
    let audience = state.access.audience(caller)?;
    let id = id_of(&id)?;
    let deleted = params.deleted.unwrap_or_default();
    check_deleted(deleted, audience)?;
    let found = query_store(&state, move |store| store.lap(id, audience)).await?;
    let found = found.filter(|found| deleted || !found.gone);
    json(&headers, &LapAnswer::of(found.ok_or_else(|| ApiError::not_found("lap"))?, None))
}

fn list(params: ListParams) -> Result<ListQuery, ApiError> {
    let (limit, after) = (limit(params.limit)?, cursor(params.cursor.as_ref())?);
    Ok(ListQuery { limit, after, filter: params.filter()? })
}

fn answers<T, A: From<T>>(page: Page<T>) -> (Vec<A>, Option<String>) {
    (page.items.into_iter().map(A::from).collect(), next(page.next))
}

/// Lists the best lap of each driver in each car on each track.
#[utoipa::path(get, path = "/api/v1/bests", tag = "laps", params(ListParams),
    responses((status = 200, body = BestPage), (status = 304), (status = "4XX", body = Problem), (status = 503, body = Problem)))]
pub(super) async fn bests(
    State(state): State<AppState>,
    Extension(caller): Who,
    headers: HeaderMap,
    Params(params): Params<ListParams>,
) -> Answer {
    let (audience, query) = (state.access.audience(caller)?, list(params)?);
    let (bests, next) = answers::<_, BestAnswer>(
        query_store(&state, move |store| {
            let filter = query.filter.clone().resolved(store, audience)?;
            store.bests(&ListQuery { filter, ..query }, audience)
        })
        .await?,
    );
    json(&headers, &BestPage { bests, next })
}

/// Lists driven tracks.
#[utoipa::path(get, path = "/api/v1/tracks", tag = "laps", params(ListParams),
    responses((status = 200, body = TrackPage), (status = 304), (status = "4XX", body = Problem), (status = 503, body = Problem)))]
pub(super) async fn tracks(
    State(state): State<AppState>,
    Extension(caller): Who,
    headers: HeaderMap,
    Params(params): Params<ListParams>,
) -> Answer {
    let (audience, query) = (state.access.audience(caller)?, list(params)?);
    let (tracks, next) = answers::<_, DrivenAnswer>(
        query_store(&state, move |store| {
            let filter = query.filter.clone().resolved(store, audience)?;
            store.tracks(&ListQuery { filter, ..query }, audience)
        })
        .await?,
    );
    json(&headers, &TrackPage { tracks, next })
}

/// Lists driven cars.
#[utoipa::path(get, path = "/api/v1/cars", tag = "laps", params(ListParams),
    responses((status = 200, body = CarPage), (status = 304), (status = "4XX", body = Problem), (status = 503, body = Problem)))]
pub(super) async fn cars(
    State(state): State<AppState>,
    Extension(caller): Who,
    headers: HeaderMap,
    Params(params): Params<ListParams>,
) -> Answer {
    let (audience, query) = (state.access.audience(caller)?, list(params)?);
    let (cars, next) = answers::<_, DrivenAnswer>(
        query_store(&state, move |store| {
            let filter = query.filter.clone().resolved(store, audience)?;
            store.cars(&ListQuery { filter, ..query }, audience)
        })
        .await?,
    );
    json(&headers, &CarPage { cars, next })
}

/// Lists drivers.
#[utoipa::path(get, path = "/api/v1/drivers", tag = "laps", params(ListParams),
    responses((status = 200, body = DriverPage), (status = 304), (status = "4XX", body = Problem), (status = 503, body = Problem)))]
pub(super) async fn drivers(
    State(state): State<AppState>,
    Extension(caller): Who,
    headers: HeaderMap,
    Params(params): Params<ListParams>,
) -> Answer {
    let (audience, query) = (state.access.audience(caller)?, list(params)?);
    let (drivers, next) = answers::<_, DriverAnswer>(
        query_store(&state, move |store| {
            let filter = query.filter.clone().resolved(store, audience)?;
            store.drivers(&ListQuery { filter, ..query }, audience)
        })
        .await?,
    );
    json(&headers, &DriverPage { drivers, next })
}

/// Lists the best and the median time of each day, per car and track.
#[utoipa::path(get, path = "/api/v1/progress", tag = "laps", params(ProgressParams),
    responses((status = 200, body = ProgressPage), (status = 304), (status = "4XX", body = Problem), (status = 503, body = Problem)))]
pub(super) async fn progress(
    State(state): State<AppState>,
    Extension(caller): Who,
    headers: HeaderMap,
    Params(params): Params<ProgressParams>,
) -> Answer {
    let audience = state.access.audience(caller)?;
    let (limit, after) = (limit(params.limit)?, cursor(params.cursor.as_ref())?);
    let utc_offset_min = params.utc_offset_min.unwrap_or_default();
    if !(-840..=840).contains(&utc_offset_min) {
        return Err(ApiError::bad_request("utc_offset_min must be between -840 and 840"));
    }
    let query = ProgressQuery { limit, after, utc_offset_min, filter: params.filter()? };
    let (days, next) = answers::<_, DayAnswer>(
        query_store(&state, move |store| {
            let filter = query.filter.clone().resolved(store, audience)?;
            store.progress(&ProgressQuery { filter, ..query }, audience)
        })
        .await?,
    );
    json(&headers, &ProgressPage { days, next })
}

/// Lists tapes. Only for the owner: the driver of a tape is not known before it is tracked.
#[utoipa::path(get, path = "/api/v1/tapes", tag = "tapes", params(TapeParams),
    responses((status = 200, body = TapePage), (status = 304), (status = "4XX", body = Problem), (status = 503, body = Problem)))]
pub(super) async fn tapes(
    State(state): State<AppState>,
    Extension(caller): Who,
    headers: HeaderMap,
    Params(params): Params<TapeParams>,
) -> Answer {
    if state.access.audience(caller)? != Audience::Owner {
        return Err(ApiError::token_needed());
    }
    let (limit, after) = (limit(params.limit)?, cursor(params.cursor.as_ref())?);
    let query = ListQuery { limit, after, filter: params.filter()? };
    let (tapes, next) = answers::<_, TapeAnswer>(
        query_store(&state, move |store| {
            let filter = query.filter.clone().resolved(store, Audience::Owner)?;
            store.tapes(&ListQuery { filter, ..query })
        })
        .await?,
    );
    json(&headers, &TapePage { tapes, next })
}
