//! All cars of a session and their laps, in games that report more than the player's car.
//!
//! A car is hidden from public responses if its driver is more hidden than the session. That is looked up when the cars are read: they may be
//! hundreds of strangers, and nothing else depends on them.

use std::collections::BTreeSet;

use super::connection::Connection;
use super::error::StoreError;
use super::packed::{flags_of, flags_text, times_of, times_text};
use super::query::Audience;
use super::read_sessions::VISIBILITY;
use super::stored::{Change, StoredCar};
use super::upsert::Upsert;
use super::value::{Row, Statement, Value, needed};
use super::writing::session_of;
use crate::games::{CarLap, CarResult, CarStanding};
use crate::laps::{CarChange, Id};

/// The columns of a car, primary key first.
pub(super) const CAR: &[&str] = &[
    "session",
    "car",
    "is_player",
    "driver",
    "team",
    "car_model",
    "class",
    "race_number",
    "position",
    "result",
    "current_lap",
    "newest_lap",
    "last_ms",
    "best_ms",
    "last_sectors",
    "gap_to_leader_ms",
    "gap_ahead_ms",
    "pit_stops",
    "tyre",
];

/// The columns of a lap of a car, primary key first.
pub(super) const CAR_LAP: &[&str] = &["session", "car", "number", "time_ms", "sectors", "valid", "valid_sectors"];

pub(super) fn car_values(session: Id, change: &CarChange) -> Vec<Value> {
    let CarChange { car, newest_lap } = change;
    let text = |text: &Option<String>| text.as_deref().filter(|text| !text.is_empty()).into();
    vec![
        session.into(),
        car.car.into(),
        car.is_player.into(),
        text(&car.name),
        text(&car.team),
        text(&car.car_model),
        text(&car.class),
        car.race_number.map(u32::from).into(),
        car.position.map(u32::from).into(),
        Value::from(car.result.as_str()),
        car.current_lap.into(),
        (*newest_lap).into(),
        car.last_ms.into(),
        car.best_ms.into(),
        Value::from(times_text(&car.last_sectors_ms)),
        car.gap_to_leader_ms.into(),
        car.gap_ahead_ms.into(),
        car.pit_stops.map(u32::from).into(),
        text(&car.tyre),
    ]
}

/// Reads a car without its laps.
pub(super) fn read_car(row: &mut Row) -> Result<CarChange, StoreError> {
    row.id("a session id")?;
    let car = needed(row.number("a car")?, "a car")?;
    let is_player = needed(row.yes_or_no("the player's or not")?, "the player's or not")?;
    let mut standing = CarStanding {
        car,
        is_player,
        name: row.text("a driver")?,
        team: row.text("a team")?,
        car_model: row.text("a car model")?,
        class: row.text("a class")?,
        race_number: row.number("a start number")?,
        position: row.number("a position")?,
        result: row.word("a result", CarResult::parse)?.unwrap_or_default(),
        current_lap: row.number("a lap number")?,
        ..CarStanding::default()
    };
    let newest_lap = row.number("a lap number")?;
    standing.last_ms = row.number("a lap time")?;
    standing.best_ms = row.number("a lap time")?;
    standing.last_sectors_ms = times_of(&needed(row.text("sectors")?, "sectors")?)?;
    standing.gap_to_leader_ms = row.number("a gap")?;
    standing.gap_ahead_ms = row.number("a gap")?;
    standing.pit_stops = row.number("a number of pit stops")?;
    standing.tyre = row.text("a tyre")?;
    Ok(CarChange { car: standing, newest_lap })
}

pub(super) fn car_lap_values(session: Id, car: u32, lap: &CarLap) -> Vec<Value> {
    vec![
        session.into(),
        car.into(),
        lap.number.into(),
        lap.time_ms.into(),
        Value::from(times_text(&lap.sectors_ms)),
        lap.valid.into(),
        Value::from(flags_text(&lap.valid_sectors)),
    ]
}

/// Reads a lap and the number of its car.
pub(super) fn read_car_lap(row: &mut Row) -> Result<(u32, CarLap), StoreError> {
    row.id("a session id")?;
    let car = needed(row.number("a car")?, "a car")?;
    let lap = CarLap {
        number: needed(row.number("a lap number")?, "a lap number")?,
        time_ms: row.number("a lap time")?,
        sectors_ms: times_of(&needed(row.text("sectors")?, "sectors")?)?,
        valid: row.yes_or_no("valid or not")?,
        valid_sectors: flags_of(&needed(row.text("valid sectors")?, "valid sectors")?)?,
    };
    Ok((car, lap))
}

