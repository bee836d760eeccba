//! `gametape demo`

use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::mpsc::{Sender, channel};
use std::thread::JoinHandle;
use std::time::{Duration, Instant};

use anyhow::{Context, anyhow};
use gametape::capture::{Destination, RecordOptions, StopFlag, game_sources};
use gametape::games::acc;
use gametape::sys::Prefix;
use gametape_simulator::live::{GameClock, LiveError, LiveGame};
use gametape_simulator::{Board, Script, Settings, Simulation};

use super::main_job;
use super::record::parse_prefix;
use crate::cli::tell;
use crate::disk_space::check_place;
use crate::exit::Outcome;
use crate::open;
use crate::recording::Recording;
use crate::serving::Reach;
use crate::station::Station;
use crate::stop::Stop;
use crate::store;
use crate::this_machine::{InStep, ThisMachine};

/// Holds seconds of data at the highest speed, in case the disk stalls.
const JOURNAL_BYTES: u64 = 32 << 20;
/// The simulation goes on this long after the last lap, so that the lap time is recorded.
const AFTER_LAST_LAP_MS: u64 = 1_000;
/// How often progress is printed until the first lap is complete.
const SAY_EVERY: Duration = Duration::from_secs(3);

/// Record a simulated car, to try gametape without a game
///
/// A simulated car drives laps on a made-up track: it is built in and not a game. It exposes them in shared memory as Assetto
/// Corsa Competizione does, under separate names, and is recorded like any game, into a folder separate from your tapes. The
/// laps vary, some are invalid, and sometimes the car pits. A lap without a pit stop takes less than 40 seconds. While it runs,
/// other programs can record it too; the command for that is printed. The path of the tape goes to stdout.
#[derive(Debug, clap::Args)]
#[command(after_help = "Examples:
  gametape demo                    run until Ctrl+C
  gametape demo --exit             one lap
  gametape demo --laps 3 --speed 20
  gametape info $(gametape demo --exit --speed 100)

With --speed, the times on the tape are simulation time.")]
pub(crate) struct Args {
    /// Stop after this many laps
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..=10_000))]
    laps: Option<u32>,
    /// Speed factor, from 0.01 to 100
    #[arg(long, value_name = "X", default_value_t = 1.0, value_parser = parse_speed)]
    speed: f64,
    /// Seed of the simulation: the same seed gives the same drive
    #[arg(long, value_name = "N", default_value_t = 1)]
    seed: u64,
    /// Prefix of the shared-memory names [default: one with the process id]
    #[arg(long, value_name = "PREFIX", value_parser = parse_prefix)]
    names: Option<Prefix>,
    /// Stop after one lap, or after --laps
    #[arg(long)]
    exit: bool,
    #[command(flatten)]
    reach: Reach,
}

fn parse_speed(text: &str) -> Result<f64, String> {
    let speed = text.parse::<f64>().ok().filter(|speed| (0.01..=100.0).contains(speed));
    speed.ok_or_else(|| "the speed must be a number from 0.01 to 100".into())
}

pub(crate) fn run(args: &Args) -> anyhow::Result<Outcome> {
    let stop = Stop::listen_once().context("cannot listen for Ctrl+C")?;
    let folders = open::folders()?;
    check_place(&Destination::Folder(folders.demo.clone()))?;
    let prefix = match &args.names {
        Some(prefix) => prefix.clone(),
        None => own_prefix()?,
    };
    let clock = Arc::new(GameClock::in_step(args.speed));
    let settings = Settings { seed: args.seed, ..Settings::default() };
    let game = LiveGame::start(ThisMachine, prefix.as_str(), Simulation::driving(settings, Script::new()))?;
    let sources = game_sources(Some(&acc::GAME), &prefix, None);
    let tapes = (vec![folders.demo.clone()], Vec::new());
    let end = StopFlag::default();
    let mut station = main_job::start(tapes, Some(store::DEMO), None, args.reach, Some(end.clone()))?;
    let capture = Station::capture(&mut station, sources)?.clock(Arc::new(InStep(Arc::clone(&clock))));
    let mut recording = Recording::start(capture, options(args, folders.demo), &folders.run)?;
    recording = recording.serving(station.as_ref().and_then(Station::address));
    if let Some((lines, tapes)) = station.as_mut().and_then(Station::lines_and_tapes) {
        recording = recording.with(lines, tapes);
    }
    tell("driving a simulated car (not a game); to record it with another program as well, run:");
    tell(&format!("  gametape record --names {}", prefix.as_str()));
    let laps = args.laps.or(args.exit.then_some(1));
    if laps.is_none() {
        tell("press Ctrl+C to stop");
    }
    let (say, lines) = channel();
    recording = recording.with_lines(lines);
    let drive = Drive::start(game, clock, laps, say, end)?;
    recording.watch_until(|| stop.wanted());
    let driven = drive.end();
    let tapes = main_job::end(&mut recording, station)?;
    tell_what_next(&tapes, driven?);
    recording.finish(&stop, false)
}

