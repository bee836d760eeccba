//! A reader that follows a busy recorder misses no accepted frame and never reads a wrong one.
#![allow(clippy::unwrap_used, clippy::panic, clippy::type_complexity, missing_docs)]

use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};

use gametape_format::read::{ProblemKind, Tape};
use gametape_format::write::{AppendError, StdFiles, WriteOptions, Writer};
use gametape_format::{Channel, ChannelType, StreamId, StreamSpec, TapeId};

fn content(stream: u16, seq: u64) -> Vec<u8> {
    let mut data = seq.to_le_bytes().to_vec();
    let length = if stream == 0 { 24 } else { seq * 31 % 700 };
    data.extend((0..length).map(|i| (i * 3 + seq) as u8));
    data
}

/// Checks that everything accepted before `accepted` was read is present, in order and correct.
fn check(tape: &Tape, stream: u16, accepted: u64, from: u64) -> u64 {
    let Some(known) = tape.stream(StreamId(stream)) else {
        assert_eq!(accepted, 0, "stream {stream} is missing");
        return 0;
    };
    let mut frames = tape.frames(known);
    frames.seek_seq(from).unwrap();
    let mut seq = from;
    while let Some(frame) = frames.next().unwrap_or_else(|error| panic!("{error}: {:?}", tape.problems())) {
        assert_eq!(frame.seq, seq);
        assert_eq!(frame.data, content(stream, seq));
        seq += 1;
    }
    assert!(seq >= accepted, "frame {seq} of stream {stream} is missing, {accepted} were accepted");
    seq
}

/// How often the reader must have looked while the recorder was running.
const ROUNDS: u64 = 8;

fn follow(path: &Path, accepted: &[AtomicU64; 2], looks: &AtomicU64, done: &AtomicBool, fresh: bool) {
    let mut rounds = 0;
    let mut tape: Option<Tape> = None;
    let mut seen = [0; 2];
    loop {
        let last = done.load(Ordering::SeqCst);
        let now = [0, 1].map(|stream: usize| accepted[stream].load(Ordering::SeqCst));
        match &mut tape {
            Some(tape) if !fresh => drop(tape.refresh().unwrap()),
            _ => tape = Some(Tape::open(path).unwrap()),
        }
        let tape = tape.as_ref().unwrap();
        for stream in 0..2u16 {
            // Most rounds read only new data, some read everything.
            let from = if rounds % 16 == 0 { 0 } else { seen[stream as usize] };
            seen[stream as usize] = check(tape, stream, now[stream as usize], from);
        }
        let live = [ProblemKind::NotClosed, ProblemKind::JournalTail];
        let strange: Vec<_> = tape.problems().into_iter().filter(|problem| !live.contains(&problem.kind)).collect();
        assert!(strange.is_empty(), "{strange:?}");
        rounds += 1;
        looks.store(rounds, Ordering::SeqCst);
        if last {
            assert!(tape.is_complete());
            return;
        }
    }
}

fn busy_recorder_is_followed(journal_bytes: u64, fresh: bool) {
    const FRAMES: u64 = 12_000;
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("a.gtape");
    let options = WriteOptions { journal_bytes, ..WriteOptions::new(TapeId([8; 16])) };
    let mut writer = Writer::create(Arc::new(StdFiles), &path, &options).unwrap();
    let accepted = [AtomicU64::new(0), AtomicU64::new(0)];
    let (looks, done) = (AtomicU64::new(0), AtomicBool::new(false));
    std::thread::scope(|scope| {
        let follower = scope.spawn(|| follow(&path, &accepted, &looks, &done, fresh));
        let tick = vec![Channel::new("tick", ChannelType::U64, 0, 1, "")];
        writer.add_stream(StreamSpec::columns("car", 32, tick)).unwrap();
        writer.add_stream(StreamSpec::rows("text")).unwrap();
        let mut i = 0;
        while i < FRAMES && !follower.is_finished() {
            // Wait for a slow reader: the point is to read throughout the whole recording.
            if looks.load(Ordering::SeqCst) < i * ROUNDS / FRAMES {
                std::thread::yield_now();
                continue;
            }
            let stream = u16::from(i % 5 == 0);
            let seq = accepted[stream as usize].load(Ordering::SeqCst);
            match writer.append(StreamId(stream), i * 20_000_000, &content(stream, seq)) {
                Ok(_) => {
                    accepted[stream as usize].store(seq + 1, Ordering::SeqCst);
                    i += 1;
                }
                Err(AppendError::NoRoom { .. }) => std::thread::yield_now(),
                Err(error) => panic!("{error}"),
            }
        }
        writer.finish().unwrap();
        done.store(true, Ordering::SeqCst);
        follower.join().unwrap();
        let looks = looks.load(Ordering::SeqCst);
        assert!(looks >= ROUNDS, "{looks} rounds are too few for a meaningful test");
    });
}

#[test]
fn a_reader_that_refreshes_misses_nothing() {
    busy_recorder_is_followed(8 << 10, false);
    busy_recorder_is_followed(64 << 10, false);
}

#[test]
fn a_reader_that_opens_again_and_again_misses_nothing() {
    busy_recorder_is_followed(8 << 10, true);
    busy_recorder_is_followed(64 << 10, true);
}
