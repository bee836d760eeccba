//! `gametape games`

use std::io::Write;
use std::path::Path;

use anstyle::Style;
use gametape::games::{GAMES, Game};
use gametape::watch::{Environment, REPLAY_GAMES, ReplayGame};
use serde::Serialize;

use crate::exit::Outcome;
use crate::human;

const TITLE: Style = Style::new().bold();

/// List the supported games and what gametape reads from each
///
/// Streams can be recorded while the game runs (`gametape record`); replays are files that the game writes
/// (`gametape watch`). --game takes an id or an alias.
#[derive(Debug, clap::Args)]
#[command(after_help = "Examples:
  gametape games
  gametape games --json | jq -r '.games[].id'")]
pub(crate) struct Args {
    /// Print one JSON document to stdout
    #[arg(long)]
    json: bool,
}

#[derive(Debug, Serialize)]
struct Report {
    games: Vec<ReportGame>,
}

#[derive(Debug, Serialize)]
struct ReportGame {
    id: &'static str,
    aliases: &'static [&'static str],
    name: &'static str,
    /// Streams that can be recorded while the game runs.
    streams: Vec<ReportStream>,
    /// Default sample rate; `null` if every tick is recorded, or if there is nothing to record.
    default_hz: Option<u32>,
    /// Files that the game writes; `null` if none are known.
    replays: Option<ReportReplays>,
}

#[derive(Debug, Serialize)]
struct ReportStream {
    name: &'static str,
    live: bool,
    layouts: Vec<String>,
}

#[derive(Debug, Serialize)]
struct ReportReplays {
    patterns: &'static [&'static str],
    recursive: bool,
    folders: Vec<ReportFolder>,
}

#[derive(Debug, Serialize)]
struct ReportFolder {
    path: String,
    exists: bool,
}

pub(crate) fn run(args: &Args) -> anyhow::Result<Outcome> {
    let games = all_games(&Environment::of_this_machine());
    if args.json {
        let mut stdout = crate::terminal::data();
        serde_json::to_writer_pretty(&mut stdout, &Report { games }).map_err(std::io::Error::from)?;
        writeln!(stdout)?;
        stdout.flush()?;
    } else {
        let mut out = crate::terminal::human();
        out.write_all(&table(&games)?)?;
        out.flush()?;
    }
    Ok(Outcome::Done)
}

/// Merges live games and replay games, sorted by id.
fn all_games(machine: &Environment) -> Vec<ReportGame> {
    let replays_of = |id: &str| REPLAY_GAMES.iter().find(|game| game.id == id).map(|game| replays(game, machine));
    let captured = GAMES.iter().map(|game| ReportGame {
        id: game.id,
        aliases: game.aliases,
        name: game.name,
        streams: streams(game),
        default_hz: game.default_hz,
        replays: replays_of(game.id),
    });
    let only_replays = REPLAY_GAMES.iter().filter(|game| GAMES.iter().all(|captured| captured.id != game.id));
    let only_replays = only_replays.map(|game| ReportGame {
        id: game.id,
        aliases: game.aliases,
        name: game.name,
        streams: Vec::new(),
        default_hz: None,
        replays: Some(replays(game, machine)),
    });
    let mut games: Vec<_> = captured.chain(only_replays).collect();
    games.sort_by_key(|game| game.id);
    games
}

fn streams(game: &Game) -> Vec<ReportStream> {
    let stream = |stream: &gametape::games::Stream| ReportStream {
        name: stream.name,
        live: stream.is_live(),
        layouts: stream.layouts().iter().map(|layout| layout.id().to_owned()).collect(),
    };
    game.streams.iter().map(stream).collect()
}

fn replays(game: &ReplayGame, machine: &Environment) -> ReportReplays {
    let folder = |path: &Path| ReportFolder { path: path.display().to_string(), exists: path.is_dir() };
    ReportReplays {
        patterns: game.patterns,
        recursive: game.recursive,
        folders: machine.replay_folders(game).iter().map(|path| folder(path)).collect(),
    }
}

fn table(games: &[ReportGame]) -> std::io::Result<Vec<u8>> {
    let mut rows = vec![["id", "aliases", "name", "live streams", "replays"].map(String::from)];
    rows.extend(games.iter().map(cells));
    let width = |column: usize| rows.iter().filter_map(|row| row.get(column)).map(|cell| cell.chars().count()).max();
    let widths: Vec<usize> = (0..5).map(|column| width(column).unwrap_or_default()).collect();
    let mut out = Vec::new();
    for (number, row) in rows.iter().enumerate() {
        let style = if number == 0 { TITLE } else { Style::new() };
        let line: Vec<String> = row.iter().zip(&widths).map(|(cell, width)| format!("{cell:<width$}")).collect();
        writeln!(out, "{style}  {}{style:#}", line.join("  ").trim_end())?;
    }
    writeln!(out)?;
    let mut any = false;
    for game in games {
        for folder in game.replays.iter().flat_map(|replays| &replays.folders).filter(|folder| folder.exists) {
            any = true;
            writeln!(out, "  {}: {}", game.id, human::safe(&folder.path))?;
        }
    }
    if !any {
        writeln!(out, "  none of the replay folders exists on this machine; `gametape watch DIR` watches any folder")?;
    }
    Ok(out)
}

fn cells(game: &ReportGame) -> [String; 5] {
    let live: Vec<&str> = game.streams.iter().filter(|stream| stream.live).map(|stream| stream.name).collect();
    let or_dash = |text: String| if text.is_empty() { "-".into() } else { text };
    [
        game.id.into(),
        or_dash(game.aliases.join(", ")),
        game.name.into(),
        or_dash(live.join(", ")),
        or_dash(game.replays.as_ref().map(|replays| replays.patterns.join(", ")).unwrap_or_default()),
    ]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_game_is_listed_once_with_its_replays() {
        let games = all_games(&Environment { documents: vec!["/d".into()], ..Environment::default() });
        let ids: Vec<_> = games.iter().map(|game| game.id).collect();
        assert!(ids.is_sorted() && ids.windows(2).all(|pair| pair[0] != pair[1]), "{ids:?}");
        assert!(GAMES.iter().all(|game| ids.contains(&game.id)));
        assert!(REPLAY_GAMES.iter().all(|game| ids.contains(&game.id)));
        let iracing = games.iter().find(|game| game.id == "iracing").unwrap();
        assert!(!iracing.streams.is_empty());
        assert_eq!(iracing.replays.as_ref().unwrap().patterns, ["*.ibt"]);
        let text = String::from_utf8(table(&games).unwrap()).unwrap();
        assert!(text.contains("rocket-league") && text.contains("none of the replay folders"), "{text}");
    }
}
