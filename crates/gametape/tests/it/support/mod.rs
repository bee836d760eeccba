//! Builds small `.ibt` files, and finds real ones.
#![allow(dead_code, unreachable_pub, clippy::unwrap_used)]
use std::io::Write as _;
use std::path::{Path, PathBuf};

/// Bytes of a row: not aligned to anything.
pub const ROW_BYTES: usize = 31;

/// Type, offset, count, name and unit of each variable.
const VARS: [(i32, i32, i32, &str, &str); 6] = [
    (5, 0, 1, "SessionTime", "s"),
    (2, 8, 1, "Lap", ""),
    (1, 12, 1, "IsOnTrack", ""),
    (3, 13, 1, "SessionFlags", "irsdk_Flags"),
    (4, 17, 3, "Torque_ST", "N*m"),
    (0, 29, 2, "Letters", ""),
];

/// A row that is not like its neighbours.
pub fn row(index: usize) -> Vec<u8> {
    let mut row: Vec<u8> = (0..ROW_BYTES).map(|byte| (byte * 7 + index * 13) as u8).collect();
    row[..8].copy_from_slice(&time_of(index).to_le_bytes());
    row[29..].copy_from_slice(b"ok");
    row
}

/// A whole file with this many rows.
pub fn ibt(rows: usize) -> Vec<u8> {
    ibt_of(&VARS, ROW_BYTES, rows, row)
}

/// One of a car with a speed.
pub fn driven_ibt(rows: usize) -> Vec<u8> {
    let vars = [(5, 0, 1, "SessionTime", "s"), (4, 8, 1, "Speed", "m/s")];
    let row = |index: usize| [&time_of(index).to_le_bytes()[..], &speed_of(index).to_le_bytes()].concat();
    ibt_of(&vars, 12, rows, row)
}

/// One of a car that drives laps of 30 s, from the line on.
pub fn lapped_ibt(rows: usize) -> Vec<u8> {
    let vars = [
        (5, 0, 1, "SessionTime", "s"),
        (2, 8, 1, "Lap", ""),
        (4, 12, 1, "LapDistPct", "%"),
        (2, 16, 1, "SessionNum", ""),
        (2, 20, 1, "SessionState", "irsdk_SessionState"),
        (4, 24, 1, "Speed", "m/s"),
        (2, 28, 1, "PlayerTrackSurface", "irsdk_TrkLoc"),
        (2, 32, 1, "SessionTick", ""),
        (1, 36, 1, "IsOnTrack", ""),
    ];
    let row = |index: usize| {
        let driven_s = time_of(index) - time_of(0);
        let (lap, part) = ((driven_s / 30.0) as i32 + 1, (driven_s % 30.0 / 30.0) as f32);
        let mut row = time_of(index).to_le_bytes().to_vec();
        row.extend(lap.to_le_bytes());
        row.extend(part.to_le_bytes());
        row.extend(0_i32.to_le_bytes());
        row.extend(4_i32.to_le_bytes());
        row.extend(50.0_f32.to_le_bytes());
        row.extend(3_i32.to_le_bytes());
        row.extend((index as i32).to_le_bytes());
        row.push(1);
        row
    };
    ibt_of(&vars, 37, rows, row)
}

/// `SessionTime` of a row.
pub fn time_of(row: usize) -> f64 {
    100.0 + row as f64 / 64.0
}

/// The row of a `SessionTime`.
pub fn row_at(time: f64) -> usize {
    ((time - 100.0) * 64.0).round() as usize
}

/// `Speed` of a row of [`driven_ibt`].
pub fn speed_of(row: usize) -> f32 {
    row as f32 / 8.0
}

fn ibt_of(
    vars: &[(i32, i32, i32, &str, &str)],
    row_bytes: usize,
    rows: usize,
    row: impl Fn(usize) -> Vec<u8>,
) -> Vec<u8> {
    let text = b"---\nWeekendInfo:\n TrackName: test\n BuildVersion: 2026.01.02.03\n";
    let text_start = 144 + 144 * vars.len();
    let row_start = text_start + text.len();
    let head = [2, 1, 60, 0, text.len(), text_start, vars.len(), 144, 1, row_bytes, 0, 0, 77, row_start];
    let mut file: Vec<u8> = head.iter().flat_map(|number| (*number as i32).to_le_bytes()).collect();
    file.resize(112, 0);
    file.extend(1_700_000_000_i64.to_le_bytes());
    file.extend(100.0_f64.to_le_bytes());
    file.extend(101.0_f64.to_le_bytes());
    file.extend(1_i32.to_le_bytes());
    file.extend((rows as i32).to_le_bytes());
    for &(kind, offset, count, name, unit) in vars {
        for value in [kind, offset, count, 0] {
            file.extend(value.to_le_bytes());
        }
        for (text, bytes) in [(name, 32), ("what it is", 64), (unit, 32)] {
            let end = file.len() + bytes;
            file.extend(text.as_bytes());
            file.resize(end, 0);
        }
    }
    file.extend(text);
    (0..rows).for_each(|index| file.extend(row(index)));
    file
}

/// Writes a new file.
pub fn put(path: &Path, bytes: &[u8]) -> PathBuf {
    std::fs::File::create_new(path).unwrap().write_all(bytes).unwrap();
    path.to_owned()
}

/// The directory of real recordings, or a loud skip.
pub fn real_data(test: &str) -> Option<PathBuf> {
    if let Some(directory) = std::env::var_os("GAMETAPE_REAL_DATA") {
        return Some(PathBuf::from(directory));
    }
    skip(test, "GAMETAPE_REAL_DATA is not set");
    None
}

/// Reports that a test is skipped.
pub fn skip(test: &str, why: &str) {
    // Not eprintln: the test harness would swallow it.
    std::io::stderr().write_all(format!("SKIPPED {test}: {why}\n").as_bytes()).unwrap();
    if let Some(log) = std::env::var_os("GAMETAPE_SKIP_LOG") {
        let mut log = std::fs::OpenOptions::new().create(true).append(true).open(log).unwrap();
        log.write_all(format!("{test}\n").as_bytes()).unwrap();
    }
}
