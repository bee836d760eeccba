//! `gametape record`

use std::path::PathBuf;
use std::time::Duration;

use anyhow::{Context as _, anyhow};
use gametape::Capture;
use gametape::capture::{Destination, RecordOptions, Split, game_sources};
use gametape::games::{GAMES, Game, Stream, echo_vr, find_game};
use gametape::keep_last::Ring;
use gametape::paths::Folders;
use gametape::sys::Prefix;

use crate::cli::tell;
use crate::disk_space::check_place;
use crate::exit::{self, Outcome};
use crate::recording::Recording;
use crate::stop::Stop;
use crate::udp_args::UdpArgs;
use crate::{open, time};

/// Wait for a game and record it, without laps and server
///
/// Waits for any supported game, records it while it runs, then waits again. Each session of the game gets its own tape. Ctrl+C
/// closes the tape and exits. A second Ctrl+C exits at once; `gametape recover` then repairs the tape without losing anything that was
/// recorded. The paths of the tapes go to stdout.
#[derive(Debug, Default, clap::Args)]
#[command(after_help = "Examples:
  gametape record
  gametape record --game acc --hz 333 --note \"new dampers\"
  gametape record -o race.gtape --max-duration 1h
  gametape record --keep-last 2m          then `gametape save` when something happened
  gametape record --names demo-1234-      the car of `gametape demo`
  gametape record --game echo-vr --hz 60
  gametape record --lan 192.168.1.20      a console, or another computer
  gametape record --listen 127.0.0.1:5300 --forward 127.0.0.1:5301

Times: 90, 1:30.5, 10m, 250ms.

On Linux a game in Wine or Proton is read without a bridge. GAMETAPE_WINE=off disables this;
GAMETAPE_WINE=NAME.exe (or a process id) reads that process, whatever its name, also with --names.

Echo VR is polled over HTTP on 127.0.0.1, ports 6721 to 6730; its API must be enabled in the game's settings. GAMETAPE_ECHO=off disables this;
GAMETAPE_ECHO=PORT, PORT-PORT, HOST or HOST:PORT polls that address, also with --names: for example, a Quest headset in the same network.")]
pub(crate) struct Args {
    /// Record only this game; `gametape games` lists them
    #[arg(long, value_name = "ID", value_parser = parse_game)]
    game: Option<&'static Game>,
    /// Samples a second, 1 to 1000 [default: 100 for the Assetto Corsa family, 30 for Echo VR, every tick for iRacing]
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..=1000))]
    hz: Option<u32>,
    /// Prefix of the shared-memory names, for demos and tests
    #[arg(long, value_name = "PREFIX", value_parser = parse_prefix)]
    names: Option<Prefix>,
    /// The tape to write [default: a file in the tapes folder, named by game, track and time]
    #[arg(short, long, value_name = "FILE")]
    output: Option<PathBuf>,
    /// Stop when a tape is this long
    #[arg(long, value_name = "T", value_parser = time::parse_ns)]
    max_duration: Option<u64>,
    /// When to start a new tape
    #[arg(long, value_enum, default_value_t)]
    split: SplitBy,
    /// Keep only the last part, from 2 s to 1 h; `gametape save` makes a tape of it
    #[arg(long, value_name = "T", value_parser = parse_keep_last, conflicts_with_all = ["output", "max_duration"])]
    keep_last: Option<Duration>,
    /// A note to store on the tape
    #[arg(long, value_name = "TEXT")]
    note: Option<String>,
    /// Print one JSON document to stdout at the end
    #[arg(long)]
    json: bool,
    #[command(flatten)]
    udp: UdpArgs,
}

#[derive(Debug, Clone, Copy, Default, clap::ValueEnum)]
enum SplitBy {
    /// For each session of the game
    #[default]
    Session,
    /// Never while the recorder runs
    None,
}

/// Returns the names of the games to wait for.
pub(crate) fn waited_for(asks_echo_vr: bool) -> Vec<&'static str> {
    let live = GAMES.iter().filter(|game| game.streams.iter().any(Stream::is_live));
    live.filter(|game| asks_echo_vr || game.id != echo_vr::ID).map(|game| game.name).collect()
}

/// Parses the id or an alias of a game.
pub(crate) fn parse_game(text: &str) -> Result<&'static Game, String> {
    find_game(text).ok_or_else(|| {
        let known: Vec<&str> = GAMES.iter().map(|game| game.id).collect();
        format!("known games are {}", known.join(", "))
    })
}

/// Parses a prefix of shared-memory names.
pub(crate) fn parse_prefix(text: &str) -> Result<Prefix, String> {
    Prefix::new(text)
        .ok_or_else(|| "a prefix consists of at most 64 letters, digits, dashes, dots and underscores".into())
}

fn parse_keep_last(text: &str) -> Result<Duration, String> {
    let length = Duration::from_nanos(time::parse_ns(text)?);
    let sensible = (Duration::from_secs(2)..=Duration::from_secs(3600)).contains(&length);
    if sensible { Ok(length) } else { Err("the time must be between 2 s and 1 h".into()) }
}

/// Returns the folder with the pieces of `--keep-last` recordings.
pub(crate) fn rings(folders: &Folders) -> PathBuf {
    folders.tapes.join("keep-last")
}

pub(crate) fn run(args: &Args) -> anyhow::Result<Outcome> {
    let folders = open::folders()?;
    let ring = args.keep_last.map(|length| Ring::new(&rings(&folders), length)).transpose();
    let ring = ring.with_context(|| format!("cannot create a folder in {}", rings(&folders).display()))?;
    let place = match (&ring, &args.output) {
        (Some(ring), _) => ring.place(),
        (None, Some(file)) if file.exists() => {
            return Err(anyhow!("{} already exists and was not overwritten; name another file", file.display()));
        }
        (None, Some(file)) => Destination::File(file.clone()),
        (None, None) => Destination::Folder(folders.tapes.clone()),
    };
    check_place(&place)?;
    let note = args.note.iter().map(|note| ("note".to_owned(), note.clone()));
    let options = RecordOptions {
        split: match args.split {
            SplitBy::Session => Split::Session,
            SplitBy::None => Split::None,
        },
        max_duration: args.max_duration.map(Duration::from_nanos),
        piece: ring.as_ref().map(Ring::piece),
        metadata: note.chain(ring.as_ref().map(Ring::metadata)).collect(),
        ..RecordOptions::new(Some(place))
    };
    let prefix = args.names.clone().unwrap_or_default();
    let places = open::game_places(prefix.clone(), &args.udp)?;
    let asks_echo_vr = places.echo_vr.is_some();
    let sources = game_sources(args.game, places, args.hz);
    if sources.is_empty() {
        return Err(exit::usage(match args.game.is_some_and(|game| game.id == echo_vr::ID) {
            true => {
                "Echo VR is not polled with --names or GAMETAPE_ECHO=off; set GAMETAPE_ECHO=PORT to the port of its API"
            }
            false => "this game cannot be recorded live; `gametape games` lists those that can",
        }));
    }
    let stop = Stop::listen_once()?;
    let capture = sources.into_iter().fold(Capture::new(), Capture::source).again();
    let mut recording = Recording::start(capture, options, &folders.run)?.keeping(ring);
    let games: Vec<&str> = match args.game {
        Some(game) => vec![game.name],
        None => waited_for(asks_echo_vr),
    };
    tell(&format!("waiting for {}; press Ctrl+C to stop", games.join(", ")));
    if !prefix.as_str().is_empty() {
        tell(&format!("shared-memory names start with {}", prefix.as_str()));
    }
    recording.watch(&stop);
    recording.finish(&stop, args.json)
}
