//! Lap telemetry: channels as columns, lap comparison, and the outline of a track. Frames are read from tapes on blocking threads,
//! a few at a time.

use std::sync::Arc;
use std::time::Duration;

use axum::extract::{Extension, State};
use axum::http::HeaderMap;
use axum::response::Response;
use gametape::format::read::Tape;
use gametape::laps::columns::columns;
use gametape::laps::compare::{FineGrid, compare as compare_laps};
use gametape::laps::{Column, ColumnsError, Grid, Id, LapColumns};
use gametape::store::{Audience, Filter, ListQuery, NameFilter, Store, StoredLap, catalogue};
use tokio::sync::Semaphore;

use super::access::Caller;
use super::blocking::query_store;
use super::channels_answers::{ChannelsAnswer, CompareAnswer, OutlineAnswer};
use super::channels_params::{ChannelsParams, CompareParams, OutlineParams, Rows};
use super::error::{ApiError, Problem};
use super::etag::json;
use super::lap_answer::LapAnswer;
use super::params::{Named, Params};
use super::reading::id_of;
use super::state::AppState;

/// How long a request waits for its turn.
const WAIT_FOR_TURN: Duration = Duration::from_secs(20);

/// The number of tapes read at once by all requests: reading occupies a whole core.
static READS: Semaphore = Semaphore::const_new(2);
/// Channels used to find corners.
const FOR_CORNERS: [&str; 2] = ["speed_kmh", "brake"];

/// Lengths of laps of the same track differ by at most this fraction between a game and a logger.
const SAME_LENGTH: f32 = 0.03;

type Answer = Result<Response, ApiError>;

/// Returns a lap that the caller may see.
fn lap_of(store: &dyn Store, id: Id, audience: Audience) -> Result<StoredLap, ApiError> {
    let found = store.lap(id, audience)?.filter(|found| !found.gone);
    found.ok_or_else(|| ApiError::not_found("lap"))
}

fn length_of(store: &dyn Store, lap: &StoredLap) -> Result<Option<f32>, ApiError> {
    let Some(track) = &lap.combination.track else { return Ok(None) };
    let facts = store.track_facts(&lap.combination.game, track, lap.combination.layout.as_deref())?;
    Ok(facts.and_then(|facts| facts.length_m).filter(|length_m| *length_m > 0.0))
}

fn no_length() -> ApiError {
    ApiError::not_there(
        "length_unknown",
        "the length of this track is not known until a complete lap was driven; use hz instead of step_m",
    )
}

/// Reads the channels of a lap from its tape.
fn read(store: &dyn Store, lap: &StoredLap, names: &[String], grid: Grid) -> Result<LapColumns, ApiError> {
    let out_of_reach = || {
        let message = "the tape of this lap is not available: it was moved or deleted, or is on another machine";
        ApiError::not_there("tape_not_in_reach", message)
    };
    let path = catalogue::file_of(store, lap.tape)?.ok_or_else(out_of_reach)?;
    if lap.lap.end_ns.is_none() {
        return Err(ApiError::not_there(
            "lap_not_over",
            "this lap is still being driven; try again when it is finished",
        ));
    }
    let tape = Tape::open(&path).map_err(|error| {
        crate::cli::tell(&format!("serve: {error}"));
        out_of_reach()
    })?;
    Ok(columns(&tape, &lap.lap, names, grid)?)
}

impl From<ColumnsError> for ApiError {
    fn from(error: ColumnsError) -> Self {
        match error {
            // The system error may contain file names of this machine, so it goes to the log only.
            ColumnsError::Track(error) => {
                crate::cli::tell(&format!("serve: {error}"));
                Self::not_there("tape_not_readable", "the tape of this lap cannot be read; see the server's log")
            }
            error => Self::bad_request(error.to_string()),
        }
    }
}

/// Runs work that reads tapes, when it is its turn.
pub(super) async fn read_tapes<T: Send + 'static>(
    state: &AppState,
    work: impl FnOnce(&dyn Store) -> Result<T, ApiError> + Send + 'static,
) -> Result<T, ApiError> {
    let turn = tokio::time::timeout(WAIT_FOR_TURN, READS.acquire()).await.map_err(|_| ApiError::busy())?;
    let store = Arc::clone(&state.store);
    let done = tokio::task::spawn_blocking(move || {
        // Held until the work is done, also if the client disconnects.
        let _turn = turn;
        work(store.as_ref())
    });
    done.await?
}

/// Returns the channels of a lap: as recorded, by track position or by time.
#[utoipa::path(get, path = "/api/v1/laps/{id}/channels", tag = "laps",
    params(("id" = String, Path, description = "Lap id", pattern = "^[0-9a-f]{32}$"), ChannelsParams),
    responses((status = 200, body = ChannelsAnswer), (status = 304), (status = "4XX", body = Problem), (status = 503, body = Problem)))]
pub(super) async fn channels(
    State(state): State<AppState>,
    Extension(caller): Extension<Caller>,
    headers: HeaderMap,
    Named(id): Named,
    Params(params): Params<ChannelsParams>,
) -> Answer {
    let audience = state.access.audience(caller)?;
    let id = id_of(&id)?;
    let (names, rows) = params.checked()?;
    read_tapes(&state, move |store| {
        let lap = lap_of(store, id, audience)?;
        let length_m = length_of(store, &lap)?;
        let grid = match rows {
            Rows::Metres(step_m) => Grid::Metres { step_m, length_m: length_m.ok_or_else(no_length)?.into() },
            Rows::Hertz(hz) => Grid::Hertz(hz),
            Rows::Recorded => Grid::Recorded,
        };
        let found = read(store, &lap, &names, grid)?;
        json(&headers, &ChannelsAnswer::of(LapAnswer::from(lap), length_m, found))
    })
    .await
}

