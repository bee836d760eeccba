//! `gametape export`

use std::io::Write as _;
use std::ops::Range;
use std::path::{Path, PathBuf};

use anyhow::Context as _;
use gametape::export::{Columns, RowFormat, RowOptions, choose, choose_usual, export_some_rows};
use gametape::format::read::Tape;
use gametape::laps::Tracked;
use serde_json::json;

use super::cat::channel_error;
use super::export_captures::Capture;
use super::export_files::{ExportFiles, Rows, ToStdout};
use super::export_source::{Opened, laps_of};
use super::export_target::{Names, is_stdout};
use super::{export_captures, export_summary};
use crate::cli::tell;
use crate::exit::{self, Outcome};
use crate::progress::Bars;
use crate::report_page::{About, NO_PAGE, ReportPage};
use crate::stop::Stop;
use crate::{dictionary, human, open, time};

/// Write tapes as tables that other programs read, or as a page to look at
///
/// Tables (csv, jsonl): a row stands at each moment at which one of the streams has a frame; slower streams keep what they said last. Before the channels come the time in
/// nanoseconds and in seconds since the beginning of the tape, UTC, the lap (its number on the tape) and the distance from the line. Numbers are exact, with a decimal
/// point. Without `--channels` a table has the usual channels (speed, engine, pedals, steering, fuel, tyres, position); `--all` gives every one. `gametape info --channels`
/// lists them with their units.
///
/// A page (html): one file that a browser opens from disk, with laps, traces, map and comparison. It is below 15 MB however long the tape is, and asks nothing of
/// the network.
///
/// Captures of Echo VR (echoreplay, v2-tape, nevrcap): files that other tools of the game read. What was imported from such a file comes back the same to the byte: its lines, its records.
/// Every one of them can be made of every other. Here a folder stands for the files in it, and `--jobs` says how many are written at the same time.
///
/// The source is never touched, and nothing is overwritten without `--force`: a name that is taken gets a number.
#[derive(Debug, clap::Args)]
#[command(after_help = "Examples:
  gametape export                                   the newest tape, as CSV beside it
  gametape export --to html                         the newest tape, as a page for the browser
  gametape export race.gtape --to csv,html
  gametape export race.gtape --to csv,jsonl --channels speedKmh,gas,brake,gear
  gametape export race.gtape --all --from 1:30 --until 3:00 --hz 20
  gametape export race.gtape -o - | head            to stdout
  gametape export race.gtape --per-lap -o laps/
  gametape export old.ibt --to csv
  gametape export match.gtape --to echoreplay       Echo VR, for its replay tools
  gametape export old/ --to v2-tape -o new/         a folder of .echoreplay files as Telemetry V2
  gametape export match.tape --to v2-tape --schema seed
  gametape export match.gtape --to echoreplay,v2-tape

Times: 90, 1:30.5, 10m, 250ms; rows from --from on and before --until are given.")]
pub(crate) struct Args {
    /// Tapes, or any file that `gametape import` reads; the newest tape if left out
    pub(super) files: Vec<PathBuf>,
    /// csv (if left out), jsonl, html; of Echo VR instead echoreplay, v2-tape (.tape), nevrcap. Several with commas between them
    #[arg(long, value_name = "FORMATS", value_enum, value_delimiter = ',', default_value = "csv")]
    to: Vec<To>,
    /// Which channels, in this order; the usual ones if left out. STREAM/NAME where two streams have one. In a page those that all games share come first
    #[arg(long, value_name = "A,B", value_delimiter = ',')]
    channels: Vec<String>,
    /// Every channel
    #[arg(long, conflicts_with = "channels")]
    all: bool,
    /// Tables: the first time to give
    #[arg(long, value_name = "T", value_parser = time::parse_ns)]
    from: Option<u64>,
    /// Tables: the first time not to give
    #[arg(long, value_name = "T", value_parser = time::parse_ns)]
    until: Option<u64>,
    /// Tables: at most N rows a second, the first one of each period; every row if left out
    #[arg(long, value_name = "N", value_parser = rate)]
    hz: Option<f64>,
    /// A table for each lap
    #[arg(long)]
    pub(super) per_lap: bool,
    /// The file to write, the folder, or - for stdout; beside the source if left out
    #[arg(short, long, value_name = "OUT|DIR|-")]
    pub(super) output: Option<PathBuf>,
    /// Overwrite files; a source is never overwritten
    #[arg(long)]
    pub(super) force: bool,
    /// Of v2-tape: the first generation of the schema, for readers that know no other; what it has no place for is left out and counted
    #[arg(long, value_enum, value_name = "SCHEMA")]
    schema: Option<Schema>,
    /// The zstd dictionary that Telemetry V2 captures were packed with; a v2-tape that is made of one is packed with it again
    #[arg(long, value_name = "FILE")]
    pub(super) dictionary: Option<PathBuf>,
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
            Self::V2Tape | Self::Nevrcap | Self::Echoreplay => Err(exit::usage(
                "v2-tape, nevrcap and echoreplay cannot be written together with tables and pages: name them in a --to of their own",
            )),
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

/// A number of rows a second.
fn rate(text: &str) -> Result<f64, String> {
    let hz = text.parse::<f64>().ok().filter(|hz| hz.is_finite() && (0.001..=100_000.0).contains(hz));
    hz.ok_or_else(|| "a number from 0.001 to 100000 is needed".to_owned())
}

impl Args {
    /// The times of rows.
    fn times(&self) -> anyhow::Result<Range<u64>> {
        let times = self.from.unwrap_or(0)..self.until.unwrap_or(u64::MAX);
        if times.is_empty() { Err(exit::usage("--until must be later than --from")) } else { Ok(times) }
    }