/// Upserts cars of a session and those of their laps that are given.
pub(super) fn put_cars(db: &mut dyn Connection, session: Id, cars: &[CarChange]) -> Result<Change, StoreError> {
    session_of(db, session)?;
    let mut all = Change::Same;
    let mut note = |change: Change| match (all, change) {
        (_, Change::Same) | (Change::New, _) => {}
        (_, change) => all = change,
    };
    for change in cars {
        let values = car_values(session, change);
        note(Upsert { table: "session_cars", columns: CAR, key: 2, values: &values, once: &[] }.run(db)?);
        let newest = change.newest_lap.unwrap_or_default();
        let sql = "DELETE FROM car_laps WHERE session = ?1 AND car = ?2 AND number > ?3";
        if db.execute(sql, &[session.into(), change.car.car.into(), newest.into()])? > 0 {
            note(Change::Changed);
        }
        for lap in &change.car.laps {
            let values = car_lap_values(session, change.car.car, lap);
            note(Upsert { table: "car_laps", columns: CAR_LAP, key: 3, values: &values, once: &[] }.run(db)?);
        }
    }
    Ok(all)
}

/// Makes the cars of a session exactly these.
pub(super) fn replace_cars(db: &mut dyn Connection, session: Id, cars: &[CarStanding]) -> Result<(), StoreError> {
    let laps: BTreeSet<(u32, u32)> =
        cars.iter().flat_map(|car| car.laps.iter().map(|lap| (car.car, lap.number))).collect();
    let known: BTreeSet<u32> = cars.iter().map(|car| car.car).collect();
    let number = |row: &mut Row| needed(row.number::<u32>("a number")?, "a number");
    let stored =
        db.all("SELECT car FROM session_cars WHERE session = ?1", &[session.into()], |mut row| number(&mut row))?;
    for car in stored.into_iter().filter(|car| !known.contains(car)) {
        db.execute("DELETE FROM session_cars WHERE session = ?1 AND car = ?2", &[session.into(), car.into()])?;
    }
    let sql = "SELECT car, number FROM car_laps WHERE session = ?1";
    let stored = db.all(sql, &[session.into()], |mut row| Ok((number(&mut row)?, number(&mut row)?)))?;
    for (car, lap) in stored.into_iter().filter(|lap| !laps.contains(lap)) {
        let sql = "DELETE FROM car_laps WHERE session = ?1 AND car = ?2 AND number = ?3";
        db.execute(sql, &[session.into(), car.into(), lap.into()])?;
    }
    let whole: Vec<CarChange> = cars.iter().cloned().map(CarChange::whole).collect();
    put_cars(db, session, &whole).map(drop)
}

/// Returns all cars of a session, by number, with all their laps.
pub(super) fn cars_of(db: &mut dyn Connection, session: Id) -> Result<Vec<CarChange>, StoreError> {
    let sql = format!("SELECT {} FROM session_cars WHERE session = ?1 ORDER BY car", CAR.join(", "));
    let mut cars = db.all(&sql, &[session.into()], |mut row| read_car(&mut row))?;
    add_laps(db, session, cars.iter_mut().map(|change| &mut change.car))?;
    Ok(cars)
}

/// Adds the laps to cars that are sorted by number.
fn add_laps<'a>(
    db: &mut dyn Connection,
    session: Id,
    cars: impl Iterator<Item = &'a mut CarStanding>,
) -> Result<(), StoreError> {
    let mut cars = cars.peekable();
    let sql = format!("SELECT {} FROM car_laps WHERE session = ?1 ORDER BY car, number", CAR_LAP.join(", "));
    db.each(&sql, &[session.into()], &mut |mut row| {
        let (car, lap) = read_car_lap(&mut row)?;
        while cars.next_if(|known| known.car < car).is_some() {}
        if let Some(known) = cars.peek_mut().filter(|known| known.car == car) {
            known.laps.push(lap);
        }
        Ok(())
    })
}

/// Returns the cars of a session that the audience may see: in the order of their positions, then the others. `None` if there is no such
/// session.
pub(super) fn standings(
    db: &mut dyn Connection,
    session: Id,
    audience: Audience,
) -> Result<Option<Vec<StoredCar>>, StoreError> {
    let mut sql = Statement::new("SELECT ");
    sql.push(VISIBILITY).push(" FROM sessions s WHERE s.id = ").bind(session);
    sql.push(" AND ").push(VISIBILITY).push(" <= ").bind(audience.sees_by_id());
    if audience == Audience::Public {
        sql.push(" AND s.deleted_us IS NULL");
    }
    let visibility = db.all_of(&sql, |mut row| row.number::<i64>("a visibility"))?.into_iter().next();
    let Some(visibility) = visibility.map(Option::unwrap_or_default) else { return Ok(None) };
    let columns = super::columns::of_table("c", CAR);
    let mut sql = Statement::new("SELECT ");
    sql.push(&columns)
        .push(", d.name FROM session_cars c LEFT JOIN drivers d ON d.driver = c.driver WHERE c.session = ");
    sql.bind(session);
    if audience == Audience::Public {
        sql.push(" AND coalesce(d.visibility, 0) <= ").bind(visibility);
    }
    sql.push(" ORDER BY c.car");
    let mut cars = db.all_of(&sql, |mut row| {
        let car = read_car(&mut row)?.car;
        Ok(StoredCar { car, driver_name: row.text("a name")? })
    })?;
    add_laps(db, session, cars.iter_mut().map(|stored| &mut stored.car))?;
    cars.sort_by_key(|stored| (stored.car.position.is_none(), stored.car.position, stored.car.car));
    Ok(Some(cars))
}
