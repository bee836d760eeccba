//! `gametape` without a command: waits for a game, records it, tracks laps, stores and serves them.

use std::path::PathBuf;

use gametape::capture::{Destination, RecordOptions, StopFlag, game_sources};
use gametape::control;
use gametape::paths::Folders;
use gametape::sys::Prefix;

use super::record::{parse_prefix, rings, waited_for};
use super::serve::check_reach;
use crate::cli::tell;
use crate::disk_space::check_place;
use crate::exit::Outcome;
use crate::recording::Recording;
use crate::serving::Reach;
use crate::station::Station;
use crate::stop::Stop;
use crate::udp_args::UdpArgs;
use crate::upstream::{Upstream, UpstreamArgs};
use crate::{open, store};

/// Environment variable with the prefix of the shared-memory names, for tests.
const NAMES: &str = "GAMETAPE_NAMES";

/// Options that are accepted without a command.
#[derive(Debug, Default, clap::Args)]
pub(crate) struct Args {
    #[command(flatten)]
    reach: Reach,
    /// Prefix of the shared-memory names, for demos and tests
    #[arg(long, value_name = "PREFIX", value_parser = parse_prefix)]
    names: Option<Prefix>,
    #[command(flatten)]
    upstream: UpstreamArgs,
    #[command(flatten)]
    udp: UdpArgs,
}

pub(crate) fn run(args: &Args) -> anyhow::Result<Outcome> {
    let upstream = args.upstream.read()?;
    let folders = open::folders()?;
    let of_environment = || std::env::var(NAMES).ok().and_then(|names| Prefix::new(&names));
    let prefix = args.names.clone().or_else(of_environment).unwrap_or_default();
    check_that_none_runs(&folders, &prefix)?;
    let place = Destination::Folder(folders.tapes.clone());
    check_place(&place)?;
    let stop = Stop::listen_once()?;
    let places = open::game_places(prefix.clone(), &args.udp)?;
    let games = waited_for(places.echo_vr.is_some());
    let sources = game_sources(None, places, None);
    let options = RecordOptions::new(Some(place));
    let tapes = (vec![folders.tapes.clone()], vec![rings(&folders)]);
    let mut station = start(tapes, None, upstream, args.reach, None)?;
    let capture = Station::capture(&mut station, sources)?.again();
    let mut recording = Recording::start(capture, options, &folders.run)?;
    recording = recording.serving(station.as_ref().and_then(Station::address)).of_main_job(prefix.as_str());
    if let (Some(station), Some(names)) = (&station, &args.names) {
        station.play_under(names);
    }
    if let Some((lines, tapes)) = station.as_mut().and_then(Station::lines_and_tapes) {
        recording = recording.with(lines, tapes);
    }
    tell(&format!("waiting for {}; press Ctrl+C to stop", games.join(", ")));
    if !prefix.as_str().is_empty() {
        tell(&format!("shared-memory names start with {}", prefix.as_str()));
    }
    recording.watch(&stop);
    end(&mut recording, station)?;
    recording.finish(&stop, false)
}

/// Refuses to record the same games a second time: each lap would be stored twice.
fn check_that_none_runs(folders: &Folders, prefix: &Prefix) -> anyhow::Result<()> {
    for recorder in control::recorders(&folders.run).unwrap_or_default() {
        // Other recorders, and those that do not respond, are no obstacle.
        if !control::ask(&recorder, "main-job").is_ok_and(|names| names == prefix.as_str()) {
            continue;
        }
        let served = match control::ask(&recorder, "server") {
            Ok(address) => format!("its dashboard is at {address}"),
            Err(_) => "it serves no dashboard".to_owned(),
        };
        anyhow::bail!(
            "gametape is already running as process {} and records every game ({served}); to restart it, first press Ctrl+C in its window",
            recorder.process
        );
    }
    Ok(())
}

/// Starts everything that runs beside a recording. Recording is more important than laps, which can be tracked from the tape
/// later: if the store cannot be opened, the recording starts without it, unless an address was requested. Tapes in the
/// excluded folders are not tracked.
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
                tell(&format!("dashboard: http://{address}"));
            }
            Ok(Some(station))
        }
        Err(error) if reach.is_chosen() => Err(error),
        Err(error) => {
            tell(&format!("warning: recording without laps: {error:#}"));
            tell("the laps are not lost: once this is fixed, `gametape laps rebuild` tracks them from the tapes");
            Ok(None)
        }
    }
}

/// Stops the recording, then everything beside it, in order of dependency.
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
