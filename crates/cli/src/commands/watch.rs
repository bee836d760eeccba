//! `gametape watch`

use std::io::Write;
use std::path::PathBuf;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use anyhow::{Context, anyhow};
use gametape::games::find_game;
use gametape::watch::{
    Environment, Events, Folder, Found, Notice, REPLAY_GAMES, ReplayGame, StopHandle, Watch, WatchError, WatchEvent,
    find_replay_game,
};

use super::watch_report::{ReportFound, plain};
use crate::adding::{Adding, InStore};
use crate::cli::tell;
use crate::exit::{self, Outcome};
use crate::stop::Stop;
use crate::{human, open, time};

/// Shortest interval of `--poll`.
const SHORTEST_POLL: Duration = Duration::from_millis(100);
/// How often Ctrl+C is polled.
const POLL_INTERVAL: Duration = Duration::from_millis(50);

/// Watch replay folders of games and import new replays
///
/// Reports each new file once, when it is complete: after a quiet period without changes, and when the structure of its format shows
/// that nothing is missing. What is still incomplete after five minutes is reported as such. Matches that are folders (Rainbow Six
/// Siege, PUBG) are one report each. Supported files become tapes in your tapes folder, and their laps go to the store; for others,
/// name, size, time and hash are reported. Reported files are remembered, so a restart reports nothing twice. Without DIR, the replay
/// folders of all known games on this machine are watched. Reports go to stdout, one line each.
#[derive(Debug, clap::Args)]
#[command(after_help = "Examples:
  gametape watch                                    all known replay folders
  gametape watch --game rocket-league --existing    including existing files
  gametape watch ~/replays --pattern '*.rec' --archive /mnt/backup
  gametape watch --wine-prefix ~/Games/battlenet    games of Lutris, Heroic or Bottles
  gametape watch /mnt/nas/replays --poll 10s        a drive that does not report changes
  gametape watch --json | jq -r .path

Press Ctrl+C to stop. `gametape games` lists the games and their folders.")]
pub(crate) struct Args {
    /// Folders to watch recursively; they need not exist yet
    #[arg(value_name = "DIR")]
    folders: Vec<PathBuf>,
    /// Only files of this game; `gametape games` lists them
    #[arg(long, value_name = "ID", value_parser = parse_game)]
    game: Option<&'static ReplayGame>,
    /// Files in DIR to report, like *.rec; can be repeated [default: those of all known games]
    #[arg(long, value_name = "GLOB", conflicts_with = "game", requires = "folders")]
    pattern: Vec<String>,
    /// Copy each reported file to this folder; nothing there is overwritten
    #[arg(long, value_name = "DIR")]
    archive: Option<PathBuf>,
    /// Also report existing files, unless they were reported before
    #[arg(long)]
    existing: bool,
    /// Make tapes, but do not use the store
    #[arg(long, conflicts_with = "store")]
    no_store: bool,
    /// Store: a file or postgres://… [env: GAMETAPE_STORE]
    #[arg(long, value_name = "URL")]
    store: Option<String>,
    /// Quiet period after which a file is complete [default: 2s to 5s, depending on the game]
    #[arg(long, value_name = "T", value_parser = time::parse_ns)]
    settle: Option<u64>,
    /// Wine prefix of another launcher than Steam, to find replay folders in; can be repeated
    #[arg(long, value_name = "DIR", conflicts_with = "folders")]
    wine_prefix: Vec<PathBuf>,
    /// Look for changes at this interval instead of waiting for events of the system, as for network drives that send none
    #[arg(long, value_name = "T", value_parser = time::parse_ns)]
    poll: Option<u64>,
    /// Print reports as JSON, one document per line
    #[arg(long)]
    json: bool,
}

fn parse_game(text: &str) -> Result<&'static ReplayGame, String> {
    find_replay_game(text).map_err(|error| match find_game(text) {
        Some(game) => format!("{} has no known replay files; give a DIR and --pattern", game.name),
        None => error.to_string(),
    })
}

pub(crate) fn run(args: &Args) -> anyhow::Result<Outcome> {
    let folders = choose_folders(args)?;
    let data = open::folders()?;
    let adding = (!args.no_store).then(|| Adding::open(args.store.as_deref())).transpose();
    let adding =
        adding.map_err(|error| anyhow!("cannot store the laps: {error:#}; use --no-store to make only tapes"))?;
    let tapes = adding.as_ref().map_or(data.tapes, |adding| adding.tapes.clone());
    let mut watch = Watch::new().import_to(tapes).remember_in(data.watched);
    for folder in &folders {
        watch = watch.folder(folder.clone());
    }
    if let Some(archive) = &args.archive {
        watch = watch.archive_to(archive);
    }
    if let Some(settle_ns) = args.settle {
        watch = watch.settle(Duration::from_nanos(settle_ns));
    }
    if let Some(poll_ns) = args.poll {
        // A poll without a pause would be a busy loop.
        watch = watch.polling(Duration::from_nanos(poll_ns).max(SHORTEST_POLL));
    }
    if args.existing {
        watch = watch.existing();
    }
    let stop = Stop::listen().context("cannot listen for Ctrl+C")?;
    let events = watch.events().map_err(|error| match error {
        WatchError::NotAFolder { .. } | WatchError::ArchiveIsWatched { .. } => exit::usage(error.to_string()),
        error => error.into(),
    })?;
    let totals = tell_all(events, &stop, args.json, &folders, adding.as_ref())?;
    tell(&format!("{} found, {} made", human::counted(totals.found, "file"), human::counted(totals.tapes, "tape")));
    Ok(match (totals.problems, stop.interrupted()) {
        (true, _) => Outcome::Damage,
        (false, true) => Outcome::Interrupted,
        (false, false) => Outcome::Done,
    })
}

