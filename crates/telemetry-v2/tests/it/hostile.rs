//! Files designed to exhaust memory.

use std::io::Cursor;

use telemetry_v2::Limits;
use telemetry_v2::decode::LostCause;
use telemetry_v2::read::{Problem, Reader, Tape};
use telemetry_v2::write::WriteOptions;

use super::files::write;
use super::made_match::frames;

fn problems(file: &[u8], limits: &Limits) -> Vec<Problem> {
    Reader::with_limits(file, limits).unwrap().read_all().unwrap().problems
}

/// An endless zstd frame of zeros: 4 bytes for every 128 KiB.
fn bomb(megabytes: usize) -> Vec<u8> {
    let mut file = vec![0x28, 0xb5, 0x2f, 0xfd, 0x00, 0x48];
    for _ in 0..megabytes * 8 {
        // A run: not the last block, type 1, 128 KiB long.
        let head = (128u32 << 10) << 3 | 1 << 1;
        file.extend_from_slice(&head.to_le_bytes()[..3]);
        file.push(0);
    }
    file
}

#[test]
fn bombs_are_refused_before_they_fill_the_memory() {
    let file = bomb(4096);
    assert!(file.len() < 200_000);
    let found = problems(&file, &Limits::default());
    let raw = found.iter().find_map(|problem| match problem {
        Problem::Bomb { raw_bytes, .. } => Some(*raw_bytes),
        _ => None,
    });
    assert!(raw.unwrap() < 400 << 20, "{found:?}");
    assert!(Tape::open(Cursor::new(&file)).is_err());
    let mut reader = telemetry_v2::nevrcap::Reader::new(file.as_slice()).unwrap();
    assert!(matches!(reader.next(), Ok(Some(telemetry_v2::nevrcap::Item::Problem(Problem::Bomb { .. })))));
    assert!(reader.next().is_err());
}

#[test]
fn honest_files_are_far_from_being_bombs() {
    // The same frame over and over, as from a game that waits in a menu.
    let still: Vec<_> = (0..4000)
        .map(|index| {
            let mut frame = frames(1).remove(0);
            (frame.frame_index, frame.timestamp_offset_ms) = (index, index * 16);
            frame
        })
        .collect();
    let file = write(&still, WriteOptions { keyframe_interval: 1000, level: 9, ..WriteOptions::default() });
    let limits = Limits { free_bytes: 0, ..Limits::default() };
    assert_eq!(problems(&file, &limits), []);
}

#[test]
fn a_length_of_gigabytes_takes_no_memory() {
    // Five bytes that declare 4 GiB, and seventy that declare the maximum.
    for file in [&[0xff, 0xff, 0xff, 0xff, 0x0f][..], &[0xff; 70][..]] {
        assert!(!problems(file, &Limits::default()).is_empty());
    }
    let limits = Limits { record_bytes: 1000, ..Limits::default() };
    let file = write(&frames(3), WriteOptions::default());
    let found = problems(&file, &limits);
    assert!(
        found
            .iter()
            .any(|problem| matches!(problem, Problem::Lost { cause: LostCause::Length { limit: 1000, .. }, .. }))
    );
}

#[test]
fn a_file_of_garbage_does_not_make_a_list_without_end() {
    // Frames with two empty bytes between them.
    let file = [[8, 0x12, 6, 0x08, 1, 0x10, 1, 0x52, 0, 0, 0]; 5000].concat();
    let tape = Tape::open(Cursor::new(&file)).unwrap();
    assert!(tape.problems().len() < 1100, "{}", tape.problems().len());
    assert!(matches!(tape.problems().last(), Some(Problem::Unlisted { .. })));
}

#[test]
fn a_window_larger_than_allowed_is_refused() {
    // A frame whose header requires a window of 2^31 bytes, and one of 2^20.
    for (window_log, refused) in [(31u8, true), (20, false)] {
        let mut file = vec![0x28, 0xb5, 0x2f, 0xfd, 0x00, (window_log - 10) << 3];
        file.extend_from_slice(&[0x01, 0, 0]);
        let found = problems(&file, &Limits::default());
        assert_eq!(found.iter().any(|problem| matches!(problem, Problem::Damaged { .. })), refused, "{found:?}");
    }
}

#[test]
fn a_seek_table_that_lies_is_not_believed() {
    let file = write(&frames(40), WriteOptions { keyframe_interval: 8, ..WriteOptions::default() });
    let end = file.len();
    for count in [0u32, 1, 1 << 19, u32::MAX] {
        let mut lying = file.clone();
        lying[end - 9..end - 5].copy_from_slice(&count.to_le_bytes());
        let mut tape = Tape::open(Cursor::new(&lying)).unwrap();
        assert!(!tape.index().from_footer);
        assert_eq!(tape.frame_at(39).unwrap().unwrap().frame.frame_index, 39);
    }
}
