//! The OpenAPI description, generated from the code.

use axum::http::HeaderMap;
use axum::response::Response;
use utoipa::OpenApi;
use utoipa::openapi::security::{Http, HttpAuthScheme, SecurityScheme};

use super::error::{ApiError, Problem};
use super::etag::json;
use super::params::{NoParams, Params};
use super::{
    channels, edits, health, import, live_routes, matches, playback_routes, push, reading, standings, tape_export,
    tape_file, tapes,
};

#[derive(OpenApi)]
#[openapi(
    info(title = "gametape", description = "Sessions, laps and bests. Unknown values are null, never 0. Times are in milliseconds or, with \
        `_ns`, in nanoseconds since the start of the tape."),
    paths(
        reading::sessions, reading::session, standings::standings, reading::laps, reading::lap, reading::bests, reading::tracks, reading::cars,
        reading::drivers, reading::progress, matches::matches, matches::match_on, reading::tapes, tapes::inside, tapes::overview, tape_file::file, tape_export::export,
        playback_routes::play, playback_routes::playback, playback_routes::change, playback_routes::end, channels::channels, channels::compare, channels::outline, push::session, push::tape, import::import, edits::edit_lap, edits::delete_lap, edits::edit_session,
        edits::delete_session, edits::edit_driver, edits::name_track, edits::name_car, live_routes::live,
        health::healthz, health::readyz, health::metrics, openapi
    ),
    modifiers(&Security)
)]
struct Description;

struct Security;

impl utoipa::Modify for Security {
    fn modify(&self, api: &mut utoipa::openapi::OpenApi) {
        let scheme = SecurityScheme::Http(Http::new(HttpAuthScheme::Bearer));
        api.components.get_or_insert_default().add_security_scheme("token", scheme);
    }
}

/// Returns this description.
#[utoipa::path(get, path = "/openapi.json", tag = "server", responses((status = 200, body = serde_json::Value), (status = 304),
    (status = "4XX", body = Problem)))]
pub(super) async fn openapi(headers: HeaderMap, _: Params<NoParams>) -> Result<Response, ApiError> {
    json(&headers, &description())
}

/// Builds the OpenAPI description.
pub(super) fn description() -> utoipa::openapi::OpenApi {
    Description::openapi()
}
