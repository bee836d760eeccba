//! Decompression bombs: each is imported in a separate process, whose peak memory is read afterwards.
#![cfg(target_os = "linux")]
#![allow(clippy::unwrap_used, clippy::panic, clippy::print_stdout, missing_docs)]

use std::io::Write as _;
use std::path::Path;
use std::process::Command;

use flate2::Compression;
use flate2::write::DeflateEncoder;
use gametape::import::import;

use crate::parsers::import_parsers::lap_files::{f1pcap, logged, motec};

/// Memory limit of an import, whatever the file decompresses to: a zstd window of 128 MiB, a record of 16 MiB in its forms, a block of
/// the tape.
const MEMORY: u64 = 256 << 20;

/// The file that the child imports.
const FILE: &str = "GAMETAPE_TEST_IMPORT_FILE";

/// The result of an import and the peak memory of its process.
#[derive(Debug)]
struct Done {
    text: String,
    peak_bytes: u64,
}

fn import_in_child(folder: &Path, name: &str, bytes: &[u8]) -> Done {
    let file = folder.join(name);
    std::fs::File::create_new(&file).unwrap().write_all(bytes).unwrap();
    let mut child = Command::new(std::env::current_exe().unwrap());
    child.args(["--exact", "import_memory::the_child_that_imports", "--nocapture"]).env(FILE, &file);
    let output = child.output().unwrap();
    let said = String::from_utf8(output.stdout).unwrap();
    assert!(output.status.success(), "{said}{}", String::from_utf8_lossy(&output.stderr));
    let line = said.lines().find_map(|line| line.split_once("IMPORTED ")).unwrap().1;
    let (kilobytes, text) = line.split_once(' ').unwrap();
    let done = Done { text: text.into(), peak_bytes: kilobytes.parse::<u64>().unwrap() << 10 };
    println!("{name}: {} bytes, {} MiB at most: {:.200}", bytes.len(), done.peak_bytes >> 20, done.text);
    done
}

/// Not a test: the child process that the tests start.
#[test]
fn the_child_that_imports() {
    let Some(file) = std::env::var_os(FILE) else { return };
    let file = Path::new(&file);
    let text = match import(file, &file.with_extension("gtape"), &mut |_| {}) {
        Ok(imported) => format!("{} frames, {:?}", imported.frames, imported.problems),
        Err(error) => error.to_string(),
    };
    let status = std::fs::read_to_string("/proc/self/status").unwrap();
    let peak = status.lines().find_map(|line| line.strip_prefix("VmHWM:")).unwrap();
    println!("IMPORTED {} {}", peak.trim().trim_end_matches(" kB"), text.replace('\n', " "));
}

/// A zip archive of one member.
fn zip(name: &str, data: &[u8], unpacked: u64) -> Vec<u8> {
    let mut common = vec![20, 0, 0, 0, 8, 0, 0, 0, 0, 0, 0, 0, 0, 0];
    common.extend(u32::try_from(data.len()).unwrap().to_le_bytes());
    common.extend(u32::try_from(unpacked).unwrap().to_le_bytes());
    common.extend([name.len() as u8, 0, 0, 0]);
    let local = [&b"PK\x03\x04"[..], &common, name.as_bytes(), data].concat();
    let central = [&b"PK\x01\x02\x14\0"[..], &common, &[0; 14], name.as_bytes()].concat();
    let sizes = [central.len() as u32, local.len() as u32].map(u32::to_le_bytes).concat();
    [&local[..], &central, b"PK\x05\x06\0\0\0\0\x01\0\x01\0", &sizes, &[0, 0]].concat()
}

/// Compresses the same piece repeatedly.
fn packed(start: &[u8], piece: &[u8], times: usize) -> (Vec<u8>, u64) {
    let mut deflate = DeflateEncoder::new(Vec::new(), Compression::default());
    deflate.write_all(start).unwrap();
    (0..times).for_each(|_| deflate.write_all(piece).unwrap());
    (deflate.finish().unwrap(), (start.len() + times * piece.len()) as u64)
}

/// A zstd frame with a window of 2^`window_log` bytes, which contains these bytes and then zeros: 4 bytes for every 128 KiB.
fn zstd(window_log: u8, start: &[u8], megabytes: usize) -> Vec<u8> {
    let mut file = vec![0x28, 0xb5, 0x2f, 0xfd, 0x00, (window_log - 10) << 3];
    let block = |kind: u32, size: usize, last: bool| ((size as u32) << 3 | kind << 1 | u32::from(last)).to_le_bytes();
    file.extend(&block(0, start.len(), false)[..3]);
    file.extend(start);
    for number in 0..megabytes * 8 {
        file.extend(&block(1, 128 << 10, number + 1 == megabytes * 8)[..3]);
        file.push(0);
    }
    file
}

