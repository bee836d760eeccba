//! Tapes written once by the first release of version 1 must stay readable for ever: every frame, time, event and name
//! reads as it did then.
//!
//! The files in `golden/` never change. A new kind of tape gets a new file: `GAMETAPE_WRITE_GOLDEN=1 cargo test -p
//! gametape-format --test it golden::` writes the missing ones. `draft-0` is of the last draft.
#![allow(clippy::unwrap_used, clippy::panic, missing_docs)]
#![cfg(feature = "write")]
use crate::samples;

use std::fmt::Write as _;
use std::path::{Path, PathBuf};

use gametape_format::StreamSpec;
use gametape_format::read::{Tape, Values};
use samples::{append, create, mixed, wide};

fn folder() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/golden")
}

/// Dumps everything that a reader returns as text.
fn dump(path: &Path) -> String {
    let tape = Tape::open(path).unwrap();
    let mut out = String::new();
    writeln!(out, "version {} complete {} id {}", tape.version(), tape.is_complete(), tape.id().unwrap()).unwrap();
    writeln!(out, "start {:?} clock {:?}", tape.start_utc_ns(), tape.clock_readings()).unwrap();
    for (key, value) in tape.metadata() {
        writeln!(out, "metadata {key} = {value}").unwrap();
    }
    for event in tape.events() {
        writeln!(out, "event {} {} {}", event.at_ns, event.kind, event.text).unwrap();
    }
    let mut streams: Vec<_> = tape.streams().collect();
    streams.sort_by_key(|stream| stream.id().0);
    for stream in streams {
        let (id, status) = (stream.id().0, stream.status());
        writeln!(out, "stream {id} {:?}", stream.spec()).unwrap();
        writeln!(out, "status {id} {status:?}").unwrap();
        let mut frames = tape.frames(stream);
        while let Some(frame) = frames.next().unwrap() {
            let (bytes, crc) = (frame.data.len(), crc32c::crc32c(frame.data));
            writeln!(out, "{id} {} {} {bytes} {crc:08x}", frame.seq, frame.time_ns).unwrap();
        }
    }
    out
}

fn tapes() -> Vec<PathBuf> {
    let entries = std::fs::read_dir(folder()).unwrap().map(|entry| entry.unwrap().path());
    let mut tapes: Vec<_> = entries.filter(|path| path.extension().is_some_and(|ext| ext == "gtape")).collect();
    tapes.sort();
    tapes
}

/// Also where the columns of two types have the same bits and one is stored as a copy of the other.
#[test]
fn single_channels_have_the_values_of_whole_frames() {
    let mut compared = 0;
    for path in tapes() {
        let tape = Tape::open(&path).unwrap();
        for stream in tape.streams() {
            for channel in stream.spec().channels.iter().filter(|channel| channel.count == 1) {
                let mut read = tape.channels(stream, &[&channel.name]).unwrap();
                let mut frames = tape.frames(stream);
                while let Some(block) = read.next_block().unwrap_or_else(|error| panic!("{}: {error}", channel.name)) {
                    for row in 0..block.times.len() {
                        let frame = frames.next().unwrap().unwrap();
                        // Frames of another size than the layout have no values.
                        if block.values[0].is_empty() {
                            continue;
                        }
                        let (from, width) = (channel.offset as usize, channel.kind.width());
                        let bits =
                            frame.data[from..from + width].iter().rev().fold(0, |n, byte| n << 8 | u64::from(*byte));
                        assert_eq!(bits_of(&block.values[0], row), bits, "{} of {}", channel.name, path.display());
                        compared += 1;
                    }
                }
                assert!(frames.next().unwrap().is_none(), "{}", channel.name);
            }
        }
    }
    assert!(compared > 10_000, "{compared}");
}

fn bits_of(values: &Values, row: usize) -> u64 {
    match values {
        Values::U8(values) => values[row].into(),
        Values::I8(values) => (values[row] as u8).into(),
        Values::U16(values) => values[row].into(),
        Values::I16(values) => (values[row] as u16).into(),
        Values::U32(values) => values[row].into(),
        Values::I32(values) => (values[row] as u32).into(),
        Values::U64(values) => values[row],
        Values::I64(values) => values[row] as u64,
        Values::F32(values) => values[row].to_bits().into(),
        Values::F64(values) => values[row].to_bits(),
        Values::Bool(values) => values[row].into(),
    }
}

