//! The importers, with small valid files of other programs. Takes nothing, gives parsers and their seeds.
#![allow(clippy::unwrap_used, reason = "a program for developers; its inputs are its own")]

use std::io::Write;

use flate2::Compression;
use flate2::write::ZlibEncoder;
use gametape::import::{
    fuzz_aoe2, fuzz_echoreplay, fuzz_f1pcap, fuzz_f1pcap_resealed, fuzz_fortnite, fuzz_gamesdat,
    fuzz_gamesdat_resealed, fuzz_garage61, fuzz_gbx, fuzz_gpx, fuzz_ksana, fuzz_ksana_resealed, fuzz_ldx, fuzz_lol,
    fuzz_match_facts, fuzz_motec, fuzz_osu, fuzz_pubg, fuzz_r6, fuzz_racechrono, fuzz_replay, fuzz_replay_parts,
    fuzz_sc2, fuzz_source2, fuzz_vbo, fuzz_warcraft3,
};

use super::Parser;

#[path = "../../tests/it/support/lap_files.rs"]
pub(crate) mod lap_files;
#[path = "../../tests/it/support/replay_files.rs"]
pub(crate) mod replay_files;

/// Readers of files of other programs.
pub(super) fn parsers() -> Vec<Parser> {
    vec![
        Parser { name: "ksana", run: fuzz_ksana, seeds: ksana_files },
        Parser { name: "ksana-resealed", run: fuzz_ksana_resealed, seeds: ksana_unpacked },
        Parser { name: "gamesdat", run: fuzz_gamesdat, seeds: gamesdat_files },
        Parser { name: "gamesdat-resealed", run: fuzz_gamesdat_resealed, seeds: gamesdat_unpacked },
        Parser { name: "replay", run: fuzz_replay, seeds: replays },
        Parser { name: "echoreplay", run: fuzz_echoreplay, seeds: echoreplays },
        Parser { name: "motec", run: fuzz_motec, seeds: || vec![lap_files::motec_stint(12, 3)] },
        Parser { name: "ldx", run: fuzz_ldx, seeds: || vec![lap_files::ldx(&[5.0, 65.125]).into_bytes()] },
        Parser { name: "racechrono", run: fuzz_racechrono, seeds: || vec![short(&lap_files::racechrono(9))] },
        Parser {
            name: "vbo",
            run: fuzz_vbo,
            seeds: || vec![short(&lap_files::vbo(9, true)), short(&lap_files::vbo(9, false))],
        },
        Parser { name: "garage61", run: fuzz_garage61, seeds: || vec![lap_files::garage61(40).into_bytes()] },
        Parser { name: "gpx", run: fuzz_gpx, seeds: || vec![lap_files::gpx(8).into_bytes()] },
        Parser { name: "f1pcap", run: fuzz_f1pcap, seeds: || vec![lap_files::f1pcap(&datagrams(), false)] },
        Parser { name: "f1pcap-resealed", run: fuzz_f1pcap_resealed, seeds: packets },
        Parser { name: "osu", run: fuzz_osu, seeds: || vec![replay_files::osr()] },
        Parser { name: "sc2", run: fuzz_sc2, seeds: || vec![replay_files::sc2()] },
        Parser { name: "aoe2", run: fuzz_aoe2, seeds: || vec![replay_files::aoe2()] },
        Parser { name: "warcraft3", run: fuzz_warcraft3, seeds: || vec![replay_files::w3g()] },
        Parser { name: "fortnite", run: fuzz_fortnite, seeds: || vec![replay_files::fortnite()] },
        Parser { name: "r6", run: fuzz_r6, seeds: || vec![replay_files::r6(), replay_files::r6_packed()] },
        Parser { name: "source2", run: fuzz_source2, seeds: || vec![replay_files::cs2(), replay_files::dota2()] },
        Parser { name: "lol", run: fuzz_lol, seeds: || vec![replay_files::rofl_1(), replay_files::rofl_2()] },
        Parser { name: "pubg", run: fuzz_pubg, seeds: || vec![replay_files::pubg()] },
        Parser { name: "gbx", run: fuzz_gbx, seeds: || vec![replay_files::gbx()] },
        Parser { name: "replay-parts", run: fuzz_replay_parts, seeds: replay_parts },
        Parser { name: "match-facts", run: fuzz_match_facts, seeds: match_facts },
    ]
}

/// The first lines of a text: enough for a few rows.
fn short(text: &str) -> Vec<u8> {
    let lines: Vec<&str> = text.lines().take(30).collect();
    lines.join("\r\n").into_bytes()
}

