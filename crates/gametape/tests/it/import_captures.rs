//! Conversion of Echo VR captures between all forms: `.echoreplay`, `.nevrcap`, Telemetry V2 `.tape`, and tapes.
#![allow(clippy::unwrap_used, clippy::panic, dead_code, unreachable_pub, missing_docs)]
use crate::importing;
use crate::made_match;
use crate::support;

use std::io::{Cursor, Read, Write as _};

use gametape::echo::{MatchSummary, read_player_bones, read_session};
use gametape::export::export_echoreplay;
use gametape::export::v2::{CaptureOptions, export_nevrcap, export_v2_tape, stream_tape};
use gametape::format::read::Tape;
use gametape::games::echo_vr::simulated::{Happening, Match, Script, Settings, What};
use gametape::import::ImportError;
use importing::{frames, import_as};
use telemetry_v2::generation::Generation;
use telemetry_v2::nevrcap;
use telemetry_v2::proto::telemetry::v2::echo_event::Event;
use telemetry_v2::proto::telemetry::v2::{CaptureHeader, EchoArenaFrame, Frame, PlayerBones, frame};
use telemetry_v2::read::{Item, Reader};
use telemetry_v2::write::{Layout, WriteOptions, Writer};
use telemetry_v2::{Record, RecordKind};

fn line(answers: &gametape::games::echo_vr::simulated::Answers) -> String {
    let (seconds, ms) = (answers.utc_ms.div_euclid(1000) % 86_400, answers.utc_ms.rem_euclid(1000));
    let time = format!("2023/04/01 {:02}:{:02}:{:02}.{ms:03}", seconds / 3600, seconds / 60 % 60, seconds % 60);
    format!("{time}\t{}\t {}\r\n", answers.session, answers.player_bones)
}

/// Lines of a match with frequent events.
fn lines(players: usize, frames: usize) -> Vec<String> {
    let settings = Settings { players, frames, rate_hz: 20.0, seed: 5, ..Settings::default() };
    Match::new(settings).map(|answers| line(&answers)).collect()
}

fn v2_file(tape: &Tape) -> Vec<u8> {
    let mut out = Vec::new();
    export_v2_tape(tape, CaptureOptions::default(), &mut out, &mut |_| Ok(())).unwrap();
    out
}

fn nevrcap_file(tape: &Tape) -> Vec<u8> {
    let mut out = Vec::new();
    export_nevrcap(tape, &mut out, &mut |_| Ok(())).unwrap();
    out
}

/// The text of an `.echoreplay` file.
fn echoreplay_text(tape: &Tape) -> String {
    let mut out = Cursor::new(Vec::new());
    export_echoreplay(tape, "a.echoreplay", &mut out, &mut |_| Ok(())).unwrap();
    let file = out.into_inner();
    if !file.starts_with(b"PK") {
        return String::from_utf8(file).unwrap();
    }
    let name = usize::from(u16::from_le_bytes([file[26], file[27]]));
    let mut text = String::new();
    flate2::read::DeflateDecoder::new(&file[30 + name..]).read_to_string(&mut text).unwrap();
    text
}

/// All records of a file except the footer, whose offsets depend on the file.
fn records(file: &[u8]) -> Vec<Vec<u8>> {
    let mut reader = Reader::new(file).unwrap();
    let mut all = Vec::new();
    while let Some(item) = reader.next().unwrap() {
        if let Item::Record(placed) = item
            && placed.record.kind() != RecordKind::Footer
        {
            all.push(placed.record.bytes().to_vec());
        }
    }
    all
}

/// Asserts that two long texts are equal; reports only the difference.
fn same_text(found: &str, expected: &str) {
    let same = found.bytes().zip(expected.bytes()).take_while(|(a, b)| a == b).count();
    let around =
        |text: &str| text.get(same.saturating_sub(80)..(same + 40).min(text.len())).unwrap_or_default().to_owned();
    assert!(found == expected, "byte {same}:\n{}\n{}", around(found), around(expected));
}

fn kept(tape: &Tape) -> u64 {
    tape.metadata()["capture_kept_records"].parse().unwrap()
}

