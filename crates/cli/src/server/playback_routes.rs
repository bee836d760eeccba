//! Endpoints for playback: on the machine of the server, one tape at a time, for callers with write access.

use std::sync::Arc;
use std::time::Duration;

use axum::extract::{Extension, State};
use axum::http::HeaderMap;
use axum::response::Response;
use gametape::play::{FASTEST, PlayError, RunningGame, SLOWEST, StageError};
use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

use super::access::Caller;
use super::edits::Allowed;
use super::error::{ApiError, Problem};
use super::etag::json;
use super::guard::may_write;
use super::params::{Named, NoParams, Params};
use super::playback::{PlayRequest, Playback, PlaybackEdit, PlaybackStatus, StartError};
use super::state::AppState;
use super::tapes::{check_owner, open, tape_id_of, unreadable};

type Answer = Result<Response, ApiError>;

/// The largest number of problems reported.
const MOST_PROBLEMS: usize = 20;

/// What to play of a tape, and how.
#[derive(Debug, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub(super) struct PlayWish {
    /// Start in nanoseconds since the start of the tape. Default: the start of the tape
    #[schema(maximum = 9_000_000_000_000_000_000_u64)]
    from_ns: Option<u64>,
    /// End, exclusive. Default: the end of the tape
    #[schema(maximum = 9_000_000_000_000_000_000_u64)]
    to_ns: Option<u64>,
    /// Initial position, if not from_ns
    #[schema(maximum = 9_000_000_000_000_000_000_u64)]
    position_ns: Option<u64>,
    /// Speed factor. Default: 1
    #[schema(minimum = 0.1, maximum = 100.0)]
    speed: Option<f64>,
    /// Whether to loop
    r#loop: Option<bool>,
}

/// A change of the playback. Missing fields stay unchanged.
#[derive(Debug, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub(super) struct PlaybackChange {
    /// Pause or resume
    paused: Option<bool>,
    /// Seek to this tape time
    #[schema(maximum = 9_000_000_000_000_000_000_u64)]
    position_ns: Option<u64>,
    /// Speed factor
    #[schema(minimum = 0.1, maximum = 100.0)]
    speed: Option<f64>,
    /// Whether to loop
    r#loop: Option<bool>,
}

/// The playback of this server.
#[derive(Debug, Serialize, ToSchema)]
pub(super) struct PlaybackAnswer {
    /// idle, playing, paused, ended or failed
    state: &'static str,
    /// Tape id.
    tape: Option<String>,
    game: Option<&'static str>,
    position_ns: Option<u64>,
    /// Start of the played range.
    from_ns: Option<u64>,
    to_ns: Option<u64>,
    speed: Option<f64>,
    r#loop: Option<bool>,
    /// Notes for the user: streams that are not played, a port that is taken, why it failed.
    notes: Vec<String>,
    /// Frames shown; only after the end.
    frames: Option<u64>,
    /// Frames that could not be read; only after the end.
    lost: Option<u64>,
    /// Damage; only after the end.
    problems: Vec<String>,
}

fn nanoseconds(duration: Duration) -> u64 {
    u64::try_from(duration.as_nanos()).unwrap_or(u64::MAX)
}

impl PlaybackAnswer {
    fn of(status: Option<PlaybackStatus>) -> Self {
        let Some(status) = status else {
            return Self {
                state: "idle",
                tape: None,
                game: None,
                position_ns: None,
                from_ns: None,
                to_ns: None,
                speed: None,
                r#loop: None,
                notes: Vec::new(),
                frames: None,
                lost: None,
                problems: Vec::new(),
            };
        };
        let problems = status.played.as_ref().map(|played| &played.problems);
        Self {
            state: status.state,
            tape: Some(status.tape.to_string()),
            game: Some(status.game),
            position_ns: Some(nanoseconds(status.position)),
            from_ns: Some(nanoseconds(status.from)),
            to_ns: Some(nanoseconds(status.to)),
            speed: Some(status.speed),
            r#loop: Some(status.looping),
            notes: status.notes,
            frames: status.played.as_ref().map(|played| played.frames),
            lost: status.played.as_ref().map(|played| played.lost),
            problems: problems.into_iter().flatten().take(MOST_PROBLEMS).cloned().collect(),
        }
    }
}

fn speed_of(speed: Option<f64>) -> Result<Option<f64>, ApiError> {
    match speed {
        Some(speed) if !(SLOWEST..=FASTEST).contains(&speed) => {
            Err(ApiError::bad_request(format!("speed must be between {SLOWEST} and {FASTEST}")))
        }
        speed => Ok(speed),
    }
}

fn duration(ns: Option<u64>) -> Option<Duration> {
    ns.map(Duration::from_nanos)
}

