//! `gametape recover`

use std::path::PathBuf;
use std::sync::Arc;

use gametape::format::write;

use super::problem_report::StreamNames;
use super::rewriting::{failed, refuse_existing, tell_report};
use crate::exit::Outcome;
use crate::open;
use crate::progress::Bars;
use crate::stoppable::StoppableFiles;

/// Repair a tape that was not closed or is damaged
///
/// Reads the frames of the tape and of the journals next to it and writes a closed tape. Without -o it replaces the old one, which
/// stays unchanged until the new one is complete. Exit code 0 if every frame was recovered, 3 if something was lost.
#[derive(Debug, clap::Args)]
#[command(after_help = "Examples:\n  gametape recover crashed.gtape\n  gametape recover crashed.gtape -o whole.gtape")]
pub(crate) struct Args {
    /// The tape
    file: PathBuf,
    /// Write to this file and leave FILE unchanged
    #[arg(short, long, value_name = "OUT")]
    output: Option<PathBuf>,
    /// Print one JSON document to stdout
    #[arg(long)]
    json: bool,
}

pub(crate) fn run(args: &Args) -> anyhow::Result<Outcome> {
    // Reports a file that is not a tape before anything is written.
    let names = StreamNames::of([&open::tape(&args.file)?]);
    if let Some(out) = &args.output {
        refuse_existing(out)?;
    }
    let bars = Bars::on_terminal();
    let bar = bars.add("recover");
    let report =
        write::recover(Arc::new(StoppableFiles::default()), &args.file, args.output.as_deref(), &mut |progress| {
            bar.at(progress.done_frames, progress.total_frames);
        })
        .map_err(|error| failed(error, &format!("cannot recover {}", args.file.display())))?;
    drop(bar);
    tell_report(args.output.as_ref().unwrap_or(&args.file), &report, &names, args.json)
}
