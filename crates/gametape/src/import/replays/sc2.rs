//! StarCraft II replays (`.SC2Replay`): length and version from the user data, players and map from `replay.details`, and the names,
//! ratings and results in `replay.gamemetadata.json`, which the first versions did not write.

use serde_json::Value as Json;

use super::bytes::{Bytes, utf8};
use super::mpq::Archive;
use super::sc2_values::Value;
use super::{ONE_FRAME_BYTES, Reading, ReplayFile, whole};
use crate::import::kind::Kind;
use crate::import::{ImportError, Source};
use crate::matches::{MatchPlayer, MatchTeam, Outcome};

pub(in crate::import) static SC2: ReplayFile = ReplayFile {
    kind: Kind::Sc2Replay,
    game: "starcraft-2",
    importer: "sc2 1",
    one_frame_bytes: ONE_FRAME_BYTES,
    read,
};

/// First bytes of a replay.
pub(in crate::import) const MAGIC: &[u8] = b"MPQ\x1B";

/// Game loops per second of game time at the speed "normal".
const LOOPS_PER_S: u64 = 16;

/// Maximum length of the metadata. Real ones have less than 1 kB.
const MAX_METADATA_BYTES: usize = 1 << 20;

/// Maximum number of players in the file: real ones have at most 16 with observers.
const MAX_PLAYERS: usize = 64;

fn read(source: &Source, reading: &mut Reading) -> Result<(), ImportError> {
    let Some(file) = whole(source, reading)? else { return Ok(()) };
    let mut start = Bytes::new(&file);
    let mut user_data = || {
        start.skip(8)?;
        let base = start.u32()? as usize;
        let length = start.u32()?;
        Some((base, start.take_u32(length)?))
    };
    let Some((base, user_data)) = user_data() else {
        reading.stops(0, "the file ends inside its user data");
        return Ok(());
    };
    match Value::read(user_data) {
        Some(value) => user_data_facts(&value, reading),
        None => reading.stops(16, "the user data cannot be read"),
    }
    let archive = match Archive::open(&file, base) {
        Ok(archive) => archive,
        Err(problem) => {
            reading.problems.add(problem);
            return Ok(());
        }
    };
    for (name, take) in
        [("replay.details", details as fn(&[u8], &mut Reading) -> bool), ("replay.gamemetadata.json", metadata)]
    {
        match archive.file(name) {
            Ok(Some(content)) if take(&content, reading) => {}
            Ok(Some(_)) => reading.problems.add(format!("{name}: it cannot be read")),
            // The first versions wrote no metadata.
            Ok(None) if name == "replay.gamemetadata.json" => {}
            Ok(None) => reading.problems.add(format!("{name}: it is not in the archive")),
            Err(problem) => reading.problems.add(problem),
        }
    }
    add_teams(reading);
    Ok(())
}

/// Reads the same bytes as user data, details and metadata, for mutation tests: in a file, they are compressed.
pub(super) fn read_parts(data: &[u8], reading: &mut Reading) -> bool {
    if let Some(value) = Value::read(data) {
        user_data_facts(&value, reading);
    }
    let read = details(data, reading) || metadata(data, reading);
    add_teams(reading);
    read
}

fn user_data_facts(value: &Value<'_>, reading: &mut Reading) {
    if let Some(version) = value.field(1) {
        let numbers: Option<Vec<String>> =
            [1, 2, 3, 4].iter().map(|key| Some(version.field(*key)?.number()?.to_string())).collect();
        reading.facts.version = numbers.map(|numbers| numbers.join("."));
    }
    let Some(loops) = value.field(3).and_then(Value::number).and_then(|loops| u64::try_from(loops).ok()) else {
        return;
    };
    reading.tell("sc2.game_loops", Some(loops));
    // Game time, as the game's own metadata counts: matches on the ladder run 1.4 times as fast.
    reading.facts.length_ns = Some(loops.saturating_mul(1_000_000_000) / LOOPS_PER_S);
}

