//! Read endpoints: sessions, laps, bests, tracks, cars, drivers, progress, tapes.

use axum::extract::{Extension, FromRequestParts};
use axum::http::HeaderMap;
use axum::http::request::Parts;
use axum::response::Response;
use gametape::laps::Id;
use gametape::store::{Audience, Filter, LapQuery, ListQuery, Page, ProgressQuery, Store, StoreError};
use serde::Serialize;

use super::access::Caller;
use super::answers::{
    BestPage, CarPage, DriverPage, LapPage, ProgressPage, SessionAnswer, SessionPage, TapePage, TrackPage,
};
use super::blocking::query_store;
use super::error::{ApiError, Problem};
use super::etag::json;
use super::filters::{LapParams, ListParams, OneParams, ProgressParams, SessionParams, TapeParams};
use super::lap_answer::LapAnswer;
use super::params::{Named, Params, cursor, limit, sort};
use super::state::AppState;

type Answer = Result<Response, ApiError>;

/// Parses an id from a path.
pub(super) fn id_of(text: &str) -> Result<Id, ApiError> {
    Id::parse(text).ok_or_else(|| ApiError::bad_request("an id has 32 hexadecimal digits"))
}

/// A request to read from the store, by someone who may.
pub(super) struct Reader {
    state: AppState,
    audience: Audience,
    headers: HeaderMap,
}

impl FromRequestParts<AppState> for Reader {
    type Rejection = ApiError;

    async fn from_request_parts(parts: &mut Parts, state: &AppState) -> Result<Self, ApiError> {
        let caller = Extension::<Caller>::from_request_parts(parts, state).await;
        let Extension(caller) = caller.map_err(|error| ApiError::bad_request(error.to_string()))?;
        let audience = state.access.audience(caller)?;
        Ok(Self { state: state.clone(), audience, headers: parts.headers.clone() })
    }
}

/// A query with a filter.
trait Filtered: Send + 'static {
    fn filter(&mut self) -> &mut Filter;
}

impl Filtered for ListQuery {
    fn filter(&mut self) -> &mut Filter {
        &mut self.filter
    }
}

impl Filtered for LapQuery {
    fn filter(&mut self) -> &mut Filter {
        &mut self.filter
    }
}

impl Filtered for ProgressQuery {
    fn filter(&mut self) -> &mut Filter {
        &mut self.filter
    }
}

impl Reader {
    /// Reads a page of a list. Returns its items, and the cursor of the next page.
    async fn page<Q: Filtered, T: Send + 'static, A: From<T>>(
        &self,
        mut query: Q,
        read: impl FnOnce(&(dyn Store + 'static), &Q, Audience) -> Result<Page<T>, StoreError> + Send + 'static,
    ) -> Result<(Vec<A>, Option<String>), ApiError> {
        let audience = self.audience;
        // Rejects requests for deleted items unless they come from the owner.
        if query.filter().deleted {
            self.owner_only()?;
        }
        let page = query_store(&self.state, move |store| {
            *query.filter() = std::mem::take(query.filter()).resolved(store, audience)?;
            read(store, &query, audience)
        });
        let page = page.await?;
        Ok((page.items.into_iter().map(A::from).collect(), page.next.map(|cursor| cursor.to_string())))
    }

    pub(super) fn state(&self) -> &AppState {
        &self.state
    }

    pub(super) fn audience(&self) -> Audience {
        self.audience
    }

    pub(super) fn owner_only(&self) -> Result<(), ApiError> {
        match self.audience {
            Audience::Owner => Ok(()),
            Audience::Public => Err(ApiError::token_needed()),
        }
    }

    pub(super) fn json<T: Serialize>(&self, answer: &T) -> Answer {
        json(&self.headers, answer)
    }
}

/// The largest page of sessions with all their laps, since a session can have hundreds.
const MOST_WITH_LAPS: u32 = 20;

/// Lists sessions, newest first.
#[utoipa::path(get, path = "/api/v1/sessions", tag = "laps", params(SessionParams),
    responses((status = 200, body = SessionPage), (status = 304), (status = "4XX", body = Problem), (status = 503, body = Problem)))]
pub(super) async fn sessions(Params(params): Params<SessionParams>, reader: Reader) -> Answer {
    let with_laps = params.laps.unwrap_or_default();
    let (limit, after) = (limit(params.limit)?, cursor(params.cursor.as_ref())?);
    if with_laps && limit > MOST_WITH_LAPS {
        return Err(ApiError::bad_request("with laps=true a page has at most 20 sessions"));
    }
    let query = ListQuery { limit, after, filter: params.filter()? };
    let (sessions, next) = match with_laps {
        true => reader.page(query, <dyn Store>::sessions_with_laps).await?,
        false => reader.page(query, <dyn Store>::sessions).await?,
    };
    reader.json(&SessionPage { sessions, next })
}

/// Returns a session with its stints and laps.
#[utoipa::path(get, path = "/api/v1/sessions/{id}", tag = "laps",
    params(("id" = String, Path, description = "Session id", pattern = "^[0-9a-f]{32}$"), OneParams),
    responses((status = 200, body = SessionAnswer), (status = 304), (status = "4XX", body = Problem), (status = 503, body = Problem)))]
pub(super) async fn session(Named(id): Named, Params(params): Params<OneParams>, reader: Reader) -> Answer {
    let (id, audience) = (id_of(&id)?, reader.audience);
    let deleted = params.deleted.unwrap_or_default();
    if deleted {
        reader.owner_only()?;
    }
    let found = query_store(&reader.state, move |store| store.session(id, audience)).await?;
    let found = found.filter(|found| deleted || found.session.remarks.deleted_us.is_none());
    reader.json(&SessionAnswer::from(found.ok_or_else(|| ApiError::not_found("session"))?))
}

