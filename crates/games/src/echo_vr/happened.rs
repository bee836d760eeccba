//! Events as values: players by slot and name, counters, teams. The event texts are formatted here; other formats build
//! their own messages from the values.

use std::fmt::Write as _;

use super::events::GameEvent;

/// A team by its index in the response (blue, orange, spectators); `None` for no team.
pub type Side = Option<usize>;

/// A player.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Who {
    /// Slot number in the match; −1 if the response does not contain it.
    pub slot: i64,
    /// Name.
    pub name: String,
}

/// A counter that the game keeps for each player.
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
    /// All counters, in the game's order.
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

    /// Returns the game's name for the counter.
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

    /// Returns the event kind of an increment. Points have none: they follow from goals.
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

/// A goal, in the game's words and spelling.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Goal {
    /// Points of blue and orange after the goal.
    pub points: [i64; 2],
    /// Scorer.
    pub person: String,
    /// `blue` or `orange`.
    pub team: String,
    /// `LONG SHOT`, …
    pub goal_type: String,
    /// Points: 2 or 3.
    pub amount: String,
    /// Distance in metres.
    pub distance: String,
    /// Speed in metres per second.
    pub speed: String,
    /// Assisting player; empty or `[INVALID]` if there was none.
    pub assist: String,
}

/// An event between two responses.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Happened {
    /// A player joined. Reported for all players in the first response.
    PlayerJoined {
        /// Who.
        who: Who,
        /// Team index.
        team: usize,
    },
    /// A player left.
    PlayerLeft {
        /// Who.
        who: Who,
    },
    /// A player switched teams.
    TeamSwitched {
        /// Who.
        who: Who,
        /// Previous team.
        from: usize,
        /// New team.
        to: usize,
    },
    /// An emote started.
    Emote {
        /// The player.
        who: Who,
    },
    /// A player is stunned.
    Stunned {
        /// Who.
        who: Who,
    },
    /// A hand grabbed something else: `none`, `geo`, `disc` or a number.
    GrabChanged {
        /// The player.
        who: Who,
        /// Held by the left hand.
        left: String,
        /// Held by the right hand.
        right: String,
        /// Set if this is not a change but the initial value of a player.
        first: bool,
    },
    /// The weapon, ordnance or module changed.
    LoadoutChanged {
        /// The player.
        who: Who,
        /// Weapon, ordnance, module.
        loadout: [String; 3],
        /// Set if this is not a change but the initial value of a player.
        first: bool,
    },
    /// The jersey number or the level became known or changed.
    InfoChanged {
        /// The player.
        who: Who,
        /// Jersey number.
        number: i64,
        /// Level.
        level: i64,
    },
    /// A counter was incremented.
    Counted {
        /// The player.
        who: Who,
        /// The counter.
        counter: Counter,
        /// Its new value.
        total: i64,
        /// Points awarded with it, for goals.
        points: i64,
        /// Previous holder of the disc.
        before: Option<Who>,
    },
    /// All counters of a player. Reported initially and when one has changed.
    Stats {
        /// The player.
        who: Who,
        /// In the order of [`Counter::ALL`].
        counters: [i64; 11],
    },
    /// A score changed.
    Score {
        /// Points of blue and orange.
        points: [i64; 2],
        /// Rounds won by blue and orange.
        rounds: [i64; 2],
        /// Set if this is not a change but the score in the first response.
        first: bool,
    },
    /// A goal.
    Goal(Goal),
    /// A round started.
    RoundStart {
        /// Round number, from 1.
        round: i64,
    },
    /// A round ended.
    RoundEnd {
        /// Round number, from 1.
        round: i64,
        /// Winning team.
        winner: Side,
    },
    /// The match ended.
    MatchEnd {
        /// Points of blue and orange.
        points: [i64; 2],
        /// Winning team.
        winner: Side,
    },
    /// The match was paused.
    Paused {
        /// Pause state, in the game's word.
        state: String,
    },
    /// The match was resumed.
    Unpaused {
        /// Pause state, in the game's word.
        state: String,
    },
    /// The holder of the disc changed.
    Possession {
        /// New holder.
        now: Option<Who>,
        /// Previous holder.
        before: Option<Who>,
    },
    /// The disc was caught.
    Catch {
        /// The player.
        who: Who,
    },
    /// The local player threw the disc.
    Throw {
        /// The player, if known.
        who: Option<Who>,
        /// Speed in metres per second, as the game spells it.
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
    /// Parses the player from an event text: the player alone or, as in counter events, followed by a number. The
    /// inverse of `Display`. Names may contain anything, so the text is parsed from the end.
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
    /// Formats the event as text. Returns `None` for initial values and for values that other events already report.
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

/// Event kinds that are derived from the game's responses. All other events of a tape were added by a person or a
/// program.
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
