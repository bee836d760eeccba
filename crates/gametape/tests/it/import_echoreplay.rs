//! `.echoreplay` files to tapes and back: the lines are byte-identical, whatever they contain.
#![allow(clippy::unwrap_used, clippy::panic, missing_docs)]
use crate::importing;

use std::io::{Cursor, Read, Write};

use flate2::Compression;
use flate2::write::DeflateEncoder;
use gametape::export::export_echoreplay;
use gametape::format::read::Tape;
use gametape::games::echo_vr::simulated::{Match, Settings};
use gametape::import::{EchoReplayError, ImportError};
use importing::{frames, import_as};

/// Lines of a simulated match.
fn lines(settings: Settings) -> Vec<String> {
    let line = |answers: gametape::games::echo_vr::simulated::Answers| {
        let (seconds, ms) = (answers.utc_ms.div_euclid(1000) % 86_400, answers.utc_ms.rem_euclid(1000));
        let time = format!("2023/04/01 {:02}:{:02}:{:02}.{ms:03}", seconds / 3600, seconds / 60 % 60, seconds % 60);
        format!("{time}\t{}\t {}\r\n", answers.session, answers.player_bones)
    };
    Match::new(settings).map(line).collect()
}

fn packed(text: &[u8]) -> Vec<u8> {
    let mut deflate = DeflateEncoder::new(Vec::new(), Compression::default());
    deflate.write_all(text).unwrap();
    deflate.finish().unwrap()
}

/// A zip archive of members: name, method, data as stored, length and checksum of the content.
fn archive(members: &[(&str, u16, &[u8], &[u8])]) -> Vec<u8> {
    let (mut zip, mut central) = (Vec::new(), Vec::new());
    for (name, method, data, content) in members {
        let mut crc = flate2::Crc::new();
        crc.update(content);
        let mut common = vec![20, 0, 0, 0];
        common.extend(method.to_le_bytes());
        common.extend([0; 4]);
        common.extend(crc.sum().to_le_bytes());
        common.extend((data.len() as u32).to_le_bytes());
        common.extend((content.len() as u32).to_le_bytes());
        common.extend((name.len() as u16).to_le_bytes());
        common.extend([0, 0]);
        central.extend(
            [&b"PK\x01\x02\x14\0"[..], &common, &[0; 10], &(zip.len() as u32).to_le_bytes(), name.as_bytes()].concat(),
        );
        zip.extend([&b"PK\x03\x04"[..], &common, name.as_bytes(), data].concat());
    }
    let start = zip.len() as u32;
    zip.extend(&central);
    let count = (members.len() as u16).to_le_bytes();
    zip.extend(
        [
            &b"PK\x05\x06\0\0\0\0"[..],
            &count,
            &count,
            &(central.len() as u32).to_le_bytes(),
            &start.to_le_bytes(),
            &[0, 0],
        ]
        .concat(),
    );
    zip
}

/// The text of the file exported from a tape.
fn exported(tape: &Tape) -> Vec<u8> {
    let mut out = Cursor::new(Vec::new());
    let done = export_echoreplay(tape, "new.echoreplay", &mut out, &mut |_| Ok(())).unwrap();
    assert!(done.damage.is_empty());
    let file = out.into_inner();
    if !file.starts_with(b"PK") {
        return file;
    }
    let name = usize::from(u16::from_le_bytes([file[26], file[27]]));
    let mut text = Vec::new();
    flate2::read::DeflateDecoder::new(&file[30 + name..]).read_to_end(&mut text).unwrap();
    // The importer can read the exported archive without problems.
    let (imported, _, _folder) = import_as("again.echoreplay", &file).unwrap();
    assert_eq!(imported.problems, Vec::<String>::new());
    text
}

