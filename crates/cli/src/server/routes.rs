//! The routes of the server.

use axum::Router;
use axum::middleware::from_fn_with_state;
use axum::routing::{get, patch, post, put};

use super::error::ApiError;
use super::guard::guard;
use super::state::AppState;
use super::{
    channels, edits, health, import, live_routes, matches, openapi, playback_routes, push, reading, standings,
    tape_export, tape_file, tapes, web,
};

/// The whole server but its socket.
pub(crate) fn app(state: AppState) -> Router {
    let api = Router::new()
        .route("/sessions", get(reading::sessions))
        .route("/sessions/{id}", get(reading::session).patch(edits::edit_session).delete(edits::delete_session))
        .route("/sessions/{id}/standings", get(standings::standings))
        .route("/laps", get(reading::laps))
        .route("/laps/{id}", get(reading::lap).patch(edits::edit_lap).delete(edits::delete_lap))
        .route("/laps/{id}/channels", get(channels::channels))
        .route("/compare", get(channels::compare))
        .route("/bests", get(reading::bests))
        .route("/tracks", get(reading::tracks).patch(edits::name_track))
        .route("/tracks/outline", get(channels::outline))
        .route("/cars", get(reading::cars).patch(edits::name_car))
        .route("/drivers", get(reading::drivers))
        .route("/drivers/{driver}", patch(edits::edit_driver))
        .route("/progress", get(reading::progress))
        .route("/matches", get(matches::matches))
        .route("/matches/{tape}", get(matches::match_on))
        .route("/tapes", get(reading::tapes))
        .route("/tapes/{id}", get(tapes::inside))
        .route("/tapes/{id}/overview", get(tapes::overview))
        .route("/tapes/{id}/file", get(tape_file::file))
        .route("/tapes/{id}/export", get(tape_export::export))
        .route("/tapes/{id}/play", post(playback_routes::play))
        .route("/playback", get(playback_routes::playback).patch(playback_routes::change).delete(playback_routes::end))
        .route("/import", post(import::import))
        .route("/push/sessions", put(push::session))
        .route("/push/tapes/{id}", put(push::tape))
        .route("/live", get(live_routes::live));
    Router::new()
        .nest("/api/v1", api)
        .route("/healthz", get(health::healthz))
        .route("/readyz", get(health::readyz))
        .route("/metrics", get(health::metrics))
        .route("/openapi.json", get(openapi::openapi))
        .fallback(web::web)
        .method_not_allowed_fallback(|| async { ApiError::wrong_method() })
        .layer(from_fn_with_state(state.clone(), guard))
        .with_state(state)
}
