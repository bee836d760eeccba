//! `gametape split`

use std::ops::Range;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use anyhow::anyhow;
use gametape::format::read::Tape;
use gametape::format::write;
use gametape::identity::derived_id;
use gametape::laps::{CutLap, Lap, Tracked};
use serde_json::json;

use super::of_lap;
use super::rewriting::{failed, refuse_existing};
use crate::cli::tell;
use crate::exit::{self, Outcome};
use crate::progress::Bars;
use crate::stoppable::StoppableFiles;
use crate::{human, open};

/// Split a tape into one tape per session or lap
///
/// Each part is exact to the frame, with everything that describes it, and is named like the tape plus the number of the
/// session or lap. The tape of a lap also contains some seconds before and after it, so that the lap keeps its time; such parts
/// overlap. The source stays unchanged, and nothing is overwritten.
#[derive(Debug, clap::Args)]
#[command(after_help = "Examples:
  gametape split evening.gtape --by session
  gametape split race.gtape --by lap -o laps")]
pub(crate) struct Args {
    /// The tape
    file: PathBuf,
    /// What to split by; laps are numbered as in `gametape laps`, including aborted ones
    #[arg(long, value_name = "WHAT")]
    by: By,
    /// Output folder [default: next to the tape]
    #[arg(short, long, value_name = "DIR")]
    output: Option<PathBuf>,
    /// Print one JSON document to stdout
    #[arg(long)]
    json: bool,
}

/// What to split by.
#[derive(Debug, Clone, Copy, PartialEq, Eq, clap::ValueEnum)]
enum By {
    /// Each session
    Session,
    /// Each lap
    Lap,
}

/// A part to be written.
struct Part {
    path: PathBuf,
    times: Range<u64>,
    /// The lap that the part is cut for.
    lap: Option<(CutLap, Lap)>,
}

pub(crate) fn run(args: &Args) -> anyhow::Result<Outcome> {
    let tape = open::tape(&args.file)?;
    let tracked = of_lap::tracked(&tape, &args.file)?;
    let parts = parts(args, &tape, &tracked);
    if parts.is_empty() {
        return Err(exit::nothing_found(format!(
            "{} has no sessions or laps to split by, nothing was written",
            args.file.display()
        )));
    }
    // All or nothing: an existing output file is reported before the first part is written.
    parts.iter().try_for_each(|part| refuse_existing(&part.path))?;
    if let Some(folder) = &args.output {
        std::fs::create_dir_all(folder).map_err(|error| {
            anyhow!("cannot create the folder {}: {error}; choose another with -o", folder.display())
        })?;
    }
    let ids: Vec<_> = tape.id().into_iter().collect();
    let (files, bars) = (Arc::new(StoppableFiles::default()), Bars::on_terminal());
    let (mut damaged, mut written) = (false, Vec::new());
    for part in &parts {
        let Range { start, end } = part.times;
        let (id, metadata) = match &part.lap {
            Some((cut, _)) => of_lap::id_and_metadata(&ids, cut),
            None => (derived_id(&ids, &format!("cut {start} {end}")), None),
        };
        let metadata: Vec<_> = metadata.iter().map(|value| (CutLap::KEY, value.as_str())).collect();
        let bar = bars.add("split");
        let report = write::cut_with(files.clone(), &tape, start..end, &part.path, id, &metadata, &mut |progress| {
            bar.at(progress.done_frames, progress.total_frames);
        })
        .map_err(|error| failed(error, &format!("cannot write {}", part.path.display())))?;
        drop(bar);
        if let Some((_, lap)) = &part.lap {
            of_lap::warn_if_changed(&part.path, lap)?;
        }
        report.problems.iter().for_each(|problem| tell(&format!("warning: left out: {problem}")));
        damaged |= report.problems.iter().any(open::is_damage);
        written.push((part.path.display().to_string(), report.bytes));
    }
    print(args.json, &written)?;
    Ok(Outcome::damaged_if(damaged))
}

fn print(as_json: bool, written: &[(String, u64)]) -> anyhow::Result<()> {
    use std::io::Write as _;
    let bytes = written.iter().map(|(_, bytes)| bytes).sum();
    tell(&format!("{}, {}", human::counted(written.len() as u64, "tape"), human::bytes(bytes)));
    let mut out = crate::terminal::data();
    if as_json {
        let tapes: Vec<_> = written.iter().map(|(path, bytes)| json!({ "path": path, "bytes": bytes })).collect();
        writeln!(out, "{}", json!({ "tapes": tapes }))?;
    } else {
        written.iter().try_for_each(|(path, _)| writeln!(out, "{path}"))?;
    }
    out.flush()?;
    Ok(())
}

fn parts(args: &Args, tape: &Tape, tracked: &Tracked) -> Vec<Part> {
    let name = |what: &str, number: usize, count: usize| {
        let stem = args.file.file_stem().unwrap_or_default().to_string_lossy();
        let digits = count.to_string().len();
        let folder = args.output.as_deref().or(args.file.parent()).unwrap_or(Path::new(""));
        folder.join(format!("{stem}_{what}-{number:0digits$}.gtape"))
    };
    match args.by {
        By::Session => {
            let count = tracked.sessions.len();
            let times = tracked.sessions.iter().map(|tracked| {
                let session = &tracked.session;
                session.start_ns..session.end_ns.map_or(u64::MAX, |end| end.saturating_add(1))
            });
            let part = |(index, times)| Part { path: name("session", index + 1, count), times, lap: None };
            times.enumerate().map(part).collect()
        }
        By::Lap => {
            let count = tracked.laps().count();
            // A lap inferred over a gap has no frames.
            let laps = tracked.laps().filter(|lap| lap.end_ns.is_none_or(|end_ns| end_ns > lap.start_ns));
            let part = |lap: &Lap| {
                let cut = CutLap::of(tape, lap);
                let path = name("lap", lap.tape_lap as usize, count);
                Part { path, times: cut.times.clone(), lap: Some((cut, lap.clone())) }
            };
            laps.map(part).collect()
        }
    }
}
