//! Captures of the fifth generation: frame rates in the header, match settings as events, files compressed with a
//! dictionary; and fields of unexpected types.

use std::io::Cursor;

use bytes::Bytes;
use prost::Message as _;
use telemetry_v2::generation::Generation;
use telemetry_v2::proto::telemetry::v2::echo_event::Event;
use telemetry_v2::proto::telemetry::v2::*;
use telemetry_v2::read::{Problem, ReadError, Reader, Tape};
use telemetry_v2::write::{Layout, WriteOptions, Writer};
use telemetry_v2::{Dictionary, EventIndexEntry, EventName, ReadOptions, Record, RecordKind};

use super::made_match::{self, arena, frames};

const DICTIONARY: &[u8] = include_bytes!("../data/dictionary.zdict");

fn dictionary(id: u32, change: u8) -> Dictionary {
    let mut bytes = DICTIONARY.to_vec();
    bytes[4..8].copy_from_slice(&id.to_le_bytes());
    *bytes.last_mut().unwrap() ^= change;
    Dictionary::from_bytes(bytes).unwrap()
}

fn header(dictionary: Option<&Dictionary>) -> CaptureHeader {
    CaptureHeader {
        format_version: 2,
        format_minor: 2,
        producer: "another writer".to_owned(),
        nominal_frame_rate_hz: Some(60),
        idle_frame_rate_hz: Some(5),
        dictionary_sha256: dictionary.map(|one| Bytes::copy_from_slice(one.sha256())).unwrap_or_default(),
        ..made_match::header()
    }
}

fn header_record(header: CaptureHeader) -> Record {
    Record::from_message(envelope::Message::Header(header))
}

/// Frames in which the match settings change in every tenth.
fn fifth_frames(count: u32) -> Vec<Frame> {
    let mut frames = frames(count);
    for frame in frames.iter_mut().step_by(10) {
        let Some(frame::Payload::EchoArena(arena)) = &mut frame.payload else { panic!() };
        let event = Event::MatchSettingsChanged(Bytes::from_static(b"\x08\x05\x12\x03new"));
        arena.events.push(EchoEvent { event: Some(event) });
    }
    frames
}

fn write(header: &Record, count: u32, layout: Layout, dictionary: Option<&Dictionary>) -> Vec<u8> {
    let options = WriteOptions { layout, keyframe_interval: 8, keyframe_state: false, ..WriteOptions::default() };
    let mut writer = match dictionary {
        Some(dictionary) => Writer::copying_with_dictionary(Vec::new(), header, options, dictionary),
        None => Writer::copying(Vec::new(), header, options),
    }
    .unwrap();
    for frame in fifth_frames(count) {
        writer.record(&Record::from_message(envelope::Message::Frame(frame))).unwrap();
    }
    writer.keep_unknown_events([EventIndexEntry { event: EventName::Number(7), frame_indices: vec![0, 10, 20] }]);
    writer.finish().unwrap().0
}

fn with(dictionary: &Dictionary) -> ReadOptions {
    ReadOptions { dictionary: Some(dictionary.clone()), ..ReadOptions::default() }
}

#[test]
fn headers_and_events_of_the_fifth_generation_are_read() {
    for layout in [Layout::Plain, Layout::Blocks, Layout::Stream] {
        let file = write(&header_record(header(None)), 30, layout, None);
        let capture = Reader::new(file.as_slice()).unwrap().read_all().unwrap();
        assert_eq!(capture.problems, []);
        assert_eq!(capture.generation.unwrap().generation, Generation::Fifth);
        assert_eq!(capture.header, Some(header(None)), "roster, session and start time are present");
        assert_eq!(capture.frames, fifth_frames(30));
        // Neither the fields nor the type of the event are known: its entry in the index is preserved unchanged.
        let index = capture.footer.unwrap().event_index;
        assert_eq!(index.last().unwrap().event, EventName::Number(7));
        let tape = Tape::open(Cursor::new(file)).unwrap();
        assert_eq!((tape.header(), tape.problems()), (&header(None), &[][..]));
    }
    let settings = Record::from_message(envelope::Message::Frame(fifth_frames(1).remove(0))).outline().unwrap();
    assert_eq!((settings.settings_changes, settings.unknown_events, settings.events.len()), (1, 1, 1));
}

#[test]
fn strings_of_the_fourth_generation_are_still_read_from_the_same_fields() {
    let fourth = CaptureHeader {
        nominal_frame_rate_hz: None,
        idle_frame_rate_hz: None,
        engine_version: "34.4".to_owned(),
        engine_sha1: "ab".to_owned(),
        format_minor: 1,
        ..header(None)
    };
    let record = header_record(fourth.clone());
    assert_eq!(record.header(&Default::default()).unwrap(), fourth);
    let mut evidence = telemetry_v2::generation::Evidence::default();
    evidence.observe(&record, None);
    assert_eq!(evidence.verdict().generation, Generation::Fourth);
}