/// Two datagrams, and one of no known format.
fn datagrams() -> Vec<Vec<u8>> {
    let mut all = lap_files::f1_datagrams(2);
    all.push(b"something else".to_vec());
    all
}

fn packets() -> Vec<Vec<u8>> {
    let packet = |datagram: Vec<u8>| [&(datagram.len() as u16).to_le_bytes()[..], &datagram].concat();
    vec![datagrams().into_iter().flat_map(packet).collect()]
}

/// Parts of replay files that are compressed there; the first byte says which.
fn replay_parts() -> Vec<Vec<u8>> {
    // "aaaa" and more as bzip2 of another program.
    const BZIP2: &[u8] = &[
        0x42, 0x5a, 0x68, 0x31, 0x31, 0x41, 0x59, 0x26, 0x53, 0x59, 0xb6, 0xf5, 0x10, 0x07, 0x00, 0x00, 0x1e, 0xb9,
        0x80, 0x04, 0x00, 0x40, 0x04, 0x00, 0x08, 0x02, 0x41, 0x94, 0x90, 0x20, 0x00, 0x54, 0x40, 0xd0, 0x34, 0x04,
        0x52, 0x34, 0x0c, 0x97, 0x24, 0xbd, 0x1d, 0x8e, 0x60, 0x7a, 0x30, 0x3e, 0x1a, 0x1d, 0x0d, 0x8f, 0xa9, 0x2c,
        0x60, 0x1d, 0x0d, 0xb8, 0xf1, 0x77, 0x24, 0x53, 0x85, 0x09, 0x0b, 0x6f, 0x51, 0x00, 0x70,
    ];
    let snappy = &[9, 1 << 2, b'a', b'b', (6 - 4) << 2 | 1, 2, 60 << 2, 0, b'!'];
    let parts: [(u8, &[u8]); 6] = [
        (0, &replay_files::sc2_details()),
        (0, replay_files::SC2_METADATA.as_bytes()),
        (1, replay_files::OSU_FRAMES),
        (2, &replay_files::w3g_decoded()),
        (3, BZIP2),
        (4, snappy),
    ];
    parts.iter().map(|(part, data)| [&[*part], *data].concat()).collect()
}

/// The facts of a match.
fn match_facts() -> Vec<Vec<u8>> {
    let text = r#"{"game":"rocket-league","started_utc":"2026-03-01T12:00:00Z","length_ns":5,"teams":[{"number":0,"score":1,"result":"win"}],
        "players":[{"name":"Player 1","team":0,"is_bot":false,"result":"win","counters":{"goals":1},"stream":"car-1"}]}"#;
    vec![text.as_bytes().to_vec()]
}

/// The header of a ksana file (version 1 or 2) or of a shm-debugger file (version 0).
fn ksana_head(version: i32, id: &[u8; 4]) -> Vec<u8> {
    let mut bytes = b"RECROCKS".to_vec();
    if version > 0 {
        bytes.extend(version.to_le_bytes());
    }
    bytes.extend(5i32.to_le_bytes());
    bytes.extend(id);
    bytes.extend(if version == 2 { 2i32 } else { 0 }.to_le_bytes());
    bytes.resize(72, 0);
    bytes
}

/// One iRacing frame: a header, two variables unless left out, a text, a row.
fn iracing_payload(version: i32, with_variables: bool) -> Vec<u8> {
    let mut bytes = Vec::new();
    if version == 2 {
        bytes.push(if with_variables { 1 } else { 2 });
        bytes.resize(16, 0);
    }
    let header_end = bytes.len() + 112;
    for number in [2i32, 1, 60, 1, 524_288, 112, 2, 524_400, 3, 8, 0, 0, 98, 600_000, 0, 0, 99, 601_024] {
        bytes.extend(number.to_le_bytes());
    }
    bytes.resize(header_end, 0);
    for (offset, name) in [(0i32, "Speed"), (4, "RPM")].into_iter().filter(|_| with_variables) {
        let end = bytes.len() + 144;
        bytes.extend([4, offset, 1, 0].map(i32::to_le_bytes).concat());
        bytes.extend(name.as_bytes());
        bytes.resize(end, 0);
    }
    for part in [b"---\nWeekendInfo:\n".as_slice(), &[7; 8]] {
        bytes.extend((part.len() as u64).to_le_bytes());
        bytes.extend(part);
    }
    bytes
}

