//! Small replay files of many games, written by the descriptions of their formats and without any code of the importers. Used by the tests and
//! as seeds of mutation tests.
#![allow(dead_code, unreachable_pub, clippy::unwrap_used)]

use std::io::Write as _;

use flate2::Compression;
use flate2::write::{DeflateEncoder, ZlibEncoder};

fn le(numbers: &[u32]) -> Vec<u8> {
    numbers.iter().flat_map(|number| number.to_le_bytes()).collect()
}

fn zlib(plain: &[u8]) -> Vec<u8> {
    let mut zlib = ZlibEncoder::new(Vec::new(), Compression::default());
    zlib.write_all(plain).unwrap();
    zlib.finish().unwrap()
}

fn hex(text: &str) -> Vec<u8> {
    (0..text.len()).step_by(2).map(|at| u8::from_str_radix(&text[at..at + 2], 16).unwrap()).collect()
}

/// An Unreal string of Latin-1.
fn fstring(text: &str) -> Vec<u8> {
    [&(text.len() as i32 + 1).to_le_bytes()[..], text.as_bytes(), &[0]].concat()
}

/// The frames of an osu! replay, before compression.
pub const OSU_FRAMES: &[u8] = b"0|256|-500|0,-1|256|-500|0,16|100.5|200|5,17|101|201|0,-12345|0|0|77,";

/// An osu! replay of 32 ms.
pub fn osr() -> Vec<u8> {
    // `OSU_FRAMES` as the LZMA-alone format of another program.
    const FRAMES: &str = "5d00008000ffffffffffffffff00181f02435103b4005557d853ab048d68028a8fccce57894e3cd82bde10daff8a85a6130276\
                          1c8cfc6e0700e6ea41077d29432023ffd05e9000";
    let text = |text: &str| [&[0x0B, text.len() as u8], text.as_bytes()].concat();
    let frames = hex(FRAMES);
    [
        vec![0],
        le(&[20_210_423]),
        text("0123456789abcdef0123456789abcdef"),
        text("Player 1"),
        vec![0],
        [300u16, 10, 5, 60, 6, 2].iter().flat_map(|count| count.to_le_bytes()).collect(),
        le(&[987_307]),
        vec![0x10, 0x01, 1],
        le(&[0x18]),
        vec![0],
        637_500_000_000_000_000_i64.to_le_bytes().to_vec(),
        le(&[frames.len() as u32]),
        frames,
        55_i64.to_le_bytes().to_vec(),
    ]
    .concat()
}

/// `replay.details` of StarCraft II: two players, map, time.
pub fn sc2_details() -> Vec<u8> {
    let text = |text: &str| [&[2, text.len() as u8 * 2], text.as_bytes()].concat();
    let player = |name: &str, team: u8, result: u8| {
        [&[5, 10, 0][..], &text(name), &[4], &text("Zerg"), &[8, 9, 4, 10, 9, team * 2, 16, 9, result * 2]].concat()
    };
    let time = [10, 9, 0x80, 0x80, 0x80, 0xA0, 0x8D, 0xD4, 0xCF, 0xBE, 0x03];
    [
        &[5, 6, 0, 4, 1, 0, 4][..],
        &player("&lt;A&gt;<sp/>Player 1", 0, 1),
        &player("Player 2", 1, 2),
        &[2],
        &text("Lost Temple"),
        &time,
    ]
    .concat()
}

/// The metadata of the same match.
pub const SC2_METADATA: &str = r#"{"Title":"Lost Temple","GameVersion":"4.8.2.71663","Duration":558,"Players":[
    {"PlayerID":1,"APM":120.0,"MMR":3000,"Result":"Win"},{"PlayerID":2,"APM":99.0,"Result":"Loss"}]}"#;

/// The cipher of MPQ archives, written from its description.
struct Mpq(Vec<u32>);

impl Mpq {
    fn new() -> Self {
        let mut table = vec![0u32; 1280];
        let mut seed = 0x0010_0001u32;
        for low in 0..256 {
            for kind in 0..5 {
                seed = (seed * 125 + 3) % 0x2A_AAAB;
                let high = (seed & 0xFFFF) << 16;
                seed = (seed * 125 + 3) % 0x2A_AAAB;
                table[kind * 256 + low] = high | seed & 0xFFFF;
            }
        }
        Self(table)
    }