/// The result of a watch.
#[derive(Debug, Default)]
struct Totals {
    found: u64,
    tapes: u64,
    problems: bool,
}

/// Reports everything until a stop is requested.
fn tell_all(
    mut events: Events,
    stop: &Stop,
    json: bool,
    folders: &[Folder],
    adding: Option<&Adding>,
) -> anyhow::Result<Totals> {
    let handle = events.stop_handle();
    let over = AtomicBool::new(false);
    std::thread::scope(|scope| {
        scope.spawn(|| end_when_wanted(stop, &handle, &over));
        let mut totals = Totals::default();
        let mut result = Ok(());
        while let Some(event) = events.next() {
            match event {
                WatchEvent::Found(found) => {
                    let in_store = adding.zip(found.tape()).map(|(adding, tape)| adding.add(tape, false));
                    totals.problems |= in_store.as_ref().is_some_and(|in_store| in_store.error.is_some());
                    result = write_line(&found, in_store, json);
                    if result.is_err() {
                        // The line was not delivered.
                        events.give_back();
                        break;
                    }
                    totals.found += 1;
                    totals.tapes += u64::from(found.was_imported());
                    totals.problems |= found.has_problems();
                }
                WatchEvent::Notice(notice) => {
                    totals.problems |= matches!(notice, Notice::NotRemembered { .. } | Notice::MemoryDamaged { .. });
                    tell(&notice_text(&notice, folders));
                }
            }
        }
        over.store(true, Ordering::Relaxed);
        result?;
        Ok(totals)
    })
}

/// Forwards the stop flags that signal handlers set to the watch.
fn end_when_wanted(stop: &Stop, handle: &StopHandle, over: &AtomicBool) {
    while !over.load(Ordering::Relaxed) {
        if stop.wanted() {
            return handle.stop();
        }
        std::thread::sleep(POLL_INTERVAL);
    }
}

fn write_line(found: &Found, in_store: Option<InStore>, json: bool) -> anyhow::Result<()> {
    let mut line = match json {
        true => serde_json::to_string(&ReportFound::of(found, in_store))?,
        false => plain(found, in_store.as_ref()),
    };
    line.push('\n');
    let mut stdout = crate::terminal::data();
    // In one write, so that a reader never sees half a line.
    stdout.write_all(line.as_bytes())?;
    stdout.flush()?;
    Ok(())
}

fn notice_text(notice: &Notice, folders: &[Folder]) -> String {
    let about = match notice {
        Notice::Watching { folder, .. } | Notice::WaitingFor { folder } => {
            let watched =
                folders.iter().find(|watched| std::path::absolute(watched.path()).is_ok_and(|path| path == *folder));
            watched.map(|folder| format!(" ({})", folder_text(folder))).unwrap_or_default()
        }
        _ => String::new(),
    };
    human::safe(&format!("{notice}{about}"))
}

/// `rocket-league: *.replay`.
fn folder_text(folder: &Folder) -> String {
    let patterns: Vec<String> = folder.patterns().iter().map(ToString::to_string).collect();
    let patterns = patterns.join(", ");
    folder.game().map(|game| format!("{game}: {patterns}")).unwrap_or(patterns)
}

/// Returns the named folders, or the replay folders of games on this machine.
fn choose_folders(args: &Args) -> anyhow::Result<Vec<Folder>> {
    if args.folders.is_empty() {
        return default_folders(args.game, &args.wine_prefix);
    }
    let folder = |path: &PathBuf| match args.game {
        Some(game) => Folder::of_game(path, game).map(Folder::recursive),
        None if args.pattern.is_empty() => Ok(Folder::of_any_game(path)),
        None => args.pattern.iter().try_fold(Folder::new(path).recursive(), |folder, pattern| folder.pattern(pattern)),
    };
    args.folders.iter().map(|path| folder(path).map_err(|error| exit::usage(error.to_string()))).collect()
}

/// Returns the replay folders that exist. Those whose file names are not known are watched only if their game is asked for.
fn default_folders(game: Option<&'static ReplayGame>, prefixes: &[PathBuf]) -> anyhow::Result<Vec<Folder>> {
    let machine = prefixes.iter().fold(Environment::of_this_machine(), |machine, prefix| machine.wine_prefix(prefix));
    let games = REPLAY_GAMES.iter().filter(|known| game.is_none_or(|game| game == *known));
    let candidates: Vec<Folder> = games.flat_map(|game| machine.replay_folders(game)).collect();
    let wanted = |folder: &&Folder| game.is_some() || !folder.patterns().is_empty();
    let folders: Vec<Folder> =
        candidates.iter().filter(wanted).filter(|folder| folder.path().is_dir()).cloned().collect();
    if folders.is_empty() {
        let looked_for = match game {
            Some(_) if candidates.is_empty() => "nothing, since there is no Steam and no documents folder".into(),
            Some(_) => {
                let paths: Vec<_> = candidates.iter().map(|folder| folder.full_path().display().to_string()).collect();
                paths.join(", ")
            }
            None => format!("those of {} games, which `gametape games --json` lists", REPLAY_GAMES.len()),
        };
        return Err(exit::nothing_found(format!(
            "there is no replay folder on this machine (looked for {}); name a folder, as in `gametape watch DIR`, or start the game once",
            human::safe(&looked_for)
        )));
    }
    Ok(folders)
}
