//! PUBG replays: `PUBG.replayinfo` of a replay folder. Written after public descriptions, not tested on real files.
//!
//! ```text
//! PUBG.replayinfo       string of JSON
//! data/…ReplaySummary…  string of JSON whose bytes are each increased by one: the players. It is read from beside the file, if it is there
//! ```

use std::fs::read_dir;
use std::io::Read;

use gametape_format::open_regular;
use serde_json::{Map, Value as Json};

use super::bytes::Bytes;
use super::reading::ms;
use super::{ONE_FRAME_BYTES, Reading, ReplayFile};
use crate::import::kind::Kind;
use crate::import::{ImportError, Source};
use crate::matches::{MAX_PLAYERS, MatchPlayer};

pub(in crate::import) static PUBG: ReplayFile =
    ReplayFile { kind: Kind::PubgReplay, game: "pubg", importer: "pubg 1", one_frame_bytes: ONE_FRAME_BYTES, read };

/// Maximum length of the file. Real ones have some kilobytes.
const MAX_INFO_BYTES: u64 = 1 << 20;
/// Maximum length of a summary, and number of files that are looked at to find it.
const MAX_SUMMARY_BYTES: u64 = 1 << 20;
const MAX_FILES: usize = 10_000;

/// Maps by their names in files.
const MAPS: [(&str, &str); 5] = [
    ("Erangel_Main", "Erangel"),
    ("Baltic_Main", "Erangel"),
    ("Desert_Main", "Miramar"),
    ("Savage_Main", "Sanhok"),
    ("DihorOtok_Main", "Vikendi"),
];

/// Checks for a string of JSON with the length of a match near its start.
pub(in crate::import) fn is_pubg(start: &[u8]) -> bool {
    const KEY: &[u8] = b"\"LengthInMS\"";
    let wide: Vec<u8> = KEY.iter().flat_map(|byte| [*byte, 0]).collect();
    let brace = start.get(4) == Some(&b'{');
    brace
        && (start.windows(KEY.len()).any(|window| window == KEY)
            || start.windows(wide.len()).any(|window| window == wide))
}

fn read(source: &Source, reading: &mut Reading) -> Result<(), ImportError> {
    if source.bytes > MAX_INFO_BYTES {
        let bytes = source.bytes;
        reading.problems.add(format!("the file has {bytes} bytes, at most {MAX_INFO_BYTES} are decoded"));
        return Ok(());
    }
    let file = source.read(&(0..source.bytes))?;
    let text = Bytes::new(&file).fstring();
    let Some(info) = text.and_then(|text| serde_json::from_str::<Map<String, Json>>(&text).ok()) else {
        reading.stops(0, "the file is not a string of JSON");
        return Ok(());
    };
    replay_info(&info, reading);
    match summary_beside(source) {
        Some(summary) if read_summary(&summary, reading).is_none() => {
            reading.problems.add("the summary in the folder `data` cannot be read: players are not known");
        }
        _ => {}
    }
    Ok(())
}

fn replay_info(info: &Map<String, Json>, reading: &mut Reading) {
    let text = |key: &str| info.get(key).and_then(Json::as_str).filter(|text| !text.is_empty()).map(str::to_owned);
    let number = |key: &str| info.get(key).and_then(Json::as_i64);
    let yes = |key: &str| info.get(key).and_then(Json::as_bool) == Some(true);
    let facts = &mut reading.facts;
    facts.length_ns = number("LengthInMS").and_then(|length| u64::try_from(length).ok()).map(ms);
    facts.dated_utc_ns = number("Timestamp").filter(|time| *time > 0).and_then(|time| time.checked_mul(1_000_000));
    facts.mode = text("Mode");
    facts.version = text("GameVersion");
    facts.recorded_by = text("RecordUserNickName");
    facts.map =
        text("MapName").map(|map| MAPS.iter().find(|(name, _)| *name == map).map_or(map, |(_, map)| (*map).into()));
    reading.tell("pubg.map", text("MapName"));
    reading.tell("pubg.name", text("FriendlyName"));
    for key in ["bIsLive", "bIncomplete"] {
        if yes(key) {
            reading.problems.add(format!("{key} is set: the game did not finish this replay"));
        }
    }
}

/// Returns the summary in the folder `data` beside the file.
fn summary_beside(source: &Source) -> Option<Vec<u8>> {
    let folder = source.path.parent()?.join("data");
    let names = read_dir(folder).ok()?.take(MAX_FILES).flatten().map(|entry| entry.path());
    let is_summary = |path: &std::path::PathBuf| {
        path.file_name().is_some_and(|name| name.to_string_lossy().contains("ReplaySummary"))
    };
    let path = names.filter(is_summary).min()?;
    let mut bytes = Vec::new();
    open_regular(&path).ok()?.take(MAX_SUMMARY_BYTES).read_to_end(&mut bytes).ok()?;
    Some(bytes)
}

fn read_summary(summary: &[u8], reading: &mut Reading) -> Option<()> {
    let mut bytes = Bytes::new(summary);
    let length = bytes.u32()?;
    let shifted = bytes.take_u32(length)?;
    let plain: Vec<u8> = shifted.iter().map(|byte| byte.wrapping_sub(1)).collect();
    // Behind the text stands its NUL, shifted or not.
    let end = plain.iter().rposition(|byte| *byte == b'}')? + 1;
    let json: Map<String, Json> = serde_json::from_slice(plain.get(..end)?).ok()?;
    let text = |key: &str| json.get(key).and_then(Json::as_str).map(str::to_owned);
    reading.facts.match_id = text("matchId");
    reading.tell("pubg.region", text("regionName"));
    reading.tell("pubg.weather", text("weatherName"));
    for key in ["numPlayers", "numTeams"] {
        reading.tell(&format!("pubg.{key}"), json.get(key).and_then(Json::as_i64));
    }
    let players = json.get("playerStateSummaries").and_then(Json::as_array).map(Vec::as_slice).unwrap_or_default();
    for player in players.iter().take(MAX_PLAYERS) {
        let number = |key: &str| player.get(key).and_then(Json::as_f64).filter(|n| n.abs() < 1e15).map(|n| n as i64);
        let counters =
            [("kills", "numKills"), ("head_shots", "headShots"), ("rank", "ranking"), ("damage", "totalGivenDamages")];
        let name = player.get("playerName").and_then(Json::as_str).map(str::to_owned);
        reading.facts.players.push(MatchPlayer {
            is_recorder: name.as_ref().zip(reading.facts.recorded_by.as_ref()).map(|(name, by)| name == by),
            name,
            team: number("teamNumber"),
            counters: counters.iter().filter_map(|(name, key)| Some(((*name).into(), number(key)?))).collect(),
            ..MatchPlayer::default()
        });
    }
    Some(())
}
