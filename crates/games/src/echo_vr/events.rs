//! What happened between two answers: takes states one after the other, gives events.
//!
//! The first state is where things stand, not what happened: a goal or a throw that is shown then was before it. Teams are told by their place in the answer, not by numbers of
//! players, and words that nobody knows are kept as they are.

use std::fmt::Write as _;

use super::state::{COUNTER_KEYS, Player, State};

/// Something that happened.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct GameEvent {
    /// What; stable.
    pub kind: &'static str,
    /// Who and how, for people.
    pub text: String,
}

/// For each counter the event that its steps are; `points` follow from goals.
const COUNTER_EVENTS: [&str; COUNTER_KEYS.len()] = [
    "",
    "save",
    "player_goal",
    "stun",
    "pass",
    "catch_counted",
    "steal",
    "block",
    "interception",
    "assist",
    "shot_taken",
];

/// A counter that rises by more at once was not counted but set.
const MOST_STEPS: i64 = 10;
const TEAMS: [&str; 3] = ["blue", "orange", "spectators"];

/// Finds events.
#[derive(Debug, Default)]
pub struct EventDetector {
    last: State,
    started: bool,
}

impl EventDetector {
    /// Compares a state with the one before, appends what happened, and keeps the state (in exchange for the one before).
    pub fn see(&mut self, now: &mut State, events: &mut Vec<GameEvent>) {
        if *now == self.last && self.started {
            return;
        }
        self.players(now, events);
        if self.started {
            self.match_state(now, events);
            self.disc(now, events);
        }
        self.started = true;
        std::mem::swap(&mut self.last, now);
    }

    fn players(&self, now: &State, events: &mut Vec<GameEvent>) {
        let mut say = |kind, text| events.push(GameEvent { kind, text });
        for player in now.players() {
            let Some(before) = self.last.player(player.slot) else {
                say("player_joined", format!("{}, {}", who(player), team(player.team)));
                continue;
            };
            if before.name != player.name {
                say("player_left", who(before));
                say("player_joined", format!("{}, {}", who(player), team(player.team)));
                continue;
            }
            if before.team != player.team {
                say("team_switched", format!("{}, from {} to {}", who(player), team(before.team), team(player.team)));
            }
            if player.emote && !before.emote {
                say("emote", who(player));
            }
            if player.stunned && !before.stunned {
                say("stunned", who(player));
            }
            if before.holding != player.holding {
                let [left, right] = &player.holding;
                say("grab_changed", format!("{}, left {}, right {}", who(player), words(left), words(right)));
            }
            if before.loadout != player.loadout {
                let [weapon, ordnance, tac_mod] = &player.loadout;
                let loadout = [weapon, ordnance, tac_mod].map(|text| words(text)).join(", ");
                say("loadout_changed", format!("{}, {loadout}", who(player)));
            }
            let counters = player.counters.iter().zip(&before.counters).zip(COUNTER_EVENTS);
            for ((after, before), kind) in counters.filter(|(_, kind)| !kind.is_empty()) {
                let steps = after.saturating_sub(*before);
                for step in 1..=steps.min(if steps > MOST_STEPS { 0 } else { steps }) {
                    say(kind, format!("{}, {}", who(player), before + step));
                }
            }
        }
        for before in self.last.players().iter().filter(|before| now.player(before.slot).is_none()) {
            say("player_left", who(before));
        }
    }

    fn match_state(&self, now: &State, events: &mut Vec<GameEvent>) {
        let last = &self.last;
        let mut say = |kind, text| events.push(GameEvent { kind, text });
        let [blue, orange, blue_rounds, orange_rounds] = now.scores;
        if last.scores != now.scores {
            say("score", format!("{blue}:{orange}, rounds {blue_rounds}:{orange_rounds}"));
        }
        let score = &now.last_score;
        let before = &last.last_score;
        let other = (&score.person, &score.speed, &score.distance, &score.points)
            != (&before.person, &before.speed, &before.distance, &before.points);
        if other && !score.person.is_empty() && score.goal_type != b"[NO GOAL]" {
            let mut text = format!("{blue}:{orange} {}, {}", words(&score.person), words(&score.team));
            let _ = write!(text, ", {}, {} points", words(&score.goal_type), words(&score.points));
            let _ = write!(text, ", {} m, {} m/s", words(&score.distance), words(&score.speed));
            if score.assist != b"[INVALID]" && !score.assist.is_empty() {
                let _ = write!(text, ", assisted by {}", words(&score.assist));
            }
            say("goal", text);
        }
        let in_round = |state: &State| matches!(state.status.as_slice(), b"round_start" | b"playing");
        if in_round(now) && !in_round(last) && !last.status.is_empty() {
            say("round_start", format!("round {}", blue_rounds + orange_rounds + 1));
        }
        if now.status == b"round_over" && last.status != b"round_over" {
            let rose = |side: usize| now.scores.get(side) > last.scores.get(side);
            let winner = if rose(2) {
                "blue"
            } else if rose(3) {
                "orange"
            } else {
                "nobody"
            };
            say("round_end", format!("round {}, won by {winner}", (blue_rounds + orange_rounds).max(1)));
        }
        if now.status == b"post_match" && last.status != b"post_match" {
            let winner = match blue.cmp(&orange) {
                std::cmp::Ordering::Greater => "blue",
                std::cmp::Ordering::Less => "orange",
                std::cmp::Ordering::Equal => "nobody",
            };
            say("match_end", format!("{blue}:{orange}, won by {winner}"));
        }
        let paused = |state: &State| matches!(state.pause.as_slice(), b"paused" | b"paused_requested");
        match (paused(last), paused(now)) {
            (false, true) => say("paused", words(&now.pause)),
            (true, false) => say("unpaused", words(&now.pause)),
            _ => {}
        }
    }

