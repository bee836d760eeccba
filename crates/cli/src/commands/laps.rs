//! `gametape laps`

use std::io::Write as _;
use std::path::PathBuf;

use super::laps_csv::write_csv;
use super::laps_filter::Filters;
use super::laps_report::{Report, ReportSession};
use super::{laps_edit, laps_rebuild, laps_store, laps_table, of_lap};
use crate::exit::{self, Outcome};
use crate::open;

/// Sessions, laps and sectors, of the store or of tapes
///
/// A lap is marked `*` where it is the best of its session, `!` where the game does not count it, `~` where its time is measured and not the game's.
/// The first number is the lap's number on the tape, for `cut --lap`, `play --lap` and `compare TAPE#N`.
#[derive(Debug, clap::Args)]
#[command(
    args_conflicts_with_subcommands = true,
    after_help = "Examples:
  gametape laps                              the newest sessions of the store
  gametape laps --track monza --valid --since 2026-01-31
  gametape laps race.gtape --valid --phase flying
  gametape laps *.gtape --json | jq '.sessions[].laps[].time_ms'
  gametape laps --limit 0 --csv > laps.csv
  gametape laps --store demo                 what `gametape demo` drove
  gametape laps rebuild                      find the laps of all tapes again
  gametape laps exclude race.gtape#3         take a lap out of bests; also delete, note

Names of tracks, cars and drivers match in part and in any case of letters; a name that is exactly as typed wins. Dates are UTC."
)]
pub(crate) struct Args {
    #[command(subcommand)]
    action: Option<Action>,
    /// The tapes; the store if left out
    files: Vec<PathBuf>,
    #[command(flatten)]
    filters: Filters,
    /// Store: a file, postgres://…, or demo; GAMETAPE_STORE means the same
    #[arg(long, value_name = "URL", conflicts_with = "files")]
    store: Option<String>,
    /// Sessions of the store at most, newest first; 0 is all
    #[arg(long, value_name = "N", default_value_t = 20, conflicts_with = "files")]
    limit: usize,
    /// One JSON document on stdout; what is not known is null
    #[arg(long, conflicts_with = "csv")]
    json: bool,
    /// A line for each lap
    #[arg(long)]
    csv: bool,
}

#[derive(Debug, clap::Subcommand)]
enum Action {
    Rebuild(laps_rebuild::Args),
    /// Take laps or sessions out of every list; `restore` brings them back
    #[command(after_help = "Examples:
  gametape laps delete race.gtape#3
  gametape laps delete 0123456789abcdef0123456789abcdef --json")]
    Delete(laps_edit::Args),
    /// Bring deleted laps or sessions back
    #[command(after_help = "Example:
  gametape laps restore race.gtape#3")]
    Restore(laps_edit::Args),
    /// Take laps out of bests and statistics; `include` takes that back
    #[command(after_help = "Example:
  gametape laps exclude race.gtape#3")]
    Exclude(laps_edit::Args),
    /// Let excluded laps count again
    #[command(after_help = "Example:
  gametape laps include race.gtape#3")]
    Include(laps_edit::Args),
    /// Put a note to a lap or a session
    #[command(after_help = "Example:
  gametape laps note race.gtape#3 \"new tyres\"")]
    Note(laps_edit::NoteArgs),
}

/// What is shown: sessions, each with the tape that it is from.
#[derive(Default)]
pub(super) struct Shown {
    pub(super) sessions: Vec<(String, ReportSession)>,
    /// Sessions that were looked at.
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
        [] => laps_store::read(args.store.as_deref(), &args.filters, args.limit)?,
        files => of_files(files, &args.filters)?,
    };
    let mut out = Vec::new();
    let (empty, found, damaged) = (shown.sessions.is_empty(), shown.found, shown.damaged);
    if args.json {
        let sessions = shown.sessions.into_iter().map(|(_, session)| session).collect();
        serde_json::to_writer_pretty(&mut out, &Report { sessions }).map_err(std::io::Error::from)?;
        writeln!(out)?;
    } else if args.csv {
        write_csv(&mut out, shown.sessions.iter().map(|(tape, session)| (tape.as_str(), session)))?;
    } else {
        let mut before = None;
        for (tape, session) in &shown.sessions {
            if args.files.len() > 1 && before.replace(tape) != Some(tape) {
                writeln!(out, "{}", crate::human::safe(tape))?;
            }
            laps_table::write_session(&mut out, session)?;
            writeln!(out)?;
        }
    }
    let mut stdout = if args.json || args.csv { crate::terminal::data() } else { crate::terminal::human() };
    stdout.write_all(&out)?;
    stdout.flush()?;
    match (empty, found) {
        (false, _) => Ok(Outcome::damaged_if(damaged)),
        (true, 0) => Err(exit::nothing_found(
            "no session is on the tape; the game was never driven while it was recorded, or has no laps, as Echo VR: `gametape cat --events` says what happened in it",
        )),
        (true, _) => Err(exit::nothing_found("no session and no lap is as you asked; leave a filter out")),
    }
}

fn of_files(files: &[PathBuf], filters: &Filters) -> anyhow::Result<Shown> {
    let mut shown = Shown::default();
    let (mut paths, mut all) = (Vec::new(), Vec::new());
    for path in files {
        let tape = open::tape(path)?;
        let tracked = of_lap::tracked(&tape, path)?;
        shown.damaged |= tracked.damaged > 0 || tape.problems().iter().any(open::is_damage);
        paths.extend(tracked.sessions.iter().map(|_| path.display().to_string()));
        all.extend(tracked.sessions.iter().map(ReportSession::of));
    }
    shown.found = all.len();
    let names = filters.names_in(&all);
    let left = paths.into_iter().zip(all).filter_map(|(path, session)| Some((path, filters.left_of(session, &names)?)));
    shown.sessions.extend(left);
    Ok(shown)
}
