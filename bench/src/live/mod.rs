//! `live`: the cost of recording a running game, at each of the given rates.
//!
//! Uses separate processes, so that only the recorder's own cost is counted:
//!
//! ```text
//! this ──starts──▶ game: the simulated car, physics at 333 Hz, graphics at 60 Hz ──▶ shared memory
//!   └───starts───▶ recorder ◀── reads ────────────────────────────────────────────────────┘
//!   └───starts───▶ bare: only wakes up, as often as the recorder
//!        SIGINT after the time ──▶ whole tape ──▶ read back, compared with the game, stored as the peers do ──▶ figures
//! ```

pub(crate) mod bare;
pub(crate) mod children;
mod figures;
pub(crate) mod game;
mod moments;
pub(crate) mod play;
pub(crate) mod recorder;
pub(crate) mod system;
mod tape;

use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use anyhow::{Context, Result, ensure};
use clap::Args;
use gametape::sys::Prefix;
use serde::Serialize;

use crate::machine;
use crate::report::json;
use bare::Bare;
use children::Process;
use recorder::Cost;
use tape::Stored;

/// Duration of the measurement of the machine alone.
const BARE_SECONDS: u64 = 30;

/// Duration, and the rates at which the pages are read.
#[derive(Debug, Args)]
pub(crate) struct LiveArgs {
    /// Length of each recording in seconds
    #[arg(long, value_name = "N", default_value_t = 60, value_parser = clap::value_parser!(u64).range(1..=86_400))]
    seconds: u64,
    /// Samples per second, 10 to 1000
    #[arg(long, value_name = "N", value_delimiter = ',', default_values_t = [100, 1000], value_parser = clap::value_parser!(u32).range(10..=1000))]
    rates: Vec<u32>,
    /// Measure playback instead of recording
    #[arg(long)]
    play: bool,
    /// With --play: minutes for which each tape is played
    #[arg(long, value_name = "N", default_value_t = 10.0, value_parser = minutes)]
    minutes: f64,
    /// With --play: length in minutes of the tape in whose middle playback starts
    #[arg(long, value_name = "N", default_value_t = 180.0, value_parser = minutes)]
    long_minutes: f64,
    /// Print JSON instead of a table
    #[arg(long)]
    json: bool,
    /// Directory for the tapes
    #[arg(long, value_name = "DIRECTORY")]
    directory: Option<PathBuf>,
}

fn minutes(text: &str) -> Result<f64, String> {
    let minutes = text.parse::<f64>().ok().filter(|minutes| (0.01..=600.0).contains(minutes));
    minutes.ok_or_else(|| "minutes must be a number from 0.01 to 600".into())
}

/// One recording.
#[derive(Debug, Clone, Serialize)]
pub(crate) struct LiveRow {
    hz: u32,
    seconds: u64,
    /// CPU time per wall time, in percent of one core.
    core_percent: f64,
    /// Time from SIGINT to the complete tape.
    stop_ms: f64,
    /// Frames that the recorder accepted but the tape lacks, and frames that it could not accept.
    lost: u64,
    /// Frames on the tape that the game never wrote.
    never_written: u64,
    cost: Cost,
    /// The cost of the machine alone at this rate.
    bare: Bare,
    stored: Vec<Stored>,
}

pub(crate) fn prefix(names: &str) -> Result<Prefix> {
    Prefix::new(names).with_context(|| format!("{names:?} is not a valid prefix"))
}

/// Records the running game at a rate and evaluates the result.
fn record(names: &str, hz: u32, seconds: u64, files: &Path) -> Result<LiveRow> {
    let directory = tempfile::tempdir_in(files)?;
    let path = directory.path().join("live.gtape");
    let arguments = ["live-recorder", names, &path.to_string_lossy(), "--hz", &hz.to_string()];
    let mut recorder = Process::start(arguments.into_iter().chain(["--seconds", &seconds.to_string()]))?;
    recorder.hear(recorder::RECORDING)?;
    std::thread::sleep(Duration::from_secs(seconds));
    let wanted = Instant::now();
    recorder.interrupt()?;
    recorder.hear(recorder::CLOSED)?;
    let stop_ms = wanted.elapsed().as_secs_f64() * 1e3;
    let cost: Cost = serde_json::from_str(&recorder.line()?)?;
    recorder.end()?;

    // While the game still runs: the same conditions, without the recorder.
    let mut waking =
        Process::start(["live-bare", "--hz", &hz.to_string(), "--seconds", &seconds.min(BARE_SECONDS).to_string()])?;
    let bare: Bare = serde_json::from_str(&waking.line()?)?;
    waking.end()?;

    let set = tape::load(&path)?;
    ensure!(std::fs::read_dir(directory.path())?.count() == 1, "files are left next to the tape");
    let on_tape = set.order.len() as u64;
    Ok(LiveRow {
        hz,
        seconds,
        core_percent: cost.processor_ns as f64 * 100.0 / cost.wall_ns.max(1) as f64,
        stop_ms,
        lost: cost.accepted.saturating_sub(on_tape) + cost.sum(|stream| stream.dropped),
        never_written: tape::never_written(&set, seconds)?,
        stored: tape::stored(&set, cost.tape_bytes, directory.path())?,
        cost,
        bare,
    })
}

/// Records at all rates and prints.
pub(crate) fn run(args: &LiveArgs) -> Result<()> {
    let files = args.directory.clone().unwrap_or_else(std::env::temp_dir);
    if args.play {
        return play::run(args.minutes, args.long_minutes, args.json, &files);
    }
    let names = format!("gametape-bench-{}-", std::process::id());
    let mut rows = Vec::new();
    for &hz in &args.rates {
        // A new game for each recording: the drive starts over, so all rates record the same.
        let mut game = Process::start(["live-game", &names])?;
        game.hear(game::READY)?;
        rows.push(record(&names, hz, args.seconds, &files).with_context(|| format!("recording at {hz} Hz"))?);
        game.end()?;
    }
    if args.json {
        println!("{}", json(&rows)?);
    } else {
        print!("{}\n\n{}", machine::line(), figures::table(&rows));
    }
    Ok(())
}
