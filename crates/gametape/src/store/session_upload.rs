//! The upload format for a session with its stints and laps, sent from one server to another.
//!
//! ```text
//! {"format":1,"tracker":["id",3],"session":[…],"stints":[[…]],"laps":[[…]],"facts":"…","hidden":[["Driver 1","private"]]}
//! ```
//! The session of someone else has `"foreign":true`. A session with all cars has format 2 and `"cars":[[…]],"car_laps":[[…]]`; without them it is sent as format 1, which earlier versions accept.
//! Rows have the columns of the tables, in the order of `columns`; ids are `{"b":"hex"}`. The input is not trusted: rows must have the
//! types of the tables and be consistent. Ids are derived from the tape and the time, so that a client cannot overwrite the laps of
//! another tape.

use std::collections::{BTreeMap, BTreeSet};

use serde_json::{Value as Json, json};

use super::cars::{CAR, CAR_LAP, car_lap_values, car_values, read_car, read_car_lap};
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
use crate::games::CarStanding;
use crate::laps::thresholds::{MOST_CAR_LAPS, MOST_CARS};
use crate::laps::{CarChange, Id, TrackFacts};

/// Version of the format without cars.
const FORMAT: i64 = 1;
/// Version of the format with cars.
const FORMAT_WITH_CARS: i64 = 2;
/// Number of columns of a session in an upload. Later columns are fields of their own.
const SESSION_COLUMNS: usize = 18;
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
        let TrackedSession { session, stints, laps, cars } = &self.tracked;
        let mut session_cells = session_values(session)?;
        // Earlier versions accept rows with their own columns only, and ignore fields that they do not know.
        session_cells.truncate(SESSION_COLUMNS);
        let stints = stints.iter().map(|stint| stint_values(session.id, stint).map(row));
        let laps = laps.iter().map(|lap| lap_values(session.tape, lap).map(row));
        let mut text = json!({
            "format": if cars.is_empty() { FORMAT } else { FORMAT_WITH_CARS },
            "tracker": [self.tracker.id, self.tracker.version],
            "session": row(session_cells),
            "stints": stints.collect::<Result<Vec<_>, _>>()?,
            "laps": laps.collect::<Result<Vec<_>, _>>()?,
            "facts": self.facts.as_ref().map(track_facts::text_of),
            "hidden": self.hidden.iter().map(|(driver, how)| json!([driver, how.as_str()])).collect::<Vec<_>>(),
            "excluded": self.excluded.iter().map(Id::to_string).collect::<Vec<_>>(),
        });
        if session.foreign {
            text["foreign"] = true.into();
        }
        if !cars.is_empty() {
            let laps =
                cars.iter().flat_map(|car| car.laps.iter().map(|lap| row(car_lap_values(session.id, car.car, lap))));
            text["car_laps"] = laps.collect();
            text["cars"] = cars.iter().map(|car| row(car_values(session.id, &CarChange::whole(car.clone())))).collect();
        }
        Ok(text.to_string())
    }

    /// Returns the same session without other cars, for a server that does not support them.
    #[must_use]
    pub fn without_cars(&self) -> Self {
        let mut plain = self.clone();
        plain.tracked.cars.clear();
        let drivers: BTreeSet<String> = drivers(&plain.tracked).cloned().collect();
        plain.hidden.retain(|(driver, _)| drivers.contains(driver));
        plain
    }

    /// Parses an upload.
    ///
    /// # Errors
    /// If the text is not an upload, or its content is inconsistent.
    pub fn unpack(text: &str) -> Result<Self, StoreError> {
        let json: Json = serde_json::from_str(text).map_err(|error| wrong("an upload", &error))?;
        let part = |name: &'static str| json.get(name).ok_or_else(|| wrong("an upload with all fields", &name));
        let format = part("format")?.as_i64();
        if format != Some(FORMAT) && format != Some(FORMAT_WITH_CARS) {
            return Err(wrong("upload format 1 or 2: is the other gametape newer?", part("format")?));
        }
        let tracker = part("tracker")?.as_array().and_then(|parts| match parts.as_slice() {
            [id, version] => {
                Some(TrackerVersion { id: id.as_str()?.to_owned(), version: version.as_u64()?.try_into().ok()? })
            }
            _ => None,
        });
        let tracker = tracker.ok_or_else(|| wrong("a tracker", part("tracker").unwrap_or(&Json::Null)))?;
        let foreign = Json::from(i64::from(json.get("foreign").and_then(Json::as_bool) == Some(true)));
        let cells = part("session")?.as_array().filter(|cells| cells.len() == SESSION_COLUMNS);
        let cells: Json = cells.into_iter().flatten().chain([&foreign]).cloned().collect();
        let session = read_session(&mut row_of(&cells, SESSION.len())?)?;
        let stints =
            rows(part("stints")?, STINT.len(), MOST)?.iter_mut().map(read_stint).collect::<Result<Vec<_>, _>>()?;
        let mut laps = Vec::new();
        for mut row in rows(part("laps")?, LAP.len(), MOST)? {
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
        let cars = match format {
            Some(FORMAT_WITH_CARS) => unpack_cars(session.id, part("cars")?, part("car_laps")?)?,
            _ => Vec::new(),
        };
        let tracked = TrackedSession { session, stints, laps, cars };
        let drivers: BTreeSet<&String> = drivers(&tracked).collect();
        if let Some((stranger, _)) = hidden.iter().find(|(driver, _)| !drivers.contains(driver)) {
            return Err(wrong("hidden drivers of this session", stranger));
        }
        let excluded = part("excluded")?.as_array().ok_or_else(|| wrong("excluded laps", &"something else"))?;
        let known: BTreeMap<String, Id> = tracked.laps.iter().map(|lap| (lap.id.to_string(), lap.id)).collect();
        let excluded = excluded.iter().map(|id| {
            let lap = id.as_str().and_then(|id| known.get(id)).copied();
            lap.ok_or_else(|| wrong("an excluded lap of this session", id))
        });
        let excluded = excluded.collect::<Result<Vec<_>, _>>()?;
        Ok(Self { tracker, tracked, facts, hidden, excluded })
    }
}

