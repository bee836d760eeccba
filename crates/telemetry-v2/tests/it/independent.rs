//! Reads the same files with Google's protobuf and zstandard in Python, with schemas that are not the crate's:
//! `tests/independent`.

use std::fs::File;
use std::io::Write as _;
use std::path::{Path, PathBuf};
use std::process::Command;

use prost::Message as _;
use telemetry_v2::generation::Generation;
use telemetry_v2::nevrcap;
use telemetry_v2::proto::telemetry::v2::Frame;
use telemetry_v2::read::{Item, Reader, Tape};
use telemetry_v2::write::{Layout, WriteOptions};

use super::files::write;
use super::made_match::{frames, header};
use super::scenario;

/// Runs the checker, or prints that the test is skipped.
struct Checker {
    python: PathBuf,
    folder: tempfile::TempDir,
}

impl Checker {
    fn new(test: &str) -> Option<Self> {
        if let Some(python) = std::env::var_os("GAMETAPE_PYTHON") {
            return Some(Self { python: python.into(), folder: tempfile::tempdir().unwrap() });
        }
        eprintln!("SKIPPED {test}: GAMETAPE_PYTHON is not set");
        if let Some(log) = std::env::var_os("GAMETAPE_SKIP_LOG") {
            let mut log = File::options().append(true).create(true).open(log).unwrap();
            log.write_all(format!("{test}\n").as_bytes()).unwrap();
        }
        None
    }

    fn run(&self, arguments: &[&str]) -> String {
        let script = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/independent/check.py");
        let output = Command::new(&self.python).arg("-B").arg(script).args(arguments).output().unwrap();
        assert!(output.status.success(), "{arguments:?}: {}", String::from_utf8_lossy(&output.stderr));
        String::from_utf8(output.stdout).unwrap()
    }

    fn path(&self, name: &str) -> String {
        self.folder.path().join(name).to_str().unwrap().to_owned()
    }

    fn keep(&self, name: &str, bytes: &[u8]) -> String {
        let path = self.path(name);
        File::create_new(&path).unwrap().write_all(bytes).unwrap();
        path
    }
}

#[test]
fn the_schema_has_the_fields_of_independent_definitions() {
    let Some(checker) = Checker::new("the_schema_has_the_fields_of_independent_definitions") else { return };
    let proto = Path::new(env!("CARGO_MANIFEST_DIR")).join("proto");
    let said = checker.run(&["schema", proto.to_str().unwrap()]);
    assert!(said.starts_with("541 fields and values are the same, 34 are added\n"), "{said}");
    // Our own fields stay clear of the numbers that the format will use next.
    for line in said.lines().skip(1) {
        let (message, number) = line.strip_prefix("added ").unwrap().rsplit_once(' ').unwrap();
        let number: u32 = number.parse().unwrap();
        let allowed = match message {
            "telemetry.v2.CaptureHeader" => [8, 9, 90, 100, 101, 102].contains(&number),
            "telemetry.v2.Frame" => [3, 90, 190].contains(&number),
            "telemetry.v2.EchoArenaFrame" => number == 1000,
            // An event of the fifth generation.
            "telemetry.v2.EchoEvent" => number == 16,
            other => ["Mark", "Raw", "EchoArenaState", "PlayerFullState"].iter().any(|ours| other.contains(ours)),
        };
        assert!(allowed, "{line}");
    }
}

fn as_seed(frames: &[Frame]) -> Vec<Frame> {
    let mut frames = frames.to_vec();
    for frame in &mut frames {
        telemetry_v2::meaning::frame_to_seed(frame);
        telemetry_v2::meaning::frame_to_current(frame, Generation::Seed);
    }
    frames
}

