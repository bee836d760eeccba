//! Rainbow Six Siege rounds (`.rec`): the header. Written after public descriptions, not tested on real files. The body has no known
//! framing and changes with every season: it is not read.
//!
//! ```text
//! `dissect`, …, two runs of seven zeros, then strings (u8 length, seven zeros, bytes), alternating key and value
//! before Y8S4 the whole file is one zstd stream; after it, the header is plain
//! ```

use std::io::Read;

use super::bytes::{Bytes, utf8};
use super::{ONE_FRAME_BYTES, Reading, ReplayFile};
use crate::import::kind::Kind;
use crate::import::{ImportError, Source};
use crate::matches::{MAX_PLAYERS, MatchPlayer, MatchTeam};

pub(in crate::import) static R6: ReplayFile = ReplayFile {
    kind: Kind::R6Rec,
    game: "rainbow-six-siege",
    importer: "r6 1",
    one_frame_bytes: ONE_FRAME_BYTES,
    read,
};

const MAGIC: &[u8] = b"dissect";
const ZSTD: &[u8] = &[0x28, 0xB5, 0x2F, 0xFD];
const ZEROS: [u8; 7] = [0; 7];

/// Bytes of the header that are read. Real ones have less than 20 kB.
const MAX_HEAD_BYTES: u64 = 256 << 10;
/// Maximum window of the decompressor.
const MAX_WINDOW_BYTES: u64 = 8 << 20;
/// Maximum number of keys.
const MAX_KEYS: usize = 4000;

const MAPS: [(u64, &str); 20] = [
    (837_214_085, "Club House"),
    (231_702_797_556, "Oregon"),
    (88_107_330_328, "Villa"),
    (355_496_559_878, "Bank"),
    (305_979_357_167, "Border"),
    (259_816_839_773, "Chalet"),
    (379_218_689_149, "Consulate"),
    (1_378_191_338, "Kafe"),
    (42_090_092_951, "Coastline"),
    (276_279_025_182, "Skyscraper"),
    (388_073_319_671, "Lair"),
    (378_595_635_123, "Nighthaven Labs"),
    (407_193_663_917, "Club House"),
    (407_558_616_688, "Chalet"),
    (407_987_100_456, "Border"),
    (413_779_563_590, "Bank"),
    (413_845_419_788, "Kafe"),
    (417_890_697_769, "Lair"),
    (418_119_057_546, "Nighthaven Labs"),
    (418_126_004_176, "Consulate"),
];

const MODES: [(u64, &str); 4] = [
    (327_933_806, "bomb"),
    (1_983_085_217, "secure area"),
    (2_838_806_006, "hostage"),
    (400_168_582_901, "bomb, quick match"),
];

const MATCH_TYPES: [(u64, &str); 6] =
    [(1, "quick match"), (2, "ranked"), (3, "custom, local"), (4, "custom, online"), (8, "standard"), (9, "unranked")];

/// Decompresses the start of a zstd stream, as much as can be.
fn unpack(packed: &[u8], most: u64) -> Vec<u8> {
    let mut plain = Vec::new();
    if let Ok(decoder) = ruzstd::decoding::StreamingDecoder::new_with_max_window_size(packed, MAX_WINDOW_BYTES) {
        // What came before damage is kept.
        let _ = decoder.take(most).read_to_end(&mut plain);
    }
    plain
}

/// Bytes of a packed file that hold its first block: only whole blocks are decompressed.
pub(in crate::import) const PACKED_BYTES: u64 = MAX_HEAD_BYTES;

/// Returns whether a file may be a packed round. [`is_r6`] then needs [`PACKED_BYTES`] of it.
pub(in crate::import) fn may_be_packed(start: &[u8]) -> bool {
    start.starts_with(ZSTD)
}

/// Checks for the header, plain or at the start of a zstd stream.
pub(in crate::import) fn is_r6(start: &[u8]) -> bool {
    start.starts_with(MAGIC) || (start.starts_with(ZSTD) && unpack(start, 64).starts_with(MAGIC))
}

fn read(source: &Source, reading: &mut Reading) -> Result<(), ImportError> {
    let start = source.read(&(0..source.bytes.min(MAX_HEAD_BYTES)))?;
    let head = if start.starts_with(ZSTD) { unpack(&start, MAX_HEAD_BYTES) } else { start };
    let entries = entries(&head);
    if !entries.iter().any(|(key, _)| key == "teamscore1") {
        reading.problems.add("the file ends inside its header, or its header is not known");
    }
    facts(&entries, reading);
    Ok(())
}

/// Keys and values, up to the value of `teamscore1`.
fn entries(head: &[u8]) -> Vec<(String, String)> {
    let mut at = MAGIC.len();
    for _ in 0..2 {
        let rest = head.get(at..).unwrap_or_default();
        let Some(zeros) = rest.windows(ZEROS.len()).position(|window| window == ZEROS) else { return Vec::new() };
        at += zeros + ZEROS.len();
    }
    let mut bytes = Bytes::at(head, at);
    let mut entries = Vec::new();
    let mut text = || {
        let length = bytes.u8()?;
        bytes.take(ZEROS.len()).filter(|zeros| *zeros == ZEROS)?;
        bytes.take(length.into()).map(utf8)
    };
    while entries.len() < MAX_KEYS
        && let (Some(key), Some(value)) = (text(), text())
    {
        let last = key == "teamscore1";
        entries.push((key, value));
        if last {
            break;
        }
    }
    entries
}

