//! Errors as answers: a status, a code that programs can rely on, and a sentence. Nothing of this machine is in them.

use axum::Json;
use axum::http::{HeaderValue, StatusCode, header};
use axum::response::{IntoResponse, Response};
use gametape::store::StoreError;
use serde::Serialize;
use utoipa::ToSchema;

/// Why a request was not done.
#[derive(Debug, Clone)]
pub(super) struct ApiError {
    status: StatusCode,
    code: &'static str,
    message: String,
    retry_after_s: Option<u64>,
}

/// What a request that was not done answers.
#[derive(Debug, Serialize, ToSchema)]
pub(super) struct Problem {
    /// What went wrong.
    error: ProblemText,
}

/// What went wrong.
#[derive(Debug, Serialize, ToSchema)]
pub(super) struct ProblemText {
    /// A word for programs.
    code: String,
    /// A sentence for people.
    message: String,
}

impl ApiError {
    fn new(status: StatusCode, code: &'static str, message: impl Into<String>) -> Self {
        Self { status, code, message: message.into(), retry_after_s: None }
    }

    pub(super) fn bad_request(message: impl Into<String>) -> Self {
        Self::new(StatusCode::BAD_REQUEST, "bad_request", message)
    }

    pub(super) fn not_found(what: &str) -> Self {
        Self::new(StatusCode::NOT_FOUND, "not_found", format!("there is no such {what}"))
    }

    /// It is there, but what was asked of it is not.
    pub(super) fn not_there(code: &'static str, message: impl Into<String>) -> Self {
        Self::new(StatusCode::NOT_FOUND, code, message)
    }

    pub(super) fn conflict(code: &'static str, message: impl Into<String>) -> Self {
        Self::new(StatusCode::CONFLICT, code, message)
    }

    pub(super) fn no_room(message: impl Into<String>) -> Self {
        Self::new(StatusCode::PAYLOAD_TOO_LARGE, "no_room", message)
    }

    /// The cursor is none that this question gave.
    pub(super) fn no_such_page() -> Self {
        let message = "there is no such page: cursor is none that this question gave; begin again without it";
        Self::new(StatusCode::NOT_FOUND, "unknown_cursor", message)
    }

    pub(super) fn wrong_method() -> Self {
        Self::new(StatusCode::METHOD_NOT_ALLOWED, "method_not_allowed", "this cannot be done here: see /openapi.json")
    }

    pub(super) fn token_needed() -> Self {
        let message = "this needs a token: `Authorization: Bearer …` (`gametape token add` makes one)";
        Self::new(StatusCode::UNAUTHORIZED, "token_needed", message)
    }

    pub(super) fn forbidden(message: impl Into<String>) -> Self {
        Self::new(StatusCode::FORBIDDEN, "forbidden", message)
    }

    pub(super) fn wrong_host() -> Self {
        let message = "this server answers only under the address it listens on";
        Self::new(StatusCode::MISDIRECTED_REQUEST, "wrong_host", message)
    }

    pub(super) fn too_many(retry_after_s: u64) -> Self {
        let message = format!("too many requests: try again in {retry_after_s} s");
        let error = Self::new(StatusCode::TOO_MANY_REQUESTS, "too_many_requests", message);
        Self { retry_after_s: Some(retry_after_s), ..error }
    }

    pub(super) fn busy() -> Self {
        let error = Self::new(StatusCode::SERVICE_UNAVAILABLE, "busy", "others are asking the same: try again soon");
        Self { retry_after_s: Some(5), ..error }
    }

    pub(super) fn too_large(message: impl Into<String>) -> Self {
        Self::new(StatusCode::PAYLOAD_TOO_LARGE, "too_large", message)
    }

    /// The file has no such bytes.
    pub(super) fn no_such_range(bytes: u64) -> Self {
        Self::new(
            StatusCode::RANGE_NOT_SATISFIABLE,
            "no_such_range",
            format!("there are {bytes} bytes, and none of them is in this range"),
        )
    }

    pub(super) fn uri_too_long() -> Self {
        Self::new(StatusCode::URI_TOO_LONG, "uri_too_long", "the address of this request is too long")
    }

    pub(super) fn slow_body() -> Self {
        Self::new(StatusCode::REQUEST_TIMEOUT, "timeout", "the body of this request came too slowly")
    }

    pub(super) fn wrong_type() -> Self {
        let message = "the body of an edit is JSON: send `Content-Type: application/json`";
        Self::new(StatusCode::UNSUPPORTED_MEDIA_TYPE, "unsupported_media_type", message)
    }

    pub(super) fn internal() -> Self {
        Self::new(
            StatusCode::INTERNAL_SERVER_ERROR,
            "internal",
            "something went wrong here; the server's log says what",
        )
    }
}

impl From<StoreError> for ApiError {
    fn from(error: StoreError) -> Self {
        match error {
            StoreError::BadCursor => Self::no_such_page(),
            StoreError::TooLong { .. } => Self::bad_request(error.to_string()),
            StoreError::NotFound { what, .. } => Self::not_found(what),
            StoreError::Unreachable { .. } => {
                crate::cli::tell(&format!("serve: {error}"));
                let answer =
                    Self::new(StatusCode::SERVICE_UNAVAILABLE, "store_unreachable", "the store does not answer");
                Self { retry_after_s: Some(5), ..answer }
            }
            // What the database says may name files and users of this machine: that is for the log.
            error => {
                crate::cli::tell(&format!("serve: {error}"));
                Self::internal()
            }
        }
    }
}

impl From<tokio::task::JoinError> for ApiError {
    fn from(error: tokio::task::JoinError) -> Self {
        crate::cli::tell(&format!("serve: {error}"));
        Self::internal()
    }
}

impl IntoResponse for ApiError {
    fn into_response(self) -> Response {
        let text = ProblemText { code: self.code.to_owned(), message: self.message };
        let mut response = (self.status, Json(Problem { error: text })).into_response();
        let headers = response.headers_mut();
        if let Some(seconds) = self.retry_after_s {
            headers.insert(header::RETRY_AFTER, HeaderValue::from(seconds));
        }
        if self.status == StatusCode::UNAUTHORIZED {
            headers.insert(header::WWW_AUTHENTICATE, HeaderValue::from_static("Bearer"));
        }
        headers.insert(header::CACHE_CONTROL, HeaderValue::from_static("no-store"));
        response
    }
}
