//! Kills a recorder at random times: every frame that was reported as accepted must be on the tape.
//!
//! The test runs itself as a child process, which records as fast as it can and reports each accepted frame through a pipe.
#![allow(clippy::unwrap_used, clippy::panic, clippy::type_complexity, missing_docs)]

use std::collections::BTreeMap;
use std::io::{BufWriter, Read, Write};
use std::path::Path;
use std::process::{Command, Stdio};
use std::sync::Arc;
use std::time::Duration;

use gametape::format::read::Tape;
use gametape::format::write::{Accepted, AppendError, Files, StdFiles, WriteOptions, Writer};
use gametape::format::{Channel, ChannelType, StreamId, StreamSpec, TapeId};
use gametape::sys::MappedFiles;

const CHILD: &str = "GAMETAPE_KILL_TEST_CHILD";
const KILLS: u64 = 100;

/// Returns the file system under test: mapped journals as in a recorder and, in every fifth run, those of the standard library.
fn files(path: &Path) -> Arc<dyn Files> {
    let number: Option<u64> = path.file_stem().and_then(|name| name.to_str()).and_then(|name| name.parse().ok());
    if number.is_some_and(|number| number % 5 == 4) { Arc::new(StdFiles) } else { Arc::new(MappedFiles) }
}

fn content(stream: u16, seq: u64) -> Vec<u8> {
    let mut data = seq.to_le_bytes().to_vec();
    match stream {
        0 => data.extend([stream as u8; 56]),
        1 => data.extend((0..seq * 7919 % 400).map(|i| (i ^ seq) as u8)),
        _ => data.extend(b"slow"),
    }
    data
}

fn record(path: &Path) {
    let options = WriteOptions {
        journal_bytes: 32 << 10,
        sync_interval: Duration::from_millis(30),
        ..WriteOptions::new(TapeId([4; 16]))
    };
    let mut writer = Writer::create(files(path), path, &options).unwrap();
    let tick = vec![Channel::new("tick", ChannelType::U64, 0, 1, "")];
    writer.add_stream(StreamSpec::columns("fast", 64, tick.clone())).unwrap();
    writer.add_stream(StreamSpec::rows("text")).unwrap();
    writer.add_stream(StreamSpec::columns("slow", 12, tick)).unwrap();
    let mut out = BufWriter::with_capacity(10, std::io::stdout().lock());
    let mut next = [0u64; 3];
    for i in 0u64.. {
        let stream = if i % 300 == 0 { 2 } else { u16::from(i % 4 == 1) };
        let seq = next[stream as usize];
        // Slow in recorded time, so that generations stay small.
        match writer.append(StreamId(stream), i * 20_000_000, &content(stream, seq)) {
            Ok(Accepted::Stored(stored)) => {
                assert_eq!(stored, seq);
                next[stream as usize] += 1;
                let report = [&stream.to_le_bytes()[..], &seq.to_le_bytes()[..]].concat();
                if out.write_all(&report).and_then(|()| out.flush()).is_err() {
                    return;
                }
            }
            Ok(Accepted::Unchanged) => {}
            Err(AppendError::NoRoom { .. }) => std::thread::yield_now(),
            Err(error) => panic!("{error}"),
        }
        if i % 500 == 7 {
            let _ = writer.event(i * 20_000_000, "mark", "a mark");
        }
    }
}

/// The child process. Does nothing if its environment variable is not set.
#[test]
fn child() {
    if let Some(path) = std::env::var_os(CHILD) {
        record(Path::new(&path));
    }
}

/// Lets a child record and kills it. Returns the number of frames that it reported for each stream.
fn record_and_kill(path: &Path, after: Duration) -> BTreeMap<u16, u64> {
    let mut child = Command::new(std::env::current_exe().unwrap())
        .args(["kill::child", "--exact", "--nocapture", "--quiet"])
        .env(CHILD, path)
        .stdin(Stdio::null())
        .stdout(Stdio::piped())
        .stderr(Stdio::null())
        .spawn()
        .unwrap();
    let mut pipe = child.stdout.take().unwrap();
    let reader = std::thread::spawn(move || {
        let mut reports = Vec::new();
        pipe.read_to_end(&mut reports).unwrap();
        reports
    });
    // Random times: nothing depends on how long this really takes.
    std::thread::sleep(after);
    child.kill().unwrap();
    child.wait().unwrap();
    let reports = reader.join().unwrap();
    // The test harness prints a line first.
    let start = reports.windows(10).position(|window| window == [0; 10] || window == [2, 0, 0, 0, 0, 0, 0, 0, 0, 0]);
    let mut counts = BTreeMap::new();
    for report in reports[start.unwrap_or(reports.len())..].chunks_exact(10) {
        let stream = u16::from_le_bytes(report[..2].try_into().unwrap());
        let seq = u64::from_le_bytes(report[2..].try_into().unwrap());
        let count: &mut u64 = counts.entry(stream).or_default();
        assert_eq!(*count, seq, "reports come in order");
        *count += 1;
    }
    counts
}

/// Returns the number of reported frames that are not on the tape. A wrong frame is a failure.
fn missing(tape: &Tape, reported: &BTreeMap<u16, u64>) -> u64 {
    let mut missing = 0;
    for (id, count) in reported {
        let mut found = 0;
        if let Some(stream) = tape.stream(StreamId(*id)) {
            let mut frames = tape.frames(stream);
            while let Some(frame) = frames.next().unwrap() {
                assert_eq!(frame.seq, found, "no frame is left out");
                assert_eq!(frame.data, content(*id, frame.seq), "frame {} of stream {id}", frame.seq);
                found += 1;
            }
        }
        missing += count.saturating_sub(found);
    }
    missing
}

#[test]
fn a_killed_recorder_loses_no_frame_that_was_accepted() {
    let folder = tempfile::tempdir().unwrap();
    let (mut recorded, mut generations, mut missed_without_journals) = (0, 0, 0);
    for kill in 0..KILLS {
        let path = folder.path().join(format!("{kill}.gtape"));
        let reported = record_and_kill(&path, Duration::from_micros(20_000 + kill * 7919 % 100 * 2300));
        recorded += reported.values().sum::<u64>();
        if !path.exists() {
            assert!(reported.is_empty(), "killed before the tape was made");
            continue;
        }
        let tape = match Tape::open(&path) {
            Ok(tape) => tape,
            Err(error) => {
                assert!(reported.is_empty(), "run {kill}: {error}");
                continue;
            }
        };
        assert_eq!(missing(&tape, &reported), 0, "run {kill}: {:?}", tape.problems());
        let alone = folder.path().join("alone.gtape");
        std::fs::copy(&path, &alone).unwrap();
        missed_without_journals += missing(&Tape::open(&alone).unwrap(), &reported);
        generations += u64::from(tape.bytes() > 5000);
    }
    assert!(recorded > 5_000, "{recorded} frames: too few to say anything");
    assert!(generations > KILLS / 10, "{generations} tapes with blocks: too few to say anything");
    assert!(missed_without_journals > 100, "control: without journals frames must be missing");
}