/// Compares laps by track position. The first one is the reference: a positive difference is slower.
#[utoipa::path(get, path = "/api/v1/compare", tag = "laps", params(CompareParams),
    responses((status = 200, body = CompareAnswer), (status = 304), (status = "4XX", body = Problem), (status = 503, body = Problem)))]
pub(super) async fn compare(
    State(state): State<AppState>,
    Extension(caller): Extension<Caller>,
    headers: HeaderMap,
    Params(params): Params<CompareParams>,
) -> Answer {
    let audience = state.access.audience(caller)?;
    let (ids, names, step_m) = params.checked()?;
    // Serializing a long response blocks too.
    read_tapes(&state, move |store| json(&headers, &compared(store, audience, &ids, &names, step_m)?)).await
}

fn compared(
    store: &dyn Store,
    audience: Audience,
    ids: &[Id],
    names: &[String],
    step_m: f64,
) -> Result<CompareAnswer, ApiError> {
    let laps = ids.iter().map(|id| lap_of(store, *id, audience)).collect::<Result<Vec<_>, _>>()?;
    let lengths_m = laps.iter().map(|lap| length_of(store, lap)).collect::<Result<Vec<_>, _>>()?;
    let Some(first) = laps.first() else { return Err(no_length()) };
    for (lap, other_m) in laps.iter().zip(&lengths_m) {
        if !is_comparable(first, lap, lengths_m.first().copied().flatten(), *other_m) {
            return Err(ApiError::bad_request(
                "the laps are of different tracks, layouts or games; compare laps of the same track",
            ));
        }
    }
    // A lap file may not say where it was driven.
    let length_m = lengths_m.iter().copied().flatten().next().ok_or_else(no_length)?;
    let mut read_names = names.to_vec();
    read_names
        .extend(FOR_CORNERS.iter().filter(|name| !names.iter().any(|known| known == *name)).map(|&name| name.into()));
    let fine = FineGrid::of(step_m, length_m.into());
    let grid = Grid::Metres { step_m: fine.step_m, length_m: length_m.into() };
    let mut found = laps.iter().map(|lap| read(store, lap, &read_names, grid)).collect::<Result<Vec<_>, _>>()?;
    let mut compared = compare_laps(&found, length_m.into(), fine.step_m)?;
    fine.thin(&mut compared, &mut found);
    let asked = |found: LapColumns| -> Vec<Column> { found.columns.into_iter().take(names.len()).collect() };
    let laps = laps.into_iter().zip(found).map(|(lap, found)| (LapAnswer::from(lap), asked(found)));
    Ok(CompareAnswer::of(laps.collect(), length_m, compared))
}

/// Returns whether two laps can be compared by track position. Lap files name tracks in their own way: their laps are comparable if the
/// lengths of the laps agree.
fn is_comparable(one: &StoredLap, other: &StoredLap, one_m: Option<f32>, other_m: Option<f32>) -> bool {
    let place = |lap: &StoredLap| {
        let of = &lap.combination;
        (of.game.clone(), of.track.clone(), of.layout.clone())
    };
    place(one) == place(other) || ((one.foreign || other.foreign) && is_same_length(one_m, other_m))
}

/// Returns whether two laps may be of the same track, by their lengths. An unknown length differs from none.
pub(crate) fn is_same_length(one_m: Option<f32>, other_m: Option<f32>) -> bool {
    Option::zip(one_m, other_m).is_none_or(|(one, other)| (one - other).abs() <= SAME_LENGTH * one.max(other))
}

/// Returns what is known of a track: its length, its outline, the ends of its sectors and the pit lane. Derived from laps.
#[utoipa::path(get, path = "/api/v1/tracks/outline", tag = "laps", params(OutlineParams),
    responses((status = 200, body = OutlineAnswer), (status = 304), (status = "4XX", body = Problem), (status = 503, body = Problem)))]
pub(super) async fn outline(
    State(state): State<AppState>,
    Extension(caller): Extension<Caller>,
    headers: HeaderMap,
    Params(params): Params<OutlineParams>,
) -> Answer {
    let audience = state.access.audience(caller)?;
    let (game, track, layout) = params.checked()?;
    let facts = query_store(&state, move |store| {
        // A track driven only by hidden drivers does not exist for the public.
        let filter = Filter {
            game: Some(game.clone()),
            track: Some(NameFilter::Is(track.clone())),
            layout: layout.clone().map(NameFilter::Is),
            ..Filter::default()
        };
        let seen = store.tracks(&ListQuery { filter, limit: 500, after: None }, audience)?;
        if audience == Audience::Public && !seen.items.iter().any(|found| found.layout == layout) {
            return Ok(None);
        }
        store.track_facts(&game, &track, layout.as_deref())
    })
    .await?;
    let unknown =
        || ApiError::not_there("not_learned", "this track, or this layout, is not known until a lap was driven on it");
    json(&headers, &OutlineAnswer::from(facts.ok_or_else(unknown)?))
}
