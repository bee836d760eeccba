//! Any input round-trips byte for byte, and JSON gets small.

#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)]

use proptest::prelude::*;

use super::decode::{Rendered, decode};
use super::encode::TextEncoder;
use crate::block::Block;
use crate::column::BlockDecoder;

fn block_of<T: AsRef<[u8]>>(frames: &[T]) -> Block {
    let mut block = Block::default();
    block.clear(0, 0);
    for (row, frame) in frames.iter().enumerate() {
        block.push(row as u64, frame.as_ref());
    }
    block
}

/// Returns the size of the payload and the frames decoded from it; `None` if splitting does not pay off.
fn through(block: &Block) -> Option<(usize, Vec<Vec<u8>>)> {
    let mut payload = Vec::new();
    if !TextEncoder::default().encode(block, &block.times, &mut payload) {
        return None;
    }
    let (mut times, mut data, mut ends) = (Vec::new(), Vec::new(), Vec::new());
    let to = Rendered { times: &mut times, data: &mut data, ends: &mut ends };
    decode(&payload, block.rows(), block.raw_bytes(), &mut BlockDecoder::new(), to).unwrap();
    assert_eq!(times, block.times);
    let mut start = 0;
    let frames = ends.iter().map(|end| data[std::mem::replace(&mut start, *end as usize)..*end as usize].to_vec());
    Some((payload.len(), frames.collect()))
}

#[track_caller]
fn assert_same<T: AsRef<[u8]>>(frames: &[T]) -> usize {
    let (bytes, out) = through(&block_of(frames)).expect("splitting pays off");
    for (row, (frame, out)) in frames.iter().zip(&out).enumerate() {
        assert_eq!(String::from_utf8_lossy(frame.as_ref()), String::from_utf8_lossy(out), "row {row}");
    }
    bytes
}

fn game(row: u32) -> String {
    let steps = 26_869 + row as i32 * 3;
    let position = (steps as f32) * 0.001f32;
    let mut spelled = Vec::new();
    super::float::GRID_SPELLING.of(position).unwrap().write(&mut spelled);
    let position = String::from_utf8(spelled).unwrap();
    let status = if row < 500 { "playing" } else { "score" };
    let clock = 30_000 - row * 5 / 3;
    let display = format!("{:02}:{:02}.{:02}", clock / 6000, clock / 100 % 60, clock % 100);
    format!(
        "{{\"status\" : \"{status}\",\"position\":[{position},-1.5,0.0],\"clock\":\"{display}\",\"n\":{row},\"on\":{},\"u\":18446744073709551615}}",
        row.is_multiple_of(3)
    )
}

#[test]
fn frames_of_a_game_come_back_and_take_a_few_bytes_each() {
    let frames: Vec<String> = (0..1024).map(game).collect();
    let bytes = assert_same(&frames);
    assert!(bytes < 1024 * 3, "{bytes} bytes for 1024 frames");
}

#[test]
fn a_number_that_is_not_a_float_survives_among_floats() {
    let mut frames: Vec<String> = (0..1024).map(game).collect();
    // A row that is not among the samples.
    frames[500] = frames[500].replace("\"position\":[", "\"position\":[1.00000000001,").replace(",-1.5,", ",");
    let first = frames.clone();
    frames[700] = frames[700].replace("-1.5", "-1.51");
    let mut encoder = TextEncoder::default();
    for frames in [first, frames] {
        assert_same(&frames);
        assert!(encoder.encode(&block_of(&frames), &block_of(&frames).times, &mut Vec::new()));
        assert!(encoder.is_careful(), "after a wrong guess each float is checked");
    }
}

#[test]
fn unusual_number_formats_round_trip() {
    let odd = [
        "1.0",
        "1e5",
        "-0.0",
        "1.50",
        "1E+5",
        "01",
        "-",
        "null",
        "true",
        "\"x\"",
        "\"a\\\"b\\\\\"",
        "NaN",
        "1.",
        ".5",
        "--1",
        "1.5e-05",
        "9.6339078e-5",
        "123456789012345678901234567890",
        "0.1234567890123456789",
        "-0",
        "0.000",
        "\"\\u00e9\"",
        "{}",
        "[]",
        "\"05:10\"",
    ];
    let frames: Vec<String> = (0..300).map(|row| format!("{{\"v\":{},\"n\":{row}}}", odd[row % odd.len()])).collect();
    assert_same(&frames);
    // The same in one column, so that no kind of number fits all of them.
    for first in odd {
        for second in odd {
            let frames: Vec<String> = (0..40)
                .map(|row| format!("{{\"v\":{},\"n\":{row}}}", if row % 7 < 3 { first } else { second }))
                .collect();
            if let Some((_, out)) = through(&block_of(&frames)) {
                assert!(frames.iter().zip(&out).all(|(frame, out)| frame.as_bytes() == out), "{first} {second}");
            }
        }
    }
}

#[test]
fn broken_texts_come_back_between_whole_ones() {
    let frames: Vec<Vec<u8>> = (0..600u32)
        .map(|row| match row % 50 {
            7 => game(row).into_bytes().split_at(60).0.to_vec(),
            8 => b"<html>loading</html>".to_vec(),
            9 => vec![0, 255, 34, 92, (row % 256) as u8],
            10 => Vec::new(),
            11 => b"{\"never ends".to_vec(),
            _ => game(row).into_bytes(),
        })
        .collect();
    assert_same(&frames);
}

