//! Builds `.ibt` bytes, and locates real files.
#![allow(dead_code, unreachable_pub, clippy::unwrap_used, clippy::expect_used)]
pub mod f1;

use std::io::Write as _;
use std::path::PathBuf;

/// A variable header.
#[derive(Clone)]
pub struct Var {
    pub kind: i32,
    pub offset: i32,
    pub count: i32,
    pub as_time: bool,
    pub name: &'static str,
    pub desc: &'static str,
    pub unit: &'static str,
}

pub const fn var(kind: i32, offset: i32, count: i32, name: &'static str, unit: &'static str) -> Var {
    Var { kind, offset, count, as_time: false, name, desc: "what it is", unit }
}

/// A specification of a file. `build` creates a consistent one, which tests then damage.
#[derive(Clone)]
pub struct IbtFile {
    pub vars: Vec<Var>,
    pub row_bytes: usize,
    pub rows: usize,
    pub text: Vec<u8>,
    pub tick_rate_hz: i32,
}

impl Default for IbtFile {
    /// Rows of 31 bytes, so that nothing is aligned.
    fn default() -> Self {
        let mut vars = vec![
            var(5, 0, 1, "SessionTime", "s"),
            var(2, 8, 1, "SessionTick", ""),
            var(1, 12, 1, "IsOnTrack", ""),
            var(3, 13, 1, "SessionFlags", "irsdk_Flags"),
            var(4, 17, 3, "Torque_ST", "N*m"),
            var(0, 29, 2, "Letters", ""),
        ];
        vars[4].as_time = true;
        Self { vars, row_bytes: 31, rows: 5, text: b"---\nWeekendInfo:\n TrackName: test\n".to_vec(), tick_rate_hz: 60 }
    }
}

impl IbtFile {
    pub fn text_start(&self) -> usize {
        144 + 144 * self.vars.len()
    }

    pub fn row_start(&self) -> usize {
        self.text_start() + self.text.len()
    }

    pub fn row(&self, index: usize) -> Vec<u8> {
        let mut row: Vec<u8> = (0..self.row_bytes).map(|byte| (byte * 7 + index * 13) as u8).collect();
        if row.len() >= 8 {
            row[..8].copy_from_slice(&(100.0 + index as f64 / 64.0).to_le_bytes());
        }
        row
    }

    pub fn build(&self) -> Vec<u8> {
        let mut file = Vec::new();
        let number = |number: usize| i32::try_from(number).unwrap();
        let (text_start, row_start) = (number(self.text_start()), number(self.row_start()));
        let head = [2, 1, self.tick_rate_hz, 0, number(self.text.len()), text_start, number(self.vars.len()), 144, 1];
        for value in head.into_iter().chain([number(self.row_bytes), 0, 0, 77, row_start]) {
            file.extend(value.to_le_bytes());
        }
        file.resize(112, 0);
        file.extend(1_700_000_000_i64.to_le_bytes());
        file.extend(100.0_f64.to_le_bytes());
        file.extend(101.0_f64.to_le_bytes());
        file.extend(1_i32.to_le_bytes());
        file.extend(number(self.rows).to_le_bytes());
        for var in &self.vars {
            let start = file.len();
            for value in [var.kind, var.offset, var.count, i32::from(var.as_time)] {
                file.extend(value.to_le_bytes());
            }
            for (text, bytes) in [(var.name, 32), (var.desc, 64), (var.unit, 32)] {
                let end = file.len() + bytes;
                file.extend(text.as_bytes());
                file.resize(end, 0);
            }
            assert_eq!(file.len(), start + 144);
        }
        file.extend(&self.text);
        for index in 0..self.rows {
            file.extend(self.row(index));
        }
        file
    }
}

/// Overwrites an `i32`.
pub fn put(file: &mut [u8], offset: usize, value: i32) {
    file[offset..offset + 4].copy_from_slice(&value.to_le_bytes());
}

/// Returns the directory of real recordings. Prints a line if the test has to be skipped.
pub fn real_data(test: &str) -> Option<PathBuf> {
    if let Some(directory) = std::env::var_os("GAMETAPE_REAL_DATA") {
        return Some(PathBuf::from(directory));
    }
    // Not `eprintln!`: the test harness would capture it.
    let line = format!("SKIPPED {test}: GAMETAPE_REAL_DATA is not set\n");
    std::io::stderr().write_all(line.as_bytes()).unwrap();
    if let Some(log) = std::env::var_os("GAMETAPE_SKIP_LOG") {
        let mut log = std::fs::OpenOptions::new().create(true).append(true).open(log).unwrap();
        log.write_all(format!("{test}\n").as_bytes()).unwrap();
    }
    None
}
