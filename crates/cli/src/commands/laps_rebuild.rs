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

/// Find the laps of all tapes again, with the tracker of this version
///
/// Looks through the folder of tapes, and at tapes elsewhere that were imported or added: new, moved and deleted ones are noted in the catalogue. Tapes that this version has tracked already stay as they
/// are, unless --all is given. What you changed (excluded laps, names, notes, tags) stays with the stretch of tape that it was said about.
#[derive(Debug, clap::Args)]
#[command(after_help = "Examples:
  gametape laps rebuild
  gametape laps rebuild --all
  gametape laps rebuild /archive/tapes
  gametape laps rebuild --store postgres://gametape@localhost/laps")]
pub(crate) struct Args {
    /// Folders with tapes; your tapes if left out
    folders: Vec<PathBuf>,
    /// Track all tapes again, also those that this version has seen
    #[arg(long)]
    all: bool,
    /// Keep the laps of recordings of a playback too
    #[arg(long)]
    playbacks: bool,
    /// Store: a file, postgres://…, or demo; GAMETAPE_STORE means the same
    #[arg(long, value_name = "URL")]
    store: Option<String>,
    /// One JSON document on stdout
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

/// The catalogue knows tapes by where they are, wherever it is asked from.
fn absolute(folders: &[PathBuf]) -> anyhow::Result<Vec<PathBuf>> {
    folders
        .iter()
        .map(|folder| match std::path::absolute(folder) {
            Ok(path) if path.is_dir() => Ok(path),
            _ => Err(crate::exit::usage(format!("{} is no folder; name one with tapes in it", folder.display()))),
        })
        .collect()
}

/// Why a tape was skipped, for people.
fn words(why: &Skipped) -> String {
    match why {
        Skipped::Playback => "the recording of a playback; --playbacks keeps its laps".to_owned(),
        Skipped::NoLaps { game } if game.is_empty() => "it says no game, so it has no laps".to_owned(),
        Skipped::NoLaps { game } => format!("{} has no laps", human::safe(game)),
    }
}

/// The same as one word.
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
        (found.back.len(), "back again"),
        (found.missing.len(), "gone; their laps stay"),
        (found.copies.len(), "a copy of another"),
        (done.recording as usize, "being recorded: left to the recorder"),
        (done.skipped.len(), "skipped: playbacks, and games without laps"),
    ];
    for (count, what) in tapes.into_iter().filter(|(count, _)| *count > 0) {
        writeln!(out, "  {:>6} {what}", human::count(count as u64))?;
    }
    writeln!(out, "sessions, stints and laps")?;
    let entries = [
        (kept.new, "new"),
        (kept.changed, "changed"),
        (kept.removed, "removed: they are found no more"),
        (kept.same, "as before"),
        (kept.unattached, "of your changes wait for a lap that they fit"),
    ];
    for (count, what) in entries.into_iter().filter(|(count, _)| *count > 0) {
        writeln!(out, "  {:>6} {what}", human::count(count.into()))?;
    }
    if done.stopped {
        tell("ended before all tapes were tracked; the next `gametape laps rebuild` goes on");
    }
    Ok(())
}
