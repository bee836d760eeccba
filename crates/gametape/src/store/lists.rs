//! Lists of tracks, cars and drivers.

use super::connection::Connection;
use super::cursor::Cursor;
use super::error::StoreError;
use super::query::{Audience, ListQuery, Page, Visibility, page_size, values_of};
use super::read_laps::add_combination;
use super::read_sessions::{VISIBILITY, add_after};
use super::stored::{Driven, Driver};
use super::value::{Row, Statement, Value, needed};

/// Tracks or cars.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Thing {
    Track,
    Car,
}

impl Thing {
    pub(super) fn name(self) -> &'static str {
        match self {
            Self::Track => "track",
            Self::Car => "car",
        }
    }

    /// Returns the two columns that identify an entry, and the cursor kind of the list.
    fn columns(self) -> (&'static str, &'static str, &'static str) {
        match self {
            Self::Track => ("s.track", "coalesce(s.layout, '')", "tracks"),
            // Not every database can group by a bare constant.
            Self::Car => ("s.car", "CAST('' AS TEXT)", "cars"),
        }
    }
}

/// Returns a page of tracks or cars, ordered by game and name, from the sessions in which they were driven.
pub(super) fn driven(
    db: &mut dyn Connection,
    thing: Thing,
    query: &ListQuery,
    audience: Audience,
) -> Result<Page<Driven>, StoreError> {
    let limit = page_size(query.limit);
    let sees = audience.sees(db, &query.filter)?;
    let (native, layout, kind) = thing.columns();
    let laps = match audience {
        Audience::Owner => "s.lap_count",
        Audience::Public => "s.shown_lap_count",
    };
    let mut sql = Statement::new("SELECT * FROM (SELECT s.game AS game, ");
    sql.push(native).push(" AS native, ").push(layout).push(" AS layout, count(*) AS sessions, ");
    sql.push("CAST(sum(").push(laps).push(") AS BIGINT) AS laps, ");
    sql.push("max(s.started_us) AS last FROM sessions s WHERE s.deleted_us IS NULL AND ").push(native);
    sql.push(" IS NOT NULL AND ").push(VISIBILITY).push(" <= ").bind(sees);
    let filter = &query.filter;
    sql.filter(" AND s.game = ", filter.game.as_ref())
        .name("s.track", filter.track.as_ref())
        .name("s.layout", filter.layout.as_ref())
        .name("s.car", filter.car.as_ref())
        .name("s.driver", filter.driver.as_ref())
        .filter(" AND s.sort_us >= ", filter.from_us)
        .filter(" AND s.sort_us < ", filter.to_us);
    sql.push(" GROUP BY s.game, ").push(native).push(", ").push(layout).push(") x WHERE 1 = 1");
    if let Some(values) = values_of(query.after.as_ref(), kind, "ttt")? {
        add_after(&mut sql, "(x.game, x.native, x.layout) > (", values);
    }
    sql.push(" ORDER BY x.game, x.native, x.layout LIMIT ").bind(i64::from(limit) + 1);
    let mut found = db.all_of(&sql, read_driven)?;
    for one in found.iter_mut().take(limit as usize) {
        let sql = "SELECT name FROM names WHERE kind = ?1 AND game = ?2 AND native = ?3";
        let key = [Value::from(thing.name()), Value::from(&one.game), Value::from(&one.native)];
        one.name = db.first(sql, &key, |mut row| row.text("a name"))?.flatten();
        // Times on different tracks are not comparable.
        if thing == Thing::Track {
            one.best_ms = best_on(db, query, sees, one)?;
        }
    }
    Ok(Page::of(found, limit, |last| {
        let layout = last.layout.clone().unwrap_or_default();
        Cursor::new(kind, vec![Value::from(&last.game), Value::from(&last.native), Value::from(layout)])
    }))
}

/// Returns the best time on a track by any driver. A session stores only the best time of its first driver.
fn best_on(db: &mut dyn Connection, query: &ListQuery, sees: i64, track: &Driven) -> Result<Option<u32>, StoreError> {
    let mut sql =
        Statement::new("SELECT min(x.best) FROM (SELECT (SELECT l.time_ms FROM laps l WHERE l.combination = c.id");
    sql.push(" AND l.counts = 1 AND l.visibility <= ").bind(sees);
    sql.filter(" AND l.sort_us >= ", query.filter.from_us).filter(" AND l.sort_us < ", query.filter.to_us);
    sql.push(" ORDER BY l.time_ms LIMIT 1) AS best FROM combinations c WHERE c.game = ").bind(&track.game);
    sql.push(" AND c.track = ").bind(&track.native);
    sql.push(" AND coalesce(c.layout, '') = ").bind(track.layout.as_deref().unwrap_or_default());
    add_combination(&mut sql, &query.filter);
    sql.push(") x");
    Ok(db.all_of(&sql, |mut row| row.number("a lap time"))?.into_iter().flatten().next())
}

fn read_driven(mut row: Row) -> Result<Driven, StoreError> {
    Ok(Driven {
        game: needed(row.text("a game")?, "a game")?,
        native: needed(row.text("a name")?, "a name")?,
        layout: row.text("a layout")?.filter(|layout| !layout.is_empty()),
        name: None,
        session_count: needed(row.number("a count")?, "a count")?,
        lap_count: needed(row.number("a count")?, "a count")?,
        best_ms: None,
        last_us: row.number("a time")?,
    })
}

/// Returns a page of drivers, ordered by name, from the laps that they drove.
pub(super) fn drivers(
    db: &mut dyn Connection,
    query: &ListQuery,
    audience: Audience,
) -> Result<Page<Driver>, StoreError> {
    const KIND: &str = "drivers";
    let limit = page_size(query.limit);
    // Aggregates laps per combination, where an index has them in order. A join would sort all laps.
    let sees = audience.sees(db, &query.filter)?;
    let laps = |sql: &mut Statement| {
        sql.push(" FROM laps l WHERE l.combination = c.id AND l.gone = 0 AND l.visibility <= ").bind(sees);
        sql.filter(" AND l.sort_us >= ", query.filter.from_us).filter(" AND l.sort_us < ", query.filter.to_us);
        sql.push(")");
    };
    let mut sql = Statement::new(
        "SELECT x.driver, (SELECT d.name FROM drivers d WHERE d.driver = x.driver), \
         (SELECT d.visibility FROM drivers d WHERE d.driver = x.driver), CAST(sum(x.laps) AS BIGINT), max(x.last) \
         FROM (SELECT c.driver AS driver, (SELECT count(*)",
    );
    laps(&mut sql);
    sql.push(" AS laps, (SELECT max(l.sort_us)");
    laps(&mut sql);
    sql.push(" AS last FROM combinations c WHERE c.driver IS NOT NULL");
    add_combination(&mut sql, &query.filter);
    if let Some(values) = values_of(query.after.as_ref(), KIND, "t")? {
        add_after(&mut sql, "(c.driver) > (", values);
    }
    sql.push(") x WHERE x.laps > 0 GROUP BY x.driver ORDER BY x.driver LIMIT ").bind(i64::from(limit) + 1);
    let found = db.all_of(&sql, |mut row| {
        Ok(Driver {
            driver: needed(row.text("a driver")?, "a driver")?,
            name: row.text("a name")?,
            visibility: row.number("a visibility")?.map_or(Visibility::Public, Visibility::of_number),
            lap_count: needed(row.number("a count")?, "a count")?,
            last_us: row.number("a time")?.filter(|us| *us > 0),
        })
    })?;
    Ok(Page::of(found, limit, |last| Cursor::new(KIND, vec![Value::from(&last.driver)])))
}
