//! `gametape` without a command: wait for a game, record it, find its laps, keep them, serve them.

use std::path::PathBuf;

use gametape::capture::{Place, RecordOptions, game_sources};
use gametape::sys::Prefix;

use super::record::{rings, waited_for};
use crate::cli::tell;
use crate::exit::Outcome;
use crate::recording::Recording;
use crate::station::Station;
use crate::stop::Stop;
use crate::upstream::{Upstream, UpstreamArgs};
use crate::{open, store};

/// Environment variable with what stands before the names of the game's memory: for tests.
const NAMES: &str = "GAMETAPE_NAMES";

/// What may be said without a command.
#[derive(Debug, Default, clap::Args)]
pub(crate) struct Args {
    #[command(flatten)]
    upstream: UpstreamArgs,
}

pub(crate) fn run(args: &Args) -> anyhow::Result<Outcome> {
    let upstream = args.upstream.read()?;
    let folders = open::folders()?;
    let stop = Stop::listen_once()?;
    let prefix = std::env::var(NAMES).ok().and_then(|names| Prefix::new(&names)).unwrap_or_default();
    let places = open::game_places(prefix)?;
    let games = waited_for(places.echo_vr.is_some());
    let sources = game_sources(None, places, None);
    let options = RecordOptions::new(Some(Place::Folder(folders.tapes.clone())));
    let mut station = start(vec![folders.tapes.clone()], vec![rings(&folders)], None, upstream);
    let mut recording = Recording::start(sources, &options, &folders.run, || match &mut station {
        Some(station) => station.observers(),
        None => Ok(Vec::new()),
    })?;
    recording = recording.serving(station.as_ref().and_then(Station::address));
    if let Some((lines, tapes)) = station.as_mut().and_then(Station::lines_and_tapes) {
        recording = recording.with(lines, tapes);
    }
    tell(&format!("waiting for {}; Ctrl+C ends", games.join(", ")));
    recording.watch(&stop);
    end(&mut recording, station)?;
    recording.finish(&stop, false)
}

/// Starts what runs beside a recording. A recording is worth more than its laps, which can be made from the tape later: without a store it goes on.
pub(super) fn start(
    folders: Vec<PathBuf>,
    except: Vec<PathBuf>,
    named: Option<&str>,
    upstream: Option<Upstream>,
) -> Option<Station> {
    let station = store::open_to_stay(named).and_then(|store| Station::start(store, folders, except, upstream));
    match station {
        Ok(station) => {
            if let Some(address) = station.address() {
                tell(&format!("laps are served on http://{address}"));
            }
            Some(station)
        }
        Err(error) => {
            tell(&format!("warning: only recording, without laps: {error:#}"));
            tell("the laps are not lost: when that is mended, `gametape laps rebuild` finds them on the tapes");
            None
        }
    }
}

/// Ends the recording, then what runs beside it, in the order in which things hang together.
pub(super) fn end(recording: &mut Recording, station: Option<Station>) -> anyhow::Result<Vec<PathBuf>> {
    let tapes = recording.end();
    if let Some(station) = station {
        recording.forget_tapes();
        let served = station.end_laps();
        recording.say_lines();
        served.end()?;
        recording.say_lines();
    }
    Ok(tapes)
}
