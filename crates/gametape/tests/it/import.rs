//! Imports of `.ibt` files: nothing is lost, nothing is overwritten, and the same file produces the same tape.
#![allow(clippy::unwrap_used, clippy::panic, missing_docs)]
use crate::support;

use std::path::Path;

use gametape::format::read::{Tape, Values};
use gametape::import::{AgainstError, ImportError, Imported, compare_with_source, import};

fn import_bytes(folder: &Path, bytes: &[u8]) -> Result<(Imported, Tape), ImportError> {
    let source = support::put(&folder.join("a.ibt"), bytes);
    let imported = import(&source, &folder.join("a.gtape"), &mut |_| {})?;
    Ok((imported, Tape::open(folder.join("a.gtape")).unwrap()))
}

fn differences(tape: &Tape, source: &Path) -> Vec<String> {
    let comparison = compare_with_source(tape, source, &mut |_| {}).unwrap();
    comparison.differences.iter().map(|difference| format!("{}: {}", difference.stream, difference.text)).collect()
}

#[test]
fn rows_and_descriptions_are_exact_and_channels_have_names() {
    let folder = tempfile::tempdir().unwrap();
    let file = support::ibt(3000);
    let (imported, tape) = import_bytes(folder.path(), &file).unwrap();
    assert_eq!((imported.frames, imported.problems.len(), imported.source_bytes), (3000, 0, file.len() as u64));
    let telemetry = tape.stream_named("telemetry").unwrap();
    let mut frames = tape.frames(telemetry);
    for index in 0..3000 {
        let frame = frames.next().unwrap().unwrap();
        assert_eq!((frame.time_ns, frame.data), (index as u64 * 15_625_000, support::row(index).as_slice()));
    }
    let spec = telemetry.spec();
    assert_eq!(
        (spec.game.as_str(), spec.transport.as_str(), spec.layout.as_str()),
        ("iracing", "file", "iracing-row-31")
    );
    let block = tape.channels(telemetry, &["Lap"]).unwrap().next_block().unwrap().unwrap();
    assert!(matches!(&block.values[0], Values::I32(laps) if laps.len() == 1024));
    for (stream, start, end) in
        [("telemetry.header", 0, 144), ("telemetry.variables", 144, 1008), ("telemetry.session-text", 1008, 1071)]
    {
        let stream = tape.stream_named(stream).unwrap();
        assert_eq!(stream.spec().describes, Some(telemetry.id()));
        assert_eq!(tape.frame_at(stream, 0).unwrap().unwrap().1, file[start..end]);
    }
    assert!(tape.stream_named("telemetry.rest").is_err());
    assert_eq!(tape.start_utc_ns(), Some(1_700_000_000_000_000_000));
    let metadata = tape.metadata();
    for (key, value) in [
        ("source_file", "a.ibt"),
        ("source_kind", "ibt"),
        ("time_source", "session_time"),
        ("game_version", "2026.01.02.03"),
        ("import_problems", "0"),
    ] {
        assert_eq!(metadata[key], value);
    }
    assert_eq!(differences(&tape, &folder.path().join("a.ibt")), Vec::<String>::new());
}

#[test]
fn the_same_bytes_give_the_same_tape_to_the_byte() {
    let (one, two) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
    for folder in [&one, &two] {
        import_bytes(folder.path(), &support::ibt(1500)).unwrap();
    }
    let read = |folder: &tempfile::TempDir| std::fs::read(folder.path().join("a.gtape")).unwrap();
    assert!(read(&one) == read(&two));
}

#[test]
fn a_cut_file_keeps_its_whole_rows_and_every_other_byte() {
    let folder = tempfile::tempdir().unwrap();
    let file = support::ibt(100);
    let (imported, tape) = import_bytes(folder.path(), &file[..file.len() - 10]).unwrap();
    assert_eq!((imported.frames, imported.problems.len()), (99, 2));
    let events: Vec<_> = tape.events().into_iter().map(|event| (event.kind, event.text)).collect();
    let expected: Vec<_> = imported.problems.iter().map(|text| ("import_problem".to_owned(), text.clone())).collect();
    assert_eq!(events, expected);
    assert_eq!(tape.metadata()["import_problems"], "2");
    let rest = tape.stream_named("telemetry.rest").unwrap();
    assert_eq!(tape.frame_at(rest, 0).unwrap().unwrap().1, support::row(99)[..21]);
    assert_eq!(differences(&tape, &folder.path().join("a.ibt")), Vec::<String>::new());
}

