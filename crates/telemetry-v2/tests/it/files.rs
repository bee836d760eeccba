//! Files of every layout: written, read sequentially, entered in the middle.

use std::io::Cursor;

use telemetry_v2::generation::Generation;
use telemetry_v2::meaning::FooterPlace;
use telemetry_v2::proto::telemetry::v2::*;
use telemetry_v2::read::{Item, Reader, Tape};
use telemetry_v2::write::{Layout, WriteError, WriteOptions, Writer};
use telemetry_v2::{RecordKind, StateTracker};

use super::made_match::{arena, events_of, frames, header, without_states};

const LAYOUTS: [Layout; 3] = [Layout::Plain, Layout::Blocks, Layout::Stream];

pub fn write(frames: &[Frame], options: WriteOptions) -> Vec<u8> {
    let mut writer = Writer::new(Vec::new(), header(), options).unwrap();
    for frame in frames {
        writer.frame(frame.clone()).unwrap();
    }
    let (file, summary) = writer.finish().unwrap();
    assert_eq!(summary.frames as usize, frames.len());
    file
}

fn options(layout: Layout) -> WriteOptions {
    WriteOptions { layout, keyframe_interval: 16, ..WriteOptions::default() }
}

#[test]
fn every_layout_gives_the_frames_back() {
    let frames = frames(90);
    for layout in LAYOUTS {
        let capture = Reader::new(write(&frames, options(layout)).as_slice()).unwrap().read_all().unwrap();
        assert_eq!(capture.problems, []);
        assert_eq!(capture.generation.unwrap().generation, Generation::Third);
        let header = capture.header.unwrap();
        assert_eq!(
            (header.format_version, header.format_minor, header.frame_encoding()),
            (2, 1, FrameEncoding::Sparse)
        );
        assert_eq!(without_states(capture.frames), frames);
        let footer = capture.footer.unwrap();
        assert_eq!((footer.frame_count, footer.duration_ms), (90, 89 * 16));
    }
}

#[test]
fn a_capture_without_frames_is_whole() {
    for layout in LAYOUTS {
        let file = write(&[], options(layout));
        let capture = Reader::new(file.as_slice()).unwrap().read_all().unwrap();
        assert_eq!((capture.problems.as_slice(), capture.frames.len()), (&[][..], 0));
        let mut tape = Tape::open(Cursor::new(file)).unwrap();
        assert_eq!(tape.frame_at(0).unwrap(), None);
    }
}

#[test]
fn offsets_of_the_footer_lead_to_their_records() {
    for layout in LAYOUTS {
        let file = write(&frames(50), options(layout));
        let mut reader = Reader::new(file.as_slice()).unwrap();
        let (mut places, mut footer) = (Vec::new(), None);
        while let Some(Item::Record(placed)) = reader.next().unwrap() {
            match placed.record.kind() {
                RecordKind::Frame => places.push(placed.place),
                RecordKind::Footer => footer = Some((placed.record.footer(&Default::default()).unwrap(), placed.place)),
                _ => {}
            }
        }
        let (footer, footer_place) = footer.unwrap();
        let offset = |place: &telemetry_v2::generation::RecordPlace| match layout {
            Layout::Blocks => place.block.unwrap(),
            _ => place.offset,
        };
        assert_eq!(footer.keyframe_index.iter().map(|entry| entry.frame_index).collect::<Vec<_>>(), [0, 16, 32, 48]);
        for entry in &footer.keyframe_index {
            assert_eq!(entry.byte_offset, offset(&places[entry.frame_index as usize]), "{layout:?}");
        }
        assert_eq!(FooterPlace::of(&footer, Generation::Third), FooterPlace::FooterOffset(offset(&footer_place)));
        if layout == Layout::Blocks {
            // Keyframes start their blocks.
            for (index, place) in places.iter().enumerate().skip(1) {
                assert_eq!(place.block != places[index - 1].block, index % 16 == 0);
            }
        }
    }
}

#[test]
fn the_event_index_has_every_event_of_every_type() {
    let frames = frames(130);
    let tape = Tape::open(Cursor::new(write(&frames, options(Layout::Blocks)))).unwrap();
    assert!(tape.index().from_footer && tape.index().has_blocks);
    assert_eq!(tape.index().events.len(), 28);
    for (event, found) in &tape.index().events {
        let has = |index: &u32| {
            events_of(*index)
                .iter()
                .any(|one| telemetry_v2::event_type::of(one.event.as_ref().unwrap()) == Some(*event))
        };
        assert_eq!(*found, (0..130).filter(has).collect::<Vec<_>>(), "{event:?}");
    }
    assert_eq!(tape.frames_with(EventType::Unspecified), []);
}

#[test]
fn every_frame_is_found_with_its_full_state() {
    let frames = frames(130);
    let mut tracker = StateTracker::new(&header());
    let states: Vec<_> = frames
        .iter()
        .map(|frame| {
            tracker.follow(frame);
            tracker.state().clone()
        })
        .collect();
    for (layout, keyframe_state) in
        [(Layout::Blocks, true), (Layout::Blocks, false), (Layout::Plain, true), (Layout::Stream, true)]
    {
        let file = write(&frames, WriteOptions { keyframe_state, ..options(layout) });
        let mut tape = Tape::open(Cursor::new(file)).unwrap();
        assert_eq!(tape.problems(), []);
        // In reverse order, so that no state is left over from the previous frame.
        for index in (0..130u32).rev().step_by(if keyframe_state { 1 } else { 11 }) {
            let found = tape.frame_at(index).unwrap().unwrap();
            assert_eq!(found.state, states[index as usize], "{layout:?} {index}");
            assert_eq!(arena(&found.frame).players, arena(&frames[index as usize]).players);
            if layout == Layout::Blocks && keyframe_state {
                assert_eq!(found.frames_read, index % 16 + 1);
            }
        }
        assert_eq!(tape.frame_at(130).unwrap(), None);
        assert_eq!(tape.frame_at(u32::MAX).unwrap(), None);
    }
}

