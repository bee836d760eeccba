//! `gametape completions`

use std::io::Write;

use clap_complete::Shell;

use crate::exit::Outcome;

/// Shell completions, on stdout
#[derive(Debug, clap::Args)]
#[command(after_help = "Example:\n  gametape completions bash > ~/.local/share/bash-completion/completions/gametape")]
pub(crate) struct Args {
    /// For which shell
    shell: Shell,
}

pub(crate) fn run(args: &Args, command: &mut clap::Command) -> anyhow::Result<Outcome> {
    // The generator panics if it cannot write, so it gets memory.
    let mut text = Vec::new();
    clap_complete::generate(args.shell, command, "gametape", &mut text);
    std::io::stdout().lock().write_all(&text)?;
    Ok(Outcome::Done)
}
