//! Files, as the libraries of others decode them.
#![allow(clippy::disallowed_methods, reason = "files in folders of tests")]

use std::collections::BTreeMap;
use std::io::Write as _;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::Arc;

use gametape_format::read::Tape;
use gametape_format::write::{StdFiles, TapeBuilder, WriteOptions as TapeOptions};
use gametape_format::{Channel, ChannelType, StreamSpec, TapeId};
use gametape_simulator::{Script, Settings, Simulation};
use serde_json::{Value, json};

use super::*;
use crate::export::{ChosenColumn, Columns, choose};
use crate::laps::tests::tapes::record_simulation;
use crate::laps::track_tape;

const START_NS: u64 = 1_700_000_000_000_000_000;

/// Keeps files in memory.
#[derive(Default)]
struct InMemory {
    files: Vec<(Option<u32>, Vec<u8>)>,
    stops: bool,
}

impl ExportSink for InMemory {
    fn part(&mut self, lap: Option<u32>, head: &[u8]) -> std::io::Result<()> {
        self.files.push((lap, head.to_vec()));
        Ok(())
    }

    fn write(&mut self, bytes: &[u8]) -> std::io::Result<()> {
        self.files.last_mut().unwrap().1.extend_from_slice(bytes);
        Ok(())
    }

    fn goes_on(&self) -> std::io::Result<()> {
        if self.stops { Err(std::io::ErrorKind::Interrupted.into()) } else { Ok(()) }
    }
}

fn exported(what: &Export<'_>) -> (InMemory, Exported) {
    let mut sink = InMemory::default();
    let exported = McapExporter.export(what, &mut sink).unwrap();
    (sink, exported)
}

fn driven() -> (tempfile::TempDir, Tape) {
    record_simulation(Simulation::driving(Settings::default(), Script::new().at(60_000).end()), 50, "stopped")
}

/// Returns topic and time of all messages.
fn times(file: &[u8]) -> Vec<(String, u64)> {
    let messages = mcap::MessageStream::new(file).unwrap();
    messages.map(|message| message.unwrap()).map(|message| (message.channel.topic.clone(), message.log_time)).collect()
}

fn frames(tape: &Tape, stream: &str) -> Vec<(u64, Vec<u8>)> {
    let mut frames = tape.frames(tape.stream_named(stream).unwrap());
    let mut found = Vec::new();
    while let Some(frame) = frames.next().unwrap() {
        found.push((frame.time_ns, frame.data.to_vec()));
    }
    found
}

#[test]
fn every_frame_is_a_message_at_its_time_and_rates_and_laps_are_heeded() {
    let (_folder, tape) = driven();
    let tracked = track_tape(&tape).unwrap();
    let columns = choose(&tape, &["speedKmh".to_owned(), "gear".to_owned(), "iCurrentTime".to_owned()]).unwrap();
    let all = Export { tracked: Some(&tracked), ..Export::all(&tape, "a.gtape", &columns) };
    let (sink, told) = exported(&all);
    let found = times(&sink.files[0].1);
    assert!(found.windows(2).all(|pair| pair[0].1 <= pair[1].1), "in the order of time");
    let of = |found: &[(String, u64)], topic: &str| -> Vec<u64> {
        found.iter().filter(|message| message.0 == topic).map(|message| message.1 - START_NS).collect()
    };
    for stream in ["physics", "graphics"] {
        let expected: Vec<u64> = frames(&tape, stream).into_iter().map(|frame| frame.0).collect();
        assert_eq!(of(&found, &format!("/telemetry/{stream}")), expected);
    }
    assert_eq!(told.frames, Some((frames(&tape, "physics").len() + frames(&tape, "graphics").len()) as u64));
    assert_eq!(of(&found, "/laps").len(), tracked.laps().count());
    assert!(of(&found, "/pose").len() > 1000 && of(&found, "/telemetry/static").is_empty());

    let few = exported(&Export { hz: Some(2.0), times: 10_000_000_000..20_000_000_000, ..all.clone() }).0;
    let few = times(&few.files[0].1);
    assert_eq!((of(&few, "/telemetry/physics").len(), of(&few, "/pose").len()), (20, 20));
    let each = exported(&Export { laps: LapFiles::Each, ..all.clone() }).0;
    let laps: Vec<_> = tracked.laps().collect();
    assert_eq!(each.files.len(), laps.len());
    for ((lap, file), known) in each.files.iter().zip(laps) {
        let found = times(file);
        let inside = of(&found, "/telemetry/physics");
        assert_eq!(of(&found, "/laps"), [known.end_ns.unwrap_or(known.start_ns)], "its own");
        let end_ns = known.end_ns.unwrap_or(u64::MAX);
        assert!(*lap == Some(known.tape_lap) && inside.iter().all(|at| (known.start_ns..end_ns).contains(at)));
    }
    let mut stopped = InMemory { stops: true, ..InMemory::default() };
    assert!(matches!(McapExporter.export(&all, &mut stopped), Err(ExportError::Write(_))));
}

