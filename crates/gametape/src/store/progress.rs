//! How times went on: the best and the median of each day, per car and track.

use super::connection::Connection;
use super::cursor::Cursor;
use super::error::StoreError;
use super::query::{Audience, Page, ProgressQuery, page_size, values_of};
use super::read_laps::add_combination;
use super::read_sessions::add_after;
use super::stored::Progress;
use super::value::{Statement, Value, needed};

const KIND: &str = "progress";
const DAY_US: i64 = 86_400_000_000;

/// A page of days, by game, track, layout and car, the oldest first. Rows are read in order of time, so that only one day is in memory.
pub(super) fn progress(
    db: &mut dyn Connection,
    query: &ProgressQuery,
    audience: Audience,
) -> Result<Page<Progress>, StoreError> {
    let limit = page_size(query.limit);
    let offset_us = i64::from(query.utc_offset_min) * 60_000_000;
    let mut sql = Statement::new(
        "SELECT * FROM (SELECT c.game AS game, coalesce(c.track, '') AS track, coalesce(c.layout, '') AS layout, \
         coalesce(c.car, '') AS car, (l.sort_us + ",
    );
    sql.bind(offset_us).push(") / ").bind(DAY_US).push(
        " AS day, l.time_ms AS time_ms FROM combinations c CROSS JOIN laps l \
         WHERE l.combination = c.id AND l.counts = 1 AND l.sort_us > 0 AND l.visibility <= ",
    );
    sql.bind(audience.sees(&query.filter));
    add_combination(&mut sql, &query.filter);
    sql.filter(" AND l.sort_us >= ", query.filter.from_us).filter(" AND l.sort_us < ", query.filter.to_us);
    sql.push(") x WHERE 1 = 1");
    if let Some(values) = values_of(query.after.as_ref(), KIND, 5)? {
        add_after(&mut sql, "(x.game, x.track, x.layout, x.car, x.day) > (", values);
    }
    sql.push(" ORDER BY x.game, x.track, x.layout, x.car, x.day, x.time_ms");
    let mut days: Vec<Progress> = Vec::new();
    let mut times: Vec<u32> = Vec::new();
    let finish = |day: Option<&mut Progress>, times: &mut Vec<u32>| {
        // Times come sorted.
        if let (Some(day), Some(best)) = (day, times.first()) {
            day.best_ms = *best;
            day.median_ms = times.get((times.len() - 1) / 2).copied().unwrap_or(*best);
            day.lap_count = u32::try_from(times.len()).unwrap_or(u32::MAX);
        }
        times.clear();
    };
    db.each(&sql.text, &sql.values, &mut |mut row| {
        if days.len() > limit as usize {
            return Ok(());
        }
        let filled = |text: String| (!text.is_empty()).then_some(text);
        let game = needed(row.text("a game")?, "a game")?;
        let track = row.text("a track")?.and_then(filled);
        let layout = row.text("a layout")?.and_then(filled);
        let car = row.text("a car")?.and_then(filled);
        let day = needed(row.number("a day")?, "a day")?;
        let time_ms = needed(row.number("a lap time")?, "a lap time")?;
        let next = Progress { game, track, layout, car, day, lap_count: 0, best_ms: 0, median_ms: 0 };
        let same = |last: &Progress| {
            last.day == next.day
                && (&last.game, &last.track, &last.layout, &last.car)
                    == (&next.game, &next.track, &next.layout, &next.car)
        };
        if !days.last().is_some_and(same) {
            finish(days.last_mut(), &mut times);
            days.push(next);
        }
        times.push(time_ms);
        Ok(())
    })?;
    finish(days.last_mut(), &mut times);
    Ok(Page::of(days, limit, |last| {
        let text = |text: &Option<String>| Value::Text(text.clone().unwrap_or_default());
        let Progress { game, track, layout, car, day, .. } = last;
        Cursor::new(KIND, vec![Value::from(game), text(track), text(layout), text(car), Value::Int(*day)])
    }))
}
