//! Detects events: compares consecutive states of a match.
//!
//! The first state is a snapshot, not a change: a goal or a throw that it shows happened earlier. Teams are identified
//! by their index in the response, not by player numbers. Unknown words of the game are kept as they are.

use super::happened::{Counter, Goal, Happened, Who};
use super::state::{Player, State};

/// An event, as text.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct GameEvent {
    /// Event kind. Stable.
    pub kind: &'static str,
    /// Details, for people.
    pub text: String,
}

/// A counter that rises by more than this at once was set, not counted.
const MOST_STEPS: i64 = 10;

/// Detects events in consecutive states.
#[derive(Debug, Default)]
pub struct EventDetector {
    last: State,
    started: bool,
    happened: Vec<Happened>,
}

impl EventDetector {
    /// Compares a state with the previous one and appends the events as text. Keeps the state by swapping it with the
    /// previous one.
    pub fn see(&mut self, now: &mut State, events: &mut Vec<GameEvent>) {
        let mut happened = std::mem::take(&mut self.happened);
        self.detect(now, &mut happened);
        events.extend(happened.drain(..).filter_map(|one| one.event()));
        self.happened = happened;
    }

    /// Like [`EventDetector::see`], but appends values instead of text, including the initial values of whatever is
    /// observed for the first time.
    pub fn detect(&mut self, now: &mut State, happened: &mut Vec<Happened>) {
        if self.started && now.is_same(&self.last) {
            return;
        }
        now.inherit(&self.last);
        self.players(now, happened);
        if self.started {
            self.match_state(now, happened);
            self.disc(now, happened);
        } else {
            happened.push(score(now, true));
        }
        self.started = true;
        std::mem::swap(&mut self.last, now);
    }

    fn players(&self, now: &State, happened: &mut Vec<Happened>) {
        for player in now.players() {
            let Some(before) = self.last.player(player.slot) else {
                joined(player, happened);
                continue;
            };
            if before.name != player.name {
                happened.push(Happened::PlayerLeft { who: who(before) });
                joined(player, happened);
                continue;
            }
            if before.team != player.team {
                happened.push(Happened::TeamSwitched { who: who(player), from: before.team, to: player.team });
            }
            if (before.number, before.level) != (player.number, player.level) {
                let (number, level) = (player.number, player.level);
                happened.push(Happened::InfoChanged { who: who(player), number, level });
            }
            if player.emote && !before.emote {
                happened.push(Happened::Emote { who: who(player) });
            }
            if player.stunned && !before.stunned {
                happened.push(Happened::Stunned { who: who(player) });
            }
            if before.holding != player.holding {
                happened.push(grab(player, false));
            }
            if before.loadout != player.loadout {
                happened.push(loadout(player, false));
            }
            if before.counters != player.counters {
                self.counted(player, before, happened);
            }
        }
        for before in self.last.players().iter().filter(|before| now.player(before.slot).is_none()) {
            happened.push(Happened::PlayerLeft { who: who(before) });
        }
    }

    fn counted(&self, player: &Player, before: &Player, happened: &mut Vec<Happened>) {
        let steps_of = |after: i64, before: i64| {
            let steps = after.saturating_sub(before);
            if steps > MOST_STEPS { 0 } else { steps }
        };
        let [points, ..] = player.counters;
        let [points_before, ..] = before.counters;
        let counters = player.counters.iter().zip(&before.counters).zip(Counter::ALL);
        for ((after, before), counter) in counters.filter(|(_, counter)| counter.event_kind().is_some()) {
            for step in 1..=steps_of(*after, *before) {
                happened.push(Happened::Counted {
                    who: who(player),
                    counter,
                    total: before + step,
                    points: points.saturating_sub(points_before),
                    before: self.last.holder().filter(|holder| holder.slot != player.slot).map(who),
                });
            }
        }
        happened.push(Happened::Stats { who: who(player), counters: player.counters });
    }

    fn match_state(&self, now: &State, happened: &mut Vec<Happened>) {
        let last = &self.last;
        let [blue, orange, blue_rounds, orange_rounds] = now.scores;
        if last.scores != now.scores {
            happened.push(score(now, false));
        }
        let shown = &now.last_score;
        let before = &last.last_score;
        let other = (&shown.person, &shown.speed, &shown.distance, &shown.points)
            != (&before.person, &before.speed, &before.distance, &before.points);
        if other && !shown.person.is_empty() && shown.goal_type != b"[NO GOAL]" {
            happened.push(Happened::Goal(Goal {
                points: [blue, orange],
                person: words(&shown.person),
                team: words(&shown.team),
                goal_type: words(&shown.goal_type),
                amount: words(&shown.points),
                distance: words(&shown.distance),
                speed: words(&shown.speed),
                assist: words(&shown.assist),
            }));
        }
        let in_round = |state: &State| matches!(state.status.as_slice(), b"round_start" | b"playing");
        if in_round(now) && !in_round(last) && !last.status.is_empty() {
            happened.push(Happened::RoundStart { round: blue_rounds.saturating_add(orange_rounds).saturating_add(1) });
        }
        if now.status == b"round_over" && last.status != b"round_over" {
            let winner = (0..2).find(|side| now.scores.get(2 + side) > last.scores.get(2 + side));
            happened.push(Happened::RoundEnd { round: blue_rounds.saturating_add(orange_rounds).max(1), winner });
        }
        if now.status == b"post_match" && last.status != b"post_match" {
            let winner = match blue.cmp(&orange) {
                std::cmp::Ordering::Greater => Some(0),
                std::cmp::Ordering::Less => Some(1),
                std::cmp::Ordering::Equal => None,
            };
            happened.push(Happened::MatchEnd { points: [blue, orange], winner });
        }
        let paused = |state: &State| matches!(state.pause.as_slice(), b"paused" | b"paused_requested");
        match (paused(last), paused(now)) {
            (false, true) => happened.push(Happened::Paused { state: words(&now.pause) }),
            (true, false) => happened.push(Happened::Unpaused { state: words(&now.pause) }),
            _ => {}
        }
    }

