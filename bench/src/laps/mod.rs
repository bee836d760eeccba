//! `laps`: the speed of lap tracking, and the load that the server sustains. Prints one table for all parts.
//!
//! ```text
//! tracking   pages of the simulated car ─▶ Tracking                                  frames per second
//! retrack    hours of the simulated car ─▶ tape ─▶ track_tape, in a separate process
//! api        fill ─▶ Store (SQLite, PostgreSQL) ─▶ `gametape serve` ◀─ load          latency from the due time
//! listeners  `gametape demo` ─▶ 1,000 WebSockets                                     rate, gaps, every event once
//! kill       `gametape demo` ◀─ load; kill -9 ─▶ Store                               every announced lap is stored
//! ```
//! All parts return `figures`. `server` starts the program behind a `guard`, so that it never outlives this one.

mod api;
mod ask;
mod database;
pub(crate) mod figures;
mod fill;
pub(crate) mod guard;
mod http;
mod kill;
pub(crate) mod listener;
pub(crate) mod listeners;
mod load;
pub(crate) mod program;
pub(crate) mod retrack;
mod server;
pub(crate) mod system;
mod tracking;

use anyhow::{Context as _, Result};
use clap::{Args, ValueEnum};

use crate::machine;
use crate::report::json;
use figures::{Figure, table};

/// Parts that can be measured separately.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
enum Part {
    /// Frames per second through the tracker
    Tracking,
    /// Retracking of a long tape
    Retrack,
    /// The server with many sessions
    Api,
    /// Many WebSockets
    Listeners,
    /// The server is killed
    Kill,
}

impl Part {
    const ALL: [Self; 5] = [Self::Tracking, Self::Retrack, Self::Api, Self::Listeners, Self::Kill];
}

/// What to measure, and how much of it.
#[derive(Debug, Args)]
pub(crate) struct LapsArgs {
    /// Only these parts
    #[arg(long, value_enum, value_name = "PART", value_delimiter = ',')]
    only: Vec<Part>,
    /// Length in hours of the tape that is retracked
    #[arg(long, value_name = "N", default_value_t = 24.0, value_parser = hours)]
    hours: f64,
    /// Sessions in the store, of 50 laps each
    #[arg(long, value_name = "N", default_value_t = 10_000, value_parser = clap::value_parser!(u32).range(20..=1_000_000))]
    sessions: u32,
    /// A PostgreSQL server to measure as well; GAMETAPE_POSTGRES means the same. A schema is created in it and removed
    #[arg(long, value_name = "URL")]
    postgres: Option<String>,
    /// Seconds for which requests are sent
    #[arg(long, value_name = "N", default_value_t = 20, value_parser = clap::value_parser!(u64).range(1..=3600))]
    load_seconds: u64,
    /// Number of concurrent WebSockets
    #[arg(long, value_name = "N", default_value_t = 1_000, value_parser = clap::value_parser!(u32).range(1..=4_000))]
    clients: u32,
    /// Seconds for which they listen
    #[arg(long, value_name = "N", default_value_t = 60, value_parser = clap::value_parser!(u64).range(1..=3600))]
    listen_seconds: u64,
    /// How often the server is killed
    #[arg(long, value_name = "N", default_value_t = 20, value_parser = clap::value_parser!(u32).range(1..=1_000))]
    rounds: u32,
    /// Also count laps that had only begun when the server was killed: they must not be in the store
    #[arg(long)]
    control: bool,
    /// All parts in less than a minute, as a smoke test: the figures are not meaningful
    #[arg(long)]
    quick: bool,
    /// Print JSON instead of a table
    #[arg(long)]
    json: bool,
}

fn hours(text: &str) -> Result<f64, String> {
    let hours = text.parse::<f64>().ok().filter(|hours| (0.05..=240.0).contains(hours));
    hours.ok_or_else(|| "hours must be a number from 0.05 to 240".into())
}

/// The size of each part.
#[derive(Debug, Clone, Copy)]
struct Amounts {
    hours: f64,
    sessions: u32,
    load_seconds: u64,
    clients: u32,
    listen_seconds: u64,
    rounds: u32,
    tracking_rounds: usize,
}

impl Amounts {
    fn of(args: &LapsArgs) -> Self {
        match args.quick {
            true => Self {
                hours: args.hours.min(0.25),
                sessions: args.sessions.min(100),
                load_seconds: args.load_seconds.min(2),
                clients: args.clients.min(100),
                listen_seconds: args.listen_seconds.min(5),
                rounds: args.rounds.min(2),
                tracking_rounds: 3,
            },
            false => Self {
                hours: args.hours,
                sessions: args.sessions,
                load_seconds: args.load_seconds,
                clients: args.clients,
                listen_seconds: args.listen_seconds,
                rounds: args.rounds,
                tracking_rounds: 9,
            },
        }
    }
}

/// Measures and prints.
pub(crate) fn run(args: &LapsArgs) -> Result<()> {
    let amounts = Amounts::of(args);
    let wanted = |part: Part| args.only.is_empty() || args.only.contains(&part);
    let parts: Vec<Part> = Part::ALL.into_iter().filter(|part| wanted(*part)).collect();
    let needs_program = parts.iter().any(|part| matches!(part, Part::Api | Part::Listeners | Part::Kill));
    let program = if needs_program { Some(program::find()?) } else { None };
    let mut figures = Vec::new();
    for part in parts {
        let context = || format!("measuring {part:?}");
        let program = program.as_deref().context("the gametape program was not found");
        let found = match part {
            Part::Tracking => tracking::measure(amounts.tracking_rounds),
            Part::Retrack => retrack::measure(amounts.hours),
            Part::Api => {
                let postgres = args.postgres.clone().or_else(|| std::env::var(database::POSTGRES).ok());
                program.and_then(|program| api::measure(program, postgres.as_deref(), &amounts))
            }
            Part::Listeners => {
                program.and_then(|program| listeners::measure(program, amounts.clients, amounts.listen_seconds))
            }
            Part::Kill => program.and_then(|program| kill::measure(program, amounts.rounds, args.control)),
        };
        figures.extend(found.with_context(context)?);
    }
    print(&figures, args)
}

fn print(figures: &[Figure], args: &LapsArgs) -> Result<()> {
    if args.json {
        println!("{}", json(figures)?);
        return Ok(());
    }
    let quick = if args.quick { "quick: a smoke test, the figures are not meaningful\n" } else { "" };
    print!("{}, load {}\n{quick}\n{}", machine::line(), system::load_average(), table(figures));
    Ok(())
}

/// Prints progress: a run takes minutes.
pub(crate) fn say(text: &str) {
    eprintln!("{text}");
}