fn page_payload(version: i32, with_static: bool) -> Vec<u8> {
    let mut bytes = Vec::new();
    if version == 2 {
        bytes.push(if with_static { 1 } else { 2 });
        bytes.resize(16, 0);
    }
    let pages = match (version, with_static) {
        (0, _) => 3700,
        (_, true) => 5120,
        (_, false) => 3072,
    };
    bytes.extend((0..pages).map(|at| if at % 2048 < 600 { at as u8 } else { 0 }));
    bytes
}

/// Header and unpacked frames of each kind of file.
fn ksana_contents() -> Vec<(i32, Vec<u8>, Vec<Vec<u8>>)> {
    let iracing = |version| vec![iracing_payload(version, true), iracing_payload(version, version < 2)];
    let pages = |version| vec![page_payload(version, true), page_payload(version, version == 0)];
    vec![
        (0, ksana_head(0, b"irac"), iracing(0)),
        (1, ksana_head(1, b"irac"), iracing(1)),
        (2, ksana_head(2, b"irac"), iracing(2)),
        (0, ksana_head(0, b"accz"), pages(0)),
        (1, ksana_head(1, b"acsa"), pages(1)),
        (2, ksana_head(2, b"acsa"), pages(2)),
    ]
}

fn ksana_files() -> Vec<Vec<u8>> {
    let pack = |raw: &[u8]| {
        let mut zlib = ZlibEncoder::new(Vec::new(), Compression::default());
        zlib.write_all(raw).unwrap();
        zlib.finish().unwrap()
    };
    let file = |(version, mut file, frames): (i32, Vec<u8>, Vec<Vec<u8>>)| {
        for raw in frames {
            let packed = pack(&raw);
            file.extend((if version > 0 { vec![12u32] } else { vec![] }).into_iter().flat_map(u32::to_le_bytes));
            file.extend([packed.len() as u32, raw.len() as u32].map(u32::to_le_bytes).concat());
            file.extend(packed);
        }
        file
    };
    ksana_contents().into_iter().map(file).collect()
}

fn ksana_unpacked() -> Vec<Vec<u8>> {
    let file = |(_, mut file, frames): (i32, Vec<u8>, Vec<Vec<u8>>)| {
        for raw in frames {
            file.extend((raw.len() as u16).to_le_bytes());
            file.extend(raw);
        }
        file
    };
    ksana_contents().into_iter().map(file).collect()
}

/// Header and three records of each kind of GamesDat file; the last has no header.
fn gamesdat_contents() -> Vec<(Vec<u8>, Vec<u8>)> {
    let kinds: [(&str, &str, usize); 6] = [
        ("ACC", "ACCPhysics", 496),
        ("ACC", "ACCCombinedData", 2660),
        ("F1", "F1TelemetryFrame", 2056),
        ("WarThunder", "StateData", 296),
        ("New", "Unknown", 20),
        ("", "", 112),
    ];
    kinds.map(|(game, name, bytes)| (gamesdat_head(game, name, bytes), gamesdat_records(bytes))).into()
}

fn gamesdat_head(game: &str, name: &str, payload_bytes: usize) -> Vec<u8> {
    if game.is_empty() {
        return Vec::new();
    }
    let name = format!("GamesDat.Core.{name}, GamesDat.Core");
    let mut bytes = b"GDT\0\x01\0".to_vec();
    bytes.push(game.len() as u8);
    bytes.extend(game.as_bytes());
    bytes.extend((name.len() as u16).to_le_bytes());
    bytes.extend(name.as_bytes());
    bytes.extend([0, 0, 0, 1]);
    bytes.extend((payload_bytes as i32).to_le_bytes());
    bytes.resize(bytes.len() + 16, 0);
    bytes
}

fn gamesdat_records(payload_bytes: usize) -> Vec<u8> {
    let mut records = Vec::new();
    for number in 0..3u8 {
        records.extend((639_070_992_000_000_000 + i64::from(number) * 100_000).to_le_bytes());
        records.extend((payload_bytes as i32).to_le_bytes());
        let mut payload: Vec<u8> = (0..payload_bytes).map(|at| if at < 40 { at as u8 ^ number } else { 0 }).collect();
        if payload_bytes == 2056 {
            // A packet of format 2023 + number, of 45 bytes.
            payload[..10].copy_from_slice(&[0xE7 + number, 7, 3, 0xE7 + number, 7, 0, 0, 0, 0, 3]);
            payload[2052..].copy_from_slice(&45i32.to_le_bytes());
        }
        records.extend(payload);
    }
    records
}

const LZ4_HEADER: [u8; 7] = [0x04, 0x22, 0x4D, 0x18, 0x40, 0x40, 0xC0];