#[test]
fn the_seed_generation_omits_settings_and_reports_it() {
    let mut frame = fifth_frames(1).remove(0);
    let before = arena(&frame).events.len();
    assert!(telemetry_v2::meaning::frame_to_seed(&mut frame) > 0);
    assert_eq!(arena(&frame).events.len(), before - 1);
}

#[test]
fn a_header_field_of_an_unexpected_type_costs_that_field_and_is_told() {
    // The producer becomes a number, the version a float: what a sixth generation might do.
    let good = CaptureHeader { producer: String::new(), format_minor: 0, ..header(None) };
    let mut bytes = good.encode_to_vec();
    bytes.extend([0x48, 7, 0x2d, 1, 2, 3, 4]);
    let mut envelope = vec![0x0a];
    prost::encoding::encode_varint(bytes.len() as u64, &mut envelope);
    envelope.extend(bytes);
    let record = Record::from_bytes(envelope).unwrap();
    for layout in [Layout::Plain, Layout::Blocks] {
        let file = write(&record, 30, layout, None);
        assert_eq!(telemetry_v2::detect::file_kind(&file).unwrap().version, 2);
        let capture = Reader::new(file.as_slice()).unwrap().read_all().unwrap();
        assert_eq!(capture.header.as_ref(), Some(&good));
        let [Problem::Misfits { offset: 0, misfits }] = capture.problems.as_slice() else {
            panic!("{:?}", capture.problems)
        };
        assert_eq!((misfits.count, misfits.listed[0].field), (2, "producer"));
        let tape = Tape::open(Cursor::new(&file)).unwrap();
        assert_eq!((tape.header(), tape.problems()), (&good, capture.problems.as_slice()));
    }
}

#[test]
fn a_header_that_cannot_be_read_at_all_is_told() {
    // Its bytes are not valid fields.
    let record = Record::from_bytes(b"\x0a\x02\x0a\xff".to_vec()).unwrap();
    for layout in [Layout::Plain, Layout::Blocks] {
        let file = write(&record, 30, layout, None);
        let broken = |problem: &Problem| matches!(problem, Problem::BrokenHeader { .. });
        let capture = Reader::new(file.as_slice()).unwrap().read_all().unwrap();
        assert_eq!((capture.frames.len(), capture.problems.iter().filter(|one| broken(one)).count()), (30, 1));
        let tape = Tape::open(Cursor::new(&file)).unwrap();
        assert_eq!(tape.problems().iter().filter(|one| broken(one)).count(), 1, "{:?}", tape.problems());
    }
}

#[test]
fn a_frame_field_of_an_unexpected_type_costs_that_field_and_is_told() {
    let frame = fifth_frames(1).remove(0);
    let mut player = PlayerState { slot: 3, ..Default::default() }.encode_to_vec();
    player.extend([0x42, 2, b'3', b'0']);
    let mut message = Frame { payload: None, ..frame.clone() }.encode_to_vec();
    let mut inner = arena(&frame).encode_to_vec();
    inner.extend([0x2a, player.len() as u8]);
    inner.extend(&player);
    message.push(0x52);
    prost::encoding::encode_varint(inner.len() as u64, &mut message);
    message.extend(inner);
    let mut envelope = vec![0x12];
    prost::encoding::encode_varint(message.len() as u64, &mut envelope);
    envelope.extend(message);
    let record = Record::from_bytes(envelope.clone()).unwrap();
    let fitted = record.fitted_frame(&Default::default()).unwrap();
    assert_eq!(arena(&fitted.message).players.last().unwrap().slot, 3);
    assert_eq!(arena(&fitted.message).events, arena(&frame).events);
    assert!(fitted.misfits.to_string().starts_with("PlayerState.ping (field 8)"), "{}", fitted.misfits);
    assert_eq!(record.bytes(), &envelope, "the record keeps the fields that the message lacks");
}

#[test]
fn files_packed_with_a_dictionary_are_read_with_it_and_entered_in_the_middle() {
    let right = dictionary(40_000, 0);
    let record = header_record(header(Some(&right)));
    for layout in [Layout::Blocks, Layout::Stream] {
        let file = write(&record, 30, layout, Some(&right));
        assert_eq!(telemetry_v2::detect::file_kind(&file).unwrap().version, 2, "{layout:?}");
        let capture = Reader::with_options(file.as_slice(), &with(&right)).unwrap().read_all().unwrap();
        assert_eq!(capture.problems, [], "{layout:?}");
        assert_eq!((capture.header, capture.frames), (Some(header(Some(&right))), fifth_frames(30)));
        let mut tape = Tape::open_with_options(Cursor::new(&file), &with(&right)).unwrap();
        assert_eq!(tape.index().from_footer, layout == Layout::Blocks);
        assert_eq!(tape.frame_at(17).unwrap().unwrap().frame, fifth_frames(30)[17]);
    }
    // The dictionary does no harm to files without one.
    let plain = write(&header_record(header(None)), 30, Layout::Blocks, None);
    let capture = Reader::with_options(plain.as_slice(), &with(&right)).unwrap().read_all().unwrap();
    assert_eq!((capture.problems.as_slice(), capture.frames), (&[][..], fifth_frames(30)));
}