    fn disc(&self, now: &State, events: &mut Vec<GameEvent>) {
        let mut say = |kind, text| events.push(GameEvent { kind, text });
        let (before, after) = (self.last.holder(), now.holder());
        if before.map(|player| player.slot) != after.map(|player| player.slot) {
            let name = |player: Option<&Player>| player.map_or_else(|| "nobody".into(), who);
            say("possession", format!("{}, before {}", name(after), name(before)));
            if let Some(player) = after {
                say("catch", who(player));
            }
        }
        if self.last.last_throw != now.last_throw {
            // Only the throws of the player whom the game runs for are shown.
            let thrower = now.players().iter().find(|player| player.name == now.client).or(before);
            let speed = words(&now.last_throw[1]);
            let name = thrower.map_or_else(|| "nobody known".into(), who);
            say("throw", format!("{name}, {speed} m/s"));
        }
    }
}

fn words(text: &[u8]) -> String {
    String::from_utf8_lossy(text).into_owned()
}

fn who(player: &Player) -> String {
    format!("{} (slot {})", words(&player.name), player.slot)
}

fn team(number: usize) -> &'static str {
    TEAMS.get(number).copied().unwrap_or("another team")
}

#[cfg(test)]
mod tests {
    use super::super::simulated::{Happening, Match, Script, Settings, What};
    use super::*;

    fn detect(answers: impl Iterator<Item = String>) -> Vec<(usize, GameEvent)> {
        let (mut detector, mut state) = (EventDetector::default(), State::default());
        let mut all = Vec::new();
        for (frame, answer) in answers.enumerate() {
            let mut events = Vec::new();
            if state.read(answer.as_bytes()) {
                detector.see(&mut state, &mut events);
            }
            all.extend(events.into_iter().map(|event| (frame, event)));
        }
        all
    }

    fn scripted(happenings: Vec<Happening>, frames: usize) -> Vec<(usize, GameEvent)> {
        let settings = Settings { frames, rate_hz: 10.0, players: 4, bones: false, ..Settings::default() };
        detect(Match::with_script(settings, Script::new(happenings)).map(|answers| answers.session))
    }

    fn at(at_s: f64, what: What) -> Happening {
        Happening { at_s, what }
    }

    fn kinds(events: &[(usize, GameEvent)]) -> Vec<(usize, &'static str)> {
        events.iter().map(|(frame, event)| (*frame, event.kind)).collect()
    }

    #[test]
    fn a_scripted_match_gives_its_events_at_their_frames() {
        let events = scripted(
            vec![
                at(0.0, What::Status("playing")),
                at(1.0, What::Take(0)),
                at(2.0, What::Throw),
                at(3.0, What::Goal { by: 0, assist: Some(2), points: 3, kind: "LONG SHOT" }),
                at(3.0, What::Status("score")),
                at(4.0, What::Status("playing")),
                at(5.0, What::Stun { by: 1, victim: 2 }),
                at(6.0, What::Pause("paused")),
                at(7.0, What::Pause("unpaused")),
                at(8.0, What::Status("post_match")),
            ],
            100,
        );
        let of = |kind: &str| {
            events.iter().filter(|(_, event)| event.kind == kind).map(|(frame, _)| *frame).collect::<Vec<_>>()
        };
        for (kind, frames) in [
            ("player_joined", vec![0, 0, 0, 0]),
            ("possession", vec![10, 20]),
            ("catch", vec![10]),
            ("throw", vec![20]),
            ("shot_taken", vec![20]),
            ("goal", vec![30]),
            ("player_goal", vec![30]),
            ("assist", vec![30]),
            ("score", vec![30]),
            ("round_start", vec![40]),
            ("stun", vec![50]),
            ("stunned", vec![50]),
            ("paused", vec![60]),
            ("unpaused", vec![70]),
            ("match_end", vec![80]),
        ] {
            assert_eq!(of(kind), frames, "{kind}");
        }
        let goal = &events.iter().find(|(_, event)| event.kind == "goal").unwrap().1.text;
        assert!(
            goal.starts_with("3:0 Player 1, blue, LONG SHOT, 3 points") && goal.ends_with("assisted by Player 3"),
            "{goal}"
        );
    }

    #[test]
    fn what_was_before_the_first_answer_is_no_event() {
        let events = scripted(
            vec![
                at(0.0, What::Take(0)),
                at(0.0, What::Throw),
                at(0.0, What::Goal { by: 0, assist: None, points: 2, kind: "SLAM DUNK" }),
            ],
            20,
        );
        assert_eq!(kinds(&events), [(0, "player_joined"); 4]);
    }

    #[test]
    fn players_come_go_and_change_sides() {
        let answer = |blue: &str, orange: &str| {
            format!("{{\"teams\":[{{\"players\":[{blue}]}},{{\"players\":[{orange}]}},{{}}]}}")
        };
        let one = "{\"name\":\"Player 1\",\"playerid\":5}";
        let events =
            detect([answer(one, ""), answer("", one), answer("", ""), "loading".into(), answer(one, "")].into_iter());
        assert_eq!(
            kinds(&events),
            [(0, "player_joined"), (1, "team_switched"), (2, "player_left"), (4, "player_joined")]
        );
        assert_eq!(events[1].1.text, "Player 1 (slot 5), from blue to orange");
    }
}
