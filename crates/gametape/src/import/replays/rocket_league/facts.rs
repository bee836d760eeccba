//! Reads facts from a replay's header: teams, players, score and goals.

use std::collections::BTreeMap;

use boxcars::{HeaderProp, Replay};

use crate::matches::{MatchFacts, MatchPlayer, MatchTeam};

/// Maximum entries taken from a list in the header, and maximum characters of a text. A match has at most 8 players and few goals.
const MAX_ENTRIES: usize = 256;
const MAX_CHARACTERS: usize = 1000;

/// A goal.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Goal {
    pub(super) frame: u32,
    pub(super) player: String,
    pub(super) team: i32,
}

/// Statistics of a player, by their names in the header.
pub(super) const COUNTERS: [(&str, &str); 4] =
    [("Goals", "goals"), ("Assists", "assists"), ("Saves", "saves"), ("Shots", "shots")];

/// Properties of the header, or of a structure in it.
struct Properties<'a>(&'a [(String, HeaderProp)]);

impl<'a> Properties<'a> {
    fn get(&self, name: &str) -> Option<&'a HeaderProp> {
        self.0.iter().find(|(key, _)| key == name).map(|(_, value)| value)
    }

    fn number(&self, name: &str) -> Option<i32> {
        self.get(name).and_then(HeaderProp::as_i32)
    }

    fn text(&self, name: &str) -> Option<String> {
        self.get(name).and_then(HeaderProp::as_string).map(short)
    }

    fn yes(&self, name: &str) -> Option<bool> {
        self.get(name).and_then(HeaderProp::as_bool)
    }

    fn list(&self, name: &str) -> impl Iterator<Item = Properties<'a>> + use<'a> {
        let list = self.get(name).and_then(HeaderProp::as_array).map(Vec::as_slice).unwrap_or_default();
        list.iter().take(MAX_ENTRIES).map(|entry| Properties(entry))
    }
}

fn short(text: &str) -> String {
    text.chars().take(MAX_CHARACTERS).collect()
}

/// Returns the goals in the order of their frames.
pub(super) fn goals(replay: &Replay) -> Vec<Goal> {
    let goal = |goal: Properties<'_>| {
        let frame = goal.number("frame").and_then(|frame| u32::try_from(frame).ok()).unwrap_or_default();
        let player = goal.text("PlayerName").unwrap_or_else(|| "somebody".into());
        // The game omits zeros.
        Some(Goal { frame, player, team: goal.number("PlayerTeam").unwrap_or_default() })
    };
    let mut goals: Vec<_> = Properties(&replay.properties).list("Goals").filter_map(goal).collect();
    goals.sort_by_key(|goal| goal.frame);
    goals
}

/// Returns the frames per second, if plausible.
pub(super) fn record_fps(replay: &Replay) -> Option<f64> {
    let fps = Properties(&replay.properties).get("RecordFPS").and_then(HeaderProp::as_float).map(f64::from);
    fps.filter(|fps| (1.0..=1000.0).contains(fps))
}

/// Fills in what the header says about the match. The players are those who were present at the end.
pub(super) fn of_header(replay: &Replay, facts: &mut MatchFacts) {
    let header = Properties(&replay.properties);
    facts.match_id = header.text("Id");
    facts.map = header.text("MapName");
    facts.mode = header.text("MatchType");
    facts.version = header.text("BuildVersion");
    facts.dated_local = header.text("Date").map(|date| readable_date(&date));
    facts.recorded_by = header.text("PlayerName");
    // Newer replays have these. The game omits a team of 0, so an absent winner is not known.
    facts.winner_team = header.number("WinningTeam").map(i64::from);
    let started_s = header.get("MatchStartEpoch").and_then(HeaderProp::as_u64).filter(|seconds| *seconds > 0);
    facts.started_utc_ns = started_s.and_then(|seconds| i64::try_from(seconds).ok()?.checked_mul(1_000_000_000));
    let scores = scores(&header);
    facts.result = scores.map(|[zero, one]| format!("{zero}:{one}"));
    for (number, score) in (0..).zip(scores.map_or([None; 2], |scores| scores.map(Some))) {
        facts.teams.push(MatchTeam { number, score: score.map(i64::from), ..MatchTeam::default() });
    }
    for player in header.list("PlayerStats") {
        let counter = |(key, name): (&str, &str)| Some((name.to_owned(), i64::from(player.number(key)?)));
        facts.players.push(MatchPlayer {
            name: player.text("Name"),
            // The game omits zeros, and every player in this list has a team.
            team: Some(player.number("Team").unwrap_or_default().into()),
            is_bot: player.yes("bBot"),
            score: player.number("Score").map(i64::from),
            counters: COUNTERS.into_iter().filter_map(counter).collect::<BTreeMap<_, _>>(),
            ..MatchPlayer::default()
        });
    }
}

