//! `gametape import`

use std::collections::HashSet;
use std::io::{self, Read, Write};
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};

use anyhow::anyhow;
use gametape::import::{ImportError, ImportOptions, import_with, tape_id_of};
use gametape::names::{EXTENSION, free_path};
use gametape::paths::create_private_folder;

use super::import_report::{Done, ImportResult, Report, ReportImport, What, tell_result};
use super::workers::{each, worker_count};
use crate::adding::{Adding, next_step};
use crate::cli::tell;
use crate::exit::{self, Outcome};
use crate::progress::Bars;
use crate::sources::{self, Sources};
use crate::stoppable::{StoppableFiles, Stopped, is_stopped};

/// Convert files of other programs to tapes, and add their laps to the store
///
/// The tapes go to your tapes folder, or to -o. They are added to the catalogue, and their sessions and laps to the store, so
/// that `gametape laps` and the dashboard show them. With --no-store only the tape is written, next to its FILE. The format is
/// detected by content, not by name. Laps in lap files of other loggers (MoTeC, RaceChrono, …) are taken as someone else's, unless you
/// say --mine. The import is lossless: `gametape verify TAPE --against FILE` compares the two. Damaged
/// parts are reported, and everything else is kept (exit code 3). Nothing is overwritten: if a name is taken, a number is
/// added, and a file that was imported before is not imported again. The paths of the tapes go to stdout.
#[derive(Debug, clap::Args)]
#[command(after_help = HELP)]
pub(crate) struct Args {
    /// The files; a folder stands for the supported files in it
    #[arg(required = true, value_name = "FILE")]
    files: Vec<PathBuf>,
    /// Output file (for one FILE) or folder [default: your tapes folder]
    #[arg(short, long, value_name = "OUT|DIR")]
    output: Option<PathBuf>,
    /// Only write the tape, next to each FILE unless -o is given; do not use the store
    #[arg(long, conflicts_with = "store")]
    no_store: bool,
    /// Store: a file, postgres://… or demo [env: GAMETAPE_STORE]
    #[arg(long, value_name = "URL")]
    store: Option<String>,
    /// Number of files to import in parallel [default: number of cores]
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u16).range(1..=256))]
    jobs: Option<u16>,
    /// The zstd dictionary that Telemetry V2 captures were compressed with; captures without a dictionary are read as well
    #[arg(long, value_name = "FILE")]
    dictionary: Option<PathBuf>,
    /// The laps are your own, also those in lap files of other loggers, which are someone else's otherwise
    #[arg(long)]
    mine: bool,
    /// Print one JSON document to stdout
    #[arg(long)]
    json: bool,
}

const HELP: &str = "\
Formats:
  iRacing telemetry                    .ibt
  ksana recording                      .ksr, .bin
  shm-debugger recording               .bin
  GamesDat session                     .dat, .bin
  MoTeC log, with its .ldx             .ld
  RaceChrono session                   .csv
  Racelogic log                        .vbo
  Garage 61 lap                        .csv
  GPX track                            .gpx
  F1 capture of Pits n' Giggles        .f1pcap
  Rocket League replay                 .replay
  Fortnite replay                      .replay
  osu! replay                          .osr
  StarCraft II replay                  .sc2replay
  Age of Empires II recorded game      .aoe2record, .mgz, .mgx
  Warcraft III replay                  .w3g
  Rainbow Six Siege round              .rec
  Counter-Strike 2 or Dota 2 demo      .dem
  League of Legends replay             .rofl
  PUBG replay                          .replayinfo
  Trackmania replay or ghost           .gbx
  Echo VR replay                       .echoreplay
  Telemetry V2 capture, any game       .tape
  Echo VR capture of version 1         .nevrcap

Examples:
  gametape import race.ibt                   into your tapes folder and the store
  gametape import race.ibt -o spa.gtape
  gametape import race.ibt --no-store        only race.gtape, next to race.ibt
  gametape import stint.ld --mine            a log of your own: its laps count as your bests
  gametape import ~/iRacing/telemetry *.ksr *.replay -o tapes --jobs 4";

