//! Matches: the facts and events of tapes that hold one, as rows. Everything in them can be derived from the tapes again.

use gametape_format::TapeId;
use gametape_format::read::Tape;
use serde_json::{Value as Json, json};

use super::connection::Connection;
use super::cursor::Cursor;
use super::error::StoreError;
use super::name_filter::NameFilter;
use super::query::{Page, page_size, values_of};
use super::read_sessions::add_after;
use super::stored::Change;
use super::upsert::Upsert;
use super::value::{Row, Statement, Value, needed};
use crate::matches::{MatchEvent, MatchFacts};

/// Maximum number of events that are stored of a match. The tape has all of them.
const MAX_EVENTS: usize = 2000;

/// Maximum length of the text of an event, in characters.
const MAX_TEXT_CHARACTERS: usize = 300;

/// Kind of the events that say what of a file could not be read: they are not moments of a match.
const IMPORT_PROBLEM: &str = "import_problem";

/// A match.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct StoredMatch {
    /// The tape that holds it.
    pub tape: TapeId,
    /// Its facts.
    pub facts: MatchFacts,
    /// Its events in the order of their times; empty in lists.
    pub events: Vec<MatchEvent>,
    /// Number of further events, which only the tape has.
    pub events_left_out: u32,
}

impl StoredMatch {
    /// Returns the match on a tape, if it holds one.
    pub fn of_tape(id: TapeId, tape: &Tape) -> Option<Self> {
        let facts = MatchFacts::of_tape(tape)?;
        let mut events = tape.events();
        events.retain(|event| event.kind != IMPORT_PROBLEM);
        let events_left_out = u32::try_from(events.len().saturating_sub(MAX_EVENTS)).unwrap_or(u32::MAX);
        let events = events.into_iter().take(MAX_EVENTS);
        let short = |text: String| text.chars().take(MAX_TEXT_CHARACTERS).collect();
        let events =
            events.map(|event| MatchEvent { at_ns: event.at_ns, kind: short(event.kind), text: short(event.text) });
        Some(Self { tape: id, facts, events: events.collect(), events_left_out })
    }
}

/// Selects matches. The game id is compared exactly, names according to [`NameFilter`].
#[derive(Debug, Clone, Default, PartialEq)]
pub struct MatchQuery {
    /// Id of the game.
    pub game: Option<String>,
    /// Name of one of the players.
    pub player: Option<NameFilter>,
    /// Map.
    pub map: Option<NameFilter>,
    /// Played at this time or later; UTC, microseconds since 1970.
    pub from_us: Option<i64>,
    /// Played before this time.
    pub to_us: Option<i64>,
    /// Entries per page; 0 for the default.
    pub limit: u32,
    /// Where the previous page ended.
    pub after: Option<Cursor>,
}

const COLUMNS: &[&str] = &["tape", "game", "map", "at_us", "facts", "events", "events_left_out"];

/// The sort key: the start, else the time that the file states, else its local time taken as UTC.
fn at_us(facts: &MatchFacts) -> i64 {
    let local = || {
        let time = jiff::civil::DateTime::strptime("%Y-%m-%d %H:%M:%S", facts.dated_local.as_deref()?);
        let time = time.or_else(|_| {
            jiff::civil::DateTime::strptime("%Y-%m-%d %H:%M", facts.dated_local.as_deref().unwrap_or_default())
        });
        let utc = time.ok()?.to_zoned(jiff::tz::TimeZone::UTC).ok()?;
        Some(utc.timestamp().as_microsecond())
    };
    let utc_ns = facts.started_utc_ns.or(facts.dated_utc_ns);
    utc_ns.map(|ns| ns / 1000).or_else(local).unwrap_or_default()
}

fn events_text(events: &[MatchEvent]) -> String {
    let events: Vec<Json> = events.iter().map(|event| json!([event.at_ns, event.kind, event.text])).collect();
    Json::Array(events).to_string()
}

