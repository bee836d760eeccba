//! Maps event types between their three names: the variant of `EchoEvent`, the number in the footer's index, and the
//! name in the seed generation's index.

use crate::proto::telemetry::v2::echo_event::Event;
use crate::proto::telemetry::v2::{EchoEvent, EventType};

/// Field number in `EchoEvent`, number in the index, name in the seed generation's index.
const TABLE: [(u32, EventType, &str); 28] = [
    (10, EventType::RoundStarted, "round_started"),
    (11, EventType::RoundPaused, "round_paused"),
    (12, EventType::RoundUnpaused, "round_unpaused"),
    (13, EventType::RoundEnded, "round_ended"),
    (14, EventType::MatchEnded, "match_ended"),
    (15, EventType::ScoreboardUpdated, "scoreboard_updated"),
    (20, EventType::PlayerJoined, "player_joined"),
    (21, EventType::PlayerLeft, "player_left"),
    (22, EventType::PlayerSwitchedTeam, "player_switched_team"),
    (23, EventType::EmotePlayed, "emote_played"),
    (24, EventType::LoadoutChanged, "loadout_changed"),
    (25, EventType::GrabChanged, "grab_changed"),
    (26, EventType::PlayerInfoUpdated, "player_info_updated"),
    (30, EventType::DiscPossessionChanged, "disc_possession_changed"),
    (31, EventType::DiscThrown, "disc_thrown"),
    (32, EventType::DiscCaught, "disc_caught"),
    (40, EventType::GoalScored, "goal_scored"),
    (41, EventType::PlayerGoal, "player_goal"),
    (50, EventType::PlayerSave, "player_save"),
    (51, EventType::PlayerStun, "player_stun"),
    (52, EventType::PlayerPass, "player_pass"),
    (53, EventType::PlayerSteal, "player_steal"),
    (54, EventType::PlayerBlock, "player_block"),
    (55, EventType::PlayerInterception, "player_interception"),
    (56, EventType::PlayerAssist, "player_assist"),
    (57, EventType::PlayerShotTaken, "player_shot_taken"),
    (58, EventType::PlayerStatsUpdated, "player_stats_updated"),
    (60, EventType::Generic, "generic_event"),
];

/// The field number in `EchoEvent` of generation 5's `match_settings_changed`. Its number in the index is unknown, so it has no type.
pub const MATCH_SETTINGS_CHANGED: u32 = 16;

/// Returns the type of the variant of `EchoEvent` with this field number.
pub fn from_variant(number: u32) -> Option<EventType> {
    TABLE.iter().find(|(variant, ..)| *variant == number).map(|(_, event, _)| *event)
}

/// Returns the name of a type in the seed generation; empty for `UNSPECIFIED`.
pub fn seed_name(event: EventType) -> &'static str {
    TABLE.iter().find(|(_, other, _)| *other == event).map_or("", |(.., name)| name)
}

/// Returns the type with this name in the seed generation. The names of the enum are accepted too.
pub fn from_seed_name(text: &str) -> Option<EventType> {
    let text = text.to_ascii_lowercase();
    let text = text.strip_prefix("event_type_").unwrap_or(&text);
    // The enum's name for it is "generic".
    let text = if text == "generic" { "generic_event" } else { text };
    TABLE.iter().find(|(.., name)| *name == text).map(|(_, event, _)| *event)
}

/// Returns the type of an event; `None` for [`MATCH_SETTINGS_CHANGED`].
pub fn of(event: &Event) -> Option<EventType> {
    Some(match event {
        Event::MatchSettingsChanged(_) => return None,
        Event::RoundStarted(_) => EventType::RoundStarted,
        Event::RoundPaused(_) => EventType::RoundPaused,
        Event::RoundUnpaused(_) => EventType::RoundUnpaused,
        Event::RoundEnded(_) => EventType::RoundEnded,
        Event::MatchEnded(_) => EventType::MatchEnded,
        Event::ScoreboardUpdated(_) => EventType::ScoreboardUpdated,
        Event::PlayerJoined(_) => EventType::PlayerJoined,
        Event::PlayerLeft(_) => EventType::PlayerLeft,
        Event::PlayerSwitchedTeam(_) => EventType::PlayerSwitchedTeam,
        Event::EmotePlayed(_) => EventType::EmotePlayed,
        Event::LoadoutChanged(_) => EventType::LoadoutChanged,
        Event::GrabChanged(_) => EventType::GrabChanged,
        Event::PlayerInfoUpdated(_) => EventType::PlayerInfoUpdated,
        Event::DiscPossessionChanged(_) => EventType::DiscPossessionChanged,
        Event::DiscThrown(_) => EventType::DiscThrown,
        Event::DiscCaught(_) => EventType::DiscCaught,
        Event::GoalScored(_) => EventType::GoalScored,
        Event::PlayerGoal(_) => EventType::PlayerGoal,
        Event::PlayerSave(_) => EventType::PlayerSave,
        Event::PlayerStun(_) => EventType::PlayerStun,
        Event::PlayerPass(_) => EventType::PlayerPass,
        Event::PlayerSteal(_) => EventType::PlayerSteal,
        Event::PlayerBlock(_) => EventType::PlayerBlock,
        Event::PlayerInterception(_) => EventType::PlayerInterception,
        Event::PlayerAssist(_) => EventType::PlayerAssist,
        Event::PlayerShotTaken(_) => EventType::PlayerShotTaken,
        Event::PlayerStatsUpdated(_) => EventType::PlayerStatsUpdated,
        Event::GenericEvent(_) => EventType::Generic,
    })
}

impl From<Event> for EchoEvent {
    fn from(event: Event) -> Self {
        Self { event: Some(event) }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_name_leads_back_to_its_type() {
        for (variant, event, name) in TABLE {
            assert_eq!(from_variant(variant), Some(event));
            assert_eq!(from_seed_name(name), Some(event));
            assert_eq!(from_seed_name(event.as_str_name()), Some(event));
            assert_eq!(seed_name(event), name);
        }
        assert_eq!(from_variant(59), None);
        assert_eq!(from_seed_name(""), None);
    }
}
