//! The reader in tests/independent, written from docs/format.md alone, must find the same in every tape as this crate.
#![allow(clippy::unwrap_used, clippy::panic, clippy::print_stderr, missing_docs)]
#![cfg(feature = "write")]
use crate::samples;

use std::fs::File;
use std::io::Write as _;
use std::path::{Path, PathBuf};
use std::process::Command;

use gametape_format::StreamSpec;
use gametape_format::read::{ReadError, Tape};
use samples::{append, create, mixed, wide};
use tempfile::TempDir;

// ---- running both readers ------------------------------------------------------------------------------------------

/// Returns the interpreter, or prints that the test is skipped and returns `None`.
fn python(test: &str) -> Option<PathBuf> {
    if let Some(python) = std::env::var_os("GAMETAPE_PYTHON") {
        return Some(python.into());
    }
    eprintln!("SKIPPED {test}: GAMETAPE_PYTHON is not set");
    if let Some(log) = std::env::var_os("GAMETAPE_SKIP_LOG") {
        let mut log = File::options().append(true).create(true).open(log).unwrap();
        log.write_all(format!("{test}\n").as_bytes()).unwrap();
    }
    None
}

/// What a reader finds in a tape: exit code 0 (no problem), 3 (damage, or not closed) or 1 (not a tape), problems, one
/// line per frame.
#[derive(Default)]
struct Found {
    code: i32,
    problems: Vec<String>,
    frames: Vec<String>,
}

fn ours(path: &Path) -> Found {
    let tape = match Tape::open(path) {
        Ok(tape) => tape,
        Err(error) => return Found { code: 1, problems: vec![error.to_string()], ..Found::default() },
    };
    let mut found = Found::default();
    let mut streams: Vec<_> = tape.streams().collect();
    streams.sort_by_key(|stream| stream.id().0);
    for stream in streams {
        let (id, mut frames) = (stream.id().0, tape.frames(stream));
        loop {
            match frames.next() {
                Ok(None) => break,
                Ok(Some(f)) => {
                    let (bytes, crc) = (f.data.len(), crc32c::crc32c(f.data));
                    found.frames.push(format!("{id} {} {} {bytes} {crc:08x}", f.seq, f.time_ns));
                }
                Err(ReadError::Damaged(damage)) => found.problems.push(format!("{damage:?}")),
                Err(error) => panic!("{}: {error}", path.display()),
            }
        }
    }
    found.problems.extend(tape.problems().iter().map(|problem| format!("{problem:?}")));
    found.code = if found.problems.is_empty() && tape.is_complete() { 0 } else { 3 };
    found
}

fn theirs<'a>(python: &Path, tapes: impl Iterator<Item = &'a PathBuf>) -> Vec<Found> {
    let script = concat!(env!("CARGO_MANIFEST_DIR"), "/../../tests/independent/reader.py");
    let output = Command::new(python).arg("-B").arg(script).args(tapes).output().unwrap();
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    let mut all = Vec::new();
    for line in std::str::from_utf8(&output.stdout).unwrap().lines() {
        if let Some(tape) = line.strip_prefix("tape ") {
            all.push(Found { code: tape[..1].parse().unwrap(), ..Found::default() });
            continue;
        }
        let tape = all.last_mut().unwrap();
        if line.starts_with("problem ") { &mut tape.problems } else { &mut tape.frames }.push(line.into());
    }
    all
}

/// Tapes for both readers, with the exit code expected of both.
struct Samples {
    folder: TempDir,
    tapes: Vec<(PathBuf, String, i32)>,
}

impl Samples {
    fn new() -> Self {
        Samples { folder: tempfile::tempdir().unwrap(), tapes: Vec::new() }
    }

    fn path(&mut self, what: impl Into<String>, code: i32) -> PathBuf {
        let path = self.folder.path().join(format!("{}.gtape", self.tapes.len()));
        self.tapes.push((path.clone(), what.into(), code));
        path
    }

    fn add(&mut self, what: impl Into<String>, code: i32, tape: &[u8], journals: &[Vec<u8>]) {
        let path = self.path(what, code);
        File::create_new(&path).unwrap().write_all(tape).unwrap();
        for (i, journal) in journals.iter().enumerate() {
            File::create_new(journal_path(&path, i)).unwrap().write_all(journal).unwrap();
        }
    }

    /// Returns the number of frames of each tape.
    fn compare(self, python: &Path) -> Vec<usize> {
        let (all, others) = std::thread::scope(|scope| {
            let others = scope.spawn(|| theirs(python, self.tapes.iter().map(|tape| &tape.0)));
            (self.tapes.iter().map(|tape| ours(&tape.0)).collect::<Vec<_>>(), others.join().unwrap())
        });
        assert_eq!(others.len(), all.len());
        for ((_, what, code), (a, b)) in self.tapes.iter().zip(all.iter().zip(&others)) {
            let problems = format!("{what}\n{:#?}\nindependent: {:#?}", a.problems, b.problems);
            assert_eq!(a.frames.iter().zip(&b.frames).find(|(a, b)| a != b), None, "a frame: {problems}");
            assert_eq!(a.frames.len(), b.frames.len(), "number of frames: {problems}");
            assert_eq!((a.code, b.code), (*code, *code), "codes: {problems}");
        }
        all.iter().map(|found| found.frames.len()).collect()
    }
}