fn events_of(text: &str) -> Result<Vec<MatchEvent>, StoreError> {
    let damaged = || StoreError::Damaged { expected: "events", found: text.chars().take(80).collect() };
    let events: Vec<(u64, String, String)> = serde_json::from_str(text).map_err(|_| damaged())?;
    Ok(events.into_iter().map(|(at_ns, kind, text)| MatchEvent { at_ns, kind, text }).collect())
}

/// Adds or updates a match.
pub(super) fn put(db: &mut dyn Connection, stored: &StoredMatch) -> Result<Change, StoreError> {
    let StoredMatch { tape, facts, events, events_left_out } = stored;
    let values = [
        (*tape).into(),
        Value::from(&facts.game),
        facts.map.as_ref().into(),
        at_us(facts).into(),
        Value::from(facts.to_text()),
        Value::from(events_text(events)),
        (*events_left_out).into(),
    ];
    let change = Upsert { table: "matches", columns: COLUMNS, key: 1, values: &values, once: &[] }.run(db)?;
    if change != Change::Same {
        db.execute("DELETE FROM match_players WHERE tape = ?1", &[(*tape).into()])?;
        for (n, name) in (0u32..).zip(facts.players.iter().filter_map(|player| player.name.as_ref())) {
            let values = [(*tape).into(), n.into(), Value::from(name)];
            db.execute("INSERT INTO match_players (tape, n, name) VALUES (?1, ?2, ?3)", &values)?;
        }
    }
    Ok(change)
}

fn read(row: &mut Row) -> Result<(StoredMatch, i64), StoreError> {
    let tape = needed(row.tape("a tape id")?, "a tape id")?;
    let at_us = needed(row.number("a time")?, "a time")?;
    let text = needed(row.text("facts")?, "facts")?;
    let damaged = || StoreError::Damaged { expected: "facts", found: text.chars().take(80).collect() };
    let facts = MatchFacts::parse(&text).ok_or_else(damaged)?;
    Ok((StoredMatch { tape, facts, events: Vec::new(), events_left_out: 0 }, at_us))
}

/// Returns one match with its events.
pub(super) fn one(db: &mut dyn Connection, tape: TapeId) -> Result<Option<StoredMatch>, StoreError> {
    let sql = "SELECT tape, at_us, facts, events, events_left_out FROM matches WHERE tape = ?1";
    db.first(sql, &[tape.into()], |mut row| {
        let (stored, _) = read(&mut row)?;
        let events = events_of(&needed(row.text("events")?, "events")?)?;
        let events_left_out = needed(row.number("a number of events")?, "a number of events")?;
        Ok(StoredMatch { events, events_left_out, ..stored })
    })
}

/// Returns a page of matches, newest first, without their events.
pub(super) fn page(db: &mut dyn Connection, query: &MatchQuery) -> Result<Page<StoredMatch>, StoreError> {
    const KIND: &str = "matches";
    let limit = page_size(query.limit);
    let mut sql = Statement::new("SELECT m.tape, m.at_us, m.facts FROM matches m WHERE 1 = 1");
    sql.filter(" AND m.game = ", query.game.as_ref())
        .name("m.map", query.map.as_ref())
        .filter(" AND m.at_us >= ", query.from_us)
        .filter(" AND m.at_us < ", query.to_us);
    if query.to_us.is_some() {
        // Files without a date were not played in 1970.
        sql.push(" AND m.at_us <> 0");
    }
    if let Some(player) = &query.player {
        sql.push(" AND EXISTS (SELECT 1 FROM match_players p WHERE p.tape = m.tape AND ");
        player.add_match(&mut sql, "p.name");
        sql.push(")");
    }
    if let Some(values) = values_of(query.after.as_ref(), KIND, "ib")? {
        add_after(&mut sql, "(m.at_us, m.tape) < (", values);
    }
    sql.push(" ORDER BY m.at_us DESC, m.tape DESC LIMIT ").bind(i64::from(limit) + 1);
    let found = db.all_of(&sql, |mut row| read(&mut row))?;
    let page = Page::of(found, limit, |(last, at_us)| Cursor::new(KIND, vec![Value::Int(*at_us), last.tape.into()]));
    Ok(Page { items: page.items.into_iter().map(|(stored, _)| stored).collect(), next: page.next })
}