/// Returns the drivers of a session, of its laps and stints, and of all its cars.
fn drivers(tracked: &TrackedSession) -> impl Iterator<Item = &String> {
    (tracked.session.driver.iter())
        .chain(tracked.laps.iter().filter_map(|lap| lap.driver.as_ref()))
        .chain(tracked.stints.iter().filter_map(|stint| stint.driver.as_ref()))
        .chain(tracked.cars.iter().filter_map(|car| car.name.as_ref()))
}

/// Parses the cars of a session and their laps.
fn unpack_cars(session: Id, cars: &Json, laps: &Json) -> Result<Vec<CarStanding>, StoreError> {
    let is_own = |json: &Json| json.get(0).and_then(|cell| cell.get("b")?.as_str()) == Some(&session.to_string());
    let mut all = [cars, laps].into_iter().filter_map(Json::as_array).flatten();
    if let Some(other) = all.find(|row| !is_own(row)) {
        return Err(wrong("a car of this session", other));
    }
    let mut known: BTreeMap<u32, CarStanding> = BTreeMap::new();
    for mut row in rows(cars, CAR.len(), MOST_CARS)? {
        let car = read_car(&mut row)?.car;
        known.insert(car.car, car);
    }
    for mut row in rows(laps, CAR_LAP.len(), MOST_CARS * MOST_CAR_LAPS)? {
        let (car, lap) = read_car_lap(&mut row)?;
        let car = known.get_mut(&car).ok_or_else(|| wrong("a lap of a car of this session", &car))?;
        if car.laps.last().is_some_and(|before| before.number >= lap.number) || car.laps.len() >= MOST_CAR_LAPS {
            return Err(wrong("laps of a car in order, at most 1000", &lap.number));
        }
        car.laps.push(lap);
    }
    Ok(known.into_values().collect())
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

fn rows(json: &Json, columns: usize, most: usize) -> Result<Vec<Row>, StoreError> {
    let all =
        json.as_array().filter(|rows| rows.len() <= most).ok_or_else(|| wrong("a list of rows", &"something else"))?;
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
