//! Properties of any stream, however it is cut, damaged or split into chunks.

use std::io::Cursor;

use proptest::prelude::*;
use telemetry_v2::Limits;
use telemetry_v2::decode::{Decoded, Decoder, Framing};
use telemetry_v2::generation::Generation;
use telemetry_v2::meaning;
use telemetry_v2::proto::telemetry::v2::echo_event::Event;
use telemetry_v2::proto::telemetry::v2::*;
use telemetry_v2::read::Tape;
use telemetry_v2::write::{Layout, WriteOptions};

use super::files::write;
use super::made_match::{frame, without_states};

fn small(count: u32) -> Vec<Frame> {
    (0..count).map(|index| frame(index, 1, false)).collect()
}

fn decode(pieces: impl Iterator<Item = Vec<u8>>) -> Vec<Decoded> {
    let mut decoder = Decoder::new(Framing::V2, &Limits::default());
    let mut found = Vec::new();
    for piece in pieces {
        decoder.feed(&piece);
        found.extend(std::iter::from_fn(|| decoder.next()));
    }
    decoder.end();
    found.extend(std::iter::from_fn(|| decoder.next()));
    found
}

fn pieces(stream: &[u8], lengths: &[usize]) -> Vec<Vec<u8>> {
    let mut rest = stream;
    let mut out = Vec::new();
    for length in lengths.iter().cycle() {
        if rest.is_empty() {
            break;
        }
        let (piece, after) = rest.split_at(rest.len().min(*length));
        out.push(piece.to_vec());
        rest = after;
    }
    out
}

/// Overwrites, removes or inserts some bytes.
fn broken(mut stream: Vec<u8>, place: usize, what: u8, bytes: &[u8]) -> Vec<u8> {
    let place = place % stream.len();
    let end = stream.len().min(place + bytes.len());
    match what % 3 {
        0 => drop(stream.splice(place..end, bytes.iter().copied())),
        1 => drop(stream.drain(place..end)),
        _ => drop(stream.splice(place..place, bytes.iter().copied())),
    }
    stream
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 300, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn it_does_not_matter_in_which_pieces_a_stream_comes(
        lengths in prop::collection::vec(1usize..700, 1..20),
        place in any::<usize>(),
        what in any::<u8>(),
        bytes in prop::collection::vec(any::<u8>(), 0..12),
    ) {
        let stream = write(&small(12), WriteOptions { layout: Layout::Plain, ..WriteOptions::default() });
        // Intact and damaged streams alike.
        let stream = broken(stream, place, what, &bytes);
        let at_once = decode(std::iter::once(stream.clone()));
        prop_assert_eq!(&decode(pieces(&stream, &lengths).into_iter()), &at_once);
        // Every byte is in a record or reported as lost, in order.
        let mut next = 0;
        for decoded in &at_once {
            let (offset, bytes) = match decoded {
                Decoded::Record { offset, bytes } => (*offset, bytes.len() as u64 + prost::length_delimiter_len(bytes.len()) as u64),
                Decoded::Lost { offset, bytes, .. } => (*offset, *bytes),
            };
            prop_assert_eq!(offset, next);
            next = offset + bytes;
        }
        prop_assert_eq!(next, stream.len() as u64);
    }

    #[test]
    fn a_broken_place_in_a_plain_stream_costs_little(place in any::<usize>(), what in any::<u8>(), bytes in prop::collection::vec(any::<u8>(), 0..12)) {
        let stream = write(&small(12), WriteOptions { layout: Layout::Plain, ..WriteOptions::default() });
        let records = decode(std::iter::once(broken(stream.clone(), place, what, &bytes)));
        let whole: Vec<_> = decode(std::iter::once(stream));
        let same = records.iter().filter(|found| match found {
            Decoded::Record { bytes, .. } => whole.iter().any(|one| matches!(one, Decoded::Record { bytes: other, .. } if other == bytes)),
            Decoded::Lost { .. } => false,
        });
        // Twelve bytes affect two records at most; the record after them can be lost too.
        prop_assert!(same.count() >= whole.len() - 3);
    }

    #[test]
    fn any_frame_of_any_file_is_found(count in 1u32..60, interval in 0u32..20, asked in any::<u32>(), blocks in any::<bool>()) {
        let frames = small(count);
        let layout = if blocks { Layout::Blocks } else { Layout::Plain };
        let file = write(&frames, WriteOptions { layout, keyframe_interval: interval, ..WriteOptions::default() });
        let mut tape = Tape::open(Cursor::new(file)).unwrap();
        prop_assert_eq!(tape.index().frame_count, count);
        let asked = asked % (count + 2);
        let found = tape.frame_at(asked).unwrap().map(|found| without_states(vec![found.frame]).remove(0));
        prop_assert_eq!(found.as_ref(), frames.get(asked as usize));
    }

    #[test]
    fn slots_and_clocks_survive_the_seeds_generation(player in prop::option::of(0i32..16), previous in prop::option::of(0i32..16), hundredths in 0u32..600_000) {
        let clock = telemetry_v2::Clock::Display(format!("{:02}:{:02}.{:02}", hundredths / 6000, hundredths / 100 % 60, hundredths % 100));
        let events = vec![
            Event::DiscPossessionChanged(DiscPossessionChanged { player_slot: player, previous_player_slot: previous }).into(),
            Event::GoalScored(GoalScored { assist_slot: player, ..Default::default() }).into(),
            Event::PlayerSteal(PlayerSteal { victim_player_slot: previous, ..Default::default() }).into(),
        ];
        let arena = EchoArenaFrame { events, ..Default::default() };
        let made = Frame { payload: Some(frame::Payload::EchoArena(arena)), ..Default::default() };
        let mut frame = made.clone();
        prop_assert_eq!(meaning::frame_to_seed(&mut frame), 0);
        let bytes = prost::Message::encode_to_vec(&frame);
        let mut frame: Frame = prost::Message::decode(bytes.as_slice()).unwrap();
        meaning::frame_to_current(&mut frame, Generation::Seed);
        prop_assert_eq!(frame, made);
        // A float has less than two decimal places above half an hour or so; a hundredth may be lost.
        let seconds = clock.seconds().unwrap();
        prop_assert!((f64::from(seconds) - f64::from(hundredths) / 100.0).abs() < 0.01);
    }
}
