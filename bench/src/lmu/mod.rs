//! `lmu`: Le Mans Ultimate, whose section of 324,820 bytes changes 100 times a second: the size of a race of 40 cars, and the cost of recording it.
//!
//! ```text
//! size: the simulated race ─▶ pages ─▶ MCAP, zstd: pages as they are
//!                                └──▶ tape: streams by part ─▶ pages again, compared ─▶ figures
//! cost: game (process) ─▶ shared memory ─▶ recorder (process) ─▶ tape ─▶ pages again, compared ─┐
//!                              └─────────▶ bare (process): only wakes and copies               ├─▶ figures
//! ```

pub(crate) mod cost;
pub(crate) mod game;
mod size;

use std::path::PathBuf;

use anyhow::Result;
use clap::{Args, ValueEnum};

use crate::laps::figures::table;
use crate::laps::{say, system};
use crate::machine;
use crate::report::json;

const PART_SIZE: &str = "size";
const PART_COST: &str = "cost";
/// What is used of the section.
const PAGE_BYTES: usize = 324_820;

/// Parts that can be measured separately.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
enum Part {
    /// Size of a part of a race with each method
    Size,
    /// Processor time and memory of a recorder
    Cost,
}

/// How much to measure.
#[derive(Debug, Args)]
pub(crate) struct LmuArgs {
    /// Only these parts
    #[arg(long = "part", value_name = "PART")]
    parts: Vec<Part>,
    /// Number of cars
    #[arg(long, value_name = "N", default_value_t = 40, value_parser = clap::value_parser!(u32).range(1..=104))]
    cars: u32,
    /// Seconds of the race that are stored; each takes 65 MB of memory
    #[arg(long, value_name = "N", default_value_t = 12, value_parser = clap::value_parser!(u64).range(1..=120))]
    size_seconds: u64,
    /// Length of the recording in seconds
    #[arg(long, value_name = "N", default_value_t = 60, value_parser = clap::value_parser!(u64).range(1..=3600))]
    seconds: u64,
    /// Print JSON instead of a table
    #[arg(long)]
    json: bool,
    /// Directory for the tapes
    #[arg(long, value_name = "DIRECTORY")]
    directory: Option<PathBuf>,
}

/// What is generated, for people who read the table.
const NOTES: &str = "\
The race is generated (seed 1): each car drives the same track at its own pace, and the telemetry of each is complete, as against the computer.
  100 Hz     clock, position, motion, pedals, steering, engine; per wheel: suspension, forces, load, slip, rotation, temperatures, pressure, wear
  5 Hz       session and classification of all cars
  at times   text of results, when a car exceeds the track limits
  constant   names, settings, limits, and places without a car (0)
  precision  clocks, position, velocity, acceleration and orientation are doubles; the rest are singles, widened to the doubles of the interface.
             That is an assumption. `all doubles` is the same race without it: then most bytes are noise, which nothing can store well
";

/// Measures and prints.
pub(crate) fn run(args: &LmuArgs) -> Result<()> {
    let files = args.directory.clone().unwrap_or_else(std::env::temp_dir);
    let wanted = |part: Part| args.parts.is_empty() || args.parts.contains(&part);
    let load = system::load_average();
    let mut figures = Vec::new();
    if wanted(Part::Size) {
        say("sizes");
        figures.extend(size::measure(args.cars as usize, args.size_seconds, false, &files)?);
        say("sizes, all doubles");
        figures.extend(size::measure(args.cars as usize, args.size_seconds, true, &files)?);
    }
    if wanted(Part::Cost) {
        say("a recording");
        figures.extend(cost::measure(args.cars, args.seconds, &files)?);
    }
    if args.json {
        println!("{}", json(&figures)?);
        return Ok(());
    }
    print!("{}, load {load} before, {} after\n{NOTES}\n{}", machine::line(), system::load_average(), table(&figures));
    Ok(())
}
