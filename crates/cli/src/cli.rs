//! Which commands there are.

use std::io::Write;
use std::sync::{Mutex, PoisonError};

use clap::{CommandFactory, Parser, Subcommand};

use crate::commands::{
    cat, compare, completions, cut, demo, doctor, export, games, import, info, laps, main_job, man, mark, merge, play,
    play_process, record, recover, save, serve, split, token, top, verify, watch,
};
use crate::exit::Outcome;

/// Game tape: record what a game exposes, keep it exact to the byte, look at it, cut it, convert it.
#[derive(Debug, Parser)]
#[command(name = "gametape", version, after_help = AFTER_HELP, max_term_width = 110, args_conflicts_with_subcommands = true)]
pub(crate) struct Cli {
    #[command(flatten)]
    main_job: main_job::Args,
    #[command(subcommand)]
    command: Option<Command>,
}

const AFTER_HELP: &str = "\
Try it:
  gametape                        wait for a game, record it, find its laps, serve them
  gametape doctor                 why no game is found, and what to do
  gametape demo --exit            record a lap of a simulated car
  gametape import race.ibt        make a tape from an iRacing file
  gametape export TAPE            a table of it, for spreadsheets and notebooks
  gametape watch                  tell of new replays, make tapes of them
  gametape info TAPE              what is on it
  gametape laps                   sessions, laps and sectors of the store, or of a TAPE
  gametape top                    look on in the terminal
  gametape play TAPE              other programs believe that the game runs
  gametape cat TAPE --channels speedKmh,gear | head

Exit codes: 0 done, 1 failed, 2 usage, 3 done but frames were lost or damage was met, 4 nothing found, 130 interrupted, \
with nothing half left. GAMETAPE_DATA_DIR puts all tapes below one folder.";

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

/// Reads the command line and does what it says. Wrong arguments end the process here, with 2.
pub(crate) fn run() -> anyhow::Result<Outcome> {
    let cli = Cli::try_parse().unwrap_or_else(|error| {
        // If there is nobody to tell, the code still says it.
        let _ = error.print();
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
        Some(Command::Export(args)) => export::run(&args),
        Some(Command::Watch(args)) => watch::run(&args),
        Some(Command::Serve(args)) => serve::run(&args),
        Some(Command::Token(args)) => token::run(&args),
        Some(Command::Top(args)) => top::run(&args),
        Some(Command::Games(args)) => games::run(&args),
        Some(Command::Doctor(args)) => doctor::run(&args),
        Some(Command::Demo(args)) => demo::run(&args),
        Some(Command::Completions(args)) => completions::run(&args, &mut Cli::command()),
        Some(Command::Man(args)) => man::run(&args, Cli::command()),
        Some(Command::StandIn(args)) => play_process::run(&args),
    }
}

/// Lines that wait while something else is drawn on the terminal: the last one, if there is any.
static HELD: Mutex<Option<Option<String>>> = Mutex::new(None);

/// Tells the user something that is not data.
pub(crate) fn tell(text: &str) {
    if let Some(held) = &mut *HELD.lock().unwrap_or_else(PoisonError::into_inner) {
        *held = Some(text.to_owned());
        return;
    }
    // Colours go only to terminals that want them. If stderr is gone, there is nobody left to tell.
    let _ = writeln!(anstream::stderr().lock(), "{text}");
}

/// Keeps lines back, for who draws on the terminal, or no longer.
pub(crate) fn hold_lines(hold: bool) {
    *HELD.lock().unwrap_or_else(PoisonError::into_inner) = hold.then_some(None);
}

/// The last line that was kept back.
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
