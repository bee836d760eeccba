//! `export --to echoreplay` and the other capture formats: Echo VR recordings are converted to files of other tools and back, several in
//! parallel, and nothing is overwritten.
#![cfg(target_os = "linux")]
#![allow(clippy::unwrap_used, missing_docs)]
use crate::support;

use std::io::Read as _;
use std::path::Path;

use gametape::games::echo_vr::simulated::{Match, Settings};
use support::{Bench, text};

/// Lines of a simulated match, in the format of an `.echoreplay` file.
fn lines(settings: Settings) -> Vec<String> {
    let line = |answers: gametape::games::echo_vr::simulated::Answers| {
        let (seconds, ms) = (answers.utc_ms.div_euclid(1000) % 86_400, answers.utc_ms.rem_euclid(1000));
        let time = format!("2023/04/01 {:02}:{:02}:{:02}.{ms:03}", seconds / 3600, seconds / 60 % 60, seconds % 60);
        format!("{time}\t{}\t {}\r\n", answers.session, answers.player_bones)
    };
    Match::new(settings).map(line).collect()
}

fn put(bench: &Bench, name: &str, content: &[u8]) -> String {
    let path = bench.path(name);
    std::fs::create_dir_all(path.parent().unwrap()).unwrap();
    text(&support::ibt::put(&path, content)).to_owned()
}

fn replay(bench: &Bench, name: &str, settings: Settings) -> (String, Vec<u8>) {
    let lines = lines(settings).concat().into_bytes();
    (put(bench, name, &lines), lines)
}

/// The text of an `.echoreplay` file, compressed or not.
fn text_in(path: &Path) -> Vec<u8> {
    let file = std::fs::read(path).unwrap();
    if !file.starts_with(b"PK") {
        return file;
    }
    let name = usize::from(u16::from_le_bytes([file[26], file[27]]));
    let mut content = Vec::new();
    flate2::read::DeflateDecoder::new(&file[30 + name..]).read_to_end(&mut content).unwrap();
    content
}

#[test]
fn a_replay_goes_to_a_tape_and_comes_back_with_equal_lines() {
    let bench = Bench::new();
    let mut lines = lines(Settings { frames: 120, ..Settings::default() }).concat().into_bytes();
    // Unreadable lines are kept too.
    lines.extend(b"<html>loading</html>\r\n\r\nnonsense");
    let source = put(&bench, "match.echoreplay", &lines);
    let tape = bench.expect(3, &["import", &source]).out.trim().to_owned();
    let before = std::fs::read(&tape).unwrap();
    let ran = bench.expect(0, &["export", &tape, "--to", "echoreplay"]);
    let again = ran.out.trim().to_owned();
    assert_ne!(again, source, "the replay beside it was not overwritten");
    assert!(text_in(Path::new(&again)) == lines);
    assert!(ran.err.contains("123 frames"), "{}", ran.err);
    // Directly from the source to a named file; an existing file is refused.
    let out = bench.path("copy.echoreplay");
    let arguments = ["export", &source, "--to", "echoreplay", "-o", text(&out)];
    bench.expect(0, &arguments);
    assert!(text_in(&out) == lines);
    assert!(bench.expect(2, &arguments).err.contains("was not overwritten"));
    assert_eq!(std::fs::read(&tape).unwrap(), before, "the tape is as it was");
    assert!(std::fs::read(&source).unwrap() == lines, "the source is as it was");
}

#[test]
fn a_folder_is_converted_at_once_and_a_bad_file_does_not_stop_the_others() {
    let bench = Bench::new();
    let mut sources = Vec::new();
    for seed in 1..=3 {
        let settings = Settings { frames: 40, seed, ..Settings::default() };
        sources.push(replay(&bench, &format!("matches/m{seed}.echoreplay"), settings).1);
    }
    put(&bench, "matches/broken.echoreplay", b"no replay at all");
    put(&bench, "matches/notes.txt", b"not looked at");
    let (matches, tapes) = (bench.path("matches"), bench.path("tapes"));
    let ran = bench.expect(1, &["import", text(&matches), "-o", text(&tapes), "--jobs", "2"]);
    assert_eq!(ran.out.lines().count(), 3, "{}", ran.out);
    assert!(ran.err.contains("1 of 4 files could not be imported"), "{}", ran.err);

    put(&bench, "tapes/broken.gtape", b"no tape");
    let back = bench.path("back");
    let ran = bench.expect(1, &["export", text(&tapes), "--to", "echoreplay", "-o", text(&back), "--jobs", "2"]);
    assert_eq!(ran.out.lines().count(), 3, "{}", ran.out);
    assert!(ran.err.contains("1 of 4 files could not be converted"), "{}", ran.err);
    assert!(ran.err.contains("broken.gtape"), "{}", ran.err);
    for (seed, lines) in (1..).zip(&sources) {
        assert!(text_in(&back.join(format!("m{seed}.echoreplay"))) == *lines, "match {seed}");
    }
    let names: Vec<_> = std::fs::read_dir(&back).unwrap().map(|entry| entry.unwrap().file_name()).collect();
    assert_eq!(names.len(), 3, "nothing unfinished is left: {names:?}");
    // The same command again gets other names.
    let tape = text(&tapes.join("m1.gtape")).to_owned();
    let again = bench.expect(0, &["export", &tape, "--to", "echoreplay", "-o", text(&back)]).out;
    assert!(again.trim().ends_with("m1-2.echoreplay"), "{again}");
}

