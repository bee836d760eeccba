//! `gametape doctor`

use std::io::{IsTerminal, Write};

use gametape::capture::{EchoVrAddress, InWine, RealClock};
use gametape::doctor::{Examination, Facts, Origin, Setting, diagnose, replay_folders};
use gametape::games::Game;
use gametape::paths::Folders;
use gametape::sys::Prefix;
use gametape::watch::Environment;

use super::doctor_report::{Report, lines, table};
use super::record::{parse_game, parse_prefix};
use crate::exit::{self, Outcome};
use crate::udp_args::UdpArgs;
use crate::{human, open};

/// Diagnose why no game is found, and how to fix it
///
/// Checks the games' processes, their shared memory, its permissions and its content (twice, 0.2 s apart, to see whether it
/// changes), the UDP ports of games and what arrives there, running recorders and players, the tapes folder, and the replay folders of installed games. Changes nothing. Exit code 0 if a game is running and can be
/// recorded now; 4 if not, with the reason and the first thing to do on the last line; 1 if the doctor itself failed.
#[derive(Debug, clap::Args)]
#[command(after_help = "Examples:
  gametape doctor
  gametape doctor --game acc
  gametape doctor --game f1-25
  gametape doctor --game fh --listen 127.0.0.1:9999
  gametape doctor --names demo-1234-      the car of `gametape demo`
  gametape doctor --json | jq -r '.findings[] | select(.state != \"ok\") | .text'")]
pub(crate) struct Args {
    /// Check only this game; `gametape games` lists them
    #[arg(long, value_name = "ID", value_parser = parse_game)]
    game: Option<&'static Game>,
    /// Prefix of the shared-memory names, for demos and tests
    #[arg(long, value_name = "PREFIX", value_parser = parse_prefix)]
    names: Option<Prefix>,
    /// Print one JSON document to stdout
    #[arg(long)]
    json: bool,
    #[command(flatten)]
    udp: UdpArgs,
}

pub(crate) fn run(args: &Args) -> anyhow::Result<Outcome> {
    let folders = open::folders()?;
    let prefix = args.names.clone().unwrap_or_default();
    let places = open::game_places(prefix.clone(), &args.udp)?;
    let (echo_vr, udp) = (places.echo_vr, places.udp);
    let settings = settings(args, &folders, echo_vr.as_ref());
    let examination = Examination { game: args.game, prefix, in_wine: open::in_wine(), echo_vr, udp, folders };
    let mut diagnosis = diagnose(&Facts::collect(&examination, &RealClock::start()));
    diagnosis.findings.extend(replay_folders(&Environment::of_this_machine(), args.game.map(|game| game.id)));
    let report = Report::of(&diagnosis, &settings);
    if args.json {
        let mut stdout = crate::terminal::data();
        serde_json::to_writer_pretty(&mut stdout, &report).map_err(std::io::Error::from)?;
        writeln!(stdout)?;
        stdout.flush()?;
    } else {
        let text = if std::io::stdout().is_terminal() { table(&report) } else { lines(&report) }?;
        let mut out = crate::terminal::human();
        out.write_all(&text)?;
        out.flush()?;
    }
    if diagnosis.can_record() {
        return Ok(Outcome::Done);
    }
    let why = diagnosis.reason().map(|finding| match &finding.what_to_do {
        Some(next) => format!(": {}; {next}", finding.text),
        None => format!(": {}", finding.text),
    });
    Err(exit::nothing_found(format!("no game can be recorded now{}", human::safe(&why.unwrap_or_default()))))
}

/// Returns the settings and where each one comes from.
fn settings(args: &Args, folders: &Folders, echo_vr: Option<&EchoVrAddress>) -> Vec<Setting> {
    let folder = |name, path: &std::path::Path, variable| Setting {
        name,
        value: Some(path.display().to_string()),
        origin: set_by(&[open::DATA_DIR, variable]),
    };
    let flag = |given: bool, name| if given { Origin::Flag(name) } else { Origin::Default };
    vec![
        folder("tapes folder", &folders.tapes, "XDG_DATA_HOME"),
        folder("recorders folder", &folders.run, "XDG_RUNTIME_DIR"),
        Setting {
            name: "names",
            value: args.names.as_ref().map(|prefix| prefix.as_str().to_owned()),
            origin: flag(args.names.is_some(), "--names"),
        },
        Setting { name: "memory in Wine", value: in_wine(args), origin: set_by(&[open::WINE]) },
        Setting { name: "Echo VR", value: echo_vr.map(EchoVrAddress::to_string), origin: set_by(&[open::ECHO]) },
        Setting {
            name: "game",
            value: args.game.map(|game| game.id.to_owned()),
            origin: flag(args.game.is_some(), "--game"),
        },
    ]
}

/// Returns which Wine processes are searched; `None` if none are.
fn in_wine(args: &Args) -> Option<String> {
    match open::in_wine() {
        InWine::Games => args.names.is_none().then(|| "known games".into()),
        InWine::Off => None,
        InWine::Process(process) => Some(process),
    }
    .filter(|_| cfg!(target_os = "linux"))
}

/// Returns the first of these variables that takes effect. XDG variables are ignored outside Linux, and if they are not absolute paths.
fn set_by(variables: &[&'static str]) -> Origin {
    let counts = |name: &&&'static str| {
        let Some(value) = std::env::var_os(**name).filter(|value| !value.is_empty()) else { return false };
        !name.starts_with("XDG_") || cfg!(target_os = "linux") && std::path::Path::new(&value).is_absolute()
    };
    variables.iter().find(counts).map_or(Origin::Default, |name| Origin::Environment(name))
}