#[test]
fn a_match_goes_through_telemetry_v2_and_comes_back() {
    for players in [2, 10] {
        let lines = lines(players, 400);
        let (_, tape, _folder) = import_as("a.echoreplay", lines.concat().as_bytes()).unwrap();
        let file = v2_file(&tape);
        let (imported, again, _folder) = import_as("a.tape", &file).unwrap();
        assert_eq!((imported.frames, imported.problems), (400, Vec::new()));
        // Our own frames can be rebuilt from the responses, so no record is stored in addition.
        assert_eq!(kept(&again), 0, "{players} players");
        assert!(v2_file(&again) == file, "the same file to the byte");
        let back = echoreplay_text(&again);
        let back: Vec<&str> = back.split_inclusive("\r\n").collect();
        assert_eq!(back.len(), lines.len());
        let mut same = 0;
        for (before, after) in lines.iter().zip(&back) {
            same += usize::from(before == after);
            let columns = |line: &str| line.trim_end().split('\t').map(str::to_owned).collect::<Vec<_>>();
            let (before, after) = (columns(before), columns(after));
            assert_eq!(before[0], after[0]);
            assert_eq!(before[2], after[2], "bones to the byte");
            let [mut expected, mut found] = [&before, &after].map(|line| read_session(line[1].as_bytes()).unwrap());
            for team in 0..3 {
                let [expected, found] = [&mut expected, &mut found]
                    .map(|session| &mut session.teams[team].stats.as_mut().unwrap().possession_time);
                assert!((*expected - *found).abs() <= 1e-4, "a sum, with the last digit of each");
                *found = *expected;
            }
            if expected != found {
                same_text(&after[1], &before[1]);
            }
        }
        assert!(same > 390 || players > 2, "{same} lines are the same to the byte");
        let count = |tape: &Tape, kind: &str| tape.events().iter().filter(|event| event.kind == kind).count();
        for kind in ["goal", "throw", "catch", "player_joined", "session_start", "stun"] {
            assert_eq!(count(&tape, kind), count(&again, kind), "{kind}");
        }
        assert!(count(&tape, "catch") > 0);
    }
}

#[test]
fn a_match_goes_through_nevrcap_and_comes_back_to_the_byte() {
    for players in [2, 10] {
        let lines = lines(players, 200);
        let (_, tape, _folder) = import_as("a.echoreplay", lines.concat().as_bytes()).unwrap();
        let file = nevrcap_file(&tape);
        let (imported, again, _folder) = import_as("a.nevrcap", &file).unwrap();
        assert_eq!((imported.frames, imported.problems), (200, Vec::new()));
        assert_eq!(kept(&again), 0);
        assert!(nevrcap_file(&again) == file);
        same_text(&echoreplay_text(&again), &lines.concat());
        // From one version to the other.
        let (_, third, _folder) = import_as("b.tape", &v2_file(&again)).unwrap();
        assert_eq!(frames(&third, "session").len(), 200);
    }
}

/// A capture with oddities: unknown fields and records, frames with an unknown payload.
fn odd_capture(layout: Layout, generation: Generation) -> Vec<u8> {
    let options =
        WriteOptions { layout, generation, keyframe_interval: 16, keyframe_state: false, ..WriteOptions::default() };
    let mut header = made_match::header();
    telemetry_v2::meaning::header_for(
        &mut header,
        if generation == Generation::Seed { generation } else { Generation::Third },
    );
    if generation == Generation::Second {
        (header.format_minor, header.frame_encoding) = (0, 0);
    }
    let message = telemetry_v2::proto::telemetry::v2::envelope::Message::Header(header);
    let with_unknown = |record: &Record| {
        // Field 15 of the envelope, a string.
        Record::from_bytes([record.bytes().as_ref(), b"\x7a\x03new"].concat()).unwrap()
    };
    let mut writer = Writer::copying(Vec::new(), &with_unknown(&Record::from_message(message)), options).unwrap();
    for mut frame in made_match::frames(90) {
        if generation == Generation::Seed {
            telemetry_v2::meaning::frame_to_seed(&mut frame);
        }
        let number = frame.frame_index;
        let record = Record::from_message(telemetry_v2::proto::telemetry::v2::envelope::Message::Frame(frame));
        writer.verbatim(&if number % 3 == 0 { with_unknown(&record) } else { record }).unwrap();
        if number == 40 {
            // Another kind of record, and a frame with a payload of another game (field 77).
            writer.verbatim(&Record::from_bytes(b"\x7a\x05other".to_vec()).unwrap()).unwrap();
            writer.verbatim(&Record::from_bytes(b"\x12\x08\x08\x29\xea\x04\x03abc".to_vec()).unwrap()).unwrap();
        }
    }
    writer.finish().unwrap().0
}

