//! `gametape import`

use std::collections::HashSet;
use std::io::{self, Write};
use std::path::{Path, PathBuf};
use std::sync::Arc;

use anyhow::{Context, anyhow};
use gametape::import::{ImportError, Imported, import_through};
use gametape::names::{EXTENSION, free_path};
use serde::Serialize;

use super::problem_report::ReportProblem;
use super::workers::{each, worker_count};
use crate::cli::tell;
use crate::exit::{self, Outcome};
use crate::progress::Bars;
use crate::stoppable::{StoppableFiles, Stopped, is_stopped};
use crate::{human, sources};

/// Make tapes of files that other programs wrote
///
/// What a file is, its content says, not its name. Read are iRacing's .ibt, ksana's .ksr and .bin, GamesDat's .dat and Rocket League's .replay.
/// Nothing in the file is lost: `gametape verify TAPE --against FILE` compares the two. What is broken is named, and everything else is kept
/// (exit code 3). Nothing is overwritten: a number is added to a name that is taken. The paths of the tapes go to stdout.
#[derive(Debug, clap::Args)]
#[command(after_help = "Examples:
  gametape import race.ibt                   makes race.gtape beside it
  gametape import race.ibt -o spa.gtape
  gametape import *.ibt *.ksr *.dat *.replay -o tapes --jobs 4")]
pub(crate) struct Args {
    /// The files; a folder stands for those in it
    #[arg(required = true, value_name = "FILE")]
    files: Vec<PathBuf>,
    /// A file name (for one FILE), or a folder; beside each FILE if left out
    #[arg(short, long, value_name = "OUT|DIR")]
    output: Option<PathBuf>,
    /// Files at the same time; as many as the machine has cores if left out
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u16).range(1..=256))]
    jobs: Option<u16>,
    /// One JSON document on stdout
    #[arg(long)]
    json: bool,
}

#[derive(Debug, Serialize)]
struct Report {
    imports: Vec<ReportImport>,
}

#[derive(Debug, Serialize)]
struct ReportImport {
    source: String,
    path: Option<String>,
    kind: Option<&'static str>,
    tape_id: Option<String>,
    frames: Option<u64>,
    bytes_source: Option<u64>,
    bytes: Option<u64>,
    problems: Vec<ReportProblem>,
    error: Option<String>,
}

type ImportResult = Result<Imported, ImportError>;

pub(crate) fn run(args: &Args) -> anyhow::Result<Outcome> {
    let files = sources::of_import(&args.files)?;
    let outputs = choose_outputs(args, &files)?;
    let jobs: Vec<(&PathBuf, &PathBuf)> = files.iter().zip(&outputs).collect();
    let results = import_all(&jobs, worker_count(args.jobs, jobs.len()));
    let mut reports = Vec::new();
    for ((source, out), result) in jobs.iter().zip(&results) {
        // The error of a single file is the command's.
        if jobs.len() > 1 || result.is_ok() {
            tell_result(source, out, result);
        }
        reports.push(ReportImport::of(source, out, result));
    }
    let mut stdout = std::io::stdout().lock();
    if args.json {
        serde_json::to_writer_pretty(&mut stdout, &Report { imports: reports }).map_err(std::io::Error::from)?;
        writeln!(stdout)?;
    } else {
        for path in reports.iter().filter_map(|report| report.path.as_ref()) {
            writeln!(stdout, "{path}")?;
        }
    }
    stdout.flush()?;
    conclusion(&files, results)
}

/// Says how the command ends: a failure weighs more than a problem.
fn conclusion(files: &[PathBuf], results: Vec<ImportResult>) -> anyhow::Result<Outcome> {
    let total = results.len();
    let (stopped, results): (Vec<_>, Vec<_>) =
        results.into_iter().partition(|result| result.as_ref().is_err_and(|error| is_stopped(error)));
    if let Some(error) = stopped.into_iter().find_map(Result::err) {
        return Err(error.into());
    }
    let problems = results.iter().flatten().any(|imported| !imported.problems.is_empty());
    let failed: Vec<_> = files.iter().zip(results).filter_map(|(file, result)| Some((file, result.err()?))).collect();
    let count = failed.len();
    match failed.into_iter().next() {
        None => Ok(Outcome::damaged_if(problems)),
        Some((file, error)) if total == 1 => Err(match error {
            ImportError::Read { .. } | ImportError::Exists { .. } => error.into(),
            error => anyhow::Error::from(error).context(format!("cannot import {}", file.display())),
        }),
        Some(_) => Err(anyhow!("{count} of {total} files could not be imported; what went wrong stands above")),
    }
}

