//! Replaces the laps of a tape after tracking it again: equal rows stay untouched, rows that were not found again are deleted, and user
//! edits are attached to the new laps.

use std::collections::{BTreeMap, BTreeSet};

use gametape_format::TapeId;

use super::attach::{Stretch, attach};
use super::cars::replace_cars;
use super::connection::Connection;
use super::derived::{derive_laps, derive_session, lock_drivers};
use super::edits::{Kind, Said, show};
use super::error::StoreError;
use super::stored::{Change, Origin, Replaced};
use super::value::{Value, needed};
use super::writing::{count, put_lap, put_session, put_stint, put_tracker, seen_by, session_of};
use crate::laps::{Id, TrackedSession};

/// Replaces all sessions of a tape.
pub(super) fn replace_tape(
    db: &mut dyn Connection,
    origin: &Origin,
    sessions: &[TrackedSession],
) -> Result<Replaced, StoreError> {
    let mut done = Replaced::default();
    if origin.is_left_out() {
        return Ok(Replaced { left_out: true, ..done });
    }
    let drivers = sessions.iter().flat_map(|tracked| {
        let of_laps = tracked.laps.iter().filter_map(|lap| lap.driver.clone());
        of_laps.chain(tracked.session.driver.clone())
    });
    let before = ids(db, "SELECT id FROM sessions WHERE tape = ?1", origin.tape)?;
    lock_drivers(db, sessions.iter().map(|tracked| tracked.session.id).chain(before), drivers)?;
    if seen_by(db, origin)?.is_some_and(|seen| seen.version > origin.tracker.version) {
        return Ok(Replaced { kept_newer: true, ..done });
    }
    put_tracker(db, origin, true)?;
    for tracked in sessions {
        done.note(put_session(db, &tracked.session)?);
        for stint in &tracked.stints {
            done.note(put_stint(db, tracked.session.id, stint)?);
        }
        for lap in &tracked.laps {
            done.note(put_lap(db, origin, lap)?);
        }
        replace_cars(db, tracked.session.id, &tracked.cars)?;
    }
    done.removed = delete_missing(db, origin.tape, sessions)?;
    if done.new + done.changed + done.removed > 0 {
        reattach_edits(db, Kind::Session, origin.tape)?;
        reattach_edits(db, Kind::Lap, origin.tape)?;
        for tracked in sessions {
            let session = session_of(db, tracked.session.id)?;
            derive_laps(db, &session)?;
            derive_session(db, session.id)?;
        }
    }
    let sql = "SELECT count(*) FROM edits WHERE tape = ?1 AND attached IS NULL";
    done.unattached = count(db, sql, &[origin.tape.into()])?;
    Ok(done)
}

impl Replaced {
    fn note(&mut self, change: Change) {
        match change {
            Change::New => self.new += 1,
            Change::Changed => self.changed += 1,
            Change::Same | Change::LeftOut | Change::Superseded => self.same += 1,
        }
    }
}

/// Deletes the sessions, stints and laps that were not found again. Returns the number of deleted rows.
fn delete_missing(db: &mut dyn Connection, tape: TapeId, sessions: &[TrackedSession]) -> Result<u32, StoreError> {
    let laps: BTreeSet<Id> = sessions.iter().flat_map(|tracked| tracked.laps.iter().map(|lap| lap.id)).collect();
    let kept: BTreeMap<Id, u32> = sessions
        .iter()
        .map(|tracked| (tracked.session.id, tracked.stints.iter().map(|stint| stint.n).max().unwrap_or_default()))
        .collect();
    let mut removed = 0;
    for lap in ids(db, "SELECT id FROM laps WHERE tape = ?1", tape)? {
        if !laps.contains(&lap) {
            removed += db.execute("DELETE FROM laps WHERE id = ?1", &[lap.into()])?;
        }
    }
    for session in ids(db, "SELECT id FROM sessions WHERE tape = ?1", tape)? {
        removed += match kept.get(&session) {
            Some(stints) => {
                db.execute("DELETE FROM stints WHERE session = ?1 AND n > ?2", &[session.into(), (*stints).into()])?
            }
            None => db.execute("DELETE FROM sessions WHERE id = ?1", &[session.into()])?,
        };
    }
    Ok(u32::try_from(removed).unwrap_or(u32::MAX))
}

fn ids(db: &mut dyn Connection, sql: &str, tape: TapeId) -> Result<Vec<Id>, StoreError> {
    Ok(db.all(sql, &[tape.into()], |mut row| row.id("an id"))?.into_iter().flatten().collect())
}

/// Attaches user edits to the current laps or sessions.
fn reattach_edits(db: &mut dyn Connection, kind: Kind, tape: TapeId) -> Result<(), StoreError> {
    let sql = format!(
        "SELECT id, start_ns, end_ns, {} FROM edits WHERE tape = ?1 AND kind = ?2 ORDER BY start_ns, id",
        Said::COLUMNS
    );
    let edits = db.all(&sql, &[tape.into(), Value::from(kind.name())], |mut row| {
        let id = needed(row.id("an id")?, "an id")?;
        let start_ns = needed(row.number("a time")?, "a time")?;
        Ok((id, Stretch { start_ns, end_ns: row.number("a time")? }, Said::read(&mut row)?))
    })?;
    if edits.is_empty() {
        return Ok(());
    }
    let sql = format!("SELECT id, start_ns, end_ns FROM {} WHERE tape = ?1 ORDER BY start_ns, id", kind.table());
    let there = db.all(&sql, &[tape.into()], |mut row| {
        let id = needed(row.id("an id")?, "an id")?;
        let start_ns = needed(row.number("a time")?, "a time")?;
        Ok((id, Stretch { start_ns, end_ns: row.number("a time")? }))
    })?;
    let stretches: Vec<_> = there.iter().map(|(_, stretch)| *stretch).collect();
    // Edits that cover more of a lap come first: see `merge`.
    let mut of_each: BTreeMap<Id, Vec<(u64, Said)>> = there.iter().map(|(id, _)| (*id, Vec::new())).collect();
    for (edit, stretch, said) in edits {
        let target = attach(stretch, &stretches).and_then(|at| there.get(at));
        db.execute("UPDATE edits SET attached = ?2 WHERE id = ?1", &[edit.into(), target.map(|(id, _)| *id).into()])?;
        if let Some((id, candidate)) = target {
            of_each.entry(*id).or_default().push((stretch.overlap(*candidate), said));
        }
    }
    for (id, mut all) in of_each {
        all.sort_by_key(|(overlap, _)| std::cmp::Reverse(*overlap));
        let said = all.into_iter().map(|(_, said)| said).reduce(|mut one, other| {
            one.merge(other);
            one
        });
        show(db, kind, id, &said.unwrap_or_default())?;
    }
    Ok(())
}
