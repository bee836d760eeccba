//! `gametape laps rebuild`

use std::io::Write as _;
use std::path::PathBuf;

use gametape::paths::this_machine;
use gametape::store::catalogue::Look;
use gametape::store::{CatchUp, CaughtUp, Skipped, catch_up};
use serde_json::json;

use super::record::rings;
use crate::cli::tell;
use crate::exit::Outcome;
use crate::progress::Bars;
use crate::stop::Stop;
use crate::{human, open, store};

/// Track the laps of all tapes again with this version
///
/// Scans the tapes folder, and tapes elsewhere that were imported or added, and updates the catalogue with new, moved and
/// deleted ones. Tapes that this version has already tracked are skipped unless --all is given. Your edits (excluded laps,
/// names, notes, tags) stay attached to the part of the tape that they refer to.
#[derive(Debug, clap::Args)]
#[command(after_help = "Examples:
  gametape laps rebuild
  gametape laps rebuild --all
  gametape laps rebuild /archive/tapes
  gametape laps rebuild --store postgres://gametape@localhost/laps")]
pub(crate) struct Args {
    /// Folders with tapes [default: your tapes folder]
    folders: Vec<PathBuf>,
    /// Track all tapes again, including those already tracked by this version
    #[arg(long)]
    all: bool,
    /// Also keep the laps of recordings of a playback
    #[arg(long)]
    playbacks: bool,
    /// Store: a file, postgres://… or demo [env: GAMETAPE_STORE]
    #[arg(long, value_name = "URL")]
    store: Option<String>,
    /// Print one JSON document to stdout
    #[arg(long)]
    json: bool,
}

pub(super) fn run(args: &Args) -> anyhow::Result<Outcome> {
    let known = open::folders()?;
    let of_store = if args.store.as_deref() == Some(store::DEMO) { known.demo.clone() } else { known.tapes.clone() };
    let folders = if args.folders.is_empty() { vec![of_store] } else { absolute(&args.folders)? };
    let store = store::open(args.store.as_deref())?;
    let (place, except) = (this_machine(), [rings(&known)]);
    let look =
        Look { place: &place, folders: &folders, except: &except, elsewhere: args.folders.is_empty(), checksums: true };
    let wish = CatchUp { look, all: args.all, keep_replays: args.playbacks };
    let stop = Stop::listen_once()?;
    let bars = Bars::on_terminal();
    let bar = bars.add("tapes");
    let done = catch_up(&store, &wish, &mut |number, count, _| {
        bar.at(number as u64, count as u64);
        !stop.wanted()
    })?;
    drop(bar);
    for (path, reason) in done.failed.iter().chain(&done.found.unreadable) {
        tell(&format!("{}: {}", path.display(), human::safe(reason)));
    }
    if !args.json {
        for (path, why) in &done.skipped {
            tell(&format!("{}: skipped: {}", human::safe(&path.display().to_string()), words(why)));
        }
    }
    print(args, &done)?;
    let failed = !done.failed.is_empty() || !done.found.unreadable.is_empty();
    Ok(if stop.interrupted() { Outcome::Interrupted } else { Outcome::damaged_if(failed) })
}

/// The catalogue identifies tapes by absolute path.
fn absolute(folders: &[PathBuf]) -> anyhow::Result<Vec<PathBuf>> {
    folders
        .iter()
        .map(|folder| match std::path::absolute(folder) {
            Ok(path) if path.is_dir() => Ok(path),
            _ => Err(crate::exit::usage(format!("{} is not a folder; name a folder with tapes", folder.display()))),
        })
        .collect()
}

/// Describes why a tape was skipped.
fn words(why: &Skipped) -> String {
    match why {
        Skipped::Playback => "a recording of a playback; --playbacks keeps its laps".to_owned(),
        Skipped::NoLaps { game } if game.is_empty() => "the tape names no game, so it has no laps".to_owned(),
        Skipped::NoLaps { game } => format!("{} has no laps", human::safe(game)),
    }
}

/// Returns the reason as a code.
fn code(why: &Skipped) -> &'static str {
    match why {
        Skipped::Playback => "playback",
        Skipped::NoLaps { .. } => "no_laps",
    }
}

fn print(args: &Args, done: &CaughtUp) -> anyhow::Result<()> {
    let (found, kept) = (&done.found, &done.replaced);
    let mut out = crate::terminal::data();
    if args.json {
        let document = json!({
            "tapes": { "tracked": done.tracked, "failed": done.failed.len(), "recording": done.recording, "new": found.new.len(),
                "changed": found.changed.len(), "moved": found.moved.len(), "back": found.back.len(), "missing": found.missing.len(),
                "copies": found.copies.len(), "unreadable": found.unreadable.len(), "skipped": done.skipped.len() },
            "skipped": done.skipped.iter().map(|(path, why)| json!({ "path": path.display().to_string(), "reason": code(why) })).collect::<Vec<_>>(),
            "entries": { "new": kept.new, "changed": kept.changed, "same": kept.same, "removed": kept.removed, "unattached": kept.unattached },
        });
        writeln!(out, "{document}")?;
        return Ok(());
    }
    writeln!(out, "{} tracked", human::counted(done.tracked.into(), "tape"))?;
    let tapes = [
        (found.new.len(), "new"),
        (found.changed.len(), "changed"),
        (found.moved.len(), "moved"),
        (found.back.len(), "found again"),
        (found.missing.len(), "missing; their laps are kept"),
        (found.copies.len(), "copies of another tape"),
        (done.recording as usize, "still being recorded; their recorder tracks them"),
        (done.skipped.len(), "skipped (playbacks, and games without laps)"),
    ];
    for (count, what) in tapes.into_iter().filter(|(count, _)| *count > 0) {
        writeln!(out, "  {:>6} {what}", human::count(count as u64))?;
    }
    writeln!(out, "sessions, stints and laps")?;
    let entries = [
        (kept.new, "new"),
        (kept.changed, "changed"),
        (kept.removed, "removed (no longer found)"),
        (kept.same, "unchanged"),
        (kept.unattached, "of your edits match no lap yet"),
    ];
    for (count, what) in entries.into_iter().filter(|(count, _)| *count > 0) {
        writeln!(out, "  {:>6} {what}", human::count(count.into()))?;
    }
    if done.stopped {
        tell("stopped before all tapes were tracked; run `gametape laps rebuild` again to continue");
    }
    Ok(())
}