#[test]
fn a_tape_of_another_game_is_told_and_nothing_is_written() {
    let bench = Bench::new();
    let tape = bench.driven_tape(50);
    let ran = bench.expect(4, &["export", &tape, "--to", "echoreplay"]);
    assert!(ran.err.contains("Echo VR"), "{}", ran.err);
    let folder = Path::new(&tape).parent().unwrap();
    assert_eq!(std::fs::read_dir(folder).unwrap().count(), 1, "nothing is left behind");
}

#[test]
fn a_capture_packed_with_a_dictionary_is_read_with_it_alone() {
    use telemetry_v2::proto::telemetry::v2::envelope::Message;
    use telemetry_v2::read::Reader;
    use telemetry_v2::write::{Layout, WriteOptions, Writer};
    use telemetry_v2::{CaptureHeader, Dictionary, Record};
    let bench = Bench::new();
    let (source, _) = replay(&bench, "match.echoreplay", Settings { frames: 60, ..Settings::default() });
    let plain = bench.path("plain.tape");
    bench.expect(0, &["export", &source, "--to", "v2-tape", "-o", text(&plain)]);
    let capture = Reader::new(std::fs::read(&plain).unwrap().as_slice()).unwrap().read_all().unwrap();
    let mut bytes = include_bytes!("../../../telemetry-v2/tests/data/dictionary.zdict").to_vec();
    let right = put(&bench, "right.zdict", &bytes);
    let dictionary = Dictionary::from_bytes(bytes.clone()).unwrap();
    // The same id, but other contents.
    *bytes.last_mut().unwrap() ^= 1;
    let wrong = put(&bench, "wrong.zdict", &bytes);
    let header = CaptureHeader { dictionary_sha256: dictionary.sha256().to_vec().into(), ..capture.header.unwrap() };
    let options = WriteOptions { layout: Layout::Blocks, ..WriteOptions::default() };
    let header = Record::from_message(Message::Header(header));
    let mut writer = Writer::copying_with_dictionary(Vec::new(), &header, options, &dictionary).unwrap();
    for frame in capture.frames {
        writer.verbatim(&Record::from_message(Message::Frame(frame))).unwrap();
    }
    let packed = put(&bench, "packed.tape", &writer.finish().unwrap().0);
    let out = text(&bench.path("packed.gtape")).to_owned();
    bench.expect(1, &["import", &packed, "-o", &out]).is_one_error_with(&["packed.tape", "--dictionary"]);
    bench.expect(1, &["import", &packed, "-o", &out, "--dictionary", &wrong]).is_one_error_with(&["SHA-256"]);
    bench.expect(1, &["import", &packed, "-o", &out, "--dictionary", &source]).is_one_error_with(&["match.echoreplay"]);
    let report = bench.expect(0, &["import", &packed, "-o", &out, "--dictionary", &right, "--json"]).json();
    assert_eq!(report["imports"][0]["frames"], 60, "{report}");
    bench.expect(0, &["verify", &out, "--against", &packed, "--dictionary", &right]);
    let again = bench.path("again.tape");
    bench.expect(0, &["export", &packed, "--to", "v2-tape", "-o", text(&again), "--dictionary", &right]);
    bench.expect(0, &["verify", &out, "--against", text(&again), "--dictionary", &right]);
}