    fn hash(&self, name: &str, kind: usize) -> u32 {
        name.to_uppercase()
            .bytes()
            .fold((0x7FED_7FEDu32, 0xEEEE_EEEEu32), |(a, b), byte| {
                let a = self.0[kind * 256 + byte as usize] ^ a.wrapping_add(b);
                (a, (byte as u32).wrapping_add(a).wrapping_add(b).wrapping_add(b << 5).wrapping_add(3))
            })
            .0
    }

    fn encrypt(&self, plain: &[u32], key: &str) -> Vec<u8> {
        let (mut key, mut seed) = (self.hash(key, 3), 0xEEEE_EEEEu32);
        let mut out = Vec::new();
        for number in plain {
            seed = seed.wrapping_add(self.0[1024 + (key & 0xFF) as usize]);
            out.extend((number ^ key.wrapping_add(seed)).to_le_bytes());
            key = (!key << 21).wrapping_add(0x1111_1111) | key >> 11;
            seed = number.wrapping_add(seed).wrapping_add(seed << 5).wrapping_add(3);
        }
        out
    }
}

/// A StarCraft II replay of 8928 loops: details are stored, metadata are compressed.
pub fn sc2() -> Vec<u8> {
    let user = [
        &[5, 6, 0, 2, 4][..],
        b"si",
        &[2, 5, 8, 2, 9, 8, 4, 9, 16, 6, 9, 4, 8, 9, 0xDE, 0xDF, 0x08],
        &[6, 9, 0x80 | (8928 % 64 * 2) as u8, 0x8B, 0x01],
    ]
    .concat();
    let (mpq, metadata) = (Mpq::new(), [&[2][..], &zlib(SC2_METADATA.as_bytes())].concat());
    let details = sc2_details();
    let mut hashes = Vec::new();
    let mut blocks = Vec::new();
    let mut at = 44;
    for (number, (name, packed, length)) in [
        ("replay.details", details.len(), details.len()),
        ("replay.gamemetadata.json", metadata.len(), SC2_METADATA.len()),
    ]
    .into_iter()
    .enumerate()
    {
        hashes.extend([mpq.hash(name, 1), mpq.hash(name, 2), 0, number as u32]);
        blocks.extend([at, packed as u32, length as u32, 0x8100_0200]);
        at += packed as u32;
    }
    let size = at + 64;
    let header = [b"MPQ\x1A".to_vec(), le(&[44, size, 1 | 3 << 16, at, at + 32, 2, 2]), vec![0; 12]].concat();
    let tables = [mpq.encrypt(&hashes, "(hash table)"), mpq.encrypt(&blocks, "(block table)")].concat();
    let start = [b"MPQ\x1B".to_vec(), le(&[512, 1024, user.len() as u32]), user].concat();
    let gap = vec![0; 1024 - start.len()];
    [start, gap, header, details, metadata, tables].concat()
}

/// A recorded game of Age of Empires II: Definitive Edition, in which player 2 resigns after 1250 ms.
pub fn aoe2() -> Vec<u8> {
    let mut deflate = DeflateEncoder::new(Vec::new(), Compression::default());
    deflate.write_all(b"VER 9.4\0\0\0\x80\xbf\0\0\x3e\0").unwrap();
    // Incompressible, so that the header is as long as one.
    let mut noise = 1u32;
    let more: Vec<u8> = (0..300)
        .map(|_| {
            noise = noise.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
            (noise >> 24) as u8
        })
        .collect();
    deflate.write_all(&more).unwrap();
    let header = deflate.finish().unwrap();
    let action = |id: u8, player: u8| [le(&[1, 3]), vec![id, player, 0], le(&[9])].concat();
    let checksum = [le(&[2, 250, 0, 1, 1, 1, 7]), vec![0; 364 - 24]].concat();
    [
        le(&[header.len() as u32 + 8, 0]),
        header,
        le(&[5, 0, 0, 0, 0, 0, 0, 0]),
        le(&[2, 500]),
        [le(&[3]), le(&[1.5f32.to_bits(), 2.5f32.to_bits(), 1])].concat(),
        checksum,
        action(3, 1),
        [le(&[4, u32::MAX, 2]), b"hi".to_vec()].concat(),
        le(&[2, 500]),
        action(11, 2),
        action(11, 2),
        le(&[6, 1, 2, 3]),
    ]
    .concat()
}

