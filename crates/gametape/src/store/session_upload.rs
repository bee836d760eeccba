//! The upload format for a session with its stints and laps, sent from one server to another.
//!
//! ```text
//! {"format":1,"tracker":["id",3],"session":[…],"stints":[[…]],"laps":[[…]],"facts":"…","hidden":[["Driver 1","private"]]}
//! ```
//! Rows have the columns of the tables, in the order of `columns`; ids are `{"b":"hex"}`. The input is not trusted: rows must have the
//! types of the tables and be consistent. Ids are derived from the tape and the time, so that a client cannot overwrite the laps of
//! another tape.

use std::collections::{BTreeMap, BTreeSet};

use serde_json::{Value as Json, json};

use super::columns::{
    LAP, SESSION, STINT, lap_values, read_lap, read_session, read_stint, session_values, stint_values,
};
use super::connection::Connection;
use super::cursor::from_hex;
use super::error::StoreError;
use super::query::Visibility;
use super::stored::{Origin, TrackedSession, TrackerVersion};
use super::track_facts;
use super::value::{Row, Value};
use crate::laps::{Id, TrackFacts};

/// Version of the format.
const FORMAT: i64 = 1;
/// Maximum number of laps, and of stints, of a session.
const MOST: usize = 20_000;
/// Maximum number of laps that begin at the same time: laps inferred over a gap.
const AT_ONE_MOMENT: u32 = 1000;

/// Maximum number of hidden drivers of a session. Each costs a separate change of the store.
const MOST_HIDDEN: usize = 100;

/// A session to upload.
#[derive(Debug, Clone, PartialEq)]
pub struct SessionUpload {
    /// The tracker that found the session.
    pub tracker: TrackerVersion,
    /// The session, its stints and its laps.
    pub tracked: TrackedSession,
    /// What is known about its track.
    pub facts: Option<TrackFacts>,
    /// Its hidden drivers, with their visibility.
    pub hidden: Vec<(String, Visibility)>,
    /// Its laps that users excluded from bests.
    pub excluded: Vec<Id>,
}

impl SessionUpload {
    /// Returns the origin of the session.
    #[must_use]
    pub fn origin(&self) -> Origin {
        // The sending store has already decided whether to keep laps of a playback.
        Origin { keep_replays: true, ..Origin::new(self.tracked.session.tape, self.tracker.clone()) }
    }

    /// Returns the BLAKE3 hash of an upload, in hex.
    #[must_use]
    pub fn content(text: &str) -> String {
        blake3::hash(text.as_bytes()).to_hex().to_string()
    }

    /// Serializes the upload.
    ///
    /// # Errors
    /// If a number exceeds the range of the database.
    pub fn pack(&self) -> Result<String, StoreError> {
        let TrackedSession { session, stints, laps } = &self.tracked;
        let stints = stints.iter().map(|stint| stint_values(session.id, stint).map(row));
        let laps = laps.iter().map(|lap| lap_values(session.tape, lap).map(row));
        let text = json!({
            "format": FORMAT,
            "tracker": [self.tracker.id, self.tracker.version],
            "session": row(session_values(session)?),
            "stints": stints.collect::<Result<Vec<_>, _>>()?,
            "laps": laps.collect::<Result<Vec<_>, _>>()?,
            "facts": self.facts.as_ref().map(track_facts::text_of),
            "hidden": self.hidden.iter().map(|(driver, how)| json!([driver, how.as_str()])).collect::<Vec<_>>(),
            "excluded": self.excluded.iter().map(Id::to_string).collect::<Vec<_>>(),
        });
        Ok(text.to_string())
    }

