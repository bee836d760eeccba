//! `gametape export`

use std::io::Write as _;
use std::ops::Range;
use std::path::{Path, PathBuf};

use anyhow::Context as _;
use clap::builder::{PossibleValuesParser, TypedValueParser as _};
use gametape::export::{Content, Export, ExportError, Exporter, LapFiles, Split, choose};
use serde_json::json;

use super::cat::channel_error;
use super::export_captures::left_out_text;
use super::export_files::{ExportFiles, Output, ToStdout};
use super::export_source::{Opened, laps_of};
use super::export_target::{Names, is_stdout, names_folder};
use super::{export_captures, export_summary};
use crate::cli::tell;
use crate::exit::{self, Outcome};
use crate::progress::Bars;
use crate::report_page::exporters;
use crate::stop::Stop;
use crate::{human, open, sources, time};

/// Export tapes as tables, as an HTML report, as MoTeC logs, as MCAP or as Echo VR captures
///
/// Text tables (csv, jsonl): a row for each time at which one of the streams has a frame; slower streams repeat their last value.
/// The channels are preceded by the time in nanoseconds and in seconds since the start of the tape, UTC, the lap (its number on
/// the tape) and the distance from the start line. Numbers are exact, with a decimal point. Without `--channels`, a text table has
/// the common channels (speed, engine, pedals, steering, fuel, tyres, position); `--all` writes every one. `gametape info
/// --channels` lists them with their units.
///
/// Parquet: a table for data engines (DuckDB, Polars, pandas, Spark). Each stream of the tape has a file of its own, with a row
/// for each of its frames and its values bit for bit; arrays have a column for each element. Without `--channels`, it has all
/// channels but the arrays that hold a value for each car; `--all` writes these too, as lists. `--neutral` writes one table
/// whose columns are the same for all games instead; with a folder as output it goes to partition folders,
/// `game=…/track=…/car=…/SESSION.parquet`, which engines read as one table.
///
/// Report (html): one file that a browser opens from disk, with laps, traces, map and comparison. It is smaller than 15 MB
/// however long the tape is, and needs no network.
///
/// MoTeC logs (motec): a .ld file, with the laps in a .ldx file beside it. Each channel is resampled to its own whole rate. What all
/// games share has the names and units of MoTeC's loggers (Ground Speed, Throttle Pos, Engine RPM); the game's own channels follow.
///
/// MCAP (mcap): for Foxglove, Rerun and other viewers. A topic for each stream, with a protobuf message for each frame, and topics with
/// positions, laps and events.
///
/// Echo VR captures (echoreplay, v2-tape, nevrcap): files that other tools for the game read. A tape imported from such a file
/// is exported byte for byte: its lines, its records. Each of these formats can be converted to every other. A folder stands
/// for the files in it, and `--jobs` sets how many are written in parallel.
///
/// The source is never modified, and nothing is overwritten without `--force`: if a name is taken, a number is added.
#[derive(Debug, clap::Args)]
#[command(after_help = "Examples:
  gametape export                                   the newest tape, as CSV next to it
  gametape export --to html                         the newest tape, as a report for the browser
  gametape export race.gtape --to csv,html
  gametape export race.gtape --to csv,jsonl --channels speedKmh,gas,brake,gear
  gametape export race.gtape --all --from 1:30 --until 3:00 --hz 20
  gametape export race.gtape -o - | head            to stdout
  gametape export race.gtape --per-lap -o laps/
  gametape export race.gtape --to motec             race.ld and race.ldx, for MoTeC i2
  gametape export race.gtape --to mcap --all --hz 60
  gametape export old.ibt --to csv
  gametape export race.gtape --to parquet           race.physics.parquet, race.graphics.parquet, …
  gametape export race.gtape --to parquet --channels speedKmh,gas,brake -o race.parquet
  gametape export *.gtape --to parquet --neutral -o lake/
  gametape export match.gtape --to echoreplay       Echo VR, for its replay tools
  gametape export old/ --to v2-tape -o new/         a folder of .echoreplay files as Telemetry V2
  gametape export match.tape --to v2-tape --schema seed
  gametape export match.gtape --to echoreplay,v2-tape

