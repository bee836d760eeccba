//! `gametape demo`

use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::thread::JoinHandle;

use anyhow::{Context, anyhow};
use gametape::capture::{Place, RecordOptions, StopFlag, game_sources};
use gametape::games::acc;
use gametape::simulated_car::live::{GameClock, LiveError, LiveGame};
use gametape::simulated_car::{Script, Settings, Simulation};
use gametape::sys::Prefix;

use super::main_job;
use super::record::parse_prefix;
use crate::cli::tell;
use crate::exit::Outcome;
use crate::open::{self, DATA_DIR};
use crate::recording::Recording;
use crate::station::Station;
use crate::stop::Stop;
use crate::store;

/// Seconds of data at the greatest speed, should the disk stall.
const JOURNAL_BYTES: u64 = 32 << 20;
/// The game goes on this long after the last lap, so that its time is seen.
const AFTER_LAST_LAP_MS: u64 = 1_000;

/// Record a simulated car, to see how things work
///
/// A car drives laps on a drawn track: a built-in simulation, not a game. It shows them in shared memory as Assetto Corsa Competizione does,
/// under names of its own, and is recorded like any game, into a folder apart from your tapes. Each lap is a little different, some are cut, and
/// now and then the car comes into the pits. A lap without a stop takes less than 40 seconds. While it runs, other programs can record it too: see the line that
/// it prints. The path of the tape goes to stdout.
#[derive(Debug, clap::Args)]
#[command(after_help = "Examples:
  gametape demo                    until Ctrl+C
  gametape demo --exit             one lap
  gametape demo --laps 3 --speed 20
  gametape info $(gametape demo --exit --speed 100)

With --speed, times on the tape are those of the simulation.")]
pub(crate) struct Args {
    /// End after this many laps
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..=10_000))]
    laps: Option<u32>,
    /// Times faster than real time, up to 100
    #[arg(long, value_name = "X", default_value_t = 1.0, value_parser = parse_speed)]
    speed: f64,
    /// Another number gives another drive, the same number the same
    #[arg(long, value_name = "N", default_value_t = 1)]
    seed: u64,
    /// What stands before the names of the memory; one with the number of the process if left out
    #[arg(long, value_name = "PREFIX", value_parser = parse_prefix)]
    names: Option<Prefix>,
    /// End by itself: after one lap, or after --laps
    #[arg(long)]
    exit: bool,
}

fn parse_speed(text: &str) -> Result<f64, String> {
    let speed = text.parse::<f64>().ok().filter(|speed| (0.01..=100.0).contains(speed));
    speed.ok_or_else(|| "the speed is a number from 0.01 to 100".into())
}

pub(crate) fn run(args: &Args) -> anyhow::Result<Outcome> {
    let stop = Stop::listen_once().context("cannot listen for Ctrl+C")?;
    let folders = open::folders()?;
    std::fs::create_dir_all(&folders.demo).with_context(|| {
        format!("cannot make the folder {}; set {DATA_DIR} to one that you may write to", folders.demo.display())
    })?;
    let prefix = match &args.names {
        Some(prefix) => prefix.clone(),
        None => own_prefix()?,
    };
    let clock = Arc::new(GameClock::in_step(args.speed));
    let settings = Settings { seed: args.seed, ..Settings::default() };
    let game = LiveGame::start(&prefix, Simulation::driving(settings, Script::new()))?;
    let sources = game_sources(Some(&acc::GAME), &prefix, None);
    let mut station = main_job::start(vec![folders.demo.clone()], Vec::new(), Some(store::DEMO), None);
    let (options, run) = (options(args, folders.demo), &folders.run);
    let mut recording = Recording::start_by(clock.clone(), true, sources, &options, run, || match &mut station {
        Some(station) => station.observers(),
        None => Ok(Vec::new()),
    })?;
    recording = recording.serving(station.as_ref().and_then(Station::address));
    if let Some((lines, tapes)) = station.as_mut().and_then(Station::lines_and_tapes) {
        recording = recording.with(lines, tapes);
    }
    tell("a simulated car drives (not a game); another program can record it too:");
    tell(&format!("  gametape record --names {}", prefix.as_str()));
    let laps = args.laps.or(args.exit.then_some(1));
    if laps.is_none() {
        tell("press Ctrl+C to end");
    }
    let drive = Drive::start(game, clock, laps)?;
    recording.watch_until(|| stop.wanted());
    let driven = drive.end();
    let tapes = main_job::end(&mut recording, station)?;
    driven?;
    tell_what_next(&tapes);
    recording.finish(&stop, false)
}

/// Names that no other demonstration and no game uses.
fn own_prefix() -> anyhow::Result<Prefix> {
    let text = format!("demo-{}-", std::process::id());
    Prefix::new(&text).ok_or_else(|| anyhow!("{text:?} cannot stand before names; name another prefix with --names"))
}

fn options(args: &Args, folder: PathBuf) -> RecordOptions {
    let metadata = [
        ("source", "simulated car of `gametape demo`, not a game".to_owned()),
        ("demo_seed", args.seed.to_string()),
        ("demo_speed", args.speed.to_string()),
    ];
    RecordOptions {
        metadata: metadata.map(|(key, value)| (key.to_owned(), value)).into(),
        journal_bytes: JOURNAL_BYTES,
        ..RecordOptions::new(Some(Place::Folder(folder)))
    }
}

/// The simulated game on a thread of its own.
struct Drive {
    thread: JoinHandle<Result<(), LiveError>>,
    stop: StopFlag,
}

impl Drive {
    fn start(mut game: LiveGame, clock: Arc<GameClock>, laps: Option<u32>) -> anyhow::Result<Self> {
        let stop = StopFlag::default();
        let wanted = stop.clone();
        let thread = std::thread::Builder::new().name("gametape-demo".into()).spawn(move || {
            let mut watcher = LapWatcher { laps, end_ms: None, number: 0 };
            let driven = game.run(&clock, &wanted, |simulation| watcher.goes_on(simulation));
            driven.and(game.stop(&clock))
        })?;
        Ok(Self { thread, stop })
    }

    fn end(self) -> anyhow::Result<()> {
        self.stop.stop();
        let ended = self.thread.join().map_err(|_| anyhow!("the simulation ended early: please report it"))?;
        Ok(ended?)
    }
}

/// Sees laps end, and when it is enough.
struct LapWatcher {
    laps: Option<u32>,
    number: i32,
    end_ms: Option<u64>,
}

impl LapWatcher {
    fn goes_on(&mut self, simulation: &Simulation) -> bool {
        let board = simulation.board();
        if board.completed_laps > self.number {
            let enough = self.laps.is_some_and(|laps| i64::from(board.completed_laps) >= i64::from(laps));
            self.end_ms = enough.then(|| simulation.ms() + AFTER_LAST_LAP_MS);
        }
        // A new session counts from the start.
        self.number = board.completed_laps;
        self.end_ms.is_none_or(|end_ms| simulation.ms() < end_ms)
    }
}

fn tell_what_next(tapes: &[PathBuf]) {
    if let Some(path) = tapes.last().map(|path| Path::display(path)) {
        tell("try next:");
        tell(&format!("  gametape info {path}"));
        tell(&format!("  gametape laps {path}"));
        tell(&format!("  gametape cat {path} --channels speedKmh,gear,gas,brake --to 2"));
    }
}
