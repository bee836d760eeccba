//! The four cases in which generations give the same bytes different meanings.

use std::io::Cursor;

use prost::Message as _;
use telemetry_v2::generation::{Evidence, Generation, SCHEMA_KEY, of_header};
use telemetry_v2::meaning::{self, FooterPlace};
use telemetry_v2::proto::telemetry::v2::echo_event::Event;
use telemetry_v2::proto::telemetry::v2::*;
use telemetry_v2::read::{Item, Reader, Tape};
use telemetry_v2::write::{Layout, WriteOptions, Writer};
use telemetry_v2::{Clock, EventName, Record};

use super::made_match::{arena, frames, header};

fn seed_file(layout: Layout, frames: &[Frame]) -> Vec<u8> {
    let options =
        WriteOptions { layout, generation: Generation::Seed, keyframe_interval: 16, ..WriteOptions::default() };
    let mut writer = Writer::new(Vec::new(), header(), options).unwrap();
    frames.iter().for_each(|frame| writer.frame(frame.clone()).unwrap());
    let (file, summary) = writer.finish().unwrap();
    assert!(summary.left_out > 0);
    file
}

/// The part of a frame that the seed generation can represent, with the meaning of the current one.
fn as_the_seed_keeps_it(frames: &[Frame]) -> Vec<Frame> {
    let mut kept = frames.to_vec();
    for frame in &mut kept {
        meaning::frame_to_seed(frame);
        meaning::frame_to_current(frame, Generation::Seed);
    }
    kept
}

#[test]
fn the_seeds_generation_is_written_and_read_with_the_same_meaning() {
    let frames = frames(90);
    for layout in [Layout::Plain, Layout::Blocks, Layout::Stream] {
        let capture = Reader::new(seed_file(layout, &frames).as_slice()).unwrap().read_all().unwrap();
        assert_eq!(capture.problems, []);
        let verdict = capture.generation.unwrap();
        assert_eq!((verdict.generation, verdict.certain, verdict.mixed), (Generation::Seed, true, false));
        assert_eq!(capture.frames, as_the_seed_keeps_it(&frames));
        // Slots survive both ways: 0, nobody, somebody.
        for index in [13, 28, 29, 16, 30, 21, 31] {
            let slots = |frame: &Frame| match arena(frame).events[0].event.as_ref().unwrap() {
                Event::DiscPossessionChanged(change) => vec![change.player_slot, change.previous_player_slot],
                Event::GoalScored(goal) => vec![goal.assist_slot],
                Event::PlayerSteal(steal) => vec![steal.victim_player_slot],
                other => panic!("{other:?}"),
            };
            assert_eq!(slots(&capture.frames[index]), slots(&frames[index]), "frame {index}");
        }
        let Some(Event::ScoreboardUpdated(scores)) = &arena(&capture.frames[5]).events[0].event else { panic!() };
        assert_eq!(scores.clock, Some(Clock::Display("04:05.50".to_owned())));
    }
}

#[test]
fn the_seeds_bytes_are_those_of_its_schema() {
    let file = seed_file(Layout::Plain, &frames(40));
    let mut reader = Reader::new(file.as_slice()).unwrap();
    let mut seen = 0;
    while let Some(Item::Record(placed)) = reader.next().unwrap() {
        let envelope = placed.record.envelope(&Default::default()).unwrap();
        match envelope.message.unwrap() {
            envelope::Message::Header(header) => {
                assert_eq!((header.format_version, header.format_minor, header.frame_encoding), (2, 0, 0));
                assert_eq!(header.metadata[SCHEMA_KEY], "telemetry.v2/seed");
            }
            envelope::Message::Frame(frame) => match arena(&frame).events.first().and_then(|event| event.event.clone())
            {
                // On the wire: nobody is -1, slot 0 is omitted.
                Some(Event::DiscPossessionChanged(change)) if frame.frame_index == 13 => {
                    assert_eq!((change.player_slot, change.previous_player_slot), (None, Some(-1)));
                    seen += 1;
                }
                Some(Event::ScoreboardUpdated(scores)) => {
                    assert_eq!(scores.clock, Some(Clock::Seconds(245.5)));
                    seen += 1;
                }
                Some(Event::LoadoutChanged(_) | Event::PlayerStatsUpdated(_)) => panic!("the seed has no such event"),
                _ => {}
            },
            envelope::Message::Footer(footer) => {
                assert!(
                    footer.event_index.iter().any(|entry| entry.event == EventName::Text("goal_scored".to_owned()))
                );
                assert!(footer.event_index.iter().all(|entry| matches!(entry.event, EventName::Text(_))));
                assert_eq!(FooterPlace::of(&footer, Generation::Seed), FooterPlace::TotalBytes(file.len() as u64));
                seen += 1;
            }
        }
    }
    assert_eq!(seen, 3);
}

