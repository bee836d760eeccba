//! gametape beside its peers: the same frames, in the same run, everything read back and compared.
//!
//! ```text
//! data ─▶ measure (peers) ─▶ report (table) ─▶ text or JSON      size, speed
//! scale::pages ─▶ scale (tapes of growing length) ─▶ table       scale
//! live::game ─▶ live::recorder ─▶ live (figures, tape) ─▶ table   live
//! laps (tracker, store, server of this project) ─▶ laps::figures ─▶ table   laps
//! live_ui (`gametape demo`, pages that look on) ─▶ laps::figures ─▶ table    live-ui
//! echo (simulated matches of Echo VR) ─▶ laps::figures ─▶ table             echo
//! ```
#![allow(clippy::print_stdout, clippy::print_stderr, reason = "a tool for the command line: printing is what it does")]

mod compare;
mod data;
mod echo;
mod laps;
mod live;
mod live_ui;
mod machine;
mod measure;
mod memory;
mod peers;
mod report;
mod scale;
mod table;

use std::process::ExitCode;

use anyhow::Result;
use clap::{Parser, Subcommand};

use crate::report::View;

/// gametape beside its peers, on the same frames in the same run
#[derive(Debug, Parser)]
#[command(name = "gametape-bench", version)]
struct Cli {
    #[command(subcommand)]
    command: Command,
}

#[derive(Debug, Subcommand)]
enum Command {
    /// How small each method stores each data set
    Size(compare::CompareArgs),
    /// How fast each method writes, reads and reads one channel, one thread each
    Speed(compare::CompareArgs),
    /// Whether opening, seeking and reading one channel grow with the length of a tape
    Scale(scale::run::ScaleArgs),
    /// One seek in a process of its own, for `scale`
    #[command(hide = true)]
    SeekOnce(scale::run::SeekOnceArgs),
    /// What recording costs while a game runs: processor, memory, missed ticks, jitter, size
    Live(live::LiveArgs),
    /// The game of `live`, in a process of its own
    #[command(hide = true)]
    LiveGame(live::game::GameArgs),
    /// The recorder of `live`, in a process of its own
    #[command(hide = true)]
    LiveRecorder(live::recorder::RecorderArgs),
    /// The player of `live --play`, in a process of its own
    #[command(hide = true)]
    LivePlayer(live::play::player::PlayerArgs),
    /// A process that only wakes, for `live`
    #[command(hide = true)]
    LiveBare(live::bare::BareArgs),
    /// Laps: tracking, store and server, with many sessions, many listeners, and killed
    Laps(laps::LapsArgs),
    /// What pages that look on cost the server: one rig, many browsers
    LiveUi(live_ui::LiveUiArgs),
    /// Echo VR: sizes beside other formats, conversions, events, seeking
    Echo(echo::EchoArgs),
    /// Writes a simulated match of Echo VR as an `.echoreplay` file
    EchoMatch(echo::MatchArgs),
    /// Conversions, for `echo`
    #[command(hide = true)]
    EchoConvert(echo::ConvertArgs),
    /// Tracks one tape, for `laps`
    #[command(hide = true)]
    LapsTrackTape(laps::retrack::TrackTapeArgs),
    /// Runs a program that ends with its standard input, for `laps`
    #[command(hide = true)]
    LapsGuard(laps::guard::GuardArgs),
}

fn run(command: Command) -> Result<()> {
    match command {
        Command::Size(args) => compare::run(&args, View::Size),
        Command::Speed(args) => compare::run(&args, View::Speed),
        Command::Scale(args) => scale::run::run(&args),
        Command::SeekOnce(args) => scale::run::seek_once(&args),
        Command::Live(args) => live::run(&args),
        Command::LiveGame(args) => live::game::run(&args),
        Command::LiveRecorder(args) => live::recorder::run(&args),
        Command::LivePlayer(args) => live::play::player::run(&args),
        Command::LiveBare(args) => live::bare::run(&args),
        Command::Laps(args) => laps::run(&args),
        Command::LiveUi(args) => live_ui::run(&args),
        Command::Echo(args) => echo::run(&args),
        Command::EchoMatch(args) => echo::write_match(&args),
        Command::EchoConvert(args) => echo::convert(&args),
        Command::LapsTrackTape(args) => laps::retrack::track_tape_once(&args),
        Command::LapsGuard(args) => laps::guard::run(&args),
    }
}

fn main() -> ExitCode {
    match run(Cli::parse().command) {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("error: {error:#}");
            ExitCode::FAILURE
        }
    }
}