/// The start of the decoded data of a Warcraft III replay with two players.
pub fn w3g_decoded() -> Vec<u8> {
    let mut settings = vec![0u8; 13];
    settings[0] = 2;
    settings.extend(b"Maps/(2)Temple.w3x\0Player 1\0");
    let mut coded = Vec::new();
    for group in settings.chunks(7) {
        let mask = group.iter().enumerate().fold(1u8, |mask, (bit, byte)| mask | (byte & 1) << (bit + 1));
        coded.push(mask);
        coded.extend(group.iter().map(|byte| byte | 1));
    }
    [
        &[0x10, 1, 0, 0, 0, 1][..],
        b"Player 1\0\x01\0Game\0\0",
        &coded,
        &[0],
        &le(&[2, 0, 0]),
        &[0x16, 2],
        b"Player 2\0\x01\0\0\0\0\0\x19",
        &[0; 40],
    ]
    .concat()
}

/// A Warcraft III replay of Reforged.
pub fn w3g() -> Vec<u8> {
    let decoded = w3g_decoded();
    let mut plain = decoded.clone();
    plain.resize(8192, 0);
    let packed = zlib(&plain);
    let block = [le(&[packed.len() as u32, 8192, 0]), packed].concat();
    let file_bytes = 68 + block.len() as u32;
    [
        b"Warcraft III recorded game\x1A\0".to_vec(),
        le(&[68, file_bytes, 1, decoded.len() as u32, 1]),
        b"PX3W".to_vec(),
        le(&[10_032, 0x8000 << 16 | 6091, 276_625, 0]),
        block,
    ]
    .concat()
}

/// A Fortnite replay with two eliminations.
pub fn fortnite() -> Vec<u8> {
    let chunk = |kind: u32, content: Vec<u8>| [le(&[kind, content.len() as u32]), content].concat();
    let event = |group: &str, at_ms: u32| {
        let texts = [fstring("id"), fstring(group), fstring("meta")].concat();
        chunk(3, [texts, le(&[at_ms, at_ms, 2]), vec![1, 2]].concat())
    };
    let header = [
        le(&[0x2CF5_A13D, 14, 0]),
        fstring("++Fortnite+Release-9.41"),
        le(&[1]),
        fstring("/Game/Athena/Maps/Athena_Terrain"),
    ];
    [
        le(&[0x1CA2_E27F, 6, 401_553, 2, 4_476_098]),
        fstring("Unsaved Replay   "),
        le(&[0]),
        636_754_009_460_000_000_i64.to_le_bytes().to_vec(),
        le(&[1, 1, 4]),
        vec![9; 4],
        chunk(0, header.concat()),
        chunk(1, vec![0; 20]),
        chunk(2, vec![0; 10]),
        event("playerElim", 80_000),
        event("playerElim", 76_682),
        event("ZoneUpdate", 90_000),
    ]
    .concat()
}

/// Keys and values of a Rainbow Six Siege header.
pub const R6_ENTRIES: [(&str, &str); 25] = [
    ("version", "Y9S4"),
    ("code", "8673114"),
    ("datetime", "2024-12-24-18-30-05"),
    ("matchtype", "2"),
    ("worldid", "837214085"),
    ("recordingplayerid", "11"),
    ("gamemodeid", "327933806"),
    ("roundnumber", "3"),
    ("teamname0", "YOUR TEAM"),
    ("teamname1", "OPPONENTS"),
    ("gmsetting", "1"),
    ("gmsetting", "2"),
    ("playerid", "11"),
    ("playername", "Player 1"),
    ("team", "0"),
    ("rolename", "ASH"),
    ("playerid", "12"),
    ("playername", "Player 2"),
    ("team", "1"),
    ("rolename", "MUTE"),
    ("id", "0f9a"),
    ("startingteamscore0", "1"),
    ("startingteamscore1", "1"),
    ("teamscore0", "2"),
    ("teamscore1", "1"),
];

