//! `gametape demo`

use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::mpsc::{Receiver, Sender, channel};
use std::thread::JoinHandle;

use anyhow::{Context, anyhow};
use gametape::capture::{Place, RecordOptions, StopFlag, game_sources};
use gametape::games::acc;
use gametape::simulated_car::live::{GameClock, LiveError, LiveGame};
use gametape::simulated_car::{Script, Settings, Simulation};
use gametape::sys::Prefix;

use crate::cli::tell;
use crate::commands::record::parse_prefix;
use crate::exit::Outcome;
use crate::open::{self, DATA_DIR};
use crate::recording::{Recording, on_terminal};
use crate::stop::Stop;

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
    let mut recording = Recording::start_by(clock.clone(), true, sources, &options(args, folders.demo), &folders.run)?;
    tell("a simulated car drives (not a game); another program can record it too:");
    tell(&format!("  gametape record --names {}", prefix.as_str()));
    let laps = args.laps.or(args.exit.then_some(1));
    if laps.is_none() {
        tell("press Ctrl+C to end");
    }
    let drive = Drive::start(game, clock, laps)?;
    recording.watch_until(|| {
        drive.tell_laps();
        stop.wanted()
    });
    let driven = drive.end();
    let tapes = recording.end();
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
    laps: Receiver<Lap>,
    stop: StopFlag,
}

/// A lap that was driven.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Lap {
    number: i32,
    time_ms: i32,
    valid: bool,
}

impl Drive {
    fn start(mut game: LiveGame, clock: Arc<GameClock>, laps: Option<u32>) -> anyhow::Result<Self> {
        let (sender, receiver) = channel();
        let stop = StopFlag::default();
        let wanted = stop.clone();
        let thread = std::thread::Builder::new().name("gametape-demo".into()).spawn(move || {
            let mut watcher = LapWatcher { sender, laps, valid: true, end_ms: None, number: 0 };
            let driven = game.run(&clock, &wanted, |simulation| watcher.goes_on(simulation));
            driven.and(game.stop(&clock))
        })?;
        Ok(Self { thread, laps: receiver, stop })
    }

    fn tell_laps(&self) {
        for Lap { number, time_ms, valid } in self.laps.try_iter() {
            let (minutes, seconds, ms) = (time_ms / 60_000, time_ms / 1000 % 60, time_ms % 1000);
            let note = if valid { "" } else { "  invalid: off the track" };
            let clear = if on_terminal() { "\r\x1b[K" } else { "" };
            tell(&format!("{clear}lap {number}  {minutes}:{seconds:02}.{ms:03}{note}"));
        }
    }

    fn end(self) -> anyhow::Result<()> {
        self.stop.stop();
        self.tell_laps();
        let ended = self.thread.join().map_err(|_| anyhow!("the simulation ended early: please report it"))?;
        Ok(ended?)
    }
}

/// Sees laps end, and when it is enough.
struct LapWatcher {
    sender: Sender<Lap>,
    laps: Option<u32>,
    number: i32,
    valid: bool,
    end_ms: Option<u64>,
}

impl LapWatcher {
    fn goes_on(&mut self, simulation: &Simulation) -> bool {
        let board = simulation.board();
        if board.completed_laps > self.number {
            let lap =
                Lap { number: board.completed_laps, time_ms: board.last_ms.unwrap_or_default(), valid: self.valid };
            let _ = self.sender.send(lap);
            let enough = self.laps.is_some_and(|laps| i64::from(board.completed_laps) >= i64::from(laps));
            self.end_ms = enough.then(|| simulation.ms() + AFTER_LAST_LAP_MS);
        }
        // A new session counts from the start.
        self.number = board.completed_laps;
        self.valid = board.valid;
        self.end_ms.is_none_or(|end_ms| simulation.ms() < end_ms)
    }
}

fn tell_what_next(tapes: &[PathBuf]) {
    if let Some(path) = tapes.last().map(|path| Path::display(path)) {
        tell("try next:");
        tell(&format!("  gametape info {path}"));
        tell(&format!("  gametape cat {path} --channels speedKmh,gear,gas,brake --to 2"));
    }
}
