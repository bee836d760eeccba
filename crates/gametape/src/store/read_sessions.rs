//! Reading sessions: pages, newest first, and single sessions with their stints and laps.

use super::columns::{SESSION, STINT, of_table, read_session, read_stint};
use super::connection::Connection;
use super::cursor::Cursor;
use super::edits::read_remarks;
use super::error::StoreError;
use super::query::{Audience, Filter, ListQuery, Page, Validity, Visibility, page_size, values_of};
use super::read_laps::laps_of_session;
use super::stored::{SessionDetail, StoredSession};
use super::value::{Row, Statement, Value, needed};
use crate::laps::{Id, Phase, SessionKind};

const KIND: &str = "sessions";

/// SQL expression for the visibility of a session `s`. A session without a driver is as hidden as the least hidden of its laps. Otherwise
/// it would reveal when, where and in which car hidden drivers drove.
pub(super) const VISIBILITY: &str = "(CASE WHEN s.driver IS NULL AND s.lap_count > 0 THEN coalesce((SELECT min(l.visibility) \
     FROM laps l WHERE l.session = s.id AND l.gone = 0), s.visibility) ELSE s.visibility END)";

/// Returns the columns of a stored session. For clients that may not see all laps, counts and bests cover the visible laps only.
fn columns(audience: Audience) -> String {
    let shown = match audience {
        Audience::Owner => "s.lap_count, s.best_lap, s.best_ms, s.theoretical_ms",
        Audience::Public => "s.shown_lap_count, s.shown_best_lap, s.shown_best_ms, s.shown_theoretical_ms",
    };
    format!(
        "{}, s.name, s.note, s.tags, s.deleted_us, {shown}, \
         (SELECT n.name FROM names n WHERE n.kind = 'track' AND n.game = s.game AND n.native = s.track), \
         (SELECT n.name FROM names n WHERE n.kind = 'car' AND n.game = s.game AND n.native = s.car), \
         (SELECT d.name FROM drivers d WHERE d.driver = s.driver), {VISIBILITY}, {}, s.said_foreign",
        of_table("s", SESSION),
        continues()
    )
}

/// SQL expression for the session that this one continues: the recorder, not the game, ended it at most an hour before, all identifying
/// columns are equal, and the lap numbers continue.
fn continues() -> String {
    let of_earlier = VISIBILITY.replace("s.", "p.");
    format!("(SELECT p.id FROM sessions p WHERE p.deleted_us IS NULL AND {of_earlier} <= {VISIBILITY} {CONTINUES}")
}

const CONTINUES: &str = "\
     AND p.sort_us < s.sort_us AND p.sort_us > s.sort_us - 86400000000 AND p.game = s.game AND p.kind = s.kind \
     AND p.number IS NOT DISTINCT FROM s.number AND p.track IS NOT DISTINCT FROM s.track AND p.layout IS NOT DISTINCT FROM s.layout \
     AND p.car IS NOT DISTINCT FROM s.car AND p.driver IS NOT DISTINCT FROM s.driver \
     AND p.end_reason IN ('tool_stop', 'crash_recovered', 'stream_end') AND p.ended_us > s.started_us - 3600000000 \
     AND (SELECT min(l.number) FROM laps l WHERE l.session = s.id) \
       > (SELECT coalesce(max(l.number), 0) FROM laps l WHERE l.session = p.id AND l.state = 'final') \
     AND NOT EXISTS (SELECT 1 FROM laps l WHERE l.session = s.id AND l.number = 1 AND replace(l.reasons, 'partial_start', '') = l.reasons) \
     ORDER BY p.sort_us DESC, p.id DESC LIMIT 1)";

fn read(mut row: Row) -> Result<StoredSession, StoreError> {
    let mut session = read_session(&mut row)?;
    let remarks = read_remarks(&mut row)?;
    let lap_count = needed(row.number("a count")?, "a count")?;
    session.best_lap = row.id("a lap id")?;
    let best_ms = row.number("a lap time")?;
    session.theoretical_best_ms = row.number("a lap time")?;
    let (track_name, car_name, driver_name) = (row.text("a name")?, row.text("a name")?, row.text("a name")?);
    let visibility = Visibility::of_number(row.number("a visibility")?.unwrap_or_default());
    let continues = row.id("a session id")?;
    session.foreign = row.yes_or_no("foreign or not")?.unwrap_or(session.foreign);
    Ok(StoredSession { session, remarks, lap_count, best_ms, track_name, car_name, driver_name, visibility, continues })
}

