//! The best lap of each driver in each car on each track, among the laps that currently count.

use super::combination;
use super::connection::Connection;
use super::cursor::Cursor;
use super::error::StoreError;
use super::packed::sectors_of;
use super::query::{Audience, ListQuery, Page, page_size, values_of};
use super::read_laps::add_combination;
use super::read_sessions::add_after;
use super::stored::{Best, Combination};
use super::summary::{Counted, Summary};
use super::value::{Statement, Value, needed};
use crate::laps::Id;

const KIND: &str = "bests";

/// Returns a page of bests, ordered by game, track, layout and time, fastest first. A start or end date in the filter restricts which
/// laps are considered.
pub(super) fn bests(db: &mut dyn Connection, query: &ListQuery, audience: Audience) -> Result<Page<Best>, StoreError> {
    let limit = page_size(query.limit);
    let sees = audience.sees(db, &query.filter)?;
    let laps = |sql: &mut Statement| {
        sql.push(" FROM laps l WHERE l.combination = c.id AND l.counts = 1 AND l.visibility <= ").bind(sees);
        sql.filter(" AND l.sort_us >= ", query.filter.from_us).filter(" AND l.sort_us < ", query.filter.to_us);
    };
    let mut sql = Statement::new("SELECT * FROM (SELECT c.id, ");
    sql.push(combination::COLUMNS).push(", coalesce(c.track, '') AS by_track, coalesce(c.layout, '') AS by_layout, ");
    sql.push("(SELECT min(l.time_ms)");
    laps(&mut sql);
    sql.push(") AS best FROM combinations c WHERE 1 = 1");
    add_combination(&mut sql, &query.filter);
    sql.push(") b WHERE b.best IS NOT NULL");
    if let Some(values) = values_of(query.after.as_ref(), KIND, "tttii")? {
        add_after(&mut sql, "(b.game, b.by_track, b.by_layout, b.best, b.id) > (", values);
    }
    sql.push(" ORDER BY b.game, b.by_track, b.by_layout, b.best, b.id LIMIT ").bind(i64::from(limit) + 1);
    let found = db.all_of(&sql, |mut row| {
        let id: i64 = needed(row.number("a combination")?, "a combination")?;
        let combination = Combination::read(&mut row)?;
        row.text("a track")?;
        row.text("a layout")?;
        Ok((id, combination, needed(row.number::<u32>("a lap time")?, "a lap time")?))
    })?;
    let page = Page::of(found, limit, |(id, combination, best)| {
        let text = |text: &Option<String>| Value::Text(text.clone().unwrap_or_default());
        let Combination { game, track, layout, .. } = combination;
        let values = vec![Value::Text(game.clone()), text(track), text(layout), Value::from(*best), Value::Int(*id)];
        Cursor::new(KIND, values)
    });
    let mut items = Vec::with_capacity(page.items.len());
    for (id, combination, _) in page.items {
        if let Some(best) = best_of(db, query, id, combination, sees)? {
            items.push(best);
        }
    }
    Ok(Page { items, next: page.next })
}

/// Returns the best lap of one combination (on a tie, the earliest) and the theoretical best: the sum of the best sectors of all its
/// laps.
fn best_of(
    db: &mut dyn Connection,
    query: &ListQuery,
    id: i64,
    combination: Combination,
    sees: i64,
) -> Result<Option<Best>, StoreError> {
    let mut sql = Statement::new("SELECT l.id, l.session, l.time_ms, l.started_us, l.sectors FROM laps l WHERE ");
    sql.push("l.combination = ").bind(id).push(" AND l.counts = 1 AND l.visibility <= ").bind(sees);
    sql.filter(" AND l.sort_us >= ", query.filter.from_us).filter(" AND l.sort_us < ", query.filter.to_us);
    sql.push(" ORDER BY l.time_ms, l.sort_us, l.id");
    let mut first: Option<(Id, Id, u32, Option<i64>)> = None;
    let mut summary = Summary::default();
    db.each(&sql.text, &sql.values, &mut |mut row| {
        let lap = needed(row.id("a lap id")?, "a lap id")?;
        let session = needed(row.id("a session id")?, "a session id")?;
        let time_ms = needed(row.number("a lap time")?, "a lap time")?;
        let started_utc_us = row.number("a time")?;
        let sectors = sectors_of(&needed(row.text("sectors")?, "sectors")?)?;
        summary.add(Some(&Counted { id: lap, time_ms, sectors: &sectors }));
        first.get_or_insert((lap, session, time_ms, started_utc_us));
        Ok(())
    })?;
    Ok(first.map(|(lap, session, time_ms, started_utc_us)| Best {
        combination,
        lap,
        session,
        time_ms,
        started_utc_us,
        theoretical_ms: summary.theoretical_ms(),
        lap_count: summary.laps,
    }))
}