#[test]
fn zip_bombs_are_refused_with_bounded_memory() {
    let folder = tempfile::tempdir().unwrap();
    let line = b"2023/04/01 12:34:56.789\t{\"sessionid\":\"A\",\"teams\":[]";
    // A thousand times its size.
    let (data, unpacked) = packed(line, &vec![0; 1 << 20], 1024);
    let done = import_in_child(folder.path(), "zeros.echoreplay", &zip("a.echoreplay", &data, unpacked));
    assert!(done.text.contains("zip bomb"), "{done:?}");
    assert!(done.peak_bytes < MEMORY, "{done:?}");
    // A lower ratio, but one line of half a gigabyte: a part of each piece is incompressible.
    let mut noise = 1u32;
    let mut piece: Vec<u8> = Vec::new();
    for _ in 0..5000 {
        noise = noise.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
        piece.extend((noise >> 8).to_string().into_bytes());
    }
    piece.resize(1 << 20, b'1');
    let (data, unpacked) = packed(line, &piece, 512);
    assert!(data.len() as u64 * 300 > unpacked, "{} of {unpacked}", data.len());
    let done = import_in_child(folder.path(), "line.echoreplay", &zip("a.echoreplay", &data, unpacked));
    assert!(done.peak_bytes < MEMORY, "{done:?}");
}

#[test]
fn zstd_bombs_are_refused_with_bounded_memory() {
    let folder = tempfile::tempdir().unwrap();
    let (tape, nevrcap) = (&b"\x05\x0a\x03\x0a\x01A"[..], &b"\x09\x0a\x01A\x12\x04\x08\x01\x10\x02"[..]);
    for (name, start) in [("a.tape", tape), ("a.nevrcap", nevrcap)] {
        // The largest allowed window.
        for (window_log, megabytes) in [(20, 4096), (27, 4096)] {
            let name = format!("{window_log}-{name}");
            let done = import_in_child(folder.path(), &name, &zstd(window_log, start, megabytes));
            assert!(done.text.contains("no Echo VR frame") || done.text.contains("bomb"), "{done:?}");
            assert!(done.peak_bytes < MEMORY, "{done:?}");
        }
        // A window that is too large, and a record that claims to be as large as the rest.
        let done = import_in_child(folder.path(), &format!("31-{name}"), &zstd(31, start, 512));
        assert!(done.peak_bytes < MEMORY, "{done:?}");
        let claims = [start, b"\xff\xff\xff\xff\x07\x12"].concat();
        let done = import_in_child(folder.path(), &format!("claims-{name}"), &zstd(20, &claims, 60));
        assert!(done.peak_bytes < MEMORY, "{done:?}");
    }
}

/// Memory limit of an import of a lap file, whatever is in it.
const LAP_FILE_MEMORY: u64 = 64 << 20;

#[test]
fn lap_files_are_imported_in_pieces_and_their_bombs_are_stopped() {
    let folder = tempfile::tempdir().unwrap();
    let small = |done: &Done| assert!(done.peak_bytes < LAP_FILE_MEMORY, "{done:?}");
    // 2 million samples, and 4096 channels that all have the same samples.
    let samples: Vec<i16> = (0..2_000_000).map(|at| (at % 5_000) as i16).collect();
    let long = import_in_child(folder.path(), "long.ld", &motec(&[logged("Ground Speed", "km/h", 1000, 1, &samples)]));
    small(&long);
    assert!(long.text.starts_with("2000000 frames, []"), "{}", long.text);
    let mut shared = motec(&(0..4096).map(|_| logged("a", "", 1000, 1, &samples[..2])).collect::<Vec<_>>());
    for channel in 0..4096 {
        shared[1762 + channel * 124 + 8..][..8].copy_from_slice(&[[0; 4], 250_000u32.to_le_bytes()].concat());
    }
    let shared = import_in_child(folder.path(), "shared.ld", &shared);
    small(&shared);
    assert!(shared.text.contains("overlap"), "{}", shared.text);
    // A table of 2000 columns, and a line without an end.
    let names: String = (0..2000).map(|at| format!(",c{at}")).collect();
    let row = "1,".repeat(1990) + "\n";
    let wide = format!("Speed,LapDistPct{}\n{}", &names[..names.len() - 12], row.repeat(300));
    small(&import_in_child(folder.path(), "wide.csv", wide.as_bytes()));
    let endless = format!("Speed,LapDistPct\n1,0\n{}", "1,".repeat(15 << 20));
    small(&import_in_child(folder.path(), "endless.csv", endless.as_bytes()));
    let tag = format!(
        "<gpx version=\"1.1\"><trk><trkpt lat=\"1\" lon=\"1\"><time>2026-05-04T10:00:00Z</time></trkpt><a {}",
        "x".repeat(30 << 20)
    );
    let tag = import_in_child(folder.path(), "tag.gpx", tag.as_bytes());
    small(&tag);
    assert!(tag.text.contains("too long"), "{}", tag.text);
    // Packets of zeros: 1 MB becomes hundreds of megabytes.
    let bomb = f1pcap(&vec![vec![0; 65_000]; 10_000], true);
    let bomb = import_in_child(folder.path(), "bomb.f1pcap", &bomb);
    small(&bomb);
    assert!(bomb.text.contains("decompress to more than 100 times"), "{}", bomb.text);
}