pub(crate) fn run(args: &Args) -> anyhow::Result<Outcome> {
    let sources = sources::of_import(&args.files);
    if sources.files.is_empty() {
        return Err(nothing_to_import(sources));
    }
    let adding = (!args.no_store).then(|| Adding::open(args.store.as_deref())).transpose();
    let adding =
        adding.map_err(|error| anyhow!("cannot store the laps: {error:#}; use --no-store to write only the tape"))?;
    let outputs = choose_outputs(args, &sources.files, adding.as_ref())?;
    let jobs: Vec<(&PathBuf, &PathBuf)> = sources.files.iter().zip(&outputs).collect();
    let options = ImportOptions { dictionary: sources::dictionary(args.dictionary.as_deref())?, is_own: args.mine };
    let results =
        import_all(&jobs, &options, worker_count(args.jobs, jobs.len()), args.output.is_none(), adding.as_ref());
    let mut reports = Vec::new();
    for ((source, _), result) in jobs.iter().zip(&results) {
        // The error of a single file is returned by the command.
        if jobs.len() > 1 || !sources.unreadable.is_empty() || result.is_ok() {
            tell_result(source, result);
        }
        reports.push(ReportImport::of(source, result));
    }
    for (folder, error) in &sources.unreadable {
        tell(&format!("error: cannot list the folder {}: {error}", folder.display()));
    }
    for folder in &sources.empty {
        tell(&format!("note: {}", sources::nothing_in(folder)));
    }
    let mut stdout = crate::terminal::data();
    if args.json {
        serde_json::to_writer_pretty(&mut stdout, &Report { imports: reports }).map_err(std::io::Error::from)?;
        writeln!(stdout)?;
    } else {
        for path in reports.iter().filter_map(|report| report.path.as_ref()) {
            writeln!(stdout, "{path}")?;
        }
    }
    stdout.flush()?;
    let added: Vec<_> = results.iter().flatten().filter_map(|done| done.in_store.as_ref()).collect();
    if added.iter().any(|added| added.error.is_none()) {
        tell(next_step(added.iter().any(|added| added.has_laps())));
    }
    conclusion(&sources, results)
}

fn nothing_to_import(sources: Sources) -> anyhow::Error {
    match (sources.unreadable.into_iter().next(), sources.empty.first()) {
        (Some((folder, error)), _) => {
            anyhow::Error::from(error).context(format!("cannot list the folder {}", folder.display()))
        }
        (None, Some(folder)) => sources::nothing_in(folder),
        (None, None) => exit::nothing_found("no files to import"),
    }
}

/// Determines the outcome of the command: errors take precedence over problems.
fn conclusion(sources: &Sources, results: Vec<ImportResult>) -> anyhow::Result<Outcome> {
    let total = results.len();
    let (stopped, results): (Vec<_>, Vec<_>) =
        results.into_iter().partition(|result| result.as_ref().is_err_and(|error| is_stopped(error)));
    if let Some(error) = stopped.into_iter().find_map(Result::err) {
        return Err(error.into());
    }
    let not_stored = results.iter().flatten().find_map(|done| Some((done.path.clone(), done.store_error()?.clone())));
    let problems = results.iter().flatten().filter_map(Done::imported).any(|imported| !imported.problems.is_empty());
    let failed: Vec<_> =
        sources.files.iter().zip(results).filter_map(|(file, result)| Some((file, result.err()?))).collect();
    let (count, folders) = (failed.len(), sources.unreadable.len());
    match failed.into_iter().next() {
        Some((file, error)) if total == 1 && folders == 0 => Err(match error {
            ImportError::Read { .. } | ImportError::Exists { .. } => error.into(),
            error => anyhow::Error::from(error).context(format!("cannot import {}", file.display())),
        }),
        Some(_) => Err(anyhow!("{count} of {total} files could not be imported; see the errors above")),
        None if folders > 0 => Err(anyhow!("{folders} of the folders could not be listed; see the errors above")),
        None => match not_stored {
            Some((path, error)) => Err(anyhow!(
                "{} was written, but its laps could not be stored: {error}; run `gametape add {}` to try again",
                path.display(),
                path.display()
            )),
            None => Ok(Outcome::damaged_if(problems)),
        },
    }
}

