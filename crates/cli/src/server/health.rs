//! Liveness, readiness and metrics.

use axum::Json;
use axum::extract::{Extension, State};
use axum::http::header;
use axum::response::{IntoResponse, Response};
use gametape::store::Audience;
use serde::Serialize;
use utoipa::ToSchema;

use super::access::Caller;
use super::blocking::query_store;
use super::error::{ApiError, Problem};
use super::params::{NoParams, Params};
use super::state::AppState;

/// The state of the server.
#[derive(Debug, Serialize, ToSchema)]
pub(super) struct Health {
    /// Always `ok`
    status: &'static str,
}

/// Liveness: the process is running.
#[utoipa::path(get, path = "/healthz", tag = "server", responses((status = 200, body = Health), (status = "4XX", body = Problem)))]
pub(super) async fn healthz(_: Params<NoParams>) -> Json<Health> {
    Json(Health { status: "ok" })
}

/// Readiness: the store responds too.
#[utoipa::path(get, path = "/readyz", tag = "server",
    responses((status = 200, body = Health), (status = "4XX", body = Problem), (status = 503, body = Problem)))]
pub(super) async fn readyz(State(state): State<AppState>, _: Params<NoParams>) -> Result<Json<Health>, ApiError> {
    query_store(&state, |store| store.ready()).await?;
    Ok(Json(Health { status: "ok" }))
}

/// Metrics in the Prometheus text format. Not public, since they reveal the activity of others.
#[utoipa::path(get, path = "/metrics", tag = "server",
    responses((status = 200, body = String, content_type = "text/plain"), (status = "4XX", body = Problem)))]
pub(super) async fn metrics(
    State(state): State<AppState>,
    Extension(caller): Extension<Caller>,
    _: Params<NoParams>,
) -> Result<Response, ApiError> {
    if state.access.audience(caller)? != Audience::Owner {
        return Err(ApiError::token_needed());
    }
    Ok(([(header::CONTENT_TYPE, "text/plain; version=0.0.4")], state.metrics.text()).into_response())
}
