//! `udp`: recording games that send datagrams: 50,000 of them in a second, an hour of F1, and nothing at all.
//!
//! ```text
//! sender (process) ─▶ loopback ─▶ recorder (process) ─▶ tape ─▶ read back, compared ─┐
//!        └──────────▶ loopback ─▶ bare (process): only receives                     ├─▶ laps::figures
//! hour: the simulated car as F1 25 ─▶ peers ─▶ sizes                                │
//! idle (process): listens on all usual ports ───────────────────────────────────────┘
//! ```

pub(crate) mod bare;
mod flood;
mod hour;
pub(crate) mod idle;
pub(crate) mod recorder;
pub(crate) mod sender;
mod traffic;

use std::io::Read as _;
use std::path::PathBuf;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use anyhow::Result;
use clap::{Args, ValueEnum};

use crate::laps::figures::table;
use crate::laps::{say, system};
use crate::machine;
use crate::report::json;

const PART_FLOOD: &str = "flood";
const PART_HOUR: &str = "hour";
const PART_IDLE: &str = "idle";

/// Parts that can be measured separately.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
enum Part {
    /// Datagrams much faster than any game sends them
    Flood,
    /// Size of an hour of F1 25
    Hour,
    /// Cost of listening while no game sends
    Idle,
}

/// How much to measure.
#[derive(Debug, Args)]
pub(crate) struct UdpArgs {
    /// Only these parts
    #[arg(long = "part", value_name = "PART")]
    parts: Vec<Part>,
    /// Length of the flood in seconds
    #[arg(long, value_name = "N", default_value_t = 60, value_parser = clap::value_parser!(u64).range(1..=3600))]
    seconds: u64,
    /// Datagrams per second in the flood
    #[arg(long, value_name = "N", default_value_t = 50_000, value_parser = clap::value_parser!(u64).range(100..=1_000_000))]
    rate: u64,
    /// Hours of F1
    #[arg(long, value_name = "N", default_value_t = 1.0, value_parser = hours)]
    hours: f64,
    /// Seconds without a game
    #[arg(long, value_name = "N", default_value_t = 60, value_parser = clap::value_parser!(u64).range(1..=3600))]
    idle_seconds: u64,
    /// Print JSON instead of a table
    #[arg(long)]
    json: bool,
    /// Directory for the tapes
    #[arg(long, value_name = "DIRECTORY")]
    directory: Option<PathBuf>,
}

fn hours(text: &str) -> Result<f64, String> {
    let hours = text.parse::<f64>().ok().filter(|hours| (0.001..=24.0).contains(hours));
    hours.ok_or_else(|| "hours must be a number from 0.001 to 24".into())
}

/// Measures and prints.
pub(crate) fn run(args: &UdpArgs) -> Result<()> {
    let files = args.directory.clone().unwrap_or_else(std::env::temp_dir);
    let wanted = |part: Part| args.parts.is_empty() || args.parts.contains(&part);
    let load = system::load_average();
    let mut figures = Vec::new();
    if wanted(Part::Flood) {
        say("a flood");
        figures.extend(flood::measure(args.rate, args.seconds, &files)?);
    }
    if wanted(Part::Hour) {
        say("an hour of F1");
        figures.extend(hour::measure(args.hours, &files)?);
    }
    if wanted(Part::Idle) {
        say("no game");
        figures.extend(idle::measure(args.idle_seconds)?);
    }
    if args.json {
        println!("{}", json(&figures)?);
        return Ok(());
    }
    let notes = if wanted(Part::Hour) { hour::NOTES } else { "" };
    print!("{}, load {load} before, {} after\n{notes}\n{}", machine::line(), system::load_average(), table(&figures));
    Ok(())
}

/// Returns a flag that is set when standard input ends, which also happens when the parent is gone.
fn input_ended() -> Arc<AtomicBool> {
    let ended = Arc::<AtomicBool>::default();
    let flag = Arc::clone(&ended);
    std::thread::spawn(move || {
        let _ = std::io::stdin().read_to_end(&mut Vec::new());
        flag.store(true, Ordering::Relaxed);
    });
    ended
}