#[test]
fn captures_of_others_come_back_record_for_record_unknown_fields_included() {
    for generation in [Generation::Seed, Generation::Second, Generation::Third] {
        for layout in [Layout::Plain, Layout::Stream, Layout::Blocks] {
            let file = odd_capture(layout, generation);
            let (imported, tape, _folder) = import_as("a.tape", &file).unwrap();
            let name = format!("{generation:?} {layout:?}");
            assert_eq!(imported.frames, 90, "{name}");
            assert!(kept(&tape) > 0, "{name}");
            let again = v2_file(&tape);
            assert!(records(&again) == records(&file), "{name}");
            if layout == Layout::Plain {
                assert!(again == file, "{name}: footer included");
            }
            assert_eq!(Reader::new(again.as_slice()).unwrap().read_all().unwrap().footer.unwrap().frame_count, 91);
            // The responses are there, too.
            let answers = frames(&tape, "session");
            assert_eq!(answers.len(), 90);
            assert!(answers.iter().all(|(_, answer)| read_session(answer).is_some()));
        }
    }
}

#[test]
fn unknown_fields_of_a_nevrcap_come_back() {
    let lines = lines(2, 30);
    let (_, tape, _folder) = import_as("a.echoreplay", lines.concat().as_bytes()).unwrap();
    let file = nevrcap_file(&tape);
    let mut reader = nevrcap::Reader::new(file.as_slice()).unwrap();
    let mut all = Vec::new();
    while let Some(item) = reader.next().unwrap() {
        match item {
            nevrcap::Item::Header(record) | nevrcap::Item::Frame(record) => all.push(record.bytes.to_vec()),
            nevrcap::Item::Problem(problem) => panic!("{problem}"),
        }
    }
    all[0].extend(b"\x7a\x03new");
    all[7].extend(b"\x7a\x03new");
    let write = |all: &[Vec<u8>]| {
        let mut writer = nevrcap::Writer::copying(Vec::new(), &all[0], 1).unwrap();
        all[1..].iter().for_each(|record| writer.raw(record).unwrap());
        writer.finish().unwrap()
    };
    let odd = write(&all);
    let (_, tape, _folder) = import_as("b.nevrcap", &odd).unwrap();
    assert_eq!(kept(&tape), 1);
    assert!(nevrcap_file(&tape) == odd);
}

#[test]
fn what_is_no_match_is_no_frame_and_is_not_lost() {
    let mut lines = lines(2, 30);
    let of_line = |line: &str, answer: &str| format!("{}\t{answer}\t {{\"err_code\":0}}\r\n", &line[..23]);
    lines.insert(0, of_line(&lines[0], "{\"err_code\":-6}"));
    lines.insert(9, of_line(&lines[9], "{\"err_code\":-2,\"err_description\":\"no\"}"));
    let (_, tape, _folder) = import_as("a.echoreplay", lines.concat().as_bytes()).unwrap();
    let mut out = Vec::new();
    let exported = export_v2_tape(&tape, CaptureOptions::default(), &mut out, &mut |_| Ok(())).unwrap();
    assert_eq!((exported.frames, exported.left_out), (30, 0));
    let (imported, again, _folder) = import_as("a.tape", &out).unwrap();
    assert_eq!(imported.frames, 30);
    let texts: Vec<_> =
        frames(&again, "session").into_iter().map(|(_, text)| String::from_utf8(text).unwrap()).collect();
    assert_eq!(texts.len(), 32);
    assert_eq!(
        (texts[0].as_str(), texts[9].as_str()),
        ("{\"err_code\":-6}", "{\"err_code\":-2,\"err_description\":\"no\"}")
    );
    assert!(v2_file(&again) == out);
    // A tape without a match response cannot be exported.
    let (_, empty, _folder) = import_as("b.echoreplay", of_line(&lines[1], "{\"err_code\":-6}").as_bytes()).unwrap();
    assert!(export_v2_tape(&empty, CaptureOptions::default(), &mut Vec::new(), &mut |_| Ok(())).is_err());
    assert!(export_nevrcap(&empty, &mut Vec::new(), &mut |_| Ok(())).is_err());
}

