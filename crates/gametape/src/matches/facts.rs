//! The facts, and their JSON.

use std::collections::BTreeMap;
use std::str::FromStr;

use gametape_format::read::Tape;
use serde::{Deserialize, Deserializer, Serialize, Serializer};

use super::METADATA_KEY;
use super::bounds::MAX_JSON_BYTES;
use crate::names::utc_text;

/// What is known about a match. The names of the fields in JSON are stable.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(default)]
pub struct MatchFacts {
    /// Id of the game, such as `rocket-league`.
    pub game: String,
    /// The game's own id of the match.
    pub match_id: Option<String>,
    /// When it started; UTC, nanoseconds since 1970. In JSON `started_utc`, as ISO 8601.
    #[serde(rename = "started_utc", serialize_with = "write_utc", deserialize_with = "read_utc")]
    pub started_utc_ns: Option<i64>,
    /// The time in a file that does not say whether it is the start or the end; UTC, nanoseconds since 1970. In JSON `dated_utc`.
    #[serde(rename = "dated_utc", serialize_with = "write_utc", deserialize_with = "read_utc")]
    pub dated_utc_ns: Option<i64>,
    /// The time in a file that does not name its time zone: `2018-05-17 17:40:12`.
    pub dated_local: Option<String>,
    /// Its length.
    pub length_ns: Option<u64>,
    /// The map, as named by the game.
    pub map: Option<String>,
    /// The mode or kind of match, as named by the game.
    pub mode: Option<String>,
    /// Version of the game.
    pub version: Option<String>,
    /// Name of the player who recorded it.
    pub recorded_by: Option<String>,
    /// The result as people write it, such as `3:2`.
    pub result: Option<String>,
    /// Number of the team that won.
    pub winner_team: Option<i64>,
    /// The teams, by number.
    pub teams: Vec<MatchTeam>,
    /// The players.
    pub players: Vec<MatchPlayer>,
    /// Number of players that were left out, because there are more than [`super::MAX_PLAYERS`] or their facts are too long.
    pub players_left_out: u32,
}

/// A team.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(default)]
pub struct MatchTeam {
    /// Its number, as in [`MatchPlayer::team`].
    pub number: i64,
    /// Its name.
    pub name: Option<String>,
    /// Its score at the end.
    pub score: Option<i64>,
    /// Whether it won.
    #[serde(deserialize_with = "read_outcome")]
    pub result: Option<Outcome>,
}

/// A player.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(default)]
pub struct MatchPlayer {
    /// The game's number of the player.
    pub number: Option<i64>,
    /// The name, as written by the game.
    pub name: Option<String>,
    /// Number of the team.
    pub team: Option<i64>,
    /// Whether the computer played.
    pub is_bot: Option<bool>,
    /// Whether this player recorded the match.
    pub is_recorder: Option<bool>,
    /// The character, race, hero or civilization.
    pub played_as: Option<String>,
    /// Whether the player won.
    #[serde(deserialize_with = "read_outcome")]
    pub result: Option<Outcome>,
    /// The score.
    pub score: Option<i64>,
    /// Counts of the game, such as `goals`, `assists`, `saves` and `kills`.
    pub counters: BTreeMap<String, i64>,
    /// The stream of the tape with the player's positions.
    pub stream: Option<String>,
}

/// A moment of a match.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct MatchEvent {
    /// Its time since the start.
    pub at_ns: u64,
    /// Its kind, such as `goal`.
    pub kind: String,
    /// Its text.
    pub text: String,
}

/// How a match ended for a team or a player.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Outcome {
    /// Won.
    Win,
    /// Lost.
    Loss,
    /// Neither won.
    Draw,
}

impl Outcome {
    /// Its name in JSON.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Win => "win",
            Self::Loss => "loss",
            Self::Draw => "draw",
        }
    }

    /// Returns the outcome with this name.
    pub fn parse(name: &str) -> Option<Self> {
        [Self::Win, Self::Loss, Self::Draw].into_iter().find(|outcome| outcome.as_str() == name)
    }
}