    fn chooses_rows(&self) -> bool {
        self.from.is_some() || self.until.is_some() || self.hz.is_some()
    }

    /// What goes to stdout is one file, and nothing else.
    pub(super) fn check_stdout(&self, several: bool) -> anyhow::Result<()> {
        if is_stdout(self) && (several || self.per_lap) {
            return Err(exit::usage(
                "only one file can go to stdout: name one source and one format, or a folder with -o",
            ));
        }
        if is_stdout(self) && self.json {
            return Err(exit::usage("--json and -o - both write to stdout; leave one of them out"));
        }
        Ok(())
    }
}

pub(crate) fn run(args: &Args) -> anyhow::Result<Outcome> {
    if args.schema.is_some() && !args.to.contains(&To::V2Tape) {
        return Err(exit::usage("--schema is for --to v2-tape alone"));
    }
    let captures: Vec<Capture> = args.to.iter().filter_map(|to| to.capture(args.schema)).collect();
    if captures.len() == args.to.len() {
        if args.chooses_rows() || args.all || !args.channels.is_empty() || args.per_lap {
            return Err(exit::usage(
                "--from, --until, --hz, --channels, --all and --per-lap are for tables; `gametape cut` makes a shorter tape",
            ));
        }
        return export_captures::run(args, &captures);
    }
    let kinds = args.to.iter().map(|to| to.kind()).collect::<anyhow::Result<Vec<_>>>()?;
    let has_page = kinds.iter().any(|(_, kind)| matches!(kind, Kind::Page(_)));
    if args.per_lap && kinds.iter().all(|(_, kind)| matches!(kind, Kind::Page(_))) {
        return Err(exit::usage("a page has all laps in one file; leave --per-lap out, or add csv to --to"));
    }
    if has_page && args.chooses_rows() {
        return Err(exit::usage(
            "--from, --until and --hz are for tables; for a page of a part of the tape use `gametape cut` first",
        ));
    }
    let times = args.times()?;
    let files = if args.files.is_empty() { vec![open::or_newest(None)?] } else { args.files.clone() };
    let several = files.len() * kinds.len() > 1;
    args.check_stdout(several)?;
    let names = Names::new(args, &files);
    let dictionary = dictionary::read(args.dictionary.as_deref())?;
    let stop = Stop::listen()?;
    let bars = Bars::on_terminal();
    let (mut reports, mut paths, mut damaged) = (Vec::new(), Vec::new(), false);
    for source in &files {
        let shown = source.display();
        let opened = Opened::open(source, dictionary.as_ref())?;
        let tape = &opened.tape;
        let every = choose(tape, &args.channels).map_err(|error| channel_error(&error).context(shown.to_string()))?;
        if every.0.is_empty() {
            return Err(exit::nothing_found(format!(
                "{shown} has no channels: its streams have no layout; `gametape cat --format raw` gives their bytes"
            )));
        }
        let usual = (args.channels.is_empty() && !args.all).then(|| choose_usual(tape));
        let tracked = laps_of(tape).with_context(|| format!("cannot find the laps of {shown}"))?;
        for (ending, kind) in &kinds {
            let bar = bars.add(&source.file_name().unwrap_or_default().to_string_lossy());
            let replace = args.force;
            let rows: Box<dyn Rows + '_> = match is_stdout(args) {
                true => Box::new(ToStdout::new(&stop, bar)),
                false => {
                    let wanted = names.wanted(source, ending, several)?;
                    let per_lap = args.per_lap && matches!(kind, Kind::Rows(_));
                    Box::new(ExportFiles::new(wanted, &names, (per_lap, replace), &stop, bar))
                }
            };
            let columns = match kind {
                Kind::Rows(_) => usual.as_ref().unwrap_or(&every),
                Kind::Page(_) => &every,
            };
            let of = Source { path: source, tape, columns, tracked: tracked.as_ref() };
            let done = match kind {
                Kind::Rows(format) => {
                    let options = RowOptions { format: *format, times: times.clone(), hz: args.hz };
                    write_rows(args, &of, &options, rows)
                }
                Kind::Page(page) => write_page(*page, &of, !args.channels.is_empty(), rows),
            };
            let done = done.with_context(|| format!("cannot export {shown}"))?;
            for problem in &done.damage {
                tell(&format!("warning: {shown}: {problem}"));
            }
            let to = match done.paths.as_slice() {
                [] => "stdout".to_owned(),
                [path] => path.display().to_string(),
                [path, ..] => {
                    let folder = path.parent().unwrap_or(Path::new("."));
                    format!("{} files in {}", done.paths.len(), folder.display())
                }
            };
            let rows = done.rows.map(|rows| human::counted(rows, "row"));
            let channels = match done.channels < every.0.len() && usual.is_some() && done.rows.is_some() {
                true => format!("{} of {} channels (--all writes every one)", done.channels, every.0.len()),
                false => human::counted(done.channels as u64, "channel"),
            };
            let parts = [rows, Some(channels), Some(human::bytes(done.bytes))].into_iter();
            tell(&format!("{shown} -> {to}: {}", parts.flatten().collect::<Vec<_>>().join(", ")));
            damaged |= !done.damage.is_empty() || tape.problems().iter().any(open::is_damage);
            reports.push(json!({ "source": source, "to": ending, "paths": done.paths, "rows": done.rows,
                "channels": done.channels, "damage": done.damage }));
            paths.extend(done.paths);
        }
        export_summary::tell_summary(tape, tracked.as_ref());
    }
    let mut out = crate::terminal::data();
    if args.json {
        writeln!(out, "{}", json!({ "exports": reports }))?;
    } else {
        for path in paths {
            writeln!(out, "{}", path.display())?;
        }
    }
    Ok(Outcome::damaged_if(damaged))
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
    bytes: u64,
    /// Rows of tables; a page has none.
    rows: Option<u64>,
    channels: usize,
    damage: Vec<String>,
}

