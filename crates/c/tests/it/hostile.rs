//! Tapes that nobody wrote: a program that opens them through C gets errors, and goes on.

use std::io::Write as _;
use std::path::PathBuf;

use crate::client::{acc_tape, game_tape, golden, printed, words};

/// A number that looks random, from the one before.
fn next(state: &mut u64) -> u64 {
    *state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
    *state >> 33
}

#[test]
fn damaged_tapes_are_errors_and_not_the_end_of_the_program() {
    let folder = tempfile::tempdir().unwrap();
    let sources = [
        acc_tape(),
        game_tape("iracing", "lap-and-pits"),
        golden().join("columns-1.gtape"),
        golden().join("texts-1.gtape"),
    ];
    let mut state = 7;
    let mut paths: Vec<PathBuf> = Vec::new();
    for source in &sources {
        let whole = std::fs::read(source).unwrap();
        for number in 0..25 {
            let mut bytes = whole.clone();
            let length = bytes.len() as u64;
            match number % 5 {
                _ if number == 24 => bytes.iter_mut().for_each(|byte| *byte ^= 0x55),
                0 => bytes.truncate((next(&mut state) % length) as usize),
                1 => bytes.extend_from_slice(&whole[..(next(&mut state) % length) as usize]),
                2 => {
                    let at = (next(&mut state) % length) as usize;
                    bytes[at..].iter_mut().take(64).for_each(|byte| *byte = 0xff);
                }
                _ => {
                    for _ in 0..1 + number {
                        let at = (next(&mut state) % length) as usize;
                        bytes[at] ^= 1 << (next(&mut state) % 8);
                    }
                }
            }
            let path = folder.path().join(format!("{}.gtape", paths.len()));
            std::fs::File::create_new(&path).unwrap().write_all(&bytes).unwrap();
            paths.push(path);
        }
    }
    let mut asked = vec!["hostile"];
    asked.extend(paths.iter().map(|path| path.to_str().unwrap()));
    let Some(said) = printed("c_damaged_tapes_are_errors", &words(&asked)) else { return };
    let said = String::from_utf8(said).unwrap();
    let numbers: Vec<u64> =
        said.split(|c: char| !c.is_ascii_digit()).filter_map(|number| number.parse().ok()).collect();
    // Most open, some do not, and what is intact is read.
    assert!(numbers[0] >= 80 && numbers[0] <= 96 && numbers[1] == 100, "{said}");
    assert!(numbers[2] > 1000 && numbers[3] > 10, "{said}");
}
