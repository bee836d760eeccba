//! Endpoint that imports a file of another program: it arrives in chunks and becomes a tape with its laps. It requires write scope.

use axum::extract::State;
use axum::http::HeaderMap;
use axum::response::Response;
use gametape::format::TapeId;
use gametape::import::ImportError;
use gametape::store::incoming_file::{DeclaredFile, FileArrived, FileDone, is_of_file};
use serde::{Deserialize, Serialize};
use utoipa::{IntoParams, ToSchema};

use super::error::{ApiError, Problem};
use super::etag::json;
use super::live::Kind;
use super::params::Params;
use super::push::{FromWriter, LARGEST_CHUNK};
use super::reading::id_of;
use super::state::AppState;
use super::tapes::sessions_on;
use crate::adding::InStore;

type Answer = Result<Response, ApiError>;

/// Describes a chunk of a file.
#[derive(Debug, Deserialize, IntoParams)]
#[serde(deny_unknown_fields)]
#[into_params(parameter_in = Query)]
pub(super) struct ImportParams {
    /// Id of this upload, chosen by the client: the same for all chunks of a file, and random
    #[param(pattern = "^[0-9a-f]{32}$")]
    upload: String,
    /// Size of the whole upload
    bytes: u64,
    /// File name
    #[param(max_length = 200)]
    file: String,
    /// Offset of this chunk; omit it to query the progress
    offset: Option<u64>,
    /// How many of the last bytes are the `.ldx` file of a MoTeC log
    beside_bytes: Option<u64>,
    /// The laps are your own: those of lap files are someone else's otherwise
    mine: Option<bool>,
}

/// The progress of an upload, and the result once it is complete.
#[derive(Debug, Default, Serialize, ToSchema)]
pub(super) struct FileImported {
    /// Offset of the next chunk.
    offset: u64,
    /// Whether the file is complete and was imported.
    complete: bool,
    /// Id of the tape.
    tape_id: Option<String>,
    /// Kind of the file: `ld`, `racechrono`, `ibt`, …
    kind: Option<&'static str>,
    /// A tape of the same bytes existed; nothing was written.
    already_there: bool,
    /// Frames in the file.
    frames: Option<u64>,
    /// Damaged parts of the file. Everything else was imported.
    problems: Vec<String>,
    /// Number of sessions in the store.
    sessions: Option<u32>,
    /// Number of laps in the store, including aborted ones.
    laps: Option<u32>,
}

/// Accepts a chunk of a file of another program (at most 4 MiB), or returns the progress of the upload. The last chunk imports the file: the
/// tape is added to the catalogue, and its laps to the store.
#[utoipa::path(post, path = "/api/v1/import", operation_id = "import_file", tag = "tapes",
    request_body(content = Vec<u8>, content_type = "application/octet-stream"), params(ImportParams),
    responses((status = 200, body = FileImported), (status = 304), (status = "4XX", body = Problem), (status = 503, body = Problem)))]
pub(super) async fn import(
    State(state): State<AppState>,
    Params(params): Params<ImportParams>,
    headers: HeaderMap,
    FromWriter(piece): FromWriter<LARGEST_CHUNK>,
) -> Answer {
    let ImportParams { upload, bytes, file, offset, beside_bytes, mine } = params;
    let declared = DeclaredFile {
        upload: TapeId(id_of(&upload)?.0),
        bytes,
        file,
        beside_bytes: beside_bytes.unwrap_or_default(),
        is_own: mine == Some(true),
    };
    let (store, incoming) = (std::sync::Arc::clone(&state.store), std::sync::Arc::clone(&state.incoming));
    let arrived = tokio::task::spawn_blocking(move || {
        let no_tapes = || ApiError::not_there("no_tapes", "this server does not accept tapes");
        let incoming = incoming.get().ok_or_else(no_tapes)?;
        let arrived = match offset {
            None => incoming.begin_file(&declared),
            Some(offset) => incoming.append_file(store.as_ref(), &declared, offset, &piece),
        };
        let arrived = arrived?;
        let sessions = match &arrived.done {
            Some(done) => sessions_on(store.as_ref(), done.tape)?,
            None => Vec::new(),
        };
        Ok::<_, ApiError>((arrived, sessions))
    });
    let (FileArrived { offset, done }, sessions) = arrived.await??;
    let Some(done) = done else {
        return json(&headers, &FileImported { offset, ..FileImported::default() });
    };
    for found in sessions {
        let session = found.session.session.id.to_string();
        state.hub.publish(Kind::SessionChanged, &serde_json::json!({ "session": session }), None);
    }
    json(&headers, &FileImported::of(offset, done))
}

impl FileImported {
    fn of(offset: u64, done: FileDone) -> Self {
        let problems = done.problems().to_vec();
        let FileDone { tape, imported, added } = done;
        let in_store = InStore::of(added);
        Self {
            offset,
            complete: true,
            tape_id: Some(tape.to_string()),
            kind: imported.as_ref().map(|imported| imported.kind.id()),
            already_there: imported.is_none(),
            frames: imported.as_ref().map(|imported| imported.frames),
            problems: problems.into_iter().chain(in_store.error).collect(),
            sessions: in_store.sessions,
            laps: in_store.laps,
        }
    }
}

/// The error for a file that cannot be imported. Errors of this machine may contain file names, so they go to the log only.
pub(super) fn not_imported(error: &ImportError) -> ApiError {
    match is_of_file(error) {
        true => ApiError::bad_request(format!("the file cannot be imported: {error}")),
        false => {
            crate::cli::tell(&format!("serve: {error}"));
            ApiError::internal()
        }
    }
}
