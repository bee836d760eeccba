//! `gametape export --to echoreplay`, `v2-tape` and `nevrcap`: recordings of Echo VR as files that other tools of the game read. One file for each source, several sources at the same time.

use std::collections::HashSet;
use std::io::{self, Write as _};
use std::path::{Path, PathBuf};

use anyhow::anyhow;
use gametape::export::v2::{CaptureExportError, CaptureExported, CaptureOptions, export_nevrcap, export_v2_tape};
use gametape::export::{EchoReplayExportError, export_echoreplay};
use gametape::names::free_path;
use serde_json::json;

use super::export::{Args, Opened, wanted_path};
use super::export_files::NewFile;
use super::workers::{each, worker_count};
use crate::cli::tell;
use crate::exit::{self, Outcome};
use crate::progress::{Bar, Bars};
use crate::stop::Stop;
use crate::stoppable::{Stopped, is_stopped};
use crate::{human, open, sources};

/// What is written.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Capture {
    /// The lines of Echo VR's replay tools.
    EchoReplay,
    /// Telemetry V2.
    V2Tape {
        /// In its first generation.
        seed: bool,
    },
    /// The first version of it.
    Nevrcap,
}

impl Capture {
    /// The ending of its files.
    pub(super) fn ending(self) -> &'static str {
        match self {
            Self::EchoReplay => "echoreplay",
            Self::V2Tape { .. } => "tape",
            Self::Nevrcap => "nevrcap",
        }
    }
}

/// What came of one source.
struct Written {
    path: PathBuf,
    frames: u64,
    /// What the format has no place for, in words.
    left_out: Vec<String>,
    damage: Vec<String>,
    /// The tape itself has damage that is told elsewhere.
    damaged: bool,
}

pub(super) fn run(args: &Args, capture: Capture) -> anyhow::Result<Outcome> {
    let files = match args.files.is_empty() {
        true => vec![open::or_newest(None)?],
        false => sources::of_captures(&args.files, capture.ending())?,
    };
    let outputs = choose_outputs(args, &files, capture)?;
    let jobs: Vec<_> = files.iter().zip(&outputs).collect();
    let stop = Stop::listen()?;
    let bars = Bars::on_terminal();
    let results = each(&jobs, worker_count(args.jobs, jobs.len()), |(source, out)| {
        let bar = bars.add(&source.file_name().unwrap_or_default().to_string_lossy());
        if stop.wanted() { Err(io::Error::other(Stopped).into()) } else { write(source, out, capture, &stop, &bar) }
    });
    let mut reports = Vec::new();
    for (source, result) in files.iter().zip(&results) {
        // The error of a single file is the command's.
        if files.len() > 1 || result.is_ok() {
            tell_result(source, result);
        }
        let (written, error) = (result.as_ref().ok(), result.as_ref().err());
        reports.push(json!({
            "source": source, "to": capture.ending(), "paths": written.map(|written| &written.path).into_iter().collect::<Vec<_>>(),
            "frames": written.map(|written| written.frames), "left_out": written.map(|written| &written.left_out), "damage": written.map(|written| &written.damage),
            "error": error.map(|error| format!("{error:#}")),
        }));
    }
    let mut out = io::stdout().lock();
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

/// Says how the command ends: a failure weighs more than a problem.
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
        (count, _) => Err(anyhow!("{count} of {total} files could not be converted; what went wrong stands above")),
    }
}

/// Where each file goes; two sources of one name do not meet.
fn choose_outputs(args: &Args, files: &[PathBuf], capture: Capture) -> anyhow::Result<Vec<PathBuf>> {
    let mut chosen: HashSet<PathBuf> = HashSet::new();
    let mut outputs = Vec::new();
    for file in files {
        let wanted = wanted_path(args, file, capture.ending(), files.len() > 1)?;
        let path = free_path(&wanted, &|path: &Path| path.exists() || chosen.contains(path));
        chosen.insert(path.clone());
        outputs.push(path);
    }
    Ok(outputs)
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
        // Told once, at the end.
        Err(error) if is_stopped(error.as_ref()) => {}
        Err(error) => tell(&format!("error: {}: {}", source.display(), human::safe(&format!("{error:#}")))),
    }
}

fn write(source: &Path, wanted: &Path, capture: Capture, stop: &Stop, bar: &Bar) -> anyhow::Result<Written> {
    let opened = Opened::open(source)?;
    let tape = &opened.tape;
    let last_ns = tape.streams().filter_map(|stream| stream.totals().last_ns).max().unwrap_or_default();
    let mut done = |done_ns: u64| {
        bar.at(done_ns, last_ns);
        if stop.wanted() { Err(io::Error::other(Stopped)) } else { Ok(()) }
    };
    let mut file = NewFile::create(wanted)?;
    let name = wanted.file_name().unwrap_or_default().to_string_lossy();
    let (frames, left_out, damage) = match capture {
        Capture::EchoReplay => match export_echoreplay(tape, &name, file.out()?, &mut done) {
            Err(error @ EchoReplayExportError::NotEchoVr) => return Err(exit::nothing_found(error.to_string())),
            result => result.map(|exported| (exported.lines, Vec::new(), exported.damage))?,
        },
        Capture::V2Tape { seed } => parts(export_v2_tape(tape, CaptureOptions { seed }, file.out()?, &mut done))?,
        Capture::Nevrcap => parts(export_nevrcap(tape, file.out()?, &mut done))?,
    };
    let damaged = tape.problems().iter().any(open::is_damage);
    let damage = damage.iter().map(ToString::to_string).collect();
    Ok(Written { path: file.finish()?, frames, left_out, damage, damaged })
}

/// Frames, what was left out, damage.
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
            "value or event that the schema has no place for was left out",
            "values and events that the schema has no place for were left out",
        ),
        (
            exported.left_out,
            "answer, mark or line that the format has no place for was left out",
            "answers, marks and lines that the format has no place for were left out",
        ),
    ];
    let left_out = words.into_iter().filter(|(count, ..)| *count > 0);
    let left_out = left_out.map(|(count, one, many)| human::counted_as(count, one, many)).collect();
    Ok((exported.frames, left_out, exported.damage))
}
