//! Endpoints for uploads from other gametape servers: sessions with their laps, and tapes in chunks. They require write scope.

use std::collections::BTreeSet;
use std::time::Duration;

use axum::body::{Body, Bytes, to_bytes};
use axum::extract::{FromRequest, Request, State};
use axum::http::HeaderMap;
use axum::response::Response;
use gametape::format::TapeId;
use gametape::laps::{CarChange, Id, TRACKER_ID, TRACKER_VERSION};
use gametape::store::incoming::{Arrived, Declared, IncomingError};
use gametape::store::{
    Audience, Change, DriverEdit, Edit, SessionUpload, Store, StoreError, StoredLap, TrackerVersion, Visibility, Write,
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

/// The largest serialized session.
const LARGEST_PARCEL: usize = 16 << 20;
/// The largest chunk of a tape.
pub(crate) const LARGEST_CHUNK: usize = 4 << 20;
/// How long a body may take to arrive.
const BODY_TIMEOUT: Duration = Duration::from_secs(60);

type Answer = Result<Response, ApiError>;

/// The body of a request, read only after the caller was authorized to write.
pub(super) struct FromWriter<const MOST: usize>(pub(super) Bytes);

impl<const MOST: usize> FromRequest<AppState> for FromWriter<MOST> {
    type Rejection = ApiError;

    async fn from_request(request: Request, state: &AppState) -> Result<Self, ApiError> {
        let caller = request.extensions().get::<Caller>().copied().ok_or_else(ApiError::token_needed)?;
        may_write(state, caller, request.headers())?;
        let body: Body = request.into_body();
        match tokio::time::timeout(BODY_TIMEOUT, to_bytes(body, MOST)).await {
            Ok(Ok(body)) => Ok(Self(body)),
            Ok(Err(_)) => Err(ApiError::too_large(format!("the body must be at most {MOST} bytes"))),
            Err(_) => Err(ApiError::slow_body()),
        }
    }
}

/// The result of uploading a session.
#[derive(Debug, Serialize, ToSchema)]
pub(super) struct SessionArrived {
    session: String,
    /// The number of new or changed rows.
    changed: usize,
    /// Nothing was changed, because a newer tracker has already tracked this tape here.
    kept_newer: bool,
}

/// Stores a session with its laps, sent by another server. Idempotent.
#[utoipa::path(put, path = "/api/v1/push/sessions", operation_id = "push_session", tag = "push",
    request_body(content = serde_json::Value, content_type = "application/json"),
    responses((status = 200, body = SessionArrived), (status = 304), (status = "4XX", body = Problem), (status = 503, body = Problem)))]
pub(super) async fn session(
    State(state): State<AppState>,
    _: Params<NoParams>,
    headers: HeaderMap,
    FromWriter(body): FromWriter<LARGEST_PARCEL>,
) -> Answer {
    let text = String::from_utf8(body.into()).map_err(|_| ApiError::bad_request("the body is not UTF-8 text"))?;
    // What a database reports as damaged is an invalid request here.
    let upload = SessionUpload::unpack(&text).map_err(|error| match error {
        StoreError::Damaged { expected, found } => {
            ApiError::bad_request(format!("invalid session: found {found:?}, expected {expected}"))
        }
        error => ApiError::bad_request(error.to_string()),
    })?;
    check_tracker(&upload.tracker)?;
    let store = std::sync::Arc::clone(&state.store);
    let id = upload.tracked.session.id;
    let (changed, kept_newer, public) =
        tokio::task::spawn_blocking(move || keep(store.as_ref(), upload)).await?.map_err(ApiError::from)?;
    if changed > 0 {
        let news = serde_json::json!({ "session": id.to_string() });
        state.hub.publish(Kind::SessionChanged, &news, public.then_some(&news));
    }
    json(&headers, &SessionArrived { session: id.to_string(), changed, kept_newer })
}

/// Rejects laps of an unknown tracker: its version would block all later laps of the tape.
fn check_tracker(tracker: &TrackerVersion) -> Result<(), ApiError> {
    let TrackerVersion { id, version } = tracker;
    match id == TRACKER_ID && *version <= TRACKER_VERSION {
        true => Ok(()),
        false => {
            let id: String = id.chars().take(40).collect();
            let message = format!(
                "the laps are of tracker {id:?} version {version}, but this server supports {TRACKER_ID:?} up to version {TRACKER_VERSION}; update gametape on the server first"
            );
            Err(ApiError::conflict("unknown_tracker", message))
        }
    }
}

