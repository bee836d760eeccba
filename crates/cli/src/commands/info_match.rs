//! The facts of a match as a table, for `gametape info`.

use std::collections::BTreeSet;
use std::io::Write;

use gametape::matches::{MatchFacts, MatchPlayer};
use gametape::names::utc_text;

use super::info::TITLE;
use crate::human;

/// Counters that have a column; others are only in the JSON.
const MAX_COLUMNS: usize = 8;

/// Writes what is known of a match. What is not known has no line.
pub(super) fn write_match(out: &mut Vec<u8>, facts: &MatchFacts) -> std::io::Result<()> {
    writeln!(out, "\n{TITLE}match{TITLE:#}")?;
    let text = |text: &Option<String>| text.as_deref().map(human::safe);
    for (name, value) in [
        ("game", Some(human::safe(&facts.game))),
        ("version", text(&facts.version)),
        ("map", text(&facts.map)),
        ("mode", text(&facts.mode)),
        ("started", facts.started_utc_ns.and_then(utc_text)),
        ("dated", facts.dated_utc_ns.and_then(utc_text).or(text(&facts.dated_local))),
        ("length", facts.length_ns.map(human::duration)),
        ("result", text(&facts.result)),
        ("winner", facts.winner_team.map(|team| team_name(facts, team))),
        ("recorded by", text(&facts.recorded_by)),
    ] {
        if let Some(value) = value {
            writeln!(out, "  {name:<12} {value}")?;
        }
    }
    write_players(out, facts)
}

fn team_name(facts: &MatchFacts, number: i64) -> String {
    let name = facts.teams.iter().find(|team| team.number == number).and_then(|team| team.name.as_deref());
    name.map_or_else(|| format!("team {number}"), |name| format!("team {number}, {}", human::safe(name)))
}

fn write_players(out: &mut Vec<u8>, facts: &MatchFacts) -> std::io::Result<()> {
    if facts.players.is_empty() {
        return Ok(());
    }
    let counters: BTreeSet<&str> =
        facts.players.iter().flat_map(|player| player.counters.keys()).map(String::as_str).collect();
    let counters: Vec<&str> = counters.into_iter().take(MAX_COLUMNS).collect();
    let mut headings = vec!["player".to_owned(), "team".into(), "as".into(), "result".into(), "score".into()];
    headings.extend(counters.iter().map(|name| human::safe(&name.replace('_', " "))));
    headings.push("stream".into());
    let mut table = vec![headings];
    table.extend(facts.players.iter().map(|player| cells(player, &counters)));
    // Columns in which nothing is known are left out.
    let columns = table.first().map_or(0, Vec::len);
    let cell = |row: &Vec<String>, column: usize| row.get(column).cloned().unwrap_or_default();
    let known: Vec<usize> =
        (0..columns).filter(|column| table.iter().skip(1).any(|row| !cell(row, *column).is_empty())).collect();
    writeln!(out)?;
    for (number, row) in table.iter().enumerate() {
        let style = if number == 0 { TITLE } else { anstyle::Style::new() };
        write!(out, "{style}")?;
        for column in &known {
            let width = table.iter().map(|row| cell(row, *column).chars().count()).max().unwrap_or_default();
            let text = cell(row, *column);
            let text = if text.is_empty() { "-".to_owned() } else { text };
            match column {
                0 | 2 | 3 => write!(out, "  {text:<width$}")?,
                _ => write!(out, "  {text:>width$}")?,
            }
        }
        writeln!(out, "{style:#}")?;
    }
    if facts.players_left_out > 0 {
        writeln!(out, "  and {} more players", facts.players_left_out)?;
    }
    Ok(())
}

/// The cells of a player; empty if not known.
fn cells(player: &MatchPlayer, counters: &[&str]) -> Vec<String> {
    let number = |number: Option<i64>| number.map(|number| number.to_string()).unwrap_or_default();
    let name = match (&player.name, player.number) {
        (Some(name), _) => human::safe(name),
        (None, Some(number)) => format!("player {number}"),
        (None, None) => "-".into(),
    };
    let marks = [(player.is_bot, " (bot)"), (player.is_recorder, " (recorder)")];
    let marks = marks.iter().filter(|(is, _)| *is == Some(true)).map(|(_, mark)| *mark);
    let mut cells = vec![
        name + &marks.collect::<String>(),
        number(player.team),
        player.played_as.as_deref().map(human::safe).unwrap_or_default(),
        player.result.map(|result| result.as_str().to_owned()).unwrap_or_default(),
        number(player.score),
    ];
    cells.extend(counters.iter().map(|name| number(player.counters.get(*name).copied())));
    cells.push(player.stream.as_deref().map(human::safe).unwrap_or_default());
    cells
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn unknown_values_have_no_line_and_no_column() {
        let player = |name: &str, team| MatchPlayer {
            name: Some(name.into()),
            team: Some(team),
            counters: [("goals".to_owned(), team)].into(),
            ..MatchPlayer::default()
        };
        let mut facts = MatchFacts {
            game: "rocket-league".into(),
            result: Some("0:1".into()),
            players: vec![player("Player 1", 0), player("Player\u{1b}[2J", 1)],
            ..MatchFacts::default()
        };
        facts.set_winner(1);
        let mut out = Vec::new();
        write_match(&mut out, &facts).unwrap();
        let text = String::from_utf8(out).unwrap();
        assert!(!text.contains("\u{1b}[2J") && !text.contains("map") && !text.contains("stream"), "{text}");
        let lines: Vec<Vec<&str>> = text.lines().map(|line| line.split_whitespace().collect()).collect();
        assert!(lines.contains(&vec!["winner", "team", "1"]), "{text}");
        assert!(lines.contains(&vec!["Player", "1", "0", "loss", "0"]), "{text}");
    }
}
