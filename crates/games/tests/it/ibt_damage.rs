//! Damaged `.ibt` files: whatever the bytes, parsing ends without a panic and stays within the file.
#![allow(clippy::unwrap_used, clippy::panic)]
use crate::support;

use gametape_games::fuzz_ibt;
use gametape_games::iracing::{Ibt, IbtError};
use support::IbtFile;

#[test]
fn a_file_cut_anywhere_is_an_error_or_keeps_its_whole_rows() {
    let (plan, file) = (IbtFile::default(), IbtFile::default().build());
    for end in 0..file.len() {
        let cut = &file[..end];
        fuzz_ibt(cut);
        match Ibt::parse(cut) {
            Err(IbtError::CutOff { file_bytes, .. }) => {
                assert!(end < plan.text_start());
                assert_eq!(file_bytes, end as u64);
            }
            Err(other) => panic!("cut at {end}: {other}"),
            Ok(ibt) => {
                assert!(end >= plan.text_start());
                assert_eq!(ibt.rows.count, (end.saturating_sub(plan.row_start()) / 31) as u64, "cut at {end}");
                assert!(!ibt.problems.is_empty(), "cut at {end}: not reported");
                assert_eq!(ibt.layout.channels().len(), 6);
            }
        }
    }
}

#[test]
fn any_byte_may_have_any_value() {
    let file = IbtFile { rows: 2, ..IbtFile::default() }.build();
    let mut damaged = file.clone();
    for at in 0..file.len() {
        for value in (0..8).map(|bit| file[at] ^ (1 << bit)).chain([0x00, 0x7F, 0x80, 0xFF]) {
            damaged[at] = value;
            fuzz_ibt(&damaged);
        }
        damaged[at] = file[at];
    }
}

#[test]
fn many_wrong_numbers_at_once_are_survived() {
    let file = IbtFile::default().build();
    let mut random = Random(0x9E37_79B9_7F4A_7C15);
    let interesting = [0, 1, 2, 3, 4, 143, 144, 145, 1008, 4096, 4097, 1 << 20, -1, i32::MAX, i32::MIN];
    let mut read = 0;
    for _ in 0..20_000 {
        let mut damaged = file.clone();
        for _ in 0..=random.below(4) {
            // Half of the hits go to the first 144 bytes, where they matter most.
            let reach = if random.below(2) == 0 { 144 } else { damaged.len() };
            let at = random.below(reach - 3) / 4 * 4;
            let value = match random.below(3) {
                0 => interesting[random.below(interesting.len())],
                1 => i32::try_from(random.below(file.len())).unwrap(),
                _ => random.next() as i32,
            };
            support::put(&mut damaged, at, value);
        }
        if random.below(4) == 0 {
            damaged.truncate(random.below(file.len()));
        }
        fuzz_ibt(&damaged);
        read += usize::from(Ibt::parse(&damaged).is_ok());
    }
    assert!(
        read > 2_000,
        "only {read} files got past the header: the damage is too coarse to test the rest of the parser"
    );
}

#[test]
fn noise_behind_a_good_start_is_survived() {
    let mut random = Random(1);
    for _ in 0..2_000 {
        let mut file = IbtFile::default().build();
        let from = 144 + random.below(file.len() - 144);
        file[from..].fill_with(|| random.next() as u8);
        fuzz_ibt(&file);
    }
}

/// xorshift64*: the same sequence on every run.
struct Random(u64);

impl Random {
    fn next(&mut self) -> u64 {
        self.0 ^= self.0 >> 12;
        self.0 ^= self.0 << 25;
        self.0 ^= self.0 >> 27;
        self.0.wrapping_mul(0x2545_F491_4F6C_DD1D) >> 16
    }

    fn below(&mut self, limit: usize) -> usize {
        (self.next() % limit as u64) as usize
    }
}