/// Returns a page of sessions, newest first. Sessions with an unknown start time come last.
pub(super) fn sessions(
    db: &mut dyn Connection,
    query: &ListQuery,
    audience: Audience,
) -> Result<Page<StoredSession>, StoreError> {
    let limit = page_size(query.limit);
    let mut sql = Statement::new("SELECT ");
    sql.push(&columns(audience)).push(" FROM sessions s WHERE ");
    sql.push(if query.filter.deleted { "s.deleted_us IS NOT NULL" } else { "s.deleted_us IS NULL" });
    add_filter(&mut sql, &query.filter, audience.sees(db, &query.filter)?);
    if let Some(values) = values_of(query.after.as_ref(), KIND, "ib")? {
        add_after(&mut sql, "(s.sort_us, s.id) < (", values);
    }
    sql.push(" ORDER BY s.sort_us DESC, s.id DESC LIMIT ").bind(i64::from(limit) + 1);
    let found = db.all_of(&sql, read)?;
    Ok(Page::of(found, limit, |last| {
        let sort_us = last.session.started_utc_us.unwrap_or_default();
        Cursor::new(KIND, vec![Value::Int(sort_us), last.session.id.into()])
    }))
}

/// Adds ` AND (columns) < (values)`.
pub(super) fn add_after(sql: &mut Statement, compared: &str, values: Vec<Value>) {
    sql.push(" AND ").push(compared);
    for (at, value) in values.into_iter().enumerate() {
        sql.push(if at == 0 { "" } else { ", " }).bind(value);
    }
    sql.push(")");
}

fn add_filter(sql: &mut Statement, filter: &Filter, sees: i64) {
    if sees < Visibility::Private.number() {
        sql.push(" AND ").push(VISIBILITY).push(" <= ").bind(sees);
        // Naming a driver does not reveal sessions of other hidden drivers.
        if let Some(driver) = &filter.driver {
            sql.push(" AND (").push(VISIBILITY).push(" = 0 OR ");
            driver.add_match(sql, "s.driver");
            sql.push(")");
        }
    }
    sql.filter(" AND s.game = ", filter.game.as_ref())
        .filter(" AND s.kind = ", filter.kind.map(SessionKind::as_str))
        .name("s.track", filter.track.as_ref())
        .name("s.layout", filter.layout.as_ref())
        .name("s.car", filter.car.as_ref())
        .filter(" AND s.sort_us >= ", filter.from_us)
        .filter(" AND s.sort_us < ", filter.to_us)
        .filter(" AND s.tape = ", filter.tape);
    add_tag(sql, "s.tags", filter.tag.as_ref());
    filter.words.iter().for_each(|word| add_word(sql, word));
    if let Some(driver) = &filter.driver {
        sql.push(" AND (");
        driver.add_match(sql, "s.driver");
        sql.push(
            " OR EXISTS (SELECT 1 FROM laps l JOIN combinations c ON c.id = l.combination \
             WHERE l.session = s.id AND l.gone = 0 AND l.visibility <= ",
        );
        sql.bind(sees);
        driver.add(sql, "c.driver");
        sql.push("))");
    }
    if filter.valid.is_some() || filter.phase.is_some() {
        sql.push(" AND EXISTS (SELECT 1 FROM laps l WHERE l.session = s.id AND l.visibility <= ").bind(sees);
        // The laps of a deleted session are marked as gone too.
        sql.push(if filter.deleted { " AND l.deleted_us IS NULL" } else { " AND l.gone = 0" });
        add_kind_of_lap(sql, filter);
        sql.push(")");
    }
    if filter.min_laps > 0 {
        sql.push(" AND (SELECT count(*) FROM laps l WHERE l.session = s.id AND l.state = 'final' AND l.visibility <= ")
            .bind(sees);
        sql.push(if filter.deleted { " AND l.deleted_us IS NULL" } else { " AND l.gone = 0" });
        sql.push(") >= ").bind(i64::from(filter.min_laps));
    }
}