fn import_all(
    jobs: &[(&PathBuf, &PathBuf)],
    options: &ImportOptions,
    workers: usize,
    own_folder: bool,
    adding: Option<&Adding>,
) -> Vec<ImportResult> {
    let bars = Bars::on_terminal();
    let files = Arc::new(StoppableFiles::default());
    // The store has a single writer anyway.
    let one_at_a_time = Mutex::new(());
    let add = |path: &Path| {
        let _turn = one_at_a_time.lock().unwrap_or_else(PoisonError::into_inner);
        adding.map(|adding| if options.is_own { adding.add_own(path) } else { adding.add(path, false) })
    };
    each(jobs, workers, |(source, out)| {
        let bar = bars.add(&source.file_name().unwrap_or_default().to_string_lossy());
        if files.stopped() {
            return Err(ImportError::Read { path: (*source).clone(), source: io::Error::other(Stopped) });
        }
        // If the user named no output, an existing tape of the same bytes is used.
        if let Some(adding) = adding.filter(|_| own_folder)
            && let Some((id, path)) = made_before(source, adding, &files)
        {
            let in_store = add(&path);
            return Ok(Done { path, what: What::AlreadyThere(id), in_store });
        }
        let imported = import_with(files.clone(), source, out, options, &mut |progress| {
            bar.at(progress.done_bytes, progress.total_bytes);
        })?;
        Ok(Done { path: (*out).clone(), what: What::Made(imported), in_store: add(out) })
    })
}

/// Returns the existing tape of the same bytes. The import itself reports a source that cannot be read.
fn made_before(source: &Path, adding: &Adding, files: &StoppableFiles) -> Option<(gametape::format::TapeId, PathBuf)> {
    let id = tape_id_of(source, |file| Box::new(UntilStopped { file, files })).ok()?;
    Some((id, adding.file_of(id)?))
}

/// A file whose reads fail after Ctrl+C.
struct UntilStopped<'a> {
    file: Box<dyn Read>,
    files: &'a StoppableFiles,
}

impl Read for UntilStopped<'_> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        if self.files.stopped() { Err(io::Error::other(Stopped)) } else { self.file.read(buffer) }
    }
}

/// Chooses the path of each tape. A name given by the user is used unchanged; a generated name gets a number if it is taken.
fn choose_outputs(args: &Args, files: &[PathBuf], adding: Option<&Adding>) -> anyhow::Result<Vec<PathBuf>> {
    let folder = match (&args.output, adding) {
        (None, None) => None,
        (None, Some(adding)) => Some(&adding.tapes),
        (Some(output), _) => {
            let ends_like_folder = output.as_os_str().to_string_lossy().ends_with(std::path::is_separator);
            let names_folder = args.files.iter().any(|path| path.is_dir());
            if !output.is_dir() && !ends_like_folder && files.len() == 1 && !names_folder {
                return Ok(vec![output.clone()]);
            }
            if output.exists() && !output.is_dir() {
                return Err(exit::usage(format!(
                    "{} is a file, but several tapes are written; name a folder",
                    output.display()
                )));
            }
            Some(output)
        }
    };
    if let Some(folder) = folder {
        create_private_folder(folder).map_err(|error| {
            anyhow!("cannot create the folder {}: {error}; choose another with -o", folder.display())
        })?;
    }
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

#[cfg(test)]
mod tests {
    #[test]
    fn the_help_has_a_line_for_every_ending() {
        for ending in crate::sources::IMPORTED {
            assert!(super::HELP.contains(&format!(".{ending}")), "{ending}");
        }
        assert_eq!(gametape::import::Kind::readable().matches("(.").count() + 1, super::HELP.matches("   .").count());
    }
}