/// Returns the Python interpreter that has the libraries. If there is none, reports the skip.
fn python(test: &str) -> Option<PathBuf> {
    if let Some(python) = std::env::var_os("GAMETAPE_PYTHON") {
        return Some(python.into());
    }
    std::io::stderr().write_all(format!("SKIPPED {test}: GAMETAPE_PYTHON is not set\n").as_bytes()).unwrap();
    if let Some(log) = std::env::var_os("GAMETAPE_SKIP_LOG") {
        let mut log = std::fs::OpenOptions::new().create(true).append(true).open(log).unwrap();
        log.write_all(format!("{test}\n").as_bytes()).unwrap();
    }
    None
}

/// What the libraries find: the head, and the messages by topic.
fn decoded(python: &Path, file: &[u8]) -> (Value, BTreeMap<String, Vec<Value>>) {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("a.mcap");
    std::fs::write(&path, file).unwrap();
    let script = concat!(env!("CARGO_MANIFEST_DIR"), "/../../tests/independent/mcap_values.py");
    let output = Command::new(python).arg("-B").arg(script).arg(&path).output().unwrap();
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    let text = String::from_utf8(output.stdout).unwrap();
    let mut lines = text.lines().map(|line| serde_json::from_str::<Value>(line).unwrap());
    let head = lines.next().unwrap();
    let mut topics = BTreeMap::<String, Vec<Value>>::new();
    lines.for_each(|line| topics.entry(line["topic"].as_str().unwrap().to_owned()).or_default().push(line));
    (head, topics)
}

/// A value of a frame, as the script prints it. Written from the description of the types alone.
fn expected(column: &ChosenColumn, frame: &[u8]) -> Value {
    let width = column.kind.width();
    let bytes = &frame[column.offset..column.offset + width * column.count];
    let one = |bytes: &[u8]| -> Value {
        let mut wide = [0; 8];
        wide[..bytes.len()].copy_from_slice(bytes);
        let (unsigned, shift) = (u64::from_le_bytes(wide), 64 - 8 * bytes.len() as u32);
        match column.kind {
            ChannelType::F32 => hex(f32::from_le_bytes(bytes.try_into().unwrap()).into()),
            ChannelType::F64 => hex(f64::from_le_bytes(wide)),
            ChannelType::Bool => json!(unsigned != 0),
            kind if kind.is_signed() => json!((unsigned << shift).cast_signed() >> shift),
            _ => json!(unsigned),
        }
    };
    match (column.kind, column.count) {
        (ChannelType::Char, _) => {
            let text = bytes.split(|byte| *byte == 0).next().unwrap();
            json!(gametape_games::windows_1252_text(text))
        }
        (ChannelType::Char16, _) => {
            let units = bytes.chunks(2).map(|unit| u16::from_le_bytes([unit[0], unit[1]]));
            json!(String::from_utf16_lossy(&units.take_while(|unit| *unit != 0).collect::<Vec<_>>()))
        }
        (_, 1) => one(bytes),
        _ => bytes.chunks(width).map(one).collect(),
    }
}

fn hex(value: f64) -> Value {
    json!(format!("{:016x}", value.to_bits()))
}

/// Compares all messages of all streams.
fn compare(tape: &Tape, columns: &Columns, topics: &BTreeMap<String, Vec<Value>>) -> usize {
    let mut compared = 0;
    for stream in columns.streams(tape) {
        let messages = &topics[&format!("/telemetry/{}", stream.name())];
        let of_stream: Vec<_> = columns.0.iter().filter(|column| column.stream == stream.id()).collect();
        let known = frames(tape, stream.name());
        assert_eq!(messages.len(), known.len(), "{}", stream.name());
        for (message, (time_ns, frame)) in messages.iter().zip(&known) {
            assert_eq!(message["log_time"], json!(START_NS + time_ns));
            let fields = message["fields"].as_object().unwrap();
            let mut values: Vec<&Value> = fields.values().collect();
            // Objects of this crate may be sorted by name.
            let by_name: BTreeMap<&str, &Value> = fields.iter().map(|(name, value)| (name.as_str(), value)).collect();
            assert_eq!(by_name["time_ns"], &json!(time_ns));
            let mut expected: Vec<Value> = of_stream.iter().map(|column| expected(column, frame)).collect();
            expected.push(json!(time_ns));
            let text = |value: &Value| value.to_string();
            let (mut found, mut wanted): (Vec<String>, Vec<String>) =
                (values.drain(..).map(text).collect(), expected.iter().map(text).collect());
            found.sort_unstable();
            wanted.sort_unstable();
            assert_eq!(found, wanted, "{}", stream.name());
            for column in of_stream.iter().filter(|column| column.name.chars().all(|c| c.is_ascii_alphanumeric())) {
                if let Some(value) = by_name.get(column.name.as_str()) {
                    assert_eq!(text(value), text(&self::expected(column, frame)), "{}", column.name);
                }
            }
            compared += fields.len();
        }
    }
    compared
}