fn write_rows(
    args: &Args,
    of: &Source<'_>,
    options: &RowOptions,
    mut rows: Box<dyn Rows + '_>,
) -> anyhow::Result<Done> {
    if args.per_lap && of.tracked.is_none_or(|tracked| tracked.laps().next().is_none()) {
        return Err(exit::nothing_found("no lap is on the tape; leave --per-lap out"));
    }
    let exported = export_some_rows(of.tape, of.columns, options, of.tracked, rows.as_mut())?;
    if exported.rows == 0 && args.chooses_rows() {
        return Err(exit::nothing_found(
            "the tape has no frame between these times; `gametape info` says how long it is",
        ));
    }
    let damage = exported.damage.iter().map(ToString::to_string).collect();
    let (paths, bytes) = rows.finish()?;
    Ok(Done { paths, bytes, rows: Some(exported.rows), channels: of.columns.0.len(), damage })
}

fn write_page(page: ReportPage, of: &Source<'_>, named: bool, mut rows: Box<dyn Rows + '_>) -> anyhow::Result<Done> {
    let file = of.path.file_name().unwrap_or_default().to_string_lossy();
    let about = About { file: &file, tape: of.tape, tracked: of.tracked, columns: of.columns, named };
    let written = page.write(&about, rows.as_mut())?;
    let damage = written.damage.iter().map(ToString::to_string).collect();
    let (paths, bytes) = rows.finish()?;
    Ok(Done { paths, bytes, rows: None, channels: written.channels, damage })
}
