//! `gametape man`

use std::io::Write;

use crate::exit::Outcome;

/// The manual page, on stdout
#[derive(Debug, clap::Args)]
#[command(after_help = "Example:\n  gametape man | man -l -")]
pub(crate) struct Args {}

pub(crate) fn run(_args: &Args, mut command: clap::Command) -> anyhow::Result<Outcome> {
    command.build();
    let mut text = Vec::new();
    clap_mangen::Man::new(command.clone()).render(&mut text)?;
    // One page for everything: the commands follow as sections of it.
    for sub in command.get_subcommands().filter(|sub| !sub.is_hide_set() && sub.get_name() != "help") {
        writeln!(text, ".SH COMMAND {}", sub.get_name().to_uppercase())?;
        let man = clap_mangen::Man::new(sub.clone());
        man.render_synopsis_section(&mut text)?;
        man.render_description_section(&mut text)?;
        man.render_options_section(&mut text)?;
        man.render_extra_section(&mut text)?;
    }
    std::io::stdout().lock().write_all(&text)?;
    Ok(Outcome::Done)
}
