//! Captures of the fifth generation of Telemetry V2: read, stored byte for byte, compared, compressed with a dictionary.
#![allow(clippy::unwrap_used, clippy::panic, missing_docs)]

use std::path::Path;
use std::sync::Arc;

use gametape::export::v2::{CaptureOptions, export_v2_tape_with};
use gametape::format::read::Tape;
use gametape::format::write::StdFiles;
use gametape::import::{Dictionary, ImportOptions, Imported, compare_with_source_using, import_with};
use telemetry_v2::proto::telemetry::v2::echo_event::Event;
use telemetry_v2::proto::telemetry::v2::{CaptureHeader, capture_header, envelope, frame};
use telemetry_v2::write::{Layout, WriteOptions, Writer};
use telemetry_v2::{EventIndexEntry, EventName, Record};

use crate::made_match;

const DICTIONARY: &[u8] = include_bytes!("../../../telemetry-v2/tests/data/dictionary.zdict");

fn header(dictionary: Option<&Dictionary>) -> CaptureHeader {
    CaptureHeader {
        format_version: 2,
        format_minor: 2,
        nominal_frame_rate_hz: Some(60),
        idle_frame_rate_hz: Some(5),
        dictionary_sha256: dictionary.map(|one| one.sha256().to_vec().into()).unwrap_or_default(),
        ..made_match::header()
    }
}

fn capture(header: &Record, layout: Layout, dictionary: Option<&Dictionary>) -> Vec<u8> {
    // The options of an export.
    let options = WriteOptions { layout, keyframe_interval: 100, keyframe_state: false, ..WriteOptions::default() };
    let mut writer = match dictionary {
        Some(dictionary) => Writer::copying_with_dictionary(Vec::new(), header, options, dictionary).unwrap(),
        None => Writer::copying(Vec::new(), header, options).unwrap(),
    };
    for mut frame in made_match::frames(120) {
        if let (true, Some(frame::Payload::EchoArena(arena))) = (frame.frame_index % 50 == 7, &mut frame.payload) {
            arena.events.push(Event::MatchSettingsChanged(b"\x08\x05\x12\x03new".to_vec().into()).into());
        }
        writer.verbatim(&Record::from_message(envelope::Message::Frame(frame))).unwrap();
    }
    writer.keep_unknown_events([EventIndexEntry { event: EventName::Number(7), frame_indices: vec![7, 57, 107] }]);
    writer.finish().unwrap().0
}

fn import(folder: &Path, file: &[u8], dictionary: Option<&Dictionary>) -> Result<(Imported, Tape), String> {
    let (source, tape) = (folder.join("a.tape"), folder.join("a.gtape"));
    std::fs::write(&source, file).unwrap();
    let _ = std::fs::remove_file(&tape);
    let options = ImportOptions { dictionary: dictionary.cloned(), ..ImportOptions::default() };
    let imported = import_with(Arc::new(StdFiles), &source, &tape, &options, &mut |_| {});
    let imported = imported.map_err(|error| error.to_string())?;
    let tape = Tape::open(&tape).unwrap();
    let compared = compare_with_source_using(&tape, &source, &options, &mut |_| {}).unwrap();
    assert!(compared.is_equal(), "{compared:?}");
    Ok((imported, tape))
}

fn export(tape: &Tape, dictionary: Option<&Dictionary>) -> (Vec<u8>, bool) {
    let mut out = Vec::new();
    let exported = export_v2_tape_with(tape, CaptureOptions::default(), dictionary, &mut out, &mut |_| Ok(())).unwrap();
    assert!(exported.same_records);
    (out, exported.without_dictionary)
}

#[test]
fn a_capture_of_the_fifth_generation_keeps_its_header_and_comes_back_to_the_byte() {
    let folder = tempfile::tempdir().unwrap();
    let known = header(None);
    let Some(capture_header::GameHeader::EchoArena(arena)) = &known.game_header else { panic!() };
    for layout in [Layout::Plain, Layout::Blocks, Layout::Stream] {
        let file = capture(&Record::from_message(envelope::Message::Header(header(None))), layout, None);
        let (imported, tape) = import(folder.path(), &file, None).unwrap();
        assert_eq!((imported.frames, imported.problems), (120, Vec::new()), "{layout:?}");
        let metadata = tape.metadata();
        assert_eq!(metadata["session_id"], arena.session_id);
        assert_eq!(metadata["capture_generation"], "fifth");
        assert_eq!(metadata["capture_match_settings_changed"], "3");
        let start = known.created_at.map(|time| i64::try_from(time.unix_nanos()).unwrap());
        assert_eq!(tape.start_utc_ns(), start);
        assert!(export(&tape, None).0 == file, "{layout:?}");
    }
}

#[test]
fn a_capture_packed_with_a_dictionary_needs_it_and_comes_back_to_the_byte() {
    let folder = tempfile::tempdir().unwrap();
    let dictionary = Dictionary::from_bytes(DICTIONARY).unwrap();
    let record = Record::from_message(envelope::Message::Header(header(Some(&dictionary))));
    for layout in [Layout::Blocks, Layout::Stream] {
        let file = capture(&record, layout, Some(&dictionary));
        let (imported, tape) = import(folder.path(), &file, Some(&dictionary)).unwrap();
        assert_eq!((imported.frames, imported.problems), (120, Vec::new()), "{layout:?}");
        assert_eq!(tape.metadata()["capture_dictionary_sha256"].len(), 64);
        assert!(export(&tape, Some(&dictionary)) == (file.clone(), false), "{layout:?}");
        // Without it the records are the same, compressed differently.
        let (plain, without) = export(&tape, None);
        assert!(without && plain != file);
        assert!(export(&import(folder.path(), &plain, None).unwrap().1, None).0 == plain);
        // Errors say what is missing and what to do.
        let missing = import(folder.path(), &file, None).err().unwrap();
        assert!(missing.contains("zstd dictionary 40000") && missing.contains("--dictionary"), "{missing}");
        let mut other = DICTIONARY.to_vec();
        *other.last_mut().unwrap() ^= 1;
        let other = Dictionary::from_bytes(other).unwrap();
        let wrong = import(folder.path(), &file, Some(&other)).err().unwrap();
        assert!(wrong.contains("SHA-256") && wrong.contains("--dictionary"), "{wrong}");
        assert!(
            export_v2_tape_with(&tape, CaptureOptions::default(), Some(&other), &mut Vec::new(), &mut |_| Ok(()))
                .is_err()
        );
    }
}

#[test]
fn a_header_field_of_an_unexpected_type_is_a_problem_and_comes_back_to_the_byte() {
    let folder = tempfile::tempdir().unwrap();
    let whole = Record::from_message(envelope::Message::Header(header(None)));
    let mut message = telemetry_v2::wire::Fields::new(whole.bytes()).next().unwrap().unwrap().bytes().unwrap().to_vec();
    // The producer as a number.
    message.extend([0x48, 7]);
    let length = u16::try_from(message.len()).unwrap();
    let mut bytes = vec![0x0a, (length & 127) as u8 | 128, (length >> 7) as u8];
    bytes.extend(message);
    let file = capture(&Record::from_bytes(bytes).unwrap(), Layout::Plain, None);
    let (imported, tape) = import(folder.path(), &file, None).unwrap();
    let [problem] = imported.problems.as_slice() else { panic!("{:?}", imported.problems) };
    assert!(problem.contains("CaptureHeader.producer (field 9) is an integer, not a string"), "{problem}");
    assert_eq!(tape.metadata()["capture_generation"], "fifth");
    assert!(tape.start_utc_ns().is_some());
    assert!(export(&tape, None).0 == file);
}