fn details(content: &[u8], reading: &mut Reading) -> bool {
    let Some(value) = Value::read(content) else { return false };
    let text = |value: Option<&Value<'_>>| value.and_then(Value::blob).map(utf8).filter(|text| !text.is_empty());
    reading.facts.map = text(value.field(1));
    let time = value.field(5).and_then(Value::number);
    reading.facts.dated_utc_ns = time.and_then(filetime_utc_ns);
    if let Some(offset) = value.field(6).and_then(Value::number) {
        reading.tell("sc2.utc_offset_min", Some(offset / 600_000_000));
    }
    for player in value.field(0).map(Value::list).unwrap_or_default().iter().take(MAX_PLAYERS) {
        let number = |key: i64| player.field(key).and_then(Value::number);
        let result = match number(8) {
            Some(1) => Some(Outcome::Win),
            Some(2) => Some(Outcome::Loss),
            _ => None,
        };
        reading.facts.players.push(MatchPlayer {
            name: text(player.field(0)).map(|name| plain_name(&name)),
            team: number(5),
            // 2: a user, 3: the computer.
            is_bot: number(4).filter(|control| matches!(control, 2 | 3)).map(|control| control == 3),
            played_as: text(player.field(2)),
            result,
            ..MatchPlayer::default()
        });
    }
    true
}

/// UTC in nanoseconds since 1970 of a FILETIME: 100 ns since 1601.
fn filetime_utc_ns(time: i64) -> Option<i64> {
    const EPOCH: i64 = 116_444_736_000_000_000;
    (time > 0).then(|| time.checked_sub(EPOCH)?.checked_mul(100)).flatten()
}

/// Replaces the markup in a name: `&lt;CLAN&gt;<sp/>Name` becomes `<CLAN> Name`.
fn plain_name(name: &str) -> String {
    name.replace("<sp/>", " ").replace("&lt;", "<").replace("&gt;", ">").replace("&amp;", "&")
}

fn metadata(content: &[u8], reading: &mut Reading) -> bool {
    if content.len() > MAX_METADATA_BYTES {
        return false;
    }
    let Ok(json) = serde_json::from_slice::<Json>(content) else { return false };
    let text = |key: &str| json.get(key).and_then(Json::as_str).map(str::to_owned);
    reading.facts.version = text("GameVersion").or(reading.facts.version.take());
    reading.facts.map = reading.facts.map.take().or(text("Title"));
    reading.tell("sc2.duration_s", json.get("Duration").and_then(Json::as_u64));
    let players = json.get("Players").and_then(Json::as_array).map(Vec::as_slice).unwrap_or_default();
    // In the order of the details, if their numbers agree.
    if players.len() == reading.facts.players.len() {
        for (player, told) in reading.facts.players.iter_mut().zip(players) {
            for (name, key) in [("apm", "APM"), ("mmr", "MMR")] {
                if let Some(number) = told.get(key).and_then(Json::as_f64).filter(|number| number.abs() < 1e9) {
                    player.counters.insert(name.into(), number as i64);
                }
            }
            player.result = player.result.or_else(|| match told.get("Result").and_then(Json::as_str)? {
                "Win" => Some(Outcome::Win),
                "Loss" => Some(Outcome::Loss),
                "Tie" => Some(Outcome::Draw),
                _ => None,
            });
        }
    }
    true
}

/// Derives the teams from the players, and the winner if all of one team won.
fn add_teams(reading: &mut Reading) {
    let facts = &mut reading.facts;
    let mut numbers: Vec<i64> = facts.players.iter().filter_map(|player| player.team).collect();
    numbers.sort_unstable();
    numbers.dedup();
    for number in numbers {
        let mut results = facts.players.iter().filter(|player| player.team == Some(number)).map(|player| player.result);
        let first = results.next().flatten();
        let result = first.filter(|_| results.all(|result| result == first));
        facts.teams.push(MatchTeam { number, result, ..MatchTeam::default() });
    }
    let mut winners = facts.teams.iter().filter(|team| team.result == Some(Outcome::Win));
    facts.winner_team = match (winners.next(), winners.next()) {
        (Some(team), None) => Some(team.number),
        _ => None,
    };
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_lose_their_markup_and_times_their_epoch() {
        assert_eq!(plain_name("&lt;TEAM&gt;<sp/>Player 1"), "<TEAM> Player 1");
        assert_eq!(filetime_utc_ns(116_444_736_000_000_001), Some(100));
        assert_eq!([filetime_utc_ns(0), filetime_utc_ns(i64::MIN)], [None; 2]);
    }
}
