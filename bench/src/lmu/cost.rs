//! The cost of recording: a recorder and a loop that only wakes and copies, each as a process beside the game.

use std::collections::HashMap;
use std::hash::{DefaultHasher, Hash as _, Hasher as _};
use std::io::Write as _;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::sync::mpsc::channel;
use std::time::{Duration, Instant};

use anyhow::{Context as _, Result, bail, ensure};
use clap::Args;
use gametape::capture::{
    Destination, PageSource, RealClock, RecordOptions, Recorder, RecorderEvent, StopFlag, TapeSummary,
};
use gametape::games::le_mans_ultimate;
use gametape::sys::{SectionReader, sleep_until, wake_exactly};
use gametape::tape::SectionPages;
use gametape_format::read::Tape;
use gametape_simulator::STEP_MS;
use serde::{Deserialize, Serialize};

use super::game::{self, READY, input_ended};
use super::{PAGE_BYTES, PART_COST as PART};
use crate::laps::figures::Figure;
use crate::live::children::Process;
use crate::live::prefix;
use crate::live::system::processor_ns;
use crate::memory::Memory;

/// A core above the loop that only wakes and copies, in percent.
const MOST_CORE_PERCENT: f64 = 15.0;
const MOST_MEMORY_MB: f64 = 96.0;
const HZ: u32 = 100;

/// Names of the section.
#[derive(Debug, Args)]
pub(crate) struct BareArgs {
    /// Prefix of the names
    names: String,
}

/// What to record, and where to.
#[derive(Debug, Args)]
pub(crate) struct RecorderArgs {
    /// Prefix of the names
    names: String,
    /// The tape to write
    file: PathBuf,
}

/// The cost of a process.
#[derive(Debug, Clone, Serialize, Deserialize)]
struct Cost {
    wall_ns: u64,
    processor_ns: u64,
    memory: Memory,
    /// Copies of the section, or frames on the tape.
    frames: u64,
    torn: u64,
    missed: u64,
    dropped: u64,
}

impl Cost {
    fn core_percent(&self) -> f64 {
        self.processor_ns as f64 * 100.0 / self.wall_ns.max(1) as f64
    }
}

fn say(cost: &Cost) -> Result<()> {
    println!("{}", serde_json::to_string(cost)?);
    Ok(std::io::stdout().flush()?)
}

/// Wakes and copies until standard input ends, and prints the cost.
pub(crate) fn bare(args: &BareArgs) -> Result<()> {
    let ended = input_ended();
    let section = prefix(&args.names)?.section(le_mans_ultimate::SECTION);
    let reader = SectionReader::open(&section)?.context("the game is not there")?;
    let mut page = vec![0; PAGE_BYTES];
    wake_exactly();
    let (start, start_ns) = (Instant::now(), processor_ns()?);
    let (mut next, mut frames) = (Instant::now(), 0);
    while !ended.load(Ordering::Relaxed) {
        next += Duration::from_millis(STEP_MS);
        sleep_until(next);
        reader.copy(0, &mut page)?;
        frames += 1;
    }
    let (wall_ns, processor_ns) = (u64::try_from(start.elapsed().as_nanos())?, processor_ns()? - start_ns);
    say(&Cost { wall_ns, processor_ns, memory: Memory::now()?, frames, torn: 0, missed: 0, dropped: 0 })
}

/// Records until standard input ends, and prints the cost: up to the end of the recording, and with the peak after the tape was closed.
pub(crate) fn record(args: &RecorderArgs) -> Result<()> {
    let ended = input_ended();
    let games = std::slice::from_ref(&le_mans_ultimate::GAME);
    let mut source = PageSource::new(games, prefix(&args.names)?, HZ);
    let (sender, told) = channel();
    let stop = StopFlag::default();
    let recorder = Recorder {
        options: Arc::new(RecordOptions::new(Some(Destination::File(args.file.clone())))),
        clock: Arc::new(RealClock::start()),
        progress: Arc::default(),
        told: sender,
        observers: Vec::new(),
        stop: stop.clone(),
        once: true,
    };
    let (start, start_ns) = (Instant::now(), processor_ns()?);
    let thread =
        std::thread::Builder::new().name("gametape-capture".into()).spawn(move || recorder.run(&mut source))?;
    while !ended.load(Ordering::Relaxed) {
        std::thread::sleep(Duration::from_millis(100));
    }
    let (wall_ns, processor_ns) = (u64::try_from(start.elapsed().as_nanos())?, processor_ns()? - start_ns);
    stop.stop();
    ensure!(thread.join().unwrap_or(false), "the recorder failed");
    for event in told {
        match event {
            RecorderEvent::Closed(TapeSummary { finished, .. }) => {
                let of_game = || finished.streams.iter().filter(|stream| !stream.name.starts_with('.'));
                let sum = |of: fn(&gametape_format::Counters) -> u64| {
                    of_game().map(|stream| of(&stream.status.counters)).sum::<u64>()
                };
                return say(&Cost {
                    wall_ns,
                    processor_ns,
                    memory: Memory::now()?,
                    frames: of_game().map(|stream| stream.totals.frames).sum(),
                    torn: sum(|counters| counters.torn),
                    missed: sum(|counters| counters.missed),
                    dropped: sum(|counters| counters.dropped),
                });
            }
            RecorderEvent::Failed(why) | RecorderEvent::Lost(why) => bail!(why),
            RecorderEvent::Opened { .. } | RecorderEvent::Warned(_) => {}
        }
    }
    bail!("no tape was closed")
}