async fn with_playback<T: Send + 'static>(
    state: &AppState,
    work: impl FnOnce(&Playback) -> T + Send + 'static,
) -> Result<T, ApiError> {
    let playback = Arc::clone(&state.playback);
    Ok(tokio::task::spawn_blocking(move || work(&playback)).await?)
}

/// Returns the playback of this server.
#[utoipa::path(get, path = "/api/v1/playback", operation_id = "playback", tag = "tapes",
    responses((status = 200, body = PlaybackAnswer), (status = 304), (status = "4XX", body = Problem)))]
pub(super) async fn playback(
    State(state): State<AppState>,
    Extension(caller): Extension<Caller>,
    headers: HeaderMap,
    _: Params<NoParams>,
) -> Answer {
    check_owner(&state, caller)?;
    let status = with_playback(&state, Playback::status).await?;
    json(&headers, &PlaybackAnswer::of(status))
}

/// Plays a tape on the machine of this server, as `gametape play` does: programs there see a running game. Refused while a game
/// is running or a tape is playing.
#[utoipa::path(post, path = "/api/v1/tapes/{id}/play", operation_id = "tape_play", tag = "tapes", request_body = PlayWish,
    params(("id" = String, Path, description = "Tape id", pattern = "^[0-9a-f]{32}$")),
    responses((status = 200, body = PlaybackAnswer), (status = 304), (status = "4XX", body = Problem), (status = 503, body = Problem)))]
pub(super) async fn play(
    State(state): State<AppState>,
    Named(id): Named,
    _: Params<NoParams>,
    headers: HeaderMap,
    Allowed(wish): Allowed<PlayWish>,
) -> Answer {
    let id = tape_id_of(&id)?;
    let (from, to) = (duration(wish.from_ns), duration(wish.to_ns));
    if to.is_some_and(|to| to <= from.unwrap_or_default()) {
        return Err(ApiError::bad_request("to_ns must be later than from_ns"));
    }
    let speed = speed_of(wish.speed)?.unwrap_or(1.0);
    let looping = wish.r#loop.unwrap_or_default();
    let wanted = PlayRequest { from, to, speed, looping, at: duration(wish.position_ns) };
    let store = Arc::clone(&state.store);
    let status = with_playback(&state, move |playback| {
        let (_, tape) = open(store.as_ref(), id)?;
        playback.start(id, tape, &wanted).map_err(ApiError::from)
    })
    .await??;
    json(&headers, &PlaybackAnswer::of(Some(status)))
}

/// Changes the playback: pause, resume, seek, speed, loop.
#[utoipa::path(patch, path = "/api/v1/playback", operation_id = "change_playback", tag = "tapes", request_body = PlaybackChange,
    responses((status = 200, body = PlaybackAnswer), (status = 304), (status = "4XX", body = Problem)))]
pub(super) async fn change(
    State(state): State<AppState>,
    _: Params<NoParams>,
    headers: HeaderMap,
    Allowed(change): Allowed<PlaybackChange>,
) -> Answer {
    let PlaybackChange { paused, position_ns, speed, r#loop } = change;
    let edit = PlaybackEdit { paused, position: duration(position_ns), speed: speed_of(speed)?, looping: r#loop };
    let status = with_playback(&state, move |playback| playback.change(&edit)).await?;
    let nothing = || ApiError::conflict("nothing_plays", "nothing is playing; start a tape first");
    json(&headers, &PlaybackAnswer::of(Some(status.ok_or_else(nothing)?)))
}

/// Stops the playback. Programs see the game disappear.
#[utoipa::path(delete, path = "/api/v1/playback", operation_id = "end_playback", tag = "tapes",
    responses((status = 200, body = PlaybackAnswer), (status = 304), (status = "4XX", body = Problem)))]
pub(super) async fn end(
    State(state): State<AppState>,
    Extension(caller): Extension<Caller>,
    headers: HeaderMap,
    _: Params<NoParams>,
) -> Answer {
    may_write(&state, caller, &headers)?;
    with_playback(&state, Playback::end).await?;
    json(&headers, &PlaybackAnswer::of(None))
}

impl From<StartError> for ApiError {
    fn from(error: StartError) -> Self {
        let told = error.to_string();
        match error {
            StartError::Busy { .. } => Self::conflict("already_playing", told),
            StartError::Play(PlayError::Live { found }) => {
                let code = match found {
                    RunningGame::Player { .. } => "already_playing",
                    _ => "game_running",
                };
                Self::conflict(code, format!("{found}, so nothing was written; quit it first"))
            }
            StartError::Play(PlayError::NotPlayable { .. }) => Self::conflict("not_playable", told),
            StartError::Play(PlayError::Stage(StageError::TooSmall { .. })) => Self::conflict("memory_in_use", told),
            StartError::Play(PlayError::Empty { .. } | PlayError::Speed { .. }) => Self::bad_request(told),
            StartError::Play(error) => unreadable(&error),
            StartError::Thread(error) => unreadable(&error),
        }
    }
}