/// A round of Rainbow Six Siege: the plain header.
pub fn r6() -> Vec<u8> {
    let text = |text: &str| [&[text.len() as u8, 0, 0, 0, 0, 0, 0, 0], text.as_bytes()].concat();
    let entries = R6_ENTRIES.iter().flat_map(|(key, value)| [text(key), text(value)].concat());
    let mut file = b"dissect\x01\0\0\0\0\0\0\0\x02\0\0\0\0\0\0\0".to_vec();
    file.extend(entries);
    file.extend([0x28, 0xB5, 0x2F, 0xFD, 1, 2, 3]);
    file
}

/// The same before Y8S4: the whole file is a zstd stream, here of one block that is not compressed.
pub fn r6_packed() -> Vec<u8> {
    let plain = r6();
    let size = (plain.len() as u32) << 3 | 1;
    [&[0x28, 0xB5, 0x2F, 0xFD, 0x00, 0x58][..], &size.to_le_bytes()[..3], &plain].concat()
}

fn varint(mut number: u64) -> Vec<u8> {
    let mut out = Vec::new();
    while number >= 0x80 {
        out.push(number as u8 | 0x80);
        number >>= 7;
    }
    out.push(number as u8);
    out
}

fn proto_text(number: u64, text: &[u8]) -> Vec<u8> {
    [varint(number << 3 | 2), varint(text.len() as u64), text.to_vec()].concat()
}

fn proto_number(number: u64, value: u64) -> Vec<u8> {
    [varint(number << 3), varint(value)].concat()
}

fn demo(header: Vec<u8>, info: Vec<u8>) -> Vec<u8> {
    let frame = |command: u64, content: &[u8]| {
        [varint(command), varint(0xFFFF_FFFF), varint(content.len() as u64), content.to_vec()].concat()
    };
    // The header is compressed: one literal, with its length in a byte.
    let snappy = [varint(header.len() as u64), vec![60 << 2, header.len() as u8 - 1], header].concat();
    let first = frame(1 | 64, &snappy);
    let middle = frame(7, &[0; 30]);
    let at = 16 + first.len() + middle.len();
    [b"PBDEMS2\0".to_vec(), le(&[at as u32, 0]), first, middle, frame(2, &info)].concat()
}

/// A demo of Counter-Strike 2 with two rounds.
pub fn cs2() -> Vec<u8> {
    let header = [
        proto_text(3, b"a server"),
        proto_text(5, b"de_mirage"),
        proto_text(6, b"/home/x/game/csgo"),
        proto_number(13, 9842),
    ];
    let rounds = [varint(64), varint(6400)].concat();
    let seconds = [varint(1 << 3 | 5), 200.0f32.to_le_bytes().to_vec()].concat();
    let info = [seconds, proto_number(2, 12_800), proto_text(4, &proto_text(5, &proto_text(1, &rounds)))];
    demo(header.concat(), info.concat())
}

/// A demo of Dota 2 that Dire won.
pub fn dota2() -> Vec<u8> {
    let player = |hero: &str, name: &str, team: u64| {
        proto_text(
            4,
            &[
                proto_text(1, hero.as_bytes()),
                proto_text(2, name.as_bytes()),
                proto_number(3, 0),
                proto_number(5, team),
            ]
            .concat(),
        )
    };
    let game = [
        proto_number(1, 7_500_000_001),
        proto_number(2, 22),
        proto_number(3, 3),
        player("npc_dota_hero_axe", "Player 1", 2),
        player("npc_dota_hero_zuus", "Player 2", 3),
        proto_number(11, 1_700_000_000),
    ];
    let info = [proto_number(2, 54_000), proto_text(4, &proto_text(4, &game.concat()))].concat();
    demo([proto_text(5, b"start"), proto_text(14, b"dota")].concat(), info)
}