/// Lists laps.
#[utoipa::path(get, path = "/api/v1/laps", tag = "laps", params(LapParams),
    responses((status = 200, body = LapPage), (status = 304), (status = "4XX", body = Problem), (status = 503, body = Problem)))]
pub(super) async fn laps(Params(params): Params<LapParams>, reader: Reader) -> Answer {
    let (limit, after) = (limit(params.limit)?, cursor(params.cursor.as_ref())?);
    let query = LapQuery { limit, after, sort: sort(params.sort.as_ref())?, filter: params.filter()? };
    let (laps, next) = reader.page(query, <dyn Store>::laps).await?;
    reader.json(&LapPage { laps, next })
}

/// Returns a lap.
#[utoipa::path(get, path = "/api/v1/laps/{id}", tag = "laps",
    params(("id" = String, Path, description = "Lap id", pattern = "^[0-9a-f]{32}$"), OneParams),
    responses((status = 200, body = LapAnswer), (status = 304), (status = "4XX", body = Problem), (status = 503, body = Problem)))]
pub(super) async fn lap(Named(id): Named, Params(params): Params<OneParams>, reader: Reader) -> Answer {
    let (id, audience) = (id_of(&id)?, reader.audience);
    let deleted = params.deleted.unwrap_or_default();
    if deleted {
        reader.owner_only()?;
    }
    let found = query_store(&reader.state, move |store| store.lap(id, audience)).await?;
    let found = found.filter(|found| deleted || !found.gone);
    reader.json(&LapAnswer::from(found.ok_or_else(|| ApiError::not_found("lap"))?))
}

fn list(params: ListParams) -> Result<ListQuery, ApiError> {
    let (limit, after) = (limit(params.limit)?, cursor(params.cursor.as_ref())?);
    Ok(ListQuery { limit, after, filter: params.filter()? })
}

/// Lists the best lap of each driver in each car on each track.
#[utoipa::path(get, path = "/api/v1/bests", tag = "laps", params(ListParams),
    responses((status = 200, body = BestPage), (status = 304), (status = "4XX", body = Problem), (status = 503, body = Problem)))]
pub(super) async fn bests(Params(params): Params<ListParams>, reader: Reader) -> Answer {
    let (bests, next) = reader.page(list(params)?, <dyn Store>::bests).await?;
    reader.json(&BestPage { bests, next })
}

/// Lists driven tracks.
#[utoipa::path(get, path = "/api/v1/tracks", tag = "laps", params(ListParams),
    responses((status = 200, body = TrackPage), (status = 304), (status = "4XX", body = Problem), (status = 503, body = Problem)))]
pub(super) async fn tracks(Params(params): Params<ListParams>, reader: Reader) -> Answer {
    let (tracks, next) = reader.page(list(params)?, <dyn Store>::tracks).await?;
    reader.json(&TrackPage { tracks, next })
}

/// Lists driven cars.
#[utoipa::path(get, path = "/api/v1/cars", tag = "laps", params(ListParams),
    responses((status = 200, body = CarPage), (status = 304), (status = "4XX", body = Problem), (status = 503, body = Problem)))]
pub(super) async fn cars(Params(params): Params<ListParams>, reader: Reader) -> Answer {
    let (cars, next) = reader.page(list(params)?, <dyn Store>::cars).await?;
    reader.json(&CarPage { cars, next })
}

/// Lists drivers.
#[utoipa::path(get, path = "/api/v1/drivers", tag = "laps", params(ListParams),
    responses((status = 200, body = DriverPage), (status = 304), (status = "4XX", body = Problem), (status = 503, body = Problem)))]
pub(super) async fn drivers(Params(params): Params<ListParams>, reader: Reader) -> Answer {
    let (drivers, next) = reader.page(list(params)?, <dyn Store>::drivers).await?;
    reader.json(&DriverPage { drivers, next })
}

/// Lists the best and the median time of each day, per car and track.
#[utoipa::path(get, path = "/api/v1/progress", tag = "laps", params(ProgressParams),
    responses((status = 200, body = ProgressPage), (status = 304), (status = "4XX", body = Problem), (status = 503, body = Problem)))]
pub(super) async fn progress(Params(params): Params<ProgressParams>, reader: Reader) -> Answer {
    let (limit, after) = (limit(params.limit)?, cursor(params.cursor.as_ref())?);
    let utc_offset_min = params.utc_offset_min.unwrap_or_default();
    if !(-840..=840).contains(&utc_offset_min) {
        return Err(ApiError::bad_request("utc_offset_min must be between -840 and 840"));
    }
    let query = ProgressQuery { limit, after, utc_offset_min, filter: params.filter()? };
    let (days, next) = reader.page(query, <dyn Store>::progress).await?;
    reader.json(&ProgressPage { days, next })
}

/// Lists tapes. Only for the owner: the driver of a tape is not known before it is tracked.
#[utoipa::path(get, path = "/api/v1/tapes", tag = "tapes", params(TapeParams),
    responses((status = 200, body = TapePage), (status = 304), (status = "4XX", body = Problem), (status = 503, body = Problem)))]
pub(super) async fn tapes(Params(params): Params<TapeParams>, reader: Reader) -> Answer {
    reader.owner_only()?;
    let (limit, after) = (limit(params.limit)?, cursor(params.cursor.as_ref())?);
    let query = ListQuery { limit, after, filter: params.filter()? };
    let (tapes, next) = reader.page(query, |store, query, _| store.tapes(query)).await?;
    reader.json(&TapePage { tapes, next })
}
