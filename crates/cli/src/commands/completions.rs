//! `gametape completions`

use std::io::Write;

use clap_complete::Shell;

use crate::exit::Outcome;

/// Print shell completions
#[derive(Debug, clap::Args)]
#[command(after_help = "Example:\n  gametape completions bash > ~/.local/share/bash-completion/completions/gametape")]
pub(crate) struct Args {
    /// The shell
    shell: Shell,
}

pub(crate) fn run(args: &Args, command: &mut clap::Command) -> anyhow::Result<Outcome> {
    // The generator panics if writing fails, so it writes to memory.
    let mut text = Vec::new();
    clap_complete::generate(args.shell, command, "gametape", &mut text);
    std::io::stdout().lock().write_all(&text)?;
    Ok(Outcome::Done)
}