#[test]
fn an_archive_goes_to_every_format_and_back_with_equal_records() {
    let bench = Bench::new();
    for (name, players) in [("two", 2), ("ten", 10)] {
        let settings = Settings { frames: 60, players, ..Settings::default() };
        replay(&bench, &format!("archive/{name}.echoreplay"), settings);
    }
    let folder = |name: &str| text(&bench.path(name)).to_owned();
    for (to, ending) in [("v2-tape", "tape"), ("nevrcap", "nevrcap")] {
        let (made, tapes, again) = (folder(to), folder(&format!("{to}-tapes")), folder(&format!("{to}-again")));
        bench.expect(0, &["export", &folder("archive"), "--to", to, "-o", &made, "--jobs", "2"]);
        bench.expect(0, &["import", &made, "-o", &tapes, "--jobs", "2"]);
        bench.expect(0, &["export", &tapes, "--to", to, "-o", &again, "--jobs", "2"]);
        for name in ["two", "ten"] {
            let read = |folder: &str| std::fs::read(Path::new(folder).join(format!("{name}.{ending}"))).unwrap();
            assert!(read(&made) == read(&again), "{name}.{ending}");
            let source = text(&Path::new(&made).join(format!("{name}.{ending}"))).to_owned();
            let tape = text(&Path::new(&tapes).join(format!("{name}.gtape"))).to_owned();
            bench.expect(0, &["verify", &tape, "--against", &source]);
        }
    }
    // Directly from one format to the other, in the first generation of the schema, which reports what it cannot represent.
    let source = text(&bench.path("nevrcap").join("two.nevrcap")).to_owned();
    let out = folder("seed.tape");
    let ran = bench.expect(0, &["export", &source, "--to", "v2-tape", "--schema", "seed", "-o", &out]);
    assert!(ran.err.contains("that the schema cannot represent were left out"), "{}", ran.err);
    bench.expect(2, &["export", &source, "--to", "echoreplay", "--schema", "seed"]);
    bench.expect(2, &["export", &source, "--to", "csv,nevrcap"]);
    // Several formats at once, and one to stdout.
    let both = folder("both");
    let ran = bench.expect(0, &["export", &source, "--to", "echoreplay,v2-tape", "-o", &both, "--json"]).json();
    assert_eq!(ran["exports"].as_array().unwrap().len(), 2);
    for ending in ["echoreplay", "tape"] {
        assert!(Path::new(&both).join(format!("two.{ending}")).is_file(), "{ending}");
    }
    let piped = bench.expect(0, &["export", &source, "--to", "v2-tape", "-o", "-"]).raw;
    assert!(piped == std::fs::read(Path::new(&both).join("two.tape")).unwrap(), "the same bytes");
    bench.expect(2, &["export", &source, "--to", "echoreplay,v2-tape", "-o", "-"]);
}

#[test]
fn info_has_matches_goals_and_players_and_cat_gives_a_stream_of_telemetry_v2() {
    let bench = Bench::new();
    let (source, _) =
        replay(&bench, "a.echoreplay", Settings { frames: 900, rate_hz: 10.0, players: 4, ..Settings::default() });
    let tape = bench.expect(0, &["import", &source]).out.trim().to_owned();
    let info = bench.expect(0, &["info", &tape, "--json"]).json();
    let echo = &info["echo_vr"];
    assert_eq!(echo["sessions"].as_array().unwrap().len(), 1);
    let goals = echo["goals"].as_array().unwrap().len();
    assert!(goals > 0);
    let players = echo["players"].as_array().unwrap();
    let total = |of: &str| players.iter().map(|player| player[of]["goals"].as_u64().unwrap()).sum::<u64>();
    assert_eq!((players.len(), total("engine"), total("events")), (4, goals as u64, goals as u64));
    assert!(players[0]["events"]["points"].is_null(), "no event says it");
    let human = bench.expect(0, &["info", &tape]).out;
    assert!(human.contains("Player 1 (slot 0)") && human.contains("goals"), "{human}");
    let other = bench.driven_tape(50);
    assert!(bench.expect(0, &["info", &other, "--json"]).json()["echo_vr"].is_null());
    for (tape, frames) in [(&tape, 900), (&other, 50)] {
        let out = std::process::Command::new(env!("CARGO_BIN_EXE_gametape"))
            .args(["cat", tape, "--format", "v2"])
            .output()
            .unwrap();
        assert!(out.status.success());
        let capture = telemetry_v2::read::Reader::new(out.stdout.as_slice()).unwrap().read_all().unwrap();
        assert_eq!(capture.problems, []);
        assert!(capture.frames.len() >= frames, "{}", capture.frames.len());
    }
    bench.expect(2, &["cat", &tape, "--format", "v2", "--stream", "session"]);
}