    /// Parses an upload.
    ///
    /// # Errors
    /// If the text is not an upload, or its content is inconsistent.
    pub fn unpack(text: &str) -> Result<Self, StoreError> {
        let json: Json = serde_json::from_str(text).map_err(|error| wrong("an upload", &error))?;
        let part = |name: &'static str| json.get(name).ok_or_else(|| wrong("an upload with all fields", &name));
        if part("format")?.as_i64() != Some(FORMAT) {
            return Err(wrong("upload format 1: is the other gametape newer?", part("format")?));
        }
        let tracker = part("tracker")?.as_array().and_then(|parts| match parts.as_slice() {
            [id, version] => {
                Some(TrackerVersion { id: id.as_str()?.to_owned(), version: version.as_u64()?.try_into().ok()? })
            }
            _ => None,
        });
        let tracker = tracker.ok_or_else(|| wrong("a tracker", part("tracker").unwrap_or(&Json::Null)))?;
        let session = read_session(&mut row_of(part("session")?, SESSION.len())?)?;
        let stints = rows(part("stints")?, STINT.len())?.iter_mut().map(read_stint).collect::<Result<Vec<_>, _>>()?;
        let mut laps = Vec::new();
        for mut row in rows(part("laps")?, LAP.len())? {
            let (lap, tape) = read_lap(&mut row)?;
            let is_own = (0..AT_ONE_MOMENT).any(|nth| Id::of_lap(session.tape, lap.start_ns, nth) == lap.id);
            if tape != session.tape || lap.session != session.id || !is_own {
                return Err(wrong("a lap of this session", &lap.id));
            }
            laps.push(lap);
        }
        if Id::of_session(session.tape, session.start_ns) != session.id {
            return Err(wrong("a session of its tape", &session.id));
        }
        let facts = match (part("facts")?.as_str(), &session.track) {
            (Some(text), Some(track)) => {
                let facts = track_facts::parse(text).ok_or_else(|| wrong("facts of a track", &text))?;
                let (game, layout) = (session.game.clone(), session.layout.clone());
                Some(TrackFacts { game, track: track.clone(), layout, ..facts })
            }
            _ => None,
        };
        let hidden = part("hidden")?.as_array().into_iter().flatten().map(|entry| match entry.as_array()?.as_slice() {
            [driver, how] => Some((driver.as_str()?.to_owned(), Visibility::parse(how.as_str()?)?)),
            _ => None,
        });
        let hidden = hidden.collect::<Option<Vec<_>>>().ok_or_else(|| wrong("hidden drivers", &"something else"))?;
        if hidden.len() > MOST_HIDDEN {
            return Err(wrong("at most 100 hidden drivers", &hidden.len()));
        }
        let drivers: BTreeSet<&String> = (session.driver.iter())
            .chain(laps.iter().filter_map(|lap| lap.driver.as_ref()))
            .chain(stints.iter().filter_map(|stint| stint.driver.as_ref()))
            .collect();
        if let Some((stranger, _)) = hidden.iter().find(|(driver, _)| !drivers.contains(driver)) {
            return Err(wrong("hidden drivers of this session", stranger));
        }
        let excluded = part("excluded")?.as_array().ok_or_else(|| wrong("excluded laps", &"something else"))?;
        let known: BTreeMap<String, Id> = laps.iter().map(|lap| (lap.id.to_string(), lap.id)).collect();
        let excluded = excluded.iter().map(|id| {
            let lap = id.as_str().and_then(|id| known.get(id)).copied();
            lap.ok_or_else(|| wrong("an excluded lap of this session", id))
        });
        let excluded = excluded.collect::<Result<Vec<_>, _>>()?;
        Ok(Self { tracker, tracked: TrackedSession { session, stints, laps }, facts, hidden, excluded })
    }
}

fn wrong(expected: &'static str, found: &dyn std::fmt::Display) -> StoreError {
    StoreError::Damaged { expected, found: found.to_string().chars().take(80).collect() }
}

fn row(values: Vec<Value>) -> Json {
    let cell = |value: Value| match value {
        Value::Null => Json::Null,
        Value::Int(number) => number.into(),
        Value::Real(number) => number.into(),
        Value::Text(text) => text.into(),
        Value::Bytes(bytes) => json!({ "b": bytes.iter().map(|byte| format!("{byte:02x}")).collect::<String>() }),
    };
    values.into_iter().map(cell).collect()
}

fn row_of(json: &Json, columns: usize) -> Result<Row, StoreError> {
    let cell = |json: &Json| match json {
        Json::Null => Some(Value::Null),
        Json::Number(number) => match number.as_i64() {
            Some(number) => Some(Value::Int(number)),
            None => number.as_f64().map(Value::Real),
        },
        Json::String(text) => Some(Value::from(text)),
        Json::Object(object) => object.get("b").and_then(Json::as_str).and_then(from_hex).map(Value::Bytes),
        _ => None,
    };
    let cells = json.as_array().filter(|cells| cells.len() == columns);
    let values = cells.and_then(|cells| cells.iter().map(cell).collect::<Option<Vec<_>>>());
    values.map(Row::new).ok_or_else(|| wrong("a row of a table", json))
}

fn rows(json: &Json, columns: usize) -> Result<Vec<Row>, StoreError> {
    let all =
        json.as_array().filter(|rows| rows.len() <= MOST).ok_or_else(|| wrong("a list of rows", &"something else"))?;
    all.iter().map(|row| row_of(row, columns)).collect()
}

/// Returns the content hash that was last sent; `None` if nothing was.
pub(super) fn pushed_content(
    db: &mut dyn Connection,
    upstream: &str,
    kind: &str,
    id: [u8; 16],
) -> Result<Option<String>, StoreError> {
    let sql = "SELECT content FROM pushed WHERE upstream = ?1 AND kind = ?2 AND id = ?3";
    let key = [Value::from(upstream), Value::from(kind), Value::from(&id[..])];
    Ok(db.first(sql, &key, |mut row| row.text("what was sent"))?.flatten())
}

/// Records a delivery.
pub(super) fn note_pushed(
    db: &mut dyn Connection,
    upstream: &str,
    kind: &str,
    id: [u8; 16],
    content: &str,
) -> Result<(), StoreError> {
    let sql = "INSERT INTO pushed (upstream, kind, id, content) VALUES (?1, ?2, ?3, ?4) \
               ON CONFLICT (upstream, kind, id) DO UPDATE SET content = ?4";
    let values = [Value::from(upstream), Value::from(kind), Value::from(&id[..]), Value::from(content)];
    db.execute(sql, &values)?;
    Ok(())
}