/// Runs a process for a while beside the game.
fn beside(mut process: Process, seconds: u64) -> Result<Cost> {
    std::thread::sleep(Duration::from_secs(seconds));
    process.hang_up();
    let cost = serde_json::from_str(&process.line()?)?;
    process.end()?;
    Ok(cost)
}

fn hash(page: &[u8]) -> u64 {
    let mut hasher = DefaultHasher::new();
    page.hash(&mut hasher);
    hasher.finish()
}

/// Puts the pages of a tape together again. Returns how many there are, and how many of them the game never wrote.
fn check(path: &Path, cars: u32, seconds: u64) -> Result<(u64, u64)> {
    let tape = Tape::open(path)?;
    let mut pages = SectionPages::open(&tape, le_mans_ultimate::SECTION).context("no parts")?;
    let mut found = Vec::new();
    while let Some((_, page)) = pages.next()? {
        found.push(hash(page));
    }
    // The game runs a little longer than both processes beside it.
    let (mut race, mut page, mut written) = (game::race(cars), vec![0; PAGE_BYTES], HashMap::new());
    for step in 0..(seconds * 2 + 30) * 1000 / STEP_MS {
        race.step();
        race.write_lmu(&mut page);
        written.insert(hash(&page), step);
    }
    let unknown = found.iter().filter(|page| !written.contains_key(page)).count();
    Ok((found.len() as u64, unknown as u64))
}

/// Measures the cost.
pub(super) fn measure(cars: u32, seconds: u64, files: &Path) -> Result<Vec<Figure>> {
    let directory = tempfile::tempdir_in(files)?;
    let file = directory.path().join("lmu.gtape");
    let names = format!("gametape-bench-{}-lmu-", std::process::id());
    let count = cars.to_string();
    let mut game = Process::start(["lmu-game", &names, "--cars", &count])?;
    game.hear(READY)?;
    std::thread::sleep(Duration::from_millis(200));
    let bare = beside(Process::start(["lmu-bare", &names])?, seconds)?;
    let path = file.to_str().context("a path that is not text")?;
    let cost = beside(Process::start(["lmu-recorder", &names, path])?, seconds)?;
    game.end()?;
    let (pages, unknown) = check(&file, cars, seconds)?;
    let tape_mb = std::fs::metadata(&file)?.len() as f64 / 1e6;
    let percent = |what: &str, value: f64| Figure::new(PART, what, value, "% core").digits(2);
    let mb = |what: &str, kib: u64| Figure::new(PART, what, kib as f64 * 1024.0 / 1e6, "MB").digits(1);
    Ok(vec![
        percent("only waking and copying", bare.core_percent()),
        percent("recorder", cost.core_percent()),
        percent("  above it", cost.core_percent() - bare.core_percent()).at_most(MOST_CORE_PERCENT),
        mb("memory, the most", cost.memory.peak_kib).at_most(MOST_MEMORY_MB),
        mb("  heap and stacks at the end", cost.memory.own_kib),
        mb("  only waking and copying", bare.memory.peak_kib),
        Figure::count(PART, "pages on the tape", pages),
        Figure::count(PART, "  that the game never wrote", unknown).exactly(0.0),
        Figure::count(PART, "frames of parts", cost.frames),
        Figure::count(PART, "  dropped", cost.dropped).exactly(0.0),
        Figure::count(PART, "copies refused", cost.torn),
        Figure::count(PART, "ticks missed", cost.missed),
        Figure::new(PART, "tape", tape_mb, "MB").digits(2),
        Figure::new(PART, "  of it a minute", tape_mb * 60.0 / seconds as f64, "MB").digits(1),
    ])
}
