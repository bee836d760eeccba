//! `gametape man`

use std::io::Write;
use std::path::{Path, PathBuf};

use anyhow::Context as _;
use clap_mangen::Man;

use crate::cli::tell;
use crate::exit::{self, Outcome};

/// Print the manual page, or write one page per command
///
/// Without arguments, prints one page with all commands. `-o DIR` writes `gametape.1` and a page for each command
/// (`gametape-info.1`), with cross-references.
#[derive(Debug, clap::Args)]
#[command(after_help = "Examples:
  gametape man | man -l -
  gametape man export | man -l -
  gametape man -o ~/.local/share/man/man1        then: man gametape-export")]
pub(crate) struct Args {
    /// Print only the page of this command
    #[arg(conflicts_with = "output")]
    command: Option<String>,
    /// Write the pages of all commands to this folder, replacing older ones
    #[arg(short, long, value_name = "DIR")]
    output: Option<PathBuf>,
}

pub(crate) fn run(args: &Args, command: clap::Command) -> anyhow::Result<Outcome> {
    // Without the `help` command, which has no page.
    let mut command = command.disable_help_subcommand(true);
    command.build();
    if let Some(folder) = &args.output {
        let pages = write_pages(&command, folder).with_context(|| format!("cannot write to {}", folder.display()))?;
        tell(&format!("{pages} pages in {}", folder.display()));
        return Ok(Outcome::Done);
    }
    let mut text = Vec::new();
    match &args.command {
        Some(name) => {
            let found = visible(&command).find(|sub| sub.get_name() == name);
            let found = found.ok_or_else(|| {
                exit::nothing_found(format!("there is no command {name:?}; `gametape --help` lists them"))
            })?;
            Man::new(found.clone()).render(&mut text)?;
        }
        None => render_all(&command, &mut text)?,
    }
    crate::terminal::data().write_all(&text)?;
    Ok(Outcome::Done)
}

fn visible(command: &clap::Command) -> impl Iterator<Item = &clap::Command> {
    command.get_subcommands().filter(|sub| !sub.is_hide_set())
}

/// Writes a page for the command and for each subcommand; returns the number of pages.
fn write_pages(command: &clap::Command, folder: &Path) -> std::io::Result<usize> {
    std::fs::create_dir_all(folder)?;
    Man::new(command.clone()).generate_to(folder)?;
    visible(command).try_fold(1, |pages, sub| Ok(pages + write_pages(sub, folder)?))
}

/// Renders one page with the commands as sections.
fn render_all(command: &clap::Command, text: &mut Vec<u8>) -> std::io::Result<()> {
    let man = Man::new(command.clone());
    man.render_title(text)?;
    man.render_name_section(text)?;
    man.render_synopsis_section(text)?;
    man.render_description_section(text)?;
    man.render_options_section(text)?;
    writeln!(text, ".SH COMMANDS")?;
    for sub in visible(command) {
        writeln!(text, ".TP\n\\fB{}\\fR\n{}", roff(sub.get_name()), roff(&about(sub)))?;
    }
    man.render_extra_section(text)?;
    for sub in visible(command) {
        writeln!(text, ".SH COMMAND {}", sub.get_name().to_uppercase())?;
        let man = Man::new(sub.clone());
        man.render_synopsis_section(text)?;
        man.render_description_section(text)?;
        man.render_options_section(text)?;
        man.render_extra_section(text)?;
    }
    man.render_version_section(text)
}

fn about(command: &clap::Command) -> String {
    command.get_about().map(ToString::to_string).unwrap_or_default()
}

/// Escapes text for roff: hyphens and backslashes, and a leading dot or quote, which would start a request.
fn roff(text: &str) -> String {
    let text = text.replace('\\', "\\\\").replace('-', "\\-");
    if text.starts_with(['.', '\'']) { format!("\\&{text}") } else { text }
}