#[test]
fn clocks_in_seconds_and_minus_one_are_not_written_into_the_third_generation() {
    let events = vec![
        Event::ScoreboardUpdated(telemetry_v2::ScoreboardUpdated {
            clock: Some(Clock::Seconds(62.5)),
            ..Default::default()
        })
        .into(),
        Event::PlayerSteal(PlayerSteal { victim_player_slot: Some(-1), ..Default::default() }).into(),
    ];
    let arena_frame = EchoArenaFrame { events, ..Default::default() };
    let mut writer =
        Writer::new(Vec::new(), header(), WriteOptions { layout: Layout::Plain, ..WriteOptions::default() }).unwrap();
    writer.frame(Frame { payload: Some(frame::Payload::EchoArena(arena_frame)), ..Default::default() }).unwrap();
    let (file, _) = writer.finish().unwrap();
    let mut reader = Reader::new(file.as_slice()).unwrap();
    reader.next().unwrap();
    let Some(Item::Record(placed)) = reader.next().unwrap() else { panic!() };
    let on_the_wire = placed.record.frame(&Default::default()).unwrap();
    let events: Vec<_> = arena(&on_the_wire).events.iter().filter_map(|event| event.event.clone()).collect();
    let [Event::ScoreboardUpdated(scores), Event::PlayerSteal(steal)] = &events[..] else { panic!() };
    assert_eq!((scores.clock.clone(), steal.victim_player_slot), (Some(Clock::Display("01:02.50".to_owned())), None));
}

#[test]
fn jumping_works_in_files_of_the_seeds_generation() {
    let frames = frames(60);
    let mut tape = Tape::open(Cursor::new(seed_file(Layout::Blocks, &frames))).unwrap();
    assert!(tape.index().from_footer && tape.generation().certain);
    assert_eq!(tape.frames_with(EventType::GoalScored), [16, 30, 56]);
    let found = tape.frame_at(56).unwrap().unwrap();
    assert_eq!(found.frame, as_the_seed_keeps_it(&frames)[56]);
    assert_eq!(found.state.last_goal.unwrap().assist_slot, Some(0));
}

fn header_record(header: CaptureHeader) -> Record {
    Record::from_message(envelope::Message::Header(header))
}

fn frame_record(event: Event) -> Record {
    let arena = EchoArenaFrame { events: vec![event.into()], ..Default::default() };
    Record::from_message(envelope::Message::Frame(Frame {
        payload: Some(frame::Payload::EchoArena(arena)),
        ..Default::default()
    }))
}

fn verdict(records: &[Record]) -> (Generation, bool) {
    let mut evidence = Evidence::default();
    records.iter().for_each(|record| evidence.observe(record, None));
    (evidence.verdict().generation, evidence.verdict().certain)
}

#[test]
fn each_sign_alone_tells_the_generation() {
    let possession = |player_slot, previous_player_slot| {
        frame_record(Event::DiscPossessionChanged(DiscPossessionChanged { player_slot, previous_player_slot }))
    };
    let scores =
        |clock| frame_record(Event::ScoreboardUpdated(telemetry_v2::ScoreboardUpdated { clock, ..Default::default() }));
    let footer = |event| {
        let event_index = vec![telemetry_v2::EventIndexEntry { event, frame_indices: vec![1] }];
        Record::from_message(envelope::Message::Footer(CaptureFooter { event_index, ..Default::default() }))
    };
    let arena_header = |arena: EchoArenaHeader| {
        header_record(CaptureHeader {
            game_header: Some(capture_header::GameHeader::EchoArena(arena)),
            ..Default::default()
        })
    };
    let jersey = PlayerInfo { jersey_number: 3, ..Default::default() };
    let keyframe = Record::from_message(envelope::Message::Frame(Frame { is_keyframe: true, ..Default::default() }));
    for (name, record, expected) in [
        ("float clock", scores(Some(Clock::Seconds(1.0))), (Generation::Seed, true)),
        ("text clock", scores(Some(Clock::Display("1".to_owned()))), (Generation::Second, true)),
        ("text event type", footer(EventName::Text("goal_scored".to_owned())), (Generation::Seed, true)),
        ("number event type", footer(EventName::Number(30)), (Generation::Second, true)),
        ("slot 0 written", possession(Some(0), Some(3)), (Generation::Second, true)),
        ("slot -1", possession(Some(3), Some(-1)), (Generation::Seed, false)),
        ("nothing", possession(Some(3), Some(4)), (Generation::Second, false)),
        (
            "jersey",
            arena_header(EchoArenaHeader { initial_roster: vec![jersey], ..Default::default() }),
            (Generation::Second, true),
        ),
        (
            "session ip",
            arena_header(EchoArenaHeader { session_ip: "x".to_owned(), ..Default::default() }),
            (Generation::Third, true),
        ),
        ("minor", header_record(CaptureHeader { format_minor: 1, ..Default::default() }), (Generation::Third, true)),
        (
            "producer",
            header_record(CaptureHeader { producer: "x".to_owned(), ..Default::default() }),
            (Generation::Fourth, true),
        ),
        ("keyframe mark", keyframe, (Generation::Fourth, true)),
        ("loadout", frame_record(Event::LoadoutChanged(LoadoutChanged::default())), (Generation::Third, true)),
    ] {
        assert_eq!(verdict(&[record]), expected, "{name}");
    }
}

