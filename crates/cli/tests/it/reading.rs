//! `info`, `cat` and `verify`: stable fields, exit codes, pipes.
#![allow(clippy::unwrap_used, missing_docs)]
use crate::support;

use std::io::Read;
use std::process::Stdio;

use support::{Bench, keys, text};

#[test]
fn info_json_has_exactly_the_fields_of_the_contract() {
    let bench = Bench::new();
    let info = bench.expect(0, &["info", &bench.demo_tape(), "--json"]).json();
    let mut expected = vec![
        "path",
        "format_version",
        "tape_id",
        "created_utc",
        "duration_ns",
        "complete",
        "recovered_from_journal",
        "game",
        "game_version",
        "bytes",
        "streams",
        "loss",
        "stats",
        "events",
        "metadata",
        "match",
    ];
    expected.sort_unstable();
    assert_eq!(keys(&info), expected);
    assert!(info["match"].is_null(), "a drive is not a match");
    let stream = &info["streams"][0];
    let mut expected = vec![
        "name",
        "layout",
        "frames",
        "frame_bytes",
        "bytes_raw",
        "bytes_stored",
        "first_ns",
        "last_ns",
        "seen_until_ns",
        "loss",
        "channels",
    ];
    expected.sort_unstable();
    assert_eq!(keys(stream), expected);
    assert_eq!(keys(&stream["channels"][0]), ["count", "name", "type", "unit"]);
    assert_eq!(keys(&info["loss"]), ["dropped", "gaps", "missed", "torn"]);
    assert_eq!(stream["loss"], info["loss"], "one stream: its loss is that of the tape");
    assert_eq!(keys(&info["stats"]), ["late", "unchanged"]);
    assert_eq!(keys(&info["events"][0]), ["at_ns", "kind", "text"]);
    assert_eq!(info["game"], "assetto-corsa-competizione");
    assert!(info["game_version"].is_null() && stream["seen_until_ns"].is_null(), "unknown is null");
    assert_eq!(info["loss"]["dropped"], 0, "the recorder counted");
}

#[test]
fn each_stream_has_its_own_loss_and_the_tape_that_of_all() {
    use gametape::format::write::{StdFiles, WriteOptions, Writer};
    use gametape::format::{Counters, StreamSpec};
    let bench = Bench::new();
    let (path, written) = (bench.path("two.gtape"), bench.path("being-written"));
    let options = WriteOptions::new(gametape::identity::new_id());
    let mut writer = Writer::create(std::sync::Arc::new(StdFiles), &written, &options).unwrap();
    for (name, dropped, missed) in [("one", 3, 7), ("two", 4, 2)] {
        let stream = writer.add_stream(StreamSpec::rows(name)).unwrap();
        writer.append(stream, 0, b"frame").unwrap();
        writer.count(stream, &Counters { dropped, missed, ..Counters::default() });
    }
    writer.finish().unwrap();
    std::fs::copy(&written, &path).unwrap();
    let info = bench.expect(0, &["info", text(&path), "--json"]).json();
    let loss = |of: &serde_json::Value| (of["loss"]["dropped"].as_u64(), of["loss"]["missed"].as_u64());
    let streams: Vec<_> = info["streams"].as_array().unwrap().iter().map(loss).collect();
    assert_eq!(streams, [(Some(3), Some(7)), (Some(4), Some(2))]);
    // Dropped frames are summed; a missed tick affects every stream and counts once.
    assert_eq!(loss(&info), (Some(7), Some(7)));
}

#[test]
fn loss_of_an_imported_tape_is_null_because_nobody_counted() {
    let bench = Bench::new();
    let (tape, _) = bench.imported(10);
    let info = bench.expect(0, &["info", &tape, "--json"]).json();
    assert!(info["loss"]["dropped"].is_null() && info["streams"][0]["loss"]["dropped"].is_null());
    assert_eq!(
        (&info["game_version"], &info["created_utc"]),
        (&"2026.01.02.03".into(), &"2023-11-14T22:13:20Z".into())
    );
    assert!(info["streams"][1]["frame_bytes"].is_null(), "sizes vary");
}

#[test]
fn info_in_a_pipe_is_plain_and_lists_channels_when_asked() {
    let bench = Bench::new();
    let tape = bench.demo_tape();
    let plain = bench.expect(0, &["info", &tape]);
    assert!(plain.out.contains("physics") && !plain.out.contains('\x1b') && !plain.out.contains("tyreWear"));
    assert!(bench.expect(0, &["info", &tape, "--channels"]).out.contains("tyreWear"));
    let wanted = bench.command(&["info", &tape]).env("CLICOLOR_FORCE", "1").output().unwrap();
    assert!(wanted.stdout.contains(&0x1b), "colours are there for those who want them");
    let refused = bench.command(&["info", &tape]).env("CLICOLOR_FORCE", "1").env("NO_COLOR", "1").output().unwrap();
    assert!(!refused.stdout.contains(&0x1b));
}