/// SQL expression for the searchable text of a session. Game ids have hyphens where names have spaces.
const SEARCH_TEXT: &str = "lower(replace(replace(s.game || ' ' || s.kind || ' ' || coalesce(s.track, '') || ' ' || coalesce(s.layout, '') \
    || ' ' || coalesce(s.car, '') || ' ' || coalesce(s.driver, '') || ' ' || coalesce(s.name, '') || ' ' || coalesce(s.note, '') \
    || ' ' || s.tags \
    || ' ' || coalesce((SELECT n.name FROM names n WHERE n.kind = 'track' AND n.game = s.game AND n.native = s.track), '') \
    || ' ' || coalesce((SELECT n.name FROM names n WHERE n.kind = 'car' AND n.game = s.game AND n.native = s.car), '') \
    || ' ' || coalesce((SELECT d.name FROM drivers d WHERE d.driver = s.driver), ''), '_', ' '), '-', ' ') {letters})";

/// Adds the condition that the searchable text contains a word.
fn add_word(sql: &mut Statement, word: &str) {
    // Escape the wildcards of `LIKE`.
    let quoted = word.to_lowercase().replace('\\', "\\\\").replace('%', "\\%").replace(['_', '-'], " ");
    sql.push(" AND ").push(SEARCH_TEXT).push(" LIKE ").bind(format!("%{quoted}%")).push(" ESCAPE '\\'");
}

/// Adds the conditions on the phase and validity of a lap.
pub(super) fn add_kind_of_lap(sql: &mut Statement, filter: &Filter) {
    sql.filter(" AND l.phase = ", filter.phase.map(Phase::as_str));
    sql.push(match filter.valid {
        None => "",
        Some(Validity::Valid) => " AND l.valid = 1",
        Some(Validity::Invalid) => " AND l.valid = 0",
        Some(Validity::Unknown) => " AND l.valid IS NULL",
    });
}

/// Adds the condition that a list of tags contains a tag. The list is JSON, so a tag is enclosed in quotation marks and follows the
/// opening bracket or another tag. `LIKE` is not used, because SQLite's ignores case.
pub(super) fn add_tag(sql: &mut Statement, column: &str, tag: Option<&String>) {
    if let Some(tag) = tag {
        let quoted = serde_json::Value::from(tag.as_str()).to_string();
        sql.push(" AND (replace(").push(column).push(", ").bind(format!("[{quoted}")).push(", '') <> ").push(column);
        sql.push(" OR replace(").push(column).push(", ").bind(format!("\",{quoted}")).push(", '') <> ").push(column);
        sql.push(")");
    }
}

/// Returns one session with its stints and laps.
pub(super) fn session(
    db: &mut dyn Connection,
    id: Id,
    audience: Audience,
) -> Result<Option<SessionDetail>, StoreError> {
    let mut sql = Statement::new("SELECT ");
    sql.push(&columns(audience)).push(" FROM sessions s WHERE s.id = ").bind(id);
    sql.push(" AND ").push(VISIBILITY).push(" <= ").bind(audience.sees_by_id());
    if audience == Audience::Public {
        sql.push(" AND s.deleted_us IS NULL");
    }
    let found = db.all_of(&sql, read)?.into_iter().next();
    found.map(|found| detail(db, found, audience)).transpose()
}

/// Adds the stints and laps to a session.
pub(super) fn detail(
    db: &mut dyn Connection,
    session: StoredSession,
    audience: Audience,
) -> Result<SessionDetail, StoreError> {
    let mut sql = Statement::new("SELECT ");
    sql.push(&of_table("t", STINT)).push(" FROM stints t WHERE t.session = ").bind(session.session.id);
    if audience == Audience::Public {
        sql.push(
            " AND NOT EXISTS (SELECT 1 FROM drivers d, sessions s WHERE d.driver = t.driver AND s.id = t.session \
             AND d.visibility > s.visibility)",
        );
    }
    sql.push(" ORDER BY t.n");
    let stints = db.all_of(&sql, |mut row| read_stint(&mut row))?;
    let laps = laps_of_session(db, &session, audience)?;
    Ok(SessionDetail { session, stints, laps })
}
