//! Limits of what the facts of a match may hold: they come from files that anybody may have written, and go into one metadata entry.

use super::facts::{MatchFacts, MatchPlayer, MatchTeam};

/// Maximum length of the JSON text in bytes.
pub const MAX_JSON_BYTES: usize = 60_000;
/// Maximum number of players. A match of any supported game has at most 100.
pub const MAX_PLAYERS: usize = 128;
/// Maximum number of teams.
pub const MAX_TEAMS: usize = 128;
/// Maximum number of counters of a player.
pub const MAX_COUNTERS: usize = 32;
/// Maximum length of a name or another text, in characters.
pub const MAX_TEXT_CHARACTERS: usize = 200;

impl MatchFacts {
    /// Cuts texts and lists to their limits. Counts the players that are left out.
    #[must_use]
    pub fn bounded(mut self) -> Self {
        shorten(&mut self.game);
        let texts = [
            &mut self.match_id,
            &mut self.dated_local,
            &mut self.map,
            &mut self.mode,
            &mut self.version,
            &mut self.recorded_by,
            &mut self.result,
        ];
        texts.into_iter().for_each(shorten_known);
        self.teams.truncate(MAX_TEAMS);
        self.teams.iter_mut().for_each(|MatchTeam { name, .. }| shorten_known(name));
        self.leave_out(MAX_PLAYERS);
        self.players.iter_mut().for_each(bound_player);
        self
    }

    /// Returns the text of the metadata entry: never longer than [`MAX_JSON_BYTES`].
    pub fn to_text(&self) -> String {
        let mut facts = self.clone().bounded();
        loop {
            let text = facts.to_json().to_string();
            if text.len() <= MAX_JSON_BYTES {
                return text;
            }
            if facts.players.is_empty() {
                facts.teams.clear();
            }
            let keep = facts.players.len() / 2;
            facts.leave_out(keep);
        }
    }

    fn leave_out(&mut self, keep: usize) {
        let more = self.players.len().saturating_sub(keep);
        self.players.truncate(keep);
        self.players_left_out = self.players_left_out.saturating_add(u32::try_from(more).unwrap_or(u32::MAX));
    }
}

fn bound_player(player: &mut MatchPlayer) {
    shorten_known(&mut player.name);
    shorten_known(&mut player.played_as);
    shorten_known(&mut player.stream);
    while player.counters.len() > MAX_COUNTERS || player.counters.keys().any(|name| name.len() > MAX_TEXT_CHARACTERS) {
        let longest = player.counters.keys().max_by_key(|name| name.len()).cloned().unwrap_or_default();
        player.counters.remove(&longest);
    }
}

fn shorten_known(text: &mut Option<String>) {
    text.iter_mut().for_each(shorten);
    // A name of nothing is not a name.
    if text.as_ref().is_some_and(String::is_empty) {
        *text = None;
    }
}

fn shorten(text: &mut String) {
    if let Some((end, _)) = text.char_indices().nth(MAX_TEXT_CHARACTERS) {
        text.truncate(end);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn facts_of_any_size_fit_into_a_metadata_entry_and_say_what_was_left_out() {
        let long = "\u{1}".repeat(5000);
        let player = MatchPlayer {
            name: Some(long.clone()),
            played_as: Some(long.clone()),
            counters: (0..500).map(|number| (format!("{number} {}", "c".repeat(180)), i64::MIN)).collect(),
            ..MatchPlayer::default()
        };
        let teams = vec![MatchTeam { name: Some(long.clone()), ..MatchTeam::default() }; 5000];
        let facts = MatchFacts { game: long, players: vec![player; 3000], teams, ..MatchFacts::default() };
        let text = facts.to_text();
        assert!(text.len() <= MAX_JSON_BYTES, "{}", text.len());
        let read = MatchFacts::parse(&text).unwrap();
        assert_eq!(read.players.len() + read.players_left_out as usize, 3000);
        assert_eq!(read.game.chars().count(), MAX_TEXT_CHARACTERS);
        assert_eq!(MatchFacts { game: "x".into(), ..MatchFacts::default() }.bounded().players_left_out, 0);
    }
}
