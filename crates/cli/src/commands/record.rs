//! `gametape record`

use std::path::PathBuf;
use std::time::Duration;

use anyhow::{Context as _, anyhow};
use gametape::capture::{Place, RecordOptions, Split, game_sources};
use gametape::games::{GAMES, Game, echo_vr, find_game};
use gametape::keep_last::Ring;
use gametape::paths::Folders;
use gametape::sys::Prefix;

use crate::cli::tell;
use crate::exit::{self, Outcome};
use crate::recording::Recording;
use crate::room::check_place;
use crate::stop::Stop;
use crate::{open, time};

/// Wait for a game and record it, nothing else
///
/// Waits for any supported game, records it while it runs and waits again. A new session of the game gets a new tape. Ctrl+C
/// closes the tape and ends; a second Ctrl+C ends at once, and `gametape recover` then makes the tape whole: nothing that was
/// recorded is lost. The paths of the tapes go to stdout.
#[derive(Debug, Default, clap::Args)]
#[command(after_help = "Examples:
  gametape record
  gametape record --game acc --hz 333 --note \"new dampers\"
  gametape record -o race.gtape --max-duration 1h
  gametape record --keep-last 2m          and `gametape save` when something happened
  gametape record --names demo-1234-      what `gametape demo` plays
  gametape record --game echo-vr --hz 60

Times: 90, 1:30.5, 10m, 250ms.

On Linux a game in Wine or Proton is read without a bridge. GAMETAPE_WINE=off looks into no process;
GAMETAPE_WINE=NAME.exe (or a process number) looks into that one, whatever it is called and also with --names.

Echo VR is asked over HTTP on 127.0.0.1, ports 6721 to 6730; its API must be switched on in the game's settings. GAMETAPE_ECHO=off asks nobody;
GAMETAPE_ECHO=PORT, PORT-PORT, HOST or HOST:PORT asks there, also with --names: a Quest headset in the same network, for example.")]
pub(crate) struct Args {
    /// Only this game; `gametape games` lists them
    #[arg(long, value_name = "ID", value_parser = parse_game)]
    game: Option<&'static Game>,
    /// Samples a second, 1 to 1000; 100 for the Assetto Corsa family, 30 for Echo VR and every tick for iRacing if left out
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..=1000))]
    hz: Option<u32>,
    /// What stands before the names of the game's memory: for demonstrations and tests
    #[arg(long, value_name = "PREFIX", value_parser = parse_prefix)]
    names: Option<Prefix>,
    /// The tape to make; one in the tapes folder, named by game, track and time, if left out
    #[arg(short, long, value_name = "FILE")]
    output: Option<PathBuf>,
    /// End when a tape is this long
    #[arg(long, value_name = "T", value_parser = time::parse_ns)]
    max_duration: Option<u64>,
    /// When a new tape begins
    #[arg(long, value_enum, default_value_t)]
    split: SplitBy,
    /// Keep only the last part, at least 2 s and at most an hour; `gametape save` makes a tape of it
    #[arg(long, value_name = "T", value_parser = parse_keep_last, conflicts_with_all = ["output", "max_duration"])]
    keep_last: Option<Duration>,
    /// A text that goes onto the tape
    #[arg(long, value_name = "TEXT")]
    note: Option<String>,
    /// One JSON document on stdout at the end
    #[arg(long)]
    json: bool,
}

#[derive(Debug, Clone, Copy, Default, clap::ValueEnum)]
enum SplitBy {
    /// With each session of the game
    #[default]
    Session,
    /// Never while the recorder runs
    None,
}

/// Names of the games that are waited for.
pub(crate) fn waited_for(asks_echo_vr: bool) -> Vec<&'static str> {
    GAMES.iter().filter(|game| asks_echo_vr || game.id != echo_vr::ID).map(|game| game.name).collect()
}

/// A game by its id or an alias.
pub(crate) fn parse_game(text: &str) -> Result<&'static Game, String> {
    find_game(text).ok_or_else(|| {
        let known: Vec<&str> = GAMES.iter().map(|game| game.id).collect();
        format!("known games are {}", known.join(", "))
    })
}

/// A prefix of memory names.
pub(crate) fn parse_prefix(text: &str) -> Result<Prefix, String> {
    Prefix::new(text).ok_or_else(|| "a prefix has at most 64 letters, digits, dashes, dots and underscores".into())
}

fn parse_keep_last(text: &str) -> Result<Duration, String> {
    let length = Duration::from_nanos(time::parse_ns(text)?);
    let sensible = (Duration::from_secs(2)..=Duration::from_secs(3600)).contains(&length);
    if sensible { Ok(length) } else { Err("at least 2 s and at most an hour can be kept".into()) }
}

/// Where pieces of recordings that keep only their last part are.
pub(crate) fn rings(folders: &Folders) -> PathBuf {
    folders.tapes.join("keep-last")
}

pub(crate) fn run(args: &Args) -> anyhow::Result<Outcome> {
    let folders = open::folders()?;
    let ring = args.keep_last.map(|length| Ring::new(&rings(&folders), length)).transpose();
    let ring = ring.with_context(|| format!("cannot make a folder in {}", rings(&folders).display()))?;
    let place = match (&ring, &args.output) {
        (Some(ring), _) => ring.place(),
        (None, Some(file)) if file.exists() => {
            return Err(anyhow!("{} exists already; nothing was overwritten: name another file", file.display()));
        }
        (None, Some(file)) => Place::File(file.clone()),
        (None, None) => Place::Folder(folders.tapes.clone()),
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
    let places = open::game_places(prefix.clone())?;
    let asks_echo_vr = places.echo_vr.is_some();
    let sources = game_sources(args.game, places, args.hz);
    if sources.is_empty() {
        return Err(exit::usage(match args.game.is_some_and(|game| game.id == echo_vr::ID) {
            true => {
                "Echo VR is not asked under --names, nor with GAMETAPE_ECHO=off; GAMETAPE_ECHO=PORT says where it is"
            }
            false => "this game cannot be recorded live; `gametape games` says what can",
        }));
    }
    let stop = Stop::listen_once()?;
    let mut recording = Recording::start(sources, &options, &folders.run, || Ok(Vec::new()))?.keeping(ring);
    let games: Vec<&str> = match args.game {
        Some(game) => vec![game.name],
        None => waited_for(asks_echo_vr),
    };
    tell(&format!("waiting for {}; Ctrl+C ends", games.join(", ")));
    if !prefix.as_str().is_empty() {
        tell(&format!("names of memory begin with {}", prefix.as_str()));
    }
    recording.watch(&stop);
    recording.finish(&stop, args.json)
}
