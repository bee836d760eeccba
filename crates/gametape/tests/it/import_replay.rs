//! Imports of Rocket League replays: the bytes are always stored, and as much of them is parsed as possible.
#![allow(clippy::unwrap_used, clippy::panic, missing_docs)]
use crate::replay;
use crate::support;
use crate::unsynced;

use std::sync::Arc;

use gametape::format::read::Tape;
use gametape::import::{ImportError, Imported, ReplayError, compare_with_source, import, import_through};
use replay::{Property, body, header, match_header, network, properties, replay, section, text};
use tempfile::TempDir;
use unsynced::Unsynced;

/// Imports bytes and checks that the tape holds them.
fn import_bytes(bytes: &[u8]) -> Result<(Imported, Tape, TempDir), ImportError> {
    let folder = tempfile::tempdir().unwrap();
    let source = support::put(&folder.path().join("a.replay"), bytes);
    let out = folder.path().join("a.gtape");
    let imported = import_through(Arc::new(Unsynced), &source, &out, &mut |_| {})?;
    let tape = Tape::open(&out).unwrap();
    assert!(tape.verify(&mut |_| {}).unwrap().is_ok());
    assert!(compare_with_source(&tape, &source, &mut |_| {}).unwrap().is_equal());
    let stream = tape.stream_named("replay").unwrap();
    assert!(tape.frame_at(stream, 0).unwrap().unwrap().1 == bytes, "the file is a frame");
    assert_eq!((imported.frames, stream.totals().frames, stream.spec().game.as_str()), (1, 1, "rocket-league"));
    Ok((imported, tape, folder))
}

fn goals(tape: &Tape) -> Vec<(u64, String)> {
    let events = tape.events().into_iter().filter(|event| event.kind == "goal");
    events.map(|event| (event.at_ns, event.text)).collect()
}

#[test]
fn teams_players_score_and_goals_are_told() {
    let (imported, tape, _folder) = import_bytes(&replay()).unwrap();
    assert_eq!(imported.problems, Vec::<String>::new());
    let metadata = tape.metadata();
    for (key, value) in [
        ("score", "2:1"),
        ("team_0", "Player 1"),
        ("team_1", "Player 2"),
        ("player_00", "Player 1, team 0, 700 points, 1 goals"),
        ("map", "Stadium_P"),
        ("game_version", "180315.66224.188644"),
        ("replay.RecordFPS", "30"),
        ("network_frames", "4"),
        ("time_source", "match"),
        ("source_kind", "replay"),
    ] {
        assert_eq!(metadata.get(key).map(String::as_str), Some(value), "{key}");
    }
    let goal = |at_ms: u64, text: &str| (at_ms * 1_000_000, text.to_owned());
    // The last goal is at the frame after the last one, as the game writes it.
    let expected =
        [goal(500, "1:0 Player 1, team 0"), goal(1000, "1:1 Player 2, team 1"), goal(2000, "2:1 Player 1, team 0")];
    assert_eq!(goals(&tape), expected);
    let frames = tape.stream_named("replay.network-frames").unwrap();
    assert_eq!((frames.totals().frames, frames.totals().last_ns), (4, Some(2_000_000_000)));
}

#[test]
fn a_cut_replay_tells_what_its_header_says_and_keeps_its_bytes() {
    let whole = replay();
    let header_end = section(&match_header()).len();
    for end in 40..whole.len() {
        let (imported, tape, _folder) = import_bytes(&whole[..end]).unwrap();
        assert!(!imported.problems.is_empty(), "{end}");
        if end < header_end {
            assert_eq!(imported.problems, ["byte 0: the file ends inside its header"]);
            continue;
        }
        assert_eq!(imported.problems, [format!("byte {header_end}: the file ends inside its body")], "{end}");
        assert_eq!(tape.metadata()["score"], "2:1");
        assert!(!tape.metadata().contains_key("network_frames"));
        // Without the frames the times are nominal.
        assert_eq!(goals(&tape)[0].0, 33_333_333);
        assert_eq!(tape.metadata()["time_source"], "nominal");
    }
}

#[test]
fn every_flipped_byte_is_noticed() {
    let whole = replay();
    for at in (0..whole.len()).step_by(3) {
        let mut flipped = whole.clone();
        flipped[at] ^= 0x20;
        // Without its type name it is not detected as a replay.
        if let Ok((imported, _, _folder)) = import_bytes(&flipped) {
            assert!(!imported.problems.is_empty(), "{at}");
        }
    }
}

#[test]
fn damaged_network_data_costs_only_itself() {
    let header_section = section(&match_header());
    // A frame with an impossible time.
    let damaged = [header_section, section(&body(&network(&[-1.0, 100.5, 101.0, 102.0])))].concat();
    let (imported, tape, _folder) = import_bytes(&damaged).unwrap();
    assert_eq!(imported.problems.len(), 1);
    assert!(imported.problems[0].starts_with("the network data cannot be read: "), "{:?}", imported.problems);
    assert_eq!((tape.metadata()["score"].as_str(), goals(&tape).len()), ("2:1", 3));
}

