//! `gametape merge`

use std::path::PathBuf;
use std::sync::Arc;

use anyhow::anyhow;
use gametape::format::write;
use gametape::identity::derived_id;

use super::problem_report::StreamNames;
use super::rewriting::{failed, refuse_existing, tell_report};
use crate::exit::Outcome;
use crate::open;
use crate::progress::Bars;
use crate::stoppable::StoppableFiles;

/// Merge several tapes into one
///
/// Tapes are aligned by UTC. Streams with the same name and layout that do not overlap are joined; others stay separate.
#[derive(Debug, clap::Args)]
#[command(after_help = "Example:\n  gametape merge part1.gtape part2.gtape -o whole.gtape")]
pub(crate) struct Args {
    /// The tapes, two or more
    #[arg(required = true, num_args = 2.., value_name = "FILE")]
    files: Vec<PathBuf>,
    /// The tape to write
    #[arg(short, long, value_name = "OUT")]
    output: PathBuf,
    /// Print one JSON document to stdout
    #[arg(long)]
    json: bool,
}

pub(crate) fn run(args: &Args) -> anyhow::Result<Outcome> {
    let tapes = args.files.iter().map(|file| open::tape(file)).collect::<anyhow::Result<Vec<_>>>()?;
    refuse_existing(&args.output)?;
    for (file, tape) in args.files.iter().zip(&tapes) {
        if tape.start_utc_ns().is_none() {
            return Err(anyhow!(
                "{} has no recording time (UTC), which is needed to align tapes; merge the others without it",
                file.display()
            ));
        }
    }
    let ids: Vec<_> = tapes.iter().filter_map(|tape| tape.id()).collect();
    let bars = Bars::on_terminal();
    let bar = bars.add("merge");
    let id = derived_id(&ids, "merge");
    let report = write::merge(Arc::new(StoppableFiles::default()), &tapes, &args.output, id, &mut |progress| {
        bar.at(progress.done_frames, progress.total_frames);
    })
    .map_err(|error| failed(error, "cannot merge"))?;
    drop(bar);
    tell_report(&args.output, &report, &StreamNames::of(&tapes), args.json)
}
