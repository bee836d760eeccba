//! Reading laps: pages, the laps of a session, and single laps.

use super::columns::{LAP, of_table, read_lap};
use super::combination;
use super::connection::Connection;
use super::cursor::Cursor;
use super::edits::Said;
use super::error::StoreError;
use super::query::{Audience, Filter, LapQuery, LapSort, Page, Visibility, page_size, values_of};
use super::read_sessions::{add_after, add_kind_of_lap, add_tag};
use super::stored::{Combination, StoredLap, StoredSession};
use super::value::{Row, Statement, Value, needed};
use super::writing::count;
use crate::laps::{Id, Reason, ReasonCode, ReasonSource, SessionKind};

/// If fewer than one combination in this many match, the filter is selective.
const FEW: u32 = 100;

/// A lap with its sort key.
struct Found {
    lap: StoredLap,
    sort_us: i64,
}

/// The outer table of the join. SQLite keeps the order of a `CROSS JOIN`; PostgreSQL chooses its own order.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum First {
    /// Scan laps in order until enough of them match.
    Laps,
    /// Scan the matching combinations, then all their laps.
    Combinations,
}

fn select(first: First) -> String {
    let tables = match first {
        First::Laps => "laps l CROSS JOIN combinations c",
        First::Combinations => "combinations c CROSS JOIN laps l",
    };
    format!(
        "SELECT {}, l.excluded, l.name, l.note, l.tags, l.deleted_us, CAST(NULL AS BIGINT), {}, l.sort_us, l.visibility, l.gone, \
         l.is_foreign \
         FROM {tables} WHERE c.id = l.combination AND ",
        of_table("l", LAP),
        combination::COLUMNS
    )
}

/// Chooses the outer table. Scanning laps in order is slow if few of them match.
fn first(db: &mut dyn Connection, filter: &Filter) -> Result<First, StoreError> {
    let Filter { game, track, layout, car, driver, .. } = filter;
    if game.is_none() && [track, layout, car, driver].into_iter().all(Option::is_none) {
        return Ok(First::Laps);
    }
    let mut fitting = Statement::new("SELECT count(*) FROM combinations c WHERE 1 = 1");
    add_combination(&mut fitting, filter);
    let fitting = count(db, &fitting.text, &fitting.values)?;
    let all = count(db, "SELECT count(*) FROM combinations", &[])?;
    Ok(if fitting.saturating_mul(FEW) < all { First::Combinations } else { First::Laps })
}

fn read(mut row: Row) -> Result<Found, StoreError> {
    let (mut lap, tape) = read_lap(&mut row)?;
    let said = Said::read(&mut row)?;
    if said.excluded {
        lap.excluded = true;
        lap.eligible = false;
        lap.reasons.push(Reason {
            code: ReasonCode::UserExcluded,
            source: ReasonSource::User,
            at_sector: None,
            at_fraction: None,
            at_ns: None,
        });
    }
    let combination = Combination::read(&mut row)?;
    let sort_us = needed(row.number("a time")?, "a time")?;
    let visibility = Visibility::of_number(row.number("a visibility")?.unwrap_or_default());
    let gone = row.yes_or_no("gone or not")? == Some(true);
    let foreign = row.yes_or_no("foreign or not")? == Some(true);
    lap.eligible &= !foreign;
    Ok(Found { lap: StoredLap { lap, remarks: said.remarks, tape, combination, gone, visibility, foreign }, sort_us })
}

impl LapSort {
    /// Returns the kind of its cursors, the `ORDER BY` columns, and the comparison that continues a page.
    fn order(self) -> (&'static str, &'static str, &'static str) {
        match self {
            Self::Newest => ("laps-newest", "l.sort_us DESC, l.id DESC", "(l.sort_us, l.id) < ("),
            Self::Oldest => ("laps-oldest", "l.sort_us, l.id", "(l.sort_us, l.id) > ("),
            Self::Fastest => ("laps-fastest", "l.time_ms, l.id", "(l.time_ms, l.id) > ("),
            Self::Slowest => ("laps-slowest", "l.time_ms DESC, l.id DESC", "(l.time_ms, l.id) < ("),
        }
    }

