//! A process that does nothing but wake as often as the recorder has to: what the machine itself costs, and how late it is.
//!
//! At each moment of the grid it sleeps once more for as long as a recorder waits between two copies of a page. No recorder that
//! follows the copy rule can be cheaper, or be earlier, on this machine.

use std::time::Duration;

use anyhow::Result;
use clap::Args;
use gametape::capture::{Clock as _, RealClock};
use gametape::games::SECOND_COPY_AFTER_NS;
use gametape::sys::wake_exactly;
use serde::{Deserialize, Serialize};

use super::moments::{Jitter, Moments};
use super::system;

/// How often, and how long.
#[derive(Debug, Args)]
pub(crate) struct BareArgs {
    /// Moments a second
    #[arg(long)]
    hz: u32,
    /// For how long
    #[arg(long)]
    seconds: u64,
}

/// What waking alone costs.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub(crate) struct Bare {
    /// Processor time by time, in hundredths of one core.
    pub(crate) core_percent: f64,
    pub(crate) jitter: Jitter,
    /// Moments that were over when it woke.
    pub(crate) missed: u64,
}

/// Wakes, and prints what that cost.
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