#[test]
fn frames_that_are_not_text_are_not_split() {
    let noise: Vec<Vec<u8>> = (0..100u32)
        .map(|row| (0..200u32).map(|at| (row.wrapping_mul(at + 77).wrapping_mul(2_654_435_761) >> 24) as u8).collect())
        .collect();
    if let Some((_, out)) = through(&block_of(&noise)) {
        assert_eq!(out, noise);
    }
    assert!(through(&block_of(&["{\"a\":1}"; 3])).is_none(), "few frames");
}

#[test]
fn frames_that_are_all_the_same_cost_nothing_each() {
    let frames = vec!["{\"err_code\":0}"; 1000];
    assert!(assert_same(&frames) < 120);
}

#[test]
fn a_cut_or_changed_payload_is_an_error_or_other_text_and_never_a_panic() {
    let frames: Vec<String> = (0..64).map(game).collect();
    let block = block_of(&frames);
    let mut payload = Vec::new();
    assert!(TextEncoder::default().encode(&block, &block.times, &mut payload));
    let read = |bytes: &[u8]| {
        let (mut times, mut data, mut ends) = (Vec::new(), Vec::new(), Vec::new());
        let to = Rendered { times: &mut times, data: &mut data, ends: &mut ends };
        decode(bytes, block.rows(), block.raw_bytes(), &mut BlockDecoder::new(), to).is_ok()
    };
    assert!(read(&payload));
    for cut in 0..payload.len() {
        assert!(!read(&payload[..cut]), "cut at {cut}");
    }
    for at in 0..payload.len() {
        let mut bad = payload.clone();
        bad[at] ^= 0x55;
        read(&bad);
    }
}

fn number() -> impl Strategy<Value = String> {
    prop_oneof![
        "-?[0-9]{1,3}(\\.[0-9]{1,4})?",
        any::<f32>().prop_map(|value| format!("{value}")),
        any::<f32>().prop_map(|value| format!("{value:e}")),
        any::<f64>().prop_map(|value| format!("{value:?}")),
        (-100_000i32..100_000).prop_map(|steps| format!("{}", steps as f32 * 0.001f32)),
        any::<i64>().prop_map(|value| value.to_string()),
        Just("true".into()),
        Just("null".into()),
        "\"[a-z0-9:\\\\]{0,8}\"",
    ]
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]

    #[test]
    fn any_bytes_come_back(frames in prop::collection::vec(prop::collection::vec(any::<u8>(), 0..60), 1..60)) {
        if let Some((_, out)) = through(&block_of(&frames)) {
            prop_assert_eq!(out, frames);
        }
    }

    #[test]
    fn any_ascii_comes_back(frames in prop::collection::vec("[ -~\t\r\n]{0,40}", 8..60)) {
        if let Some((_, out)) = through(&block_of(&frames)) {
            prop_assert!(frames.iter().zip(&out).all(|(frame, out)| frame.as_bytes() == out));
        }
    }

    #[test]
    fn any_values_in_a_skeleton_come_back(values in prop::collection::vec((number(), number()), 8..60)) {
        let frames: Vec<String> = values.iter().map(|(a, b)| format!("{{\"a\":[{a},{b}],\"b\" : {b} }}")).collect();
        if let Some((_, out)) = through(&block_of(&frames)) {
            prop_assert!(frames.iter().zip(&out).all(|(frame, out)| frame.as_bytes() == out));
        }
    }

    #[test]
    fn values_of_one_kind_come_back(kind in 0..6, seeds in prop::collection::vec(any::<u64>(), 8..80)) {
        let spell = |seed: u64| match kind {
            0 => format!("{}", f32::from_bits(seed as u32)),
            1 => format!("{}", (seed % 200_000) as f32 * 0.001f32),
            2 => format!("{:?}", f64::from_bits(seed)),
            3 => format!("{}", seed as i64),
            4 => format!("{:.3}", (seed % 100_000) as f64 / 1000.0),
            _ => format!("\"{:02}:{:02}\"", seed % 60, seed / 60 % 60),
        };
        let frames: Vec<String> = seeds.iter().map(|seed| format!("{{\"a long enough key\":{}}}", spell(*seed))).collect();
        if let Some((_, out)) = through(&block_of(&frames)) {
            prop_assert!(frames.iter().zip(&out).all(|(frame, out)| frame.as_bytes() == out));
        }
    }
}

#[test]
fn a_frame_decoded_alone_equals_the_one_decoded_with_all() {
    use super::decode::decode_row;
    // Two skeletons, and frames that are stored verbatim.
    let frame = |row: u32| match row % 7 {
        3 => format!("loading screen {}", "x".repeat(row as usize % 50)),
        5 => format!("{{\"err_code\":-6,\"at\":{row}}}"),
        _ => game(row),
    };
    let frames: Vec<String> = (0..200).map(frame).collect();
    let block = block_of(&frames);
    let mut payload = Vec::new();
    assert!(TextEncoder::default().encode(&block, &block.times, &mut payload));
    let one = |choose: &dyn Fn(&[u64]) -> Option<usize>| {
        let mut times = Vec::new();
        decode_row(&payload, block.rows(), block.raw_bytes(), &mut BlockDecoder::new(), &mut times, choose)
    };
    for (row, frame) in frames.iter().enumerate() {
        let (found, bytes) = one(&|times| times.iter().position(|time| *time == row as u64)).unwrap().unwrap();
        assert_eq!((found, String::from_utf8_lossy(&bytes).as_ref()), (row, frame.as_str()));
    }
    assert_eq!(one(&|_| None).unwrap(), None);
    assert!(one(&|_| Some(200)).is_err());
}