    fn is_by_time(self) -> bool {
        matches!(self, Self::Fastest | Self::Slowest)
    }
}

/// Returns a page of laps.
pub(super) fn laps(
    db: &mut dyn Connection,
    query: &LapQuery,
    audience: Audience,
) -> Result<Page<StoredLap>, StoreError> {
    let limit = page_size(query.limit);
    let (kind, order, beyond) = query.sort.order();
    let mut sql = Statement::new(&select(first(db, &query.filter)?));
    sql.push(if query.filter.deleted { "l.deleted_us IS NOT NULL" } else { "l.gone = 0" });
    if query.sort.is_by_time() {
        sql.push(" AND l.time_ms IS NOT NULL");
    }
    add_filter(&mut sql, &query.filter, audience.sees(db, &query.filter)?);
    if let Some(values) = values_of(query.after.as_ref(), kind, "ib")? {
        add_after(&mut sql, beyond, values);
    }
    sql.push(" ORDER BY ").push(order).push(" LIMIT ").bind(i64::from(limit) + 1);
    let found = db.all_of(&sql, read)?;
    let page = Page::of(found, limit, |last| {
        let key = match query.sort.is_by_time() {
            true => i64::from(last.lap.lap.time_ms.unwrap_or_default()),
            false => last.sort_us,
        };
        Cursor::new(kind, vec![Value::Int(key), last.lap.lap.id.into()])
    });
    Ok(Page { items: page.items.into_iter().map(|found| found.lap).collect(), next: page.next })
}

fn add_filter(sql: &mut Statement, filter: &Filter, sees: i64) {
    if sees < Visibility::Private.number() {
        sql.push(" AND l.visibility <= ").bind(sees);
    }
    add_combination(sql, filter);
    sql.filter(" AND l.sort_us >= ", filter.from_us).filter(" AND l.sort_us < ", filter.to_us);
    add_kind_of_lap(sql, filter);
    add_tag(sql, "l.tags", filter.tag.as_ref());
    if let Some(kind) = filter.kind {
        sql.push(" AND l.session IN (SELECT s.id FROM sessions s WHERE s.kind = ");
        sql.bind(SessionKind::as_str(kind)).push(")");
    }
}

/// Adds the conditions on game, track, car and driver.
pub(super) fn add_combination(sql: &mut Statement, filter: &Filter) {
    sql.filter(" AND c.game = ", filter.game.as_ref())
        .name("c.track", filter.track.as_ref())
        .name("c.layout", filter.layout.as_ref())
        .name("c.car", filter.car.as_ref())
        .name("c.driver", filter.driver.as_ref());
}

/// Returns all visible laps of a session, in driving order.
pub(super) fn laps_of_session(
    db: &mut dyn Connection,
    session: &StoredSession,
    audience: Audience,
) -> Result<Vec<StoredLap>, StoreError> {
    let mut sql = Statement::new(&select(First::Laps));
    sql.push("l.session = ").bind(session.session.id);
    match session.remarks.deleted_us {
        // The laps of a deleted session that would be restored with it.
        Some(_) => sql.push(" AND l.deleted_us IS NULL"),
        None => sql.push(" AND l.gone = 0"),
    };
    if audience == Audience::Public {
        sql.push(" AND l.visibility <= ").bind(session.visibility.number());
    }
    sql.push(" ORDER BY l.tape_lap, l.start_ns, l.id");
    db.all_of(&sql, |row| Ok(read(row)?.lap))
}

/// Returns one lap. The owner also sees deleted laps.
pub(super) fn lap(db: &mut dyn Connection, id: Id, audience: Audience) -> Result<Option<StoredLap>, StoreError> {
    let mut sql = Statement::new(&select(First::Laps));
    sql.push("l.id = ").bind(id).push(" AND l.visibility <= ").bind(audience.sees_by_id());
    if audience == Audience::Public {
        sql.push(" AND l.gone = 0");
    }
    Ok(db.all_of(&sql, read)?.into_iter().next().map(|found| found.lap))
}
