//! Sessions, laps and tapes as JSON documents: those that the command line prints, reports contain, and other programs read.
//!
//! Takes what the tracker found and what a tape says of itself, gives values with [`serde::Serialize`]. The same function makes the
//! document for `gametape laps --json`, for the page of a report and for programs that use the library.

mod session;
mod tape;

pub use session::{ConditionsDocument, LapDocument, ReasonDocument, SessionDocument, StintDocument};
pub use tape::tape_document;

/// Formats UTC as ISO 8601: `2026-03-01T12:00:00.25Z`. Returns `None` for times outside the calendar's range.
#[must_use]
pub fn utc_text(utc_ns: i64) -> Option<String> {
    jiff::Timestamp::from_nanosecond(utc_ns.into()).ok().map(|time| time.to_string())
}