#[test]
fn whatever_is_damaged_a_tape_that_was_made_holds_every_byte_of_its_source() {
    let folder = tempfile::tempdir().unwrap();
    let file = support::ibt(12);
    let cuts = (0..file.len()).step_by(53).map(|end| file[..end].to_vec());
    let flips = (0..144).chain((144..file.len()).step_by(29)).map(|at| {
        let mut flipped = file.clone();
        flipped[at] ^= 0x41;
        flipped
    });
    let mut made = 0;
    for (number, bytes) in cuts.chain(flips).enumerate() {
        let source = support::put(&folder.path().join(format!("{number}.ibt")), &bytes);
        let out = folder.path().join(format!("{number}.gtape"));
        if import(&source, &out, &mut |_| {}).is_err() {
            assert!(!out.exists());
            continue;
        }
        made += 1;
        let tape = Tape::open(&out).unwrap();
        let comparison = compare_with_source(&tape, &source, &mut |_| {}).unwrap();
        assert!(comparison.is_equal(), "{number}: {:?}", comparison.differences);
        assert!(comparison.equal_bytes >= bytes.len() as u64, "{number}: {} bytes", comparison.equal_bytes);
    }
    assert!(made > 100, "only {made} tapes were made");
}

#[test]
fn every_piece_of_the_source_is_compared() {
    let folder = tempfile::tempdir().unwrap();
    let file = support::ibt(50);
    let (_, tape) = import_bytes(folder.path(), &file).unwrap();
    let last_row = file.len() - 31;
    for (number, at, stream) in [
        (0, 130, "telemetry.header"),
        (1, 144 + 60, "telemetry.variables"),
        (2, 1040, "telemetry.session-text"),
        (3, 1071 + 31 * 7 + 20, "telemetry"),
        (4, last_row + 5, "telemetry"),
    ] {
        let mut changed = file.clone();
        changed[at] ^= 1;
        let source = support::put(&folder.path().join(format!("{number}.ibt")), &changed);
        let found = differences(&tape, &source);
        assert_eq!(found.len(), 1, "{found:?}");
        assert!(found[0].starts_with(&format!("{stream}: ")), "{found:?}");
    }
    let shorter = support::put(&folder.path().join("shorter.ibt"), &file[..last_row]);
    assert!(differences(&tape, &shorter).iter().any(|text| text.contains("1 more frames than the source")));
}

#[test]
fn nothing_is_overwritten() {
    let folder = tempfile::tempdir().unwrap();
    let source = support::put(&folder.path().join("a.ibt"), &support::ibt(5));
    let out = support::put(&folder.path().join("a.gtape"), b"mine");
    assert!(matches!(import(&source, &out, &mut |_| {}), Err(ImportError::Exists { .. })));
    assert_eq!(std::fs::read(&out).unwrap(), b"mine");
    assert_eq!(std::fs::read_dir(folder.path()).unwrap().count(), 2);
}

#[test]
fn a_damaged_header_is_an_error_and_leaves_nothing_behind() {
    let folder = tempfile::tempdir().unwrap();
    let mut file = support::ibt(5);
    file[24..28].copy_from_slice(&(-1i32).to_le_bytes());
    assert!(matches!(import_bytes(folder.path(), &file), Err(ImportError::Ibt(_))));
    assert_eq!(std::fs::read_dir(folder.path()).unwrap().count(), 1);
}

#[test]
fn a_tape_of_something_else_cannot_be_compared() {
    let folder = tempfile::tempdir().unwrap();
    let (_, tape) = import_bytes(folder.path(), &support::ibt(5)).unwrap();
    let text = support::put(&folder.path().join("a.txt"), b"hello");
    assert!(matches!(compare_with_source(&tape, &text, &mut |_| {}), Err(AgainstError::Kind(_))));
    let ksr = support::put(&folder.path().join("a.ksr"), b"RECROCKS\x02\0\0\0");
    assert!(matches!(compare_with_source(&tape, &ksr, &mut |_| {}), Err(AgainstError::OtherTape { .. })));
    let zstd = support::put(&folder.path().join("a.zst"), b"\x28\xb5\x2f\xfd");
    assert!(matches!(compare_with_source(&tape, &zstd, &mut |_| {}), Err(AgainstError::Kind(_))));
    let capture = support::put(&folder.path().join("a.tape"), b"\x05\x0a\x03\x0a\x01A");
    assert!(matches!(compare_with_source(&tape, &capture, &mut |_| {}), Err(AgainstError::OtherTape { .. })));
}

#[test]
fn real_ibt_files_are_on_their_tapes_to_the_byte() {
    let Some(data) = support::real_data("real_ibt_files_are_on_their_tapes_to_the_byte") else { return };
    let folder = tempfile::tempdir().unwrap();
    for (name, rows) in [("sebring_amg_gt4", 2683), ("red_bull_ring_w13", 390)] {
        let source = data.join("ibt").join(format!("{name}.ibt"));
        let out = folder.path().join(name);
        let imported = import(&source, &out, &mut |_| {}).unwrap();
        assert_eq!((imported.frames, imported.problems.len()), (rows, 0));
        assert!(imported.tape_bytes * 5 < imported.source_bytes, "{imported:?}");
        let tape = Tape::open(&out).unwrap();
        assert!(tape.verify(&mut |_| {}).unwrap().is_ok());
        assert_eq!(differences(&tape, &source), Vec::<String>::new());
    }
}