// ---- parts of tapes -------------------------------------------------------------------------------------------------

/// Start and end of every part of an undamaged file, found by a mark at an offset in its header, and a length.
fn pieces(file: &[u8], mark: (usize, &[u8]), length_at: usize, header_bytes: usize) -> Vec<(usize, usize)> {
    let (mut found, mut at) = (Vec::new(), 64);
    while file.len() >= at + header_bytes && file[at + mark.0..].starts_with(mark.1) {
        let length: [u8; 4] = file[at + length_at..][..4].try_into().unwrap();
        found.push((at, at + header_bytes + u32::from_le_bytes(length) as usize));
        at = found[found.len() - 1].1;
    }
    found
}

fn records(tape: &[u8]) -> Vec<(usize, usize)> {
    pieces(tape, (0, b"GTR\x1A"), 8, 64)
}

fn journal_rows(journal: &[u8]) -> Vec<(usize, usize)> {
    pieces(journal, (27, &[0xA5]), 0, 32)
}

fn journal_path(tape: &Path, generation: usize) -> PathBuf {
    format!("{}-journal-{generation}", tape.display()).into()
}

fn journals(tape: &Path) -> Vec<Vec<u8>> {
    (0..100).filter_map(|generation| std::fs::read(journal_path(tape, generation)).ok()).collect()
}

/// Returns the bytes with one of them changed.
fn flip(bytes: &[u8], at: usize) -> Vec<u8> {
    let mut bytes = bytes.to_vec();
    bytes[at] ^= 0x40;
    bytes
}

// ---- tests ---------------------------------------------------------------------------------------------------------

#[test]
fn independent_reader_columns() {
    let Some(python) = python("independent_reader_columns") else { return };
    let mut samples = Samples::new();
    let mut writer = create(&samples.path("columns", 0), 64 << 20);
    let lengths = [1, 2, 3, 13, 60, 255, 256, 257, 1300];
    for (i, rows) in lengths.into_iter().enumerate() {
        let columns = wide(rows, i as u64);
        let spec = StreamSpec::columns(format!("wide {rows}"), columns.frame_bytes, columns.channels);
        let stream = writer.add_stream(spec).unwrap();
        for (t, frame) in columns.frames.iter().enumerate() {
            append(&mut writer, stream, t as u64 * 1_000_000, frame);
        }
    }
    writer.finish().unwrap();
    assert_eq!(samples.compare(&python), [lengths.iter().sum::<usize>()]);
}

#[test]
fn independent_reader_golden_tapes() {
    let Some(python) = python("independent_reader_golden_tapes") else { return };
    let mut samples = Samples::new();
    let golden = Path::new(concat!(env!("CARGO_MANIFEST_DIR"), "/tests/golden"));
    for entry in std::fs::read_dir(golden).unwrap() {
        let path = entry.unwrap().path();
        if path.extension().is_some_and(|extension| extension == "gtape") {
            let journals = journals(&path);
            let code = if journals.is_empty() { 0 } else { 3 };
            samples.add(path.display().to_string(), code, &std::fs::read(&path).unwrap(), &journals);
        }
    }
    assert!(samples.compare(&python).len() >= 4);
}

#[test]
fn independent_reader_closed_tape() {
    let Some(python) = python("independent_reader_closed_tape") else { return };
    let mut samples = Samples::new();
    mixed(&samples.path("closed", 0), 20_000, 4 << 20).finish().unwrap();
    create(&samples.path("empty", 0), 64 << 10).finish().unwrap();
    assert!(samples.compare(&python)[0] > 22_000);
}

#[test]
fn independent_reader_crashed_tape() {
    let Some(python) = python("independent_reader_crashed_tape") else { return };
    let mut samples = Samples::new();
    let tapes = [(0, 64 << 10), (30, 64 << 10), (7000, 256 << 10), (7000, 4 << 20)];
    for (frames, journal_bytes) in tapes {
        let path = samples.path(format!("crash after {frames} frames"), 3);
        drop(mixed(&path, frames, journal_bytes));
        assert!(!journals(&path).is_empty());
    }
    let counts = samples.compare(&python);
    assert!(counts.iter().zip(tapes).all(|(count, (frames, _))| *count as u64 >= frames + frames / 9), "{counts:?}");
}

