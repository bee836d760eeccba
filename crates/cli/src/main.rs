//! The `gametape` command: a command line around the `gametape` library.
//!
//! `cli` lists the commands, `commands` has one file for each, `exit` turns their results into exit codes. Data goes to
//! stdout, everything else to stderr.
#![forbid(unsafe_code)]

mod adding;
mod catching_up;
mod cli;
mod commands;
mod disk_space;
mod exit;
mod http_address;
mod human;
mod lap_lines;
mod open;
mod progress;
mod recording;
mod report_page;
mod rows;
mod server;
mod serving;
mod sources;
mod station;
mod status_line;
mod stop;
mod stoppable;
mod store;
mod tape_notes;
mod terminal;
mod this_machine;
mod time;
mod top;
mod udp_args;
mod upstream;
mod window;

fn main() -> std::process::ExitCode {
    window::introduce();
    let code = exit::code_of(cli::run());
    window::stay();
    code
}
