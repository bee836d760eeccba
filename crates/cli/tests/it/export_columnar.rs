//! Parquet files and Arrow streams, read by engines that nobody here wrote: every value has the bits of the frames, and a query finds what `cat`
//! prints.
#![cfg(target_os = "linux")]
#![allow(clippy::unwrap_used, missing_docs)]
use crate::support;

use std::io::Read as _;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::sync::Arc;

use gametape::format::read::Tape;
use gametape::format::write::{StdFiles, TapeBuilder, WriteOptions};
use gametape::format::{Channel, ChannelType, StreamSpec, TapeId};
use serde_json::{Value, json};
use support::{Bench, text};

/// Returns the interpreter that has the engines, or skips with a message.
fn python(test: &str) -> Option<PathBuf> {
    let python = std::env::var_os("GAMETAPE_PYTHON").map(PathBuf::from);
    if python.is_none() {
        support::skip(test, "GAMETAPE_PYTHON is not set");
    }
    python
}

/// Lets the engines check a specification, as `tests/independent/columnar.py` describes it. Returns the number of values compared.
fn checked(python: &Path, bench: &Bench, spec: &Value) -> Result<u64, String> {
    let path = bench.path("spec.json");
    std::fs::write(&path, spec.to_string()).unwrap();
    let script = concat!(env!("CARGO_MANIFEST_DIR"), "/../../tests/independent/columnar.py");
    let output = Command::new(python).arg("-B").arg(script).arg(&path).output().unwrap();
    let said = String::from_utf8_lossy(&output.stderr).into_owned();
    let compared = String::from_utf8_lossy(&output.stdout).trim().parse();
    if output.status.success() { Ok(compared.unwrap()) } else { Err(said) }
}

/// Writes the frames of a stream, their times and the places of its channels for the checker. With `long` also arrays that are lists.
fn frames(bench: &Bench, tape: &Tape, stream: &str, long: bool) -> Value {
    let of = tape.stream_named(stream).unwrap();
    let (mut bytes, mut times) = (Vec::new(), Vec::new());
    let mut frames = tape.frames(of);
    while let Some(frame) = frames.next().unwrap() {
        bytes.extend_from_slice(frame.data);
        times.extend_from_slice(&frame.time_ns.to_le_bytes());
    }
    let safe = stream.replace('/', "_");
    let [frames, at] = [("frames", bytes), ("times", times)].map(|(what, bytes)| {
        let path = bench.path(&format!("{safe}.{what}"));
        std::fs::write(&path, bytes).unwrap();
        path
    });
    let is_text = |channel: &Channel| matches!(channel.kind, ChannelType::Char | ChannelType::Char16);
    let channels = of.spec().channels.iter().filter(|channel| long || channel.count <= 8 || is_text(channel));
    let channels: Vec<Value> = channels
        .map(|channel| {
            let kind = format!("{:?}", channel.kind);
            json!({ "name": channel.name, "kind": kind, "offset": channel.offset, "count": channel.count })
        })
        .collect();
    json!({ "frames": frames, "times": at, "frame_bytes": of.spec().frame_bytes, "channels": channels })
}

/// The part of a file's name that is the stream.
fn stream_of(file: &str) -> String {
    Path::new(file).file_stem().unwrap().to_str().unwrap().rsplit_once('.').unwrap().1.to_owned()
}

/// Types of channels, with the bytes of a value.
const KINDS: [(ChannelType, u32); 17] = [
    (ChannelType::U8, 1),
    (ChannelType::I8, 1),
    (ChannelType::U16, 2),
    (ChannelType::I16, 2),
    (ChannelType::U32, 4),
    (ChannelType::I32, 4),
    (ChannelType::U64, 8),
    (ChannelType::I64, 8),
    (ChannelType::F32, 4),
    (ChannelType::F64, 8),
    (ChannelType::Bool, 1),
    (ChannelType::Char, 1),
    (ChannelType::Char16, 2),
    (ChannelType::Bits8, 1),
    (ChannelType::Bits16, 2),
    (ChannelType::Bits32, 4),
    (ChannelType::Bits64, 8),
];

