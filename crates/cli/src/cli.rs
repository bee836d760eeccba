//! The command line: the list of commands, help and dispatch.

use std::ffi::OsString;
use std::io::{self, Write};
use std::path::Path;
use std::sync::{Mutex, PoisonError};

use clap::{CommandFactory, FromArgMatches, Parser, Subcommand};

use crate::commands::{
    add, cat, compare, completions, cut, demo, doctor, export, games, import, info, laps, main_job, man, mark, merge,
    play, play_process, record, recover, save, serve, split, token, top, verify, watch,
};
use crate::exit::{self, Outcome};
use crate::{human, terminal};

/// Record, inspect, cut and convert game telemetry, exact to the byte.
#[derive(Debug, Parser)]
#[command(name = "gametape", version, after_help = AFTER_HELP, max_term_width = 110, args_conflicts_with_subcommands = true)]
pub(crate) struct Cli {
    #[command(flatten)]
    main_job: main_job::Args,
    #[command(subcommand)]
    command: Option<Command>,
}

const AFTER_HELP: &str = "\
Examples:
  gametape                        wait for a game, record it, track laps, serve the dashboard
  gametape doctor                 find out why no game is detected, and how to fix it
  gametape demo --exit            record one lap of a simulated car
  gametape import race.ibt        convert an iRacing file to a tape and store its laps
  gametape add TAPE               add the laps of a tape to the store
  gametape export TAPE            write a CSV table for spreadsheets and notebooks
  gametape watch                  report new replays and convert them to tapes
  gametape TAPE                   show what a tape contains, like gametape info TAPE
  gametape laps                   list sessions, laps and sectors of the store, or of a TAPE
  gametape top                    watch live in the terminal
  gametape play TAPE              replay a tape so that other programs see a running game
  gametape cat TAPE --channels speedKmh,gear | head

Exit codes: 0 done, 1 failed, 2 usage, 3 done but frames were lost or damage was found, 4 nothing found, 130 interrupted \
after a clean finish. With --json an error is a JSON object on the last line of stderr: error, hint, code. GAMETAPE_DATA_DIR puts all tapes below one folder.";

#[derive(Debug, Subcommand)]
enum Command {
    Record(record::Args),
    Play(play::Args),
    Mark(mark::Args),
    Save(save::Args),
    Info(info::Args),
    Cat(cat::Args),
    Verify(verify::Args),
    Recover(recover::Args),
    Cut(cut::Args),
    Merge(merge::Args),
    Split(split::Args),
    Laps(laps::Args),
    Compare(compare::Args),
    Import(import::Args),
    Add(add::Args),
    Export(export::Args),
    Watch(watch::Args),
    Serve(serve::Args),
    Token(token::Args),
    Top(top::Args),
    Games(games::Args),
    Doctor(doctor::Args),
    Demo(demo::Args),
    Completions(completions::Args),
    Man(man::Args),
    #[command(hide = true)]
    StandIn(play_process::Args),
}

/// The command groups, as `--help` lists them. Commands that are in no group are listed last.
const GROUPS: [(&str, &[&str]); 6] = [
    ("Record", &["record", "demo", "mark", "save", "watch"]),
    ("Inspect", &["info", "cat", "laps", "compare", "play", "top", "verify"]),
    ("Edit", &["cut", "split", "merge", "recover"]),
    ("Convert", &["import", "add", "export"]),
    ("Serve", &["serve", "token"]),
    ("Set up", &["games", "doctor", "completions", "man", "help"]),
];

/// Returns the command line with its commands grouped in the help.
fn command() -> clap::Command {
    let mut built = Cli::command();
    built.build();
    let header = *built.get_styles().get_header();
    let literal = *built.get_styles().get_literal();
    let shown: Vec<&clap::Command> = built.get_subcommands().filter(|sub| !sub.is_hide_set()).collect();
    let width = shown.iter().map(|sub| sub.get_name().len()).max().unwrap_or_default();
    let line = |sub: &clap::Command| {
        let about = sub.get_about().map(ToString::to_string).unwrap_or_default();
        format!("  {literal}{:width$}{literal:#}  {about}\n", sub.get_name())
    };
    let in_a_group = |name: &str| GROUPS.iter().any(|(_, names)| names.contains(&name));
    let rest: Vec<&str> = shown.iter().map(|sub| sub.get_name()).filter(|name| !in_a_group(name)).collect();
    let mut list = String::new();
    for (title, names) in GROUPS.into_iter().chain([("More", rest.as_slice())]) {
        let found = names.iter().filter_map(|name| shown.iter().find(|sub| sub.get_name() == *name));
        let lines: String = found.map(|sub| line(sub)).collect();
        if !lines.is_empty() {
            list.push_str(&format!("{header}{title}:{header:#}\n{lines}\n"));
        }
    }
    Cli::command().help_template(format!(
        "{{before-help}}{{about-with-newline}}\n{{usage-heading}} {{usage}}\n\n{list}{header}Options:{header:#}\n{{options}}{{after-help}}"
    ))
}

/// Turns `gametape FILE` into `gametape info FILE`. A command takes precedence over a file of the same name.
fn with_command(mut args: Vec<OsString>) -> Vec<OsString> {
    let Some(first) = args.get(1) else { return args };
    let text = first.to_string_lossy();
    let is_command = text == "help" || Cli::command().get_subcommands().any(|sub| sub.get_name() == text);
    let looks_like_a_file = || text.contains(['/', '\\']) || Path::new(first).extension().is_some();
    if !text.starts_with('-') && !is_command && (looks_like_a_file() || Path::new(first).exists()) {
        args.insert(1, "info".into());
    }
    args
}

