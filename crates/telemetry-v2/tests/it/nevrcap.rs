//! Files of the first version.

use telemetry_v2::detect::{FileKind, file_kind};
use telemetry_v2::nevrcap::{Item, ReadError, Reader, Writer};
use telemetry_v2::proto::telemetry::v1::{LobbySessionStateFrame, TelemetryHeader};
use telemetry_v2::read::Problem;
use telemetry_v2::write::{Layout, WriteOptions};

use super::files::write;
use super::made_match;
use super::scenario::{CREATED_AT, WithBones, v1_frame};

fn header() -> TelemetryHeader {
    TelemetryHeader {
        capture_id: "b0c9a3e7-8b14-4d8a-9f2c-1e3b4a5c6d7e".to_owned(),
        created_at: Some(CREATED_AT),
        metadata: [("recorder".to_owned(), "test".to_owned())].into(),
    }
}

fn frames(count: u32) -> Vec<LobbySessionStateFrame> {
    (0..count).map(|frame_index| LobbySessionStateFrame { frame_index, ..v1_frame(2, WithBones::TwentyTwo) }).collect()
}

fn file(frames: &[LobbySessionStateFrame], packed: bool) -> Vec<u8> {
    let mut writer =
        if packed { Writer::new(Vec::new(), &header(), 1) } else { Writer::plain(Vec::new(), &header()) }.unwrap();
    frames.iter().for_each(|frame| writer.frame(frame).unwrap());
    writer.finish().unwrap()
}

type Found = (Option<TelemetryHeader>, Vec<LobbySessionStateFrame>, Vec<Problem>);

fn read(file: &[u8]) -> Result<Found, ReadError> {
    let mut reader = Reader::new(file)?;
    let mut found = (None, Vec::new(), Vec::new());
    while let Some(item) = reader.next()? {
        match item {
            Item::Header(record) => found.0 = Some(record.header().unwrap()),
            Item::Frame(record) => found.1.push(record.frame().unwrap()),
            Item::Problem(problem) => found.2.push(problem),
        }
    }
    Ok(found)
}

#[test]
fn files_of_the_first_version_come_back() {
    let frames = frames(20);
    for packed in [true, false] {
        assert_eq!(read(&file(&frames, packed)).unwrap(), (Some(header()), frames.clone(), vec![]));
    }
}

#[test]
fn a_file_cut_short_gives_every_whole_frame_and_says_so() {
    let frames = frames(6);
    for packed in [true, false] {
        let whole = file(&frames, packed);
        for cut in (200..whole.len() - 1).step_by(11) {
            let (_, found, problems) = read(&whole[..cut]).unwrap();
            assert_eq!(found, frames[..found.len()]);
            assert!(!problems.is_empty() || !packed, "cut at {cut}");
        }
    }
}

#[test]
fn after_damage_in_a_plain_file_the_next_frames_are_found() {
    let frames = frames(8);
    let mut broken = file(&frames, false);
    let mut reader = Reader::new(broken.as_slice()).unwrap();
    let mut offsets = Vec::new();
    while let Some(Item::Header(record) | Item::Frame(record)) = reader.next().unwrap() {
        offsets.push(record.offset as usize);
    }
    // The length of the third frame, and the bytes after it.
    broken[offsets[3]..offsets[3] + 3].fill(0xff);
    let (_, found, problems) = read(&broken).unwrap();
    assert_eq!(found, [&frames[..2], &frames[3..]].concat());
    assert!(matches!(problems[..], [Problem::Lost { .. }]), "{problems:?}");
}

#[test]
fn versions_are_told_apart_by_content() {
    let v2 = made_match::frames(30);
    for packed in [true, false] {
        let kind = |version| Some(FileKind { version, packed });
        assert_eq!(file_kind(&file(&frames(3), packed)), kind(1));
        let layout = if packed { Layout::Blocks } else { Layout::Plain };
        let tape = write(&v2, WriteOptions { layout, ..WriteOptions::default() });
        assert_eq!(file_kind(&tape), kind(2));
        assert_eq!(file_kind(&tape[..tape.len() / 2]), kind(2));
        assert!(matches!(
            telemetry_v2::read::Reader::new(file(&frames(3), packed).as_slice()).unwrap().read_all(),
            Err(telemetry_v2::read::ReadError::FirstVersion)
        ));
        assert!(matches!(read(&tape), Err(ReadError::NotFirstVersion)));
    }
    assert_eq!(file_kind(b"PK\x03\x04 a zip"), None);
    assert_eq!(file_kind(b"2024/01/02 10:11:12.123\t{}"), None);
    assert_eq!(file_kind(b""), None);
}
