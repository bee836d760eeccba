//! Writes small Rocket League replays, by the description of their bytes and without any code of the importer.
#![allow(dead_code, unreachable_pub)]

/// A value of the header.
#[derive(Debug, Clone)]
pub enum Property<'a> {
    Int(i32),
    Float(f32),
    Str(&'a str),
    Name(&'a str),
    List(Vec<Vec<(&'a str, Property<'a>)>>),
}

use Property::{Float, Int, List, Name, Str};

pub fn text(text: &str) -> Vec<u8> {
    [&(text.len() as i32 + 1).to_le_bytes()[..], text.as_bytes(), &[0]].concat()
}

pub fn properties(list: &[(&str, Property<'_>)]) -> Vec<u8> {
    let mut bytes = Vec::new();
    for (key, value) in list {
        let (kind, value) = match value {
            Int(value) => ("IntProperty", value.to_le_bytes().to_vec()),
            Float(value) => ("FloatProperty", value.to_le_bytes().to_vec()),
            Str(value) => ("StrProperty", text(value)),
            Name(value) => ("NameProperty", text(value)),
            List(list) => {
                let entries: Vec<u8> = list.iter().flat_map(|entry| properties(entry)).collect();
                ("ArrayProperty", [&(list.len() as i32).to_le_bytes()[..], &entries].concat())
            }
        };
        bytes.extend([text(key), text(kind), (value.len() as u64).to_le_bytes().to_vec(), value].concat());
    }
    bytes.extend(text("None"));
    bytes
}

/// The header's data, without length and checksum.
pub fn header(properties: &[u8]) -> Vec<u8> {
    let versions = [868i32, 20, 5].map(i32::to_le_bytes).concat();
    [versions, text("TAGame.Replay_Soccar_TA"), properties.to_vec()].concat()
}

/// Network frames in which nothing happens: time, delta, and a bit that says so.
pub fn network(times_s: &[f32]) -> Vec<u8> {
    let mut bits = Vec::new();
    for time in times_s {
        for number in [time.to_bits(), (1.0f32 / 32.0).to_bits()] {
            bits.extend((0..32).map(|bit| number >> bit & 1 == 1));
        }
        bits.push(false);
    }
    bits.chunks(8).map(|byte| byte.iter().enumerate().map(|(at, bit)| u8::from(*bit) << at).sum()).collect()
}

/// The body's data: network data, and lists that are all empty.
pub fn body(network: &[u8]) -> Vec<u8> {
    [&[0; 8][..], &(network.len() as u32).to_le_bytes(), network, &[0; 28]].concat()
}

/// A part with its length and checksum before it.
pub fn section(data: &[u8]) -> Vec<u8> {
    [&(data.len() as u32).to_le_bytes()[..], &crc(data).to_le_bytes(), data].concat()
}

/// CRC-32 with the polynomial and the start that the game uses.
fn crc(data: &[u8]) -> u32 {
    let mut crc = !0xEFCB_F201_u32;
    for byte in data {
        crc ^= u32::from(*byte) << 24;
        for _ in 0..8 {
            crc = crc << 1 ^ if crc >> 31 == 1 { 0x04C1_1DB7 } else { 0 };
        }
    }
    !crc
}

/// Three goals, two players, four frames.
pub fn match_header() -> Vec<u8> {
    let goal =
        |frame, player, team| vec![("frame", Int(frame)), ("PlayerName", Str(player)), ("PlayerTeam", Int(team))];
    let player =
        |name, team, score| vec![("Name", Str(name)), ("Team", Int(team)), ("Score", Int(score)), ("Goals", Int(1))];
    header(&properties(&[
        ("TeamSize", Int(1)),
        ("Team0Score", Int(2)),
        ("Team1Score", Int(1)),
        ("Goals", List(vec![goal(1, "Player 1", 0), goal(2, "Player 2", 1), goal(4, "Player 1", 0)])),
        ("PlayerStats", List(vec![player("Player 1", 0, 700), player("Player 2", 1, 250)])),
        ("RecordFPS", Float(30.0)),
        ("MaxChannels", Int(1023)),
        ("BuildVersion", Str("180315.66224.188644")),
        ("MapName", Name("Stadium_P")),
        ("NumFrames", Int(4)),
    ]))
}

pub fn replay() -> Vec<u8> {
    [section(&match_header()), section(&body(&network(&[100.0, 100.5, 101.0, 102.0])))].concat()
}
