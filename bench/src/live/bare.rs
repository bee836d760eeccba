//! A process that only wakes up as often as the recorder has to: the cost and wake-up latency of the machine itself.
//!
//! At each tick of the grid it also sleeps for as long as a recorder waits between two copies of a page. No recorder
//! that follows the copy rule can be cheaper or earlier on this machine.

use std::time::Duration;

use anyhow::Result;
use clap::Args;
use gametape::capture::{Clock as _, RealClock};
use gametape::games::SECOND_COPY_AFTER_NS;
use gametape::sys::wake_exactly;
use serde::{Deserialize, Serialize};

use super::moments::{Jitter, Moments};
use super::system;

/// Rate and duration.
#[derive(Debug, Args)]
pub(crate) struct BareArgs {
    /// Ticks per second
    #[arg(long)]
    hz: u32,
    /// Duration in seconds
    #[arg(long)]
    seconds: u64,
}

/// The cost of waking up.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub(crate) struct Bare {
    /// CPU time per wall time, in percent of one core.
    pub(crate) core_percent: f64,
    pub(crate) jitter: Jitter,
    /// Ticks that had passed when it woke up.
    pub(crate) missed: u64,
}

/// Wakes up repeatedly and prints the cost.
pub(crate) fn run(args: &BareArgs) -> Result<()> {
    wake_exactly();
    let clock = RealClock::start();
    let period_ns = u64::try_from(Duration::from_secs(1).as_nanos())? / u64::from(args.hz.max(1));
    let end_ns = args.seconds * 1_000_000_000;
    let mut moments = Moments::with_room(usize::try_from(end_ns / period_ns + 1)?);
    let start_processor_ns = system::processor_ns()?;
    let mut moment_ns = clock.now_ns();
    while moment_ns < end_ns {
        moment_ns += period_ns;
        clock.sleep_until_ns(moment_ns);
        let late_ns = clock.now_ns().saturating_sub(moment_ns);
        moment_ns += moments.note(late_ns, period_ns) * period_ns;
        clock.sleep_until_ns(clock.now_ns() + SECOND_COPY_AFTER_NS);
    }
    let (wall_ns, processor_ns) = (clock.now_ns(), system::processor_ns()? - start_processor_ns);
    let bare = Bare {
        core_percent: processor_ns as f64 * 100.0 / wall_ns.max(1) as f64,
        jitter: moments.jitter(),
        missed: moments.missed,
    };
    println!("{}", serde_json::to_string(&bare)?);
    Ok(())
}
