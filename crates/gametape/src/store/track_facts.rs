//! What is known about each track from the laps driven on it. Each session may add to it.

use serde_json::{Value as Json, json};

use super::connection::Connection;
use super::error::StoreError;
use super::stored::Change;
use super::upsert::Upsert;
use super::value::{Value, needed};
use crate::laps::TrackFacts;

fn key(game: &str, track: &str, layout: Option<&str>) -> [Value; 3] {
    [Value::from(game), Value::from(track), Value::from(layout.unwrap_or_default())]
}

/// Merges the facts from a session. Known facts that it lacks are kept; of two outlines, the one with more points is kept.
pub(super) fn put(db: &mut dyn Connection, facts: &TrackFacts) -> Result<Change, StoreError> {
    let mut all = facts.clone();
    if let Some(known) = get(db, &facts.game, &facts.track, facts.layout.as_deref())? {
        all.length_m = all.length_m.or(known.length_m);
        all.pit_entry = all.pit_entry.or(known.pit_entry);
        all.pit_exit = all.pit_exit.or(known.pit_exit);
        if all.sector_ends.is_empty() {
            all.sector_ends = known.sector_ends;
        }
        if all.outline_m.len() < known.outline_m.len() {
            all.outline_m = known.outline_m;
        }
    }
    let [game, track, layout] = key(&facts.game, &facts.track, facts.layout.as_deref());
    let values = [game, track, layout, Value::from(text_of(&all))];
    Upsert { table: "track_facts", columns: &["game", "track", "layout", "facts"], key: 3, values: &values, once: &[] }
        .run(db)
}

/// Serializes the facts, without the names of the track.
pub(super) fn text_of(facts: &TrackFacts) -> String {
    let TrackFacts { length_m, sector_ends, outline_m, pit_entry, pit_exit, .. } = facts;
    let text = json!({
        "length_m": length_m,
        "sector_ends": sector_ends,
        "outline_m": outline_m,
        "pit_entry": pit_entry,
        "pit_exit": pit_exit,
    });
    text.to_string()
}

/// Returns what is known about a track.
pub(super) fn get(
    db: &mut dyn Connection,
    game: &str,
    track: &str,
    layout: Option<&str>,
) -> Result<Option<TrackFacts>, StoreError> {
    let sql = "SELECT facts FROM track_facts WHERE game = ?1 AND track = ?2 AND layout = ?3";
    let text = db.first(sql, &key(game, track, layout), |mut row| row.text("facts of a track"))?;
    let Some(text) = text else { return Ok(None) };
    let text = needed(text, "facts of a track")?;
    let damaged = || StoreError::Damaged { expected: "facts of a track", found: text.chars().take(80).collect() };
    let facts = parse(&text).ok_or_else(damaged)?;
    let (game, track, layout) = (game.to_owned(), track.to_owned(), layout.map(str::to_owned));
    Ok(Some(TrackFacts { game, track, layout, ..facts }))
}

/// Parses the text form. It does not contain the names of the track.
pub(super) fn parse(text: &str) -> Option<TrackFacts> {
    let json: Json = serde_json::from_str(text).ok()?;
    let real = |value: &Json| value.as_f64().map(|number| number as f32);
    let reals = |value: &Json| value.as_array()?.iter().map(real).collect::<Option<Vec<f32>>>();
    let places = json.get("outline_m")?.as_array()?.iter().map(|place| reals(place)?.try_into().ok());
    Some(TrackFacts {
        game: String::new(),
        track: String::new(),
        layout: None,
        length_m: real(json.get("length_m")?),
        sector_ends: reals(json.get("sector_ends")?)?,
        outline_m: places.collect::<Option<_>>()?,
        pit_entry: real(json.get("pit_entry")?),
        pit_exit: real(json.get("pit_exit")?),
    })
}