#[test]
fn the_newest_tape_is_meant_when_none_is_named() {
    let bench = Bench::new();
    let ran = bench.expect(4, &["info"]);
    ran.is_one_error_with(&["no tape", "gametape demo"]);
    let (tape, _) = bench.imported(10);
    std::fs::create_dir(bench.path("tapes")).unwrap();
    std::fs::rename(&tape, bench.path("tapes/a.gtape")).unwrap();
    assert!(bench.expect(0, &["info"]).out.contains("a.gtape"));
    bench.expect(0, &["verify"]);
    assert_eq!(bench.expect(0, &["cat", "--channels", "Lap"]).out.lines().count(), 11);
}

#[test]
fn while_there_is_no_other_the_newest_demo_tape_is_meant_and_named() {
    let bench = Bench::new();
    let demo = bench.demo_tape();
    for command in [vec!["info"], vec!["verify"], vec!["cat", "--to", "1"]] {
        let ran = bench.expect(0, &command);
        assert!(ran.err.contains(&demo) && ran.err.lines().count() == 1, "{}", ran.err);
    }
    assert_eq!(bench.expect(0, &["info", "--json"]).json()["path"], demo);
    let (tape, _) = bench.imported(10);
    std::fs::create_dir(bench.path("tapes")).unwrap();
    std::fs::rename(&tape, bench.path("tapes/a.gtape")).unwrap();
    let ran = bench.expect(0, &["info"]);
    assert!(ran.out.contains("a.gtape") && ran.err.is_empty(), "{}", ran.err);
}

#[test]
fn cat_gives_exact_values_between_times_as_csv_and_json() {
    let bench = Bench::new();
    let (tape, _) = bench.imported(3000);
    let arguments = ["cat", &tape, "--channels", "SessionTime,Torque_ST,Letters,Torque_ST[1]"];
    let lines: Vec<String> = bench.expect(0, &arguments).out.lines().map(str::to_owned).collect();
    assert_eq!(lines.len(), 3001);
    assert_eq!(lines[0], "time_ns,SessionTime,Torque_ST[0],Torque_ST[1],Torque_ST[2],Letters,Torque_ST[1]");
    let row = support::ibt::row(2000);
    let cells: Vec<&str> = lines[2001].split(',').collect();
    assert_eq!((cells[0], cells[1], cells[5]), ("31250000000", "131.25", "ok"));
    let torque = f32::from_le_bytes(row[21..25].try_into().unwrap());
    assert_eq!(cells[3].parse::<f32>().unwrap().to_bits(), torque.to_bits());
    assert_eq!(cells[3], cells[6]);

    let part = bench.expect(
        0,
        &["cat", &tape, "--channels", "Lap,Torque_ST", "--from", "20s", "--to", "20.05", "--format", "jsonl"],
    );
    let rows: Vec<serde_json::Value> = part.out.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    let times: Vec<_> = rows.iter().map(|row| row["time_ns"].as_u64().unwrap()).collect();
    assert_eq!(times, [20_000_000_000, 20_015_625_000, 20_031_250_000, 20_046_875_000]);
    assert_eq!(rows[0]["Torque_ST"].as_array().unwrap().len(), 3);
}

#[test]
fn cat_json_is_jsonl_and_nothing_else() {
    let bench = Bench::new();
    let (tape, _) = bench.imported(10);
    let jsonl = bench.expect(0, &["cat", &tape, "--format", "jsonl"]).out;
    assert_eq!(jsonl.lines().count(), 10);
    assert_eq!(bench.expect(0, &["cat", &tape, "--json"]).out, jsonl);
    assert_eq!(bench.expect(0, &["cat", &tape, "--json", "--format", "jsonl"]).out, jsonl);
    for format in ["csv", "raw"] {
        let error = bench.expect(2, &["cat", &tape, "--json", "--format", format]).err;
        assert!(error.contains("--format jsonl"), "{error}");
    }
}

#[test]
fn cat_raw_gives_the_bytes_of_the_source() {
    let bench = Bench::new();
    let (tape, source) = bench.imported(100);
    let file = std::fs::read(source).unwrap();
    let rows = bench.expect(0, &["cat", &tape, "--format", "raw"]).raw;
    assert_eq!(rows, file[file.len() - 3100..]);
    let text = bench.expect(0, &["cat", &tape, "--stream", "telemetry.session-text", "--format", "raw"]).raw;
    assert!(text.starts_with(b"---\nWeekendInfo:"));
    let hex = bench.expect(0, &["cat", &tape, "--stream", "telemetry.header", "--format", "jsonl"]).out;
    assert!(hex.starts_with("{\"time_ns\":0,\"bytes\":\"02000000"), "{hex}");
    bench.expect(2, &["cat", &tape, "--stream", "telemetry.header"]).is_one_error_with(&["layout", "--format raw"]);
}

