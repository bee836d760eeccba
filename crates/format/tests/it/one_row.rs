//! Reading a frame by its time renders only one row of a block of text.
#![allow(clippy::unwrap_used, missing_docs)]

use crate::allocation;

use std::sync::Arc;

use allocation::peak_bytes;
use gametape_format::read::Tape;
use gametape_format::write::{StdFiles, TapeBuilder, WriteOptions};
use gametape_format::{StreamSpec, TapeId};

#[test]
fn the_frame_at_a_moment_takes_the_memory_of_a_frame_and_not_of_its_block() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("answers.gtape");
    let mut tape = TapeBuilder::create(Arc::new(StdFiles), &path, &WriteOptions::new(TapeId([9; 16])), false).unwrap();
    let stream = tape.add_stream(StreamSpec::json("answers"), 0).unwrap();
    let still = "\"a key that stays the same\":\"and its text\",".repeat(200);
    let answer = |number: u64| format!("{{{still}\"clock\":{number}.5}}");
    for number in 0..1000 {
        tape.append(stream, number * 10, answer(number).as_bytes()).unwrap();
    }
    tape.finish().unwrap();
    let tape = Tape::open(&path).unwrap();
    let stream = tape.stream_named("answers").unwrap();
    let all_bytes = (answer(0).len() * 1000) as u64;
    for number in [0, 500, 999] {
        let mut found = None;
        let peak = peak_bytes(|| found = tape.frame_at(stream, number * 10 + 3).unwrap());
        assert_eq!(found, Some((number * 10, answer(number).into_bytes())));
        assert!(peak < all_bytes / 4, "{peak} of {all_bytes} bytes");
    }
    // The whole block, for comparison.
    let whole = peak_bytes(|| assert!(tape.frames(stream).next().unwrap().is_some()));
    assert!(whole >= all_bytes, "{whole} of {all_bytes} bytes");
}
