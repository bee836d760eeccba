//! Something that happened, as values: who by number and name, counters, sides. Texts for people are made of it here, messages of other formats elsewhere.

use std::fmt::Write as _;

use super::events::GameEvent;

/// The side of blue, orange or the spectators by its place in the answer; `None` for nobody.
pub type Side = Option<usize>;

/// A player.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Who {
    /// The number in the match; −1 if the answer does not say.
    pub slot: i64,
    /// The name.
    pub name: String,
}

/// A counter that the engine keeps of each player.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Counter {
    /// Points.
    Points,
    /// Saves.
    Saves,
    /// Goals.
    Goals,
    /// Stuns.
    Stuns,
    /// Passes.
    Passes,
    /// Catches.
    Catches,
    /// Steals.
    Steals,
    /// Blocks.
    Blocks,
    /// Interceptions.
    Interceptions,
    /// Assists.
    Assists,
    /// Shots.
    ShotsTaken,
}

impl Counter {
    /// All, in the order of the game.
    pub const ALL: [Self; 11] = [
        Self::Points,
        Self::Saves,
        Self::Goals,
        Self::Stuns,
        Self::Passes,
        Self::Catches,
        Self::Steals,
        Self::Blocks,
        Self::Interceptions,
        Self::Assists,
        Self::ShotsTaken,
    ];

    /// How the game calls it.
    #[must_use]
    pub fn key(self) -> &'static str {
        match self {
            Self::Points => "points",
            Self::Saves => "saves",
            Self::Goals => "goals",
            Self::Stuns => "stuns",
            Self::Passes => "passes",
            Self::Catches => "catches",
            Self::Steals => "steals",
            Self::Blocks => "blocks",
            Self::Interceptions => "interceptions",
            Self::Assists => "assists",
            Self::ShotsTaken => "shots_taken",
        }
    }

    /// The kind of event that a step of it is. Points have none: they follow from goals.
    #[must_use]
    pub fn event_kind(self) -> Option<&'static str> {
        match self {
            Self::Points => None,
            Self::Saves => Some("save"),
            Self::Goals => Some("player_goal"),
            Self::Stuns => Some("stun"),
            Self::Passes => Some("pass"),
            Self::Catches => Some("catch_counted"),
            Self::Steals => Some("steal"),
            Self::Blocks => Some("block"),
            Self::Interceptions => Some("interception"),
            Self::Assists => Some("assist"),
            Self::ShotsTaken => Some("shot_taken"),
        }
    }
}

/// A goal, in the game's own words and spelling.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Goal {
    /// Points of blue and orange after it.
    pub points: [i64; 2],
    /// Who scored.
    pub person: String,
    /// `blue` or `orange`.
    pub team: String,
    /// `LONG SHOT`, …
    pub goal_type: String,
    /// 2 or 3.
    pub amount: String,
    /// Metres.
    pub distance: String,
    /// Metres a second.
    pub speed: String,
    /// Who helped; empty or `[INVALID]` if nobody.
    pub assist: String,
}