impl MatchFacts {
    /// Returns the facts in a tape, or `None` if it has none: not every tape is a match.
    pub fn of_tape(tape: &Tape) -> Option<Self> {
        Self::parse(tape.metadata().get(METADATA_KEY)?)
    }

    /// Parses the text of the metadata entry. Returns `None` for anything else, and for a text that is longer than any of ours. Unknown
    /// fields of a newer version are ignored.
    pub fn parse(text: &str) -> Option<Self> {
        if text.len() > MAX_JSON_BYTES || !text.trim_start().starts_with('{') {
            return None;
        }
        let facts = serde_json::from_str::<Self>(text).ok().filter(|facts| !facts.game.is_empty());
        facts.map(Self::bounded)
    }

    /// Returns the facts as JSON. A value that is not known is `null`.
    pub fn to_json(&self) -> serde_json::Value {
        serde_json::to_value(self).unwrap_or_default()
    }

    /// Returns the score of a team.
    pub fn score_of(&self, team: i64) -> Option<i64> {
        self.teams.iter().find(|known| known.number == team)?.score
    }

    /// Sets the winner, and the results of all teams and players that have a number.
    pub fn set_winner(&mut self, team: i64) {
        let outcome = |number: i64| if number == team { Outcome::Win } else { Outcome::Loss };
        self.winner_team = Some(team);
        self.teams.iter_mut().for_each(|known| known.result = Some(outcome(known.number)));
        self.players.iter_mut().for_each(|player| player.result = player.team.map(outcome));
    }
}

fn write_utc<S: Serializer>(utc_ns: &Option<i64>, serializer: S) -> Result<S::Ok, S::Error> {
    utc_ns.and_then(utc_text).serialize(serializer)
}

fn read_utc<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Option<i64>, D::Error> {
    let text: Option<String> = Option::deserialize(deserializer)?;
    let time = text.and_then(|text| jiff::Timestamp::from_str(&text).ok());
    Ok(time.and_then(|time| i64::try_from(time.as_nanosecond()).ok()))
}

/// Reads an outcome; one that only a newer version knows is unknown.
fn read_outcome<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Option<Outcome>, D::Error> {
    let text: Option<String> = Option::deserialize(deserializer)?;
    Ok(text.and_then(|text| Outcome::parse(&text)))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn facts() -> MatchFacts {
        let player = |name: &str, team| MatchPlayer {
            name: Some(name.into()),
            team: Some(team),
            counters: BTreeMap::from([("goals".into(), 2)]),
            ..MatchPlayer::default()
        };
        let team = |number, score| MatchTeam { number, score: Some(score), ..MatchTeam::default() };
        let mut facts = MatchFacts {
            game: "rocket-league".into(),
            started_utc_ns: Some(1_700_000_000_250_000_000),
            length_ns: Some(353_000_000_000),
            teams: vec![team(0, 3), team(1, 2)],
            players: vec![player("Player 1", 0), player("Player 2", 1)],
            ..MatchFacts::default()
        };
        facts.set_winner(0);
        facts
    }

    #[test]
    fn facts_come_back_from_their_text_and_unknown_is_null() {
        let facts = facts();
        let json = facts.to_json();
        assert_eq!(json["started_utc"], "2023-11-14T22:13:20.25Z");
        assert_eq!((&json["map"], &json["players"][0]["is_bot"]), (&serde_json::Value::Null, &serde_json::Value::Null));
        assert_eq!((&json["players"][1]["result"], &json["teams"][0]["score"]), (&"loss".into(), &3.into()));
        assert_eq!(MatchFacts::parse(&facts.to_text()), Some(facts));
    }

    #[test]
    fn words_and_fields_of_a_newer_version_do_not_hide_the_rest() {
        let text = r#"{"game":"x","new":[1],"teams":[{"number":1,"score":2,"result":"abandoned","new":{}}]}"#;
        let facts = MatchFacts::parse(text).unwrap();
        assert_eq!((facts.game.as_str(), facts.score_of(1), facts.teams[0].result), ("x", Some(2), None));
        for text in ["", "[]", "7", "{}", "{\"game\":7}", "{\"players\":[[[[["] {
            assert_eq!(MatchFacts::parse(text), None, "{text}");
        }
    }
}
