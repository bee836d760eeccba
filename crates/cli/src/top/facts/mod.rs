//! What a server says, as far as it is shown: every field may be missing or nonsense, and is `None` then. Texts are cleaned here, lists are bounded.

mod car;
mod comparison;
mod laps;
mod tapes;

use serde_json::Value;

pub(crate) use car::{Car, CarState, Tyre};
pub(crate) use comparison::{CHANNELS, Comparison, Stretch};
pub(crate) use laps::{LapRow, SessionDetail, SessionRow, sessions};
pub(crate) use tapes::{TapeRow, tapes};

use super::text::clean;

/// A number that can be shown.
fn number(value: &Value) -> Option<f64> {
    value.as_f64().filter(|number| number.is_finite() && number.abs() < 1e12)
}

/// A time; no lap takes a day.
fn ms(value: &Value) -> Option<u32> {
    value.as_u64().and_then(|ms| u32::try_from(ms).ok()).filter(|ms| *ms < 86_400_000)
}

/// A difference of times.
fn signed_ms(value: &Value) -> Option<i64> {
    number(value).filter(|ms| ms.abs() < 86_400_000.0).map(|ms| ms.round() as i64)
}

fn count(value: &Value) -> Option<u32> {
    value.as_u64().and_then(|number| u32::try_from(number).ok())
}

/// A text.
fn words(value: &Value) -> Option<String> {
    value.as_str().map(clean).filter(|text| !text.trim().is_empty())
}

/// A word of the API, readable: `grid_start` is grid start.
fn word(value: &Value) -> String {
    words(value).unwrap_or_default().replace('_', " ")
}

/// An id goes into addresses: it has nothing else in it.
fn id(value: &Value) -> Option<String> {
    value.as_str().filter(|id| id.len() <= 64 && id.bytes().all(|byte| byte.is_ascii_alphanumeric())).map(str::to_owned)
}

/// The items of a list, not more than so many.
fn items(value: &Value, most: usize) -> impl Iterator<Item = &Value> {
    value.as_array().into_iter().flatten().take(most)
}

/// Sectors that are shown.
const MOST_SECTORS: usize = 12;

fn sectors(value: &Value) -> Vec<Option<u32>> {
    items(value, MOST_SECTORS).map(ms).collect()
}
