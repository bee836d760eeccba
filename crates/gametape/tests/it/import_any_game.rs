//! Tapes of games without their own Telemetry V2 messages, exported and imported again: nothing is lost that a capture can represent.
#![allow(clippy::unwrap_used, clippy::panic, missing_docs)]
use crate::importing;
use crate::support;
use crate::unsynced;

use std::collections::BTreeMap;
use std::path::Path;
use std::sync::Arc;

use gametape::export::v2::stream_tape;
use gametape::format::read::Tape;
use gametape::format::write::{TapeBuilder, WriteOptions};
use gametape::format::{Channel, ChannelType, Event, Role, StreamSpec, TapeId};
use importing::{frames, import_as};
use telemetry_v2::proto::telemetry::v2::{
    CaptureHeader, Frame, Mark, RawFrame, RawHeader, RawStream, capture_header, envelope, frame,
};
use telemetry_v2::write::{Layout, Writer};
use telemetry_v2::{Record, Timestamp};
use unsynced::Unsynced;

/// A tape of an arbitrary game: pages with channels, packets of varying length, and a description that occurs once.
fn tape_of_a_game(path: &Path) -> Tape {
    let options = WriteOptions { start_utc_ns: Some(1_700_000_000_123_456_789), ..WriteOptions::new(TapeId([7; 16])) };
    let mut tape = TapeBuilder::create(Arc::new(Unsynced), path, &options, false).unwrap();
    let of_game = |spec: StreamSpec| StreamSpec { game: "some-game".into(), transport: "shm".into(), ..spec };
    // System streams of the tape lie between those of the game.
    tape.metadata(0, "track", "somewhere").unwrap();
    let channels =
        vec![Channel::new("speed", ChannelType::F32, 0, 1, "km/h"), Channel::new("wheels", ChannelType::U16, 4, 4, "")];
    let pages = StreamSpec { skip_unchanged: true, ..of_game(StreamSpec::columns("pages", 12, channels)) };
    let pages = tape.add_stream(pages, 0).unwrap();
    tape.event(0, "session_start", "one").unwrap();
    let packets = tape.add_stream(of_game(StreamSpec::json("packets")), 0).unwrap();
    let names =
        StreamSpec { role: Role::Describe, describes: Some(packets), ..of_game(StreamSpec::rows("packets.names")) };
    let names = tape.add_stream(names, 0).unwrap();
    tape.add_stream(of_game(StreamSpec::rows("never-seen")), 0).unwrap();
    tape.append(names, 3, b"a, b").unwrap();
    for number in 0..3000u64 {
        let time_ns = 5 + number * 16_666_667;
        let speed = (number as f32 * 0.1).to_le_bytes();
        tape.append(pages, time_ns, &[&speed[..], &[number as u8; 8]].concat()).unwrap();
        if number % 7 == 0 {
            tape.append(packets, time_ns, format!("{{\"number\":{number}.50}}").as_bytes()).unwrap();
        }
        if number % 500 == 77 {
            tape.event(time_ns + 1, "mark", &format!("mark {number}")).unwrap();
        }
    }
    tape.metadata(0, "car", "").unwrap();
    tape.metadata(0, "source_file", "what it was made of.bin").unwrap();
    tape.finish().unwrap();
    Tape::open(path).unwrap()
}

/// Returns the descriptions of the game's streams without their ids, which depend on the tape.
fn streams(tape: &Tape) -> Vec<(StreamSpec, Option<String>)> {
    let of_games = tape.streams().filter(|stream| !stream.spec().role.is_system());
    let told = of_games.map(|stream| {
        let described = stream.spec().describes.map(|id| tape.stream(id).unwrap().name().to_owned());
        (StreamSpec { describes: None, ..stream.spec().clone() }, described)
    });
    told.collect()
}

fn v2(tape: &Tape) -> Vec<u8> {
    let mut bytes = Vec::new();
    stream_tape(tape, &(0..u64::MAX), &mut bytes).unwrap();
    bytes
}

#[test]
fn frames_times_marks_and_streams_of_any_game_come_back_from_a_capture() {
    let folder = tempfile::tempdir().unwrap();
    let tape = tape_of_a_game(&folder.path().join("first.gtape"));
    let capture = v2(&tape);
    let (imported, again, _folder) = import_as("a.tape", &capture).unwrap();
    assert_eq!((imported.frames, imported.problems), (3000 + 429 + 1, Vec::new()));
    assert_eq!(streams(&again), streams(&tape));
    assert_eq!(streams(&again).len(), 4);
    for name in ["pages", "packets", "packets.names", "never-seen"] {
        assert!(frames(&again, name) == frames(&tape, name), "{name}");
    }
    assert_eq!(frames(&again, "pages").len(), 3000);
    assert_eq!(again.events(), tape.events());
    assert_eq!(again.start_utc_ns(), Some(1_700_000_000_123_456_789));
    let metadata = again.metadata();
    assert_eq!((metadata["track"].as_str(), metadata["car"].as_str()), ("somewhere", ""));
    assert_eq!((metadata["source_file"].as_str(), metadata["source_kind"].as_str()), ("a.tape", "v2-tape"));
    assert_eq!(metadata["capture.source_file"], "what it was made of.bin");
    assert_eq!(metadata["capture_id"], TapeId([7; 16]).to_string());
    // Once more, with other stream ids.
    let (_, third, _folder) = import_as("b.tape", &v2(&again)).unwrap();
    assert_eq!(streams(&third), streams(&tape));
    assert!(frames(&third, "packets") == frames(&tape, "packets"));
}

