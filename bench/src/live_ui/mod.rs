//! `live-ui`: the cost of live viewers to the server. One rig (`gametape demo`, 60 car states per second) and one
//! WebSocket per browser, each of which subscribes to all of them.
//!
//! ```text
//! gametape demo ─▶ no client, then all of them ─▶ CPU time of the whole process ─▶ laps::figures
//! tape of hours ─▶ Tape::overview, each channel that a page shows initially  ─▶ milliseconds
//! ```

mod overview;

use std::path::Path;

use anyhow::Result;
use clap::Args;

use crate::laps::figures::{Figure, quantile, table};
use crate::laps::listeners::{Listened, listen_to_demo};
use crate::laps::{program, say, system};
use crate::machine;
use crate::report::json;

const PART: &str = "live-ui";
/// The refresh rate of a screen.
const HZ: u32 = 60;
/// Minimum fraction of messages that counts as all: the clocks of clients and server differ.
const NEARLY_ALL: f64 = 0.95;
/// CPU limit of the server in percent of one core, recording and tracking included.
const MOST_PROCESSOR: f64 = 25.0;

/// How much to measure.
#[derive(Debug, Args)]
pub(crate) struct LiveUiArgs {
    /// Number of browsers
    #[arg(long, value_name = "N", default_value_t = 50, value_parser = clap::value_parser!(u32).range(1..=4_000))]
    clients: u32,
    /// Seconds for which they watch
    #[arg(long, value_name = "N", default_value_t = 30, value_parser = clap::value_parser!(u64).range(1..=3600))]
    seconds: u64,
    /// Length in hours of the tape whose channels are shown
    #[arg(long, value_name = "N", default_value_t = 3.0, value_parser = hours)]
    hours: f64,
    /// Everything in a few seconds, as a smoke test: the figures are not meaningful
    #[arg(long)]
    quick: bool,
    /// Print JSON instead of a table
    #[arg(long)]
    json: bool,
}

fn hours(text: &str) -> Result<f64, String> {
    let hours = text.parse::<f64>().ok().filter(|hours| (0.02..=24.0).contains(hours));
    hours.ok_or_else(|| "hours must be a number from 0.02 to 24".into())
}

/// Measures and prints.
pub(crate) fn run(args: &LiveUiArgs) -> Result<()> {
    let program = program::find()?;
    let (clients, seconds, hours) = match args.quick {
        true => (args.clients.min(10), args.seconds.min(3), args.hours.min(0.05)),
        false => (args.clients, args.seconds, args.hours),
    };
    let mut figures = looking_on(&program, clients, seconds)?;
    say(&format!("an overview of {hours} hours"));
    figures.extend(overview::measure(hours)?);
    if args.json {
        println!("{}", json(&figures)?);
        return Ok(());
    }
    let quick = if args.quick { "quick: a smoke test, the figures are not meaningful\n" } else { "" };
    print!("{}, load {}\n{quick}\n{}", machine::line(), system::load_average(), table(&figures));
    Ok(())
}

fn looking_on(program: &Path, clients: u32, seconds: u64) -> Result<Vec<Figure>> {
    let alone = listen_to_demo(program, 0, HZ, seconds)?;
    let listened = listen_to_demo(program, clients, HZ, seconds)?;
    Ok(figures(&alone, &listened))
}

fn figures(alone: &Listened, listened: &Listened) -> Vec<Figure> {
    let heard = &listened.heard;
    let mut rates: Vec<f64> = heard.iter().map(|heard| heard.cars as f64 / listened.seconds).collect();
    rates.sort_by(f64::total_cmp);
    let mut gaps_ms: Vec<f64> = heard.iter().flat_map(|heard| &heard.gaps_us).map(|us| f64::from(*us) / 1e3).collect();
    gaps_ms.sort_by(f64::total_cmp);
    let least = f64::from(HZ) * NEARLY_ALL;
    let nonsense: u64 = heard.iter().map(|heard| heard.nonsense).sum();
    let processor = |what: &str, of: f64| Figure::new(PART, what, of, "% of one core").digits(1);
    let each = (listened.processor - alone.processor) / heard.len().max(1) as f64;
    vec![
        Figure::count(PART, "browsers", heard.len()),
        Figure::count(PART, "  that were let go", listened.gone).exactly(0.0),
        Figure::count(PART, "  messages that are none", nonsense).exactly(0.0),
        Figure::new(PART, "car messages, median of the browsers", quantile(&rates, 0.5), "/s")
            .digits(1)
            .at_least(least),
        Figure::new(PART, "  the browser with the fewest", quantile(&rates, 0.0), "/s").digits(1).at_least(least),
        Figure::new(PART, "gap between two car messages, p99", quantile(&gaps_ms, 0.99), "ms").digits(1),
        processor("processor of the server, recording included", listened.processor).at_most(MOST_PROCESSOR),
        processor("  with nobody looking on", alone.processor),
        processor("  for each browser", each).digits(2),
    ]
}