/// The score of both teams. The game omits zeros: it is known if either side has one.
fn scores(header: &Properties<'_>) -> Option<[i32; 2]> {
    let scores = [header.number("Team0Score"), header.number("Team1Score")];
    let known = scores.iter().any(Option::is_some);
    known.then(|| scores.map(Option::unwrap_or_default))
}

/// `2018-05-17 17-40-12` and `2015-07-05:17-40` with colons in the time.
fn readable_date(date: &str) -> String {
    match date.split_at_checked(10) {
        Some((day, time)) if time.starts_with([' ', ':']) => {
            format!("{day} {}", time.get(1..).unwrap_or_default().replace('-', ":"))
        }
        _ => date.to_owned(),
    }
}

/// Returns teams, players and score, then every scalar property of the header under its original name.
pub(super) fn metadata(replay: &Replay) -> Vec<(String, String)> {
    let header = Properties(&replay.properties);
    let mut entries: Vec<(String, String)> = Vec::new();
    entries.extend(scores(&header).map(|[zero, one]| ("score".into(), format!("{zero}:{one}"))));
    for team in [0, 1] {
        let members: Vec<_> = header
            .list("PlayerStats")
            .filter(|player| player.number("Team") == Some(team))
            .filter_map(|player| player.text("Name"))
            .collect();
        if !members.is_empty() {
            entries.push((format!("team_{team}"), members.join(", ")));
        }
    }
    for (number, player) in header.list("PlayerStats").enumerate() {
        entries.push((format!("player_{number:02}"), player_text(&player)));
    }
    for (key, property) in [("map", "MapName"), ("match_type", "MatchType"), ("game_version", "BuildVersion")] {
        entries.extend(header.text(property).map(|text| (key.to_owned(), text)));
    }
    for (key, value) in replay.properties.iter().take(MAX_ENTRIES) {
        entries.extend(value_text(value).map(|text| (format!("replay.{}", short(key)), text)));
    }
    entries
}

fn player_text(player: &Properties<'_>) -> String {
    let name = player.text("Name").unwrap_or_else(|| "somebody".into());
    let team = player.number("Team").map_or_else(|| "no team".into(), |team| format!("team {team}"));
    let stats =
        [("Score", "points"), ("Goals", "goals"), ("Assists", "assists"), ("Saves", "saves"), ("Shots", "shots")];
    let stats = stats.iter().filter_map(|(key, what)| Some(format!("{} {what}", player.number(key)?)));
    let bot = (player.yes("bBot") == Some(true)).then(|| "a bot".to_owned());
    [name, team].into_iter().chain(stats).chain(bot).collect::<Vec<_>>().join(", ")
}

fn value_text(value: &HeaderProp) -> Option<String> {
    match value {
        HeaderProp::Bool(value) => Some(value.to_string()),
        HeaderProp::Float(value) => Some(value.to_string()),
        HeaderProp::Int(value) => Some(value.to_string()),
        HeaderProp::QWord(value) => Some(value.to_string()),
        HeaderProp::Name(text) | HeaderProp::Str(text) => Some(short(text)),
        HeaderProp::Byte { kind, value } => Some(short(value.as_ref().unwrap_or(kind))),
        HeaderProp::Array(_) | HeaderProp::Struct { .. } => None,
    }
}
