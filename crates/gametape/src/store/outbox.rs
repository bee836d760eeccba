//! The outbox of a local store: which sessions are queued for another store, and how they are removed after delivery.
//!
//! The local store contains the queued sessions and laps as any store does. A row in `outbox` means that part of a session has not been
//! delivered; its stamp shows whether more was queued during sending. A row in `tracked` with a version above zero means that a whole
//! tape was written; this is sent when no session of the tape is left.

use gametape_format::TapeId;

use super::cars::cars_of;
use super::columns::{LAP, STINT, of_table, read_lap, read_stint};
use super::connection::Connection;
use super::error::StoreError;
use super::sql_store::now_us;
use super::stored::{Change, Origin, TrackerVersion, Write};
use super::value::{Row, Value, needed};
use super::writing::{TrackingState, count, put_tracker, seen_by, session_of, write};
use crate::identity::new_id;
use crate::laps::Id;

/// A stamp is the time in milliseconds, followed by this many random bits. Stamps increase and are never reused, however many programs
/// write to the file and whatever was removed from it.
const RANDOM_BITS: u32 = 20;

/// A position in the outbox. The oldest entry is sent first.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Turn(i64);

impl Turn {
    pub(super) const FIRST: Self = Self(i64::MIN);
}

/// An entry to send.
pub(super) enum OutboxEntry {
    /// A session with everything that is queued for it.
    Session { session: Id, stamp: i64, origin: Origin, writes: Vec<Write> },
    /// A tape was written as a whole.
    Tracked(Origin),
}

impl OutboxEntry {
    /// Returns the position after this entry.
    pub(super) fn turn(&self) -> Turn {
        match self {
            Self::Session { stamp, .. } => Turn(*stamp),
            Self::Tracked(_) => Turn(i64::MAX),
        }
    }
}

/// Writes to the local store and queues the sessions for sending.
pub(super) fn queue(db: &mut dyn Connection, origin: &Origin, writes: &[Write]) -> Result<Vec<Change>, StoreError> {
    let changes = write(db, origin, writes)?;
    for queued in writes {
        let session = match queued {
            Write::Session(session) => session.id,
            Write::Stint(session, _) | Write::Cars(session, _) => *session,
            Write::Lap(lap) => lap.session,
            // Not queued: track facts are learned again.
            Write::Track(_) => continue,
        };
        let stamp = new_stamp(db)?;
        let sql = "INSERT INTO outbox (session, stamp) VALUES (?1, ?2) ON CONFLICT (session) DO UPDATE SET stamp = ?2";
        db.execute(sql, &[session.into(), Value::Int(stamp)])?;
    }
    Ok(changes)
}

fn new_stamp(db: &mut dyn Connection) -> Result<i64, StoreError> {
    let last = db.first("SELECT max(stamp) FROM outbox", &[], |mut row| row.number::<i64>("a stamp"))?.flatten();
    let moment_ms = (now_us() / 1000).max((last.unwrap_or_default() >> RANDOM_BITS) + 1);
    let [a, b, c, ..] = new_id().0;
    let chance = i64::from(u32::from_le_bytes([a, b, c, 0])) & ((1 << RANDOM_BITS) - 1);
    Ok((moment_ms << RANDOM_BITS) | chance)
}

/// Queues the notice that a tape was written as a whole.
pub(super) fn queue_tracked(db: &mut dyn Connection, origin: &Origin) -> Result<(), StoreError> {
    if seen_by(db, origin)?.is_none_or(|seen| seen.version <= origin.tracker.version) {
        put_tracker(db, origin, true)?;
    }
    Ok(())
}

/// Returns the number of queued sessions.
pub(super) fn waiting(db: &mut dyn Connection) -> Result<u32, StoreError> {
    count(db, "SELECT count(*) FROM outbox", &[])
}

/// Returns the oldest entry after a position.
pub(super) fn next(db: &mut dyn Connection, after: Turn) -> Result<Option<OutboxEntry>, StoreError> {
    match next_session(db, after)? {
        Some(entry) => Ok(Some(entry)),
        None if after == Turn(i64::MAX) => Ok(None),
        None => next_tracked(db),
    }
}

fn next_session(db: &mut dyn Connection, after: Turn) -> Result<Option<OutboxEntry>, StoreError> {
    let sql = "SELECT o.session, o.stamp, t.tracker, t.tracker_version FROM outbox o \
               JOIN sessions s ON s.id = o.session JOIN tracked t ON t.tape = s.tape \
               WHERE o.stamp > ?1 ORDER BY o.stamp LIMIT 1";
    let found = db.first(sql, &[Value::Int(after.0)], |mut row| {
        let session = needed(row.id("a session id")?, "a session id")?;
        let stamp: i64 = needed(row.number("a stamp")?, "a stamp")?;
        Ok((session, stamp, read_tracker(&mut row)?))
    })?;
    let Some((id, stamp, tracker)) = found else { return Ok(None) };
    let session = session_of(db, id)?;
    let origin = origin_of(session.tape, tracker);
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
    let cars = cars_of(db, id)?;
    if !cars.is_empty() {
        writes.push(Write::Cars(id, cars));
    }
    Ok(Some(OutboxEntry::Session { session: id, stamp, origin, writes }))
}

