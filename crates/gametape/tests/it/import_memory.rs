//! Decompression bombs: each is imported in a separate process, whose peak memory is read afterwards.
#![cfg(target_os = "linux")]
#![allow(clippy::unwrap_used, clippy::panic, clippy::print_stdout, missing_docs)]

use std::io::Write as _;
use std::path::Path;
use std::process::Command;

use flate2::Compression;
use flate2::write::DeflateEncoder;
use gametape::import::import;

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
