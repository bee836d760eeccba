//! Data in a response that V2 frames cannot represent: words without an enum value, header fields that change during the capture, goals
//! and throws from before the capture.
//!
//! It is carried by a `GenericEvent` of the type [`SESSION`], whose data maps keys of the response to JSON values. Each such event replaces
//! the previous one completely, and it applies until the next one. Readers that do not know the type can ignore it.

use std::collections::BTreeMap;

use gametape_games::echo_vr::{Fields, Items, text_value};
use telemetry_v2::proto::engine::v1::{LastScore, LastThrowInfo, SessionResponse, TeamStats};
use telemetry_v2::proto::telemetry::v2::echo_event::Event;
use telemetry_v2::proto::telemetry::v2::{EchoEvent, GenericEvent};

use super::spelling::push_text;
use super::{read, write};

/// Type of the event with the data that frames cannot represent.
pub const SESSION: &str = "gametape.session";
/// Type of the event with a response from outside a match: `payload` is its text, `time_ns` in the data its time.
pub const ANSWER: &str = "gametape.answer";
/// Type of the event with a mark of a person or a program: `kind`, `text` and `time_ns` in the data.
pub const MARK: &str = "gametape.mark";

/// Keys and JSON values.
pub(super) type Beyond = BTreeMap<String, String>;

/// Builds the event.
pub(super) fn event(data: &Beyond) -> EchoEvent {
    Event::GenericEvent(GenericEvent { event_type: SESSION.into(), data: data.clone(), payload: String::new() }).into()
}

fn quoted(text: &str) -> String {
    let mut out = String::with_capacity(text.len() + 2);
    push_text(&mut out, text);
    out
}

fn list<T>(items: impl IntoIterator<Item = T>, text: impl Fn(T) -> String) -> String {
    format!("[{}]", items.into_iter().map(text).collect::<Vec<_>>().join(","))
}

/// Returns the data of a response that cannot be derived from the frames; `derived` is the response derived from them.
pub(super) fn of(actual: &SessionResponse, derived: &SessionResponse) -> Beyond {
    let mut beyond = Beyond::new();
    let mut text = |key: &str, actual: &str, derived: &str| {
        if actual != derived {
            beyond.insert(key.to_owned(), quoted(actual));
        }
    };
    text("sessionid", &actual.session_id, &derived.session_id);
    text("sessionip", &actual.session_ip, &derived.session_ip);
    text("match_type", &actual.match_type, &derived.match_type);
    text("map_name", &actual.map_name, &derived.map_name);
    text("client_name", &actual.client_name, &derived.client_name);
    text("rules_changed_by", &actual.rules_changed_by, &derived.rules_changed_by);
    text("game_status", &actual.game_status, &derived.game_status);
    text("game_clock_display", &actual.game_clock_display, &derived.game_clock_display);
    if let (Some(actual), Some(derived)) = (&actual.pause, &derived.pause) {
        text("paused_state", &actual.paused_state, &derived.paused_state);
        text("unpaused_team", &actual.unpaused_team, &derived.unpaused_team);
        text("paused_requested_team", &actual.paused_requested_team, &derived.paused_requested_team);
    }
    let mut value = |key: &str, differs: bool, text: &dyn Fn() -> String| {
        if differs {
            beyond.insert(key.to_owned(), text());
        }
    };
    let same = (actual.private_match, actual.tournament_match) == (derived.private_match, derived.tournament_match);
    value("private_match", !same, &|| actual.private_match.to_string());
    value("tournament_match", !same, &|| actual.tournament_match.to_string());
    let rounds = actual.total_round_count != derived.total_round_count;
    value("total_round_count", rounds, &|| actual.total_round_count.to_string());
    let rules = actual.rules_changed_at != derived.rules_changed_at;
    value("rules_changed_at", rules, &|| actual.rules_changed_at.to_string());
    let possession = actual.possession != derived.possession;
    value("possession", possession, &|| list(&actual.possession, ToString::to_string));
    let score = actual.last_score.as_ref().map(short_score) != derived.last_score.as_ref().map(short_score);
    value("last_score", score, &|| actual.last_score.as_ref().map_or_else(|| "null".into(), write::score_text));
    let throw = actual.last_throw.as_ref().map(short_throw) != derived.last_throw.as_ref().map(short_throw);
    value("last_throw", throw, &|| actual.last_throw.as_ref().map_or_else(|| "null".into(), write::throw_text));
    let names = |of: &SessionResponse| of.teams.iter().map(|team| team.team_name.clone()).collect::<Vec<_>>();
    value("team_names", names(actual) != names(derived), &|| list(names(actual), |name| quoted(&name)));
    let holds = |of: &SessionResponse| of.teams.iter().map(|team| team.has_possession).collect::<Vec<_>>();
    value("team_possession", holds(actual) != holds(derived), &|| list(holds(actual), |holds| holds.to_string()));
    let mut counted = actual.teams.iter().zip(&derived.teams);
    let differ = counted
        .any(|(actual, derived)| actual.stats.is_some_and(|stats| counters(&stats) != team_counters(derived.stats)));
    let lists = || list(&actual.teams, |team| list(team_counters(team.stats), |value| value.to_string()));
    value("team_stats", differ, &lists);
    beyond
}

