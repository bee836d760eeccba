//! Fields and variants of later versions pass through this crate unchanged.

use bytes::Bytes;
use telemetry_v2::generation::Generation;
use telemetry_v2::read::{Item, Reader};
use telemetry_v2::write::{Layout, WriteError, WriteOptions, Writer};
use telemetry_v2::{Record, RecordKind};

use super::files::write;
use super::made_match::frames;

/// Fields that no schema has, of every wire type: number 2000 and up.
const STRANGE: [u8; 29] = [
    0x80, 0x7d, 5, // varint
    0x8a, 0x7d, 3, b'a', b'b', b'c', // bytes
    0x95, 0x7d, 1, 2, 3, 4, // four bytes
    0x99, 0x7d, 1, 2, 3, 4, 5, 6, 7, 8, // eight bytes
    0xa3, 0x7d, 0xa4, 0x7d, // an empty group
];

fn field(number: u32, bytes: &[u8]) -> Vec<u8> {
    let mut out = Vec::new();
    prost::encoding::encode_varint(u64::from(number) << 3 | 2, &mut out);
    prost::encoding::encode_varint(bytes.len() as u64, &mut out);
    out.extend_from_slice(bytes);
    out
}

/// Adds the unknown fields before and after the fields of the message and of the messages along `path`.
fn strange(message: &[u8], path: &[u32]) -> Vec<u8> {
    let mut out = STRANGE.to_vec();
    for found in telemetry_v2::wire::Fields::new(message) {
        let found = found.unwrap();
        match (path.split_first(), found.bytes()) {
            (Some((number, deeper)), Some(inner)) if *number == found.number => {
                out.extend(field(found.number, &strange(inner, deeper)));
            }
            _ => out.extend_from_slice(found.raw),
        }
    }
    out.extend_from_slice(&STRANGE);
    out
}

fn records_of(file: &[u8]) -> Vec<Record> {
    let mut reader = Reader::new(file).unwrap();
    let mut records = Vec::new();
    while let Some(item) = reader.next().unwrap() {
        match item {
            Item::Record(placed) => records.push(placed.record),
            Item::Problem(problem) => panic!("{problem}"),
        }
    }
    records
}

/// A stream with unknown fields at every level, an unknown payload and event, and a record of an unknown kind between the frames.
fn strange_records() -> Vec<Record> {
    let options = WriteOptions { layout: Layout::Plain, keyframe_state: false, ..WriteOptions::default() };
    let mut records = records_of(&write(&frames(40), options));
    records.pop();
    let mut out: Vec<_> = records
        .iter()
        .map(|record| {
            let path: &[u32] = if record.kind() == RecordKind::Header { &[1, 10, 8] } else { &[2, 10, 12] };
            Record::from_bytes(strange(record.bytes(), path)).unwrap()
        })
        .collect();
    // Frame 40: payload 77. Frame 41: an Echo frame with event variant 69.
    let payload = [vec![0x08, 40, 0x10, 1], field(77, b"a game of the year 2030")].concat();
    out.push(Record::from_bytes(field(2, &payload)).unwrap());
    let event = [vec![0x08, 41, 0x10, 2], field(10, &field(12, &field(69, &[0x08, 1])))].concat();
    out.push(Record::from_bytes(field(2, &event)).unwrap());
    out.push(Record::from_bytes(field(9, b"a kind of record of the year 2030")).unwrap());
    out
}

fn copied(records: &[Record], options: WriteOptions) -> Vec<Record> {
    let mut writer = Writer::copying(Vec::new(), &records[0], options).unwrap();
    records[1..].iter().for_each(|record| writer.record(record).unwrap());
    let (file, _) = writer.finish().unwrap();
    let mut copy = records_of(&file);
    assert_eq!(copy.pop().unwrap().kind(), RecordKind::Footer);
    copy
}

#[test]
fn unknown_fields_survive_a_read_and_a_write_unchanged() {
    let records = strange_records();
    assert_eq!(records.last().unwrap().kind(), RecordKind::Unknown(9));
    for layout in [Layout::Plain, Layout::Blocks, Layout::Stream] {
        let options = WriteOptions { layout, keyframe_state: false, keyframe_interval: 8, ..WriteOptions::default() };
        assert_eq!(copied(&records, options), records, "{layout:?}");
    }
}

#[test]
fn states_are_added_to_copies_without_touching_the_rest() {
    let records = strange_records();
    let options = WriteOptions { keyframe_interval: 8, ..WriteOptions::default() };
    let copy = copied(&records, options);
    assert_eq!(copy.len(), records.len());
    for (old, new) in records.iter().zip(&copy).skip(1) {
        let Ok(outline) = new.outline() else { continue };
        if outline.frame_index % 8 != 0 || outline.payload != Some(10) {
            assert_eq!(old, new);
            continue;
        }
        assert!(outline.has_state);
        assert_eq!(strange_fields(old.bytes()), strange_fields(new.bytes()));
        let (mut with, without) = (new.frame(&Default::default()).unwrap(), old.frame(&Default::default()).unwrap());
        with = super::made_match::without_states(vec![with]).remove(0);
        assert_eq!(with, without);
    }
    // A second copy changes nothing.
    assert_eq!(copied(&copy, options), copy);
}

fn strange_fields(bytes: &[u8]) -> usize {
    bytes.windows(STRANGE.len()).filter(|window| *window == STRANGE).count()
}

#[test]
fn frames_with_unknown_fields_are_still_decoded() {
    let records = strange_records();
    let frame = records[17].frame(&Default::default()).unwrap();
    assert_eq!(frame, frames(40)[16]);
    let outline = records[42].outline().unwrap();
    assert_eq!((outline.frame_index, outline.unknown_events, outline.events.len()), (41, 1, 0));
    assert_eq!(records[41].outline().unwrap().payload, Some(77));
}

#[test]
fn headers_and_footers_of_others_are_not_copied_into_the_middle() {
    let records = strange_records();
    let options = WriteOptions { generation: Generation::Third, ..WriteOptions::default() };
    let mut writer = Writer::copying(Vec::new(), &records[0], options).unwrap();
    assert!(matches!(writer.record(&records[0]), Err(WriteError::Kind { kind: RecordKind::Header })));
    let empty = Record::from_bytes(Bytes::new()).unwrap();
    assert!(matches!(writer.record(&empty), Err(WriteError::Kind { kind: RecordKind::Empty })));
    assert!(Writer::copying(Vec::new(), &records[1], options).is_err());
}