#[test]
fn words_that_no_enum_has_and_a_change_of_match_survive_v2() {
    let mut lines = lines(2, 40);
    for (number, line) in lines.iter_mut().enumerate() {
        *line = line.replace("\"match_type\":\"Echo_Arena\"", "\"match_type\":\"Echo_Combat_Private\"");
        if number >= 10 {
            *line = line.replace("BLUE TEAM", "The \\\"Blues\\\"");
        }
        if number >= 20 {
            *line = line.replace("-9C3D-4E5F-", "-0000-0000-").replace("\"game_status\":\"", "\"game_status\":\"very_");
        }
        if number >= 30 {
            *line = line
                .replace("[NO GOAL]", "NEW SHOT")
                .replace("\"client_name\":\"Player 1\"", "\"client_name\":\"Driver 1\"");
        }
    }
    let (_, tape, _folder) = import_as("a.echoreplay", lines.concat().as_bytes()).unwrap();
    let (_, again, _folder) = import_as("a.tape", &v2_file(&tape)).unwrap();
    assert_eq!(kept(&again), 0);
    same_text(&echoreplay_text(&again), &lines.concat());
    assert_eq!(again.events().iter().filter(|event| event.kind == "session_start").count(), 2);
}

#[test]
fn the_seeds_schema_is_written_and_says_what_it_left_out() {
    let (_, tape, _folder) = import_as("a.echoreplay", lines(4, 300).concat().as_bytes()).unwrap();
    let mut out = Vec::new();
    let exported = export_v2_tape(&tape, CaptureOptions { seed: true }, &mut out, &mut |_| Ok(())).unwrap();
    assert!(exported.left_out_by_schema > 0);
    let capture = Reader::new(out.as_slice()).unwrap().read_all().unwrap();
    assert_eq!(capture.generation.unwrap().generation, Generation::Seed);
    let (_, again, _folder) = import_as("a.tape", &out).unwrap();
    assert_eq!(again.metadata()["capture_generation"], "seed");
    assert!(records(&v2_file(&again)) == records(&out));
    let goals = |tape: &Tape| tape.events().iter().filter(|event| event.kind == "goal").count();
    assert_eq!(goals(&again), goals(&tape));
}

#[test]
fn marks_travel_with_v2() {
    let (_, tape, folder) = import_as("a.echoreplay", lines(2, 30).concat().as_bytes()).unwrap();
    // The problem event of an invalid line counts as a mark.
    let mut text = lines(2, 30);
    text.insert(5, "nonsense\r\n".into());
    drop((tape, folder));
    let (_, tape, _folder) = import_as("a.echoreplay", text.concat().as_bytes()).unwrap();
    let mut bytes = Vec::new();
    let streamed = stream_tape(&tape, &(0..u64::MAX), &mut bytes).unwrap();
    assert_eq!(streamed.frames, 30);
    let capture = Reader::new(bytes.as_slice()).unwrap().read_all().unwrap();
    assert_eq!(capture.problems, []);
    let marks = capture.frames.iter().filter(|frame| matches!(frame.payload, Some(frame::Payload::Mark(_)))).count();
    assert_eq!((capture.frames.len(), marks), (31, 1));
    let numbers: Vec<u32> = capture.frames.iter().map(|frame| frame.frame_index).collect();
    assert_eq!(numbers, (0..31).collect::<Vec<_>>());
    let (_, again, _folder) = import_as("b.tape", &bytes).unwrap();
    assert!(v2_file(&again) == bytes);
}

