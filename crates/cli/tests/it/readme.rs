//! The example of the README works as shown, and its table of games is that of the registry.
#![cfg(target_os = "linux")]
#![allow(clippy::unwrap_used, clippy::panic, missing_docs)]
use crate::support;

use std::io::{BufRead as _, BufReader, Write as _};
use std::path::PathBuf;
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

use gametape::sys::{Prefix, SectionReader};
use support::ibt::{driven_ibt, put, row_at, speed_of};
use support::{Bench, Ran, text};

const TEST: &str = "the_ten_lines_of_the_readme_print_the_speeds_of_a_replayed_ibt";
const README: &str = include_str!("../../../../README.md");
const GAMES_PAGE: &str = include_str!("../../../../docs/games.md");
/// The file that the script opens.
const MEMORY: &str = "/dev/shm/IRSDKMemMapFileName";
/// Rows per second, as `support::ibt` makes them.
const SECOND: usize = 64;

/// Returns the interpreter that has pyirsdk, or skips with a message.
fn python() -> Option<PathBuf> {
    let python = std::env::var_os("GAMETAPE_PYTHON").map(PathBuf::from);
    if python.is_none() {
        std::io::stderr().write_all(format!("SKIPPED {TEST}: GAMETAPE_PYTHON is not set\n").as_bytes()).unwrap();
        if let Some(log) = std::env::var_os("GAMETAPE_SKIP_LOG") {
            let mut log = std::fs::OpenOptions::new().create(true).append(true).open(log).unwrap();
            log.write_all(format!("{TEST}\n").as_bytes()).unwrap();
        }
    }
    python
}

fn script() -> &'static str {
    README.split_once("```python\n").and_then(|(_, rest)| rest.split_once("```")).unwrap().0
}

#[test]
fn the_script_has_ten_lines_and_opens_the_memory_by_its_real_name() {
    assert!(script().lines().count() <= 10, "{}", script());
    assert_eq!(script().matches(MEMORY).count(), 1, "{}", script());
}

#[test]
fn the_table_of_games_is_that_of_the_registry() {
    let games = Bench::new().expect(0, &["games", "--json"]).json();
    let mut table = String::from("| game | recorded over | played | decoded | laps | all cars | tested |\n");
    table.push_str("|---|---|---|---|---|---|---|\n");
    for game in games["games"].as_array().unwrap().iter().filter(|game| game["recorded"].is_string()) {
        let yes = |key: &str| if game[key].as_bool().unwrap() { "yes" } else { "" };
        let [name, over, proven] =
            [&game["name"], &game["recorded"], &game["proven"]["text"]].map(|value| value.as_str().unwrap());
        let cells = [name, over, yes("played"), yes("decoded"), yes("laps"), yes("all_cars"), proven];
        table.push_str(&format!("| {} |\n", cells.join(" | ")));
    }
    assert!(README.contains(&table), "the README must have this table:\n{table}");
}

#[test]
fn the_page_of_games_has_every_game() {
    let games = Bench::new().expect(0, &["games", "--json"]).json();
    for game in games["games"].as_array().unwrap().iter().filter(|game| game["recorded"].is_string()) {
        let id = game["id"].as_str().unwrap();
        // The games of this series are one section.
        let named = if id.starts_with("f1-") { "f1-18` to `f1-26" } else { id };
        assert!(GAMES_PAGE.contains(&format!("`{named}`")), "{id}");
    }
}

#[test]
fn the_ten_lines_of_the_readme_print_the_speeds_of_a_replayed_ibt() {
    let Some(python) = python() else { return };
    let bench = Bench::new();
    let source = put(&bench.path("race.ibt"), &driven_ibt(100 * SECOND));
    let tape = bench.path("race.gtape");
    // As in the first line of the script, but with other names.
    bench.expect(0, &["import", text(&source), "-o", text(&tape)]);
    let names = format!("gametape-readme-{}-", std::process::id());
    let memory = format!("/dev/shm/{names}IRSDKMemMapFileName");
    let mut play = bench.command(&["play", text(&tape), "--names", &names]);
    let player = play.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
    let section = Prefix::new(&names).unwrap().section("IRSDKMemMapFileName");
    let is_played = || {
        let mut status = [0; 4];
        let memory = SectionReader::open(&section).unwrap();
        memory.is_some_and(|memory| memory.copy(4, &mut status).is_ok()) && i32::from_le_bytes(status) == 1
    };
    let start = Instant::now();
    while !is_played() {
        assert!(start.elapsed() < Duration::from_secs(60), "nothing is played");
        std::thread::sleep(Duration::from_millis(5));
    }
    let script = script().replace(MEMORY, &memory);
    let mut client = Command::new(python).args(["-B", "-u", "-c", &script]).stdout(Stdio::piped()).spawn().unwrap();
    let lines = BufReader::new(client.stdout.take().unwrap()).lines();
    let mut shown = Vec::new();
    for line in lines {
        shown.push(line.unwrap());
        if shown.len() == 3 {
            assert!(Command::new("kill").arg(player.id().to_string()).status().unwrap().success());
        }
    }
    // The game has disappeared, so the script ends.
    assert!(client.wait().unwrap().success() && shown.len() >= 3, "{shown:?}");
    assert_eq!(Ran::of(&player.wait_with_output().unwrap()).code, 0);
    let mut last = None;
    for line in &shown {
        // `   100.52 s   14.9 km/h`
        let (time, speed) = line.trim().strip_suffix(" km/h").and_then(|line| line.split_once(" s ")).unwrap();
        let row = row_at(time.parse().unwrap());
        let speed: f64 = speed.trim().parse().unwrap();
        // Two reads: the second may see a later row.
        let is_of = |row: usize| (f64::from(speed_of(row)) * 3.6 - speed).abs() < 0.06;
        assert!((row..row + SECOND).any(is_of), "{line}: not row {row}, nor one soon after");
        assert!(last.is_none_or(|last| row > last), "{shown:?}");
        last = Some(row);
    }
}
