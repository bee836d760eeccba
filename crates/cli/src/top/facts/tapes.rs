//! Tapes of the catalogue.

use serde_json::Value;

use super::super::text::minute;
use super::laps::next;
use super::{id, items, words};

/// Tapes per page.
const MOST_TAPES: usize = 500;

/// A tape.
#[derive(Debug, Clone, PartialEq, Default)]
pub(crate) struct TapeRow {
    pub(crate) id: String,
    pub(crate) file: String,
    pub(crate) track: String,
    pub(crate) car: String,
    pub(crate) created: String,
    pub(crate) bytes: u64,
    /// For a tape that is not closed: as of the last catalogue update; `None` if it had no frames then.
    pub(crate) duration_ns: Option<u64>,
    pub(crate) complete: bool,
    pub(crate) missing: bool,
}

impl TapeRow {
    pub(crate) fn of(tape: &Value) -> Option<Self> {
        let said = |name: &str| words(&tape[name]).unwrap_or_else(|| "-".to_owned());
        let complete = tape["complete"].as_bool().unwrap_or(true);
        Some(Self {
            id: id(&tape["id"])?,
            file: said("file"),
            track: said("track"),
            car: said("car"),
            created: words(&tape["created_utc"]).map(|utc| minute(&utc)).unwrap_or_default(),
            bytes: tape["bytes"].as_u64().unwrap_or(0),
            duration_ns: tape["duration_ns"].as_u64().filter(|ns| complete || *ns > 0),
            complete,
            missing: tape["missing"].as_bool().unwrap_or(false),
        })
    }
}

/// Reads a page of tapes, and the cursor of the next page.
pub(crate) fn tapes(page: &Value) -> (Vec<TapeRow>, Option<String>) {
    (items(&page["tapes"], MOST_TAPES).filter_map(TapeRow::of).collect(), next(page))
}
