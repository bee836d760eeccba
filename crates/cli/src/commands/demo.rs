//! `gametape demo`

use std::path::{Path, PathBuf};
use std::sync::mpsc::channel;

use anyhow::Context as _;
use gametape::capture::{Destination, RecordOptions, StopFlag};
use gametape::games::{Game, acc};
use gametape::sys::Prefix;
use gametape_simulator::{Script, Settings, Simulation, page_encoder};

use super::demo_drive::{Drive, Stand};
use super::main_job;
use super::record::{parse_game, parse_prefix};
use crate::cli::tell;
use crate::disk_space::check_place;
use crate::exit::Outcome;
use crate::open;
use crate::recording::Recording;
use crate::serving::Reach;
use crate::station::Station;
use crate::stop::Stop;
use crate::store;

/// Holds seconds of data at the highest speed, in case the disk stalls.
const JOURNAL_BYTES: u64 = 32 << 20;
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
  gametape demo --game f1-25       datagrams on port 20777, as F1 25 sends them
  gametape demo --game raceroom    the page of RaceRoom, with ten cars
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
    /// The game whose interface the car uses: shared memory, or datagrams, also to its usual port [default: assetto-corsa-competizione]
    #[arg(long, value_name = "ID", value_parser = parse_game, conflicts_with = "names")]
    game: Option<&'static Game>,
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
    let settings = Settings { seed: args.seed, ..Settings::default() };
    let simulation = Simulation::driving(settings, Script::new());
    let Stand { game, clock, sources, recorder_clock, in_step, how_else } = match args.game {
        // Games that have both are shown as they are on the network.
        Some(game) if game.id != acc::GAME.id => match page_encoder(game.id).filter(|_| game.udp_port().is_none()) {
            Some(encoder) => Stand::in_page(game, encoder, simulation, args.speed)?,
            None => Stand::on_the_network(game, simulation, args.speed)?,
        },
        _ => Stand::in_memory(args.names.clone(), simulation, args.speed)?,
    };
    let tapes = (vec![folders.demo.clone()], Vec::new());
    let end = StopFlag::default();
    let mut station = main_job::start(tapes, Some(store::DEMO), None, args.reach, in_step.then(|| end.clone()))?;
    let capture = Station::capture(&mut station, sources)?.clock(recorder_clock);
    let mut recording = Recording::start(capture, options(args, folders.demo), &folders.run)?;
    recording = recording.serving(station.as_ref().and_then(Station::address));
    if let Some((lines, tapes)) = station.as_mut().and_then(Station::lines_and_tapes) {
        recording = recording.with(lines, tapes);
    }
    how_else.iter().for_each(|line| tell(line));
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
    tell_what_next(&tapes, driven?, args.game);
    recording.finish(&stop, false)
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

fn tell_what_next(tapes: &[PathBuf], laps: u32, game: Option<&Game>) {
    if let Some(path) = tapes.last().map(|path| Path::display(path)) {
        tell("next, try:");
        tell(&format!("  gametape info {path}"));
        tell(&format!("  gametape laps {path}"));
        match laps {
            0 | 1 => tell("  gametape compare TAPE#1 TAPE#2           needs two laps: `gametape demo --laps 3`"),
            _ => tell(&format!("  gametape compare {path}#1 {path}#2")),
        }
        tell(&format!("  gametape export {path} --to html"));
        if game.is_none_or(|game| game.id == acc::GAME.id) {
            tell(&format!("  gametape cat {path} --channels speedKmh,gear,gas,brake --to 2"));
        }
        tell("  gametape top --store demo");
    }
}
