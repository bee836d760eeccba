//! `gametape verify`

use std::io::Write;
use std::path::{Path, PathBuf};

use anyhow::Context;
use gametape::format::read::{ProblemKind, Tape, Verified};
use gametape::import::{AgainstError, Comparison, ImportOptions, compare_with_source_using};
use serde::Serialize;

use super::problem_report::{ReportProblem, StreamNames};
use crate::cli::tell;
use crate::exit::Outcome;
use crate::progress::Bars;
use crate::{human, open, sources};

/// Check every byte of a tape
///
/// Exit code 0 if the tape is intact, 3 if anything is wrong. A tape that was not closed is a problem even if every frame can be read.
#[derive(Debug, clap::Args)]
#[command(after_help = "Examples:
  gametape verify race.gtape
  gametape verify race.gtape --against race.ibt     compare with the file it was imported from
  gametape verify race.gtape --json | jq .ok")]
pub(crate) struct Args {
    /// The tape [default: the newest one]
    file: Option<PathBuf>,
    /// Also compare the tape with the file it was imported from, byte by byte
    #[arg(long, value_name = "SOURCE")]
    against: Option<PathBuf>,
    /// The zstd dictionary that SOURCE was compressed with
    #[arg(long, value_name = "FILE", requires = "against")]
    dictionary: Option<PathBuf>,
    /// Print one JSON document to stdout
    #[arg(long)]
    json: bool,
}

#[derive(Debug, Serialize)]
struct Report {
    path: String,
    ok: bool,
    blocks: u64,
    frames: u64,
    bytes: u64,
    problems: Vec<ReportProblem>,
}

pub(crate) fn run(args: Args) -> anyhow::Result<Outcome> {
    let path = open::or_newest(args.file)?;
    let tape = open::tape(&path)?;
    let bars = Bars::on_terminal();
    let bar = bars.add("verify");
    let verified = tape
        .verify(&mut |progress| bar.at(progress.done_bytes, progress.total_bytes))
        .with_context(|| format!("cannot verify {}", path.display()))?;
    drop(bar);
    let names = StreamNames::of([&tape]);
    let mut problems: Vec<_> = verified.problems.iter().map(|problem| ReportProblem::of(problem, &names)).collect();
    let mut compared = None;
    if let Some(source) = &args.against {
        let options =
            ImportOptions { dictionary: sources::dictionary(args.dictionary.as_deref())?, ..ImportOptions::default() };
        let comparison = compare(&tape, source, &options, &bars)?;
        problems.extend(of_comparison(&comparison));
        compared = Some((source, comparison));
    }
    let report = Report {
        path: path.display().to_string(),
        ok: problems.is_empty(),
        blocks: verified.blocks,
        frames: verified.frames,
        bytes: verified.bytes,
        problems,
    };
    let mut out = crate::terminal::data();
    if args.json {
        serde_json::to_writer_pretty(&mut out, &report).map_err(std::io::Error::from)?;
        writeln!(out)?;
    } else {
        write_human(&mut out, &report, &verified, compared.as_ref().map(|(source, found)| (source.as_path(), found)))?;
    }
    out.flush()?;
    if verified.problems.iter().any(|problem| problem.kind == ProblemKind::NotClosed) {
        tell(&format!("if its recorder is not running: gametape recover {}", path.display()));
    }
    Ok(Outcome::damaged_if(!report.ok))
}

fn compare(tape: &Tape, source: &Path, options: &ImportOptions, bars: &Bars) -> anyhow::Result<Comparison> {
    let bar = bars.add("compare");
    compare_with_source_using(tape, source, options, &mut |progress| bar.at(progress.done_bytes, progress.total_bytes))
        .map_err(|error| match error {
            AgainstError::Read { .. } => error.into(),
            error => anyhow::Error::from(error).context(format!("cannot compare with {}", source.display())),
        })
}

fn of_comparison(comparison: &Comparison) -> Vec<ReportProblem> {
    let problem =
        |offset, stream, text| ReportProblem { kind: "differs_from_source", offset, stream, frames_lost: None, text };
    let mut problems: Vec<_> = comparison
        .differences
        .iter()
        .map(|found| problem(Some(found.source_offset), Some(found.stream.clone()), found.text.clone()))
        .collect();
    let listed = problems.len() as u64;
    if comparison.different > listed {
        let text = format!("{} more differences", comparison.different - listed);
        problems.push(problem(None, None, text));
    }
    problems
}

fn write_human(
    out: &mut dyn Write,
    report: &Report,
    verified: &Verified,
    compared: Option<(&Path, &Comparison)>,
) -> std::io::Result<()> {
    let verdict = match report.problems.len() as u64 {
        0 => "ok".to_owned(),
        many => human::counted(many, "problem"),
    };
    let (blocks, frames) = (human::counted(verified.blocks, "block"), human::counted(verified.frames, "frame"));
    writeln!(out, "{}: {verdict}; {blocks}, {frames}, {}", human::safe(&report.path), human::bytes(verified.bytes))?;
    for problem in &report.problems {
        write!(out, "  {}", problem.kind)?;
        if let Some(stream) = &problem.stream {
            write!(out, " in {}", human::safe(stream))?;
        }
        if let Some(offset) = problem.offset {
            write!(out, " at byte {offset}")?;
        }
        write!(out, ": {}", human::safe(&problem.text))?;
        match problem.frames_lost {
            Some(lost) => writeln!(out, " ({} lost)", human::counted(lost, "frame"))?,
            None => writeln!(out)?,
        }
    }
    if let Some((source, comparison)) = compared.filter(|(_, comparison)| comparison.is_equal()) {
        let frames = human::counted(comparison.equal_frames, "frame");
        let bytes = human::count(comparison.equal_bytes);
        writeln!(out, "identical to {}: {frames}, {bytes} bytes", human::path(source))?;
    }
    Ok(())
}