#[test]
fn every_event_that_a_match_can_give_is_in_the_frames_and_in_the_index() {
    let at = |at_s: f64, what: What| Happening { at_s, what };
    let script = Script::new(vec![
        at(0.0, What::Status("pre_match")),
        at(0.5, What::Status("playing")),
        at(1.0, What::Take(0)),
        at(2.0, What::Throw),
        at(3.0, What::Goal { by: 0, assist: Some(2), points: 3, kind: "LONG SHOT" }),
        at(4.0, What::Save(1)),
        at(5.0, What::Stun { by: 1, victim: 2 }),
        at(5.5, What::Emote(3)),
        at(6.0, What::Pause("paused")),
        at(7.0, What::Pause("unpaused")),
        at(8.0, What::Status("round_over")),
        at(9.0, What::Status("post_match")),
    ]);
    let settings = Settings { players: 4, frames: 100, rate_hz: 10.0, bones: false, ..Settings::default() };
    let text: String = Match::with_script(settings, script).map(|answers| line(&answers)).collect();
    let (_, tape, _folder) = import_as("a.echoreplay", text.as_bytes()).unwrap();
    let capture = Reader::new(v2_file(&tape).as_slice()).unwrap().read_all().unwrap();
    let index = capture.footer.unwrap().event_index;
    for (number, frames) in [
        (1, vec![5]),
        (30, vec![30]),
        (31, vec![30]),
        (21, vec![20]),
        (22, vec![10]),
        (40, vec![40]),
        (41, vec![50]),
        (13, vec![55]),
        (2, vec![60]),
        (3, vec![70]),
        (4, vec![80]),
        (5, vec![90]),
        (46, vec![30]),
    ] {
        let found = index.iter().find(|entry| entry.event.event_type().map(i32::from) == Some(number));
        assert_eq!(found.map(|entry| &entry.frame_indices), Some(&frames), "{number}");
    }
    let arena = |number: usize| match &capture.frames[number].payload {
        Some(frame::Payload::EchoArena(arena)) => arena.clone(),
        _ => panic!(),
    };
    let goal = arena(30).events.into_iter().find_map(|event| match event.event {
        Some(Event::GoalScored(goal)) => Some(goal),
        _ => None,
    });
    let goal = goal.unwrap();
    assert_eq!((goal.scorer_slot, goal.assist_slot, goal.point_amount, goal.goal_type), (0, Some(2), 3, 2));
    assert_eq!((goal.person_scored.as_str(), goal.team), ("Player 1", 1));
    // The team follows from the response: players 1 and 3 are orange.
    assert_eq!(arena(50).players.iter().map(|player| player.flags >> 5 & 3).collect::<Vec<_>>(), [0, 0, 1, 1]);
    let thrown = arena(20).events.into_iter().find_map(|event| match event.event {
        Some(Event::DiscThrown(thrown)) => Some(thrown),
        _ => None,
    });
    assert!(thrown.unwrap().throw_details.unwrap().total_speed > 0.0);
}

#[test]
fn the_summary_has_the_engines_counters_beside_what_events_add_up_to() {
    let (_, tape, _folder) = import_as("a.echoreplay", lines(4, 1200).concat().as_bytes()).unwrap();
    let summary = MatchSummary::of(&tape).unwrap().unwrap();
    assert_eq!((summary.sessions.len(), summary.players.len()), (1, 4));
    let goals: u64 = summary.players.iter().map(|player| player.events[2].unwrap()).sum();
    assert!(goals > 0 && goals == summary.goals.len() as u64);
    for player in &summary.players {
        let engine = player.engine.unwrap();
        assert_eq!(engine[2], player.events[2].unwrap() as i64, "goals agree");
        assert_eq!((player.events[0], player.team), (None, Some(player.who.slot as usize % 2)));
    }
    // In a tape that begins later, the engine's counters started before it: both are reported.
    let (_, tape, _folder) = import_as("b.echoreplay", lines(4, 1200)[900..].concat().as_bytes()).unwrap();
    let later = MatchSummary::of(&tape).unwrap().unwrap();
    let differs =
        |player: &gametape::echo::PlayerSummary| player.engine.unwrap()[2] != player.events[2].unwrap() as i64;
    assert!(later.players.iter().any(differs));
}

