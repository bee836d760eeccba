//! The recorder of `live`: does what `gametape record` does and prints the cost as a line of JSON.
//!
//! Like the command, it looks for all games at once and polls its recording ten times a second. SIGINT ends it.

use std::io::Write as _;
use std::path::PathBuf;
use std::sync::atomic::Ordering;
use std::sync::mpsc::{Receiver, RecvTimeoutError, channel};
use std::sync::{Arc, PoisonError};
use std::time::{Duration, Instant};

use anyhow::{Context, Result, bail, ensure};
use clap::Args;
use gametape::capture::{
    Clock, Destination, IracingSource, PageSource, RealClock, RecordOptions, Recorder, RecorderEvent, Source, StopFlag,
    TapeSummary,
};
use gametape::format::write::Finished;
use gametape::games::ASSETTO_CORSA_FAMILY;
use serde::{Deserialize, Serialize};

use super::moments::{Jitter, WatchedClock, WatchedSource};
use super::system::Scheduled;
use super::{prefix, system};
use crate::memory::Memory;

/// Printed once the tape is started.
pub(super) const RECORDING: &str = "recording";
/// Printed once the tape is complete, before anything is computed.
pub(super) const CLOSED: &str = "closed";
/// Interval of the status line of `gametape record`.
const GLANCE: Duration = Duration::from_millis(100);
/// Maximum time to find a running game.
const FIND: Duration = Duration::from_secs(30);
/// The recorder ends by itself after this time if nobody ends it.
const PATIENCE: Duration = Duration::from_secs(120);

/// What to record, and where to.
#[derive(Debug, Args)]
pub(crate) struct RecorderArgs {
    /// Prefix of the page names
    names: String,
    /// The tape to write
    file: PathBuf,
    /// Samples per second
    #[arg(long)]
    hz: u32,
    /// Approximate duration in seconds
    #[arg(long)]
    seconds: u64,
}

/// Cost and results of a recording.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub(crate) struct Cost {
    /// From the start of the capturing threads to the complete tape.
    pub(crate) wall_ns: u64,
    /// CPU time of the process during that time.
    pub(crate) processor_ns: u64,
    /// CPU time and scheduling delay per thread.
    pub(crate) threads: Vec<Scheduled>,
    /// Time stolen by the hypervisor; `None` if the system does not report it.
    pub(crate) stolen_ms: Option<u64>,
    /// When the end was requested, except for the peak, which is read at the very end.
    pub(crate) memory: Memory,
    pub(crate) jitter: Jitter,
    /// Reads on the grid.
    pub(crate) ticks: u64,
    /// Grid ticks without a read, counted independently of the recorder.
    pub(crate) ticks_missed: u64,
    /// All reads of the game, including the one that found it.
    pub(crate) reads: u64,
    /// Frames that the reads returned.
    pub(crate) given: u64,
    /// Frames not intended for the tape: of pages that had not changed yet.
    pub(crate) forgotten: u64,
    /// Frames that the recorder reports as accepted.
    pub(crate) accepted: u64,
    pub(crate) streams: Vec<StreamCost>,
    /// Length of the tape file.
    pub(crate) tape_bytes: u64,
}

/// What the tape reports about one stream.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub(crate) struct StreamCost {
    pub(crate) name: String,
    pub(crate) frames: u64,
    pub(crate) unchanged: u64,
    pub(crate) dropped: u64,
    pub(crate) missed: u64,
    pub(crate) late: u64,
    pub(crate) torn: u64,
}

impl Cost {
    /// Returns the sum of a figure over the streams.
    pub(crate) fn sum(&self, of: fn(&StreamCost) -> u64) -> u64 {
        self.streams.iter().map(of).sum()
    }

    /// Returns the maximum of a figure over the streams.
    pub(crate) fn most(&self, of: fn(&StreamCost) -> u64) -> u64 {
        self.streams.iter().map(of).max().unwrap_or_default()
    }
}

fn say(word: &str) -> Result<()> {
    println!("{word}");
    Ok(std::io::stdout().flush()?)
}

