//! `live --play`: the cost of playback, its accuracy, and how soon it starts.
//!
//! ```text
//! this ──writes──▶ tapes: Competizione at 100 Hz, iRacing at 60 Hz; three hours of pages
//!   └───starts───▶ player, in a separate process ──▶ shared memory; CPU time and the error of each deadline
//! ```
pub(crate) mod player;
mod tapes;

use std::path::Path;

use anyhow::{Context as _, Result};
use serde::Serialize;

use super::children::Process;
use crate::machine;
use crate::report::json;
use crate::scale::drop_from_cache;
use crate::table::aligned;
use player::{Begun, Cost};

/// How often playback is started, each time in a new process with the tape not in the page cache.
const STARTS: usize = 9;

const CORE_PERCENT: f64 = 1.0;
const DRIFT_MS: f64 = 1.0;
const P99_US: f64 = 1000.0;
const START_MS: f64 = 100.0;

/// One tape, played.
#[derive(Debug, Serialize)]
struct PlayRow {
    what: String,
    seconds: u64,
    cost: Cost,
    /// From the start of the program to the first frame, from the middle of a tape.
    start_tape_seconds: u64,
    start_ms: Vec<f64>,
}

/// Plays for this long and prints.
pub(super) fn run(minutes: f64, long_minutes: f64, as_json: bool, files: &Path) -> Result<()> {
    let directory = tempfile::tempdir_in(files)?;
    let [seconds, long_seconds] = [minutes, long_minutes].map(|minutes| (minutes * 60.0).ceil() as u64);
    let path = |name: &str| directory.path().join(name);
    let mut rows = Vec::new();
    let (pages, long) = (path("pages.gtape"), path("long.gtape"));
    tapes::pages(&pages, seconds).context("writing a tape of pages")?;
    tapes::long(&long, long_seconds).context("writing a long tape")?;
    rows.push(row("Competizione, 100 Hz", &pages, seconds, &long, long_seconds)?);
    let ticks = path("ticks.gtape");
    tapes::rows(&ticks, seconds).context("writing a tape of rows")?;
    rows.push(row("iRacing, 60 Hz", &ticks, seconds, &ticks, seconds)?);
    match as_json {
        true => println!("{}", json(&rows)?),
        false => print!("{}\n\n{}", machine::line(), table(&rows)),
    }
    Ok(())
}

fn names() -> String {
    format!("gametape-bench-{}-", std::process::id())
}

fn row(what: &str, tape: &Path, seconds: u64, long: &Path, long_seconds: u64) -> Result<PlayRow> {
    let mut start_ms = Vec::new();
    let middle = (long_seconds / 2).to_string();
    for _ in 0..STARTS {
        drop_from_cache(long)?;
        let mut player = Process::start(["live-player", &names(), &long.to_string_lossy(), "--begin-at", &middle])?;
        let begun: Begun = serde_json::from_str(&player.line()?)?;
        player.end()?;
        start_ms.push(begun.first_frame_ns as f64 / 1e6);
    }
    start_ms.sort_by(f64::total_cmp);
    let mut player = Process::start(["live-player", &names(), &tape.to_string_lossy()])?;
    let cost = serde_json::from_str(&player.line()?)?;
    player.end()?;
    Ok(PlayRow { what: what.into(), seconds, cost, start_tape_seconds: long_seconds, start_ms })
}

fn table(rows: &[PlayRow]) -> String {
    let mut lines = Vec::new();
    for row in rows {
        let mut line = |what: &str, value: String, unit: &str, most: Option<f64>, met: bool| {
            let most = most.map_or_else(String::new, |most| format!("<= {most}"));
            let verdict = if most.is_empty() {
                ""
            } else if met {
                "met"
            } else {
                "MISSED"
            };
            let words = [&row.what, what, &format!("{value:>10}"), unit, &most, verdict];
            lines.push(words.map(str::to_owned).to_vec());
        };
        let cost = &row.cost;
        let drift_ms = cost.drift_ns as f64 / 1e6;
        line("played", row.seconds.to_string(), "s", None, true);
        line("frames", cost.frames.to_string(), "", None, true);
        line(
            "drift, end against beginning",
            format!("{drift_ms:.3}"),
            "ms",
            Some(DRIFT_MS),
            drift_ms.abs() <= DRIFT_MS,
        );
        line("deadline error, p50", format!("{:.0}", cost.late.p50_us), "us", None, true);
        line("deadline error, p99", format!("{:.0}", cost.late.p99_us), "us", Some(P99_US), cost.late.p99_us <= P99_US);
        line("deadline error, the most", format!("{:.0}", cost.late.max_us), "us", None, true);
        line(
            "processor",
            format!("{:.2}", cost.core_percent),
            "% of one core",
            Some(CORE_PERCENT),
            cost.core_percent <= CORE_PERCENT,
        );
        let median = row.start_ms.get(row.start_ms.len() / 2).copied().unwrap_or(f64::NAN);
        let most = row.start_ms.last().copied().unwrap_or(f64::NAN);
        let start = format!(
            "start to first frame, middle of {} min, median of {}",
            row.start_tape_seconds / 60,
            row.start_ms.len()
        );
        line(&start, format!("{median:.1}"), "ms", Some(START_MS), median <= START_MS);
        line("start to first frame, the most", format!("{most:.1}"), "ms", Some(START_MS), most <= START_MS);
    }
    aligned(&["tape", "what", "  measured", "", "must be", ""], &lines, 6)
}
