//! `gametape mark`

use std::io::Write;

use anyhow::Context;
use gametape::control::{ask, recorders};

use crate::exit::{self, Outcome};
use crate::open;

/// Add a mark to the current recording
///
/// The mark is stored on the tape at the current time; `gametape cat TAPE --events` lists marks. If several recorders are
/// running, the newest one is used. The path of the tape goes to stdout.
#[derive(Debug, clap::Args)]
#[command(after_help = "Examples:
  gametape mark
  gametape mark \"lock-up in turn 3\"
  gametape mark --process 4711 \"pit stop\"")]
pub(crate) struct Args {
    /// The text of the mark
    #[arg(default_value = "mark")]
    text: String,
    /// The recorder, by process id [default: the newest one]
    #[arg(long, value_name = "NUMBER")]
    process: Option<u32>,
    /// Print one JSON document to stdout
    #[arg(long)]
    json: bool,
}

pub(crate) fn run(args: &Args) -> anyhow::Result<Outcome> {
    let folder = open::folders()?.run;
    let running = recorders(&folder).with_context(|| format!("cannot look for recorders in {}", folder.display()))?;
    let wanted = |process: u32| args.process.is_none_or(|wanted| wanted == process);
    let Some(recorder) = running.into_iter().find(|recorder| wanted(recorder.process)) else {
        let which = args.process.map(|process| format!(" with process id {process}")).unwrap_or_default();
        return Err(exit::nothing_found(format!("no recorder{which} is running; start one with `gametape record`")));
    };
    let tape = ask(&recorder, &format!("mark {}", args.text))?;
    let mut out = crate::terminal::data();
    match args.json {
        true => {
            let document = serde_json::json!({ "path": tape, "text": args.text, "process": recorder.process });
            writeln!(out, "{document}")?;
        }
        false => writeln!(out, "{tape}")?,
    }
    Ok(Outcome::Done)
}
