//! Edits: names, notes, tags, excluded and deleted flags; the privacy of drivers; names of tracks and cars.

use std::time::Duration;

use axum::body::{Body, to_bytes};
use axum::extract::{Extension, FromRequest, Request, State};
use axum::http::{HeaderMap, StatusCode, header};
use axum::response::{IntoResponse, Response};
use gametape::laps::Id;
use gametape::store::{DriverEdit, Edit, StoredLap, Visibility};
use serde::de::DeserializeOwned;
use serde::{Deserialize, Deserializer};
use utoipa::ToSchema;

use super::access::Caller;
use super::answers::SessionAnswer;
use super::blocking::query_store;
use super::error::{ApiError, Problem};
use super::etag::json;
use super::guard::may_write;
use super::lap_answer::LapAnswer;
use super::live::Kind;
use super::params::{Named, NoParams, Params};
use super::reading::id_of;
use super::state::AppState;

/// The largest body of an edit.
const LARGEST_BODY: usize = 64 << 10;
/// How long a body may take to arrive.
const BODY_TIMEOUT: Duration = Duration::from_secs(10);

type Answer = Result<Response, ApiError>;

/// The body of an edit, read only after the caller was authorized.
pub(super) struct Allowed<T>(pub(super) T);

impl<T: DeserializeOwned> FromRequest<AppState> for Allowed<T> {
    type Rejection = ApiError;

    async fn from_request(request: Request, state: &AppState) -> Result<Self, ApiError> {
        let caller = request.extensions().get::<Caller>().copied().ok_or_else(ApiError::token_needed)?;
        may_write(state, caller, request.headers())?;
        let kind = request.headers().get(header::CONTENT_TYPE).and_then(|kind| kind.to_str().ok()).unwrap_or_default();
        let kind = kind.split(';').next().unwrap_or_default().trim();
        // An HTML form of another site can send other content types without a CORS preflight.
        if !kind.eq_ignore_ascii_case("application/json") {
            return Err(ApiError::wrong_type());
        }
        let body = read_body(request.into_body()).await?;
        // Serde would also accept an array of the values in order for a struct; only objects are allowed.
        let object: serde_json::Map<String, serde_json::Value> =
            serde_json::from_slice(&body).map_err(|error| ApiError::bad_request(error.to_string()))?;
        let edit = serde_json::from_value(serde_json::Value::Object(object));
        edit.map(Self).map_err(|error| ApiError::bad_request(error.to_string()))
    }
}

async fn read_body(body: Body) -> Result<axum::body::Bytes, ApiError> {
    match tokio::time::timeout(BODY_TIMEOUT, to_bytes(body, LARGEST_BODY)).await {
        Ok(Ok(body)) => Ok(body),
        Ok(Err(_)) => Err(ApiError::too_large(format!("the body of an edit must be at most {LARGEST_BODY} bytes"))),
        Err(_) => Err(ApiError::slow_body()),
    }
}

/// Distinguishes `null`, which removes a value, from a missing field, which leaves it unchanged.
fn some<'de, T: Deserialize<'de>, D: Deserializer<'de>>(deserializer: D) -> Result<Option<Option<T>>, D::Error> {
    Option::deserialize(deserializer).map(Some)
}

/// An edit of a lap. Missing fields stay unchanged.
#[derive(Debug, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub(super) struct LapEdit {
    /// Exclude it from bests and statistics, or include it again
    excluded: Option<bool>,
    /// Its name; null removes it
    #[serde(default, deserialize_with = "some")]
    #[schema(value_type = Option<String>, max_length = 200)]
    name: Option<Option<String>>,
    /// Its note; null removes it
    #[serde(default, deserialize_with = "some")]
    #[schema(value_type = Option<String>, max_length = 10000)]
    note: Option<Option<String>>,
    /// Replaces all tags
    #[schema(max_items = 50)]
    tags: Option<Vec<String>>,
    /// Delete or restore it
    deleted: Option<bool>,
}

