//! `gametape export --to echoreplay`, `v2-tape` and `nevrcap`: Echo VR recordings as files for other tools of the game. One
//! file per source, several sources in parallel.

use std::fs::File;
use std::io::{self, Write as _};
use std::path::{Path, PathBuf};

use anyhow::{Context as _, anyhow};
use gametape::export::v2::{CaptureExportError, CaptureExported, CaptureOptions, export_nevrcap, export_v2_tape_with};
use gametape::export::{EchoReplayExportError, export_echoreplay};
use gametape::import::Dictionary;
use serde_json::json;

use super::export::Args;
use super::export_files::{NewFile, Scratch};
use super::export_source::Opened;
use super::export_target::{Names, is_stdout};
use super::workers::{each, worker_count};
use crate::cli::tell;
use crate::exit::{self, Outcome};
use crate::progress::{Bar, Bars};
use crate::stop::Stop;
use crate::stoppable::{Stopped, is_stopped};
use crate::{dictionary, human, open, sources};

/// The capture format.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Capture {
    /// The line format of Echo VR's replay tools.
    EchoReplay,
    /// Telemetry V2.
    V2Tape {
        /// Whether to write the first generation of the schema.
        seed: bool,
    },
    /// Version 1 of the capture format (`.nevrcap`).
    Nevrcap,
}

impl Capture {
    /// Returns the file extension.
    pub(super) fn ending(self) -> &'static str {
        match self {
            Self::EchoReplay => "echoreplay",
            Self::V2Tape { .. } => "tape",
            Self::Nevrcap => "nevrcap",
        }
    }
}

/// The result of one source.
struct Written {
    path: PathBuf,
    frames: u64,
    /// What the format cannot represent, as text.
    left_out: Vec<String>,
    damage: Vec<String>,
    /// Whether the tape itself is damaged, which is reported elsewhere.
    damaged: bool,
}

/// One file to write.
struct Job {
    source: PathBuf,
    capture: Capture,
    out: PathBuf,
    dictionary: Option<Dictionary>,
}

pub(super) fn run(args: &Args, captures: &[Capture]) -> anyhow::Result<Outcome> {
    let jobs = choose_jobs(args, captures)?;
    args.check_stdout(jobs.len() > 1)?;
    let stop = Stop::listen()?;
    let bars = Bars::on_terminal();
    if let ([job], true) = (jobs.as_slice(), is_stdout(args)) {
        return to_stdout(job, &stop, &bars.add(&job.source.file_name().unwrap_or_default().to_string_lossy()));
    }
    let results = each(&jobs, worker_count(args.jobs, jobs.len()), |job| {
        let bar = bars.add(&job.source.file_name().unwrap_or_default().to_string_lossy());
        if stop.wanted() { Err(io::Error::other(Stopped).into()) } else { write(job, args.force, &stop, &bar) }
    });
    let mut reports = Vec::new();
    for (job, result) in jobs.iter().zip(&results) {
        // The error of a single file is returned by the command.
        if jobs.len() > 1 || result.is_ok() {
            tell_result(&job.source, result);
        }
        let (written, error) = (result.as_ref().ok(), result.as_ref().err());
        reports.push(json!({
            "source": job.source, "to": job.capture.ending(), "paths": written.map(|written| &written.path).into_iter().collect::<Vec<_>>(),
            "frames": written.map(|written| written.frames), "left_out": written.map(|written| &written.left_out), "damage": written.map(|written| &written.damage),
            "error": error.map(|error| format!("{error:#}")),
        }));
    }
    let mut out = crate::terminal::data();
    if args.json {
        writeln!(out, "{}", json!({ "exports": reports }))?;
    } else {
        for written in results.iter().flatten() {
            writeln!(out, "{}", written.path.display())?;
        }
    }
    out.flush()?;
    conclusion(results)
}

/// Writes to a temporary file first, since an archive is not written sequentially.
fn to_stdout(job: &Job, stop: &Stop, bar: &Bar) -> anyhow::Result<Outcome> {
    let scratch = Scratch::new()?;
    let name = job.source.with_extension(job.capture.ending());
    let out = scratch.path().join(name.file_name().unwrap_or_default());
    let job = Job { source: job.source.clone(), capture: job.capture, out, dictionary: job.dictionary.clone() };
    let written = write(&job, false, stop, bar)?;
    let mut file = File::open(&written.path).with_context(|| format!("cannot read {}", written.path.display()))?;
    let mut out = crate::terminal::data();
    io::copy(&mut file, &mut out)?;
    out.flush()?;
    for words in written.damage.iter().map(|problem| format!("warning: {problem}")).chain(written.left_out.clone()) {
        tell(&format!("{}: {words}", job.source.display()));
    }
    conclusion(vec![Ok(written)])
}

/// Determines the outcome of the command: errors take precedence over problems.
fn conclusion(results: Vec<anyhow::Result<Written>>) -> anyhow::Result<Outcome> {
    let total = results.len();
    let damaged = results.iter().flatten().any(|written| written.damaged || !written.damage.is_empty());
    let mut failed: Vec<_> = results.into_iter().filter_map(Result::err).collect();
    if let Some(stopped) = failed.iter().position(|error| is_stopped(error.as_ref())) {
        return Err(failed.swap_remove(stopped));
    }
    match (failed.len(), failed.pop()) {
        (_, None) => Ok(Outcome::damaged_if(damaged)),
        (_, Some(error)) if total == 1 => Err(error),
        (count, _) => Err(anyhow!("{count} of {total} files could not be converted; see the errors above")),
    }
}

