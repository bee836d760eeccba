//! League of Legends replays (`.rofl`): the metadata, which says who played what with which result. The match itself is encrypted.
//! Written after public descriptions, not tested on real files.
//!
//! ```text
//! v1: `RIOT` 00 00, 256 bytes, u16 length, u32 file length, u32 metadata offset, u32 metadata length, …; JSON
//! v2: `RIOT` 02 00, …, version (14 bytes at 15), …; JSON, i32 its length at the end of the file
//! ```

use std::collections::BTreeMap;

use serde_json::{Map, Value as Json};

use super::bytes::{Bytes, utf8};
use super::reading::ms;
use super::{ONE_FRAME_BYTES, Reading, ReplayFile};
use crate::import::kind::Kind;
use crate::import::{ImportError, Source};
use crate::matches::{MAX_PLAYERS, MatchPlayer, MatchTeam};

pub(in crate::import) static LOL: ReplayFile = ReplayFile {
    kind: Kind::Rofl,
    game: "league-of-legends",
    importer: "lol 1",
    one_frame_bytes: ONE_FRAME_BYTES,
    read,
};

/// First bytes of a replay.
pub(in crate::import) const MAGIC: &[u8] = b"RIOT";

/// Maximum length of the JSON. Real ones have less than 100 kB.
const MAX_JSON_BYTES: u64 = 1 << 20;

/// Bytes of the headers.
const HEAD_BYTES: u64 = 512;

/// Statistics that become counters, by their names in the file.
const COUNTERS: [(&str, &str); 5] = [
    ("kills", "CHAMPIONS_KILLED"),
    ("deaths", "NUM_DEATHS"),
    ("assists", "ASSISTS"),
    ("gold_earned", "GOLD_EARNED"),
    ("minions_killed", "MINIONS_KILLED"),
];

fn read(source: &Source, reading: &mut Reading) -> Result<(), ImportError> {
    let head = source.read(&(0..source.bytes.min(HEAD_BYTES)))?;
    let range = match head.get(4..6) {
        Some([0, 0]) => first_version(source, &head, reading)?,
        Some([2, _]) => second_version(source, &head, reading)?,
        version => {
            reading.stops(4, format!("version {version:?} of the file is not known"));
            return Ok(());
        }
    };
    let Some((start, length)) = range else {
        reading.problems.add("the file ends inside its header");
        return Ok(());
    };
    if length > MAX_JSON_BYTES || start.checked_add(length).is_none_or(|end| end > source.bytes) {
        reading.stops(start, format!("metadata of {length} bytes are longer than the file, or than {MAX_JSON_BYTES}"));
        return Ok(());
    }
    match serde_json::from_slice::<Map<String, Json>>(&source.read(&(start..start + length))?) {
        Ok(json) => metadata(&json, reading),
        Err(error) => reading.stops(start, format!("the metadata are not JSON: {error}")),
    }
    Ok(())
}

/// Offset and length of the JSON. The payload header has the id of the match.
fn first_version(source: &Source, head: &[u8], reading: &mut Reading) -> Result<Option<(u64, u64)>, ImportError> {
    let mut bytes = Bytes::at(head, 268);
    let (Some(start), Some(length), Some(payload_at)) = (bytes.u32(), bytes.u32(), bytes.u32()) else {
        return Ok(None);
    };
    let payload_at = u64::from(payload_at);
    if payload_at.checked_add(8).is_some_and(|end| end <= source.bytes) {
        let id = Bytes::new(&source.read(&(payload_at..payload_at + 8))?).u64();
        reading.facts.match_id = id.filter(|id| *id > 0).map(|id| id.to_string());
    }
    Ok(Some((start.into(), length.into())))
}

fn second_version(source: &Source, head: &[u8], reading: &mut Reading) -> Result<Option<(u64, u64)>, ImportError> {
    let version = head.get(15..29).map(utf8).unwrap_or_default();
    let version: String = version.chars().take_while(|c| c.is_ascii_digit() || *c == '.').collect();
    reading.facts.version = Some(version).filter(|version| !version.is_empty());
    let Some(end) = source.bytes.checked_sub(4) else { return Ok(None) };
    let length = Bytes::new(&source.read(&(end..source.bytes))?).i32().and_then(|length| u64::try_from(length).ok());
    Ok(length.and_then(|length| Some((end.checked_sub(length)?, length))))
}

fn metadata(json: &Map<String, Json>, reading: &mut Reading) {
    reading.facts.length_ns = json.get("gameLength").and_then(Json::as_u64).map(ms);
    if let Some(version) = json.get("gameVersion").and_then(Json::as_str) {
        reading.facts.version = Some(version.to_owned());
    }
    let Some(players) = json.get("statsJson").and_then(Json::as_str) else { return };
    let Ok(players) = serde_json::from_str::<Vec<BTreeMap<String, Json>>>(players) else {
        return reading.problems.add("the statistics in the metadata are not JSON");
    };
    let mut winner = None;
    for stats in players.iter().take(MAX_PLAYERS) {
        // All values are texts; an empty one is not known.
        let text = |key: &str| stats.get(key).and_then(Json::as_str).filter(|text| !text.is_empty());
        let number = |key: &str| text(key)?.parse::<i64>().ok();
        let riot = text("RIOT_ID_GAME_NAME").map(|name| match text("RIOT_ID_TAG_LINE") {
            Some(tag) => format!("{name}#{tag}"),
            None => name.to_owned(),
        });
        let counter = |(name, key): &(&str, &str)| Some(((*name).to_owned(), number(key)?));
        let team = number("TEAM");
        if text("WIN") == Some("Win") {
            winner = winner.or(team);
        }
        reading.facts.players.push(MatchPlayer {
            name: riot.or_else(|| text("NAME").map(str::to_owned)),
            team,
            played_as: text("SKIN").map(str::to_owned),
            counters: COUNTERS.iter().filter_map(counter).collect(),
            ..MatchPlayer::default()
        });
    }
    let mut numbers: Vec<i64> = reading.facts.players.iter().filter_map(|player| player.team).collect();
    numbers.sort_unstable();
    numbers.dedup();
    let name = |number: i64| match number {
        100 => Some("Blue".to_owned()),
        200 => Some("Red".to_owned()),
        _ => None,
    };
    reading.facts.teams =
        numbers.into_iter().map(|number| MatchTeam { number, name: name(number), ..MatchTeam::default() }).collect();
    if let Some(winner) = winner {
        reading.facts.set_winner(winner);
    }
}
