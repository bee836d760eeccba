//! Tapes that C writes, and files that it imports.

use std::io::Write as _;

use gametape_format::read::Tape;
use serde_json::Value;

use crate::client::{client, printed, words};

#[test]
fn a_tape_that_c_wrote_is_whole() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("own.gtape");
    let Some(said) = printed("c_a_tape_that_c_wrote_is_whole", &words(&["write", path.to_str().unwrap()])) else {
        return;
    };
    let described: Value = serde_json::from_slice(&said).unwrap();
    assert_eq!(described["tape_id"], "000102030405060708090a0b0c0d0e0f");
    assert_eq!(described["created_utc"], "2026-01-01T00:00:00Z");
    let tape = Tape::open(&path).unwrap();
    assert!(tape.is_complete() && tape.problems().is_empty());
    assert_eq!(tape.metadata().get("track").map(String::as_str), Some("Spa"));
    let events: Vec<_> = tape.events().into_iter().map(|event| (event.at_ns, event.kind, event.text)).collect();
    assert_eq!(events, [(1000, "mark".into(), "here".into()), (2000, "weather".into(), "rain".into())]);
    let units: Vec<_> =
        tape.stream_named("car").unwrap().spec().channels.iter().map(|channel| channel.unit.as_str()).collect();
    assert_eq!(units, ["km/h", "", "degC"]);
    // The journals are gone.
    assert_eq!(std::fs::read_dir(folder.path()).unwrap().count(), 1);
}

#[test]
fn every_accepted_frame_survives_the_end_of_the_process() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("own.gtape");
    let test = "c_every_accepted_frame_survives_the_end_of_the_process";
    let Some(said) = client(test, &words(&["killed", path.to_str().unwrap()])) else { return };
    assert_eq!((said.status.code(), said.stdout.as_slice()), (Some(9), b"1000 frames\n".as_slice()));
    let tape = Tape::open(&path).unwrap();
    assert!(!tape.is_complete() && tape.uses_journal());
    let mut frames = tape.frames(tape.stream_named("car").unwrap());
    for number in 0..1000_u16 {
        let frame = frames.next().unwrap().unwrap();
        assert_eq!(frame.data[..4], (f32::from(number) * 0.5).to_le_bytes());
    }
    assert!(frames.next().unwrap().is_none());
}

#[test]
fn a_file_of_another_program_is_imported() {
    let folder = tempfile::tempdir().unwrap();
    let source = folder.path().join("way.gpx");
    let points: String = (0..50)
        .map(|second| {
            format!("<trkpt lat=\"50.{second:04}\" lon=\"6.1\"><time>2026-05-04T10:00:{second:02}Z</time></trkpt>")
        })
        .collect();
    let text = format!("<?xml version=\"1.0\"?><gpx version=\"1.1\"><trk><trkseg>{points}</trkseg></trk></gpx>");
    std::fs::File::create_new(&source).unwrap().write_all(text.as_bytes()).unwrap();
    let path = folder.path().join("way.gtape");
    let asked = ["import", source.to_str().unwrap(), path.to_str().unwrap()];
    let Some(said) = printed("c_a_file_of_another_program_is_imported", &words(&asked)) else { return };
    let done: Value = serde_json::from_slice(&said).unwrap();
    assert_eq!((&done["kind"], &done["frames"]), (&"gpx".into(), &50.into()));
    let tape = Tape::open(&path).unwrap();
    assert_eq!(tape.id().unwrap().to_string(), done["tape_id"]);
    assert_eq!(
        std::fs::read_dir(folder.path()).unwrap().count(),
        2,
        "nothing unfinished is left of the import that was stopped"
    );
}