/// Memory of the import of a replay file, whatever it claims or decompresses to.
const REPLAY_MEMORY: u64 = 64 << 20;

/// A Warcraft III replay of 100 blocks that decompress to 1 MiB each.
fn w3g_bomb() -> Vec<u8> {
    let mut zlib = flate2::write::ZlibEncoder::new(Vec::new(), Compression::default());
    zlib.write_all(&vec![0; 1 << 20]).unwrap();
    let packed = zlib.finish().unwrap();
    let mut file = crate::replay_files::w3g()[..68].to_vec();
    file[40..44].copy_from_slice(&(100u32 << 20).to_le_bytes());
    file[44..48].copy_from_slice(&100u32.to_le_bytes());
    for _ in 0..100 {
        file.extend([packed.len() as u32, 1 << 20, 0].map(u32::to_le_bytes).concat());
        file.extend(&packed);
    }
    file
}

/// An osu! replay whose frames claim a dictionary of 4 GiB and a length of 8 EiB.
fn osu_bomb() -> Vec<u8> {
    let mut file = crate::replay_files::osr();
    let at = file.windows(5).position(|window| window == [0x5D, 0, 0, 0x80, 0]).unwrap();
    file[at + 1..at + 5].fill(0xFF);
    file[at + 5..at + 13].copy_from_slice(&(i64::MAX as u64).to_le_bytes());
    file
}

#[test]
fn replay_bombs_and_large_replays_are_imported_with_bounded_memory() {
    let folder = tempfile::tempdir().unwrap();
    let large = |mut file: Vec<u8>, bytes: usize| {
        file.resize(bytes, 0);
        file
    };
    // As many camera moves as fit into the longest file that is decoded.
    let mut aoe2 = crate::replay_files::aoe2();
    aoe2.truncate(aoe2.len() - 16);
    while aoe2.len() + 16 <= 16 << 20 {
        aoe2.extend([3, aoe2.len() as u32, 7, 1].map(u32::to_le_bytes).concat());
    }
    for (name, bytes) in [
        ("w3.w3g", w3g_bomb()),
        ("osu.osr", osu_bomb()),
        ("r6.rec", zstd(23, &crate::replay_files::r6(), 2048)),
        ("r6-window.rec", zstd(31, &crate::replay_files::r6(), 2048)),
        ("aoe2.aoe2record", aoe2),
        ("cs2.dem", large(crate::replay_files::cs2(), 100 << 20)),
        ("lol.rofl", large(crate::replay_files::rofl_1(), 100 << 20)),
        ("fortnite.replay", large(crate::replay_files::fortnite(), 100 << 20)),
        ("tm.gbx", large(crate::replay_files::gbx(), 100 << 20)),
        ("pubg.replayinfo", large(crate::replay_files::pubg(), 100 << 20)),
        ("sc2.sc2replay", large(crate::replay_files::sc2(), 16 << 20)),
    ] {
        let done = import_in_child(folder.path(), name, &bytes);
        assert!(done.text.starts_with("1 frames") || name == "r6-window.rec", "{name}: {done:?}");
        assert!(done.peak_bytes < REPLAY_MEMORY, "{name}: {done:?}");
    }
}

#[test]
fn real_replays_are_imported_with_bounded_memory() {
    let Some(data) = crate::support::real_data("real_replays_are_imported_with_bounded_memory") else { return };
    let folder = tempfile::tempdir().unwrap();
    for name in ["rocket-league/net10_2025.replay", "aoe2/de-62.0.aoe2record", "fortnite/season09-2019.07.25.replay"] {
        let bytes = std::fs::read(data.join(name)).unwrap();
        let done = import_in_child(folder.path(), &name.replace('/', "-"), &bytes);
        assert!(done.peak_bytes < REPLAY_MEMORY, "{name}: {done:?}");
    }
}
