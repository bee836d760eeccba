//! `gametape cut`

use std::ops::Range;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use gametape::format::Role;
use gametape::format::read::{ReadError, Tape, TapeStream};
use gametape::format::write;
use gametape::identity::derived_id;
use gametape::laps::CutLap;

use super::of_lap;
use super::problem_report::StreamNames;
use super::rewriting::{failed, refuse_existing, tell_report};
use crate::exit::{self, Outcome};
use crate::progress::Bars;
use crate::stoppable::StoppableFiles;
use crate::{human, open, time};

/// Extract a part of a tape, exact to the frame
///
/// Keeps the frames from --from up to, but not including, --to unchanged, with everything that describes them. With --lap, it
/// also keeps two seconds before the lap and nine after it: they contain its start, its end and the time that the game
/// reported. The new tape contains only that lap.
#[derive(Debug, clap::Args)]
#[command(after_help = "Examples:
  gametape cut race.gtape --from 1:30 --to 3:00.5 -o lap2.gtape
  gametape cut race.gtape --from 10m -o end.gtape
  gametape cut race.gtape --lap 3 -o lap3.gtape

Times: 90, 1:30.5, 10m, 250ms; relative to the start of the tape.")]
pub(crate) struct Args {
    /// The tape
    file: PathBuf,
    /// Start of the part [default: start of the tape]
    #[arg(long, value_name = "T", value_parser = time::parse_ns)]
    from: Option<u64>,
    /// End of the part, exclusive [default: end of the tape]
    #[arg(long, value_name = "T", value_parser = time::parse_ns)]
    to: Option<u64>,
    /// Extract a lap with its surroundings: its number on the tape, as `gametape laps` prints it
    #[arg(long, value_name = "N", conflicts_with_all = ["from", "to"])]
    lap: Option<u32>,
    /// The tape to write
    #[arg(short, long, value_name = "OUT")]
    output: PathBuf,
    /// Print one JSON document to stdout
    #[arg(long)]
    json: bool,
}

pub(crate) fn run(args: &Args) -> anyhow::Result<Outcome> {
    if args.from.is_none() && args.to.is_none() && args.lap.is_none() {
        return Err(exit::usage("no part was given; use --from T, --to T or both, or --lap N"));
    }
    let times = args.from.unwrap_or(0)..args.to.unwrap_or(u64::MAX);
    if times.is_empty() {
        return Err(exit::usage("--to must be later than --from"));
    }
    let tape = open::tape(&args.file)?;
    refuse_existing(&args.output)?;
    let lap = args.lap.map(|number| of_lap::part_of(&tape, number, &args.file)).transpose()?;
    let times = lap.as_ref().map_or(times, |(part, _)| part.times.clone());
    refuse_empty(&tape, &times, &args.file)?;
    let ids: Vec<_> = tape.id().into_iter().collect();
    let (id, metadata) = match &lap {
        Some((part, _)) => of_lap::id_and_metadata(&ids, part),
        None => (derived_id(&ids, &format!("cut {} {}", times.start, times.end)), None),
    };
    let metadata: Vec<_> = metadata.iter().map(|value| (CutLap::KEY, value.as_str())).collect();
    let bars = Bars::on_terminal();
    let bar = bars.add("cut");
    let files = Arc::new(StoppableFiles::default());
    let report = write::cut_with(files, &tape, times, &args.output, id, &metadata, &mut |progress| {
        bar.at(progress.done_frames, progress.total_frames);
    })
    .map_err(|error| failed(error, &format!("cannot cut {}", args.file.display())))?;
    drop(bar);
    if let Some((_, lap)) = &lap {
        of_lap::warn_if_changed(&args.output, lap)?;
    }
    tell_report(&args.output, &report, &StreamNames::of([&tape]), args.json)
}

/// Refuses to write a tape without frames: the times are most likely wrong.
fn refuse_empty(tape: &Tape, times: &Range<u64>, file: &Path) -> anyhow::Result<()> {
    let frames = || tape.streams().filter(|stream| stream.spec().role == Role::Data);
    for stream in frames() {
        if has_frames(tape, stream, times)? {
            return Ok(());
        }
    }
    let first = frames().filter_map(|stream| stream.totals().first_ns).min();
    let last = frames().filter_map(end_ns).max();
    let there = match first.zip(last) {
        Some((first, last)) => format!("its frames are from {} to {}", human::duration(first), human::duration(last)),
        None => "it has no frames".into(),
    };
    let from = human::duration(times.start);
    let to = if times.end == u64::MAX { "the end".into() } else { human::duration(times.end) };
    Err(exit::nothing_found(format!(
        "{} has no frames from {from} to {to} ({there}), nothing was written; choose other times",
        file.display()
    )))
}

/// Returns the time until which the content of a stream is known.
fn end_ns(stream: &TapeStream) -> Option<u64> {
    stream.totals().last_ns.max(stream.status().seen_until_ns)
}

/// Whether a part of a stream has frames: inside the part, or an earlier frame that is still valid in it.
fn has_frames(tape: &Tape, stream: &TapeStream, times: &Range<u64>) -> anyhow::Result<bool> {
    let Some((first, end)) = stream.totals().first_ns.zip(end_ns(stream)) else { return Ok(false) };
    if times.end <= first || times.start > end {
        return Ok(false);
    }
    if stream.spec().skip_unchanged && first < times.start {
        return Ok(true);
    }
    let mut frames = tape.frames(stream);
    let found = frames.seek_time(times.start).and_then(|()| frames.next());
    match found {
        Ok(frame) => Ok(frame.is_some_and(|frame| frame.time_ns < times.end)),
        // The cut itself reports what is lost.
        Err(ReadError::Damaged(_)) => Ok(true),
        Err(error) => Err(error.into()),
    }
}