#[test]
fn of_a_cut_or_damaged_capture_everything_that_is_whole_is_imported() {
    let (_, tape, _folder) = import_as("a.echoreplay", lines(2, 350).concat().as_bytes()).unwrap();
    let file = v2_file(&tape);
    let (imported, again, _folder) = import_as("cut.tape", &file[..file.len() * 3 / 4]).unwrap();
    assert!(imported.frames >= 200 && imported.frames < 350, "{}", imported.frames);
    assert!(imported.problems.iter().any(|problem| problem.contains("no footer")), "{:?}", imported.problems);
    assert_eq!(again.metadata()["import_problems"], imported.problems.len().to_string());
    // The exported file is complete: it has a footer.
    let whole = Reader::new(v2_file(&again).as_slice()).unwrap().read_all().unwrap();
    assert_eq!((whole.problems.len(), whole.frames.len() as u64), (0, imported.frames));
    let mut flipped = file.clone();
    flipped[file.len() / 2] ^= 0x40;
    let (imported, _, _folder) = import_as("flipped.tape", &flipped).unwrap();
    assert!(imported.frames >= 200 && !imported.problems.is_empty());
    let first = nevrcap_file(&tape);
    let (imported, _, _folder) = import_as("cut.nevrcap", &first[..first.len() / 2]).unwrap();
    assert!(imported.frames > 50 && !imported.problems.is_empty());
    // No frame of the game in it.
    let empty = Writer::new(
        Vec::new(),
        CaptureHeader { capture_id: "x".into(), ..Default::default() },
        WriteOptions::default(),
    );
    let error = import_as("empty.tape", &empty.unwrap().finish().unwrap().0).err().unwrap();
    assert!(matches!(error, ImportError::Capture(_)), "{error}");
}

#[test]
fn a_bomb_is_told_and_not_unpacked() {
    let options = WriteOptions { layout: Layout::Stream, keyframe_state: false, ..WriteOptions::default() };
    let mut writer = Writer::new(Vec::new(), made_match::header(), options).unwrap();
    for frame_index in 0..12 {
        let bones = PlayerBones { slot: 1, transforms: vec![0; 12 << 20].into(), ..Default::default() };
        let arena = EchoArenaFrame { player_bones: vec![bones], ..Default::default() };
        let payload = Some(frame::Payload::EchoArena(arena));
        writer.frame(Frame { frame_index, payload, ..Default::default() }).unwrap();
    }
    let file = writer.finish().unwrap().0;
    assert!(file.len() < 100_000, "{}", file.len());
    match import_as("bomb.tape", &file) {
        Ok((imported, _, _folder)) => {
            assert!(imported.problems.iter().any(|problem| problem.contains("bomb")), "{:?}", imported.problems)
        }
        Err(error) => assert!(
            error.to_string().contains("bomb") || matches!(error, ImportError::Capture(_) | ImportError::Build(_)),
            "{error}"
        ),
    }
}

#[test]
fn a_tape_of_any_game_is_a_stream_of_raw_frames() {
    use gametape::format::write::{StdFiles, TapeBuilder, WriteOptions as TapeOptions};
    use gametape::format::{StreamSpec, TapeId};
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("a.gtape");
    let options = TapeOptions { start_utc_ns: Some(5_000_000_000), ..TapeOptions::new(TapeId([7; 16])) };
    let mut builder = TapeBuilder::create(std::sync::Arc::new(StdFiles), &path, &options, false).unwrap();
    let stream = builder.add_stream(StreamSpec { game: "own".into(), ..StreamSpec::rows("own") }, 0).unwrap();
    for number in 0..20u64 {
        builder.append(stream, number * 1_000_000, &number.to_le_bytes()).unwrap();
        if number == 3 {
            builder.event(3_500_000, "mark", "here").unwrap();
        }
    }
    builder.finish().unwrap();
    let tape = Tape::open(&path).unwrap();
    let mut bytes = Vec::new();
    let streamed = stream_tape(&tape, &(2_000_000..10_000_000), &mut bytes).unwrap();
    assert_eq!((streamed.frames, streamed.marks), (8, 1));
    let capture = Reader::new(bytes.as_slice()).unwrap().read_all().unwrap();
    assert_eq!(capture.problems, []);
    let kinds = capture.frames.iter().map(|frame| match &frame.payload {
        Some(frame::Payload::Raw(raw)) => raw.data[0],
        Some(frame::Payload::Mark(mark)) => {
            assert_eq!((mark.kind.as_str(), mark.text.as_str(), mark.time_ns), ("mark", "here", 3_500_000));
            255
        }
        _ => panic!(),
    });
    let kinds = kinds.collect::<Vec<_>>();
    assert_eq!(kinds, [2, 3, 255, 4, 5, 6, 7, 8, 9]);
}

