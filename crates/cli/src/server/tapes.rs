//! Endpoints for a tape of the catalogue: its contents, and its channels as minima and maxima over time. Only for the owner:
//! the driver of a tape is not known before it is tracked. The file is the one listed in the catalogue; no part of a request
//! becomes a path.

use axum::extract::{Extension, State};
use axum::http::HeaderMap;
use axum::response::Response;
use gametape::format::TapeId;
use gametape::format::read::{ReadError, Tape};
use gametape::store::{Audience, CataloguedTape, Filter, LARGEST_PAGE, ListQuery, SessionDetail, Store};

use super::access::Caller;
use super::channels::read_tapes;
use super::error::{ApiError, Problem};
use super::etag::json;
use super::params::{Named, NoParams, Params};
use super::reading::id_of;
use super::state::AppState;
use super::tape_channels::Channel;
use super::tapes_answers::{OverviewAnswer, OverviewChannel, TapeInside};
use super::tapes_params::OverviewParams;

type Answer = Result<Response, ApiError>;

/// Rejects everyone but the owner.
pub(super) fn check_owner(state: &AppState, caller: Caller) -> Result<(), ApiError> {
    match state.access.audience(caller)? {
        Audience::Owner => Ok(()),
        Audience::Public => Err(ApiError::token_needed()),
    }
}

/// Parses the id of a tape from a path.
pub(super) fn tape_id_of(text: &str) -> Result<TapeId, ApiError> {
    id_of(text).map(|id| TapeId(id.0))
}

fn out_of_reach() -> ApiError {
    let message = "the file of this tape is not available: it was moved or deleted, or is on another machine";
    ApiError::not_there("tape_not_in_reach", message)
}

/// Opens a tape of the catalogue, if its file still exists and is still this tape.
pub(super) fn open(store: &dyn Store, id: TapeId) -> Result<(CataloguedTape, Tape), ApiError> {
    let known = store.tape(id)?.ok_or_else(|| ApiError::not_found("tape"))?;
    // The same path may exist on this machine with another tape.
    let path = std::path::Path::new(&known.path);
    if !path.is_file() {
        return Err(out_of_reach());
    }
    let tape = Tape::open(path).map_err(|error| {
        crate::cli::tell(&format!("serve: {error}"));
        out_of_reach()
    })?;
    match tape.id() == Some(id) {
        true => Ok((known, tape)),
        false => Err(out_of_reach()),
    }
}

/// Returns the sessions of a tape with their laps.
pub(super) fn sessions_on(store: &dyn Store, tape: TapeId) -> Result<Vec<SessionDetail>, ApiError> {
    let filter = Filter { tape: Some(tape), ..Filter::default() };
    let query = ListQuery { filter, limit: LARGEST_PAGE, after: None };
    let mut found = store.sessions_with_laps(&query, Audience::Owner)?.items;
    found.sort_by_key(|found| found.session.session.start_ns);
    Ok(found)
}

/// The system error may contain file names, so it goes to the log only.
pub(super) fn unreadable(error: &dyn std::fmt::Display) -> ApiError {
    crate::cli::tell(&format!("serve: {error}"));
    ApiError::not_there("tape_not_readable", "this tape cannot be read; see the server's log")
}

/// Returns a tape with its streams and channels, sessions and laps, marks, and problems.
#[utoipa::path(get, path = "/api/v1/tapes/{id}", operation_id = "tape_inside", tag = "tapes",
    params(("id" = String, Path, description = "Tape id", pattern = "^[0-9a-f]{32}$")),
    responses((status = 200, body = TapeInside), (status = 304), (status = "4XX", body = Problem), (status = 503, body = Problem)))]
pub(super) async fn inside(
    State(state): State<AppState>,
    Extension(caller): Extension<Caller>,
    headers: HeaderMap,
    Named(id): Named,
    _: Params<NoParams>,
) -> Answer {
    check_owner(&state, caller)?;
    let id = tape_id_of(&id)?;
    read_tapes(&state, move |store| {
        let (known, tape) = open(store, id)?;
        json(&headers, &TapeInside::of(known, &tape, sessions_on(store, id)?, store.match_on(id)?.is_some()))
    })
    .await
}

/// Returns the minimum and maximum of channels in equal time buckets. Long ranges are read from the tape's index; shorter
/// ranges have a finer resolution.
#[utoipa::path(get, path = "/api/v1/tapes/{id}/overview", operation_id = "tape_overview", tag = "tapes",
    params(("id" = String, Path, description = "Tape id", pattern = "^[0-9a-f]{32}$"), OverviewParams),
    responses((status = 200, body = OverviewAnswer), (status = 304), (status = "4XX", body = Problem), (status = 503, body = Problem)))]
pub(super) async fn overview(
    State(state): State<AppState>,
    Extension(caller): Extension<Caller>,
    headers: HeaderMap,
    Named(id): Named,
    Params(params): Params<OverviewParams>,
) -> Answer {
    check_owner(&state, caller)?;
    let id = tape_id_of(&id)?;
    let asked = params.checked()?;
    read_tapes(&state, move |store| {
        let (_, tape) = open(store, id)?;
        let chosen = match asked.names.is_empty() {
            true => Channel::usual(&tape),
            false => asked.names.iter().map(|name| Channel::find(&tape, name)).collect::<Result<_, _>>()?,
        };
        let mut channels = Vec::with_capacity(chosen.len());
        for channel in chosen {
            let found = tape.overview(
                channel.stream,
                &channel.channel.name,
                channel.element,
                asked.times.clone(),
                asked.points,
            );
            let buckets = found.map_err(|error: ReadError| unreadable(&error))?;
            channels.push(OverviewChannel::of(&channel, &buckets, &asked.times));
        }
        json(&headers, &OverviewAnswer::of(&tape, &asked.times, channels))
    })
    .await
}