Times: 90, 1:30.5, 10m, 250ms; rows from --from up to, but not including, --until are written.")]
pub(crate) struct Args {
    /// Tapes, or any files that `gametape import` reads [default: the newest tape]
    pub(super) files: Vec<PathBuf>,
    /// csv, jsonl, parquet, motec, mcap, html; or, for Echo VR, echoreplay, v2-tape (.tape), nevrcap. Separate several with commas
    #[arg(long, value_name = "FORMATS", value_parser = formats(), value_delimiter = ',', default_value = "csv")]
    to: Vec<&'static dyn Exporter>,
    /// The channels, in this order [default: the common ones]. STREAM/NAME if two streams have the same name. A report lists
    /// the channels common to all games first
    #[arg(long, value_name = "A,B", value_delimiter = ',')]
    channels: Vec<String>,
    /// Parquet: one table with the same columns for all games. With a folder as output, partition folders
    #[arg(long, conflicts_with_all = ["channels", "all"])]
    neutral: bool,
    /// Export every channel
    #[arg(long, conflicts_with = "channels")]
    all: bool,
    /// Tables and logs: start at this time
    #[arg(long, value_name = "T", value_parser = time::parse_ns)]
    from: Option<u64>,
    /// Tables and logs: stop before this time
    #[arg(long, value_name = "T", value_parser = time::parse_ns)]
    until: Option<u64>,
    /// Tables and logs: at most N rows a second, of tables the first one of each period [default: every row]
    #[arg(long, value_name = "N", value_parser = rate)]
    hz: Option<f64>,
    /// Write one table or log per lap
    #[arg(long)]
    pub(super) per_lap: bool,
    /// Output file, folder, or - for stdout [default: next to the source]
    #[arg(short, long, value_name = "OUT|DIR|-")]
    pub(super) output: Option<PathBuf>,
    /// Overwrite existing files, but never a source
    #[arg(long)]
    pub(super) force: bool,
    /// v2-tape: write the first generation of the schema, for readers that support no other; values it cannot represent are
    /// left out and counted
    #[arg(long, value_enum, value_name = "SCHEMA")]
    schema: Option<Schema>,
    /// The zstd dictionary that Telemetry V2 captures were compressed with; also used to compress a v2-tape made from one
    #[arg(long, value_name = "FILE")]
    pub(super) dictionary: Option<PathBuf>,
    /// Print one JSON document to stdout
    #[arg(long)]
    pub(super) json: bool,
    /// Number of files to write in parallel; not for tables [default: number of cores]
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u16).range(1..=256))]
    pub(super) jobs: Option<u16>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, clap::ValueEnum)]
enum Schema {
    /// The first generation of Telemetry V2
    Seed,
}

/// Parses the name of a format.
fn formats() -> impl clap::builder::TypedValueParser<Value = &'static dyn Exporter> {
    let named = |name: String| exporters().find(|format| format.name() == name);
    PossibleValuesParser::new(exporters().map(Exporter::name)).try_map(move |name| named(name).ok_or("unknown format"))
}

/// Parses a number of rows a second.
fn rate(text: &str) -> Result<f64, String> {
    let hz = text.parse::<f64>().ok().filter(|hz| hz.is_finite() && (0.001..=100_000.0).contains(hz));
    hz.ok_or_else(|| "the rate must be a number from 0.001 to 100000".to_owned())
}

impl Args {
    /// Returns the time range of the rows.
    fn times(&self) -> anyhow::Result<Range<u64>> {
        let times = self.from.unwrap_or(0)..self.until.unwrap_or(u64::MAX);
        if times.is_empty() { Err(exit::usage("--until must be later than --from")) } else { Ok(times) }
    }

    fn chooses_rows(&self) -> bool {
        self.from.is_some() || self.until.is_some() || self.hz.is_some()
    }

    /// Checks that exactly one file, and nothing else, goes to stdout.
    pub(super) fn check_stdout(&self, several: bool) -> anyhow::Result<()> {
        if is_stdout(self) && (several || self.per_lap) {
            return Err(exit::usage(
                "only one file can go to stdout; name one source and one format, or a folder with -o",
            ));
        }
        if is_stdout(self) && self.json {
            return Err(exit::usage("--json and -o - both write to stdout; use only one of them"));
        }
        Ok(())
    }
}

