//! A small whole file of each replay format that has a structure test. Also used by the tests of `gametape::watch`.

use std::io::Write;

/// Name and bytes of each file.
pub(crate) fn replays() -> Vec<(&'static str, Vec<u8>)> {
    vec![
        ("A1B2.replay", rocket_league()),
        ("UnsavedReplay.replay", fortnite(0)),
        ("PUBG.replayinfo", pubg(false, false)),
        ("match.dem", demo()),
        ("Match-R01.rec", round()),
        ("old.rec", round().split_off(100)),
        ("ladder.SC2Replay", starcraft_2()),
        ("LastReplay.w3g", warcraft_3()),
        ("EUW1-1.rofl", league_first()),
        ("EUW1-2.rofl", league_second()),
        ("MP Replay.aoe2record", aoe2(5, 13.15)),
        ("rec.mgz", aoe2(4, 11.76)),
        ("map.osr", osu(20_140_226, 8)),
        ("lazer.osr", [osu(30_000_001, 8), 5_i32.to_le_bytes().to_vec(), vec![7; 5]].concat()),
        ("best.Replay.Gbx", gbx()),
        ("stint.ld", motec()),
        ("drive.ibt", ibt()),
    ]
}

fn u32s(numbers: &[u32]) -> Vec<u8> {
    numbers.iter().flat_map(|number| number.to_le_bytes()).collect()
}

/// A string of Unreal Engine.
fn text(text: &str) -> Vec<u8> {
    [&u32s(&[text.len() as u32 + 1]), text.as_bytes(), &[0]].concat()
}

pub(crate) fn rocket_league() -> Vec<u8> {
    let header = [u32s(&[868, 20, 7]), text("TAGame.Replay_Soccar_TA"), text("None")].concat();
    let content = vec![5; 60];
    [u32s(&[header.len() as u32, 1]), header, u32s(&[content.len() as u32, 2]), content].concat()
}

pub(crate) fn fortnite(live: u32) -> Vec<u8> {
    let mut file = u32s(&[0x1ca2_e27f, 7, 1]);
    file.extend([3; 20]);
    file.extend(u32s(&[401_553, 1, 2]));
    file.extend(text("Unsaved Replay"));
    file.extend(u32s(&[live]));
    file.extend(637_000_000_000_000_000_i64.to_le_bytes());
    file.extend(u32s(&[1, 1, 4]));
    file.extend([9; 4]);
    for (kind, bytes) in [(0, 12), (1, 40), (3, 30)] {
        file.extend(u32s(&[kind, bytes]));
        file.extend(vec![kind as u8; bytes as usize]);
    }
    file
}

pub(crate) fn pubg(live: bool, incomplete: bool) -> Vec<u8> {
    text(&format!("{{\"LengthInMS\":1200000,\"Mode\":\"squad\",\"bIsLive\":{live},\"bIncomplete\":{incomplete}}}"))
}

fn demo() -> Vec<u8> {
    let mut file = b"PBDEMS2\0".to_vec();
    let first = [vec![1, 0xff, 0xff, 0xff, 0xff, 0x0f, 20], vec![8; 20]].concat();
    file.extend(u32s(&[16 + first.len() as u32, 0]));
    file.extend(first);
    file.extend([2 | 64, 0x80, 0x01, 30]);
    file.extend([6; 30]);
    file
}

/// A zstd frame of raw blocks, with a checksum.
fn zstd(blocks: &[usize]) -> Vec<u8> {
    let mut frame = vec![0x28, 0xb5, 0x2f, 0xfd, 0x04, 0x58];
    for (number, bytes) in blocks.iter().enumerate() {
        let header = (*bytes as u32) << 3 | u32::from(number + 1 == blocks.len());
        frame.extend(&header.to_le_bytes()[..3]);
        frame.extend(vec![number as u8; *bytes]);
    }
    frame.extend([1, 2, 3, 4]);
    frame
}

pub(crate) fn round() -> Vec<u8> {
    let mut file = b"dissect".to_vec();
    file.resize(100, 0);
    file.extend(zstd(&[30, 40]));
    file.extend([0x28, 0xb5, 0, 0]);
    file.extend(zstd(&[25]));
    file
}

