//! Demos of Source 2 games (`.dem`): Counter-Strike 2 and Dota 2. The header and the file info are read; positions need the whole entity
//! decoder of the engine and are not. Written after the published message definitions, not tested on real files.
//!
//! ```text
//! 0 `PBDEMS2` NUL, u32 offset of the file info (0: the recording was aborted), u32 offset of spawn groups, frames
//! frame: varint command (64: snappy), varint tick, varint length, bytes
//! ```

use super::bytes::Bytes;
use super::protobuf::{field, fields, text};
use super::{ONE_FRAME_BYTES, Reading, ReplayFile, snappy};
use crate::import::kind::Kind;
use crate::import::{ImportError, Source};
use crate::matches::{MatchPlayer, MatchTeam};

pub(in crate::import) static SOURCE2: ReplayFile = ReplayFile {
    kind: Kind::Source2Demo,
    game: "source-2",
    importer: "source2 1",
    one_frame_bytes: ONE_FRAME_BYTES,
    read,
};

/// First bytes of a demo.
pub(in crate::import) const MAGIC: &[u8] = b"PBDEMS2\0";

const FILE_HEADER: u64 = 1;
const FILE_INFO: u64 = 2;
const COMPRESSED: u64 = 64;

/// Maximum length of the two frames that are read.
const MAX_FRAME_BYTES: u64 = 4 << 20;
/// Maximum bytes before the content of a frame: three varints.
const HEAD_BYTES: u64 = 30;

fn read(source: &Source, reading: &mut Reading) -> Result<(), ImportError> {
    let start = source.read(&(0..source.bytes.min(16)))?;
    let Some(info_at) = Bytes::at(&start, 8).u32() else {
        reading.stops(0, "the file ends inside its header");
        return Ok(());
    };
    if let Some(header) = frame(source, 16, FILE_HEADER, reading)? {
        file_header(&header, reading);
    }
    match u64::from(info_at) {
        0 => reading.problems.add("byte 8: the recording was aborted: length and players are not known"),
        at if at >= source.bytes => {
            reading.stops(8, format!("the file info at byte {at} is after the end of the file"))
        }
        at => {
            if let Some(info) = frame(source, at, FILE_INFO, reading)? {
                file_info(&info, reading);
            }
        }
    }
    Ok(())
}

/// Reads one frame, which must have this command.
fn frame(source: &Source, at: u64, wanted: u64, reading: &mut Reading) -> Result<Option<Vec<u8>>, ImportError> {
    let head = source.read(&(at.min(source.bytes)..source.bytes.min(at + HEAD_BYTES)))?;
    let mut bytes = Bytes::new(&head);
    let (Some(command), Some(_), Some(length)) = (bytes.varint(), bytes.varint(), bytes.varint()) else {
        reading.stops(at, "the file ends inside the head of a frame");
        return Ok(None);
    };
    if command & !COMPRESSED != wanted {
        reading.stops(at, format!("the frame has command {command}, expected {wanted}"));
        return Ok(None);
    }
    let start = at + bytes.position() as u64;
    if length > MAX_FRAME_BYTES || length > source.bytes - start {
        reading.stops(at, format!("a frame of {length} bytes is longer than the file, or than {MAX_FRAME_BYTES}"));
        return Ok(None);
    }
    let content = source.read(&(start..start + length))?;
    if command & COMPRESSED == 0 {
        return Ok(Some(content));
    }
    let plain = snappy::decompress(&content, MAX_FRAME_BYTES as usize);
    if plain.is_none() {
        reading.stops(at, "the frame cannot be decompressed");
    }
    Ok(plain)
}