#[test]
fn python_sees_the_same_values_and_what_it_writes_is_read() {
    let Some(checker) = Checker::new("python_sees_the_same_values_and_what_it_writes_is_read") else { return };
    let made = frames(90);
    for (layout, generation, schema) in [
        (Layout::Plain, Generation::Third, "third"),
        (Layout::Blocks, Generation::Third, "third"),
        (Layout::Stream, Generation::Third, "third"),
        (Layout::Blocks, Generation::Seed, "seed"),
        (Layout::Plain, Generation::Seed, "seed"),
    ] {
        let name = format!("{layout:?}-{schema}");
        let options = WriteOptions { layout, generation, keyframe_interval: 16, ..WriteOptions::default() };
        let ours = checker.keep(&name, &write(&made, options));
        let theirs = checker.path(&format!("{name}-rewritten"));
        checker.run(&["rewrite", schema, &ours, &theirs]);
        // Python dropped what its schemas do not know, so everything that comes back is in both.
        let capture = Reader::new(File::open(theirs).unwrap()).unwrap().read_all().unwrap();
        assert_eq!(capture.problems, [], "{name}");
        assert_eq!(capture.generation.unwrap().generation, generation, "{name}");
        let expected = if generation == Generation::Seed { as_seed(&made) } else { made.clone() };
        assert_eq!(capture.frames, expected, "{name}");
        let footer = Reader::new(File::open(ours).unwrap()).unwrap().read_all().unwrap().footer;
        assert_eq!(capture.footer, footer, "{name}");
        let mut expected = header();
        telemetry_v2::meaning::header_for(&mut expected, generation);
        assert_eq!(capture.header.unwrap(), expected, "{name}");
    }
    // The values of a known frame, as read by Python.
    let options = WriteOptions::default();
    let frame = Frame { frame_index: 0, ..scenario::v2_frame(2, scenario::WithBones::TwentyTwo) };
    let said = checker.run(&["dump", "third", &checker.keep("known", &write(&[frame], options))]);
    for line in [
        "record 1",
        ".2.2 i60000",
        ".2.10.1 i3",
        ".2.10.2 f42f10000",
        ".2.10.4.1.1.3 f40400000",
        ".2.10.4.3 i3",
        ".2.10.5[1].4.1.1 f3fc00000",
        ".2.10.5[1].7 i1",
        ".2.10.5[1].8 i22",
        ".2.10.7 i0",
        ".2.10.10 i3",
        ".1.4 7265636f72646572=73697a655f636f6d70617269736f6e",
        ".1.10.8[0].2 i1000000",
        ".3.1 i1",
    ] {
        assert!(said.lines().any(|found| found == line), "{line} is not in\n{said}");
    }
    assert!(said.contains(&format!(".2.10.6[1].2 b{}", "07".repeat(264))));
}

#[test]
fn random_messages_of_python_come_back_to_the_byte() {
    let Some(checker) = Checker::new("random_messages_of_python_come_back_to_the_byte") else { return };
    for (schema, seed) in [("third", "1"), ("third", "2"), ("second", "3"), ("seed", "4")] {
        let path = checker.path(&format!("{schema}-{seed}"));
        checker.run(&["make", schema, seed, "400", &path]);
        let mut reader = Reader::new(File::open(path).unwrap()).unwrap();
        let mut count = 0;
        while let Some(item) = reader.next().unwrap() {
            let Item::Record(placed) = item else { continue };
            let envelope = placed.record.envelope(&Default::default()).unwrap();
            assert_eq!(envelope.encode_to_vec(), *placed.record.bytes(), "{schema}: {envelope:?}");
            count += 1;
        }
        assert_eq!(count, 400);
        let verdict = reader.generation().generation;
        assert_eq!(
            verdict,
            match schema {
                "third" => Generation::Third,
                "second" => Generation::Second,
                _ => Generation::Seed,
            }
        );
    }
    let path = checker.path("first");
    checker.run(&["make", "first_version", "5", "300", &path]);
    let mut reader = nevrcap::Reader::new(File::open(path).unwrap()).unwrap();
    let mut count = 0;
    while let Some(item) = reader.next().unwrap() {
        match item {
            nevrcap::Item::Header(record) => assert_eq!(record.header().unwrap().encode_to_vec(), record.bytes),
            nevrcap::Item::Frame(record) => assert_eq!(record.frame().unwrap().encode_to_vec(), record.bytes),
            nevrcap::Item::Problem(problem) => panic!("{problem}"),
        }
        count += 1;
    }
    assert_eq!(count, 300);
    // Python can also read what this crate writes in the first version.
    let frames = [scenario::v1_frame(10, scenario::WithBones::TwentyTwo)];
    let header =
        telemetry_v2::proto::telemetry::v1::TelemetryHeader { capture_id: "ours".to_owned(), ..Default::default() };
    let mut writer = nevrcap::Writer::new(Vec::new(), &header, 1).unwrap();
    frames.iter().for_each(|frame| writer.frame(frame).unwrap());
    let ours = checker.keep("ours.nevrcap", &writer.finish().unwrap());
    let theirs = checker.path("theirs");
    checker.run(&["rewrite", "first_version", &ours, &theirs]);
    let rewritten = std::fs::read(theirs).unwrap();
    let mut expected = header.encode_length_delimited_to_vec();
    expected.extend(frames[0].encode_length_delimited_to_vec());
    assert_eq!(rewritten, expected);
}

#[test]
fn the_table_of_blocks_is_read_by_another_reader() {
    let Some(checker) = Checker::new("the_table_of_blocks_is_read_by_another_reader") else { return };
    let file = write(&frames(50), WriteOptions { keyframe_interval: 16, ..WriteOptions::default() });
    let said = checker.run(&["seek", &checker.keep("blocks.tape", &file)]);
    let tape = Tape::open(std::io::Cursor::new(&file)).unwrap();
    let mut expected = vec!["0 header".to_owned()];
    for (entry, last) in tape.index().keyframes.iter().zip([15, 31, 47, 49]) {
        expected.push(format!("{} frames {} {last}", entry.byte_offset, entry.frame_index));
    }
    let footer = Reader::new(file.as_slice()).unwrap().read_all().unwrap().footer.unwrap();
    expected.push(format!("{} footer", footer.footer_offset));
    assert_eq!(said.lines().collect::<Vec<_>>(), expected);
}