/// Applies the data to a response that was derived from frames.
pub(super) fn apply(beyond: &Beyond, session: &mut SessionResponse) {
    for (key, value) in beyond {
        let bytes = value.as_bytes();
        let text = || text_value(bytes).unwrap_or_default();
        let items = || Items::of(bytes).map(|item| String::from_utf8_lossy(item).into_owned());
        match key.as_str() {
            "sessionid" => session.session_id = text(),
            "sessionip" => session.session_ip = text(),
            "match_type" => session.match_type = text(),
            "map_name" => session.map_name = text(),
            "client_name" => session.client_name = text(),
            "rules_changed_by" => session.rules_changed_by = text(),
            "game_status" => session.game_status = text(),
            "game_clock_display" => session.game_clock_display = text(),
            "paused_state" => session.pause.iter_mut().for_each(|pause| pause.paused_state = text()),
            "unpaused_team" => session.pause.iter_mut().for_each(|pause| pause.unpaused_team = text()),
            "paused_requested_team" => session.pause.iter_mut().for_each(|pause| pause.paused_requested_team = text()),
            "private_match" => session.private_match = value == "true",
            "tournament_match" => session.tournament_match = value == "true",
            "total_round_count" => session.total_round_count = value.parse().unwrap_or_default(),
            "rules_changed_at" => session.rules_changed_at = value.parse().unwrap_or_default(),
            "possession" => session.possession = items().take(16).filter_map(|item| item.parse().ok()).collect(),
            "last_score" => session.last_score = Fields::of(bytes).next().map(|_| read::last_score(bytes)),
            "last_throw" => session.last_throw = Fields::of(bytes).next().map(|_| read::last_throw(bytes)),
            "team_names" => {
                let names = Items::of(bytes).take(16).map(|name| text_value(name).unwrap_or_default());
                for (place, name) in names.enumerate() {
                    if session.teams.len() <= place {
                        session.teams.push(telemetry_v2::proto::engine::v1::Team::default());
                    }
                    session.teams.iter_mut().skip(place).take(1).for_each(|team| team.team_name.clone_from(&name));
                }
                // Fewer teams than usual: keep those that are named and those that have players.
                let named = Items::of(bytes).take(16).count();
                while session.teams.len() > named && session.teams.last().is_some_and(|team| team.players.is_empty()) {
                    session.teams.pop();
                }
            }
            "team_possession" => {
                for (team, holds) in session.teams.iter_mut().zip(items()) {
                    team.has_possession = holds == "true";
                }
            }
            "team_stats" => {
                for (team, counters) in session.teams.iter_mut().zip(Items::of(bytes)) {
                    let values =
                        Items::of(counters).map(|item| String::from_utf8_lossy(item).parse().unwrap_or_default());
                    team.stats.iter_mut().for_each(|stats| set_counters(stats, values.clone()));
                }
            }
            _ => {}
        }
    }
}

fn team_counters(stats: Option<TeamStats>) -> [i32; 11] {
    counters(&stats.unwrap_or_default())
}

/// Returns the counters in the game's order.
pub(super) fn counters(stats: &TeamStats) -> [i32; 11] {
    [
        stats.points,
        stats.saves,
        stats.goals,
        stats.stuns,
        stats.passes,
        stats.catches,
        stats.steals,
        stats.blocks,
        stats.interceptions,
        stats.assists,
        stats.shots_taken,
    ]
}

fn set_counters(stats: &mut TeamStats, values: impl Iterator<Item = i32>) {
    let places = [
        &mut stats.points,
        &mut stats.saves,
        &mut stats.goals,
        &mut stats.stuns,
        &mut stats.passes,
        &mut stats.catches,
        &mut stats.steals,
        &mut stats.blocks,
        &mut stats.interceptions,
        &mut stats.assists,
        &mut stats.shots_taken,
    ];
    places.into_iter().zip(values).for_each(|(place, value)| *place = value);
}

/// Rounds to 32 bits, the precision of frames.
fn short(value: f64) -> f64 {
    f64::from(value as f32)
}

fn short_score(score: &LastScore) -> LastScore {
    LastScore { disc_speed: short(score.disc_speed), distance_thrown: short(score.distance_thrown), ..score.clone() }
}

fn short_throw(throw: &LastThrowInfo) -> LastThrowInfo {
    LastThrowInfo {
        arm_speed: short(throw.arm_speed),
        total_speed: short(throw.total_speed),
        off_axis_spin_deg: short(throw.off_axis_spin_deg),
        wrist_throw_penalty: short(throw.wrist_throw_penalty),
        rot_per_sec: short(throw.rot_per_sec),
        pot_speed_from_rot: short(throw.pot_speed_from_rot),
        speed_from_arm: short(throw.speed_from_arm),
        speed_from_movement: short(throw.speed_from_movement),
        speed_from_wrist: short(throw.speed_from_wrist),
        wrist_align_to_throw_deg: short(throw.wrist_align_to_throw_deg),
        throw_align_to_movement_deg: short(throw.throw_align_to_movement_deg),
        off_axis_penalty: short(throw.off_axis_penalty),
        throw_move_penalty: short(throw.throw_move_penalty),
    }
}