/// Chooses the files to write. Sources with the same name get different output names.
fn choose_jobs(args: &Args, captures: &[Capture]) -> anyhow::Result<Vec<Job>> {
    let mut all = Vec::new();
    for capture in captures {
        let files = match args.files.is_empty() {
            true => vec![open::or_newest(None)?],
            false => sources::of_captures(&args.files, capture.ending())?,
        };
        all.extend(files.into_iter().map(|source| (source, *capture)));
    }
    let sources: Vec<PathBuf> = all.iter().map(|(source, _)| source.clone()).collect();
    let names = Names::new(args, &sources);
    let several = all.len() > 1;
    let stdout = is_stdout(args);
    let dictionary = dictionary::read(args.dictionary.as_deref())?;
    let job = |(source, capture): (PathBuf, Capture)| {
        let out = match stdout {
            true => PathBuf::new(),
            false => names.free(&names.wanted(&source, capture.ending(), several)?),
        };
        Ok(Job { source, capture, out, dictionary: dictionary.clone() })
    };
    all.into_iter().map(job).collect()
}

fn tell_result(source: &Path, result: &anyhow::Result<Written>) {
    match result {
        Ok(written) => {
            for problem in &written.damage {
                tell(&format!("warning: {}: {}", source.display(), human::safe(problem)));
            }
            for words in &written.left_out {
                tell(&format!("{}: {words}", source.display()));
            }
            let size = human::bytes(written.path.metadata().map(|file| file.len()).unwrap_or_default());
            let frames = human::counted(written.frames, "frame");
            tell(&format!("{} -> {}: {frames}, {size}", source.display(), written.path.display()));
        }
        // Reported once, at the end.
        Err(error) if is_stopped(error.as_ref()) => {}
        Err(error) => tell(&format!("error: {error:#}")),
    }
}

fn write(job: &Job, replace: bool, stop: &Stop, bar: &Bar) -> anyhow::Result<Written> {
    let written = write_to(&job.out, job, replace, stop, bar);
    written.map_err(|error| match is_stopped(error.as_ref()) {
        true => error,
        false => error.context(format!("cannot export {}", job.source.display())),
    })
}

fn write_to(wanted: &Path, job: &Job, replace: bool, stop: &Stop, bar: &Bar) -> anyhow::Result<Written> {
    let opened = Opened::open(&job.source, job.dictionary.as_ref())?;
    let tape = &opened.tape;
    let last_ns = tape.streams().filter_map(|stream| stream.totals().last_ns).max().unwrap_or_default();
    let mut done = |done_ns: u64| {
        bar.at(done_ns, last_ns);
        if stop.wanted() { Err(io::Error::other(Stopped)) } else { Ok(()) }
    };
    let mut file = NewFile::create(wanted, replace).context("cannot write")?;
    let name = wanted.file_name().unwrap_or_default().to_string_lossy();
    let (frames, left_out, damage) = match job.capture {
        Capture::EchoReplay => match export_echoreplay(tape, &name, file.out()?, &mut done) {
            Err(error @ EchoReplayExportError::NotEchoVr) => return Err(exit::nothing_found(error.to_string())),
            result => result.map(|exported| (exported.lines, Vec::new(), exported.damage))?,
        },
        Capture::V2Tape { seed } => {
            parts(export_v2_tape_with(tape, CaptureOptions { seed }, job.dictionary.as_ref(), file.out()?, &mut done))?
        }
        Capture::Nevrcap => parts(export_nevrcap(tape, file.out()?, &mut done))?,
    };
    let damaged = tape.problems().iter().any(open::is_damage);
    let damage = damage.iter().map(ToString::to_string).collect();
    Ok(Written { path: file.finish()?, frames, left_out, damage, damaged })
}

/// Returns the number of frames, what was left out, and damage.
fn parts(
    result: Result<CaptureExported, CaptureExportError>,
) -> anyhow::Result<(u64, Vec<String>, Vec<gametape::format::read::Problem>)> {
    let exported = match result {
        Err(error @ (CaptureExportError::NotEchoVr | CaptureExportError::NoFrames { .. })) => {
            return Err(exit::nothing_found(error.to_string()));
        }
        Err(CaptureExportError::Write(error)) => return Err(error.into()),
        result => result?,
    };
    let words = [
        (
            exported.left_out_by_schema,
            "value or event that the schema cannot represent was left out",
            "values and events that the schema cannot represent were left out",
        ),
        (
            exported.left_out,
            "response, mark or line that the format cannot represent was left out",
            "responses, marks and lines that the format cannot represent were left out",
        ),
    ];
    let left_out = words.into_iter().filter(|(count, ..)| *count > 0);
    let mut left_out: Vec<_> = left_out.map(|(count, one, many)| human::counted_as(count, one, many)).collect();
    if exported.without_dictionary {
        left_out.push(
            "compressed without the zstd dictionary that its header names; use --dictionary FILE to compress with it"
                .to_owned(),
        );
    }
    Ok((exported.frames, left_out, exported.damage))
}
