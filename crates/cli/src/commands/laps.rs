//! `gametape laps`

use std::io::Write as _;
use std::path::PathBuf;

use super::laps_csv::write_csv;
use super::laps_filter::Filters;
use super::laps_report::{Report, ReportSession};
use super::{laps_cars, laps_edit, laps_rebuild, laps_store, laps_table, of_lap};
use crate::exit::{self, Outcome};
use crate::open;

/// List sessions, laps and sectors of the store or of tapes
///
/// `*` marks the best lap of a session, `!` a lap that the game counts as invalid, `~` a time that was measured instead of
/// reported by the game. The first column is the lap's number on the tape, for `cut --lap`, `play --lap` and `compare TAPE#N`.
#[derive(Debug, clap::Args)]
#[command(
    args_conflicts_with_subcommands = true,
    after_help = "Examples:
  gametape laps                              the newest sessions of the store
  gametape laps --track monza --valid --since 2026-01-31
  gametape laps race.gtape --valid --phase flying
  gametape laps *.gtape --json | jq '.sessions[].laps[].time_ms'
  gametape laps --limit 0 --csv > laps.csv
  gametape laps --all-cars --limit 1         standings of the newest session
  gametape laps --store demo                 laps of `gametape demo`
  gametape laps rebuild                      track all tapes again
  gametape laps exclude race.gtape#3         leave a lap out of bests; also delete, note

Tracks, cars and drivers match by part of their name, ignoring case; an exact match takes precedence. Dates are UTC."
)]
pub(crate) struct Args {
    #[command(subcommand)]
    action: Option<Action>,
    /// The tapes [default: the store]
    files: Vec<PathBuf>,
    #[command(flatten)]
    filters: Filters,
    /// Store: a file, postgres://… or demo [env: GAMETAPE_STORE]
    #[arg(long, value_name = "URL", conflicts_with = "files")]
    store: Option<String>,
    /// Maximum number of sessions from the store, newest first; 0 for all
    #[arg(long, value_name = "N", default_value_t = 20, conflicts_with = "files")]
    limit: usize,
    /// Print one JSON document to stdout; unknown values are null
    #[arg(long, conflicts_with = "csv")]
    json: bool,
    /// Show all cars of each session and their laps, in games that report them; filters select sessions
    #[arg(long, conflicts_with_all = ["valid", "phase"])]
    all_cars: bool,
    /// Print one CSV line per lap
    #[arg(long)]
    csv: bool,
}

#[derive(Debug, clap::Subcommand)]
enum Action {
    Rebuild(laps_rebuild::Args),
    /// Remove laps or sessions from all lists; `restore` brings them back
    #[command(after_help = "Examples:
  gametape laps delete race.gtape#3
  gametape laps delete 0123456789abcdef0123456789abcdef --json")]
    Delete(laps_edit::Args),
    /// Restore deleted laps or sessions
    #[command(after_help = "Example:
  gametape laps restore race.gtape#3")]
    Restore(laps_edit::Args),
    /// Exclude laps from bests and statistics; `include` undoes it
    #[command(after_help = "Example:
  gametape laps exclude race.gtape#3")]
    Exclude(laps_edit::Args),
    /// Include excluded laps again
    #[command(after_help = "Example:
  gametape laps include race.gtape#3")]
    Include(laps_edit::Args),
    /// Attach a note to a lap or a session
    #[command(after_help = "Example:
  gametape laps note race.gtape#3 \"new tyres\"")]
    Note(laps_edit::NoteArgs),
}

/// The sessions to show, each with its tape.
#[derive(Default)]
pub(super) struct Shown {
    pub(super) sessions: Vec<(String, ReportSession)>,
    /// The number of sessions before filtering.
    pub(super) found: usize,
    pub(super) damaged: bool,
}

pub(crate) fn run(args: &Args) -> anyhow::Result<Outcome> {
    match &args.action {
        None => show(args),
        Some(Action::Rebuild(args)) => laps_rebuild::run(args),
        Some(Action::Delete(args)) => laps_edit::delete(args),
        Some(Action::Restore(args)) => laps_edit::restore(args),
        Some(Action::Exclude(args)) => laps_edit::exclude(args),
        Some(Action::Include(args)) => laps_edit::include(args),
        Some(Action::Note(args)) => laps_edit::note(args),
    }
}

fn show(args: &Args) -> anyhow::Result<Outcome> {
    let shown = match args.files.as_slice() {
        [] => laps_store::read(args.store.as_deref(), &args.filters, args.limit, args.all_cars)?,
        files => of_files(files, &args.filters, args.all_cars)?,
    };
    let mut out = Vec::new();
    let (empty, found, damaged) = (shown.sessions.is_empty(), shown.found, shown.damaged);
    if args.json {
        let sessions = shown.sessions.into_iter().map(|(_, session)| session).collect();
        serde_json::to_writer_pretty(&mut out, &Report { sessions }).map_err(std::io::Error::from)?;
        writeln!(out)?;
    } else if args.csv && args.all_cars {
        laps_cars::write_csv(&mut out, shown.sessions.iter().map(|(tape, session)| (tape.as_str(), session)))?;
    } else if args.csv {
        write_csv(&mut out, shown.sessions.iter().map(|(tape, session)| (tape.as_str(), session)))?;
    } else {
        let mut before = None;
        for (tape, session) in &shown.sessions {
            if args.files.len() > 1 && before.replace(tape) != Some(tape) {
                writeln!(out, "{}", crate::human::safe(tape))?;
            }
            match args.all_cars {
                true => laps_cars::write_cars(&mut out, session)?,
                false => laps_table::write_session(&mut out, session)?,
            }
            writeln!(out)?;
        }
    }
    let mut stdout = if args.json || args.csv { crate::terminal::data() } else { crate::terminal::human() };
    stdout.write_all(&out)?;
    stdout.flush()?;
    match (empty, found) {
        (false, _) => Ok(Outcome::damaged_if(damaged)),
        (true, 0) if !args.files.is_empty() => Err(exit::nothing_found(
            "the tape has no sessions: nothing was driven while it was recorded, or the game has no laps, like Echo VR; use `gametape cat --events` to list its events",
        )),
        (true, _) => Err(exit::nothing_found("no session or lap matches the filters; remove a filter")),
    }
}

fn of_files(files: &[PathBuf], filters: &Filters, all_cars: bool) -> anyhow::Result<Shown> {
    let mut shown = Shown::default();
    let (mut paths, mut all) = (Vec::new(), Vec::new());
    for path in files {
        let tape = open::tape(path)?;
        let tracked = of_lap::tracked(&tape, path)?;
        shown.damaged |= tracked.damaged > 0 || tape.problems().iter().any(open::is_damage);
        paths.extend(tracked.sessions.iter().map(|_| path.display().to_string()));
        all.extend(tracked.sessions.iter().map(|session| {
            let cars = all_cars.then(|| laps_cars::of_tracked(&session.cars));
            ReportSession { cars, ..ReportSession::of(session) }
        }));
    }
    shown.found = all.len();
    let names = filters.names_in(&all);
    let left = paths.into_iter().zip(all).filter_map(|(path, session)| Some((path, filters.left_of(session, &names)?)));
    shown.sessions.extend(left);
    Ok(shown)
}
