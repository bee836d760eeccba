//! `gametape` without a command: wait for a game, record it, find its laps, keep them, serve them.

use std::path::PathBuf;

use gametape::capture::{Place, RecordOptions, StopFlag, game_sources};
use gametape::control;
use gametape::paths::Folders;
use gametape::sys::Prefix;

use super::record::{parse_prefix, rings, waited_for};
use super::serve::check_reach;
use crate::cli::tell;
use crate::exit::Outcome;
use crate::recording::Recording;
use crate::room::check_place;
use crate::serving::Reach;
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
    reach: Reach,
    /// What stands before the names of the game's memory: for demonstrations and tests
    #[arg(long, value_name = "PREFIX", value_parser = parse_prefix)]
    names: Option<Prefix>,
    #[command(flatten)]
    upstream: UpstreamArgs,
}

pub(crate) fn run(args: &Args) -> anyhow::Result<Outcome> {
    let upstream = args.upstream.read()?;
    let folders = open::folders()?;
    let of_environment = || std::env::var(NAMES).ok().and_then(|names| Prefix::new(&names));
    let prefix = args.names.clone().or_else(of_environment).unwrap_or_default();
    check_that_none_runs(&folders, &prefix)?;
    let place = Place::Folder(folders.tapes.clone());
    check_place(&place)?;
    let stop = Stop::listen_once()?;
    let places = open::game_places(prefix.clone())?;
    let games = waited_for(places.echo_vr.is_some());
    let sources = game_sources(None, places, None);
    let options = RecordOptions::new(Some(place));
    let tapes = (vec![folders.tapes.clone()], vec![rings(&folders)]);
    let mut station = start(tapes, None, upstream, args.reach, None)?;
    let mut recording = Recording::start(sources, &options, &folders.run, || match &mut station {
        Some(station) => station.observers(),
        None => Ok(Vec::new()),
    })?;
    recording = recording.serving(station.as_ref().and_then(Station::address)).of_main_job(prefix.as_str());
    if let (Some(station), Some(names)) = (&station, &args.names) {
        station.play_under(names);
    }
    if let Some((lines, tapes)) = station.as_mut().and_then(Station::lines_and_tapes) {
        recording = recording.with(lines, tapes);
    }
    tell(&format!("waiting for {}; Ctrl+C ends", games.join(", ")));
    if !prefix.as_str().is_empty() {
        tell(&format!("names of memory begin with {}", prefix.as_str()));
    }
    recording.watch(&stop);
    end(&mut recording, station)?;
    recording.finish(&stop, false)
}

/// Refuses to record the same games a second time: each lap would be stored twice.
fn check_that_none_runs(folders: &Folders, prefix: &Prefix) -> anyhow::Result<()> {
    for recorder in control::recorders(&folders.run).unwrap_or_default() {
        // Other recorders, and those that do not answer, are not in the way.
        if !control::ask(&recorder, "main-job").is_ok_and(|names| names == prefix.as_str()) {
            continue;
        }
        let served = match control::ask(&recorder, "server") {
            Ok(address) => format!("its page is {address}"),
            Err(_) => "it serves no page".to_owned(),
        };
        anyhow::bail!(
            "gametape runs already, as process {}, and records every game: {served}; nothing more is needed. To start it anew, end it first with Ctrl+C in its window",
            recorder.process
        );
    }
    Ok(())
}

/// Starts what runs beside a recording, for tapes in these folders but those. A recording is worth more than its laps, which can be made from the tape later:
/// without a store it goes on, unless an address was asked for.
pub(super) fn start(
    (folders, except): (Vec<PathBuf>, Vec<PathBuf>),
    named: Option<&str>,
    upstream: Option<Upstream>,
    reach: Reach,
    in_step: Option<StopFlag>,
) -> anyhow::Result<Option<Station>> {
    let station = store::open_to_stay(named).and_then(|store| {
        check_reach(reach, &*store, "")?;
        Station::start(store, folders, except, upstream, reach, in_step)
    });
    match station {
        Ok(station) => {
            if let Some(address) = station.address() {
                tell(&format!("laps are served on http://{address}"));
            }
            Ok(Some(station))
        }
        Err(error) if reach.is_chosen() => Err(error),
        Err(error) => {
            tell(&format!("warning: only recording, without laps: {error:#}"));
            tell("the laps are not lost: when that is mended, `gametape laps rebuild` finds them on the tapes");
            Ok(None)
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
        if served.failed {
            recording.failed_beside();
        }
        served.end()?;
        recording.say_lines();
    }
    Ok(tapes)
}