fn gamesdat_files() -> Vec<Vec<u8>> {
    let file = |(head, records): (Vec<u8>, Vec<u8>)| {
        let mut file = [head.as_slice(), &LZ4_HEADER].concat();
        for block in records.chunks(1500) {
            let packed = lz4_flex::block::compress(block);
            file.extend((packed.len() as u32).to_le_bytes());
            file.extend(packed);
        }
        file.extend([0; 4]);
        file
    };
    gamesdat_contents().into_iter().map(file).collect()
}

fn gamesdat_unpacked() -> Vec<Vec<u8>> {
    let file = |(head, records): (Vec<u8>, Vec<u8>)| {
        let mut file = [head.as_slice(), &LZ4_HEADER[..4]].concat();
        for block in records.chunks(1500) {
            file.extend((block.len() as u16).to_le_bytes());
            file.extend(block);
        }
        file
    };
    gamesdat_contents().into_iter().map(file).collect()
}

/// A Rocket League replay with goals, players and frames in which nothing happens.
fn replays() -> Vec<Vec<u8>> {
    let text = |text: &str| [&(text.len() as i32 + 1).to_le_bytes()[..], text.as_bytes(), &[0]].concat();
    let property = |key: &str, kind: &str, value: &[u8]| [text(key), text(kind), vec![0; 8], value.to_vec()].concat();
    let number = |key: &str, value: i32| property(key, "IntProperty", &value.to_le_bytes());
    let goal = [number("frame", 1), property("PlayerName", "StrProperty", &text("Player 1")), number("PlayerTeam", 0)];
    let player = [property("Name", "StrProperty", &text("Player 1")), number("Team", 0), number("Score", 100)];
    let list = |entry: &[Vec<u8>]| [&1u32.to_le_bytes()[..], &entry.concat(), &text("None")].concat();
    let header = [
        [868i32, 20, 5].map(i32::to_le_bytes).concat(),
        text("TAGame.Replay_Soccar_TA"),
        number("Team0Score", 1),
        property("Goals", "ArrayProperty", &list(&goal)),
        property("PlayerStats", "ArrayProperty", &list(&player)),
        property("RecordFPS", "FloatProperty", &30.0f32.to_le_bytes()),
        number("MaxChannels", 1023),
        number("NumFrames", 2),
        text("None"),
    ]
    .concat();
    // Two frames at 0 s; then lists of objects, names and classes that mutations can refer to.
    let network = [0u8; 17];
    let lists = [1u32.to_le_bytes().to_vec(), text("TAGame.Ball_TA")].concat();
    let body = [&[0; 8][..], &17u32.to_le_bytes(), &network, &[0; 12], &lists, &lists, &[0; 8]].concat();
    let section = |data: &[u8]| [&(data.len() as u32).to_le_bytes()[..], &[0; 4], data].concat();
    vec![[section(&header), section(&body)].concat()]
}

/// Lines, plain, stored in an archive and packed in one.
fn echoreplays() -> Vec<Vec<u8>> {
    let line = |i: u32| {
        let bones = ["", "\t", "\t{\"err_code\":0}", "\t {\"user_bones\":[]}"][i as usize % 4];
        format!("2023/04/01 12:34:56.{i:03}\t{{\"sessionid\":\"A{}\",\"n\":{i}}}{bones}\r\n", i / 5)
    };
    let text: String = (0..12).map(line).collect();
    let mut deflate = flate2::write::DeflateEncoder::new(Vec::new(), Compression::fast());
    deflate.write_all(text.as_bytes()).unwrap();
    let packed = deflate.finish().unwrap();
    let archive = |method: u16, data: &[u8]| {
        let mut common = vec![20, 0, 0, 0];
        common.extend(method.to_le_bytes());
        common.extend([0; 8]);
        common.extend((data.len() as u32).to_le_bytes());
        common.extend((text.len() as u32).to_le_bytes());
        common.extend([1, 0, 0, 0]);
        let mut zip = [&b"PK\x03\x04"[..], &common, b"a", data].concat();
        let start = zip.len() as u32;
        let central = [&b"PK\x01\x02\x14\0"[..], &common, &[0; 14], b"a"].concat();
        zip.extend(&central);
        zip.extend(b"PK\x05\x06\0\0\0\0\x01\0\x01\0");
        zip.extend((central.len() as u32).to_le_bytes());
        zip.extend(start.to_le_bytes());
        zip.extend([0, 0]);
        zip
    };
    vec![text.clone().into_bytes(), archive(0, text.as_bytes()), archive(8, &packed)]
}