#[test]
fn a_minus_one_in_later_generations_is_nobody_too() {
    let later = header_record(CaptureHeader { format_minor: 1, ..Default::default() });
    let event = DiscPossessionChanged { player_slot: Some(2), previous_player_slot: Some(-1) };
    let record = frame_record(Event::DiscPossessionChanged(event));
    assert_eq!(verdict(&[later, record.clone()]), (Generation::Third, true));
    let mut frame = record.frame(&Default::default()).unwrap();
    meaning::frame_to_current(&mut frame, Generation::Third);
    let Some(Event::DiscPossessionChanged(change)) = &arena(&frame).events[0].event else { panic!() };
    assert_eq!((change.player_slot, change.previous_player_slot), (Some(2), None));
}

#[test]
fn streams_that_contradict_themselves_are_told() {
    let mut evidence = Evidence::default();
    evidence.observe(&header_record(CaptureHeader { format_minor: 1, ..Default::default() }), None);
    let scores = telemetry_v2::ScoreboardUpdated { clock: Some(Clock::Seconds(1.0)), ..Default::default() };
    evidence.observe(&frame_record(Event::ScoreboardUpdated(scores)), None);
    assert!(evidence.verdict().mixed);
    assert_eq!(evidence.verdict().generation, Generation::Third);
}

/// Footers without events: only the number itself determines what it is.
#[test]
fn field_three_of_a_footer_is_told_by_its_value() {
    for (generation, value) in [(Generation::Seed, "total"), (Generation::Second, "offset")] {
        let mut stream = Vec::new();
        header_record(CaptureHeader { format_version: 2, ..Default::default() })
            .bytes()
            .to_vec()
            .encode_length_delimited_to(&mut stream);
        let offset = stream.len() as u64;
        let footer = |footer_offset| {
            Record::from_message(envelope::Message::Footer(CaptureFooter { footer_offset, ..Default::default() }))
                .bytes()
                .to_vec()
        };
        let total = offset + footer(offset).len() as u64 + 1;
        footer(if value == "total" { total } else { offset }).encode_length_delimited_to(&mut stream);
        let mut reader = Reader::new(stream.as_slice()).unwrap();
        while reader.next().unwrap().is_some() {}
        assert_eq!((reader.generation().generation, reader.generation().certain), (generation, true), "{value}");
    }
}

trait LengthDelimited {
    fn encode_length_delimited_to(&self, out: &mut Vec<u8>);
}

impl LengthDelimited for Vec<u8> {
    fn encode_length_delimited_to(&self, out: &mut Vec<u8>) {
        prost::encode_length_delimiter(self.len(), out).unwrap();
        out.extend_from_slice(self);
    }
}

#[test]
fn a_header_written_here_says_which_generation_it_is() {
    for generation in [Generation::Seed, Generation::Third] {
        let mut made = header();
        meaning::header_for(&mut made, generation);
        assert_eq!((of_header(&made).generation, of_header(&made).certain), (generation, true));
    }
    assert!(!of_header(&header()).certain);
    // Back again: the mark of the seed generation does not stay.
    let mut made = header();
    meaning::header_for(&mut made, Generation::Seed);
    meaning::header_for(&mut made, Generation::Third);
    assert!(!made.metadata.contains_key(SCHEMA_KEY));
    assert_eq!(of_header(&made).generation, Generation::Third);
}

#[test]
fn fields_of_the_fourth_generation_are_read() {
    let made = CaptureHeader {
        format_version: 2,
        game_type: "echo_arena".to_owned(),
        producer: "agent".to_owned(),
        dictionary_sha256: vec![7; 32].into(),
        engine_version: "34.4".to_owned(),
        engine_sha1: "ab".to_owned(),
        ..Default::default()
    };
    let record = header_record(made.clone());
    assert_eq!(record.header(&Default::default()).unwrap(), made);
    assert_eq!(made.encode_to_vec().len() + 2, record.bytes().len());
}
