//! The cost of listening on all usual ports while no game sends.

use std::sync::mpsc::channel;
use std::time::{Duration, Instant};

use anyhow::{Context as _, Result};
use clap::Args;
use gametape::capture::{Source as _, UdpSettings};
use serde::{Deserialize, Serialize};

use super::PART_IDLE as PART;
use super::recorder::Recorders;
use crate::laps::figures::Figure;
use crate::live::children::Process;
use crate::live::system::processor_ns;
use crate::memory::Memory;

/// Until then everything has been started.
const SETTLED: Duration = Duration::from_secs(1);
const MOST_PERCENT: f64 = 0.1;
const MOST_MB: f64 = 4.0;

/// How long to listen.
#[derive(Debug, Args)]
pub(crate) struct IdleArgs {
    /// Duration in seconds
    #[arg(long)]
    seconds: u64,
}

/// The cost of listening.
#[derive(Debug, Clone, Serialize, Deserialize)]
struct Idle {
    ports: usize,
    wall_ns: u64,
    processor_ns: u64,
    /// Resident memory before and after.
    before: Memory,
    after: Memory,
    /// Ports that could not be opened, in words.
    notices: Vec<String>,
}

/// Listens, and prints the cost.
pub(crate) fn run(args: &IdleArgs) -> Result<()> {
    let folder = tempfile::tempdir()?;
    let (sender, _told) = channel();
    let before = Memory::now()?;
    let mut sources = Recorders::sources(&UdpSettings::default());
    let first = sources.first_mut().context("no source")?;
    let ports = first.listen()?.len();
    let notices: Vec<String> = std::iter::from_fn(|| first.take_notice()).collect();
    let recorders = Recorders::start(sources, folder.path().to_owned(), &sender)?;
    std::thread::sleep(SETTLED);
    let (start, start_ns) = (Instant::now(), processor_ns()?);
    std::thread::sleep(Duration::from_secs(args.seconds));
    let processor_ns = processor_ns()? - start_ns;
    let wall_ns = u64::try_from(start.elapsed().as_nanos())?;
    let after = Memory::now()?;
    recorders.end()?;
    println!("{}", serde_json::to_string(&Idle { ports, wall_ns, processor_ns, before, after, notices })?);
    Ok(())
}

/// Measures it in a process of its own.
pub(super) fn measure(seconds: u64) -> Result<Vec<Figure>> {
    let mut process = Process::start(["udp-idle", "--seconds", &seconds.to_string()])?;
    let idle: Idle = serde_json::from_str(&process.line()?)?;
    process.end()?;
    idle.notices.iter().for_each(|notice| eprintln!("{notice}"));
    let percent = idle.processor_ns as f64 * 100.0 / idle.wall_ns.max(1) as f64;
    let mb = |kib: u64| kib as f64 * 1024.0 / 1e6;
    let (now, before) = (idle.after.now_kib, idle.before.now_kib);
    Ok(vec![
        Figure::count(PART, "usual ports", idle.ports),
        Figure::count(PART, "  that could not be opened", idle.notices.len()),
        Figure::new(PART, "processor", percent, "% of one core").digits(3).at_most(MOST_PERCENT),
        Figure::new(PART, "resident memory", mb(now), "MB").digits(1),
        Figure::new(PART, "  more than before", mb(now) - mb(before), "MB").digits(2).at_most(MOST_MB),
        Figure::new(
            PART,
            "  heap and stacks, more than before",
            mb(idle.after.own_kib) - mb(idle.before.own_kib),
            "MB",
        )
        .digits(2),
    ])
}