#[test]
fn independent_reader_damaged_tape() {
    let Some(python) = python("independent_reader_damaged_tape") else { return };
    let mut samples = Samples::new();
    let path = samples.path("whole", 0);
    let writer = mixed(&path, 2000, 1 << 20);
    let journals = journals(&path);
    writer.finish().unwrap();
    let whole = std::fs::read(&path).unwrap();
    let mut seen = [0; 256];
    for (at, end) in records(&whole) {
        let kind = usize::from(whole[at + 4]);
        seen[kind] += 1;
        let places = [at, at + 9, at + 64, (at + 64 + end) / 2, end - 1];
        // All of these positions in the first record of each kind, one of them in each other record.
        for (i, what) in ["sync", "length", "first byte", "payload", "last byte"].into_iter().enumerate() {
            if seen[kind] == 1 || seen[kind] == i + 2 {
                samples.add(format!("{what} of kind {kind} at {at}"), 3, &flip(&whole, places[i]), &[]);
            }
        }
    }
    assert!(seen[1] >= 7 && seen[2] >= 3 && seen[3] >= 5 && seen[4] >= 5 && seen[5] == 1, "{:?}", &seen[..6]);
    for (what, at) in [("magic", 2), ("tape id", 20), ("UTC", 33)] {
        samples.add(format!("{what} in the file header"), 3, &flip(&whole, at), &[]);
        samples.add(format!("{what} without trailer"), 3, &flip(&whole, at)[..whole.len() - 40], &[]);
    }
    for back in [1, 10, 15, 20, 30] {
        samples.add(format!("trailer, byte {back} from the end"), 3, &flip(&whole, whole.len() - back), &[]);
    }
    for length in (0..5).map(|i| 64 + (whole.len() - 64) * i / 5).chain([1, 32, 33].map(|back| whole.len() - back)) {
        samples.add(format!("cut to {length} of {} bytes", whole.len()), 3, &whole[..length], &[]);
    }
    samples.add("text", 1, b"no tape ".repeat(100).as_slice(), &[]);
    samples.add("half a header", 1, &whole[..30], &[]);
    // Journals are used only if the tape is not closed.
    let first_block = records(&whole).into_iter().find(|(at, _)| whole[at + 4] == 2).unwrap().0;
    let damaged = flip(&whole, first_block + 70);
    samples.add("closed, with journals", 0, &whole, &journals);
    samples.add("no trailer, with journals", 3, &whole[..whole.len() - 32], &journals);
    samples.add("closed, damaged, with journals", 3, &damaged, &journals);
    samples.add("no trailer, damaged, with journals", 3, &damaged[..whole.len() - 32], &journals);
    let counts = samples.compare(&python);
    let last = &counts[counts.len() - 4..];
    assert!(last[0] == counts[0] && last[1] == last[0] && last[2] < last[0] && last[3] > last[2], "{counts:?}");
}

#[test]
fn independent_reader_damaged_journal() {
    let Some(python) = python("independent_reader_damaged_journal") else { return };
    let mut samples = Samples::new();
    let path = samples.path("crash", 3);
    drop(mixed(&path, 2500, 128 << 10));
    let (tape, kept) = (std::fs::read(&path).unwrap(), journals(&path));
    assert!(kept.len() >= 2, "{} journals", kept.len());
    for (i, journal) in kept.iter().enumerate() {
        let rows = journal_rows(journal);
        let used = rows.last().map_or(64, |row| row.1);
        let cut = [journal[..used / 2].to_vec(), journal[..40].to_vec(), vec![0; journal.len()]];
        let flips = [3, 17, 25, 45, 64, 70, 92, used].into_iter().chain(rows.iter().step_by(300).map(|row| row.1 - 1));
        for (n, changed) in cut.into_iter().chain(flips.map(|at| flip(journal, at))).enumerate() {
            let journals = [&kept[..i], &[changed], &kept[i + 1..]].concat();
            samples.add(format!("journal {i} of {}, change {n}", kept.len()), 3, &tape, &journals);
        }
        samples.add(format!("without journal {i}"), 3, &tape, &[&kept[..i], &kept[i + 1..]].concat());
    }
    samples.add("journals with each other's names", 3, &tape, &kept.iter().rev().cloned().collect::<Vec<_>>());
    samples.add("tape id", 3, &flip(&tape, 20), &kept);
    // Journal rows may replace a damaged block or descriptor.
    for (start, end) in records(&tape) {
        for at in [start + 16, (start + 64 + end) / 2] {
            samples.add(format!("byte {at} of the tape, record at {start}"), 3, &flip(&tape, at), &kept);
        }
    }
    samples.add("tape cut", 3, &tape[..tape.len() - 100], &kept);
    let counts = samples.compare(&python);
    assert!(counts.iter().any(|count| *count < counts[0]), "{counts:?}");
}

#[test]
fn independent_reader_damaged_row_header() {
    let Some(python) = python("independent_reader_damaged_row_header") else { return };
    let mut samples = Samples::new();
    let path = samples.path("crash", 3);
    let mut writer = create(&path, 64 << 10);
    let streams = ["a", "b"].map(|name| writer.add_stream(StreamSpec::rows(name)).unwrap());
    for t in 0..10 {
        streams.iter().for_each(|stream| append(&mut writer, *stream, t, b"a frame"));
    }
    drop(writer);
    let (tape, kept) = (std::fs::read(&path).unwrap(), journals(&path));
    for (at, _) in journal_rows(&kept[0]) {
        let journals = [&[flip(&kept[0], at + 9)], &kept[1..]].concat();
        samples.add(format!("header of the row at {at}"), 3, &tape, &journals);
    }
    let counts = samples.compare(&python);
    assert!(counts[0] == 20 && counts[1..].iter().all(|count| *count >= 19), "{counts:?}");
}