/// Returns a prefix that no other demo and no game uses.
fn own_prefix() -> anyhow::Result<Prefix> {
    let text = format!("demo-{}-", std::process::id());
    Prefix::new(&text).ok_or_else(|| anyhow!("{text:?} is not a valid prefix; name another one with --names"))
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
        ..RecordOptions::new(Some(Destination::Folder(folder)))
    }
}

/// The simulated game on its own thread.
struct Drive {
    thread: JoinHandle<Result<u32, LiveError>>,
    stop: StopFlag,
}

impl Drive {
    /// Drives until that many laps are complete. Sends progress to `say` until the first lap is complete.
    fn start(
        mut game: LiveGame<ThisMachine>,
        clock: Arc<GameClock>,
        laps: Option<u32>,
        say: Sender<String>,
        stop: StopFlag,
    ) -> anyhow::Result<Self> {
        let wanted = stop.clone();
        let thread = std::thread::Builder::new().name("gametape-demo".into()).spawn(move || {
            let mut counter = LapCounter { wanted: laps, ..LapCounter::default() };
            let mut said = Instant::now();
            let driven = game.run(
                &clock,
                || wanted.wanted(),
                |simulation| {
                    let board = simulation.board();
                    if counter.done == 0 && said.elapsed() >= SAY_EVERY {
                        said = Instant::now();
                        let _ = say.send(first_lap_text(board, simulation.pages().physics.speed_kmh));
                    }
                    counter.goes_on(board.completed_laps, simulation.ms())
                },
            );
            driven.and(game.stop(&clock)).map(|()| counter.done)
        })?;
        Ok(Self { thread, stop })
    }

    /// Stops the simulation and returns the number of completed laps.
    fn end(self) -> anyhow::Result<u32> {
        self.stop.stop();
        let ended = self
            .thread
            .join()
            .map_err(|_| anyhow!("the simulation thread panicked, which is a bug; please report it"))?;
        Ok(ended?)
    }
}

/// Describes the progress of the first lap, for users who wait for it.
fn first_lap_text(board: &Board, speed_kmh: f32) -> String {
    let percent = (board.position.clamp(0.0, 1.0) * 100.0).floor();
    let sector = board.sector + 1;
    format!("  first lap: {percent:.0} % of the track, sector {sector}, {speed_kmh:.0} km/h")
}

/// Counts laps over all sessions, and decides when to stop.
#[derive(Debug, Default)]
struct LapCounter {
    wanted: Option<u32>,
    done: u32,
    /// The lap count that the session reported last. A new session counts from 0.
    of_session: i32,
    end_ms: Option<u64>,
}

impl LapCounter {
    /// Takes the number of completed laps of the session. Returns `false` when it is time to stop.
    fn goes_on(&mut self, of_session: i32, now_ms: u64) -> bool {
        let more = of_session.saturating_sub(self.of_session);
        self.of_session = of_session;
        self.done = self.done.saturating_add(u32::try_from(more).unwrap_or_default());
        if self.end_ms.is_none() && self.wanted.is_some_and(|wanted| self.done >= wanted) {
            self.end_ms = Some(now_ms + AFTER_LAST_LAP_MS);
        }
        self.end_ms.is_none_or(|end_ms| now_ms < end_ms)
    }
}

fn tell_what_next(tapes: &[PathBuf], laps: u32) {
    if let Some(path) = tapes.last().map(|path| Path::display(path)) {
        tell("next, try:");
        tell(&format!("  gametape info {path}"));
        tell(&format!("  gametape laps {path}"));
        match laps {
            0 | 1 => tell("  gametape compare TAPE#1 TAPE#2           needs two laps: `gametape demo --laps 3`"),
            _ => tell(&format!("  gametape compare {path}#1 {path}#2")),
        }
        tell(&format!("  gametape export {path} --to html"));
        tell(&format!("  gametape cat {path} --channels speedKmh,gear,gas,brake --to 2"));
        tell("  gametape top --store demo");
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn laps_are_counted_over_sessions() {
        // 90 laps an hour: the session ends, and the next one counts from 0.
        let mut counter = LapCounter { wanted: Some(98), ..LapCounter::default() };
        let of_sessions = (0..=90).chain(0..=8);
        for (lap, now_ms) in of_sessions.zip((0..).step_by(40_000)) {
            assert!(counter.goes_on(lap, now_ms) && counter.goes_on(lap, now_ms + 1), "{lap} at {now_ms}");
        }
        assert_eq!(counter.done, 98);
        let last_ms = 98 * 40_000;
        assert!(counter.goes_on(8, last_ms + 40_000 + AFTER_LAST_LAP_MS - 1));
        assert!(!counter.goes_on(8, last_ms + 40_000 + AFTER_LAST_LAP_MS));
        // A session that ends at this moment does not restart the countdown.
        assert!(!counter.goes_on(0, last_ms + 100_000));
    }

    #[test]
    fn without_a_number_of_laps_it_goes_on() {
        let mut counter = LapCounter::default();
        assert!((0..1000).all(|lap| counter.goes_on(lap, u64::MAX)));
    }
}
