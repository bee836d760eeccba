//! Converts sessions, stints and laps of the model to rows and back. Columns that the store computes are not included.

use super::error::StoreError;
use super::packed::{conditions_of, conditions_text, reasons_of, reasons_text, sectors_of, sectors_text};
use super::value::{Row, Value, needed, unsigned, unsigned_or_null};
use crate::laps::{
    Id, Lap, LapState, Phase, Session, SessionEnd, SessionKind, Stint, StintEnd, StintStart, TimeSource,
};
use gametape_format::TapeId;

/// The columns of a session, primary key first.
pub(super) const SESSION: &[&str] = &[
    "id",
    "tape",
    "game",
    "game_version",
    "kind",
    "number",
    "track",
    "layout",
    "car",
    "driver",
    "online",
    "start_ns",
    "end_ns",
    "started_us",
    "ended_us",
    "end_reason",
    "sector_count",
    "remark",
    "is_foreign",
];

pub(super) fn session_values(session: &Session) -> Result<Vec<Value>, StoreError> {
    Ok(vec![
        session.id.into(),
        session.tape.into(),
        Value::from(&session.game),
        text(&session.game_version),
        Value::from(session.kind.as_str()),
        session.index.into(),
        text(&session.track),
        text(&session.layout),
        text(&session.car),
        text(&session.driver),
        session.online.into(),
        unsigned("the beginning of a session", session.start_ns)?,
        unsigned_or_null("the end of a session", session.end_ns)?,
        session.started_utc_us.into(),
        session.ended_utc_us.into(),
        session.end.map(SessionEnd::as_str).into(),
        session.sector_count.into(),
        text(&session.remark),
        session.foreign.into(),
    ])
}

pub(super) fn read_session(row: &mut Row) -> Result<Session, StoreError> {
    Ok(Session {
        id: needed(row.id("a session id")?, "a session id")?,
        tape: needed(row.tape("a tape id")?, "a tape id")?,
        game: needed(row.text("a game")?, "a game")?,
        game_version: row.text("a game version")?,
        kind: row.word("a kind of session", SessionKind::parse)?.unwrap_or(SessionKind::Unknown),
        index: row.number("a session number")?,
        track: row.text("a track")?,
        layout: row.text("a layout")?,
        car: row.text("a car")?,
        driver: row.text("a driver")?,
        online: row.yes_or_no("online or not")?,
        start_ns: needed(row.number("a time")?, "a time")?,
        end_ns: row.number("a time")?,
        started_utc_us: row.number("a time")?,
        ended_utc_us: row.number("a time")?,
        end: row.word("an end of a session", SessionEnd::parse)?,
        sector_count: row.number("a number of sectors")?,
        remark: row.text("a remark")?,
        foreign: row.yes_or_no("foreign or not")? == Some(true),
        best_lap: None,
        theoretical_best_ms: None,
    })
}

/// The columns of a stint, primary key first.
pub(super) const STINT: &[&str] = &[
    "session",
    "n",
    "start_reason",
    "end_reason",
    "start_ns",
    "end_ns",
    "first_lap",
    "last_lap",
    "driver",
    "fuel_start_l",
    "fuel_end_l",
    "tyre_set",
];

pub(super) fn stint_values(session: Id, stint: &Stint) -> Result<Vec<Value>, StoreError> {
    Ok(vec![
        session.into(),
        stint.n.into(),
        Value::from(stint.start.as_str()),
        stint.end.map(StintEnd::as_str).into(),
        unsigned("the beginning of a stint", stint.start_ns)?,
        unsigned_or_null("the end of a stint", stint.end_ns)?,
        stint.first_lap.into(),
        stint.last_lap.into(),
        text(&stint.driver),
        stint.fuel_start_l.into(),
        stint.fuel_end_l.into(),
        stint.tyre_set.into(),
    ])
}

