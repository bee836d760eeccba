//! Derived columns: whether a lap counts, its visibility, and the bests of its session. They are recomputed in the transaction of each
//! change, so they are never stale.

use std::collections::BTreeSet;

use super::connection::Connection;
use super::error::StoreError;
use super::packed::sectors_of;
use super::query::Visibility;
use super::stored::Combination;
use super::summary::{Counted, Summary};
use super::value::{Value, needed};
use crate::laps::{Id, Session};

/// Returns the visibility of a driver. Drivers without an entry, and laps without a driver, are public.
pub(super) fn visibility_of(db: &mut dyn Connection, driver: Option<&String>) -> Result<Visibility, StoreError> {
    let Some(driver) = driver else { return Ok(Visibility::Public) };
    if let Some(lock) = db.dialect().lock_driver(false) {
        db.first(lock, &[Value::from(driver)], |_| Ok(()))?;
    }
    let sql = "SELECT visibility FROM drivers WHERE driver = ?1";
    let number = db.first(sql, &[Value::from(driver)], |mut row| row.number("a visibility"))?;
    Ok(number.flatten().map_or(Visibility::Public, Visibility::of_number))
}

/// The columns derived from the combination (`?1`), the visibility (`?2`) and the session (`?3`) of a lap.
const SETTLED: &str = "combination = ?1, visibility = ?2, \
                       sort_us = coalesce(started_us, (SELECT sort_us FROM sessions WHERE id = ?3)), \
                       gone = CASE WHEN deleted_us IS NOT NULL \
                           OR (SELECT deleted_us FROM sessions WHERE id = ?3) IS NOT NULL THEN 1 ELSE 0 END, \
                       is_foreign = coalesce((SELECT coalesce(said_foreign, is_foreign) FROM sessions WHERE id = ?3), 0)";

/// SQL expression: whether a lap may be the best lap of its session.
const MAY_BE_BEST: &str = "eligible = 1 AND excluded = 0 AND gone = 0 AND time_ms IS NOT NULL";

/// Returns the column derived from the other columns of a lap. A lap of someone else may be the best of its session, but counts for nothing
/// beyond it.
fn counts() -> String {
    format!("counts = CASE WHEN {MAY_BE_BEST} AND is_foreign = 0 THEN 1 ELSE 0 END")
}

/// Recomputes the derived columns of a lap.
pub(super) fn derive_lap(db: &mut dyn Connection, session: &Session, lap: Id) -> Result<(), StoreError> {
    let driver = db.first("SELECT driver FROM laps WHERE id = ?1", &[lap.into()], |mut row| row.text("a driver"))?;
    let combination = Combination::of(session, driver.flatten().as_ref());
    let of_session = visibility_of(db, session.driver.as_ref())?;
    let visibility = visibility_of(db, combination.driver.as_ref())?.max(of_session);
    let combination = combination.put(db)?;
    let values = [combination.into(), visibility.number().into(), session.id.into(), lap.into()];
    db.execute(&format!("UPDATE laps SET {SETTLED} WHERE id = ?4"), &values)?;
    db.execute(&format!("UPDATE laps SET {} WHERE id = ?1", counts()), &[lap.into()])?;
    Ok(())
}

/// Recomputes the derived columns of all laps of a session, and the visibility and sort key of the session.
pub(super) fn derive_laps(db: &mut dyn Connection, session: &Session) -> Result<(), StoreError> {
    let visibility = visibility_of(db, session.driver.as_ref())?;
    let sql = "UPDATE sessions SET visibility = ?2, sort_us = coalesce(started_us, 0) WHERE id = ?1";
    db.execute(sql, &[session.id.into(), visibility.number().into()])?;
    let sql = "SELECT DISTINCT driver FROM laps WHERE session = ?1";
    let drivers = db.all(sql, &[session.id.into()], |mut row| row.text("a driver"))?;
    let of_driver = |driver: &Option<String>| Combination::of(session, driver.as_ref());
    Combination::put_all(db, drivers.iter().map(of_driver))?;
    for driver in &drivers {
        let combination = of_driver(driver);
        let of_lap = visibility_of(db, combination.driver.as_ref())?.max(visibility);
        let sql = format!("UPDATE laps SET {SETTLED} WHERE session = ?3 AND coalesce(driver, '') = ?4");
        let driver = driver.as_deref().unwrap_or_default();
        let values = [combination.number().into(), of_lap.number().into(), session.id.into(), Value::from(driver)];
        db.execute(&sql, &values)?;
    }
    db.execute(&format!("UPDATE laps SET {} WHERE session = ?1", counts()), &[session.id.into()])?;
    Ok(())
}

