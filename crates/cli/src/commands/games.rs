//! `gametape games`

use std::io::Write;
use std::path::Path;

use anstyle::Style;
use gametape::games::{GAMES, Game};
use gametape::play::can_play;
use gametape::watch::{Environment, Folder, REPLAY_GAMES, ReplayGame, ReplayItem};
use serde::Serialize;

use crate::exit::Outcome;
use crate::human;

const TITLE: Style = Style::new().bold();

/// List the supported games and what gametape reads from each
///
/// Games are recorded while they run (`gametape record`); replays are files that the game writes (`gametape watch`). --game takes an
/// id or an alias. Replays are read if their content is imported, and seen if only their name, size and time are known. The last
/// column says whether gametape's tables were tested on bytes of the real game. --json adds the streams, and what to switch on in
/// each game.
#[derive(Debug, clap::Args)]
#[command(after_help = "Examples:
  gametape games
  gametape games --json | jq -r '.games[].id'
  gametape games --json | jq -r '.games[] | select(.id == \"f1-25\") | .setup'")]
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
    /// How the game is recorded while it runs: `shared memory`, `HTTP`, `UDP`, or several of them; `null` if it is not.
    recorded: Option<String>,
    /// The port to which it sends datagrams by default; `null` if it sends none, or if the user chooses one.
    udp_port: Option<u16>,
    /// Whether it broadcasts its datagrams.
    broadcast: bool,
    /// Whether tapes of it can be played.
    played: bool,
    /// Whether the contents of its frames are decoded, or only stored.
    decoded: bool,
    /// Whether its laps are detected.
    laps: bool,
    /// Whether the positions of all cars are known, not only the player's.
    all_cars: bool,
    /// How far its tables and rules are proven; `null` if it is not recorded.
    proven: Option<ReportProof>,
    /// What to switch on in the game; `null` if nothing.
    setup: Option<&'static str>,
    /// Streams that can be recorded while the game runs.
    streams: Vec<ReportStream>,
    /// Default sample rate; `null` if every tick is recorded, or if there is nothing to record.
    default_hz: Option<u32>,
    /// Files that the game writes; `null` if none are known.
    replays: Option<ReportReplays>,
}

#[derive(Debug, Serialize)]
struct ReportProof {
    /// `real-bytes`, `some-real-bytes` or `descriptions-only`.
    level: &'static str,
    /// Which frames were seen, if it is not all or none of them.
    what: Option<&'static str>,
    /// Both in words.
    text: String,
}

#[derive(Debug, Serialize)]
struct ReportStream {
    name: &'static str,
    live: bool,
    layouts: Vec<String>,
}

#[derive(Debug, Serialize)]
struct ReportReplays {
    /// Patterns of the files. Empty if their names are not known.
    patterns: Vec<&'static str>,
    recursive: bool,
    /// Whether a replay is a folder.
    folder: bool,
    /// Whether the content is imported, or only name, size and time are known.
    read: bool,
    /// How many the game keeps before it deletes the oldest; `null` if it keeps all, or if that is not known.
    keeps: Option<u32>,
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
    let captured = GAMES.iter().map(|game| ReportGame { replays: replays_of(game.id), ..captured(game) });
    let only_replays = REPLAY_GAMES.iter().filter(|game| GAMES.iter().all(|captured| captured.id != game.id));
    let only_replays = only_replays.map(|game| ReportGame {
        id: game.id,
        aliases: game.aliases,
        name: game.name,
        recorded: None,
        udp_port: None,
        broadcast: false,
        played: false,
        decoded: false,
        laps: false,
        all_cars: false,
        proven: None,
        setup: None,
        streams: Vec::new(),
        default_hz: None,
        replays: Some(replays(game, machine)),
    });
    let mut games: Vec<_> = captured.chain(only_replays).collect();
    games.sort_by_key(|game| game.id);
    games
}