fn file_header(message: &[u8], reading: &mut Reading) {
    reading.facts.map = text(message, 5);
    reading.tell("source2.server", text(message, 3));
    reading.tell("source2.client", text(message, 4));
    reading.tell("source2.demo_version", text(message, 11));
    let build = field(message, 13).and_then(|field| field.number());
    reading.facts.version = build.filter(|build| *build > 0).map(|build| build.to_string());
    let folder = text(message, 6).unwrap_or_default();
    reading.tell("source2.game_folder", Some(folder.clone()).filter(|folder| !folder.is_empty()));
    let game = text(message, 14).unwrap_or_default();
    let named = |name: &str| game == name || folder.rsplit(['/', '\\']).any(|part| part == name);
    if named("csgo") || named("cs2") {
        reading.facts.game = "counter-strike-2".into();
    } else if named("dota") {
        reading.facts.game = "dota-2".into();
    }
}

fn file_info(message: &[u8], reading: &mut Reading) {
    let number = |key: u64| field(message, key).and_then(|field| field.number());
    let seconds = number(1).and_then(|bits| u32::try_from(bits).ok()).map(f32::from_bits);
    let length_s = seconds.filter(|seconds| (0.0..1e6).contains(seconds)).map(f64::from);
    reading.facts.length_ns = length_s.map(|seconds| (seconds * 1e9).round() as u64);
    let ticks = number(2).filter(|ticks| *ticks > 0);
    reading.tell("source2.ticks", ticks);
    reading.tell("source2.frames", number(3));
    let Some(info) = field(message, 4).and_then(|field| field.bytes()) else { return };
    if let Some(dota) = field(info, 4).and_then(|field| field.bytes()) {
        reading.facts.game = "dota-2".into();
        dota_info(dota, reading);
    }
    if let Some(cs) = field(info, 5).and_then(|field| field.bytes()) {
        reading.facts.game = "counter-strike-2".into();
        let ns_per_tick = length_s.zip(ticks).map(|(seconds, ticks)| seconds * 1e9 / ticks as f64);
        cs_rounds(cs, ns_per_tick, reading);
    }
}

/// Starts of rounds as events: single numbers, or packed into one field.
fn cs_rounds(info: &[u8], ns_per_tick: Option<f64>, reading: &mut Reading) {
    let Some(ns_per_tick) = ns_per_tick else { return };
    let mut round = 0u64;
    let mut add = |tick: u64| {
        round += 1;
        reading.event((tick as f64 * ns_per_tick).round() as u64, "round_start", format!("round {round}"));
    };
    for (_, value) in fields(info).filter(|(number, _)| *number == 1) {
        if let Some(tick) = value.number() {
            add(tick);
        }
        let mut packed = Bytes::new(value.bytes().unwrap_or_default());
        while let Some(tick) = packed.varint() {
            add(tick);
        }
    }
}

fn dota_info(info: &[u8], reading: &mut Reading) {
    let number = |key: u64| field(info, key).and_then(|field| field.number());
    let facts = &mut reading.facts;
    facts.match_id = number(1).filter(|id| *id > 0).map(|id| id.to_string());
    facts.mode = number(2).map(|mode| mode.to_string());
    facts.dated_utc_ns = number(11).filter(|s| *s > 0).and_then(|s| i64::try_from(s).ok()?.checked_mul(1_000_000_000));
    const TEAMS: [(i64, &str); 2] = [(2, "Radiant"), (3, "Dire")];
    facts.teams =
        TEAMS.map(|(number, name)| MatchTeam { number, name: Some(name.into()), ..MatchTeam::default() }).to_vec();
    for (_, player) in fields(info).filter(|(number, _)| *number == 4) {
        let Some(player) = player.bytes() else { continue };
        let number = |key: u64| field(player, key).and_then(|field| field.number());
        facts.players.push(MatchPlayer {
            name: text(player, 2),
            played_as: text(player, 1),
            is_bot: number(3).map(|fake| fake != 0),
            team: number(5).and_then(|team| i64::try_from(team).ok()),
            ..MatchPlayer::default()
        });
        if facts.players.len() > crate::matches::MAX_PLAYERS {
            break;
        }
    }
    if let Some(winner) =
        number(3).and_then(|winner| i64::try_from(winner).ok()).filter(|winner| matches!(winner, 2 | 3))
    {
        facts.set_winner(winner);
    }
}