#[test]
fn a_part_of_a_tape_is_a_capture_without_problems_and_a_hole_in_it_is_told() {
    let folder = tempfile::tempdir().unwrap();
    let tape = tape_of_a_game(&folder.path().join("first.gtape"));
    let mut bytes = Vec::new();
    stream_tape(&tape, &(10_000_000_000..20_000_000_000), &mut bytes).unwrap();
    let (imported, part, _folder) = import_as("part.tape", &bytes).unwrap();
    assert_eq!(imported.problems, Vec::<String>::new());
    let all = frames(&tape, "pages");
    let expected: Vec<_> =
        all.into_iter().filter(|(time_ns, _)| (10_000_000_000..20_000_000_000).contains(time_ns)).collect();
    assert!(frames(&part, "pages") == expected && expected.len() > 500);
    // Nothing is damaged: a frame is simply missing.
    let (imported, ..) =
        import_as("hole.tape", &file(Layout::Plain, [raw("pages", 5, 0), raw("pages", 9, 4)])).unwrap();
    assert!(
        imported.problems.iter().any(|problem| problem.contains("3 frames are left out")),
        "{:?}",
        imported.problems
    );
}

fn raw(stream: &str, time_ns: u64, sequence: u64) -> frame::Payload {
    frame::Payload::Raw(RawFrame { stream: stream.into(), data: vec![sequence as u8].into(), time_ns, sequence })
}

fn mark(time_ns: u64, text: &str) -> frame::Payload {
    frame::Payload::Mark(Mark { kind: "mark".into(), text: text.into(), time_ns })
}

fn header(streams: Vec<RawStream>) -> CaptureHeader {
    CaptureHeader {
        created_at: Some(Timestamp { seconds: 5, nanos: 0 }),
        metadata: BTreeMap::from([(String::new(), "nameless".to_owned())]),
        game_header: Some(capture_header::GameHeader::Raw(RawHeader { game: "own".into(), streams })),
        ..CaptureHeader::default()
    }
}

fn file(layout: Layout, payloads: impl IntoIterator<Item = frame::Payload>) -> Vec<u8> {
    let options = telemetry_v2::write::WriteOptions { layout, ..Default::default() };
    let mut writer = Writer::new(Vec::new(), header(Vec::new()), options).unwrap();
    for (index, payload) in payloads.into_iter().enumerate() {
        let frame_index = index as u32;
        writer
            .frame(Frame { frame_index, timestamp_offset_ms: 3, payload: Some(payload), ..Frame::default() })
            .unwrap();
    }
    writer.finish().unwrap().0
}

#[test]
fn captures_of_other_programs_are_read_as_far_as_they_tell() {
    for layout in [Layout::Plain, Layout::Stream, Layout::Blocks] {
        // No streams in the header, no nanoseconds, a time that goes back.
        let payloads =
            [raw("a", 0, 0), raw("b", 7_000_000, 0), raw("b", 6_000_000, 1), mark(8_000_000, "x"), mark(1, "y")];
        let (imported, tape, _folder) = import_as("a.tape", &file(layout, payloads)).unwrap();
        assert_eq!(imported.frames, 3);
        assert_eq!(imported.problems, ["the time goes back in 2 records: they stand at the time before it"]);
        assert_eq!(frames(&tape, "a"), [(3_000_000, vec![0])]);
        assert_eq!(frames(&tape, "b"), [(7_000_000, vec![0]), (7_000_000, vec![1])]);
        assert_eq!(tape.stream_named("b").unwrap().spec().game, "own");
        let marks: Vec<Event> = tape.events().into_iter().filter(|event| event.kind == "mark").collect();
        assert_eq!(marks.iter().map(|mark| mark.at_ns).collect::<Vec<_>>(), [8_000_000, 8_000_000]);
        assert_eq!(tape.metadata()["capture."], "nameless");
    }
}

