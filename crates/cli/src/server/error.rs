//! Error responses: a status, a stable code for programs, and a message. They contain nothing about this machine.

use axum::Json;
use axum::http::{HeaderValue, StatusCode, header};
use axum::response::{IntoResponse, Response};
use gametape::store::StoreError;
use serde::Serialize;
use utoipa::ToSchema;

/// An error response.
#[derive(Debug, Clone)]
pub(super) struct ApiError {
    status: StatusCode,
    code: &'static str,
    message: String,
    retry_after_s: Option<u64>,
}

/// The body of an error response.
#[derive(Debug, Serialize, ToSchema)]
pub(super) struct Problem {
    /// What went wrong.
    error: ProblemText,
}

/// What went wrong.
#[derive(Debug, Serialize, ToSchema)]
pub(super) struct ProblemText {
    /// A stable code for programs.
    code: String,
    /// A message for people.
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

    /// The item exists, but the requested part of it does not.
    pub(super) fn not_there(code: &'static str, message: impl Into<String>) -> Self {
        Self::new(StatusCode::NOT_FOUND, code, message)
    }

    pub(super) fn conflict(code: &'static str, message: impl Into<String>) -> Self {
        Self::new(StatusCode::CONFLICT, code, message)
    }

    pub(super) fn no_room(message: impl Into<String>) -> Self {
        Self::new(StatusCode::PAYLOAD_TOO_LARGE, "no_room", message)
    }

    /// The cursor does not belong to this query.
    pub(super) fn no_such_page() -> Self {
        let message = "the cursor is not one that this query returned; start again without it";
        Self::new(StatusCode::NOT_FOUND, "unknown_cursor", message)
    }

    pub(super) fn wrong_method() -> Self {
        Self::new(
            StatusCode::METHOD_NOT_ALLOWED,
            "method_not_allowed",
            "this method is not allowed here; see /openapi.json",
        )
    }

    pub(super) fn token_needed() -> Self {
        let message = "this request needs a token; send `Authorization: Bearer …` (`gametape token add` makes one)";
        Self::new(StatusCode::UNAUTHORIZED, "token_needed", message)
    }

    pub(super) fn forbidden(message: impl Into<String>) -> Self {
        Self::new(StatusCode::FORBIDDEN, "forbidden", message)
    }

    pub(super) fn wrong_host() -> Self {
        let message = "this server responds only to the address it listens on";
        Self::new(StatusCode::MISDIRECTED_REQUEST, "wrong_host", message)
    }

    pub(super) fn too_many(retry_after_s: u64) -> Self {
        let message = format!("too many requests; try again in {retry_after_s} s");
        let error = Self::new(StatusCode::TOO_MANY_REQUESTS, "too_many_requests", message);
        Self { retry_after_s: Some(retry_after_s), ..error }
    }

    pub(super) fn busy() -> Self {
        let error = Self::new(StatusCode::SERVICE_UNAVAILABLE, "busy", "the server is busy; try again soon");
        Self { retry_after_s: Some(5), ..error }
    }

    pub(super) fn too_large(message: impl Into<String>) -> Self {
        Self::new(StatusCode::PAYLOAD_TOO_LARGE, "too_large", message)
    }

    /// The file does not have the requested range.
    pub(super) fn no_such_range(bytes: u64) -> Self {
        Self::new(
            StatusCode::RANGE_NOT_SATISFIABLE,
            "no_such_range",
            format!("the range is outside of the {bytes} bytes of the file"),
        )
    }

    pub(super) fn uri_too_long() -> Self {
        Self::new(StatusCode::URI_TOO_LONG, "uri_too_long", "the URI of this request is too long")
    }

    pub(super) fn slow_body() -> Self {
        Self::new(StatusCode::REQUEST_TIMEOUT, "timeout", "the body of this request arrived too slowly")
    }

    pub(super) fn wrong_type() -> Self {
        let message = "the body of an edit must be JSON; send `Content-Type: application/json`";
        Self::new(StatusCode::UNSUPPORTED_MEDIA_TYPE, "unsupported_media_type", message)
    }

    pub(super) fn internal() -> Self {
        Self::new(StatusCode::INTERNAL_SERVER_ERROR, "internal", "internal error; see the server's log")
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
                    Self::new(StatusCode::SERVICE_UNAVAILABLE, "store_unreachable", "the store does not respond");
                Self { retry_after_s: Some(5), ..answer }
            }
            // The database error may contain file and user names of this machine, so it goes to the log only.
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