#[test]
fn state_follows_who_comes_and_goes() {
    let mut tracker = StateTracker::new(&header());
    for frame in frames(130) {
        tracker.follow(&frame);
    }
    let state = tracker.state();
    let slots: Vec<_> =
        state.players.iter().map(|player| (player.info.as_ref().unwrap().slot, player.present)).collect();
    assert_eq!(slots, [(0, true), (1, true), (2, true), (3, true), (6, false)]);
    assert_eq!(state.orange_round_score, Some(2));
    assert_eq!(state.players[2].loadout.as_ref().unwrap().weapon, "scout");
    // Another player took slot 6 at frame 86: nothing of the previous one is left.
    assert_eq!(state.players[4].info.as_ref().unwrap().account_number, 78);
    assert_eq!(state.last_goal, Some(GoalScored::default()));
}

#[test]
fn frames_must_come_in_order_and_with_payload() {
    let mut writer = Writer::new(Vec::new(), header(), WriteOptions::default()).unwrap();
    let all = frames(3);
    assert!(matches!(writer.frame(all[1].clone()), Err(WriteError::FrameOrder { expected: 0, actual: 1 })));
    assert!(matches!(writer.frame(Frame::default()), Err(WriteError::NoPayload { frame_index: 0 })));
    writer.frame(all[0].clone()).unwrap();
    assert!(matches!(writer.frame(all[0].clone()), Err(WriteError::FrameOrder { expected: 1, actual: 0 })));
    writer.frame(all[1].clone()).unwrap();
    let (file, _) = writer.finish().unwrap();
    assert_eq!(Reader::new(file.as_slice()).unwrap().read_all().unwrap().frames.len(), 2);
    let fourth = WriteOptions { generation: Generation::Fourth, ..WriteOptions::default() };
    assert!(matches!(Writer::new(Vec::new(), header(), fourth), Err(WriteError::Generation { .. })));
}

#[test]
fn a_writer_that_failed_takes_nothing_more() {
    struct Full(usize);
    impl std::io::Write for Full {
        fn write(&mut self, bytes: &[u8]) -> std::io::Result<usize> {
            self.0 = self.0.checked_sub(bytes.len()).ok_or(std::io::ErrorKind::StorageFull)?;
            Ok(bytes.len())
        }
        fn flush(&mut self) -> std::io::Result<()> {
            Ok(())
        }
    }
    let mut writer = Writer::new(Full(5000), header(), options(Layout::Plain)).unwrap();
    let results: Vec<_> = frames(20).into_iter().map(|frame| writer.frame(frame)).collect();
    let first = results.iter().position(Result::is_err).unwrap();
    assert!(matches!(results[first], Err(WriteError::Io(_))));
    assert!(results[first + 1..].iter().all(|result| matches!(result, Err(WriteError::Failed))));
    assert!(matches!(writer.finish(), Err(WriteError::Failed)));
}

#[test]
fn an_interval_of_zero_makes_every_frame_a_keyframe() {
    let file = write(&frames(5), WriteOptions { keyframe_interval: 0, ..WriteOptions::default() });
    assert_eq!(Tape::open(Cursor::new(file)).unwrap().index().keyframes.len(), 5);
}

#[test]
fn the_same_frames_are_always_the_same_bytes() {
    let frames = frames(40);
    assert_eq!(write(&frames, options(Layout::Blocks)), write(&frames, options(Layout::Blocks)));
}

#[test]
fn raw_frames_of_other_games_and_marks_travel_too() {
    let raw_header = CaptureHeader {
        game_header: Some(capture_header::GameHeader::Raw(RawHeader {
            game: "assetto-corsa".to_owned(),
            streams: vec![RawStream {
                name: "physics".to_owned(),
                layout: "ac.physics".to_owned(),
                descriptor: vec![1, 2].into(),
            }],
        })),
        ..Default::default()
    };
    let data: Vec<Frame> = (0..250u32)
        .map(|index| {
            let time_ns = u64::from(index) * 3_003_003;
            let payload = if index == 100 {
                frame::Payload::Mark(Mark { kind: "mark".to_owned(), text: "here".to_owned(), time_ns })
            } else {
                let data = vec![index as u8; 800].into();
                frame::Payload::Raw(RawFrame { stream: "physics".to_owned(), data, time_ns, sequence: index.into() })
            };
            Frame { frame_index: index, timestamp_offset_ms: index * 3, payload: Some(payload), ..Default::default() }
        })
        .collect();
    let mut writer = Writer::new(Vec::new(), raw_header, WriteOptions::default()).unwrap();
    data.iter().for_each(|frame| writer.frame(frame.clone()).unwrap());
    let (file, _) = writer.finish().unwrap();
    let capture = Reader::new(file.as_slice()).unwrap().read_all().unwrap();
    assert_eq!((capture.frames, capture.problems), (data.clone(), vec![]));
    let mut tape = Tape::open(Cursor::new(file)).unwrap();
    assert_eq!(tape.frame_at(177).unwrap().unwrap().frame, data[177]);
}