/// Applies a new visibility of a driver to all sessions and laps that depend on it. The caller must hold the exclusive lock of the
/// driver.
pub(super) fn derive_driver(db: &mut dyn Connection, driver: &str, now: Visibility) -> Result<(), StoreError> {
    let key = [Value::from(driver)];
    // Lock order: sessions by id, then their laps.
    let sql = "SELECT s.id FROM sessions s WHERE s.driver = ?1 OR s.id IN \
               (SELECT l.session FROM laps l JOIN combinations c ON c.id = l.combination WHERE c.driver = ?1) \
               ORDER BY s.id {locked}";
    let sessions: Vec<Id> = db.all(sql, &key, |mut row| row.id("a session id"))?.into_iter().flatten().collect();
    db.execute("UPDATE sessions SET visibility = ?2 WHERE driver = ?1", &[Value::from(driver), now.number().into()])?;
    // A lap is as hidden as its driver or its session, whichever is more hidden.
    let of_driver = "coalesce((SELECT d.visibility FROM combinations c JOIN drivers d ON d.driver = c.driver \
                     WHERE c.id = laps.combination), 0)";
    let of_session = "(SELECT s.visibility FROM sessions s WHERE s.id = laps.session)";
    let sql = format!(
        "UPDATE laps SET visibility = CASE WHEN {of_driver} > {of_session} THEN {of_driver} ELSE {of_session} END \
         WHERE combination IN (SELECT c.id FROM combinations c WHERE c.driver = ?1) \
         OR session IN (SELECT s.id FROM sessions s WHERE s.driver = ?1)"
    );
    db.execute(&sql, &key)?;
    sessions.into_iter().try_for_each(|session| derive_session(db, session))
}

/// Takes shared locks on all drivers of these sessions and on `more`, so that their visibility does not change until the transaction
/// ends.
///
/// Lock order: drivers by name, then sessions, then laps. Every transaction that changes sessions or laps calls this before it touches
/// a row. Inserting a lap locks the row of its session (foreign key); a driver lock taken after that deadlocks with [`derive_driver`].
pub(super) fn lock_drivers(
    db: &mut dyn Connection,
    sessions: impl IntoIterator<Item = Id>,
    more: impl IntoIterator<Item = String>,
) -> Result<(), StoreError> {
    let Some(lock) = db.dialect().lock_driver(false) else { return Ok(()) };
    let mut drivers: BTreeSet<String> = more.into_iter().collect();
    let sql = "SELECT driver FROM sessions WHERE id = ?1 UNION SELECT driver FROM laps WHERE session = ?1";
    for session in sessions {
        drivers.extend(db.all(sql, &[session.into()], |mut row| row.text("a driver"))?.into_iter().flatten());
    }
    drivers.into_iter().try_for_each(|driver| db.first(lock, &[Value::from(driver)], |_| Ok(())).map(drop))
}

/// Locks the session of a lap, and its drivers, until the transaction ends.
pub(super) fn lock_session_of(db: &mut dyn Connection, lap: Id) -> Result<(), StoreError> {
    let sql = "SELECT session FROM laps WHERE id = ?1";
    let session = db.first(sql, &[lap.into()], |mut row| row.id("a session id"))?.flatten();
    lock_drivers(db, session, [])?;
    let sql = "SELECT id FROM sessions WHERE id = (SELECT session FROM laps WHERE id = ?1) {locked}";
    db.first(sql, &[lap.into()], |_| Ok(())).map(drop)
}

/// Recomputes the counts and bests of a session.
pub(super) fn derive_session(db: &mut dyn Connection, session: Id) -> Result<(), StoreError> {
    // Serializes transactions that change laps of this session, so that each one sees the result of the previous one.
    let sql = "SELECT visibility, driver FROM sessions WHERE id = ?1 {locked}";
    let found = db.first(sql, &[session.into()], |mut row| {
        Ok((row.number::<i64>("a visibility")?.unwrap_or_default(), row.text("a driver")?))
    })?;
    let Some((of_session, driver)) = found else { return Ok(()) };
    let sql = format!(
        "SELECT id, CASE WHEN {MAY_BE_BEST} THEN 1 ELSE 0 END, visibility, driver, time_ms, sectors FROM laps \
         WHERE session = ?1 AND gone = 0 ORDER BY start_ns, tape_lap"
    );
    let (mut all, mut shown) = (Summary::default(), Summary::default());
    db.each(&sql, &[session.into()], &mut |mut row| {
        let id = needed(row.id("a lap id")?, "a lap id")?;
        let counts = row.yes_or_no("a lap that counts")? == Some(true);
        let visibility = row.number::<i64>("a visibility")?.unwrap_or_default();
        // The best lap of a session must be by its driver, not by a teammate.
        let of_lap = row.text("a driver")?;
        let counts = counts && (driver.is_none() || of_lap.is_none() || of_lap == driver);
        let time_ms = row.number("a lap time")?.filter(|_| counts);
        let sectors = needed(row.text("sectors")?, "sectors")?;
        let sectors = if counts { sectors_of(&sectors)? } else { Vec::new() };
        let counted = time_ms.map(|time_ms| Counted { id, time_ms, sectors: &sectors });
        all.add(counted.as_ref());
        if visibility <= of_session {
            shown.add(counted.as_ref());
        }
        Ok(())
    })?;
    let sql = "UPDATE sessions SET lap_count = ?2, best_lap = ?3, best_ms = ?4, theoretical_ms = ?5, \
               shown_lap_count = ?6, shown_best_lap = ?7, shown_best_ms = ?8, shown_theoretical_ms = ?9 WHERE id = ?1";
    let values = |summary: &Summary| -> [Value; 4] {
        let best = summary.best;
        [
            summary.laps.into(),
            best.map(|best| best.0).into(),
            best.map(|best| best.1).into(),
            summary.theoretical_ms().into(),
        ]
    };
    let values: Vec<_> = [session.into()].into_iter().chain(values(&all)).chain(values(&shown)).collect();
    db.execute(sql, &values)?;
    Ok(())
}