fn starcraft_2() -> Vec<u8> {
    let mut file = b"MPQ\x1b".to_vec();
    file.extend(u32s(&[64, 128, 40]));
    file.resize(128, 3);
    file.extend(b"MPQ\x1a");
    file.extend(u32s(&[44, 100]));
    file.resize(228, 4);
    file
}

pub(crate) fn warcraft_3() -> Vec<u8> {
    let mut file = b"Warcraft III recorded game\x1a\0".to_vec();
    file.extend(u32s(&[68, 120, 1, 8192, 1]));
    file.resize(120, 2);
    file
}

fn league_first() -> Vec<u8> {
    let mut file = b"RIOT\0\0".to_vec();
    file.resize(262, 1);
    file.extend(288_u16.to_le_bytes());
    file.extend(u32s(&[400, 288, 10]));
    file.resize(400, 2);
    file
}

fn league_second() -> Vec<u8> {
    let json = b"{\"gameLength\":1800000,\"statsJson\":\"[]\"}";
    let mut file = b"RIOT\x02\0".to_vec();
    file.resize(100, 0xee);
    file.extend(json);
    file.extend(u32s(&[json.len() as u32]));
    file
}

pub(crate) fn aoe2(log: u32, version: f32) -> Vec<u8> {
    let mut packed = flate2::write::DeflateEncoder::new(Vec::new(), flate2::Compression::fast());
    let head = [b"VER 9.4\0", version.to_le_bytes().as_slice(), &[0; 40]].concat();
    let header = packed.write_all(&head).and_then(|()| packed.finish()).unwrap_or_default();
    let end = 8 + header.len() as u32;
    let mut file = [u32s(&[end, 0]), header, u32s(&[log]), vec![0; if log == 5 { 28 } else { 24 }]].concat();
    // A sync whose marker is the next operation, a view, an action, a chat, and a sync with a checksum.
    file.extend(u32s(&[2, 40, 3, 0, 0, 1]));
    file.extend(u32s(&[1, 5]));
    file.extend([11, 1, 0, 0, 0]);
    file.extend(u32s(&[77, 4, u32::MAX, 3]));
    file.extend(b"gg\0");
    file.extend(u32s(&[2, 40, 0, 9, 9, 9, 0, 9, 9]));
    if version >= 37.0 {
        file.extend(u32s(&[6, 1, 2, 3]));
    }
    file
}

fn osu(version: u32, id_bytes: usize) -> Vec<u8> {
    let mut file = vec![0];
    file.extend(version.to_le_bytes());
    for text in ["0123456789abcdef0123456789abcdef", "Driver 1", "fedcba9876543210fedcba9876543210"] {
        file.extend([0x0b, text.len() as u8]);
        file.extend(text.bytes());
    }
    file.resize(file.len() + 12 + 4 + 2 + 1 + 4, 1);
    file.push(0);
    file.extend(635_000_000_000_000_000_i64.to_le_bytes());
    file.extend(33_i32.to_le_bytes());
    file.resize(file.len() + 33 + id_bytes, 9);
    file
}

fn gbx() -> Vec<u8> {
    let mut file = b"GBX\x06\0BUCR".to_vec();
    file.extend(u32s(&[0x0309_3000, 24, 1, 0x0309_3000, 12]));
    file.extend([5; 12]);
    file.resize(17 + 24, 5);
    file.extend(u32s(&[3, 0, 90, 50]));
    file.extend([7; 50]);
    file
}

pub(crate) fn motec() -> Vec<u8> {
    let mut file = u32s(&[0x40, 0, 100, 300]);
    file.resize(86, 0);
    file.extend(u32s(&[2]));
    file.resize(100, 0);
    for (previous, next, data, count) in [(0, 150, 300, 10), (100, 0, 340, 20)] {
        let start = file.len();
        file.extend(u32s(&[previous, next, data, count]));
        file.extend([1, 0, 7, 0, 4, 0]);
        file.resize(start + 50, 0);
    }
    file.resize(300 + 120, 1);
    file
}

fn ibt() -> Vec<u8> {
    let mut file = u32s(&[2, 1, 60, 0, 0, 144, 0, 144, 1, 10, 0, 0, 0, 200]);
    file.resize(140, 0);
    file.extend(u32s(&[5]));
    file.resize(250, 1);
    file
}
