//! Sessions, stints and laps into the store. After each, what is made from laps (counts, bests) is made anew: see `settle`.

use std::collections::BTreeSet;

use super::columns::{LAP, SESSION, STINT, lap_values, read_session, session_values, stint_values};
use super::connection::Connection;
use super::error::StoreError;
use super::put::Put;
use super::settle::{settle_lap, settle_laps, settle_session};
use super::stored::{Change, Combination, Origin, Write};
use super::track_facts;
use super::value::{Value, needed};
use crate::laps::{Id, Lap, Session, Stint};

/// Puts several things into the store.
pub(super) fn write(db: &mut dyn Connection, origin: &Origin, writes: &[Write]) -> Result<Vec<Change>, StoreError> {
    if origin.is_left_out() {
        return Ok(vec![Change::LeftOut; writes.len()]);
    }
    put_tracker(db, origin)?;
    let mut changes = Vec::with_capacity(writes.len());
    let mut touched = BTreeSet::new();
    for write in writes {
        let (session, change) = match write {
            Write::Session(session) => (session.id, put_session(db, session)?),
            Write::Stint(session, stint) => (*session, put_stint(db, *session, stint)?),
            Write::Lap(lap) => (lap.session, put_lap(db, origin, lap)?),
            Write::Track(facts) => {
                changes.push(track_facts::put(db, facts)?);
                continue;
            }
        };
        if change != Change::Same {
            touched.insert(session);
        }
        changes.push(change);
    }
    for session in touched {
        settle_session(db, session)?;
    }
    Ok(changes)
}

/// Notes which tracker looks at a tape.
pub(super) fn put_tracker(db: &mut dyn Connection, origin: &Origin) -> Result<Change, StoreError> {
    let values = [origin.tape.into(), Value::from(&origin.tracker.id), origin.tracker.version.into()];
    let columns = &["tape", "tracker", "tracker_version"];
    Put { table: "tracked", columns, key: 1, values: &values, once: &[] }.run(db)
}

/// Puts a session. If it is another car, track or driver now, its laps move to other bests.
pub(super) fn put_session(db: &mut dyn Connection, session: &Session) -> Result<Change, StoreError> {
    let values = session_values(session)?;
    let once = [
        ("tags", Value::from("[]")),
        ("sort_us", Value::Int(session.started_utc_us.unwrap_or_default())),
        ("visibility", Value::Int(0)),
        ("lap_count", Value::Int(0)),
        ("shown_lap_count", Value::Int(0)),
    ];
    let change = Put { table: "sessions", columns: SESSION, key: 1, values: &values, once: &once }.run(db)?;
    if change != Change::Same {
        settle_laps(db, session)?;
    }
    Ok(change)
}

/// Puts a stint.
pub(super) fn put_stint(db: &mut dyn Connection, session: Id, stint: &Stint) -> Result<Change, StoreError> {
    session_of(db, session)?;
    let values = stint_values(session, stint)?;
    Put { table: "stints", columns: STINT, key: 2, values: &values, once: &[] }.run(db)
}

/// Puts a lap.
pub(super) fn put_lap(db: &mut dyn Connection, origin: &Origin, lap: &Lap) -> Result<Change, StoreError> {
    let session = session_of(db, lap.session)?;
    let combination = Combination::of(&session, lap.driver.as_ref()).put(db)?;
    let values = lap_values(origin.tape, lap)?;
    let once = [
        ("combination", Value::Int(combination)),
        ("excluded", Value::Int(0)),
        ("tags", Value::from("[]")),
        ("sort_us", Value::Int(0)),
        ("visibility", Value::Int(0)),
        ("gone", Value::Int(0)),
        ("counts", Value::Int(0)),
    ];
    let change = Put { table: "laps", columns: LAP, key: 1, values: &values, once: &once }.run(db)?;
    if change != Change::Same {
        settle_lap(db, &session, lap.id)?;
    }
    if change == Change::Changed {
        // What a user said about a lap that was being driven is about all of it.
        let sql =
            "UPDATE edits SET end_ns = (SELECT end_ns FROM laps WHERE id = ?1) WHERE attached = ?1 AND end_ns IS NULL";
        db.execute(sql, &[lap.id.into()])?;
    }
    Ok(change)
}

/// The session with this id.
pub(super) fn session_of(db: &mut dyn Connection, id: Id) -> Result<Session, StoreError> {
    let sql = format!("SELECT {} FROM sessions WHERE id = ?1", SESSION.join(", "));
    let session = db.first(&sql, &[id.into()], |mut row| read_session(&mut row))?;
    session.ok_or(StoreError::NoSession { session: id })
}

/// How many rows a query counts.
pub(super) fn count(db: &mut dyn Connection, sql: &str, values: &[Value]) -> Result<u32, StoreError> {
    let count = db.first(sql, values, |mut row| row.number("a count"))?;
    needed(count.flatten(), "a count")
}