/// Something that happened between two answers.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Happened {
    /// A player is there who was not. All are, in the first answer.
    PlayerJoined {
        /// Who.
        who: Who,
        /// On which side.
        team: usize,
    },
    /// A player is gone.
    PlayerLeft {
        /// Who.
        who: Who,
    },
    /// A player changed sides.
    TeamSwitched {
        /// Who.
        who: Who,
        /// From where.
        from: usize,
        /// To where.
        to: usize,
    },
    /// An emote began.
    Emote {
        /// Whose.
        who: Who,
    },
    /// A player is stunned.
    Stunned {
        /// Who.
        who: Who,
    },
    /// Hands hold on to something else: `none`, `geo`, `disc` or a number.
    GrabChanged {
        /// Whose.
        who: Who,
        /// The left one.
        left: String,
        /// The right one.
        right: String,
        /// Not a change: where things stand when the player is first seen.
        first: bool,
    },
    /// Another weapon, ordnance or module.
    LoadoutChanged {
        /// Whose.
        who: Who,
        /// Weapon, ordnance, module.
        loadout: [String; 3],
        /// Not a change: where things stand when the player is first seen.
        first: bool,
    },
    /// The number on the back, or the level, became known or changed.
    InfoChanged {
        /// Whose.
        who: Who,
        /// The number.
        number: i64,
        /// The level.
        level: i64,
    },
    /// One step of a counter.
    Counted {
        /// Whose.
        who: Who,
        /// Which.
        counter: Counter,
        /// What it is now.
        total: i64,
        /// Points that came with it, for goals.
        points: i64,
        /// Who had the disc before.
        before: Option<Who>,
    },
    /// All counters of a player, when one has changed or the player is first seen.
    Stats {
        /// Whose.
        who: Who,
        /// In the order of [`Counter::ALL`].
        counters: [i64; 11],
    },
    /// One of the scores changed.
    Score {
        /// Blue and orange.
        points: [i64; 2],
        /// Rounds won by blue and orange.
        rounds: [i64; 2],
        /// Not a change: where things stand in the first answer.
        first: bool,
    },
    /// A goal.
    Goal(Goal),
    /// A round began.
    RoundStart {
        /// Counts from 1.
        round: i64,
    },
    /// A round is over.
    RoundEnd {
        /// Counts from 1.
        round: i64,
        /// Who won it.
        winner: Side,
    },
    /// The match is over.
    MatchEnd {
        /// Blue and orange.
        points: [i64; 2],
        /// Who won it.
        winner: Side,
    },
    /// The match stands still.
    Paused {
        /// In the game's own word.
        state: String,
    },
    /// The match goes on.
    Unpaused {
        /// In the game's own word.
        state: String,
    },
    /// The disc has another holder, or none.
    Possession {
        /// Who has it.
        now: Option<Who>,
        /// Who had it.
        before: Option<Who>,
    },
    /// The disc was caught.
    Catch {
        /// By whom.
        who: Who,
    },
    /// The player whom the game runs for threw the disc.
    Throw {
        /// Who, if that can be told.
        who: Option<Who>,
        /// Metres a second, as the game spells it.
        speed: String,
    },
}

const TEAMS: [&str; 3] = ["blue", "orange", "spectators"];

fn team(number: usize) -> &'static str {
    TEAMS.get(number).copied().unwrap_or("another team")
}

fn winner(side: Side) -> &'static str {
    side.map_or("nobody", team)
}

impl std::fmt::Display for Who {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{} (slot {})", self.name, self.slot)
    }
}

impl Who {
    /// The player of an event's text that names one alone or, as events of counters do, with a number behind: the other way round from `Display`. Names may have anything in them, so it is
    /// read from the end.
    #[must_use]
    pub fn of_text(text: &str) -> Option<Self> {
        let who = match text.rsplit_once(", ") {
            Some((who, total)) if total.parse::<i64>().is_ok() => who,
            _ => text,
        };
        let (name, slot) = who.strip_suffix(')')?.rsplit_once(" (slot ")?;
        Some(Self { slot: slot.parse().ok()?, name: name.to_owned() })
    }
}

