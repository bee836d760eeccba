//! JSON responses with an `ETag`, and `304 Not Modified` for clients that have the current version.

use std::hash::{DefaultHasher, Hasher};

use axum::http::{HeaderMap, HeaderValue, StatusCode, header};
use axum::response::{IntoResponse, Response};
use serde::Serialize;

use super::error::ApiError;

/// Serializes a response as JSON, or returns 304 if the client has it.
pub(super) fn json<T: Serialize>(request: &HeaderMap, answer: &T) -> Result<Response, ApiError> {
    let body = serde_json::to_vec(answer).map_err(|error| ApiError::bad_request(error.to_string()))?;
    // A 128-bit tag from two hashes: a collision would return a wrong 304 and so show old laps.
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
    // Cached by the client only, and revalidated each time.
    headers.insert(header::CACHE_CONTROL, HeaderValue::from_static("private, no-cache"));
    Ok(response)
}