/// Parses the command line and runs the command. Invalid arguments end the process here with exit code 2.
pub(crate) fn run() -> anyhow::Result<Outcome> {
    let args = with_command(std::env::args_os().collect());
    let parsed = command().try_get_matches_from(args).and_then(|mut matches| Cli::from_arg_matches_mut(&mut matches));
    let cli = parsed.unwrap_or_else(|error| {
        if error.use_stderr() && exit::wants_json() {
            exit::print_usage_error(&error);
            std::process::exit(error.exit_code());
        }
        // If writing fails, the exit code still reports the error. The text may quote file names from the command line.
        let text = terminal::safe_lines(&error.render().ansi().to_string());
        let _ = match error.use_stderr() {
            true => anstream::stderr().lock().write_all(text.as_bytes()),
            false => anstream::stdout().lock().write_all(text.as_bytes()),
        };
        crate::window::stay();
        std::process::exit(error.exit_code());
    });
    match cli.command {
        None => main_job::run(&cli.main_job),
        Some(Command::Record(args)) => record::run(&args),
        Some(Command::Play(args)) => play::run(&args),
        Some(Command::Mark(args)) => mark::run(&args),
        Some(Command::Save(args)) => save::run(&args),
        Some(Command::Info(args)) => info::run(args),
        Some(Command::Cat(args)) => cat::run(args),
        Some(Command::Verify(args)) => verify::run(args),
        Some(Command::Recover(args)) => recover::run(&args),
        Some(Command::Cut(args)) => cut::run(&args),
        Some(Command::Merge(args)) => merge::run(&args),
        Some(Command::Split(args)) => split::run(&args),
        Some(Command::Laps(args)) => laps::run(&args),
        Some(Command::Compare(args)) => compare::run(&args),
        Some(Command::Import(args)) => import::run(&args),
        Some(Command::Add(args)) => add::run(&args),
        Some(Command::Export(args)) => export::run(&args),
        Some(Command::Watch(args)) => watch::run(&args),
        Some(Command::Serve(args)) => serve::run(&args),
        Some(Command::Token(args)) => token::run(&args),
        Some(Command::Top(args)) => top::run(&args),
        Some(Command::Games(args)) => games::run(&args),
        Some(Command::Doctor(args)) => doctor::run(&args),
        Some(Command::Demo(args)) => demo::run(&args),
        Some(Command::Completions(args)) => completions::run(&args, &mut command()),
        Some(Command::Man(args)) => man::run(&args, Cli::command()),
        Some(Command::StandIn(args)) => play_process::run(&args),
    }
}

/// While output is held back, the last line that was passed to [`tell`].
static HELD: Mutex<Option<Option<String>>> = Mutex::new(None);

/// Prints one line to stderr. Escapes everything in it that could control the terminal.
pub(crate) fn tell(text: &str) {
    let text = human::safe(text);
    if let Some(held) = &mut *HELD.lock().unwrap_or_else(PoisonError::into_inner) {
        *held = Some(text);
        return;
    }
    // If stderr is closed, there is nowhere to report to.
    let _ = writeln!(io::stderr().lock(), "{text}");
}

/// Starts or stops holding back lines, while something else draws on the terminal.
pub(crate) fn hold_lines(hold: bool) {
    *HELD.lock().unwrap_or_else(PoisonError::into_inner) = hold.then_some(None);
}

/// Takes the last line that was held back.
pub(crate) fn take_held() -> Option<String> {
    HELD.lock().unwrap_or_else(PoisonError::into_inner).as_mut().and_then(Option::take)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_command_line_is_sound() {
        Cli::command().debug_assert();
    }

    #[test]
    fn help_lists_every_command_once_in_its_group() {
        let help = command().render_long_help().to_string();
        for sub in Cli::command().get_subcommands().filter(|sub| !sub.is_hide_set()) {
            let name = sub.get_name();
            let lines = help
                .lines()
                .filter(|line| line.strip_prefix("  ").is_some_and(|line| line.starts_with(&format!("{name} "))));
            assert_eq!(lines.count(), 1, "{name}\n{help}");
        }
        for title in ["Record:", "Inspect:", "Edit:", "Convert:", "Serve:"] {
            assert!(help.lines().any(|line| line == title), "{title}\n{help}");
        }
        assert!(!help.contains("stand-in") && help.contains("Examples:"), "{help}");
    }

    #[test]
    fn a_file_instead_of_a_command_is_looked_at() {
        let read = |args: &[&str]| -> Vec<String> {
            let args = with_command(args.iter().map(OsString::from).collect());
            args.into_iter().map(|arg| arg.into_string().unwrap()).collect()
        };
        assert_eq!(read(&["gametape", "race.gtape", "--json"]), ["gametape", "info", "race.gtape", "--json"]);
        assert_eq!(read(&["gametape", "tapes/race"]), ["gametape", "info", "tapes/race"]);
        for kept in [
            vec!["gametape"],
            vec!["gametape", "laps", "a.gtape"],
            vec!["gametape", "--help"],
            vec!["gametape", "nonsense"],
        ] {
            assert_eq!(read(&kept), kept);
        }
    }

    #[test]
    fn every_command_has_a_help_text_and_those_that_work_have_examples() {
        for command in Cli::command().get_subcommands() {
            assert!(command.get_about().is_some(), "{}", command.get_name());
            if !command.is_hide_set() {
                let example = command.get_after_help().map(ToString::to_string).unwrap_or_default();
                assert!(example.contains(&format!("gametape {}", command.get_name())), "{}", command.get_name());
            }
        }
    }
}