/// Waits until the end is requested. Fails if there is nothing to record.
fn watch(told: &Receiver<RecorderEvent>, interrupted: impl Fn() -> bool) -> Result<()> {
    let start = Instant::now();
    let mut recording = false;
    while !interrupted() {
        match told.recv_timeout(GLANCE) {
            Ok(RecorderEvent::Opened { .. }) => {
                recording = true;
                say(RECORDING)?;
            }
            Ok(RecorderEvent::Failed(why) | RecorderEvent::Lost(why)) => bail!(why),
            Ok(RecorderEvent::Warned(_)) => {}
            Ok(RecorderEvent::Closed(TapeSummary { end: reason, .. })) => {
                bail!("the tape ended early: {}", reason.as_str())
            }
            Err(RecvTimeoutError::Timeout) => {}
            Err(RecvTimeoutError::Disconnected) => bail!("the recorders ended early"),
        }
        ensure!(recording || start.elapsed() < FIND, "the game was not found");
    }
    Ok(())
}

fn streams(finished: &Finished) -> Vec<StreamCost> {
    let of_game = finished.streams.iter().filter(|stream| !stream.name.starts_with('.'));
    let cost = |stream: &gametape::format::write::FinishedStream| {
        let counters = stream.status.counters;
        StreamCost {
            name: stream.name.clone(),
            frames: stream.totals.frames,
            unchanged: counters.unchanged,
            dropped: counters.dropped,
            missed: counters.missed,
            late: counters.late,
            torn: counters.torn,
        }
    };
    of_game.map(cost).collect()
}

/// Records until SIGINT and prints the cost.
pub(crate) fn run(args: &RecorderArgs) -> Result<()> {
    let interrupted = system::interrupt_flag()?;
    let prefix = prefix(&args.names)?;
    let (start, start_processor_ns, start_stolen_ms) = (Instant::now(), system::processor_ns()?, system::stolen_ms());
    let max_duration = Some(Duration::from_secs(args.seconds) + PATIENCE);
    let options = RecordOptions { max_duration, ..RecordOptions::new(Some(Destination::File(args.file.clone()))) };
    let (options, stop, real) = (Arc::new(options), StopFlag::default(), Arc::new(RealClock::start()));
    let (sender, told) = channel();

    let clock = Arc::new(WatchedClock::new(Arc::clone(&real)));
    let reads = usize::try_from((args.seconds + 1) * u64::from(args.hz))?;
    let family = PageSource::new(ASSETTO_CORSA_FAMILY, prefix.clone(), args.hz);
    let (family, moments) = WatchedSource::new(family, Arc::clone(&clock), reads);
    let sources: [(Box<dyn Source>, Arc<dyn Clock>); 2] =
        [(Box::new(family), clock), (Box::new(IracingSource::new(prefix, Some(args.hz))), real)];
    let (mut threads, mut progress) = (Vec::new(), Vec::new());
    for (mut source, clock) in sources {
        let recorder = Recorder {
            options: Arc::clone(&options),
            clock,
            progress: Arc::default(),
            told: sender.clone(),
            observers: Vec::new(),
            stop: stop.clone(),
            once: false,
        };
        progress.push(Arc::clone(&recorder.progress));
        let thread = std::thread::Builder::new().name("gametape-capture".into());
        threads.push(thread.spawn(move || recorder.run(&mut *source))?);
    }
    drop(sender);

    let watched = watch(&told, || interrupted.load(Ordering::Relaxed));
    let (memory, threads_ran) = (Memory::now()?, system::threads());
    stop.stop();
    for thread in threads {
        ensure!(thread.join().unwrap_or(false), "a recorder failed");
    }
    say(CLOSED)?;
    let (wall_ns, processor_ns) = (start.elapsed(), system::processor_ns()? - start_processor_ns);
    watched?;

    let closed = told.iter().find_map(|told| match told {
        RecorderEvent::Closed(TapeSummary { finished, .. }) => Some(finished),
        _ => None,
    });
    let finished = closed.context("no tape was closed")?;
    let mut moments = moments.lock().unwrap_or_else(PoisonError::into_inner);
    let cost = Cost {
        wall_ns: u64::try_from(wall_ns.as_nanos())?,
        processor_ns,
        threads: threads_ran,
        stolen_ms: system::stolen_ms().zip(start_stolen_ms).map(|(now, start)| now.saturating_sub(start)),
        // The system's peak may lag behind by a few pages.
        memory: Memory { peak_kib: Memory::now()?.peak_kib.max(memory.now_kib), ..memory },
        jitter: moments.jitter(),
        ticks: moments.ticks,
        ticks_missed: moments.missed,
        reads: moments.reads,
        given: moments.frames,
        forgotten: moments.forgotten,
        accepted: progress.first().map_or(0, |progress| progress.numbers().frames),
        streams: streams(&finished),
        tape_bytes: finished.bytes,
    };
    say(&serde_json::to_string(&cost)?)
}
