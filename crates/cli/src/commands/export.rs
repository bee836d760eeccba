//! `gametape export`

use std::io::Write as _;
use std::path::{Path, PathBuf};

use anyhow::Context as _;
use gametape::export::{Columns, RowFormat, choose, export_rows};
use gametape::format::read::{ReadError, Tape};
use gametape::import::import;
use gametape::laps::{Tracked, track_tape};
use gametape::names::{EXTENSION, free_path};
use serde_json::json;

use super::export_captures::Capture;
use super::export_files::{ExportFiles, Scratch};
use super::{export_captures, export_summary};
use crate::cli::tell;
use crate::exit::{self, Outcome};
use crate::progress::{Bar, Bars};
use crate::report_page::{About, NO_PAGE, ReportPage};
use crate::stop::Stop;
use crate::{human, open};

/// Write tapes as tables that other programs read, or as a page to look at
///
/// Tables (csv, jsonl): a row stands at each moment at which one of the streams has a frame; slower streams keep what they said last. Before the channels come the time in
/// nanoseconds and in seconds since the beginning of the tape, UTC, the lap (its number on the tape) and the distance from the line. Numbers are exact, with a decimal
/// point.
///
/// A page (html): one file that a browser opens from disk, with laps, traces, map and comparison. It is below 15 MB however long the tape is, and asks nothing of
/// the network.
///
/// Captures of Echo VR (echoreplay, v2-tape, nevrcap): files that other tools of the game read. What was imported from such a file comes back the same to the byte: its lines, its records.
/// Every one of them can be made of every other. Here a folder stands for the files in it, and `--jobs` says how many are written at the same time.
///
/// The source is never touched, and nothing is overwritten: a name that is taken gets a number.
#[derive(Debug, clap::Args)]
#[command(after_help = "Examples:
  gametape export                                   the newest tape, as CSV beside it
  gametape export --to html                         the newest tape, as a page for the browser
  gametape export race.gtape --to csv,html
  gametape export race.gtape --to csv,jsonl --channels speedKmh,gas,brake,gear
  gametape export race.gtape --per-lap -o laps/
  gametape export old.ibt --to csv
  gametape export match.gtape --to echoreplay       Echo VR, for its replay tools
  gametape export old/ --to v2-tape -o new/         a folder of .echoreplay files as Telemetry V2
  gametape export match.tape --to v2-tape --schema seed")]
pub(crate) struct Args {
    /// Tapes, or any file that `gametape import` reads; the newest tape if left out
    pub(super) files: Vec<PathBuf>,
    /// csv (if left out), jsonl, html; of Echo VR also echoreplay, v2-tape (.tape), nevrcap
    #[arg(long, value_name = "FORMATS", value_enum, value_delimiter = ',', default_value = "csv")]
    to: Vec<To>,
    /// Which channels, in this order; all if left out. STREAM/NAME where two streams have one. In a page those that all games share come first
    #[arg(long, value_name = "A,B", value_delimiter = ',')]
    channels: Vec<String>,
    /// A table for each lap
    #[arg(long)]
    per_lap: bool,
    /// The file to write, or the folder; beside the source if left out
    #[arg(short, long, value_name = "OUT|DIR")]
    output: Option<PathBuf>,
    /// Of v2-tape: the first generation of the schema, for readers that know no other; what it has no place for is left out and counted
    #[arg(long, value_enum, value_name = "SCHEMA")]
    schema: Option<Schema>,
    /// One JSON document on stdout
    #[arg(long)]
    pub(super) json: bool,
    /// Files at the same time, where there are no tables; as many as the machine has cores if left out
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u16).range(1..=256))]
    pub(super) jobs: Option<u16>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, clap::ValueEnum)]
enum Schema {
    /// The first generation of Telemetry V2
    Seed,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, clap::ValueEnum)]
enum To {
    Csv,
    Jsonl,
    Html,
    V2Tape,
    Nevrcap,
    Echoreplay,
}

/// What is written.
#[derive(Clone, Copy)]
enum Kind {
    Rows(RowFormat),
    Page(ReportPage),
}

