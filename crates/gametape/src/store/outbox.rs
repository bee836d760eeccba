//! What waits in a local store for another one: which sessions, and how they are let go once they have arrived.
//!
//! The local store holds the sessions and laps themselves, as any store does. A row in `outbox` says that something of a session has not
//! arrived; its stamp tells whether more came while it was being sent.

use super::columns::{LAP, STINT, of_table, read_lap, read_stint};
use super::connection::Connection;
use super::error::StoreError;
use super::stored::{Change, Origin, Tracker, Write};
use super::value::{Value, needed};
use super::writing::{count, session_of, write};
use crate::laps::Id;

/// Something to send.
pub(super) struct Parcel {
    pub(super) session: Id,
    pub(super) stamp: i64,
    pub(super) origin: Origin,
    pub(super) writes: Vec<Write>,
}

/// Keeps writes here and notes that they have to be sent.
pub(super) fn queue(db: &mut dyn Connection, origin: &Origin, writes: &[Write]) -> Result<Vec<Change>, StoreError> {
    let changes = write(db, origin, writes)?;
    for queued in writes {
        let session = match queued {
            Write::Session(session) => session.id,
            Write::Stint(session, _) => *session,
            Write::Lap(lap) => lap.session,
            // It is learned again.
            Write::Track(_) => continue,
        };
        let sql = "INSERT INTO outbox (session, stamp) \
                   VALUES (?1, (SELECT coalesce(max(stamp), 0) + 1 FROM outbox)) \
                   ON CONFLICT (session) DO UPDATE SET stamp = (SELECT coalesce(max(stamp), 0) + 1 FROM outbox)";
        db.execute(sql, &[session.into()])?;
    }
    Ok(changes)
}

/// How many sessions wait.
pub(super) fn waiting(db: &mut dyn Connection) -> Result<u32, StoreError> {
    count(db, "SELECT count(*) FROM outbox", &[])
}

/// The session that waits longest, with all that is here of it.
pub(super) fn next(db: &mut dyn Connection) -> Result<Option<Parcel>, StoreError> {
    let sql = "SELECT o.session, o.stamp, t.tracker, t.tracker_version FROM outbox o \
               JOIN sessions s ON s.id = o.session JOIN tracked t ON t.tape = s.tape ORDER BY o.stamp LIMIT 1";
    let found = db.first(sql, &[], |mut row| {
        let session = needed(row.id("a session id")?, "a session id")?;
        let stamp: i64 = needed(row.number("a stamp")?, "a stamp")?;
        let id = needed(row.text("a tracker")?, "a tracker")?;
        Ok((session, stamp, Tracker { id, version: needed(row.number("a version")?, "a version")? }))
    })?;
    let Some((id, stamp, tracker)) = found else { return Ok(None) };
    let session = session_of(db, id)?;
    // It was asked for when it was written here.
    let origin = Origin { tape: session.tape, tracker, replay_of: None, keep_replays: true };
    let mut writes = vec![Write::Session(session)];
    let sql = format!("SELECT {} FROM stints t WHERE t.session = ?1 ORDER BY t.n", of_table("t", STINT));
    db.each(&sql, &[id.into()], &mut |mut row| {
        writes.push(Write::Stint(id, read_stint(&mut row)?));
        Ok(())
    })?;
    let sql = format!("SELECT {} FROM laps l WHERE l.session = ?1 ORDER BY l.tape_lap", of_table("l", LAP));
    db.each(&sql, &[id.into()], &mut |mut row| {
        writes.push(Write::Lap(read_lap(&mut row)?.0));
        Ok(())
    })?;
    Ok(Some(Parcel { session: id, stamp, origin, writes }))
}

/// A session has arrived: it is let go here, unless more of it came meanwhile.
pub(super) fn arrived(db: &mut dyn Connection, session: Id, stamp: i64) -> Result<(), StoreError> {
    let sql = "DELETE FROM sessions WHERE id = ?1 AND EXISTS \
               (SELECT 1 FROM outbox o WHERE o.session = ?1 AND o.stamp = ?2)";
    db.execute(sql, &[session.into(), Value::Int(stamp)])?;
    Ok(())
}
