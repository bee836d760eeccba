//! Truncated and damaged files: everything intact is read, everything else is reported, nothing wrong is returned.

use std::io::Cursor;

use telemetry_v2::decode::LostCause;
use telemetry_v2::proto::telemetry::v2::Frame;
use telemetry_v2::read::{Problem, Reader, Tape};
use telemetry_v2::write::{Layout, WriteOptions};

use super::files::write;
use super::made_match::{frame, without_states};

fn small(count: u32) -> Vec<Frame> {
    (0..count).map(|index| frame(index, 1, false)).collect()
}

fn options(layout: Layout) -> WriteOptions {
    WriteOptions { layout, keyframe_interval: 4, ..WriteOptions::default() }
}

fn read(file: &[u8]) -> (Vec<Frame>, Vec<Problem>) {
    let capture = Reader::new(file).unwrap().read_all().unwrap();
    (without_states(capture.frames), capture.problems)
}

#[test]
fn a_plain_stream_cut_anywhere_gives_every_whole_record() {
    let frames = small(12);
    let file = write(&frames, options(Layout::Plain));
    let mut most = 0;
    for cut in 1..file.len() {
        let (found, problems) = read(&file[..cut]);
        assert_eq!(found, frames[..found.len()], "cut at {cut}");
        assert!(problems.contains(&Problem::NoFooter), "cut at {cut}");
        assert!(found.len() >= most, "cut at {cut}");
        most = found.len();
    }
    assert_eq!(most, 12);
}

#[test]
fn a_packed_file_cut_anywhere_gives_every_block_before_the_cut() {
    // A block of a zstd stream is returned when it is complete, and it has up to 128 KiB.
    for (layout, frames, step) in
        [(Layout::Blocks, small(24), 3), (Layout::Stream, super::made_match::frames(300), 9973)]
    {
        let file = write(&frames, options(layout));
        let mut most = 0;
        for cut in (5..file.len() - 8).step_by(step) {
            let (found, problems) = read(&file[..cut]);
            assert_eq!(found, frames[..found.len()], "{layout:?} cut at {cut}");
            assert!(!problems.is_empty() || layout == Layout::Blocks, "{layout:?} cut at {cut}");
            most = most.max(found.len());
        }
        assert!(most >= frames.len() / 2, "{layout:?} {most}");
    }
}

#[test]
fn a_file_without_footer_is_entered_all_the_same() {
    let frames = small(40);
    let file = write(&frames, options(Layout::Blocks));
    let mut tape = Tape::open(Cursor::new(&file[..file.len() * 3 / 4])).unwrap();
    assert!(!tape.index().from_footer && !tape.index().has_footer && tape.index().has_blocks);
    assert!(tape.problems().contains(&Problem::NoFooter));
    let last = tape.index().frame_count - 1;
    let found = tape.frame_at(last).unwrap().unwrap();
    assert_eq!(without_states(vec![found.frame])[0], frames[last as usize]);
    assert!(found.frames_read <= 4);
}

/// Flips every bit of the file, one at a time.
#[test]
fn a_flipped_bit_costs_its_block_and_never_gives_a_wrong_frame() {
    let frames = small(16);
    let file = write(&frames, options(Layout::Blocks));
    for place in 0..file.len() {
        let mut broken = file.clone();
        broken[place] ^= 1 << (place % 8);
        let capture = Reader::new(broken.as_slice()).unwrap().read_all().unwrap();
        let problems = capture.problems.len();
        let found = without_states(capture.frames);
        for frame in &found {
            assert_eq!(*frame, frames[frame.frame_index as usize], "bit of byte {place}");
        }
        assert!(found.len() >= frames.len() - 4, "byte {place}: {} frames, {:?}", found.len(), capture.problems);
        // In the table of blocks and in reserved bits a flip does no harm here; lost frames are always reported.
        assert!(found.len() == frames.len() || problems > 0, "byte {place}");
    }
}