#[test]
fn every_value_and_time_is_that_of_the_tape_in_libraries_of_others() {
    let Some(python) = python("every_value_and_time_is_that_of_the_tape_in_libraries_of_others") else { return };
    let (_folder, tape) =
        record_simulation(Simulation::driving(Settings::default(), Script::new().at(8_000).end()), 50, "stopped");
    let tracked = track_tape(&tape).unwrap();
    let columns = choose(&tape, &[]).unwrap();
    let (sink, _) = exported(&Export { tracked: Some(&tracked), ..Export::all(&tape, "a.gtape", &columns) });
    let (head, topics) = decoded(&python, &sink.files[0].1);
    assert!(compare(&tape, &columns, &topics) > 40_000);
    assert_eq!(head["metadata"]["session"]["track"], json!(tracked.sessions[0].session.track));
    assert_eq!(head["units"]["/telemetry/physics"]["unit.speedKmh"], "km/h");
    let laps: Vec<u64> = topics["/laps"].iter().map(|lap| lap["fields"]["tape_lap"].as_u64().unwrap()).collect();
    assert_eq!(laps, tracked.laps().map(|lap| u64::from(lap.tape_lap)).collect::<Vec<_>>());
    let pose = &topics["/pose"][9]["fields"];
    assert!(
        topics["/pose"][9]["schema"] == "foxglove.PoseInFrame" && pose["pose"]["position"]["x"].is_string(),
        "{pose}"
    );
    assert_eq!(pose["frame_id"], "track");
}

#[test]
fn hostile_names_and_all_types_are_decoded_by_libraries_of_others() {
    use ChannelType as T;
    let Some(python) = python("hostile_names_and_all_types_are_decoded_by_libraries_of_others") else { return };
    let kinds = [
        T::U8,
        T::I8,
        T::U16,
        T::I16,
        T::U32,
        T::I32,
        T::U64,
        T::I64,
        T::F32,
        T::F64,
        T::Bool,
        T::Bits8,
        T::Bits16,
        T::Bits32,
        T::Bits64,
        T::Char,
        T::Char16,
    ];
    let names =
        ["a.b", "a-b", "a_b", "aB", "time_ns", "2", "\u{1F3CE}", "x\"\0\n", "class", "DESCRIPTOR", "None", "=1"];
    let (mut channels, mut at) = (Vec::new(), 0);
    for (number, kind) in kinds.into_iter().cycle().take(34).enumerate() {
        let count = if number >= kinds.len() || matches!(kind, T::Char | T::Char16) { 3 } else { 1 };
        let name = names.get(number).map_or(format!("n{number}"), |name| (*name).to_owned());
        channels.push(Channel::new(name, kind, at, count, "\u{202E}\"u"));
        at += kind.width() as u32 * count;
    }
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("own.gtape");
    let options = TapeOptions { start_utc_ns: Some(START_NS as i64), ..TapeOptions::new(TapeId([5; 16])) };
    let mut builder = TapeBuilder::create(Arc::new(StdFiles), &path, &options, false).unwrap();
    let first = builder.add_stream(StreamSpec::columns("laps", at, channels.clone()), 0).unwrap();
    let second = builder.add_stream(StreamSpec::columns("la-ps", at, channels), 0).unwrap();
    for number in 0_u32..40 {
        let frame: Vec<u8> = (0..at).map(|byte| (byte * 37 + number * 101 + number * byte) as u8).collect();
        let all = if number == 3 { vec![0xFF; at as usize] } else { frame };
        let stream = if number % 2 == 0 { first } else { second };
        builder.append(stream, u64::from(number) * 1_000_003, &all).unwrap();
    }
    builder.finish().unwrap();
    let tape = Tape::open(&path).unwrap();
    let columns = choose(&tape, &[]).unwrap();
    let (sink, _) = exported(&Export::all(&tape, "\u{1F3CE}\0", &columns));
    let (_, mut topics) = decoded(&python, &sink.files[0].1);
    let renamed = topics.remove("/telemetry/la_ps_2").unwrap();
    topics.insert("/telemetry/la-ps".to_owned(), renamed);
    assert_eq!(compare(&tape, &columns, &topics), 40 * 35);
}
