//! What other gametape servers send: sessions with their laps, and tapes in pieces. For callers with write scope alone.

use std::collections::BTreeSet;
use std::time::Duration;

use axum::body::{Body, Bytes, to_bytes};
use axum::extract::{FromRequest, Request, State};
use axum::http::HeaderMap;
use axum::response::Response;
use gametape::format::TapeId;
use gametape::laps::{Id, TRACKER_ID, TRACKER_VERSION};
use gametape::store::incoming::{Arrived, Declared, IncomingError};
use gametape::store::{
    Audience, Change, DriverEdit, Edit, Parcel, Store, StoreError, StoredLap, Tracker, Visibility, Write,
};
use serde::{Deserialize, Serialize};
use utoipa::{IntoParams, ToSchema};

use super::access::Caller;
use super::error::{ApiError, Problem};
use super::etag::json;
use super::guard::may_write;
use super::live::Kind;
use super::params::{Named, NoParams, Params};
use super::reading::id_of;
use super::state::AppState;

/// The largest session as text.
const LARGEST_PARCEL: usize = 16 << 20;
/// The largest piece of a tape.
pub(crate) const LARGEST_PIECE: usize = 4 << 20;
/// How long a body may take to arrive.
const PATIENCE: Duration = Duration::from_secs(60);

type Answer = Result<Response, ApiError>;

/// A body from a caller who may write; it is read only then.
pub(super) struct FromWriter<const MOST: usize>(Bytes);

impl<const MOST: usize> FromRequest<AppState> for FromWriter<MOST> {
    type Rejection = ApiError;

    async fn from_request(request: Request, state: &AppState) -> Result<Self, ApiError> {
        let caller = request.extensions().get::<Caller>().copied().ok_or_else(ApiError::token_needed)?;
        may_write(state, caller, request.headers())?;
        let body: Body = request.into_body();
        match tokio::time::timeout(PATIENCE, to_bytes(body, MOST)).await {
            Ok(Ok(body)) => Ok(Self(body)),
            Ok(Err(_)) => Err(ApiError::too_large(format!("the body has at most {MOST} bytes"))),
            Err(_) => Err(ApiError::slow_body()),
        }
    }
}

/// What came of a session.
#[derive(Debug, Serialize, ToSchema)]
pub(super) struct SessionArrived {
    session: String,
    /// Rows that are new or others now.
    changed: usize,
    /// A newer tracker has been at this tape here, so nothing was done.
    kept_newer: bool,
}

/// Takes a session with its laps, as another server sends it. Sending it again changes nothing.
#[utoipa::path(put, path = "/api/v1/push/sessions", operation_id = "push_session", tag = "push",
    request_body(content = serde_json::Value, content_type = "application/json"),
    responses((status = 200, body = SessionArrived), (status = 304), (status = "4XX", body = Problem), (status = 503, body = Problem)))]
pub(super) async fn session(
    State(state): State<AppState>,
    _: Params<NoParams>,
    headers: HeaderMap,
    FromWriter(body): FromWriter<LARGEST_PARCEL>,
) -> Answer {
    let text = String::from_utf8(body.into()).map_err(|_| ApiError::bad_request("the body is no text"))?;
    // What a database would call damaged is a request that is wrong.
    let parcel = Parcel::unpack(&text).map_err(|error| match error {
        StoreError::Damaged { expected, found } => {
            ApiError::bad_request(format!("the session has {found:?} where {expected} should be"))
        }
        error => ApiError::bad_request(error.to_string()),
    })?;
    check_tracker(&parcel.tracker)?;
    let store = std::sync::Arc::clone(&state.store);
    let id = parcel.tracked.session.id;
    let (changed, kept_newer, public) =
        tokio::task::spawn_blocking(move || keep(store.as_ref(), parcel)).await?.map_err(ApiError::from)?;
    if changed > 0 {
        let news = serde_json::json!({ "session": id.to_string() });
        state.hub.tell(Kind::SessionChanged, &news, public.then_some(&news));
    }
    json(&headers, &SessionArrived { session: id.to_string(), changed, kept_newer })
}

/// Refuses laps of a tracker that this program cannot know: their version would keep all later laps of the tape out.
fn check_tracker(tracker: &Tracker) -> Result<(), ApiError> {
    let Tracker { id, version } = tracker;
    match id == TRACKER_ID && *version <= TRACKER_VERSION {
        true => Ok(()),
        false => {
            let id: String = id.chars().take(40).collect();
            let message = format!(
                "the laps are of tracker {id:?} version {version}; this server knows {TRACKER_ID:?} up to version {TRACKER_VERSION}: update gametape here first"
            );
            Err(ApiError::conflict("unknown_tracker", message))
        }
    }
}