/// Stores a session: first the privacy of its drivers, then their laps. Returns the number of changes, and whether the session is public.
fn keep(store: &dyn Store, upload: SessionUpload) -> Result<(usize, bool, bool), StoreError> {
    let origin = upload.origin();
    let known = store.tracker_of(origin.tape)?;
    if known.is_some_and(|known| known.id == origin.tracker.id && known.version > origin.tracker.version) {
        return Ok((0, true, false));
    }
    for (driver, how) in &upload.hidden {
        // Never more visible than the owner of this server wants.
        if *how > store.visibility_of(driver)? {
            store.edit_driver(driver, &DriverEdit { name: None, visibility: Some(*how) })?;
        }
    }
    let session = upload.tracked.session.id;
    let mut writes = vec![Write::Session(upload.tracked.session)];
    writes.extend(upload.tracked.stints.into_iter().map(|stint| Write::Stint(session, stint)));
    writes.extend(upload.tracked.laps.into_iter().map(Write::Lap));
    if !upload.tracked.cars.is_empty() {
        let cars = upload.tracked.cars.into_iter().map(CarChange::whole).collect();
        writes.push(Write::Cars(session, cars));
    }
    writes.extend(upload.facts.map(Write::Track));
    let changes = store.write(&origin, &writes)?;
    let kept = store.session(session, Audience::Owner)?;
    let laps = kept.iter().flat_map(|kept| &kept.laps);
    let taken_out = exclude(store, laps, &upload.excluded.into_iter().collect())?;
    // As seen by this server: the driver may be hidden here even if the sender does not hide them.
    let public = kept.is_some_and(|kept| kept.session.visibility == Visibility::Public);
    let kept_newer = changes.contains(&Change::Superseded);
    let changed = changes.iter().filter(|change| matches!(change, Change::New | Change::Changed)).count();
    Ok((changed + taken_out, kept_newer, public))
}

/// The key for laps that are excluded because the sender excludes them.
const BY_SENDER: (&str, &str) = ("sender", "excluded");

/// Applies the exclusions of the sender, and revokes them; exclusions by users of this server stay. Returns the number of changes.
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

/// Describes a chunk of a tape.
#[derive(Debug, Deserialize, IntoParams)]
#[serde(deny_unknown_fields)]
#[into_params(parameter_in = Query)]
pub(super) struct ChunkParams {
    /// Size of the whole tape
    bytes: u64,
    /// BLAKE3 hash of the whole tape
    #[param(pattern = "^[0-9a-f]{64}$")]
    checksum: String,
    /// File name
    #[param(max_length = 200)]
    file: Option<String>,
    /// Offset of this chunk; omit it to query the progress
    offset: Option<u64>,
}

/// The progress of an upload.
#[derive(Debug, Serialize, ToSchema)]
pub(super) struct TapeArrived {
    /// Offset of the next chunk.
    offset: u64,
    /// Whether the tape was verified and added to the catalogue.
    complete: bool,
}

/// Accepts a chunk of a tape (at most 4 MiB), or returns the progress of the upload. A complete tape is verified to the last block.
#[utoipa::path(put, path = "/api/v1/push/tapes/{id}", tag = "push", request_body(content = Vec<u8>, content_type = "application/octet-stream"),
    params(("id" = String, Path, description = "Tape id", pattern = "^[0-9a-f]{32}$"), ChunkParams),
    responses((status = 200, body = TapeArrived), (status = 304), (status = "4XX", body = Problem), (status = 503, body = Problem)))]
pub(super) async fn tape(
    State(state): State<AppState>,
    Named(id): Named,
    Params(params): Params<ChunkParams>,
    headers: HeaderMap,
    FromWriter(piece): FromWriter<LARGEST_CHUNK>,
) -> Answer {
    let ChunkParams { bytes, checksum, file, offset } = params;
    let declared = Declared { id: TapeId(id_of(&id)?.0), bytes, checksum, file };
    let store = std::sync::Arc::clone(&state.store);
    let incoming = std::sync::Arc::clone(&state.incoming);
    let arrived = tokio::task::spawn_blocking(move || {
        let no_tapes = || ApiError::not_there("no_tapes", "this server does not accept tapes");
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
            IncomingError::Import(error) => super::import::not_imported(&error),
            // The system error may contain file names of this machine, so it goes to the log only.
            IncomingError::Disk(error) => {
                crate::cli::tell(&format!("serve: {error}"));
                Self::internal()
            }
            error => Self::bad_request(error.to_string()),
        }
    }
}
