//! What a tape says of itself and what was found on it, as the JSON document that the page of a report reads.

use gametape_format::read::Tape;
use serde_json::{Value, json};

use super::{SessionDocument, utc_text};
use crate::laps::Tracked;
use crate::recording::streams_of_games;

/// The largest number of marks in a document.
const MOST_MARKS: usize = 500;

/// Describes a tape: when and what was driven, sessions with laps, tracks, and the user's marks. `file` is the name that is shown, `made_by` the
/// program. The page of a report reads this, with the channels of a [`TapeReport`](crate::report::TapeReport) in `lines`.
#[must_use]
pub fn tape_document(tape: &Tape, file: &str, tracked: Option<&Tracked>, made_by: &str) -> Value {
    let streams = || streams_of_games(tape);
    let metadata = tape.metadata();
    let told = |key: &str| metadata.get(key);
    let sessions = tracked.map(|tracked| tracked.sessions.as_slice()).unwrap_or_default();
    let tracks = tracked.map(|tracked| tracked.tracks.as_slice()).unwrap_or_default();
    let tenth = |metres: f32| (f64::from(metres) * 10.0).round() / 10.0;
    let tracks = tracks.iter().map(|facts| {
        json!({
            "track": facts.track, "layout": facts.layout, "length_m": facts.length_m, "sector_ends": facts.sector_ends,
            "outline_m": facts.outline_m.iter().map(|[x, _, z]| [tenth(*x), tenth(*z)]).collect::<Vec<_>>(),
        })
    });
    let marks = tape.events().into_iter().filter(|event| event.kind == "mark").take(MOST_MARKS);
    json!({
        "version": 1,
        "made_by": made_by,
        "file": file,
        "created_utc": tape.start_utc_ns().and_then(utc_text),
        "game": streams().map(|stream| stream.spec().game.as_str()).find(|game| !game.is_empty()),
        "duration_ns": streams().filter_map(|stream| stream.totals().last_ns.max(stream.status().seen_until_ns)).max(),
        "complete": tape.is_complete(),
        "track": told("track"), "car": told("car"), "driver": told("driver"), "note": told("note"),
        "sessions": sessions.iter().map(|session| as_printed(&SessionDocument::of(session))).collect::<Vec<_>>(),
        "tracks": tracks.collect::<Vec<_>>(),
        "marks": marks.map(|mark| json!({ "at_ns": mark.at_ns, "text": mark.text })).collect::<Vec<_>>(),
    })
}

/// Serializes a session with the numbers that `laps --json` prints. A `Value` would print 4-byte floats with the digits of 8-byte ones.
fn as_printed(session: &SessionDocument) -> Value {
    serde_json::to_string(session).and_then(|text| serde_json::from_str(&text)).unwrap_or_default()
}