fn lol_json(version: &str) -> String {
    let player = |name: &str, champion: &str, team: u32, win: &str| {
        format!(
            r#"{{\"RIOT_ID_GAME_NAME\":\"{name}\",\"RIOT_ID_TAG_LINE\":\"EUW\",\"SKIN\":\"{champion}\",\"TEAM\":\"{team}\",\"WIN\":\"{win}\",\"CHAMPIONS_KILLED\":\"7\",\"NUM_DEATHS\":\"\"}}"#
        )
    };
    let players = [player("Player 1", "Ahri", 100, "Fail"), player("Player 2", "Zed", 200, "Win")].join(",");
    format!(r#"{{"gameLength":1805000,{version}"lastGameChunkId":60,"statsJson":"[{players}]"}}"#)
}

/// A League of Legends replay of the first version.
pub fn rofl_1() -> Vec<u8> {
    let json = lol_json(r#""gameVersion":"13.24.547.8901","#);
    let mut file = b"RIOT\0\0".to_vec();
    file.resize(262, 7);
    file.extend(288u16.to_le_bytes());
    let (at, length) = (288, json.len() as u32);
    file.extend(le(&[at + length + 34, at, length, at + length, 34, at + length + 34]));
    file.extend(json.into_bytes());
    file.extend(6_700_000_001u64.to_le_bytes());
    file.extend(vec![0; 26]);
    file
}

/// A League of Legends replay of the second version.
pub fn rofl_2() -> Vec<u8> {
    let json = lol_json("");
    let mut file = b"RIOT\x02\0".to_vec();
    file.resize(15, 0);
    file.extend(b"14.12.594.4901");
    file.resize(100, 9);
    let length = json.len() as i32;
    file.extend(json.into_bytes());
    file.extend(length.to_le_bytes());
    file
}

/// `PUBG.replayinfo`.
pub fn pubg() -> Vec<u8> {
    fstring(
        r#"{"LengthInMS":1805000,"NetworkVersion":2,"Timestamp":1700000000250,"bIsLive":false,"bIncomplete":false,"Mode":"squad-fpp","RecordUserNickName":"Player 1","MapName":"Baltic_Main","GameVersion":"27.1"}"#,
    )
}

/// The summary beside it: each byte is increased by one.
pub fn pubg_summary() -> Vec<u8> {
    let json = r#"{"matchId":"m-1","numPlayers":2,"playerStateSummaries":[{"playerName":"Player 1","teamNumber":3,"ranking":1,"numKills":4},{"playerName":"Player 2","teamNumber":9,"numKills":0}]}"#;
    let mut summary = fstring(json);
    summary[4..].iter_mut().for_each(|byte| *byte = byte.wrapping_add(1));
    summary
}

/// A Trackmania replay with a time of 47.391 s.
pub fn gbx() -> Vec<u8> {
    let xml = concat!(
        r#"<header type="replay" exever="3.3.0" title="TMStadium"><map uid="abc" name="$f00Red $zHill" author="x"/>"#,
        r#"<desc envir="Stadium"/><playermodel id="CarSport"/><times best="47391" respawns="-1" stuntscore="0"/>"#,
        r#"<checkpoints cur="5"/></header>"#
    );
    let text = |text: &str| [le(&[text.len() as u32]), text.as_bytes().to_vec()].concat();
    let author = [le(&[1, 0]), text("login"), text("$iPlayer 1"), text("World")].concat();
    let chunks = [(0x0309_3001u32, text(xml)), (0x0309_3002, author)];
    let table: Vec<u8> = chunks.iter().flat_map(|(id, data)| le(&[*id, data.len() as u32 | 1 << 31])).collect();
    let data: Vec<u8> = chunks.iter().flat_map(|(_, data)| data.clone()).collect();
    let size = 4 + table.len() + data.len();
    [b"GBX\x06\0BUCR".to_vec(), le(&[0x0309_3000, size as u32, 2]), table, data, vec![0; 40]].concat()
}

/// All of them, with the id of their kind.
pub fn all() -> Vec<(&'static str, Vec<u8>)> {
    vec![
        ("osr", osr()),
        ("sc2-replay", sc2()),
        ("aoe2-record", aoe2()),
        ("w3g", w3g()),
        ("fortnite-replay", fortnite()),
        ("r6-rec", r6()),
        ("r6-rec", r6_packed()),
        ("source2-dem", cs2()),
        ("source2-dem", dota2()),
        ("rofl", rofl_1()),
        ("rofl", rofl_2()),
        ("pubg-replay", pubg()),
        ("gbx", gbx()),
    ]
}
