//! Writing sessions, stints and laps. Each write recomputes the derived columns (counts, bests): see `derived`.

use std::collections::BTreeSet;

use super::cars::put_cars;
use super::columns::{LAP, SESSION, STINT, lap_values, read_session, session_values, stint_values};
use super::connection::Connection;
use super::derived::{derive_lap, derive_laps, derive_session, lock_drivers};
use super::edits::Kind;
use super::error::StoreError;
use super::stored::{Change, Combination, Origin, Write};
use super::track_facts;
use super::upsert::Upsert;
use super::value::{Value, needed};
use crate::laps::{Id, Lap, Session, Stint};

/// Writes several items.
pub(super) fn write(db: &mut dyn Connection, origin: &Origin, writes: &[Write]) -> Result<Vec<Change>, StoreError> {
    if origin.is_left_out() {
        return Ok(vec![Change::LeftOut; writes.len()]);
    }
    lock_drivers_of(db, writes)?;
    let superseded = begin_tracking(db, origin)?;
    let mut changes = Vec::with_capacity(writes.len());
    if !superseded {
        put_combinations(db, writes)?;
    }
    let mut touched = BTreeSet::new();
    for write in writes {
        let (session, change) = match write {
            Write::Session(_) | Write::Stint(..) | Write::Lap(_) | Write::Cars(..) if superseded => {
                changes.push(Change::Superseded);
                continue;
            }
            Write::Session(session) => (session.id, put_session(db, session)?),
            Write::Stint(session, stint) => (*session, put_stint(db, *session, stint)?),
            Write::Lap(lap) => (lap.session, put_lap(db, origin, lap)?),
            Write::Track(facts) => {
                changes.push(track_facts::put(db, facts)?);
                continue;
            }
            // Nothing is derived from the laps of other cars.
            Write::Cars(session, cars) => {
                changes.push(put_cars(db, *session, cars)?);
                continue;
            }
        };
        if change != Change::Same {
            touched.insert(session);
        }
        changes.push(change);
    }
    for session in touched {
        derive_session(db, session)?;
    }
    Ok(changes)
}

/// Takes the locks of all drivers that these writes concern. See [`lock_drivers`] for the lock order.
fn lock_drivers_of(db: &mut dyn Connection, writes: &[Write]) -> Result<(), StoreError> {
    let (mut sessions, mut drivers) = (BTreeSet::new(), Vec::new());
    for write in writes {
        match write {
            Write::Session(session) => {
                sessions.insert(session.id);
                drivers.extend(session.driver.clone());
            }
            Write::Stint(session, _) | Write::Cars(session, _) => drop(sessions.insert(*session)),
            Write::Lap(lap) => {
                sessions.insert(lap.session);
                drivers.extend(lap.driver.clone());
            }
            Write::Track(_) => {}
        }
    }
    lock_drivers(db, sessions, drivers)
}

/// How far a tracker has processed a tape.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct TrackingState {
    /// The version of the tracker.
    pub(super) version: u32,
    /// Whether everything that it found has been written. Otherwise it is still running, or was stopped.
    pub(super) whole: bool,
}

impl TrackingState {
    /// Returns the stored form: negative until everything has been written.
    fn number(self) -> i64 {
        if self.whole { i64::from(self.version) } else { -i64::from(self.version) }
    }

    pub(super) fn of_number(number: i64) -> Self {
        Self { version: u32::try_from(number.unsigned_abs()).unwrap_or(u32::MAX), whole: number > 0 }
    }

    /// Returns whether laps that `version` finds during recording are obsolete.
    fn supersedes(self, version: u32) -> bool {
        self.version > version || (self.whole && self.version == version)
    }
}

/// Returns how far a tracker has processed a tape; `None` if it has not begun. Locks the row until the transaction ends.
pub(super) fn seen_by(db: &mut dyn Connection, origin: &Origin) -> Result<Option<TrackingState>, StoreError> {
    let sql = "SELECT tracker_version FROM tracked WHERE tape = ?1 AND tracker = ?2 {locked}";
    let key = [origin.tape.into(), Value::from(&origin.tracker.id)];
    Ok(db.first(sql, &key, |mut row| row.number("a version of a tracker"))?.flatten().map(TrackingState::of_number))
}

/// Records that a tracker has begun to process a tape. Returns whether it, or a newer version, has already processed the whole tape.
fn begin_tracking(db: &mut dyn Connection, origin: &Origin) -> Result<bool, StoreError> {
    if seen_by(db, origin)?.is_some_and(|seen| seen.supersedes(origin.tracker.version)) {
        return Ok(true);
    }
    put_tracker(db, origin, false)?;
    Ok(false)
}

