//! `gametape save`

use std::io::Write;
use std::path::PathBuf;
use std::sync::Arc;

use anyhow::Context;
use gametape::format::write::Files;
use gametape::keep_last::{SaveError, find_rings, save};
use gametape::paths::create_private_folder;
use serde_json::json;

use super::record::rings;
use crate::cli::tell;
use crate::exit::{self, Outcome};
use crate::stoppable::StoppableFiles;
use crate::{human, open};

/// Save what `record --keep-last` holds as a tape
///
/// The recorder continues, and can be saved any number of times. The last part of a recorder that has ended, or was killed, can
/// be saved for a day. Each session within the kept time becomes a tape. The paths go to stdout.
#[derive(Debug, clap::Args)]
#[command(after_help = "Examples:
  gametape record --keep-last 2m      in one terminal
  gametape save                       in another, after something happened
  gametape save -o incidents")]
pub(crate) struct Args {
    /// The recorder, by process id [default: the newest one]
    #[arg(long, value_name = "NUMBER")]
    process: Option<u32>,
    /// Output folder [default: the tapes folder]
    #[arg(short, long, value_name = "DIR")]
    output: Option<PathBuf>,
    /// Print one JSON document to stdout
    #[arg(long)]
    json: bool,
}

pub(crate) fn run(args: &Args) -> anyhow::Result<Outcome> {
    let folders = open::folders()?;
    let place = rings(&folders);
    let found = find_rings(&place).with_context(|| format!("cannot look for recorders in {}", place.display()))?;
    let wanted = |process: u32| args.process.is_none_or(|wanted| wanted == process);
    let Some(ring) = found.into_iter().find(|ring| wanted(ring.process)) else {
        return Err(exit::nothing_found(
            "there is nothing to save; start a recorder with `gametape record --keep-last 2m`",
        ));
    };
    if !ring.runs {
        tell(&format!("recorder {} has ended; saving what it held", ring.process));
    }
    let to = args.output.clone().unwrap_or(folders.tapes);
    create_private_folder(&to).with_context(|| format!("cannot create the folder {}", to.display()))?;
    let files: Arc<dyn Files> = Arc::new(StoppableFiles::default());
    let saved = save(&files, &ring.folder, &to).map_err(|error| match error {
        SaveError::Nothing { .. } => exit::nothing_found("there is nothing to save yet; let the game run for a moment"),
        error => error.into(),
    })?;
    let mut stdout = crate::terminal::data();
    for tape in &saved {
        tell(&format!("{}: {}", tape.path.display(), human::bytes(tape.bytes)));
        for problem in &tape.problems {
            tell(&format!("warning: left out: {problem}"));
        }
        if !args.json {
            writeln!(stdout, "{}", tape.path.display())?;
        }
    }
    if args.json {
        let tapes: Vec<_> = saved.iter().map(|tape| json!({ "path": tape.path, "bytes": tape.bytes })).collect();
        writeln!(stdout, "{}", json!({ "tapes": tapes, "process": ring.process }))?;
    }
    let damaged = saved.iter().flat_map(|tape| &tape.problems).any(open::is_damage);
    Ok(Outcome::damaged_if(damaged))
}