#[test]
fn a_match_comes_back_to_the_byte_from_plain_text_and_from_an_archive() {
    let text = lines(Settings { frames: 150, ..Settings::default() }).concat().into_bytes();
    let zip = archive(&[("a.echoreplay", 8, &packed(&text), &text)]);
    for (name, file) in [("plain.echoreplay", &text), ("zip.echoreplay", &zip)] {
        let (imported, tape, _folder) = import_as(name, file).unwrap();
        assert_eq!((imported.frames, imported.problems), (150, Vec::new()));
        assert!(exported(&tape) == text, "{name}");
        assert_eq!(frames(&tape, "session").len(), 150);
        assert_eq!(frames(&tape, "player-bones").len(), 150);
        assert_eq!(tape.metadata()["track"], "mpl_arena_a");
        assert_eq!(tape.metadata()["session_id"], "00000001-9C3D-4E5F-8A1B-2C3D4E5F6071");
        assert_eq!(tape.events().iter().filter(|event| event.kind == "session_start").count(), 1);
        let stored: u64 = tape.streams().map(|stream| stream.totals().stored_bytes).sum();
        assert!(stored < packed(&text).len() as u64 / 2 + 20_000, "{stored} bytes beside {} of the archive", zip.len());
    }
}

#[test]
fn odd_lines_are_kept_and_told() {
    let good = lines(Settings { frames: 40, bones: false, ..Settings::default() });
    let mut text = Vec::new();
    for (number, line) in good.iter().enumerate() {
        match number {
            3 => text.extend(b"<html>loading</html>\r\n"),
            7 => text.extend(b"\r\n"),
            9 => text.extend(line.replace("\t {\"err_code\":0}\r\n", "\n").as_bytes()),
            10 => text.extend(line.replace(" {\"err_code\":0}", "").as_bytes()),
            11 => text.extend(line.replace("{\"err_code\":0}", "{\"user_bones\":[],\"err_code\":0}").as_bytes()),
            12 => text.extend(&line.as_bytes()[..200]),
            13 => text.extend(line.replace("\"possession\":[", "\"unknown\":1e5,\"possession\":[").as_bytes()),
            14 => text.extend(line.replace("restart_request\":0", "restart_request\":false").as_bytes()),
            15 => text.extend([b"\xff\xfe\0\x01".as_slice(), line.as_bytes()].concat()),
            _ => text.extend(line.as_bytes()),
        }
    }
    let end = good[0].trim_end().as_bytes();
    text.extend(end);
    let (imported, tape, _folder) = import_as("a.echoreplay", &text).unwrap();
    assert!(exported(&tape) == text);
    assert!(imported.problems.iter().any(|problem| problem.starts_with("line 4:")), "{:?}", imported.problems);
    assert!(imported.problems.iter().any(|problem| problem.contains("goes back")), "the last line is the first again");
}

#[test]
fn the_replay_in_an_archive_is_found_by_whatever_name() {
    let text = lines(Settings { frames: 12, bones: false, ..Settings::default() }).concat().into_bytes();
    let deflated = packed(&text);
    let other = b"something else that is longer than nothing".as_slice();
    for members in [
        vec![("/home/player/rec_2023.echoreplay", 8, deflated.as_slice(), text.as_slice())],
        vec![("notes.txt", 0, other, other), ("C:\\x\\REC.EchoReplay", 8, &deflated, &text)],
        vec![("notes.txt", 0, other, other), ("odd name", 0, &text, &text), ("folder/", 0, b"", b"")],
    ] {
        let (imported, tape, _folder) = import_as("match.echoreplay", &archive(&members)).unwrap();
        assert_eq!((imported.frames, imported.problems), (12, Vec::new()));
        assert!(exported(&tape) == text);
    }
}

