//! Output of the program: nothing in it can control a terminal, data in a pipe is exact, errors are JSON with `--json`,
//! and only regular files are read.
#![cfg(target_os = "linux")]
#![allow(clippy::unwrap_used, clippy::panic, missing_docs)]
use crate::support;

use std::fs::OpenOptions;
use std::io::Read as _;
use std::os::unix::ffi::OsStringExt as _;
use std::path::Path;
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

use rustix::pty::{OpenptFlags, grantpt, openpt, ptsname, unlockpt};
use support::{Bench, Ran, keys, text};

/// Guards against a hang; no test depends on it.
const HANG: Duration = Duration::from_secs(120);
/// Writes to the clipboard, clears the screen, changes the text direction, and is a spreadsheet formula.
const NASTY: &str = "=A\u{1b}]52;c;QQ==\u{7}\u{9b}2J\u{202e}b";

/// Runs with stdout and stderr on a terminal; returns the exit code and what the terminal received.
fn on_terminal(bench: &Bench, arguments: &[&str]) -> (i32, String) {
    let terminal = openpt(OpenptFlags::RDWR | OpenptFlags::NOCTTY).unwrap();
    grantpt(&terminal).unwrap();
    unlockpt(&terminal).unwrap();
    let name = std::ffi::OsString::from_vec(ptsname(&terminal, Vec::new()).unwrap().into_bytes());
    let inside = OpenOptions::new().read(true).write(true).open(name).unwrap();
    let mut command = bench.command(arguments);
    command.env("NO_COLOR", "1").stdout(inside.try_clone().unwrap()).stderr(inside);
    let mut child = command.spawn().unwrap();
    // Only the child holds the other end now: reading ends when it exits.
    drop(command);
    let mut screen = Vec::new();
    let mut piece = [0; 4096];
    let mut terminal = std::fs::File::from(terminal);
    while let Ok(count @ 1..) = terminal.read(&mut piece) {
        screen.extend_from_slice(&piece[..count]);
    }
    (child.wait().unwrap().code().unwrap(), String::from_utf8(screen).unwrap())
}

/// The progress bar is the program's own: it moves the cursor with sequences that no text of a tape can contain.
fn steers(screen: &str) -> bool {
    screen.contains("\u{1b}]") || screen.contains(['\u{7}', '\u{9b}', '\u{202e}'])
}

#[test]
fn nothing_that_others_wrote_steers_the_terminal_and_data_in_a_pipe_is_exact() {
    use gametape::format::write::{StdFiles, TapeBuilder, WriteOptions};
    use gametape::format::{Channel, ChannelType, StreamSpec};
    let bench = Bench::new();
    let path = bench.path(&format!("{NASTY}.gtape"));
    let options = WriteOptions::new(gametape::identity::new_id());
    let mut tape = TapeBuilder::create(std::sync::Arc::new(StdFiles), &path, &options, false).unwrap();
    let channels =
        vec![Channel::new(NASTY, ChannelType::F32, 0, 1, NASTY), Channel::new("word", ChannelType::Char, 4, 4, "")];
    let stream =
        tape.add_stream(StreamSpec { game: NASTY.into(), ..StreamSpec::columns("s", 8, channels) }, 0).unwrap();
    tape.append(stream, 5, &[&(-1.5_f32).to_le_bytes()[..], b"-a\0\0"].concat()).unwrap();
    tape.metadata(0, NASTY, NASTY).unwrap();
    tape.event(5, "mark", NASTY).unwrap();
    tape.finish().unwrap();
    let tape = text(&path);
    let none = bench.path(&format!("{NASTY}-none.gtape"));
    for (code, arguments) in [
        (0, vec!["info", tape]),
        (0, vec![tape]),
        (0, vec!["info", tape, "--channels"]),
        (0, vec!["info", tape, "--json"]),
        (0, vec!["verify", tape]),
        (0, vec!["cat", tape, "--events"]),
        (0, vec!["cat", tape]),
        (0, vec!["cat", tape, "--format", "jsonl"]),
        (0, vec!["export", tape]),
        (0, vec!["export", tape, "-o", "-"]),
        (1, vec!["laps", tape]),
        (1, vec!["import", tape]),
        (1, vec!["info", text(&none)]),
        (1, vec!["info", text(&none), "--json"]),
        (2, vec!["cut", tape, tape, tape]),
    ] {
        let (ended, screen) = on_terminal(&bench, &arguments);
        assert_eq!(ended, code, "{arguments:?}: {screen:?}");
        assert!(!steers(&screen), "{arguments:?}: {screen:?}");
        assert!(screen.contains("]52;c;QQ=="), "the text is shown: {arguments:?}: {screen:?}");
    }
    // In a pipe everything is exact, except that CSV cells cannot start a formula.
    let events = bench.expect(0, &["cat", tape, "--events"]).out;
    assert_eq!(events.lines().find(|line| line.contains("mark")), Some(format!("5,mark,'{NASTY}").as_str()));
    let events = bench.expect(0, &["cat", tape, "--events", "--format", "jsonl"]).out;
    let event = events.lines().map(|line| serde_json::from_str::<serde_json::Value>(line).unwrap());
    assert!(event.into_iter().any(|event| event["text"] == NASTY), "{events}");
    let table = bench.expect(0, &["export", tape, "-o", "/dev/stdout"]).out;
    assert_eq!(table, format!("time_ns,time_s,utc,lap,lap_distance_m,'{NASTY},word\r\n5,0.000000005,,,,-1.5,'-a\r\n"));
    assert_eq!(bench.expect(0, &["export", tape]).out.trim(), text(&bench.path(&format!("{NASTY}-2.csv"))));
}