#[test]
fn without_the_dictionary_or_with_another_nothing_wrong_is_given() {
    let right = dictionary(40_000, 0);
    let record = header_record(header(Some(&right)));
    for layout in [Layout::Blocks, Layout::Stream] {
        let file = write(&record, 30, layout, Some(&right));
        let error = |options: &ReadOptions| {
            let error = Reader::with_options(file.as_slice(), options).unwrap().read_all().unwrap_err();
            assert_eq!(
                error.to_string(),
                Tape::open_with_options(Cursor::new(&file), options).err().unwrap().to_string()
            );
            error
        };
        let without = error(&ReadOptions::default());
        let ReadError::NeedsDictionary { id: 40_000, given: None, sha256 } = &without else { panic!("{without:?}") };
        // In a single stream, the header is inside it, too.
        assert_eq!(sha256.is_empty(), layout == Layout::Stream);
        if layout == Layout::Blocks {
            assert!(without.to_string().contains("40000 (SHA-256 "), "{without}");
        }
        let of_other_id = error(&with(&dictionary(40_001, 0)));
        assert!(!of_other_id.to_string().is_empty());
        // The same id with different contents: the header shows that it is the wrong one.
        let colliding = error(&with(&dictionary(40_000, 1)));
        assert!(matches!(&colliding, ReadError::OtherDictionary { .. }), "{layout:?}: {colliding:?}");
    }
}

#[test]
fn a_dictionary_that_the_header_does_not_state_is_used_and_told() {
    let right = dictionary(40_000, 0);
    let file = write(&header_record(header(None)), 30, Layout::Blocks, Some(&right));
    let capture = Reader::with_options(file.as_slice(), &with(&right)).unwrap().read_all().unwrap();
    assert_eq!(capture.frames, fifth_frames(30));
    assert_eq!(capture.problems, [Problem::UncheckedDictionary { id: 40_000 }]);
    let error = Reader::new(file.as_slice()).unwrap().read_all().unwrap_err();
    assert!(matches!(error, ReadError::NeedsDictionary { id: 40_000, .. }));
}

/// A single flipped bit can make a block refer to a dictionary: it costs that block, not the file.
#[test]
fn one_block_that_names_a_dictionary_by_damage_costs_that_block() {
    let file = write(&header_record(header(None)), 30, Layout::Blocks, None);
    let keyframes = Tape::open(Cursor::new(&file)).unwrap().index().keyframes.clone();
    for block in [0, keyframes[1].byte_offset as usize] {
        let mut broken = file.clone();
        broken[block + 4] |= 1;
        let capture = Reader::new(broken.as_slice()).unwrap().read_all().unwrap();
        assert!(capture.problems.iter().any(|one| matches!(one, Problem::NeedsDictionary { .. })), "{block}");
        assert_eq!(capture.frames.len(), if block == 0 { 30 } else { 22 });
    }
}

#[test]
fn flipped_bits_of_a_file_with_a_dictionary_give_no_wrong_frame() {
    let right = dictionary(40_000, 0);
    let file = write(&header_record(header(Some(&right))), 16, Layout::Blocks, Some(&right));
    let frames = fifth_frames(16);
    // All of the header, and samples of the rest.
    for place in (0..300).chain((300..file.len()).step_by(211)) {
        let mut broken = file.clone();
        broken[place] ^= 1 << (place % 8);
        let Ok(capture) = Reader::with_options(broken.as_slice(), &with(&right)).unwrap().read_all() else { continue };
        assert!(capture.frames.iter().all(|frame| *frame == frames[frame.frame_index as usize]), "byte {place}");
        assert!(capture.frames.len() >= 8, "byte {place}");
    }
}

#[test]
fn footers_of_unexpected_types_are_told() {
    let mut bytes = write(&header_record(header(None)), 3, Layout::Plain, None);
    let record = Record::from_bytes(b"\x1a\x04\x08\x03\x12\x00".to_vec()).unwrap();
    assert_eq!(record.kind(), RecordKind::Footer);
    let footer = bytes.len() - Reader::new(bytes.as_slice()).unwrap().read_all().unwrap().footer.unwrap().encoded_len();
    bytes.truncate(footer - 3);
    bytes.push(record.bytes().len() as u8);
    bytes.extend(record.bytes());
    let capture = Reader::new(bytes.as_slice()).unwrap().read_all().unwrap();
    assert!(
        capture.problems.iter().any(|one| one.to_string().contains("CaptureFooter.duration_ms (field 2)")),
        "{:?}",
        capture.problems
    );
    assert_eq!(capture.footer.unwrap().frame_count, 3);
}