/// A tape with every type as a number, a short and a long array, whose values are random bits, NaNs with a payload and negative zeros.
fn any_bits(bench: &Bench, rows: u64) -> PathBuf {
    let path = bench.path("bits.gtape");
    let options = WriteOptions { start_utc_ns: Some(-1_500), ..WriteOptions::new(TapeId([7; 16])) };
    let mut tape = TapeBuilder::create(Arc::new(StdFiles), &path, &options, false).unwrap();
    let (mut channels, mut offset) = (Vec::new(), 0);
    for (kind, width) in KINDS {
        for (name, count) in [("One", 1), ("Few", 3), ("Many", 11)] {
            channels.push(Channel::new(format!("{kind:?}{name}"), kind, offset, count, "m/s²"));
            offset += width * count;
        }
    }
    // Names that tables use themselves, and names that differ in case only, are checked elsewhere.
    let stream = tape.add_stream(StreamSpec::columns("bits", offset, channels), 0).unwrap();
    let mut state = 0x9e37_79b9_7f4a_7c15_u64;
    let mut next = || {
        state ^= state << 13;
        state ^= state >> 7;
        state ^= state << 17;
        state
    };
    let special = [f32::NAN.to_bits() | 0x1234, 0xffc0_0001, 0x7fa0_0001, 0x8000_0000, 0, 0x7f80_0000];
    let mut frame = vec![0_u8; offset as usize];
    for row in 0..rows {
        // Some stretches repeat, so that dictionaries are used too.
        if row / 700 % 2 == 0 || row % 50 == 0 {
            frame.chunks_mut(8).for_each(|bytes| {
                let random = next().to_le_bytes();
                bytes.copy_from_slice(&random[..bytes.len()]);
            });
            let float = tape_offset(ChannelType::F32);
            let special = special[(next() % 6) as usize].to_le_bytes();
            frame[float..float + 4].copy_from_slice(&special);
        }
        tape.append(stream, row * 1_000_003, &frame).unwrap();
    }
    tape.finish().unwrap();
    path
}

/// Where the single value of a type is in the frames of [`any_bits`].
fn tape_offset(of: ChannelType) -> usize {
    let before = KINDS.iter().take_while(|(kind, _)| *kind != of);
    before.map(|(_, width)| width * 15).sum::<u32>() as usize
}

#[test]
fn engines_find_every_bit_of_every_type() {
    let Some(python) = python("engines_find_every_bit_of_every_type") else { return };
    let bench = Bench::new();
    let path = any_bits(&bench, 5_000);
    let file = bench.expect(0, &["export", text(&path), "--to", "parquet", "--all"]).out.trim().to_owned();
    assert_eq!(file, text(&path.with_extension("parquet")), "one stream is one file");
    let stream = bench.path("bits.arrow");
    std::fs::write(&stream, bench.expect(0, &["cat", text(&path), "--format", "arrow"]).raw).unwrap();
    let tape = Tape::open(&path).unwrap();
    let mut spec = json!({ "parquet": { "bits": file }, "arrow": { "bits": stream },
        "streams": { "bits": frames(&bench, &tape, "bits", true) } });
    let compared = checked(&python, &bench, &spec).unwrap();
    assert!(compared > 8 * 5_000 * 17 * 13, "{compared}");

    // The control: one other bit in one frame is found.
    let other = bench.path("bits.frames");
    let mut bytes = std::fs::read(&other).unwrap();
    let frame = bytes.len() / 5_000;
    bytes[4_321 * frame + tape_offset(ChannelType::F64) + 2] ^= 1;
    std::fs::write(&other, bytes).unwrap();
    spec["arrow"] = json!({});
    let found = checked(&python, &bench, &spec).unwrap_err();
    assert!(found.contains("F64One differs, first in row [4321]"), "{found}");
}

#[test]
fn engines_find_the_laps_and_values_of_a_drive() {
    let Some(python) = python("engines_find_the_laps_and_values_of_a_drive") else { return };
    let bench = Bench::new();
    let path = bench.expect(0, &["demo", "--laps", "2", "--speed", "100"]).out.trim().to_owned();
    let out = bench.path("out/");
    let ran = bench.expect(0, &["export", &path, "--to", "parquet", "-o", &format!("{}/", text(&out))]);
    let files: Vec<&str> = ran.out.lines().collect();
    let tape = Tape::open(&path).unwrap();
    let (mut parquet, mut arrow, mut streams) = (json!({}), json!({}), json!({}));
    for file in &files {
        let stream = stream_of(file);
        parquet[&stream] = json!(file);
        streams[&stream] = frames(&bench, &tape, &stream, false);
        let short: Vec<String> = streams[&stream]["channels"]
            .as_array()
            .unwrap()
            .iter()
            .map(|one| format!("{stream}/{}", one["name"].as_str().unwrap()))
            .collect();
        let to = bench.path(&format!("{stream}.arrow"));
        let cat = ["cat", &path, "--stream", &stream, "--channels", &short.join(","), "--format", "arrow"];
        std::fs::write(&to, bench.expect(0, &cat).raw).unwrap();
        arrow[&stream] = json!(to);
    }
    assert!(files.len() >= 3 && ran.err.contains("--all"), "physics, graphics, static: {files:?} {}", ran.err);
    let csv = bench.path("cat.csv");
    std::fs::write(&csv, bench.expect(0, &["cat", &path, "--channels", "speedKmh"]).raw).unwrap();
    let laps = bench.expect(0, &["laps", &path, "--json"]).json();
    let laps: Vec<Value> = laps["sessions"].as_array().unwrap().iter().flat_map(|session| session["laps"].as_array().unwrap().clone())
        .map(|lap| json!({ "lap": lap["tape_lap"], "start_ns": lap["start_ns"], "end_ns": lap["end_ns"].as_u64().unwrap_or(i64::MAX as u64) })).collect();
    let spec = json!({ "parquet": parquet, "arrow": arrow, "streams": streams,
        "cat": { "stream": "physics", "channel": "speedKmh", "file": csv, "laps": laps } });
    let compared = checked(&python, &bench, &spec).unwrap();
    assert!(compared > 1_000_000, "{compared}");
}

