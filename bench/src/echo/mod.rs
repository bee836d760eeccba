//! `echo`: size and speed of Echo VR matches, compared to other formats. Matches are simulated (see
//! `gametape::games::echo_vr::simulated`), because recordings of real ones are rare.
//!
//! ```text
//! scenario: bytes of the published comparison ─┐
//! matches ─▶ sizes: bytes per second          ├─▶ laps::figures
//!         ├▶ convert: frames per second       │
//!         ├▶ events: nanoseconds per frame    │
//!         └▶ seek: milliseconds ──────────────┘
//! ```

mod convert;
mod cores;
mod events;
mod matches;
mod scenario;
mod seek;
mod sizes;

use anyhow::Result;
use clap::{Args, ValueEnum};

pub(crate) use convert::{ConvertArgs, convert};
pub(crate) use matches::{MatchArgs, write_match};

use crate::laps::figures::table;
use crate::laps::{say, system};
use crate::machine;
use crate::report::json;

const PART_SCENARIO: &str = "scenario";
const PART_CALIBRATION: &str = "calibration";
const PART_SIZES: &str = "sizes";
const PART_CONVERT: &str = "convert";
const PART_EVENTS: &str = "events";
const PART_SEEK: &str = "seek";

/// Parts that can be measured separately.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
enum Part {
    /// The published comparison of the two versions of the format
    Scenario,
    /// Bytes per second in each format
    Sizes,
    /// Frames per second from `.echoreplay` to `.gtape`
    Convert,
    /// Nanoseconds per frame without events
    Events,
    /// Milliseconds to any frame of a long match, and to its goals
    Seek,
}

/// How much to measure.
#[derive(Debug, Args)]
pub(crate) struct EchoArgs {
    /// Only these parts
    #[arg(long = "part", value_name = "PART")]
    parts: Vec<Part>,
    /// Number of frames of a match that is measured or converted
    #[arg(long, value_name = "N", default_value_t = 12_000, value_parser = clap::value_parser!(u32).range(10..=1_000_000))]
    frames: u32,
    /// Length of the long match in hours
    #[arg(long, value_name = "N", default_value_t = 2.0, value_parser = hours)]
    hours: f64,
    /// Everything in a few seconds, as a smoke test: the figures are not meaningful
    #[arg(long)]
    quick: bool,
    /// Print JSON instead of a table
    #[arg(long)]
    json: bool,
}

fn hours(text: &str) -> Result<f64, String> {
    let hours = text.parse::<f64>().ok().filter(|hours| (0.005..=24.0).contains(hours));
    hours.ok_or_else(|| "hours must be a number from 0.005 to 24".into())
}

/// Measures and prints.
pub(crate) fn run(args: &EchoArgs) -> Result<()> {
    let folder = tempfile::tempdir()?;
    let wanted = |part: Part| args.parts.is_empty() || args.parts.contains(&part);
    let frames = if args.quick { args.frames.min(300) } else { args.frames } as usize;
    let mut figures = Vec::new();
    if wanted(Part::Scenario) {
        figures.extend(scenario::measure());
    }
    if wanted(Part::Sizes) {
        say("sizes");
        figures.extend(sizes::measure(folder.path(), frames)?);
    }
    if wanted(Part::Convert) {
        say("conversions");
        figures.extend(convert::measure(folder.path(), frames)?);
    }
    if wanted(Part::Events) {
        say("events");
        figures.extend(events::measure()?);
    }
    if wanted(Part::Seek) {
        say("a long match");
        figures.extend(seek::measure(folder.path(), if args.quick { args.hours.min(0.02) } else { args.hours })?);
    }
    if args.json {
        println!("{}", json(&figures)?);
        return Ok(());
    }
    let quick = if args.quick { "quick: a smoke test, the figures are not meaningful\n" } else { "" };
    print!("{}, load {}\n{quick}\n{}", machine::line(), system::load_average(), table(&figures));
    Ok(())
}