#[test]
fn of_a_cut_or_damaged_archive_everything_whole_is_kept() {
    let text = lines(Settings { frames: 60, ..Settings::default() }).concat().into_bytes();
    let zip = archive(&[("a.echoreplay", 8, &packed(&text), &text)]);
    let (imported, tape, _folder) = import_as("a.echoreplay", &zip[..zip.len() / 2]).unwrap();
    assert!(imported.frames > 20 && imported.frames < 40, "{}", imported.frames);
    assert!(imported.problems.iter().any(|problem| problem.contains("ends inside")), "{:?}", imported.problems);
    assert!(text.starts_with(&exported(&tape)));
    let mut damaged = zip.clone();
    damaged[zip.len() / 2] ^= 0x10;
    let (imported, _, _folder) = import_as("a.echoreplay", &damaged).unwrap();
    assert!(!imported.problems.is_empty());
}

#[test]
fn traps_and_other_archives_are_refused() {
    let error = |bytes: &[u8]| match import_as("a.echoreplay", bytes) {
        Err(ImportError::EchoReplay(error)) => error,
        Err(error) => panic!("{error}"),
        Ok(_) => panic!("was imported"),
    };
    // 100 MB of zeros in 100 kB.
    let zeros = vec![0; 100 << 20];
    assert!(matches!(error(&archive(&[("a.echoreplay", 8, &packed(&zeros), &zeros)])), EchoReplayError::Bomb { .. }));
    let text = b"no lines of a replay".as_slice();
    assert_eq!(error(&archive(&[("a.txt", 0, text, text)])), EchoReplayError::NoLines { lines: 1 });
    assert_eq!(error(&archive(&[("a.txt", 12, text, text)])), EchoReplayError::Method { offset: 0, method: 12 });
    assert_eq!(error(&archive(&[("folder/", 0, b"", b"")])), EchoReplayError::NoMember);
}

#[test]
fn goals_of_a_match_are_events_at_their_times() {
    use gametape::games::echo_vr::simulated::What;
    let settings = Settings { frames: 3600, rate_hz: 30.0, players: 4, bones: false, ..Settings::default() };
    let script = Match::new(settings.clone()).script().clone();
    let end_s = 3599.0 / 30.0;
    let scripted: Vec<f64> = script
        .happenings()
        .iter()
        .filter(|happening| matches!(happening.what, What::Goal { .. }) && happening.at_s <= end_s)
        .map(|happening| happening.at_s)
        .collect();
    assert!(!scripted.is_empty());
    let (_, tape, _folder) = import_as("a.echoreplay", lines(settings).concat().as_bytes()).unwrap();
    let goals: Vec<_> = tape.events().into_iter().filter(|event| event.kind == "goal").collect();
    assert_eq!(goals.len(), scripted.len());
    for (goal, at_s) in goals.iter().zip(&scripted) {
        let late_s = goal.at_ns as f64 / 1e9 - at_s;
        assert!((-0.01..0.1).contains(&late_s), "{} is {late_s} s late", goal.text);
    }
    assert!(goals.iter().all(|goal| goal.text.contains(" points, ")), "{goals:?}");
}

/// The only public capture with known sizes has 8.56 kB of text per frame, 2.05 kB of it in the archive, with 2 players.
#[test]
fn a_simulated_match_is_as_large_as_a_real_one() {
    let settings = Settings { frames: 400, ..Settings::default() };
    let text = lines(settings.clone()).concat().into_bytes();
    let of_frame = |bytes: usize| bytes as f64 / settings.frames as f64;
    let (plain, zipped) = (of_frame(text.len()), of_frame(packed(&text).len()));
    assert!((plain / 8560.0 - 1.0).abs() < 0.25, "{plain} bytes of text");
    assert!((zipped / 2050.0 - 1.0).abs() < 0.25, "{zipped} bytes in the archive");
    assert!((0.22..=0.26).contains(&(zipped / plain)), "{}", zipped / plain);
    assert!(lines(settings.clone()).concat().into_bytes() == text, "the same seed, the same bytes");
    let (_, tape, _folder) = import_as("a.echoreplay", &text).unwrap();
    let stored: u64 = tape.streams().map(|stream| stream.totals().stored_bytes).sum();
    assert!(of_frame(stored as usize) < 0.5 * zipped, "{stored} bytes on the tape");
}