/// The name of a number, or the number itself.
fn named(table: &[(u64, &str)], value: &str) -> String {
    let name = value.parse::<u64>().ok().and_then(|id| table.iter().find(|(known, _)| *known == id));
    name.map_or_else(|| value.to_owned(), |(_, name)| (*name).to_owned())
}

fn facts(entries: &[(String, String)], reading: &mut Reading) {
    let value = |key: &str| entries.iter().find(|(found, _)| found == key).map(|(_, value)| value.as_str());
    let text = |key: &str| value(key).filter(|value| !value.is_empty()).map(str::to_owned);
    let number = |key: &str| value(key).and_then(|value| value.parse::<i64>().ok());
    let facts = &mut reading.facts;
    facts.match_id = text("id");
    facts.map = value("worldid").map(|id| named(&MAPS, id));
    let modes = [value("gamemodeid").map(|id| named(&MODES, id)), value("matchtype").map(|id| named(&MATCH_TYPES, id))];
    let modes: Vec<String> = modes.into_iter().flatten().collect();
    facts.mode = Some(modes.join(", ")).filter(|mode| !mode.is_empty());
    facts.version = text("version").map(|version| match value("code") {
        Some(code) => format!("{version}, build {code}"),
        None => version,
    });
    facts.dated_utc_ns = value("datetime").and_then(utc_ns);
    for team in [0, 1] {
        let score = number(&format!("teamscore{team}"));
        let name = text(&format!("teamname{team}"));
        if score.is_some() || name.is_some() {
            facts.teams.push(MatchTeam { number: team, name, score, ..MatchTeam::default() });
        }
    }
    // The scores after the round. The winner of the match is not in one round.
    if let (Some(zero), Some(one)) = (facts.score_of(0), facts.score_of(1)) {
        facts.result = Some(format!("{zero}:{one}"));
    }
    players(entries, reading);
    for key in [
        "roundnumber",
        "overtimeroundnumber",
        "roundspermatch",
        "playlistcategory",
        "startingteamscore0",
        "startingteamscore1",
    ] {
        reading.tell(&format!("r6.{key}"), text(key));
    }
    let before = [number("startingteamscore0"), number("startingteamscore1")];
    let after = [number("teamscore0"), number("teamscore1")];
    let won = |team: usize| Some(after.get(team).copied()?? > before.get(team).copied()??);
    reading.tell("r6.round_winner_team", [0, 1].into_iter().find(|team| won(*team) == Some(true)));
    if let Some(round) = number("roundnumber") {
        reading.event(0, "round_start", format!("round {}", round.saturating_add(1)));
    }
}

/// Players: each block begins at `playerid`.
fn players(entries: &[(String, String)], reading: &mut Reading) {
    let recorder = entries.iter().find(|(key, _)| key == "recordingplayerid").map(|(_, value)| value.clone());
    let players = &mut reading.facts.players;
    for (key, value) in entries {
        if key == "playerid" {
            if players.len() >= MAX_PLAYERS {
                return;
            }
            let is_recorder = recorder.as_ref().map(|recorder| recorder == value);
            players.push(MatchPlayer { is_recorder, ..MatchPlayer::default() });
        }
        let Some(player) = players.last_mut() else { continue };
        match key.as_str() {
            "playername" => player.name = Some(value.clone()),
            "team" => player.team = value.parse().ok(),
            "rolename" => player.played_as = Some(value.clone()),
            _ => {}
        }
    }
    let recorder = players.iter().find(|player| player.is_recorder == Some(true));
    reading.facts.recorded_by = recorder.and_then(|player| player.name.clone());
}

/// UTC of `YYYY-MM-DD-HH-MM-SS`.
fn utc_ns(text: &str) -> Option<i64> {
    let numbers: Vec<i16> = text.split('-').map(str::parse).collect::<Result<_, _>>().ok()?;
    let [year, month, day, hour, minute, second] = *numbers.as_slice() else { return None };
    let small = |number: i16| i8::try_from(number).ok();
    let time =
        jiff::civil::DateTime::new(year, small(month)?, small(day)?, small(hour)?, small(minute)?, small(second)?, 0);
    let utc = time.ok()?.to_zoned(jiff::tz::TimeZone::UTC).ok()?;
    i64::try_from(utc.timestamp().as_nanosecond()).ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_time_is_utc_and_anything_else_is_not_known() {
        assert_eq!(utc_ns("2023-11-14-22-13-20"), Some(1_700_000_000_000_000_000));
        for wrong in ["", "2023-11-14", "2023-13-14-22-13-20", "2023-11-14-22-13-20-1", "a-b-c-d-e-f", "9-9-9-99-9-9"] {
            assert_eq!(utc_ns(wrong), None, "{wrong}");
        }
        assert_eq!((named(&MAPS, "1378191338"), named(&MAPS, "7")), ("Kafe".into(), "7".into()));
    }
}