#[test]
fn laps_as_csv_are_exact_in_a_pipe_and_safe_on_a_terminal() {
    let bench = Bench::new();
    let tape = bench.expect(0, &["demo", "--laps", "1", "--speed", "100"]).out.trim().to_owned();
    let named = bench.path(&format!("{NASTY}.gtape"));
    std::fs::copy(tape, &named).unwrap();
    let csv = bench.expect(0, &["laps", text(&named), "--csv"]).out;
    assert!(csv.lines().nth(1).unwrap().starts_with(&format!("{},", text(&named))), "{csv:?}");
    for arguments in [["laps", text(&named), "--csv"], ["laps", text(&named), text(&named)]] {
        let (code, screen) = on_terminal(&bench, &arguments);
        assert!(code == 0 && !steers(&screen) && screen.contains("]52;c;QQ=="), "{screen:?}");
    }
    bench.expect(0, &["token", "add", NASTY]);
    let (code, screen) = on_terminal(&bench, &["token", "list"]);
    assert!(code == 0 && !steers(&screen) && screen.contains("]52;c;QQ=="), "{screen:?}");
}

#[test]
fn remarks_and_names_of_stored_sessions_are_safe_on_a_terminal() {
    use gametape::laps::{Session, TRACKER_ID, TRACKER_VERSION, track_tape};
    use gametape::store::{Origin, SqlStore, Store as _, TrackerVersion, Write};
    let bench = Bench::new();
    let tape = bench.expect(0, &["demo", "--laps", "1", "--speed", "100"]).out.trim().to_owned();
    let tracked = track_tape(&gametape::format::read::Tape::open(&tape).unwrap()).unwrap();
    // Another server may have sent such a session.
    let session = Session {
        remark: Some(NASTY.to_owned()),
        track: Some(format!("track {NASTY}")),
        ..tracked.sessions[0].session.clone()
    };
    let tracker = TrackerVersion { id: TRACKER_ID.to_owned(), version: TRACKER_VERSION };
    let store = bench.path("other.sqlite");
    let written = SqlStore::sqlite(&store).unwrap();
    written.write(&Origin::new(session.tape, tracker), &[Write::Session(session)]).unwrap();
    drop(written);
    let (code, screen) = on_terminal(&bench, &["laps", "--store", text(&store)]);
    assert!(code == 0 && !steers(&screen), "{screen:?}");
    assert_eq!(screen.matches("]52;c;QQ==").count(), 2, "both are shown: {screen:?}");
}

/// Runs to the end, which must come.
fn ends(bench: &Bench, arguments: &[&str]) -> Ran {
    let mut child = bench.command(arguments).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
    let start = Instant::now();
    while child.try_wait().unwrap().is_none() {
        if start.elapsed() > HANG {
            child.kill().unwrap();
            panic!("gametape {arguments:?} hangs");
        }
        std::thread::sleep(Duration::from_millis(5));
    }
    Ran::of(&child.wait_with_output().unwrap())
}

#[test]
fn a_pipe_or_a_device_as_input_is_refused() {
    let bench = Bench::new();
    let (pipe, out) = (bench.path("pipe.gtape"), bench.path("out.gtape"));
    assert!(Command::new("mkfifo").arg(&pipe).status().unwrap().success());
    let tape = bench.driven_tape(10);
    for (input, kind) in [(pipe.as_path(), "named pipe (FIFO)"), (Path::new("/dev/zero"), "device")] {
        let (input, out) = (text(input), text(&out));
        for arguments in [
            vec!["info", input],
            vec!["cat", input],
            vec!["verify", input],
            vec!["verify", &tape, "--against", input],
            vec!["recover", input, "-o", out],
            vec!["cut", input, "--from", "1", "-o", out],
            vec!["split", input, "--by", "lap"],
            vec!["merge", input, &tape, "-o", out],
            vec!["laps", input],
            vec!["play", input],
            vec!["import", input, "-o", out],
            vec!["import", input],
            vec!["import", &tape, "--dictionary", input, "-o", out],
            vec!["add", input],
            vec!["export", input, "-o", out],
            vec!["export", input, "--to", "echoreplay", "-o", out],
        ] {
            let ran = ends(&bench, &arguments);
            assert_eq!(ran.code, 1, "{arguments:?}: {}", ran.err);
            ran.is_one_error_with(&[input, kind]);
        }
        assert!(!Path::new(out).exists());
    }
}

#[test]
fn with_json_an_error_is_an_object_with_stable_fields() {
    let bench = Bench::new();
    let (tape, _) = bench.imported(10);
    for (code, arguments, word) in [
        (1, vec!["info", "none.gtape", "--json"], "none.gtape"),
        (4, vec!["cat", &tape, "--channels", "lapp", "--json"], "lapp"),
        (2, vec!["info", "--json", "--nonsense"], "--nonsense"),
        (4, vec!["laps", "--json"], "no tape"),
    ] {
        let ran = bench.expect(code, &arguments);
        assert!(ran.out.is_empty(), "{}", ran.out);
        let error: serde_json::Value = serde_json::from_str(ran.err.lines().last().unwrap()).unwrap();
        assert_eq!(keys(&error), ["code", "error", "hint"]);
        assert_eq!(error["code"], code);
        let all = error.to_string();
        assert!(all.contains(word) || word == "no tape", "{all}");
    }
    let hint = bench.expect(4, &["cat", &tape, "--channels", "lapp", "--json"]).err;
    let hint: serde_json::Value = serde_json::from_str(&hint).unwrap();
    assert_eq!(hint["hint"], "did you mean Lap?");
}