#[test]
fn engines_find_the_values_of_real_tapes() {
    let Some(python) = python("engines_find_the_values_of_real_tapes") else { return };
    let Some(data) = support::ibt::real_data("engines_find_the_values_of_real_tapes") else { return };
    let bench = Bench::new();
    let source = data.join("ibt/tsukuba_formula_vee.ibt");
    let path = bench.path("real.gtape");
    bench.expect(0, &["import", text(&source), "-o", text(&path), "--no-store"]);
    let file = bench.expect(0, &["export", text(&path), "--to", "parquet"]).out.trim().to_owned();
    let tape = Tape::open(&path).unwrap();
    let stream = tape.streams().find(|stream| !stream.spec().channels.is_empty()).unwrap().name().to_owned();
    let mut spec =
        json!({ "parquet": { &stream: file }, "streams": { &stream: frames(&bench, &tape, &stream, false) } });
    // A channel named `Lap` gives way to the lap of the tape.
    for channel in spec["streams"][&stream]["channels"].as_array_mut().unwrap() {
        if channel["name"] == "Lap" {
            channel["name"] = json!(format!("{stream}_Lap"));
        }
    }
    assert!(checked(&python, &bench, &spec).unwrap() > 100_000);
}

#[test]
fn a_lake_has_partitions_that_engines_understand() {
    let Some(python) = python("a_lake_has_partitions_that_engines_understand") else { return };
    let bench = Bench::new();
    let lake = bench.path("lake");
    let to = format!("{}/", text(&lake));
    let first = bench.expect(0, &["demo", "--laps", "1", "--speed", "100"]).out.trim().to_owned();
    let (second, _) = bench.imported(500);
    let arguments = ["export", &first, &second, "--to", "parquet", "--neutral", "-o", &to];
    let ran = bench.expect(0, &arguments);
    let files: Vec<&str> = ran.out.lines().collect();
    let mut sessions = Vec::new();
    for (tape, file) in [&first, &second].iter().zip(&files) {
        let laps = bench.expect(0, &["laps", tape, "--json"]).json();
        let session = &laps["sessions"][0];
        let rows = ran.err.lines().find(|line| line.starts_with(tape.as_str())).unwrap();
        let rows = rows.split(": ").nth(1).unwrap().split(" row").next().unwrap().replace(',', "");
        sessions.push(json!({ "game": session["game"], "track": session["track"], "car": session["car"], "rows": rows.parse::<u64>().unwrap() }));
        assert!(file.contains("/game=") && file.contains("/track=") && file.contains("/car="), "{file}");
    }
    checked(&python, &bench, &json!({ "lake": lake, "sessions": sessions })).unwrap();
    // The same session is the same file.
    bench.expect(1, &arguments).is_one_error_with(&["already exists", "--force"]);
    let before = std::fs::read(files[0]).unwrap();
    bench.expect(0, &[arguments.as_slice(), &["--force"]].concat());
    assert_eq!(std::fs::read(files[0]).unwrap(), before);
}

