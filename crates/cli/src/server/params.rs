//! Parsing and validation of query parameters. Unknown parameters are an error that lists the known ones: a misspelt filter must not be
//! silently ignored.

use axum::extract::{FromRequestParts, Path, Query};
use axum::http::request::Parts;
use gametape::laps::{Phase, SessionKind};
use gametape::store::{Cursor, LARGEST_PAGE, LONGEST_NAME, LapSort, Validity};
use serde::Deserialize;
use serde::de::DeserializeOwned;
use utoipa::IntoParams;

use super::error::ApiError;
use super::times;

/// The largest length of an error message about a parameter.
const LONGEST: usize = 1000;

/// Validated query parameters.
pub(super) struct Params<T>(pub(super) T);

impl<T: DeserializeOwned, S: Send + Sync> FromRequestParts<S> for Params<T> {
    type Rejection = ApiError;

    async fn from_request_parts(parts: &mut Parts, _: &S) -> Result<Self, ApiError> {
        match Query::try_from_uri(&parts.uri) {
            Ok(Query(params)) => Ok(Self(params)),
            Err(error) => {
                let reason = std::error::Error::source(&error).map_or_else(|| error.to_string(), ToString::to_string);
                Err(ApiError::bad_request(reason.chars().take(LONGEST).collect::<String>()))
            }
        }
    }
}

/// A path segment that names an item. A segment that is not valid UTF-8 is reported like all other errors.
pub(super) struct Named(pub(super) String);

impl<S: Send + Sync> FromRequestParts<S> for Named {
    type Rejection = ApiError;

    async fn from_request_parts(parts: &mut Parts, state: &S) -> Result<Self, ApiError> {
        match Path::<String>::from_request_parts(parts, state).await {
            Ok(Path(name)) => Ok(Self(name)),
            Err(error) => Err(ApiError::bad_request(error.to_string())),
        }
    }
}

/// No parameters.
#[derive(Debug, Deserialize, IntoParams)]
#[serde(deny_unknown_fields)]
pub(super) struct NoParams {}

/// Parses a keyword out of a list.
pub(super) fn word<T>(
    name: &str,
    text: Option<&String>,
    all: &[&str],
    parse: impl Fn(&str) -> Option<T>,
) -> Result<Option<T>, ApiError> {
    let Some(text) = text else { return Ok(None) };
    let wrong = || ApiError::bad_request(format!("{name} must be one of {}", all.join(", ")));
    parse(text).map(Some).ok_or_else(wrong)
}

pub(super) fn moment(name: &str, text: Option<&String>) -> Result<Option<i64>, ApiError> {
    let Some(text) = text else { return Ok(None) };
    let wrong = || ApiError::bad_request(format!("{name} must be a time like 2026-03-01 or 2026-03-01T12:00:00Z"));
    times::parse(text).map(Some).ok_or_else(wrong)
}

pub(super) fn text(name: &str, text: Option<String>) -> Result<Option<String>, ApiError> {
    match text {
        Some(text) if text.is_empty() => Err(ApiError::bad_request(format!("{name} is empty; omit it"))),
        Some(text) if text.chars().count() > LONGEST_NAME => {
            Err(ApiError::bad_request(format!("{name} has more than {LONGEST_NAME} characters")))
        }
        text => Ok(text),
    }
}

/// The largest number of search words.
const MOST_WORDS: usize = 8;

pub(super) fn words(q: Option<String>) -> Result<Vec<String>, ApiError> {
    let words: Vec<String> =
        text("q", q)?.map(|q| q.split_whitespace().map(str::to_owned).collect()).unwrap_or_default();
    match words.len() > MOST_WORDS {
        true => Err(ApiError::bad_request(format!("q has {} words, at most {MOST_WORDS} are allowed", words.len()))),
        false => Ok(words),
    }
}

/// More laps than any session has.
const MOST_LAPS: u32 = 100_000;

pub(super) fn min_laps(min_laps: Option<u32>) -> Result<u32, ApiError> {
    match min_laps.unwrap_or_default() {
        laps if laps <= MOST_LAPS => Ok(laps),
        _ => Err(ApiError::bad_request(format!("min_laps must be between 0 and {MOST_LAPS}"))),
    }
}

pub(super) fn limit(limit: Option<u32>) -> Result<u32, ApiError> {
    match limit {
        None => Ok(0),
        Some(limit) if (1..=LARGEST_PAGE).contains(&limit) => Ok(limit),
        Some(_) => Err(ApiError::bad_request(format!("limit must be between 1 and {LARGEST_PAGE}"))),
    }
}

pub(super) fn cursor(cursor: Option<&String>) -> Result<Option<Cursor>, ApiError> {
    let Some(text) = cursor else { return Ok(None) };
    Cursor::parse(text).map(Some).ok_or_else(ApiError::no_such_page)
}

pub(super) fn sort(sort: Option<&String>) -> Result<LapSort, ApiError> {
    let all: Vec<_> = LapSort::ALL.iter().map(|sort| sort.as_str()).collect();
    Ok(word("sort", sort, &all, LapSort::parse)?.unwrap_or_default())
}

pub(super) fn phase(phase: Option<&String>) -> Result<Option<Phase>, ApiError> {
    let all: Vec<_> = Phase::ALL.iter().map(|phase| phase.as_str()).collect();
    word("phase", phase, &all, Phase::parse)
}

pub(super) fn kind(kind: Option<&String>) -> Result<Option<SessionKind>, ApiError> {
    let all: Vec<_> = SessionKind::ALL.iter().map(|kind| kind.as_str()).collect();
    word("type", kind, &all, SessionKind::parse)
}

pub(super) fn validity(valid: Option<&String>) -> Result<Option<Validity>, ApiError> {
    word("valid", valid, &["true", "false", "unknown"], |text| match text {
        "true" => Some(Validity::Valid),
        "false" => Some(Validity::Invalid),
        "unknown" => Some(Validity::Unknown),
        _ => None,
    })
}
