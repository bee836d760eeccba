//! The players of a match, from the network frames: also those who left before its end, whom the header does not list.

use std::cmp::Ordering;
use std::collections::BTreeMap;

use super::game::Played;
use super::objects::COUNTERS;
use crate::matches::{MatchFacts, MatchPlayer};

/// A player, with what the network frames said last.
#[derive(Debug, Clone, Default)]
pub(super) struct Person {
    pub(super) name: String,
    /// The id of the player's account; `None` for bots, who share one.
    pub(super) account: Option<String>,
    pub(super) team: Option<i64>,
    pub(super) is_bot: Option<bool>,
    pub(super) score: Option<i64>,
    pub(super) counters: [Option<i64>; COUNTERS.len()],
    /// The stream of the player's car, if there is one.
    pub(super) stream: Option<String>,
}

impl Person {
    /// Describes the player for the text of an event.
    pub(super) fn label(&self) -> String {
        match self.team {
            Some(team) => format!("{}, team {team}", self.name),
            None => self.name.clone(),
        }
    }
}

/// Adds what the network frames know to the facts of the header.
pub(super) fn add(played: Played, facts: &mut MatchFacts) {
    let Played { people, scores, team_names, winner, finished, ran_out, .. } = played;
    for team in &mut facts.teams {
        let place = usize::try_from(team.number).ok();
        team.score = team.score.or_else(|| place.and_then(|place| scores.get(place).copied().flatten()));
        team.name = place.and_then(|place| team_names.get(place).cloned().flatten());
    }
    if let (None, Some(zero), Some(one)) = (&facts.result, facts.score_of(0), facts.score_of(1)) {
        facts.result = Some(format!("{zero}:{one}"));
    }
    // Two players of one name are told apart by their team; each entry of the header is used once.
    let mut used = vec![false; facts.players.len()];
    for person in people {
        let fits = |player: &MatchPlayer| player.name.as_deref() == Some(&person.name);
        let same_team = |player: &MatchPlayer| fits(player) && player.team == person.team;
        let free = |is: &dyn Fn(&MatchPlayer) -> bool| {
            facts.players.iter().zip(&used).position(|(player, used)| !used && is(player))
        };
        match free(&same_team).or_else(|| free(&fits)) {
            Some(place) => {
                if let (Some(player), Some(used)) = (facts.players.get_mut(place), used.get_mut(place)) {
                    *used = true;
                    merge(player, &person);
                }
            }
            // Spectators have neither a team nor a car.
            None if person.team.is_some() || person.stream.is_some() => {
                let mut player = MatchPlayer { name: Some(person.name.clone()), ..MatchPlayer::default() };
                player.team = person.team;
                merge(&mut player, &person);
                facts.players.push(player);
                used.push(true);
            }
            None => {}
        }
    }
    let recorder = facts.recorded_by.clone();
    for player in &mut facts.players {
        player.is_recorder = recorder.as_ref().map(|recorder| player.name.as_ref() == Some(recorder));
    }
    // The score decides only if the time ran out: a team that gives up loses with any score.
    let ahead = facts.score_of(0).zip(facts.score_of(1)).and_then(|(zero, one)| match zero.cmp(&one) {
        Ordering::Greater => Some(0),
        Ordering::Equal => None,
        Ordering::Less => Some(1),
    });
    let winner = facts.winner_team.or(winner).or(ahead.filter(|_| finished && ran_out));
    if let Some(winner) = winner {
        facts.set_winner(winner);
    }
}

/// Adds to a player what the header does not know.
fn merge(player: &mut MatchPlayer, person: &Person) {
    player.is_bot = player.is_bot.or(person.is_bot);
    player.score = player.score.or(person.score);
    player.stream = person.stream.clone();
    let counters: BTreeMap<_, _> = COUNTERS
        .iter()
        .zip(person.counters)
        .filter_map(|((_, name, _), count)| Some(((*name).to_owned(), count?)))
        .collect();
    for (name, count) in counters {
        player.counters.entry(name).or_insert(count);
    }
}