pub(super) fn read_stint(row: &mut Row) -> Result<Stint, StoreError> {
    row.id("a session id")?;
    Ok(Stint {
        n: needed(row.number("a stint number")?, "a stint number")?,
        start: row.known_word("a beginning of a stint", StintStart::parse)?,
        end: row.word("an end of a stint", StintEnd::parse)?,
        start_ns: needed(row.number("a time")?, "a time")?,
        end_ns: row.number("a time")?,
        first_lap: row.number("a lap number")?,
        last_lap: row.number("a lap number")?,
        driver: row.text("a driver")?,
        fuel_start_l: row.real("fuel")?,
        fuel_end_l: row.real("fuel")?,
        tyre_set: row.number("a tyre set")?,
    })
}

/// The columns of a lap, primary key first.
pub(super) const LAP: &[&str] = &[
    "id",
    "session",
    "tape",
    "number",
    "tape_lap",
    "stint",
    "driver",
    "start_ns",
    "end_ns",
    "started_us",
    "time_ms",
    "time_source",
    "state",
    "phase",
    "complete",
    "valid",
    "reasons",
    "eligible",
    "sectors",
    "fuel_used_l",
    "conditions",
    "coverage",
    "top_speed_kmh",
];

pub(super) fn lap_values(tape: TapeId, lap: &Lap) -> Result<Vec<Value>, StoreError> {
    Ok(vec![
        lap.id.into(),
        lap.session.into(),
        tape.into(),
        lap.number.into(),
        lap.tape_lap.into(),
        lap.stint.into(),
        text(&lap.driver),
        unsigned("the beginning of a lap", lap.start_ns)?,
        unsigned_or_null("the end of a lap", lap.end_ns)?,
        lap.started_utc_us.into(),
        lap.time_ms.into(),
        lap.time_source.map(TimeSource::as_str).into(),
        Value::from(lap.state.as_str()),
        Value::from(lap.phase.as_str()),
        lap.complete.into(),
        lap.valid.into(),
        Value::from(reasons_text(&lap.reasons)),
        lap.eligible.into(),
        Value::from(sectors_text(&lap.sectors)),
        lap.fuel_used_l.into(),
        Value::from(conditions_text(&lap.conditions)),
        lap.coverage.into(),
        lap.top_speed_kmh.into(),
    ])
}

/// Reads a lap and the id of its tape, without the user's edits.
pub(super) fn read_lap(row: &mut Row) -> Result<(Lap, TapeId), StoreError> {
    let id = needed(row.id("a lap id")?, "a lap id")?;
    let session = needed(row.id("a session id")?, "a session id")?;
    let tape = needed(row.tape("a tape id")?, "a tape id")?;
    let lap = Lap {
        id,
        session,
        number: row.number("a lap number")?,
        tape_lap: needed(row.number("a lap number")?, "a lap number")?,
        stint: row.number("a stint number")?,
        driver: row.text("a driver")?,
        start_ns: needed(row.number("a time")?, "a time")?,
        end_ns: row.number("a time")?,
        started_utc_us: row.number("a time")?,
        time_ms: row.number("a lap time")?,
        time_source: row.word("a source of a time", TimeSource::parse)?,
        state: row.known_word("a state of a lap", LapState::parse)?,
        phase: row.known_word("a kind of lap", Phase::parse)?,
        complete: needed(row.yes_or_no("complete or not")?, "complete or not")?,
        valid: row.yes_or_no("valid or not")?,
        reasons: reasons_of(&needed(row.text("reasons")?, "reasons")?)?,
        eligible: needed(row.yes_or_no("eligible or not")?, "eligible or not")?,
        sectors: sectors_of(&needed(row.text("sectors")?, "sectors")?)?,
        fuel_used_l: row.real("fuel")?,
        conditions: conditions_of(&needed(row.text("conditions")?, "conditions")?)?,
        coverage: row.real("coverage")?,
        top_speed_kmh: row.real("a speed")?,
        excluded: false,
    };
    Ok((lap, tape))
}

/// Qualifies columns with a table name, for queries over several tables.
pub(super) fn of_table(table: &str, columns: &[&str]) -> String {
    columns.iter().map(|column| format!("{table}.{column}")).collect::<Vec<_>>().join(", ")
}

/// Converts an optional text to a value. The empty text is stored as NULL.
fn text(text: &Option<String>) -> Value {
    text.as_deref().filter(|text| !text.is_empty()).into()
}