impl To {
    /// The ending of its files, and what is in them.
    fn kind(self) -> anyhow::Result<(&'static str, Kind)> {
        match self {
            Self::Csv => Ok(("csv", Kind::Rows(RowFormat::Csv))),
            Self::Jsonl => Ok(("jsonl", Kind::Rows(RowFormat::Jsonl))),
            Self::Html => Ok(("html", Kind::Page(ReportPage::embedded().context(NO_PAGE)?))),
            Self::V2Tape | Self::Nevrcap | Self::Echoreplay => {
                Err(exit::usage("v2-tape, nevrcap and echoreplay are no tables: name one of them alone in --to"))
            }
        }
    }

    /// The captures of Echo VR's tools among them.
    fn capture(self, schema: Option<Schema>) -> Option<Capture> {
        match self {
            Self::Echoreplay => Some(Capture::EchoReplay),
            Self::V2Tape => Some(Capture::V2Tape { seed: schema == Some(Schema::Seed) }),
            Self::Nevrcap => Some(Capture::Nevrcap),
            Self::Csv | Self::Jsonl | Self::Html => None,
        }
    }
}

pub(crate) fn run(args: &Args) -> anyhow::Result<Outcome> {
    if args.schema.is_some() && args.to != [To::V2Tape] {
        return Err(exit::usage("--schema is for --to v2-tape alone"));
    }
    if let [to] = args.to.as_slice()
        && let Some(capture) = to.capture(args.schema)
    {
        return export_captures::run(args, capture);
    }
    let kinds = args.to.iter().map(|to| to.kind()).collect::<anyhow::Result<Vec<_>>>()?;
    if args.per_lap && kinds.iter().all(|(_, kind)| matches!(kind, Kind::Page(_))) {
        return Err(exit::usage("a page has all laps in one file; leave --per-lap out, or add csv to --to"));
    }
    let files = if args.files.is_empty() { vec![open::or_newest(None)?] } else { args.files.clone() };
    let stop = Stop::listen()?;
    let bars = Bars::on_terminal();
    let (mut reports, mut paths, mut damaged) = (Vec::new(), Vec::new(), false);
    for source in &files {
        let opened = Opened::open(source)?;
        let tape = &opened.tape;
        let columns = choose(tape, &args.channels).map_err(|error| exit::nothing_found(error.to_string()))?;
        if columns.0.is_empty() {
            return Err(exit::nothing_found(format!(
                "{} has no channels: its streams have no layout; `gametape cat --format raw` gives their bytes",
                source.display()
            )));
        }
        // A game without laps has values all the same.
        let tracked = track_tape(tape).ok();
        let of = Source { path: source, tape, columns: &columns, tracked: tracked.as_ref() };
        for (ending, kind) in &kinds {
            let wanted = wanted_path(args, source, ending, files.len() * kinds.len() > 1)?;
            let bar = bars.add(&source.file_name().unwrap_or_default().to_string_lossy());
            let done = match kind {
                Kind::Rows(format) => write_rows(args, &of, *format, &wanted, &stop, bar)?,
                Kind::Page(page) => {
                    write_page(*page, &of, !args.channels.is_empty(), ExportFiles::new(&wanted, false, &stop, bar))?
                }
            };
            for problem in &done.damage {
                tell(&format!("warning: {}: {}", source.display(), human::safe(problem)));
            }
            let to = match done.paths.as_slice() {
                [path] => path.display().to_string(),
                paths => format!("{} files in {}", paths.len(), wanted.parent().unwrap_or(Path::new(".")).display()),
            };
            let size = done.paths.iter().filter_map(|path| path.metadata().ok()).map(|file| file.len()).sum();
            let rows = done.rows.map(|rows| human::counted(rows, "row"));
            let parts =
                [rows, Some(human::counted(done.channels as u64, "channel")), Some(human::bytes(size))].into_iter();
            tell(&format!("{} -> {to}: {}", source.display(), parts.flatten().collect::<Vec<_>>().join(", ")));
            damaged |= !done.damage.is_empty() || tape.problems().iter().any(open::is_damage);
            reports.push(json!({ "source": source, "to": ending, "paths": done.paths, "rows": done.rows,
                "channels": done.channels, "damage": done.damage }));
            paths.extend(done.paths);
        }
        export_summary::tell_summary(tape, tracked.as_ref());
    }
    let mut out = std::io::stdout().lock();
    if args.json {
        writeln!(out, "{}", json!({ "exports": reports }))?;
    } else {
        for path in paths {
            writeln!(out, "{}", path.display())?;
        }
    }
    Ok(Outcome::damaged_if(damaged))
}