impl Happened {
    /// For people. `None` for what is only where things stand, and for what other events say already.
    #[must_use]
    pub fn event(&self) -> Option<GameEvent> {
        let (kind, text) = match self {
            Self::PlayerJoined { who, team: side } => ("player_joined", format!("{who}, {}", team(*side))),
            Self::PlayerLeft { who } => ("player_left", who.to_string()),
            Self::TeamSwitched { who, from, to } => {
                ("team_switched", format!("{who}, from {} to {}", team(*from), team(*to)))
            }
            Self::Emote { who } => ("emote", who.to_string()),
            Self::Stunned { who } => ("stunned", who.to_string()),
            Self::GrabChanged { first: true, .. }
            | Self::LoadoutChanged { first: true, .. }
            | Self::Score { first: true, .. }
            | Self::InfoChanged { .. }
            | Self::Stats { .. } => return None,
            Self::GrabChanged { who, left, right, .. } => {
                ("grab_changed", format!("{who}, left {left}, right {right}"))
            }
            Self::LoadoutChanged { who, loadout, .. } => ("loadout_changed", format!("{who}, {}", loadout.join(", "))),
            Self::Counted { who, counter, total, .. } => (counter.event_kind()?, format!("{who}, {total}")),
            Self::Score { points: [blue, orange], rounds: [blue_rounds, orange_rounds], .. } => {
                ("score", format!("{blue}:{orange}, rounds {blue_rounds}:{orange_rounds}"))
            }
            Self::Goal(goal) => ("goal", goal.text()),
            Self::RoundStart { round } => ("round_start", format!("round {round}")),
            Self::RoundEnd { round, winner: side } => ("round_end", format!("round {round}, won by {}", winner(*side))),
            Self::MatchEnd { points: [blue, orange], winner: side } => {
                ("match_end", format!("{blue}:{orange}, won by {}", winner(*side)))
            }
            Self::Paused { state } => ("paused", state.clone()),
            Self::Unpaused { state } => ("unpaused", state.clone()),
            Self::Possession { now, before } => {
                let name = |who: &Option<Who>| who.as_ref().map_or_else(|| "nobody".into(), Who::to_string);
                ("possession", format!("{}, before {}", name(now), name(before)))
            }
            Self::Catch { who } => ("catch", who.to_string()),
            Self::Throw { who, speed } => {
                let name = who.as_ref().map_or_else(|| "nobody known".into(), Who::to_string);
                ("throw", format!("{name}, {speed} m/s"))
            }
        };
        Some(GameEvent { kind, text })
    }
}

impl Goal {
    fn text(&self) -> String {
        let Self { points: [blue, orange], person, team, goal_type, amount, distance, speed, assist } = self;
        let mut text = format!("{blue}:{orange} {person}, {team}, {goal_type}, {amount} points");
        let _ = write!(text, ", {distance} m, {speed} m/s");
        if assist != "[INVALID]" && !assist.is_empty() {
            let _ = write!(text, ", assisted by {assist}");
        }
        text
    }
}

/// The kinds of events that answers of the game give. What else is on a tape was set by a person or a program.
pub const EVENT_KINDS: [&str; 28] = [
    "player_joined",
    "player_left",
    "team_switched",
    "emote",
    "stunned",
    "grab_changed",
    "loadout_changed",
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
    "score",
    "goal",
    "round_start",
    "round_end",
    "match_end",
    "paused",
    "unpaused",
    "possession",
    "catch",
    "throw",
    "session_start",
];

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_player_is_found_again_in_the_text_of_an_event_whatever_the_name() {
        for name in ["Player 1", "", "a, b (slot 9)", "x (slot 3), 4"] {
            let who = Who { slot: 7, name: name.to_owned() };
            let counted =
                Happened::Counted { who: who.clone(), counter: Counter::Saves, total: 12, points: 0, before: None };
            assert_eq!(Who::of_text(&counted.event().unwrap().text), Some(who.clone()));
            assert_eq!(Who::of_text(&Happened::Catch { who: who.clone() }.event().unwrap().text), Some(who));
        }
        assert_eq!(Who::of_text("round 1"), None);
        assert_eq!(Who::of_text(""), None);
    }

    #[test]
    fn every_kind_of_event_is_listed() {
        let kinds: Vec<_> = Counter::ALL.iter().filter_map(|counter| counter.event_kind()).collect();
        assert!(kinds.iter().all(|kind| EVENT_KINDS.contains(kind)));
        let who = Who::default();
        for happened in [
            Happened::PlayerJoined { who: who.clone(), team: 0 },
            Happened::TeamSwitched { who: who.clone(), from: 0, to: 5 },
            Happened::Throw { who: None, speed: String::new() },
            Happened::Goal(Goal::default()),
            Happened::RoundEnd { round: 1, winner: None },
            Happened::Unpaused { state: String::new() },
        ] {
            assert!(EVENT_KINDS.contains(&happened.event().unwrap().kind));
        }
    }
}