#[test]
fn what_cat_cannot_find_is_4_and_names_what_is_there() {
    let bench = Bench::new();
    let (tape, _) = bench.imported(10);
    bench.expect(4, &["cat", &tape, "--stream", "none"]).is_one_error_with(&["telemetry.session-text"]);
    bench.expect(4, &["cat", &tape, "--channels", "lapp"]).is_one_error_with(&["did you mean", "Lap"]);
    let lap = bench.expect(0, &["cat", &tape, "--channels", "lap,torque_st[1]"]).out;
    assert!(lap.starts_with("time_ns,Lap,Torque_ST[1]\n"), "columns have the names of the channels: {lap}");
    bench.expect(4, &["cat", &tape, "--channels", "Torque_ST[3]"]).is_one_error_with(&["the last one is Torque_ST[2]"]);
    bench.expect(2, &["cat", &tape, "--from", "5", "--to", "5"]).is_one_error_with(&["later"]);
    let ran = bench.expect(2, &["cat", &tape, "--from", "soon"]);
    assert!(ran.err.contains("1:30.5"), "{}", ran.err);
}

#[test]
fn a_reader_that_has_enough_is_no_error() {
    let bench = Bench::new();
    let tape = bench.demo_tape();
    let mut child = bench.command(&["cat", &tape]).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
    let mut start = [0; 100];
    child.stdout.take().unwrap().read_exact(&mut start).unwrap();
    let output = child.wait_with_output().unwrap();
    assert_eq!((output.status.code(), output.stderr.len()), (Some(0), 0), "{output:?}");
}

#[test]
fn what_is_not_a_tape_says_what_it_looks_like() {
    let bench = Bench::new();
    let json = support::ibt::put(&bench.path("x.gtape"), b"{\"a\": 1}");
    for command in ["info", "cat", "verify", "recover"] {
        bench.expect(1, &[command, text(&json)]).is_one_error_with(&["x.gtape", "not a tape", "JSON"]);
        bench.expect(1, &[command, text(&bench.path("none.gtape"))]).is_one_error_with(&["none.gtape", "no such file"]);
        bench.expect(1, &[command, text(bench.folder.path())]).is_one_error_with(&["is a folder"]);
    }
}

#[test]
fn verify_json_has_the_fields_of_the_contract_and_damage_is_3() {
    let bench = Bench::new();
    let tape = bench.demo_tape();
    let whole = bench.expect(0, &["verify", &tape, "--json"]).json();
    assert_eq!(keys(&whole), ["blocks", "bytes", "frames", "ok", "path", "problems"]);
    assert_eq!(whole["ok"], true);
    let mut bytes = std::fs::read(&tape).unwrap();
    let middle = bytes.len() / 2;
    bytes[middle] ^= 1;
    let damaged = support::ibt::put(&bench.path("damaged.gtape"), &bytes);
    let ran = bench.expect(3, &["verify", text(&damaged), "--json"]).json();
    assert_eq!(ran["ok"], false);
    assert_eq!(keys(&ran["problems"][0]), ["frames_lost", "kind", "offset", "stream", "text"]);
    let rows = bench.expect(3, &["cat", text(&damaged), "--format", "raw"]);
    assert!(rows.err.contains("warning: "), "{}", rows.err);
    let lost = ran["problems"][0]["frames_lost"].as_u64().unwrap();
    assert_eq!(rows.raw.len() as u64, (3600 - lost) * 800, "what is whole is given");
    let csv = bench.expect(3, &["cat", text(&damaged)]);
    assert_eq!(csv.out.lines().count() as u64, 3601 - lost);
}

#[test]
fn cat_tells_of_damage_that_lies_outside_the_times_it_gives() {
    let bench = Bench::new();
    let mut bytes = std::fs::read(bench.demo_tape()).unwrap();
    // Without its trailer the tape is opened by scanning every record, which finds the damage in the middle.
    let (middle, end) = (bytes.len() / 2, bytes.len() - 30);
    bytes[middle] ^= 1;
    bytes.truncate(end);
    let damaged = support::ibt::put(&bench.path("damaged.gtape"), &bytes);
    for arguments in [vec!["--from", "35"], vec!["--from", "35", "--format", "raw"], vec!["--events"]] {
        let arguments = [vec!["cat", text(&damaged)], arguments].concat();
        let ran = bench.expect(3, &arguments);
        let warnings: Vec<_> = ran.err.lines().collect();
        assert!(!warnings.is_empty() && warnings.iter().all(|line| line.starts_with("warning: ")), "{}", ran.err);
        let mut unique = warnings.clone();
        unique.sort_unstable();
        unique.dedup();
        assert_eq!(unique.len(), warnings.len(), "each is told once: {}", ran.err);
    }
}