#[test]
fn hostile_headers_are_not_followed() {
    let frames = |count| header(&properties(&[("NumFrames", Property::Int(count))]));
    for count in [-1, 250_001, i32::MAX, i32::MIN] {
        let (imported, _, _folder) =
            import_bytes(&[section(&frames(count)), section(&body(&vec![0; 300_000]))].concat()).unwrap();
        assert!(imported.problems[0].contains(&format!("says {count} frames")), "{:?}", imported.problems);
    }
    // Nested lists and structures, as deep as the bytes allow.
    let list = (text("ArrayProperty"), 25_000u32.to_le_bytes().to_vec());
    let structure = (text("StructProperty"), text("S"));
    for ((kind, more), depth, says) in [
        (&list, 60, "cannot be read"),
        (&list, 3000, "has 3000 lists"),
        (&structure, 4000, "cannot be read"),
        (&structure, 10_000, "10000 structures"),
        (&structure, 200_000, "at most 524288 can be"),
    ] {
        let level = [text("k"), kind.clone(), vec![0; 8], more.clone()].concat();
        let nested = [section(&header(&level.repeat(depth))), section(&body(&[]))].concat();
        let (imported, _, _folder) = import_bytes(&nested).unwrap();
        assert!(imported.problems[0].contains(says), "{says}: {:?}", imported.problems);
    }
    for length in [-1i32, i32::MIN, i32::MAX] {
        let mut hostile = replay();
        hostile[..4].copy_from_slice(&length.to_le_bytes());
        let (imported, _, _folder) = import_bytes(&hostile).unwrap();
        assert_eq!(imported.problems, ["byte 0: the file ends inside its header"]);
    }
}

#[test]
fn a_file_longer_than_any_replay_is_refused() {
    let mut long = replay();
    long.resize((16 << 20) + 1, 0);
    let folder = tempfile::tempdir().unwrap();
    let source = support::put(&folder.path().join("a.replay"), &long);
    let error = import(&source, &folder.path().join("a.gtape"), &mut |_| {}).unwrap_err();
    assert!(matches!(error, ImportError::Replay(ReplayError::TooLong { found: 16_777_217, .. })));
    assert_eq!(std::fs::read_dir(folder.path()).unwrap().count(), 1);
}

#[test]
fn the_same_bytes_give_the_same_tape_to_the_byte() {
    let read = |folder: &TempDir| std::fs::read(folder.path().join("a.gtape")).unwrap();
    let (one, two) = (import_bytes(&replay()).unwrap().2, import_bytes(&replay()).unwrap().2);
    assert!(read(&one) == read(&two));
}

#[test]
fn real_replays_have_the_promised_frames() {
    let Some(data) = support::real_data("real_replays_have_the_promised_frames") else { return };
    let folder = data.join("rocket-league");
    let mut good = 0;
    for entry in std::fs::read_dir(&folder).unwrap() {
        let path = entry.unwrap().path();
        let Ok(snap) = std::fs::read_to_string(path.with_extension("snap")) else { continue };
        if path.extension().unwrap() != "replay" {
            continue;
        }
        let expected = snap.split("\"frames\": ").nth(1).and_then(|rest| rest.split(',').next()).unwrap();
        let (imported, tape, _folder) = import_bytes(&std::fs::read(&path).unwrap()).unwrap();
        assert_eq!(imported.problems, Vec::<String>::new(), "{}", path.display());
        assert_eq!(tape.metadata()["network_frames"], expected, "{}", path.display());
        good += 1;
    }
    assert_eq!(good, 4);
    let bytes = |name: &str| std::fs::read(folder.join(name)).unwrap();
    let (_, tape, _folder) = import_bytes(&bytes("good_db70.replay")).unwrap();
    assert_eq!((tape.metadata()["score"].as_str(), goals(&tape).len()), ("3:2", 5));
    assert!(goals(&tape).is_sorted() && goals(&tape)[4].1.starts_with("3:2 "));
    assert!(["team_0", "team_1"].iter().all(|team| tape.metadata()[*team].split(", ").count() == 2));
    let (imported, tape, _folder) = import_bytes(&bytes("partial_utf-16.replay")).unwrap();
    assert_eq!((imported.problems.len(), tape.metadata()["network_frames"].as_str()), (0, "8369"));
    let (imported, tape, _folder) = import_bytes(&bytes("bad_fuzz-too-many-frames.replay")).unwrap();
    assert!(imported.problems.iter().any(|problem| problem.contains("738197735 frames")), "{:?}", imported.problems);
    assert_eq!(goals(&tape).len(), 1);
    let (imported, _, _folder) = import_bytes(&bytes("bad_fuzz-slice-index.replay")).unwrap();
    assert!(!imported.problems.is_empty());
}