#[test]
fn golden_tapes_are_read_as_they_were_when_they_were_written() {
    if std::env::var_os("GAMETAPE_WRITE_GOLDEN").is_some() {
        write_golden_tapes_that_are_missing();
    }
    let tapes = tapes();
    assert!(tapes.len() >= 5, "{tapes:?}");
    for path in tapes {
        let expected = std::fs::read_to_string(path.with_extension("txt")).unwrap();
        let found = dump(&path);
        let differs = found.lines().zip(expected.lines()).find(|(found, expected)| found != expected);
        assert_eq!(differs, None, "{}", path.display());
        assert_eq!(found.lines().count(), expected.lines().count(), "{}", path.display());
    }
}

/// Texts with values of every kind, of two skeletons and of none.
fn text(row: u64) -> String {
    let wave = (row as f32 * 0.05).sin();
    match row % 60 {
        20 => return "<html>loading</html>".into(),
        21 => return String::new(),
        40.. => return format!("{{\"err_code\":{},\"text\":\"{}\"}}", row % 3, ["a", "b\\\"c", ""][row as usize % 3]),
        _ => {}
    }
    let values = [
        row.to_string(),
        (row * 10_000_000_000).to_string(),
        format!("{:.2}", wave),
        format!("{}.5", row),
        ["26.869001", "-10.598001", "0.0060000001", "10.416", "0.14500001"][row as usize % 5].into(),
        ["64.609161", "9.6339078e-5", "-12.294746", "39.915119"][row as usize % 4].into(),
        format!("{wave:.6}"),
        format!("{:e}", 1.5e-7 * (row + 1) as f64),
        format!("{:?}", f64::from(wave) / 3.0),
        ["true", "null", "-0.0"][row as usize % 3].into(),
        format!("\"{:02}:{:02}.{:03}\"", row / 60, row % 60, row * 37 % 1000),
    ];
    format!("{{\"fixed\":[1, 2],\"values\":[{}]}}", values.join(","))
}

fn write_golden_tapes_that_are_missing() {
    let scratch = tempfile::tempdir().unwrap();
    let columns = scratch.path().join("columns-1.gtape");
    let mut writer = create(&columns, 64 << 20);
    for (number, rows) in [1, 13, 150].into_iter().enumerate() {
        let columns = wide(rows, number as u64);
        let spec = StreamSpec::columns(format!("wide {rows}"), columns.frame_bytes, columns.channels);
        let stream = writer.add_stream(spec).unwrap();
        for (t, frame) in columns.frames.iter().enumerate() {
            append(&mut writer, stream, t as u64 * 1_000_000, frame);
        }
    }
    writer.finish().unwrap();
    let texts = scratch.path().join("texts-1.gtape");
    let mut writer = create(&texts, 64 << 20);
    let stream = writer.add_stream(StreamSpec::json("answers")).unwrap();
    for row in 0..300 {
        append(&mut writer, stream, row * 1_000_000, text(row).as_bytes());
    }
    writer.finish().unwrap();
    let closed = scratch.path().join("closed-1.gtape");
    mixed(&closed, 2_500, 1 << 20).finish().unwrap();
    drop(mixed(&scratch.path().join("crashed-1.gtape"), 500, 128 << 10));
    for entry in std::fs::read_dir(scratch.path()).unwrap() {
        let from = entry.unwrap().path();
        let to = folder().join(from.file_name().unwrap());
        if to.exists() {
            continue;
        }
        std::fs::copy(&from, &to).unwrap();
    }
    for path in tapes().iter().filter(|path| !path.with_extension("txt").exists()) {
        let mut file = std::fs::File::create_new(path.with_extension("txt")).unwrap();
        std::io::Write::write_all(&mut file, dump(path).as_bytes()).unwrap();
    }
}