fn next_tracked(db: &mut dyn Connection) -> Result<Option<OutboxEntry>, StoreError> {
    let sql = "SELECT t.tape, t.tracker, t.tracker_version FROM tracked t WHERE t.tracker_version > 0 \
               AND NOT EXISTS (SELECT 1 FROM sessions s WHERE s.tape = t.tape) ORDER BY t.tape LIMIT 1";
    db.first(sql, &[], |mut row| {
        let tape = needed(row.tape("a tape id")?, "a tape id")?;
        Ok(OutboxEntry::Tracked(origin_of(tape, read_tracker(&mut row)?)))
    })
}

fn read_tracker(row: &mut Row) -> Result<TrackerVersion, StoreError> {
    let id = needed(row.text("a tracker")?, "a tracker")?;
    Ok(TrackerVersion { id, version: TrackingState::of_number(needed(row.number("a version")?, "a version")?).version })
}

/// If laps of a recorded playback are in the outbox, the user asked for them.
fn origin_of(tape: TapeId, tracker: TrackerVersion) -> Origin {
    Origin { tape, tracker, replay_of: None, keep_replays: true }
}

/// Removes an entry after delivery, unless more was queued meanwhile.
pub(super) fn arrived(db: &mut dyn Connection, entry: &OutboxEntry) -> Result<(), StoreError> {
    match entry {
        OutboxEntry::Session { session, stamp, .. } => {
            let sql = "DELETE FROM sessions WHERE id = ?1 AND EXISTS \
                       (SELECT 1 FROM outbox o WHERE o.session = ?1 AND o.stamp = ?2)";
            db.execute(sql, &[(*session).into(), Value::Int(*stamp)])?;
        }
        OutboxEntry::Tracked(origin) => {
            let sql = "DELETE FROM tracked WHERE tape = ?1 AND tracker_version = ?2 \
                       AND NOT EXISTS (SELECT 1 FROM sessions s WHERE s.tape = ?1)";
            db.execute(sql, &[origin.tape.into(), origin.tracker.version.into()])?;
        }
    }
    Ok(())
}

/// Removes everything queued for a tape: the other store has received it from the tape itself.
pub(super) fn forget_tape(db: &mut dyn Connection, tape: TapeId) -> Result<(), StoreError> {
    db.execute("DELETE FROM sessions WHERE tape = ?1", &[tape.into()])?;
    db.execute("DELETE FROM tracked WHERE tape = ?1", &[tape.into()])?;
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::super::sql_store::SqlStore;
    use super::*;
    use crate::laps::{Session, SessionKind};

    fn session(tape: TapeId, remark: &str) -> Write {
        Write::Session(Session {
            id: Id::of_session(tape, 0),
            tape,
            game: "iracing".to_owned(),
            game_version: None,
            kind: SessionKind::Race,
            index: None,
            track: None,
            layout: None,
            car: None,
            driver: None,
            online: None,
            start_ns: 0,
            end_ns: None,
            started_utc_us: None,
            ended_utc_us: None,
            end: None,
            sector_count: None,
            best_lap: None,
            theoretical_best_ms: None,
            remark: Some(remark.to_owned()),
            foreign: false,
        })
    }

    #[test]
    fn a_write_queued_after_another_program_emptied_the_outbox_stays_queued() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("outbox.sqlite");
        let [one, other] = [SqlStore::sqlite(&path).unwrap(), SqlStore::sqlite(&path).unwrap()];
        let tape = TapeId([1; 16]);
        let origin = Origin::new(tape, TrackerVersion { id: "laps".to_owned(), version: 3 });
        one.queue(&origin, &[session(tape, "first")]).unwrap();
        let slow = one.next_entry(Turn::FIRST).unwrap().unwrap();
        let fast = other.next_entry(Turn::FIRST).unwrap().unwrap();
        other.arrived(&fast).unwrap();
        assert_eq!(one.waiting().unwrap(), 0);
        other.queue(&origin, &[session(tape, "second")]).unwrap();
        one.arrived(&slow).unwrap();
        assert_eq!(one.waiting().unwrap(), 1, "the second was not sent yet");
    }

    #[test]
    fn completion_of_a_tape_is_sent_after_its_sessions() {
        let folder = tempfile::tempdir().unwrap();
        let file = SqlStore::sqlite(folder.path().join("outbox.sqlite")).unwrap();
        let tape = TapeId([1; 16]);
        let origin = Origin::new(tape, TrackerVersion { id: "laps".to_owned(), version: 3 });
        file.queue(&origin, &[session(tape, "first")]).unwrap();
        let entry = file.next_entry(Turn::FIRST).unwrap().unwrap();
        assert!(file.next_entry(entry.turn()).unwrap().is_none());
        file.queue_tracked(&origin).unwrap();
        assert!(file.next_entry(entry.turn()).unwrap().is_none(), "its session is still queued");
        file.arrived(&entry).unwrap();
        let entry = file.next_entry(entry.turn()).unwrap().unwrap();
        assert!(matches!(&entry, OutboxEntry::Tracked(found) if found.tracker == origin.tracker && found.tape == tape));
        file.arrived(&entry).unwrap();
        assert!(file.next_entry(Turn::FIRST).unwrap().is_none());
    }
}
