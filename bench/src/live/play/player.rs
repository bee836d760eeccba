//! The player of `live --play`, in a separate process: plays a tape and prints one line of JSON.

use std::path::PathBuf;
use std::time::{Duration, Instant};

use anyhow::{Context as _, Result};
use clap::Args;
use gametape::Tape;
use gametape::capture::RealClock;
use gametape::play::Player;
use serde::{Deserialize, Serialize};

use super::super::moments::{Jitter, Moments};
use super::super::{prefix, system};

/// Number of frames at each end whose errors are compared for the drift.
const ENDS: usize = 200;

/// What to play.
#[derive(Debug, Args)]
pub(crate) struct PlayerArgs {
    /// Prefix of the page names
    names: String,
    /// The tape
    file: PathBuf,
    /// Only write the first frame, at this second, and print how long that took
    #[arg(long, value_name = "SECOND")]
    begin_at: Option<u64>,
}

/// Start-up time.
#[derive(Debug, Serialize, Deserialize)]
pub(crate) struct Begun {
    /// From the first line of this program to the first frame in memory.
    pub(crate) first_frame_ns: u64,
}

/// Cost of playback.
#[derive(Debug, Serialize, Deserialize)]
pub(crate) struct Cost {
    pub(crate) frames: u64,
    /// How late frames were written.
    pub(crate) late: Jitter,
    /// Median error of the last frames minus that of the first.
    pub(crate) drift_ns: i64,
    pub(crate) core_percent: f64,
}

/// Plays and prints.
pub(crate) fn run(args: &PlayerArgs) -> Result<()> {
    let began = Instant::now();
    let tape = Tape::open(&args.file)?;
    let player = Player::new(&tape).names(prefix(&args.names)?);
    if let Some(second) = args.begin_at {
        let mut playing = player.from(Duration::from_secs(second)).start()?;
        playing.step()?.context("no frame")?;
        let first_frame_ns = u64::try_from(began.elapsed().as_nanos())?;
        println!("{}", serde_json::to_string(&Begun { first_frame_ns })?);
        playing.stop()?;
        return Ok(());
    }
    let mut playing = player.start()?;
    let total: u64 = tape.raw().streams().map(|stream| stream.totals().frames).sum();
    let mut late_ns: Vec<u64> = Vec::with_capacity(usize::try_from(total)?);
    let (start, start_ns) = (Instant::now(), system::processor_ns()?);
    playing.run_by(&RealClock::start(), &mut |moment| {
        if late_ns.len() < late_ns.capacity() {
            late_ns.push(moment.shown_ns.saturating_sub(moment.due_ns));
        }
    })?;
    let (wall_ns, processor_ns) = (start.elapsed().as_nanos() as f64, system::processor_ns()? - start_ns);
    let frames = playing.stop()?.frames;
    let ends = ENDS.min(late_ns.len());
    let median = |part: &[u64]| {
        let mut part = part.to_vec();
        part.sort_unstable();
        part.get(part.len() / 2).copied().unwrap_or_default().cast_signed()
    };
    let drift_ns = median(late_ns.get(late_ns.len() - ends..).unwrap_or_default())
        - median(late_ns.get(..ends).unwrap_or_default());
    let mut moments = Moments::with_room(late_ns.len());
    for late_ns in late_ns {
        moments.note(late_ns, u64::MAX);
    }
    let core_percent = processor_ns as f64 * 100.0 / wall_ns.max(1.0);
    println!("{}", serde_json::to_string(&Cost { frames, late: moments.jitter(), drift_ns, core_percent })?);
    Ok(())
}