/// A block that is decompressed in several steps: the part before the damage is not returned either, since its start is unknown.
#[test]
fn nothing_of_a_block_is_given_before_its_checksum_was_right() {
    let frames = super::made_match::frames(400);
    let file = write(&frames, WriteOptions { keyframe_interval: 200, ..WriteOptions::default() });
    let second = Tape::open(Cursor::new(&file)).unwrap().index().keyframes[1].byte_offset as usize;
    let mut broken = file.clone();
    // The last byte of the first block: its checksum.
    broken[second - 1] ^= 1;
    let (found, problems) = read(&broken);
    assert_eq!(found, frames[200..]);
    assert!(problems.contains(&Problem::FrameOrder { expected: 0, found: 200 }));
}

#[test]
fn a_damaged_index_is_told_and_made_again() {
    let frames = small(30);
    let file = write(&frames, options(Layout::Blocks));
    // The size of a block in the table, then the table's magic number.
    for place in [file.len() - 25, file.len() - 1] {
        let mut broken = file.clone();
        broken[place] ^= 0x10;
        let mut tape = Tape::open(Cursor::new(&broken)).unwrap();
        assert!(!tape.index().from_footer);
        assert_eq!(
            tape.problems().iter().any(|problem| matches!(problem, Problem::Index { .. })),
            place != file.len() - 1
        );
        let found = tape.frame_at(29).unwrap().unwrap();
        assert_eq!(without_states(vec![found.frame])[0], frames[29]);
    }
}

#[test]
fn after_a_broken_length_the_next_records_are_found() {
    let frames = small(12);
    let file = write(&frames, options(Layout::Plain));
    let mut reader = Reader::new(file.as_slice()).unwrap();
    let mut places = Vec::new();
    while let Some(telemetry_v2::read::Item::Record(placed)) = reader.next().unwrap() {
        places.push(placed.place.offset as usize);
    }
    // Record 0 is the header, so this is the length of frame 5: longer than any record, longer than the rest, shorter than it was.
    for bytes in [[0xff, 0x7f], [0xff, 0x3f], [0x05, 0x12]] {
        let mut broken = file.clone();
        broken[places[6]..places[6] + 2].copy_from_slice(&bytes);
        let (found, problems) = read(&broken);
        let expected: Vec<_> = frames.iter().filter(|frame| frame.frame_index != 5).cloned().collect();
        assert_eq!(found, expected, "{bytes:?}");
        let lost = problems.iter().find_map(|problem| match problem {
            Problem::Lost { offset, bytes, .. } => Some((*offset as usize, *bytes as usize)),
            _ => None,
        });
        assert_eq!(lost, Some((places[6], places[7] - places[6])), "{problems:?}");
        assert!(problems.contains(&Problem::FrameOrder { expected: 5, found: 6 }));
        assert!(problems.contains(&Problem::FrameCount { stated: 12, found: 11 }));
    }
}

#[test]
fn garbage_between_blocks_is_passed_over() {
    let frames = small(8);
    let file = write(&frames, options(Layout::Blocks));
    let tape = Tape::open(Cursor::new(&file)).unwrap();
    let place = tape.index().keyframes[1].byte_offset as usize;
    let broken = [&file[..place], b"some bytes that nobody knows", &file[place..]].concat();
    let (found, problems) = read(&broken);
    assert_eq!(found, frames);
    assert!(
        matches!(&problems[..], [Problem::Damaged { offset, bytes: 28, .. }] if *offset == place as u64),
        "{problems:?}"
    );
}

#[test]
fn joined_and_empty_files_are_read_as_far_as_they_make_sense() {
    let file = write(&small(4), options(Layout::Plain));
    let joined = [file.as_slice(), file.as_slice()].concat();
    let (found, problems) = read(&joined);
    assert_eq!(found.len(), 8);
    assert!(problems.iter().any(|problem| matches!(problem, Problem::SecondHeader { .. })));
    assert!(problems.contains(&Problem::FrameOrder { expected: 4, found: 0 }));
    assert_eq!(read(&[]).1, [Problem::NoFooter]);
    assert!(Tape::open(Cursor::new(&[][..])).is_err());
    let (_, problems) = read(b"This is a text that somebody gave a wrong name.");
    assert!(
        problems.iter().any(|problem| matches!(problem, Problem::Lost { cause: LostCause::Truncated, .. })),
        "{problems:?}"
    );
}