/// Returns what the registry says about a game.
fn captured(game: &Game) -> ReportGame {
    let proven = ReportProof { level: game.proven.name(), what: game.proven.what(), text: game.proven.to_string() };
    ReportGame {
        id: game.id,
        aliases: game.aliases,
        name: game.name,
        recorded: game.reached_over(),
        udp_port: game.udp_port().filter(|port| *port > 0),
        broadcast: game.is_broadcast(),
        played: can_play(game),
        decoded: game.rules.decodes(),
        laps: game.rules.has_laps(),
        all_cars: game.rules.standings().is_some(),
        proven: Some(proven),
        setup: Some(game.setup).filter(|setup| !setup.is_empty()),
        streams: streams(game),
        default_hz: game.default_hz,
        replays: None,
    }
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
    let report = |path: &Path, exists| ReportFolder { path: path.display().to_string(), exists };
    let folders = |folder: &Folder| match folder.existing() {
        none if none.is_empty() => vec![report(&folder.full_path(), false)],
        existing => existing.iter().map(|path| report(path, true)).collect(),
    };
    ReportReplays {
        patterns: game.patterns().collect(),
        recursive: game.replays.iter().any(|replays| replays.recursive),
        folder: game.replays.iter().any(|replays| matches!(replays.item, ReplayItem::Folder { .. })),
        read: game.is_read(),
        keeps: game.replays.iter().find_map(|replays| replays.keeps),
        folders: machine.replay_folders(game).iter().flat_map(folders).collect(),
    }
}

fn table(games: &[ReportGame]) -> std::io::Result<Vec<u8>> {
    let mut rows = vec![COLUMNS.map(String::from)];
    rows.extend(games.iter().map(cells));
    let width = |column: usize| rows.iter().filter_map(|row| row.get(column)).map(|cell| cell.chars().count()).max();
    let widths: Vec<usize> = (0..COLUMNS.len()).map(|column| width(column).unwrap_or_default()).collect();
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

const COLUMNS: [&str; 10] =
    ["id", "aliases", "name", "recorded", "played", "decoded", "laps", "all cars", "replays", "proven"];

/// Such as `*.ibt (read)`: what is watched, and whether the content is imported.
fn replay_words(replays: &ReportReplays) -> String {
    let patterns = if replays.patterns.is_empty() { "unknown names".into() } else { replays.patterns.join(", ") };
    format!("{patterns} ({})", if replays.read { "read" } else { "seen" })
}

fn cells(game: &ReportGame) -> [String; COLUMNS.len()] {
    let or_dash = |text: String| if text.is_empty() { "-".into() } else { text };
    let yes = |is: bool| String::from(if is { "yes" } else { "-" });
    let port = game.udp_port.map(|port| format!(" {port}")).unwrap_or_default();
    [
        game.id.into(),
        or_dash(game.aliases.join(", ")),
        game.name.into(),
        or_dash(game.recorded.as_ref().map(|over| format!("{over}{port}")).unwrap_or_default()),
        yes(game.played),
        yes(game.decoded),
        yes(game.laps),
        yes(game.all_cars),
        or_dash(game.replays.as_ref().map(replay_words).unwrap_or_default()),
        or_dash(game.proven.as_ref().map(|proven| proven.text.clone()).unwrap_or_default()),
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
        assert_eq!(iracing.replays.as_ref().unwrap().patterns, ["*.ibt", "*.rpy", "*.olap", "*.blap"]);
        let r6 = games.iter().find(|game| game.id == "rainbow-six-siege").unwrap().replays.as_ref().unwrap();
        assert_eq!((r6.folder, r6.keeps, r6.patterns.as_slice()), (true, Some(12), ["*.rec"].as_slice()));
        let text = String::from_utf8(table(&games).unwrap()).unwrap();
        assert!(text.contains("rocket-league") && text.contains("none of the replay folders"), "{text}");
        let row = |id: &str| text.lines().find(|line| line.trim_start().starts_with(id)).unwrap();
        let (f1, older, replay) = (row("f1-25 "), row("f1-20 "), row("rocket-league "));
        assert!(f1.contains("UDP 20777") && f1.ends_with("all packet types but lobby-info"), "{f1}");
        assert_eq!(older.matches("yes").count(), 1, "played only: {older}");
        assert!(older.ends_with("never seen on real bytes") && !replay.contains("yes"), "{older}\n{replay}");
        assert!(replay.contains("*.replay (read)") && row("valorant ").contains("*.vrf (seen)"), "{replay}");
    }
}
