//! Answers with a mark of their content: who has it already is told so, and gets nothing new.

use std::hash::{DefaultHasher, Hasher};

use axum::http::{HeaderMap, HeaderValue, StatusCode, header};
use axum::response::{IntoResponse, Response};
use serde::Serialize;

use super::error::ApiError;

/// An answer as JSON, or 304 if the client has this one.
pub(super) fn json<T: Serialize>(request: &HeaderMap, answer: &T) -> Result<Response, ApiError> {
    let body = serde_json::to_vec(answer).map_err(|error| ApiError::bad_request(error.to_string()))?;
    // Two halves: a wrong 304 would show old laps.
    let half = |seed: u8| {
        let mut hasher = DefaultHasher::new();
        hasher.write_u8(seed);
        hasher.write(&body);
        hasher.finish()
    };
    let tag = format!("\"{:016x}{:016x}\"", half(1), half(2));
    let known =
        request.get_all(header::IF_NONE_MATCH).iter().filter_map(|value| value.to_str().ok()).any(|line| {
            line.split(',').map(str::trim).any(|known| known == "*" || known.trim_start_matches("W/") == tag)
        });
    let mut response = match known {
        true => StatusCode::NOT_MODIFIED.into_response(),
        false => ([(header::CONTENT_TYPE, "application/json")], body).into_response(),
    };
    let headers = response.headers_mut();
    if let Ok(tag) = HeaderValue::from_str(&tag) {
        headers.insert(header::ETAG, tag);
    }
    // Kept by the client alone, and asked about each time.
    headers.insert(header::CACHE_CONTROL, HeaderValue::from_static("private, no-cache"));
    Ok(response)
}