/// A source as a tape: itself, or what an import makes of it, for as long as it is needed.
pub(super) struct Opened {
    pub(super) tape: Tape,
    _scratch: Option<Scratch>,
}

impl Opened {
    pub(super) fn open(source: &Path) -> anyhow::Result<Self> {
        match Tape::open(source) {
            Err(ReadError::NotATape { .. }) => {
                let scratch = Scratch::new()?;
                let tape = scratch.path().join(format!("source.{EXTENSION}"));
                import(source, &tape, &mut |_| {}).with_context(|| format!("cannot read {}", source.display()))?;
                Ok(Self { tape: open::tape(&tape)?, _scratch: Some(scratch) })
            }
            // With the words for what can go wrong.
            _ => Ok(Self { tape: open::tape(source)?, _scratch: None }),
        }
    }
}

/// Where the rows go. A name that the user gave is taken as it is; one that is made up here gets a number if it is taken.
pub(super) fn wanted_path(args: &Args, source: &Path, ending: &str, several: bool) -> anyhow::Result<PathBuf> {
    let beside = source.with_extension(ending);
    let Some(output) = &args.output else { return Ok(free_path(&beside, &|path| path.exists())) };
    let is_folder = several
        || args.per_lap
        || output.is_dir()
        || output.as_os_str().to_string_lossy().ends_with(std::path::is_separator);
    if !is_folder {
        return match output.exists() {
            true => {
                Err(exit::usage(format!("{} exists already; nothing was overwritten: name another", output.display())))
            }
            false => Ok(output.clone()),
        };
    }
    if output.exists() && !output.is_dir() {
        return Err(exit::usage(format!("{} is a file; several files need a folder to go to", output.display())));
    }
    std::fs::create_dir_all(output)
        .with_context(|| format!("cannot make the folder {}; choose another with -o", output.display()))?;
    Ok(free_path(&output.join(beside.file_name().unwrap_or_default()), &|path| path.exists()))
}

/// What is exported.
struct Source<'a> {
    path: &'a Path,
    tape: &'a Tape,
    columns: &'a Columns,
    tracked: Option<&'a Tracked>,
}

/// What was written.
struct Done {
    paths: Vec<PathBuf>,
    /// Rows of tables; a page has none.
    rows: Option<u64>,
    channels: usize,
    damage: Vec<String>,
}

fn write_rows(
    args: &Args,
    of: &Source<'_>,
    format: RowFormat,
    wanted: &Path,
    stop: &Stop,
    bar: Bar,
) -> anyhow::Result<Done> {
    if args.per_lap && of.tracked.is_none_or(|tracked| tracked.laps().next().is_none()) {
        return Err(exit::nothing_found("no lap is on the tape; leave --per-lap out"));
    }
    let mut files = ExportFiles::new(wanted, args.per_lap, stop, bar);
    let exported = export_rows(of.tape, of.columns, format, of.tracked, &mut files)?;
    let damage = exported.damage.iter().map(ToString::to_string).collect();
    Ok(Done { paths: files.finish()?, rows: Some(exported.rows), channels: of.columns.0.len(), damage })
}

fn write_page(page: ReportPage, of: &Source<'_>, named: bool, mut files: ExportFiles<'_>) -> anyhow::Result<Done> {
    let file = of.path.file_name().unwrap_or_default().to_string_lossy();
    let about = About { file: &file, tape: of.tape, tracked: of.tracked, columns: of.columns, named };
    let written = page.write(&about, &mut files)?;
    let damage = written.damage.iter().map(ToString::to_string).collect();
    Ok(Done { paths: files.finish()?, rows: None, channels: written.channels, damage })
}