#[test]
fn parquet_has_the_rows_and_files_that_were_asked_for() {
    let bench = Bench::new();
    let tape = bench.expect(0, &["demo", "--laps", "2", "--speed", "100"]).out.trim().to_owned();
    let parquet = |more: &[&'static str]| [&["export", tape.as_str(), "--to", "parquet"], more].concat();
    let magic = |bytes: &[u8]| bytes.starts_with(b"PAR1") && bytes.ends_with(b"PAR1");
    let out = bench
        .expect(0, &parquet(&["--channels", "speedKmh,gear", "--from", "2", "--until", "4", "--hz", "10", "-o", "-"]));
    assert!(magic(&out.raw) && out.err.contains("20 rows, 2 channels"), "{}", out.err);
    let folder = format!("{}/", text(&bench.path("laps")));
    let laps = bench.expect(0, &[parquet(&["--per-lap", "-o"]).as_slice(), &[&folder]].concat());
    let files: Vec<&str> = laps.out.lines().collect();
    assert!(files.iter().any(|file| file.ends_with(".physics_lap01.parquet")), "{files:?}");
    assert!(files.iter().any(|file| file.ends_with(".graphics_lap02.parquet")), "{files:?}");
    assert!(files.iter().all(|file| magic(&std::fs::read(file).unwrap())), "each file has its own footer");
    for (arguments, word) in [
        (vec!["-o", "-"], "one can go to stdout"),
        (vec!["--neutral", "--all"], "cannot be used with"),
        (vec!["--per-lap", "-o", "-"], "only one file"),
    ] {
        let ran = bench.expect(2, &parquet(&arguments));
        assert!(ran.err.contains(word), "{word}: {}", ran.err);
    }
    bench.expect(2, &["export", &tape, "--neutral"]).is_one_error_with(&["--to parquet"]);
    bench.expect(4, &parquet(&["--from", "1h"])).is_one_error_with(&["no frames between"]);
    let taken = support::ibt::put(&bench.path("old.parquet"), b"old");
    bench
        .expect(2, &[parquet(&["-o"]).as_slice(), &[text(&taken)]].concat())
        .is_one_error_with(&["already exists", "--force"]);
    assert_eq!(std::fs::read(&taken).unwrap(), b"old");
}

#[test]
fn a_full_disk_and_a_read_only_folder_are_told_and_no_part_of_a_file_is_left() {
    let test = "a_full_disk_and_a_read_only_folder_are_told_and_no_part_of_a_file_is_left";
    let bench = Bench::new();
    let tape = any_bits(&bench, 20_000);
    let tape = text(&tape);
    // A file at the path of the folder: that stops root, too.
    std::fs::write(bench.path("file"), b"").unwrap();
    let below = bench.path("file/a.parquet");
    for to in ["csv", "parquet"] {
        let ran = bench.expect(1, &["export", tape, "--to", to, "-o", text(&below)]);
        ran.is_one_error_with(&["a.parquet", tape]);
    }
    let at = bench.path("small");
    std::fs::create_dir(&at).unwrap();
    for (options, what) in [("size=1m", "No space left"), ("ro,size=1m", "Read-only")] {
        let script = format!("mount -t tmpfs -o {options} none '{}' && echo ready && cat", at.display());
        let mut disk = Command::new("unshare");
        disk.args(["--user", "--map-root-user", "--mount", "sh", "-c", &script]);
        let mut disk = disk.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::null()).spawn().unwrap();
        let mut ready = [0; 6];
        if disk.stdout.as_mut().unwrap().read_exact(&mut ready).is_err() {
            disk.wait().unwrap();
            support::skip(test, "no user namespaces");
            return;
        }
        let folder = PathBuf::from(format!("/proc/{}/root{}", disk.id(), at.display()));
        for to in ["csv", "parquet"] {
            let out = folder.join(format!("a.{to}"));
            let ran = bench.expect(1, &["export", tape, "--all", "--to", to, "-o", text(&out)]);
            ran.is_one_error_with(&[what, &format!("a.{to}")]);
            assert_eq!(std::fs::read_dir(&folder).unwrap().count(), 0, "nothing is left after {what}");
        }
        drop(disk.stdin.take());
        disk.wait().unwrap();
    }
}

#[test]
fn an_arrow_stream_ends_quietly_when_its_reader_leaves() {
    let bench = Bench::new();
    let tape = any_bits(&bench, 20_000);
    let mut cat = bench.command(&["cat", text(&tape), "--format", "arrow"]);
    let mut cat = cat.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
    let mut head = [0; 1000];
    cat.stdout.take().unwrap().read_exact(&mut head).unwrap();
    let ran = cat.wait_with_output().unwrap();
    assert!(ran.status.success() && ran.stderr.is_empty(), "{:?}", String::from_utf8_lossy(&ran.stderr));
    bench
        .expect(2, &["cat", text(&tape), "--format", "arrow", "--events"])
        .is_one_error_with(&["events", "csv or jsonl"]);
}
