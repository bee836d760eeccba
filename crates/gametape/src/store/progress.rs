//! Progress over time: the best and the median time of each day, per car and track.

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
/// The group key of days, in sort order. Unknown values sort first.
const CAR_AND_TRACK: &str = "c.game, coalesce(c.track, ''), coalesce(c.layout, ''), coalesce(c.car, '')";

/// Returns a page of days, ordered by game, track, layout and car, oldest first. Processes one car on one track at a time until the page
/// is full, so that only the times of one group are in memory.
pub(super) fn progress(
    db: &mut dyn Connection,
    query: &ProgressQuery,
    audience: Audience,
) -> Result<Page<Progress>, StoreError> {
    let limit = page_size(query.limit);
    let after = values_of(query.after.as_ref(), KIND, "tttti")?;
    let mut sql = Statement::new("SELECT DISTINCT ");
    sql.push(CAR_AND_TRACK).push(" FROM combinations c WHERE 1 = 1");
    add_combination(&mut sql, &query.filter);
    if let Some(values) = &after {
        // The previous page may have ended in the middle of a group.
        let values = values.iter().take(4).cloned().collect();
        add_after(&mut sql, &format!("({CAR_AND_TRACK}) >= ("), values);
    }
    sql.push(" ORDER BY 1, 2, 3, 4");
    let keys = db.all_of(&sql, |row| Ok(row.rest()))?;
    let mut days = Vec::new();
    for (at, key) in keys.iter().enumerate() {
        let last_day = after.as_ref().filter(|values| at == 0 && values.get(..4) == Some(key.as_slice()));
        let last_day = last_day.and_then(|values| values.get(4)).cloned();
        days_of(db, query, audience, key, last_day, &mut days)?;
        if days.len() > limit as usize {
            break;
        }
    }
    Ok(Page::of(days, limit, |last| {
        let text = |text: &Option<String>| Value::Text(text.clone().unwrap_or_default());
        let Progress { game, track, layout, car, day, .. } = last;
        Cursor::new(KIND, vec![Value::from(game), text(track), text(layout), text(car), Value::Int(*day)])
    }))
}

/// Appends the days of one car on one track, after a given day.
fn days_of(
    db: &mut dyn Connection,
    query: &ProgressQuery,
    audience: Audience,
    key: &[Value],
    after: Option<Value>,
    days: &mut Vec<Progress>,
) -> Result<(), StoreError> {
    let mut sql = Statement::new("SELECT (l.sort_us + ");
    sql.bind(i64::from(query.utc_offset_min) * 60_000_000).push(") / ").bind(DAY_US);
    sql.push(
        ", l.time_ms, CASE WHEN replace(l.reasons, '\"code\":\"caution\"', '') <> l.reasons THEN 1 ELSE 0 END \
         FROM combinations c CROSS JOIN laps l \
         WHERE l.combination = c.id AND l.counts = 1 AND l.sort_us > 0 AND l.visibility <= ",
    );
    sql.bind(audience.sees(db, &query.filter)?);
    add_after(&mut sql, &format!("({CAR_AND_TRACK}) = ("), key.to_vec());
    add_combination(&mut sql, &query.filter);
    sql.filter(" AND l.sort_us >= ", query.filter.from_us).filter(" AND l.sort_us < ", query.filter.to_us);
    if let Some(day) = after {
        sql.push(" AND (l.sort_us + ").bind(i64::from(query.utc_offset_min) * 60_000_000).push(") / ").bind(DAY_US);
        sql.push(" > ").bind(day);
    }
    sql.push(" ORDER BY 1, 2");
    let times = db.all_of(&sql, |mut row| {
        Ok(Timed {
            day: needed(row.number("a day")?, "a day")?,
            time_ms: needed(row.number("a lap time")?, "a lap time")?,
            caution: row.number::<i64>("caution or not")? == Some(1),
        })
    })?;
    let mut texts = key.iter().map(|value| match value {
        Value::Text(text) if !text.is_empty() => Some(text.clone()),
        _ => None,
    });
    let game = needed(texts.next().flatten(), "a game")?;
    let [track, layout, car] = [texts.next().flatten(), texts.next().flatten(), texts.next().flatten()];
    // Days, and the times within each day, are sorted.
    for of_day in times.chunk_by(|one, other| one.day == other.day) {
        if let (Some(Timed { day, time_ms: best_ms, .. }), Some(median_ms)) = (of_day.first(), median_ms(of_day)) {
            days.push(Progress {
                game: game.clone(),
                track: track.clone(),
                layout: layout.clone(),
                car: car.clone(),
                day: *day,
                lap_count: u32::try_from(of_day.len()).unwrap_or(u32::MAX),
                best_ms: *best_ms,
                median_ms,
            });
        }
    }
    Ok(())
}

/// A lap that counts.
struct Timed {
    day: i64,
    time_ms: u32,
    caution: bool,
}

/// Returns the median of sorted times; of two middle values, the lower one. Laps under caution are left out unless there are no others.
fn median_ms(laps: &[Timed]) -> Option<u32> {
    let mut pace: Vec<u32> = laps.iter().filter(|lap| !lap.caution).map(|lap| lap.time_ms).collect();
    if pace.is_empty() {
        pace = laps.iter().map(|lap| lap.time_ms).collect();
    }
    pace.get(pace.len().saturating_sub(1) / 2).copied()
}