/// Records that everything a tracker found in a tape has been written. A tape without any laps stays unmarked: a later version may find
/// some.
pub(super) fn end_tracking(db: &mut dyn Connection, origin: &Origin) -> Result<(), StoreError> {
    let is_new = |seen: TrackingState| !seen.supersedes(origin.tracker.version);
    if !origin.is_left_out() && seen_by(db, origin)?.is_some_and(is_new) {
        put_tracker(db, origin, true)?;
    }
    Ok(())
}

/// Records the tracker of a tape, and whether it has processed the whole tape.
pub(super) fn put_tracker(db: &mut dyn Connection, origin: &Origin, whole: bool) -> Result<Change, StoreError> {
    let seen = TrackingState { version: origin.tracker.version, whole };
    let values = [origin.tape.into(), Value::from(&origin.tracker.id), Value::Int(seen.number())];
    let columns = &["tape", "tracker", "tracker_version"];
    Upsert { table: "tracked", columns, key: 1, values: &values, once: &[] }.run(db)
}

/// Upserts a session. If its car, track or driver has changed, its laps move to another combination.
pub(super) fn put_session(db: &mut dyn Connection, session: &Session) -> Result<Change, StoreError> {
    let values = session_values(session)?;
    let once = [
        ("tags", Value::from("[]")),
        ("sort_us", Value::Int(session.started_utc_us.unwrap_or_default())),
        ("visibility", Value::Int(0)),
        ("lap_count", Value::Int(0)),
        ("shown_lap_count", Value::Int(0)),
    ];
    let change = Upsert { table: "sessions", columns: SESSION, key: 1, values: &values, once: &once }.run(db)?;
    if change != Change::Same {
        derive_laps(db, session)?;
    }
    if change == Change::Changed {
        close_edit_ranges(db, Kind::Session, session.id)?;
    }
    Ok(change)
}

/// Upserts a stint.
pub(super) fn put_stint(db: &mut dyn Connection, session: Id, stint: &Stint) -> Result<Change, StoreError> {
    session_of(db, session)?;
    let values = stint_values(session, stint)?;
    Upsert { table: "stints", columns: STINT, key: 2, values: &values, once: &[] }.run(db)
}

/// Upserts a lap.
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
    let change = Upsert { table: "laps", columns: LAP, key: 1, values: &values, once: &once }.run(db)?;
    if change != Change::Same {
        derive_lap(db, &session, lap.id)?;
    }
    if change == Change::Changed {
        close_edit_ranges(db, Kind::Lap, lap.id)?;
    }
    Ok(change)
}

/// Ends the range of edits that were made while the lap or session was being driven, so that they do not apply to what follows.
fn close_edit_ranges(db: &mut dyn Connection, kind: Kind, id: Id) -> Result<(), StoreError> {
    let table = kind.table();
    let sql = format!(
        "UPDATE edits SET end_ns = (SELECT end_ns FROM {table} WHERE id = ?1) \
         WHERE attached = ?1 AND kind = ?2 AND end_ns IS NULL"
    );
    db.execute(&sql, &[id.into(), Value::from(kind.name())])?;
    Ok(())
}

/// Inserts the combinations of the laps. All writers use the same order, to avoid deadlocks.
fn put_combinations(db: &mut dyn Connection, writes: &[Write]) -> Result<(), StoreError> {
    let mut all = BTreeSet::new();
    for write in writes {
        let Write::Session(session) = write else { continue };
        all.extend(writes.iter().filter_map(|write| match write {
            Write::Lap(lap) if lap.session == session.id => Some(Combination::of(session, lap.driver.as_ref())),
            _ => None,
        }));
    }
    Combination::put_all(db, all)
}

/// Returns the session with this id.
pub(super) fn session_of(db: &mut dyn Connection, id: Id) -> Result<Session, StoreError> {
    let sql = format!("SELECT {} FROM sessions WHERE id = ?1", SESSION.join(", "));
    let session = db.first(&sql, &[id.into()], |mut row| read_session(&mut row))?;
    session.ok_or(StoreError::NoSession { session: id })
}

/// Returns the result of a `count(*)` query.
pub(super) fn count(db: &mut dyn Connection, sql: &str, values: &[Value]) -> Result<u32, StoreError> {
    let count = db.first(sql, values, |mut row| row.number("a count"))?;
    needed(count.flatten(), "a count")
}