/// An edit of a session. Missing fields stay unchanged.
#[derive(Debug, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub(super) struct SessionEdit {
    /// Its name; null removes it
    #[serde(default, deserialize_with = "some")]
    #[schema(value_type = Option<String>, max_length = 200)]
    name: Option<Option<String>>,
    /// Its note; null removes it
    #[serde(default, deserialize_with = "some")]
    #[schema(value_type = Option<String>, max_length = 10000)]
    note: Option<Option<String>>,
    /// Replaces all tags
    #[schema(max_items = 50)]
    tags: Option<Vec<String>>,
    /// Delete or restore it
    deleted: Option<bool>,
    /// Its laps are someone else's and never a personal best, or the user's own
    foreign: Option<bool>,
}

/// An edit of a driver. Missing fields stay unchanged.
#[derive(Debug, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub(super) struct DriverChange {
    /// Display name; null removes it
    #[serde(default, deserialize_with = "some")]
    #[schema(value_type = Option<String>, max_length = 200)]
    name: Option<Option<String>>,
    /// public, unlisted or private
    #[schema(pattern = "^(public|unlisted|private)$")]
    privacy: Option<String>,
}

/// The name of a track or a car.
#[derive(Debug, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub(super) struct Naming {
    /// Game id
    #[schema(min_length = 1, max_length = 200)]
    game: String,
    /// The track or the car, as named by the game
    #[schema(min_length = 1, max_length = 200)]
    id: String,
    /// Display name; null removes it
    #[schema(max_length = 200)]
    name: Option<String>,
}

async fn edited_lap(state: &AppState, headers: &HeaderMap, id: Id, edit: Edit) -> Answer {
    let found: StoredLap = query_store(state, move |store| store.edit_lap(id, &edit)).await?;
    // An unlisted lap is visible only to clients that know its id, so the edit is not published.
    let public = found.visibility == Visibility::Public;
    let data = serde_json::json!({ "lap": id.to_string(), "session": found.lap.session.to_string() });
    state.hub.publish(Kind::LapEdited, &data, public.then_some(&data));
    json(headers, &LapAnswer::from(found))
}

/// Edits a lap.
#[utoipa::path(patch, path = "/api/v1/laps/{id}", tag = "edits", request_body = LapEdit,
    params(("id" = String, Path, description = "Lap id", pattern = "^[0-9a-f]{32}$")),
    responses((status = 200, body = LapAnswer), (status = 304), (status = "4XX", body = Problem), (status = 503, body = Problem)))]
pub(super) async fn edit_lap(
    State(state): State<AppState>,
    Named(id): Named,
    _: Params<NoParams>,
    headers: HeaderMap,
    Allowed(edit): Allowed<LapEdit>,
) -> Answer {
    let LapEdit { excluded, name, note, tags, deleted } = edit;
    edited_lap(&state, &headers, id_of(&id)?, Edit { excluded, name, note, tags, deleted, foreign: None }).await
}

/// Deletes a lap. `PATCH` with `{"deleted": false}` restores it.
#[utoipa::path(delete, path = "/api/v1/laps/{id}", tag = "edits",
    params(("id" = String, Path, description = "Lap id", pattern = "^[0-9a-f]{32}$")),
    responses((status = 200, body = LapAnswer), (status = 304), (status = "4XX", body = Problem), (status = 503, body = Problem)))]
pub(super) async fn delete_lap(
    State(state): State<AppState>,
    Extension(caller): Extension<Caller>,
    Named(id): Named,
    _: Params<NoParams>,
    headers: HeaderMap,
) -> Answer {
    may_write(&state, caller, &headers)?;
    edited_lap(&state, &headers, id_of(&id)?, Edit { deleted: Some(true), ..Edit::default() }).await
}

async fn edited_session(state: &AppState, headers: &HeaderMap, id: Id, edit: Edit) -> Answer {
    let found = query_store(state, move |store| store.edit_session(id, &edit)).await?;
    let public = found.visibility == Visibility::Public;
    let data = serde_json::json!({ "session": id.to_string() });
    state.hub.publish(Kind::SessionEdited, &data, public.then_some(&data));
    json(headers, &SessionAnswer::from(found))
}

/// Edits a session.
#[utoipa::path(patch, path = "/api/v1/sessions/{id}", tag = "edits", request_body = SessionEdit,
    params(("id" = String, Path, description = "Session id", pattern = "^[0-9a-f]{32}$")),
    responses((status = 200, body = SessionAnswer), (status = 304), (status = "4XX", body = Problem), (status = 503, body = Problem)))]