pub(crate) fn run(args: &Args) -> anyhow::Result<Outcome> {
    if args.schema.is_some() && !args.to.iter().any(|format| format.name() == "v2-tape") {
        return Err(exit::usage("--schema is only for --to v2-tape"));
    }
    let is = |content: Content| move |format: &&dyn Exporter| format.content() == content;
    let recordings = args.to.iter().copied().filter(is(Content::Recording)).count();
    if recordings == args.to.len() {
        if args.chooses_rows() || args.all || !args.channels.is_empty() || args.per_lap {
            return Err(exit::usage(
                "--from, --until, --hz, --channels, --all and --per-lap are for tables and logs; use `gametape cut` to make a shorter tape first",
            ));
        }
        return export_captures::run(args, &args.to, args.schema == Some(Schema::Seed));
    } else if recordings > 0 {
        return Err(exit::usage(
            "v2-tape, nevrcap and echoreplay cannot be combined with csv, jsonl, motec, mcap and html; export them with a separate command",
        ));
    }
    if let Some(why) = args.to.iter().find_map(|format| format.unavailable()) {
        return Err(anyhow::anyhow!(why));
    }
    if args.neutral && !args.to.iter().all(|format| format.is_columnar()) {
        return Err(exit::usage("--neutral is only for --to parquet; export other formats with a separate command"));
    }
    if args.per_lap && !args.to.iter().copied().any(|format| is(Content::Rows)(&format)) {
        return Err(exit::usage("a report has all laps in one file; omit --per-lap, or add csv to --to"));
    }
    if args.chooses_rows() && args.to.iter().copied().any(|format| is(Content::Report)(&format)) {
        return Err(exit::usage(
            "--from, --until and --hz are for tables and logs; for a report of a part of the tape use `gametape cut` first",
        ));
    }
    if is_stdout(args) && args.to.iter().any(|format| format.is_columnar()) {
        crate::terminal::refuse_binary("a Parquet file")?;
    }
    let times = args.times()?;
    let files = if args.files.is_empty() { vec![open::or_newest(None)?] } else { args.files.clone() };
    let several = files.len() * args.to.len() > 1;
    args.check_stdout(several)?;
    let is_folder = args.output.as_ref().is_some_and(|output| several || names_folder(output));
    let names = Names::new(args, &files);
    let dictionary = sources::dictionary(args.dictionary.as_deref())?;
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
                "{shown} has no channels: its streams have no layout; use `gametape cat --format raw` to print their bytes"
            )));
        }
        let is_usual = args.channels.is_empty() && !args.all;
        let file = source.file_name().unwrap_or_default().to_string_lossy();
        let tracked = laps_of(tape).with_context(|| format!("cannot track the laps of {shown}"))?;
        for format in &args.to {
            let (ending, has_rows) = (format.extension(), format.content() == Content::Rows);
            let bar = bars.add(&source.file_name().unwrap_or_default().to_string_lossy());
            let columns = if is_usual { &format.usual_columns(tape) } else { &every };
            let streams: Vec<&str> = columns.streams(tape).map(|stream| stream.name()).collect();
            if is_stdout(args) && format.is_columnar() && !args.neutral && streams.len() > 1 {
                return Err(exit::usage(format!(
                    "{ending} has a file for each stream ({}), and only one can go to stdout; use --channels with channels of one stream, or -o FOLDER/",
                    streams.join(", ")
                )));
            }
            let split = match (args.per_lap && has_rows, args.neutral && is_folder) {
                (true, _) => Split::Laps,
                (false, true) => Split::Sessions,
                (false, false) => Split::Nothing,
            };
            let output: Box<dyn Output + '_> = match is_stdout(args) {
                true => Box::new(ToStdout::new(&stop, bar)),
                false => {
                    let wanted = names.wanted(source, *format, several)?;
                    let wanted = (wanted, format.beside());
                    Box::new(ExportFiles::new(wanted, &names, (split, args.force), &stop, bar))
                }
            };
            let what = Export {
                neutral: args.neutral,
                tracked: tracked.as_ref(),
                named: !args.channels.is_empty(),
                times: times.clone(),
                hz: args.hz,
                laps: if args.per_lap { LapFiles::Each } else { LapFiles::Together },
                ..Export::all(tape, &file, columns)
            };
            let done = write(args, *format, &what, output);
            let done = done.with_context(|| format!("cannot export {shown}"))?;
            for problem in &done.damage {
                tell(&format!("warning: {shown}: {problem}"));
            }
            for words in &done.left_out {
                tell(&format!("{shown}: {words}"));
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
            let frames = done.frames.map(|frames| human::counted(frames, "frame"));
            let channels = match done.channels < every.0.len() && is_usual && !args.neutral && done.rows.is_some() {
                true => format!("{} of {} channels (--all writes every one)", done.channels, every.0.len()),
                false => human::counted(done.channels as u64, "channel"),
            };
            let parts = [rows, frames, Some(channels), Some(human::bytes(done.bytes))].into_iter();
            tell(&format!("{shown} -> {to}: {}", parts.flatten().collect::<Vec<_>>().join(", ")));
            damaged |= !done.damage.is_empty() || tape.problems().iter().any(open::is_damage);
            reports.push(
                json!({ "source": source, "to": ending, "paths": done.paths, "rows": done.rows, "frames": done.frames,
                "channels": done.channels, "left_out": done.left_out, "damage": done.damage }),
            );
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

/// What was written.
struct Done {
    paths: Vec<PathBuf>,
    bytes: u64,
    /// Rows of tables; `None` for a report.
    rows: Option<u64>,
    /// Messages of formats that hold frames.
    frames: Option<u64>,
    channels: usize,
    /// What the format cannot represent, as text.
    left_out: Vec<String>,
    damage: Vec<String>,
}

fn write(
    args: &Args,
    format: &dyn Exporter,
    what: &Export<'_>,
    mut output: Box<dyn Output + '_>,
) -> anyhow::Result<Done> {
    let has_laps = what.tracked.is_some_and(|tracked| tracked.laps().next().is_some());
    if args.per_lap && format.content() == Content::Rows && !has_laps {
        return Err(exit::nothing_found("the tape has no laps; omit --per-lap"));
    }
    let exported = match format.export(what, output.as_mut()) {
        Err(ExportError::Nothing(why)) => return Err(exit::nothing_found(why)),
        result => result?,
    };
    if exported.rows == Some(0) && args.chooses_rows() {
        return Err(exit::nothing_found(
            "the tape has no frames between these times; `gametape info` shows its duration",
        ));
    }
    let damage = exported.damage.iter().map(ToString::to_string).collect();
    let left_out = exported.left_out.iter().map(left_out_text).collect();
    let (paths, bytes) = output.finish()?;
    Ok(Done {
        paths,
        bytes,
        rows: exported.rows,
        frames: exported.frames,
        channels: exported.channels,
        left_out,
        damage,
    })
}