    fn disc(&self, now: &State, happened: &mut Vec<Happened>) {
        let (before, after) = (self.last.holder(), now.holder());
        if before.map(|player| player.slot) != after.map(|player| player.slot) {
            happened.push(Happened::Possession { now: after.map(who), before: before.map(who) });
            if let Some(player) = after {
                happened.push(Happened::Catch { who: who(player) });
            }
        }
        if self.last.last_throw != now.last_throw {
            // The game only reports throws of the local player.
            let thrower = now.players().iter().find(|player| player.name == now.client).or(before);
            let [_, speed, _] = &now.last_throw;
            happened.push(Happened::Throw { who: thrower.map(who), speed: words(speed) });
        }
    }
}

/// Reports a new player along with the player's initial values: hands, loadout, counters.
fn joined(player: &Player, happened: &mut Vec<Happened>) {
    happened.push(Happened::PlayerJoined { who: who(player), team: player.team });
    if player.holding.iter().any(|text| !text.is_empty()) {
        happened.push(grab(player, true));
    }
    if player.loadout.iter().any(|text| !text.is_empty()) {
        happened.push(loadout(player, true));
    }
    happened.push(Happened::Stats { who: who(player), counters: player.counters });
}

fn grab(player: &Player, first: bool) -> Happened {
    let [left, right] = &player.holding;
    Happened::GrabChanged { who: who(player), left: words(left), right: words(right), first }
}

fn loadout(player: &Player, first: bool) -> Happened {
    Happened::LoadoutChanged { who: who(player), loadout: player.loadout.each_ref().map(|text| words(text)), first }
}

fn score(now: &State, first: bool) -> Happened {
    let [blue, orange, blue_rounds, orange_rounds] = now.scores;
    Happened::Score { points: [blue, orange], rounds: [blue_rounds, orange_rounds], first }
}

fn words(text: &[u8]) -> String {
    String::from_utf8_lossy(text).into_owned()
}

fn who(player: &Player) -> Who {
    Who { slot: player.slot, name: words(&player.name) }
}

#[cfg(test)]
mod tests {
    use super::super::fields::Fields;
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
    fn an_answer_that_leaves_the_last_goal_and_throw_out_changes_neither() {
        let answer = |rest: &str| format!("{{\"game_status\":\"playing\",{rest}\"teams\":[]}}");
        let goal = |by: &str| {
            format!(
                "\"last_score\":{{\"person_scored\":\"{by}\",\"disc_speed\":1.0}},\"last_throw\":{{\"arm_speed\":2.0}},"
            )
        };
        let [first, second] = ["Player 1", "Player 2"].map(goal);
        let answers = [first.as_str(), &second, "", &second, "", "", &second, &first].map(answer);
        let events = detect(answers.into_iter());
        assert_eq!(kinds(&events), [(1, "goal"), (7, "goal")]);
    }

    #[test]
    fn the_first_response_reports_no_past_events() {
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

    #[test]
    fn a_response_truncated_inside_the_teams_is_not_a_match() {
        let settings = Settings { frames: 1, players: 4, bones: false, ..Settings::default() };
        let answer = Match::with_script(settings, Script::new(Vec::new())).next().unwrap().session;
        let value = Fields::find(answer.as_bytes(), "teams").unwrap();
        let teams = answer.find("\"teams\"").unwrap();
        let end = teams + "\"teams\":".len() + value.len();
        let mut state = State::default();
        for cut in [teams, teams + 9, (teams + end) / 2, end - 1] {
            assert!(!state.read(&answer.as_bytes()[..cut]), "{cut}");
        }
        assert!(state.read(&answer.as_bytes()[..end]), "all teams are there");
        assert!(state.read(answer.as_bytes()));
        assert_eq!(state.players().len(), 4);
    }

    #[test]
    fn values_include_the_initial_state() {
        let settings = Settings { frames: 40, rate_hz: 10.0, players: 2, bones: false, ..Settings::default() };
        let script = Script::new(vec![
            at(0.0, What::Status("playing")),
            at(1.0, What::Take(1)),
            at(2.0, What::Goal { by: 1, assist: None, points: 3, kind: "LONG SHOT" }),
        ]);
        let (mut detector, mut state) = (EventDetector::default(), State::default());
        let mut all = Vec::new();
        for (frame, answers) in Match::with_script(settings, script).enumerate() {
            let mut happened = Vec::new();
            assert!(state.read(answers.session.as_bytes()));
            detector.detect(&mut state, &mut happened);
            all.extend(happened.into_iter().map(|one| (frame, one)));
        }
        let first = all.iter().filter(|(frame, _)| *frame == 0);
        assert_eq!(first.filter(|(_, one)| one.event().is_none()).count(), 5, "hands and counters of two, the score");
        let goal = all.iter().find_map(|(frame, one)| match one {
            Happened::Counted { who, counter: Counter::Goals, total, points, .. } => {
                Some((*frame, who.slot, *total, *points))
            }
            _ => None,
        });
        assert_eq!(goal, Some((20, 1, 1, 3)));
        let stats = all.iter().rev().find_map(|(frame, one)| match one {
            Happened::Stats { who, counters } => Some((*frame, who.slot, counters[0])),
            _ => None,
        });
        assert_eq!(stats, Some((20, 1, 3)));
    }
}
