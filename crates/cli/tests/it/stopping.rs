//! Ctrl+C and SIGTERM while a tape is made: exit code 130, and no unfinished file is left.
#![cfg(unix)]
#![allow(clippy::unwrap_used, clippy::panic, missing_docs)]
use crate::support;

use std::path::Path;
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

use support::{Bench, Ran, text};

/// Enough frames that a command is most likely still running when it gets the signal.
const ROWS: usize = 1_000_000;
/// How often a command may finish before the signal arrives.
const TRIES: usize = 20;

/// Names in a folder, sorted.
fn names(folder: &Path) -> Vec<String> {
    let mut names: Vec<_> =
        std::fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().file_name().into_string().unwrap()).collect();
    names.sort_unstable();
    names
}

/// Starts a command, sends the signal when its unfinished file exists, returns how it ended. On a busy machine the command may
/// finish first: then its file is removed and it starts again.
fn stopped(bench: &Bench, signal: &str, arguments: &[&str], prepare: impl Fn()) -> Ran {
    let before = names(bench.folder.path());
    for _ in 0..TRIES {
        prepare();
        let ran = stopped_once(bench, signal, arguments);
        if ran.code != 0 {
            return ran;
        }
        for name in names(bench.folder.path()).iter().filter(|name| !before.contains(name)) {
            std::fs::remove_file(bench.path(name)).unwrap();
        }
    }
    panic!("{arguments:?} was always done first")
}

fn stopped_once(bench: &Bench, signal: &str, arguments: &[&str]) -> Ran {
    let mut child = bench.command(arguments).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
    let part = format!(".{}.part", child.id());
    let start = Instant::now();
    while !names(bench.folder.path()).iter().any(|name| name.ends_with(&part)) {
        if child.try_wait().unwrap().is_some() {
            return Ran::of(&child.wait_with_output().unwrap());
        }
        assert!(start.elapsed() < Duration::from_secs(60), "{arguments:?} has not begun");
        std::thread::sleep(Duration::from_millis(1));
    }
    // Nothing has waited for it since, so its id is still valid.
    assert!(Command::new("kill").args([signal, &child.id().to_string()]).status().unwrap().success());
    Ran::of(&child.wait_with_output().unwrap())
}

#[test]
fn what_was_not_finished_is_removed_and_the_exit_code_is_130() {
    let bench = Bench::new();
    let (tape, source) = bench.imported(ROWS);
    // Truncated, so that there is something to recover.
    let (cut_off, damaged) = (bench.path("cut-off"), bench.path("damaged.gtape"));
    let bytes = std::fs::read(&tape).unwrap();
    support::ibt::put(&cut_off, &bytes[..bytes.len() - 10]);
    std::fs::copy(&cut_off, &damaged).unwrap();
    let damaged = text(&damaged).to_owned();
    let before = names(bench.folder.path());
    let out = bench.path("out.gtape");
    let out = text(&out);
    for (signal, arguments) in [
        ("-INT", vec!["import", &source, "-o", out, "--no-store"]),
        ("-TERM", vec!["import", &source, "-o", out, "--no-store", "--json"]),
        ("-INT", vec!["import", &source, &source, "--no-store", "--jobs", "2"]),
        ("-INT", vec!["cut", &tape, "--from", "1", "-o", out]),
        ("-TERM", vec!["cut", &tape, "--from", "1", "-o", out]),
        ("-INT", vec!["merge", &tape, &tape, "-o", out]),
        ("-INT", vec!["recover", &tape, "-o", out]),
        ("-TERM", vec!["recover", &damaged]),
    ] {
        let ran = stopped(&bench, signal, &arguments, || std::fs::copy(&cut_off, &damaged).map(drop).unwrap());
        assert_eq!(ran.code, 130, "{arguments:?}: {}{}", ran.out, ran.err);
        assert_eq!(ran.err.lines().count(), 1, "{arguments:?}: {}", ran.err);
        let begin = if arguments.contains(&"--json") { r#"{"error":"interrupted: "# } else { "interrupted: " };
        assert!(ran.err.starts_with(begin), "{arguments:?}: {}", ran.err);
        assert_eq!(names(bench.folder.path()), before, "{arguments:?}");
    }
    assert!(std::fs::read(&tape).unwrap() == bytes);
    assert!(std::fs::read(&damaged).unwrap() == bytes[..bytes.len() - 10]);
}
