//! `gametape export` to formats of other programs, which hold the whole recording: one file per source, several sources in
//! parallel.

use std::fs::File;
use std::io::{self, Write as _};
use std::path::{Path, PathBuf};

use anyhow::{Context as _, anyhow};
use gametape::export::{Columns, Export, ExportError, Exporter, LeftOut};
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
use crate::{human, open, sources};

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
#[derive(Clone)]
struct Job {
    source: PathBuf,
    format: &'static dyn Exporter,
    first_generation: bool,
    out: PathBuf,
    dictionary: Option<Dictionary>,
}

pub(super) fn run(args: &Args, formats: &[&'static dyn Exporter], first_generation: bool) -> anyhow::Result<Outcome> {
    let jobs = choose_jobs(args, formats, first_generation)?;
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
            "source": job.source, "to": job.format.extension(), "paths": written.map(|written| &written.path).into_iter().collect::<Vec<_>>(),
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
    let name = job.source.with_extension(job.format.extension());
    let out = scratch.path().join(name.file_name().unwrap_or_default());
    let job = Job { out, ..job.clone() };
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
fn choose_jobs(args: &Args, formats: &[&'static dyn Exporter], first_generation: bool) -> anyhow::Result<Vec<Job>> {
    let mut all = Vec::new();
    for format in formats {
        let files = match args.files.is_empty() {
            true => vec![open::or_newest(None)?],
            false => sources::of_captures(&args.files, format.extension())?,
        };
        all.extend(files.into_iter().map(|source| (source, *format)));
    }
    let sources: Vec<PathBuf> = all.iter().map(|(source, _)| source.clone()).collect();
    let names = Names::new(args, &sources);
    let several = all.len() > 1 || args.files.iter().any(|path| path.is_dir());
    let stdout = is_stdout(args);
    let dictionary = sources::dictionary(args.dictionary.as_deref())?;
    let job = |(source, format): (PathBuf, &'static dyn Exporter)| {
        let out = match stdout {
            true => PathBuf::new(),
            false => names.free(&names.wanted(&source, format, several)?, format.beside()),
        };
        Ok(Job { source, format, first_generation, out, dictionary: dictionary.clone() })
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
    let mut file = NewFile::create(wanted, replace, stop, bar).context("cannot write")?;
    let name = wanted.file_name().unwrap_or_default().to_string_lossy();
    let columns = Columns(Vec::new());
    let dictionary = job.dictionary.as_ref();
    let what = Export { first_generation: job.first_generation, dictionary, ..Export::all(tape, &name, &columns) };
    let exported = match job.format.export(&what, &mut file) {
        Err(ExportError::Nothing(why)) => return Err(exit::nothing_found(why)),
        // The error of a file names it; that of a stop is not about writing.
        Err(ExportError::Write(error)) => return Err(error.into()),
        result => result?,
    };
    let left_out = exported.left_out.iter().map(left_out_text);
    let damaged = tape.problems().iter().any(open::is_damage);
    let damage = exported.damage.iter().map(ToString::to_string).collect();
    let (left_out, frames) = (left_out.collect(), exported.frames.unwrap_or_default());
    Ok(Written { path: file.finish()?, frames, left_out, damage, damaged })
}

/// Says what a file lacks.
pub(super) fn left_out_text(left_out: &LeftOut) -> String {
    match left_out {
        LeftOut::Counted { count, one, many } => human::counted_as(*count, one, many),
        LeftOut::Dictionary => {
            "compressed without the zstd dictionary that its header names; use --dictionary FILE to compress with it"
                .to_owned()
        }
        other => format!("{other:?}"),
    }
}
