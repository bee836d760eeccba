//! `gametape add`

use std::collections::BTreeSet;
use std::io::Write as _;
use std::path::{Path, PathBuf};

use anyhow::anyhow;
use gametape::store::catalogue::tapes_below;
use serde::Serialize;

use crate::adding::{Adding, InStore, next_step};
use crate::cli::tell;
use crate::exit::{self, Outcome};
use crate::human;
use crate::progress::Bars;
use crate::stop::Stop;

/// Add existing tapes to the store
///
/// Adds each tape to the catalogue, and its sessions and laps to the store, so that `gametape laps` and the dashboard show
/// them. The files stay where they are. A folder stands for all tapes below it. Adding a tape again changes nothing.
#[derive(Debug, clap::Args)]
#[command(after_help = "Examples:
  gametape add race.gtape
  gametape add /archive/tapes ~/Downloads/*.gtape
  gametape add race.gtape --json | jq '.tapes[].laps'

`gametape import` converts files of other programs to tapes and adds those.")]
pub(crate) struct Args {
    /// Tapes, or folders with tapes
    #[arg(required = true, value_name = "TAPE|DIR")]
    tapes: Vec<PathBuf>,
    /// Also add the laps of recordings of a playback
    #[arg(long)]
    playbacks: bool,
    /// Store: a file, postgres://… or demo [env: GAMETAPE_STORE]
    #[arg(long, value_name = "URL")]
    store: Option<String>,
    /// Print one JSON document to stdout
    #[arg(long)]
    json: bool,
}

#[derive(Debug, Serialize)]
struct Report<'a> {
    tapes: &'a [ReportTape],
}

#[derive(Debug, Serialize)]
struct ReportTape {
    path: String,
    tape_id: Option<String>,
    game: Option<String>,
    #[serde(flatten)]
    in_store: InStore,
}

pub(crate) fn run(args: &Args) -> anyhow::Result<Outcome> {
    let (tapes, mut unreadable) = expand(&args.tapes);
    if tapes.is_empty() && unreadable.is_empty() {
        return Err(exit::nothing_found(format!("there is no tape in {}", shown(&args.tapes))));
    }
    let adding = Adding::open(args.store.as_deref())?;
    let stop = Stop::listen_once()?;
    let bars = Bars::on_terminal();
    let bar = bars.add("tapes");
    let mut reports = Vec::new();
    for (number, path) in tapes.iter().enumerate() {
        if stop.wanted() {
            break;
        }
        bar.at(number as u64, tapes.len() as u64);
        reports.push(ReportTape::of(path, adding.add(path, args.playbacks)));
    }
    drop(bar);
    let failed = reports.iter().filter(|report| report.in_store.error.is_some()).count() + unreadable.len();
    let single = tapes.len() + unreadable.len() == 1;
    if single && let Some((path, error)) = first_error(&reports).or_else(|| unreadable.pop()) {
        return Err(anyhow!("cannot add {path}: {error}"));
    }
    for (path, reason) in &unreadable {
        tell(&human::safe(&format!("error: {path}: {reason}")));
    }
    print(args, &reports)?;
    if failed > 0 {
        return Err(anyhow!("{failed} of {} could not be added; see the errors above", tapes.len() + unreadable.len()));
    }
    Ok(if stop.interrupted() { Outcome::Interrupted } else { Outcome::Done })
}

fn print(args: &Args, reports: &[ReportTape]) -> anyhow::Result<()> {
    let mut out = crate::terminal::data();
    if args.json {
        writeln!(out, "{}", serde_json::to_string_pretty(&Report { tapes: reports })?)?;
    } else {
        for report in reports {
            writeln!(out, "{}: {}", human::safe(&report.path), report.in_store.words())?;
        }
    }
    out.flush()?;
    if reports.iter().any(|report| report.in_store.error.is_none()) {
        tell(next_step(reports.iter().any(|report| report.in_store.has_laps())));
    }
    Ok(())
}

fn first_error(reports: &[ReportTape]) -> Option<(String, String)> {
    reports.iter().find_map(|report| Some((report.path.clone(), report.in_store.error.clone()?)))
}

fn shown(paths: &[PathBuf]) -> String {
    paths.iter().map(|path| path.display().to_string()).collect::<Vec<_>>().join(", ")
}

/// Returns all named tapes without duplicates, and the folders that cannot be listed.
fn expand(named: &[PathBuf]) -> (Vec<PathBuf>, Vec<(String, String)>) {
    let (mut tapes, mut unreadable) = (BTreeSet::new(), Vec::new());
    for path in named {
        // The catalogue identifies tapes by absolute path.
        let path = std::path::absolute(path).unwrap_or_else(|_| path.clone());
        if path.is_dir() {
            let (inside, not_listed) = tapes_below(&path);
            tapes.extend(inside);
            unreadable.extend(not_listed.into_iter().map(|(path, reason)| (path.display().to_string(), reason)));
        } else {
            tapes.insert(path);
        }
    }
    (tapes.into_iter().collect(), unreadable)
}

impl ReportTape {
    fn of(path: &Path, in_store: InStore) -> Self {
        Self {
            path: path.display().to_string(),
            tape_id: in_store.tape_id.clone(),
            game: in_store.game.clone(),
            in_store,
        }
    }
}