#[test]
fn answers_of_real_games_go_through_every_form() {
    let Some(folder) = support::real_data("answers_of_real_games_go_through_every_form") else { return };
    for name in ["single_player_private.json", "standard_public_match.json"] {
        let text = std::fs::read_to_string(folder.join("echo-vr").join(name)).unwrap();
        let text: String = text.split_inclusive('\n').map(str::trim).collect();
        let line = format!("2018/04/01 12:00:00.000\t{text}\r\n");
        let (_, tape, _folder) = import_as("a.echoreplay", line.as_bytes()).unwrap();
        let session = read_session(text.as_bytes()).unwrap();
        assert!(!session.session_id.is_empty() && session.teams.iter().any(|team| !team.players.is_empty()));
        let (_, first, _folder) = import_as("a.nevrcap", &nevrcap_file(&tape)).unwrap();
        assert_eq!(read_session(&frames(&first, "session")[0].1), Some(session.clone()));
        let (_, second, _folder) = import_as("a.tape", &v2_file(&tape)).unwrap();
        assert_eq!(kept(&second), 0);
        let back = read_session(&frames(&second, "session")[0].1).unwrap();
        assert_eq!(
            (back.session_id, back.match_type, back.map_name),
            (session.session_id, session.match_type, session.map_name)
        );
        let names = |teams: &[telemetry_v2::proto::engine::v1::Team]| {
            teams
                .iter()
                .flat_map(|team| team.players.iter().map(|player| (player.display_name.clone(), player.stats)))
                .collect::<Vec<_>>()
        };
        assert_eq!(names(&back.teams), names(&session.teams));
    }
}

#[test]
fn python_reads_the_frames_of_an_exported_match() {
    let test = "python_reads_the_frames_of_an_exported_match";
    let Some(python) = std::env::var_os("GAMETAPE_PYTHON") else {
        eprintln!("SKIPPED {test}: GAMETAPE_PYTHON is not set");
        if let Some(log) = std::env::var_os("GAMETAPE_SKIP_LOG") {
            let mut log = std::fs::File::options().append(true).create(true).open(log).unwrap();
            log.write_all(format!("{test}\n").as_bytes()).unwrap();
        }
        return;
    };
    let lines = lines(2, 120);
    let (_, tape, folder) = import_as("a.echoreplay", lines.concat().as_bytes()).unwrap();
    let script = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("../telemetry-v2/tests/independent/check.py");
    for (name, schema, file) in
        [("a.tape", "third", v2_file(&tape)), ("b.nevrcap", "first_version", nevrcap_file(&tape))]
    {
        let path = support::put(&folder.path().join(name), &file);
        let output =
            std::process::Command::new(&python).arg("-B").arg(&script).args(["dump", schema]).arg(&path).output();
        let output = output.unwrap();
        assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
        let said = String::from_utf8(output.stdout).unwrap();
        let session = read_session(lines[0].split('\t').nth(1).unwrap().as_bytes()).unwrap();
        let hex = |bytes: &[u8]| bytes.iter().map(|byte| format!("{byte:02x}")).collect::<String>();
        for text in [session.session_id.as_str(), "Player 2"] {
            assert!(said.contains(&format!(" s{}", hex(text.as_bytes()))), "{text}");
        }
        let frames = said.lines().filter(|line| line.starts_with("record ")).count();
        assert_eq!(frames, if schema == "third" { 122 } else { 121 }, "header, frames and footer");
        let bones = read_player_bones(lines[0].trim_end().split('\t').nth(2).unwrap().trim().as_bytes()).unwrap();
        assert_eq!(bones.user_bones.len(), 2);
        if schema == "third" {
            // The head's position in the first frame, with all bits, and the bones of the first player.
            let x = session.teams[0].players[0].head.as_ref().unwrap().position[0] as f32;
            let transforms: Vec<u8> = bones.user_bones[0].bone_t.iter().flat_map(|value| value.to_le_bytes()).collect();
            assert!(said.contains(&format!(" b{}", hex(&transforms))), "bones");
            let second = said.split("record 2").next().unwrap();
            assert!(second.contains(&format!(".2.10.5[0].2.1.1 f{:08x}", x.to_bits())), "{second}");
            assert!(second.contains(&format!(".2.10.2 f{:08x}", (session.game_clock as f32).to_bits())), "{second}");
        }
    }
}
