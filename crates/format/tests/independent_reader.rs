//! The reader in tests/independent, written from docs/format.md alone, must see in every tape what this crate sees.
#![allow(clippy::unwrap_used, clippy::panic, clippy::print_stderr, missing_docs)]
#![cfg(feature = "write")]

use std::fmt::Write as _;
use std::io::Write as _;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::Arc;
use std::time::Duration;

use gametape_format::read::{ReadError, Tape};
use gametape_format::write::{AppendError, StdFiles, WriteOptions, Writer};
use gametape_format::{Channel, ChannelType, Counters, Role, StreamId, StreamSpec, TapeId};

// ---- running both readers ------------------------------------------------------------------------------------------

/// The interpreter, or `None` after saying that the test is skipped.
fn python(test: &str) -> Option<PathBuf> {
    if let Some(python) = std::env::var_os("GAMETAPE_PYTHON") {
        return Some(python.into());
    }
    eprintln!("SKIPPED {test}: GAMETAPE_PYTHON is not set");
    if let Some(log) = std::env::var_os("GAMETAPE_SKIP_LOG") {
        let mut log = std::fs::OpenOptions::new().append(true).create(true).open(log).unwrap();
        log.write_all(format!("{test}\n").as_bytes()).unwrap();
    }
    None
}

/// What the independent reader prints, what it complains about, and its exit code.
fn independent(python: &Path, options: &[&str], tape: &Path) -> (String, String, i32) {
    let script = concat!(env!("CARGO_MANIFEST_DIR"), "/../../tests/independent/reader.py");
    let output = Command::new(python).arg("-B").arg(script).args(options).arg(tape).output().unwrap();
    let text = |bytes| String::from_utf8(bytes).unwrap();
    (text(output.stdout), text(output.stderr), output.status.code().unwrap())
}

/// The same from this crate's reader; a tape that it refuses has the exit code 1.
fn ours(path: &Path) -> (String, String, i32) {
    let tape = match Tape::open(path) {
        Ok(tape) => tape,
        Err(error) => return (String::new(), error.to_string(), 1),
    };
    let (mut lines, mut problems) = (String::new(), String::new());
    let mut streams: Vec<_> = tape.streams().collect();
    streams.sort_by_key(|stream| stream.id().0);
    for stream in streams {
        let mut frames = tape.frames(stream);
        loop {
            match frames.next() {
                Ok(None) => break,
                Ok(Some(frame)) => {
                    let (id, crc) = (stream.id().0, crc32c::crc32c(frame.data));
                    writeln!(lines, "{id} {} {} {} {crc:08x}", frame.seq, frame.time_ns, frame.data.len()).unwrap();
                }
                Err(ReadError::Damaged(damage)) => writeln!(problems, "{damage:?}").unwrap(),
                Err(error) => panic!("{}: {error}", path.display()),
            }
        }
    }
    for problem in tape.problems() {
        writeln!(problems, "{problem:?}").unwrap();
    }
    let code = if problems.is_empty() && tape.is_complete() { 0 } else { 3 };
    (lines, problems, code)
}

/// Compares both readers on a tape; returns the number of frames.
fn compare(python: &Path, tape: &Path, what: &str, expected_code: i32) -> usize {
    let (lines, problems, code) = ours(tape);
    let (other_lines, other_problems, other_code) = independent(python, &[], tape);
    if let Some((a, b)) = lines.lines().zip(other_lines.lines()).find(|(a, b)| a != b) {
        panic!("{what}: frame `{a}` is `{b}` to the independent reader\n{problems}\nindependent:\n{other_problems}");
    }
    let (count, other_count) = (lines.lines().count(), other_lines.lines().count());
    assert_eq!(count, other_count, "{what}: frames\n{problems}\nindependent:\n{other_problems}");
    assert_eq!(
        (code, other_code),
        (expected_code, expected_code),
        "{what}\n{problems}\nindependent:\n{other_problems}"
    );
    count
}

// ---- sample tapes --------------------------------------------------------------------------------------------------

struct Random(u64);