#[test]
fn verify_against_finds_a_changed_byte_of_the_source() {
    let bench = Bench::new();
    let (tape, source) = bench.imported(100);
    let same = bench.expect(0, &["verify", &tape, "--against", &source]);
    assert!(same.out.contains("identical to"), "{}", same.out);
    let mut bytes = std::fs::read(&source).unwrap();
    let last = bytes.len() - 1;
    bytes[last] ^= 1;
    let changed = support::ibt::put(&bench.path("changed.ibt"), &bytes);
    let ran = bench.expect(3, &["verify", &tape, "--against", text(&changed), "--json"]).json();
    assert_eq!(
        (&ran["problems"][0]["kind"], &ran["problems"][0]["offset"]),
        (&"differs_from_source".into(), &last.into())
    );
    let zstd = support::ibt::put(&bench.path("a.zst"), b"\x28\xb5\x2f\xfd");
    bench.expect(1, &["verify", &tape, "--against", text(&zstd)]).is_one_error_with(&["unknown file format", "zstd"]);
}

/// Two data streams, and an event that would turn a terminal red.
fn two_streams(bench: &Bench, close: bool) -> String {
    use gametape::format::write::{StdFiles, WriteOptions, Writer};
    use gametape::format::{Channel, ChannelType, StreamSpec};
    let path = bench.path("two.gtape");
    let options = WriteOptions { journal_bytes: 1 << 20, ..WriteOptions::new(gametape::identity::new_id()) };
    let mut writer = Writer::create(std::sync::Arc::new(StdFiles), &path, &options).unwrap();
    for name in ["one", "two"] {
        let channels = vec![Channel::new("n", ChannelType::U32, 0, 1, "")];
        let stream = writer.add_stream(StreamSpec::columns(name, 4, channels)).unwrap();
        writer.append(stream, 5, &7u32.to_le_bytes()).unwrap();
    }
    writer.event(5, "mark", "\x1b[31mred\nline").unwrap();
    if close {
        writer.finish().unwrap();
    }
    text(&path).to_owned()
}

#[test]
fn with_several_streams_cat_asks_which_one() {
    let bench = Bench::new();
    let tape = two_streams(&bench, true);
    bench.expect(2, &["cat", &tape]).is_one_error_with(&["--stream", "one, two"]);
    assert_eq!(bench.expect(0, &["cat", &tape, "--stream", "two"]).out, "time_ns,two/n\n5,7\n");
    bench.expect(2, &["cat", &tape, "--channels", "n"]).is_one_error_with(&["ambiguous", "one/n, two/n"]);
    assert_eq!(bench.expect(0, &["cat", &tape, "--channels", "TWO/N"]).out, "time_ns,two/n\n5,7\n");
    let two = bench.expect(2, &["cat", &tape, "--channels", "one/n,two/n"]);
    two.is_one_error_with(&["different streams: one/n, two/n", "gametape export"]);
    bench.expect(2, &["export", &tape, "--channels", "n"]).is_one_error_with(&["one/n, two/n"]);
}

#[test]
fn text_on_a_tape_cannot_steer_the_terminal() {
    let bench = Bench::new();
    let info = bench.command(&["info", &two_streams(&bench, true)]).env("CLICOLOR_FORCE", "1").output().unwrap();
    let shown = String::from_utf8(info.stdout).unwrap();
    assert!(shown.contains(r"\u{1b}[31mred\nline") && !shown.contains("\x1b[31m"), "{shown}");
}

#[test]
fn a_recorder_that_was_ended_while_it_made_its_next_journal_has_damaged_nothing() {
    let bench = Bench::new();
    let tape = two_streams(&bench, false);
    support::ibt::put(&bench.path("two.gtape-journal-9"), &[0; 4096]);
    let info = bench.expect(0, &["info", &tape]);
    assert!(info.out.contains("not closed") && !info.out.contains("damage"), "{}", info.out);
    assert_eq!(bench.expect(0, &["cat", &tape, "--stream", "two"]).out, "time_ns,two/n\n5,7\n");
    bench.expect(3, &["verify", &tape]);
}

#[cfg(target_os = "linux")]
#[test]
fn tapes_are_looked_for_in_the_data_folder_of_the_user() {
    let bench = Bench::new();
    let mut command = bench.command(&["info"]);
    let output = command.env_remove("GAMETAPE_DATA_DIR").env("XDG_DATA_HOME", bench.folder.path()).output().unwrap();
    let ran = support::Ran::of(&output);
    assert_eq!(ran.code, 4);
    ran.is_one_error_with(&[text(&bench.path("gametape/tapes"))]);
}
