//! Sessions and their laps.

use serde_json::Value;

use super::super::text::minute;
use super::{count, id, items, ms, sectors, signed_ms, word, words};

/// The largest number of laps shown per session.
const MOST_LAPS: usize = 5_000;
/// Sessions per page.
const MOST_SESSIONS: usize = 500;
/// The largest number of reasons shown per lap.
const MOST_REASONS: usize = 8;

/// A session in a list.
#[derive(Debug, Clone, PartialEq, Default)]
pub(crate) struct SessionRow {
    pub(crate) id: String,
    pub(crate) game: String,
    pub(crate) kind: String,
    pub(crate) track: String,
    pub(crate) car: String,
    pub(crate) driver: String,
    /// `2026-11-16 12:55`, in UTC.
    pub(crate) started: String,
    pub(crate) best_ms: Option<u32>,
    pub(crate) lap_count: u32,
}

impl SessionRow {
    pub(crate) fn of(session: &Value) -> Option<Self> {
        // A name given by a user takes precedence.
        let named = |name: &str, plain: &str| {
            words(&session[name]).or_else(|| words(&session[plain])).unwrap_or_else(|| "-".to_owned())
        };
        let track = match words(&session["layout"]) {
            Some(layout) => format!("{} {layout}", named("track_name", "track")),
            None => named("track_name", "track"),
        };
        Some(Self {
            id: id(&session["id"])?,
            game: words(&session["game"]).unwrap_or_default(),
            kind: word(&session["type"]),
            track,
            car: named("car_name", "car"),
            driver: named("driver_name", "driver"),
            started: words(&session["started_utc"]).map(|utc| minute(&utc)).unwrap_or_default(),
            best_ms: ms(&session["best_ms"]),
            lap_count: count(&session["lap_count"]).unwrap_or(0),
        })
    }

    /// Whether the session contains all words of a filter.
    pub(crate) fn has(&self, filter: &str) -> bool {
        let Self { game, kind, track, car, driver, started, .. } = self;
        let all = [game, kind, track, car, driver, started].map(String::as_str).join(" ").to_lowercase();
        filter.to_lowercase().split_whitespace().all(|word| all.contains(word))
    }
}

/// Reads a page of sessions, and the cursor of the next page.
pub(crate) fn sessions(page: &Value) -> (Vec<SessionRow>, Option<String>) {
    let rows = items(&page["sessions"], MOST_SESSIONS).filter_map(SessionRow::of).collect();
    (rows, next(page))
}

/// Reads a cursor. It is inserted into a URL unescaped.
pub(super) fn next(page: &Value) -> Option<String> {
    let plain = |byte: u8| byte.is_ascii_alphanumeric() || b"-_.~:".contains(&byte);
    page["next"].as_str().filter(|next| next.len() <= 1000 && next.bytes().all(plain)).map(str::to_owned)
}

/// A lap.
#[derive(Debug, Clone, PartialEq, Default)]
pub(crate) struct LapRow {
    pub(crate) id: String,
    pub(crate) number: Option<u32>,
    pub(crate) tape_lap: Option<u32>,
    pub(crate) time_ms: Option<u32>,
    pub(crate) state: String,
    pub(crate) phase: String,
    pub(crate) valid: Option<bool>,
    pub(crate) reasons: Vec<String>,
    pub(crate) eligible: bool,
    pub(crate) excluded: bool,
    pub(crate) measured: bool,
    pub(crate) sectors_ms: Vec<Option<u32>>,
    pub(crate) delta_ms: Option<i64>,
    pub(crate) driver: String,
}

impl LapRow {
    pub(crate) fn of(lap: &Value) -> Option<Self> {
        Some(Self {
            id: id(&lap["id"])?,
            number: count(&lap["number"]),
            tape_lap: count(&lap["tape_lap"]),
            time_ms: ms(&lap["time_ms"]),
            state: word(&lap["state"]),
            phase: word(&lap["phase"]),
            valid: lap["valid"].as_bool(),
            reasons: items(&lap["reasons"], MOST_REASONS).map(word).collect(),
            eligible: lap["eligible"].as_bool().unwrap_or(false),
            excluded: lap["excluded"].as_bool().unwrap_or(false),
            measured: lap["time_source"].as_str() == Some("measured"),
            sectors_ms: sectors(&lap["sectors_ms"]),
            delta_ms: signed_ms(&lap["delta_to_best_ms"]),
            driver: words(&lap["driver"]).unwrap_or_default(),
        })
    }

    /// Returns the notes: everything that has no column.
    pub(crate) fn notes(&self) -> String {
        // These are shown as the phase.
        const SHOWN_AS_PHASE: [&str; 5] = ["out lap", "in lap", "pit lap", "grid start", "formation"];
        let mut notes = Vec::new();
        if self.valid == Some(false) {
            notes.push("invalid");
        }
        if self.excluded {
            notes.push("excluded");
        }
        if !self.state.is_empty() && self.state != "final" {
            notes.push(&self.state);
        }
        notes.extend(self.reasons.iter().map(String::as_str).filter(|reason| !SHOWN_AS_PHASE.contains(reason)));
        notes.join(", ")
    }
}

/// A session with its laps.
#[derive(Debug, Clone, PartialEq, Default)]
pub(crate) struct SessionDetail {
    pub(crate) session: SessionRow,
    pub(crate) laps: Vec<LapRow>,
    pub(crate) best_lap: Option<String>,
    pub(crate) theoretical_ms: Option<u32>,
}

impl SessionDetail {
    pub(crate) fn of(session: &Value) -> Option<Self> {
        Some(Self {
            session: SessionRow::of(session)?,
            laps: items(&session["laps"], MOST_LAPS).filter_map(LapRow::of).collect(),
            best_lap: id(&session["best_lap"]),
            theoretical_ms: ms(&session["theoretical_best_ms"]),
        })
    }

    /// Returns the number of sectors per lap.
    pub(crate) fn sector_count(&self) -> usize {
        self.laps.iter().map(|lap| lap.sectors_ms.len()).max().unwrap_or(0)
    }

    /// Returns the best time of each sector among eligible laps.
    pub(crate) fn best_sectors(&self) -> Vec<Option<u32>> {
        let best = |index: usize| {
            let counts = self.laps.iter().filter(|lap| lap.eligible);
            counts.filter_map(|lap| lap.sectors_ms.get(index).copied().flatten()).min()
        };
        (0..self.sector_count()).map(best).collect()
    }
}