pub(super) async fn edit_session(
    State(state): State<AppState>,
    Named(id): Named,
    _: Params<NoParams>,
    headers: HeaderMap,
    Allowed(edit): Allowed<SessionEdit>,
) -> Answer {
    let SessionEdit { name, note, tags, deleted, foreign } = edit;
    edited_session(&state, &headers, id_of(&id)?, Edit { excluded: None, name, note, tags, deleted, foreign }).await
}

/// Deletes a session with its laps. `PATCH` with `{"deleted": false}` restores it.
#[utoipa::path(delete, path = "/api/v1/sessions/{id}", tag = "edits",
    params(("id" = String, Path, description = "Session id", pattern = "^[0-9a-f]{32}$")),
    responses((status = 200, body = SessionAnswer), (status = 304), (status = "4XX", body = Problem), (status = 503, body = Problem)))]
pub(super) async fn delete_session(
    State(state): State<AppState>,
    Extension(caller): Extension<Caller>,
    Named(id): Named,
    _: Params<NoParams>,
    headers: HeaderMap,
) -> Answer {
    may_write(&state, caller, &headers)?;
    edited_session(&state, &headers, id_of(&id)?, Edit { deleted: Some(true), ..Edit::default() }).await
}

/// Edits a driver: display name and privacy.
#[utoipa::path(patch, path = "/api/v1/drivers/{driver}", tag = "edits", request_body = DriverChange,
    params(("driver" = String, Path, description = "Driver, as named by the game", min_length = 1, max_length = 200)),
    responses((status = 204), (status = "4XX", body = Problem), (status = 503, body = Problem)))]
pub(super) async fn edit_driver(
    State(state): State<AppState>,
    Named(driver): Named,
    _: Params<NoParams>,
    Allowed(edit): Allowed<DriverChange>,
) -> Answer {
    if driver.chars().count() > 200 {
        return Err(ApiError::bad_request("the driver's name is too long"));
    }
    let wrong = || ApiError::bad_request("privacy must be public, unlisted or private");
    let visibility = edit.privacy.map(|word| Visibility::parse(&word).ok_or_else(wrong)).transpose()?;
    let edit = DriverEdit { name: edit.name, visibility };
    query_store(&state, move |store| store.edit_driver(&driver, &edit)).await?;
    if visibility.is_some() {
        state.hub.forget_public();
        state.car.set_public(None);
    }
    Ok(StatusCode::NO_CONTENT.into_response())
}

/// Sets the display name of a track.
#[utoipa::path(patch, path = "/api/v1/tracks", tag = "edits", request_body = Naming,
    responses((status = 204), (status = "4XX", body = Problem), (status = 503, body = Problem)))]
pub(super) async fn name_track(
    State(state): State<AppState>,
    _: Params<NoParams>,
    Allowed(naming): Allowed<Naming>,
) -> Answer {
    naming.check()?;
    query_store(&state, move |store| store.name_track(&naming.game, &naming.id, naming.name.as_ref())).await?;
    Ok(StatusCode::NO_CONTENT.into_response())
}

/// Sets the display name of a car.
#[utoipa::path(patch, path = "/api/v1/cars", tag = "edits", request_body = Naming,
    responses((status = 204), (status = "4XX", body = Problem), (status = 503, body = Problem)))]
pub(super) async fn name_car(
    State(state): State<AppState>,
    _: Params<NoParams>,
    Allowed(naming): Allowed<Naming>,
) -> Answer {
    naming.check()?;
    query_store(&state, move |store| store.name_car(&naming.game, &naming.id, naming.name.as_ref())).await?;
    Ok(StatusCode::NO_CONTENT.into_response())
}

impl Naming {
    fn check(&self) -> Result<(), ApiError> {
        let fits = |text: &str| (1..=200).contains(&text.chars().count());
        match fits(&self.game) && fits(&self.id) {
            true => Ok(()),
            false => Err(ApiError::bad_request("game and id must have 1 to 200 characters")),
        }
    }
}