#[test]
fn what_no_tape_can_have_and_what_nobody_knows_is_kept_to_the_byte() {
    let spec = StreamSpec { role: Role::Events, ..StreamSpec::rows("pretends") };
    let describe = |name: &str, descriptor: Vec<u8>| RawStream {
        name: name.into(),
        descriptor: descriptor.into(),
        ..Default::default()
    };
    let streams = vec![
        describe("pretends", spec.to_bytes()),
        describe("twice", Vec::new()),
        describe("twice", b"nonsense".to_vec()),
        describe("other", StreamSpec::rows("another name").to_bytes()),
        describe(".events", Vec::new()),
    ];
    let options = telemetry_v2::write::WriteOptions { layout: Layout::Plain, ..Default::default() };
    let header = Record::from_message(envelope::Message::Header(header(streams)));
    let mut writer = Writer::copying(Vec::new(), &header, options).unwrap();
    let mut kept = Vec::new();
    let of = |frame_index, payload| {
        Record::from_message(envelope::Message::Frame(Frame {
            frame_index,
            payload: Some(payload),
            ..Frame::default()
        }))
    };
    for (number, name) in ["pretends", "twice", "other", ".events", "", "v2.rest"].into_iter().enumerate() {
        let record = of(number as u32, raw(name, 10, 0));
        writer.verbatim(&record).unwrap();
        if name.is_empty() || name == ".events" {
            kept.push(record.bytes().to_vec());
        }
    }
    let long = of(6, mark(10, &"x".repeat(70_000)));
    let unknown_field =
        Record::from_bytes([of(7, raw("other", 11, 1)).bytes().as_ref(), b"\x7a\x03new"].concat()).unwrap();
    let unknown_payload = Record::from_bytes(b"\x12\x08\x08\x08\xea\x04\x03abc".to_vec()).unwrap();
    for record in [long, unknown_field, unknown_payload] {
        writer.verbatim(&record).unwrap();
        kept.push(record.bytes().to_vec());
    }
    let (imported, tape, _folder) = import_as("a.tape", &writer.finish().unwrap().0).unwrap();
    assert!(imported.problems.iter().any(|problem| problem.contains("5 records say more")), "{:?}", imported.problems);
    assert_eq!(tape.stream_named("pretends").unwrap().spec().role, Role::Data);
    assert_eq!(frames(&tape, "other").len(), 2, "what is understood of a record is on the tape, too");
    // The capture itself has a stream of that name, with a frame of one byte.
    let rest: Vec<Vec<u8>> =
        frames(&tape, "v2.rest").into_iter().map(|(_, bytes)| bytes).filter(|bytes| bytes.len() > 1).collect();
    assert!(rest == kept);
}

#[test]
fn of_a_cut_or_damaged_capture_everything_that_is_whole_is_imported() {
    let folder = tempfile::tempdir().unwrap();
    let tape = tape_of_a_game(&folder.path().join("first.gtape"));
    let bytes = v2(&tape);
    let (imported, part, _folder) = import_as("cut.tape", &bytes[..bytes.len() / 2]).unwrap();
    assert!(imported.problems.iter().any(|problem| problem.contains("no footer")), "{:?}", imported.problems);
    let (found, all) = (frames(&part, "pages"), frames(&tape, "pages"));
    assert!(found.len() > 1000 && all.starts_with(&found));
    // The header names no game, but the frames do.
    let options = telemetry_v2::write::WriteOptions { layout: Layout::Plain, ..Default::default() };
    let mut writer =
        Writer::new(Vec::new(), CaptureHeader { capture_id: "c".into(), ..Default::default() }, options).unwrap();
    writer.frame(Frame { payload: Some(raw("a", 5, 0)), ..Frame::default() }).unwrap();
    let (imported, part, _folder) = import_as("nameless.tape", &writer.finish().unwrap().0).unwrap();
    assert_eq!((imported.frames, frames(&part, "a")), (1, vec![(5, vec![0])]));
}

#[test]
fn a_source_with_more_frames_or_other_problems_than_the_tape_differs_from_it() {
    let of = |sequence, data: u8| {
        frame::Payload::Raw(RawFrame { stream: "a".into(), data: vec![data].into(), time_ns: 5, sequence })
    };
    let (_, tape, folder) = import_as("a.tape", &file(Layout::Plain, [of(0, 1), of(1, 2)])).unwrap();
    let against = |name: &str, payloads: Vec<frame::Payload>| {
        let source = support::put(&folder.path().join(name), &file(Layout::Plain, payloads));
        importing::differences(&tape, &source)
    };
    assert_eq!(against("same.tape", vec![of(0, 1), of(1, 2)]), Vec::<String>::new());
    assert_eq!(against("more.tape", vec![of(0, 1), of(1, 2), of(2, 3)]), ["a: the tape has no matching frame"]);
    // The same bytes, with a gap in the sequence numbers.
    assert_eq!(
        against("hole.tape", vec![of(0, 1), of(5, 2)]),
        ["events: problems found in the source: 1, recorded in the tape: 0"]
    );
}
