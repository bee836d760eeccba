//! Maps the game's words to enum values of messages. A word without an enum value is carried as text ([`super::beyond`]).

use telemetry_v2::proto::telemetry::v2::{GameStatus, GoalType, MatchType, PauseState, Role};

const STATUSES: [(&str, GameStatus); 9] = [
    ("pre_match", GameStatus::PreMatch),
    ("round_start", GameStatus::RoundStart),
    ("playing", GameStatus::Playing),
    ("score", GameStatus::Score),
    ("round_over", GameStatus::RoundOver),
    ("post_match", GameStatus::PostMatch),
    ("pre_sudden_death", GameStatus::PreSuddenDeath),
    ("sudden_death", GameStatus::SuddenDeath),
    ("post_sudden_death", GameStatus::PostSuddenDeath),
];

/// If several words have the same value, the first is used in the other direction.
const MATCH_TYPES: [(&str, MatchType); 8] = [
    ("Echo_Arena", MatchType::Arena),
    ("Echo_Arena_Private", MatchType::Private),
    ("Echo_Arena_Tournament", MatchType::Tournament),
    ("Echo_Arena_FFA", MatchType::Ffa),
    ("Echo_Combat", MatchType::Combat),
    ("Echo_Combat_Private", MatchType::Combat),
    ("Social_2.0", MatchType::SocialPublic),
    ("Social_2.0_Private", MatchType::SocialPrivate),
];

const PAUSES: [(&str, PauseState); 6] = [
    ("unpaused", PauseState::NotPaused),
    ("paused", PauseState::Paused),
    ("unpausing", PauseState::Unpausing),
    ("autopause_replay", PauseState::AutopauseReplay),
    ("none", PauseState::None),
    ("paused_requested", PauseState::PausedRequested),
];

const GOALS: [(&str, GoalType); 11] = [
    ("INSIDE SHOT", GoalType::InsideShot),
    ("LONG SHOT", GoalType::LongShot),
    ("BOUNCE SHOT", GoalType::BounceShot),
    ("LONG BOUNCE SHOT", GoalType::LongBounceShot),
    ("SELF GOAL", GoalType::SelfGoal),
    ("[NO GOAL]", GoalType::NoGoal),
    ("SLAM DUNK", GoalType::SlamDunk),
    ("HEADBUTT", GoalType::Headbutt),
    ("LONG HEADBUTT", GoalType::LongHeadbutt),
    ("BUMPER SHOT", GoalType::BumperShot),
    ("LONG BUMPER SHOT", GoalType::LongBumperShot),
];

/// Names of the sides in the game's texts. In a pause, no side is `none`.
const SIDES: [(&str, Role); 2] = [("blue", Role::BlueTeam), ("orange", Role::OrangeTeam)];

fn number_of<T: Copy + Default>(table: &[(&str, T)], word: &str) -> T {
    table.iter().find(|(known, _)| *known == word).map(|(_, number)| *number).unwrap_or_default()
}

fn word_of<T: Copy + PartialEq + TryFrom<i32>>(table: &[(&'static str, T)], number: i32) -> &'static str {
    let wanted = T::try_from(number).ok();
    table.iter().find(|(_, known)| Some(*known) == wanted).map_or("", |(word, _)| word)
}

pub(super) fn status(word: &str) -> i32 {
    number_of(&STATUSES, word).into()
}

pub(super) fn status_word(number: i32) -> &'static str {
    word_of(&STATUSES, number)
}

pub(super) fn match_type(word: &str) -> i32 {
    number_of(&MATCH_TYPES, word).into()
}

pub(super) fn match_type_word(number: i32) -> &'static str {
    word_of(&MATCH_TYPES, number)
}

pub(super) fn pause(word: &str) -> i32 {
    number_of(&PAUSES, word).into()
}

pub(super) fn pause_word(number: i32) -> &'static str {
    word_of(&PAUSES, number)
}

pub(super) fn goal(word: &str) -> i32 {
    number_of(&GOALS, word).into()
}

pub(super) fn goal_word(number: i32) -> &'static str {
    word_of(&GOALS, number)
}

pub(super) fn side(word: &str) -> i32 {
    number_of(&SIDES, word).into()
}

pub(super) fn side_word(number: i32) -> &'static str {
    word_of(&SIDES, number)
}

/// Returns the side of a team by its index in a response.
pub(super) fn role(team: usize) -> Role {
    match team {
        0 => Role::BlueTeam,
        1 => Role::OrangeTeam,
        2 => Role::Spectator,
        _ => Role::Unspecified,
    }
}

/// Returns the side that won, if any.
pub(super) fn winner(side: Option<usize>) -> Role {
    side.map_or(Role::Unspecified, role)
}