impl Random {
    fn bits(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9E37_79B9_7F4A_7C15);
        let z = (self.0 ^ (self.0 >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        let z = (z ^ (z >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
        z ^ (z >> 31)
    }

    /// From −1 to 1.
    fn float(&mut self) -> f64 {
        self.bits() as i64 as f64 / i64::MAX as f64
    }
}

/// Frames made of columns. A column without a type becomes a gap between channels.
#[derive(Default)]
struct Columns {
    frame_bytes: u32,
    channels: Vec<Channel>,
    frames: Vec<Vec<u8>>,
}

impl Columns {
    fn new(rows: usize) -> Self {
        Columns { frames: vec![Vec::new(); rows], ..Columns::default() }
    }

    fn bytes(&mut self, name: &str, kind: Option<ChannelType>, width: u32, values: impl Iterator<Item = u64>) {
        if let Some(kind) = kind {
            self.channels.push(Channel::new(name, kind, self.frame_bytes, 1, "m"));
        }
        self.frame_bytes += width;
        let mut count = 0;
        for (frame, value) in self.frames.iter_mut().zip(values) {
            frame.extend_from_slice(&value.to_le_bytes()[..width as usize]);
            count += 1;
        }
        assert_eq!(count, self.frames.len());
    }

    fn f32s(&mut self, name: &str, values: &[f64]) {
        self.bytes(name, Some(ChannelType::F32), 4, values.iter().map(|v| u64::from((*v as f32).to_bits())));
    }

    fn f64s(&mut self, name: &str, values: &[f64]) {
        self.bytes(name, Some(ChannelType::F64), 8, values.iter().map(|v| v.to_bits()));
    }

    fn both(&mut self, name: &str, values: &[f64]) {
        self.f32s(name, values);
        self.f64s(&format!("{name}.64"), values);
    }

    fn ints(&mut self, name: &str, values: impl Fn(u64) -> u64) {
        let rows = self.frames.len() as u64;
        let types = [
            (ChannelType::U8, 1),
            (ChannelType::I8, 1),
            (ChannelType::U16, 2),
            (ChannelType::I16, 2),
            (ChannelType::U32, 4),
            (ChannelType::I32, 4),
            (ChannelType::U64, 8),
            (ChannelType::I64, 8),
        ];
        for (kind, width) in types {
            self.bytes(&format!("{name}.{kind:?}"), Some(kind), width, (0..rows).map(&values));
        }
    }
}

fn slope(values: &[f64]) -> Vec<f64> {
    (0..values.len()).map(|t| if t == 0 { 0.0 } else { values[t] - values[t - 1] }).collect()
}

fn map(values: &[f64], f: impl FnMut(&f64) -> f64) -> Vec<f64> {
    values.iter().map(f).collect()
}

/// Columns of every kind that a coding of the document is made for.
fn wide(rows: usize, seed: u64) -> Columns {
    let mut random = Random(seed);
    let mut columns = Columns::new(rows);
    let smooth: Vec<_> = (0..rows).map(|t| (t as f64 / 40.0).sin() * 70.0).collect();
    let mut walk = || -> Vec<f64> {
        let mut at = 1000.0f32;
        let step = |_| {
            at += random.float() as f32;
            f64::from(at)
        };
        (0..rows).map(step).collect()
    };
    let (walk, walk2, walk3) = (walk(), walk(), walk());
    let grid = map(&walk, |v| (v * 64.0).round() / 64.0);
    let strange = [f64::NAN, f64::INFINITY, f64::NEG_INFINITY, 1e-310, 1e-42, -0.0, 0.0, 1e300, -1e37, 1.5];
    // At a few rows, which are the first ones or others, something that is not tame.
    let spoiled = |walk: &[f64], first: usize| -> Vec<f64> {
        (0..rows).map(|t| if t % 500 == first { strange[t / 500] } else { walk[t] }).collect()
    };

    columns.bytes("odd", Some(ChannelType::U8), 1, (0..rows as u64).map(|t| t / 3));
    columns.both("smooth", &smooth);
    let spoiled = [spoiled(&walk2, 13), spoiled(&walk3, 0)];
    for (name, seen, walk) in [
        ("walk", &walk, &walk),
        ("grid", &grid, &grid),
        ("spoiled", &spoiled[0], &walk2),
        ("spoiled first", &spoiled[1], &walk3),
    ] {
        columns.both(name, seen);
        columns.both(&format!("{name} copy"), seen);
        columns.both(&format!("{name} km/h"), &map(walk, |v| v * 3.6));
        columns.both(&format!("{name} negative"), &map(walk, |v| -v));
        columns.both(&format!("{name} offset"), &map(walk, |v| v * 1.8 + 32.0));
        columns.both(&format!("{name} noise"), &map(walk, |v| v * 0.25 + random.float() * 1e-4));
        columns.both(&format!("{name} speed"), &slope(walk));
        columns.both(&format!("{name} speed km/h"), &map(&slope(walk), |v| v * 216.37));
        columns.both(&format!("{name} speed offset"), &map(&slope(walk), |v| v * 60.0 - 7.5));
        columns.both(&format!("{name} grid"), &map(walk, |v| (v * 3.6 * 256.0).round() / 256.0));
        columns.both(&format!("{name} grid speed"), &map(&slope(walk), |v| (v * 60.0 * 256.0).round() / 256.0 + 3.0));
        columns.bytes("", None, 1, (0..rows as u64).map(|t| t % 7));
    }
    columns.both("coarse grid", &map(&walk, |v| (v / 8.0).round() * 1024.0));
    columns.both("strange", &(0..rows).map(|_| strange[random.bits() as usize % strange.len()]).collect::<Vec<_>>());
    columns.both("runs", &(0..rows).map(|t| walk[t / 37 * 37]).collect::<Vec<_>>());
    columns.both("constant", &vec![42.25; rows]);
    columns.both("zero", &vec![0.0; rows]);
    columns.both("minus zero", &vec![-0.0; rows]);
    columns.both("steps", &(0..rows).map(|t| (t / 50) as f64 * 0.1).collect::<Vec<_>>());
    let noise: Vec<_> = (0..rows).map(|_| random.bits()).collect();
    columns.bytes("noise f32", Some(ChannelType::F32), 4, noise.iter().copied());
    columns.bytes("noise f64", Some(ChannelType::F64), 8, noise.iter().copied());
    // A gap of 1 + 4 + 4 + 3 bytes or so, some of which change.
    columns.bytes("", None, 8, noise.iter().map(|v| v & 0x00FF_0000_FFFF_00FF));
    columns.bytes("", None, 5, noise.iter().map(|v| v >> 40));
    columns.ints("noise", |t| noise[t as usize]);
    columns.ints("zero", |_| 0);
    columns.ints("constant", |_| 0x8123_4567_89AB_CDEF);
    columns.ints("count", |t| t.wrapping_mul(3).wrapping_sub(100));
    columns.ints("fast", |t| t.wrapping_mul(0x0123_4567_89AB_CDEF));
    columns.ints("square", |t| t * t);
    columns.ints("cube", |t| t * t * t + 5);
    columns.ints("runs", |t| noise[(t / 61) as usize]);
    columns.ints("toggle", |t| if noise[t as usize].is_multiple_of(9) { 1 } else { 0x4000_0000_0000_0021 });
    columns.ints("jitter", |t| t * 10_000_019 + noise[t as usize] % 900);
    columns.ints("steps", |t| t * 7 + (0..=t).filter(|i| noise[*i as usize].is_multiple_of(11)).count() as u64 * 1000);
    for kind in [ChannelType::Bool, ChannelType::Char, ChannelType::Bits8] {
        columns.bytes(&format!("{kind:?}"), Some(kind), 1, noise.iter().map(|v| v & 1));
    }
    columns.bytes("bits64", Some(ChannelType::Bits64), 8, noise.iter().map(|v| 1 << (v % 64)));
    let letters = noise.iter().map(|v| v & 0x0003_0003_0003_0003);
    columns.channels.push(Channel::new("plate", ChannelType::Char16, columns.frame_bytes, 4, ""));
    columns.bytes("", None, 8, letters);
    columns
}

fn append(writer: &mut Writer, stream: StreamId, time_ns: u64, data: &[u8]) {
    loop {
        match writer.append(stream, time_ns, data) {
            Ok(_) => return,
            Err(AppendError::NoRoom { .. }) => std::thread::sleep(Duration::from_millis(5)),
            Err(error) => panic!("{error}"),
        }
    }
}

fn create(path: &Path, journal_bytes: u64) -> Writer {
    let options = WriteOptions { journal_bytes, ..WriteOptions::new(TapeId([7; 16])) };
    Writer::create(Arc::new(StdFiles), path, &options).unwrap()
}

fn small_car() -> StreamSpec {
    let channels = vec![
        Channel::new("speed", ChannelType::F32, 0, 1, "km/h"),
        Channel::new("gear", ChannelType::I8, 4, 1, ""),
        Channel::new("wheels", ChannelType::I16, 6, 4, "rad/s"),
        Channel::new("distance", ChannelType::F64, 14, 1, "m"),
        Channel::new("tick", ChannelType::U32, 22, 1, ""),
    ];
    StreamSpec { game: "a-game".into(), layout: "car-28".into(), ..StreamSpec::columns("car", 28, channels) }
}

fn small_frame(t: u64, random: &mut Random) -> Vec<u8> {
    let speed = if t % 3000 < 2900 { (t as f32 / 100.0).sin() * 300.0 } else { f32::NAN };
    let mut frame = speed.to_le_bytes().to_vec();
    frame.extend_from_slice(&[(t / 500 % 8) as u8 ^ 0xFF, 0]);
    (0..4).for_each(|wheel| frame.extend_from_slice(&((t * wheel) as i16).wrapping_sub(9).to_le_bytes()));
    frame.extend_from_slice(&(t as f64 * 0.75).to_le_bytes());
    frame.extend_from_slice(&(random.bits() as u32 & 0xFFF).to_le_bytes());
    frame.extend_from_slice(&(t as u16 / 2).to_le_bytes());
    frame
}

fn text_frame(t: u64, random: &mut Random) -> Vec<u8> {
    match t % 5 {
        0 => Vec::new(),
        1 => "the same text again and again ".repeat(2000).into_bytes(),
        2 => (0..random.bits() % 300).map(|_| random.bits() as u8).collect(),
        _ => format!("lap {t}").into_bytes(),
    }
}

/// A tape with several streams of several kinds, left open.
fn mixed(path: &Path, frames: u64, journal_bytes: u64) -> Writer {
    let mut writer = create(path, journal_bytes);
    let mut random = Random(3);
    let car = writer.add_stream(small_car()).unwrap();
    let text = writer.add_stream(StreamSpec::rows("text")).unwrap();
    let describes = StreamSpec { role: Role::Describe, describes: Some(car), ..StreamSpec::rows("car.text") };
    let describes = writer.add_stream(describes).unwrap();
    let slow = writer.add_stream(StreamSpec::columns("slow", 4, vec![])).unwrap();
    writer.metadata(0, "track", "Brands Hatch").unwrap();
    writer.clock(5, 1_700_000_000_000_000_000).unwrap();
    for t in 0..frames {
        let time = t * 3_000_000 + random.bits() % 100_000;
        // A frame of another size now and then.
        let bytes = if t % 1500 == 700 { vec![t as u8; (t % 90) as usize] } else { small_frame(t, &mut random) };
        append(&mut writer, car, time, &bytes);
        if t % 9 == 0 {
            append(&mut writer, text, time, &text_frame(t / 9, &mut random));
        }
        if t % 400 == 0 {
            append(&mut writer, describes, time, &vec![b'd'; t as usize]);
            append(&mut writer, slow, time, &(t as u32).to_le_bytes());
            writer.event(time, "mark", &format!("event {t}")).unwrap();
            writer.count(car, &Counters { torn: 1, ..Counters::default() });
        }
    }
    writer.metadata(frames * 3_000_000, "track", "Monza").unwrap();
    writer
}

/// Offset, kind and bytes of every record of a tape without damage.
fn records(tape: &[u8]) -> Vec<(usize, u8, usize)> {
    let (mut found, mut at) = (Vec::new(), 64);
    while at + 64 <= tape.len() && &tape[at..at + 4] == b"GTR\x1A" {
        let bytes = 64 + u32::from_le_bytes(tape[at + 8..at + 12].try_into().unwrap()) as usize;
        found.push((at, tape[at + 4], bytes));
        at += bytes;
    }
    found
}

fn put(path: &Path, bytes: &[u8]) {
    let mut file = std::fs::OpenOptions::new().write(true).create(true).truncate(true).open(path).unwrap();
    file.write_all(bytes).unwrap();
}

fn journals(tape: &Path) -> Vec<PathBuf> {
    let prefix = format!("{}-journal-", tape.file_name().unwrap().to_str().unwrap());
    let entries = std::fs::read_dir(tape.parent().unwrap()).unwrap().map(|entry| entry.unwrap().path());
    let mut found: Vec<_> =
        entries.filter(|path| path.file_name().unwrap().to_str().unwrap().starts_with(&prefix)).collect();
    found.sort();
    found
}

/// Offset and payload bytes of every row of a journal without damage.
fn journal_rows(journal: &[u8]) -> Vec<(usize, usize)> {
    let (mut found, mut at) = (Vec::new(), 64);
    while at + 32 <= journal.len() && journal[at + 27] == 0xA5 {
        let bytes = u32::from_le_bytes(journal[at..at + 4].try_into().unwrap()) as usize;
        found.push((at, bytes));
        at += 32 + bytes;
    }
    found
}

/// What `reader.py --streams` should print.
fn streams_json(path: &Path) -> String {
    let tape = Tape::open(path).unwrap();
    let mut lines = Vec::new();
    for stream in tape.streams() {
        let spec = stream.spec();
        let channels: Vec<_> = spec
            .channels
            .iter()
            .map(|c| {
                let kind = format!("{:?}", c.kind).to_lowercase();
                format!(r#"["{}", "{kind}", {}, {}, "{}"]"#, c.name, c.offset, c.count, c.unit)
            })
            .collect();
        lines.push(format!(
            r#"{{"id": {}, "role": "{}", "name": "{}", "game": "{}", "frame_bytes": {}, "channels": [{}]}}"#,
            stream.id().0,
            format!("{:?}", spec.role).to_lowercase(),
            spec.name,
            spec.game,
            spec.frame_bytes,
            channels.join(", ")
        ));
    }
    format!("[{}]\n", lines.join(",\n"))
}

// ---- tests ---------------------------------------------------------------------------------------------------------

#[test]
fn independent_reader_columns() {
    let Some(python) = python("independent_reader_columns") else { return };
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("columns.gtape");
    let mut writer = create(&path, 64 << 20);
    let lengths = [1, 2, 3, 9, 13, 60, 255, 256, 257, 258, 1024, 2500];
    for (i, rows) in lengths.into_iter().enumerate() {
        let columns = wide(rows, i as u64);
        let spec = StreamSpec::columns(format!("wide {rows}"), columns.frame_bytes, columns.channels);
        let stream = writer.add_stream(spec).unwrap();
        for (t, frame) in columns.frames.iter().enumerate() {
            append(&mut writer, stream, t as u64 * 1_000_000, frame);
        }
    }
    writer.finish().unwrap();
    assert_eq!(compare(&python, &path, "columns", 0), lengths.iter().sum::<usize>());
    assert_eq!(independent(&python, &["--streams"], &path).0, streams_json(&path));
}

#[test]
fn independent_reader_closed_tape() {
    let Some(python) = python("independent_reader_closed_tape") else { return };
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("closed.gtape");
    mixed(&path, 40_000, 4 << 20).finish().unwrap();
    assert!(compare(&python, &path, "closed", 0) > 44_000);
    assert_eq!(independent(&python, &["--streams"], &path).0, streams_json(&path));
    let (lines, _, code) = independent(&python, &["--index"], &path);
    assert!(code == 0 && lines.lines().filter(|line| line.starts_with("RANGE 0 ")).count() >= 100);
    let empty = folder.path().join("empty.gtape");
    create(&empty, 64 << 10).finish().unwrap();
    compare(&python, &empty, "empty", 0);
}

#[test]
fn independent_reader_crashed_tape() {
    let Some(python) = python("independent_reader_crashed_tape") else { return };
    let folder = tempfile::tempdir().unwrap();
    for (frames, journal_bytes) in [(0, 64 << 10), (30, 64 << 10), (9000, 256 << 10), (9000, 4 << 20)] {
        let path = folder.path().join(format!("{frames}-{journal_bytes}.gtape"));
        drop(mixed(&path, frames, journal_bytes));
        assert!(!journals(&path).is_empty());
        let count = compare(&python, &path, &format!("crash after {frames} frames"), 3);
        assert!(count as u64 >= frames + frames / 9);
    }
}

#[test]
fn independent_reader_damaged_tape() {
    let Some(python) = python("independent_reader_damaged_tape") else { return };
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("damaged.gtape");
    mixed(&path, 3600, 1 << 20).finish().unwrap();
    let whole = std::fs::read(&path).unwrap();
    let mut damages = vec![];
    let mut seen = [0; 256];
    for (at, kind, bytes) in records(&whole) {
        seen[kind as usize] += 1;
        if seen[kind as usize] <= 2 || kind == 3 && seen[3] % 4 == 0 {
            damages.push((format!("payload of the record of kind {kind} at {at}"), at + 64 + (bytes - 64) / 2));
            damages.push((format!("first byte of the payload of kind {kind} at {at}"), at + 64));
            damages.push((format!("last byte of kind {kind} at {at}"), at + bytes - 1));
            damages.push((format!("sync of kind {kind} at {at}"), at));
            damages.push((format!("length of kind {kind} at {at}"), at + 9));
        }
    }
    assert!(seen[1] >= 7 && seen[2] >= 3 && seen[3] >= 5 && seen[4] >= 5 && seen[5] == 1, "{:?}", &seen[..6]);
    damages.push(("UTC in the file header".into(), 33));
    damages.push(("tape id in the file header".into(), 20));
    for back in [1, 10, 15, 20, 30] {
        damages.push((format!("trailer, byte {back} from the end"), whole.len() - back));
    }
    for (what, at) in damages {
        let mut bytes = whole.clone();
        bytes[at] ^= 0x40;
        put(&path, &bytes);
        compare(&python, &path, &what, 3);
    }
    let mut cuts: Vec<_> = (0..8).map(|i| 64 + (whole.len() - 64) * i / 8).collect();
    cuts.extend([whole.len() - 1, whole.len() - 32, whole.len() - 33]);
    for length in cuts {
        put(&path, &whole[..length]);
        compare(&python, &path, &format!("cut to {length} of {} bytes", whole.len()), 3);
    }
    let mut bytes = whole.clone();
    bytes[2] ^= 1;
    put(&path, &bytes);
    compare(&python, &path, "magic of a closed tape", 3);
    put(&path, &bytes[..bytes.len() - 40]);
    compare(&python, &path, "magic of a tape without trailer", 3);
    put(&path, b"no tape ".repeat(100).as_slice());
    compare(&python, &path, "text", 1);
    put(&path, &whole[..30]);
    compare(&python, &path, "half a header", 1);
}

#[test]
fn independent_reader_damaged_journal() {
    let Some(python) = python("independent_reader_damaged_journal") else { return };
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("crashed.gtape");
    drop(mixed(&path, 5000, 256 << 10));
    let whole = std::fs::read(&path).unwrap();
    let kept: Vec<_> = journals(&path).into_iter().map(|path| (std::fs::read(&path).unwrap(), path)).collect();
    assert!(kept.len() >= 2, "{kept:?}");
    let all = compare(&python, &path, "crash", 3);
    let mut fewest = all;
    for (journal, journal_path) in &kept {
        let rows = journal_rows(journal);
        let used = rows.last().map_or(64, |(at, bytes)| at + 32 + bytes);
        let mut flips = vec![3, 17, 25, 45, 64, 70, 92, used];
        flips.extend(rows.iter().filter(|(_, bytes)| *bytes > 0).step_by(200).map(|(at, bytes)| at + 32 + bytes / 2));
        for at in flips {
            let mut bytes = journal.clone();
            bytes[at] ^= 0x10;
            put(journal_path, &bytes);
            fewest = fewest.min(compare(&python, &path, &format!("{journal_path:?}, byte {at}"), 3));
        }
        put(journal_path, &journal[..used / 2]);
        compare(&python, &path, &format!("{journal_path:?}, cut"), 3);
        put(journal_path, &journal[..40]);
        compare(&python, &path, &format!("{journal_path:?}, cut in the header"), 3);
        std::fs::remove_file(journal_path).unwrap();
        compare(&python, &path, &format!("without {journal_path:?}"), 3);
        put(journal_path, journal);
    }
    assert!(fewest < all);
    // Damage in the tape: rows of the journal may stand in for a block.
    for (at, kind, bytes) in records(&whole) {
        for flip in [at + 16, at + 64 + (bytes - 64) / 2] {
            let mut damaged = whole.clone();
            damaged[flip] ^= 1;
            put(&path, &damaged);
            compare(&python, &path, &format!("crashed tape, byte {flip}, record of kind {kind}"), 3);
        }
    }
    put(&path, &whole[..whole.len() - 100]);
    compare(&python, &path, "crashed tape, cut", 3);
}

#[test]
fn independent_reader_damaged_row_header() {
    let Some(python) = python("independent_reader_damaged_row_header") else { return };
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("crashed.gtape");
    let mut writer = create(&path, 256 << 10);
    let a = writer.add_stream(StreamSpec::rows("a")).unwrap();
    let b = writer.add_stream(StreamSpec::rows("b")).unwrap();
    for t in 0..10 {
        append(&mut writer, a, t, b"frame of a");
        append(&mut writer, b, t, b"frame of b");
    }
    drop(writer);
    assert_eq!(compare(&python, &path, "crash", 3), 20);
    let journal_path = journals(&path).remove(0);
    let journal = std::fs::read(&journal_path).unwrap();
    for (at, _) in journal_rows(&journal) {
        let mut bytes = journal.clone();
        bytes[at + 9] ^= 1;
        put(&journal_path, &bytes);
        compare(&python, &path, &format!("header of the row at {at}"), 3);
    }
}
