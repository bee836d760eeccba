//! Data from a server, as far as it is displayed. Every field may be missing or malformed, and is then `None`. Texts are
//! sanitized here, lists are bounded.

mod car;
mod comparison;
mod laps;
mod standings;
mod tapes;

use serde_json::Value;

pub(crate) use car::{Car, CarState, Tyre};
pub(crate) use comparison::{CHANNELS, Comparison, Stretch};
pub(crate) use laps::{LapRow, SessionDetail, SessionRow, sessions};
pub(crate) use standings::{CarRow, Standings};
pub(crate) use tapes::{TapeRow, tapes};

use super::text::clean;

/// Reads a finite number.
fn number(value: &Value) -> Option<f64> {
    value.as_f64().filter(|number| number.is_finite() && number.abs() < 1e12)
}

/// Reads a time. Values of a day or more are rejected.
fn ms(value: &Value) -> Option<u32> {
    value.as_u64().and_then(|ms| u32::try_from(ms).ok()).filter(|ms| *ms < 86_400_000)
}

/// Reads a time difference.
fn signed_ms(value: &Value) -> Option<i64> {
    number(value).filter(|ms| ms.abs() < 86_400_000.0).map(|ms| ms.round() as i64)
}

fn count(value: &Value) -> Option<u32> {
    value.as_u64().and_then(|number| u32::try_from(number).ok())
}

/// Reads a text.
fn words(value: &Value) -> Option<String> {
    value.as_str().map(clean).filter(|text| !text.trim().is_empty())
}

/// Reads an API keyword in readable form: `grid_start` becomes `grid start`.
fn word(value: &Value) -> String {
    words(value).unwrap_or_default().replace('_', " ")
}

/// Reads an id. It is used in URLs, so other characters are rejected.
fn id(value: &Value) -> Option<String> {
    value.as_str().filter(|id| id.len() <= 64 && id.bytes().all(|byte| byte.is_ascii_alphanumeric())).map(str::to_owned)
}

/// Returns at most `most` items of a list.
fn items(value: &Value, most: usize) -> impl Iterator<Item = &Value> {
    value.as_array().into_iter().flatten().take(most)
}

/// The largest number of sectors shown.
const MOST_SECTORS: usize = 12;

fn sectors(value: &Value) -> Vec<Option<u32>> {
    items(value, MOST_SECTORS).map(ms).collect()
}