/// Keeps a session: first who is hidden, then what they drove. Gives how much changed, and whether everybody may hear of it.
fn keep(store: &dyn Store, parcel: Parcel) -> Result<(usize, bool, bool), StoreError> {
    let origin = parcel.origin();
    let known = store.tracker_of(origin.tape)?;
    if known.is_some_and(|known| known.id == origin.tracker.id && known.version > origin.tracker.version) {
        return Ok((0, true, false));
    }
    for (driver, how) in &parcel.hidden {
        // Never less hidden than the owner of this server wants.
        if *how > store.visibility_of(driver)? {
            store.edit_driver(driver, &DriverEdit { name: None, visibility: Some(*how) })?;
        }
    }
    let session = parcel.tracked.session.id;
    let mut writes = vec![Write::Session(parcel.tracked.session)];
    writes.extend(parcel.tracked.stints.into_iter().map(|stint| Write::Stint(session, stint)));
    writes.extend(parcel.tracked.laps.into_iter().map(Write::Lap));
    writes.extend(parcel.facts.map(Write::Track));
    let changes = store.write(&origin, &writes)?;
    let kept = store.session(session, Audience::Owner)?;
    let laps = kept.iter().flat_map(|kept| &kept.laps);
    let taken_out = exclude(store, laps, &parcel.excluded.into_iter().collect())?;
    // As this server sees it: here the driver may be hidden though the other one does not say so.
    let public = kept.is_some_and(|kept| kept.session.visibility == Visibility::Public);
    let kept_newer = changes.contains(&Change::Superseded);
    let changed = changes.iter().filter(|change| matches!(change, Change::New | Change::Changed)).count();
    Ok((changed + taken_out, kept_newer, public))
}

/// Where it is noted which laps are excluded because their sender excludes them.
const BY_SENDER: (&str, &str) = ("sender", "excluded");

/// Excludes laps as the sender does, and takes back what it takes back; what users of this server excluded stays. Gives how many changed.
fn exclude<'a>(
    store: &dyn Store,
    laps: impl Iterator<Item = &'a StoredLap>,
    excluded: &BTreeSet<Id>,
) -> Result<usize, StoreError> {
    let (who, kind) = BY_SENDER;
    let mut changed = 0;
    for lap in laps {
        let (id, wanted) = (lap.lap.id, excluded.contains(&lap.lap.id));
        if lap.lap.excluded == wanted {
            continue;
        }
        let by_sender = || store.pushed(who, kind, id.0).map(|noted| noted.as_deref() == Some("yes"));
        if wanted || by_sender()? {
            store.note_pushed(who, kind, id.0, if wanted { "yes" } else { "no" })?;
            store.edit_lap(id, &Edit { excluded: Some(wanted), ..Edit::default() })?;
            changed += 1;
        }
    }
    Ok(changed)
}

/// What is said of a tape with each piece.
#[derive(Debug, Deserialize, IntoParams)]
#[serde(deny_unknown_fields)]
#[into_params(parameter_in = Query)]
pub(super) struct PieceParams {
    /// Size of the whole tape
    bytes: u64,
    /// BLAKE3 of the whole tape
    #[param(pattern = "^[0-9a-f]{64}$")]
    checksum: String,
    /// Name of its file
    #[param(max_length = 200)]
    file: Option<String>,
    /// Where this piece begins; without it, how far the tape is
    offset: Option<u64>,
}

/// How far a tape is.
#[derive(Debug, Serialize, ToSchema)]
pub(super) struct TapeArrived {
    /// Where the next piece begins.
    offset: u64,
    /// It was found whole, and is in the catalogue.
    complete: bool,
}

/// Takes a piece of a tape (at most 4 MiB), or says how far the tape is. When all is here, it is checked to the last block.
#[utoipa::path(put, path = "/api/v1/push/tapes/{id}", tag = "push", request_body(content = Vec<u8>, content_type = "application/octet-stream"),
    params(("id" = String, Path, description = "Id of the tape", pattern = "^[0-9a-f]{32}$"), PieceParams),
    responses((status = 200, body = TapeArrived), (status = 304), (status = "4XX", body = Problem), (status = 503, body = Problem)))]
pub(super) async fn tape(
    State(state): State<AppState>,
    Named(id): Named,
    Params(params): Params<PieceParams>,
    headers: HeaderMap,
    FromWriter(piece): FromWriter<LARGEST_PIECE>,
) -> Answer {
    let PieceParams { bytes, checksum, file, offset } = params;
    let declared = Declared { id: TapeId(id_of(&id)?.0), bytes, checksum, file };
    let store = std::sync::Arc::clone(&state.store);
    let incoming = std::sync::Arc::clone(&state.incoming);
    let arrived = tokio::task::spawn_blocking(move || {
        let no_tapes = || ApiError::not_there("no_tapes", "this server takes no tapes");
        let incoming = incoming.get().ok_or_else(no_tapes)?;
        let arrived = match offset {
            None => incoming.begin(store.as_ref(), &declared),
            Some(offset) => incoming.append(store.as_ref(), &declared, offset, &piece),
        };
        arrived.map_err(ApiError::from)
    });
    let Arrived { offset, complete } = arrived.await??;
    json(&headers, &TapeArrived { offset, complete })
}

impl From<IncomingError> for ApiError {
    fn from(error: IncomingError) -> Self {
        match error {
            IncomingError::TooLarge { .. } => Self::too_large(error.to_string()),
            IncomingError::WrongOffset { .. } => Self::conflict("wrong_offset", error.to_string()),
            IncomingError::NotWhole { .. } => Self::conflict("not_whole", error.to_string()),
            IncomingError::TooMany => Self::conflict("too_many", error.to_string()),
            IncomingError::NoRoom { .. } => Self::no_room(error.to_string()),
            IncomingError::Store(error) => Self::from(error),
            // What the system says may name files of this machine: that is for the log.
            IncomingError::Disk(error) => {
                crate::cli::tell(&format!("serve: {error}"));
                Self::internal()
            }
            error => Self::bad_request(error.to_string()),
        }
    }
}
