//! User edits of drivers, cars and tracks: display names, and the visibility of drivers.

use super::connection::Connection;
use super::derived::derive_driver;
use super::edits::{LONGEST_NAME, check_text};
use super::error::StoreError;
use super::lists::Thing;
use super::query::Visibility;
use super::value::{Value, needed};

/// A change to a driver. Fields that are `None` are left unchanged.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct DriverEdit {
    /// Set or remove the display name.
    pub name: Option<Option<String>>,
    /// Set the visibility.
    pub visibility: Option<Visibility>,
}

/// Applies an edit to a driver. If the visibility changes, recomputes everything that depends on it.
pub(super) fn edit_driver(
    db: &mut dyn Connection,
    driver: &str,
    edit: &DriverEdit,
    now_us: i64,
) -> Result<(), StoreError> {
    check_text("the name", edit.name.as_ref().and_then(Option::as_ref), LONGEST_NAME)?;
    let key = [Value::from(driver)];
    if let Some(lock) = db.dialect().lock_driver(true) {
        db.first(lock, &key, |_| Ok(()))?;
    }
    let sql = "SELECT name, visibility FROM drivers WHERE driver = ?1 {locked}";
    let before = db.first(sql, &key, |mut row| Ok((row.text("a name")?, row.number::<i64>("a visibility")?)))?;
    let (name, visibility) = before.unwrap_or_default();
    let before = Visibility::of_number(visibility.unwrap_or_default());
    let visibility = edit.visibility.unwrap_or(before);
    let name = edit.name.clone().unwrap_or(name).filter(|name| !name.trim().is_empty());
    let sql = "INSERT INTO drivers (driver, name, visibility, changed_us) VALUES (?1, ?2, ?3, ?4) \
               ON CONFLICT (driver) DO UPDATE SET name = ?2, visibility = ?3, changed_us = ?4";
    db.execute(sql, &[Value::from(driver), name.into(), visibility.number().into(), now_us.into()])?;
    if visibility == before {
        return Ok(());
    }
    derive_driver(db, driver, visibility)
}

/// Returns a number that changes whenever the visibility of a driver changes. It combines the times of all changes: the clocks of two
/// machines may disagree on which is the newest.
pub(super) fn privacy_state(db: &mut dyn Connection) -> Result<i64, StoreError> {
    let sql = "SELECT CAST(coalesce(sum(changed_us % 1000003 * 3 + visibility), 0) AS BIGINT) FROM drivers";
    needed(db.first(sql, &[], |mut row| row.number("a number"))?.flatten(), "a number")
}

/// Sets or removes the display name of a track or a car.
pub(super) fn name_thing(
    db: &mut dyn Connection,
    thing: Thing,
    game: &str,
    native: &str,
    name: Option<&String>,
    now_us: i64,
) -> Result<(), StoreError> {
    check_text("the name", name, LONGEST_NAME)?;
    let key = [Value::from(thing.name()), Value::from(game), Value::from(native)];
    match name.filter(|name| !name.trim().is_empty()) {
        None => db.execute("DELETE FROM names WHERE kind = ?1 AND game = ?2 AND native = ?3", &key)?,
        Some(name) => {
            let sql = "INSERT INTO names (kind, game, native, name, changed_us) VALUES (?1, ?2, ?3, ?4, ?5) \
                       ON CONFLICT (kind, game, native) DO UPDATE SET name = ?4, changed_us = ?5";
            let values: Vec<_> = key.into_iter().chain([Value::from(name), now_us.into()]).collect();
            db.execute(sql, &values)?
        }
    };
    Ok(())
}