fn import_all(jobs: &[(&PathBuf, &PathBuf)], workers: usize) -> Vec<ImportResult> {
    let bars = Bars::on_terminal();
    let files = Arc::new(StoppableFiles::default());
    each(jobs, workers, |(source, out)| {
        let bar = bars.add(&source.file_name().unwrap_or_default().to_string_lossy());
        match files.stopped() {
            false => import_through(files.clone(), source, out, &mut |progress| {
                bar.at(progress.done_bytes, progress.total_bytes);
            }),
            true => Err(ImportError::Read { path: (*source).clone(), source: io::Error::other(Stopped) }),
        }
    })
}

/// Where each tape goes. A name that the user gave is taken as it is; one that is made up here gets a number if it is taken.
fn choose_outputs(args: &Args, files: &[PathBuf]) -> anyhow::Result<Vec<PathBuf>> {
    let folder = match &args.output {
        None => None,
        Some(output) => {
            let ends_like_folder = output.as_os_str().to_string_lossy().ends_with(std::path::is_separator);
            if !output.is_dir() && !ends_like_folder && files.len() == 1 {
                return Ok(vec![output.clone()]);
            }
            if output.exists() && !output.is_dir() {
                return Err(exit::usage(format!(
                    "{} is a file; several files need a folder to go to",
                    output.display()
                )));
            }
            std::fs::create_dir_all(output)
                .with_context(|| format!("cannot make the folder {}; choose another with -o", output.display()))?;
            Some(output)
        }
    };
    let mut chosen: HashSet<PathBuf> = HashSet::new();
    let mut outputs = Vec::new();
    for file in files {
        let beside = file.with_extension(EXTENSION);
        let wanted = match folder {
            Some(folder) => folder.join(beside.file_name().unwrap_or_default()),
            None => beside,
        };
        let path = free_path(&wanted, &|path: &Path| path.exists() || chosen.contains(path));
        chosen.insert(path.clone());
        outputs.push(path);
    }
    Ok(outputs)
}

fn tell_result(source: &Path, out: &Path, result: &ImportResult) {
    match result {
        Ok(imported) => {
            for problem in &imported.problems {
                tell(&format!("warning: {}: {problem}", source.display()));
            }
            let (from, to) = (human::bytes(imported.source_bytes), human::bytes(imported.tape_bytes));
            let frames = human::counted(imported.frames, "frame");
            tell(&format!("{} -> {}: {frames}, {from} -> {to}", source.display(), out.display()));
        }
        // Told once, at the end.
        Err(error) if is_stopped(error) => {}
        Err(error) => tell(&format!("error: {}: {error}", source.display())),
    }
}

/// Problems of a source are words; their kind is that of the event that keeps them on the tape.
fn of_source(text: &str) -> ReportProblem {
    ReportProblem { kind: "import_problem", offset: None, stream: None, frames_lost: None, text: text.into() }
}

impl ReportImport {
    fn of(source: &Path, out: &Path, result: &ImportResult) -> Self {
        let imported = result.as_ref().ok();
        Self {
            source: source.display().to_string(),
            path: imported.map(|_| out.display().to_string()),
            kind: imported.map(|imported| imported.kind.id()),
            tape_id: imported.map(|imported| imported.tape_id.to_string()),
            frames: imported.map(|imported| imported.frames),
            bytes_source: imported.map(|imported| imported.source_bytes),
            bytes: imported.map(|imported| imported.tape_bytes),
            problems: imported
                .map(|imported| imported.problems.iter().map(|text| of_source(text)).collect())
                .unwrap_or_default(),
            error: result.as_ref().err().map(ToString::to_string),
        }
    }
}
