//! Compares gametape with its peers: same frames, same run, and everything is read back and compared.
//!
//! ```text
//! data ─▶ measure (peers) ─▶ report (table) ─▶ text or JSON                size, speed
//! scale::pages ─▶ scale (tapes of growing length) ─▶ table                 scale
//! live::game ─▶ live::recorder ─▶ live (figures, tape) ─▶ table            live
//! laps (tracker, store, server of this project) ─▶ laps::figures ─▶ table   laps
//! live_ui (`gametape demo`, live viewers) ─▶ laps::figures ─▶ table         live-ui
//! echo (simulated matches of Echo VR) ─▶ laps::figures ─▶ table             echo
//! lmu (race of `simulator`) ─▶ size, cost ─▶ table                         lmu
//! udp::sender ─▶ udp::recorder ─▶ udp (figures) ─▶ table                    udp
//! ```
#![allow(clippy::print_stdout, clippy::print_stderr, reason = "a command-line tool prints its results")]

mod compare;
mod data;
mod echo;
mod laps;
mod live;
mod live_ui;
mod lmu;
mod machine;
mod measure;
mod memory;
mod peers;
mod report;
mod scale;
mod table;
mod udp;

use std::process::ExitCode;

use anyhow::Result;
use clap::{Parser, Subcommand};

use crate::report::View;

/// Compares gametape with its peers, on the same frames in the same run
#[derive(Debug, Parser)]
#[command(name = "gametape-bench", version)]
struct Cli {
    #[command(subcommand)]
    command: Command,
}

#[derive(Debug, Subcommand)]
enum Command {
    /// Stored size of each data set with each method
    Size(compare::CompareArgs),
    /// Speed of writing, reading and reading one channel, with one thread each
    Speed(compare::CompareArgs),
    /// Whether opening, seeking and reading one channel slow down with the length of a tape
    Scale(scale::run::ScaleArgs),
    /// One seek in a separate process, for `scale`
    #[command(hide = true)]
    SeekOnce(scale::run::SeekOnceArgs),
    /// Cost of recording a running game: CPU, memory, missed ticks, jitter, size
    Live(live::LiveArgs),
    /// The game of `live`, in a separate process
    #[command(hide = true)]
    LiveGame(live::game::GameArgs),
    /// The recorder of `live`, in a separate process
    #[command(hide = true)]
    LiveRecorder(live::recorder::RecorderArgs),
    /// The player of `live --play`, in a separate process
    #[command(hide = true)]
    LivePlayer(live::play::player::PlayerArgs),
    /// A process that only wakes up, for `live`
    #[command(hide = true)]
    LiveBare(live::bare::BareArgs),
    /// Laps: tracking, store and server, with many sessions, many listeners, and kill -9
    Laps(laps::LapsArgs),
    /// Cost of live viewers to the server: one rig, many browsers
    LiveUi(live_ui::LiveUiArgs),
    /// Le Mans Ultimate: the size of a race of 40 cars, and the cost of recording it
    Lmu(lmu::LmuArgs),
    /// The game of `lmu`, in a separate process
    #[command(hide = true)]
    LmuGame(lmu::game::GameArgs),
    /// The recorder of `lmu`, in a separate process
    #[command(hide = true)]
    LmuRecorder(lmu::cost::RecorderArgs),
    /// A process that only wakes and copies, for `lmu`
    #[command(hide = true)]
    LmuBare(lmu::cost::BareArgs),
    /// Echo VR: sizes compared to other formats, conversions, events, seeking
    Echo(echo::EchoArgs),
    /// Writes a simulated Echo VR match as an `.echoreplay` file
    EchoMatch(echo::MatchArgs),
    /// Games that send datagrams: 50,000 in a second, the size of an hour of F1, and the cost of waiting
    Udp(udp::UdpArgs),
    /// The sender of `udp`, in a separate process
    #[command(hide = true)]
    UdpSender(udp::sender::SenderArgs),
    /// The recorder of `udp`, in a separate process
    #[command(hide = true)]
    UdpRecorder(udp::recorder::RecorderArgs),
    /// A process that only receives, for `udp`
    #[command(hide = true)]
    UdpBare,
    /// A process that waits for games, for `udp`
    #[command(hide = true)]
    UdpIdle(udp::idle::IdleArgs),
    /// Conversions, for `echo`
    #[command(hide = true)]
    EchoConvert(echo::ConvertArgs),
    /// Tracks one tape, for `laps`
    #[command(hide = true)]
    LapsTrackTape(laps::retrack::TrackTapeArgs),
    /// Runs a program that ends when its standard input ends, for `laps`
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
        Command::Lmu(args) => lmu::run(&args),
        Command::LmuGame(args) => lmu::game::run(&args),
        Command::LmuRecorder(args) => lmu::cost::record(&args),
        Command::LmuBare(args) => lmu::cost::bare(&args),
        Command::Echo(args) => echo::run(&args),
        Command::EchoMatch(args) => echo::write_match(&args),
        Command::EchoConvert(args) => echo::convert(&args),
        Command::Udp(args) => udp::run(&args),
        Command::UdpSender(args) => udp::sender::run(&args),
        Command::UdpRecorder(args) => udp::recorder::run(&args),
        Command::UdpBare => udp::bare::run(),
        Command::UdpIdle(args) => udp::idle::run(&args),
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
